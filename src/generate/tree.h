// SPDX-License-Identifier: Apache-2.0
// The statements, expressions and variables of a generated program, before it becomes SPIR-V. The
// generator draws a tree (draw.h), the emitter writes its module (emit.h), and a reduction makes it
// smaller (cuts.h). Every tree that has the types that the comments below ask for has a valid
// module: whatever could be undefined is guarded by the emitter and not by the tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace refract::generate {

constexpr uint32_t kNone = 0xffffffffu;

/// kInt, kUint and kFloat have 32 bits. After them, the types of each other width are in that
/// order.
enum class Scalar : uint8_t {
  kBool,
  kInt,
  kUint,
  kFloat,
  kInt16,
  kUint16,
  kFloat16,
  kInt64,
  kUint64,
  kFloat64,
  kCount
};
/// 0, 1 and 2 for a signed integer, an unsigned one and a float. Not of kBool.
constexpr uint32_t KindOf(Scalar scalar) {
  return (static_cast<uint32_t>(scalar) - 1) % 3;
}
constexpr bool IsFloat(Scalar scalar) {
  return scalar != Scalar::kBool && KindOf(scalar) == 2;
}
constexpr bool IsSigned(Scalar scalar) {
  return scalar != Scalar::kBool && KindOf(scalar) == 0;
}
constexpr bool IsInteger(Scalar scalar) {
  return scalar != Scalar::kBool && !IsFloat(scalar);
}
/// The number of bits. Not of kBool.
constexpr uint32_t WidthOf(Scalar scalar) {
  return scalar < Scalar::kInt16 ? 32 : scalar < Scalar::kInt64 ? 16 : 64;
}
/// The type of the same width with that KindOf.
constexpr Scalar WithKind(Scalar scalar, uint32_t kind) {
  return static_cast<Scalar>(static_cast<uint32_t>(scalar) - KindOf(scalar) + kind);
}
/// Variables have multiples of 2 to the power of minus this, from -4 to 4. Floats of 16 bits have
/// too few bits for products of sixteenths.
constexpr uint32_t StoredFraction(Scalar scalar) {
  return WidthOf(scalar) == 16 ? 2 : 4;
}
/// The bits of an IEEE float of that type that has the value exactly.
uint64_t FloatBits(Scalar scalar, double value);

/// A scalar or a vector.
struct Type {
  Scalar scalar = Scalar::kUint;
  uint8_t components = 1;  ///< 1 to 4

  bool IsFloat() const { return generate::IsFloat(scalar); }
  bool IsInteger() const { return generate::IsInteger(scalar); }
  Type Signed() const { return {WithKind(scalar, 0), components}; }
  Type Unsigned() const { return {WithKind(scalar, 1), components}; }
  Type WithScalar(Scalar other) const { return {other, components}; }
  Type WithComponents(uint32_t count) const { return {scalar, static_cast<uint8_t>(count)}; }
  friend bool operator==(const Type&, const Type&) = default;
};
constexpr Type kUintType = {Scalar::kUint, 1};
constexpr Type kIntType = {Scalar::kInt, 1};
constexpr Type kFloatType = {Scalar::kFloat, 1};
constexpr Type kBoolType = {Scalar::kBool, 1};
constexpr uint32_t kTypes = 4 * static_cast<uint32_t>(Scalar::kCount);
/// The place of a type in tables, below kTypes.
constexpr uint32_t IndexOf(Type type) {
  return 4 * static_cast<uint32_t>(type.scalar) + type.components - 1u;
}
/// "bool", "int", "uint", "float", "bvec2", "ivec3", "uvec4", "vec2", "int16", "u64vec2" and so on.
std::string_view NameOf(Type type);

