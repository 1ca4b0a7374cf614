#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/experiments: experiments_test.py REFRACT PLANTED_OPT. The peer is a script that copies its input, because
spirv-fuzz is not in Debian."""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/experiments"))
import bug_finding  # noqa: E402
import commands  # noqa: E402
import deduplication  # noqa: E402
import plots  # noqa: E402
import reduction  # noqa: E402
import reduction_page  # noqa: E402
import runner  # noqa: E402
import scale_page  # noqa: E402
import sources  # noqa: E402
import stats  # noqa: E402

REFRACT, PLANTED = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
PEER = """#!/bin/sh
# spirv-fuzz IN -o OUT --donors=FILE --seed=N: the facts must be there
[ -s "${1%.spv}.facts" ] || exit 3
case $4 in
  --shrink=*)  # spirv-fuzz IN -o OUT --shrink=FILE --shrinker-... --shrinker-... -- SCRIPT
    in=$1 out=$3 test=${4#--shrink=}; shift 7
    "$@" "${test%.transformations}.spv" && ! "$@" "$in" || exit 1
    cp "${test%.transformations}.spv" "$out"
    echo '{"transformation": [{"addSynonym": {}}]}' >"${out%.spv}.transformations_json"
    cp "$test" "${out%.spv}.transformations" ;;
  *) cp "$1" "$3" && : >"${3%.spv}.transformations" ;;
