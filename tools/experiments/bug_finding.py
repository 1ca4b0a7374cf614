# SPDX-License-Identifier: Apache-2.0
"""RQ1: which sources of tests find failures (Donaldson et al., *Test-Case Reduction and Deduplication Almost for Free with
Transformation-Based Compiler Testing*, PLDI 2021, section 4.1). Makes the page from the lines of the tests."""
import statistics
import subprocess

import plots
import runner
import sources
import stats

BASE = "Refract"
SOURCES, UNITS = sources.NAMES, "tests"
COMPARED = (BASE, *sources.PEERS)  # in the Venn diagram
# Passes whose bugs need data that diverges or floats: variants without `--float` of references do not reach them.
OTHER_PASSES = ("share_values", "move_across_branches", "reassociate_floats")

COLUMNS = """A failure is a crash, a hang, a rejected variant, an invalid output of a tool or a wrong output. Two failures are
the same if target and signature are ([dedup.md](../dedup.md)); all wrong outputs of a target are one. *p* is that of the
Mann-Whitney U test of the groups against Refract. The time is processor time for making and running tests, and its limit
is what the shortest group of variants took. *Own faults* are tests that could not be made or run, such as invalid
variants, and variants of which the interpreter computes another output than of the reference.""".splitlines()
THREATS = """### What is not comparable

- Distinct signatures are not distinct bugs. Different sources may meet one bug under two signatures.
- A driver runs the outputs of tools, so a wrong output of a tool may be a bug of the driver.
- A test runs in processes of its own (`refract run`), of original and variant, for all sources alike. A campaign keeps
  its workers and the outputs of originals, so it is faster than these times say.
- References are those that `refract check` finds exact or stable. spirv-fuzz gets the same references, the same donors
  and facts about all uniforms. All other options are the defaults of each tool, except those that a row names.
- *Simple* uses the families control, control_flow, value and composite alone.
- Fleshing and generator make programs without a reference, which are smaller than the variants.
- The peer of the paper, glsl-fuzz, changes GLSL, not SPIR-V; it was not run.""".splitlines()


def run(given, names):
    """Makes the tests. Returns their lines, and how many there should be."""
    return runner.run_sources(given, names), given.tests * given.groups * len(names)


def failures(line, drivers):
    """What a test found: a set of (target, signature). A failure that a driver shows itself is that driver's alone,
    because tools hand their output to the driver. All wrong outputs of a target count as one."""
    found = {(target, "wrong output" if signature.startswith("wrong") else signature)
             for target, signature in line["findings"]}
    of_drivers = {signature for target, signature in found if target in drivers}
    return {(target, signature) for target, signature in found
            if target in drivers or signature not in of_drivers
            and not any(f" {driver}" in signature for driver in drivers)}


def by_group(lines, name):
    groups = {}
    for line in lines:
        if line["source"] == name:
            groups.setdefault(line["group"], []).append(line)
    return groups


def distinct(tests, drivers, seconds=None):
    """The failures of the tests that ran in the first seconds of processor time."""
    found, used = set(), 0.0
    for line in tests:
        used += line["make"] + line["run"]
        if seconds is not None and used > seconds:
            break
        found |= failures(line, drivers)
    return found


def planted_bugs(planted):
    """The planted bugs that the survival plot is about."""
    listed = subprocess.run([planted, "--list"], capture_output=True, text=True, check=True).stdout
    return {words[1] for words in map(str.split, listed.splitlines())
            if words[:1] == ["bug"] and words[2] not in OTHER_PASSES}


def survival(groups, bugs, tests):
    """The share of pairs of bug and group that is not found after 0, 1, 2, ... tests."""
    first = []
    for lines in groups.values():
        for number, line in enumerate(lines, 1):
            first += [number for bug in line.get("planted", []) if bug in bugs]
    pairs = len(bugs) * len(groups)
    return [1 - sum(number <= count for number in first) / pairs for count in range(tests + 1)]


