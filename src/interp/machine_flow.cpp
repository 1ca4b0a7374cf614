// SPDX-License-Identifier: Apache-2.0
// The path of a batch of invocations through a function. Invocations that took different branches
// wait at their targets. The next block to run is always the first one, in the order of
// FunctionCode::blocks, at which any invocation waits. All invocations that can reach it have then
// arrived, so control flow joins as early as possible. With late reconvergence, groups join only
// where SPIR-V (2.2.5, "uniform control flow") guarantees it: at the merge block of a header that
// all invocations of the invocation group reached together.
#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "interp/describe.h"
#include "interp/machine.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint32_t kNoBlock = 0xffffffffu;
// This amount of work takes 1 to 50 ms, and a check of the clock less than 1 us.
constexpr uint64_t kWorkBetweenDeadlineChecks = uint64_t{1} << 16;

}  // namespace

struct Machine::Activation {
  const FunctionCode* function = nullptr;
  std::vector<Group> waiting;  // sorted by block, the first block last
  LaneSet returned;
  uint32_t next_position = 0;  // one more than the index of the block that runs or ran last
  // For late reconvergence, by block: the invocations of whole units that entered it together. For
  // a loop header, only entries from outside the loop count.
  std::vector<LaneSet> together;

  bool IsBackEdge(uint32_t to) const { return to < next_position; }
};

void Machine::RunBatch(const Batch& batch) {
  batch_ = &batch;
  live_ = batch.present;
  helper_ = batch.helper;
  discarded_ = LaneSet(lanes_);
  approximate_lanes_ = LaneSet(lanes_);
  std::fill(lane_steps_.begin(), lane_steps_.end(), 0);
  pending_steps_ = 0;
  batch_steps_ = 0;
  Activate(batch.present);
  SetBuiltIns();
  RunOps(code_.first_setup, code_.setups);
  if (!stopped() && !empty_) Call(code_.entry);
  Activate(LaneSet(lanes_));
}

void Machine::Call(uint32_t function) {
  const FunctionCode& callee = code_.functions[function];
  RunOps(callee.first_setup, callee.setups);
  if (!stopped()) RunFunction(callee);
}

void Machine::RunOps(uint32_t first, uint32_t count) {
  const Op* op = code_.ops.data() + first;
  for (const Op* end = op + count; op != end; ++op) {
    op->run(*this, *op);
    work_since_deadline_check_ += active_count_;
    if (work_since_deadline_check_ >= kWorkBetweenDeadlineChecks) CheckDeadline(op->instruction);
    if (trap_ || empty_) return;
  }
}

void Machine::CheckDeadline(Inst instruction) {
  work_since_deadline_check_ = 0;
  if (trap_ || !options_.deadline.HasPassed()) return;
  Fail(Trap::Kind::kLimit, instruction, FirstActive(), "the run took longer than its time limit");
  trap_->out_of_time = true;
}

void Machine::RunConstantOps(const std::vector<Op>& ops) {
  Activate(LaneSet::All(lanes_));
  for (const Op& op : ops) {
    op.run(*this, op);
    if (trap_) return;
  }
}

void Machine::AddWaiting(Activation& activation, uint32_t block, const LaneSet& lanes) {
  std::vector<Group>& waiting = activation.waiting;
  auto place = std::find_if(waiting.begin(), waiting.end(),
                            [&](const Group& group) { return group.block <= block; });
  if (place != waiting.end() && place->block == block && !options_.schedule.late_reconvergence) {
    place->lanes |= lanes;
    return;
  }
  waiting.insert(place, {block, lanes, activation.IsBackEdge(block)});
}

// Calls visit(lanes, whole) for each unit (a quad or the workgroup) that has some of `lanes`.
// `whole`: all live invocations of the unit are in `lanes`.
template <class Visit>
void Machine::ForEachUnit(const LaneSet& lanes, Visit visit) const {
  const uint32_t size = code_.is_compute ? lanes_ : 4;
  for (uint32_t first = 0; first < lanes_; first += size) {
    LaneSet unit(lanes_);
    bool any = false, whole = true;
    for (uint32_t lane = first; lane < first + size; ++lane) {
      if (!live_.Has(lane)) continue;
      unit.Add(lane);
      any = any || lanes.Has(lane);
      whole = whole && lanes.Has(lane);
    }
    if (any) visit(unit, whole);
  }
}

