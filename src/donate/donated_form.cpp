// SPDX-License-Identifier: Apache-2.0
// Checks the form of a donated function in a message: limits, numbers, opcodes and the kinds of
// operands that the grammar requires. donated_check.cpp checks whether the described function is
// valid.
#include <algorithm>
#include <map>
#include <vector>

#include "donate/donated_function.h"
#include "ir/grammar/grammar.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace donate {
namespace {

using message::Constant;
using message::DonatedInstruction;
using message::DonatedOperand;
using message::Type;
using Message = message::AddFunction;
using Kind = DonatedOperand::Kind;

constexpr int kMaxDepth = 8;

// True for types of numbers and composites of them, without names.
bool IsByValue(const Type& type, int depth) {
  if (type.declared || depth > kMaxDepth) return false;
  switch (type.kind) {
    case Type::Kind::kBool:
      return type.parts.empty();
    case Type::Kind::kInt:
    case Type::Kind::kFloat:
      return type.parts.empty();
    case Type::Kind::kVector:
    case Type::Kind::kMatrix:
    case Type::Kind::kArray:
      return type.parts.size() == 1 && IsByValue(type.parts[0], depth + 1);
    case Type::Kind::kStruct:
      return !type.parts.empty() &&
             std::all_of(type.parts.begin(), type.parts.end(),
                         [&](const Type& part) { return IsByValue(part, depth + 1); });
    default:
      return false;
  }
}

bool IsVoid(const Type& type) {
  return type == Type{.kind = Type::Kind::kVoid};
}

// The number of constants in this constant, parts included. If it exceeds the limit, some number
// above the limit.
size_t CountConstants(const Constant& constant, int depth, size_t limit) {
  size_t count = 1;
  for (const Constant& part : constant.parts) {
    if (depth > kMaxDepth || count > limit) return limit + 1;
    count += CountConstants(part, depth + 1, limit);
  }
  return count;
}

class FormChecker {
 public:
  FormChecker(const Module& module, const Message& message) : module_(module), message_(message) {}

  CheckResult Check() {
    if (CheckResult bounded = CheckBounds(); !bounded) return bounded;
    if (CheckResult numbered = CheckNumbers(); !numbered) return numbered;
    for (const message::DonatedBlock& block : message_.blocks) {
      for (const DonatedInstruction& instruction : block.instructions) {
        if (CheckResult good = CheckInstruction(instruction); !good) return good;
      }
    }
    return Yes();
  }

 private:
  CheckResult CheckBounds() const {
    size_t instructions = 0, operands = 0;
    for (const message::DonatedBlock& block : message_.blocks) {
      instructions += block.instructions.size();
      for (const DonatedInstruction& instruction : block.instructions) {
        operands += instruction.operands.size();
      }
    }
    if (message_.blocks.empty() || message_.blocks.size() > kMaxDonatedBlocks ||
        instructions > kMaxDonatedInstructions || operands > kMaxDonatedOperands ||
        message_.parameters.size() > kMaxDonatedParameters) {
      return No("the function has no block or is too large");
    }
    // Pure and Const are promises; None, Inline and DontInline are hints.
    if (message_.control > 2) return No("the function control includes Pure or Const");
    if (IsVoid(message_.result) ? FindType(module_, message_.result) == Id::kNone
                                : !IsDonatedType(module_, message_.result, false)) {
      return No("a donated function cannot have this result type");
    }
    for (const message::DonatedParameter& parameter : message_.parameters) {
      if (!IsDonatedType(module_, parameter.type, true)) {
        return No("a donated function cannot have a parameter of this type");
      }
    }
    return Yes();
  }

  CheckResult CheckNumbers() {
    std::vector<uint32_t> all;
    for (const message::DonatedParameter& parameter : message_.parameters) {
      results_.push_back(parameter.local);
      types_.emplace(parameter.local, &parameter.type);
    }
    for (const message::DonatedBlock& block : message_.blocks) {
      results_.push_back(block.local);
      for (const DonatedInstruction& instruction : block.instructions) {
        (instruction.type == Type{} ? all : results_).push_back(instruction.local);
        types_.emplace(instruction.local, &instruction.type);
      }
    }
    std::sort(results_.begin(), results_.end());
    all.insert(all.end(), results_.begin(), results_.end());
    std::sort(all.begin(), all.end());
    if (all.front() == 0 || all.back() > kMaxDonatedLocal ||
        std::adjacent_find(all.begin(), all.end()) != all.end()) {
      return No("the local numbers of the results must be unique and between 1 and 65535");
    }
    return Yes();
  }

  CheckResult CheckInstruction(const DonatedInstruction& instruction) {
    const auto opcode = static_cast<spv::Op>(instruction.opcode);
    const Donatable kind = IsDonatable(opcode);
    if (kind == Donatable::kNo) {
      return No("an instruction has an opcode that a donated function cannot contain");
    }
    const bool has_type = !(instruction.type == Type{});
    if (has_type != GrammarOf(opcode)->has_type) {
      return No(
          "an instruction has a result type that its opcode does not allow, or its result type is "
          "missing");
    }
    const bool pointer = opcode == spv::Op::OpVariable || opcode == spv::Op::OpAccessChain ||
                         opcode == spv::Op::OpInBoundsAccessChain;
    const bool calls_for_nothing = opcode == spv::Op::OpFunctionCall && IsVoid(instruction.type) &&
                                   FindType(module_, instruction.type) != Id::kNone;
    if (has_type && !calls_for_nothing && !IsDonatedType(module_, instruction.type, pointer)) {
      return No("a donated function cannot contain an instruction with this result type");
    }
    if (opcode == spv::Op::OpSwitch && !IsSelector(instruction)) {
      return No("the selector of OpSwitch is not a 32-bit integer");
    }
    // Arithmetic takes only scalars and vectors, apart from cooperative matrices, which cannot be
    // donated. Our checker also accepts other composites.
    if (kind == Donatable::kNumbers && (instruction.type.kind == Type::Kind::kMatrix ||
                                        instruction.type.kind == Type::Kind::kArray ||
                                        instruction.type.kind == Type::Kind::kStruct)) {
      return No("the result of an arithmetic operation is a matrix, array or struct");
    }
    for (const DonatedOperand& operand : instruction.operands) {
      if (CheckResult good = CheckOperand(operand); !good) return good;
    }
    return CheckOperands(opcode, instruction);
  }

