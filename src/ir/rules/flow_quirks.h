// SPDX-License-Identifier: Apache-2.0
// Where spirv-val and the rules of flow_rules.h judge a function differently, and why: each known
// difference is a quirk with a name, docs/validator-quirks.md says what is true. A difference that
// is none of them is a mistake of one side that nobody has looked at.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/rules/flow_rules.h"
#include "ir/tools.h"

namespace refract::inline ir {

/// What spirv-val says of the control flow of one function.
enum class SpirvValVerdict : uint8_t {
  kAccepted,
  kRefused,
  kUnknown,  ///< it stopped before, at another function or at what is no matter of control flow
};

struct FlowQuirk {
  std::string_view name;     ///< stable: "loop_header_without_exit"
  bool accepts = false;      ///< spirv-val accepts what the rules refuse; or the other way round
  std::string_view about;    ///< the rule that is broken; or what spirv-val's message has in it
  std::string_view summary;  ///< one line
  /// Whether the function has the shape. `fault` is ours, `at` the block spirv-val points to: one
  /// of them is there.
  bool (*fits)(const FlowConstructs& flow, const FlowFault* fault, Block at) = nullptr;
};
std::span<const FlowQuirk> FlowQuirks();

/// Both judgements of one function.
struct FlowJudgement {
  Function function = Function::kNone;
  std::optional<FlowFault> fault;  ///< ours
  SpirvValVerdict spirv_val = SpirvValVerdict::kUnknown;
  std::string message;     ///< spirv-val's, where it refuses
  std::string_view quirk;  ///< where they differ: its name; empty if it is none
  bool differ() const {
    return spirv_val != SpirvValVerdict::kUnknown &&
           (spirv_val == SpirvValVerdict::kAccepted) == fault.has_value();
  }
};

/// Judges every function with a body. `invalid` is what FindInvalid says of the module's words.
std::vector<FlowJudgement> JudgeFlow(const Module& module,
                                     const std::optional<ValidationError>& invalid,
                                     FlowMode mode = FlowMode::kStrict);

/// The quirk that explains why spirv-val refuses a module whose control flow keeps the rules, by
/// its message and the shape of the function that it points to; empty if there is none.
std::string_view QuirkOfRefusal(const Module& module, const ValidationError& refusal);

/// Whether a message of spirv-val is about control flow.
bool IsAboutFlow(std::string_view message);

}  // namespace refract::inline ir
