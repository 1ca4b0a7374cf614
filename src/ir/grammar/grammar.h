// SPDX-License-Identifier: Apache-2.0
// What the machine-readable grammar of SPIRV-Headers says: names, operand kinds, capabilities and
// versions of opcodes, enumerants and GLSL.std.450 instructions. Data only, generated at build time
// (tools/gen_grammar.py); what instructions *mean* is in ir/grammar/properties.h.
//
// Operand indices here and in the whole project count in-operands, one per word: neither result
// type nor result id are counted, multi-word literals and strings count each word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <string_view>

namespace refract::inline ir {

/// Version word of things that only an extension provides.
inline constexpr uint32_t kNoVersion = 0xffffffffu;

enum class OperandClass : uint8_t {
  kResultType,
  kResult,
  kId,
  kScope,            ///< id of a Scope
  kMemorySemantics,  ///< id of a mask of Memory Semantics
  kLiteralInteger,   ///< one word (or a float in one word)
  kLiteralNumber,    ///< as wide as a type says: OpConstant, OpSpecConstant, cases of OpSwitch
  kLiteralString,    ///< several words, ends in the first word with a zero byte
  kExtInstNumber,    ///< instruction number of OpExtInst
  kSpecOpcode,       ///< opcode of OpSpecConstantOp; that opcode's in-operands follow
  kValueEnum,
  kMask,  ///< parameters of the set bits follow, lowest bit first
};

enum class Quantifier : uint8_t { kOne, kOptional, kAny };

struct OperandGrammar {
  OperandClass cls;
  Quantifier quantifier;
  uint8_t enum_index;  ///< into AllEnums(), for kValueEnum and kMask
};

struct OpcodeGrammar {
  spv::Op op;
  std::string_view name;  ///< "OpIAdd"
  std::span<const std::string_view> aliases;
  bool has_type;
  bool has_result;
  uint8_t repeated;  ///< how many operands at the end repeat together: 0, 1 or 2 (pairs)
  uint32_t version;  ///< first version word without an extension, or kNoVersion
  std::span<const OperandGrammar> operands;       ///< result type and result included
  std::span<const spv::Capability> capabilities;  ///< one of these is needed, if there are any
  std::span<const std::string_view> extensions;   ///< one of these, or `version`
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

/// All of them, sorted by opcode, by the header's order, by number.
std::span<const OpcodeGrammar> AllOpcodes();
std::span<const EnumGrammar> AllEnums();
std::span<const GlslGrammar> AllGlsl();

/// nullptr for an opcode this build's headers do not know. O(1).
const OpcodeGrammar* GrammarOf(spv::Op op);
/// "OpIAdd"; "Op#1234" for an unknown one.
std::string NameOf(spv::Op op);
/// By name with the "Op", aliases included.
std::optional<spv::Op> OpcodeByName(std::string_view name);

/// "Decoration", "Capability", ...; nullptr if there is no such enum.
const EnumGrammar* FindEnum(std::string_view name);
/// For a mask `value` is one bit (or zero, where the enum names it).
const Enumerant* FindEnumerant(const EnumGrammar& kind, uint32_t value);
/// As the assembler writes it: "NoContraction", "Volatile|Aligned"; what has no name as a number.
std::string EnumText(const EnumGrammar& kind, uint32_t value);

/// nullptr for a number that GLSL.std.450 does not have.
const GlslGrammar* GlslGrammarOf(uint32_t number);
std::optional<uint32_t> GlslByName(std::string_view name);

/// One word among the in-operands of an instruction.
struct OperandWord {
  OperandClass cls;
  uint8_t enum_index;  ///< for kValueEnum and kMask: into AllEnums()
  uint8_t position;    ///< which in-operand of the grammar; pairs and repetitions count as the
                       ///< first round, so the cases of OpSwitch are all 2 (literal) and 3 (label)
  bool is_parameter;   ///< follows from an enumerant: then
  uint8_t owner_enum;  ///< ... which enum it is, and
  uint32_t owner_value;  ///< ... which value or bit of it
  bool is_id() const {
    return cls == OperandClass::kId || cls == OperandClass::kScope ||
           cls == OperandClass::kMemorySemantics;
  }
};

/// Walks the in-operand words of an instruction and says what each is; allocates nothing.
///   for (OperandWalker walk(op, words); walk.Next(&word);) ...
/// The operands of OpExtInst are taken for ids, which holds for GLSL.std.450 and the NonSemantic
/// sets, not for all of OpenCL.std and the DebugInfo sets. An unknown opcode has only literals.
class OperandWalker {
 public:
  /// `switch_words`: words per case literal of OpSwitch (2 where the selector has 64 bits).
  OperandWalker(spv::Op op, std::span<const uint32_t> words, uint32_t switch_words = 1);
  /// The next word's class; false at the end.
  bool Next(OperandWord* word);
  /// After the last Next: whether the words were what the grammar wants, no more and no less.
  bool well_formed() const { return well_formed_; }

 private:
  void Start(const OperandGrammar& operand);
  void StartParameter();
  bool StartNextOperand();
  bool HasParameter();
  void Deliver(OperandWord* word);

  std::span<const uint32_t> words_;
  std::span<const OperandGrammar> operands_;  ///< in-operands of the opcode still described
  size_t at_ = 0;                             ///< next word
  size_t operand_ = 0;                        ///< next entry of operands_
  uint8_t repeated_ = 0;
  uint8_t first_position_ = 0;  ///< position of operands_[0]
  uint32_t switch_words_;
  uint32_t words_left_ = 0;  ///< of the operand being delivered; a string's are not known before
  OperandWord current_{};
  // The enum or mask last met and what of it still has parameters to come.
  const EnumGrammar* owner_ = nullptr;
  uint8_t owner_index_ = 0;
  uint32_t pending_bits_ = 0;
  const Enumerant* enumerant_ = nullptr;
  size_t parameter_ = 0;
  bool well_formed_ = true;
};

}  // namespace refract::inline ir
