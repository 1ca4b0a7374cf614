// SPDX-License-Identifier: Apache-2.0
// refract compare A B: measures how much two images differ, and applies a comparison rule.
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/comparison_options.h"
#include "cli/paths.h"
#include "cli/verbs.h"
#include "image/compare.h"
#include "image/png.h"

namespace refract {
inline namespace cli {
namespace {

struct CompareOptions {
  std::string a, b;
  std::string diff;
  std::string rule = "exact";
  std::string thresholds;
};

void Declare(CompareOptions& given, Options& options) {
  options.Argument("A", &given.a, "A PNG file; - reads standard input");
  options.Argument("B", &given.b, "Another PNG file");
  options.Text("--diff", "OUT.png", &given.diff, "Write an image that shows where A and B differ");
  options.Choice(
      "--rule", &given.rule, {"exact", "stable", "spatial", "histogram"},
      "Rule that decides when A and B are different. exact: any pixel differs. stable: a region of "
      "16 or more connected pixels differs by more than 8 levels, or more than 0.1 % of the pixels "
      "differ by more than 1 level. spatial: all pixels of a square differ, or a window of 16 x 16 "
      "pixels has another structure or another mean (--thresholds). histogram: the earth mover's "
      "distance is more than 0.005");
  DeclareThresholds(options, &given.thresholds);
}

Result<Image> ReadPng(const std::string& path) {
  Result<std::string> bytes = ReadFile(path);
  if (!bytes) return bytes.error();
  return DecodePng(*bytes, path);
}

nlohmann::ordered_json AsJson(const Comparison& found, const ComparisonRule& rule) {
  // For images of different sizes the measures are NaN, which JSON writes as null.
  return {{"same", Agree(found, rule)},
          {"rule", RuleName(rule.kind)},
          {"sizes", {{found.width_a, found.height_a}, {found.width_b, found.height_b}}},
          {"pixels", found.pixels},
          {"max", found.max},
          {"region", found.region},
          {"emd", found.emd},
          {"rmse", found.rmse},
          {"chi2", found.chi2},
          {"square", found.spatial.square},
          {"similarity", found.spatial.similarity},
          {"shift", found.spatial.shift}};
}

std::string AsText(const Comparison& found, const ComparisonRule& rule) {
  std::string text =
      format("{} under rule {}\n", Agree(found, rule) ? "same" : "different", RuleName(rule.kind));
  if (!found.same_size()) {
    return text + format("sizes             {}x{} and {}x{}\n", found.width_a, found.height_a,
                         found.width_b, found.height_b);
  }
  text += format("size              {}x{}\n", found.width_a, found.height_a);
  text += format("different pixels  {}\n", found.pixels);
  text += format("largest change    {}\n", found.max);
  text += format("largest region    {}\n", found.region);
  text += format("histogram EMD     {:.6f}\n", found.emd);
  text += format("RMSE              {:.6f}\n", found.rmse);
  text += format("chi-square        {:.6f}\n", found.chi2);
  text += format("largest square    {}\n", found.spatial.square);
  text += format("least similarity  {:.6f}\n", found.spatial.similarity);
  text += format("largest shift     {:.6f}\n", found.spatial.shift);
  return text;
}

Result<ExitCode> Run(const CompareOptions& given, Console& console) {
  if (Status once = CheckOneStandardInput({given.a, given.b}); !once) return once.error();
  // Standard output already has the report.
  if (Status alone = CheckStandardOutput(given.diff, true, "the report"); !alone) {
    return alone.error();
  }
  if (Status keeps = CheckKeepsInputs({given.diff}, {given.a, given.b}); !keeps) {
    return keeps.error();
  }
  const Result<Thresholds> thresholds = TakeThresholds(given.thresholds);
  if (!thresholds) return thresholds.error();
  const Result<Image> a = ReadPng(given.a);
  if (!a) return a.error();
  const Result<Image> b = ReadPng(given.b);
  if (!b) return b.error();
  ComparisonRule rule = *RuleByName(given.rule);
  rule.thresholds = *thresholds;
  const Comparison found = Compare(*a, *b, rule);
  if (!given.diff.empty()) {
    const Status written = WriteFile(given.diff, EncodePng(DiffImage(*a, *b)));
    if (!written) return written.error();
  }
  console.Print(console.json ? AsJson(found, rule).dump(2) + "\n" : AsText(found, rule));
  return Agree(found, rule) ? kDone : kFinding;
}

}  // namespace

const Verb kCompareVerb = {
    .name = "compare",
    .summary = "Measure how much two images differ",
    .example = "refract compare original.png variant.png --diff diff.png",
    .exit_codes = {{kFinding, "the images differ"}},
    .main_options = {"--diff", "--rule", "--json"},
    .declare = DeclareVerb<CompareOptions, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
