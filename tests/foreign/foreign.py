#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs Refract on shaders that were not made for it, and counts the faults.

    foreign.py --refract FILE --state DIR [OPTIONS] [FOLDER...]

FOLDERs are searched for .frag, .vert, .comp, .spvasm, .asm, .spv (with inputs in NAME.json) and .amber files.
The valid modules are kept in DIR/corpus.tar.xz, plain and optimised, with images of 16 x 16 pixels. Later
calls read this archive and need no FOLDER. Each module is loaded and must not change. Then COUNT runs go
through the modules in turn: fuzz with donors from the corpus and --self-check, a third of them with
--execution-facts; replay must give the same bytes; cfg check must accept the result. Work that is done is
listed in DIR/done*.tsv and not repeated. To merge shards of several machines, copy their done*.tsv and faults
into one DIR, or use --merge. Each fault is kept in DIR/faults/NAME, with the command that reproduces it.

Prints a report in Markdown. Exit code 0: all work is done, without a fault, and enough runs were checked; 1:
a fault, or too few checked runs; 75: the time limit was reached, call again; 2 and 3: wrong usage, no valid
module.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import shutil
import sys
import tarfile
import tempfile
import time

sys.dont_write_bytecode = True  # a test writes no file next to its source

import report
from gather import NothingThere, gather
from runs import Worker

worker = None  # the worker of this process


def begin_worker(memory, folder, *given):
    global worker
    resource.setrlimit(resource.RLIMIT_AS, (memory << 20, memory << 20))
    refract, corpus, modules, *rest = given
    worker = Worker(refract, corpus, modules, pathlib.Path(folder) / str(os.getpid()), *rest)


def do_work(work):
    return worker.do(work)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--refract", required=True, help="the executable")
    parser.add_argument("--state", required=True, type=pathlib.Path, help="the folder of the corpus and of the finished work")
    parser.add_argument("--count", type=int, help="self-checked runs in all (default: 5 for each module)")
    parser.add_argument("--shard", default="1/1", metavar="K/N", help="only the Kth of N parts of the work")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (default: one for each core)")
    parser.add_argument("--limit", type=float, default=120, metavar="S", 
                        help="seconds of processor time that one command may take (default 120)")
    parser.add_argument("--seconds", type=float, default=1e9, metavar="S", help="stop after this time")
    parser.add_argument("--memory", type=int, default=4096, metavar="MB", help="limit of one process (default 4096)")
    parser.add_argument("--max-steps", type=int, default=2000, metavar="N", help="limit of a run (default 2000)")
    parser.add_argument("--least-judged", type=float, default=95, metavar="P", help="percentage of runs that must be checked (default 95)")
    parser.add_argument("--merge", action="append", default=[], type=pathlib.Path, metavar="DIR",
                        help="also use the finished work of this state folder")
    parser.add_argument("--gather-only", action="store_true", help="only make the corpus")
    parser.add_argument("--report-only", action="store_true", help="only report on the finished work")
    given = parser.parse_args()
    given.part, given.parts = map(int, given.shard.split("/"))
    if not 1 <= given.part <= given.parts:
        parser.error("--shard K/N: K from 1 to N")
    given.refract = os.path.abspath(given.refract)
    given.end = time.monotonic() + given.seconds
    return given


def read_done(folders):
    """The lines of all done*.tsv, their fields by the name of the work. Of several lines for one name, the
    first."""
    done = {}
    for folder in folders:
        for file in sorted(folder.glob("done*.tsv")):
            with open(file, encoding="utf-8") as lines:
                for line in lines:
                    fields = line.rstrip("\n").split("\t")
                    if len(fields) == 6:  # else incomplete, because the process was killed
                        done.setdefault(fields[0], fields)
    return done


def all_work(given, modules):
    """The work of this shard: L with a module's number, R with a run's number."""
    work = [f"L{i}" for i in range(len(modules))] + [f"R{i}" for i in range(given.count)]
    return work[given.part - 1::given.parts]


def do_all(given, corpus, folder, done):
    modules = corpus["modules"]
    mine = [work for work in all_work(given, modules) if work not in done]
    mine.reverse()
    faults = given.state / "faults"
    name = "done.tsv" if given.parts == 1 else f"done.{given.part}-of-{given.parts}.tsv"
    arguments = (given.memory, folder, given.refract, folder / "corpus", modules, given.limit, given.end, faults,
                 given.max_steps)
    with concurrent.futures.ProcessPoolExecutor(given.jobs, initializer=begin_worker, initargs=arguments) as pool, \
            open(given.state / name, "a", encoding="utf-8") as state:
        state.write("\n")  # ends an incomplete line
        running = set()
        while running or mine:
            while mine and len(running) < 2 * given.jobs and time.monotonic() < given.end:
                running.add(pool.submit(do_work, mine.pop()))
            if not running:
                break
            ready, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for row in (one.result() for one in ready):
                if row is None:
                    continue
                done[row[0]] = [str(field) for field in row]
                state.write("\t".join(done[row[0]]) + "\n")
                state.flush()


def main():
    given = parse()
    given.state.mkdir(parents=True, exist_ok=True)
    archive = given.state / "corpus.tar.xz"
    if not archive.exists():
        if not given.folders:
            raise NothingThere(f"{archive} is not there: name the folders to gather")
        gather(given.refract, given.folders, archive, min(given.limit, 60), given.jobs)
    with tempfile.TemporaryDirectory(prefix="foreign.") as name:
        folder = pathlib.Path(name)
        with tarfile.open(archive) as packed:
            packed.extractall(folder / "corpus")
        corpus = json.loads((folder / "corpus" / "corpus.json").read_text())
        if given.gather_only:
            print(report.corpus_table(corpus))
            return 0
        given.count = 5 * len(corpus["modules"]) if given.count is None else given.count
        done = read_done([given.state, *given.merge])
        if not given.report_only:
            do_all(given, corpus, folder, done)
    for other in given.merge:
        if (other / "faults").is_dir():
            shutil.copytree(other / "faults", given.state / "faults", dirs_exist_ok=True)
    text, code = report.report(corpus, done, all_work(given, corpus["modules"]), given)
    print(text)
    return code


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NothingThere as reason:
        print(f"foreign: {reason}", file=sys.stderr)
        sys.exit(3)
