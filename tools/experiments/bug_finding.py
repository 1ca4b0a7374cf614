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


def within(tests, seconds):
    """Yields tests as long as they took at most `seconds` of processor time together; all tests without a limit (None)."""
    used = 0.0
    for line in tests:
        used += line["make"] + line["run"]
        if seconds is not None and used > seconds:
            return
        yield line


def shortest(names, groups):
    """The processor time of the shortest group. Programs do not count, because they are much smaller than variants."""
    variants = [name for name in names if name not in sources.PROGRAMS] or names
    return min(sum(line["make"] + line["run"] for line in tests) for name in variants for tests in groups[name].values())


def compare(groups, found, seconds):
    """Rows of columns: medians and p of what the groups found, with all tests and within these seconds. `found` is
    called with the tests of a group."""
    counts = [{name: [len(found(within(tests, limit))) for tests in groups[name].values()] for name in groups}
              for limit in (None, seconds)]
    for name in groups:
        yield [column for one in counts for column in (
            f"{statistics.median(one[name]):g}",
            "" if name == BASE or BASE not in groups else f"{stats.mann_whitney(one[name], one[BASE]):.3f}")]


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
    cut = shortest(names, groups)
    found = lambda tests: set().union(*(failures(line, given.drivers) for line in tests))
    yield (f"| source | tests | with a failure | distinct failures | median of a group | p | median in {cut:.0f} s "
           "| p | own faults | to make one (ms) |")
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for name, columns in zip(names, compare(groups, found, cut)):
        own = [line for tests in groups[name].values() for line in tests]
        yield (f"| {name} | {len(own)} | {sum(bool(failures(line, given.drivers)) for line in own)} "
               f"| {len(found(own))} | {' | '.join(columns)} | {sum('fault' in line for line in own)} "
               f"| {1000 * statistics.median(line['make'] for line in own):.0f} |")


def planted_section(given, names, lines):
    """How soon the sources find planted bugs. Draws the plot."""
    groups = {name: by_group(lines, name) for name in names if name not in sources.PROGRAMS}
    if not any(line.get("planted") for line in lines):
        return
    bugs = planted_bugs(given.planted)
    of_bugs = lambda tests: {bug for line in tests for bug in line.get("planted", []) if bug in bugs}
    curves = {name: survival(tests, bugs, given.tests) for name, tests in groups.items()}
    plot = given.page.stem + "_survival.svg"
    plots.steps(given.page.with_name(plot), curves, "tests", "planted bugs not found, share")
    cut = shortest(groups, groups)
    yield from ("## Time to a planted bug", "", f"![Share of planted bugs not found, by tests]({plot})", "",
                f"The share of {len(bugs)} planted bugs that no test of a group found, after the first tests of the "
                "group; and how many a group found.", "")
    columns = ["1 test" if count == 1 else f"{count} tests" for count in marks(given.tests)]
    yield f"| source | {' | '.join(columns)} | bugs, median of a group | p | median in {cut:.0f} s | p |"
    yield "|---|" + "---:|" * (len(columns) + 4)
    for (name, curve), found in zip(curves.items(), compare(groups, of_bugs, cut)):
        yield f"| {name} | {' | '.join(f'{100 * curve[n]:.0f} %' for n in marks(given.tests))} | {' | '.join(found)} |"
    yield from ("", "How many of the groups found each bug, and after how many tests (median of these groups).", "",
                f"| bug | {' | '.join(groups)} |", "|---|" + "---:|" * len(groups))
    for bug in sorted(bugs):
        first = [[number for tests in groups[name].values() for number, line in enumerate(tests, 1)
                  if bug in line.get("planted", [])] for name in groups]
        yield f"| {bug} | {' | '.join(f'{len(one)} ({statistics.median(one):g})' if one else '' for one in first)} |"
    yield ""


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
    names = [name for name in names if any(line["source"] == name for line in lines)]
    rows = ["# RQ1: which tests find failures", "",
            f"Targets: {', '.join(given.targets)}. {given.groups} groups of {given.tests} tests for each source."
            + (f" {given.missing} tests are missing." if given.missing else "")
            + (f" Images have {given.frame} by {given.frame} pixels." if given.frame else ""), "",
            *table(given, names, lines), "", *COLUMNS, "", *THREATS, ""]
    if set(COMPARED) <= set(names):
        found = [set().union(*(failures(line, given.drivers) for line in lines if line["source"] == name))
                 for name in COMPARED]
        if sum(map(bool, found)) > 1:
            plots.venn(page.with_name(page.stem + "_venn.svg"), COMPARED, stats.regions(found))
            rows += ["## Who finds what", "", f"![Distinct failures of three sources]({page.stem}_venn.svg)", ""]
    if given.planted:
        rows += planted_section(given, names, lines)
    rows += ["## All failures", "", "How many tests of each source had the failure.", "",
             *by_signature(given, names, lines)]
    page.write_text("\n".join(rows) + "\n")


def marks(tests):
    return sorted({1, max(tests // 10, 1), max(tests // 3, 1), tests})
