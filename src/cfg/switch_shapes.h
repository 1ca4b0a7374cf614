// SPDX-License-Identifier: Apache-2.0
// What a switch can be, its cases aside: which labels it lists in which order, and which case falls
// through to which (SPIR-V 1.6 revision 2, 2.11.3).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cfg/big_number.h"
#include "cfg/grammar.h"

namespace refract::cfg {

struct SwitchShape {
  std::vector<uint16_t> labels;  ///< the default first; 0 the merge block, i the i-th case
  std::vector<uint16_t> falls;   ///< of case i+1: the case that it falls through to; 0
  uint32_t falling = 0;          ///< how many cases do
  BigNumber weight = 1;
};

/// All shapes of the grammar, in a fixed order; cases are numbered in the order in which they first
/// appear in the list.
std::vector<SwitchShape> ListSwitchShapes(const Grammar& grammar);

/// Whether equal labels but the default stand together.
bool LabelsTogether(std::span<const uint16_t> labels);
/// Whether no case falls through to itself by way of others, none is fallen into twice, and where a
/// listed case falls through to a listed case, also by way of a default that is not listed, that
/// one is listed immediately behind it.
bool FallsInOrder(std::span<const uint16_t> labels, std::span<const uint16_t> falls);

}  // namespace refract::cfg
