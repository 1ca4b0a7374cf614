# SPDX-License-Identifier: Apache-2.0
"""The page of RQ2, made from the lines of the reductions (reduction.py)."""
import statistics

import bug_finding
import plots
import sources
import stats

OWN = ", --target"
WHOLE = ("refract reduce", "spirv-reduce")

MEASURES = {
    "instructions added or removed": lambda line, when="after": line["difference"][when],
    "difference of instruction counts": lambda line, when="after": abs(line["instructions"][when]
                                                                       - line["instructions"]["reference"]),
    "transformations": lambda line, when="after": line["steps"].get(when),
    "tries": lambda line, when="after": line["tries"] if when == "after" else None,
    "seconds": lambda line, when="after": line["seconds"] if when == "after" else None,
}

COLUMNS = """The first measure counts the instructions that only the reduced variant has and those that only its
reference has, as `refract diff` does. The second measure is that of the paper. A try is a run of the interestingness
test. The time is processor time of the reducer and its tests. *p* is that of the Mann-Whitney U test against Refract.
*Before* is the median of the variants that were not reduced.""".splitlines()
PAPER = """## The figures of the paper

The paper reports a median difference of instruction counts of 8 for 932 reductions of spirv-fuzz, and of 29 for 245
reductions of glsl-fuzz. Its targets were AMD-LLPC, two versions of spirv-opt, and SwiftShader, with at most 100
reductions for a signature. These figures are not comparable with those of this page: targets, references, the version
of spirv-fuzz and the bugs are others. The paper has no figures for tries and time.""".splitlines()


def threats(given):
    return f"""### What is not comparable

- The tools found different failures. Even for one signature, the variants are different.
- All rows but *{OWN[2:]}* use one interestingness test: a script that starts `refract run` and compares the signature.
  For *{OWN[2:]}*, `refract reduce` runs the target itself, in one process.
- A try runs only the tools of the target, and no driver after them, except for wrong outputs.
- A reduction ends after {given.limit:g} s of wall clock time. Then the best result so far counts. spirv-fuzz and
  spirv-reduce have no such limit: the script refuses all later candidates. Their limits of steps are off.
- The time depends on what else the machine did. Sizes, steps and tries do not, unless the time limit ended a reduction.
- spirv-fuzz shrinks with the references and facts of RQ1.
- After leaving out steps, Refract makes the others smaller. spirv-fuzz only makes added functions smaller.
""".splitlines()


def number(value):
    return f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def quartiles(values):
    return statistics.quantiles(values, method="inclusive") if len(values) > 1 else [values[0]] * 3


def values_of(lines, reducer, measure, when="after"):
    found = (MEASURES[measure](line, when) for line in lines if line["reducer"] == reducer)
    return [value for value in found if value is not None]


def measures(reducers, lines):
    """A table of all measures. `lines` are those of reductions that ended well."""
    yield "| measure | reducer | reductions | before | median | lower quartile | upper quartile | most | p |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for measure in MEASURES:
        base = values_of(lines, bug_finding.BASE, measure)
        for reducer in reducers:
            values, before = values_of(lines, reducer, measure), values_of(lines, reducer, measure, "before")
            if not values:
                yield f"| {measure} | {reducer} | 0 |  |  |  |  |  |  |"
                continue
            low, middle, high = map(number, quartiles(values))
            p = "" if reducer == bug_finding.BASE or not base else f"{stats.mann_whitney(values, base):.3f}"
            yield (f"| {measure} | {reducer} | {len(values)} | {number(statistics.median(before)) if before else ''} "
                   f"| {middle} | {low} | {high} | {number(max(values))} | {p} |")


def overview(reducers, lines):
    yield "| reducer | findings | reduced | of these at the time limit | not reproduced | own faults |"
    yield "|---|---:|---:|---:|---:|---:|"
    for reducer in reducers:
        own = [line for line in lines if line["reducer"] == reducer]
        ended = [line for line in own if "fault" not in line]
        again = sum(line.get("fault") == "not reproduced" for line in own)
        yield (f"| {reducer} | {len(own)} | {len(ended)} | {sum(line['limit'] for line in ended)} | {again} "
               f"| {len(own) - len(ended) - again} |")


def failure(line):
    return line["target"], line["signature"]


def shared(lines):
    """The failures that Refract and the peer reduced, whatever the strategy of the peer was."""
    found = [{failure(line) for line in lines if line["reducer"] in reducers}
             for reducers in ((bug_finding.BASE,), sources.PEERS)]
    return found[0] & found[1]


