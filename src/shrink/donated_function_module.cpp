// SPDX-License-Identifier: Apache-2.0
#include "shrink/donated_function_module.h"

#include <algorithm>
#include <utility>

#include "donate/donated_function.h"
#include "ir/edit/editor.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace shrink {
namespace {

using message::DonatedOperand;
using Kind = DonatedOperand::Kind;

class MessageWriter {
 public:
  MessageWriter(const Module& module, std::map<Inst, uint32_t> locals,
                const std::map<Inst, message::Type>& types, uint32_t last)
      : module_(module), locals_(std::move(locals)), types_(types), last_(last) {}

  std::optional<message::AddFunction> ToMessage(Function function,
                                                const message::AddFunction& was) {
    message::AddFunction message = was;
    const Inst definition = module_[function].definition;
    message.control = module_.Word(definition, 0);
    if (module_.OpcodeOf(module_.Type(definition)) == spv::Op::OpTypeVoid) {
      message.result = {};
      message.result.kind = message::Type::Kind::kVoid;
    }
    message.parameters.clear();
    message.blocks.clear();
    // Number all instructions first, because a phi or a branch may refer to a later one.
    ForEachBlock(module_, function, [&](Block block) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        if (locals_.emplace(inst, last_ + 1).second) ++last_;
      });
    });
    ForEachInstruction(module_, module_[function].head, [&](Inst inst) {
      if (module_.Opcode(inst) != spv::Op::OpFunctionParameter) return;
      message.parameters.push_back({locals_.at(inst), TypeOf(inst)});
    });
    ForEachBlock(module_, function,
                 [&](Block block) { message.blocks.push_back(ToMessage(block)); });
    if (!is_expressible_) return std::nullopt;
    return message;
  }

 private:
  message::DonatedBlock ToMessage(Block block) {
    message::DonatedBlock block_message;
    block_message.local = locals_.at(module_.Label(block));
    ForEachInstruction(module_, block, [&](Inst inst) {
      if (inst == module_.Label(block)) return;
      message::DonatedInstruction instruction;
      instruction.opcode = static_cast<uint32_t>(module_.Opcode(inst));
      instruction.local = locals_.at(inst);
      if (module_.Type(inst) != Id::kNone) instruction.type = TypeOf(inst);
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        instruction.operands.push_back(OperandOf(inst, i));
      }
      block_message.instructions.push_back(std::move(instruction));
    });
    return block_message;
  }

  message::Type TypeOf(Inst inst) const {
    const auto known = types_.find(inst);
    const bool is_void = module_.OpcodeOf(module_.Type(inst)) == spv::Op::OpTypeVoid;
    return known != types_.end() && !is_void ? known->second
                                             : Describe(module_, module_.Type(inst));
  }

  DonatedOperand OperandOf(Inst inst, uint32_t index) {
    DonatedOperand operand;
    operand.word = module_.Word(inst, index);
    if (!module_.IsId(inst, index)) return operand;
    operand.word = 0;
    const Id id = module_.IdAt(inst, index);
    const Inst definition = module_.Definition(id);
    if (const auto local = locals_.find(definition); local != locals_.end()) {
      operand.kind = Kind::kLocal;
      operand.word = local->second;
    } else if (module_.Opcode(definition) == spv::Op::OpFunction) {
      operand.kind = Kind::kFunction;
      operand.function = module_.NameOf(id);
    } else if (module_.Opcode(definition) == spv::Op::OpExtInstImport) {
      operand.kind = Kind::kGlslStd450;
    } else if (auto constant = DescribeConstant(module_, id)) {
      operand.kind = Kind::kConstant;
      operand.constant = std::move(*constant);
    } else {
      is_expressible_ = false;
    }
    return operand;
  }

  const Module& module_;
  std::map<Inst, uint32_t> locals_;
  const std::map<Inst, message::Type>& types_;
  uint32_t last_;
  bool is_expressible_ = true;
};

}  // namespace

DonatedFunctionModule::DonatedFunctionModule(const Module& before, uint32_t step,
                                             const message::AddFunction& message)
    : message_(message), module_(before) {
  Editor editor(module_, step);
  function_ = BuildDonated(editor, message);
  const auto note = [&](Inst inst, uint32_t local, const message::Type* type) {
    locals_.emplace(inst, local);
    if (type != nullptr) types_.emplace(inst, *type);
    last_ = std::max(last_, local);
  };
  // BuildDonated builds the instructions in the order of the message.
  Inst parameter = module_.Next(module_[function_].definition);
  for (const message::DonatedParameter& donated : message.parameters) {
    note(parameter, donated.local, &donated.type);
    parameter = module_.Next(parameter);
  }
  Block block = module_[function_].first;
  for (const message::DonatedBlock& donated : message.blocks) {
    Inst inst = module_.Label(block);
    note(inst, donated.local, nullptr);
    for (const message::DonatedInstruction& instruction : donated.instructions) {
      inst = module_.Next(inst);
      note(inst, instruction.local, &instruction.type);
    }
    block = module_[block].next;
  }
}

std::optional<message::AddFunction> DonatedFunctionModule::ToMessage(const Module& changed) const {
  return MessageWriter(changed, locals_, types_, last_).ToMessage(function_, message_);
}

}  // namespace shrink
}  // namespace refract
