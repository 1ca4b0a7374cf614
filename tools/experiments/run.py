#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Repeats an evaluation of a paper, side by side with the tools that it describes.

    run.py rq1 --refract FILE --references DIR --state DIR [--page FILE.md] [options]
    run.py rq2 --refract FILE --references DIR --state DIR --found DIR [--page FILE.md] [options]

rq1: which sources of tests find failures. Each source makes --tests tests in each of --groups groups; all run on the
same targets.

rq2: how small the reducers of the tools make the findings of rq1. --found is the --state of rq1. With --lines, it is
made from the data beside a page of rq1.

--state keeps a line for each test or reduction; the same command continues an experiment that was interrupted. The page
with tables and plots (SVG, in the same folder) is written when all of them are done, or with --part from those that
are. Exit code 1 if some are missing.
"""
import argparse
import gzip
import json
import os
import pathlib
import sys
import time

import bug_finding
import reduction
import runner
import sources

EXPERIMENTS = {"rq1": bug_finding, "rq2": reduction}


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
    parser.add_argument("--frame", type=int, default=0, metavar="PIXELS",
                        help="width and height of all images; by default as the references say")
    of_rq2 = parser.add_argument_group("rq2")
    of_rq2.add_argument("--found", type=pathlib.Path, help="the --state of rq1")
    of_rq2.add_argument("--lines", type=pathlib.Path, metavar="FILE.jsonl.gz",
                        help="the lines of an rq1: makes its failing tests again, into the folder --found")
    of_rq2.add_argument("--spirv-reduce", type=pathlib.Path, help="without it, whole modules have no peer")
    of_rq2.add_argument("--per-signature", type=int, default=20, help="findings of a source with the same signature")
    of_rq2.add_argument("--findings", type=int, default=200, help="findings of a source")
    of_rq2.add_argument("--no-wrong-outputs", action="store_true", help="leave out wrong outputs, which take long")
    of_rq2.add_argument("--whole", type=int, default=1, help="modules of a signature that become smaller as a whole")
    of_rq2.add_argument("--limit", type=float, default=120, help="seconds for a reduction")
    of_rq2.add_argument("--whole-limit", type=float, default=120, help="seconds for that of a whole module")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--time", type=float, default=1e9, help="seconds after which no test or reduction begins")
    given = parser.parse_args()
    given.targets, given.drivers = given.targets.split(","), given.drivers.split(",")
    given.end, given.keep = time.monotonic() + given.time, True
    if given.of == "rq2" and not given.found:
        sys.exit("experiments: rq2 reduces what rq1 found: --found is missing")
    if given.lines:
        given.found.mkdir(parents=True, exist_ok=True)
    for name in ("refract", "references", "spirv_fuzz", "spirv_reduce", "planted", "target_file", "lines", "found"):
        path = getattr(given, name)
        if not path:  # it was not given
            continue
        if not path.exists():
            sys.exit(f"experiments: --{name.replace('_', '-')} {path}: no such file or folder")
        setattr(given, name, path.resolve())
    given.state = given.state.resolve()
    given.state.mkdir(parents=True, exist_ok=True)
    frame = given.state / "frame"  # of the tests that are there
    if frame.exists() and frame.read_text() != str(given.frame):
        sys.exit(f"experiments: {given.state} was begun with --frame {frame.read_text()} (0: as the references say)")
    frame.write_text(str(given.frame))
    if given.frame:
        given.references = runner.set_frames(given.references, given.frame, given.state / "references")
    names = given.sources.split(";") if given.sources else list(EXPERIMENTS[given.of].SOURCES)
    for name in names:
        if name not in sources.NAMES:
            sys.exit(f"experiments: no source '{name}'; there are {'; '.join(sources.NAMES)}")
    if not given.spirv_fuzz:
        names = [name for name in names if name not in sources.PEERS]
    lines, wanted = EXPERIMENTS[given.of].run(given, names)
    if len(lines) < wanted:
        print(f"experiments: {len(lines)} of {wanted} {EXPERIMENTS[given.of].UNITS} ran; the same command continues",
              file=sys.stderr)
    if given.page and (len(lines) == wanted or given.part and lines):
        given.page.parent.mkdir(parents=True, exist_ok=True)
        data = given.page.with_suffix(".jsonl.gz")
        with open(data, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as file:
            for line in lines:
                file.write((json.dumps(line) + "\n").encode())
        given.missing = wanted - len(lines)
        EXPERIMENTS[given.of].write_page(given, names, lines)
    return 0 if len(lines) == wanted else 1


if __name__ == "__main__":
    sys.exit(main())
