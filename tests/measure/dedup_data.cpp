// SPDX-License-Identifier: Apache-2.0
#include "measure/dedup_data.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/file.h"
#include "base/text.h"

namespace refract::measure {
namespace {

using Json = nlohmann::ordered_json;

// The members of a test that are lists.
std::vector<std::pair<const char*, std::vector<std::string> DedupTest::*>> Lists() {
  return {{"types", &DedupTest::types},
          {"shapes", &DedupTest::shapes},
          {"opcodes", &DedupTest::opcodes},
          {"lines", &DedupTest::lines},
          {"program", &DedupTest::program}};
}

// The members of a test that are texts.
std::vector<std::pair<const char*, std::string DedupTest::*>> Texts() {
  return {{"test", &DedupTest::path},
          {"target", &DedupTest::target},
          {"signature", &DedupTest::signature},
          {"blamed", &DedupTest::blamed},
          {"pass", &DedupTest::pass}};
}

bool AreTexts(const Json& json) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [](const Json& each) { return each.is_string(); });
}

bool ReadTest(const Json& json, DecidedTest* test) {
  if (!json.is_object()) return false;
  const auto text = [&](const char* key, std::string* to) {
    if (!json.contains(key) || !json[key].is_string()) return false;
    *to = json[key].get<std::string>();
    return true;
  };
  if (!text("bug", &test->bug) || !text("decided", &test->decided)) return false;
  for (const auto& [key, member] : Texts()) {
    if (!text(key, &(test->test.*member))) return false;
  }
  for (const auto& [key, member] : Lists()) {
    if (!json.contains(key) || !AreTexts(json[key])) return false;
    test->test.*member = json[key].get<std::vector<std::string>>();
  }
  std::string verdict;
  if (!text("verdict", &verdict)) return false;
  test->test.verdict = FailureClassNamed(verdict);
  if (!json.contains("steps") || !json["steps"].is_number_unsigned()) return false;
  test->test.steps = json["steps"].get<size_t>();
  return test->test.verdict.has_value();
}

}  // namespace

Result<std::vector<DecidedTest>> ReadDecided(const std::string& file) {
  const Result<std::string> text = ReadFile(file);
  if (!text) return text.error();
  std::vector<DecidedTest> tests;
  size_t number = 0;
  for (const std::string& line : Split(*text, '\n')) {
    ++number;
    if (line.empty()) continue;
    DecidedTest test;
    if (!ReadTest(Json::parse(line, nullptr, false), &test)) {
      return Error{format("{}:{}: no test of WriteDecided", file, number)};
    }
    tests.push_back(std::move(test));
  }
  return tests;
}

std::string WriteDecided(std::vector<DecidedTest> tests) {
  std::sort(tests.begin(), tests.end(), [](const DecidedTest& a, const DecidedTest& b) {
    return std::tie(a.bug, a.test.path) < std::tie(b.bug, b.test.path);
  });
  std::string text;
  for (const DecidedTest& each : tests) {
    Json json = {{"bug", each.bug}, {"decided", each.decided}};
    for (const auto& [key, member] : Texts()) json[key] = each.test.*member;
    if (each.test.verdict) json["verdict"] = FailureClassName(*each.test.verdict);
    json["steps"] = each.test.steps;
    for (const auto& [key, member] : Lists()) json[key] = each.test.*member;
    text += json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

Result<std::vector<DecidedTest>> DecidedTestsIn(const std::string& folder,
                                                const std::string& decisions) {
  const Result<std::string> text = ReadFile(decisions);
  if (!text) return text.error();
  std::map<std::string, std::pair<std::string, std::string>> causes;
  size_t number = 0;
  for (const std::string& line : Split(*text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::vector<std::string> parts = Split(line, '\t');
    if (parts.size() != 3) {
      return Error{format("{}:{}: expected PATH, BUG and HOW, with tabs", decisions, number)};
    }
    causes[format("{}/{}", folder, parts[0])] = {parts[1], parts[2]};
  }
  Result<DedupTests> found = FindTests(folder);
  if (!found) return found.error();
  std::vector<DecidedTest> tests;
  for (DedupTest& test : found->tests) {
    const auto cause = causes.find(test.path);
    if (cause == causes.end()) continue;
    test.path = test.path.substr(folder.size() + 1);
    tests.push_back({std::move(test), cause->second.first, cause->second.second});
  }
  return tests;
}

}  // namespace refract::measure
