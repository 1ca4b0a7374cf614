// SPDX-License-Identifier: Apache-2.0
// Finds which branches of a function decide whether a block is entered, from which predecessor, and
// how often a loop iterates. Used only by divergence.h.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/control_flow.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// An array of lists of numbers.
class NumberLists {
 public:
  /// Makes `lists` lists from pairs (list, number). Duplicates within a list are removed.
  NumberLists(size_t lists, std::vector<std::pair<uint32_t, uint32_t>> pairs);
  NumberLists() = default;
  std::span<const uint32_t> operator[](uint32_t list) const {
    return std::span(numbers_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }

 private:
  std::vector<uint32_t> begin_, numbers_;
};

/// The branches of one function. A place is a position in order().
class ControlDependence {
 public:
  ControlDependence(const Module& module, Function function);

  /// The blocks that branches reach, each after its predecessors, except for back edges.
  const std::vector<Block>& order() const { return order_; }
  /// True if the function has blocks that reach no exit, or unstructured loops. Then the other
  /// results are empty.
  bool is_opaque() const { return is_opaque_; }

  /// The places of the blocks whose branches decide, each when it is executed, whether the block is
  /// entered (Ferrante, Ottenstein, Warren 1987).
  std::span<const uint32_t> BlocksThatDecideEntry(uint32_t place) const { return entry_[place]; }
  /// The places of the blocks whose branches decide from which predecessor the block is entered;
  /// empty for a block without phis.
  std::span<const uint32_t> BlocksThatDecidePhi(uint32_t place) const { return phi_[place]; }
  /// True if several back edges enter the block, which has phis.
  bool IsPhiOpaque(uint32_t place) const { return phi_opaque_[place] != 0; }

  struct Loop {
    Block header = Block::kNone;
    uint32_t parent = 0xffffffffu;  ///< index into loops()
    std::vector<uint32_t>
        deciding_blocks;  ///< places of the blocks that decide whether it continues
  };
  const std::vector<Loop>& loops() const { return loops_; }
  /// The innermost loop that contains a block, continue constructs included; 0xffffffff if there is
  /// none.
  uint32_t LoopOf(uint32_t place) const { return loop_of_[place]; }
  /// Calls `visit` with the places of the blocks that every path from the block to an exit passes,
  /// the block itself included.
  template <class Visit>
  void ForEachPostDominator(uint32_t place, Visit visit) const {
    for (; place != kNone; place = post_parent_[place]) visit(place);
  }

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  void MakeOrder();
  void MakeEntry();
  void MakeLoops();
  void MakePhis();
  bool HasPhi(Block block) const;
  bool IsInLoop(uint32_t place, uint32_t loop) const;
  // The branches that decide whether the edges from `sources` are taken, among the places for which
  // `within(place)` holds, up to `stop`.
  template <class Within>
  std::vector<uint32_t> FindDecidingBlocks(const std::vector<uint32_t>& sources, uint32_t stop,
                                           Within within);

  const Module& module_;
  const ControlFlow& flow_;
  bool is_opaque_ = false;
  std::vector<Block> order_;
  std::vector<uint32_t> place_;        // by slot of `flow_`
  std::vector<uint32_t> post_parent_;  // by place
  std::vector<uint8_t> branches_;      // by place: true if it has several successors
  NumberLists entry_, phi_;
  std::vector<uint8_t> phi_opaque_;
  std::vector<Loop> loops_;
  std::vector<uint32_t> loop_of_;  // by place
  std::vector<uint32_t> seen_;     // by place: temporary data of FindDecidingBlocks
  uint32_t round_ = 0;
};

}  // namespace ir
}  // namespace refract
