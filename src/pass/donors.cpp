// SPDX-License-Identifier: Apache-2.0
#include "pass/donors.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "ir/block_head.h"
#include "ir/call_graph.h"
#include "ir/operand_rules.h"
#include "ir/types.h"
#include "message/add_function.h"
#include "transform/declare.h"
#include "transform/registry.h"

namespace refract {
namespace {

using message::DonatedInstruction;
using message::DonatedOperand;
using Message = message::AddFunction;
using Kind = DonatedOperand::Kind;

constexpr auto kLocal = static_cast<uint32_t>(spv::StorageClass::Function);
constexpr int kDeepest = 8;

// The type by value, whatever decorations the donor has put on it; nullopt if it has a struct in
// it, or anything else that cannot be said.
std::optional<message::Type> TypeOf(const Module& module, Id id, int depth = 0) {
  const Inst inst = module.Definition(id);
  message::Type type;
  type.kind = static_cast<message::Type::Kind>(module.Opcode(inst));
  Id part = ElementType(module, id);
  switch (module.Opcode(inst)) {
    case spv::Op::OpTypeVoid:
    case spv::Op::OpTypeBool:
      return type;
    case spv::Op::OpTypeInt:
      type.is_signed = module.Word(inst, 1) != 0;
      [[fallthrough]];
    case spv::Op::OpTypeFloat:
      type.width = module.Word(inst, 0);
      return type;
    case spv::Op::OpTypePointer:
      type.storage = kLocal;
      part = module.IdAt(inst, 1);
      break;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      if (!PartCount(module, id)) return std::nullopt;
      type.count = *PartCount(module, id);
      break;
    default:
      return std::nullopt;
  }
  if (depth > kDeepest) return std::nullopt;
  const std::optional<message::Type> inner = TypeOf(module, part, depth + 1);
  if (!inner) return std::nullopt;
  type.parts.push_back(*inner);
  return type;
}

// A spec constant counts as what it is by default, an undefined value as null.
std::optional<message::Constant> ConstantOf(const Module& module, Id id) {
  const Inst inst = module.Definition(id);
  const std::optional<message::Type> type = TypeOf(module, module.Type(inst));
  if (!type) return std::nullopt;
  message::Constant constant;
  constant.type = *type;
  switch (module.Opcode(inst)) {
    case spv::Op::OpConstantTrue:
    case spv::Op::OpSpecConstantTrue:
      constant.words = {1};
      return constant;
    case spv::Op::OpConstantFalse:
    case spv::Op::OpSpecConstantFalse:
      constant.words = {0};
      return constant;
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        constant.words.push_back(module.Word(inst, i));
      }
      return constant;
    case spv::Op::OpConstantNull:
    case spv::Op::OpUndef:
      constant.is_null = true;
      return constant;
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        std::optional<message::Constant> part = ConstantOf(module, module.IdAt(inst, i));
        if (!part) return std::nullopt;
        constant.parts.push_back(std::move(*part));
      }
      return constant;
    default:
      return std::nullopt;
  }
}

bool IsDropped(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  return IsDebugLine(opcode) || opcode == spv::Op::OpNop || opcode == spv::Op::OpUndef ||
         (opcode == spv::Op::OpExtInst && ExtInstSetOf(module, inst) == ExtInstSet::kNonSemantic);
}

class Translator {
 public:
  Translator(const Module& module, Function function) : module_(module), function_(function) {}

  std::optional<Message> Translate() {
    CollectGlobals();
    const Inst definition = module_[function_].definition;
    const uint32_t control = module_.Word(definition, 0) & 3u;
    message_.control = control == 3 ? 0 : control;
    message_.result = Typed(module_.Type(definition));
    ForEachInstruction(module_, module_[function_].head, [&](Inst inst) {
      if (module_.Opcode(inst) != spv::Op::OpFunctionParameter) return;
      message_.parameters.push_back({LocalOf(module_.Result(inst)), Typed(module_.Type(inst))});
      if (!IsLocalPointer(module_.Type(inst))) Fail("a parameter points to no local variable");
    });
    ForEachBlock(module_, function_, [&](Block block) { AddBlock(block); });
    if (reason_ != nullptr) return std::nullopt;
    return std::move(message_);
  }

  const char* reason() const { return reason_; }

 private:
  void Fail(const char* reason) {
    if (reason_ == nullptr) reason_ = reason;
  }

  // By the order in which they are met.
  uint32_t LocalOf(Id id) {
    const auto [entry, is_new] = locals_.emplace(id, next_);
    next_ += is_new;
    return entry->second;
  }

