#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a test costs by the size of its module, what a campaign costs by its jobs, and what shards cost to merge.

    scale.py --refract FILE --planted FILE --references DIR --donors DIR --state DIR [--page FILE.md] [options]

Each measurement is a line of JSON in --state; the same command continues an experiment that was interrupted, and a
changed option begins only what it changes. --page writes the page from the lines, with a plot next to it. Exit code 1
if measurements are missing because of --time.
"""
import argparse
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile
import time

import commands
import scale_page

# Modules of about this many instructions: options of `refract generate`.
SIZES = {
    100: "--statements 1 --variables 2 --calls 0 --images 0 --barriers 0",
    300: "--statements 8 --least 6 --variables 3 --calls 0",
    1000: "--statements 35 --least 30",
    3000: "--statements 150 --least 110",
    10000: "--statements 600 --least 450 --block 40",
    30000: "--statements 1500 --least 1200 --block 64",
    100000: "--statements 5000 --least 4500 --block 64",
}
LIMIT = 900  # seconds for a command
RUN_LIMIT = 300  # seconds for a run on a target
FOUND, NO_TEST = 4, 7  # exit codes of a campaign: a new bucket, no test
# The bugs of the failing array: each crashes, and a twentieth of the tests or more show it.
BUGS = ("dynamic_constant", "pointer_copy", "unreachable_pair", "volatile_local", "copy_of_part", "bits_of_float")
# A process between this one and the command, because the peak memory that wait4 returns includes that of the process
# that started it, and this one is larger than some commands.
LAUNCHER = """import json, os, sys, time
begin = time.monotonic()
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
with open(sys.argv[1], "w") as file:
    json.dump({"cpu": usage.ru_utime + usage.ru_stime, "wall": time.monotonic() - begin,
               "mib": usage.ru_maxrss / 1024, "code": os.waitstatus_to_exitcode(status)}, file)
"""


def measure(*command, codes=(0,)):
    """Runs a command. Returns its processor time and time in seconds, its peak memory in MiB, and its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "usage.json"
        code, _, _ = commands.run([sys.executable, "-IS", "-c", LAUNCHER, file, *command], LIMIT)
        if code != 0 or not file.exists():
            sys.exit(f"experiments: {commands.how_it_ended(code)}: {' '.join(map(str, command))}")
        usage = json.loads(file.read_text())
    if usage["code"] not in codes:
        sys.exit(f"experiments: {commands.how_it_ended(usage['code'])}: {' '.join(map(str, command))}")
    return {key: round(value, 4) for key, value in usage.items()}


def instructions(module):
    """The number of instructions of a module."""
    words = memoryview(module.read_bytes()).cast("I")
    if len(words) < 5 or words[0] != 0x07230203:
        sys.exit(f"experiments: {module}: no SPIR-V module of this machine's byte order")
    at, count = 5, 0
    while at < len(words):
        at += max(words[at] >> 16, 1)
        count += 1
    return count


def cost_of_test(given, size, seed):
    """One test: a module, a variant of it, and what each command needs."""
    with tempfile.TemporaryDirectory() as folder:
        original, variant, again = (pathlib.Path(folder) / name for name in ("a.spv", "b.spv", "c.spv"))
        recording = variant.with_suffix(".refract")
        measure(given.refract, "generate", "-o", original, "--seed", str(seed), "--workgroup", "4", "--groups", "1",
                "--quiet", *SIZES[size].split())
        line = {"fuzz": measure(given.refract, "fuzz", original, "-o", variant, "--seed", str(seed), "--quiet"),
                "replay": measure(given.refract, "replay", original, recording, "-o", again, "--quiet"),
                "opt": measure(given.refract, "run", variant, "--targets", given.tool, "--timeout", str(RUN_LIMIT),
                               "--quiet", codes=(0, 4)),
                "both": measure(given.refract, "run", original, variant, "--targets", f"interp,{given.tool}",
                                "--timeout", str(RUN_LIMIT), "--quiet", codes=(0, 4))}
        if variant.read_bytes() != again.read_bytes():
            sys.exit(f"experiments: `refract replay` gives another variant: size {size}, seed {seed}")
        return dict(line, instructions=instructions(original), variant_instructions=instructions(variant),
                    recording=recording.stat().st_size)


