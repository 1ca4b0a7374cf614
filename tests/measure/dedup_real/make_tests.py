#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes reduced tests of real bugs, for decide.py and `dedup_real --collect`.

    make_tests.py --refract FILE --out DIR [--jobs N] [--seconds S] [--each K] [--first SEED]

recipes.json has a row for each group of bugs: the targets, and the transformations that showed the bugs. Each test
begins with `refract fuzz` on a reference with the transformations of a row (an empty text: all of them).
`refract run` compares the variant with its reference on the targets of the row, and `refract reduce` reduces what
fails to a folder DIR/TARGET-SEED. Of each target and signature, at most K variants are reduced.

A second call with another --first adds tests. The seeds of worker I begin at SEED + 1,000,000 * I. Which variants
are reduced depends on the time, because all workers count together; each test folder can be made again alone.
"""

import argparse
import json
import os
import random
import re
import subprocess
import tempfile
import threading
import time
from collections import Counter

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


class Maker:
    def __init__(self, given):
        self.given = given
        self.end = time.time() + given.seconds
        with open(os.path.join(HERE, "recipes.json"), encoding="utf-8") as file:
            self.recipes = json.load(file)
        folder = os.path.join(ROOT, "references")
        self.references = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                           if name.endswith((".frag", ".comp", ".vert", ".spvasm"))]
        self.seen = Counter()
        self.lock = threading.Lock()

    def refract(self, arguments, limit, cwd):
        """The exit status and the output; None if it took too long."""
        try:
            done = subprocess.run([self.given.refract, *arguments], cwd=cwd, timeout=limit, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  env=dict(os.environ, REFRACT_CACHE="off"))
        except subprocess.TimeoutExpired:
            return None, ""
        return done.returncode, done.stdout.decode(errors="replace")

    def failures(self, output):
        """Target and signature of each run of the variant that fails while the original does not."""
        try:
            result = json.loads(output)
        except json.JSONDecodeError:
            return []
        original = {run["target"]: run["verdict"] for run in result["runs"] if run["role"] == "original"}
        found = [(run["target"], run["signature"]) for run in result["runs"]
                 if run["role"] == "variant" and run["verdict"] not in ("ok", "unsupported")]
        found += [(compared["target"], "wrong output") for compared in result.get("compare", [])
                  if not compared["same"]]
        return [(target, signature) for target, signature in dict.fromkeys(found) if original.get(target) == "ok"]

    def take(self, target, signature):
        with self.lock:
            key = (target, re.sub(r"\d+", "#", signature))
            if self.seen[key] >= self.given.each:
                return False
            self.seen[key] += 1
            return True

    def reduce(self, reference, target, seed, cwd):
        folder = os.path.join(self.given.out, re.sub(r"[^A-Za-z0-9]+", "_", target) + f"-{seed}")
        status, _ = self.refract(["reduce", reference, "v.refract", "-o", "small.spv", "--target", target,
                                  "--folder", folder, "--time", "60s"], 150, cwd)
        path = os.path.join(folder, "test.json")
        one_pass = re.fullmatch(r"spirv-opt:(--[^,@]+)(@interp)?", target)
        if status in (0, 6) and one_pass and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                record = json.load(file)
            record.setdefault("blamed", "spirv-opt")
            record.setdefault("blamed_pass", one_pass[1])
            with open(path, "w", encoding="utf-8") as file:
                json.dump(record, file, indent=1)
        return status

    def work(self, worker):
        choice = random.Random(worker + self.given.first)
        seed = self.given.first + 1_000_000 * worker
        with tempfile.TemporaryDirectory() as cwd:
            while time.time() < self.end:
                seed += 1
                recipe = self.recipes[(seed + worker * 5) % len(self.recipes)]
                reference = choice.choice(self.references)
                arguments = ["fuzz", reference, "-o", "v.spv", "--seed", str(seed), "--max-steps",
                             str(choice.choice((60, 120, 300)))]
                arguments += ["--passes", recipe["passes"]] if recipe["passes"] else []
                arguments += ["--donors", os.path.join(ROOT, "donors")] if recipe.get("donors") else []
                if self.refract(arguments, 100, cwd)[0] != 0:
                    continue
                _, output = self.refract(["run", reference, "v.spv", "--targets", ",".join(recipe["targets"]),
                                          "--json"], 200, cwd)
                for target, signature in self.failures(output):
                    if time.time() < self.end and self.take(target, signature):
                        status = self.reduce(reference, target, seed, cwd)
                        print(f"{seed} {os.path.basename(reference)} {target} {signature!r}: {status}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refract", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    given.refract = os.path.abspath(given.refract)
    given.out = os.path.abspath(given.out)
    os.makedirs(given.out, exist_ok=True)
    maker = Maker(given)
    workers = [threading.Thread(target=maker.work, args=(worker,)) for worker in range(given.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


if __name__ == "__main__":
    main()
