#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long a new campaign takes to its first test and to its first finding, from the start of the
process, without cached results. Each campaign has all references and donors and all targets of the machine.
It is interrupted after its first finding.

    first_minute.py --refract FILE [--seeds N] [--jobs N,N] [--limit SECONDS] [--targets NAME,NAME]
                    [--only test]

A finding is a bucket that is not a known issue and not only counted. Known issues are not counted because a
user does not investigate them. With `--only test` a campaign is interrupted after its first test. Exit code 1
if a campaign has no test after --limit.
"""
import argparse
import os
import pathlib
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

QUESTIONS = {
    "test": "SELECT count(*) FROM tests",
    "failure": "SELECT count(*) FROM buckets WHERE counted_only = 0",
    "finding": "SELECT count(*) FROM buckets WHERE counted_only = 0 AND known = ''",
}


def has(store, question):
    if not store.exists():
        return False
    try:
        database = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=1)
        try:
            return database.execute(question).fetchone()[0] > 0
        finally:
            database.close()
    except sqlite3.Error:  # the tables are not there yet
        return False


def run(given, seed, jobs, folder):
    """Seconds until each of QUESTIONS was true; None if it was not within the limit."""
    out = pathlib.Path(folder) / f"{jobs}-{seed}"
    command = [given.refract, "campaign", "--references", "references", "--donors", "donors", "--out", str(out),
               "--seed", str(seed), "--jobs", str(jobs), "--quiet", "--time", f"{given.limit + 60:.0f}s"]
    if given.targets:
        command += ["--targets", given.targets]
    environment = dict(os.environ, REFRACT_CACHE="off")
    begin = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    seconds = dict.fromkeys(QUESTIONS if given.only is None else [given.only])
    while process.poll() is None and time.monotonic() - begin < given.limit and None in seconds.values():
        time.sleep(0.05)
        for what in seconds:
            if seconds[what] is None and has(out / "campaign.sqlite", QUESTIONS[what]):
                seconds[what] = time.monotonic() - begin
    process.send_signal(signal.SIGINT)
    code = process.wait()
    if code not in (0, 4, 130, -signal.SIGINT):
        sys.exit(f"first_minute: refract campaign ended with {code}: {' '.join(command)}")
    return seconds


def text(value, limit):
    return f"over {limit:g}" if value is None else f"{value:.1f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refract", required=True)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--targets", default="")
    parser.add_argument("--only", choices=QUESTIONS)
    given = parser.parse_args()
    good = True
    print("| jobs | first | median s | worst s | not within the limit |\n|---:|---|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for jobs in given.jobs.split(","):
            runs = [run(given, seed, jobs, folder) for seed in range(1, given.seeds + 1)]
            for what in runs[0]:
                never = sum(one[what] is None for one in runs)
                values = sorted(one[what] if one[what] is not None else float("inf") for one in runs)
                median = statistics.median_low(values)
                shown = [None if value == float("inf") else value for value in (median, values[-1])]
                print(f"| {jobs} | {what} | {text(shown[0], given.limit)} | {text(shown[1], given.limit)} | {never} |",
                      flush=True)
                if what == "test":
                    good = good and never == 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
