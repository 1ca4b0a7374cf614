// SPDX-License-Identifier: Apache-2.0
#include "donate/donors.h"

#include <map>
#include <set>

#include "base/text.h"
#include "donate/donated_function.h"
#include "donate/function_translator.h"
#include "ir/call_graph.h"
#include "message/add_function.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"

namespace refract {
inline namespace donate {
namespace {

using message::DonatedInstruction;
using message::DonatedOperand;
using Message = message::AddFunction;
using Kind = DonatedOperand::Kind;

// Replaces terminators that end the function in another way by returns. Local numbers stay. A merge
// block that is not reached stays unreachable.
void EndByReturning(Message* message) {
  const bool is_void = message->result.kind == message::Type::Kind::kVoid;
  std::set<uint32_t> reached;
  for (const message::DonatedBlock& block : message->blocks) {
    if (block.instructions.empty()) continue;
    const DonatedInstruction& end = block.instructions.back();
    for (const DonatedOperand& operand : end.operands) {
      if (operand.kind == Kind::kLocal) reached.insert(operand.word);
    }
  }
  for (message::DonatedBlock& block : message->blocks) {
    if (block.instructions.empty()) continue;
    DonatedInstruction& end = block.instructions.back();
    const auto opcode = static_cast<spv::Op>(end.opcode);
    if (opcode != spv::Op::OpKill && opcode != spv::Op::OpUnreachable) continue;
    if (opcode == spv::Op::OpUnreachable && reached.count(block.local) == 0) continue;
    end.opcode = static_cast<uint32_t>(is_void ? spv::Op::OpReturn : spv::Op::OpReturnValue);
    end.operands.clear();
    if (!is_void) end.operands.push_back({Kind::kConstant, 0, NullConstant(message->result), {}});
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

// Hashes the content, so that the origin does not depend on the file of the function.
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
        if (operand.function) hash = Mix(hash, operand.function.local);
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

// Donates the functions of one module, each after those that it calls.
class Donation {
 public:
  Donation(const Module& module, const std::string& file, Donors* donors)
      : module_(module), file_(file), donors_(donors) {
    recipient_.module = module;
  }

  void Donate(Function function) {
    if (!visited_.insert(function).second || module_[function].first == Block::kNone) return;
    for (Function callee : Callees(module_, function)) Donate(callee);
    const char* reason = nullptr;
    for (uint32_t max_array_length : kLongestArrays) {
      Message message;
      const char* told =
          FunctionTranslator(module_, function, max_array_length, callees_).Translate(&message);
      told = told == nullptr ? AddForms(message, function, max_array_length) : told;
      if (told == nullptr) return;
      if (reason == nullptr) reason = told;
    }
    donors_->left_out.push_back({Described(module_, file_, function), reason});
  }

  bool gave() const { return !callees_.empty(); }

 private:
  // The array lengths to try. Shorter arrays are used if a variable would be too large.
  static constexpr uint32_t kLongestArrays[] = {256, 16, 4};

  // Adds the function in each form that can be added to its own module: live-safe, and unchanged if
  // that differs in more than the live-safe flag. Returns the reason if neither form can be added.
  const char* AddForms(const Message& message, Function function, uint32_t max_array_length) {
    Message safe = message;
    EndByReturning(&safe);
    const bool other_ends = !(safe.blocks == message.blocks);
    safe.live_safe = true;
    safe.loop_limit = 1;
    const bool is_safe = Add(safe, function, max_array_length) == nullptr;
    if (is_safe && !other_ends) return nullptr;
    const char* reason = Add(message, function, max_array_length);
    return is_safe ? nullptr : reason;
  }

  // Adds the function to a copy of the donor that has the functions added before, so that it can
  // call them.
  const char* Add(Message message, Function function, uint32_t max_array_length) {
    message.origin = OriginOf(message);
    const uint64_t origin = message.origin;
    Message resolved = message;
    ResolveDonatedCalls(recipient_.module, &resolved);
    if (const char* reason = CheckAddFunction(resolved, View(recipient_)).reason()) return reason;
    callees_.emplace(function, DonatedCallee{origin, max_array_length});
    ContextEditor editor(recipient_, ++step_);
    ApplyAddFunction(resolved, editor);
    for (const AnyMessage& other : donors_->functions) {
      if (other.As<Message>().origin == origin) return nullptr;
    }
    donors_->functions.emplace_back(std::move(message));
    return nullptr;
  }

  const Module& module_;
  const std::string& file_;
  Donors* const donors_;
  Context recipient_;
  uint32_t step_ = 0;
  std::set<Function> visited_;
  std::map<Function, DonatedCallee> callees_;
};

}  // namespace

bool AddDonors(const Module& module, const std::string& file, Donors* donors) {
  Donation donation(module, file, donors);
  ForEachFunction(module, [&](Function function) { donation.Donate(function); });
  return donation.gave();
}

}  // namespace donate
}  // namespace refract
