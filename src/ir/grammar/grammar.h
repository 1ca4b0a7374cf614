// SPDX-License-Identifier: Apache-2.0
// The machine-readable grammar of SPIRV-Headers: names, operand kinds, capabilities and versions of
// opcodes, enumerants and GLSL.std.450 instructions. It is generated at build time
// (tools/gen_grammar.py). What instructions *mean* is in ir/grammar/properties.h.
//
// Operand indices, here and in the whole project, count in-operands, one for each word. Result type
// and result id are not counted. Literals and strings of several words count each word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>

namespace refract {
inline namespace ir {

/// The version word of what only an extension provides.
inline constexpr uint32_t kNoVersion = 0xffffffffu;

enum class OperandClass : uint8_t {
  kResultType,
  kResult,
  kId,
  kScope,            ///< id of a Scope
  kMemorySemantics,  ///< id of a mask of Memory Semantics
  kLiteralInteger,   ///< one word (or a float in one word)
  kLiteralNumber,    ///< as wide as its type: OpConstant, OpSpecConstant, cases of OpSwitch
  kLiteralString,    ///< several words; the first word with a zero byte is the last
  kExtInstNumber,    ///< the instruction number in OpExtInst
  kSpecOpcode,       ///< the opcode in OpSpecConstantOp; the in-operands of that opcode follow
  kValueEnum,
  kMask,  ///< the parameters of the set bits follow, lowest bit first
};

enum class Quantifier : uint8_t { kOne, kOptional, kAny };

struct OperandGrammar {
  OperandClass cls;
  Quantifier quantifier;
  uint8_t enum_index;  ///< index into AllEnums(), for kValueEnum and kMask
};

struct OpcodeGrammar {
  spv::Op op;
  std::string_view name;  ///< "OpIAdd"
  std::span<const std::string_view> aliases;
  bool has_type;
  bool has_result;
  uint8_t repeated;  ///< the number of operands at the end that repeat together: 0, 1 or 2 (pairs)
  uint32_t version;  ///< the first version word that has it without an extension, or kNoVersion
  std::span<const OperandGrammar> operands;       ///< including result type and result id
  std::span<const spv::Capability> capabilities;  ///< if not empty, one of these is needed
  /// One of these is needed, unless the module has `version`.
  std::span<const std::string_view> extensions;
};

struct Enumerant {
  std::string_view name;
  uint32_t value;
  uint32_t version;
  std::span<const OperandGrammar> parameters;
  std::span<const spv::Capability> capabilities;
};

struct EnumGrammar {
  std::string_view name;  ///< "Decoration"
  bool is_mask;
  std::span<const Enumerant> enumerants;  ///< sorted by value
};

struct GlslGrammar {
  std::string_view name;  ///< "FMin"
  uint32_t number;
  uint32_t operand_count;
  std::span<const spv::Capability> capabilities;
};

/// All rows: opcodes sorted by number, enums in the order of the header, GLSL.std.450 sorted by
/// number.
std::span<const OpcodeGrammar> AllOpcodes();
std::span<const EnumGrammar> AllEnums();
std::span<const GlslGrammar> AllGlsl();

/// The row of an opcode in constant time; nullptr if the headers of this build do not know it.
const OpcodeGrammar* GrammarOf(spv::Op op);
/// The name of an opcode: "OpIAdd", or "Op#1234" for an unknown one.
std::string NameOf(spv::Op op);
/// The opcode with this name, which begins with "Op"; aliases included.
std::optional<spv::Op> OpcodeByName(std::string_view name);

/// The enum of this name, such as "Decoration" or "Capability"; nullptr if not found.
const EnumGrammar* FindEnum(std::string_view name);
/// The enumerant with this value. For a mask, `value` is one bit (or zero, if the enum names it).
const Enumerant* FindEnumerant(const EnumGrammar& kind, uint32_t value);
/// The text in assembly: "NoContraction", "Volatile|Aligned"; values without a name as numbers.
std::string EnumText(const EnumGrammar& kind, uint32_t value);

/// The row of an instruction of GLSL.std.450; nullptr for an unknown number.
const GlslGrammar* GlslGrammarOf(uint32_t number);
std::optional<uint32_t> GlslByName(std::string_view name);

/// One word of the in-operands of an instruction.
struct OperandWord {
  OperandClass cls;
  uint8_t enum_index;  ///< for kValueEnum and kMask: into AllEnums()
  /// The in-operand of the grammar. Pairs and repetitions have the positions of the first round, so
  /// the cases of OpSwitch always have 2 (literal) and 3 (label).
  uint8_t position;
  bool is_parameter;     ///< a parameter of an enumerant; then also:
  uint8_t owner_enum;    ///< the enum of that enumerant,
  uint32_t owner_value;  ///< and its value or bit
  bool is_id() const {
    return cls == OperandClass::kId || cls == OperandClass::kScope ||
           cls == OperandClass::kMemorySemantics;
  }
};

/// Walks over the in-operand words of an instruction and classifies each one, without allocations:
///   for (OperandWalker walk(op, words); walk.Next(&word);) ...
/// The operands of OpExtInst are assumed to be ids. This holds for GLSL.std.450 and the NonSemantic
/// sets, but not for all of OpenCL.std and the DebugInfo sets. An unknown opcode has only literals.
class OperandWalker {
 public:
  /// `switch_words`: the number of words of a case literal of OpSwitch (2 if the selector has 64
  /// bits).
  OperandWalker(spv::Op op, std::span<const uint32_t> words, uint32_t switch_words = 1);
  /// Classifies the next word; false at the end.
  bool Next(OperandWord* word);
  /// After the last Next: true if the words were exactly what the grammar requires.
  bool well_formed() const { return well_formed_; }

 private:
  void Start(const OperandGrammar& operand);
  void StartParameter();
  bool StartNextOperand();
  bool HasParameter();
  void Deliver(OperandWord* word);

  std::span<const uint32_t> words_;
  std::span<const OperandGrammar> operands_;  ///< remaining in-operands of the opcode
  size_t at_ = 0;                             ///< index of the next word
  size_t operand_ = 0;                        ///< index of the next entry of operands_
  uint8_t repeated_ = 0;
  uint8_t first_position_ = 0;  ///< position of operands_[0]
  uint32_t switch_words_;
  /// Words left of the current operand; not known in advance for strings.
  uint32_t words_left_ = 0;
  OperandWord current_{};
  // The last enum or mask, and which of its parameters are still to come.
  const EnumGrammar* owner_ = nullptr;
  uint8_t owner_index_ = 0;
  uint32_t pending_bits_ = 0;
  const Enumerant* enumerant_ = nullptr;
  size_t parameter_ = 0;
  bool well_formed_ = true;
};

}  // namespace ir
}  // namespace refract
