// SPDX-License-Identifier: Apache-2.0
// Rules on ids: each is defined once, and its definition comes before and dominates its uses
// (SPIR-V 2.16.1), also in phis.
#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "ir/grammar/operand_rules.h"
#include "ir/rules/flow_rules.h"
#include "ir/types.h"
#include "ir/validity/validity.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

using validity::NameText;
using validity::Violation;

// True for sections that may use ids of later sections: all before the declarations.
bool IsForwardSection(Block block) {
  return Index(block) < Index(Section::kDeclarations);
}

// True if operand `index` may be an id that is defined later in the file.
bool MayBeForward(const Module& module, Inst user, uint32_t index) {
  if (IsForwardSection(module.BlockOf(user))) return true;
  switch (module.Opcode(user)) {
    case spv::Op::OpPhi:
    case spv::Op::OpTypeForwardPointer:
    case spv::Op::OpTypeStruct:  // it may be a forward pointer
    case spv::Op::OpLoopMerge:
    case spv::Op::OpSelectionMerge:
    case spv::Op::OpBranch:
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
      // Values must be defined before: the condition and the selector.
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
    Status status = validity::ForEachUntilError(module_, [&](Inst i) { return CheckUses(i); });
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
    return validity::ForEachUntilError(module_, [&](Inst inst) -> Status {
      position_[Index(inst)] = ++next;
      const Id result = module_.Result(inst);
      if (result == Id::kNone) return {};
      const uint32_t file_id = module_.FileId(result);
      if (file_id == 0 || file_id >= module_.bound()) {
        return Violation("id-bound", "the result id is 0 or not below the id bound", module_, inst);
      }
      if (module_.Definition(result) != inst || !by_file_id.emplace(file_id, inst).second) {
        return Violation("id-once", "the result id is defined more than once", module_, inst);
      }
      return {};
    });
  }

  Status CheckUses(Inst user) {
    const Id type = module_.Type(user);
    if (type != Id::kNone && (!IsDefined(type) || !Before(type, user))) {
      return Violation(
          "id-defined",
          format("the result type %{} is not defined before the instruction", module_.FileId(type)),
          module_, user);
    }
    for (uint32_t i = 0; i < module_.OperandCount(user); ++i) {
      if (!module_.IsId(user, i)) continue;
      const Id id = module_.IdAt(user, i);
      if (!IsDefined(id)) {
        return Violation("id-defined", format("%{} is not defined", module_.FileId(id)), module_,
                         user);
      }
      if (!MayBeForward(module_, user, i) && !Before(id, user)) {
        return Violation("id-order",
                         format("%{} is used before its definition", module_.FileId(id)), module_,
                         user);
      }
      if (!IsForwardSection(module_.BlockOf(user)) && !IsInScope(id, user)) {
        return Violation("id-scope", format("%{} belongs to another function", module_.FileId(id)),
                         module_, user);
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
    if (module_[function].first == Block::kNone) return {};
    const FlowConstructs constructs(module_, function, FlowMode::kStrict);
    const ControlFlow& flow = constructs.flow();
    if (const auto fault = FindFlowFault(constructs, false)) {
      return Error{Describe(module_, *fault), ErrorKind::kFailed};
    }
    for (Block block : flow.order) {
      for (Inst i = module_.First(block); i != Inst::kNone; i = module_.Next(i)) {
        Status status = module_.Opcode(i) == spv::Op::OpPhi ? CheckPhi(flow, block, i)
                                                            : CheckDominance(flow, block, i);
        if (!status) return status;
      }
    }
    return {};
  }

  // True if a value defined in another block is available at the end of `block`.
  bool Reaches(const ControlFlow& flow, Id id, Block block) const {
    const Block made = module_.BlockOf(module_.Definition(id));
    return !module_.IsBasicBlock(made) || made == block || flow.Dominates(made, block);
  }

  // Uses in unreachable blocks are not checked, as in spirv-val.
  Status CheckDominance(const ControlFlow& flow, Block block, Inst user) const {
    if (!flow.Reachable(block) || IsDebugInstruction(module_, user)) return {};
    for (uint32_t i = 0; i < module_.OperandCount(user); ++i) {
      if (!module_.IsId(user, i)) continue;
      const Id id = module_.IdAt(user, i);
      if (module_.OpcodeOf(id) == spv::Op::OpLabel || Reaches(flow, id, block)) continue;
      return Violation(
          "id-dominance",
          format("the definition of %{} does not dominate this use", module_.FileId(id)), module_,
          user);
    }
    return {};
  }

  Status CheckPhi(const ControlFlow& flow, Block block, Inst phi) const {
    for (uint32_t i = 0; i < module_.OperandCount(phi); i += 2) {
      const Block from = module_.BlockOfLabel(module_.IdAt(phi, i + 1));
      const Id value = module_.IdAt(phi, i);
      if (module_.TypeOf(value) != module_.Type(phi)) {
        return Violation("phi-type",
                         format("%{} has a different type than the phi", module_.FileId(value)),
                         module_, phi);
      }
      if (flow.Reachable(block) && flow.Reachable(from) && !Reaches(flow, value, from)) {
        return Violation("phi-dominance",
                         format("the definition of %{} does not dominate %{}",
                                module_.FileId(value), module_.FileId(module_.IdAt(phi, i + 1))),
                         module_, phi);
      }
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

}  // namespace ir
}  // namespace refract