void Machine::RecordTogether(LaneSet* together) const {
  ForEachUnit(active_, [&](const LaneSet& unit, bool whole) {
    if (whole) {
      *together |= unit;
    } else {
      *together -= unit;
    }
  });
}

// Joins a group with those of the groups at the same block with which it may join.
void Machine::JoinLate(Activation& activation, Group& group) {
  const uint32_t header = activation.function->blocks[group.block].header;
  if (header == BlockCode::kNoHeader || group.by_back_edge) return;
  LaneSet here = group.lanes;
  for (const Group& other : activation.waiting) {
    if (other.block == group.block && !other.by_back_edge) here |= other.lanes;
  }
  // Whole units that entered the header together and have all arrived here.
  here &= activation.together[header];
  LaneSet uniform(lanes_);
  ForEachUnit(here, [&](const LaneSet& unit, bool whole) {
    if (whole) uniform |= unit;
  });
  if (uniform.empty()) return;
  for (Group& other : activation.waiting) {
    if (other.block == group.block && !other.by_back_edge) other.lanes -= uniform;
  }
  std::erase_if(activation.waiting, [](const Group& other) { return other.lanes.empty(); });
  LaneSet rest = group.lanes;
  rest -= uniform;
  if (!rest.empty()) activation.waiting.push_back({group.block, rest});
  group.lanes = uniform;
}

void Machine::RunFunction(const FunctionCode& function) {
  Activation activation;
  activation.function = &function;
  activation.returned = LaneSet(lanes_);
  const bool late = options_.schedule.late_reconvergence;
  if (late) activation.together.assign(function.blocks.size(), LaneSet(lanes_));
  std::vector<Group>& waiting = activation.waiting;
  uint32_t next = 0;
  while (!trap_) {
    if (next != kNoBlock && !waiting.empty() && waiting.back().block <= next) {
      AddWaiting(activation, next, active_);
      next = kNoBlock;
    }
    bool by_back_edge = next != kNoBlock && activation.IsBackEdge(next);
    if (next == kNoBlock) {
      if (waiting.empty()) break;
      Group group = waiting.back();
      waiting.pop_back();
      if (late) JoinLate(activation, group);
      next = group.block;
      by_back_edge = group.by_back_edge;
      Activate(group.lanes);
    }
    if (late && !by_back_edge) RecordTogether(&activation.together[next]);
    activation.next_position = next + 1;
    next = RunBlock(activation, next);
  }
  Activate(activation.returned);
}

uint32_t Machine::RunBlock(Activation& activation, uint32_t position) {
  const BlockCode& block = activation.function->blocks[position];
  if (!CountSteps(block)) return kNoBlock;
  RunOps(block.first_op, block.ops);
  if (trap_ || empty_) return kNoBlock;
  return RunTerminator(activation, block);
}

bool Machine::CountSteps(const BlockCode& block) {
  block_counts_[block.counter] += active_count_;
  if (block.dead) {
    Fail(Trap::Kind::kAudit, block.terminator, FirstActive(),
         format("block %{} is known to be dead, but an invocation entered it",
                code_.module->FileId(block.label)));
    return false;
  }
  const uint64_t steps = uint64_t{block.steps} * active_count_;
  steps_ += steps;
  work_since_deadline_check_ += steps;
  if (work_since_deadline_check_ >= kWorkBetweenDeadlineChecks) {
    CheckDeadline(block.terminator);
    if (trap_) return false;
  }
  if (steps > steps_left_) {
    Fail(Trap::Kind::kLimit, block.terminator, FirstActive(),
         format("the run took more than {} steps", options_.limits.steps));
    return false;
  }
  steps_left_ -= steps;
  pending_steps_ += block.steps;
  batch_steps_ += block.steps;
  if (batch_steps_ <= options_.limits.steps_per_invocation) return true;
  AddPendingSteps();
  bool within = true;
  ForActive([&](uint32_t lane) {
    if (lane_steps_[lane] <= options_.limits.steps_per_invocation || !within) return;
    within = false;
    Fail(Trap::Kind::kLimit, block.terminator, lane,
         format("an invocation took more than {} steps", options_.limits.steps_per_invocation));
  });
  return within;
}

