// SPDX-License-Identifier: Apache-2.0
#include "generate/tree.h"

namespace refract::generate {
namespace {

constexpr std::string_view kTypeNames[kTypes] = {
    "bool", "bvec2", "bvec3", "bvec4", "int",   "ivec2", "ivec3", "ivec4",
    "uint", "uvec2", "uvec3", "uvec4", "float", "vec2",  "vec3",  "vec4"};
constexpr std::string_view kGroupNames[] = {
    "exchange",     "atomic add",  "atomic or", "atomic xor", "atomic max",       "broadcast first",
    "subgroup min", "subgroup or", "all",       "any",        "bit of the ballot"};
static_assert(std::size(kGroupNames) == static_cast<size_t>(GroupOperation::kCount));
constexpr std::string_view kStatementNames[] = {"assignment", "if",           "loop",     "switch",
                                                "break",      "break switch", "continue", "return",
                                                "call",       "group"};
static_assert(std::size(kStatementNames) == static_cast<size_t>(StatementKind::kCount));
constexpr std::string_view kOperatorNames[] = {
    "constant",    "variable",   "uniform",      "input",
    "counter",     "workgroup",  "invocation",   "spec constant",
    "convert",     "splat",      "extract",      "extract at",
    "swizzle",     "any",        "all",          "texel",
    "not",         "negate",     "abs",          "sign",
    "floor",       "derivative", "bit count",    "reverse",
    "find lsb",    "find msb",   "times matrix", "join",
    "add",         "subtract",   "multiply",     "divide",
    "remainder",   "modulo",     "min",          "max",
    "and",         "or",         "xor",          "shift left",
    "shift right", "dot",        "equal",        "not equal",
    "less",        "less equal", "select",       "clamp",
    "extract bits"};
static_assert(std::size(kOperatorNames) == static_cast<size_t>(Operator::kCount));

}  // namespace

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
