// SPDX-License-Identifier: Apache-2.0
#include "ir/grammar/grammar.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace refract {
inline namespace ir {
namespace {

constexpr uint16_t kNone = 0xffff;

/// Maps an opcode to its row. It is dense up to the highest opcode (about 6,500), so a lookup is
/// one load.
const std::vector<uint16_t>& OpcodeIndex() {
  static const std::vector<uint16_t> index = [] {
    const auto rows = AllOpcodes();
    std::vector<uint16_t> result(static_cast<size_t>(rows.back().op) + 1, kNone);
    for (size_t i = 0; i < rows.size(); ++i) {
      result[static_cast<size_t>(rows[i].op)] = static_cast<uint16_t>(i);
    }
    return result;
  }();
  return index;
}

std::span<const OperandGrammar> InOperands(const OpcodeGrammar& grammar) {
  return grammar.operands.subspan((grammar.has_type ? 1 : 0) + (grammar.has_result ? 1 : 0));
}

bool HasZeroByte(uint32_t word) {
  return ((word - 0x01010101u) & ~word & 0x80808080u) != 0;
}

}  // namespace

const OpcodeGrammar* GrammarOf(spv::Op op) {
  const auto& index = OpcodeIndex();
  const auto at = static_cast<size_t>(op);
  if (at >= index.size() || index[at] == kNone) return nullptr;
  return &AllOpcodes()[index[at]];
}

std::string NameOf(spv::Op op) {
  if (const OpcodeGrammar* grammar = GrammarOf(op)) return std::string(grammar->name);
  return format("Op#{}", static_cast<uint32_t>(op));
}

std::optional<spv::Op> OpcodeByName(std::string_view name) {
  for (const OpcodeGrammar& row : AllOpcodes()) {
    if (row.name == name || std::ranges::find(row.aliases, name) != row.aliases.end()) {
      return row.op;
    }
  }
  return std::nullopt;
}

const EnumGrammar* FindEnum(std::string_view name) {
  for (const EnumGrammar& kind : AllEnums()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const Enumerant* FindEnumerant(const EnumGrammar& kind, uint32_t value) {
  const auto found = std::lower_bound(
      kind.enumerants.begin(), kind.enumerants.end(), value,
      [](const Enumerant& enumerant, uint32_t wanted) { return enumerant.value < wanted; });
  if (found == kind.enumerants.end() || found->value != value) return nullptr;
  return &*found;
}

std::string EnumText(const EnumGrammar& kind, uint32_t value) {
  if (const Enumerant* whole = FindEnumerant(kind, value)) return std::string(whole->name);
  if (!kind.is_mask) return format("{}", value);
  std::string text;
  uint32_t unnamed = value;
  for (uint32_t bit = 1; bit != 0; bit <<= 1) {
    const Enumerant* named = (value & bit) != 0 ? FindEnumerant(kind, bit) : nullptr;
    if (named == nullptr) continue;
    if (!text.empty()) text += '|';
    text += named->name;
    unnamed &= ~bit;
  }
  if (unnamed != 0 || text.empty()) text += format("{}{:#x}", text.empty() ? "" : "|", unnamed);
  return text;
}

const GlslGrammar* GlslGrammarOf(uint32_t number) {
  const auto rows = AllGlsl();
  const auto found =
      std::lower_bound(rows.begin(), rows.end(), number,
                       [](const GlslGrammar& row, uint32_t wanted) { return row.number < wanted; });
  return found == rows.end() || found->number != number ? nullptr : &*found;
}

std::optional<uint32_t> GlslByName(std::string_view name) {
  for (const GlslGrammar& row : AllGlsl()) {
    if (row.name == name) return row.number;
  }
  return std::nullopt;
}

OperandWalker::OperandWalker(spv::Op op, std::span<const uint32_t> words, uint32_t switch_words)
    : words_(words), switch_words_(op == spv::Op::OpSwitch ? switch_words : 0) {
  if (const OpcodeGrammar* grammar = GrammarOf(op)) {
    operands_ = InOperands(*grammar);
    repeated_ = grammar->repeated;
  }
}

bool OperandWalker::Next(OperandWord* word) {
  const bool at_end = at_ == words_.size();
  if (words_left_ > 0) {
    if (at_end) return well_formed_ = false;
  } else if (HasParameter()) {
    if (at_end) return well_formed_ = false;
    StartParameter();
  } else {
    if (at_end) {
      // The remaining operands may only be optional, and a pair must be complete.
      const bool open_pair = repeated_ == 2 && operand_ + 1 == operands_.size();
      const bool missing =
          operand_ < operands_.size() && operands_[operand_].quantifier == Quantifier::kOne;
      if (open_pair || missing) well_formed_ = false;
      return false;
    }
    if (!StartNextOperand()) {
      well_formed_ = false;  // one more word than the grammar has operands
      current_ = {};
      current_.cls = OperandClass::kLiteralInteger;
      current_.position = 0xff;
      words_left_ = 1;
    }
  }
  Deliver(word);
  return true;
}

bool OperandWalker::StartNextOperand() {
  if (operand_ == operands_.size()) {
    if (repeated_ == 0) return false;
    operand_ -= repeated_;
  }
  current_ = {};
  current_.position = static_cast<uint8_t>(first_position_ + operand_);
  Start(operands_[operand_++]);
  return true;
}

/// True if an enumerant that was already visited still has a parameter; finds the next such
/// enumerant.
bool OperandWalker::HasParameter() {
  for (;;) {
    if (enumerant_ != nullptr && parameter_ < enumerant_->parameters.size()) return true;
    enumerant_ = nullptr;
    if (pending_bits_ == 0) return false;
    const uint32_t lowest = pending_bits_ & (~pending_bits_ + 1);
    pending_bits_ &= pending_bits_ - 1;
    enumerant_ = FindEnumerant(*owner_, lowest);
    parameter_ = 0;
    if (enumerant_ == nullptr) well_formed_ = false;  // its parameters are unknown
  }
}

void OperandWalker::StartParameter() {
  const uint8_t position = current_.position;
  current_ = {};
  current_.position = position;
  current_.is_parameter = true;
  current_.owner_enum = owner_index_;
  current_.owner_value = enumerant_->value;
  Start(enumerant_->parameters[parameter_++]);
}

void OperandWalker::Start(const OperandGrammar& operand) {
  current_.cls = operand.cls;
  current_.enum_index = operand.enum_index;
  words_left_ = 1;
  if (operand.cls == OperandClass::kLiteralNumber) {
    words_left_ = switch_words_ != 0 ? switch_words_ : static_cast<uint32_t>(words_.size() - at_);
  } else if (operand.cls == OperandClass::kLiteralInteger && switch_words_ > 1) {
    // The grammar describes the cases of OpSwitch as one-word integers.
    words_left_ = switch_words_;
  } else if (operand.cls == OperandClass::kLiteralString) {
    size_t last = at_;
    while (last < words_.size() && !HasZeroByte(words_[last])) ++last;
    words_left_ = static_cast<uint32_t>(last - at_ + 1);
  }
}

void OperandWalker::Deliver(OperandWord* word) {
  *word = current_;
  const uint32_t value = words_[at_++];
  --words_left_;
  if (current_.cls == OperandClass::kValueEnum && !current_.is_parameter) {
    owner_index_ = current_.enum_index;
    owner_ = &AllEnums()[owner_index_];
    enumerant_ = FindEnumerant(*owner_, value);
    parameter_ = 0;
    if (enumerant_ == nullptr) well_formed_ = false;
  } else if (current_.cls == OperandClass::kMask && !current_.is_parameter) {
    owner_index_ = current_.enum_index;
    owner_ = &AllEnums()[owner_index_];
    pending_bits_ = value;
  } else if (current_.cls == OperandClass::kSpecOpcode) {
    // The in-operands of that opcode follow, as in a separate instruction (SPIR-V 3.42.9).
    const OpcodeGrammar* nested = GrammarOf(static_cast<spv::Op>(value));
    if (nested == nullptr) return;
    operands_ = InOperands(*nested);
    operand_ = 0;
    first_position_ = 1;
    repeated_ = nested->repeated;
  }
}

}  // namespace ir
}  // namespace refract
