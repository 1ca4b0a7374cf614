// SPDX-License-Identifier: Apache-2.0
#include "flesh/payload.h"

#include <algorithm>

#include "base/check.h"
#include "flesh/fuel.h"

namespace refract::flesh {
namespace {

constexpr uint32_t kLocalMask = kLocalWords - 1;
constexpr uint32_t kHiddenWords = 8;  // that operations use

uint32_t ReverseBits(uint32_t value) {
  uint32_t reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (value >> i & 1) << (31 - i);
  return reversed;
}

uint32_t Compute(Operator what, uint32_t a, uint32_t b, State* state) {
  switch (what) {
    case Operator::kAdd:
      return a + b;
    case Operator::kSubtract:
      return a - b;
    case Operator::kMultiply:
      return a * b;
    case Operator::kAnd:
      return a & b;
    case Operator::kOr:
      return a | b;
    case Operator::kXor:
      return a ^ b;
    case Operator::kNot:
      return ~a;
    case Operator::kReverse:
      return ReverseBits(a);
    case Operator::kRotate:
      return a << b | a >> (32 - b);
    case Operator::kShiftLeft:
      return a << b;
    case Operator::kShiftRight:
      return a >> b;
    case Operator::kShiftRightSigned:
      return static_cast<uint32_t>(static_cast<int32_t>(a) >> b);
    case Operator::kDivide:
      return a / (b | 1);
    case Operator::kRemainder:
      return a % (b | 1);
    case Operator::kLess:
      return std::min(a, b);
    case Operator::kRead:
      return state->local[a & kLocalMask];
    case Operator::kWrite:
      return state->local[a & kLocalMask] = b;
    case Operator::kExchange:
    case Operator::kSubgroupSum:
    case Operator::kSubgroupCount:
    case Operator::kSubgroupFirst:
    case Operator::kSubgroupSame:
      return 0;
    case Operator::kCount:
      break;
  }
  CHECK(false);
}

bool ShiftsBy(Operator what) {
  return what >= Operator::kRotate && what <= Operator::kShiftRightSigned;
}

class Drawing {
 public:
  Drawing(const cfg::Graph& graph, const BlockProperties& facts, const PayloadOptions& options,
          Random* random)
      : graph_(graph), facts_(facts), options_(options), random_(*random) {
    payload_.blocks.reserve(graph.size());
    payload_.operations.reserve(graph.size() * (options.operations + 5));
    payload_.assignments.reserve(graph.size() * 4);
    payload_.hidden = {0, 1};
    while (payload_.hidden.size() < kHiddenWords) {
      payload_.hidden.push_back(static_cast<uint32_t>(random_.Next()));
    }
    payload_.initial[kPosition] = {Operand::kConstant, 0};
    payload_.initial[kHash] = {Operand::kHidden, 2};
    ChooseCounters();
    const bool meets = (options.barriers || options.subgroups) && !facts.converged_visits.empty();
    if (meets) payload_.converged_visits = Carry({Operand::kConstant, 0});
    if (!facts.back_edge.empty()) {
      payload_.fuel = Carry({Operand::kHidden, static_cast<uint32_t>(payload_.hidden.size())});
      payload_.hidden.push_back(kFuel);
    }
    first_value_ = payload_.carried;
    const uint32_t values = static_cast<uint32_t>(random_.Below(options.values + 1));
    for (uint32_t i = 0; i < values && payload_.carried < kMostCarried; ++i) {
      Carry({Operand::kHidden, static_cast<uint32_t>(random_.Below(kHiddenWords))});
    }
  }

  Payload Draw() {
    for (uint32_t block = 0; block < graph_.size(); ++block) DrawBlock(block);
    return std::move(payload_);
  }

 private:
  uint32_t values() const { return payload_.carried - first_value_; }
  uint32_t Carry(Operand initial) {
    payload_.initial[payload_.carried] = initial;
    return payload_.carried++;
  }

