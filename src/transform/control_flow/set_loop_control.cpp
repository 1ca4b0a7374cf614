// SPDX-License-Identifier: Apache-2.0
// Sets the loop control of a loop: hints, and promises that are true. A promise is true if it
// promises nothing, or no more than one that was there. In a dead block, every promise is true.
#include "message/set_loop_control.h"

#include <algorithm>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::set_loop_control {
namespace {

using Message = message::SetLoopControl;

// SPIR-V 3.23, Loop Control.
enum Control : uint32_t {
  kUnroll = 0x1,
  kDontUnroll = 0x2,
  kDependencyInfinite = 0x4,
  kDependencyLength = 0x8,
  kMinIterations = 0x10,
  kMaxIterations = 0x20,
  kIterationMultiple = 0x40,
  kPeelCount = 0x80,
  kPartialCount = 0x100,
};
constexpr uint32_t kCounts = kPeelCount | kPartialCount;
constexpr uint32_t kPromises =
    kDependencyInfinite | kDependencyLength | kMinIterations | kMaxIterations | kIterationMultiple;
constexpr uint32_t kKnown = kUnroll | kDontUnroll | kPromises | kCounts;
constexpr uint32_t kWithParameter = (kPromises & ~kDependencyInfinite) | kCounts;
// The number of iterations to peel or unroll: a hint, kept small so that compilers that follow it
// stay fast.
constexpr uint32_t kMaxCount = 64;
constexpr uint32_t kVersionWithCounts = 0x00010400;
constexpr uint32_t kVersionWithDependency = 0x00010100;

// A loop control mask, with the parameters of its bits, by bit number.
struct Controls {
  uint32_t mask = 0;
  uint32_t parameter[9] = {};
  friend bool operator==(const Controls&, const Controls&) = default;
};

// Parameters follow the mask, from the lowest bit up. The mask contains only known bits.
template <class Next>
Controls Parse(uint32_t mask, Next next) {
  Controls controls;
  controls.mask = mask;
  for (uint32_t bit = 0; bit < 9; ++bit) {
    if ((mask & kWithParameter & (1u << bit)) != 0) controls.parameter[bit] = next();
  }
  return controls;
}

uint32_t ParameterCount(uint32_t mask) {
  uint32_t count = 0;
  for (uint32_t bits = mask & kWithParameter; bits != 0; bits &= bits - 1) ++count;
  return count;
}

std::vector<uint32_t> Parameters(const Controls& controls) {
  std::vector<uint32_t> parameters;
  for (uint32_t bit = 0; bit < 9; ++bit) {
    if ((controls.mask & kWithParameter & (1u << bit)) != 0) {
      parameters.push_back(controls.parameter[bit]);
    }
  }
  return parameters;
}

Controls ControlsOf(const Module& module, Inst merge) {
  uint32_t operand = 3;
  return Parse(module.Word(merge, 2), [&] { return module.Word(merge, operand++); });
}

// True if the promise of this bit is true: it promises no more than the original did, or nothing
// (SPIR-V 3.23: at least 0 iterations, at most the largest 32-bit number, a multiple of 1).
bool IsTruePromise(const Controls& old_controls, uint32_t bit, uint32_t value) {
  const bool was_there = (old_controls.mask & (1u << bit)) != 0;
  const uint32_t old_value = old_controls.parameter[bit];
  switch (1u << bit) {
    case kMinIterations:
      return value == 0 || (was_there && value <= old_value);
    case kMaxIterations:
      return value == UINT32_MAX || (was_there && value >= old_value);
    case kIterationMultiple:
      return value == 1 || (was_there && value != 0 && old_value % value == 0);
    default:
      return was_there && value == old_value;
  }
}

// True if the SPIR-V version has the control.
bool HasControl(const Module& module, uint32_t mask) {
  constexpr uint32_t kOfVersion11 = kDependencyInfinite | kDependencyLength;
  if ((mask & (kUnroll | kDontUnroll)) != 0) return true;
  return module.version() >=
         ((mask & kOfVersion11) != 0 ? kVersionWithDependency : kVersionWithCounts);
}

CheckResult CheckControls(const View& view, Inst merge, const Controls& wanted) {
  const Module& module = view.module();
  const Controls old_controls = ControlsOf(module, merge);
  for (uint32_t bit = 0; bit < 9; ++bit) {
    const uint32_t mask = 1u << bit;
    if ((wanted.mask & mask) == 0) continue;
    const bool is_same =
        (old_controls.mask & mask) != 0 && wanted.parameter[bit] == old_controls.parameter[bit];
    if (is_same) continue;
    if (!HasControl(module, mask)) {
      return No("the SPIR-V version does not support the loop control");
    }
    if (mask == kIterationMultiple && wanted.parameter[bit] == 0) {
      return No("IterationMultiple must not be 0");
    }
    if ((kPromises & mask) != 0 && !IsTruePromise(old_controls, bit, wanted.parameter[bit]) &&
        !view.IsDead(module.BlockOf(merge))) {
      return No("the loop control promises something that the old loop control does not promise");
    }
    if ((kCounts & mask) == 0) continue;
    if (wanted.parameter[bit] == 0 || wanted.parameter[bit] > kMaxCount) {
      return No("an iteration count of the loop control is not between 1 and 64");
    }
  }
  if ((wanted.mask & kDontUnroll) != 0 && (wanted.mask & (kUnroll | kCounts)) != 0) {
    return No("DontUnroll cannot be combined with the other unroll controls");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst merge = view.Find(message.merge);
  if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpLoopMerge) {
    return No("the OpLoopMerge does not exist");
  }
  if ((message.control & ~kKnown) != 0) return No("the loop control has an unknown bit");
  if ((module.Word(merge, 2) & ~kKnown) != 0) {
    return No("the loop has a loop control that an extension defines");
  }
  if (message.parameters.size() != ParameterCount(message.control)) {
    return No("the number of parameters does not match the loop control");
  }
  size_t next = 0;
  return CheckControls(view, merge,
                       Parse(message.control, [&] { return message.parameters[next++]; }));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst merge = module.Find(message.merge);
  Args args{module.IdAt(merge, 0), module.IdAt(merge, 1), message.control};
  for (const uint32_t parameter : message.parameters) args.push_back(parameter);
  editor.SetOperands(merge, args);
}

// Picks a new parameter for this promise: a true one if the loop can run, any number if it is dead.
uint32_t PickPromise(Proposer& proposer, const Controls& old_controls, uint32_t bit, bool is_dead) {
  const bool was_there = (old_controls.mask & (1u << bit)) != 0;
  const uint32_t old_value = old_controls.parameter[bit];
  const auto small = static_cast<uint32_t>(proposer.Pick(16));
  switch (1u << bit) {
    case kMinIterations:
      if (is_dead) return small;
      return was_there ? old_value / (1 + small) : 0;
    case kMaxIterations:
      if (is_dead) return small;
      return was_there && old_value <= UINT32_MAX - small ? old_value + small : UINT32_MAX;
    case kIterationMultiple:
      if (is_dead) return 1 + small;
      return was_there && small % 2 == 0 ? old_value : 1;
    case kDependencyLength:
      return is_dead ? 1 + small : old_value;
    default:
      return 0;
  }
}

// Picks promises: kept, removed, weakened, or new ones that are true.
void PickPromises(Proposer& proposer, const Controls& old_controls, bool is_dead,
                  Controls* controls) {
  const Module& module = proposer.module();
  if (proposer.Pick(2) == 0) controls->mask |= old_controls.mask & kPromises;
  for (uint32_t bit = 0; bit < 9; ++bit) {
    const uint32_t mask = 1u << bit;
    if ((kPromises & mask) == 0 || proposer.Pick(4) != 0) continue;
    const bool was_there = (old_controls.mask & mask) != 0;
    const bool is_dependency = (mask & (kDependencyInfinite | kDependencyLength)) != 0;
    if (!was_there && (!HasControl(module, mask) || (is_dependency && !is_dead))) continue;
    controls->mask |= mask;
    controls->parameter[bit] = PickPromise(proposer, old_controls, bit, is_dead);
  }
  // These two contradict each other.
  if ((controls->mask & kDependencyInfinite) != 0) controls->mask &= ~kDependencyLength;
}

Controls PickControls(Proposer& proposer, const Controls& old_controls, bool is_dead) {
  Controls controls = old_controls;
  controls.mask = 0;
  PickPromises(proposer, old_controls, is_dead, &controls);
  constexpr uint32_t kHints[] = {
      0, kUnroll, kDontUnroll, kPeelCount, kPartialCount, kCounts, kUnroll | kPartialCount};
  const bool has_counts = proposer.module().version() >= kVersionWithCounts;
  controls.mask |= kHints[proposer.Pick(has_counts ? std::size(kHints) : 3)];
  for (uint32_t bit = 0; bit < 9; ++bit) {
    const uint32_t mask = 1u << bit;
    if ((controls.mask & mask) == 0) controls.parameter[bit] = 0;
    // Compilers are more likely to act on small numbers.
    if ((controls.mask & kCounts & mask) != 0) {
      const size_t limit = size_t{2} << proposer.Pick(6);
      controls.parameter[bit] = static_cast<uint32_t>(1 + proposer.Pick(limit));
    }
  }
  return controls;
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const Inst merge = module.MergeInstruction(block);
      if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpLoopMerge) return;
      if ((module.Word(merge, 2) & ~kKnown) != 0 || !proposer.ShouldTry()) return;
      const Controls old_controls = ControlsOf(module, merge);
      const bool is_dead = proposer.view().facts().Dead(module.LabelId(block)) != nullptr;
      const Controls controls = PickControls(proposer, old_controls, is_dead);
      if (controls == old_controls) return;
      proposer.Offer(Message{module.NameOf(merge), controls.mask, Parameters(controls)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {20, 90}});

}  // namespace refract::set_loop_control
