// SPDX-License-Identifier: Apache-2.0
// How similar two failing tests are: a weighted mean over several features. The weights and limits
// are measured on tests whose causes are known (docs/measurements/dedup.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dedup/failing_tests.h"

namespace refract {
inline namespace dedup {

/// What two tests are compared by. Each feature of a test is a set of texts.
enum class DedupFeature : uint8_t {
  kKind,       ///< the kind of failure; a wrong image and a wrong buffer are one kind
  kPlace,      ///< what is to blame, or the stage; and the optimiser pass
  kSignature,  ///< the words of the signature's key; none if it names no cause
  kTypes,      ///< RelevantTypes
  kShapes,     ///< DedupTest::shapes
  kOpcodes,    ///< DedupTest::opcodes
  kLines,      ///< DedupTest::lines
  kProgram,    ///< DedupTest::program
};
inline constexpr size_t kDedupFeatures = 8;
/// "kind", "place", "signature", ...
std::string_view DedupFeatureName(DedupFeature feature);

/// A similarity is between 0 (nothing in common) and kSameTests (equal).
inline constexpr uint32_t kSameTests = 1000;

/// How `--order causes` groups tests.
struct DedupTuning {
  /// The weight of each feature. A feature that neither of two tests has does not count.
  std::array<uint32_t, kDedupFeatures> weights{};
  /// Two groups become one if their tests are at least so similar on average.
  uint32_t same = 0;
};

/// The features of each test, and their similarities.
class TestSimilarity {
 public:
  TestSimilarity(const std::vector<DedupTest>& tests, const std::set<std::string>& ignored);

  /// The similarity of one feature of two tests: common / all, times kSameTests, rounded down.
  /// kNeither if neither of them has the feature.
  static constexpr uint32_t kNeither = ~uint32_t{0};
  uint32_t Of(DedupFeature feature, size_t a, size_t b) const;

  /// All features.
  using Features = std::array<uint32_t, kDedupFeatures>;
  Features All(size_t a, size_t b) const;

  /// The weighted mean of the features that are not kNeither, rounded down; 0 without any.
  static uint32_t Mean(const DedupTuning& tuning, const Features& similarities);

 private:
  // The texts of each feature as sorted numbers.
  using Texts = std::array<std::vector<uint32_t>, kDedupFeatures>;
  std::vector<Texts> tests_;
};

}  // namespace dedup
}  // namespace refract
