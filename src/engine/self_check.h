// SPDX-License-Identifier: Apache-2.0
// Checks with the interpreter that a changed context still computes what the original does. Both
// are run on a sample of the invocations, on the inputs as given and with varied free bytes, and
// must have the same outputs. The runs also test all facts.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_inputs.h"
#include "interp/interpreter.h"
#include "rules/context.h"

namespace refract {
inline namespace engine {

struct SelfCheckOptions {
  uint64_t seed = 0;        ///< of the sample, of varied inputs and of irrelevant values
  uint32_t quads = 64;      ///< whole quads of the full-size frame, with corners and edges
  uint32_t groups = 2;      ///< whole workgroups
  uint32_t varied = 2;      ///< runs with varied inputs, on a part of the sample, if any are free
  bool vary_given = false;  ///< vary given inputs too; only if no step relies on them
  bool whole = false;       ///< start to run the original on the whole image at once
  /// Compare as FindUncertified does, for variants with steps that need a certificate. Claims about
  /// floats are not tested. Needs `varied` = 0: a certificate is about the inputs as given.
  bool bounded = false;
  /// Limits on the steps of the original. A sample that takes more is made smaller, down to one
  /// quad or workgroup. A whole image that takes more is not compared. The limits are in steps and
  /// not in seconds, so that the same seed finds the same.
  uint64_t sample_steps = uint64_t{1} << 23;
  uint64_t whole_steps = uint64_t{1} << 29;
  Limits limits{.steps_per_invocation = uint64_t{1} << 20, .steps = uint64_t{1} << 28};
};

/// Compares variants of one original with it.
class SelfCheck {
 public:
  /// Runs the original on all samples and keeps the results.
  SelfCheck(const Context& original, const std::string& file, const SelfCheckOptions& options);

  /// Why no variant can be compared: the interpreter cannot run the original, or the original has
  /// no defined behaviour within the limits on any of the inputs. Empty if variants can be
  /// compared.
  const std::string& unavailable() const { return unavailable_; }
  /// The trap, if the original has undefined behaviour on its inputs as given.
  const std::optional<Trap>& trap() const { return trap_; }
  /// Messages about what is not compared because the original takes too long.
  const std::vector<std::string>& left_out() const { return left_out_; }

  /// The quads or workgroups that are run (RunOptions::sample); empty: all.
  const std::vector<uint32_t>& sample() const { return sample_; }

  /// Checks the outputs on the sample, all facts, and the function controls Pure and Const. Returns
  /// what is wrong, or nullopt if nothing is. With `thorough`, it uses the whole sample, and also
  /// runs with the irrelevant values as they are computed. Otherwise it makes one run on a small
  /// part of the sample, in turn with given and with varied inputs.
  std::optional<std::string> FindDifference(const Context& variant, bool thorough);
  /// Compares the whole image or dispatch on the inputs as given; needs SelfCheckOptions::whole.
  std::optional<std::string> FindDifferenceInWhole(const Context& variant);
  /// The number of results that were not compared because the interpreter does not support what
  /// they use or because they take too long, and the reason for the last of them.
  uint64_t uncompared() const { return uncompared_; }
  const std::string& uncompared_reason() const { return uncompared_reason_; }

 private:
  struct Case {
    uint64_t vary = 0;  // seed of the varied inputs; 0: as given
    std::vector<uint32_t> sample;
    RunReport report;  // of the original
  };
  enum class Extent : uint8_t { kQuick, kSample, kWhole };
  DecodeOptions WithInputs(DecodeOptions decode, uint64_t vary) const;
  RunOptions OptionsFor(const Limits& limits, std::vector<uint32_t> sample, bool whole) const;
  RunReport RunOnSample(const Program& program);
  std::optional<std::string> AddCases(uint64_t vary);
  void BeginWhole(Program program);
  std::optional<std::string> Compare(const Context& variant, const RunSetup& setup, const Case& one,
                                     const DecodeOptions& decode, Extent extent);
  std::optional<std::string> CompareAndAudit(const Context& variant, const RunSetup& setup,
                                             const Case& one, Extent extent, bool plain_too);
  std::optional<std::string> CallLiveSafeFunctions(const Context& variant, const EntryPoint& entry,
                                                   bool thorough);
  std::optional<std::string> CountUncompared(const Error& error);

  // A copy of the original, which shares its pages.
  const Context original_;
  const std::string file_;
  const SelfCheckOptions options_;
  RunInputs inputs_;
  std::vector<uint32_t> sample_;
  std::vector<std::string> left_out_;
  std::vector<Case> cases_;        // all are compared in a thorough check
  std::vector<Case> quick_cases_;  // a check that is not thorough compares one, in turn
  std::future<Case> running_;      // runs in the background until its result is needed
  std::optional<Case> whole_;
  std::string unavailable_;
  std::optional<Trap> trap_;
  uint64_t uncompared_ = 0;
  std::string uncompared_reason_;
  uint64_t checks_ = 0;
  uint64_t quick_checks_ = 0;
};

}  // namespace engine
}  // namespace refract
