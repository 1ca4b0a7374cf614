// SPDX-License-Identifier: Apache-2.0
// Draws paths through a graph, each of which takes branches that earlier paths have not taken.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"
#include "flesh/plan.h"

namespace refract::flesh {

/// A branch is live if it is on a path from the entry block to an end. Paths take only live
/// branches. Each path takes as many live branches that no earlier path has taken as one path can:
/// all branches in a strongly connected component, and from component to component the way with the
/// most of them. If no such branch is left, choices are random. A path then repeats each loop a
/// random number of times, as far as the graph allows: not at all with probability 1/2, once with
/// 1/4, and two or three times with 1/8 each. (A loop that is left only through its header is
/// repeated as often as that requires.)
class PathDrawer {
 public:
  explicit PathDrawer(const cfg::Graph& graph, Random* random);

  /// True if an end can be reached from the entry block; otherwise Draw must not be called.
  bool has_end() const { return live_[0]; }
  /// Returns the number of live branches that no path has taken.
  uint32_t untaken() const;
  /// Sets `path` to the next path. After `most_visits` visits it takes a shortest way to an end.
  void Draw(uint32_t most_visits, Path* path);

 private:
  // A loop with its blocks: those that can be reached from its header without its merge block.
  struct Loop {
    uint32_t header = 0, blocks = 0;
    std::vector<uint8_t> of_block;  // bits: kInside and so on
    uint32_t trips = 0, goal = 0;
    bool Is(uint8_t what, uint32_t block) const { return (of_block[block] & what) != 0; }
  };
  static constexpr uint8_t kInside = 1;
  static constexpr uint8_t kLeadsToHeader = 2;  // leads back to the header
  static constexpr uint8_t kLeaves = 4;  // leads out of the loop or to an end without the header

  // Finds the live blocks.
  void FindLive();
  // Finds the strongly connected components.
  void FindComponents();
  void FindLoops();
  Loop MakeLoop(uint32_t header) const;
  // Computes gain_ and best_ for the next path.
  void FindGains();

  // Returns the slot of the next branch. With `hurry`, it is on a shortest way to an end.
  uint32_t Choose(uint32_t block, bool hurry);
  uint32_t ChooseAny(uint32_t block);
  void Enter(uint32_t block, uint32_t from);
  bool StaysInComponent(uint32_t block) const;
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
  bool IsInSameComponent(uint32_t block, uint32_t to) const {
    return live_[to] && component_[to] == component_[block];
  }

  const cfg::Graph& graph_;
  Random& random_;
  std::vector<std::vector<uint32_t>> predecessors_;  // for each block, its predecessors
  // For each block, the number of branches on the shortest way to an end.
  std::vector<uint32_t> to_end_;
  std::vector<uint8_t> live_;   // for each block
  std::vector<uint8_t> taken_;  // for each entry of Graph::targets
  // Strongly connected components of live blocks. Branches lead to the same or a lower number.
  std::vector<uint32_t> component_;
  std::vector<uint32_t> by_component_;  // live blocks in the order of their components
  std::vector<uint32_t> untaken_;       // for each component, the number of untaken branches in it
  // For each component, the number of branches a path can take from there.
  std::vector<uint32_t> gain_;
  std::vector<uint32_t> best_;     // for each component, the same without the branches in it
  std::vector<Loop> loops_;        // inner loops before outer ones
  std::vector<uint32_t> loop_of_;  // for each header, an index into loops_
  // For each block, indices into loops_, ascending.
  std::vector<uint32_t> first_loop_, loops_around_;
  uint32_t untaken_total_ = 0;  // untaken()
  bool exhausted_ = false;      // true if nothing was left when the gains were last computed
  // The choices that are already made, the next one last; and the work space of Steer.
  std::vector<uint32_t> ahead_, queue_, came_from_, slots_;
};

}  // namespace refract::flesh
