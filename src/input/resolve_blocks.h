// SPDX-License-Identifier: Apache-2.0
// Gives the blocks of a module their values from shader.json: the part of Resolve that finds the
// place of a value (see resolve.h for the rules).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/addressed/resolve_addressed.h"
#include "input/bindings.h"
#include "input/block_names.h"
#include "input/blocks.h"
#include "input/inputs.h"
#include "input/known_value.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// The number of elements of a runtime array without a length, if zeros are allowed.
constexpr uint32_t kDefaultArrayLength = 256;

struct BlockOptions {
  /// A runtime array without a length gets kDefaultArrayLength elements.
  bool zero_lengths = false;
  bool leave_out = false;                ///< leave out blocks that cannot be filled, as in BlocksOf
  std::vector<BoundConstant> constants;  ///< specialisation constants, for lengths of arrays
};

/// A block, and what shader.json does not say about it.
struct OpenBlock : BlockVariable {
  std::vector<bool> missing;   ///< for each scalar of `layout`: it is read but has no value
  bool lacks_length = false;   ///< its runtime array has no length, and `layout` has no elements
  bool without_value = false;  ///< no value goes to the memory of the block
};

struct ResolvedBlocks {
  std::vector<BoundBuffer> buffers;
  std::string push_constants;
  std::vector<BoundAddress> addresses;  ///< in these buffers and the push constants
  std::vector<KnownValue> known;
  std::vector<std::string> missing;  ///< read but not given: zero
  std::vector<std::string> unused;   ///< names of values that the module has no place for
  std::vector<OpenBlock> blocks;     ///< those of BlocksOf, in its order
};

/// Errors call the inputs `file`. Values of images are ignored.
Result<ResolvedBlocks> ResolveBlocks(const Module& module, const EntryPoint& entry,
                                     const BlockNames& names, const Inputs& inputs,
                                     const std::string& file, const BlockOptions& options);

}  // namespace input
}  // namespace refract
