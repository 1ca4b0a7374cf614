// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/convergence.h"

#include <algorithm>
#include <vector>

#include "ir/call_graph.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/defined.h"
#include "rules/legality/region.h"

namespace refract {
inline namespace rules {
namespace {

// Finds out whether a convergent instruction can be executed after a block.
class ConvergentInstructionSearch {
 public:
  explicit ConvergentInstructionSearch(const Module& module) : module_(module) {}

  bool IsAnyAfter(Block block) {
    const Function function = module_[block].function;
    if (!IsEntryPoint(module_, function) || IsCalled(function)) return IsAnyInModule();
    std::vector<Block> blocks;
    const ControlFlow& flow = module_.Flow(function);
    const auto add = [&](Block from) {
      for (Block successor : flow.Successors(from)) {
        if (std::find(blocks.begin(), blocks.end(), successor) == blocks.end()) {
          blocks.push_back(successor);
        }
      }
    };
    add(block);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (IsAnyIn(blocks[i])) return true;
      add(blocks[i]);
    }
    return false;
  }

 private:
  bool IsCalled(Function function) const {
    bool called = false;
    ForEachUse(module_, module_.FunctionId(function), [&](Use use) {
      called = called || module_.Opcode(module_.User(use)) == spv::Op::OpFunctionCall;
    });
    return called;
  }

  bool IsAnyInModule() {
    for (Function f = module_.first_function(); f != Function::kNone; f = module_.NextFunction(f)) {
      if (IsAnyIn(f)) return true;
    }
    return false;
  }

  bool IsAnyIn(Function function) {
    if (std::find(clean_.begin(), clean_.end(), function) != clean_.end()) return false;
    clean_.push_back(function);
    bool any = false;
    ForEachBlock(module_, function, [&](Block block) { any = any || IsAnyIn(block); });
    return any;
  }

  bool IsAnyIn(Block block) {
    for (Inst inst = module_.First(block); inst != Inst::kNone; inst = module_.Next(inst)) {
      if (module_.Opcode(inst) == spv::Op::OpFunctionCall) {
        if (IsAnyIn(module_.FunctionOfId(module_.IdAt(inst, 0)))) return true;
      } else if (PropertiesOf(module_, inst).convergent) {
        return true;
      }
    }
    return false;
  }

  const Module& module_;
  std::vector<Function> clean_;  // examined before, without convergent instructions
};

// The scope of invocations that execute a subgroup operation together. In a fragment shader, these
// can be any invocations.
DivergenceClass SubgroupScope(Stages stages) {
  return stages == Stages::kCompute ? DivergenceClass::kSubgroup : DivergenceClass::kDraw;
}

// True if the value is the same for all invocations of the scope. Cheap checks come first;
// undefined and inexact values may differ between invocations.
bool IsSame(const View& view, Id value, Block where, DivergenceClass scope) {
  const Module& module = view.module();
  if (IsConstant(module.OpcodeOf(value))) return module.OpcodeOf(value) != spv::Op::OpUndef;
  if (view.facts().Uniform(value) != nullptr) return view.IsUniform(value);
  return IsSurelyDefined(view, value) && IsSurelyExact(view, value) &&
         module.Divergence().Seen(module, value, where) <= scope;
}

// True if all invocations that enter the region leave it at its end, whatever path they take.
bool IsLeftAtEnd(const Module& module, Block entry, Block exit) {
  const ControlFlow& flow = module.Flow(module[entry].function);
  for (Block block : Region(module, entry, exit).Blocks()) {
    if (block != exit && flow.Successors(block).empty()) return false;
  }
  return true;
}

// True if the invocations of a group that reach a block certainly reach it together. It is not
// enough that all of them reach it: if they took different paths to the continue target of a loop,
// SPIR-V promises reconvergence only after the loop.
class ConvergedCheck {
 public:
  ConvergedCheck(const Module& module, DivergenceClass scope) : module_(module), scope_(scope) {}

  bool IsAt(Block block) {
    if (++visits_ > kMostVisits || !IsUniform(block)) return false;
    const Function function = module_[block].function;
    const ControlFlow& flow = module_.Flow(function);
    for (uint32_t c = flow.InnermostConstruct(block); c != Construct::kNone;
         c = flow.constructs[c].parent) {
      const Construct& construct = flow.constructs[c];
      if (construct.kind != ConstructKind::kLoop && construct.kind != ConstructKind::kContinue) {
        continue;
      }
      for (Block from : flow.Predecessors(construct.continue_target)) {
        if (!IsUniform(from)) return false;
      }
    }
    bool met = true;
    ForEachUse(module_, module_.FunctionId(function), [&](Use use) {
      const Inst call = module_.User(use);
      if (module_.Opcode(call) != spv::Op::OpFunctionCall) return;
      met = met && IsAt(module_.BlockOf(call));
    });
    return met;
  }

 private:
  static constexpr int kMostVisits = 64;
  bool IsUniform(Block block) const { return module_.Divergence().IsUniformControl(block, scope_); }

  const Module& module_;
  const DivergenceClass scope_;
  int visits_ = 0;
};

// SPIR-V 2.2.5: the invocations of a group that reach a header together, and that all leave its
// construct at its merge block, are converged there. For derivatives the group is a quad.
DivergenceClass GroupScope(Stages stages) {
  switch (stages) {
    case Stages::kCompute:
      return DivergenceClass::kWorkgroup;
    case Stages::kFragment:
      return DivergenceClass::kQuad;
    default:
      return DivergenceClass::kDraw;
  }
}

// Whether what the pointer points to may be overwritten with anything.
bool ReadsIrrelevant(const Module& module, const Facts& facts, Id pointer) {
  return facts.IrrelevantPointee(pointer) != nullptr ||
         facts.IrrelevantPointee(RootOfPointer(module, pointer)) != nullptr;
}

template <class Visit>
void ForEachFunctionInstruction(const Module& module, Visit visit) {
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, visit); });
  });
}

}  // namespace

