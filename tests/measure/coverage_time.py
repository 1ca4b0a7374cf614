#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many lines of a target run after equal processor time, by the source of the tests.

    coverage_time.py --refract FILE --build DIR [--target NAME] --state DIR [--seconds N] [--every N] [--seeds N]
                     [--jobs N] [--cells A;B] [--folder NAME=DIR]... [--under FOLDER]... [--target-file FILE] [--plot FILE.svg]

Each cell is a campaign on one thread that counts lines (`campaign --coverage`) and is interrupted when its
processor time, with that of its child processes, reaches --seconds. Its target only copies modules, so that
no time goes to failures. The references alone, and the modules of each --folder, such as the shaders of a
conformance suite or the variants of another fuzzer, run with `coverage run`, which ends when all ran; making them
takes no time here, and each of them counts as the same time. With --under, only lines of files in these folders of
the source count. Finished cells are in --state and are not run again. --jobs cells run at a time. Prints a table: the median of the seeds,
every --every seconds.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/experiments"))
import plots  # noqa: E402

REFERENCES = ["--references", "references", "--donors", "donors"]
ALL = REFERENCES + ["--flesh", "20", "--generate", "20"]
# A folder of modules, or the options of a campaign.
CELLS = {
    "references": "references",
    "variants": REFERENCES + ["--generate", "0", "--no-feedback"],
    "fleshed": ["--flesh", "100", "--no-feedback"],
    "generated": ["--generate", "100", "--no-feedback"],
    "all": ALL + ["--no-feedback"],
    "all, feedback": ALL,
}
COPY = {"name": "copy", "description": "copies the module",
        "commands": [{"run": ["cp", "{in}", "{out}"], "output": "spirv"}], "render": False}
TICKS = os.sysconf("SC_CLK_TCK")
ROUND = 10


def cpu_seconds(leader):
    """The processor time of a session: of its processes, and of their children that have ended."""
    ticks = 0
    for process in os.listdir("/proc"):
        if not process.isdigit():
            continue
        try:
            fields = pathlib.Path("/proc", process, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[3]) == leader.pid:
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / TICKS


class Lines:
    """Counts lines of what a campaign ran, by the source map of the build."""

    def __init__(self, build, folders):
        self.build, self.folders, self.of_block, self.all = build, folders, None, 0
        self.lock = threading.Lock()

    def choose(self, files):
        """Whether the lines of each file count, as a list of all lines of all files."""
        inside = [not self.folders or any(file["name"].startswith(folder + "/") for folder in self.folders)
                  for file in files]
        chosen = [one for one, file in zip(inside, files) for _ in file["lines"]]
        self.all = sum(chosen)
        if self.all == 0:
            sys.exit(f"coverage_time: --under: {self.build} has no code in {', '.join(self.folders)}")
        return chosen

    def of_campaign(self, out):
        """How many lines ran in the campaign in the folder `out`."""
        try:
            database = sqlite3.connect(f"file:{out}/campaign.sqlite?mode=ro", uri=True, timeout=1)
            try:
                row = database.execute("SELECT state FROM feedback").fetchone()
            finally:
                database.close()
        except sqlite3.Error:  # the table is not there yet
            row = None
        if not row:
            return 0
        with self.lock:  # cells run at a time
            if self.of_block is None:
                source_map = read_gzip(pathlib.Path(self.build) / "source_map.json.gz")
                chosen = self.choose(source_map["sources"]["files"])
                self.of_block = [[line for line in block if chosen[line]] for block in source_map["lines"]]
        return len({line for block in bits(json.loads(row[0])["ran"]) for line in self.of_block[block]})

    def of_tests(self, file):
        """How many lines the first 1, 2, ... tests of the output of `coverage run` ran."""
        data = read_gzip(file)
        chosen, ran, counts = self.choose(data["files"]), set(), []
        for test in data["tests"]:
            ran.update(line for line in bits(test["lines"]) if chosen[line])
            counts.append(len(ran))
        return counts


def read_gzip(path):
    with gzip.open(path) as file:
        return json.load(file)


def bits(lengths):
    """The numbers that ran, from the lengths: not run, run, not run, ..."""
    at, ran = 0, False
    for length in lengths:
        if ran:
            yield from range(at, at + length)
        at, ran = at + length, not ran


def target_of(given):
    return (["--target", given.target] if given.target else [],
            ["--target-file", given.target_file] if given.target_file else [])


