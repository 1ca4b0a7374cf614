// SPDX-License-Identifier: Apache-2.0
// Folds operations on 32-bit integers and booleans whose operands are constants, and applies
// identities with one constant. Does not change floats.
#include <optional>

#include "planted/passes.h"

namespace refract::planted {
namespace {

using spv::Op;

std::optional<uint32_t> Compute(Op op, uint32_t a, uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  const bool divides = b != 0 && !(a == 0x80000000u && y == -1);
  switch (op) {
    case Op::OpIAdd:
      return a + b;
    case Op::OpISub:
      return a - b;
    case Op::OpIMul:
      return a * b;
    case Op::OpUDiv:
      return b != 0 ? std::optional(a / b) : std::nullopt;
    case Op::OpUMod:
      return b != 0 ? std::optional(a % b) : std::nullopt;
    case Op::OpSDiv:
      return divides ? std::optional(static_cast<uint32_t>(x / y)) : std::nullopt;
    case Op::OpSRem:
      return divides && x >= 0 && y > 0 ? std::optional(a % b) : std::nullopt;
    case Op::OpSMod: {
      if (!divides) return std::nullopt;
      const int32_t rest = x % y;
      return static_cast<uint32_t>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
    }
    case Op::OpBitwiseAnd:
      return a & b;
    case Op::OpBitwiseOr:
      return a | b;
    case Op::OpBitwiseXor:
      return a ^ b;
    case Op::OpShiftLeftLogical:
      return b < 32 ? std::optional(a << b) : std::nullopt;
    case Op::OpShiftRightLogical:
      return b < 32 ? std::optional(a >> b) : std::nullopt;
    case Op::OpShiftRightArithmetic:
      return b < 32 ? std::optional(static_cast<uint32_t>(x >> b)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<bool> CompareInts(Op op, uint32_t a, uint32_t b, Bugs* bugs) {
  const bool signs_differ = (a ^ b) >> 31 != 0;
  if (op == Op::OpSGreaterThanEqual && signs_differ && bugs->At(Bug::kSignedCompare)) return a >= b;
  return Compare(op, a, b);
}

std::optional<bool> ComputeBool(Op op, bool a, bool b) {
  switch (op) {
    case Op::OpLogicalAnd:
      return a && b;
    case Op::OpLogicalOr:
      return a || b;
    case Op::OpLogicalEqual:
      return a == b;
    case Op::OpLogicalNotEqual:
      return a != b;
    default:
      return std::nullopt;
  }
}

class Folder {
 public:
  explicit Folder(Program* program) : program_(*program), definitions_(*program) {}

  void Run() {
    for (Function& function : program_.functions) {
      ForEachInstruction(function, [&](Instruction& instruction) {
        if (instruction.type == 0 || instruction.in.empty()) return;
        for (Operand& operand : instruction.in) {
          if (operand.is_id) operand.word = replaced_.Find(operand.word);
        }
        const uint32_t value = Fold(instruction);
        if (value == 0 || TypeOf(value) != instruction.type) return;
        replaced_.Set(instruction.result, value);
        instruction.Remove();
      });
    }
    replaced_.Apply(&program_);
  }

 private:
  // A constant or an id with the same value; 0 if there is none.
  uint32_t Fold(const Instruction& instruction) {
    const bool is_int = definitions_.IsInt32(instruction.type);
    if (instruction.in.size() == 1) return FoldOne(instruction, is_int);
    if (instruction.op == Op::OpSelect) return FoldSelect(instruction);
    if (instruction.in.size() != 2 || !instruction.in[0].is_id || !instruction.in[1].is_id)
      return 0;
    uint32_t a = 0, b = 0;
    const bool a_is_known = definitions_.IntValue(instruction.Id(0), &a);
    const bool b_is_known = definitions_.IntValue(instruction.Id(1), &b);
    if (is_int && (IsSpecialised(instruction.Id(0)) || IsSpecialised(instruction.Id(1))) &&
        program_.bugs.At(Bug::kSpecialised)) {
      PLANTED_ASSERT(a_is_known || b_is_known);
    }
    if (a_is_known && b_is_known) {
      if (instruction.op == Op::OpShiftRightLogical && a >> 31 != 0 && b < 32 && b >= 16 &&
          program_.bugs.At(Bug::kShiftedSign)) {
        return program_.IntConstant(instruction.type,
                                    static_cast<uint32_t>(static_cast<int32_t>(a) >> b));
      }
      if (const auto value = is_int ? Compute(instruction.op, a, b) : std::nullopt) {
        return program_.IntConstant(instruction.type, *value);
      }
      if (const auto value = CompareInts(instruction.op, a, b, &program_.bugs)) {
        return program_.BoolConstant(instruction.type, *value);
      }
      return 0;
    }
    if (is_int && b_is_known && IsInverse(instruction) && program_.bugs.At(Bug::kBackAndForth)) {
      for (volatile uint32_t sum = b; sum == b;) sum = b;
    }
    if (is_int && b_is_known) return FoldIdentity(instruction.op, instruction, 0, b);
    if (is_int && a_is_known) return FoldCommuted(instruction, a);
    return FoldBools(instruction);
  }

  bool IsSpecialised(uint32_t id) const {
    if (definitions_.Op(id) != Op::OpSpecConstantOp) return false;
    const auto op = static_cast<Op>(definitions_[id]->Word(0));
    return op == Op::OpBitwiseOr || op == Op::OpBitwiseAnd || op == Op::OpNot ||
           op == Op::OpSNegate || op == Op::OpShiftRightLogical || op == Op::OpShiftRightArithmetic;
  }

  // Whether the instruction is (c + x) - c.
  bool IsInverse(const Instruction& subtract) const {
    const Instruction* add = definitions_[subtract.Id(0)];
    return subtract.op == Op::OpISub && add != nullptr && add->op == Op::OpIAdd &&
           add->Id(0) == subtract.Id(1);
  }

  uint32_t FoldOne(const Instruction& instruction, bool is_int) {
    uint32_t value = 0;
    bool truth = false;
    if (!instruction.in[0].is_id) return 0;
    const Instruction* operand = definitions_[instruction.Id(0)];
    if (operand == nullptr) return 0;
    switch (instruction.op) {
      case Op::OpLogicalNot:
        if (definitions_.BoolValue(operand->result, &truth)) {
          return program_.BoolConstant(instruction.type, !truth);
        }
        if (operand->op != Op::OpLogicalNot) return 0;
        if (definitions_.Op(operand->Id(0)) == Op::OpSLessThan &&
            program_.bugs.At(Bug::kDoubleNot)) {
          return operand->result;
        }
        return operand->Id(0);
      case Op::OpSNegate:
      case Op::OpNot:
        if (is_int && definitions_.IntValue(operand->result, &value)) {
          value = instruction.op == Op::OpNot ? ~value : 0 - value;
          return program_.IntConstant(instruction.type, value);
        }
        return operand->op == instruction.op ? operand->Id(0) : 0;
      case Op::OpBitcast:
        if (operand->op == Op::OpConstant && definitions_.Op(operand->type) == Op::OpTypeFloat &&
            program_.bugs.At(Bug::kBitsOfFloat)) {
          PLANTED_ASSERT(definitions_.IsInt32(operand->type));
        }
        if (is_int && definitions_.IntValue(operand->result, &value)) {
          return program_.IntConstant(instruction.type, value);
        }
        return operand->op == Op::OpBitcast ? operand->Id(0) : 0;
      default:
        return 0;
    }
  }

  uint32_t FoldSelect(const Instruction& select) {
    bool truth = false;
    if (!definitions_.BoolValue(select.Id(0), &truth)) return 0;
    return select.Id(truth ? 1 : 2);
  }

  // Folds x OP value, where operand number `x` is x.
  uint32_t FoldIdentity(Op op, const Instruction& instruction, size_t x, uint32_t value) {
    switch (op) {
      case Op::OpIAdd:
      case Op::OpISub:
      case Op::OpBitwiseOr:
      case Op::OpBitwiseXor:
      case Op::OpShiftLeftLogical:
      case Op::OpShiftRightLogical:
      case Op::OpShiftRightArithmetic:
        return value == 0 ? instruction.Id(x) : 0;
      case Op::OpIMul:
        if (value == 0) return program_.IntConstant(instruction.type, 0);
        return value == 1 ? instruction.Id(x) : 0;
      case Op::OpUDiv:
      case Op::OpSDiv:
        return value == 1 ? instruction.Id(x) : 0;
      case Op::OpBitwiseAnd:
        if (value == 0) return program_.IntConstant(instruction.type, 0);
        return value == ~0u ? instruction.Id(x) : 0;
      default:
        return 0;
    }
  }

  // Folds value OP x.
  uint32_t FoldCommuted(const Instruction& instruction, uint32_t value) {
    switch (instruction.op) {
      case Op::OpIAdd:
      case Op::OpIMul:
      case Op::OpBitwiseOr:
      case Op::OpBitwiseXor:
      case Op::OpBitwiseAnd:
        return FoldIdentity(instruction.op, instruction, 1, value);
      default:
        return 0;
    }
  }

  uint32_t FoldBools(const Instruction& instruction) {
    bool a = false, b = false;
    const bool a_is_known = definitions_.BoolValue(instruction.Id(0), &a);
    const bool b_is_known = definitions_.BoolValue(instruction.Id(1), &b);
    if (a_is_known && b_is_known) {
      const auto value = ComputeBool(instruction.op, a, b);
      return value ? program_.BoolConstant(instruction.type, *value) : 0;
    }
    if (!a_is_known && !b_is_known) return 0;
    const bool value = a_is_known ? a : b;
    const uint32_t other = instruction.Id(a_is_known ? 1 : 0);
    if (instruction.op == Op::OpLogicalAnd) {
      return value ? other : program_.BoolConstant(instruction.type, false);
    }
    if (instruction.op == Op::OpLogicalOr) {
      return value ? program_.BoolConstant(instruction.type, true) : other;
    }
    return 0;
  }

  // Also covers constants that this pass made.
  uint32_t TypeOf(uint32_t id) {
    for (; known_ < program_.declarations.size(); ++known_) {
      definitions_.Add(&program_.declarations[known_]);
    }
    return definitions_.TypeOf(id);
  }

  Program& program_;
  Definitions definitions_;
  Replacements replaced_;
  size_t known_ = 0;
};

}  // namespace

void FoldConstants(Program* program) {
  Folder(program).Run();
}

}  // namespace refract::planted
