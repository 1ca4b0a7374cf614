#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many AmberScripts `refract import` takes, and what the interpreter finds in them.

    cts_suite.py --refract FILE [--time N] [--jobs N] [--every N] [--only NAME]... [--state FILE] SUITE

SUITE is a folder of scripts, such as external/vulkancts/data/vulkan/amber/graphicsfuzz of VK-GL-CTS. Each script
is in one of these classes:

  refused     refract import does not support it
  undefined   the interpreter meets undefined behaviour, or an output is undefined
  passes      the outputs are as expected; for two pipelines, the images are the same by the rule
  other       the outputs are not as expected
  open        as `other`, but the verdict is not exact: implementations may round differently
  no result   the interpreter reaches a limit, or cannot run the module

`refract run` compares with the expected outputs. For scripts that do not pass, `refract check` gives the verdict;
--time is the limit of each in seconds. --state keeps finished scripts, so that another call continues. --every N takes each Nth
script. The script prints the classes, then each script that is not in `passes`, with the reason.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def call(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def short(text, folder):
    lines = [line for line in text.replace(f"{folder}/", "").splitlines() if line.strip()]
    return lines[0] if lines else ""


def undefined_in(given, folder, module):
    """What `refract check` calls undefined, or None; and its verdict."""
    checked = call(given.refract, "check", folder / module, "--time", given.time, "--json")
    try:
        found = json.loads(checked.stdout)
    except json.JSONDecodeError:
        return None, short(checked.stderr, folder)
    return ("; ".join(found["undefined"]) or None), found["verdict"] or "no verdict"


def runs_of(imported, folder):
    """The arguments of `refract run` for each run: a module, or a pair with its rule."""
    for pair in imported["pairs"]:
        yield folder / pair["original"], folder / pair["variant"], "--rule", pair["rule"]
    if not imported["pairs"]:
        for module in imported["modules"]:
            yield (folder / module,)


def class_of(given, script):
    """The class of a script, and the reason."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        taken = call(given.refract, "import", script, "-o", folder)
        if taken.returncode != 0:
            return "refused", short(taken.stderr.replace(f"{script.parent}/", ""), folder).replace(
                "refract: error: ", "")
        imported = json.loads((folder / "imported.json").read_text())["scripts"][0]
        for words in runs_of(imported, folder):
            ran = call(given.refract, "run", *words, "--time-limit", given.time)
            if ran.returncode == 0:
                continue
            output = short(ran.stdout + ran.stderr, folder)
            if "undefined" in ran.stdout + ran.stderr:
                return "undefined", "; ".join(filter(None, (undefined_in(given, folder, module)[0]
                                                           for module in imported["modules"]))) or output
            if not re.search(r"unexpected_output|differ", ran.stdout + ran.stderr):
                return "no result", output
            verdicts = {undefined_in(given, folder, module) for module in imported["modules"]}
            undefined = "; ".join(filter(None, (found for found, _ in verdicts)))
            if undefined:
                return "undefined", undefined
            return ("other" if verdicts == {(None, "exact")} else "open"), output
    return "passes", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--time", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--least", type=int, default=1, help="exit code 1 with fewer scripts in `passes`")
    parser.add_argument("--only", action="append")
    parser.add_argument("--state", type=pathlib.Path)
    parser.add_argument("suite", type=pathlib.Path)
    given = parser.parse_args()
    scripts = sorted(given.suite.glob("*.amber"))[::given.every]
    if given.only:
        scripts = [script for script in scripts if script.stem in given.only]
    done = {}
    if given.state and given.state.exists():
        done = {row[0]: tuple(row[1:]) for row in map(json.loads, given.state.read_text().splitlines())}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        waiting = {pool.submit(class_of, given, script): script.stem for script in scripts if script.stem not in done}
        for future in concurrent.futures.as_completed(waiting):
            done[waiting[future]] = future.result()
            if given.state:
                with given.state.open("a") as file:
                    file.write(json.dumps([waiting[future], *future.result()]) + "\n")
    rows = {script.stem: done[script.stem] for script in scripts}
    counts = collections.Counter(kind for kind, _ in rows.values())
    print("| class | scripts |\n|---|---:|")
    for kind in ("passes", "undefined", "other", "open", "no result", "refused"):
        print(f"| {kind} | {counts[kind]} |")
    print(f"| all | {len(rows)} |\n")
    for kind in ("other", "open", "undefined", "no result", "refused"):
        for name, (its, reason) in sorted(rows.items()):
            if its == kind:
                print(f"- {kind}: `{name}`: {reason}")
    return 0 if counts["passes"] >= given.least else 1


if __name__ == "__main__":
    sys.exit(main())
