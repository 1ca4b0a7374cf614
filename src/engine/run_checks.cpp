// SPDX-License-Identifier: Apache-2.0
#include "engine/run_checks.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "ir/binary.h"
#include "ir/validity/consistency.h"
#include "transform/registry.h"

namespace refract {
inline namespace engine {
namespace {

// A self-check checks the variant first when it has kFirstCheck steps, and then each time that the
// number of steps has grown by the factor kCheckGrowth. All these checks together then cost less
// than the check of the result. FindFault finds the step that is at fault.
constexpr size_t kFirstCheck = 64, kCheckGrowth = 4;

}  // namespace

void RunChecks::Begin() {
  next_check_ = kFirstCheck;
  if (!options_.self_check) return;
  const std::vector<message::PassChance>& passes = result_.recording.passes;
  bounded_ = std::any_of(passes.begin(), passes.end(), [](const message::PassChance& pass) {
    return IsOptIn(static_cast<size_t>(RegistryIndex(pass.name)));
  });
  SelfCheckOptions options;
  options.whole = true;
  options.bounded = bounded_;
  if (bounded_) options.varied = 0;
  options.seed = options_.seed;
  self_check_.emplace(original_.context, original_.file, options);
  if (!self_check_->unavailable().empty()) {
    result_.notes.push_back("the self-check cannot use the interpreter: " +
                            self_check_->unavailable());
  } else if (self_check_->trap()) {
    result_.notes.push_back(
        "the outputs on the given inputs are not compared, because the original has undefined "
        "behaviour: " +
        self_check_->trap()->message);
  }
}

// Leaves out spirv-val, which takes longer than everything else here.
Status RunChecks::CheckWhenDue() {
  const size_t steps = result_.recording.steps.size();
  if (!options_.self_check || bounded_ || steps < next_check_) return {};
  next_check_ = kCheckGrowth * steps;
  if (const auto invalid = FindStructuralError(result_.context.module, original_)) {
    return ReportInvalidity(invalid->message);
  }
  return CheckSemantics(false);
}

void RunChecks::CompleteRecording() {
  result_.recording.ids = MadeIds(result_.context.module);
  result_.recording.declarations = declarations_.List();
}

Status RunChecks::CheckResult() {
  if (options_.validate && !result_.recording.steps.empty()) {
    if (Status valid = CheckValidity(); !valid) return valid;
  }
  if (!options_.self_check) return {};
  const uint64_t uncompared = self_check_->uncompared();
  if (Status equal = CheckSemantics(true); !equal) return equal;
  result_.judged = self_check_->unavailable().empty() && self_check_->uncompared() == uncompared;
  if (Status whole = CheckWhole(); !whole) return whole;
  AddNotes();
  return CheckReplay();
}

void RunChecks::AddNotes() {
  for (const std::string& what : self_check_->left_out()) {
    result_.notes.push_back("self-check: " + what);
  }
  if (self_check_->uncompared() == 0) return;
  result_.notes.push_back(format("self-check: {} could not be compared: {}",
                                 Counted(self_check_->uncompared(), "result"),
                                 self_check_->uncompared_reason()));
}

Status RunChecks::CheckReplay() {
  const Result<ReplayResult> replayed = Replay(original_, result_.recording, {});
  if (!replayed) return replayed.error();
  const bool same_inputs =
      HashOfInputs(replayed->context.inputs.get()) == result_.recording.result_inputs_hash;
  if (replayed->words == result_.words && same_inputs) return {};
  return Error{format("internal error: seed {}: a replay of the recording gives another module",
                      options_.seed),
               ErrorKind::kFailed};
}

// The self-check also checks the tables of the model. That takes a tenth of a run.
std::optional<Error> RunChecks::FindInvalidity(const Context& context,
                                               const std::vector<uint32_t>& words) const {
  if (auto invalid = FindValidityError(context.module, words, original_)) return invalid;
  if (!options_.self_check) return std::nullopt;
  const Status consistent = CheckConsistency(context.module);
  if (consistent) return std::nullopt;
  return Error{"inconsistent module model: " + consistent.error().message, ErrorKind::kFailed};
}

Status RunChecks::CheckValidity() {
  const auto invalid = FindInvalidity(result_.context, result_.words);
  if (!invalid) return {};
  if (invalid->kind == ErrorKind::kFailed) return ReportInvalidity(invalid->message);
  return Error{format("{}: cannot validate the variant of seed {}: {}", original_.file,
                      options_.seed, invalid->message)};
}

std::optional<std::string> RunChecks::FindDifference(const Context& context, bool thorough) {
  if (auto found = self_check_->FindDifference(context, thorough)) return found;
  return options_.extra_check ? options_.extra_check(context) : std::nullopt;
}

// Checks that the steps so far keep what the original computes. If not, any of them may be to
// blame, because a check that is not thorough covers only a small sample.
Status RunChecks::CheckSemantics(bool thorough) {
  const auto found = FindDifference(result_.context, thorough);
  if (!found) return {};
  return ReportDifference(*found,
                          [&](const Context& context) { return FindDifference(context, true); });
}

Status RunChecks::CheckWhole() {
  const auto found = self_check_->FindDifferenceInWhole(result_.context);
  if (!found) return {};
  return ReportDifference("comparison of the whole output: " + *found, [&](const Context& context) {
    return self_check_->FindDifferenceInWhole(context);
  });
}

Error RunChecks::ReportInvalidity(const std::string& what) {
  return ReportFault("makes " + original_.file + " invalid", what,
                     [&](const Context& context) -> std::optional<std::string> {
                       const auto found = FindInvalidity(context, WriteModule(context.module));
                       if (!found || found->kind == ErrorKind::kBadInput) return std::nullopt;
                       return found->message;
                     });
}

Error RunChecks::ReportDifference(const std::string& what, const ContextCheck& check) {
  return ReportFault("changes what " + original_.file + " computes", what, check);
}

// Returns the error for a fault. The error names the step and its effect.
Error RunChecks::ReportFault(const std::string& effect, const std::string& what,
                             const ContextCheck& check) {
  CompleteRecording();
  const StepFault fault = FindFault(original_, result_.recording, 0, what, check);
  if (options_.fault != nullptr) *options_.fault = fault.smallest;
  return Error{format("internal error: seed {}: step {} ({}) {}: {} (the "
                      "smallest recording that shows this has {} steps)",
                      options_.seed, fault.step, fault.type, effect, fault.what,
                      fault.smallest.steps.size()),
               ErrorKind::kFailed};
}

}  // namespace engine
}  // namespace refract
