# SPDX-License-Identifier: Apache-2.0
"""The page of scale.py: tables, a plot, and a model of many machines that is checked against the measurements."""
import json
import math
import os
import statistics

import plots
import stats

MACHINES, HOURS = 1000, 8
# The failures of the longest measured campaign on real targets (docs/measurements/campaign.md, "90 minutes").
REAL_BUCKETS = 85
KEEP = 3  # tests of a bucket that a campaign keeps
OTHERS = "scale_others.jsonl"  # next to the page: campaigns by jobs on other machines

COMMANDS = {"fuzz": "`fuzz`", "replay": "`replay`", "opt": "`run` of the variant", "whole": "whole test"}


def of(lines, *words):
    """The lines whose names begin with these words, by what follows."""
    begin = " ".join(words) + " "
    return {name[len(begin):]: line for name, line in lines.items() if name.startswith(begin)}


def costs(lines, size):
    """The medians of the tests of a size: {command: (processor time, MiB)}, and the instructions."""
    tests = [dict(line, whole={"cpu": line["fuzz"]["cpu"] + line["both"]["cpu"],
                               "mib": max(line["fuzz"]["mib"], line["both"]["mib"])})
             for line in of(lines, "test", str(size)).values()]
    median = lambda command, key: statistics.median(test[command][key] for test in tests)
    return ({command: (median(command, "cpu"), median(command, "mib")) for command in COMMANDS},
            statistics.median(test["instructions"] for test in tests),
            statistics.median(test["variant_instructions"] for test in tests))


def size_table(given, lines):
    yield "| instructions | of the variant |" + "".join(f" {name} (s) | MiB |" for name in COMMANDS.values())
    yield "|---:|---:|" + "---:|" * 2 * len(COMMANDS)
    for size in given.sizes:
        by_command, original, variant = costs(lines, size)
        yield (f"| {original:,.0f} | {variant:,.0f} |"
               + "".join(f" {seconds:.3g} | {mib:.0f} |" for seconds, mib in by_command.values()))


def speed(line, jobs):
    """Tests a second while tests ran, without the time for reducing."""
    return jobs * line["tests"] / line["busy"]


def jobs_table(given, lines):
    yield ("| cores | jobs | tests | tests a second | the same, with confirming and reducing "
           "| processor time of a test (s) | own share | MiB | load before |")
    yield "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    others = given.page.with_name(OTHERS)
    elsewhere = [json.loads(line) for line in others.read_text().splitlines()] if others.exists() else []
    here = [{"cores": os.cpu_count(), **lines[f"jobs {jobs}"], "jobs": jobs} for jobs in given.jobs]
    for line in here + elsewhere:
        jobs = line["jobs"]
        yield (f"| {line['cores']} | {jobs} | {line['tests']} | {speed(line, jobs):.2f} "
               f"| {line['tests'] / line['seconds']:.2f} "
               f"| {line['cpu'] / line['tests']:.2f} | {100 * line['own_share']:.1f} % | {line['mib']:.0f} "
               f"| {line['load']:.1f} |")


def merges(lines, array):
    """The merges of an array, by their number of shards."""
    return {int(name.split()[-1]): line for name, line in of(lines, "merge", array).items()}


def merge_table(lines, arrays):
    yield ("| array | shards | tests | outcomes | buckets | kept tests | shards (kB) | merged (kB) | of it the store "
           "| processor time (s) | time (s) | MiB |")
    yield "|---|" + "---:|" * 11
    for array in arrays:
        for number, line in sorted(merges(lines, array).items()):
            yield (f"| {array} | {number} | {line['tests']:,} | {line['outcomes']:,} | {line['buckets']} "
                   f"| {line['kept']} | {line['read'] / 1000:,.0f} | {line['bytes'] / 1000:,.0f} "
                   f"| {line['store'] / 1000:,.0f} "
                   f"| {line['cpu']:.2f} | {line['wall']:.2f} | {line['mib']:.0f} |")


def shards_that_ran(given, lines):
    return "Shards that ran:\n" + ", ".join(
        f"*{array}* {len(shard_lines(lines, array))} of {shards} with {tests} tests each"
        for array, (shards, tests) in given.arrays.items()) + "."


def parts(line):
    """What a number of the model is a sum of: a constant, the rows of tests and outcomes, the kept tests."""
    return [1, line["tests"] + line["outcomes"], line["kept"]]


def value(factors, line):
    return sum(factor * part for factor, part in zip(factors, parts(line)))