enum class Operator : uint8_t {
  // Without operands. Those of type uint have no other type.
  kConstant,    ///< `a`: the first of its bits in Tree::constants, one number for each component
  kVariable,    ///< `a`: the variable; `b`: index (a uint) of an array or a matrix; `c`: member
  kUniform,     ///< uint: word `a` of the uniform block; the same in all invocations
  kInput,       ///< uint: word `a` of the row of the invocation in a storage buffer
  kCounter,     ///< uint: the counter of the enclosing loop number `a`
  kWorkgroup,   ///< uint: the number of the workgroup (compute; otherwise 0)
  kInvocation,  ///< uint: the number of the invocation
  /// The specialisation constant number `a`, of the type SpecConstantType(a). If `b` is not kNone,
  /// the operation `c` of it and of the number `b` of Tree::constants: sum, difference, product,
  /// xor.
  kSpecConstant,
  // With the operand `a`.
  kConvert,    ///< to this type from another one with as many components
  kSplat,      ///< a vector of copies of a scalar
  kExtract,    ///< component `b` of a vector
  kExtractAt,  ///< the component of a vector of 2 or 4 that the uint `b` selects
  kSwizzle,    ///< `b`: for each component, two bits that select one of the vector `a`
  kAny,        ///< of a vector of bools
  kAll,        ///< of a vector of bools
  /// Four ints, uints or floats: a texel of the image of that type. The uint `a` selects it. `b`: 0
  /// to fetch it, 1 to sample the image in its middle.
  kTexel,
  kNot,     ///< of bools and integers
  kNegate,  ///< of integers and floats
  kAbs,     ///< of signed integers and floats
  kSign,    ///< of signed integers and floats
  kFloor,   ///< of floats
  /// Of floats of 32 bits: the derivative in x, in y, or the sum of their magnitudes (`b`). Of
  /// values that are
  /// uniform, and therefore 0. Only where all invocations meet.
  kDerivative,
  kBitCount,    ///< of integers of 32 bits
  kBitReverse,  ///< of integers of 32 bits
  kFindLsb,     ///< of integers of 32 bits
  kFindMsb,     ///< of integers of 32 bits
  // Of floats of 32 bits. The emitter rounds their results, so that there is one correct result.
  kSqrt,         ///< of the magnitude
  kInverseSqrt,  ///< of the magnitude, at least 1/16
  kSin,          ///< from -3.125 to 3.125
  kCos,          ///< the same
  kExp2,
  kLog2,  ///< of the magnitude, at least 1/16
  kAtan,
  kTimesMatrix,  ///< the matrix variable `b` times the vector `a`
  // With the operands `a` and `b` of one type.
  kJoin,  ///< the components of `a`, then those of `b`; both may be scalars or vectors
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,     ///< of integers and, rounded as kSqrt, of floats of 32 bits
  kRemainder,  ///< of integers
  kModulo,     ///< of integers
  kMin,
  kMax,
  kAnd,  ///< of bools and integers
  kOr,
  kXor,
  kShiftLeft,
  kShiftRight,
  kDot,    ///< of vectors of floats
  kEqual,  ///< compares the components: a bool for each
  kNotEqual,
  kLess,
  kLessEqual,
  // With the operands `a`, `b` and `c`.
  kSelect,       ///< `a`: a bool for each component
  kClamp,        ///< of `a`, between `b` and `c` in any order
  kExtractBits,  ///< of the integers `a` of 32 bits, from the bit that the uint `b` gives, `c` a
                 ///< uint too
  kCount
};
/// "constant", "subtract" and so on.
std::string_view NameOf(Operator op);

constexpr uint32_t kSpecConstants = 18;
/// The type of a specialisation constant.
constexpr Type SpecConstantType(uint32_t number) {
  if (number >= 12)
    return {static_cast<Scalar>(static_cast<uint32_t>(Scalar::kInt16) + number - 12), 1};
  constexpr Scalar kScalars[] = {Scalar::kBool,  Scalar::kBool,  Scalar::kInt,   Scalar::kInt,
                                 Scalar::kUint,  Scalar::kUint,  Scalar::kUint,  Scalar::kUint,
                                 Scalar::kFloat, Scalar::kFloat, Scalar::kFloat, Scalar::kFloat};
  return {kScalars[number], 1};
}
static_assert(SpecConstantType(kSpecConstants - 1).scalar == Scalar::kFloat64);

/// A node of an expression. Operands are indices into Tree::expressions.
struct Expression {
  Operator op = Operator::kConstant;
  Type type;
  uint32_t a = kNone, b = kNone, c = kNone;
};

/// The number of operands that are expressions, `a` first; an optional index of kVariable does not
/// count.
uint32_t OperandsOf(Operator op);

enum class Shape : uint8_t {
  kPlain,
  kArray,   ///< of `length` elements; a power of two
  kMatrix,  ///< of `length` columns of type `type`; 2 or 4
  kStruct,  ///< with `members`
};

enum class Storage : uint8_t {
  kFunction,
  kPrivate,  ///< only in main
  /// Only in main of compute shaders; plain, of one or four ints or uints: a texel of a storage
  /// image that no other invocation uses. Not of floats: the image is an output, and would show the
  /// sign of a zero.
  kTexel,
  kValue,      ///< a parameter that is passed by value; it cannot be assigned
  kReference,  ///< a parameter that is a pointer to a variable of the caller; plain
};

struct Variable {
  Type type;  ///< of the variable, an element or a column
  Shape shape = Shape::kPlain;
  Storage storage = Storage::kFunction;
  uint32_t length = 0;
  std::vector<Type> members;
  uint32_t initial = kNone;  ///< an expression, for each element or member converted to its type

