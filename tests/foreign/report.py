# SPDX-License-Identifier: Apache-2.0
"""The report of the foreign soak, in Markdown, and its exit code."""
import collections

from gather import FAULT

DONE, WRONG, AGAIN = 0, 1, 75
SLOWEST = 10  # rows of the table
FAULTS = 50   # lines; all faults are counted


class Outcome:
    def __init__(self, fields):
        self.work, self.module, self.seconds = fields[0], int(fields[1]), float(fields[2])
        self.steps, self.outcome, self.what = int(fields[3]), fields[4], fields[5]


def corpus_table(corpus):
    text = (f"{corpus['kept']} of {corpus['sources']} shaders of {', '.join(corpus['folders'])} are kept, as "
            f"{len(corpus['modules'])} modules (plain, -O, -Os).\n\n")
    if not corpus["reasons"]:
        return text
    text += "| why a shader or one of its modules is not kept, or otherwise | |\n|---|---:|\n"
    return text + "".join(f"| {reason} | {count} |\n" for reason, count in corpus["reasons"])


def rows_of_reasons(title, counted):
    if not counted:
        return ""
    return f"| {title} | runs |\n|---|---:|\n" + "".join(
        f"| {reason} | {count} |\n" for reason, count in counted.most_common()) + "\n"


def slowest_of(runs, corpus):
    text = "| slowest runs | seconds | steps | outcome | module |\n|---|---:|---:|---|---|\n"
    for run in sorted(runs, key=lambda run: -run.seconds)[:SLOWEST]:
        text += (f"| {run.work} | {run.seconds:.1f} | {run.steps} | {run.outcome} | "
                 f"{corpus['modules'][run.module]['name']} |\n")
    return text + "\n"


def reached(is_reached):
    return "reached" if is_reached else "NOT REACHED"


def report(corpus, done, wanted, given):
    """The text about the requested work, and the exit code."""
    modules = corpus["modules"]
    outcomes = [Outcome(done[work]) for work in wanted if work in done]
    loads = [one for one in outcomes if one.work[0] == "L"]
    runs = [one for one in outcomes if one.work[0] == "R"]
    count = sum(1 for work in wanted if work[0] == "R")
    faults = sorted((one for one in loads + runs if one.outcome == "fault"),
                    key=lambda one: (one.work[0], int(one.work[1:])))
    by_outcome = collections.Counter(run.outcome for run in runs)
    judged = 100 * by_outcome["judged"] / max(len(runs), 1)
    enough = judged >= given.least_judged or not runs
    slow = sum(1 for load in loads if load.outcome == "too long")
    text = "### The corpus\n\n" + corpus_table(corpus) + "\n### Runs\n\n| number | |\n|---|---|\n"
    text += f"| modules loaded unchanged: {sum(1 for one in loads if one.outcome == 'loaded')} of {len(wanted) - count} | |\n"
    text += f"| modules that take longer than the limit to load: {slow} | |\n"
    text += f"| self-checked runs: {len(runs)} of {count} | {reached(len(runs) == count)} |\n"
    text += f"| steps: {sum(run.steps for run in runs)} | |\n"
    text += f"| faults: {len(faults)}, wanted 0 | {reached(not faults)} |\n"
    text += (f"| judged: {judged:.2f} %, wanted {given.least_judged:g} % | {reached(enough)} |\n"
             f"| not judged: {by_outcome['not judged']} | |\n| longer than the limit: {by_outcome['too long']} | |\n"
             f"| processor seconds of loading: {sum(one.seconds for one in loads):.0f}, of runs: "
             f"{sum(one.seconds for one in runs):.0f} | |\n\n")
    text += rows_of_reasons("why not judged", collections.Counter(
        run.what for run in runs if run.outcome in ("not judged", "too long")))
    text += rows_of_reasons("judged in part, since", collections.Counter(
        run.what for run in runs if run.outcome == "judged" and run.what))
    text += slowest_of(runs, corpus)
    for one in faults[:FAULTS]:
        text += f"- {one.work}, {modules[one.module]['name']}: {one.what}\n"
        text += f"  `cat {given.state}/faults/{one.work}/command.txt`\n"
    if len(faults) > FAULTS:
        text += f"- and {len(faults) - FAULTS} more\n"
    if faults or any(reason.startswith(FAULT) for reason, _ in corpus["reasons"]):
        return text, WRONG
    if len(outcomes) < len(wanted):
        return text, AGAIN
    return text, DONE if enough else WRONG