  void ChooseCounters() {
    std::vector<uint32_t> headers;
    for (uint32_t block = 0; block < graph_.size(); ++block) {
      if (graph_.blocks[block].is_loop()) headers.push_back(block);
    }
    while (!headers.empty() && counted_.size() < options_.counters) {
      const size_t at = random_.Below(headers.size());
      counted_.push_back(headers[at]);
      headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(at));
    }
    payload_.counters = static_cast<uint32_t>(counted_.size());
    for (uint32_t i = 0; i < payload_.counters; ++i) {
      Carry({Operand::kConstant, 0});
    }
  }

  Operand Add(Operator what, Operand a, Operand b = {}) {
    const uint32_t number =
        static_cast<uint32_t>(payload_.operations.size()) - payload_.blocks.back().first_operation;
    payload_.operations.push_back({what, a, b});
    return {Operand::kResult, number};
  }
  void Assign(uint32_t carried, Operand to) { payload_.assignments.push_back({carried, to}); }

  Operand AnyOperand() {
    const uint32_t results =
        static_cast<uint32_t>(payload_.operations.size()) - payload_.blocks.back().first_operation;
    switch (random_.Below(results > 0 ? 8 : 5)) {
      case 0:
        return {Operand::kConstant, static_cast<uint32_t>(random_.Next())};
      case 1:
        return {Operand::kHidden, static_cast<uint32_t>(random_.Below(kHiddenWords))};
      case 2:
      case 3:
      case 4:
        return {Operand::kCarried, static_cast<uint32_t>(random_.Below(payload_.carried))};
      default:
        return {Operand::kResult, static_cast<uint32_t>(random_.Below(results))};
    }
  }

  Operand AnyOperation() {
    const uint32_t choices =
        static_cast<uint32_t>(options_.local_array ? kFirstGroupOperation : Operator::kRead);
    const Operator what = static_cast<Operator>(random_.Below(choices));
    const Operand a = AnyOperand();
    const Operand b =
        ShiftsBy(what) ? Operand{Operand::kConstant, static_cast<uint32_t>(random_.Between(1, 31))}
                       : AnyOperand();
    payload_.has_array |= what >= Operator::kRead;
    return Add(what, a, b);
  }

  // Draws the work of a block. The number of the block and its results go into the hash.
  void DrawBlock(uint32_t block) {
    BlockWork& work = payload_.blocks.emplace_back();
    work.first_operation = static_cast<uint32_t>(payload_.operations.size());
    work.first_assignment = static_cast<uint32_t>(payload_.assignments.size());
    const uint32_t own = static_cast<uint32_t>(Mix(0x9e3779b9u, block));
    Operand hash = Add(Operator::kRotate, {Operand::kCarried, kHash}, {Operand::kConstant, 5});
    hash = Add(Operator::kXor, hash, {Operand::kConstant, own});
    const uint64_t operations = random_.Below(options_.operations + 1);
    Operand last = {Operand::kConstant, 0};
    for (uint64_t i = 0; i < operations; ++i) last = AnyOperation();
    if (last.kind == Operand::kResult) hash = Add(Operator::kAdd, hash, last);
    const bool ends = graph_.Targets(block).empty();
    if (payload_.converged_visits != 0 && facts_.converged_visits[block])
      hash = AddGroupOperation(hash);
    for (uint32_t i = first_value_; ends && i < payload_.carried; ++i) {
      hash = Add(Operator::kXor, hash, {Operand::kCarried, i});
    }
    hash = Add(Operator::kMultiply, hash, {Operand::kConstant, 0x9e3779b1u});
    Assign(kHash, hash);
    Assign(kPosition, Add(Operator::kAdd, {Operand::kCarried, kPosition}, {Operand::kConstant, 1}));
    Count(block);
    if (payload_.fuel != 0 && facts_.back_edge[block] < 2) {
      Assign(payload_.fuel,
             Add(Operator::kSubtract, {Operand::kCarried, payload_.fuel}, {Operand::kConstant, 1}));
    }
    AssignValues(last);
    work.operations = static_cast<uint32_t>(payload_.operations.size()) - work.first_operation;
    CHECK(work.operations <= kMostOperations);
    work.assignments = static_cast<uint32_t>(payload_.assignments.size()) - work.first_assignment;
  }

