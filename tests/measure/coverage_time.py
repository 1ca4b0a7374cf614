#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how many lines of a target run after equal processor time, by the source of the tests.

    coverage_time.py --refract FILE --build DIR --target NAME --state DIR [--seconds N] [--every N] [--seeds N]
                     [--cells A;B] [--folder NAME=DIR]... [--target-file FILE] [--plot FILE.svg]

Each cell is a campaign on one thread that counts lines (`campaign --coverage`) and is interrupted when its
processor time, with that of its child processes, reaches --seconds. Its target only copies modules, so that
no time goes to failures. A --folder is one more cell: its modules without any change, such as the shaders of a
conformance suite or the variants of another fuzzer. Finished cells are in --state and are not run again.
Prints a table: the median of the seeds, every --every seconds.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time

REFERENCES = ["--references", "references", "--donors", "donors"]
ALL = REFERENCES + ["--flesh", "20", "--generate", "20"]
# The options of a campaign, and whether its tests end by themselves: those without change.
CELLS = {
    "references": (["--references", "references", "--generate", "0", "--max-steps", "0", "--no-feedback"], True),
    "variants": (REFERENCES + ["--generate", "0", "--no-feedback"], False),
    "fleshed": (["--flesh", "100", "--no-feedback"], False),
    "generated": (["--generate", "100", "--no-feedback"], False),
    "all": (ALL + ["--no-feedback"], False),
    "all, feedback": (ALL, False),
}
COPY = {"name": "copy", "description": "copies the module",
        "commands": [{"run": ["cp", "{in}", "{out}"], "output": "spirv"}], "render": False}
TICKS = os.sysconf("SC_CLK_TCK")
ROUND = 10


def cpu_seconds(process):
    """The processor time of a running process and of its children that have ended."""
    try:
        stat = pathlib.Path(f"/proc/{process.pid}/stat").read_text()
    except OSError:
        return None
    return sum(int(field) for field in stat.rsplit(")", 1)[1].split()[11:15]) / TICKS


def lines(out):
    """Lines that ran, and lines with code."""
    try:
        database = sqlite3.connect(f"file:{out}/campaign.sqlite?mode=ro", uri=True, timeout=1)
        try:
            row = database.execute("SELECT state FROM feedback").fetchone()
        finally:
            database.close()
    except sqlite3.Error:  # the table is not there yet
        return 0, 0
    state = json.loads(row[0]) if row else {"lines": 0, "all_lines": 0}
    return state["lines"], state["all_lines"]


def count(options):
    if "--references" not in options:
        return None
    folder = pathlib.Path(options[options.index("--references") + 1])
    endings = (".spv", ".spvasm", ".frag", ".vert", ".comp")
    return sum(path.suffix in endings for path in folder.rglob("*"))


def run(given, name, options, ends, seed):
    out = pathlib.Path(given.state) / f"{name}-{seed}".replace(", ", "-")
    result = out.with_suffix(".json")
    if result.exists():
        return json.loads(result.read_text())
    shutil.rmtree(out, ignore_errors=True)
    target = pathlib.Path(given.state) / "copy.json"
    target.write_text(json.dumps(COPY))
    # The last tests of a round that does not end would not count.
    tests = -(-count(options) // ROUND) * ROUND if ends else 10**9
    command = [given.refract, "campaign", *options, "--targets", "copy", "--target-file", target,
               "--plain-only", "--coverage", given.build, "--round", str(ROUND), "--out", out, "--seed", str(seed),
               "--jobs", "1", "--tests", str(tests), "--quiet"]
    if "--references" in options:
        command.append("--zero-inputs")
    if given.target:
        command += ["--coverage-target", given.target]
    if given.target_file:
        command += ["--target-file", given.target_file]
    environment = dict(os.environ, REFRACT_CACHE="off")
    with open(f"{out}.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([str(word) for word in command], env=environment, stdout=log, stderr=log,
                                   start_new_session=True)
    points, used = [], 0
    while process.poll() is None and used < given.seconds:
        time.sleep(0.2)
        used = cpu_seconds(process) or used
        while used >= given.every * (len(points) + 1) and len(points) < given.seconds // given.every:
            points.append(lines(out)[0])
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    process.wait()
    final, total = lines(out)
    if total == 0:
        sys.exit(f"coverage_time: no round of {name} ended; see {out}.log")
    points += [final] * (given.seconds // given.every - len(points))
    row = {"points": points, "of": total, "seconds": used}
    result.write_text(json.dumps(row))
    return row


def plot(path, given, rows):
    """An SVG with a line for each cell."""
    colours = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777", "#000000"]
    width, height, left, top = 640, 360, 60, 20
    most = max(max(points) for points in rows.values()) or 1
    x = lambda i: left + width * i / max(given.seconds // given.every, 1)
    y = lambda value: top + height * (1 - value / most)
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 160} {top + height + 50}" '
            'font-family="sans-serif" font-size="12">',
            f'<path d="M{left} {top}V{top + height}H{left + width}" fill="none" stroke="#999"/>',
            f'<text x="{left}" y="{top + height + 35}">processor time: {given.seconds} s</text>',
            f'<text x="{left - 8}" y="{top + 5}" text-anchor="end">{most}</text>',
            f'<text x="{left - 8}" y="{top + height}" text-anchor="end">0</text>']
    for i, (name, points) in enumerate(rows.items()):
        colour = colours[i % len(colours)]
        path_text = "M" + " L".join(f"{x(k):.1f} {y(v):.1f}" for k, v in enumerate([0] + points))
        text.append(f'<path d="{path_text}" fill="none" stroke="{colour}" stroke-width="2"/>')
        text.append(f'<text x="{left + width + 10}" y="{top + 15 + 18 * i}" fill="{colour}">{name}</text>')
    pathlib.Path(path).write_text("\n".join(text) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--refract", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--target", default="")
    parser.add_argument("--state", required=True)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--every", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--cells", default="")
    parser.add_argument("--folder", action="append", default=[])
    parser.add_argument("--target-file")
    parser.add_argument("--plot")
    given = parser.parse_args()
    pathlib.Path(given.state).mkdir(parents=True, exist_ok=True)
    cells = dict(CELLS)
    for folder in given.folder:
        name, _, path = folder.partition("=")
        if not path or not pathlib.Path(path).is_dir():
            sys.exit(f"coverage_time: --folder {folder}: expected NAME=DIR")
        cells[name] = (["--references", path, "--generate", "0", "--max-steps", "0", "--no-feedback"], True)
    wanted = given.cells.split(";") if given.cells else list(cells)
    columns = [given.every * (i + 1) for i in range(given.seconds // given.every)]
    print(f"| tests | {' | '.join(f'{column} s' for column in columns)} | share |")
    print("|---|" + "---:|" * (len(columns) + 1))
    rows = {}
    for name in wanted:
        if name not in cells:
            sys.exit(f"coverage_time: no cell '{name}'; there are {'; '.join(cells)}")
        runs = [run(given, name, *cells[name], seed) for seed in range(1, given.seeds + 1)]
        rows[name] = [statistics.median_low(column) for column in zip(*(one["points"] for one in runs))]
        share = 100 * rows[name][-1] / runs[0]["of"]
        print(f"| {name} | {' | '.join(str(value) for value in rows[name])} | {share:.1f} % |", flush=True)
    if given.plot:
        plot(given.plot, given, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
