// SPDX-License-Identifier: Apache-2.0
#include "donate/function_translator.h"

#include <algorithm>

#include "donate/donated_function.h"
#include "ir/block_head.h"
#include "ir/branches.h"
#include "ir/control_flow.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace donate {
namespace {

using message::DonatedInstruction;
using message::DonatedOperand;
using message::Type;
using Kind = DonatedOperand::Kind;

constexpr auto kFunctionStorage = static_cast<uint32_t>(spv::StorageClass::Function);

bool IsDropped(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  return IsDebugLine(opcode) || opcode == spv::Op::OpNop || opcode == spv::Op::OpUndef ||
         (opcode == spv::Op::OpExtInst && ExtInstSetOf(module, inst) == ExtInstSet::kNonSemantic);
}

bool IsDonatedAsIs(const Module& module, Inst inst) {
  if (module.Opcode(inst) != spv::Op::OpExtInst) {
    return IsDonatable(module.Opcode(inst)) != Donatable::kNo;
  }
  const Id scalar = ScalarType(module, module.Type(inst));
  if (scalar != Id::kNone && Width(module, scalar) != 32) return false;
  return ExtInstSetOf(module, inst) == ExtInstSet::kGlsl && IsDonatableGlsl(module.Word(inst, 1));
}

// Returns how many operands are donated. Memory operands, branch weights and hints are not.
uint32_t DonatedOperandCount(const Module& module, Inst inst) {
  switch (module.Opcode(inst)) {
    case spv::Op::OpLoad:
      return 1;
    case spv::Op::OpStore:
      return 2;
    case spv::Op::OpBranchConditional:
    case spv::Op::OpLoopMerge:
      return 3;
    default:
      return module.OperandCount(inst);
  }
}

// An unreachable block is donated only if a reachable header names it: a continue target then
// branches to the loop header, and a merge block gets OpUnreachable.
bool BecomesBackEdge(const ControlFlow& flow, Block block) {
  return !flow.Reachable(block) && flow.IsContinueTarget(block) &&
         flow.Reachable(flow.HeaderOfContinue(block));
}
bool IsEmptyMerge(const ControlFlow& flow, Block block) {
  return !flow.Reachable(block) && flow.IsMergeBlock(block) &&
         flow.Reachable(flow.HeaderOfMerge(block)) && !BecomesBackEdge(flow, block);
}

}  // namespace

const char* FunctionTranslator::Translate(message::AddFunction* message) {
  message_ = message;
  const Inst definition = module_[function_].definition;
  const uint32_t control = module_.Word(definition, 0) & 3u;
  message->control = control == 3 ? 0 : control;
  const std::optional<Type> result = types_.TypeOf(module_.Type(definition));
  if (!result || result->kind == Type::Kind::kPointer) {
    return "a message cannot express the result type of the function";
  }
  message->result = *result;
  AddParameters();
  AddGlobals();
  const ControlFlow& flow = module_.Flow(function_);
  ForEachBlock(module_, function_, [&](Block block) {
    if (flow.Reachable(block) || BecomesBackEdge(flow, block) || IsEmptyMerge(flow, block)) {
      AddBlock(block);
    }
  });
  auto& first = message->blocks.front().instructions;
  first.insert(first.begin(), variables_.begin(), variables_.end());
  return reason_;
}

// Local numbers follow the order in which ids are first used.
uint32_t FunctionTranslator::LocalOf(Id id) {
  const auto [entry, is_new] = locals_.emplace(id, next_);
  next_ += is_new;
  return entry->second;
}

// True if the id has no donated form. The id may be a module variable or a constant.
bool FunctionTranslator::IsInexpressible(Id id) {
  const Inst inst = module_.Definition(id);
  const spv::Op opcode = module_.Opcode(inst);
  if (opcode == spv::Op::OpUndef || IsConstant(opcode)) return !types_.ConstantOf(id);
  return inexpressible_.count(id) != 0;
}

bool FunctionTranslator::UsesInexpressible(Inst inst) {
  for (uint32_t i = 0; i < DonatedOperandCount(module_, inst); ++i) {
    if (module_.IsId(inst, i) && IsInexpressible(module_.IdAt(inst, i))) return true;
  }
  return false;
}

void FunctionTranslator::AddParameters() {
  ForEachInstruction(module_, module_[function_].head, [&](Inst inst) {
    if (module_.Opcode(inst) != spv::Op::OpFunctionParameter) return;
    if (std::optional<Type> type = types_.TypeOf(module_.Type(inst))) {
      message_->parameters.push_back({LocalOf(module_.Result(inst)), std::move(*type)});
    } else {
      inexpressible_.insert(module_.Result(inst));
    }
  });
}

