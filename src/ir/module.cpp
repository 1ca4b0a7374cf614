// SPDX-License-Identifier: Apache-2.0
#include "ir/module.h"

#include "ir/branches.h"
#include "ir/decorations.h"

namespace refract {
inline namespace ir {

namespace {

// SPIR-V 2.8: two types with the same opcode and operands are allowed only if they are aggregates
// or pointers.
bool MayStandTwice(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeBool:
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeFunction:
      return false;
    default:
      return true;
  }
}

}  // namespace

Block Module::BlockOfLabel(Id label) const {
  const Inst inst = Definition(label);
  return Opcode(inst) == spv::Op::OpLabel ? BlockOf(inst) : Block::kNone;
}

Inst Module::MergeInstruction(Block block) const {
  // Only debug lines may be between the merge instruction and the terminator (SPIR-V 2.11).
  Inst inst = Prev(Terminator(block));
  while (inst != Inst::kNone &&
         (Opcode(inst) == spv::Op::OpLine || Opcode(inst) == spv::Op::OpNoLine)) {
    inst = Prev(inst);
  }
  return inst != Inst::kNone && IsMerge(Opcode(inst)) ? inst : Inst::kNone;
}

Function Module::FunctionOfId(Id id) const {
  const Inst inst = Definition(id);
  return Opcode(inst) == spv::Op::OpFunction ? FunctionOf(inst) : Function::kNone;
}

Inst Module::Find(Name name) const {
  Inst found = Inst::kNone;
  names_.Find(NameHash(name), [&](Inst inst) {
    if ((*this)[inst].name != name || (*this)[inst].removed) return false;
    found = inst;
    return true;
  });
  return found;
}

Id Module::FindId(Name name) const {
  const Inst inst = Find(name);
  return inst == Inst::kNone ? Id::kNone : Result(inst);
}

uint64_t Module::ContentHash(spv::Op opcode, Id type, const Args& operands) {
  // Each number is mixed separately: mixing two small numbers with each other has many collisions.
  uint64_t hash = Mix(Mix(uint64_t{0}, static_cast<uint64_t>(opcode)), uint64_t{Index(type)});
  for (const Arg& operand : operands) hash = Mix(hash, uint64_t{operand.word});
  return hash;
}

Id Module::FindDeclaration(spv::Op opcode, Id type, const Args& operands) const {
  Inst best = Inst::kNone;
  declarations_.Find(ContentHash(opcode, type, operands), [&](Inst inst) {
    const Instruction& candidate = (*this)[inst];
    if (candidate.removed || candidate.opcode != opcode || candidate.type != type ||
        candidate.operand_count != operands.size()) {
      return false;
    }
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (Word(inst, i) != operands[i].word || IsId(inst, i) != operands[i].is_id) return false;
    }
    if (MayStandTwice(opcode) && IsDecorated(*this, candidate.result)) return false;
    if (best == Inst::kNone || candidate.name < NameOf(best)) best = inst;
    return false;
  });
  return best == Inst::kNone ? Id::kNone : Result(best);
}

const ControlFlow& Module::Flow(Function function) const {
  return flows_[Index(function)].Get([&] { return BuildControlFlow(*this, function); });
}

const DivergenceAnalysis& Module::Divergence() const {
  return divergence_.Get([&] { return DivergenceAnalysis(*this); });
}

bool IsTerminator(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpBranch:
    case spv::Op::OpBranchConditional:
    case spv::Op::OpSwitch:
    case spv::Op::OpReturn:
    case spv::Op::OpReturnValue:
    case spv::Op::OpKill:
    case spv::Op::OpUnreachable:
    case spv::Op::OpTerminateInvocation:
    case spv::Op::OpIgnoreIntersectionKHR:
    case spv::Op::OpTerminateRayKHR:
    case spv::Op::OpEmitMeshTasksEXT:
      return true;
    default:
      return false;
  }
}

uint32_t SwitchLiteralWords(const Module& module, Inst switch_inst) {
  const Id type = module.TypeOf(module.IdAt(switch_inst, 0));
  return (module.Word(module.Definition(type), 0) + 31) / 32;
}

}  // namespace ir
}  // namespace refract
