#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that a campaign survives kills, full disks and misbehaving targets without losing results or hanging.

    campaign_soak.py PART --refract FILE --optimiser PLANTED_OPT --references DIR [--state DIR]

PART is one of
  kills     kill -9 at random moments, --kills N times (default 100), then a run to the end: the
            outcomes must be the same as those of an undisturbed campaign
  disk      the disk fills up repeatedly, with a little more space each time: same check. As root
            the disk is a separate tmpfs, otherwise a limit on the size of files
  faults    targets that hang, use too much memory and print a gigabyte, next to one that works:
            each must get the right verdict, and the working one must find what it finds alone
  starts    every kind of wrong argument, with all --references and --donors: each must be
            reported within 5 seconds, and nothing may be written

--state keeps the campaigns (default: a temporary folder). If a part is started again, it continues. The
arguments of a campaign depend only on --seed (default 1). Exit code 1 if something was lost or a campaign did
not end.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

MARK = "REFRACT_SOAK"  # an environment variable of all processes that a campaign starts
OUTCOMES = ("SELECT o.test, t.name, o.verdict, s.text FROM outcomes o JOIN targets t ON t.id = o.target"
            " JOIN signatures s ON s.id = o.signature ORDER BY 1, 2, 3, 4")
BUG = "volatile_local"
SOONEST = 0.05  # seconds after a start
FIRST_ORIGINAL = 10**12  # from this test number on, tests are failures on references


class Fault(Exception):
    """A result was lost, or a campaign did not end."""


def check(right, text):
    if not right:
        raise Fault(text)


def outcomes(out):
    """(test, target, verdict, signature) of all outcomes in a campaign's store, which is not changed."""
    copy = out.parent / (out.name + ".copy")
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir(parents=True)
    for end in ("", "-wal"):
        file = out / ("campaign.sqlite" + end)
        if file.exists():
            shutil.copyfile(file, copy / file.name)
    if not (copy / "campaign.sqlite").exists():
        return set()
    database = sqlite3.connect(copy / "campaign.sqlite")
    try:
        said = database.execute("PRAGMA integrity_check").fetchall()
        check(said == [("ok",)], f"the store is damaged: {said[:3]}")
        tables = database.execute("SELECT name FROM sqlite_master WHERE name = 'outcomes'").fetchall()
        return set(database.execute(OUTCOMES)) if tables else set()
    finally:
        database.close()
        shutil.rmtree(copy)


def tests_of(found):
    return {row[0] for row in found}


def survivors(mark):
    """Processes that a campaign started and that still run."""
    wanted = f"{MARK}={mark}".encode()
    left = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    left.append(folder.name)
        except OSError:
            pass  # the process has ended, or it is not ours
    return left


def none_left(mark):
    """Waits a moment until all of them have ended. Raises Fault if some still run."""
    for _ in range(100):
        left = survivors(mark)
        if not left:
            return
        time.sleep(0.1)
    raise Fault(f"processes still run: {' '.join(left)}")


class Campaign:
    """What all parts run: two references with small images, a driver, and planted_opt with a bug."""

    def __init__(self, given, name):
        self.given = given
        # Each try of reducing a hang takes a second.
        self.keep, self.steps = (1, 30) if name == "faults" else (2, 200)
        # The tools of `faults` know the references, and fail on other modules.
        self.programs = ["--generate", "0"] if name == "faults" else []
        self.state = pathlib.Path(given.state).absolute()
        self.mark = f"{name}-{os.getpid()}"
        self.temporary = self.state / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.references = self.state / "references"
        if not self.references.exists():
            fresh = self.state / "references.new"
            fresh.mkdir(exist_ok=True)
            for name in ("register_cipher", "bit_curves"):
                shutil.copy(pathlib.Path(given.references) / f"{name}.frag", fresh)
                inputs = json.loads((pathlib.Path(given.references) / f"{name}.json").read_text())
                inputs["$framebuffer"] = {"width": 16, "height": 16}
                (fresh / f"{name}.json").write_text(json.dumps(inputs))
            fresh.rename(self.references)
        self.driven = ",".join(["planted", *([given.driver] if given.driver else [])])
        self.targets = self.state / "targets"
        self.targets.mkdir(exist_ok=True)
        self.target("planted", [str(pathlib.Path(given.optimiser).absolute()), "--bug", BUG, "{in}", "{out}"],
                    version=["--list"])

    def target(self, name, command, **more):
        described = {"name": name, "description": "of the soak", "render": False,
                     "commands": [{"run": command, "output": "spirv", "time_limit": 20, **more}]}
        (self.targets / f"{name}.json").write_text(json.dumps(described))

    def command(self, out, targets, *more):
        return [str(pathlib.Path(self.given.refract).absolute()), "campaign", "--references", str(self.references),
                "--target-files", str(self.targets), "--targets", targets, "--plain-only", "--out", str(out),
                "--seed", str(self.given.seed), "--max-steps", str(self.steps), "--keep", str(self.keep), "--jobs", "2", "--quiet",
                *self.programs, *more]

    def start(self, command, limits=None, log=subprocess.DEVNULL):
        environment = dict(os.environ, TMPDIR=str(self.temporary), **{MARK: self.mark})
        return subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                preexec_fn=limits)

    def finish(self, command, seconds, limits=None):
        """The exit code, the output, and the peak memory of the process itself, in MiB."""
        log = self.state / "log.txt"
        with open(log, "w", encoding="utf-8") as file:
            process = self.start(command, limits, file)
            end = time.monotonic() + seconds
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() > end:
                    process.kill()
                    process.wait()
                    raise Fault(f"stuck: not finished after {seconds} s")
                time.sleep(0.05)
        none_left(self.mark)
        return os.waitstatus_to_exitcode(status), log.read_text(errors="replace"), usage.ru_maxrss >> 10

    def to_the_end(self, out, targets, *more, seconds=3600):
        code, said, most = self.finish(self.command(out, targets, *more), seconds)
        check(code in (0, 4), f"exit code {code}: {said[-2000:]}")
        return most


