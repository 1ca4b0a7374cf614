// SPDX-License-Identifier: Apache-2.0
#include "generate/tree.h"

#include <bit>

#include "interp/math/float_formats.h"

namespace refract::generate {
namespace {

constexpr std::string_view kTypeNames[kTypes] = {
    "bool",    "bvec2",   "bvec3",   "bvec4",   "int",     "ivec2",   "ivec3",   "ivec4",
    "uint",    "uvec2",   "uvec3",   "uvec4",   "float",   "vec2",    "vec3",    "vec4",
    "int16",   "i16vec2", "i16vec3", "i16vec4", "uint16",  "u16vec2", "u16vec3", "u16vec4",
    "float16", "f16vec2", "f16vec3", "f16vec4", "int64",   "i64vec2", "i64vec3", "i64vec4",
    "uint64",  "u64vec2", "u64vec3", "u64vec4", "float64", "dvec2",   "dvec3",   "dvec4"};
constexpr std::string_view kGroupNames[] = {
    "exchange",     "atomic add",  "atomic or", "atomic xor", "atomic max",       "broadcast first",
    "subgroup min", "subgroup or", "all",       "any",        "bit of the ballot"};
static_assert(std::size(kGroupNames) == static_cast<size_t>(GroupOperation::kCount));
constexpr std::string_view kStatementNames[] = {"assignment", "if",           "loop",     "switch",
                                                "break",      "break switch", "continue", "return",
                                                "call",       "group"};
static_assert(std::size(kStatementNames) == static_cast<size_t>(StatementKind::kCount));
constexpr std::string_view kOperatorNames[] = {
    "constant",   "variable",      "uniform",   "input",        "counter",    "workgroup",
    "invocation", "spec constant", "convert",   "splat",        "extract",    "extract at",
    "swizzle",    "any",           "all",       "texel",        "not",        "negate",
    "abs",        "sign",          "floor",     "derivative",   "bit count",  "reverse",
    "find lsb",   "find msb",      "sqrt",      "inverse sqrt", "sin",        "cos",
    "exp2",       "log2",          "atan",      "times matrix", "join",       "add",
    "subtract",   "multiply",      "divide",    "remainder",    "modulo",     "min",
    "max",        "and",           "or",        "xor",          "shift left", "shift right",
    "dot",        "equal",         "not equal", "less",         "less equal", "select",
    "clamp",      "extract bits"};
static_assert(std::size(kOperatorNames) == static_cast<size_t>(Operator::kCount));

}  // namespace

uint64_t FloatBits(Scalar scalar, double value) {
  switch (WidthOf(scalar)) {
    case 16:
      return math::HalfFromDouble(value);
    case 64:
      return std::bit_cast<uint64_t>(value);
    default:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
}

std::string_view NameOf(Type type) {
  return kTypeNames[IndexOf(type)];
}
std::string_view NameOf(GroupOperation operation) {
  return kGroupNames[static_cast<size_t>(operation)];
}
std::string_view NameOf(StatementKind kind) {
  return kStatementNames[static_cast<size_t>(kind)];
}

std::string_view NameOf(Operator op) {
  return kOperatorNames[static_cast<size_t>(op)];
}

uint32_t OperandsOf(Operator op) {
  if (op < Operator::kConvert) return 0;
  if (op == Operator::kExtractAt) return 2;
  if (op < Operator::kJoin) return 1;
  return op < Operator::kSelect ? 2 : 3;
}

bool IsJump(const Statement& statement) {
  if (statement.kind == StatementKind::kReturn) return true;
  const bool may_jump = statement.kind == StatementKind::kBreak ||
                        statement.kind == StatementKind::kBreakSwitch ||
                        statement.kind == StatementKind::kContinue;
  return may_jump && statement.value == kNone;
}

uint32_t CountStatements(const Block& block) {
  uint32_t count = 0;
  for (const Statement& statement : block) {
    ++count;
    for (const Block& inner : statement.blocks) count += CountStatements(inner);
  }
  return count;
}

uint32_t CountStatements(const Tree& tree) {
  uint32_t count = 0;
  for (const Function& function : tree.functions) count += CountStatements(function.body);
  return count;
}

}  // namespace refract::generate
