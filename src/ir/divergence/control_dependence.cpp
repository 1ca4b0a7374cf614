// SPDX-License-Identifier: Apache-2.0
#include "ir/divergence/control_dependence.h"

#include <algorithm>

namespace refract {
inline namespace ir {

NumberLists::NumberLists(size_t lists, std::vector<std::pair<uint32_t, uint32_t>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  begin_.reserve(lists + 1);
  numbers_.reserve(pairs.size());
  for (const auto& [list, number] : pairs) {
    while (begin_.size() <= list) begin_.push_back(static_cast<uint32_t>(numbers_.size()));
    numbers_.push_back(number);
  }
  while (begin_.size() <= lists) begin_.push_back(static_cast<uint32_t>(numbers_.size()));
}

ControlDependence::ControlDependence(const Module& module, Function function)
    : module_(module), flow_(module.Flow(function)) {
  MakeOrder();
  is_opaque_ = is_opaque_ || flow_.is_irregular;
  loop_of_.assign(order_.size(), kNone);
  if (is_opaque_) return;
  MakeEntry();
  MakeLoops();
  if (!is_opaque_) MakePhis();
}

void ControlDependence::MakeOrder() {
  place_.assign(flow_.nodes.size(), kNone);
  if (flow_.order.empty()) return;
  // Computes the postorder without recursion, because functions may be long.
  std::vector<std::pair<Block, uint32_t>> path{{flow_.order.front(), 0}};
  std::vector<uint8_t> entered(flow_.nodes.size());
  entered[flow_.Slot(flow_.order.front())] = 1;
  while (!path.empty()) {
    auto& [block, next] = path.back();
    const auto successors = flow_.Successors(block);
    if (next == successors.size()) {
      order_.push_back(block);
      path.pop_back();
      continue;
    }
    const Block to = successors[next++];
    uint8_t& is_entered = entered[flow_.Slot(to)];
    if (is_entered == 0) {
      is_entered = 1;
      path.emplace_back(to, 0);
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (uint32_t i = 0; i < order_.size(); ++i) place_[flow_.Slot(order_[i])] = i;
  const DominatorTree& post = flow_.PostDominators();
  for (const Block block : order_) {
    branches_.push_back(flow_.Successors(block).size() > 1 ? 1 : 0);
    const uint32_t slot = flow_.Slot(block);
    is_opaque_ = is_opaque_ || !post.Reached(slot);
    const uint32_t parent = post.Parent(slot);
    post_parent_.push_back(parent < place_.size() ? place_[parent] : kNone);
  }
  seen_.assign(order_.size(), 0);
}

void ControlDependence::MakeEntry() {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t i = 0; i < order_.size(); ++i) {
    if (branches_[i] == 0) continue;
    for (const Block to : flow_.Successors(order_[i])) {
      uint32_t at = place_[flow_.Slot(to)];
      for (; at != post_parent_[i] && at != kNone; at = post_parent_[at]) pairs.emplace_back(at, i);
    }
  }
  entry_ = NumberLists(order_.size(), std::move(pairs));
}

template <class Within>
std::vector<uint32_t> ControlDependence::FindDecidingBlocks(const std::vector<uint32_t>& sources,
                                                            uint32_t stop, Within within) {
  ++round_;
  std::vector<uint32_t> deciding_blocks, work;
  const auto decide = [&](uint32_t place) {
    if (seen_[place] == round_ || !within(place)) return;
    seen_[place] = round_;
    deciding_blocks.push_back(place);
    if (place != stop) work.push_back(place);
  };
  for (const uint32_t source : sources) {
    if (branches_[source] != 0) decide(source);
    if (source == stop) continue;
    for (const uint32_t place : entry_[source]) decide(place);
  }
  while (!work.empty()) {
    const uint32_t at = work.back();
    work.pop_back();
    for (const uint32_t place : entry_[at]) decide(place);
  }
  return deciding_blocks;
}

bool ControlDependence::IsInLoop(uint32_t place, uint32_t loop) const {
  for (uint32_t at = loop_of_[place]; at != kNone; at = loops_[at].parent) {
    if (at == loop) return true;
  }
  return false;
}

void ControlDependence::MakeLoops() {
  std::vector<uint32_t> loop_of(flow_.constructs.size(), kNone);  // by construct
  for (uint32_t i = 0; i < flow_.constructs.size(); ++i) {
    if (flow_.constructs[i].kind != ConstructKind::kLoop) continue;
    loop_of[i] = static_cast<uint32_t>(loops_.size());
    loops_.push_back({flow_.constructs[i].header, kNone, {}});
  }
  const auto innermost = [&](uint32_t construct) {
    while (construct != Construct::kNone && loop_of[construct] == kNone) {
      construct = flow_.constructs[construct].parent;
    }
    return construct == Construct::kNone ? kNone : loop_of[construct];
  };
  for (uint32_t i = 0; i < flow_.constructs.size(); ++i) {
    if (loop_of[i] != kNone) {
      loops_[loop_of[i]].parent = innermost(flow_.constructs[i].parent);
    }
  }
  for (uint32_t i = 0; i < order_.size(); ++i) {
    loop_of_[i] = innermost(flow_.InnermostConstruct(order_[i]));
  }
  std::vector<std::vector<uint32_t>> latches(loops_.size());
  for (uint32_t i = 0; i < order_.size(); ++i) {
    for (const Block to : flow_.Successors(order_[i])) {
      const uint32_t place = place_[flow_.Slot(to)];
      if (place > i) continue;
      // The target of this back edge is not a known loop header.
      const uint32_t loop = loop_of_[place];
      if (loop == kNone || loops_[loop].header != to || !IsInLoop(i, loop)) {
        is_opaque_ = true;
        return;
      }
      latches[loop].push_back(i);
    }
  }
  for (uint32_t i = 0; i < loops_.size(); ++i) {
    loops_[i].deciding_blocks =
        FindDecidingBlocks(latches[i], kNone, [&](uint32_t place) { return IsInLoop(place, i); });
  }
}

bool ControlDependence::HasPhi(Block block) const {
  for (Inst inst = module_.Label(block); inst != Inst::kNone; inst = module_.Next(inst)) {
    const spv::Op op = module_.Opcode(inst);
    if (op == spv::Op::OpPhi) return true;
    if (op != spv::Op::OpLabel && op != spv::Op::OpLine && op != spv::Op::OpNoLine) return false;
  }
  return false;
}

// Every invocation that enters the block has passed its immediate dominator, so the branches that
// decide how it enters are between the two.
void ControlDependence::MakePhis() {
  phi_opaque_.assign(order_.size(), 0);
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t i = 1; i < order_.size(); ++i) {
    if (!HasPhi(order_[i])) continue;
    std::vector<uint32_t> forward;
    size_t back = 0;
    for (const Block from : flow_.Predecessors(order_[i])) {
      const uint32_t place = place_[flow_.Slot(from)];
      if (place == kNone) continue;
      if (place < i) {
        forward.push_back(place);
      } else {
        ++back;
      }
    }
    if (back > 1) phi_opaque_[i] = 1;
    if (forward.size() < 2) continue;
    const Block dominator = flow_.ImmediateDominator(order_[i]);
    const uint32_t stop = place_[flow_.Slot(dominator)];
    for (const uint32_t place : FindDecidingBlocks(forward, stop, [&](uint32_t place) {
           return place < i && flow_.Dominates(dominator, order_[place]);
         })) {
      pairs.emplace_back(i, place);
    }
  }
  phi_ = NumberLists(order_.size(), std::move(pairs));
}

}  // namespace ir
}  // namespace refract
