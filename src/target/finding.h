// SPDX-License-Identifier: Apache-2.0
// An original and a variant of it ran on one target: what that shows. The verdict is a
// FailureClass, the signature that of signature/signature.h, so whoever asks (reduce, repeat, a
// campaign) means the same by both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "target/difference.h"
#include "driver/run.h"
#include "signature/signature.h"
#include "image/compare.h"

namespace refract::inline target {

struct Finding {
  /// What the variant does and the original does not; nullopt: nothing. It need not be a bug:
  /// IsBug.
  std::optional<FailureClass> verdict;
  std::string signature;  ///< empty without a verdict
  /// The tool or the driver that failed; empty where it is the target as a whole (wrong outputs).
  std::string stage;
  std::string what;  ///< a sentence; empty without a verdict
  /// Why nothing can be said of the variant: the original fails here, too. There is no verdict.
  std::string original_fails;
  /// Of the first pair of pictures that do not agree, else of the first pair at all.
  std::optional<Comparison> pictures;
};

/// `target` is the name of the target that was asked, which a result of a command target does not
/// have; a seed, or a list of several passes, in it stays out of the signature. Outputs are
/// compared under `rule` and by `layouts` (Differences) if both runs went well.
Finding FindingOf(const std::string& target, const RunResult& original, const RunResult& variant,
                  CompareRule rule, const std::vector<BufferLayout>& layouts);

/// "wrong_image" or "ok"
std::string_view VerdictName(const std::optional<FailureClass>& verdict);

}  // namespace refract::inline target
