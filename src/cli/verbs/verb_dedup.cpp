// SPDX-License-Identifier: Apache-2.0
// refract dedup: recommends which of many failing tests to investigate.
#include <nlohmann/json.hpp>
#include <string>

#include "base/counted.h"
#include "base/file.h"
#include "cli/verbs.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"
#include "signature/normalise.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct DedupArguments {
  std::string folder;
  std::string order = "paper";
  std::string ignore;
  bool ignored = false;
};

void Declare(DedupArguments& given, Options& options) {
  options.OptionalArgument("DIR", &given.folder,
                           "Folder with tests: all folders in it with a test.json, and all "
                           ".refract files outside those folders");
  options.Choice(
      "--order", &given.order, {"paper", "furthest", "causes"},
      "paper: recommends the tests with the fewest step types, and no two tests that "
      "share a type. furthest: also recommends one test for each set of types that many "
      "tests share, and lists the most different tests first. causes: recommends one test "
      "of each group that is similar in its failures, steps and modules");
  options.Text(
      "--ignore", "FILE", &given.ignore,
      "File of step types to ignore, one on each line (default: the types that --ignored prints)");
  options.Flag("--ignored", &given.ignored, "Print the ignored step types, with the reasons");
}

Json ToJson(const DedupTests& found, const std::vector<Recommendation>& chosen) {
  Json json = Json::array();
  for (const Recommendation& each : chosen) {
    const DedupTest& test = found.tests[each.test];
    Json others = Json::array();
    for (const size_t other : each.stands_for) others.push_back(found.tests[other].path);
    json.push_back({{"recommended", test.path},
                    {"signature", test.signature},
                    {"target", test.target},
                    {"types", each.types},
                    {"stands_for", std::move(others)}});
  }
  return json;
}

std::string Text(const DedupTests& found, const Recommendation& each) {
  const DedupTest& test = found.tests[each.test];
  std::string types;
  for (const std::string& type : each.types) types += (types.empty() ? "" : ", ") + type;
  const std::string signature = Printable(test.signature);
  std::string text = format("{}\n", Printable(test.path));
  if (!signature.empty()) text += format("    signature   {}\n", signature);
  text += format("    types       {}\n", types.empty() ? "none" : types);
  for (const size_t other : each.stands_for) {
    text += format("    stands for  {}\n", Printable(found.tests[other].path));
  }
  return text;
}

Result<std::set<std::string>> IgnoredTypes(const DedupArguments& given) {
  if (given.ignore.empty()) return ParseIgnoredTypes("(built in) ignored.txt", kIgnoredTypes);
  const Result<std::string> text = ReadFile(given.ignore, uint64_t{1} << 20);
  if (!text) return text.error();
  return ParseIgnoredTypes(given.ignore, *text);
}

Result<ExitCode> Run(const DedupArguments& given, Console& console) {
  Result<std::set<std::string>> ignored = IgnoredTypes(given);
  if (!ignored) return ignored.error();
  if (given.ignored) {
    console.Print(console.json ? Json(*ignored).dump(2) + "\n" : std::string(kIgnoredTypes));
    return kDone;
  }
  if (given.folder.empty()) {
    return Error{"DIR is missing: pass the folder with the tests", ErrorKind::kUsage};
  }
  const Result<DedupTests> found = FindTests(given.folder);
  if (!found) return found.error();
  for (const std::string& what : found->left_out) {
    console.Warn(format("left out: {}", Printable(what.substr(0, what.find('\n')))));
  }
  if (found->tests.empty()) {
    return Error{
        format("{}: found no folder with a test.json and no readable .refract file", given.folder)};
  }
  for (const DedupTest& test : found->tests) {
    if (!test.reduced && !HasSpecificSignature(test)) {
      console.Warn(
          format("{}: the test is not reduced, so its step types say little about the cause",
                 Printable(test.path)));
    }
  }
  DedupOptions options;
  options.order = given.order == "paper"      ? DedupOrder::kPaper
                  : given.order == "furthest" ? DedupOrder::kFurthest
                                              : DedupOrder::kCauses;
  options.ignored = std::move(*ignored);
  const std::vector<Recommendation> chosen = Recommend(found->tests, options);
  if (console.json) {
    console.Print(ToJson(*found, chosen).dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
  } else {
    for (const Recommendation& each : chosen) console.Print(Text(*found, each));
  }
  console.Say(format("recommended: {} of {}", chosen.size(), Counted(found->tests.size(), "test")));
  return kDone;
}

}  // namespace

const Verb kDedupVerb = {
    .name = "dedup",
    .summary = "Recommend which of many failing tests to investigate, one for each bug",
    .example = "refract dedup found --order furthest",
    .exit_codes = {},
    .main_options = {"--order", "--ignore", "--ignored", "--json"},
    .declare = DeclareVerb<DedupArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
