# SPDX-License-Identifier: Apache-2.0
"""RQ2: how small reducers make the findings of RQ1 (Donaldson et al., *Test-Case Reduction and Deduplication Almost for
Free with Transformation-Based Compiler Testing*, PLDI 2021, section 4.2). Writes a line of JSON for each reduction."""
import argparse
import concurrent.futures
import dataclasses
import gzip
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import bug_finding
import commands
import interesting
import reduction_page
import runner
import sources

SOURCES = (bug_finding.BASE, *sources.PEERS)  # if --sources does not say others
UNITS = "reductions"
STEPS = 1000000  # the limit of tries for the peers: only the time ends a reduction
DESCRIPTIONS = pathlib.Path(__file__).resolve().parents[2] / "data/targets"
write_page = reduction_page.write_page


@dataclasses.dataclass(frozen=True)
class Finding:
    """A failure of a test that RQ1 kept. `rank` counts the findings of a source with the same failure."""
    source: str
    seed: int
    reference: str
    target: str
    signature: str
    rank: int

    def folder(self, given):
        return given.found / "kept" / runner.folder_of(self.source) / str(self.seed)


def chosen(given, source, lines):
    """The findings in lines of RQ1 for a source: at most --per-signature with the same failure, at most --findings.
    The first of each failure come first, and wrong outputs, which take longest, come last."""
    ranks, found = {}, []
    for line in sorted(lines, key=lambda line: line["seed"]):
        for target, signature in sorted(bug_finding.failures(line, given.drivers)):
            rank = ranks.get((target, signature), 0)
            if target not in given.targets or rank == given.per_signature:
                continue
            if signature == commands.WRONG and given.no_wrong_outputs:
                continue
            ranks[target, signature] = rank + 1
            found.append(Finding(source, line["seed"], line["reference"], target, signature, rank))
    order = sorted(found, key=lambda one: (one.signature == commands.WRONG, one.rank, one.target, one.signature))
    return order[:given.findings]


def findings(given, names):
    """The findings of these sources, in an order like that of `chosen`."""
    found = []
    for source in names:
        files = (given.found / "kept" / runner.folder_of(source)).glob("*/line.json")
        found += chosen(given, source, [json.loads(file.read_text()) for file in files])
    if not found:
        sys.exit(f"experiments: {given.found}: no findings of {'; '.join(names)} on {', '.join(given.targets)}; "
                 "rq1 makes such a folder (its --state)")
    return sorted(found, key=lambda one: (one.signature == commands.WRONG, one.rank))


def references_of(given, found):
    """The references of findings, in order of their names. Ends the program if one is missing."""
    names = sorted({one.reference for one in found})
    missing = [name for name in names if not (given.references / f"{name}.spv").exists()]
    if missing:
        sys.exit(f"experiments: {given.references}: no reference {', '.join(missing)}; rq1 must have had this folder")
    return [given.references / f"{name}.spv" for name in names]


def make_again(given, names):
    """Makes the tests of --lines again whose findings would be reduced, and keeps those that still have one in --found,
    as RQ1 does. The file again.jsonl there has a line for each."""
    rq1 = argparse.Namespace(**vars(given) | {"state": given.found, "planted": None})
    try:
        with gzip.open(given.lines, "rt") as data:
            lines = [json.loads(line) for line in data]
    except (OSError, EOFError, ValueError) as error:
        sys.exit(f"experiments: {given.lines}: {error}")
    found = sum((chosen(given, name, [line for line in lines if line["source"] == name]) for name in names), [])
    sources.prepare_peer(references_of(given, found), given.found / "peer")
    tests = {(one.source, one.seed): given.references / f"{one.reference}.spv" for one in found}
    file = given.found / "again.jsonl"
    for line in map(json.loads, file.read_text().splitlines() if file.exists() else []):
        tests.pop((line["source"], line["seed"]), None)
    lock = threading.Lock()

    def one(test):
        (source, seed), reference = test
        if time.monotonic() < given.end:
            with tempfile.TemporaryDirectory() as folder:
                line = runner.run_test(rq1, source, reference, seed, runner.Planted(rq1), pathlib.Path(folder))
            with lock, file.open("a") as output:
                output.write(json.dumps(dict(line, source=source)) + "\n")

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(one, tests.items()))


