// SPDX-License-Identifier: Apache-2.0
// What instructions mean, as far as those who move, copy, add and replace them have to know: one
// row for every opcode and every GLSL.std.450 instruction, hand-written in properties_*.def beside
// the chapters of the specification. Transformations ask this table and keep no opcode lists of
// their own. An instruction that is not known has every bad property.
#pragma once

#include <cstdint>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string_view>

#include "ir/grammar/grammar.h"

namespace refract::inline ir {

/// Which memory an instruction reads or writes.
struct MemoryEffect {
  enum Kind : uint8_t {
    kNone,
    kPointer,  ///< what the pointer at in-operand `operand` points to
    kImage,    ///< texels of the image at in-operand `operand`
    kAll,      ///< any memory
  };
  Kind kind = kNone;
  uint8_t operand = 0;
  explicit operator bool() const { return kind != kNone; }
  friend bool operator==(const MemoryEffect&, const MemoryEffect&) = default;
};

/// How far the result is fixed where floating point is involved (Vulkan, "Precision and Operation
/// of SPIR-V Instructions"). NaN, infinity, the sign of a zero and denormals are apart from this:
/// they are promised only by float controls.
enum class Exactness : uint8_t {
  kExact,             ///< one result, bit for bit; all that has nothing to do with floats, too
  kCorrectlyRounded,  ///< exact where the result is representable, else one of its two neighbours
  kApproximate,       ///< an error is allowed even where the exact result is representable
};

/// When invocations that execute an instruction at the same place (ir/divergence/divergence.h) get one result.
/// What it reads is apart from that.
enum class Agreement : uint8_t {
  kNever,             ///< not known
  kAsOperands,        ///< where they have the same operands
  kAsOperandsInQuad,  ///< the same, where the whole quad executes it
  kInQuad,            ///< in a quad that executes it
  kInGroup,         ///< in a group that executes it, of the scope at operand 0 ('k') or a subgroup
  kInReducedGroup,  ///< the same, where the group operation that follows is Reduce
};

struct Properties {
  spv::Op op = spv::Op::OpNop;
  const OpcodeGrammar* grammar = nullptr;  ///< capabilities, version; nullptr if unknown

  // What it does. "pure" = nothing but yield a function of its operands.
  bool pure = false;
  bool behaviour_may_be_undefined = true;  ///< for some operands: it is never speculated. An access
                                           ///< chain with constant indices in range is safe all the
                                           ///< same, a division by a constant that is not zero, too
  bool value_may_be_undefined = true;      ///< for some operands
  bool convergent = true;      ///< the result depends on which invocations execute it together
  bool side_effect = true;     ///< has an effect other than on memory: stays, in its place
  bool orders_memory = true;   ///< a barrier, or may be one: no access moves across
  bool deterministic = false;  ///< not a matter of schedule, clock or set of active invocations
  // Rows do not look at memory operands: a Volatile access is an effect in its place, and one that
  // makes memory available or visible orders it.
  MemoryEffect reads{MemoryEffect::kAll, 0};
  MemoryEffect writes{MemoryEffect::kAll, 0};
  Exactness exactness = Exactness::kApproximate;
  Agreement agreement = Agreement::kNever;
  bool commutes = false;  ///< the first two in-operands (of a GLSL.std.450 instruction its first
                          ///< two operands) may be swapped and the result stays the same

  // What kind of instruction it is.
  bool known = false;  ///< false: a row that only says that we know nothing
  bool is_type = false;
  bool is_constant = false;  ///< spec constants included
  bool is_spec = false;
  bool is_terminator = false;
  bool is_branch = false;  ///< a terminator that names labels
  bool is_merge = false;
  bool is_debug_line = false;
  bool is_debug_name = false;
  bool is_debug_source = false;
  bool is_annotation = false;
  bool allowed_in_block = true;  ///< may stand between a label and its terminator, which included
  bool result_stays_in_block = false;  ///< OpSampledImage: used only in the block that defines it
  uint32_t stages = 0xffffffffu;       ///< StageBit()s of the stages that may reach it