class Fit:
    """A number of campaigns as a sum, fitted to some campaigns and checked on others."""

    def __init__(self, key, known, others):
        self.factors = stats.least_squares([parts(line) for line in known], [line[key] for line in known])
        self.error = max(abs(value(self.factors, line) / line[key] - 1) for line in others)

    def __call__(self, line):
        return value(self.factors, line)


def shard_lines(lines, array):
    return [line for _, line in sorted(of(lines, "shard", array).items(), key=lambda item: int(item[0].split()[-1]))]


def fits(lines, arrays):
    """The models of the bytes of a shard, of the bytes of a merged campaign and of the time to merge."""
    shards = [line for array in arrays for line in shard_lines(lines, array)]
    merged = [line for array in arrays for _, line in sorted(merges(lines, array).items())[:-1]]
    largest = [max(merges(lines, array).items())[1] for array in arrays]
    return (Fit("bytes", shards[::2], shards[1::2]), Fit("bytes", merged, largest), Fit("cpu", merged, largest))


def expected_kept(share, tests, keep=KEEP):
    """The expected number of kept tests of a bucket that this share of tests shows."""
    return sum(min(count, keep) * math.comb(tests, count) * share ** count * (1 - share) ** (tests - count)
               for count in range(1, keep)) + keep * (1 - sum(
                   math.comb(tests, count) * share ** count * (1 - share) ** (tests - count) for count in range(keep)))


def duplicates(shards, number):
    """Buckets and kept tests of this number of shards, predicted from the counts of the given ones."""
    tests = sum(line["tests"] for line in shards)
    counts = {}
    for line in shards:
        for signature, count in line["counts"].items():
            counts[signature] = counts.get(signature, 0) + count
    in_shard = round(tests / len(shards))
    shares = [min(count / tests, 1) for count in counts.values()]
    return (sum(1 - (1 - share) ** (in_shard * number) for share in shares),
            sum(expected_kept(share, in_shard) for share in shares) * number)


