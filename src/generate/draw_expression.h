// SPDX-License-Identifier: Apache-2.0
// Draws expressions of a type and a divergence class.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "generate/environment.h"
#include "generate/options.h"
#include "generate/tree.h"

namespace refract::generate {

constexpr uint32_t kUniformWords = 16;  ///< words of the uniform block
constexpr uint32_t kInputWords = 8;     ///< words of the row of each invocation
constexpr uint32_t kImageSide = 4;      ///< texels of an image in x and in y; a power of two

// An expression of the code draws at most once: compilers evaluate the arguments of a call in
// different orders, and a seed gives the same tree with each of them.
class ExpressionDrawer {
 public:
  ExpressionDrawer(const GenerateOptions& options, const Environment& environment, Random* random,
                   Tree* tree)
      : options_(options),
        scalars_(ScalarsOf(options)),
        environment_(environment),
        random_(*random),
        tree_(*tree) {}

  /// The variables that expressions may use.
  void SetVariables(const std::vector<uint32_t>& variables) { variables_ = variables; }

  /// An expression that is uniform or, if `divergent`, uses a value that is divergent here.
  uint32_t Draw(Type type, bool divergent);
  /// A value of a variable, a place in one, or an input.
  uint32_t DrawLeaf(Type type, bool divergent);
  uint32_t Constant(Type type);
  uint32_t Variable(const Place& place);
  /// An input of that class, converted to the type.
  uint32_t Source(Type type, bool divergent);
  /// Joins two values of the type with an operator that keeps their type.
  uint32_t Combine(Type type, uint32_t a, uint32_t b);
  /// A uint of that class, for an index or a selector.
  uint32_t DrawIndex(bool divergent) { return DrawLeaf({Scalar::kUint, 1}, divergent); }
  /// An unsigned integer of that class and of any width, for a switch.
  uint32_t DrawSelector(bool divergent);
  /// Whether an expression since the last call has operations that all invocations must execute
  /// together.
  bool TakeMeets() { return std::exchange(meets_, false); }

 private:
  uint32_t Add(Operator op, Type type, uint32_t a = kNone, uint32_t b = kNone, uint32_t c = kNone) {
    tree_.expressions.push_back({op, type, a, b, c});
    return static_cast<uint32_t>(tree_.expressions.size() - 1);
  }
  bool IsUsable(uint32_t variable, bool divergent) const {
    return options_.classes == 0 || environment_.IsDivergent(variable) == divergent;
  }
  uint32_t DrawNode(Type type, bool divergent, uint32_t depth);
  uint32_t DrawCondition(Type type, bool divergent, uint32_t depth);
  uint32_t DrawArithmetic(Type type, bool divergent, uint32_t depth);
  uint32_t DrawShape(Type type, bool divergent, uint32_t depth);
  std::optional<uint32_t> FindVariable(Type type, bool divergent);
  uint32_t TimesMatrix(Type type, bool divergent, uint32_t depth);
  uint32_t SpecConstant(Scalar scalar);
  uint32_t Texel(Type type, bool divergent);
  // Makes a value of the type from components of a vector with as many as `count`.
  uint32_t Swizzle(Type type, uint32_t vector, uint32_t count);

  const GenerateOptions& options_;
  const std::vector<Scalar> scalars_;  // all types, that of bools first
  const Environment& environment_;
  Random& random_;
  Tree& tree_;
  std::vector<uint32_t> variables_;
  // What a choice is made from. They keep their memory, because there are many choices.
  std::vector<Place> places_;
  std::vector<uint32_t> counters_;
  bool found_divergent_ = false;  // the expression that is drawn uses a divergent value
  bool meets_ = false;
};

}  // namespace refract::generate
