// SPDX-License-Identifier: Apache-2.0
// Uses the interpreter to find out whether a module and its inputs are well defined, whether the
// outputs depend on the order of execution, and how much they may vary because implementations may
// round differently. The result decides how images are compared. If interpreting everything takes
// too long, the result is about a sample of the pixels or workgroups.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "image/compare.h"
#include "interp/interpreter.h"
#include "target/difference.h"
#include "target/sample.h"

namespace refract {
inline namespace target {

enum class Stability : uint8_t {
  kExact,   ///< no approximate value reaches an output or steers control flow, and no 8-bit level
            ///< lies within 0.25 of a rounding boundary
  kStable,  ///< perturbed approximate results change the outputs only a little (IsSmallDifference)
  kUnstable,  ///< they change the outputs more
};
/// "exact", "stable", "unstable".
std::string_view StabilityName(Stability stability);
/// The rule by which images of a module with this stability are compared if there are no bounds:
/// exact, stable, or spatial.
CompareRule RuleFor(Stability stability);

struct OriginalCheckOptions {
  bool schedules = true;       ///< also run with other schedules
  uint32_t perturbations = 8;  ///< runs with perturbed approximate results, if not exact
  uint64_t seed = 1;
  Limits limits;
  /// Seconds. 0: no limit and no samples. Otherwise the first sample is one quad or workgroup, each
  /// further one has 4 times as many, as long as there is time, and the last step is the whole.
  double time_limit = 0;
  /// Once `*stop` is true, the check ends with an Error of kind kFailed. Null: never.
  const std::atomic<bool>* stop = nullptr;
  /// False: evaluate only the whole program, or only the sample below.
  bool may_sample = true;
  std::vector<uint32_t> sample;
};

struct OriginalCheck {
  /// Each undefined result, as a sentence. A run ends at its first trap, so there may be more.
  std::vector<std::string> undefined;
  bool deterministic = true;
  std::string varies_with;  ///< the schedule with other outputs; empty if deterministic
  Stability stability = Stability::kExact;
  uint32_t largest_change = 0;   ///< largest change of a perturbed 8-bit image, in levels
  RunReport report;              ///< of the first run
  Extent extent;                 ///< how much of the program was interpreted
  std::vector<uint32_t> sample;  ///< units interpreted; empty: all. A sample is never kExact.

  bool well_defined() const { return undefined.empty(); }
};

/// The rule by which outputs of such a module are compared. It is `exact` if the verdict is exact.
/// Otherwise it is `bounded` with the bounds of the report, if the outputs are defined and do not
/// depend on the order of execution. Pixels without bounds are then compared by RuleFor(stability),
/// or by `spatial` if only a sample was evaluated, because other pixels may be less stable. If
/// there are no bounds, all pixels are.
ComparisonRule RuleFor(const OriginalCheck& check);
/// The rule `bounded` whatever the verdict is, or if there are no bounds, the rule for all pixels.
ComparisonRule BoundedRule(const OriginalCheck& check);

/// Evaluates a program. `layouts` is as for Differences. kUnavailable if a limit was reached before
/// everything was run. If samples are allowed and there was not even time for the first one,
/// Extent::looked_at is 0 and nothing else is known.
Result<OriginalCheck> CheckOriginalProgram(const Program& program,
                                           const std::vector<BufferLayout>& layouts,
                                           const std::string& file,
                                           const OriginalCheckOptions& options = {});

/// Whether a perturbed image is near enough for kStable: half of what the rule `stable` allows.
bool IsSmallDifference(const Comparison& comparison);
/// Like IsSmallDifference above, if only `pixels` pixels were drawn.
bool IsSmallDifference(const Comparison& comparison, uint64_t pixels);

/// A trap as a text: the reason, the function and the invocation.
std::string TrapText(const Trap& trap, const Module& module);

/// An 8-bit target for people to see: undefined components in magenta, approximate ones unchanged.
Image ImageWithUndefinedMarked(const RunReport& report, size_t target);

}  // namespace target
}  // namespace refract
