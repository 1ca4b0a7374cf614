// SPDX-License-Identifier: Apache-2.0
// A table of the passes of spirv-opt: what each requires of a module and of the passes before it,
// which passes may be drawn at random, and which are not allowed because they change what the
// shader means. docs/targets.md describes the table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/run.h"

namespace refract {
inline namespace target {

struct OptimiserPass {
  enum class Use : uint8_t {
    kDrawn,      ///< allowed, also in random lists
    kAlone,      ///< allowed by name only
    kForbidden,  ///< refused by name, with the reason
  };
  /// What a pass requires of a module, as bits.
  enum Need : uint8_t {
    kShader = 1,            ///< no kernel
    kLogical = 2,           ///< logical addressing, no pointers to physical addresses
    kPlainPointers = 4,     ///< no variable pointers
    kNoRuntimeArrays = 8,   ///< no arrays of descriptors of unknown size
    kNoGivenConstants = 16  ///< the inputs give no values to specialisation constants
  };

  std::string_view name;  ///< the option without dashes: "loop-fission=4"
  Use use = Use::kDrawn;
  uint8_t needs = 0;
  std::string_view before = {};  ///< the pass that must run before it; empty: none
  bool cleanup_only = false;     ///< rarely drawn: it only cleans up and leaves less to the others
  bool once = false;  ///< at most once in a random list: each run makes the module larger
  std::string_view reason = {};  ///< why it is not drawn, or a remark
};
std::span<const OptimiserPass> OptimiserPasses();
/// The requirements and their texts: "logical addressing".
std::span<const std::pair<uint8_t, std::string_view>> RequirementNames();

/// The row for a flag, with or without dashes. The whole text is searched for first, then the part
/// before the "=" ("scalar-replacement=7"). Null if not found.
const OptimiserPass* FindOptimiserPass(std::string_view flag);

/// Whether an argument of spirv-opt is a pass or one of the macros -O and -Os.
bool IsPassFlag(std::string_view argument);

/// The flags for `names` ("--ccp" or "ccp"), with the passes that must run before each. The error
/// names a pass that is unknown or not allowed, and why.
Result<std::vector<std::string>> PassList(const std::vector<std::string>& names);

/// 1 to 16 passes that may be drawn, with the passes that must run before them. The same seed gives
/// the same list on every machine.
std::vector<std::string> DrawPassList(uint64_t seed);
/// One pass, with the pass that must run before it. Seeds below the number of passes take each pass
/// once.
std::vector<std::string> DrawPass(uint64_t seed);

/// Why these passes cannot be run on the module of this job; empty if they can.
std::string WhyPassesCannotRun(const std::vector<std::string>& flags, const Job& job);

}  // namespace target
}  // namespace refract
