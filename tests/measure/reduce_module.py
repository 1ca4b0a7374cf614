#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares `refract reduce MODULE` with spirv-reduce on the crashes of command-line tools in tests/bugs.

    reduce_module.py --refract FILE [--steps N] [--jobs N] [--only NAME]... [--keep DIR] [--strict]

Each test of bugs.json that crashes spirv-opt or spirv-cross is first made large again: `refract fuzz` adds N
steps and donated functions to it, with the first seed whose variant still crashes with the same signature.
Both programs then reduce this variant with the same interestingness test, a script: the tool must crash, and
`refract run` must give the signature of the variant. Prints a row for each: instructions of the variant, then
the remaining instructions, the tries and the seconds of both. The sum leaves out modules on which spirv-reduce
fails. Exit code 1 if a result of Refract is not valid or not interesting, or has more instructions than that
of spirv-reduce; with --strict, also if Refract needs more tries or seconds. Needs librefract.so beside FILE.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
BUGS = SOURCE / "tests" / "bugs"
SEEDS = range(1, 21)
TIME_LIMIT = 1800
SCRIPT = """#!/bin/sh
echo >>{calls}
{tool} >output 2>&1
test $? -ge 128 || exit 1
{refract} run "$1" --target '{target}' --zero-inputs --quiet --json >result
grep -qF '{signature}' result
"""


def run(*command, **options):
    """A command that must end; its standard output."""
    return subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=TIME_LIMIT, check=options.pop("check", True), **options)


def instructions(path):
    listed = run("spirv-dis", "--raw-id", path).stdout
    return sum(1 for line in listed.splitlines() if line.strip() and not line.startswith(";"))


def crashes():
    """The tests that crash a command-line tool."""
    with open(BUGS / "bugs.json", encoding="utf-8") as file:
        bugs = json.load(file)["bugs"]
    for bug in bugs:
        tool = bug.get("seen", "").removeprefix("crash ").split(":")[0]
        if bug.get("seen", "").startswith("crash ") and tool in ("spirv-opt", "spirv-cross"):
            yield bug


def loaded(path, **options):
    """A valid module, by the library beside the executable. The environment is Vulkan if possible."""
    import refract  # main() says which library
    return refract.Module(path.read_bytes(), validator_seconds=TIME_LIMIT, **options)


def tool_line(target, path):
    """The shell command of the tool that crashes, with the module as "$1"."""
    if target.startswith("spirv-cross-glsl"):
        stage = re.search(r"OpEntryPoint (\w+)", run("spirv-dis", path).stdout).group(1)
        stage = {"Fragment": "frag", "Vertex": "vert", "GLCompute": "comp"}[stage]
        return f'spirv-cross "$1" --vulkan-semantics --version 460 --no-es --entry main --stage {stage}'
    passes = {"spirv-opt-O": "-O", "spirv-opt-Os": "-Os"}.get(target)
    passes = passes or target.split(":", 1)[1].replace(",", " ")
    return f'spirv-opt --target-env={loaded(path).environment} {passes} "$1" -o out.spv'


def signature(refract, target, path):
    ran = run(refract, "run", path, "--target", target, "--zero-inputs", "--quiet", "--json", check=False)
    try:
        runs = json.loads(ran.stdout)["runs"]
    except json.JSONDecodeError:
        return ""
    return runs[0]["signature"] if runs else ""


def grown(refract, bug, steps, work):
    """A large module with the same crash, and its signature; None if no seed gives one."""
    pattern = re.sub(r"([\[?])", r"[\1]", bug["seen"])
    module = work / "large.spv"
    for seed in SEEDS:
        made = run(refract, "fuzz", BUGS / bug["test"], "-o", module, "--seed", seed, "--max-steps", steps,
                   "--donors", SOURCE / "donors", "--quiet", check=False)
        if made.returncode != 0:
            continue
        (work / "large.json").unlink(missing_ok=True)
        found = signature(refract, bug["target"], module)
        if fnmatch.fnmatchcase(found, pattern):
            return module, found
    return None


