// SPDX-License-Identifier: Apache-2.0
// Draws ways through a graph, each of which takes what those before have left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"
#include "flesh/plan.h"

namespace refract::flesh {

/// A branch is live if it can be on a way from the entry block to an end: no walk enters what leads
/// to no end. Each walk takes as many live branches that no walk has taken yet as one walk can: all
/// of a part of the graph whose blocks reach each other, and of the ways from part to part one
/// with the most to take. Where nothing is left to take it goes by chance, and round each loop as
/// often as it draws: not at all with a chance of a half, once with a quarter, twice or three
/// times with an eighth, as far as the graph lets it. (A loop whose only way out is its header's is
/// gone round to get there.)
class WalkDrawer {
 public:
  explicit WalkDrawer(const cfg::Graph& graph, Random* random);

  /// Whether an end can be reached from the entry block; if not, nothing can be drawn.
  bool has_end() const { return live_[0]; }
  /// Branches, by place in Graph::targets, that are live and that no walk has taken.
  uint32_t untaken() const;
  /// Makes `walk` the next one; after `most_visits` visits it takes a shortest way to an end.
  void Draw(uint32_t most_visits, Walk* walk);

 private:
  // Of a loop with its blocks: those that branches lead to from its header, but not by way of its
  // merge block.
  struct Loop {
    uint32_t header = 0, blocks = 0;
    std::vector<uint8_t> of_block;  // kInside and so on
    uint32_t trips = 0, goal = 0;
    bool Is(uint8_t what, uint32_t block) const { return (of_block[block] & what) != 0; }
  };
  static constexpr uint8_t kInside = 1;
  static constexpr uint8_t kRound = 2;   // leads to the header again
  static constexpr uint8_t kLeaves = 4;  // leads out, or to an end, without the header

  void FindLive();
  void FindParts();
  void FindLoops();
  Loop MakeLoop(uint32_t header) const;
  void FindGains();

  uint32_t Choose(uint32_t block, bool hurry);
  uint32_t ChooseAny(uint32_t block);
  void Enter(uint32_t block, uint32_t from);
  bool StaysInPart(uint32_t block) const;
  std::span<const uint32_t> LoopsAround(uint32_t block) const {
    return std::span(loops_around_)
        .subspan(first_loop_[block], first_loop_[block + 1] - first_loop_[block]);
  }
  template <class Wanted>
  void Steer(uint32_t block, Wanted wanted);
  template <class Keep>
  void Filter(uint32_t block, Keep keep);
  uint32_t EdgeOf(uint32_t block, uint32_t slot) const {
    return graph_.blocks[block].first_target + slot;
  }
  bool Inside(uint32_t block, uint32_t to) const { return live_[to] && part_[to] == part_[block]; }

  const cfg::Graph& graph_;
  Random& random_;
  std::vector<std::vector<uint32_t>> before_;  // by block, where branches come from
  std::vector<uint32_t> to_end_;               // by block, branches on the shortest way to an end
  std::vector<uint8_t> live_;                  // blocks
  std::vector<uint8_t> taken_;                 // by place in Graph::targets
  // Strongly connected components of live blocks; branches lead to the same or a lower number.
  std::vector<uint32_t> part_;
  std::vector<uint32_t> by_part_;  // live blocks in order of their parts
  std::vector<uint32_t> untaken_;  // by part: branches within it
  std::vector<uint32_t> gain_;     // by part: what a walk can take from there on
  std::vector<uint32_t> best_;     // by part: of it, behind a branch out, with that
  std::vector<Loop> loops_;        // inner ones before those around
  std::vector<uint32_t> loop_of_;  // by header, its place there
  std::vector<uint32_t> first_loop_, loops_around_;  // by block, the same order
  uint32_t left_ = 0;                                // untaken()
  bool exhausted_ = false;  // there was nothing left when gains were last looked for
  // Choices that are made already, the next one last; and of what Steer looks at.
  std::vector<uint32_t> ahead_, queue_, came_from_, slots_;
};

}  // namespace refract::flesh
