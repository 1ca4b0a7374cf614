// SPDX-License-Identifier: Apache-2.0
#include "dedup/similarity.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dedup/recommend.h"

namespace refract {
inline namespace dedup {
namespace {

// "CLASS WHERE: KEY" (signature/signature.h).
struct SignatureParts {
  std::string kind, where, key;
};

SignatureParts PartsOf(const std::string& signature) {
  SignatureParts parts;
  const size_t colon = signature.find(": ");
  const std::string head = signature.substr(0, colon);
  const size_t blank = head.find(' ');
  parts.kind = head.substr(0, blank);
  if (blank != std::string::npos) parts.where = head.substr(blank + 1);
  if (colon != std::string::npos) parts.key = signature.substr(colon + 2);
  return parts;
}

std::vector<std::string> TextsOf(const DedupTest& test, DedupFeature feature,
                                 const std::set<std::string>& ignored) {
  const SignatureParts parts = PartsOf(test.signature);
  switch (feature) {
    case DedupFeature::kKind:
      if (parts.kind.empty()) return {};
      return {parts.kind.starts_with("wrong_") ? "wrong" : parts.kind};
    case DedupFeature::kPlace: {
      std::vector<std::string> place;
      if (!test.blamed.empty()) place.push_back(test.blamed);
      if (test.blamed.empty() && !parts.where.empty()) place.push_back(parts.where);
      if (!test.pass.empty()) place.push_back(test.pass);
      return place;
    }
    case DedupFeature::kSignature:
      return HasSpecificSignature(test) ? Split(parts.key, ' ') : std::vector<std::string>{};
    case DedupFeature::kTypes:
      return RelevantTypes(test, ignored);
    case DedupFeature::kShapes:
      return test.shapes;
    case DedupFeature::kOpcodes:
      return test.opcodes;
    case DedupFeature::kLines:
      return test.lines;
    case DedupFeature::kProgram:
      return test.program;
  }
  return {};
}

}  // namespace

std::string_view DedupFeatureName(DedupFeature feature) {
  constexpr std::string_view kNames[kDedupFeatures] = {"kind",   "place",   "signature", "types",
                                                       "shapes", "opcodes", "lines",     "program"};
  return kNames[static_cast<size_t>(feature)];
}

TestSimilarity::TestSimilarity(const std::vector<DedupTest>& tests,
                               const std::set<std::string>& ignored)
    : tests_(tests.size()) {
  for (size_t f = 0; f < kDedupFeatures; ++f) {
    std::map<std::string, uint32_t> numbers;
    for (size_t i = 0; i < tests.size(); ++i) {
      std::vector<uint32_t>& set = tests_[i][f];
      for (const std::string& text : TextsOf(tests[i], static_cast<DedupFeature>(f), ignored)) {
        set.push_back(numbers.emplace(text, static_cast<uint32_t>(numbers.size())).first->second);
      }
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
  }
}

uint32_t TestSimilarity::Of(DedupFeature feature, size_t a, size_t b) const {
  const std::vector<uint32_t>& x = tests_[a][static_cast<size_t>(feature)];
  const std::vector<uint32_t>& y = tests_[b][static_cast<size_t>(feature)];
  if (x.empty() && y.empty()) return kNeither;
  size_t common = 0;
  for (size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    const uint32_t left = x[i], right = y[j];
    common += left == right;
    i += left <= right;
    j += right <= left;
  }
  return static_cast<uint32_t>(kSameTests * common / (x.size() + y.size() - common));
}

TestSimilarity::Features TestSimilarity::All(size_t a, size_t b) const {
  Features similarities;
  for (size_t f = 0; f < kDedupFeatures; ++f) {
    similarities[f] = Of(static_cast<DedupFeature>(f), a, b);
  }
  return similarities;
}

uint32_t TestSimilarity::Mean(const DedupTuning& tuning, const Features& similarities) {
  uint64_t sum = 0, weights = 0;
  for (size_t f = 0; f < kDedupFeatures; ++f) {
    if (similarities[f] == kNeither) continue;
    sum += uint64_t{tuning.weights[f]} * similarities[f];
    weights += tuning.weights[f];
  }
  return weights == 0 ? 0 : static_cast<uint32_t>(sum / weights);
}

}  // namespace dedup
}  // namespace refract
