// SPDX-License-Identifier: Apache-2.0
#include "interp/machine.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "interp/describe.h"
#include "interp/ops/float_lanes.h"

namespace refract {
inline namespace interp {

uint32_t WidthOf(Scalar scalar) {
  switch (scalar) {
    case Scalar::kBool:
      return 1;
    case Scalar::kInt8:
      return 8;
    case Scalar::kInt16:
    case Scalar::kFloat16:
      return 16;
    case Scalar::kInt64:
    case Scalar::kFloat64:
    case Scalar::kAddress:
      return 64;
    default:
      return 32;
  }
}

Machine::Machine(const Program::Code& code, uint32_t lanes, const RunOptions& options)
    : code_(code),
      options_(options),
      lanes_(lanes),
      subgroup_size_(std::min(options.schedule.subgroup_size, lanes)),
      active_(lanes),
      live_(lanes),
      helper_(lanes),
      discarded_(lanes),
      approximate_lanes_(lanes),
      lane_steps_(lanes),
      block_counts_(code.labels.size()),
      sparse_(lanes, options.limits.memory),
      random_(Mix(code.randomise, options.perturb)) {
  CHECK(lanes % 4 == 0 && lanes <= kMaxLanes);
  active_list_.resize(lanes);
  active_mask_.resize(lanes + kLaneBlock);
  Reserve(code.rows);
  uniform_values_.states.resize(code.uniform_values.size());
  uniform_values_.words.resize(code.uniform_value_rows);
  for (uint32_t lane = 0; lane < lanes; ++lane) lane_order_.push_back(static_cast<uint16_t>(lane));
  if (options.schedule.order == Schedule::Order::kBackward) {
    std::reverse(lane_order_.begin(), lane_order_.end());
  } else if (options.schedule.order == Schedule::Order::kShuffled) {
    Random random(options.schedule.seed);
    for (size_t i = lanes; i > 1; --i) std::swap(lane_order_[i - 1], lane_order_[random.Below(i)]);
  }
}

Machine::~Machine() = default;

// Allocates a few more rows: the validator does not check the operands of OpSpecConstantOp, so a
// vector may be read with more components than it has.
void Machine::Reserve(uint32_t rows) {
  constexpr uint32_t kBeyond = 64;
  rows += kBeyond;
  words_.resize(size_t{rows} * lanes_);
  shadows_.resize(size_t{rows} * lanes_);
  shadowed_.resize(rows);
}

void Machine::SetConstants() {
  for (; constants_set_ < code_.constants.size(); ++constants_set_) {
    const ConstantRow& constant = code_.constants[constants_set_];
    std::fill_n(Row(constant.row), lanes_, constant.word);
    if (constant.shadow != 0) std::fill_n(MakeShadowed(constant.row), lanes_, constant.shadow);
  }
}

// --- rows

void Machine::BeginShadow(uint32_t row) {
  std::fill_n(ShadowRow(row), lanes_, 0u);
  shadowed_[row] = 1;
}

void Machine::ClearShadow(uint32_t row) {
  if (shadowed_[row] == 0) return;
  if (AllActive()) {
    shadowed_[row] = 0;
    return;
  }
  uint32_t* shadows = ShadowRow(row);
  ForActive([&](uint32_t lane) { shadows[lane] = 0; });
}

// Copies lane by lane if few lanes are active, else all lanes with a mask.
void Machine::CopyActive(uint32_t* to, const uint32_t* from) {
  if (AllActive()) {
    std::copy_n(from, lanes_, to);
  } else if (active_count_ < lanes_ / 16) {
    ForActive([&](uint32_t lane) { to[lane] = from[lane]; });
  } else {
    const BlendLoop blend = FloatLoopsOfThisMachine().blend;
    for (uint32_t first = 0; first < lanes_; first += kLaneBlock) {
      if (active_.HasInBlock(first)) blend(to + first, from + first, active_mask_.data() + first);
    }
  }
}

void Machine::Copy(uint32_t to, uint32_t from, uint32_t rows) {
  if (AllActive()) {
    std::copy_n(Row(from), size_t{rows} * lanes_, Row(to));
  } else {
    for (uint32_t row = 0; row < rows; ++row) CopyActive(Row(to + row), Row(from + row));
  }
  for (uint32_t row = 0; row < rows; ++row) CopyShadow(to + row, from + row);
}

void Machine::CopyShadow(uint32_t to, uint32_t from) {
  if (shadowed_[from] == 0) {
    ClearShadow(to);
    return;
  }
  CopyActive(MakeShadowed(to), ShadowRow(from));
}

// --- invocations

void Machine::AddPendingSteps() {
  ForActive([&](uint32_t lane) { lane_steps_[lane] += pending_steps_; });
  pending_steps_ = 0;
}

void Machine::Activate(const LaneSet& lanes) {
  if (lanes == active_) return;
  if (pending_steps_ != 0) AddPendingSteps();
  active_ = lanes;
  active_count_ = 0;
  std::fill(active_mask_.begin(), active_mask_.end(), 0u);
  active_.ForEach([&](uint32_t lane) {
    active_list_[active_count_++] = static_cast<uint16_t>(lane);
    active_mask_[lane] = ~0u;
  });
  empty_ = active_count_ == 0;
}

void Machine::Demote() {
  helper_ |= active_;
  discarded_ |= active_;
}

void Machine::Discard() {
  discarded_ |= active_;
  live_ -= active_;
  Activate(LaneSet(lanes_));
}

// --- failures

std::string Machine::NameOf(uint32_t number) const {
  if (code_.is_compute) {
    return format("invocation {} of workgroup {}", number % lanes_, number / lanes_);
  }
  if (code_.is_vertex) {
    const BoundMesh& mesh = code_.bindings.mesh;
    if (mesh.instances == 1) return format("the vertex {}", number);
    return format("the vertex {} of instance {}", number % mesh.vertices, number / mesh.vertices);
  }
  const Bindings& bindings = code_.bindings;
  const uint32_t in_frame = bindings.per_sample ? number / bindings.samples : number;
  const uint32_t quad = in_frame / 4, columns = (bindings.width + 1) / 2;
  const std::string pixel = format("the pixel ({}, {})", quad % columns * 2 + in_frame % 2,
                                   quad / columns * 2 + in_frame % 4 / 2);
  return bindings.per_sample ? format("sample {} of {}", number % bindings.samples, pixel) : pixel;
}

void Machine::Fail(Trap::Kind kind, Inst instruction, uint32_t lane, std::string message) {
  if (trap_) return;
  Trap& trap = trap_.emplace();
  trap.kind = kind;
  trap.instruction = instruction;
  trap.function = code_.module->FunctionOf(instruction);
  trap.message = std::move(message);
  if (batch_ != nullptr) {
    trap.invocation[0] = batch_->x[lane];
    trap.invocation[1] = batch_->y[lane];
    trap.invocation[2] = batch_->z[lane];
  }
}

void Machine::FailUndefined(const Op& op, uint32_t lane, std::string_view what) {
  if (trap_) return;
  Fail(Trap::Kind::kUndefinedBehaviour, op.instruction, lane,
       format("{}: {}", Describe(*code_.module, op.instruction), what));
}

bool Machine::RequireDefined(Inst instruction, uint32_t row, uint32_t lane, std::string_view what) {
  const uint32_t shadow = ShadowOf(row, lane);
  if ((shadow & kUndefinedBit) != 0) {
    if (!trap_) {
      Fail(Trap::Kind::kUndefinedBehaviour, instruction, lane,
           format("{}: {} is undefined", Describe(*code_.module, instruction), what));
    }
    return false;
  }
  if ((shadow & kApproximateBit) != 0) RecordApproximateControl(lane);
  return true;
}

}  // namespace interp
}  // namespace refract