def watch(given, command, log, at_point):
    """Runs a command until its processor time is --seconds, and calls `at_point` every --every seconds of it."""
    environment = dict(os.environ, REFRACT_CACHE="off")
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen([str(word) for word in command], env=environment, stdout=output, stderr=output,
                                   start_new_session=True)
    used, points = 0, 0
    while process.poll() is None and used < given.seconds:
        time.sleep(0.5)
        used = max(cpu_seconds(process), used)
        while used >= given.every * (points + 1) and points < given.seconds // given.every:
            at_point()
            points += 1
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.wait()
    return used


def run_campaign(given, lines, out, options, seed):
    shutil.rmtree(out, ignore_errors=True)
    copy = pathlib.Path(given.state) / "copy.json"
    target, target_file = target_of(given)
    command = [given.refract, "campaign", *options, "--targets", "copy", "--target-file", copy, *target_file,
               "--plain-only", "--coverage", given.build, "--round", ROUND, "--out", out, "--seed", seed,
               "--jobs", 1, "--tests", 10**9, "--quiet"]
    if target:
        command += ["--coverage-target", target[1]]
    if "--references" in options:
        command.append("--zero-inputs")
    points = []
    used = watch(given, command, f"{out}.log", lambda: points.append(lines.of_campaign(out)))
    final = lines.of_campaign(out)
    return points + [final] * (given.seconds // given.every - len(points)), used


def run_folder(given, lines, out, folder):
    data = pathlib.Path(f"{out}.coverage")
    data.unlink(missing_ok=True)
    target, target_file = target_of(given)
    command = [given.refract, "coverage", "run", given.build, folder, *target, *target_file, "--jobs", 1, "-o", data]
    used = watch(given, command, f"{out}.log", lambda: None)
    if not data.exists():
        return [0], used
    counts = lines.of_tests(data)
    return [counts[min(len(counts), max(1, int(len(counts) * every / used))) - 1]
            for every in range(given.every, given.seconds + 1, given.every)], used


def run(given, lines, name, cell, seed):
    out = pathlib.Path(given.state) / f"{name}-{seed}".replace(", ", "-")
    result = out.with_suffix(".json")
    if result.exists():
        return json.loads(result.read_text())
    if isinstance(cell, str):
        points, used = run_folder(given, lines, out, cell)
    else:
        points, used = run_campaign(given, lines, out, cell, seed)
    if points[-1] == 0:
        sys.exit(f"coverage_time: nothing ran of {name}; see {out}.log")
    row = {"points": points, "of": lines.all, "seconds": used}
    result.write_text(json.dumps(row))
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refract", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="")
    parser.add_argument("--state", required=True)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--every", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cells", default="")
    parser.add_argument("--folder", action="append", default=[])
    parser.add_argument("--under", action="append", default=[])
    parser.add_argument("--target-file")
    parser.add_argument("--plot")
    given = parser.parse_args()
    pathlib.Path(given.state).mkdir(parents=True, exist_ok=True)
    (pathlib.Path(given.state) / "copy.json").write_text(json.dumps(COPY))
    cells = dict(CELLS)
    for folder in given.folder:
        name, _, path = folder.partition("=")
        if not path or not pathlib.Path(path).is_dir():
            sys.exit(f"coverage_time: --folder {folder}: expected NAME=DIR")
        cells[name] = path
    wanted = given.cells.split(";") if given.cells else list(cells)
    columns = [given.every * (i + 1) for i in range(given.seconds // given.every)]
    print(f"| tests | {' | '.join(f'{column} s' for column in columns)} | share |")
    print("|---|" + "---:|" * (len(columns) + 1))
    rows, lines = {}, Lines(given.build, given.under)
    for name in wanted:
        if name not in cells:
            sys.exit(f"coverage_time: no cell '{name}'; there are {'; '.join(cells)}")
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        runs = {name: [pool.submit(run, given, lines, name, cells[name], seed)
                       for seed in range(1, 2 if isinstance(cells[name], str) else given.seeds + 1)]
                for name in wanted}
        for name in wanted:
            results = [one.result() for one in runs[name]]
            rows[name] = [statistics.median_low(column) for column in zip(*(one["points"] for one in results))]
            share = 100 * rows[name][-1] / results[0]["of"]
            print(f"| {name} | {' | '.join(str(value) for value in rows[name])} | {share:.1f} % |", flush=True)
    if given.plot:
        plots.steps(pathlib.Path(given.plot), {name: [0, *points] for name, points in rows.items()},
                    "processor time in seconds", "lines that ran", given.every)
    return 0


if __name__ == "__main__":
    sys.exit(main())
