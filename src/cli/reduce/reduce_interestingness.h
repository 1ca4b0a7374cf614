// SPDX-License-Identifier: Apache-2.0
// The interestingness test that the options of `refract reduce` select.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options.h"
#include "engine/original.h"
#include "message/recording.h"
#include "reduce/failing_interestingness.h"
#include "reduce/script_interestingness.h"
#include "reduce/target_interestingness.h"

namespace refract {
inline namespace cli {

struct InterestingnessArguments {
  std::vector<std::string> script;
  std::string target;
  std::vector<std::string> target_files;
  std::string signature;
  bool wrong_image = false;
  bool interp = false;
  std::string rule = "auto";
  std::string thresholds;
  std::optional<uint64_t> timeout;
  std::string repeat;
  bool validate = false;
  bool zero_inputs = false;
  bool partial_subgroups = false;
};

void DeclareInterestingnessOptions(Options& options, InterestingnessArguments* given);
/// Refuses contradictory options before any work.
Status CheckInterestingnessArguments(const InterestingnessArguments& given);
/// Everything that the answers of the interestingness test depend on, in one line.
std::string InterestingnessKey(const InterestingnessArguments& given);

/// The interestingness test and its parts.
class ChosenTest {
 public:
  /// `original` and `stop` must outlive the result. Without a recording, `original` is the module
  /// that fails.
  static Result<std::unique_ptr<ChosenTest>> Make(const InterestingnessArguments& given,
                                                  const Original& original,
                                                  const message::Recording* recording,
                                                  const std::atomic<bool>* stop, Console& console);
  InterestingnessTest& interestingness() { return *outermost_; }
  /// Null without --target, and without a recording.
  TargetTest* target() { return target_.get(); }
  /// Null with a recording, and without --target.
  FailingTest* failing() { return failing_.get(); }
  /// The wanted signature, if there is one.
  std::string signature();
  const Target& chosen_target() const { return target_found_; }
  const RunSettings& run() const { return run_; }
  Harness& harness() { return harness_; }
  /// A candidate is interesting if it is in `wanted_runs` of `runs` runs.
  uint32_t wanted_runs() const { return wanted_runs_; }
  uint32_t runs() const { return runs_; }
  /// Why the variant, or the module, is not interesting: the output of the script, or the result on
  /// the target.
  std::string WhyNotInteresting();

 private:
  ChosenTest() = default;
  Status Choose(const InterestingnessArguments& given, const Original& original,
                const message::Recording* recording, const std::atomic<bool>* stop,
                Console& console);
  Status ChooseTarget(const InterestingnessArguments& given, const Original& original,
                      const message::Recording* recording, Console& console);
  // Interprets the original once. Null if that fails or its behaviour is undefined.
  const Interpretation* Interpret(const Original& original, bool wrong_image, Console& console);

  Harness harness_;
  RunSettings run_;
  Target target_found_;
  bool interpreted_ = false;
  uint32_t wanted_runs_ = 1, runs_ = 1;
  std::optional<Interpretation> interpretation_;
  std::optional<ScriptTest> script_;
  std::unique_ptr<TargetTest> target_;
  std::unique_ptr<FailingTest> failing_;
  std::optional<InterpreterTest> interp_;
  std::optional<ValidatingTest> validating_;
  std::optional<RepeatedTest> repeated_;
  InterestingnessTest* outermost_ = nullptr;
};

}  // namespace cli
}  // namespace refract