uint32_t Machine::RunTerminator(Activation& activation, const BlockCode& block) {
  switch (block.end) {
    case BlockCode::End::kBranch:
      return TakeEdge(code_.edges[block.first_edge]);
    case BlockCode::End::kConditional:
      return RunConditional(activation, block);
    case BlockCode::End::kSwitch:
      return RunSwitch(activation, block);
    case BlockCode::End::kReturnValue:
      Copy(activation.function->result, block.condition, activation.function->result_rows);
      [[fallthrough]];
    case BlockCode::End::kReturn:
      activation.returned |= active_;
      return kNoBlock;
    case BlockCode::End::kKill:
      Discard();
      return kNoBlock;
    case BlockCode::End::kUnreachable:
      Fail(Trap::Kind::kUndefinedBehaviour, block.terminator, FirstActive(),
           format("{}: control flow reached this instruction",
                  Describe(*code_.module, block.terminator)));
      return kNoBlock;
  }
  return kNoBlock;
}

uint32_t Machine::TakeEdge(const Edge& edge) {
  for (uint32_t i = 0; i < edge.moves; ++i) {
    const Move& move = code_.moves[edge.first_move + i];
    Copy(move.to, move.from, move.rows);
  }
  return edge.block;
}

// These lanes take the edge and wait at its target.
void Machine::SendAlong(Activation& activation, const Edge& edge, const LaneSet& lanes) {
  Activate(lanes);
  AddWaiting(activation, TakeEdge(edge), lanes);
}

bool Machine::RequireDefinedCondition(const BlockCode& block) {
  if (!IsShadowed(block.condition)) return true;
  uint32_t joined = 0;
  const uint32_t* shadows = ShadowRow(block.condition);
  ForActive([&](uint32_t lane) { joined |= shadows[lane]; });
  if ((joined & kShadowMask) == 0) return true;
  bool good = true;
  ForActive([&](uint32_t lane) {
    if (good) {
      good = RequireDefined(block.terminator, block.condition, lane, "the condition or selector");
    }
  });
  return good;
}

uint32_t Machine::RunConditional(Activation& activation, const BlockCode& block) {
  if (!RequireDefinedCondition(block)) return kNoBlock;
  const Edge* edges = &code_.edges[block.first_edge];
  const uint32_t* condition = Row(block.condition);
  uint32_t yes = 0;
  ForActive([&](uint32_t lane) { yes += condition[lane]; });
  if (yes == active_count_) return TakeEdge(edges[0]);
  if (yes == 0) return TakeEdge(edges[1]);
  LaneSet taken(lanes_), other = active_;
  ForActive([&](uint32_t lane) {
    if (condition[lane] != 0) taken.Add(lane);
  });
  other -= taken;
  SendAlong(activation, edges[0], taken);
  SendAlong(activation, edges[1], other);
  return kNoBlock;
}

uint32_t Machine::RunSwitch(Activation& activation, const BlockCode& block) {
  if (!RequireDefinedCondition(block)) return kNoBlock;
  const uint64_t* literals = code_.literals.data() + block.first_literal;
  const auto edge_for = [&](uint64_t value) {
    const uint64_t* end = literals + (block.edges - 1);
    const uint64_t* found = std::find(literals, end, value);
    return found == end ? 0u : static_cast<uint32_t>(found - literals) + 1;
  };
  // Invocations with the same selector take the same edge. There are few different selectors.
  LaneSet rest = active_;
  while (!rest.empty()) {
    uint32_t edge = kNoBlock;
    LaneSet same(lanes_);
    uint64_t last = 0;
    rest.ForEach([&](uint32_t lane) {
      const uint64_t value = Get(block.condition, block.selector, lane);
      if (edge == kNoBlock) {
        edge = edge_for(value);
        last = value;
        same.Add(lane);
      } else if (value == last || edge_for(value) == edge) {
        same.Add(lane);
      }
    });
    if (same == active_) return TakeEdge(code_.edges[block.first_edge + edge]);
    rest -= same;
    const LaneSet left = rest;
    SendAlong(activation, code_.edges[block.first_edge + edge], same);
    rest = left;
  }
  return kNoBlock;
}

uint32_t Machine::FirstActive() const {
  return active_count_ == 0 ? 0 : active_list_[0];
}

}  // namespace interp
}  // namespace refract