  message::Type Typed(Id id) {
    const std::optional<message::Type> type = TypeOf(module_, id);
    if (!type) Fail("a type is a structure, or cannot be said by value for another reason");
    return type.value_or(message::Type{});
  }

  bool IsLocalPointer(Id type) const {
    return !IsPointer(module_, type) ||
           StorageClassOf(module_, type) == spv::StorageClass::Function;
  }

  void CollectGlobals() {
    ForEachBlock(module_, function_, [&](Block block) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        if (IsDropped(module_, inst)) return;
        for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
          if (!module_.IsId(inst, i)) continue;
          const Id id = module_.IdAt(inst, i);
          const Inst used = module_.Definition(id);
          if (module_.Opcode(used) != spv::Op::OpVariable ||
              module_.FunctionOf(used) != Function::kNone ||
              std::find(globals_.begin(), globals_.end(), id) != globals_.end()) {
            continue;
          }
          globals_.push_back(id);
        }
      });
    });
  }

  void AddBlock(Block block) {
    message::DonatedBlock donated;
    donated.local = LocalOf(module_.LabelId(block));
    if (block == module_[function_].first) {
      for (Id global : globals_) donated.instructions.push_back(VariableFor(global));
    }
    for (Inst inst = module_.Next(module_.Label(block)); inst != Inst::kNone;
         inst = module_.Next(inst)) {
      if (!IsDropped(module_, inst)) donated.instructions.push_back(Translated(inst));
    }
    message_.blocks.push_back(std::move(donated));
  }

  DonatedInstruction VariableFor(Id global) {
    const Inst variable = module_.Definition(global);
    DonatedInstruction donated{static_cast<uint32_t>(spv::Op::OpVariable),
                               LocalOf(global),
                               Typed(module_.Type(variable)),
                               {{Kind::kLiteral, kLocal, {}}}};
    if (module_.OperandCount(variable) > 1) AddOperand(variable, 1, &donated);
    return donated;
  }

  DonatedInstruction Translated(Inst inst) {
    DonatedInstruction donated;
    donated.opcode = static_cast<uint32_t>(module_.Opcode(inst));
    donated.local = module_.Result(inst) == Id::kNone ? next_++ : LocalOf(module_.Result(inst));
    if (module_.Type(inst) != Id::kNone) donated.type = Typed(module_.Type(inst));
    uint32_t count = module_.OperandCount(inst);
    switch (module_.Opcode(inst)) {
      case spv::Op::OpFunctionCall:
        Fail("it calls a function");
        break;
      case spv::Op::OpLoad:  // memory operands, weights and hints about loops are left behind
        count = 1;
        break;
      case spv::Op::OpStore:
        count = 2;
        break;
      case spv::Op::OpBranchConditional:
      case spv::Op::OpLoopMerge:
        count = 3;
        break;
      default:
        break;
    }
    for (uint32_t i = 0; i < count; ++i) AddOperand(inst, i, &donated);
    if (module_.Opcode(inst) == spv::Op::OpLoopMerge) donated.operands[2].word = 0;
    return donated;
  }

  void AddOperand(Inst inst, uint32_t index, DonatedInstruction* donated) {
    if (!module_.IsId(inst, index)) {
      donated->operands.push_back({Kind::kLiteral, module_.Word(inst, index), {}});
      return;
    }
    const Id id = module_.IdAt(inst, index);
    const spv::Op opcode = module_.OpcodeOf(id);
    if (opcode == spv::Op::OpExtInstImport) {
      if (ExtInstSetOf(module_, inst) != ExtInstSet::kGlsl) {
        Fail("an extended instruction is of another set than GLSL.std.450");
      }
      donated->operands.push_back({Kind::kGlslStd450, 0, {}});
    } else if (opcode == spv::Op::OpUndef || IsConstant(opcode)) {
      const std::optional<message::Constant> constant = ConstantOf(module_, id);
      if (!constant) Fail("a constant cannot be said by value");
      donated->operands.push_back({Kind::kConstant, 0, constant.value_or(message::Constant{})});
    } else {
      donated->operands.push_back({Kind::kLocal, LocalOf(id), {}});
    }
  }

  const Module& module_;
  const Function function_;
  Message message_;
  const char* reason_ = nullptr;
  std::vector<Id> globals_;
  std::map<Id, uint32_t> locals_;
  uint32_t next_ = 1;
};