def bytes_in(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def content(folder):
    """What a campaign stored."""
    # On a busy machine a campaign may end before it has closed its store. A connection that can write does this.
    store = sqlite3.connect(folder / "campaign.sqlite")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    one = lambda query: store.execute(query).fetchone()[0]
    counts = dict(store.execute("SELECT s.text, sum(b.count) FROM buckets b JOIN signatures s ON s.id = b.signature "
                                "GROUP BY s.text"))
    line = {"tests": one("SELECT count(*) FROM tests"), "outcomes": one("SELECT count(*) FROM outcomes"),
            "buckets": one("SELECT count(*) FROM buckets"), "kept": one("SELECT count(*) FROM kept"),
            "folders": bytes_in(folder / "buckets"),
            "counts": counts}
    store.close()
    return dict(line, store=(folder / "campaign.sqlite").stat().st_size, bytes=bytes_in(folder))


def campaign(given, folder, *options):
    return measure(given.refract, "campaign", "-o", folder, "--seed", "1", "--quiet", *options,
                   codes=(0, FOUND, NO_TEST))


def speed_of_jobs(given, jobs):
    """A campaign with its default options, on some of the references."""
    folder = given.state / f"jobs-{jobs}"
    shutil.rmtree(folder, ignore_errors=True)
    options = [*given.sample, "--donors", given.donors, "--targets", given.targets, "--jobs", str(jobs)]
    campaign(given, folder, *options, "--check-only")
    load, seconds, tests = os.getloadavg()[0], given.seconds, 0
    while not tests:
        if seconds > LIMIT / 2:
            sys.exit(f"experiments: a campaign with {jobs} jobs makes no test in {seconds // 2} s")
        usage = campaign(given, folder, *options, "--time", f"{seconds}s")
        stats = json.loads((folder / "stats.json").read_text())
        tests, seconds = stats["tests"], 2 * seconds
    store = sqlite3.connect(folder / "campaign.sqlite")
    busy = store.execute("SELECT total(seconds) FROM tests").fetchone()[0]
    outcomes = store.execute("SELECT count(*) FROM outcomes").fetchone()[0]
    shutil.rmtree(folder)
    return {"tests": tests, "outcomes": outcomes, "cpu": usage["cpu"], "seconds": round(stats["part_seconds"], 2),
            "busy": round(busy, 2), "own_share": round(stats["own_share"], 4), "mib": usage["mib"],
            "load": round(load, 2), "cores": os.cpu_count()}


def write_target(folder, planted, name, *options):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps({
        "name": name, "description": "the planted optimiser", "render": False,
        "commands": [{"run": [str(planted), *options, "{in}", "{out}"], "output": "spirv", "time_limit": 5,
                      "version": ["--list"]}]}))


QUIET = """#version 450
layout(location = 0) out vec4 colour;
void main() { colour = gl_FragCoord.y > 2.0 ? vec4(0.25) : vec4(1.0); }
"""


def folder_of(given, array, number):
    return given.state / "shards" / f"{array}-{'x'.join(map(str, given.arrays[array]))}-{number}"


def shard(given, array, number):
    """A shard of an array of processes. Many tests of `failing` crash. Those of other arrays are tiny and pass."""
    shards, tests = given.arrays[array]
    folder, targets = folder_of(given, array, number), given.state / "targets"
    shutil.rmtree(folder, ignore_errors=True)
    if array != "failing":
        write_target(targets, given.planted, "sound")
        shader = given.state / "quiet" / "a.frag"
        shader.parent.mkdir(parents=True, exist_ok=True)
        shader.write_text(QUIET)
        shader.with_suffix(".json").write_text('{"$framebuffer": {"width": 8, "height": 4}}')
        options = ["--references", shader, "--targets", "sound", "--max-steps", "10"]
    else:
        for bug in BUGS:
            write_target(targets, given.planted, bug, "--bug", bug)
        options = [*given.sample, "--donors", given.donors, "--targets", ",".join(BUGS)]
    seconds, made = given.start, 0
    while made < tests:  # after its tests, a campaign reduces for hours: end it, and continue only for more tests
        if seconds > LIMIT / 2:
            sys.exit(f"experiments: shard {number} of '{array}' makes no test in {seconds // 2} s")
        campaign(given, folder, *options, "--target-file", targets, "--generate", "0", "--plain-only", "--jobs", "1",
                 "--shard", f"{number}/{shards}", "--tests", str(shards * tests), "--time", f"{seconds}s")
        before, made = made, content(folder)["tests"]
        seconds *= 2 if made == before else 1
    return content(folder)


def merge(given, array, number):
    """The first shards of an array that ran, merged; None if fewer ran."""
    folder = given.state / "merged"
    shutil.rmtree(folder, ignore_errors=True)
    shape = "x".join(map(str, given.arrays[array]))
    ran = [one for one in range(1, given.arrays[array][0] + 1) if f"shard {array} {shape} {one}" in given.lines]
    if len(ran) < number:
        return None
    shards = [folder_of(given, array, one) for one in ran[:number]]
    usage = measure(given.refract, "merge", *shards, "-o", folder, "--quiet")
    line = dict(content(folder), **usage, read=sum(map(bytes_in, shards)))
    shutil.rmtree(folder)
    return line


