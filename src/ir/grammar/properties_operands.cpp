// SPDX-License-Identifier: Apache-2.0
// RuleOfOperand: converts the letters of the property table to rules for operands.
#include "base/check.h"
#include "ir/grammar/properties.h"

namespace refract {
inline namespace ir {
namespace {

OperandRule RuleOfLetter(char letter) {
  switch (letter) {
    case '-':
      return {OperandRole::kLiteral};
    case 'v':
      return {OperandRole::kValue};
    case 's':
      return {OperandRole::kValue, true};
    case 'u':
      return {OperandRole::kValue, false, true};
    case 'c':
      return {OperandRole::kConstant};
    case 'k':
      return {OperandRole::kConstant, true};
    case 'i':
      return {OperandRole::kIndex, true};
    case 'p':
      return {OperandRole::kPointer};
    case 'a':
      return {OperandRole::kArgument};
    case 'o':
      return {OperandRole::kOpaque};
    case 't':
      return {OperandRole::kType};
    case 'f':
      return {OperandRole::kFunction};
    case 'l':
      return {OperandRole::kLabel};
    case 'd':
      return {OperandRole::kDeclaration};
    case 'x':
      return {OperandRole::kFixed};
    default:
      CHECK(false && "the letter is not an operand role");
  }
}

/// The letters without the stars, and how many letters at the end repeat.
struct Letters {
  std::string_view letters;
  size_t repeated;
  explicit Letters(std::string_view operands) {
    const size_t end = operands.find('*');
    letters = operands.substr(0, end);
    repeated = operands.size() - letters.size();
  }
  char At(size_t index) const {
    if (index < letters.size()) return letters[index];
    if (repeated == 0) return 'x';
    return letters[letters.size() - repeated + (index - letters.size()) % repeated];
  }
};

/// The rule for a parameter of an enumerant: of image operands, memory operands or execution modes.
OperandRule RuleOfParameter(const OperandWord& word) {
  if (word.cls == OperandClass::kScope || word.cls == OperandClass::kMemorySemantics) {
    return RuleOfLetter('k');
  }
  if (!word.is_id()) return RuleOfLetter('-');
  const std::string_view owner = AllEnums()[word.owner_enum].name;
  if (owner == "ExecutionMode") return RuleOfLetter('c');
  if (owner != "ImageOperands") return RuleOfLetter('x');
  using enum spv::ImageOperandsMask;
  switch (static_cast<spv::ImageOperandsMask>(word.owner_value)) {
    case Bias:
    case Lod:
    case Grad:
    case Offset:
    case Sample:
    case MinLod:
      return RuleOfLetter('v');
    case ConstOffset:
    case ConstOffsets:
      return RuleOfLetter('c');
    default:
      return RuleOfLetter('x');
  }
}

/// The rule for an operand of the operation in OpSpecConstantOp: constants in place of values.
OperandRule RuleOfSpecOperand(spv::Op nested, uint32_t position) {
  OperandRule rule = RuleOfLetter(Letters(PropertiesOf(nested).operands).At(position));
  const bool is_value = rule.role == OperandRole::kValue || rule.role == OperandRole::kConstant;
  rule.role = is_value ? OperandRole::kConstant : OperandRole::kFixed;
  return rule;
}

}  // namespace

OperandRule RuleOfOperand(spv::Op op, uint32_t index) {
  const Properties& row = PropertiesOf(op);
  if (index >= row.plain_operands && row.plain_operands != Properties::kAllPlain) return {};
  return RuleOfLetter(Letters(row.operands).At(index));
}

OperandRule RuleOfOperand(spv::Op op, std::span<const uint32_t> in_operands, uint32_t index,
                          ExtInstSet set, uint32_t switch_words) {
  CHECK(index < in_operands.size());
  const Properties& row = PropertiesOf(op);
  if (op == spv::Op::OpExtInst && index >= 2) {
    if (set != ExtInstSet::kGlsl) return {};
    return RuleOfLetter(Letters(PropertiesOfGlsl(in_operands[1]).operands).At(index - 2));
  }
  if (row.plain_operands == Properties::kAllPlain || index < row.plain_operands) {
    return RuleOfLetter(Letters(row.operands).At(index));
  }
  if (row.grammar == nullptr) return {};
  OperandWalker walk(op, in_operands, switch_words);
  OperandWord word;
  for (uint32_t i = 0; i <= index; ++i) {
    if (!walk.Next(&word)) return {};
  }
  if (word.is_parameter) return RuleOfParameter(word);
  if (!word.is_id()) return RuleOfLetter('-');
  if (!row.known) return {};
  if (op == spv::Op::OpSpecConstantOp) {
    return RuleOfSpecOperand(static_cast<spv::Op>(in_operands[0]), word.position - 1u);
  }
  return RuleOfLetter(Letters(row.operands).At(word.position));
}

}  // namespace ir
}  // namespace refract