  /// Roles of the in-operands as letters (see RuleOfOperand), "*" repeats the last, "**" the last
  /// two; for a GLSL.std.450 instruction of what follows its number.
  std::string_view operands = "x*";
  /// So many leading in-operands are one word each, whatever the words say; kAllPlain: all are.
  uint8_t plain_operands = 0;
  static constexpr uint8_t kAllPlain = 0xff;

  bool may_be_speculated() const { return pure && !behaviour_may_be_undefined && !convergent; }
  bool touches_memory() const { return reads || writes || orders_memory; }
  /// May go when its result is not used.
  bool removable_if_unused() const { return !side_effect && !writes && !orders_memory; }
  bool AllowedIn(spv::ExecutionModel stage) const;
};

/// The row of an opcode; of one that the headers do not know the row of unknown instructions. O(1).
/// Of OpExtInst it says the worst: ask PropertiesOfExtInst.
const Properties& PropertiesOf(spv::Op op);
/// By the number of the instruction in GLSL.std.450. O(1).
const Properties& PropertiesOfGlsl(uint32_t number);

/// The sets of extended instructions, as far as we tell them apart.
enum class ExtInstSet : uint8_t {
  kOther,        ///< nothing is known of its instructions
  kGlsl,         ///< GLSL.std.450
  kNonSemantic,  ///< may be dropped, never changes anything
};
/// By the name in OpExtInstImport.
ExtInstSet ExtInstSetByName(std::string_view name);
const Properties& PropertiesOfExtInst(ExtInstSet set, uint32_t number);

/// One bit per execution model; 0 for one that is not known.
uint32_t StageBit(spv::ExecutionModel stage);

/// What may stand at an operand, and so what it may be replaced with.
enum class OperandRole : uint8_t {
  kLiteral,   ///< '-' not an id
  kValue,     ///< 'v' any value of the type; of OpPhi, one available at the end of the predecessor
  kConstant,  ///< 'c' a constant instruction
  kIndex,     ///< 'i' of an access chain: where it selects a struct member, an OpConstant
  kPointer,   ///< 'p' a pointer to the same memory
  kArgument,  ///< 'a' of a call: a value, but a pointer (in logical addressing) has to be a
              ///<     variable or function parameter
  kOpaque,    ///< 'o' image, sampler, acceleration structure: only what is loaded just as well
  kType,      ///< 't'
  kFunction,  ///< 'f' function or entry point
  kLabel,     ///< 'l'
  kDeclaration,  ///< 'd' another declaration, or the target of an annotation
  kFixed,        ///< 'x' not to be touched
};

struct OperandRule {
  OperandRole role = OperandRole::kFixed;
  /// Integers of the other signedness and the same width may stand there: the instruction says
  /// itself how it reads them and does not tie the operand's type to another. ('s', 'k', 'i')
  bool sign_agnostic = false;
  /// All invocations that execute it together must see the same value. ('u')
  bool dynamically_uniform = false;

  bool is_id() const { return role != OperandRole::kLiteral; }
  /// Any id with the same value, of the same type (or its signed/unsigned twin, where
  /// sign_agnostic), may stand there, constant or not.
  bool takes_any_value() const { return role == OperandRole::kValue && !dynamically_uniform; }
  friend bool operator==(const OperandRule&, const OperandRule&) = default;
};

/// The rule for in-operand `index` (counted in words) of an instruction with these in-operands.
/// `set` matters for OpExtInst only, `switch_words` (words of a case literal) for OpSwitch only.
OperandRule RuleOfOperand(spv::Op op, std::span<const uint32_t> in_operands, uint32_t index,
                          ExtInstSet set = ExtInstSet::kOther, uint32_t switch_words = 1);
/// The same without looking at the words: exact up to and including the first literal of variable
/// length or with parameters (string, mask, number), kFixed from there on.
OperandRule RuleOfOperand(spv::Op op, uint32_t index);

}  // namespace refract::inline ir