  bool IsParameter() const { return storage == Storage::kValue || storage == Storage::kReference; }
  /// The number of elements, columns or members; 1 for a plain variable.
  uint32_t Parts() const {
    if (shape == Shape::kStruct) return static_cast<uint32_t>(members.size());
    return shape == Shape::kPlain ? 1 : length;
  }
  Type TypeOf(uint32_t part) const { return shape == Shape::kStruct ? members[part] : type; }
};

constexpr uint32_t kMostStorageImages = 2;  ///< variables with Storage::kTexel; Vulkan has four

/// What an assignment changes: a variable, or an element, a column or a member of one.
struct Place {
  uint32_t variable = kNone;
  uint32_t index = kNone;  ///< an expression of type uint, for arrays and matrices
  uint32_t member = 0;
};

/// What the invocations of a workgroup compute together. All must execute it together.
enum class GroupOperation : uint8_t {
  kExchange,   ///< uint: the value of the next invocation, through workgroup memory
  kAtomicAdd,  ///< uint: the sum of all values, in workgroup memory; likewise the others
  kAtomicOr,
  kAtomicXor,
  kAtomicMax,
  kBroadcastFirst,  ///< uint: of a value that is uniform, and therefore that value
  kSubgroupMin,     ///< the same
  kSubgroupOr,      ///< the same
  kAllVote,         ///< bool: of a value that is uniform
  kAnyVote,
  kBallot,  ///< bool: the bit of the invocation in the ballot, and therefore its own value
  kCount
};
std::string_view NameOf(GroupOperation operation);

enum class StatementKind : uint8_t {
  kAssign,
  kIf,
  kLoop,
  kSwitch,
  kBreak,        ///< out of the innermost loop
  kBreakSwitch,  ///< out of the innermost switch, which no loop separates from the statement
  kContinue,
  kReturn,
  kCall,
  kGroup,
  kCount
};
std::string_view NameOf(StatementKind kind);

/// Where a loop tests whether it goes on.
enum class LoopTest : uint8_t {
  kFirst,   ///< in a block after the header
  kHeader,  ///< in the header
  kLast,    ///< at the end of a round
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  StatementKind kind = StatementKind::kAssign;
  bool divergent = false;  ///< the class of the value and of the control flow that leads here
  /// kAssign, kCall and kGroup: what gets the result.
  Place target;
  /// The expression that is assigned, the condition, the selector (an unsigned integer), the value
  /// for kGroup, the returned value (kNone in main), or the uint from which the rounds of a loop
  /// are computed: modulo Tree::most_rounds, plus 1. kNone for a loop with `number` rounds. Of a
  /// break or a continue: its condition, or kNone if it always jumps.
  uint32_t value = kNone;
  /// kLoop: the rounds. kCall: the function. kGroup: the GroupOperation. kSwitch: the block that is
  /// the default.
  uint32_t number = 0;
  uint32_t counter = 0;  ///< kLoop: its number, different for all loops of the tree
  /// kLoop: the first value of the counter. kSwitch: the least label; if the selector has 16 bits,
  /// the lower half of it, and if it has 64 bits, both halves of the label are this number.
  uint32_t start = 0;
  LoopTest test = LoopTest::kFirst;  ///< kLoop
  /// kIf and kSwitch: if no invocation can get to their end, what follows is written all the same.
  bool dead_end = false;
  /// kCall: for each parameter, an expression or, for Storage::kReference, a variable. kSwitch: for
  /// each block, the number of its labels; that of the default may be 0. The labels are all numbers
  /// from `start` on.
  std::vector<uint32_t> arguments;
  /// kIf: what is executed if the condition holds, and otherwise. kLoop: the body and, optionally,
  /// what is executed at the end of each round, also after a continue: a block without jumps.
  /// kSwitch: the cases.
  std::vector<Block> blocks;
  std::vector<bool> falls_through;  ///< kSwitch: whether a case goes on with the next one
};

struct Function {
  std::vector<uint32_t> variables;  ///< its parameters in order, then the others
  uint32_t parameters = 0;
  Type result;                ///< not of main
  uint32_t returned = kNone;  ///< the expression at the end; kNone in main
  Block body;
};

/// A whole program. The last function is main. A function calls only earlier ones.
struct Tree {
  std::vector<uint64_t> constants;  ///< the bits of scalars
  std::vector<Expression> expressions;
  std::vector<Variable> variables;
  std::vector<Function> functions;
  uint32_t loops = 0;        ///< more than the number of every loop
  uint32_t most_rounds = 3;  ///< of loops whose rounds are computed

  const Function& main() const { return functions.back(); }
};

/// Whether nothing is executed after the statement, because it always jumps.
bool IsJump(const Statement& statement);

/// The number of statements of a block, with those inside of others.
uint32_t CountStatements(const Block& block);
/// The number of statements of all functions.
uint32_t CountStatements(const Tree& tree);

}  // namespace refract::generate
