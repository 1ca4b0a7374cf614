// SPDX-License-Identifier: Apache-2.0
#include "ir/purity.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/edit/editor.h"
#include "ir/grammar/operand_rules.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"

namespace refract {
inline namespace ir {
namespace {

// SPIR-V 3.26, 3.14: an access with any other bit than alignment and caching must stay in place.
constexpr uint32_t kAligned = 0x2, kNontemporal = 0x4, kNonPrivate = 0x20;
constexpr uint32_t kOrderedTexel = 0xf00;

bool IsPlainAccess(const Module& module, Inst inst, uint32_t first) {
  // A copy may have two masks.
  for (uint32_t i = first; i < module.OperandCount(inst); ++i) {
    const uint32_t mask = module.Word(inst, i);
    if ((mask & ~(kAligned | kNontemporal | kNonPrivate)) != 0) return false;
    if ((mask & kAligned) != 0) ++i;
  }
  return true;
}

// True if the image operands are those of a plain access. The mask is the first literal.
bool IsPlainTexel(const Module& module, Inst inst) {
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    if (!module.IsId(inst, i)) return (module.Word(inst, i) & kOrderedTexel) == 0;
  }
  return true;
}

// True if a decoration of the id, or of its members, says that others may read or write the memory
// at the same time.
bool IsVolatile(const Module& module, Id id) {
  for (Use use = module.FirstDecoration(id); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    uint32_t at = 0;
    switch (module.Opcode(user)) {
      case spv::Op::OpDecorate:
        at = 1;
        break;
      case spv::Op::OpMemberDecorate:
        at = 2;
        break;
      default:
        return true;  // a group or an unknown decoration
    }
    const auto decoration = static_cast<spv::Decoration>(module.Word(user, at));
    if (decoration == spv::Decoration::Volatile || decoration == spv::Decoration::Coherent) {
      return true;
    }
  }
  return false;
}

// The same for a type and the types of its members.
bool HasVolatile(const Module& module, Id type) {
  if (type == Id::kNone) return false;
  if (IsVolatile(module, type)) return true;
  if (TypeOpcode(module, type) != spv::Op::OpTypeStruct) {
    return !IsPointer(module, type) && HasVolatile(module, ElementType(module, type));
  }
  for (uint32_t i = 0; i < PartCount(module, type).value_or(0); ++i) {
    if (IsRepeatedMember(module, type, i)) continue;
    if (HasVolatile(module, PartType(module, type, i))) return true;
  }
  return false;
}

// The index of the first memory operand; 0 if the instruction has none.
uint32_t FirstMemoryOperand(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpLoad:
      return 1;
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
      return 2;
    case spv::Op::OpCopyMemorySized:
      return 3;
    default:
      return 0;
  }
}

}  // namespace

// Kernels have no merge instructions, so loops cannot be recognised there.
Purity::Purity(const Module& module) : module_(module) {
  const Inst model = module.First(Module::SectionBlock(Section::kMemoryModel));
  is_structured_ = model != Inst::kNone &&
                   module.Word(model, 1) != static_cast<uint32_t>(spv::MemoryModel::OpenCL);
}

uint32_t Purity::Proven(Function function) {
  const uint32_t effects = EffectsOf(function);
  if (effects == 0) return kPromises;
  return (effects & ~(kReadsOutside | kReadsParameters)) == 0 ? kPure : 0;
}

// Without recursion, because chains of calls may be as long as the module.
uint32_t Purity::EffectsOf(Function function) {
  std::vector<Function> pending{function};
  while (!pending.empty()) {
    const Function next = pending.back();
    if (known_[next].done || Visit(next, &pending)) pending.pop_back();
  }
  return known_[function].effects;
}

// Computes the effects of the function. Returns false if the effects of called functions are needed
// first; these are then pending.
bool Purity::Visit(Function function, std::vector<Function>* pending) {
  const bool again = std::exchange(known_[function].entered, true);
  std::vector<Function> unknown;
  const bool is_told = is_structured_ && module_[function].first != Block::kNone;
  uint32_t effects = is_told ? 0u : kOther;
  for (Block block = module_[function].first; block != Block::kNone && (effects & kOther) == 0;
       block = module_[block].next) {
    ForEachInstruction(module_, block, [&](Inst inst) {
      if (module_.Opcode(inst) != spv::Op::OpFunctionCall) {
        effects |= EffectsOf(inst);
        return;
      }
      const Function callee = module_.FunctionOfId(module_.IdAt(inst, 0));
      if (!again && callee != Function::kNone && !known_[callee].entered) {
        unknown.push_back(callee);
      } else {
        effects |= EffectsOfCall(inst);
      }
    });
  }
  if ((effects & kOther) == 0 && !unknown.empty()) {
    pending->insert(pending->end(), unknown.begin(), unknown.end());
    return false;
  }
  known_[function] = {true, true, effects};
  return true;
}

