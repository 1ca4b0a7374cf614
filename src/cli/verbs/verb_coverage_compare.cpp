// SPDX-License-Identifier: Apache-2.0
// refract coverage compare: what ran in A and not in B, and the other way round.
#include "cli/verbs.h"
#include "coverage/compare.h"
#include "coverage/formats.h"
#include "coverage/html.h"

namespace refract {
inline namespace cli {
namespace {

struct CoverageCompareArguments {
  std::string a, b, root, html, source;
};

void Declare(CoverageCompareArguments& given, Options& options) {
  options.Argument("A", &given.a,
                   "Coverage data: a file of `coverage run`, a tracefile of lcov, the JSON of "
                   "llvm-cov export or of gcov --json-format, or a folder of .gcov.json.gz files");
  options.Argument("B", &given.b, "The same, to compare with");
  options.Text(
      "--root", "DIR", &given.root,
      "For data of other tools: only files in this folder count, with names relative to it "
      "(default: the folder that all files are in)");
  options.Text("--html", "DIR", &given.html, "Also write pages with the source to this folder");
  options.Text("--source", "DIR", &given.source,
               "For --html: the folder with the sources (default: --root)");
}

Result<ExitCode> Run(const CoverageCompareArguments& given, Console& console) {
  const Result<CoverageData> a = ReadCoverage(given.a, given.root);
  if (!a) return a.error();
  const Result<CoverageData> b = ReadCoverage(given.b, given.root);
  if (!b) return b.error();
  const CoverageComparison comparison = CompareCoverage(*a, *b);
  if (!a->program.empty() && !b->program.empty() && a->program != b->program) {
    console.Warn("A and B are of different builds, so the numbers of lines may not fit");
  }
  if (!given.html.empty()) {
    const Status written =
        WriteComparisonPages(comparison, given.source.empty() ? given.root : given.source,
                             {given.a, given.b}, given.html);
    if (!written) return written.error();
    console.Say(format("wrote {}/index.html", given.html));
  }
  console.Print(console.json ? ComparisonJson(comparison) : ComparisonText(comparison));
  return kDone;
}

}  // namespace

const Verb kCoverageCompareVerb = {
    .name = "compare",
    .summary = "Compare two sets of coverage data by folder, file, function and line",
    .example =
        "refract coverage compare suite.coverage variants.coverage --html pages "
        "--source SPIRV-Tools",
    .exit_codes = {},
    .main_options = {"--root", "--html", "--source", "--json"},
    .declare = DeclareVerb<CoverageCompareArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