  // Adds group operations for a converged visit. Their results are 0, so they do not change the
  // hash.
  Operand AddGroupOperation(Operand hash) {
    const Operand count = {Operand::kCarried, payload_.converged_visits};
    Assign(payload_.converged_visits, Add(Operator::kAdd, count, {Operand::kConstant, 1}));
    if (options_.barriers && random_.Percent(60)) {
      hash = Add(Operator::kAdd, hash, Add(Operator::kExchange, count));
    }
    if (options_.subgroups && random_.Percent(60)) {
      const auto what = random_.Between(static_cast<uint64_t>(kFirstSubgroup),
                                        static_cast<uint64_t>(Operator::kCount) - 1);
      hash = Add(Operator::kXor, hash, Add(static_cast<Operator>(what), count));
      payload_.subgroups = true;
    }
    return hash;
  }

  // A counter is 0 when its loop is entered, and increases by one with every visit of the header.
  void Count(uint32_t block) {
    for (uint32_t i = 0; i < payload_.counters; ++i) {
      const uint32_t carried = kFirstOther + i, header = counted_[i];
      const auto to = graph_.Targets(block);
      if (block == header) {
        Assign(carried, Add(Operator::kAdd, {Operand::kCarried, carried}, {Operand::kConstant, 1}));
      } else if (std::find(to.begin(), to.end(), header) != to.end() && block < header) {
        Assign(carried, {Operand::kConstant, 0});
      }
    }
  }

  // Exchanges two values, or assigns the last result to one.
  void AssignValues(Operand last) {
    if (values() == 0 || random_.Percent(40)) return;
    const uint32_t one = first_value_ + static_cast<uint32_t>(random_.Below(values()));
    if (values() > 1 && random_.Percent(40)) {
      const uint32_t other = one + 1 == payload_.carried ? first_value_ : one + 1;
      Assign(one, {Operand::kCarried, other});
      Assign(other, {Operand::kCarried, one});
    } else {
      Assign(one, last.kind == Operand::kResult ? last : Operand{Operand::kCarried, kHash});
    }
  }

  const cfg::Graph& graph_;
  const BlockProperties& facts_;
  const PayloadOptions& options_;
  Random& random_;
  uint32_t first_value_ = kFirstOther;
  std::vector<uint32_t> counted_;  // headers of the loops with counters
  Payload payload_;
};

}  // namespace

Payload DrawPayload(const cfg::Graph& graph, const BlockProperties& facts,
                    const PayloadOptions& options, Random* random) {
  return Drawing(graph, facts, options, random).Draw();
}

State InitialState(const Payload& payload) {
  State state;
  for (uint32_t i = 0; i < payload.carried; ++i) {
    const Operand& from = payload.initial[i];
    state.carried[i] = from.kind == Operand::kHidden ? payload.hidden[from.value] : from.value;
  }
  return state;
}

void Evaluate(const Payload& payload, uint32_t block, State* state) {
  const BlockWork& work = payload.blocks[block];
  std::array<uint32_t, kMostOperations> results;
  // The places of operands by kind; a constant is in the operand itself. This avoids a branch,
  // which would be unpredictable and would run for every visit of every path.
  const uint32_t* const places[] = {state->carried.data(), results.data(), nullptr,
                                    payload.hidden.data()};
  static_assert(Operand::kCarried == 0 && Operand::kResult == 1 && Operand::kHidden == 3);
  const auto value = [&](const Operand& operand) {
    const uint32_t* const place = places[operand.kind];
    return *(place == nullptr ? &operand.value : place + operand.value);
  };
  for (uint32_t i = 0; i < work.operations; ++i) {
    const Operation& operation = payload.operations[work.first_operation + i];
    results[i] = Compute(operation.what, value(operation.a), value(operation.b), state);
  }
  std::array<uint32_t, kMostCarried> assigned;
  const Assignment* const assignments = payload.assignments.data() + work.first_assignment;
  for (uint32_t i = 0; i < work.assignments; ++i) assigned[i] = value(assignments[i].to);
  for (uint32_t i = 0; i < work.assignments; ++i) {
    state->carried[assignments[i].carried] = assigned[i];
  }
}

}  // namespace refract::flesh
