// SPDX-License-Identifier: Apache-2.0
// Finds which resources an entry point uses, and which of their members it reads.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace refract {
inline namespace input {

/// What the functions reachable from an entry point do with one module-scope variable.
struct VariableUse {
  bool used = false;            ///< some instruction names it
  bool reads_all = false;       ///< read as a whole, or possibly so
  bool reads_length = false;    ///< its length is read with OpArrayLength
  std::vector<uint32_t> reads;  ///< members that are read one by one, ascending

  bool Reads(uint32_t member) const;
};

/// The type of the elements of an array, of an array of arrays and so on; other types are returned
/// as they are.
Id WithoutArrays(const Module& module, Id type);

/// Whether the variable is an array of blocks, each with a descriptor of its own.
bool IsBlockArray(const Module& module, Id variable);

/// A flag for each function of the module, by index: true if `entry` reaches it.
std::vector<bool> ReachedFlags(const Module& module, Function entry);

/// The use of `variable` in `functions`, which has a flag for each function of the module, by
/// index. This is a static property: unreachable blocks count too. For an array of blocks, also one
/// with a block for each vertex, it is what they do with any of its blocks.
VariableUse UseOf(const Module& module, Id variable, const std::vector<bool>& functions);

}  // namespace input
}  // namespace refract