uint32_t Purity::EffectsOf(Inst inst) const {
  const spv::Op opcode = module_.Opcode(inst);
  if (opcode == spv::Op::OpLoopMerge) return kOther;
  // The length of a runtime array is not memory, but a promise could be interpreted that way.
  if (opcode == spv::Op::OpArrayLength) return EffectsOfRead(module_.IdAt(inst, 0));
  const Properties& row = PropertiesOf(module_, inst);
  if (!row.known || row.side_effect || row.orders_memory || row.convergent || !row.deterministic) {
    return kOther;
  }
  uint32_t effects = 0;
  const uint32_t first = FirstMemoryOperand(opcode);
  if (first != 0 && !IsPlainAccess(module_, inst, first)) return kOther;
  if (row.reads.kind == MemoryEffect::kPointer) {
    effects |= EffectsOfRead(module_.IdAt(inst, row.reads.operand));
  } else if (row.reads.kind == MemoryEffect::kImage) {
    effects |= IsPlainTexel(module_, inst) ? kReadsOutside : kOther;
  } else if (row.reads) {
    effects |= kOther;
  }
  if (row.writes.kind == MemoryEffect::kPointer) {
    effects |= EffectsOfWrite(module_.IdAt(inst, row.writes.operand));
  } else if (row.writes) {
    effects |= kOther;
  }
  return effects;
}

// The effects of the callee on its arguments are effects of the caller on what it passes.
uint32_t Purity::EffectsOfCall(Inst call) const {
  const auto callee = known_.find(module_.FunctionOfId(module_.IdAt(call, 0)));
  if (callee == known_.end()) return kOther;
  const uint32_t inner = callee->second.effects;
  uint32_t effects = inner & ~(kReadsParameters | kWritesParameters);
  for (uint32_t i = 1; i < module_.OperandCount(call); ++i) {
    const Id argument = module_.IdAt(call, i);
    if (!IsPointer(module_, module_.TypeOf(argument))) continue;
    if ((inner & kReadsParameters) != 0) effects |= EffectsOfRead(argument);
    if ((inner & kWritesParameters) != 0) effects |= EffectsOfWrite(argument);
  }
  return effects;
}

uint32_t Purity::EffectsOfRead(Id pointer) const {
  const Id root = RootOfPointer(module_, pointer);
  if (root == Id::kNone) return kOther;
  const Inst inst = module_.Definition(root);
  if (module_.Opcode(inst) == spv::Op::OpFunctionParameter) return kReadsParameters;
  if (module_.Opcode(inst) != spv::Op::OpVariable) return kOther;
  if (module_.FunctionOf(inst) != Function::kNone) return 0;
  if (StorageClassOf(module_, module_.Type(inst)) == spv::StorageClass::Private) {
    return kReadsOutside;
  }
  const bool is_volatile =
      IsVolatile(module_, root) || HasVolatile(module_, ElementType(module_, module_.Type(inst)));
  return is_volatile ? kOther : kReadsOutside;
}

uint32_t Purity::EffectsOfWrite(Id pointer) const {
  const Id root = RootOfPointer(module_, pointer);
  if (root == Id::kNone) return kOther;
  const Inst inst = module_.Definition(root);
  if (module_.Opcode(inst) == spv::Op::OpFunctionParameter) return kWritesParameters;
  const bool is_own =
      module_.Opcode(inst) == spv::Op::OpVariable && module_.FunctionOf(inst) != Function::kNone;
  return is_own ? 0u : kOther;
}

bool MayBreakPromises(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  if (opcode == spv::Op::OpLoopMerge) return true;
  const Id type = module.Type(inst);
  if (type != Id::kNone && IsPointer(module, type)) return true;
  // Only the opcode is used, because the operands may not exist yet.
  const Properties& row = PropertiesOf(opcode);
  return !row.known || row.side_effect || row.orders_memory || row.convergent ||
         !row.deterministic || row.reads || row.writes;
}

void DropUnprovenPromises(Editor& editor) {
  if (editor.touched().empty()) return;
  const Module& module = editor.module();
  std::vector<Function> functions = editor.touched();
  std::vector<Function> promised;
  for (size_t i = 0; i < functions.size(); ++i) {
    const Inst definition = module[functions[i]].definition;
    if (module[definition].removed) continue;
    if ((module.Word(definition, 0) & kPromises) != 0) promised.push_back(functions[i]);
    ForEachUse(module, module.FunctionId(functions[i]), [&](Use use) {
      if (module.Opcode(module.User(use)) != spv::Op::OpFunctionCall) return;
      const Function caller = module.FunctionOf(module.User(use));
      if (std::find(functions.begin(), functions.end(), caller) == functions.end()) {
        functions.push_back(caller);
      }
    });
  }
  Purity purity(module);
  for (Function function : promised) {
    const Inst definition = module[function].definition;
    const uint32_t control = module.Word(definition, 0);
    const uint32_t untrue = control & kPromises & ~purity.Proven(function);
    if (untrue != 0) editor.SetOperand(definition, 0, control & ~untrue);
  }
}

}  // namespace ir
}  // namespace refract