void FunctionTranslator::AddGlobals() {
  std::set<Id> met;
  const auto add = [&](Id id) {
    const Inst variable = module_.Definition(id);
    if (module_.Opcode(variable) != spv::Op::OpVariable ||
        module_.FunctionOf(variable) != Function::kNone || !met.insert(id).second) {
      return;
    }
    const std::optional<Type> type = types_.TypeOf(module_.Type(variable));
    if (!type) {
      inexpressible_.insert(id);
      return;
    }
    Operands initializer;
    if (module_.OperandCount(variable) > 1 && !IsInexpressible(module_.IdAt(variable, 1)) &&
        module_.OpcodeOf(module_.IdAt(variable, 1)) != spv::Op::OpVariable) {
      initializer.push_back(Value(module_.IdAt(variable, 1)));
    }
    AddVariable(LocalOf(id), *type, std::move(initializer));
  };
  ForEachBlock(module_, function_, [&](Block block) {
    ForEachInstruction(module_, block, [&](Inst inst) {
      if (IsDropped(module_, inst)) return;
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        if (module_.IsId(inst, i)) add(module_.IdAt(inst, i));
      }
    });
  });
}

void FunctionTranslator::AddBlock(Block block) {
  const ControlFlow& flow = module_.Flow(function_);
  message_->blocks.push_back({});
  block_ = &message_->blocks.back();
  block_->local = LocalOf(module_.LabelId(block));
  if (flow.Reachable(block)) {
    for (Inst inst = module_.Next(module_.Label(block)); inst != Inst::kNone;
         inst = module_.Next(inst)) {
      if (!IsDropped(module_, inst)) AddInstruction(inst);
    }
    return;
  }
  if (!BecomesBackEdge(flow, block)) return Emit(spv::Op::OpUnreachable, next_++, {}, {});
  Operands header{{Kind::kLocal, LocalOf(module_.LabelId(flow.HeaderOfContinue(block))), {}, {}}};
  Emit(spv::Op::OpBranch, next_++, {}, std::move(header));
}

void FunctionTranslator::AddInstruction(Inst inst) {
  const spv::Op opcode = module_.Opcode(inst);
  if (opcode == spv::Op::OpFunctionCall) return AddCall(inst);
  if (opcode == spv::Op::OpPhi) return AddPhi(inst);
  if (IsTerminator(opcode) && !IsDonatedAsIs(module_, inst)) return AddEnd(inst);
  if (Replace(inst)) return;
  const Id type = module_.Type(inst);
  const bool makes_pointer = type != Id::kNone && IsPointer(module_, type) &&
                             opcode != spv::Op::OpVariable && !IsAccessChain(opcode);
  if (!IsDonatedAsIs(module_, inst) || makes_pointer || UsesInexpressible(inst) ||
      (type != Id::kNone && !types_.TypeOf(type))) {
    return Substitute(inst);
  }
  AddPlain(inst);
}

void FunctionTranslator::AddPlain(Inst inst) {
  DonatedInstruction donated;
  donated.opcode = static_cast<uint32_t>(module_.Opcode(inst));
  donated.local = module_.Result(inst) == Id::kNone ? next_++ : LocalOf(module_.Result(inst));
  if (module_.Type(inst) != Id::kNone) donated.type = *types_.TypeOf(module_.Type(inst));
  for (uint32_t i = 0; i < DonatedOperandCount(module_, inst); ++i) {
    donated.operands.push_back(Operand(inst, i));
  }
  switch (module_.Opcode(inst)) {
    case spv::Op::OpVariable:
      donated.operands[0].word = kFunctionStorage;
      variables_.push_back(std::move(donated));
      return;
    case spv::Op::OpLoopMerge:
      donated.operands[2].word = 0;
      break;
    case spv::Op::OpVectorShuffle:  // this component is undefined, so any value will do
      for (size_t i = 2; i < donated.operands.size(); ++i) {
        if (donated.operands[i].word == 0xffffffffu) donated.operands[i].word = 0;
      }
      break;
    case spv::Op::OpCompositeConstruct:
      donated.operands.resize(std::min<size_t>(
          donated.operands.size(),
          IsVector(module_, module_.Type(inst)) ? 4 : types_.PartsOf(module_.Type(inst))));
      break;
    default:
      FitIndices(inst, &donated);
  }
  block_->instructions.push_back(std::move(donated));
}

