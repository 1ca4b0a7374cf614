#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the tests that `refract export --cts` makes: whether they pass, and whether they notice changes.

    cts_export.py --refract FILE [--cts DIR] [--amber FILE] [--driver NAME=ICD]... [--only NAME]... [FOLDER...]

The test folders are FOLDERs (of campaigns, or single ones), and one for each module of tests/bugs with a wrong
output of spirv-opt, SPIRV-Cross or naga. The drivers do not have these bugs. The script exports all folders to a
copy of DIR, the files of a checkout of VK-GL-CTS that matter, or to a small checkout without other tests. It
applies the patch with git, runs check_all.py of DIR on the changed files, and exports again, which must give
nothing new.

Each test must pass on the interpreter, by `refract import` and `refract run`, and with Amber on each driver. Then
one operation of its module is changed: an opcode is replaced, the targets of a branch are exchanged, or a store is
left out. The changes are tried from the first instruction on until the test fails on the interpreter; with Amber,
the first such script must fail on each driver too. Exit code 1 if one of this does not hold.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ("spirv-opt", "spirv-cross", "naga")
DRIVERS = ("lavapipe", "swiftshader")
TESTS = pathlib.Path("external/vulkancts/data/vulkan/amber/graphicsfuzz")
LIST = pathlib.Path("external/vulkancts/mustpass/main/vk-default/graphicsfuzz.txt")
CHECKS = pathlib.Path("external/vulkancts/modules/vulkan/amber/vktAmberTestCase.cpp")
MOST_CHANGES = 60  # of one module
DRIVER_SECONDS = 120
OTHER = {"OpIAdd": "OpISub", "OpISub": "OpIAdd", "OpIMul": "OpIAdd", "OpFAdd": "OpFSub", "OpFSub": "OpFAdd",
         "OpFMul": "OpFAdd", "OpFDiv": "OpFMul", "OpSDiv": "OpSRem", "OpSRem": "OpSDiv", "OpSMod": "OpSRem",
         "OpUDiv": "OpUMod", "OpUMod": "OpUDiv", "OpBitwiseAnd": "OpBitwiseOr", "OpBitwiseOr": "OpBitwiseAnd",
         "OpBitwiseXor": "OpBitwiseAnd", "OpShiftLeftLogical": "OpShiftRightLogical",
         "OpShiftRightLogical": "OpShiftLeftLogical", "OpShiftRightArithmetic": "OpShiftLeftLogical",
         "OpLogicalAnd": "OpLogicalOr", "OpLogicalOr": "OpLogicalAnd", "OpIEqual": "OpINotEqual",
         "OpINotEqual": "OpIEqual", "OpSLessThan": "OpSGreaterThanEqual", "OpULessThan": "OpUGreaterThanEqual",
         "OpSGreaterThan": "OpSLessThanEqual", "OpUGreaterThan": "OpULessThanEqual",
         "OpSLessThanEqual": "OpSGreaterThan", "OpULessThanEqual": "OpUGreaterThan",
         "OpSGreaterThanEqual": "OpSLessThan", "OpUGreaterThanEqual": "OpULessThan",
         "OpFOrdEqual": "OpFOrdNotEqual", "OpFOrdNotEqual": "OpFOrdEqual", "OpFOrdLessThan": "OpFOrdGreaterThanEqual",
         "OpFOrdGreaterThan": "OpFOrdLessThanEqual", "OpNot": "OpSNegate", "OpSNegate": "OpNot"}


def run(*words, folder=None, environment=None, seconds=600):
    return subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, **(environment or {})})


