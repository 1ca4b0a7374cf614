#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests in which versions of their targets the bugs of docs/bugs.md exist: runs each test of bugs.json.

    run.py --refract FILE [--all] [--check-only] [--target-file DIR]... [--record] [NAME...]

For each test, bugs.json has the section of docs/bugs.md, the target, and either `seen`, the signature of the
run ("*" matches any text), or `differs_from`, a target with the correct outputs. Tests that are `slow` run
only with --all. NAMEs are parts of file names. If a driver is missing (NVIDIA's, on most machines), its tests
are listed as not run.

Each test runs on the target with the name that bugs.json has, and on other versions of it: targets of
--target-file with this name, a hyphen and a version (`make current` makes such a folder). Its state is one of
these:

    there    the test fails in the same way; offsets in signatures are not compared between versions
    fixed    the test does not fail
    else     the signature of another failure

`versions` in bugs.json has the states of the versions that were tried. Without it, the bug exists in the
version of Debian 12. --record writes the states of this run to bugs.json and to the tables of docs/bugs.md.

Fails if a state is not the recorded one: docs/bugs.md must then tell the new state. Also fails if the lists
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

import bug_index

FOLDER = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(FOLDER))
LIST = os.path.join(FOLDER, "bugs.json")
PAGE = os.path.join(SOURCE, "docs", "bugs.md")
TIME_LIMIT = 300


def matches(pattern, text):
    """Matches a signature. Only "*" is special, because signatures are full of brackets."""
    return fnmatch.fnmatchcase(text, re.sub(r"([\[?])", r"[\1]", pattern))


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def sections():
    with open(PAGE, encoding="utf-8") as file:
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


class Version:
    """A version of the target of a bug: a target of this machine or of a target file."""

    def __init__(self, base, name, number):
        self.base = base  # the name in bugs.json, without passes and driver
        self.name = name
        self.number = number

    def target(self, bug):
        """The name of the target with the passes and the driver of the bug."""
        return self.name + bug["target"].removeprefix(self.base)

    def is_there(self, bug, seen):
        wanted = bug["seen"]
        if self.name != self.base:
            wanted = re.sub(r"\+0x[0-9a-f]+", "+*", wanted)
            # In signatures, the numbers of a version are "N".
            for name in (self.name, re.sub(r"\d+(\.\d+)*", "N", self.name)):
                seen = seen.replace(name, self.base)
        return matches(wanted, seen)


def base(target):
    """The target without passes, seed and driver: spirv-opt for spirv-opt:--ccp, naga-spv for naga-spv@interp."""
    return re.split("[:@]", target)[0]


# The versions of Debian 12, of programs that do not print their version.
UNTOLD = {"spirv-cross-glsl": "1.3.239.0", "spirv-cross-hlsl": "1.3.239.0", "spirv-cross-msl": "1.3.239.0",
          "swiftshader": "156"}


def number_of(target):
    """The version of a built-in target, as short as in the names of targets of other versions."""
    told = re.search(r"(?:Mesa |SPIRV-Tools v|NVIDIA )(\d[\d.]*)", target["version"])
    return told[1] if told else UNTOLD.get(target["name"], target["version"])