  CheckResult CheckOperand(const DonatedOperand& operand) {
    switch (operand.kind) {
      case Kind::kLiteral:
        return Yes();
      case Kind::kLocal:
        if (std::binary_search(results_.begin(), results_.end(), operand.word)) return Yes();
        return No("an operand names a local number that no instruction defines");
      case Kind::kConstant:
        constants_ += CountConstants(operand.constant, 0, kMaxDonatedConstants);
        if (constants_ > kMaxDonatedConstants) {
          return No("the function has too many constants, or its constants are nested too deeply");
        }
        if (!IsByValue(operand.constant.type, 0) || !IsDeclarableHere(module_, operand.constant) ||
            !MayBeVariable(module_, operand.constant.type)) {
          return No("a constant cannot be declared in this module");
        }
        return Yes();
      case Kind::kGlslStd450:
        return Yes();
      case Kind::kFunction:
        return ++calls_ <= kMaxDonatedCalls ? Yes() : No("the function has too many calls");
    }
    return No("the kind of an operand is unknown");
  }

  // The selector determines the width of the literals (SPIR-V 3.42.17, OpSwitch).
  bool IsSelector(const DonatedInstruction& instruction) const {
    if (instruction.operands.empty()) return false;
    const DonatedOperand& selector = instruction.operands[0];
    const auto local = types_.find(selector.word);
    const Type* const type = selector.kind == Kind::kConstant ? &selector.constant.type
                             : selector.kind == Kind::kLocal && local != types_.end()
                                 ? local->second
                                 : nullptr;
    return type != nullptr && type->kind == Type::Kind::kInt && type->width == 32;
  }

  // Requires literals where the grammar has literals, ids where it has ids, and no optional
  // operands.
  static CheckResult CheckOperands(spv::Op opcode, const DonatedInstruction& instruction) {
    std::vector<uint32_t> words;
    for (const DonatedOperand& operand : instruction.operands) {
      words.push_back(operand.kind == Kind::kLiteral ? operand.word : 1);
    }
    OperandWalker walk(opcode, words);
    OperandWord word;
    bool fit = true;
    size_t at = 0;
    for (; walk.Next(&word); ++at) {
      const bool set = opcode == spv::Op::OpExtInst && at == 0;
      const bool callee = opcode == spv::Op::OpFunctionCall && at == 0;
      const Kind kind = instruction.operands[at].kind;
      fit = fit && word.is_id() == (kind != Kind::kLiteral) && set == (kind == Kind::kGlslStd450) &&
            callee == (kind == Kind::kFunction);
    }
    if (!fit || !walk.well_formed() || at != words.size() || !HasPlainCount(opcode, words)) {
      return No("the operands do not match the opcode");
    }
    return Yes();
  }

  // Optional operands must be absent, except indices, which must be present. Masks may only contain
  // hints.
  static bool HasPlainCount(spv::Op opcode, const std::vector<uint32_t>& words) {
    switch (opcode) {
      case spv::Op::OpLoad:
        return words.size() == 1;
      case spv::Op::OpStore:
        return words.size() == 2;
      case spv::Op::OpBranchConditional:
        return words.size() == 3;
      case spv::Op::OpLoopMerge:
        return words.size() == 3 && words[2] <= 2;
      case spv::Op::OpSelectionMerge:
        return words[1] <= 2;
      case spv::Op::OpVariable:
        return words[0] == static_cast<uint32_t>(spv::StorageClass::Function);
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCompositeExtract:
        return words.size() >= 2;
      case spv::Op::OpCompositeInsert:
        return words.size() >= 3;
      case spv::Op::OpExtInst:
        return IsDonatableGlsl(words[1]);
      case spv::Op::OpSwitch: {
        std::vector<uint32_t> cases;
        for (size_t i = 2; i < words.size(); i += 2) cases.push_back(words[i]);
        std::sort(cases.begin(), cases.end());
        return std::adjacent_find(cases.begin(), cases.end()) == cases.end();
      }
      default:
        return true;
    }
  }

  const Module& module_;
  const Message& message_;
  std::vector<uint32_t> results_;          // numbers that operands can name, sorted
  std::map<uint32_t, const Type*> types_;  // types of results, by number
  size_t constants_ = 0;
  size_t calls_ = 0;
};

}  // namespace

bool IsDonatedType(const Module& module, const Type& type, bool pointer) {
  if (type.kind != Type::Kind::kPointer) {
    return IsByValue(type, 0) && MayBeVariable(module, type);
  }
  return pointer && !type.declared && type.parts.size() == 1 &&
         type.storage == static_cast<uint32_t>(spv::StorageClass::Function) &&
         IsByValue(type.parts[0], 0) && MayBeVariable(module, type.parts[0]);
}

CheckResult CheckDonatedForm(const Module& module, const Message& message) {
  return FormChecker(module, message).Check();
}

}  // namespace donate
}  // namespace refract
