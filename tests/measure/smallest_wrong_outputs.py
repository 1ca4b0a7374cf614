#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures `refract reduce --smallest` on wrong outputs of planted_opt, with the interpreter after it.

    smallest_wrong_outputs.py --refract FILE --optimiser PLANTED_OPT [--jobs N] DIR

DIR holds test folders of planted bugs (reductions --folders); the first one of each miscompilation is used.
Prints a row for each: instructions of the original; instructions left in the original of the pair, in all and in
functions, instructions different, tries; instructions left in the module alone, in all and in functions, further tries;
whether there is a self-checking module; seconds.
A row with a reason instead has no result: the interpreter cannot tell which output is correct, for example.
Exit code 1 if no test has a result, or if one has more than 100 instructions in functions.
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


def in_functions(path):
    listed = subprocess.run(["spirv-dis", "--raw-id", "--no-header", path], capture_output=True, text=True,
                            check=True).stdout.splitlines()
    first = next((i for i, line in enumerate(listed) if " = OpFunction " in line), len(listed))
    return len(listed) - first


def reduced(given, bug, folder, work):
    """The row of one test, with its numbers; none without a result."""
    target = {"name": bug, "description": "planted_opt with one bug", "commands": [
        {"run": [given.optimiser, "--bug", bug, "{in}", "{out}"], "output": "spirv", "time_limit": 3}]}
    (work / "target.json").write_text(json.dumps(target))
    command = [given.refract, "reduce", folder / "original.spv", folder / "reduced.refract", "-o", work / "out.spv",
               "--target-file", work / "target.json", "--target", f"{bug}@interp", "--smallest", "--jobs",
               str(given.jobs)]
    begin = time.monotonic()
    ran = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - begin
    pair = re.search(r"smallest pair: (\d+) instructions? of (\d+), (\d+) different, (\d+) tries", ran.stderr)
    alone = re.search(r"smallest: (\d+) instructions? of \d+, (\d+) tries", ran.stderr)
    if not pair or not alone:
        reason = (re.search(r"(no smallest .*|error: .*|failure: .*)", ran.stderr) or [ran.stderr])[0]
        return f"| {bug} | {reason} |", None
    left, before, different, tries = (int(count) for count in pair.groups())
    functions = in_functions(work / "out.pair.original.spv"), in_functions(work / "out.smallest.spv")
    checks = "yes" if (work / "out.check.spv").exists() else "no"
    return (f"| {bug} | {before} | {left} | {functions[0]} | {different} | {tries} | {alone[1]} | {functions[1]} | "
            f"{alone[2]} | {checks} | {seconds:.0f} |"), (*functions, tries, int(alone[2]))


def shown(numbers):
    return f"{statistics.median(numbers):g} ({max(numbers)})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--optimiser", required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("folder")
    given = parser.parse_args()
    given.optimiser = os.path.abspath(given.optimiser)
    print("| bug | original | pair | in functions | different | tries | alone | in functions | tries | checks itself | s |\n"
          "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|")
    results = []
    for kind in sorted(pathlib.Path(given.folder).glob("miscompilation.*")):
        with tempfile.TemporaryDirectory() as name:
            row, numbers = reduced(given, kind.name.split(".")[1], sorted(kind.iterdir())[0], pathlib.Path(name))
        print(row, flush=True)
        if numbers:
            results.append(numbers)
    if not results:
        return 1
    pair, alone, tries, more = ([row[i] for row in results] for i in range(4))
    print(f"| median (worst) of {len(results)} | | | {shown(pair)} | | {shown(tries)} | | {shown(alone)} | {shown(more)} | | |")
    return 0 if max(alone) <= MOST_IN_FUNCTIONS else 1


if __name__ == "__main__":
    sys.exit(main())
