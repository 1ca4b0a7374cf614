#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats an evaluation of a paper, side by side with the tools that it describes.

    run.py rq1 --refract FILE --references DIR --state DIR [--page FILE.md] [options]

rq1: which sources of tests find failures. Each source makes --tests tests in each of --groups groups; all run on the
same targets. --state keeps a line for each test; the same command continues an experiment that was interrupted. The
page with tables and plots (SVG, beside the page) is written when all tests have run, or with --part from those that
have. Exit code 1 if tests are missing.
"""
import argparse
import gzip
import json
import os
import pathlib
import sys
import time

import bug_finding
import runner
import sources

EXPERIMENTS = {"rq1": bug_finding}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("of", choices=EXPERIMENTS)
    parser.add_argument("--refract", required=True, type=pathlib.Path)
    parser.add_argument("--spirv-fuzz", type=pathlib.Path, help="the peer; without it, its rows are left out")
    parser.add_argument("--planted", type=pathlib.Path, help="planted_opt, for the time to each planted bug")
    parser.add_argument("--references", required=True, type=pathlib.Path, help="folder of `refract prepare`")
    parser.add_argument("--targets", default="spirv-opt-O,swiftshader,spirv-cross-glsl")
    parser.add_argument("--drivers", default="swiftshader,lavapipe", help="the targets that are drivers")
    parser.add_argument("--target-file", type=pathlib.Path)
    parser.add_argument("--state", required=True, type=pathlib.Path)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--part", action="store_true", help="write the page although tests are missing")
    parser.add_argument("--sources", default="", help="names, separated by ;")
    parser.add_argument("--tests", type=int, default=300, help="tests of a group")
    parser.add_argument("--groups", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--time", type=float, default=1e9, help="seconds after which no test begins")
    given = parser.parse_args()
    given.targets, given.drivers = given.targets.split(","), given.drivers.split(",")
    given.end, given.keep = time.monotonic() + given.time, True
    for name in ("refract", "references", "spirv_fuzz", "planted", "target_file"):
        path = getattr(given, name)
        if not path:  # it was not given
            continue
        if not path.exists():
            sys.exit(f"experiments: --{name.replace('_', '-')} {path}: no such file or folder")
        setattr(given, name, path.resolve())
    given.state = given.state.resolve()
    given.state.mkdir(parents=True, exist_ok=True)
    names = given.sources.split(";") if given.sources else list(sources.NAMES)
    for name in names:
        if name not in sources.NAMES:
            sys.exit(f"experiments: no source '{name}'; there are {'; '.join(sources.NAMES)}")
    if not given.spirv_fuzz:
        names = [name for name in names if name not in sources.PEERS]
    lines, complete = runner.run_sources(given, names)
    if not complete:
        print(f"experiments: {len(lines)} of {len(names) * given.groups * given.tests} tests ran; the same command "
              "continues", file=sys.stderr)
    if given.page and (complete or given.part):
        given.page.parent.mkdir(parents=True, exist_ok=True)
        data = given.page.with_suffix(".jsonl.gz")
        with open(data, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
            for line in lines:
                file.write((json.dumps(line) + "\n").encode())
        EXPERIMENTS[given.of].write_page(given, names, lines)
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
