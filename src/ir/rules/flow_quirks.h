// SPDX-License-Identifier: Apache-2.0
// Known differences between spirv-val and the rules of flow_rules.h. Each is a quirk with a name;
// docs/validator-quirks.md explains it and says which side is right. Any other difference is an
// unknown fault of one side.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/rules/flow_rules.h"
#include "ir/tools.h"

namespace refract {
inline namespace ir {

/// What spirv-val decides about the control flow of one function.
enum class SpirvValVerdict : uint8_t {
  kAccepted,
  kRefused,
  kUnknown,  ///< it stopped at an earlier error: in another function, or not about control flow
};

struct FlowQuirk {
  std::string_view name;     ///< never changes: "loop_header_without_exit"
  bool accepts = false;      ///< true: spirv-val accepts what the rules refuse; false: the reverse
  std::string_view about;    ///< the broken rule, or a part of spirv-val's message
  std::string_view summary;  ///< one line
  /// True if the function has the shape of the quirk. `fault` is the fault that the rules find, and
  /// `at` is the block that spirv-val names. One of the two is given.
  bool (*fits)(const FlowConstructs& flow, const FlowFault* fault, Block at) = nullptr;
};
std::span<const FlowQuirk> FlowQuirks();

/// The decisions of the rules and of spirv-val about one function.
struct FlowJudgement {
  Function function = Function::kNone;
  std::optional<FlowFault> fault;  ///< the fault that the rules find
  SpirvValVerdict spirv_val = SpirvValVerdict::kUnknown;
  std::string message;     ///< spirv-val's, if it refuses
  std::string_view quirk;  ///< if they differ, the name of the quirk; empty if no quirk explains it
  bool differ() const {
    return spirv_val != SpirvValVerdict::kUnknown &&
           (spirv_val == SpirvValVerdict::kAccepted) == fault.has_value();
  }
};

/// Compares the two for every function that has a body. `invalid` is the result of FindInvalid for
/// the module.
std::vector<FlowJudgement> JudgeFlow(const Module& module,
                                     const std::optional<ValidationError>& invalid,
                                     FlowMode mode = FlowMode::kStrict);

/// The quirk that explains why spirv-val refuses a module whose control flow keeps the rules. It is
/// found by the message and by the shape of the function that the message names. Empty if there is
/// none.
std::string_view QuirkOfRefusal(const Module& module, const ValidationError& refusal);

/// True if a message of spirv-val is about control flow.
bool IsAboutFlow(std::string_view message);

}  // namespace ir
}  // namespace refract
