// SPDX-License-Identifier: Apache-2.0
// What the interpreter makes of a module and its inputs: whether they are well defined, whether
// what comes out hangs on the order in which things happen, and how far it may move because
// implementations may round as they like. From that follows how pictures are to be compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "harness/difference.h"
#include "image/compare.h"
#include "interp/interpreter.h"

namespace refract {

enum class Stability : uint8_t {
  kExact,     ///< no approximate value reaches an output or steers control flow, and no 8-bit level
              ///< lies within 0.25 of a rounding boundary
  kStable,    ///< with approximate results off by what they may be, little changes (IsLittle)
  kUnstable,  ///< it changes more
};
/// "exact", "stable", "unstable".
std::string_view StabilityName(Stability stability);
/// The rule by which pictures of such a module are compared.
CompareRule RuleFor(Stability stability);

struct JudgeOptions {
  bool schedules = true;       ///< run on other schedules, too
  uint32_t perturbations = 8;  ///< runs with approximate results off, of what is not exact
  uint64_t seed = 1;
  Limits limits;
};

struct Judgement {
  /// What is undefined, a sentence each; the first trap ends a run, so there may be more.
  std::vector<std::string> undefined;
  bool deterministic = true;
  std::string varies_with;  ///< the schedule whose outputs are others; empty if deterministic
  Stability stability = Stability::kExact;
  uint32_t largest_change = 0;  ///< levels by which perturbed 8-bit pictures were off at most
  RunReport report;             ///< of the first run

  bool well_defined() const { return undefined.empty(); }
};

/// `layouts` as Differences takes them. kUnavailable if a limit was reached before all was run.
Result<Judgement> JudgeProgram(const Program& program, const std::vector<BufferLayout>& layouts,
                               const std::string& file, const JudgeOptions& options = {});

/// Whether a perturbed picture is as near as kStable asks for: half of what rule `stable` allows.
bool IsLittle(const Comparison& comparison);

/// A trap in words: what, in which function, for which invocation.
std::string TrapText(const Trap& trap, const Module& module);

/// An 8-bit target with what is undefined in magenta, and what is only approximate as it is.
Image ShownPicture(const RunReport& report, size_t target);

}  // namespace refract
