#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many tests a second a campaign makes on each target, and how much of their time Refract itself
takes. Compares this with a `refract fuzz` and a `refract run` process for each of the same tests. All parts
of a campaign are enabled: on a driver each variant runs plain and after spirv-opt -O. The times do not
include confirming and reducing the findings.

    campaign_throughput.py --refract FILE --out DIR [--targets NAME,NAME] [--seconds N] [--every N]
                           [--judged NAME,NAME] [--jobs N] [--most-own PERCENT]

Each target has its own campaign, and a last campaign has all targets. The campaigns first check the
references (every Nth), which is not counted. DIR is removed and made again. Exit code 1 if, on one of the
--judged targets, Refract's share is above --most-own or the processes are faster. (Do not judge two kinds of
targets: a driver that only compiles pipelines takes little time, so Refract's share is high. A tool is a
process for each run in any case, and only a campaign compares its outputs.)
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import time

FOUND = 4  # exit code: a new bucket


def campaign(given, targets, out, *more):
    command = [given.refract, "campaign", "--donors", "donors", "--targets", targets, "--keep", "1",
               "--generate", "0", "--seed", "1", "--jobs", str(given.jobs), "--out", out, "--quiet", *more]
    for reference in given.references:
        command += ["--references", reference]
    ran = subprocess.run(command, stdout=subprocess.DEVNULL)
    if ran.returncode not in (0, FOUND):
        sys.exit(f"campaign_throughput: refract campaign ended with {ran.returncode}")


def in_processes(given, targets, store):
    """Tests a second, each in two new processes."""
    out = pathlib.Path(given.out)
    tests = store.execute(
        "SELECT t.test, o.name, t.seed FROM tests t JOIN originals o ON o.id = t.original ORDER BY t.test").fetchall()
    file_of = {os.path.basename(file): file for file in given.references}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    end = time.monotonic() + given.seconds

    def one(test):
        number, name, seed = test
        if time.monotonic() > end:
            return 0
        variant = out / f"variant-{number}.spv"
        subprocess.run([given.refract, "fuzz", file_of[name], "-o", variant, "--seed", str(seed), "--donors", "donors",
                        "--quiet"], **quiet, check=True)
        subprocess.run([given.refract, "run", variant, "--target", ",".join(targets)], **quiet)
        return 1

    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        done = sum(pool.map(one, tests))
    return done / (time.monotonic() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--targets", default="lavapipe,swiftshader,spirv-opt-O,radv-aco")
    parser.add_argument("--judged", default="lavapipe,swiftshader,spirv-opt-O")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--every", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--most-own", type=float, default=10)
    given = parser.parse_args()
    given.refract = os.path.abspath(given.refract)
    modules = sorted(str(file) for file in pathlib.Path("references").iterdir()
                     if file.suffix in (".frag", ".comp", ".spvasm"))
    given.references = modules[::given.every]
    shutil.rmtree(given.out, ignore_errors=True)
    print(f"{len(given.references)} references, {given.jobs} at a time, {given.seconds} s each.\n")
    print("| target | tests | tests a second | of a test's time our own | seconds of a run | "
          "tests a second by processes |")
    print("|---|---:|---:|---:|---:|---:|")
    reached = True
    for target in given.targets.split(",") + [given.targets]:
        out = pathlib.Path(given.out) / target.replace(",", "+")
        campaign(given, target, out, "--check-only")
        campaign(given, target, out, "--time", f"{given.seconds}s")
        stats = json.loads((out / "stats.json").read_text())
        runs = sum(one["runs"] for one in stats["targets"].values())
        seconds = sum(one["seconds"] for one in stats["targets"].values()) / max(runs, 1)
        store = sqlite3.connect(out / "campaign.sqlite")
        speed = given.jobs * stats["tests"] / store.execute("SELECT total(seconds) FROM tests").fetchone()[0]
        own = 100 * stats["own_share"]
        processes = in_processes(given, list(stats["targets"]), store)
        if target in given.judged.split(","):
            reached = reached and own <= given.most_own and processes < speed
        print(f"| {target} | {stats['tests']} | {speed:.2f} | {own:.1f} % | {seconds:.2f} | {processes:.2f} |", flush=True)
    print(f"\nwanted of {given.judged}: at most {given.most_own:g} % our own, and processes slower: "
          f"{'reached' if reached else 'NOT REACHED'}")
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
