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
#include "reduce/script_judge.h"
#include "reduce/target_judge.h"

namespace refract {
inline namespace cli {

struct JudgeArguments {
  std::vector<std::string> script;
  std::string target;
  std::vector<std::string> target_files;
  std::string signature;
  bool wrong_image = false;
  bool interp = false;
  std::string rule = "auto";
  std::optional<uint64_t> timeout;
  std::string repeat;
  bool validate = false;
  bool zero_inputs = false;
  bool partial_subgroups = false;
};

void DeclareJudge(Options& options, JudgeArguments* given);
/// Refuses contradictory options before any work.
Status CheckJudge(const JudgeArguments& given);
/// Everything that the answers of the interestingness test depend on, in one line.
std::string JudgeKey(const JudgeArguments& given);

/// The interestingness test and its parts.
class ChosenJudge {
 public:
  /// `original` and `stop` must outlive the result.
  static Result<std::unique_ptr<ChosenJudge>> Make(const JudgeArguments& given,
                                                   const Original& original,
                                                   const message::Recording& recording,
                                                   const std::atomic<bool>* stop, Console& console);
  Judge& judge() { return *outermost_; }
  /// Null without --target.
  TargetJudge* target() { return target_.get(); }
  const Target& target_found() const { return target_found_; }
  const RunSettings& run() const { return run_; }
  Harness& harness() { return harness_; }
  /// Why the variant is not interesting: the output of the script, or the result on the target.
  std::string WhyNot();

 private:
  ChosenJudge() = default;
  Status Choose(const JudgeArguments& given, const Original& original,
                const message::Recording& recording, const std::atomic<bool>* stop,
                Console& console);
  Status ChooseTarget(const JudgeArguments& given, const Original& original,
                      const message::Recording& recording, Console& console);
  // Interprets the original once. Null if that fails or its behaviour is undefined.
  const Interpretation* Interpret(const Original& original, bool wrong_image, Console& console);

  Harness harness_;
  RunSettings run_;
  Target target_found_;
  bool interpreted_ = false;
  std::optional<Interpretation> interpretation_;
  std::optional<ScriptJudge> script_;
  std::unique_ptr<TargetJudge> target_;
  std::optional<InterpreterJudge> interp_;
  std::optional<ValidatingJudge> validating_;
  std::optional<RepeatedJudge> repeated_;
  Judge* outermost_ = nullptr;
};

}  // namespace cli
}  // namespace refract