class Runner:
    def __init__(self, refract, files):
        self.refract = refract
        self.cache = tempfile.TemporaryDirectory()  # not the user's
        self.environment = dict(os.environ, REFRACT_CACHE="", XDG_CACHE_HOME=self.cache.name)
        self.files = [option for file in files for option in ("--target-file", os.path.abspath(file))]
        listed = subprocess.run([refract, "targets", "--json", *self.files], capture_output=True, text=True,
                                cwd=SOURCE, env=self.environment, timeout=TIME_LIMIT, check=True)
        self.targets = {target["name"]: target for target in json.loads(listed.stdout) if target["available"]}

    def versions(self, bug):
        name = base(bug["target"])
        found = [Version(name, name, number_of(self.targets[name]))] if name in self.targets else []
        for other in sorted(self.targets):
            number = other.removeprefix(name + "-")
            if number != other and re.fullmatch(r"\d[\d.]*", number):
                found.append(Version(name, other, number))
        right = base(bug.get("differs_from", "interp"))
        return found if right in self.targets else []

    def run(self, bug, target, folder):
        path = os.path.join(FOLDER, bug["test"])
        command = [self.refract, "run", path, "--target", target, "-o", folder, "--json", *self.files]
        if not os.path.exists(os.path.splitext(path)[0] + ".json"):
            command.append("--zero-inputs")
        if "entry" in bug:
            command += ["--entry", bug["entry"]]
        ran = subprocess.run(command, capture_output=True, text=True, cwd=SOURCE, env=self.environment,
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

    def state(self, bug, version):
        """The state of a bug in a version, and the seconds that this took."""
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            seen, files = self.run(bug, version.target(bug), os.path.join(folder, "target"))
            if "seen" in bug:
                state = "there" if version.is_there(bug, seen) else "fixed" if seen == "ok" else seen
            elif seen.startswith("hang "):  # the time limit is short
                state = "there"
            elif seen != "ok":
                state = seen
            else:
                right, others = self.run(bug, bug["differs_from"], os.path.join(folder, "right"))
                if right != "ok":
                    state = f"{bug['differs_from']} should be right about it: {right}"
                else:
                    state = "fixed" if self.outputs(files) == self.outputs(others) else "there"
        return state, time.monotonic() - begin


def refusal(reason):
    """The signature that a variant would get, for a module that a tool refuses."""
    said = re.search(r": ([^ :]+) rejected its input with exit code \d+: (.*)$", reason)
    return f"rejected {said.group(1)}: {said.group(2)}" if said else "not run: " + reason


def expected(bug, version):
    """The recorded state; None if this version was not tried."""
    recorded = bug.get("versions", {})
    if version.number in recorded:
        return recorded[version.number]
    return "there" if version.name == version.base else None


def record(bugs):
    with open(PAGE, encoding="utf-8") as file:
        page = bug_index.with_states(file.read(), bugs)
    for path, text in ((LIST, bug_index.json_text(bugs)), (PAGE, page)):
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", help="the executable")
    parser.add_argument("--all", action="store_true", help="also run the slow tests")
    parser.add_argument("--check-only", action="store_true", help="compare the lists, run nothing")
    parser.add_argument("--target-file", action="append", default=[], help="targets of other versions")
    parser.add_argument("--record", action="store_true", help="write the states to bugs.json and docs/bugs.md")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    bugs = read_json(LIST)["bugs"]
    faults = list_faults(bugs)
    for fault in faults:
        print(fault)
    if given.check_only or faults:
        return 1 if faults else 0
    if not given.refract:
        parser.error("--refract is needed to run anything")
    runner = Runner(given.refract, given.target_file)
    chosen = [bug for bug in bugs
              if (given.all or not bug.get("slow")) and
              (not given.names or any(name in bug["test"] for name in given.names))]
    runs = [(bug, version) for bug in chosen for version in runner.versions(bug)]
    counts = {"there": 0, "fixed": 0, "another failure": 0}
    wrong = 0
    with ThreadPoolExecutor(2) as pool:
        for (bug, version), (state, seconds) in zip(runs, pool.map(lambda run: runner.state(*run), runs)):
            wanted = expected(bug, version)
            counts[state if state in counts else "another failure"] += 1
            if given.record:
                bug.setdefault("versions", {})[version.number] = state
            place = f"{bug['test']} on {version.target(bug)}"
            if wanted is not None and not matches(wanted, state):
                wrong += 1
                print(f"{place}: {state}, but bugs.json has: {wanted} ('{bug['bug']}')")
            elif given.all or given.names or given.target_file:
                print(f"{place}: {state}{'' if wanted else ', not recorded'} ({seconds:.1f} s)")
    for bug in chosen:
        if not any(bug is run[0] for run in runs):
            print(f"{bug['test']} on {bug['target']}: not run, no such target on this machine")
    if given.record:
        record(bugs)
    print(f"{', '.join(f'{count} {state}' for state, count in counts.items())}; {wrong} not as recorded")
    return 1 if (wrong and not given.record) or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