// Other ends than returns become returns; the numbers stay.
void EndByReturning(Message* message) {
  const bool is_void = message->result.kind == message::Type::Kind::kVoid;
  for (message::DonatedBlock& block : message->blocks) {
    if (block.instructions.empty()) continue;
    DonatedInstruction& end = block.instructions.back();
    const auto opcode = static_cast<spv::Op>(end.opcode);
    if (opcode != spv::Op::OpKill && opcode != spv::Op::OpUnreachable) continue;
    end.opcode = static_cast<uint32_t>(is_void ? spv::Op::OpReturn : spv::Op::OpReturnValue);
    end.operands.clear();
    if (!is_void) end.operands.push_back({Kind::kConstant, 0, NullConstant(message->result)});
  }
}

uint64_t Hash(uint64_t hash, const message::Type& type) {
  for (uint64_t part : {uint64_t(type.kind), uint64_t{type.width}, uint64_t{type.is_signed},
                        uint64_t{type.count}, uint64_t{type.storage}}) {
    hash = Mix(hash, part);
  }
  for (const message::Type& part : type.parts) hash = Hash(hash, part);
  return Mix(hash, uint64_t{type.parts.size()});
}

uint64_t Hash(uint64_t hash, const message::Constant& constant) {
  hash = Mix(Hash(hash, constant.type), uint64_t{constant.is_null});
  for (uint32_t word : constant.words) hash = Mix(hash, uint64_t{word});
  for (const message::Constant& part : constant.parts) hash = Hash(hash, part);
  return Mix(hash, uint64_t{constant.parts.size()});
}

// By content, so that it does not matter in which file a function stands.
uint64_t OriginOf(const Message& message) {
  uint64_t hash = Hash(message.control, message.result);
  for (const message::DonatedParameter& parameter : message.parameters) {
    hash = Hash(Mix(hash, uint64_t{parameter.local}), parameter.type);
  }
  for (const message::DonatedBlock& block : message.blocks) {
    hash = Mix(hash, uint64_t{block.local});
    for (const DonatedInstruction& instruction : block.instructions) {
      hash = Mix(Mix(hash, uint64_t{instruction.opcode}), uint64_t{instruction.local});
      hash = Hash(hash, instruction.type);
      for (const DonatedOperand& operand : instruction.operands) {
        hash =
            Hash(Mix(Mix(hash, uint64_t(operand.kind)), uint64_t{operand.word}), operand.constant);
      }
    }
  }
  return hash;
}

std::string Described(const Module& module, const std::string& file, Function function) {
  const Id id = module.FunctionId(function);
  std::string text = format("{}: %{}", file, module.FileId(id));
  ForEachUse(module, id, [&](Use use) {
    const Inst user = module.User(use);
    if (module.Opcode(user) != spv::Op::OpName) return;
    text += format(" ({})", StringOperand(module, user, 1));
  });
  return text;
}

const char* Refusal(const View& view, const Message& message) {
  const AnyMessage any(message);
  return RuleOf(any)->check(any, view).reason();
}

void AddOnce(Message message, Donors* donors) {
  message.origin = OriginOf(message);
  for (const AnyMessage& other : donors->functions) {
    if (other.As<Message>().origin == message.origin) return;
  }
  donors->functions.emplace_back(std::move(message));
}

// Adds the function in each form that can be added to the module it comes from: live-safe, and as
// it is, if it is not the same but for that. The reason why not if there is none.
const char* AddForms(const Module& module, const Message& message, Donors* donors) {
  Context context;
  context.module = module;
  const View view(context);
  Message safe = message;
  EndByReturning(&safe);
  const bool other_ends = !(safe.blocks == message.blocks);
  safe.live_safe = true;
  safe.loop_limit = 1;
  const bool is_safe = Refusal(view, safe) == nullptr;
  if (is_safe) AddOnce(std::move(safe), donors);
  if (is_safe && !other_ends) return nullptr;
  const char* reason = Refusal(view, message);
  if (reason == nullptr) AddOnce(message, donors);
  return is_safe ? nullptr : reason;
}

}  // namespace

bool AddDonors(const Module& module, const std::string& file, Donors* donors) {
  bool gave = false;
  ForEachFunction(module, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    Translator translator(module, function);
    std::optional<Message> message = translator.Translate();
    const char* reason = message ? AddForms(module, *message, donors) : translator.reason();
    if (reason != nullptr) {
      donors->left_out.push_back({Described(module, file, function), reason});
    } else {
      gave = true;
    }
  });
  return gave;
}

}  // namespace refract