def table(given, names, lines):
    groups = {name: by_group(lines, name) for name in names}
    variants = [name for name in names if name not in sources.PROGRAMS] or names  # programs are much smaller
    cut = min(sum(line["make"] + line["run"] for line in tests) for name in variants for tests in groups[name].values())
    per_group = {name: [len(distinct(tests, given.drivers)) for tests in groups[name].values()] for name in names}
    at_cut = {name: [len(distinct(tests, given.drivers, cut)) for tests in groups[name].values()] for name in names}
    yield (f"| source | tests | with a failure | distinct failures | median of a group | p | median in {cut:.0f} s "
           "| p | own faults | to make one (ms) |")
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name in names:
        own = [line for tests in groups[name].values() for line in tests]
        p = ["" if name == BASE or BASE not in names else f"{stats.mann_whitney(one[name], one[BASE]):.3f}"
             for one in (per_group, at_cut)]
        yield (f"| {name} | {len(own)} | {sum(bool(failures(line, given.drivers)) for line in own)} "
               f"| {len(set().union(*(failures(line, given.drivers) for line in own)))} "
               f"| {statistics.median(per_group[name]):g} | {p[0]} | {statistics.median(at_cut[name]):g} | {p[1]} "
               f"| {sum('fault' in line for line in own)} "
               f"| {1000 * statistics.median(line['make'] for line in own):.0f} |")


def by_signature(given, names, lines):
    counts = {}
    for line in lines:
        for failure in failures(line, given.drivers):
            counts.setdefault(failure, dict.fromkeys(names, 0))[line["source"]] += 1
    yield f"| target | signature | {' | '.join(names)} |"
    yield "|---|---|" + "---:|" * len(names)
    for (target, signature), row in sorted(counts.items()):
        shown = signature.replace("|", "\\|").replace("<", "\\<")
        yield f"| {target} | {shown} | {' | '.join(str(row[name] or '') for name in names)} |"


def write_page(given, names, lines):
    page = given.page
    rows = ["# RQ1: which tests find failures", "",
            f"Targets: {', '.join(given.targets)}. {given.groups} groups of {given.tests} tests for each source."
            + (f" {given.missing} tests are missing." if given.missing else "")
            + (f" Images have {given.frame} by {given.frame} pixels." if given.frame else ""), "",
            *table(given, names, lines), "", *COLUMNS, "", *THREATS, ""]
    if set(COMPARED) <= set(names):
        found = [set().union(*(failures(line, given.drivers) for line in lines if line["source"] == name))
                 for name in COMPARED]
        plots.venn(page.with_name(page.stem + "_venn.svg"), COMPARED, stats.regions(found))
        rows += ["## Who finds what", "", f"![Distinct failures of three sources]({page.stem}_venn.svg)", ""]
    if given.planted:
        bugs = planted_bugs(given.planted)
        of_variants = {name: by_group(lines, name) for name in names if any(
            line.get("planted") for line in lines if line["source"] == name)}
        curves = {name: survival(groups, bugs, given.tests) for name, groups in of_variants.items()}
        if curves:
            plots.steps(page.with_name(page.stem + "_planted.svg"), curves, "tests", "planted bugs not found, share")
            rows += ["## Time to a planted bug", "",
                     f"![Share of planted bugs not found, by tests]({page.stem}_planted.svg)", "",
                     f"The share of {len(bugs)} planted bugs that no test of a group found, after the first tests of the "
                     "group.", "", f"| source | {' | '.join('1 test' if n == 1 else f'{n} tests' for n in marks(given.tests))} |",
                     "|---|" + "---:|" * len(marks(given.tests))]
            rows += [f"| {name} | {' | '.join(f'{100 * curve[n]:.0f} %' for n in marks(given.tests))} |"
                     for name, curve in curves.items()]
            rows.append("")
    rows += ["## All failures", "", "How many tests of each source had the failure.", "",
             *by_signature(given, names, lines)]
    page.write_text("\n".join(rows) + "\n")


def marks(tests):
    return sorted({1, max(tests // 10, 1), max(tests // 3, 1), tests})