def model(given, lines):
    shard, merged, seconds = fits(lines, given.arrays)
    failing = shard_lines(lines, "failing")
    real = merges(lines, "failing")[max(merges(lines, "failing"))]
    half = max(max(merges(lines, "failing")) // 2, 1)
    buckets, kept = duplicates(failing[:half], 2 * half)
    measured = sum(line["kept"] for line in failing[:2 * half])
    yield "| number of the model | fitted to | checked on | largest error |"
    yield "|---|---|---|---:|"
    yield f"| bytes of a shard | every second shard | the others | {100 * shard.error:.0f} % |"
    yield f"| bytes of a merged campaign | merges | the largest merge of each array | {100 * merged.error:.0f} % |"
    yield f"| processor time of a merge | the same | the same | {100 * seconds.error:.0f} % |"
    yield (f"| buckets of several shards | the first {half} shards "
           f"| {2 * half}: {buckets:.1f} expected, {real['buckets']} measured "
           f"| {100 * abs(buckets / max(real['buckets'], 1) - 1):.0f} % |")
    yield (f"| kept tests of several shards | the first {half} shards "
           f"| {2 * half}: {kept:.1f} expected, {measured} measured | {100 * abs(kept / max(measured, 1) - 1):.0f} % |")
    yield ""
    jobs = max(given.jobs)
    line = lines[f"jobs {jobs}"]
    tests = round(line["tests"] / line["seconds"] * 3600 * HOURS)
    one = {"tests": tests, "outcomes": round(tests * line["outcomes"] / line["tests"]), "kept": KEEP * REAL_BUCKETS}
    every = {key: number * MACHINES for key, number in one.items()}
    whole = dict(every, kept=one["kept"])  # `refract merge` keeps as many tests of a bucket as a campaign
    yield f"| {MACHINES:,} machines with {jobs} jobs, {HOURS} hours | each | all |"
    yield "|---|---:|---:|"
    yield f"| tests | {one['tests']:,} | {every['tests']:,} |"
    yield f"| kept tests, at most | {one['kept']:,} | {every['kept']:,} |"
    yield f"| of these, in the merged campaign | | {whole['kept']:,} |"
    yield f"| duplicates that the merge drops | | {every['kept'] - whole['kept']:,} |"
    yield f"| duplicates that remain: other kept tests of a bucket | | {whole['kept'] - REAL_BUCKETS:,} |"
    yield f"| bytes stored by the machines | {shard(one) / 1e6:,.0f} MB | {MACHINES * shard(one) / 1e9:,.0f} GB |"
    yield f"| bytes of the merged campaign | | {merged(whole) / 1e9:,.1f} GB |"
    yield f"| processor time of the merge | | {seconds(whole) / 60:,.0f} min |"


def write(given, lines):
    page = given.page
    curves = {name.replace("`", ""): [] for name in COMMANDS.values()}
    for size in given.sizes:
        by_command, original, _ = costs(lines, size)
        for command, name in COMMANDS.items():
            curves[name.replace("`", "")].append((original, by_command[command][0]))
    plots.powers(page.with_name(page.stem + "_size.svg"), curves, "instructions of the module",
                 "processor time, seconds")
    rows = [*BEGIN, *size_table(given, lines), "", *SIZES, "", f"![Processor time of a test]({page.stem}_size.svg)", "",
            *JOBS, *jobs_table(given, lines), "", *MERGE, shards_that_ran(given, lines), "",
            *merge_table(lines, given.arrays), "", *MODEL,
            *model(given, lines), "", *THREATS]
    text = "\n".join(rows)
    page.write_text(text.replace("{tool}", given.tool).replace("{others}", OTHERS).replace("{targets}", given.targets)
                    .replace("{seeds}", str(given.seeds)).replace("{sample}", str(len(given.sample) // 2))
                    .replace("{seconds}", str(given.seconds)).rstrip() + "\n")


BEGIN = """# Scale

    make experiment OF=scale

## A test, by the size of its module

Medians of {seeds} modules of each size, made by `refract generate`. Seconds are processor time of all processes of a
command, MiB the peak memory of its largest process. `run` uses the target `{tool}`: spirv-opt, and the
interpreter for the output. A *whole test* is `fuzz`, and `run` of original and variant on the interpreter and on
`{tool}`.

""".splitlines()
SIZES = """Each command is a process that starts anew and reads the module. `fuzz` makes at most 2,000 steps, so what it
adds does not grow in proportion to the module.""".splitlines()
JOBS = """## A campaign, by its jobs

`refract campaign --targets {targets} --jobs N --time {seconds}s` with {sample} of the references, after
`--check-only`. *Own share* is the processor time of Refract's own code in the time of a test, as in
[measurements/campaign.md](../measurements/campaign.md#throughput), which has more targets. *Load before* is that of the
whole machine. If it is more than 0, compare the processor time of rows, not their tests a second. Rows with more cores
are of another machine, in 40 s each ([{others}]({others})). There, the load is what the
measurement before left, and nothing else ran.

A third of the threads may reduce, and a run of a driver that is repeated alone lets all others wait. Tools that hang
were repeated alone, too, until 28 November 2026. The rows of 16 cores with fewer than 16 jobs are from before. The row
with 16 jobs was measured before and after on the same machine, one after the other, with the same seed: 975 tests in
40 s and 7.7 busy cores before, 1,686 tests and 14.4 busy cores after.

""".splitlines()
MERGE = """## An array of processes, merged

Shards of `refract campaign --shard I/N`, one process each, merged by `refract merge`. The target of *failing* is the
planted optimiser with one of six bugs, each of which a twentieth of the tests or more show. Tests of *quiet* and
*short* are tiny and pass. *Kept tests* have folders with modules; a campaign keeps three of a bucket, and so does the
merge.

""".splitlines()
MODEL = """## A night on 1,000 machines

Bytes and the time to merge are fitted as a constant, a part for each row of the store (a test, or an outcome of a test
on a target) and a part for each kept test. A bucket that a share *p* of the tests shows is expected in
1 - (1 - *p*)^*n* of the shards of *n* tests.

""".splitlines()
THREATS = """The night is not measured. It is the model, far outside of the measured points: a machine makes hundreds of
times the tests of a shard of *failing*. These are its assumptions:

- All machines are like this one, and make as many tests a second as the campaign above with the most jobs.
- Each machine finds the 85 buckets of the campaign of 90 minutes in
  [measurements/campaign.md](../measurements/campaign.md#90-minutes) and keeps three tests of each. This is the most
  for these buckets, because a rare one has fewer tests. Buckets that only a night on 1,000 machines finds are not in
  the number.
- A kept test is as large as one of the array *failing*, of which few are reduced.
- The time to merge grows in proportion to rows and kept tests. Waiting for disks or a network is not in it.

Two buckets can show one bug. Such duplicates are not in the numbers; see [rq3.md](rq3.md).
""".splitlines()
