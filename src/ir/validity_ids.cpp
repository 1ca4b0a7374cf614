// SPDX-License-Identifier: Apache-2.0
// Ids: defined once, before and above their uses (SPIR-V 2.16.1), and phis that fit the edges.
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "ir/branches.h"
#include "ir/operand_rules.h"
#include "ir/types.h"
#include "ir/validity.h"
#include "ir/validity_report.h"

namespace refract {
namespace {

using validity::Broken;
using validity::Called;

// Sections that name what comes later: everything before the declarations.
bool IsForwardSection(Block block) {
  return Index(block) < Index(Section::kDeclarations);
}

// Whether operand `index` may name an id that is defined further on in the file.
bool MayBeForward(const Module& module, Inst user, uint32_t index) {
  if (IsForwardSection(module.BlockOf(user))) return true;
  switch (module.Opcode(user)) {
    case spv::Op::OpPhi:
    case spv::Op::OpTypeForwardPointer:
    case spv::Op::OpTypeStruct:  // a pointer declared forward
    case spv::Op::OpLoopMerge:
    case spv::Op::OpSelectionMerge:
    case spv::Op::OpBranch:
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
      // Values must be there: the condition, the selector.
      return index != 0 || (module.Opcode(user) != spv::Op::OpBranchConditional &&
                            module.Opcode(user) != spv::Op::OpSwitch);
    case spv::Op::OpFunctionCall:
      return index == 0;
    case spv::Op::OpEnqueueKernel:
    case spv::Op::OpGetKernelNDrangeSubGroupCount:
    case spv::Op::OpGetKernelNDrangeMaxSubGroupSize:
    case spv::Op::OpGetKernelWorkGroupSize:
    case spv::Op::OpGetKernelPreferredWorkGroupSizeMultiple:
    case spv::Op::OpGetKernelLocalSizeForSubgroupCount:
    case spv::Op::OpGetKernelMaxNumSubgroups:
      return true;
    default:
      return IsDebugInstruction(module, user);
  }
}

class IdChecker {
 public:
  explicit IdChecker(const Module& module) : module_(module) {}

  Status Check() {
    if (Status status = CheckDefinitions(); !status) return status;
    Status status = validity::ForEachUntilBroken(module_, [&](Inst i) { return CheckUses(i); });
    ForEachFunction(module_, [&](Function function) {
      if (status) status = CheckFunction(function);
    });
    return status;
  }

 private:
  // Also numbers the instructions in the order of the file.
  Status CheckDefinitions() {
    position_.assign(module_.instruction_slots(), 0);
    uint32_t next = 0;
    std::unordered_map<uint32_t, Inst> by_file_id;
    return validity::ForEachUntilBroken(module_, [&](Inst inst) -> Status {
      position_[Index(inst)] = ++next;
      const Id result = module_.Result(inst);
      if (result == Id::kNone) return {};
      const uint32_t file_id = module_.FileId(result);
      if (file_id == 0 || file_id >= module_.bound()) {
        return Broken("id-bound", "its id is 0 or not below the bound", module_, inst);
      }
      if (module_.Definition(result) != inst || !by_file_id.emplace(file_id, inst).second) {
        return Broken("id-once", "its id is defined more than once", module_, inst);
      }
      return {};
    });
  }

  Status CheckUses(Inst user) {
    const Id type = module_.Type(user);
    if (type != Id::kNone && (!IsDefined(type) || !Before(type, user))) {
      return Broken("id-defined",
                    format("its type %{} is not defined before", module_.FileId(type)), module_,
                    user);
    }
    for (uint32_t i = 0; i < module_.OperandCount(user); ++i) {
      if (!module_.IsId(user, i)) continue;
      const Id id = module_.IdAt(user, i);
      if (!IsDefined(id)) {
        return Broken("id-defined", format("%{} is not defined", module_.FileId(id)), module_,
                      user);
      }
      if (!MayBeForward(module_, user, i) && !Before(id, user)) {
        return Broken("id-order", format("%{} is defined only later", module_.FileId(id)), module_,
                      user);
      }
      if (!IsForwardSection(module_.BlockOf(user)) && !IsInScope(id, user)) {
        return Broken("id-scope", format("%{} is of another function", module_.FileId(id)), module_,
                      user);
      }
    }
    return {};
  }

