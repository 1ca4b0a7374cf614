// SPDX-License-Identifier: Apache-2.0
// The uniform blocks, storage buffers and push constants of a module, as one entry point sees them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/block_names.h"
#include "input/block_use.h"
#include "input/layout.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// The place of the memory of a block. Push constants sort last.
struct BlockPlace {
  bool push_constant = false;
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t element = 0;  ///< in an array of blocks

  BlockPlace() = default;
  BlockPlace(bool in_push_constant, uint32_t in_set, uint32_t at_binding, uint32_t at_element = 0)
      : push_constant(in_push_constant), set(in_set), binding(at_binding), element(at_element) {}
  explicit BlockPlace(const BoundBuffer& buffer)
      : BlockPlace(false, buffer.set, buffer.binding, buffer.element) {}

  friend auto operator<=>(const BlockPlace&, const BlockPlace&) = default;
};

/// The text of PlaceText(set, binding, element), or "push constants".
std::string PlaceText(const BlockPlace& place);

struct BlockVariable {
  Id variable = Id::kNone;
  Id type = Id::kNone;  ///< the struct
  /// The variable is an array of blocks, and this is the block at `place.element`. The paths of
  /// `layout` begin at this block.
  bool in_array = false;
  BlockPlace place;
  bool storage = false;
  VariableUse use;
  Layout layout;  ///< runtime arrays are empty
};

/// The path from the variable down that leads to `path` in the block.
std::vector<uint32_t> PathInVariable(const BlockVariable& block, std::vector<uint32_t> path);

/// The blocks of the entry point, sorted by place, one for each element of an array of blocks;
/// variables at the same place keep the order of the module. These are all blocks that the entry
/// point uses, and unused uniform and storage blocks that have a place and a layout (not unused
/// push constants, because each entry point may have its own). The error is kUnavailable if the
/// entry point uses resources that are not blocks, images (images.h) or samplers, or blocks that
/// cannot be filled: with pointers, without a place, or too large. `constants` are the
/// specialisation constants in array lengths. With `leave_out`, such resources are left out without
/// an error.
Result<std::vector<BlockVariable>> BlocksOf(const Module& module, const EntryPoint& entry,
                                            const BlockNames& names,
                                            const std::vector<BoundConstant>& constants = {},
                                            bool leave_out = false);

/// The layout of a block in a buffer of `bytes` bytes. A runtime array has as many elements as fit,
/// as OpArrayLength counts them.
Result<Layout> LayoutWithin(const Module& module, const BlockVariable& block, uint64_t bytes,
                            const std::vector<BoundConstant>& constants = {});

}  // namespace input
}  // namespace refract
