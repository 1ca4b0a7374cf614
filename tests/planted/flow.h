// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of a function in its current state, with dominators. Blocks are numbered
// in the order of the function.
#pragma once

#include <map>
#include <vector>

#include "ir/dominators.h"
#include "planted/program.h"

namespace refract::planted {

struct Flow {
  static constexpr uint32_t kNone = DominatorTree::kNone;
  explicit Flow(const Function& function);

  uint32_t Index(uint32_t label) const { return index.at(label); }
  bool Reachable(uint32_t block) const { return dominators.Reached(block); }
  /// The header of the innermost construct that contains the block, which may be the block itself;
  /// kNone.
  uint32_t InnermostHeader(uint32_t block) const;
  /// Whether the block is in the continue construct of a loop.
  bool InContinue(uint32_t block) const;

  std::map<uint32_t, uint32_t> index;                           ///< by label
  std::vector<std::vector<uint32_t>> successors, predecessors;  ///< without duplicates
  std::vector<uint32_t> merge;                  ///< of a header: its merge block; kNone
  std::vector<uint32_t> continue_target;        ///< of a loop header
  std::vector<uint32_t> merge_of, continue_of;  ///< the header that names the block as such; kNone
  DominatorTree dominators;                     ///< by branches
  DominatorTree
      structural;  ///< also with edges from headers to the blocks that they name (SPIR-V 2.11.1)
};

/// Orders blocks so that dominators are before the blocks they dominate (SPIR-V 2.4), and otherwise
/// keeps the order.
void OrderBlocks(Function* function);
/// Removes the inputs of `predecessor` from the phis of a block.
void DropPhiInputs(Block* block, uint32_t predecessor);
/// Changes inputs of `from` to inputs of `to`, in the phis of all blocks.
void RenamePredecessor(Function* function, uint32_t from, uint32_t to);

}  // namespace refract::planted
