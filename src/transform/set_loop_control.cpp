// SPDX-License-Identifier: Apache-2.0
#include "message/set_loop_control.h"

#include <algorithm>

#include "transform/context_editor.h"
#include "transform/rule.h"

namespace refract::set_loop_control {
namespace {

using Message = message::SetLoopControl;

// SPIR-V 3.23.
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
// Of iterations to peel or unroll: a hint, kept small so that who takes it stays fast.
constexpr uint32_t kMaxCount = 64;
constexpr uint32_t kVersionWithCounts = 0x00010400;

// A mask with the parameter of each bit that takes one, by bit number.
struct Controls {
  uint32_t mask = 0;
  uint32_t parameter[9] = {};
  friend bool operator==(const Controls&, const Controls&) = default;
};

// Parameters follow the mask from the lowest bit up; the mask is known bits only.
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

Verdict CheckControls(const Module& module, const Controls& old_controls, const Controls& wanted) {
  for (uint32_t bit = 0; bit < 9; ++bit) {
    const uint32_t mask = 1u << bit;
    if ((wanted.mask & mask) == 0) continue;
    const bool is_same =
        (old_controls.mask & mask) != 0 && wanted.parameter[bit] == old_controls.parameter[bit];
    if (is_same) continue;
    if ((kPromises & mask) != 0) return No("the control would promise something new");
    if ((kCounts & mask) == 0) continue;
    if (module.version() < kVersionWithCounts) return No("the version has no such control");
    if (wanted.parameter[bit] == 0 || wanted.parameter[bit] > kMaxCount) {
      return No("a count is not from 1 to 64");
    }
  }
  if ((wanted.mask & kDontUnroll) != 0 && (wanted.mask & (kUnroll | kCounts)) != 0) {
    return No("DontUnroll excludes the other hints");
  }
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst merge = view.Find(message.merge);
  if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpLoopMerge) {
    return No("there is no such OpLoopMerge");
  }
  if ((message.control & ~kKnown) != 0) return No("the control has an unknown bit");
  if ((module.Word(merge, 2) & ~kKnown) != 0) return No("the loop has a control of an extension");
  if (message.parameters.size() != ParameterCount(message.control)) {
    return No("the number of parameters is not that of the control");
  }
  size_t next = 0;
  return CheckControls(module, ControlsOf(module, merge),
                       Parse(message.control, [&] { return message.parameters[next++]; }));
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst merge = module.Find(message.merge);
  Args args{module.IdAt(merge, 0), module.IdAt(merge, 1), message.control};
  for (const uint32_t parameter : message.parameters) args.push_back(parameter);
  editor.SetOperands(merge, args);
}

// Hints at random; promises are all kept or all dropped.
Controls PickControls(Proposer& proposer, const Controls& old_controls) {
  Controls controls = old_controls;
  controls.mask &= proposer.Pick(2) == 0 ? kPromises : 0;
  constexpr uint32_t kHints[] = {
      0, kUnroll, kDontUnroll, kPeelCount, kPartialCount, kCounts, kUnroll | kPartialCount};
  const bool has_counts = proposer.module().version() >= kVersionWithCounts;
  controls.mask |= kHints[proposer.Pick(has_counts ? std::size(kHints) : 3)];
  for (uint32_t bit = 0; bit < 9; ++bit) {
    const uint32_t mask = 1u << bit;
    if ((controls.mask & mask) == 0) controls.parameter[bit] = 0;
    // Small ones are the likelier to be acted on.
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
      if ((module.Word(merge, 2) & ~kKnown) != 0 || !proposer.Toss()) return;
      const Controls old_controls = ControlsOf(module, merge);
      const Controls controls = PickControls(proposer, old_controls);
      if (controls == old_controls) return;
      proposer.Offer(Message{module.NameOf(merge), controls.mask, Parameters(controls)});
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {20, 90}});

}  // namespace refract::set_loop_control