// Makes constant indices fit into shortened arrays.
void FunctionTranslator::FitIndices(Inst inst, DonatedInstruction* donated) const {
  const spv::Op opcode = module_.Opcode(inst);
  const bool insert = opcode == spv::Op::OpCompositeInsert;
  if (!insert && opcode != spv::Op::OpCompositeExtract && !IsAccessChain(opcode)) return;
  Id type = module_.TypeOf(module_.IdAt(inst, insert ? 1 : 0));
  if (IsPointer(module_, type)) type = ElementType(module_, type);
  for (size_t i = insert ? 2 : 1; i < donated->operands.size() && type != Id::kNone; ++i) {
    DonatedOperand& operand = donated->operands[i];
    const bool is_literal = operand.kind == Kind::kLiteral;
    const bool is_constant = operand.kind == Kind::kConstant && operand.constant.words.size() == 1;
    uint32_t* const index = is_literal    ? &operand.word
                            : is_constant ? &operand.constant.words[0]
                                          : nullptr;
    const spv::Op kind = TypeOpcode(module_, type);
    if (index != nullptr && kind != spv::Op::OpTypeStruct && types_.PartsOf(type) != 0) {
      *index %= types_.PartsOf(type);
    }
    type = kind == spv::Op::OpTypeStruct ? PartType(module_, type, index == nullptr ? 0 : *index)
                                         : ElementType(module_, type);
  }
}

// Adds a phi without the inputs from blocks that are not donated or that get another terminator.
void FunctionTranslator::AddPhi(Inst phi) {
  const ControlFlow& flow = module_.Flow(function_);
  const std::optional<Type> type = types_.TypeOf(module_.Type(phi));
  if (!type || type->kind == Type::Kind::kPointer) return Substitute(phi);
  Operands inputs;
  for (uint32_t i = 0; i + 1 < module_.OperandCount(phi); i += 2) {
    const Id label = module_.IdAt(phi, i + 1);
    const Block from = module_.BlockOfLabel(label);
    const bool reached = flow.Reachable(from);
    if (!reached && !BecomesBackEdge(flow, from)) continue;
    inputs.push_back(reached ? Value(module_.IdAt(phi, i))
                             : DonatedOperand{Kind::kConstant, 0, NullConstant(*type), {}});
    inputs.push_back({Kind::kLocal, LocalOf(label), {}, {}});
  }
  Emit(spv::Op::OpPhi, LocalOf(module_.Result(phi)), *type, std::move(inputs));
}

void FunctionTranslator::AddCall(Inst inst) {
  const Id result = module_.Result(inst);
  const auto callee = callees_.find(module_.FunctionOf(module_.Definition(module_.IdAt(inst, 0))));
  if (callee == callees_.end() || callee->second.max_array_length != max_array_length_)
    return Substitute(inst);
  Operands operands{{Kind::kFunction, 0, {}, Name{0, FunctionLocal(callee->second.origin)}}};
  for (uint32_t i = 1; i < module_.OperandCount(inst); ++i) {
    const Id passed = module_.IdAt(inst, i);
    // The donated callee has no such parameter.
    if (!types_.TypeOf(module_.TypeOf(passed))) continue;
    if (IsInexpressible(passed)) return Substitute(inst);
    operands.push_back(Value(passed));
  }
  Emit(spv::Op::OpFunctionCall, LocalOf(result), *types_.TypeOf(module_.Type(inst)),
       std::move(operands));
}

void FunctionTranslator::AddEnd(Inst inst) {
  const bool kills = module_.Opcode(inst) == spv::Op::OpTerminateInvocation;
  Emit(kills ? spv::Op::OpKill : spv::Op::OpUnreachable, next_++, {}, {});
}

DonatedOperand FunctionTranslator::Operand(Inst inst, uint32_t index) {
  if (!module_.IsId(inst, index)) return {Kind::kLiteral, module_.Word(inst, index), {}, {}};
  return Value(module_.IdAt(inst, index));
}

DonatedOperand FunctionTranslator::Value(Id id) {
  const spv::Op opcode = module_.OpcodeOf(id);
  if (opcode == spv::Op::OpExtInstImport) return {Kind::kGlslStd450, 0, {}, {}};
  if (opcode != spv::Op::OpUndef && !IsConstant(opcode)) {
    return {Kind::kLocal, LocalOf(id), {}, {}};
  }
  std::optional<message::Constant> constant = types_.ConstantOf(id);
  if (!constant) reason_ = "a message cannot express a constant of the function";
  return {Kind::kConstant, 0, std::move(constant).value_or(message::Constant{}), {}};
}

void FunctionTranslator::Emit(spv::Op opcode, uint32_t local, const Type& type, Operands operands) {
  block_->instructions.push_back({static_cast<uint32_t>(opcode), local, type, std::move(operands)});
}

void FunctionTranslator::AddVariable(uint32_t local, const Type& pointer, Operands initializer) {
  Operands operands{{Kind::kLiteral, kFunctionStorage, {}, {}}};
  operands.insert(operands.end(), initializer.begin(), initializer.end());
  variables_.push_back(
      {static_cast<uint32_t>(spv::Op::OpVariable), local, pointer, std::move(operands)});
}

}  // namespace donate
}  // namespace refract