Stages StagesReaching(const Module& module, Function function) {
  const std::vector<Inst> entries = EntryPointsReaching(module, function);
  Stages stages = Stages::kOthers;
  for (size_t i = 0; i < entries.size(); ++i) {
    Stages stage = Stages::kOthers;
    switch (static_cast<spv::ExecutionModel>(module.Word(entries[i], 0))) {
      case spv::ExecutionModel::GLCompute:
        stage = Stages::kCompute;
        break;
      case spv::ExecutionModel::Fragment:
        stage = Stages::kFragment;
        break;
      default:
        break;
    }
    if (i != 0 && stage != stages) return Stages::kOthers;
    stages = stage;
  }
  return stages;
}

bool IsSameInSubgroup(const View& view, Id value, Block where) {
  const DivergenceClass scope =
      SubgroupScope(StagesReaching(view.module(), view.module()[where].function));
  if (IsSame(view, value, where, scope)) return true;
  constexpr size_t kMost = 8;
  const Module& module = view.module();
  if (!view.facts().MayHaveSynonyms(value)) return false;
  for (const Facts::Synonym& other : view.facts().SynonymsOf(module, Part(value), kMost)) {
    if (other.part.depth == 0 && IsSame(view, other.part.value, where, scope)) {
      return view.AreSynonymous(Part(value), other.part);
    }
  }
  return false;
}

CheckResult MayDiverge(const View& view, Block entry, Block exit, Id by) {
  const Module& module = view.module();
  if (!ConvergentInstructionSearch(module).IsAnyAfter(exit)) return Yes();
  const DivergenceClass scope = GroupScope(StagesReaching(module, module[entry].function));
  if (module.Divergence().Seen(module, by, entry) <= scope) return Yes();
  if (IsLeftAtEnd(module, entry, exit) && ConvergedCheck(module, scope).IsAt(entry)) return Yes();
  return No("invocations might no longer be converged after the change");
}

bool IsSurelyUniformInWorkgroup(const View& view, Block block) {
  const Module& module = view.module();
  constexpr DivergenceClass kScope = DivergenceClass::kWorkgroup;
  if (!module.Divergence().IsUniformControl(block, kScope)) return false;
  const Facts& facts = view.facts();
  std::vector<Id> irrelevant;
  ForEachFunctionInstruction(module, [&](Inst inst) {
    const Id result = module.Result(inst);
    if (result == Id::kNone) return;
    const bool is_read = module.Opcode(inst) == spv::Op::OpLoad;
    if (facts.Irrelevant(result) != nullptr ||
        (is_read && ReadsIrrelevant(module, facts, module.IdAt(inst, 0)))) {
      irrelevant.push_back(result);
    }
  });
  return irrelevant.empty() ||
         DivergenceAnalysis(module, irrelevant).IsUniformControl(block, kScope);
}

}  // namespace rules
}  // namespace refract
