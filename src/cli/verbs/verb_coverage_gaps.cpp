// SPDX-License-Identifier: Apache-2.0
// refract coverage gaps: the tests of B that run what A does not. refract coverage covers: whether
// a module runs a line, as an interestingness test.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "cli/coverage_export.h"
#include "cli/coverage_tests.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "coverage/counted_target.h"
#include "coverage/formats.h"
#include "coverage/gaps.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

// --- gaps

struct CoverageGapsArguments {
  std::string a, b, root;
  uint64_t most = 50;
  CoverageExportArguments tests;
};

void Declare(CoverageGapsArguments& given, Options& options) {
  options.Argument("A", &given.a, "Coverage data, as for `coverage compare`");
  options.Argument("B", &given.b, "Coverage data of `coverage run`");
  options.Text("--root", "DIR", &given.root, "As for `coverage compare`");
  options.Number("--most", &given.most, "Print at most this many gaps (default 50)", 1);
  DeclareCoverageExport(given.tests, options);
}

std::string GapsText(const std::vector<CoverageGap>& gaps, const std::vector<GapTest>& chosen,
                     const CoverageData& b, uint64_t most) {
  std::string text;
  size_t lines = 0;
  for (const CoverageGap& gap : gaps) lines += gap.lines;
  for (size_t i = 0; i < std::min<size_t>(gaps.size(), most); ++i) {
    const CoverageGap& gap = gaps[i];
    text += format("{}: {}, {}, first {}\n", PlaceOf(gap), Counted(gap.lines, "line"),
                   Counted(gap.tests.size(), "test"), b.tests[gap.tests[0]].name);
  }
  if (gaps.size() > most)
    text += format("... and {} (--most)\n", Counted(gaps.size() - most, "gap"));
  text += format("\n{} in {}; these tests run all of them:\n", Counted(lines, "line"),
                 Counted(gaps.size(), "gap"));
  for (const GapTest& each : chosen) {
    text += format("{}: {}, first {}\n", b.tests[each.test].name, Counted(each.gaps.size(), "gap"),
                   PlaceOf(gaps[each.gaps[0]]));
  }
  return text;
}

