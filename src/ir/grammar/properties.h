// SPDX-License-Identifier: Apache-2.0
// The properties of instructions that transformations need to move, copy, add and replace them.
// There is one row for every opcode and every GLSL.std.450 instruction, written by hand in
// properties_*.def from the chapters of the specification. Transformations use this table and have
// no lists of opcodes. Unknown instructions have every bad property.
#pragma once

#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

#include "ir/grammar/grammar.h"

namespace refract {
inline namespace ir {

/// The memory that an instruction reads or writes.
struct MemoryEffect {
  enum Kind : uint8_t {
    kNone,
    kPointer,  ///< the memory at the pointer in in-operand `operand`
    kImage,    ///< texels of the image in in-operand `operand`
    kAll,      ///< any memory
  };
  Kind kind = kNone;
  uint8_t operand = 0;
  explicit operator bool() const { return kind != kNone; }
  friend bool operator==(const MemoryEffect&, const MemoryEffect&) = default;
};

/// How exactly the result is defined for floating point (Vulkan, "Precision and Operation of SPIR-V
/// Instructions"). This does not cover NaN, infinity, the sign of a zero and denormals, which only
/// float controls define.
enum class Exactness : uint8_t {
  kExact,             ///< one result, bit for bit; also for everything without floats
  kCorrectlyRounded,  ///< exact if the result is representable, else one of its two neighbours
  kApproximate,       ///< an error is allowed even if the exact result is representable
};

/// When invocations that execute an instruction at the same place (ir/divergence/divergence.h) get
/// the same result, without regard to the memory that it reads.
enum class Agreement : uint8_t {
  kNever,             ///< unknown
  kAsOperands,        ///< if they have the same operands
  kAsOperandsInQuad,  ///< if they have the same operands and the whole quad executes it
  kInQuad,            ///< within a quad that executes it
  kInGroup,         ///< within a group that executes it: the scope at operand 0 ('k') or a subgroup
  kInReducedGroup,  ///< the same, if the group operation that follows is Reduce
};

struct Properties {
  spv::Op op = spv::Op::OpNop;
  const OpcodeGrammar* grammar = nullptr;  ///< capabilities and version; nullptr if unknown

  // Effects. "pure": it only computes a function of its operands.
  bool pure = false;
  /// The behaviour may be undefined for some operands, so the instruction must not be speculated.
  /// Still safe are access chains with constant indices in range and divisions by a constant that
  /// is not zero.
  bool behaviour_may_be_undefined = true;
  bool value_may_be_undefined = true;  ///< for some operands
  bool convergent = true;  ///< the result depends on which invocations execute it together
  /// It has an effect other than on memory: it must not be moved or removed.
  bool side_effect = true;
  bool orders_memory = true;  ///< it is or may be a barrier: no access may move across it
  /// The result does not depend on schedule, clock or active invocations.
  bool deterministic = false;
  // Rows do not consider memory operands: a Volatile access must stay in place, and an access that
  // makes memory available or visible orders memory.
  MemoryEffect reads{MemoryEffect::kAll, 0};
  MemoryEffect writes{MemoryEffect::kAll, 0};
  Exactness exactness = Exactness::kApproximate;
  Agreement agreement = Agreement::kNever;
  /// The first two in-operands (for a GLSL.std.450 instruction, its first two operands) may be
  /// swapped without changing the result.
  bool commutes = false;

  // The kind of instruction.
  bool known = false;  ///< false: a row for unknown instructions
  bool is_type = false;
  bool is_constant = false;  ///< including specialisation constants
  bool is_spec = false;
  bool is_terminator = false;
  bool is_branch = false;  ///< a terminator with labels
  bool is_merge = false;
  bool is_debug_line = false;
  bool is_debug_name = false;
  bool is_debug_source = false;
  bool is_annotation = false;
  bool allowed_in_block = true;  ///< it may be between a label and its terminator, inclusive
  /// OpSampledImage: may be used only in the block that defines it.
  bool result_stays_in_block = false;
  uint32_t stages = 0xffffffffu;  ///< StageBit()s of the stages that may execute it

  /// The roles of the in-operands as letters (see OperandRole). "*" repeats the last letter, "**"
  /// the last two. For a GLSL.std.450 instruction, these are the operands after its number.
  std::string_view operands = "x*";
  /// The number of leading in-operands that are always one word each; kAllPlain: all of them.
  uint8_t plain_operands = 0;
  static constexpr uint8_t kAllPlain = 0xff;

  bool may_be_speculated() const { return pure && !behaviour_may_be_undefined && !convergent; }
  bool touches_memory() const { return reads || writes || orders_memory; }
  /// True if the instruction may be removed if its result is not used.
  bool removable_if_unused() const { return !side_effect && !writes && !orders_memory; }
  bool AllowedIn(spv::ExecutionModel stage) const;
};

/// The row of an opcode, in constant time; for unknown opcodes the row of unknown instructions. The
/// row of OpExtInst has every bad property: use PropertiesOfExtInst.
const Properties& PropertiesOf(spv::Op op);
/// The row of an instruction of GLSL.std.450 by its number, in constant time.
const Properties& PropertiesOfGlsl(uint32_t number);

/// The sets of extended instructions that Refract distinguishes.
enum class ExtInstSet : uint8_t {
  kOther,        ///< an unknown set
  kGlsl,         ///< GLSL.std.450
  kNonSemantic,  ///< may be removed; never changes a result
};
/// The set with this name in OpExtInstImport.
ExtInstSet ExtInstSetByName(std::string_view name);
const Properties& PropertiesOfExtInst(ExtInstSet set, uint32_t number);

/// The bit of an execution model; 0 for an unknown one.
uint32_t StageBit(spv::ExecutionModel stage);

/// The role of an operand: with what it may be replaced.
enum class OperandRole : uint8_t {
  kLiteral,   ///< '-' not an id
  kValue,     ///< 'v' any value of the type; for OpPhi, one available at the end of the predecessor
  kConstant,  ///< 'c' a constant instruction
  kIndex,     ///< 'i' an index of an access chain; an OpConstant if it selects a struct member
  kPointer,   ///< 'p' a pointer to the same memory
  /// 'a' an argument of a call: a value, but a pointer (in logical addressing) must be a variable
  /// or function parameter
  kArgument,
  kOpaque,       ///< 'o' image, sampler, acceleration structure: only another loaded object
  kType,         ///< 't'
  kFunction,     ///< 'f' function or entry point
  kLabel,        ///< 'l'
  kDeclaration,  ///< 'd' another declaration, or the target of an annotation
  kFixed,        ///< 'x' must not be replaced
};

struct OperandRule {
  OperandRole role = OperandRole::kFixed;
  /// Integers of the same width and the other signedness are also allowed: the instruction itself
  /// determines how it reads them, and the operand type need not match another type. ('s', 'k',
  /// 'i')
  bool sign_agnostic = false;
  /// All invocations that execute it together must have the same value. ('u')
  bool dynamically_uniform = false;

  bool is_id() const { return role != OperandRole::kLiteral; }
  /// True if the operand may be any id with the same value, of the same type (or, if sign_agnostic,
  /// of the other signedness), constant or not.
  bool takes_any_value() const { return role == OperandRole::kValue && !dynamically_uniform; }
  friend bool operator==(const OperandRule&, const OperandRule&) = default;
};

/// The rule for in-operand `index` (counted in words) of an instruction with these in-operands.
/// `set` is used only for OpExtInst, `switch_words` (words of a case literal) only for OpSwitch.
OperandRule RuleOfOperand(spv::Op op, std::span<const uint32_t> in_operands, uint32_t index,
                          ExtInstSet set = ExtInstSet::kOther, uint32_t switch_words = 1);
/// The same without the words: exact up to and including the first literal of variable length or
/// with parameters (string, mask, number); kFixed after that.
OperandRule RuleOfOperand(spv::Op op, uint32_t index);

}  // namespace ir
}  // namespace refract
