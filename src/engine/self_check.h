// SPDX-License-Identifier: Apache-2.0
// Whether a changed context still computes what the original does, in the interpreter's judgement:
// both are run on a sample of the invocations, on the inputs as given and with what is free varied,
// and must leave the same behind. On the way everything that is claimed (facts) is put to the test.
#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_inputs.h"
#include "interp/interpreter.h"
#include "rules/context.h"

namespace refract::inline engine {

struct SelfCheckOptions {
  uint64_t seed = 0;        ///< of the sample, of what is varied, of irrelevant values
  uint32_t quads = 64;      ///< whole quads of the full-size frame, corners and edges among them
  uint32_t groups = 2;      ///< whole workgroups
  uint32_t varied = 2;      ///< runs with varied inputs, where anything is free: on some of it
  bool vary_given = false;  ///< vary what is given, too: no step rests on it
  bool whole = false;       ///< the whole picture will be asked for: begin with the original's now
  /// Of the original. A sample that takes more is made smaller, to a quad or a workgroup at least;
  /// a whole picture that takes more is not compared. Steps and no seconds, so that the same seed
  /// finds the same.
  uint64_t sample_steps = uint64_t{1} << 23;
  uint64_t whole_steps = uint64_t{1} << 29;
  Limits limits{.steps_per_invocation = uint64_t{1} << 20, .steps = uint64_t{1} << 28};
};

class SelfCheck {
 public:
  /// Runs the original on all samples, and keeps the results.
  SelfCheck(const Context& original, const std::string& file, const SelfCheckOptions& options);

  /// Why nothing can be judged: the original cannot be interpreted, or on none of the inputs is
  /// its behaviour defined (and within the limits). Empty if it can be judged.
  const std::string& unavailable() const { return unavailable_; }
  /// The original's behaviour is undefined on its inputs as they are given: the trap.
  const std::optional<Trap>& trap() const { return trap_; }
  /// What of the original is too dear to be compared, a sentence each.
  const std::vector<std::string>& left_out() const { return left_out_; }

  /// The quads or workgroups that are run (RunOptions::sample); empty: all.
  const std::vector<uint32_t>& sample() const { return sample_; }

  /// Outputs on the sample, every fact, and promises of functions; nullopt if nothing is wrong.
  /// `thorough`: on all of the sample, and also with the irrelevant values as they are computed.
  /// Otherwise one run on a small part of the sample, inputs as given and varied ones in turn, and
  /// only as often as the original's own run pays for: each call earns a share of that.
  std::optional<std::string> FindDifference(const Context& variant, bool thorough);
  /// The whole picture or dispatch, on the inputs as given; only with SelfCheckOptions::whole.
  std::optional<std::string> FindDifferenceInWhole(const Context& variant);
  /// Variants that could not be judged because the interpreter does not have what they use, or take
  /// too long; the reason of the last.
  uint64_t unjudged() const { return unjudged_; }
  const std::string& unjudged_reason() const { return unjudged_reason_; }
  /// Instructions that the interpreter ran so far, those of the whole picture left out; and those
  /// of one run of the original on the sample.
  uint64_t steps() const { return steps_; }
  uint64_t steps_of_original() const { return steps_of_original_; }

 private:
  struct Case {
    uint64_t vary = 0;  // seed of what is varied; 0: as given
    std::vector<uint32_t> sample;
    RunReport report;  // the original's
  };
  enum class Extent : uint8_t { kQuick, kSample, kWhole };
  DecodeOptions WithInputs(DecodeOptions decode, uint64_t vary) const;
  RunOptions OptionsFor(const Limits& limits, std::vector<uint32_t> sample, bool whole) const;
  RunReport RunOnSample(const Program& program);
  std::optional<std::string> AddCases(uint64_t vary);
  void BeginWhole(Program program);
  bool IsPaidFor();
  std::optional<std::string> Compare(const Context& variant, const RunSetup& setup, const Case& one,
                                     const DecodeOptions& decode, Extent extent);
  std::optional<std::string> Judge(const Context& variant, const RunSetup& setup, const Case& one,
                                   Extent extent, bool plain_too);
  std::optional<std::string> TryFunctions(const Context& variant, const EntryPoint& entry,
                                          bool thorough);
  std::optional<std::string> NotJudged(const Error& error);

  // Not the original itself, which is a copy that shares its pages.
  const Context original_;
  const std::string file_;
  const SelfCheckOptions options_;
  RunInputs inputs_;
  std::vector<uint32_t> sample_;
  std::vector<std::string> left_out_;
  std::vector<Case> cases_;    // that are judged
  std::vector<Case> brief_;    // that are judged after a pass, in turn
  std::future<Case> running_;  // in the background, until it is first asked for
  std::optional<Case> whole_;
  std::string unavailable_;
  std::optional<Trap> trap_;
  uint64_t unjudged_ = 0;
  std::string unjudged_reason_;
  uint64_t checks_ = 0;
  uint64_t steps_ = 0, steps_of_original_ = 0;
  uint64_t earned_ = 0, brief_checks_ = 0;
};

}  // namespace refract::inline engine
