// SPDX-License-Identifier: Apache-2.0
#include "ir/decorations.h"

namespace refract {
inline namespace ir {
namespace {

bool IsDecorate(spv::Op opcode) {
  return opcode == spv::Op::OpDecorate || opcode == spv::Op::OpDecorateId ||
         opcode == spv::Op::OpDecorateString;
}

bool IsMemberDecorate(spv::Op opcode) {
  return opcode == spv::Op::OpMemberDecorate || opcode == spv::Op::OpMemberDecorateString;
}

/// Calls `visit(decorating instruction)`, also for decorations through groups, until it returns
/// true.
template <class Visit>
bool AnyDecoration(const Module& module, Id id, Visit visit) {
  for (Use use = module.FirstDecoration(id); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    const spv::Op opcode = module.Opcode(user);
    const uint32_t index = module.OperandIndex(use);
    if (IsDecorate(opcode) && index == 0 && visit(user)) return true;
    if (opcode == spv::Op::OpGroupDecorate && index > 0) {
      const Id group = module.IdAt(user, 0);
      for (Use u = module.FirstDecoration(group); u != Use::kNone; u = module.NextUse(u)) {
        if (IsDecorate(module.Opcode(module.User(u))) && visit(module.User(u))) return true;
      }
    }
  }
  return false;
}

bool BearsOnlyOnPrecision(spv::Decoration decoration) {
  switch (decoration) {
    case spv::Decoration::RelaxedPrecision:
    case spv::Decoration::NoContraction:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool IsDecoration(spv::Op opcode) {
  return IsDecorate(opcode) || IsMemberDecorate(opcode) || opcode == spv::Op::OpGroupDecorate ||
         opcode == spv::Op::OpGroupMemberDecorate;
}

bool IsDecorated(const Module& module, Id id) {
  return module.FirstDecoration(id) != Use::kNone;
}

Inst FindDecoration(const Module& module, Id id, spv::Decoration decoration) {
  Inst found = Inst::kNone;
  AnyDecoration(module, id, [&](Inst inst) {
    if (module.Word(inst, 1) != static_cast<uint32_t>(decoration)) return false;
    found = inst;
    return true;
  });
  return found;
}

bool IsBlock(const Module& module, Id type) {
  return FindDecoration(module, type, spv::Decoration::Block) != Inst::kNone ||
         FindDecoration(module, type, spv::Decoration::BufferBlock) != Inst::kNone;
}

bool IsArrayOfBlocks(const Module& module, Id type) {
  bool is_array = false;
  for (spv::Op opcode = module.OpcodeOf(type);
       opcode == spv::Op::OpTypeArray || opcode == spv::Op::OpTypeRuntimeArray;
       opcode = module.OpcodeOf(type)) {
    type = module.IdAt(module.Definition(type), 0);
    is_array = true;
  }
  return is_array && IsBlock(module, type);
}

Inst FindMemberDecoration(const Module& module, Id type, uint32_t member,
                          spv::Decoration decoration) {
  for (Use use = module.FirstDecoration(type); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    if (IsMemberDecorate(module.Opcode(user)) && module.OperandIndex(use) == 0 &&
        module.Word(user, 1) == member &&
        module.Word(user, 2) == static_cast<uint32_t>(decoration)) {
      return user;
    }
  }
  return Inst::kNone;
}

bool HasMemberDecoration(const Module& module, Id type, uint32_t member,
                         spv::Decoration decoration) {
  if (FindMemberDecoration(module, type, member, decoration) != Inst::kNone) return true;
  for (Use use = module.FirstDecoration(type); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    if (module.Opcode(user) == spv::Op::OpGroupMemberDecorate &&
        module.Word(user, module.OperandIndex(use) + 1) == member &&
        FindDecoration(module, module.IdAt(user, 0), decoration) != Inst::kNone) {
      return true;
    }
  }
  return false;
}

bool IsTouchable(const Module& module, Id id) {
  return !AnyDecoration(module, id, [&](Inst inst) {
    return !BearsOnlyOnPrecision(static_cast<spv::Decoration>(module.Word(inst, 1)));
  });
}

bool IsTouchableOrNonUniform(const Module& module, Id id) {
  return !AnyDecoration(module, id, [&](Inst inst) {
    const auto decoration = static_cast<spv::Decoration>(module.Word(inst, 1));
    return !BearsOnlyOnPrecision(decoration) && decoration != spv::Decoration::NonUniform;
  });
}

bool IsFreelyCopyable(const Module& module, Id id) {
  // RelaxedPrecision and NoContraction apply to the operation that makes the value and not to later
  // uses of the value (SPIR-V 2.14).
  return IsTouchable(module, id);
}

}  // namespace ir
}  // namespace refract
