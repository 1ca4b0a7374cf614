// SPDX-License-Identifier: Apache-2.0
// The values of shader.json for the blocks of a module: the part of Resolve that knows where a
// value goes (resolve.h says how).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "input/block_names.h"
#include "input/inputs.h"
#include "input/known_value.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract::inline input {

/// Elements of a runtime array that has no length where zeros will do.
constexpr uint32_t kZeroLength = 256;

struct BlockOptions {
  bool zero_lengths = false;             ///< a runtime array without a length has kZeroLength
  bool leave_out = false;                ///< blocks that cannot be filled, as BlocksOf has it
  std::vector<BoundConstant> constants;  ///< what sizes of arrays are specialised with
};

struct ResolvedBlocks {
  std::vector<BoundBuffer> buffers;
  std::string push_constants;
  std::vector<KnownValue> known;
  std::vector<std::string> missing;  ///< read but not given: zero
  std::vector<std::string> unused;   ///< names of values that the module has no place for
};

/// Errors call the inputs `file`. Values of images are passed over.
Result<ResolvedBlocks> ResolveBlocks(const Module& module, const EntryPoint& entry,
                                     const BlockNames& names, const Inputs& inputs,
                                     const std::string& file, const BlockOptions& options);

}  // namespace refract::inline input
