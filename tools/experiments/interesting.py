#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The interestingness test of RQ2, the same for all reducers: interesting.py QUESTION.json CANDIDATE.spv exits with 0
if `refract run` finds the failure of the question in the candidate. It writes the tries down, and keeps the last
candidate that was interesting. After the end of the reduction's time it refuses everything, so that a reducer without a
time limit of its own ends too."""
import json
import os
import sys
import time

import commands

RUN_TIME = 20  # seconds for a run on a target, as in RQ1


def options(question):
    """The options of `refract run` and `refract reduce` that say where a failure shows."""
    file = question["target_file"]
    return ["--target", question["target"], *(["--target-file", file] if file else [])]


def findings(question, modules):
    """The findings of `refract run` in the last of the modules, and whether the target ran the first."""
    # If no driver runs, inputs are not used, and spirv-reduce's candidates have none in their folder.
    tools = [] if question["signature"] == commands.WRONG else ["--rule", "exact", "--zero-inputs"]
    _, text, _ = commands.run([question["refract"], "run", *modules, *options(question), "--json", "--quiet",
                               "--timeout", RUN_TIME, *tools], commands.RUN_LIMIT)
    try:
        output = json.loads(text)
    except json.JSONDecodeError:  # such as for an invalid candidate, or for one with an entry point more
        return [], False
    return commands.findings_of(question["drivers"], output, len(modules) == 2), not output["not_run"]


def is_interesting(question, candidate):
    """Most candidates are not, and then the target need not run the reference. Without it, `refract run` does not count
    a rejection as a failure and does not know the entry point, so then the target runs both."""
    failure, both = (question["target"], question["signature"]), [question["reference"], candidate]
    if question["signature"] == commands.WRONG:
        return failure in findings(question, both)[0] and commands.computes_the_same(question["refract"], *both)
    found, ran = findings(question, [candidate])
    return failure in (found if ran else findings(question, both)[0])


def main():
    folder, candidate = os.path.dirname(sys.argv[1]), os.path.abspath(sys.argv[2])
    with open(sys.argv[1]) as file:
        question = json.load(file)
    if time.time() > question["end"]:
        open(f"{folder}/out_of_time", "w").close()
        return 1
    interesting = is_interesting(question, candidate)
    with open(f"{folder}/tries", "a") as file:
        file.write(f"{int(interesting)}\n")
    if interesting:
        with open(candidate, "rb") as module, open(f"{folder}/last.spv", "wb") as copy:
            copy.write(module.read())
    return 0 if interesting else 1


if __name__ == "__main__":
    sys.exit(main())
