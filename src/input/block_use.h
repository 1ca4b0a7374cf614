// SPDX-License-Identifier: Apache-2.0
// Which resources an entry point uses, and which members of them it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace refract::inline input {

/// What the functions that an entry point reaches do with one module-scope variable.
struct VariableUse {
  bool used = false;            ///< named by some instruction
  bool reads_all = false;       ///< read as a whole, or in a way that cannot be told
  bool asks_length = false;     ///< OpArrayLength
  std::vector<uint32_t> reads;  ///< members read one by one, ascending

  bool Reads(uint32_t member) const;
};

/// A flag for each function of the module by index: whether `entry` reaches it.
std::vector<bool> ReachedFlags(const Module& module, Function entry);

/// The use of `variable` by `functions`, a flag for each function of the module by index. Static:
/// blocks that cannot be reached count.
VariableUse UseOf(const Module& module, Id variable, const std::vector<bool>& functions);

}  // namespace refract::inline input
