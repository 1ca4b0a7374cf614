// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "generate/reduce_recipe.h"

namespace refract::generate {
namespace {

class Checker {
 public:
  explicit Checker(const Tree& tree) : tree_(tree) {}

  bool IsWellFormed() {
    for (const Function& function : tree_.functions) {
      if (!Check(function.body, false) || !Check(function.returned)) return false;
    }
    return true;
  }

 private:
  // Whether the counters that an expression uses are those of loops around it.
  bool Check(uint32_t expression) const {
    if (expression == kNone) return true;
    const Expression& node = tree_.expressions[expression];
    if (node.op == Operator::kCounter) {
      return std::find(loops_.begin(), loops_.end(), node.a) != loops_.end();
    }
    if (node.op == Operator::kVariable) return Check(node.b);
    const uint32_t operands[] = {node.a, node.b, node.c};
    for (uint32_t i = 0; i < OperandsOf(node.op); ++i) {
      if (!Check(operands[i])) return false;
    }
    return true;
  }

  bool Check(const Block& block, bool in_switch) {
    for (const Statement& statement : block) {
      if (!Check(statement, in_switch)) return false;
    }
    return true;
  }

  bool Check(const Statement& statement, bool in_switch) {
    switch (statement.kind) {
      case StatementKind::kBreak:
      case StatementKind::kContinue:
        return !loops_.empty() && !in_round_end_ && Check(statement.value);
      case StatementKind::kBreakSwitch:
        return in_switch && !in_round_end_ && Check(statement.value);
      case StatementKind::kReturn:
        return !in_round_end_ && Check(statement.value);
      case StatementKind::kCall: {
        const Function& callee = tree_.functions[statement.number];
        for (uint32_t i = 0; i < callee.parameters; ++i) {
          const bool by_value = tree_.variables[callee.variables[i]].storage == Storage::kValue;
          if (by_value && !Check(statement.arguments[i])) return false;
        }
        return Check(statement.target.index);
      }
      default:
        break;
    }
    if (!Check(statement.value) || !Check(statement.target.index)) return false;
    const bool is_loop = statement.kind == StatementKind::kLoop;
    if (is_loop) loops_.push_back(statement.counter);
    bool fits = true;
    for (const Block& inner : statement.blocks) {
      const bool outer = in_round_end_;
      in_round_end_ |= is_loop && &inner != &statement.blocks[0];
      fits &= Check(inner, !is_loop && (in_switch || statement.kind == StatementKind::kSwitch));
      in_round_end_ = outer;
    }
    if (is_loop) loops_.pop_back();
    return fits;
  }

  const Tree& tree_;
  std::vector<uint32_t> loops_;  // around the statement
  bool in_round_end_ = false;
};

}  // namespace

bool IsWellFormed(const Tree& tree) {
  return Checker(tree).IsWellFormed();
}

}  // namespace refract::generate
