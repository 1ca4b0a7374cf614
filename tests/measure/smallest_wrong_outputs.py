#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how small `refract reduce` makes programs with wrong outputs.

    smallest_wrong_outputs.py --refract FILE --optimiser PLANTED_OPT [--only NAME]... [--jobs N] DIR
    smallest_wrong_outputs.py --refract FILE --optimiser PLANTED_OPT --reductions FILE --recordings FILE
                              [--references DIR] [--only NAME]... [--jobs N]
    smallest_wrong_outputs.py --refract FILE --bugs [--steps N] [--only NAME]... [--jobs N]

Planted bugs: DIR holds test folders (reductions --folders); the second form makes them itself from recordings
(planted_recordings --write). Of each miscompilation, the first test with a result is used, with the
interpreter after the optimiser. A row has: instructions of the original; instructions left in the original of
the pair, in all and in functions, instructions different, tries; instructions left in the module alone, in all
and in functions, further tries; whether there is a self-checking module; seconds.

--bugs: tests/bugs/bugs.json has tests with wrong outputs. Each test on a target of this machine is first made
large again: `refract fuzz` adds N steps and donated functions, with the first seed whose variant still has a
wrong output. `refract reduce` then makes this module smaller, without a recording. A row has: instructions of
the large module; instructions left, in all and in functions; tries; seconds.

