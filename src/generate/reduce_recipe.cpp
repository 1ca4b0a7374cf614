// SPDX-License-Identifier: Apache-2.0
#include "generate/reduce_recipe.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "generate/reduce_tree.h"

namespace refract::generate {
namespace {

void AddOperators(const Tree& tree, uint32_t expression, std::set<std::string_view>* names) {
  if (expression == kNone) return;
  const Expression& node = tree.expressions[expression];
  if (OperandsOf(node.op) > 0) names->insert(NameOf(node.op));
  if (node.op == Operator::kVariable) return AddOperators(tree, node.b, names);
  const uint32_t operands[] = {node.a, node.b, node.c};
  for (uint32_t i = 0; i < OperandsOf(node.op); ++i) AddOperators(tree, operands[i], names);
}

// "a, b"
std::string Joined(const std::set<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

class RecipeReducer {
 public:
  RecipeReducer(const ProgramRecipe& recipe, const RecipeTest& is_interesting,
                const std::function<bool()>& stop)
      : is_interesting_(is_interesting), stop_(stop) {
    best_.recipe = recipe;
  }

  Result<ReducedRecipe> Run() {
    Result<GeneratedProgram> program = MakeProgram(best_.recipe);
    if (!program) return program.error();
    best_.program = std::move(*program);
    do {
      changed_ = false;
      DeleteStatements();
      Unwrap();
      DeleteCases();
      SimplifyStatements();
      SimplifyOptions();
      DeleteFunctions();
      DeleteVariables();
      SimplifyTypes();
      SimplifyExpressions();
    } while (changed_ && !ended());
    if (error_) return *error_;
    best_.minimal = !stopped_;
    return std::move(best_);
  }

 private:
  bool ended() const { return stopped_ || error_.has_value(); }
  Tree& tree() { return best_.recipe.tree; }

  // Takes the candidate if it is interesting. One that is not a program is not.
  bool Try(ProgramRecipe candidate) {
    if (ended() || (stopped_ = stop_())) return false;
    if (!IsWellFormed(candidate.tree)) return false;
    Result<GeneratedProgram> program = MakeProgram(candidate);
    if (!program) return false;
    ++best_.asked;
    const Result<bool> yes = is_interesting_(candidate, *program);
    if (!yes) error_ = yes.error();
    if (!yes || !*yes) return false;
    best_.recipe = std::move(candidate);
    best_.program = std::move(*program);
    return changed_ = true;
  }

  void DeleteStatements() {
    for (size_t number = 0; number < BlocksOf(&tree()).size(); ++number) {
      for (size_t size = BlocksOf(&tree())[number]->size(); size > 0 && !ended(); size /= 2) {
        for (size_t at = 0; at < BlocksOf(&tree())[number]->size();) {
          ProgramRecipe candidate = best_.recipe;
          Block& block = *BlocksOf(&candidate.tree)[number];
          const auto first = block.begin() + static_cast<std::ptrdiff_t>(at);
          const size_t count = std::min(size, block.size() - at);
          block.erase(first, first + static_cast<std::ptrdiff_t>(count));
          if (!Try(std::move(candidate))) at += size;
        }
      }
    }
  }

  // Puts the statements of an inner block in the place of the statement that has it.
  void Unwrap() {
    for (size_t number = 0; number < BlocksOf(&tree()).size(); ++number) {
      for (size_t at = 0; at < BlocksOf(&tree())[number]->size() && !ended(); ++at) {
        const size_t inner = (*BlocksOf(&tree())[number])[at].blocks.size();
        for (size_t i = 0; i < inner; ++i) {
          ProgramRecipe candidate = best_.recipe;
          Block& block = *BlocksOf(&candidate.tree)[number];
          Block contents = std::move(block[at].blocks[i]);
          block.erase(block.begin() + static_cast<std::ptrdiff_t>(at));
          block.insert(block.begin() + static_cast<std::ptrdiff_t>(at),
                       std::make_move_iterator(contents.begin()),
                       std::make_move_iterator(contents.end()));
          if (Try(std::move(candidate))) break;
        }
      }
    }
  }

  // Changes each statement in each way for which the recipe is still interesting.
  void SimplifyStatements() {
    for (size_t number = 0; number < BlocksOf(&tree()).size(); ++number) {
      for (size_t at = 0; at < BlocksOf(&tree())[number]->size() && !ended(); ++at) {
        for (const StatementChange way : SimplerStatements()) {
          ProgramRecipe candidate = best_.recipe;
          if (way(&(*BlocksOf(&candidate.tree)[number])[at])) Try(std::move(candidate));
        }
      }
    }
  }

  // Removes single cases of switches. The label values of the others change.
  void DeleteCases() {
    for (size_t number = 0; number < BlocksOf(&tree()).size(); ++number) {
      for (size_t at = 0; at < BlocksOf(&tree())[number]->size() && !ended(); ++at) {
        for (uint32_t i = 0; i < CasesOf(number, at);) {
          ProgramRecipe candidate = best_.recipe;
          if (!DeleteCase(&(*BlocksOf(&candidate.tree)[number])[at], i) ||
              !Try(std::move(candidate))) {
            ++i;
          }
        }
      }
    }
  }
  uint32_t CasesOf(size_t block, size_t at) {
    const Statement& statement = (*BlocksOf(&tree())[block])[at];
    if (statement.kind != StatementKind::kSwitch) return 0;
    return static_cast<uint32_t>(statement.blocks.size());
  }
  // Makes function variables of others, plain variables of arrays, structures and matrices, scalars
  // of vectors, and uints of other types.
  void SimplifyTypes() {
    for (size_t number = 0; number < tree().functions.size(); ++number) {
      for (size_t at = tree().functions[number].parameters;
           at < tree().functions[number].variables.size() && !ended(); ++at) {
        const uint32_t id = tree().functions[number].variables[at];
        if (tree().variables[id].storage != Storage::kFunction) {
          ProgramRecipe candidate = best_.recipe;
          candidate.tree.variables[id].storage = Storage::kFunction;
          Try(std::move(candidate));
        }
        const Variable variable = tree().variables[id];
        const Type first = variable.TypeOf(0), scalar = first.WithComponents(1);
        for (const Type type : {Type{Scalar::kUint, 1}, scalar, first}) {
          if (variable.shape == Shape::kPlain && variable.type == type) break;
          ProgramRecipe candidate = best_.recipe;
          if (Retype(&candidate.tree, id, type) && Try(std::move(candidate))) break;
        }
      }
    }
  }

  void SimplifyOptions() {
    const auto halve = [&](uint32_t GenerateOptions::*value) {
      while (best_.recipe.options.*value > 1) {
        ProgramRecipe candidate = best_.recipe;
        candidate.options.*value /= 2;
        if (!Try(std::move(candidate))) return;
      }
    };
    halve(&GenerateOptions::workgroups);
    halve(&GenerateOptions::workgroup);
    halve(&GenerateOptions::side);
  }

  void DeleteFunctions() {
    for (uint32_t number = 0; number + 1 < tree().functions.size() && !ended();) {
      ProgramRecipe candidate = best_.recipe;
      bool called = false;
      for (Block* block : BlocksOf(&candidate.tree)) {
        for (Statement& statement : *block) {
          if (statement.kind != StatementKind::kCall) continue;
          called |= statement.number == number;
          if (statement.number > number) --statement.number;
        }
      }
      candidate.tree.functions.erase(candidate.tree.functions.begin() +
                                     static_cast<std::ptrdiff_t>(number));
      if (called || !Try(std::move(candidate))) ++number;
    }
  }

  void DeleteVariables() {
    for (size_t number = 0; number < tree().functions.size(); ++number) {
      for (size_t at = tree().functions[number].parameters;
           at < tree().functions[number].variables.size() && !ended();) {
        ProgramRecipe candidate = best_.recipe;
        std::vector<uint32_t>& variables = candidate.tree.functions[number].variables;
        const bool used = UsedVariables(candidate.tree)[variables[at]];
        // A compute shader writes at least one word.
        const bool last = variables.size() == 1;
        variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(at));
        if (used || last || !Try(std::move(candidate))) ++at;
      }
    }
  }

  void SimplifyExpressions() {
    for (size_t number = 0; number < ExpressionsOf(&tree()).size() && !ended(); ++number) {
      while (SimplifyExpression(number)) {
      }
      SimplifyOperands(*ExpressionsOf(&tree())[number]);
    }
  }

  // Replaces operands inside of an expression by constants or by their own operands.
  void SimplifyOperands(uint32_t expression) {
    std::vector<uint32_t> queue = {expression};
    for (size_t at = 0; at < queue.size() && !ended(); ++at) {
      const uint32_t inside = queue[at];
      while (at > 0 && SimplifyOperand(inside)) {
      }
      const Expression& node = tree().expressions[inside];
      const uint32_t operands[] = {node.a, node.b, node.c};
      for (uint32_t i = 0; i < OperandsOf(node.op); ++i) queue.push_back(operands[i]);
    }
  }

  bool SimplifyOperand(uint32_t expression) {
    const Expression node = tree().expressions[expression];
    if (node.op == Operator::kConstant) return false;
    std::vector<uint32_t> inner = InnerOfSameType(tree(), expression);
    ProgramRecipe candidate = best_.recipe;
    Tree& changed = candidate.tree;
    changed.expressions[expression] = changed.expressions[AddConstant(&changed, node.type, 1)];
    if (Try(std::move(candidate))) return true;
    for (const uint32_t other : inner) {
      candidate = best_.recipe;
      candidate.tree.expressions[expression] = candidate.tree.expressions[other];
      if (Try(std::move(candidate))) return true;
    }
    return false;
  }

  bool SimplifyExpression(size_t number) {
    const uint32_t now = *ExpressionsOf(&tree())[number];
    const Expression node = tree().expressions[now];
    if (node.op == Operator::kConstant) return false;
    const auto replace = [&](const auto& make) {
      ProgramRecipe candidate = best_.recipe;
      const uint32_t other = make(&candidate.tree);
      *ExpressionsOf(&candidate.tree)[number] = other;
      return Try(std::move(candidate));
    };
    for (const uint32_t constant : {0u, 1u}) {
      if (replace([&](Tree* tree) { return AddConstant(tree, node.type, constant); })) return true;
    }
    for (const uint32_t inner : InnerOfSameType(tree(), now)) {
      if (replace([&](Tree*) { return inner; })) return true;
    }
    return false;
  }

  const RecipeTest& is_interesting_;
  const std::function<bool()>& stop_;
  ReducedRecipe best_;
  std::optional<Error> error_;
  bool stopped_ = false, changed_ = false;
};

}  // namespace

Result<ReducedRecipe> ReduceRecipe(const ProgramRecipe& recipe, const RecipeTest& is_interesting,
                                   const std::function<bool()>& stop) {
  return RecipeReducer(recipe, is_interesting, stop).Run();
}

std::string ShapeOf(const Tree& given) {
  Tree tree = given;
  std::set<std::string_view> statements, operators;
  for (const Block* block : BlocksOf(&tree)) {
    for (const Statement& statement : *block) statements.insert(NameOf(statement.kind));
  }
  for (const uint32_t* place : ExpressionsOf(&tree)) AddOperators(tree, *place, &operators);
  const std::string text = Joined(statements);
  const char* separator = text.empty() || operators.empty() ? "" : ": ";
  return text + separator + Joined(operators);
}

}  // namespace refract::generate