def halves(shards):
    """1, 2, 4, ... up to the number of shards."""
    return [1 << bit for bit in range(shards.bit_length()) if 1 << bit <= shards]


def plan(given):
    """All measurements, in order: {name: (function, arguments)}."""
    for size in given.sizes:
        for seed in range(1, given.seeds + 1):
            yield f"test {size} {seed}", (cost_of_test, size, seed)
    for array, (shards, tests) in given.arrays.items():
        for number in range(1, shards + 1):
            yield f"shard {array} {shards}x{tests} {number}", (shard, array, number)
        for number in halves(shards):
            yield f"merge {array} {shards}x{tests} {number}", (merge, array, number)
    for jobs in given.jobs:
        yield f"jobs {jobs}", (speed_of_jobs, jobs)


def measure_all(given):
    """Runs what is missing, as long as there is time. Returns {name: line}, and whether all is there."""
    file = given.state / "lines.jsonl"
    lines = {}
    if file.exists():
        lines = {line["name"]: line for line in map(json.loads, file.read_text().splitlines())}
    result, given.lines = {}, lines
    for name, (function, *arguments) in plan(given):
        if name not in lines:
            if time.monotonic() > given.end:
                continue
            line = function(given, *arguments)
            if not line:  # it needs a measurement that is missing
                continue
            lines[name] = dict(name=name, **line)
            with file.open("a") as output:
                output.write(json.dumps(lines[name]) + "\n")
        result[name] = lines[name]
    return result, len(result) == len(list(plan(given)))


def numbers(text):
    return [int(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", required=True, type=pathlib.Path)
    parser.add_argument("--planted", required=True, type=pathlib.Path, help="planted_opt, the target of the shards")
    parser.add_argument("--references", required=True, type=pathlib.Path)
    parser.add_argument("--donors", required=True, type=pathlib.Path)
    parser.add_argument("--state", required=True, type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--part", action="store_true", help="write the page although measurements are missing")
    parser.add_argument("--tool", default="spirv-opt-O@interp", help="the target of the tests by size")
    parser.add_argument("--targets", default="spirv-opt-O,swiftshader", help="the targets of the campaigns by jobs")
    parser.add_argument("--sizes", type=numbers, default=list(SIZES), help="instructions of a module, such as 100,300")
    parser.add_argument("--seeds", type=int, default=3, help="modules of each size")
    parser.add_argument("--jobs", type=numbers, default=[1, 2], help="jobs of the campaigns, such as 1,2")
    parser.add_argument("--seconds", type=int, default=60, help="for each of these campaigns")
    parser.add_argument("--failing", default="16x8", help="SHARDSxTESTS of the array with failing tests")
    parser.add_argument("--quiet", default="4x250", help="SHARDSxTESTS of the array with tests that pass")
    parser.add_argument("--short", default="2x20", help="the same, with few tests")
    parser.add_argument("--start", type=int, default=10, help="seconds of a start of a shard")
    parser.add_argument("--every", type=int, default=16, help="use each of this many references")
    parser.add_argument("--time", type=float, default=1e9, help="seconds after which no measurement begins")
    given = parser.parse_args()
    given.end = time.monotonic() + given.time
    for name in ("refract", "planted", "references", "donors"):
        path = getattr(given, name)
        if not path.exists():
            sys.exit(f"experiments: --{name} {path}: no such file or folder")
        setattr(given, name, path.resolve())
    for size in given.sizes:
        if size not in SIZES:
            sys.exit(f"experiments: no size {size}; there are {', '.join(map(str, SIZES))}")
    try:
        given.arrays = {name: tuple(map(int, getattr(given, name).split("x")))
                        for name in ("failing", "quiet", "short")}
        if any(len(array) != 2 or min(array) < 1 for array in given.arrays.values()):
            raise ValueError
    except ValueError:
        sys.exit("experiments: --failing, --quiet and --short want SHARDSxTESTS, such as 16x8")
    found = sorted(file for file in given.references.iterdir() if file.suffix in (".frag", ".comp", ".spvasm"))
    given.sample = [word for file in found[::given.every] for word in ("--references", file)]
    if not given.sample:
        sys.exit(f"experiments: --references {given.references}: no .frag, .comp or .spvasm file")
    given.state = given.state.resolve()
    given.state.mkdir(parents=True, exist_ok=True)
    lines, complete = measure_all(given)
    if not complete:
        print(f"experiments: {len(lines)} of {len(list(plan(given)))} measurements ran; the same command continues",
              file=sys.stderr)
    if given.page and (complete or given.part):
        given.page.parent.mkdir(parents=True, exist_ok=True)
        given.page.with_suffix(".jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines.values()))
        scale_page.write(given, lines)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
