// SPDX-License-Identifier: Apache-2.0
#include "flesh/paths.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace refract::flesh {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
constexpr uint32_t kMostTrips = 3;

}  // namespace

PathDrawer::PathDrawer(const cfg::Graph& graph, Random* random)
    : graph_(graph), random_(*random), taken_(graph.targets.size(), 0) {
  FindLive();
  if (!has_end()) return;
  FindComponents();
  FindLoops();
  untaken_total_ = untaken();
}

// Walks backwards from the ends and then forwards from the entry block.
void PathDrawer::FindLive() {
  predecessors_.resize(graph_.size());
  to_end_.assign(graph_.size(), kNone);
  queue_.clear();
  for (uint32_t block = 0; block < graph_.size(); ++block) {
    for (uint32_t to : graph_.Targets(block)) predecessors_[to].push_back(block);
    if (!graph_.Targets(block).empty()) continue;
    to_end_[block] = 0;
    queue_.push_back(block);
  }
  for (size_t i = 0; i < queue_.size(); ++i) {
    for (uint32_t from : predecessors_[queue_[i]]) {
      if (to_end_[from] != kNone) continue;
      to_end_[from] = to_end_[queue_[i]] + 1;
      queue_.push_back(from);
    }
  }
  live_.assign(graph_.size(), 0);
  if (to_end_[0] == kNone) return;
  live_[0] = 1;
  queue_.assign(1, 0);
  for (size_t i = 0; i < queue_.size(); ++i) {
    for (uint32_t to : graph_.Targets(queue_[i])) {
      if (live_[to] || to_end_[to] == kNone) continue;
      live_[to] = 1;
      queue_.push_back(to);
    }
  }
}

// Tarjan's algorithm, which finds a component before those that lead to it.
void PathDrawer::FindComponents() {
  component_.assign(graph_.size(), kNone);
  std::vector<uint32_t> number(graph_.size(), kNone), low(graph_.size(), 0), open;
  std::vector<std::pair<uint32_t, uint32_t>> work{{0, 0}};  // a block and its next slot
  uint32_t count = 0;
  while (!work.empty()) {
    auto& [block, slot] = work.back();
    if (slot == 0) {
      number[block] = low[block] = count++;
      open.push_back(block);
    }
    const auto targets = graph_.Targets(block);
    uint32_t inward = kNone;
    for (; slot < targets.size() && inward == kNone; ++slot) {
      const uint32_t to = targets[slot];
      if (!live_[to]) continue;
      if (number[to] == kNone) {
        inward = to;
      } else if (component_[to] == kNone) {
        low[block] = std::min(low[block], number[to]);
      }
    }
    if (inward != kNone) {
      work.emplace_back(inward, 0);
      continue;
    }
    const uint32_t done = block;
    work.pop_back();
    if (!work.empty()) low[work.back().first] = std::min(low[work.back().first], low[done]);
    if (low[done] != number[done]) continue;
    const uint32_t part = static_cast<uint32_t>(untaken_.size());
    untaken_.push_back(0);
    for (uint32_t member = kNone; member != done;) {
      member = open.back();
      open.pop_back();
      component_[member] = part;
      by_component_.push_back(member);
    }
  }
  for (uint32_t block : by_component_) {
    for (uint32_t to : graph_.Targets(block))
      untaken_[component_[block]] += IsInSameComponent(block, to) ? 1 : 0;
  }
}

void PathDrawer::FindLoops() {
  for (uint32_t block : by_component_) {
    if (graph_.blocks[block].is_loop()) loops_.push_back(MakeLoop(block));
  }
  std::stable_sort(loops_.begin(), loops_.end(),
                   [](const Loop& a, const Loop& b) { return a.blocks < b.blocks; });
  loop_of_.assign(graph_.size(), kNone);
  for (uint32_t i = 0; i < loops_.size(); ++i) loop_of_[loops_[i].header] = i;
  for (uint32_t block = 0; block < graph_.size(); ++block) {
    first_loop_.push_back(static_cast<uint32_t>(loops_around_.size()));
    for (uint32_t i = 0; i < loops_.size(); ++i) {
      if (loops_[i].Is(kInside, block)) loops_around_.push_back(i);
    }
  }
  first_loop_.push_back(static_cast<uint32_t>(loops_around_.size()));
}