def reductions(given, found):
    """Pairs of reducer and finding, in the order in which they run."""
    pairs = []
    for one in found:
        pairs.append((one.source, one))
        if one.source in sources.VARIANTS:
            pairs.append((one.source + reduction_page.OWN, one))
    count = {}
    for one in found:
        key = one.target, one.signature
        # Not for wrong outputs: what a module computes changes when it becomes smaller.
        if one.signature != commands.WRONG and count.get(key, 0) < given.whole:
            count[key] = count.get(key, 0) + 1
            pairs += [(reducer, one) for reducer in reduction_page.WHOLE
                      if reducer != reduction_page.WHOLE[1] or given.spirv_reduce]
    return pairs


def write_tools(given):
    """Writes descriptions of the command targets that run no driver, so that a try runs only what can show the failure,
    and so that a candidate that never ends is no problem. Wrong outputs need the driver and do not use them."""
    folder = given.state / "tools"
    folder.mkdir(exist_ok=True)
    files = list(DESCRIPTIONS.glob("*.json"))
    if given.target_file:
        files += sorted(given.target_file.glob("*.json")) if given.target_file.is_dir() else [given.target_file]
    for file in files:
        description = json.loads(file.read_text())
        if "commands" not in description:
            continue
        for command in description["commands"]:
            if "/" in command["run"][0]:  # relative to the folder of its file
                command["run"][0] = str(file.parent / command["run"][0])
        for one in (description, *description["commands"]):
            if "root" in one:
                one["root"] = str(file.parent / one["root"])
        copy, text = folder / f"{description['name']}.json", json.dumps(dict(description, render=False))
        if not copy.exists() or copy.read_text() != text:  # a second process may read it
            copy.write_text(text)
    return folder


def command_of(given, reducer, finding, question, folder):
    """The command that writes small.spv in the folder."""
    reference, test, out = question["reference"], finding.folder(given) / "test.spv", folder / "small.spv"
    script = [sys.executable, "-S", interesting.__file__, folder / "question.json"]
    refract = [given.refract, "reduce"]
    limits = ["-o", out, "--json", "--quiet", "--budget", question["limit"]]
    if reducer == reduction_page.WHOLE[0]:
        return [*refract, test, *limits, "--", *script]
    if reducer == reduction_page.WHOLE[1]:
        return [given.spirv_reduce, test, "-o", out, f"--step-limit={STEPS}", f"--temp-file-prefix={folder}/temp_",
                "--", *script]
    if reducer in sources.PEERS:
        return [given.spirv_fuzz, given.state / "peer" / pathlib.Path(reference).name, "-o", out,
                f"--shrink={test.with_suffix('.transformations')}", f"--shrinker-step-limit={STEPS}",
                f"--shrinker-temp-file-prefix={folder}/temp_", "--", *script]
    refract += [reference, test.with_suffix(".refract"), *limits]
    if reducer in sources.VARIANTS:
        return [*refract, "--", *script]
    wrong = finding.signature == commands.WRONG
    return [*refract, *interesting.options(question), "--timeout", interesting.RUN_TIME,
            *(["--wrong-image"] if wrong else ["--signature", finding.signature])]


def types_of(given, recording):
    """The types of the steps of a recording, in order."""
    if recording.suffix == ".refract":
        _, text, _ = commands.run([given.refract, "show", recording, "--json"], commands.MAKE_LIMIT)
        return [step["type"] for step in json.loads(text)["steps"]]
    text = json.loads(recording.with_suffix(".transformations_json").read_text() or "{}")
    return [next(iter(one)) for one in text.get("transformation", [])]


def steps_of(given, recording):
    """The number of steps of a recording. That of spirv-fuzz is a message whose field 1 has the steps."""
    if recording.suffix == ".refract":
        return len(types_of(given, recording))
    data, at, count = recording.read_bytes(), 0, 0
    while at < len(data):
        at, count, size, shift = at + 1, count + 1, 0, 0
        while True:
            size |= (data[at] & 127) << shift
            at, shift = at + 1, shift + 7
            if not data[at - 1] & 128:
                break
        at += size
    return count