esac
"""
TARGET = {"name": "planted", "description": "an optimiser with a bug",
          "commands": [{"run": [str(PLANTED), "--bug", "pointer_copy", "{in}", "{out}"], "output": "spirv",
                        "version": ["--list"]}]}


class Stats(unittest.TestCase):
    def test_mann_whitney(self):
        self.assertAlmostEqual(stats.mann_whitney([1, 2, 3], [4, 5, 6]), 0.0809, places=4)
        self.assertAlmostEqual(stats.mann_whitney([1, 2, 2, 3], [2, 3, 4, 4]), 0.1342, places=4)
        self.assertEqual(stats.mann_whitney([5, 5], [5, 5]), 1)
        self.assertEqual(stats.mann_whitney([1, 3], [2]), 1)

    def test_regions(self):
        self.assertEqual(stats.regions([{1, 2}, {2, 3}, {2}]),
                         {(True, False, False): 1, (True, True, True): 1, (False, True, False): 1})


    def test_least_squares(self):
        rows = [[1, 2, 5], [1, 4, 1], [1, 7, 3], [1, 0, 9]]
        values = [3 + 0.5 * a + 2 * b for _, a, b in rows]
        for found, wanted in zip(stats.least_squares(rows, values), [3, 0.5, 2]):
            self.assertAlmostEqual(found, wanted)


class Lines(unittest.TestCase):
    def test_a_failure_of_a_driver_is_not_one_of_tools(self):
        line = {"findings": [["swiftshader", "wrong_image"], ["spirv-opt-O", "wrong output"],
                             ["spirv-opt-O", "crash swiftshader: SIGILL"], ["spirv-opt-O", "crash spirv-opt: SIGSEGV"]]}
        self.assertEqual(bug_finding.failures(line, ["swiftshader"]),
                         {("swiftshader", "wrong output"), ("spirv-opt-O", "crash spirv-opt: SIGSEGV")})

    def test_a_wrong_output_of_a_tool_alone_counts(self):
        line = {"findings": [["spirv-opt-O", "wrong output"]]}
        self.assertEqual(bug_finding.failures(line, ["swiftshader"]), {("spirv-opt-O", "wrong output")})

    def test_equal_time_ends_before_the_test_that_takes_longer(self):
        tests = [{"make": 1, "run": 1, "seed": 1}, {"make": 1, "run": 1, "seed": 2}]
        self.assertEqual(list(bug_finding.within(tests, 3)), tests[:1])
        self.assertEqual(list(bug_finding.within(tests, 4)), tests)
        self.assertEqual(list(bug_finding.within(tests, None)), tests)

    def test_groups_are_compared_with_all_tests_and_in_equal_time(self):
        line = lambda bug: {"make": 1, "run": 0, "planted": [bug]}
        groups = {"Refract": {1: [line("a"), line("b")], 2: [line("a"), line("b")]},
                  "spirv-fuzz": {1: [line("a"), line("a")], 2: [line("c"), line("c")]},
                  "generator": {1: [], 2: []}}
        seconds = bug_finding.shortest(list(groups), groups)
        self.assertEqual(seconds, 2)  # the shortest of the variants
        found = lambda tests: {bug for line in tests for bug in line["planted"]}
        rows = list(bug_finding.compare(groups, found, 1))
        self.assertEqual(rows[0], ["2", "", "1", ""])
        self.assertEqual(rows[1], ["1", f"{stats.mann_whitney([1, 1], [2, 2]):.3f}", "1", "1.000"])
        self.assertEqual(rows[2][0::2], ["0", "0"])

    def test_survival(self):
        groups = {1: [{"planted": ["a"]}, {}], 2: [{}, {"planted": ["a", "other"]}]}
        self.assertEqual(bug_finding.survival(groups, {"a", "b"}, 2), [1, 0.75, 0.5])

    def test_the_page_shows_planted_bugs_and_who_finds_failures_if_two_sources_do(self):
        names = ["Refract", "spirv-fuzz", "spirv-fuzz-simple", "generator"]
        lines = [{"source": name, "group": group, "make": 1, "run": 0, "findings": []} for name in names
                 for group in (1, 2) for _ in range(3)]
        lines[1]["planted"] = ["copy_known", "own_bit"]  # test 2 of group 1; the second is no bug of the plot
        lines[5]["planted"] = ["copy_known"]  # test 3 of group 2
        lines[0]["findings"] = [["a", "x"]]
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "rq1.md"
            given = argparse.Namespace(page=page, planted=PLANTED, targets=["a"], drivers=[], groups=2, tests=3,
                                       missing=0, frame=0)
            bug_finding.write_page(given, [*names, "Refract, simple"], lines)  # of which no test ran yet
            text = page.read_text()
            self.assertNotIn("Refract, simple", text)
            self.assertIn("| Refract | 100 % | 97 % | 1 |  | 1 |  |\n", text)
            self.assertIn("| spirv-fuzz | 100 % | 100 % | 0 |", text)
            self.assertIn("| copy_known | 2 (2.5) |  |  |\n", text)
            self.assertTrue((page.parent / "rq1_survival.svg").exists())
            self.assertFalse((page.parent / "rq1_venn.svg").exists())
            lines[-1]["findings"] = [["a", "y"]]  # programs are not in the diagram
            bug_finding.write_page(given, names, lines)
            self.assertFalse((page.parent / "rq1_venn.svg").exists())
            lines[6]["findings"] = [["a", "y"]]
            bug_finding.write_page(given, names, lines)
            self.assertIn("rq1_venn.svg", page.read_text())
            self.assertTrue((page.parent / "rq1_venn.svg").exists())

    def test_facts(self):
        with tempfile.TemporaryDirectory() as folder:
            inputs = pathlib.Path(folder) / "a.json"
            inputs.write_text('{"one": {"func": "glUniform1i", "args": [7]}, "$framebuffer": {"width": 8},'
                              ' "two": {"args": [1.0, 0.0]}}')
            facts = [one["constantUniformFact"] for one in sources.facts_of(inputs)["fact"]]
        self.assertEqual([(one["uniformBufferElementDescriptor"]["index"], one["constantWord"]) for one in facts],
                         [([0], [7]), ([1, 0], [0x3F800000]), ([1, 1], [0])])

    def test_frames(self):
        with tempfile.TemporaryDirectory() as folder:
            references = pathlib.Path(folder)
            (references / "a.spv").write_bytes(b"words")
            (references / "a.json").write_text('{"$framebuffer": {"format": "rgba32f", "width": 256}, "one": {"args": [1]}}')
            (references / "b.spv").write_bytes(b"other words")
            copy = runner.set_frames(references, 64, references / "copy")
            self.assertEqual((copy / "a.spv").read_bytes(), b"words")
            self.assertEqual(json.loads((copy / "a.json").read_text()),
                             {"$framebuffer": {"format": "rgba32f", "width": 64, "height": 64}, "one": {"args": [1]}})
            self.assertEqual(json.loads((copy / "b.json").read_text()), {"$framebuffer": {"width": 64, "height": 64}})


class Plots(unittest.TestCase):
    def test_names_are_escaped(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.svg"
            plots.steps(file, {"<a>": [1, 0.5]}, "tests", "share")
            self.assertIn("&lt;a&gt;", file.read_text())


class Reductions(unittest.TestCase):
    def line(self, reducer, signature, after, **more):
        return dict({"reducer": reducer, "source": "Refract", "seed": 1, "target": "t", "signature": signature,
                     "tries": 3, "seconds": 2.0, "limit": False, "difference": {"before": 50, "after": after},
                     "instructions": {"reference": 10, "before": 60, "after": 10 + after},
                     "steps": {"before": 9, "after": 1}}, **more)

    def test_what_both_found(self):
        lines = [self.line("Refract", "a", 1), self.line("Refract", "b", 1), self.line("spirv-fuzz-simple", "b", 1),
                 self.line("spirv-fuzz", "c", 1)]
        self.assertEqual(reduction_page.shared(lines), {("t", "b")})

    def test_measures(self):
        lines = [self.line("Refract", "a", n) for n in (1, 2, 3, 10)] + [self.line("spirv-fuzz", "a", 4)]
        rows = list(reduction_page.measures(["Refract", "spirv-fuzz"], lines))
        self.assertIn("| instructions added or removed | Refract | 4 | 50 | 2.5 | 1.8 | 4.8 | 10 |  |", rows)
        self.assertIn("| instructions added or removed | spirv-fuzz | 1 | 50 | 4 | 4 | 4 | 4 | 0.724 |", rows)

    def test_a_reduction_that_failed_has_its_column(self):
        lines = [self.line("Refract", "a", 1, limit=True), self.line("Refract", "a", 1, fault="not reproduced"),
                 self.line("Refract", "a", 1, fault="exit code 1")]
        self.assertEqual(list(reduction_page.overview(["Refract"], lines))[2], "| Refract | 3 | 1 | 1 | 1 | 1 |")

    def test_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "a.transformations"
            file.write_bytes(b"\x0a\x01x" + b"\x0a\x82\x01" + 130 * b"x")
            self.assertEqual(reduction.steps_of(None, file), 2)
            file.write_bytes(20 * b"x" + bytes([19, 0, 1, 0, 17, 0, 2, 0, 1, 0, 0, 0]))
            self.assertEqual(reduction.instructions_of(file), 2)


class Deduplication(unittest.TestCase):
    TESTS = [("array", "crash tool: assertion 'a'", ["composite_construct"]),
             ("array", "crash tool: assertion 'b'", ["composite_construct", "split_block"]),
             ("part", "crash tool: assertion 'c'", ["composite_construct", "composite_extract"]),
             ("order", "crash tool: assertion 'd'", ["move_block_down"])]

    def write(self, folder, **changed):
        file = pathlib.Path(folder) / "tests.jsonl"
        file.write_text("".join(json.dumps(dict({
            "bug": bug, "decided": "condition: one", "test": str(number), "target": "tool:--pass@driver",
            "signature": signature, "verdict": "crash", "steps": len(types), "types": types, "lines": ["+OpLoad"]},
            **changed)) + "\n" for number, (bug, signature, types) in enumerate(self.TESTS)))
        return file

    def test_types_miss_a_bug_and_signatures_repeat_one(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = deduplication.read(self.write(folder))
            self.assertEqual(deduplication.score(REFRACT, tests), [4, 3, 2, 2, 0, 4, 3, 1])
            rows = list(deduplication.table(REFRACT, tests))
        self.assertEqual(rows[2], "| tool | 4 | 3 | 2 | 2 (67 %) | 0 (0 %) | 4 | 3 (100 %) | 1 (25 %) |")

    def test_the_total_of_the_paper(self):
        rows = [row for name, row in deduplication.PAPER.items() if name != "total"]
        self.assertEqual(tuple(map(sum, zip(*rows))), deduplication.PAPER["total"])

    def test_a_bad_line_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(SystemExit, "tests.jsonl:1: 'types' is missing or no list"):
                deduplication.read(self.write(folder, types="split_block"))
            with self.assertRaisesRegex(SystemExit, "tests.jsonl:1: 0 types of 1 steps"):
                deduplication.read(self.write(folder, types=[], steps=1))


class Scale(unittest.TestCase):
    def test_kept_tests(self):
        self.assertAlmostEqual(scale_page.expected_kept(0.5, 2), 1)  # a campaign keeps three, so all of them
        self.assertAlmostEqual(scale_page.expected_kept(0.5, 4), (1 * 4 + 2 * 6 + 3 * 4 + 3 * 1) / 16)
        self.assertAlmostEqual(scale_page.expected_kept(1, 1000), 3)

    def test_duplicates(self):
        shards = [{"tests": 2, "counts": {"a": 2, "b": 1}}, {"tests": 2, "counts": {"a": 2, "b": 1}}]
        buckets, kept = scale_page.duplicates(shards, 4)
        self.assertAlmostEqual(buckets, 2 - 0.5 ** 8)
        self.assertAlmostEqual(kept, 4 * (2 + 1))

    def test_a_model_of_its_own_sum_has_no_error(self):
        lines = [{"tests": tests, "outcomes": 2 * tests, "kept": kept, "bytes": 100 + 7 * 3 * tests + 50 * kept}
                 for tests, kept in ((1, 5), (10, 0), (20, 3), (400, 9))]
        fit = scale_page.Fit("bytes", lines[:3], lines[3:])
        self.assertAlmostEqual(fit.error, 0)
        self.assertAlmostEqual(scale_page.Fit("bytes", lines[:3], [dict(lines[3], bytes=2 * fit(lines[3]))]).error, 0.5)


class Whole(unittest.TestCase):
    """An experiment of a few tests, on the interpreter and spirv-opt."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        shaders = cls.path / "shaders"
        shaders.mkdir()
        (shaders / "a.frag").write_text("#version 320 es\nprecision highp float;\nuniform vec2 size;\n"
                                        "layout(location = 0) out vec4 colour;\n"
                                        "void main() { colour = vec4(size.x > 3.0 ? 1.0 : 0.0, 0.0, 1.0, 1.0); }\n")
        (shaders / "a.json").write_text('{"size": {"func": "glUniform2f", "args": [4.0, 4.0]}}')
        subprocess.run([REFRACT, "prepare", shaders, "-o", cls.path / "references"], check=True, capture_output=True)
        peer = cls.path / "peer.sh"
        peer.write_text(PEER)
        peer.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_it(self, *options, of="rq1", references="references", targets="spirv-opt-O,interp", state="state",
               names="Refract;spirv-fuzz;generator"):
        command = [sys.executable, ROOT / "tools/experiments/run.py", of, "--refract", REFRACT, "--planted", PLANTED,
                   "--spirv-fuzz", self.path / "peer.sh", "--references", self.path / references, "--targets", targets,
                   "--state", self.path / state, "--groups", "2", "--jobs", "2",
                   "--sources", names, "--page", self.path / f"page/{of}.md", *options]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    def test_an_interrupted_experiment_continues(self):
        result = self.run_it("--tests", 1, "--frame", 16, "--time", 0, state="framed")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("0 of 6 tests ran", result.stderr)
        self.assertFalse((self.path / "page").exists())
        result = self.run_it("--tests", 1, "--frame", 16, state="framed")
        self.assertEqual(result.returncode, 0, result.stderr)
        first = {file.name: file.read_text() for file in (self.path / "framed/lines").iterdir()}
        self.assertEqual(len(first), 6)
        result = self.run_it("--tests", 2, "--frame", 16, state="framed")
        self.assertEqual(result.returncode, 0, result.stderr)
        for file in (self.path / "framed/lines").iterdir():
            self.assertTrue(file.read_text().startswith(first[file.name]))
            self.assertEqual(len(file.read_text().splitlines()), 2)
        with gzip.open(self.path / "page/rq1.jsonl.gz", "rt") as data:
            lines = [json.loads(line) for line in data]
        self.assertEqual(len(lines), 12)
        self.assertEqual([line for line in lines if "fault" in line], [])
        page = (self.path / "page/rq1.md").read_text()
        self.assertIn("Images have 16 by 16 pixels.", page)
        result = self.run_it("--tests", 2, state="framed")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("was begun with --frame 16", result.stderr)
        self.assertRegex(page, r"\| Refract \| 4 \|")
        self.assertRegex(page, r"\| spirv-fuzz \| 4 \| 0 \| 0 \|")

    def test_reductions(self):
        target = self.path / "planted.json"
        target.write_text(json.dumps(TARGET))
        both = ["--targets", "planted", "--target-file", target]
        result = self.run_it("--tests", 4, "--groups", 1, *both, state="found", names="Refract")
        self.assertEqual(result.returncode, 0, result.stderr)
        kept = self.path / "found/kept/Refract/100004"
        self.assertTrue(kept.exists(), "seed 100004 no longer crashes on pointer_copy; take another bug")
        line = json.loads((kept / "line.json").read_text())

        peers = self.path / "again/kept/spirv-fuzz/1"
        peers.mkdir(parents=True)
        (peers / "test.spv").write_bytes((kept / "test.spv").read_bytes())
        (peers / "test.transformations").write_bytes(b"\x0a\x00" * 3)
        (peers / "line.json").write_text(json.dumps(dict(line, source="spirv-fuzz", seed=1)))
        rq2 = dict(of="rq2", state="reductions", names="Refract;spirv-fuzz")
        options = [*both, "--lines", self.path / "page/rq1.jsonl.gz", "--found", self.path / "again", "--limit", 600]
        result = self.run_it(*options, "--whole", 0, **rq2)
        self.assertEqual(result.returncode, 0, result.stderr)
        again = (self.path / "again/again.jsonl").read_text()
        self.assertEqual([(line["seed"], line["findings"]) for line in map(json.loads, again.splitlines())],
                         [(line["seed"], line["findings"])])
        self.assertEqual((self.path / "again/kept/Refract/100004/test.refract").read_bytes(),
                         (kept / "test.refract").read_bytes())

        written = (self.path / "reductions/reductions.jsonl").read_text()
        lines = {line["reducer"]: line for line in map(json.loads, written.splitlines())}
        self.assertEqual(set(lines), {"Refract", "Refract, --target", "spirv-fuzz"})
        self.assertEqual([line for line in lines.values() if "fault" in line or line["limit"]], [])
        for reducer in ("Refract", "Refract, --target"):
            self.assertEqual(lines[reducer]["steps"]["after"], len(lines[reducer]["types"]))
            self.assertLessEqual(lines[reducer]["steps"]["after"], 4)
            self.assertGreater(lines[reducer]["steps"]["before"], 20)
            self.assertLess(5 * lines[reducer]["difference"]["after"], lines[reducer]["difference"]["before"])
            self.assertGreater(lines[reducer]["tries"], 3)
        self.assertEqual(lines["Refract"]["types"], lines["Refract, --target"]["types"])
        self.assertEqual([lines["spirv-fuzz"][name] for name in ("steps", "tries", "types")],
                         [{"before": 3, "after": 1}, 2, ["addSynonym"]])
        small = next((self.path / "reductions/reduced/Refract").glob("100004-*/small.spv"))
        code, _, _ = commands.run([REFRACT, "run", self.path / "references/a.frag.spv", small, *both], 60)
        self.assertEqual(code, 4)  # it still crashes

        page = (self.path / "page/rq2.md").read_text()
        self.assertIn("| spirv-fuzz | 1 | 1 | 0 | 0 | 0 |", page)
        self.assertIn("Only the 1 signatures", page)

        # Tests and reductions that ran do not run again. That of the whole module ends at its limit.
        result = self.run_it(*options, "--whole", 1, "--whole-limit", 3, **rq2)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.path / "again/again.jsonl").read_text(), again)
        longer = (self.path / "reductions/reductions.jsonl").read_text()
        self.assertTrue(longer.startswith(written))
        more = [json.loads(line) for line in longer[len(written):].splitlines()]
        self.assertEqual([line["reducer"] for line in more], ["refract reduce"])
        self.assertTrue(more[0]["limit"] or more[0]["instructions"]["after"] < more[0]["instructions"]["before"])
        self.assertIn("| planted | crash planted_opt", (self.path / "page/rq2.md").read_text())

    def test_reductions_without_findings_are_an_error(self):
        result = self.run_it("--found", self.path / "references", of="rq2", state="none", targets="spirv-opt-O",
                             names="Refract")
        self.assertIn("no findings of Refract on spirv-opt-O", result.stderr)
        result = self.run_it(of="rq2")
        self.assertIn("--found is missing", result.stderr)
        bad = self.path / "bad.jsonl.gz"
        bad.write_text("no lines")
        result = self.run_it("--found", self.path / "bad", "--lines", bad, of="rq2", state="none", names="Refract")
        self.assertIn("bad.jsonl.gz: Not a gzipped file", result.stderr)
        with gzip.open(bad, "wt") as file:
            file.write(json.dumps({"source": "Refract", "seed": 1, "reference": "lost", "findings": [["interp", "crash"]]}))
        result = self.run_it("--found", self.path / "bad", "--lines", bad, of="rq2", state="none", names="Refract")
        self.assertIn("references: no reference lost; rq1 must have had this folder", result.stderr)

    def test_a_missing_target_is_an_error(self):
        result = self.run_it("--tests", 1, targets="spirv-opt-O,nowhere")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("not available here: nowhere", result.stderr)

    def run_scale(self, *options):
        shaders = self.path / "shaders"
        command = [sys.executable, ROOT / "tools/experiments/scale.py", "--refract", REFRACT, "--planted", PLANTED,
                   "--references", shaders, "--donors", shaders, "--state", self.path / "scale", "--page",
                   self.path / "page/scale.md", "--sizes", "100,300", "--seeds", 1, "--jobs", 1, "--seconds", 1,
                   "--targets", "interp", "--every", 1, "--failing", "1x1", "--quiet", "2x9", "--short", "1x2",
                   "--start", 2, *options]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    def test_scale(self):
        result = self.run_scale("--time", 0)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("0 of 11 measurements ran", result.stderr)
        result = self.run_scale()
        self.assertEqual(result.returncode, 0, result.stderr)
        written = (self.path / "scale/lines.jsonl").read_text()
        lines = {line["name"]: line for line in map(json.loads, written.splitlines())}
        self.assertEqual(len(lines), 11)
        self.assertLess(lines["test 100 1"]["instructions"], lines["test 300 1"]["instructions"])
        whole = lines["merge quiet 2x9 2"]
        self.assertEqual((whole["tests"], whole["outcomes"], whole["kept"]), (18, 18, 0))
        self.assertEqual(lines["merge failing 1x1 1"]["tests"], 1)
        self.assertGreater(lines["test 100 1"]["fuzz"]["mib"], 4)
        self.assertRegex((self.path / "page/scale.md").read_text(), r"\| quiet \| 2 \| 18 \| 18 \| 0 \| 0 \|")
        self.assertIn("<svg", (self.path / "page/scale_size.svg").read_text())
        result = self.run_scale()  # nothing is measured again
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((self.path / "scale/lines.jsonl").read_text(), written)

    def test_missing_references_are_an_error(self):
        result = self.run_it("--tests", 1, references="none")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("none: no such file or folder", result.stderr)


if __name__ == "__main__":
    unittest.main()
