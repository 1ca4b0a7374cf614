// SPDX-License-Identifier: Apache-2.0
// The shapes of switches: the list of labels, and which case falls through to which (SPIR-V 1.6
// revision 2, 2.11.3). A shape does not contain the cases themselves.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cfg/big_number.h"
#include "cfg/grammar.h"

namespace refract::cfg {

/// The labels and fall-throughs of a switch.
struct SwitchShape {
  std::vector<uint16_t> labels;  ///< the default first; 0 is the merge block and i the i-th case
  std::vector<uint16_t> falls;   ///< for case i+1, the case that it falls through to; 0 for none
  uint32_t falling = 0;          ///< the number of cases that fall through
  BigNumber weight = 1;
};

/// Returns all shapes of the grammar in a fixed order. Cases are numbered in the order in which
/// they first appear in the list.
std::vector<SwitchShape> ListSwitchShapes(const Grammar& grammar);

/// True if equal labels, except the default, are adjacent.
bool LabelsTogether(std::span<const uint16_t> labels);
/// True if the fall-throughs keep the rules: there is no cycle, each case is the target of at most
/// one fall-through, and if a listed case falls through to a listed case, directly or through a
/// default that is not listed, the second is listed directly after the first.
bool FallsInOrder(std::span<const uint16_t> labels, std::span<const uint16_t> falls);

}  // namespace refract::cfg