PathDrawer::Loop PathDrawer::MakeLoop(uint32_t header) const {
  Loop loop;
  loop.header = header;
  loop.of_block.assign(graph_.size(), 0);
  const uint32_t merge = graph_.blocks[header].merge;
  std::vector<uint32_t> work{header}, leaving;
  loop.of_block[header] = kInside;
  for (size_t i = 0; i < work.size(); ++i) {
    bool leaves = graph_.Targets(work[i]).empty();
    for (uint32_t to : graph_.Targets(work[i])) {
      if (!live_[to]) continue;
      leaves |= to == merge;
      if (to == merge || loop.Is(kInside, to)) continue;
      loop.of_block[to] = kInside;
      work.push_back(to);
    }
    if (leaves) leaving.push_back(work[i]);
  }
  loop.blocks = static_cast<uint32_t>(work.size());
  // Follow branches backwards from these blocks. For kLeaves, do not continue at the header.
  const auto mark = [&](std::vector<uint32_t> from, uint8_t as) {
    for (uint32_t block : from) loop.of_block[block] |= as;
    while (!from.empty()) {
      const uint32_t block = from.back();
      from.pop_back();
      if (block == header && as == kLeaves) continue;
      for (uint32_t before : predecessors_[block]) {
        if (!loop.Is(kInside, before) || loop.Is(as, before)) continue;
        loop.of_block[before] |= as;
        from.push_back(before);
      }
    }
  };
  std::vector<uint32_t> back;
  for (uint32_t from : predecessors_[header]) {
    if (loop.Is(kInside, from)) back.push_back(from);
  }
  mark(back, kLeadsToHeader);
  mark(leaving, kLeaves);
  return loop;
}

uint32_t PathDrawer::untaken() const {
  uint32_t count = 0;
  for (uint32_t block : by_component_) {
    const auto targets = graph_.Targets(block);
    for (uint32_t slot = 0; slot < targets.size(); ++slot) {
      count += live_[targets[slot]] && !taken_[EdgeOf(block, slot)] ? 1 : 0;
    }
  }
  return count;
}

void PathDrawer::FindGains() {
  if (exhausted_) return;  // all gains are zero
  exhausted_ = untaken_total_ == 0;
  gain_ = untaken_;
  best_.assign(untaken_.size(), 0);
  for (size_t i = 0; i < by_component_.size(); ++i) {
    const uint32_t block = by_component_[i], part = component_[block];
    const auto targets = graph_.Targets(block);
    for (uint32_t slot = 0; slot < targets.size(); ++slot) {
      const uint32_t to = targets[slot];
      if (!live_[to] || component_[to] == part) continue;
      const uint32_t gain = gain_[component_[to]] + (taken_[EdgeOf(block, slot)] ? 0 : 1);
      best_[part] = std::max(best_[part], gain);
    }
    if (i + 1 == by_component_.size() || component_[by_component_[i + 1]] != part)
      gain_[part] += best_[part];
  }
}

void PathDrawer::Draw(uint32_t most_visits, Path* path) {
  CHECK(has_end());
  FindGains();
  ahead_.clear();
  path->blocks.clear();
  path->choices.clear();
  for (uint32_t block = 0, from = kNone;;) {
    Enter(block, from);
    const bool hurry = path->blocks.size() >= most_visits;
    path->blocks.push_back(block);
    const auto targets = graph_.Targets(block);
    if (targets.empty()) break;
    const uint32_t slot = Choose(block, hurry), to = targets[slot], edge = EdgeOf(block, slot);
    if (taken_[edge] == 0) {
      --untaken_total_;
      if (IsInSameComponent(block, to)) --untaken_[component_[block]];
      taken_[edge] = 1;
    }
    path->choices.push_back(static_cast<uint16_t>(slot));
    from = block;
    block = to;
  }
  path->choices.push_back(0);
}

// Counts an iteration of a loop, or draws how many there should be.
void PathDrawer::Enter(uint32_t block, uint32_t from) {
  if (loop_of_[block] == kNone) return;
  Loop& loop = loops_[loop_of_[block]];
  if (from != kNone && loop.Is(kInside, from)) {
    ++loop.trips;
    return;
  }
  loop.trips = loop.goal = 0;
  while (loop.goal < kMostTrips && random_.Below(2) == 0) ++loop.goal;
}

// True if a loop around the block should have more iterations.
bool PathDrawer::StaysInComponent(uint32_t block) const {
  const auto around = LoopsAround(block);
  return std::any_of(around.begin(), around.end(), [&](uint32_t i) {
    return loops_[i].trips < loops_[i].goal && loops_[i].Is(kLeadsToHeader, block);
  });
}

