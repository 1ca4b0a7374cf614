// SPDX-License-Identifier: Apache-2.0
// What the interpreter makes of a module and its inputs: whether they are well defined, whether
// what comes out hangs on the order in which things happen, and how far it may move because
// implementations may round as they like. From that follows how pictures are to be compared.
// Where the whole takes too long, all of that is said of a sample of the pixels or workgroups.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/difference.h"
#include "target/sample.h"
#include "image/compare.h"
#include "interp/interpreter.h"

namespace refract::inline target {

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
  /// Seconds; 0: none, and no samples. Else a sample is judged first, of one quad or workgroup,
  /// then one of 4 times as many as long as there is time, and all of it at last.
  double time_limit = 0;
  /// False: the whole, or this sample (Judgement::sample), and not another one.
  bool may_sample = true;
  std::vector<uint32_t> sample;
};

struct Judgement {
  /// What is undefined, a sentence each; the first trap ends a run, so there may be more.
  std::vector<std::string> undefined;
  bool deterministic = true;
  std::string varies_with;  ///< the schedule whose outputs are others; empty if deterministic
  Stability stability = Stability::kExact;
  uint32_t largest_change = 0;   ///< levels by which perturbed 8-bit pictures were off at most
  RunReport report;              ///< of the first run
  Extent extent;                 ///< what all of this is said of
  std::vector<uint32_t> sample;  ///< likewise; empty: the whole. Then it is never kExact.

  bool well_defined() const { return undefined.empty(); }
};

/// The rule by which pictures of such a module are compared: of what was judged by a sample, by
/// histograms, since other pixels may be less stable.
CompareRule RuleFor(const Judgement& judgement);

/// `layouts` as Differences takes them. kUnavailable if a limit was reached before all was run.
/// Where it may take samples and there was not even time for the first, Extent::looked_at is 0 and
/// nothing else is known.
Result<Judgement> JudgeProgram(const Program& program, const std::vector<BufferLayout>& layouts,
                               const std::string& file, const JudgeOptions& options = {});

/// Whether a perturbed picture is as near as kStable asks for: half of what rule `stable` allows.
bool IsLittle(const Comparison& comparison);
/// The same where only so many pixels were drawn.
bool IsLittle(const Comparison& comparison, uint64_t pixels);

/// A trap in words: what, in which function, for which invocation.
std::string TrapText(const Trap& trap, const Module& module);

/// An 8-bit target with what is undefined in magenta, and what is only approximate as it is.
Image ShownPicture(const RunReport& report, size_t target);

}  // namespace refract::inline target
