// SPDX-License-Identifier: Apache-2.0
// Which branches of a function decide what: whether a block is entered, from which predecessor, how
// often a loop goes round. What divergence.h is worked out on; inside this room only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/control_flow.h"
#include "ir/module.h"

namespace refract::inline ir {

/// Lists of numbers, by number.
class NumberLists {
 public:
  /// Of `lists` lists, from pairs (list, number); a number that comes twice in one stays once.
  NumberLists(size_t lists, std::vector<std::pair<uint32_t, uint32_t>> pairs);
  NumberLists() = default;
  std::span<const uint32_t> operator[](uint32_t list) const {
    return std::span(numbers_).subspan(begin_[list], begin_[list + 1] - begin_[list]);
  }

 private:
  std::vector<uint32_t> begin_, numbers_;
};

/// The branches of one function. Places are positions in `order`.
class BranchInfluence {
 public:
  BranchInfluence(const Module& module, Function function);

  /// The blocks that branches reach, each behind those that lead to it but for back edges.
  const std::vector<Block>& order() const { return order_; }
  /// Something here is beyond what is known: blocks that reach no exit, unstructured loops. Then
  /// nothing below is filled in.
  bool is_opaque() const { return is_opaque_; }

  /// Places of the blocks whose branches decide, each when it is taken, whether the block is
  /// entered (Ferrante, Ottenstein, Warren 1987).
  std::span<const uint32_t> DecidersOfEntry(uint32_t place) const { return entry_[place]; }
  /// Places of the blocks whose branches decide from which predecessor the block is entered; none
  /// for a block without phis.
  std::span<const uint32_t> DecidersOfPhi(uint32_t place) const { return phi_[place]; }
  /// A phi's block that several back edges enter.
  bool IsPhiOpaque(uint32_t place) const { return phi_opaque_[place] != 0; }

  struct Loop {
    Block header = Block::kNone;
    uint32_t parent = 0xffffffffu;   ///< in loops()
    std::vector<uint32_t> deciders;  ///< places of the blocks that decide whether it goes on
  };
  const std::vector<Loop>& loops() const { return loops_; }
  /// The innermost loop a block is in, its continue construct included; 0xffffffff if none.
  uint32_t LoopOf(uint32_t place) const { return loop_of_[place]; }
  /// Places of the blocks that every way from the block to an exit passes, itself included.
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
  // The branches that decide whether the edges from `sources` are taken, among those for which
  // `within(place)` holds; not beyond `stop`.
  template <class Within>
  std::vector<uint32_t> Deciders(const std::vector<uint32_t>& sources, uint32_t stop,
                                 Within within);

  const Module& module_;
  const ControlFlow& flow_;
  bool is_opaque_ = false;
  std::vector<Block> order_;
  std::vector<uint32_t> place_;        // by slot of `flow_`
  std::vector<uint32_t> post_parent_;  // by place
  std::vector<uint8_t> branches_;      // by place: has several successors
  NumberLists entry_, phi_;
  std::vector<uint8_t> phi_opaque_;
  std::vector<Loop> loops_;
  std::vector<uint32_t> loop_of_;  // by place
  std::vector<uint32_t> seen_;     // by place: scratch of Deciders
  uint32_t round_ = 0;
};

}  // namespace refract::inline ir
