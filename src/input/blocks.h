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

namespace refract::inline input {

/// The memory behind a variable: (is push constants, set, binding). Sorts push constants last.
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

/// All blocks that the entry point uses, and those with a place and a layout that it does not use
/// (of push constants only used ones: every entry point may have its own). Sorted by place;
/// variables that share one stay in the order of the module. kUnavailable if the entry point uses
/// resources that are neither blocks nor images or samplers (those are ImagesOf's, images.h), or
/// blocks that cannot be filled: with pointers, without a place, too large. `constants`: what sizes
/// of arrays are specialised with. `leave_out`: what would be kUnavailable is not among the result.
Result<std::vector<BlockVariable>> BlocksOf(const Module& module, const EntryPoint& entry,
                                            const BlockNames& names,
                                            const std::vector<BoundConstant>& constants = {},
                                            bool leave_out = false);

/// The layout of a block in a buffer of `bytes` bytes: a runtime array has as many elements as fit,
/// as OpArrayLength counts them.
Result<Layout> LayoutWithin(const Module& module, const BlockVariable& block, uint64_t bytes,
                            const std::vector<BoundConstant>& constants = {});

}  // namespace refract::inline input
