// SPDX-License-Identifier: Apache-2.0
// The uniform blocks, storage buffers and push constants of a module, as one entry point sees them.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "input/block_names.h"
#include "input/block_use.h"
#include "input/layout.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// The place of a variable's memory: (is push constants, set, binding). Push constants sort last.
using BlockPlace = std::tuple<bool, uint32_t, uint32_t>;

/// "set 0, binding 3" or "push constants".
std::string PlaceText(const BlockPlace& place);

struct BlockVariable {
  Id variable = Id::kNone;
  Id type = Id::kNone;  ///< the struct
  BlockPlace place;
  bool storage = false;
  VariableUse use;
  Layout layout;  ///< runtime arrays are empty
};

/// The blocks of the entry point, sorted by place; variables at the same place keep the order of
/// the module. These are all blocks that the entry point uses, and unused uniform and storage
/// blocks that have a place and a layout (not unused push constants, because each entry point may
/// have its own). The error is kUnavailable if the entry point uses resources that are not blocks,
/// images (images.h) or samplers, or blocks that cannot be filled: with pointers, without a place,
/// or too large. `constants` are the specialisation constants in array lengths. With `leave_out`,
/// such resources are left out without an error.
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
