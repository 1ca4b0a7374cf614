// SPDX-License-Identifier: Apache-2.0
#include "generate/reduce_tree.h"

#include <algorithm>
#include <utility>

namespace refract::generate {
namespace {

// The blocks of a tree, each before those inside of it. Pointers are valid until the tree changes.
void ListBlocks(Block* block, std::vector<Block*>* all) {
  all->push_back(block);
  for (Statement& statement : *block) {
    for (Block& inner : statement.blocks) ListBlocks(&inner, all);
  }
}

// The variables that an expression reads.
void MarkVariables(const Tree& tree, uint32_t expression, std::vector<bool>* used) {
  if (expression == kNone) return;
  const Expression& node = tree.expressions[expression];
  if (node.op == Operator::kVariable) {
    (*used)[node.a] = true;
    return MarkVariables(tree, node.b, used);
  }
  if (node.op == Operator::kTimesMatrix) (*used)[node.b] = true;
  const uint32_t operands[] = {node.a, node.b, node.c};
  for (uint32_t i = 0; i < OperandsOf(node.op); ++i) MarkVariables(tree, operands[i], used);
}

// A value of the type, made from the expression.
uint32_t AddConverted(Tree* tree, uint32_t expression, Type type) {
  const auto add = [&](Operator op, Type made, uint32_t b = kNone) {
    tree->expressions.push_back({op, made, expression, b});
    expression = static_cast<uint32_t>(tree->expressions.size() - 1);
  };
  const Expression& given = tree->expressions[expression];
  if (given.op == Operator::kSplat && type.components == 1) expression = given.a;
  Type now = tree->expressions[expression].type;
  if (now.scalar != type.scalar) {
    now = now.WithScalar(type.scalar);
    add(Operator::kConvert, now);
  }
  constexpr uint32_t kInOrder = 0 | 1 << 2 | 2 << 4 | 3 << 6;
  if (now.components == type.components) return expression;
  if (now.components == 1) {
    add(Operator::kSplat, type);
  } else if (type.components == 1) {
    add(Operator::kExtract, type, 0);
  } else {
    add(Operator::kSwizzle, type, kInOrder);
  }
  return expression;
}

constexpr StatementChange kSimpler[] = {
    [](Statement* one) { return std::exchange(one->dead_end, false); },
    [](Statement* one) { return std::exchange(one->start, 0) != 0; },
    [](Statement* one) {
      const std::vector<bool> none(one->falls_through.size());
      return std::exchange(one->falls_through, none) != none;
    },
    [](Statement* one) {
      if (one->kind != StatementKind::kSwitch) return false;
      std::vector<uint32_t> single(one->arguments.size(), 1);
      single[one->number] = 0;
      return std::exchange(one->arguments, single) != single;
    },
    // The condition of a jump. Other statements need their values.
    [](Statement* one) {
      const bool jumps = one->kind == StatementKind::kBreak ||
                         one->kind == StatementKind::kBreakSwitch ||
                         one->kind == StatementKind::kContinue;
      return jumps && std::exchange(one->value, kNone) != kNone;
    },
    // The number of iterations.
    [](Statement* one) {
      if (one->kind != StatementKind::kLoop) return false;
      const bool computed = std::exchange(one->value, kNone) != kNone;
      return std::exchange(one->number, 1) != 1 || computed;
    },
    [](Statement* one) {
      if (one->kind != StatementKind::kLoop) return false;
      return std::exchange(one->test, LoopTest::kFirst) != LoopTest::kFirst;
    },
};

}  // namespace

std::vector<Block*> BlocksOf(Tree* tree) {
  std::vector<Block*> all;
  for (Function& function : tree->functions) ListBlocks(&function.body, &all);
  return all;
}

std::vector<uint32_t*> ExpressionsOf(Tree* tree) {
  std::vector<uint32_t*> all;
  for (Block* block : BlocksOf(tree)) {
    for (Statement& statement : *block) {
      all.push_back(&statement.value);
      all.push_back(&statement.target.index);
      if (statement.kind != StatementKind::kCall) continue;
      const Function& callee = tree->functions[statement.number];
      for (uint32_t i = 0; i < callee.parameters; ++i) {
        if (tree->variables[callee.variables[i]].storage == Storage::kValue) {
          all.push_back(&statement.arguments[i]);
        }
      }
    }
  }
  for (Function& function : tree->functions) {
    all.push_back(&function.returned);
    for (const uint32_t id : function.variables) all.push_back(&tree->variables[id].initial);
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](uint32_t* place) { return *place == kNone; }),
            all.end());
  return all;
}