class Export:
    def __init__(self, given, work):
        self.given, self.work, self.faults = given, work, []
        self.checkout = work / "cts"

    def fault(self, text):
        self.faults.append(text)
        print(f"FAULT: {text}", flush=True)

    def copy_checkout(self):
        """The files of the checkout that matter, under git."""
        source, target = self.given.cts, self.checkout
        if source:
            for part in (TESTS, LIST, CHECKS, pathlib.Path("scripts/src_util")):
                (target / part).parent.mkdir(parents=True, exist_ok=True)
                (shutil.copytree if (source / part).is_dir() else shutil.copy)(source / part, target / part)
            android = source / "android/cts/main"
            (target / "android/cts/main").mkdir(parents=True)
            for file in android.glob("vk-main-*.txt"):
                shutil.copy(file, target / "android/cts/main")
            for file in android.glob("vk-main-*/graphicsfuzz.txt"):
                (target / "android/cts/main" / file.parent.name).mkdir()
                shutil.copy(file, target / "android/cts/main" / file.parent.name)
        else:
            for part in (TESTS / "index.txt", LIST, CHECKS, pathlib.Path("android/cts/main/vk-main-2026-03-01.txt")):
                (target / part).parent.mkdir(parents=True, exist_ok=True)
                (target / part).write_text("")
            features = ("Features.shaderInt64", "Features.shaderInt16", "Features.fragmentStoresAndAtomics")
            (target / CHECKS).write_text("".join(f'"{name}"\n' for name in features))
        run("git", "init", "-q", folder=target)
        run("git", "add", "-A", folder=target)
        run("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "checkout", folder=target)

    def make_folders(self):
        """A test folder for each module of tests/bugs that shows a wrong output of a tool."""
        bugs = json.loads((SOURCE / "tests/bugs/bugs.json").read_text())["bugs"]
        on_drivers = {bug["test"] for bug in bugs if bug["target"] in DRIVERS}
        for bug in bugs:
            name = bug["test"].split(".")[0]
            if "differs_from" not in bug or not bug["target"].startswith(TOOLS) or bug["test"] in on_drivers:
                continue
            if self.given.only and name not in self.given.only:
                continue
            folder = self.work / "bugs" / name
            if folder.exists():
                continue
            folder.mkdir(parents=True)
            made = run(self.given.refract, "fuzz", SOURCE / "tests/bugs" / bug["test"], "-o", folder / "original.spv",
                       "--max-steps", "0", "--seed", "1", "--quiet")
            if made.returncode != 0:
                shutil.rmtree(folder)
                continue
            (folder / "original.refract").unlink()
            stage = run("spirv-dis", folder / "original.spv").stdout
            verdict = "wrong_buffer" if "OpEntryPoint GLCompute" in stage else "wrong_image"
            (folder / "test.json").write_text(json.dumps({
                "format": 1, "verdict": verdict, "signature": f"{verdict} {bug['target']}", "unchanged": True,
                "target": {"name": bug["target"]}, "rule": "exact", "entry": "main", "zero_inputs": True,
                "environment": "vulkan1.3"}))

    def export(self):
        folders = [self.work / "bugs"] * (self.work / "bugs").exists() + self.given.folders
        patch = self.work / "new.patch"
        command = [self.given.refract, "export", *folders, "--cts", self.checkout, "--copyright",
                   "Copyright 2026 The Authors", "--patch", patch]
        made = run(*command)
        print(f"left out: {made.stderr.count('left out:')}")
        for line in made.stderr.splitlines():
            if line.startswith("left out:") and self.given.verbose:
                print(f"  {line.replace(str(self.work), '')}")
        if made.returncode != 0:
            return self.fault(made.stderr)
        applied = run("git", "apply", "--index", patch, folder=self.checkout)
        if applied.returncode != 0:
            return self.fault(f"the patch does not apply: {applied.stderr}")
        print("the patch applies")
        if self.given.cts:
            checked = run(sys.executable, "scripts/src_util/check_all.py", "--only-changed", folder=self.checkout)
            print(f"check_all.py: {checked.stdout.strip() or checked.stderr.strip()}")
            if checked.returncode != 0:
                self.fault("check_all.py refuses the files")
        if "nothing new" not in run(*command).stderr:
            self.fault("a second run gives something new")
        return None

    def passes(self, script):
        """How a run on the interpreter ends: "pass", "other output", or a reason without an output."""
        with tempfile.TemporaryDirectory() as name:
            taken = run(self.given.refract, "import", script, "-o", name)
            if taken.returncode != 0:
                return f"not imported: {taken.stderr.strip()}"
            (module,) = json.loads(pathlib.Path(name, "imported.json").read_text())["scripts"][0]["modules"]
            ran = run(self.given.refract, "run", pathlib.Path(name, module), "--time-limit", "3")
            if ran.returncode == 0:
                return "pass"
            return "other output" if "unexpected_output" in ran.stdout else (ran.stdout + ran.stderr).strip()

    def amber(self, script, icd):
        try:
            ran = run(self.given.amber, "-v", "1.3", "-d", script, environment={"VK_ICD_FILENAMES": icd},
                      seconds=DRIVER_SECONDS)
        except subprocess.TimeoutExpired:
            return False
        return "1 pass, 0 fail" in ran.stdout

    @staticmethod
    def change(line):
        """The line with its operation changed, and what was changed; None if it has none to change."""
        opcode = re.search(r"\bOp\w+", line.split(";")[0])
        branch = re.match(r"(OpBranchConditional %\w+) (%\w+) (%\w+)(.*)", line)
        switch = re.match(r"(OpSwitch %\w+) (%\w+) (\w+) (%\w+)$", line)
        if opcode and opcode[0] in OTHER:
            return line.replace(opcode[0], OTHER[opcode[0]], 1), f"{opcode[0]} becomes {OTHER[opcode[0]]}"
        if branch:
            return f"{branch[1]} {branch[3]} {branch[2]}{branch[4]}", "targets of OpBranchConditional exchanged"
        if switch:
            return f"{switch[1]} {switch[4]} {switch[3]} {switch[2]}", "targets of OpSwitch exchanged"
        return None

    @classmethod
    def changes(cls, text):
        """The script with one operation changed, each in turn, and what was changed; stores come last."""
        lines = text.split("\n")
        changed = [(i, *cls.change(line)) for i, line in enumerate(lines) if cls.change(line)]
        changed += [(i, "", "OpStore left out") for i, line in enumerate(lines) if line.startswith("OpStore ")]
        for i, new, what in changed:
            yield "\n".join(lines[:i] + [new] + lines[i + 1:]), what

    def check(self, script):
        """A row of the table."""
        text, name = script.read_text(), script.stem
        passed = self.passes(script)
        drivers = [self.amber(script, icd) for _, icd in self.given.driver] if self.given.amber else []
        if passed != "pass" or not all(drivers):
            self.fault(f"{name} does not pass: {passed} {drivers}")
        changed = self.work / f"{name}-changed.amber"
        for tried, (other, what) in enumerate(self.changes(text), 1):
            changed.write_text(other)
            # A change after which the module does not end, or is undefined, shows nothing.
            if self.passes(changed) == "other output":
                found = [not self.amber(changed, icd) for _, icd in self.given.driver] if self.given.amber else []
                if all(found):
                    return f"| {name} | {passed} | {drivers.count(True)} of " \
                           f"{len(drivers)} | {tried} | {what} | {found.count(True)} of {len(found)} |"
            if tried == MOST_CHANGES:
                break
        self.fault(f"{name}: no change is noticed")
        return f"| {name} | {passed} | {drivers.count(True)} of {len(drivers)} | - | none | - |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True, type=pathlib.Path)
    parser.add_argument("--cts", type=pathlib.Path)
    parser.add_argument("--amber", type=pathlib.Path)
    parser.add_argument("--driver", action="append", default=[], type=lambda text: text.split("=", 1))
    parser.add_argument("--only", action="append")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("folders", nargs="*", type=lambda text: pathlib.Path(text).resolve(), metavar="FOLDER")
    given = parser.parse_args()
    given.refract = given.refract.resolve()
    with tempfile.TemporaryDirectory() as name:
        export = Export(given, pathlib.Path(name))
        export.copy_checkout()
        export.make_folders()
        export.export()
        before = {file.name for file in (given.cts / TESTS).glob("*.amber")} if given.cts else set()
        tests = sorted(file for file in (export.checkout / TESTS).glob("*.amber") if file.name not in before)
        print("| test | interpreter | drivers | changes tried | change that is noticed | by drivers |\n"
              "|---|---|---|---:|---|---|")
        for test in tests:
            print(export.check(test), flush=True)
        print(f"{len(tests)} tests, {len(export.faults)} faults")
        return 1 if export.faults or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