uint32_t PathDrawer::Choose(uint32_t block, bool hurry) {
  const auto targets = graph_.Targets(block);
  if (hurry) {
    slots_.clear();
    for (uint32_t slot = 0; slot < targets.size(); ++slot) {
      if (to_end_[targets[slot]] < to_end_[block]) slots_.push_back(slot);
    }
    return slots_[random_.Below(slots_.size())];
  }
  const uint32_t part = component_[block];
  if (ahead_.empty() && untaken_[part] > 0) {
    Steer(block, [&](uint32_t at, uint32_t slot) {
      return IsInSameComponent(at, graph_.Targets(at)[slot]) && !taken_[EdgeOf(at, slot)];
    });
  } else if (ahead_.empty() && best_[part] > 0 && !StaysInComponent(block)) {
    Steer(block, [&](uint32_t at, uint32_t slot) {
      const uint32_t to = graph_.Targets(at)[slot];
      return live_[to] && !IsInSameComponent(at, to) &&
             gain_[component_[to]] + (taken_[EdgeOf(at, slot)] ? 0 : 1) == best_[part];
    });
  }
  if (ahead_.empty()) return ChooseAny(block);
  const uint32_t slot = ahead_.back();
  ahead_.pop_back();
  return slot;
}

// Finds the shortest way within the component to a wanted branch, and puts the way with that branch
// into ahead_.
template <class Wanted>
void PathDrawer::Steer(uint32_t block, Wanted wanted) {
  came_from_.assign(graph_.size(), kNone);  // the previous block, for blocks in the queue
  queue_.assign(1, block);
  came_from_[block] = block;
  for (size_t i = 0; i < queue_.size(); ++i) {
    const uint32_t at = queue_[i];
    const auto targets = graph_.Targets(at);
    slots_.clear();
    for (uint32_t slot = 0; slot < targets.size(); ++slot) {
      if (wanted(at, slot)) slots_.push_back(slot);
    }
    if (!slots_.empty()) {
      ahead_.push_back(slots_[random_.Below(slots_.size())]);
      for (uint32_t to = at; to != block; to = came_from_[to]) {
        const auto from = graph_.Targets(came_from_[to]);
        ahead_.push_back(
            static_cast<uint32_t>(std::find(from.begin(), from.end(), to) - from.begin()));
      }
      return;
    }
    const size_t start = targets.size() < 2 ? 0 : random_.Below(targets.size());
    for (size_t k = 0; k < targets.size(); ++k) {
      const uint32_t to = targets[(start + k) % targets.size()];
      if (!IsInSameComponent(at, to) || came_from_[to] != kNone) continue;
      came_from_[to] = at;
      queue_.push_back(to);
    }
  }
  CHECK(!"a branch that is wanted can be reached");
}

// Removes the slots that `keep` refuses, unless it refuses all of them.
template <class Keep>
void PathDrawer::Filter(uint32_t block, Keep keep) {
  const auto targets = graph_.Targets(block);
  size_t kept = 0;
  for (const uint32_t slot : slots_) {
    if (keep(targets[slot])) slots_[kept++] = slot;
  }
  if (kept > 0) slots_.resize(kept);
}

uint32_t PathDrawer::ChooseAny(uint32_t block) {
  const auto targets = graph_.Targets(block);
  if (targets.size() == 1) return static_cast<uint32_t>(random_.Below(1));
  slots_.clear();
  for (uint32_t slot = 0; slot < targets.size(); ++slot) {
    if (live_[targets[slot]] != 0) slots_.push_back(slot);
  }
  // While branches outside the component remain to be taken, leave it only by the best way to them.
  if (best_[component_[block]] > 0)
    Filter(block, [&](uint32_t to) { return IsInSameComponent(block, to); });
  for (const uint32_t i : LoopsAround(block)) {
    if (slots_.size() == 1) break;
    const Loop& loop = loops_[i];
    if (loop.trips < loop.goal) {
      Filter(block, [&](uint32_t to) { return loop.Is(kLeadsToHeader, to); });
    } else {
      Filter(block, [&](uint32_t to) {
        return !loop.Is(kInside, to) || (to != loop.header && loop.Is(kLeaves, to));
      });
    }
  }
  return slots_[random_.Below(slots_.size())];
}

}  // namespace refract::flesh
