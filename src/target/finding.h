// SPDX-License-Identifier: Apache-2.0
// Compares the runs of an original and a variant on one target. The verdict is a FailureClass and
// the signature is that of signature/signature.h, so both mean the same in reduce, repeat and
// campaigns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/run.h"
#include "image/compare.h"
#include "signature/signature.h"
#include "target/difference.h"

namespace refract {
inline namespace target {

struct Finding {
  /// The failure of the variant; nullopt if not found. It need not be a bug: see IsBug.
  std::optional<FailureClass> verdict;
  std::string signature;  ///< empty without a verdict
  /// The tool or the driver that failed; empty for wrong outputs, which belong to the target as a
  /// whole.
  std::string stage;
  std::string what;  ///< a description of the failure; empty without a verdict
  /// The failure of the original, if it fails on the target too. Then there is no verdict.
  std::string original_fails;
  /// The comparison of the first pair of images that do not agree, or else of the first pair.
  std::optional<Comparison> pictures;
};

/// The names of the two runs in Finding::what: "5 in the original, 7 in the variant".
struct ComparedNames {
  std::string_view original = "the original", variant = "the variant";
};

/// `target` is the name that the user gave, because a result of a command target has the name of
/// its driver. The signature leaves out a seed or a list of several passes in it. If both runs
/// ended normally, their outputs are compared under `rule` and with `layouts` (see Differences).
Finding FindingOf(const std::string& target, const RunResult& original, const RunResult& variant,
                  const ComparisonRule& rule, const std::vector<BufferLayout>& layouts,
                  const ComparedNames& names = {});

/// The first difference between two outputs, in words that call them by their names; empty if they
/// agree under `rule`.
std::string DifferenceText(const Outputs& a, std::string_view name_a, const Outputs& b,
                           std::string_view name_b, const ComparisonRule& rule,
                           const std::vector<BufferLayout>& layouts);

/// Whether the verdict is that outputs are wrong.
bool IsWrongOutput(const Finding& finding);
/// "wrong_image" or "ok"
std::string_view VerdictName(const std::optional<FailureClass>& verdict);

}  // namespace target
}  // namespace refract
