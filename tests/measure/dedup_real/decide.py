#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decides the cause of each reduced test below a folder, for `dedup_real --collect`.

    decide.py --refract FILE --fixed DIR [--newer DIR] FOLDER > decisions

causes.json has the known causes. A test is run again by `refract repeat`, with other programs before those of
the machine in PATH:

- DIR of --fixed has programs (such as spirv-cross) built from the sources of the same version with our
  corrections. Each correction is off unless the environment variable DEDUP_FIX names it. causes.json describes
  each of them. If a test fails with all of them off, and no longer fails with exactly one of them on, then this
  one is the cause ("patch").
- DIR of --newer has the programs of a later version. If a test no longer fails there, the cause is one of those
  that this version does not have, by the condition in causes.json ("newer").
- Otherwise the condition that docs/bugs.md writes about the module, the steps and the optimiser pass decides
  ("condition"). A signature alone never decides.

Prints a line for each test whose cause is decided: path, bug and how it was decided, separated by tabs. Tests
for which several corrections help, or no condition holds, are listed on standard error.
"""

import argparse
import fnmatch
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


class Test:
    """A test folder with the texts that conditions are about."""

    def __init__(self, path):
        self.path = path
        record = json.loads(read(os.path.join(path, "test.json")))
        self.verdict = record["verdict"]
        self.signature = record["signature"]
        self.target = record["target"]["name"]
        self.blamed = record.get("blamed", "")
        self.blamed_pass = record.get("blamed_pass", "")
        self.types = record.get("types", [])
        self.delta = read(os.path.join(path, "delta.diff"))
        self.module = read(os.path.join(path, "reduced.spvasm"))

    def meets(self, condition):
        """Whether all conditions hold: globs of texts, step types, and patterns in the difference or module."""
        return (
            all(fnmatch.fnmatchcase(getattr(self, key), re.sub(r"([\[?])", r"[\1]", condition[key]))
                for key in ("verdict", "signature", "target", "blamed", "blamed_pass") if key in condition)
            and set(condition.get("types", [])) <= set(self.types)
            and (not condition.get("any_type") or set(condition["any_type"]) & set(self.types))
            and all(re.search(pattern, self.delta, re.MULTILINE) for pattern in condition.get("delta", []))
            and not any(re.search(pattern, self.delta, re.MULTILINE) for pattern in condition.get("without", []))
            and all(re.search(pattern, self.module, re.MULTILINE) for pattern in condition.get("module", [])))


class Decider:
    def __init__(self, given, causes):
        self.refract, self.fixed, self.newer = given.refract, given.fixed, given.newer
        self.options = ["--target-file", given.target_file] if given.target_file else []
        self.causes = causes

    def runs(self, test, folder, fixes=()):
        """The outcome of the test with the programs of a folder: 'fails', 'passes' or 'other'."""
        environment = dict(os.environ, PATH=folder + ":" + os.environ["PATH"], DEDUP_FIX=",".join(fixes))
        try:
            done = subprocess.run([self.refract, "repeat", test.path, "--json", *self.options], env=environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=200, check=False)
            runs = json.loads(done.stdout)["runs"]
        except (subprocess.TimeoutExpired, json.JSONDecodeError, KeyError):
            return "other"
        if any(run["original_fails"] for run in runs):
            return "other"
        if all(run["verdict"] == "ok" for run in runs):
            return "passes"
        return "fails" if all(run["verdict"] == test.verdict for run in runs) else "other"

    def has_correction(self, cause):
        """Whether the folder of --fixed has the program that is corrected for this cause."""
        return "fix" in cause and os.path.exists(os.path.join(self.fixed, cause["tool"]))

    def by_patch(self, test):
        candidates = [cause for cause in self.causes if self.has_correction(cause) and test.meets(cause["may"])]
        if not candidates or self.runs(test, self.fixed) != "fails":
            return None, ""
        helps = [cause for cause in candidates if self.runs(test, self.fixed, [cause["fix"]]) == "passes"]
        if len(helps) == 1:
            return helps[0]["bug"], "patch: " + helps[0]["patch"]
        if len(helps) > 1:
            narrowed = [cause for cause in helps if "condition" in cause and test.meets(cause["condition"])]
            if len(narrowed) == 1:
                return narrowed[0]["bug"], "patch and condition: " + narrowed[0]["patch"]
            return None, "several corrections help: " + ", ".join(cause["bug"] for cause in helps)
        return None, ""

    def decide(self, path):
        test = Test(path)
        bug, how = self.by_patch(test) if self.fixed else (None, "")
        if bug or how:
            return path, test, bug, how
        holds = [cause for cause in self.causes if "condition" in cause and test.meets(cause["condition"])]
        names = sorted({cause["bug"] for cause in holds if "newer" not in cause})
        later = [cause for cause in holds if "newer" in cause]
        if not names and later and self.newer and self.runs(test, self.newer) == "passes":
            names = sorted({cause["bug"] for cause in later})
            if len(names) == 1:
                return path, test, names[0], "newer: fixed in " + later[0]["newer"]
        if len(names) != 1:
            return path, test, None, "conditions: " + (", ".join(names) or "none")
        if self.fixed and any(self.has_correction(cause) for cause in holds if cause["bug"] == names[0]):
            return path, test, None, "the correction does not help: " + names[0]
        return path, test, names[0], "condition: docs/bugs.md"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--fixed", default="")
    parser.add_argument("--newer", default="")
    parser.add_argument("--target-file", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folder")
    given = parser.parse_args()
    with open(os.path.join(FOLDER, "causes.json"), encoding="utf-8") as file:
        causes = json.load(file)
    tests = sorted(at for at, _, files in os.walk(given.folder) if "test.json" in files)
    decider = Decider(given, causes)
    with ThreadPoolExecutor(given.jobs) as pool:
        for path, test, bug, how in pool.map(decider.decide, tests):
            name = os.path.relpath(path, given.folder)
            if bug:
                print(f"{name}\t{bug}\t{how}", flush=True)
            else:
                print(f"undecided: {name}: {test.signature} [{test.blamed_pass}] {'+'.join(test.types)}: {how}",
                      file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
