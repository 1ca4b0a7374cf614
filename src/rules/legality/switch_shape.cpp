// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/switch_shape.h"

#include <algorithm>

#include "ir/branches.h"
#include "ir/types.h"

namespace refract {
inline namespace rules {
namespace {

// A case begins a construct that the switch dominates. A block inside a switch cannot break to an
// enclosing switch, and two cases may join only at the beginning of one of them.
CheckResult MayBeCase(const ControlFlow& flow, Block header, Block merge, Block target) {
  if (target == merge || flow.StructurallyDominates(header, target)) return Yes();
  return No("a target of the branch is outside the selection");
}

}  // namespace

std::vector<Block> BlocksInside(const ControlFlow& flow, Block header, Block merge) {
  std::vector<Block> blocks;
  for (Block block : flow.order) {
    if (block != header && flow.StructurallyDominates(header, block) &&
        !flow.StructurallyDominates(merge, block)) {
      blocks.push_back(block);
    }
  }
  return blocks;
}

std::optional<Switch> ParseSwitch(const Module& module, Inst inst) {
  if (inst == Inst::kNone || module.Opcode(inst) != spv::Op::OpSwitch) return std::nullopt;
  Switch parts;
  parts.header = module.BlockOf(inst);
  const Inst merge = module.MergeInstruction(parts.header);
  if (merge == Inst::kNone || module.Opcode(merge) != spv::Op::OpSelectionMerge) {
    return std::nullopt;
  }
  parts.merge = module.BlockOfLabel(module.IdAt(merge, 0));
  parts.width = Width(module, module.TypeOf(module.IdAt(inst, 0)));
  parts.default_target = module.BlockOfLabel(module.IdAt(inst, 1));
  const uint32_t words = SwitchLiteralWords(module, inst);
  for (uint32_t i = 2; i + words < module.OperandCount(inst); i += words + 1) {
    uint64_t value = module.Word(inst, i);
    if (words == 2) value |= uint64_t{module.Word(inst, i + 1)} << 32;
    if (parts.width < 64) value &= (uint64_t{1} << parts.width) - 1;
    parts.cases.push_back({value, module.BlockOfLabel(module.IdAt(inst, i + words))});
  }
  return parts;
}

Args SwitchArgs(const Module& module, Id selector, const Switch& parts) {
  Args args{selector, module.LabelId(parts.default_target)};
  const Id type = module.TypeOf(selector);
  for (const SwitchCase& each : parts.cases) {
    for (uint32_t word : LiteralWords(module, type, each.value)) args.push_back(word);
    args.push_back(module.LabelId(each.target));
  }
  return args;
}

bool IsTarget(const Switch& parts, Block block) {
  return block == parts.default_target ||
         std::any_of(parts.cases.begin(), parts.cases.end(),
                     [&](const SwitchCase& each) { return each.target == block; });
}

Block FallThroughTarget(const ControlFlow& flow, const Switch& parts, Block target) {
  if (target == parts.merge) return Block::kNone;
  for (Block block : flow.order) {
    if (!flow.StructurallyDominates(target, block) ||
        flow.StructurallyDominates(parts.merge, block)) {
      continue;
    }
    for (Block successor : flow.Successors(block)) {
      if (successor != target && successor != parts.merge && IsTarget(parts, successor)) {
        return successor;
      }
    }
  }
  return Block::kNone;
}

Block FallThroughSource(const ControlFlow& flow, const Switch& parts, Block target) {
  if (target == parts.merge) return Block::kNone;
  for (Block predecessor : flow.Predecessors(target)) {
    if (predecessor == parts.header || flow.StructurallyDominates(target, predecessor)) continue;
    if (flow.StructurallyDominates(parts.default_target, predecessor)) return parts.default_target;
    for (const SwitchCase& each : parts.cases) {
      if (flow.StructurallyDominates(each.target, predecessor)) return each.target;
    }
  }
  return Block::kNone;
}

Block CaseContaining(const ControlFlow& flow, const Switch& parts, Block block) {
  if (flow.StructurallyDominates(parts.merge, block)) return Block::kNone;
  const auto is_around = [&](Block target) {
    return target != parts.merge && flow.StructurallyDominates(target, block);
  };
  if (is_around(parts.default_target)) return parts.default_target;
  for (const SwitchCase& each : parts.cases) {
    if (is_around(each.target)) return each.target;
  }
  return Block::kNone;
}

CheckResult MayFallThrough(const ControlFlow& flow, const Switch& parts, Block from, Block to) {
  if (from == parts.merge || to == parts.merge) return No("the merge block is not a case");
  if (from == to) return No("the two given cases are the same case of the switch");
  if (FallThroughTarget(flow, parts, from) != Block::kNone) {
    return No("the case already falls through to another case");
  }
  if (FallThroughSource(flow, parts, to) != Block::kNone) {
    return No("another case falls through to the target case");
  }
  const auto is_listed = [&](Block target) {
    return std::any_of(parts.cases.begin(), parts.cases.end(),
                       [&](const SwitchCase& each) { return each.target == target; });
  };
  // SPIR-V 2.11.3: a default that is not listed counts as standing between the case that falls
  // through to it and the case that it falls through to.
  const Block first = is_listed(from) ? from : FallThroughSource(flow, parts, from);
  const Block second = is_listed(to) ? to : FallThroughTarget(flow, parts, to);
  if (first == Block::kNone || second == Block::kNone) return Yes();
  for (size_t i = 0; i + 1 < parts.cases.size(); ++i) {
    if (parts.cases[i].target == first && parts.cases[i + 1].target == second && first != second) {
      return Yes();
    }
  }
  return No("the two cases are not adjacent in the OpSwitch");
}

CheckResult MayBeSwitch(const Module& module, Block header) {
  const Inst branch = module.Terminator(header), merge_inst = module.MergeInstruction(header);
  const ControlFlow& flow = module.Flow(module[header].function);
  const Block merge = module.BlockOfLabel(module.IdAt(merge_inst, 0));
  const Block sides[] = {module.BlockOfLabel(module.IdAt(branch, 1)),
                         module.BlockOfLabel(module.IdAt(branch, 2))};
  for (Block side : sides) {
    if (const CheckResult v = MayBeCase(flow, header, merge, side); !v) return v;
  }
  const Construct* loop = flow.InnermostLoop(header);
  for (Block block : BlocksInside(flow, header, merge)) {
    const bool is_in_case = std::any_of(std::begin(sides), std::end(sides), [&](Block side) {
      return side != merge && flow.StructurallyDominates(side, block);
    });
    if (!is_in_case) return No("the branches of the selection join before the merge block");
    for (Block successor : flow.Successors(block)) {
      const bool is_inside = successor == merge || (flow.StructurallyDominates(header, successor) &&
                                                    !flow.StructurallyDominates(merge, successor));
      const bool is_loop_exit =
          loop != nullptr && (successor == loop->merge || successor == loop->continue_target);
      if (!is_inside && !is_loop_exit) {
        return No("a branch of the selection leaves an enclosing switch");
      }
    }
  }
  return Yes();
}

CheckResult MayBeSelection(const Module& module, const Switch& parts) {
  const ControlFlow& flow = module.Flow(module[parts.header].function);
  const uint32_t own = flow.InnermostConstruct(parts.header);
  for (Block block : BlocksInside(flow, parts.header, parts.merge)) {
    const auto successors = flow.Successors(block);
    bool breaks = false, falls = false;
    for (Block successor : successors) {
      breaks = breaks || successor == parts.merge;
      falls = falls || (successor != parts.merge && IsTarget(parts, successor) &&
                        !flow.StructurallyDominates(successor, block));
    }
    if (breaks && flow.InnermostConstruct(block) != own) {
      return No("a block of a nested construct branches to the merge block of the switch");
    }
    // A selection with one side that falls through is valid if the branch also leaves the
    // selection, but Mesa's front end rejects it (docs/bugs.md).
    if (falls && successors.size() > 1) {
      return No("a case falls through to another case only under a condition");
    }
  }
  return Yes();
}

}  // namespace rules
}  // namespace refract
