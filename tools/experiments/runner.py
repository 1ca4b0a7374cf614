# SPDX-License-Identifier: Apache-2.0
"""Runs tests of the sources (sources.py) on targets, and writes one line of JSON for each to a file for each source
and group, so that an interrupted experiment continues where it was."""
import concurrent.futures
import json
import pathlib
import random
import shutil
import tempfile
import time

import sources
from commands import MAKE_LIMIT, RUN_LIMIT, WRONG, computes_the_same, findings_of, how_it_ended, run


def is_usable(given, reference):
    """Whether the reference computes the same whatever the implementation, so that a wrong image means something."""
    code, text, _ = run([given.refract, "check", reference, "--json"], MAKE_LIMIT)
    return code == 0 and json.loads(text)["verdict"] in ("exact", "stable")


def set_frames(references, size, folder):
    """Copies the modules of a folder of `refract prepare`, with frames of `size` by `size` pixels. Returns the copy."""
    folder.mkdir(parents=True, exist_ok=True)
    for module in references.glob("*.spv"):
        inputs = module.with_suffix(".json")
        values = json.loads(inputs.read_text()) if inputs.exists() else {}
        values["$framebuffer"] = {**values.get("$framebuffer", {}), "width": size, "height": size}
        (folder / inputs.name).write_text(json.dumps(values))
        shutil.copy(module, folder)
    return folder


def usable_references(given):
    """The modules of --references that are well defined and stable, in order of their names."""
    kept = given.state / "references.json"
    if kept.exists():
        names = json.loads(kept.read_text())
    else:
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            found = sorted(file for file in given.references.glob("*.spv")
                           if not file.name.endswith((".O.spv", ".Os.spv")))  # optimised, by `refract prepare`
            names = [file.name for file, usable in zip(found, pool.map(lambda file: is_usable(given, file), found))
                     if usable]
        if not names:
            raise SystemExit(f"experiments: {given.references}: no .spv file is well defined and stable; "
                             "`refract prepare` makes such a folder")
        kept.write_text(json.dumps(names))
    return [given.references / name for name in names]


def check_targets(given):
    """Ends the program if a target is missing here: else its findings would be missing without a word."""
    _, text, _ = run([given.refract, "targets", "--json", *(["--target-file", given.target_file]
                                                            if given.target_file else [])], RUN_LIMIT)
    available = {one["name"] for one in json.loads(text) if one["available"]}
    missing = [name for name in given.targets if name not in available]
    if missing:
        raise SystemExit(f"experiments: not available here: {', '.join(missing)}; `refract targets` says why")


class Planted:
    """The bugs of tests/planted. A bug counts as found by the first test that reaches its place and whose output, with
    the bug, is invalid or computes something else, or whose optimiser crashes or hangs."""

    def __init__(self, given):
        self.given, self.found = given, set()

    def check(self, test, folder):
        """The bugs that this test finds and no test before it found."""
        if not (self.given.planted and test.reference):
            return []
        out = folder / "planted.spv"
        _, met, _ = run([self.given.planted, "--met", test.module, out], 10)
        new = []
        for bug in sorted(set(met.split()) - self.found):
            code, _, _ = run([self.given.planted, "--bug", bug, test.module, out], 10)
            if code == 0:
                shutil.copy(test.module.with_suffix(".json"), out.with_suffix(".json"))
                code, _, _ = run([self.given.refract, "run", test.reference, out, "--targets", "interp"], RUN_LIMIT)
                if code in (0, 7):
                    continue
            self.found.add(bug)
            new.append(bug)
        return new


def run_test(given, source, reference, seed, planted, folder):
    """Makes and runs one test; returns its line."""
    test = sources.make_test(given, source, reference, seed, folder)
    code, _, make = run(test.command, MAKE_LIMIT)
    line = {"reference": reference.stem if test.reference else "", "seed": seed, "make": round(make, 3),
            "run": 0.0, "findings": []}
    if code != 0 or not test.module.exists():
        line["fault"] = f"no test: {how_it_ended(code)}"
        return line
    if source in sources.PEERS and test.inputs.exists():  # other sources write the inputs of the test themselves
        shutil.copy(test.inputs, test.module.with_suffix(".json"))
    command = [given.refract, "run", *([test.reference] if test.reference else []), test.module, "--targets",
               ",".join(given.targets), "--json", "--timeout", 20,
               *(["--target-file", given.target_file] if given.target_file else [])]
    code, text, line["run"] = run(command, RUN_LIMIT)
    line["run"] = round(line["run"], 3)
    try:
        output = json.loads(text)
    except json.JSONDecodeError:
        line["fault"] = f"not run: {how_it_ended(code)}"  # such as an invalid variant
        return line
    line["findings"] = findings_of(given.drivers, output, bool(test.reference))
    if test.reference and any(signature == WRONG for _, signature in line["findings"]):
        if not computes_the_same(given.refract, test.reference, test.module):  # so no target is to blame
            line["fault"] = "another output by the interpreter"
            line["findings"] = [one for one in line["findings"] if one[1] != WRONG]
    line["planted"] = planted.check(test, folder)
    if line["findings"] and given.keep:
        keep(given, source, seed, test, line)
    return line


def folder_of(source):
    return source.replace(", ", "-").replace(" ", "-")


def keep(given, source, seed, test, line):
    """Keeps a failing variant for the experiments that reduce."""
    if not test.recording():
        return
    folder = given.state / "kept" / folder_of(source) / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    for file in (test.module, test.module.with_suffix(".json"), test.recording()):
        shutil.copy(file, folder / ("test" + file.suffix))
    (folder / "line.json").write_text(json.dumps(dict(line, source=source)))


def run_group(given, source, group, references):
    """Runs the tests of a group that are not in its file yet."""
    file = given.state / "lines" / f"{folder_of(source)}-{group}.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    planted = Planted(given)
    for line in lines:
        planted.found.update(json.loads(line).get("planted", []))
    order = list(references)
    random.Random(group).shuffle(order)
    while len(lines) < given.tests and time.monotonic() < given.end:
        number = len(lines)
        seed = group * 100000 + number + 1
        with tempfile.TemporaryDirectory() as folder:
            line = json.dumps(run_test(given, source, order[number % len(order)], seed, planted, pathlib.Path(folder)))
        with file.open("a") as output:
            output.write(line + "\n")
        lines.append(line)
    return [dict(json.loads(line), source=source, group=group) for line in lines]


def run_sources(given, names):
    """Runs all groups of these sources. Returns their lines."""
    check_targets(given)
    (given.state / "lines").mkdir(parents=True, exist_ok=True)
    references = usable_references(given)
    if any(name in sources.PEERS for name in names):
        sources.prepare_peer(references, given.state / "peer")
    pairs = [(name, group) for group in range(1, given.groups + 1) for name in names]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        results = list(pool.map(lambda pair: run_group(given, *pair, references), pairs))
    return [line for result in results for line in result]