  bool IsDefined(Id id) const {
    const Inst definition = module_.Definition(id);
    return definition != Inst::kNone && !module_[definition].removed &&
           position_[Index(definition)] != 0;
  }
  bool Before(Id id, Inst user) const {
    return position_[Index(module_.Definition(id))] < position_[Index(user)];
  }
  bool IsInScope(Id id, Inst user) const {
    const Inst definition = module_.Definition(id);
    const Function owner = module_.FunctionOf(definition);
    return owner == Function::kNone || owner == module_.FunctionOf(user) ||
           module_.Opcode(definition) == spv::Op::OpFunction || IsDebugInstruction(module_, user);
  }

  Status CheckFunction(Function function) {
    const ControlFlow flow = BuildControlFlow(module_, function);
    if (flow.order.empty()) return {};
    const Block entry = flow.order[0];
    if (!flow.Predecessors(entry).empty()) {
      return Broken("entry-branch", "a branch to the entry block", module_,
                    module_.Terminator(flow.Predecessors(entry)[0]));
    }
    for (Block block : flow.order) {
      // SPIR-V 2.16.1: a block is listed after all blocks that dominate it.
      const Block dominator = flow.ImmediateDominator(block);
      if (dominator != Block::kNone && flow.Position(dominator) > flow.Position(block)) {
        return Broken("block-order",
                      "it is listed before its dominator " + Called(module_, dominator), module_,
                      module_.Label(block));
      }
      for (Inst i = module_.First(block); i != Inst::kNone; i = module_.Next(i)) {
        Status status = module_.Opcode(i) == spv::Op::OpPhi ? CheckPhi(flow, block, i)
                                                            : CheckDominance(flow, block, i);
        if (!status) return status;
      }
    }
    return {};
  }

  // Whether a value made in `definition`'s block is there at the end of `block`.
  bool Reaches(const ControlFlow& flow, Id id, Block block) const {
    const Block made = module_.BlockOf(module_.Definition(id));
    return !module_.IsBasicBlock(made) || made == block || flow.Dominates(made, block);
  }

  // In unreachable blocks nothing can be said (and the validator says nothing).
  Status CheckDominance(const ControlFlow& flow, Block block, Inst user) const {
    if (!flow.Reachable(block) || IsDebugInstruction(module_, user)) return {};
    for (uint32_t i = 0; i < module_.OperandCount(user); ++i) {
      if (!module_.IsId(user, i)) continue;
      const Id id = module_.IdAt(user, i);
      if (module_.OpcodeOf(id) == spv::Op::OpLabel || Reaches(flow, id, block)) continue;
      return Broken("id-dominance",
                    format("the definition of %{} does not dominate this use", module_.FileId(id)),
                    module_, user);
    }
    return {};
  }

  Status CheckPhi(const ControlFlow& flow, Block block, Inst phi) const {
    if (module_.OperandCount(phi) % 2 != 0) {
      return Broken("phi-inputs", "its inputs are no pairs", module_, phi);
    }
    std::vector<Block> inputs;
    for (uint32_t i = 0; i < module_.OperandCount(phi); i += 2) {
      if (!module_.IsId(phi, i) || !module_.IsId(phi, i + 1)) {
        return Broken("phi-inputs", "its inputs are no pairs", module_, phi);
      }
      const Block from = module_.BlockOfLabel(module_.IdAt(phi, i + 1));
      const auto predecessors = flow.Predecessors(block);
      if (std::find(predecessors.begin(), predecessors.end(), from) == predecessors.end()) {
        return Broken("phi-inputs", "an input from what is no predecessor", module_, phi);
      }
      if (std::find(inputs.begin(), inputs.end(), from) != inputs.end()) {
        return Broken("phi-inputs", "two inputs from " + Called(module_, from), module_, phi);
      }
      inputs.push_back(from);
      const Id value = module_.IdAt(phi, i);
      if (module_.TypeOf(value) != module_.Type(phi)) {
        return Broken("phi-type", format("%{} is of another type", module_.FileId(value)), module_,
                      phi);
      }
      if (flow.Reachable(block) && flow.Reachable(from) && !Reaches(flow, value, from)) {
        return Broken("phi-dominance",
                      format("the definition of %{} does not dominate %{}", module_.FileId(value),
                             module_.FileId(module_.IdAt(phi, i + 1))),
                      module_, phi);
      }
    }
    if (inputs.size() != flow.Predecessors(block).size()) {
      return Broken("phi-inputs", "a predecessor has no input", module_, phi);
    }
    return {};
  }

  const Module& module_;
  std::vector<uint32_t> position_;
};

}  // namespace

Status CheckIds(const Module& module) {
  return IdChecker(module).Check();
}

}  // namespace refract
