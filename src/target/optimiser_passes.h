// SPDX-License-Identifier: Apache-2.0
// What is known of spirv-opt's passes: what each needs of a module and of what ran before it, which
// may stand in lists drawn at random, and which are no targets at all, since they change what the
// shader means. One table; docs/targets.md shows it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "driver/run.h"

namespace refract::inline target {

struct OptimiserPass {
  enum class Use : uint8_t {
    kDrawn,    ///< in random lists, too
    kAlone,    ///< by name only
    kLeftOut,  ///< refused by name, with the reason
  };
  /// What a module must be for the pass to be tested on it, as bits.
  enum Need : uint8_t {
    kShader = 1,            ///< no kernel
    kLogical = 2,           ///< logical addressing, no pointers to physical addresses
    kPlainPointers = 4,     ///< no variable pointers
    kNoRuntimeArrays = 8,   ///< no arrays of descriptors whose size is not known
    kNoGivenConstants = 16  ///< the inputs give specialisation constants no values
  };

  std::string_view name;  ///< as on the command line, without the dashes: "loop-fission=4"
  Use use = Use::kDrawn;
  uint8_t needs = 0;
  std::string_view before = {};  ///< the pass that has to run before it; empty: none
  bool dull = false;             ///< drawn seldom: it tidies up, and the others find less to do
  bool once = false;  ///< at most once in a random list: it lets the module grow each time
  std::string_view reason = {};  ///< why it is not drawn, or what is to be known
};
std::span<const OptimiserPass> OptimiserPasses();
/// The needs in words: "logical addressing".
std::span<const std::pair<uint8_t, std::string_view>> NamesOfNeeds();

/// The row of a flag: by its whole text, else by its part before the "=" ("scalar-replacement=7").
/// The dashes may be there or not. Null if there is none.
const OptimiserPass* FindOptimiserPass(std::string_view flag);

/// Whether an argument of spirv-opt's is a pass or one of the macros -O and -Os.
bool IsPassFlag(std::string_view argument);

/// The flags that `names` ("--ccp" or "ccp") stand for, with what has to run before each. The error
/// says which is unknown or left out, and why.
Result<std::vector<std::string>> PassList(const std::vector<std::string>& names);

/// Drawn from the seed, the same on every machine: 1 to 16 passes that may be drawn, with what has
/// to run before them.
std::vector<std::string> DrawPassList(uint64_t seed);
/// One pass, with what has to run before it. Seeds below the number of passes take each in turn.
std::vector<std::string> DrawPass(uint64_t seed);

/// Why a list is not to be run on this job, in words; empty if it may.
std::string WhyNotPasses(const std::vector<std::string>& flags, const Job& job);

}  // namespace refract::inline target