def same(found, wanted):
    missing, more = wanted - found, found - wanted
    check(not missing and not more, f"lost: {sorted(missing)[:5]}; unexpected: {sorted(more)[:5]}")


def leftovers(campaign):
    """The number of temporary folders. The next process that makes one removes those of dead processes."""
    return len(list(campaign.temporary.iterdir()))


def kills(given):
    campaign = Campaign(given, "kills")
    out, note = campaign.state / "killed", campaign.state / "kills.json"
    targets = campaign.driven
    done = json.loads(note.read_text()) if note.exists() else {"kills": 0, "at": []}
    known = outcomes(out)
    while done["kills"] < given.kills:
        rng = random.Random(f"{given.seed} {done['kills']}")
        wait = SOONEST * (given.longest / SOONEST) ** rng.random()  # log-uniform: as many kills in each factor of e
        process = campaign.start(campaign.command(out, targets, "--tests", "1000000"))
        try:
            code = process.wait(wait)
            raise Fault(f"it ended before the kill, with exit code {code}")
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        none_left(campaign.mark)
        now = outcomes(out)
        check(known <= now, f"lost by kill {done['kills'] + 1}: {sorted(known - now)[:5]}")
        known = now
        done["kills"] += 1
        done["at"].append(round(wait, 2))
        note.write_text(json.dumps(done))
    tests = max(tests_of(known), default=-1) + 1
    check(tests > 0, "no test was made between the kills: --longest is too short")
    left = leftovers(campaign)
    campaign.to_the_end(out, targets, "--tests", str(tests))
    found = outcomes(out)
    whole = campaign.state / "undisturbed"
    campaign.to_the_end(whole, targets, "--tests", str(tests))
    same(found, outcomes(whole))
    check(tests_of(found) == set(range(tests)), "tests are missing")
    check(leftovers(campaign) == 0, "temporary folders still exist")
    failing = sum(1 for row in found if row[2] != "ok")
    print(f"{done['kills']} kills, {min(done['at'])} to {max(done['at'])} s after a start: {tests} tests, {len(found)} outcomes, "
          f"{failing} of them failures: the same as those of an undisturbed campaign; store sound after each; "
          f"no process left; temporary folders after the last kill: {left}, at the end: 0")