std::vector<bool> UsedVariables(Tree tree) {
  std::vector<bool> used(tree.variables.size());
  for (uint32_t* place : ExpressionsOf(&tree)) MarkVariables(tree, *place, &used);
  for (const Block* block : BlocksOf(&tree)) {
    for (const Statement& statement : *block) {
      if (statement.target.variable != kNone) used[statement.target.variable] = true;
      if (statement.kind != StatementKind::kCall) continue;
      const Function& callee = tree.functions[statement.number];
      for (uint32_t i = 0; i < callee.parameters; ++i) {
        if (tree.variables[callee.variables[i]].storage == Storage::kReference) {
          used[statement.arguments[i]] = true;
        }
      }
    }
  }
  return used;
}

uint32_t AddConstant(Tree* tree, Type type, uint32_t number) {
  const auto first = static_cast<uint32_t>(tree->constants.size());
  const uint64_t bits = type.IsFloat() ? FloatBits(type.scalar, number) : number;
  tree->constants.insert(tree->constants.end(), type.components, bits);
  tree->expressions.push_back({Operator::kConstant, type, first});
  return static_cast<uint32_t>(tree->expressions.size() - 1);
}

std::vector<uint32_t> InnerOfSameType(const Tree& tree, uint32_t expression) {
  std::vector<uint32_t> found, queue = {expression};
  for (size_t at = 0; at < queue.size(); ++at) {
    const Expression& node = tree.expressions[queue[at]];
    if (at > 0 && node.type == tree.expressions[expression].type) found.push_back(queue[at]);
    const uint32_t operands[] = {node.a, node.b, node.c};
    for (uint32_t i = 0; i < OperandsOf(node.op); ++i) queue.push_back(operands[i]);
  }
  return found;
}

bool Retype(Tree* tree, uint32_t id, Type type) {
  for (Block* block : BlocksOf(tree)) {
    for (Statement& statement : *block) {
      const bool is_target = statement.target.variable == id;
      if (is_target && statement.kind != StatementKind::kAssign) return false;
      if (is_target) {
        statement.target = {id, kNone, 0};
        statement.value = AddConverted(tree, statement.value, type);
      }
      if (statement.kind != StatementKind::kCall) continue;
      const Function& callee = tree->functions[statement.number];
      for (uint32_t i = 0; i < callee.parameters; ++i) {
        const bool by_value = tree->variables[callee.variables[i]].storage == Storage::kValue;
        if (!by_value && statement.arguments[i] == id) return false;
      }
    }
  }
  Variable& variable = tree->variables[id];
  variable.initial = AddConverted(tree, variable.initial, type);
  variable.type = type;
  variable.shape = Shape::kPlain;
  variable.length = 0;
  variable.members.clear();
  for (size_t i = 0, count = tree->expressions.size(); i < count; ++i) {
    const Expression read = tree->expressions[i];
    if (read.op == Operator::kTimesMatrix && read.b == id) return false;
    if (read.op != Operator::kVariable || read.a != id) continue;
    tree->expressions.push_back({Operator::kVariable, type, id});
    const auto plain = static_cast<uint32_t>(tree->expressions.size() - 1);
    tree->expressions[i] = tree->expressions[AddConverted(tree, plain, read.type)];
  }
  return true;
}

bool DeleteCase(Statement* statement, uint32_t number) {
  if (number == statement->number) return false;
  const bool falls = statement->falls_through[number];
  if (number > 0 && !falls) statement->falls_through[number - 1] = false;
  const auto erase = [&](auto* list) { list->erase(list->begin() + number); };
  erase(&statement->blocks);
  erase(&statement->falls_through);
  erase(&statement->arguments);
  if (statement->number > number) --statement->number;
  return true;
}

std::span<const StatementChange> SimplerStatements() {
  return kSimpler;
}

}  // namespace refract::generate