def instructions_of(module):
    data = module.read_bytes()
    at, count = 20, 0
    while at < len(data):
        at, count = at + 4 * int.from_bytes(data[at + 2:at + 4], "little"), count + 1
    return count


def difference(given, reference, module):
    """The instructions that were added and removed. Both tools keep the ids of the reference."""
    _, text, _ = commands.run([given.refract, "diff", reference, module, "--json"], commands.MAKE_LIMIT)
    both = json.loads(text)
    return both["added"] + both["removed"]


def reduce(given, reducer, finding):
    """Runs a reduction; returns its line."""
    reference = given.references / f"{finding.reference}.spv"
    test = finding.folder(given) / "test.spv"
    recording = next((file for file in map(test.with_suffix, (".refract", ".transformations")) if file.exists()), None)
    line = {"reducer": reducer, **dataclasses.asdict(finding)}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = finding.signature == commands.WRONG
        target_file = given.target_file if wrong else given.state / "tools"
        limit = given.whole_limit if reducer in reduction_page.WHOLE else given.limit
        question = {"refract": str(given.refract), "reference": str(reference), "target": finding.target,
                    "target_file": str(target_file or ""), "signature": finding.signature, "drivers": given.drivers,
                    "limit": limit, "end": time.time() + limit}
        (folder / "question.json").write_text(json.dumps(question))
        began = time.monotonic()
        code, text, seconds = commands.run(command_of(given, reducer, finding, question, folder), 3 * limit + 60,
                                         folder=folder)
        line |= {"seconds": round(seconds, 2), "wall": round(time.monotonic() - began, 2)}
        tries = folder / "tries"
        line["tries"] = len(tries.read_text().split()) if tries.exists() else 0
        small = folder / "small.spv"
        if code not in (0, 6, None) or not small.exists() and not (folder / "last.spv").exists():
            again = "1" in tries.read_text() if tries.exists() else code != 5
            line["fault"] = commands.how_it_ended(code) if again else "not reproduced"
            return line
        line["limit"] = code in (6, None) or (folder / "out_of_time").exists()
        if not small.exists():  # the reducer was killed, so the best so far is what the script kept
            shutil.copy(folder / "last.spv", small)
        line["instructions"] = {"reference": instructions_of(reference), "before": instructions_of(test),
                                "after": instructions_of(small)}
        if reducer in reduction_page.WHOLE:
            return line
        if reducer.endswith(reduction_page.OWN):
            line["tries"] = json.loads(text)["tries"]
        line["difference"] = {"before": difference(given, reference, test),
                              "after": difference(given, reference, small)}
        line["steps"] = {"before": steps_of(given, recording)}
        left = small.with_suffix(recording.suffix)
        if left.exists():
            line["types"] = types_of(given, left)
            line["steps"]["after"] = len(line["types"])
        name = hashlib.sha256(f"{finding.target} {finding.signature}".encode()).hexdigest()[:8]
        kept = given.state / "reduced" / runner.folder_of(reducer) / f"{finding.seed}-{name}"
        kept.mkdir(parents=True, exist_ok=True)
        for file in (small, left, small.with_suffix(".json")):
            if file.exists():
                shutil.copy(file, kept)
    return line


def key_of(line):
    return tuple(line[name] for name in ("reducer", "source", "seed", "target", "signature"))


def run(given, names):
    """Makes all reductions that are not in the file yet. Returns their lines, and how many there should be."""
    runner.check_targets(given)
    if given.lines:
        make_again(given, names)
    found = findings(given, names)
    sources.prepare_peer(references_of(given, found), given.state / "peer")
    write_tools(given)
    file = given.state / "reductions.jsonl"
    lines = {key_of(line): line for line in map(json.loads, file.read_text().splitlines() if file.exists() else [])}
    pairs = reductions(given, found)
    lock = threading.Lock()

    def one(pair):
        key = (pair[0], *(getattr(pair[1], name) for name in ("source", "seed", "target", "signature")))
        if key not in lines and time.monotonic() < given.end:
            line = reduce(given, *pair)
            with lock, file.open("a") as output:
                output.write(json.dumps(line) + "\n")
                lines[key] = line
        return lines.get(key)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        return [line for line in pool.map(one, pairs) if line], len(pairs)