class Disk:
    """A disk that fills up: a separate tmpfs, or a limit on the size of files."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["umount", folder], capture_output=True, check=False)  # still mounted by a run that was killed
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True,
                                 check=False)
        self.mounted = mounted.returncode == 0
        self.bytes = 0

    def grow(self, size):
        self.bytes = size
        if self.mounted:
            subprocess.run(["mount", "-o", f"remount,size={size >> 10}k", self.folder], check=True)

    def limit(self):
        if not self.mounted:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.bytes, self.bytes))

    def end(self):
        if self.mounted:
            subprocess.run(["umount", self.folder], check=True)

    def name(self):
        return "a tmpfs" if self.mounted else "a limit on the size of files"


def disk(given):
    campaign = Campaign(given, "disk")
    targets, tests = campaign.driven, str(given.tests)
    whole = campaign.state / "undisturbed"
    campaign.to_the_end(whole, targets, "--tests", tests)
    used = sum(file.stat().st_size for file in whole.rglob("*") if file.is_file())
    room = Disk(campaign.state / "disk")
    out = room.folder / "campaign"
    known, full = set(), 0
    try:
        rng = random.Random(given.seed)
        size = 64 << 10
        while True:
            room.grow(size)
            code, said, _ = campaign.finish(campaign.command(out, targets, "--tests", tests), 3600, room.limit)
            now = outcomes_elsewhere(campaign, out)
            check(known <= now, f"lost with {size} bytes: {sorted(known - now)[:5]}")
            known = now
            if code in (0, 4):
                break
            check(code == 1, f"{size} bytes: exit code {code}: {said[-500:]}")
            check(str(out) in said, f"the message names no file: {said[-500:]}")
            full += 1
            size += rng.randrange(1, max(used // given.fillings, 8192))
    finally:
        room.end()
    same(known, outcomes(whole))
    print(f"{room.name()}: full {full} times on the way to {size} bytes, exit code 1 and the file's name each time: "
          f"{given.tests} tests, {len(known)} outcomes: the same as those of an undisturbed campaign")


def outcomes_elsewhere(campaign, out):
    """The outcomes of a campaign whose disk fills up repeatedly."""
    copy = campaign.state / "from_disk"
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    for end in ("", "-wal"):
        file = out / ("campaign.sqlite" + end)
        if file.exists():
            shutil.copyfile(file, copy / file.name)
    return outcomes(copy)


# What a tool does to one variant in two, chosen by its hash. References, which are in the list, are copied.
TOOL = """#!/bin/sh
sum=$(md5sum < "$1" | cut -c 1-32)
if [ "$3" = learn ]; then echo "$sum" >> "$0.known"; cp "$1" "$2"; exit; fi
grep -q "$sum" "$0.known" && {{ cp "$1" "$2"; exit; }}
case $sum in {which}) {act} ;; *) cp "$1" "$2" ;; esac
"""
SOME, ALL = "[0-7]*", "*"
ACTS = {
    # name: which variants, what the tool does, verdict, more of the target's file
    "sleeps": (ALL, "sleep 1000", "hang", {"time_limit": 1}),
    "spins": (SOME, "while :; do :; done", "hang", {"time_limit": 1}),
    "eats": (SOME, "exec tail /dev/zero", "out_of_memory", {"memory_mib": 256}),
    "tells": (SOME, 'head -c 200M /dev/zero >&2; cp "$1" "$2"', "ok", {}),
    # A file with a hole: refract looks at the size alone, and each try of reducing would write all of it.
    "writes": (SOME, 'truncate -s 100M "$2"', "invalid_output", {}),
}


def faults(given):
    campaign = Campaign(given, "faults")
    tools = campaign.state / "tools"
    tools.mkdir(exist_ok=True)
    for name, (which, act, _, more) in ACTS.items():
        tool = tools / name
        tool.write_text(TOOL.format(which=which, act=act))
        tool.chmod(0o755)
        (tools / f"{name}.known").write_text("")
        campaign.target(name, [str(tool), "{in}", "{out}", "learn"], version=["-"])
    names = ",".join(ACTS)
    shutil.rmtree(campaign.state / "learnt", ignore_errors=True)
    campaign.to_the_end(campaign.state / "learnt", names, "--check-only")
    for name, (_, _, _, more) in ACTS.items():
        campaign.target(name, [str(tools / name), "{in}", "{out}", "act"], version=["-"], **more)
    campaign.target("stuck", ["/bin/sh", "-c", "sleep 1000", "{in}", "{out}"], version=["-c", "echo 1"], time_limit=1)

    out = campaign.state / "faults"
    shutil.rmtree(out, ignore_errors=True)
    begin = time.monotonic()
    most = campaign.to_the_end(out, f"planted,{names},stuck", "--tests", str(given.tests))
    took = time.monotonic() - begin
    check(most < 2000, f"the campaign used {most} MiB of memory")
    found = outcomes(out)
    print(f"{given.tests} tests in {took:.0f} s next to targets that misbehave; {most} MiB of memory at most")
    print("\n| target | tests | verdicts |\n|---|---:|---|")
    for name in ["planted", *ACTS, "stuck"]:
        verdicts = {}
        for row in found:
            if row[1] == name:
                verdicts[row[2]] = verdicts.get(row[2], 0) + 1
        told = ", ".join(f"{verdict} {count}" for verdict, count in sorted(verdicts.items()))
        print(f"| {name} | {sum(verdicts.values())} | {told} |")
        if name in ACTS:
            check(ACTS[name][2] in verdicts, f"{name}: no {ACTS[name][2]}")
            check(set(verdicts) <= {"ok", "slow", ACTS[name][2]}, f"{name}: {told}")
    check(not any(row[1] == "stuck" and row[0] < FIRST_ORIGINAL for row in found),
          "a target on which every original hangs ran variants")
    buckets = {row for row in stored_buckets(out)}
    check(not any(verdict == "out_of_memory" and not only for verdict, only, _ in buckets),
          "out of memory is reported")
    hanging = [state for verdict, _, state in buckets if verdict == "hang"]
    check(hanging, "no hang was found")
    check("not_repeated" not in hanging, "a hang that was not reproduced")
    alone = campaign.state / "alone"
    shutil.rmtree(alone, ignore_errors=True)
    campaign.to_the_end(alone, "planted", "--tests", str(given.tests))
    same({row for row in found if row[1] == "planted"}, outcomes(alone))
    print("\nThe outcomes of planted are the same as without the others.")


def listing(out):
    """Files with their times, and folders without them, because the lock file changes them."""
    return sorted((str(file), file.stat().st_mtime_ns if file.is_file() else 0)
                  for file in out.rglob("*")) if out.exists() else None


def starts(given):
    campaign = Campaign(given, "starts")
    work, out = campaign.state / "starts", campaign.state / "started"
    shutil.rmtree(work, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    work.mkdir()
    (work / "empty").mkdir()
    (work / "file").write_text("")
    (work / "bad").mkdir()
    (work / "bad" / "a.frag").write_text("#version 450\nvoid main() { nothing(); }\n")
    (work / "issues.json").write_text('{"issues": [{"name": "a"}]}')
    (work / "target.json").write_text('{"name": "broken"}')
    (work / "store").mkdir()
    (work / "store" / "campaign.sqlite").write_text("no store at all, but long enough to be looked at")
    refract = str(pathlib.Path(given.refract).absolute())
    usual = {"--references": str(pathlib.Path(given.references).absolute()), "--targets": campaign.driven,
             "--donors": str(pathlib.Path(given.donors).absolute()), "--target-files": str(campaign.targets),
             "--out": str(out), "--seed": "1", "--tests": "1", "--jobs": "2"}

    def start(changed):
        begin = time.monotonic()
        arguments = [part for pair in {**usual, **changed}.items() if pair[1] is not None for part in pair]
        code, said, _ = campaign.finish([refract, "campaign", *arguments, "--quiet"], 600)
        return code, said, time.monotonic() - begin

    code, said, _ = start({})
    check(code in (0, 4), said)
    wrong = [
        ("no such folder of references", {"--references": str(work / "absent")}),
        ("no module among the references", {"--references": str(work / "empty")}),
        ("an invalid reference", {"--references": str(work / "bad")}),
        ("no such donor", {"--donors": str(work / "absent")}),
        ("no such target", {"--targets": "planted,nope"}),
        ("a target file that is wrong", {"--target-files": str(work / "target.json")}),
        ("no such file of known issues", {"--known-issues": str(work / "absent")}),
        ("a file of known issues that is wrong", {"--known-issues": str(work / "issues.json")}),
        ("no end", {"--tests": None}),
        ("an invalid time", {"--time": "soon"}),
        ("an invalid shard", {"--shard": "5/4"}),
        ("--out is a file", {"--out": str(work / "file")}),
        ("--out cannot be written", {"--out": "/proc/refract"}),
        ("a file that is not a store", {"--out": str(work / "store")}),
        ("another campaign's store: other seed", {"--seed": "2"}),
        ("another campaign's store: other targets", {"--targets": "planted"}),
        ("another campaign's store: other references", {"--references": str(campaign.references)}),
    ]
    print("| wrong | exit code | seconds |\n|---|---:|---:|")
    before = listing(out), listing(work)
    for what, changed in wrong:
        code, said, seconds = start(changed)
        print(f"| {what} | {code} | {seconds:.1f} |")
        check(code in (2, 3, 7), f"{what}: exit code {code}: {said}")
        check("error: " in said, f"{what}: {said}")
        check(seconds < 5, f"{what}: {seconds:.1f} s")
        check((listing(out), listing(work)) == before, f"{what}: something was written")


def stored_buckets(out):
    database = sqlite3.connect(out / "campaign.sqlite")
    try:
        return database.execute(
            "SELECT b.verdict, b.counted_only, k.state FROM buckets b"
            " LEFT JOIN kept k ON k.bucket = b.id").fetchall()
    finally:
        database.close()


PARTS = {"kills": kills, "disk": disk, "faults": faults, "starts": starts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--optimiser", required=True)
    parser.add_argument("--references", required=True)
    parser.add_argument("--donors", default="donors")
    parser.add_argument("--state")
    parser.add_argument("--driver", default="lavapipe", help="beside planted_opt; '' for none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--longest", type=float, default=20, help="seconds: the longest time from a start to a kill")
    parser.add_argument("--tests", type=int, default=60, help="number of tests of the parts disk and faults")
    parser.add_argument("--fillings", type=int, default=20, help="about how often the disk of the part disk fills up")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        given.state = given.state or folder
        try:
            PARTS[given.part](given)
        except Fault as fault:
            sys.exit(f"campaign_soak {given.part}: {fault}")


if __name__ == "__main__":
    main()