A row with a reason instead has no result: the interpreter cannot tell which output is correct, for example.
"In functions" leaves out types, constants and other declarations. Exit code 1 if no test has a result, or if
one has more than 100 instructions in functions.
"""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

MOST_IN_FUNCTIONS = 100
MOST_TESTS = 8  # of one bug, until one has a result
SEEDS = range(1, 13)
SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUGS = SOURCE / "tests" / "bugs"


def lines_of(path):
    return subprocess.run(["spirv-dis", "--raw-id", "--no-header", path], capture_output=True, text=True,
                          check=True).stdout.splitlines()


def in_functions(path):
    listed = lines_of(path)
    first = next((i for i, line in enumerate(listed) if " = OpFunction " in line), len(listed))
    return len(listed) - first


def shown(numbers):
    return f"{statistics.median(numbers):g} ({max(numbers)})"


def timed(command):
    """The messages of a command, and the seconds that it took."""
    begin = time.monotonic()
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    return ran.stderr, time.monotonic() - begin


def reason_in(messages):
    return (re.search(r"(no smallest .*|error: .*|failure: .*)", messages) or [messages.strip()])[0]


class Planted:
    """The tests of planted bugs."""
    HEAD = ("| bug | original | pair | in functions | different | tries | alone | in functions | tries | checks itself "
            "| s |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|")

    def __init__(self, given):
        self.given = given

    def reduced(self, bug, folder, work):
        """The row of one test, and its numbers; no numbers without a result."""
        given = self.given
        target = {"name": bug, "description": "planted_opt with one bug", "commands": [
            {"run": [given.optimiser, "--bug", bug, "{in}", "{out}"], "output": "spirv", "time_limit": 3}]}
        (work / "target.json").write_text(json.dumps(target))
        command = [given.refract, "reduce", folder / "original.spv", folder / "reduced.refract", "-o",
                   work / "out.spv", "--target-file", work / "target.json", "--target", f"{bug}@interp",
                   "--smallest", "--jobs", given.jobs]
        for shader in ("vertex", "fragment"):
            if (folder / f"{shader}.spv").exists():
                command += [f"--{shader}", folder / f"{shader}.spv"]
        messages, seconds = timed(command)
        pair = re.search(r"smallest pair: (\d+) instructions? of (\d+), (\d+) different, (\d+) tries", messages)
        alone = re.search(r"smallest: (\d+) instructions? of \d+, (\d+) tries", messages)
        if not pair or not alone:
            return f"| {bug} | {reason_in(messages)} |", None
        left, before, different, tries = (int(count) for count in pair.groups())
        functions = in_functions(work / "out.pair.original.spv"), in_functions(work / "out.smallest.spv")
        checks = "yes" if (work / "out.check.spv").exists() else "no"
        return (f"| {bug} | {before} | {left} | {functions[0]} | {different} | {tries} | {alone[1]} | {functions[1]} | "
                f"{alone[2]} | {checks} | {seconds:.0f} |"), (*functions, tries, tries + int(alone[2]))

    def rows(self, folder):
        for kind in sorted(folder.glob("miscompilation.*")):
            bug = kind.name.split(".")[1]
            if self.given.only and bug not in self.given.only:
                continue
            row = None, None
            for test in sorted(kind.iterdir(), key=lambda path: int(path.name))[:MOST_TESTS]:
                with tempfile.TemporaryDirectory() as name:
                    row = self.reduced(bug, test, pathlib.Path(name))
                if row[1]:
                    break
            yield row

    def all_rows(self):
        given = self.given
        if given.folder:
            yield from self.rows(pathlib.Path(given.folder))
            return
        with tempfile.TemporaryDirectory() as name:
            for bug in given.only or [""]:
                command = [given.reductions, "--optimiser", given.optimiser, "--recordings", given.recordings,
                           "--references", given.references, "--each", "1", "--folders", name]
                made = subprocess.run(command + (["--only", bug] if bug else []), capture_output=True, text=True)
                if made.returncode != 0:
                    sys.exit(f"reductions failed: {made.stdout[-500:]}{made.stderr[-500:]}")
            yield from self.rows(pathlib.Path(name))

    @staticmethod
    def summary(results):
        pair, alone, tries, total = ([row[i] for row in results] for i in range(4))
        return (f"| median (worst) of {len(results)} | | | {shown(pair)} | | {shown(tries)} | | {shown(alone)} | "
                f"{shown(total)} in both | | |")


class Real:
    """The tests of docs/bugs.md."""
    HEAD = ("| test | target | large | left | in functions | tries | s |\n"
            "|---|---|---:|---:|---:|---:|---:|")

    def __init__(self, given):
        self.given = given

    def is_wrong(self, module, target):
        """Whether the target gives another output than the interpreter."""
        ran = subprocess.run([self.given.refract, "run", module, "--targets", f"interp,{target}", "--quiet"],
                             capture_output=True, text=True)
        return ran.returncode == 4

    def large(self, bug, work):
        """A large module that shows the bug; None if no seed gives one."""
        module = work / "large.spv"
        for seed in SEEDS:
            made = subprocess.run([self.given.refract, "fuzz", BUGS / bug["test"], "-o", module, "--seed", str(seed),
                                   "--max-steps", str(self.given.steps), "--donors", SOURCE / "donors", "--quiet"],
                                  capture_output=True, text=True)
            if made.returncode == 0 and self.is_wrong(module, bug["target"]):
                return module
        return None

    def reduced(self, bug, work):
        name = f"{pathlib.Path(bug['test']).stem} | {bug['target']}"
        module = self.large(bug, work)
        if module is None:
            return f"| {name} | no large module shows it |", None
        (work / "large.refract").unlink(missing_ok=True)
        out = work / "small.spv"
        messages, seconds = timed([self.given.refract, "reduce", module, "-o", out, "--target", bug["target"],
                                   "--jobs", self.given.jobs])
        left = re.search(r"(\d+) instructions? of (\d+), in .*\n.*tries: (\d+)", messages)
        if not left:
            return f"| {name} | {reason_in(messages)} |", None
        functions = in_functions(out)
        if not self.is_wrong(out, bug["target"]):
            return f"| {name} | the output of the result is right |", None
        return (f"| {name} | {left[2]} | {left[1]} | {functions} | {left[3]} | {seconds:.0f} |",
                (functions, functions, int(left[3]), int(left[3])))

    def all_rows(self):
        with open(BUGS / "bugs.json", encoding="utf-8") as file:
            bugs = [bug for bug in json.load(file)["bugs"] if "differs_from" in bug]
        listed = subprocess.run([self.given.refract, "targets", "--json"], capture_output=True, text=True, check=True)
        known = {target["name"] for target in json.loads(listed.stdout) if target.get("available")}
        for bug in bugs:
            if self.given.only and not any(name in bug["test"] for name in self.given.only):
                continue
            if re.split("[:@]", bug["target"])[0] not in known:
                continue
            with tempfile.TemporaryDirectory() as name:
                yield self.reduced(bug, pathlib.Path(name))

    @staticmethod
    def summary(results):
        functions, _, tries, _ = ([row[i] for row in results] for i in range(4))
        return f"| median (worst) of {len(results)} | | | | {shown(functions)} | {shown(tries)} | |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--optimiser")
    parser.add_argument("--reductions")
    parser.add_argument("--recordings")
    parser.add_argument("--references", default=str(SOURCE / "references"))
    parser.add_argument("--bugs", action="store_true")
    parser.add_argument("--steps", type=int, default=400, help="steps of the large modules of --bugs")
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folder", nargs="?")
    given = parser.parse_args()
    given.refract = os.path.abspath(given.refract)
    if given.optimiser:
        given.optimiser = os.path.abspath(given.optimiser)
    measured = Real(given) if given.bugs else Planted(given)
    print(measured.HEAD)
    results = []
    for row, numbers in measured.all_rows():
        print(row, flush=True)
        if numbers:
            results.append(numbers)
    if not results:
        return 1
    print(measured.summary(results))
    return 0 if max(row[1] for row in results) <= MOST_IN_FUNCTIONS else 1


if __name__ == "__main__":
    sys.exit(main())