class Case:
    """One crash: the large module and the interestingness test of both programs."""

    def __init__(self, refract, bug, steps, work):
        self.work = work
        self.calls = work / "calls"
        self.script = work / "crashes.sh"
        large = grown(refract, bug, steps, work)
        self.module = large[0] if large else None
        if large:
            quoted = large[1].replace("'", "'\\''")
            self.script.write_text(SCRIPT.format(calls=self.calls, tool=tool_line(bug["target"], large[0]),
                                                 refract=refract, target=bug["target"], signature=quoted))
            self.script.chmod(0o755)

    def measure(self, result, *command):
        """(instructions, tries, seconds) of a program, or None if it fails."""
        self.calls.write_text("")
        begin = time.monotonic()
        try:
            ran = run(*command, "--", self.script, cwd=self.work, check=False)
        except subprocess.TimeoutExpired:
            return None
        seconds = time.monotonic() - begin
        if ran.returncode != 0 or not result.exists():
            print(ran.stdout[-500:], ran.stderr[-500:], file=sys.stderr)
            return None
        return instructions(result), len(self.calls.read_text().splitlines()), seconds

    def faults(self, result):
        """What is wrong with a result."""
        try:
            loaded(result, environment=loaded(self.module).environment)
        except ValueError as error:
            yield f"not valid: {error}"
        if run(self.script, result, cwd=self.work, check=False).returncode != 0:
            yield "not interesting"


def row(name, before, ours, theirs):
    cells = [name, str(before)]
    for one in (ours, theirs):
        cells += ["failed", "", ""] if one is None else [str(one[0]), str(one[1]), f"{one[2]:.1f}"]
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--spirv-reduce", default="spirv-reduce")
    parser.add_argument("--steps", type=int, default=1000, help="steps of the variants")
    parser.add_argument("--jobs", type=int, default=1, help="parallel tries of Refract")
    parser.add_argument("--only", action="append", help="tests with this in their name")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the modules and scripts there")
    parser.add_argument("--strict", action="store_true", help="also fail if tries or seconds are more")
    given = parser.parse_args()
    os.environ["REFRACT_LIBRARY"] = str(given.refract.parent / "librefract.so")
    sys.path.insert(0, str(SOURCE / "python"))
    print("| test | target | variant | Refract | tries | seconds | spirv-reduce | tries | seconds |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    total, failed = [0, [0, 0, 0.0], [0, 0, 0.0]], False
    for bug in crashes():
        if given.only and not any(name in bug["test"] for name in given.only):
            continue
        name = f"{pathlib.Path(bug['test']).stem} | {bug['target']}"
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            if given.keep:
                work = given.keep.resolve() / re.sub(r"[^\w-]+", "_", name)
                work.mkdir(parents=True, exist_ok=True)
            case = Case(given.refract, bug, given.steps, work)
            if case.module is None:
                print(f"| {name} | no variant crashes | | | | | | |", flush=True)
                continue
            before = instructions(case.module)
            small = work / "refract.spv"
            ours = case.measure(small, given.refract, "reduce", case.module, "-o", small, "--quiet", "--jobs",
                                given.jobs)
            with tempfile.TemporaryDirectory() as modules:
                theirs = case.measure(work / "theirs.spv", given.spirv_reduce, case.module, "-o",
                                      work / "theirs.spv", "--step-limit=100000",
                                      f"--temp-file-prefix={modules}/")
            row(name, before, ours, theirs)
            wrong = list(case.faults(small)) if ours else ["failed"]
            if ours and theirs:
                wrong += ["larger"] if ours[0] > theirs[0] else []
                wrong += ["more tries"] if given.strict and ours[1] > theirs[1] else []
                wrong += ["slower"] if given.strict and ours[2] > theirs[2] else []
                total = [total[0] + before, [a + b for a, b in zip(total[1], ours)],
                         [a + b for a, b in zip(total[2], theirs)]]
            if wrong:
                failed = True
                print(f"{name}: Refract's result: {', '.join(wrong)}", file=sys.stderr, flush=True)
    row("all |", *total)
    return 1 if failed or total[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