std::string GapsJson(const std::vector<CoverageGap>& gaps, const std::vector<GapTest>& chosen,
                     const CoverageData& b) {
  Json rows = Json::array(), tests = Json::array();
  for (const CoverageGap& gap : gaps) {
    Json names = Json::array();
    for (const size_t test : gap.tests) names.push_back(b.tests[test].name);
    rows.push_back({{"file", gap.file},
                    {"first", gap.first},
                    {"last", gap.last},
                    {"lines", gap.lines},
                    {"tests", std::move(names)}});
  }
  for (const GapTest& each : chosen) {
    tests.push_back({{"test", b.tests[each.test].name}, {"gaps", each.gaps}});
  }
  const Json all = {{"gaps", std::move(rows)}, {"tests", std::move(tests)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<ExitCode> Run(const CoverageGapsArguments& given, Console& console) {
  const Result<CoverageData> a = ReadCoverage(given.a, given.root);
  if (!a) return a.error();
  const Result<CoverageData> b = ReadCoverage(given.b, given.root);
  if (!b) return b.error();
  if (b->tests.size() == 1 && b->tests[0].name.empty()) {
    return Error{
        format("{}: does not say which test ran what; `coverage run` makes such data", given.b)};
  }
  const bool makes = !given.tests.output.empty();
  if (makes && console.json) return Error{"--export excludes --json", ErrorKind::kUsage};
  if (!makes && !given.tests.build.empty()) {
    return Error{"--build requires --export", ErrorKind::kUsage};
  }
  const std::vector<CoverageGap> gaps = FindGaps(*a, *b);
  if (gaps.empty()) {
    if (console.json) console.Print(GapsJson({}, {}, *b));
    console.Say("B runs no line that A does not run");
    return kDone;
  }
  if (makes) return ExportGapTests(given.tests, gaps, *b, console);
  const std::vector<GapTest> chosen = TestsForGaps(gaps, b->tests.size());
  console.Print(console.json ? GapsJson(gaps, chosen, *b) : GapsText(gaps, chosen, *b, given.most));
  return kDone;
}

// --- covers

struct CoverageCoversArguments {
  std::string build, module, target, line;
  std::vector<std::string> target_files;
  uint64_t time_limit = 10;
};

void DeclareCovers(CoverageCoversArguments& given, Options& options) {
  options.Argument("BUILD", &given.build, "The folder of `coverage build`");
  options.Argument("MODULE", &given.module, "The module to run");
  options.RequiredText("--line", "FILE:N", &given.line,
                       "The line, with the file as `coverage gaps` prints it");
  DeclareTarget(options, "-t,--target,--targets", &given.target, "As for `coverage run`");
  DeclareTargetFiles(options, &given.target_files,
                     "Target description, or folder with target descriptions");
  options.Duration("--timeout,--time-limit", &given.time_limit, "Time limit of the run", 1);
}

// The element of TestHits::lines for FILE:N.
Result<size_t> ElementOf(const std::string& place, const std::vector<SourceFile>& files) {
  const size_t colon = place.rfind(':');
  uint64_t line = 0;
  if (colon == std::string::npos || !ParseNumber(place.substr(colon + 1), &line)) {
    return Error{format("--line {}: not FILE:N", place), ErrorKind::kUsage};
  }
  size_t element = 0;
  for (const SourceFile& file : files) {
    const auto at = std::find(file.lines.begin(), file.lines.end(), line);
    if (file.name == place.substr(0, colon) && at != file.lines.end()) {
      return element + static_cast<size_t>(at - file.lines.begin());
    }
    element += file.lines.size();
  }
  return Error{format("--line {}: the build has no code at this line", place), ErrorKind::kUsage};
}

Result<ExitCode> RunCovers(const CoverageCoversArguments& given, Console& console) {
  const Result<CoverageBuild> build = ReadCoverageBuild(given.build);
  if (!build) return build.error();
  Result<CountedTarget> target = CountedTarget::Open(*build, given.target, given.target_files);
  if (!target) return target.error();
  const Result<Job> job = LoadCoverageTest(given.module, given.time_limit, console);
  if (!job) return job.error();
  Harness harness;
  RunResult ran;
  const Result<std::vector<bool>> marks = target->Run(harness, *job, &ran);
  harness.Close();
  if (!marks) return marks.error();
  if (marks->empty()) {
    return Error{format("the target did not run: {}", ran.detail), ErrorKind::kUnavailable};
  }
  const Result<SourceMap> map = MapOfBuild(given.build, *build, target->blocks());
  if (!map) return map.error();
  const Result<size_t> element = ElementOf(given.line, map->files);
  if (!element) return element.error();
  const bool covers = map->HitsOf("", *marks).lines[*element];
  console.Say(format("{}: {}", given.line, covers ? "ran" : "did not run"));
  return covers ? kDone : kNotInteresting;
}

}  // namespace

const Verb kCoverageGapsVerb = {
    .name = "gaps",
    .summary = "List the lines that only B runs, and the tests of B that run them; or make tests",
    .example =
        "refract coverage gaps suite.coverage variants.coverage\n"
        "refract coverage gaps suite.coverage variants.coverage --export new --build opt",
    .exit_codes = {{kBudgetEnded, "--time ended; the same command continues"},
                   {kTargetMissing, "the target did not run"},
                   {kInterrupted, "^C; the same command continues"}},
    .main_options = {"--most", "--root", "--json", "--export", "--build", "--tests", "--time",
                     "--jobs"},
    .declare = DeclareVerb<CoverageGapsArguments, Declare, Run>,
};

const Verb kCoverageCoversVerb = {
    .name = "covers",
    .summary = "Say whether a module runs a line of the target: an interestingness test for reduce",
    .example =
        "refract reduce big.spv -o small.spv -- refract coverage covers $PWD/spirv-opt "
        "-t spirv-opt-O --line source/opt/ccp_pass.cpp:120",
    .exit_codes = {{kNotInteresting, "the line did not run"},
                   {kTargetMissing, "the target did not run"}},
    .main_options = {"--line", "--target", "--target-file", "--timeout"},
    .declare = DeclareVerb<CoverageCoversArguments, DeclareCovers, RunCovers>,
};

}  // namespace cli
}  // namespace refract
