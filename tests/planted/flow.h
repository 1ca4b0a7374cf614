// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of a function as it is now, with dominators. Blocks are numbered as they
// are listed.
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
  /// The closest header of a construct that the block is in, itself if it is one; kNone.
  uint32_t InnermostHeader(uint32_t block) const;
  /// Whether it is in the continue construct of some loop.
  bool InContinue(uint32_t block) const;

  std::map<uint32_t, uint32_t> index;                           ///< by label
  std::vector<std::vector<uint32_t>> successors, predecessors;  ///< each once
  std::vector<uint32_t> merge;                  ///< of a header: its merge block; kNone
  std::vector<uint32_t> continue_target;        ///< of a loop's header
  std::vector<uint32_t> merge_of, continue_of;  ///< the header that names a block as such; kNone
  DominatorTree dominators;                     ///< by branches
  DominatorTree structural;  ///< also from headers to what they name (SPIR-V 2.11.1)
};

/// Lists blocks so that those that dominate others stand before them (SPIR-V 2.4), and else as
/// before.
void OrderBlocks(Function* function);
/// Takes the inputs of `predecessor` out of the phis of a block.
void DropPhiInputs(Block* block, uint32_t predecessor);
/// Inputs of `from` become inputs of `to`, in the phis of all blocks.
void RenamePredecessor(Function* function, uint32_t from, uint32_t to);

}  // namespace refract::planted
