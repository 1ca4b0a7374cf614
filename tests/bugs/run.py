#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests whether the bugs of docs/bugs.md still exist: runs each test of bugs.json on its target.

    run.py --refract FILE [--all] [--check-only] [NAME...]

For each test, bugs.json has the section of docs/bugs.md, the target, and either `seen`, the signature of the
run ("*" matches any text), or `differs_from`, a target with the correct outputs. Tests that are `slow` run
only with --all. NAMEs are parts of file names. If a driver is missing (NVIDIA's, on most machines), its tests
are listed as not run.

Fails if a bug no longer exists: docs/bugs.md must then name the version without it. Also fails if the lists
do not match: each section needs a test, each test an entry in bugs.json, each entry of data/known_issues.json
a section, and each signature there without steps, opcodes, blame or a graph a test that gives it.
"""

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(FOLDER))
TIME_LIMIT = 300


def matches(pattern, text):
    """Matches a signature. Only "*" is special, because signatures are full of brackets."""
    return fnmatch.fnmatchcase(text, re.sub(r"([\[?])", r"[\1]", pattern))


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def sections():
    with open(os.path.join(SOURCE, "docs", "bugs.md"), encoding="utf-8") as file:
        return [line[3:].strip() for line in file if line.startswith("## ")]


def list_faults(bugs):
    """Mismatches between docs/bugs.md, bugs.json, the files and the known issues."""
    faults = []
    titles = sections()
    known = read_json(os.path.join(SOURCE, "data", "known_issues.json"))["issues"]
    for title in sorted({title for title in titles if titles.count(title) > 1}):
        faults.append(f"docs/bugs.md: two sections are called '{title}'")
    for bug in bugs:
        if bug["bug"] not in titles:
            faults.append(f"bugs.json: {bug['test']}: docs/bugs.md has no section '{bug['bug']}'")
    for title in titles:
        if not any(bug["bug"] == title for bug in bugs):
            faults.append(f"docs/bugs.md: '{title}' has no test in bugs.json")
    files = sorted(os.listdir(FOLDER))
    tests = [name for name in files if name.endswith((".spvasm", ".frag", ".comp", ".vert"))]
    for name in tests:
        if not any(bug["test"] == name for bug in bugs):
            faults.append(f"tests/bugs/{name}: no line of bugs.json names it")
    for bug in bugs:
        if bug["test"] not in tests:
            faults.append(f"bugs.json: there is no tests/bugs/{bug['test']}")
    for issue in known:
        place = f"known_issues.json: {issue['name']}"
        title = issue["why"].removeprefix("docs/bugs.md: ")
        if title not in titles:
            faults.append(f"{place}: docs/bugs.md has no section '{title}'")
        wanted = issue.get("signature")
        if not {"types", "opcodes", "blame", "graph"}.isdisjoint(issue):
            wanted = None  # another form of the bug, recognised by the reduced test
        if wanted and not any(fits(bug, title, wanted) for bug in bugs):
            faults.append(f"{place}: no test of that section gives '{wanted}'")
    return faults


def fits(bug, title, wanted):
    """Whether a test of the section gives such a signature, according to bugs.json."""
    if bug["bug"] != title or "seen" not in bug:
        return False
    return matches(wanted, bug["seen"]) or matches(bug["seen"], wanted)


class Runner:
    def __init__(self, refract):
        self.refract = refract
        listed = subprocess.run([refract, "targets", "--json"], capture_output=True, text=True,
                                cwd=SOURCE, timeout=TIME_LIMIT, check=True)
        self.available = {target["name"] for target in json.loads(listed.stdout)
                          if target["available"]}

    def run(self, bug, target, folder):
        path = os.path.join(FOLDER, bug["test"])
        command = [self.refract, "run", path, "--target", target, "-o", folder, "--json"]
        if not os.path.exists(os.path.splitext(path)[0] + ".json"):
            command.append("--zero-inputs")
        if "entry" in bug:
            command += ["--entry", bug["entry"]]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=SOURCE,
                             timeout=TIME_LIMIT, check=False)
        try:
            result = json.loads(ran.stdout)
        except json.JSONDecodeError:
            return "no result: " + ran.stderr.strip().replace("\n", " "), []
        if result["runs"]:
            one = result["runs"][0]
            return one["signature"] or "ok", [output["file"] for output in one["outputs"]]
        return refusal(result["not_run"][0]["reason"]), []

    def outputs(self, files):
        contents = []
        for name in files:
            with open(name, "rb") as file:
                contents.append(file.read())
        return contents

    def check(self, bug):
        """(None, seconds) if the bug still exists, else what was seen instead."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            seen, files = self.run(bug, bug["target"], os.path.join(folder, "target"))
            wrong = None
            if "seen" in bug:
                if not matches(bug["seen"], seen):
                    wrong = f"seen: {seen}\n  expected: {bug['seen']}"
            elif seen != "ok":
                # The time limit was too short, or this is another bug.
                if not seen.startswith("hang "):
                    wrong = f"seen: {seen}\n  expected: other outputs than {bug['differs_from']}"
            else:
                right, others = self.run(bug, bug["differs_from"], os.path.join(folder, "right"))
                if right != "ok":
                    wrong = f"{bug['differs_from']} should be right about it: {right}"
                elif self.outputs(files) == self.outputs(others):
                    wrong = f"the outputs are those of {bug['differs_from']}"
        return wrong, time.monotonic() - begin


def base(target):
    """The target without passes or seed: spirv-opt for spirv-opt:--ccp."""
    return target.split(":")[0]


def refusal(reason):
    """The signature that a variant would get, for a module that a tool refuses."""
    said = re.search(r": ([^ :]+) rejected its input with exit code \d+: (.*)$", reason)
    return f"rejected {said.group(1)}: {said.group(2)}" if said else "not run: " + reason


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", help="the executable")
    parser.add_argument("--all", action="store_true", help="also run the slow tests")
    parser.add_argument("--check-only", action="store_true", help="compare the lists, run nothing")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    bugs = read_json(os.path.join(FOLDER, "bugs.json"))["bugs"]
    faults = list_faults(bugs)
    for fault in faults:
        print(fault)
    if given.check_only or faults:
        return 1 if faults else 0
    if not given.refract:
        parser.error("--refract is needed to run anything")
    runner = Runner(given.refract)
    chosen = [bug for bug in bugs
              if (given.all or not bug.get("slow")) and
              (not given.names or any(name in bug["test"] for name in given.names))]
    missing = [bug for bug in chosen
               if not {base(bug["target"]), base(bug.get("differs_from", bug["target"]))}
               <= runner.available]
    runnable = [bug for bug in chosen if bug not in missing]
    gone = 0
    with ThreadPoolExecutor(2) as pool:
        for bug, (wrong, seconds) in zip(runnable, pool.map(runner.check, runnable)):
            if wrong:
                gone += 1
                print(f"{bug['test']} on {bug['target']}: not as docs/bugs.md says ('{bug['bug']}')")
                print(f"  {wrong}")
            elif given.all or given.names:
                print(f"{bug['test']} on {bug['target']}: still exists ({seconds:.1f} s)")
    for bug in missing:
        print(f"{bug['test']} on {bug['target']}: not run, no such target on this machine")
    print(f"{len(runnable) - gone} still exist, {gone} not as documented, {len(missing)} not run")
    return 1 if gone or not runnable else 0


if __name__ == "__main__":
    sys.exit(main())