def text_of(signature):
    return signature.replace("|", "\\|").replace("<", "\\<")


def by_signature(reducers, lines):
    yield f"| target | signature | {' | '.join(reducers)} |"
    yield "|---|---|" + "---:|" * len(reducers)
    for one in sorted({failure(line) for line in lines}):
        cells = []
        for reducer in reducers:
            own = [line for line in lines if line["reducer"] == reducer and failure(line) == one]
            steps = values_of(own, reducer, "transformations")
            sizes = values_of(own, reducer, "instructions added or removed")
            cells.append(f"{len(own)}: {number(statistics.median(sizes))}, "
                         f"{number(statistics.median(steps)) if steps else '?'}" if own else "")
        yield f"| {one[0]} | {text_of(one[1])} | {' | '.join(cells)} |"


def whole(lines):
    """A row for each module that the reducers of modules made smaller."""
    modules = {}
    for line in lines:
        modules.setdefault((*failure(line), line["source"], line["seed"]), {})[line["reducer"]] = line
    yield (f"| target | signature | source | before | {' | '.join(WHOLE)} | tries | tries | seconds | seconds |")
    yield "|---|---|---|" + "---:|" * 7
    for (target, signature, source, _), both in sorted(modules.items()):
        def row(show):
            return [show(both[name]) if name in both and "fault" not in both[name] else
                    both[name]["fault"] if name in both else "" for name in WHOLE]
        before = next((line["instructions"]["before"] for line in both.values() if "fault" not in line), "")
        cells = [*row(lambda line: f"{line['instructions']['after']}{' (limit)' if line['limit'] else ''}"),
                 *row(lambda line: line["tries"]), *row(lambda line: number(line["seconds"]))]
        yield f"| {target} | {text_of(signature)} | {source} | {before} | {' | '.join(map(str, cells))} |"


def curve(values, most):
    return [sum(value > limit for value in values) / len(values) for limit in range(most + 1)]


def write_page(given, names, lines):
    page = given.page
    steps = [line for line in lines if line["reducer"] not in WHOLE]
    steps.sort(key=lambda line: names.index(line["source"]))
    reducers = list(dict.fromkeys(line["reducer"] for line in steps))
    ended = [line for line in steps if "fault" not in line]
    both = shared(ended)
    rows = ["# RQ2: how small the reduced variants are", "",
            f"Targets: {', '.join(given.targets)}. Of each source: the first findings of RQ1 with a signature, at most "
            f"{given.per_signature} for each signature and {given.findings} together."
            + (" Wrong outputs are left out." if given.no_wrong_outputs else "")
            + (f" {given.missing} more reductions did not run." if given.missing else ""), "",
            *overview(reducers, steps), "", "## All findings", "", *measures(reducers, ended), "", *COLUMNS, "",
            *threats(given), ""]
    after = {reducer: values_of(ended, reducer, "instructions added or removed") for reducer in reducers
             if not reducer.endswith(OWN)}  # its variants are those of the script, or nearly
    curves = {reducer: curve(values, 60) for reducer, values in after.items() if values}
    if curves:
        plots.steps(page.with_name(page.stem + "_size.svg"), curves, "instructions added or removed",
                    "share of reductions with more")
        rows += [f"![Share of reductions with more instructions than a limit]({page.stem}_size.svg)", ""]
    rows += ["## Failures that both tools found", "",
             f"Only the {len(both)} signatures that Refract and spirv-fuzz (with any strategy) reduced.", "",
             *measures(reducers, [line for line in ended if failure(line) in both]), "", "## Each signature", "",
             "Number of reductions: median of instructions added or removed, median of transformations.", "",
             *by_signature(reducers, ended), ""]
    modules = [line for line in lines if line["reducer"] in WHOLE]
    if modules:
        rows += ["## Whole modules", "",
                 "Reducers that make a module smaller whatever it computes, on variants that were not reduced. "
                 "*Before* and the two columns after it are numbers of instructions. Both use the same script, which "
                 "also refuses invalid modules. The time is processor time. *limit* means that the reduction reached "
                 f"{given.whole_limit:g} s of wall clock time: `refract reduce` ends then. The script refuses all later "
                 "candidates of spirv-reduce, which goes on for a while, and this counts in its time.", "", *whole(modules), ""]
    rows += PAPER
    page.write_text("\n".join(rows) + "\n")
