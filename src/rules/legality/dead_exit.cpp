// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/dead_exit.h"

#include <algorithm>

#include "ir/call_graph.h"
#include "ir/edges.h"
#include "rules/legality/condition.h"

namespace refract {
inline namespace rules {

std::vector<Block> BreakTargets(const ControlFlow& flow, Block block) {
  std::vector<Block> targets;
  bool in_switch = false;
  uint32_t c = flow.InnermostConstruct(block);
  for (bool innermost = true; c != Construct::kNone; c = flow.constructs[c].parent) {
    const Construct& construct = flow.constructs[c];
    // Only its back-edge block may leave a continue construct.
    if (construct.kind == ConstructKind::kContinue) {
      const auto successors = flow.Successors(block);
      const bool goes_back =
          std::find(successors.begin(), successors.end(), construct.header) != successors.end();
      if (innermost && goes_back) targets.push_back(construct.merge);
      break;
    }
    const bool is_switch = construct.kind == ConstructKind::kSwitch;
    const bool is_loop = construct.kind == ConstructKind::kLoop;
    // A branch may leave any selections on its way to a merge block, but at most one switch.
    if (innermost || is_loop || (is_switch && !in_switch)) targets.push_back(construct.merge);
    if (is_loop) break;
    in_switch = in_switch || is_switch;
    innermost = false;
  }
  return targets;
}

Block ContinueTarget(const ControlFlow& flow, Block block) {
  for (uint32_t c = flow.InnermostConstruct(block); c != Construct::kNone;
       c = flow.constructs[c].parent) {
    const Construct& construct = flow.constructs[c];
    if (construct.kind == ConstructKind::kContinue) break;
    if (construct.kind == ConstructKind::kLoop) return construct.continue_target;
  }
  return Block::kNone;
}

bool LeavesConstruct(const ControlFlow& flow, Block block) {
  const Block successor = flow.Successors(block)[0];
  const std::vector<Block> merges = BreakTargets(flow, block);
  return ContinueTarget(flow, block) == successor ||
         std::find(merges.begin(), merges.end(), successor) != merges.end();
}

namespace {

bool HasMeshShader(const Module& module) {
  bool has = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst entry) {
    has |= module.Word(entry, 0) == static_cast<uint32_t>(spv::ExecutionModel::MeshEXT);
  });
  return has;
}

// Also true for a call of a function that may do it.
bool SetsMeshOutputs(const Module& module, Inst inst) {
  if (module.Opcode(inst) == spv::Op::OpSetMeshOutputsEXT) return true;
  if (module.Opcode(inst) != spv::Op::OpFunctionCall) return false;
  const Function called = module.FunctionOfId(module.IdAt(inst, 0));
  for (const Function function : Reached(module, called)) {
    bool sets = false;
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst one) {
        sets |= module.Opcode(one) == spv::Op::OpSetMeshOutputsEXT;
      });
    });
    if (sets) return true;
  }
  return false;
}

bool SetsMeshOutputs(const Module& module, Block block) {
  bool sets = false;
  ForEachInstruction(module, block, [&](Inst inst) { sets |= SetsMeshOutputs(module, inst); });
  return sets;
}

// True if no edge from the block, or between blocks that it dominates, leads past an
// OpSetMeshOutputsEXT of its function: the function has none, or one in a block that dominates it.
bool IsAfterMeshOutputs(const Module& module, Block from) {
  const Function function = module[from].function;
  const ControlFlow& flow = module.Flow(function);
  bool any = false, before = false;
  ForEachBlock(module, function, [&](Block block) {
    if (before || !SetsMeshOutputs(module, block)) return;
    any = true;
    before = block != from && flow.Reachable(block) && flow.Dominates(block, from);
  });
  return !any || before;
}

}  // namespace

CheckResult MayAddEdges(const Module& module) {
  bool refused = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kCapabilities), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpCapability) return;
    switch (static_cast<spv::Capability>(module.Word(inst, 0))) {
      // The begin and end of an interlocked section must be executed on every path, in order.
      case spv::Capability::FragmentShaderSampleInterlockEXT:
      case spv::Capability::FragmentShaderPixelInterlockEXT:
      case spv::Capability::FragmentShaderShadingRateInterlockEXT:
        refused = true;
        break;
      default:
        break;
    }
  });
  return refused
             ? No("the module declares a capability for instructions that every path must execute")
             : Yes();
}

CheckResult MayAddEdges(const Module& module, Block from) {
  if (const CheckResult v = MayAddEdges(module); !v) return v;
  // SPV_EXT_mesh_shader, OpSetMeshOutputsEXT.
  if (HasMeshShader(module) && !IsAfterMeshOutputs(module, from)) {
    return No("every path to a mesh output must execute OpSetMeshOutputsEXT, which may come later");
  }
  return Yes();
}

CheckResult MayBecomeConditional(const View& view, Block from) {
  const Module& module = view.module();
  if (from == Block::kNone) return No("the branch does not exist");
  if (module.Opcode(module.Terminator(from)) != spv::Op::OpBranch) {
    return No("the block does not end with OpBranch");
  }
  // For unreachable blocks, being dead has no meaning, and spirv-val 2023.1 falsely rejects exits
  // from unreachable case constructs.
  if (!module.Flow(module[from].function).Reachable(from)) return No("the block is unreachable");
  view.DependOn(module.Terminator(from), 0);
  return MayAddEdges(module, from);
}

void DependOnConstruct(const View& view, Block header) {
  if (header != Block::kNone) view.DependOn(view.module().MergeInstruction(header), 0);
}

CheckResult MayAddDeadExit(const Module& module, Block from, Block to) {
  if (module.Flow(module[from].function).Successors(from)[0] == to) {
    return No("the block already branches to the target");
  }
  if (!PhisHaveNulls(module, to)) return No("the type of a phi has no null constant");
  const bool is_reached = module.Flow(module[from].function).Reachable(to);
  if (is_reached && EdgeBreaksDominance(module, from, to)) {
    return No("a definition would no longer dominate one of its uses");
  }
  if (!is_reached && FirstEdgeBreaksDominance(module, from, to)) {
    return No("the new edge to an unreachable block would violate dominance");
  }
  return Yes();
}

void AddDeadExit(ContextEditor& editor, Block from, Block to, Name condition) {
  const Id truth = TrueCondition(editor, condition);
  AddNullPhiInputs(editor, to, from);
  for (Block block : ReachedOver(editor.module(), to)) {
    editor.facts().SetDead(editor.module().LabelId(block), editor.Provenance());
  }
  editor.AddEdge(from, truth, to);
}

}  // namespace rules
}  // namespace refract
