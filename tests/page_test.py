#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page as a reader would: each line works as it stands.

    page_test.py --refract FILE [--source FOLDER] [--marked] PAGE [SECTION]

PAGE is a file in Markdown, and SECTION the title of one of its sections (default: the whole page). A block is
indented by four blanks. If a line of the block begins with "$ ", such lines are the commands, and the lines below
a command are its output: each must occur in what the command prints, in this order. "..." stands for any text.
Without "$ ", every line of the block is a command. A command may go on after a backslash.

The commands run one after the other in one empty folder, which has links to references/ and donors/. Commands
exit with 0, except those in EXITS, which show a failure. Only blocks with "$ " run if --marked is given.

If a change of Refract changes the variant of a seed, choose another seed that shows a bug, and write the page anew.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 600
# Beginnings of commands that show a failure, with their exit codes.
EXITS = {"refract run ": 4, "spirv-val ": 1, "spirv-opt ": 139}


def section(text, title):
    """The lines of the section, without the sections below other titles."""
    lines = text.split("\n")
    if not title:
        return lines
    try:
        begin = lines.index(f"## {title}") + 1
    except ValueError:
        sys.exit(f"no section '{title}'")
    end = next((i for i in range(begin, len(lines)) if lines[i].startswith("## ")), len(lines))
    return lines[begin:end]


def blocks(lines):
    """The blocks of indented lines, without their indentation."""
    block = []
    for line in lines + [""]:
        if line.startswith("    "):
            block.append(line[4:])
        elif block:
            yield block
            block = []


def commands(lines, only_marked):
    """(command, expected lines of output) of all blocks."""
    found = []
    for block in blocks(lines):
        marked = any(line.startswith("$ ") for line in block)
        if only_marked and not marked:
            continue
        going_on = False
        for line in block:
            if going_on:
                found[-1][0] += "\n" + line
            elif not marked or line.startswith("$ "):
                found.append([line.removeprefix("$ "), []])
            else:
                found[-1][1].append(line)
            going_on = line.endswith("\\") and (going_on or not marked or line.startswith("$ "))
    return found


def squeezed(line):
    return re.sub(r"\s+", " ", line.strip())


def missing_output(expected, output):
    """The first expected line that the output does not have; None if it has all, in this order."""
    rest = [squeezed(line) for line in output.split("\n")]
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in squeezed(line).split("..."))
        at = next((i for i, text in enumerate(rest) if re.fullmatch(pattern, text)), None)
        if at is None:
            return line
        rest = rest[at + 1:]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--source", default=os.path.join(os.path.dirname(__file__), ".."))
    parser.add_argument("--marked", action="store_true")
    parser.add_argument("page")
    parser.add_argument("section", nargs="?", default="")
    given = parser.parse_args()
    source = os.path.abspath(given.source)
    with open(given.page, encoding="utf-8") as file:
        todo = commands(section(file.read(), given.section), given.marked)
    if not todo:
        sys.exit(f"{given.page}: no commands")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, LC_ALL="C.UTF-8", REFRACT_CACHE="", XDG_CACHE_HOME=cache,
                           PATH=os.path.dirname(os.path.abspath(given.refract)) + ":" + os.environ["PATH"])
        at = folder
        for name in ("references", "donors"):
            os.symlink(os.path.join(source, name), os.path.join(folder, name))
        for command, expected in todo:
            ran = subprocess.run(["/bin/sh", "-c", "cd \"$0\" && eval \"$1\"", at, command],
                                 capture_output=True, text=True, env=environment, check=False,
                                 stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
            # The next commands are in the folder that `cd` names.
            if command.startswith("cd "):
                at = os.path.join(at, command[3:].strip())
            wanted = next((code for begin, code in EXITS.items() if command.startswith(begin)), 0)
            output = ran.stdout + ran.stderr
            if ran.returncode != wanted:
                sys.exit(f"exits with {ran.returncode}, not {wanted}: {command}\n{output}")
            line = missing_output(expected, output)
            if line is not None:
                sys.exit(f"{command}: no line of the output is: {line}\n{output}")
    print(f"{len(todo)} commands")


main()
