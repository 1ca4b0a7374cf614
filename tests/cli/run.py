#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tests, tests/cli/*.test; docs/testing.md says how to write one.

    run.py --refract FILE [--programs FOLDER] [--source FOLDER] [--bless] [TEST...]

Each test runs in a fresh folder of its own, with a cache of its own. A line is one of

    # ...             a comment
    NEEDS CONDITION   a shell command; if it fails, the rest of the test is skipped
    FILE NAME         makes a file from the following lines that begin with "|"
    MASK REGEX => X   from here on, text that matches is compared and blessed as X
    RUN COMMAND       a shell command that must exit with 0
    FAIL N COMMAND    a shell command that must exit with N

Below a command are its results: "> " standard output, "! " standard error, "+ " a file that it made, "~ " a
file that it changed, "- " a file that it removed. --bless rewrites these lines. A command that exits with 2
or 3 may not make, change or remove files; --bless does not accept this.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = ("> ", "! ", "+ ", "~ ", "- ", ">", "!")
TIMEOUT_S = 300


def shown(prefix, text):
    """The lines of `text` in the format of a test. A missing last newline is made visible."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    else:
        lines[-1] += "\\no newline"
    return [(prefix + " " + line).rstrip(" ") if line == "" else prefix + " " + line
            for line in lines]


def files_below(folder):
    """Path to hash of the content. FIFOs and devices are listed, but not read."""
    found = {}
    for base, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(base, name)
            digest = "unreadable"
            try:
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        digest = hashlib.sha256(file.read()).hexdigest()
            except OSError:
                pass
            found[os.path.relpath(path, folder)] = digest
    return found


class Test:
    def __init__(self, path, environment, common_masks):
        self.path = path
        self.name = os.path.basename(path)[: -len(".test")]
        self.environment = environment
        self.masks = list(common_masks)
        self.faults = []   # faults that --bless does not accept
        self.skipped = None

    def fault(self, number, text):
        self.faults.append(f"{os.path.relpath(self.path)}:{number}: {text}")

    def masked(self, text, folder):
        text = text.replace(os.path.realpath(folder), "$FOLDER").replace(folder, "$FOLDER")
        for pattern, to in self.masks:
            text = pattern.sub(to, text)
        return text

    def command(self, number, expected, command, folder):
        before = files_below(folder)
        environment = dict(self.environment, HOME=folder, TMPDIR=folder, XDG_CACHE_HOME=self.cache)
        # In its own session, so that its children end with it at the time limit.
        process = subprocess.Popen(["/bin/sh", "-c", command], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            self.fault(number, f"did not end within {TIMEOUT_S} s: {command}")
            return []
        out = self.masked(out.decode("utf-8", "backslashreplace"), folder)
        err = self.masked(err.decode("utf-8", "backslashreplace"), folder)
        if process.returncode != expected:
            self.fault(number, f"exits with {process.returncode}, not {expected}: {command}\n"
                       + out[-2000:] + err[-2000:])
        after = files_below(folder)
        lines = shown(">", out) + shown("!", err)
        changes = []
        for path in sorted(before.keys() | after.keys()):
            if path not in before:
                changes.append("+ " + path)
            elif path not in after:
                changes.append("- " + path)
            elif before[path] != after[path]:
                changes.append("~ " + path)
        if changes and expected in (2, 3):
            self.fault(number, "bad input changed files: " + ", ".join(changes))
        return lines + changes

    def run(self, keep=None):
        """The text of the test with the current results."""
        with open(self.path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        folder = tempfile.mkdtemp(prefix="refract_cli_")
        self.cache = tempfile.mkdtemp(prefix="refract_cli_cache_")
        try:
            return "\n".join(self.run_lines(lines, folder))
        finally:
            shutil.rmtree(self.cache, ignore_errors=True)
            if keep:
                shutil.copytree(folder, os.path.join(keep, self.name), dirs_exist_ok=True)
            shutil.rmtree(folder, ignore_errors=True)

    def run_lines(self, lines, folder):
        result = []
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            if line.startswith(GOLDEN):
                continue  # the expected result, written again below its command
            result.append(line)
            word, _, rest = line.partition(" ")
            if line == "" or word == "#":
                continue
            if word == "NEEDS":
                if subprocess.run(["/bin/sh", "-c", rest], env=self.environment, cwd=folder,
                                  capture_output=True, check=False).returncode != 0:
                    self.skipped = rest
                    return result + lines[at:]
            elif word == "FILE":
                content = []
                while at < len(lines) and lines[at].startswith("|"):
                    result.append(lines[at])
                    content.append(lines[at][2:])
                    at += 1
                path = os.path.join(folder, rest)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write("".join(text + "\n" for text in content))
            elif word == "MASK":
                pattern, _, to = rest.partition(" => ")
                self.masks.append((re.compile(pattern), to))
            elif word == "RUN":
                result += self.command(at, 0, rest, folder)
            elif word == "FAIL":
                code, _, command = rest.partition(" ")
                result += self.command(at, int(code), command, folder)
            else:
                self.fault(at, f"unknown line: {line}")
        return result


def first_difference(path, expected, actual):
    for number, (a, b) in enumerate(zip(expected + ["(end)"] * len(actual),
                                        actual + ["(end)"] * len(expected)), 1):
        if a != b:
            return f"{os.path.relpath(path)}:{number}:\n  expected {a}\n  got      {b}"
    return f"{os.path.relpath(path)}: the same?"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", required=True, help="the executable under test")
    parser.add_argument("--programs", help="folder of the program `opcodes`; default: tests/cli beside the executable")
    parser.add_argument("--source", default=os.path.join(HERE, "..", ".."))
    parser.add_argument("--bless", action="store_true", help="write the current results into the tests")
    parser.add_argument("--keep", help="copy each test's folder to this folder")
    parser.add_argument("tests", nargs="*", help="default: all in the folder of this script")
    given = parser.parse_args()
    tests = given.tests or sorted(os.path.join(HERE, name) for name in os.listdir(HERE)
                                  if name.endswith(".test"))
    refract = os.path.abspath(given.refract)
    programs = given.programs or os.path.join(os.path.dirname(refract), "tests", "cli")
    environment = {
        "PATH": ":".join([os.path.dirname(refract), os.path.abspath(programs),
                          os.environ.get("PATH", "/usr/bin:/bin")]),
        "LC_ALL": "C.UTF-8",
        "SOURCE": os.path.abspath(given.source),
        "REFERENCES": os.path.join(os.path.abspath(given.source), "references"),
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "VK_ICD_FILENAMES", "VK_DRIVER_FILES"):
        if name in os.environ:
            environment[name] = os.environ[name]
    version = json.loads(subprocess.run([refract, "--version", "--json"], capture_output=True,
                                        check=True).stdout)
    masks = [(re.compile(re.escape(environment["SOURCE"])), "$SOURCE"),
             (re.compile(r"\b" + re.escape(version["commit"]) + r"\b"), "COMMIT"),
             (re.compile(r"(\b[Rr]efract \(?|\"version\": ?\")" + re.escape(version["version"]) + r"\b"),
              r"\1VERSION")]
    failed = skipped = 0
    for path in tests:
        test = Test(os.path.abspath(path), environment, masks)
        with open(test.path, encoding="utf-8") as file:
            expected = file.read()
        actual = test.run(given.keep)
        if test.skipped:
            skipped += 1
            print(f"{test.name}: skipped what needs: {test.skipped}")
        for text in test.faults:
            print(text)
        if actual != expected and given.bless:
            with open(test.path, "w", encoding="utf-8") as file:
                file.write(actual)
            print(f"blessed {os.path.relpath(test.path)}")
        elif actual != expected:
            print(first_difference(test.path, expected.split("\n"), actual.split("\n")))
            print(f"for all differences: make bless && git diff {os.path.relpath(test.path)}")
        if test.faults or (actual != expected and not given.bless):
            failed += 1
            print(f"FAILED {test.name}; again: tests/cli/run.py --refract {given.refract} "
                  f"{os.path.relpath(test.path)}")
    print(f"{len(tests) - failed} passed, {failed} failed, {skipped} in part")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
