#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `refract reduce --smallest` with spirv-reduce on modules that crash planted_opt. Both use the same
interestingness test: a script that runs the optimiser with the bug enabled, and succeeds if a signal ends it.

    smallest.py --refract FILE --optimiser PLANTED_OPT --spirv-reduce FILE DIR

DIR holds test folders of planted bugs (reductions --folders); the first one of each crash is used. Prints a
row for each: instructions of the variant, then the instructions left and the tries of both. The sum has only
the modules on which spirv-reduce did not crash. Exit code 1 if ours leaves more instructions in total.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

JUDGE = """#!/bin/sh
echo >>{calls}
{optimiser} --bug {bug} "$1" /dev/null >/dev/null 2>&1
test $? -ge 128
"""


def instructions(path):
    listed = subprocess.run(["spirv-dis", "--raw-id", path], capture_output=True, text=True, check=True)
    return sum(1 for line in listed.stdout.splitlines() if line.strip() and not line.startswith(";"))


def judged(work, given, bug):
    """A new interestingness test, and the file in which it notes each call."""
    calls = work / "calls"
    calls.write_text("")
    judge = work / "judge.sh"
    judge.write_text(JUDGE.format(calls=calls, optimiser=given.optimiser, bug=bug))
    judge.chmod(0o755)
    return judge, calls


def tries(calls):
    return len(calls.read_text().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--optimiser", required=True)
    parser.add_argument("--spirv-reduce", default="spirv-reduce")
    parser.add_argument("folder")
    given = parser.parse_args()
    given.refract = os.path.abspath(given.refract)
    given.optimiser = os.path.abspath(given.optimiser)
    print("| bug | variant | ours | tries | spirv-reduce | tries |\n|---|---:|---:|---:|---:|---:|")
    total = [0] * 5
    for kind in sorted(pathlib.Path(given.folder).glob("crash.*")):
        test = sorted(kind.iterdir())[0]
        bug = kind.name.split(".")[1]
        with tempfile.TemporaryDirectory() as name:
            work = pathlib.Path(name)
            judge, calls = judged(work, given, bug)
            subprocess.run([given.refract, "reduce", test / "original.spv", test / "variant.refract", "-o",
                            work / "small.spv", "--smallest", "--quiet", "--", judge], check=True)
            ours = [instructions(work / "small.smallest.spv"), tries(calls)]
            judge, calls = judged(work, given, bug)
            ran = subprocess.run(
                [given.spirv_reduce, test / "variant.spv", "-o", work / "theirs.spv", "--", judge],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=work)
            theirs = [instructions(work / "theirs.spv"), tries(calls)] if ran.returncode == 0 else None
        row = [instructions(test / "variant.spv")] + ours
        if theirs is None:
            print(f"| {bug} | " + " | ".join(map(str, row)) + f" | ended with {ran.returncode} | |", flush=True)
            continue
        row += theirs
        print(f"| {bug} | " + " | ".join(map(str, row)) + " |", flush=True)
        total = [a + b for a, b in zip(total, row)]
    print("| all | " + " | ".join(map(str, total)) + " |")
    return 0 if 0 < total[1] <= total[3] else 1


if __name__ == "__main__":
    sys.exit(main())
