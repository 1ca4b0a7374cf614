// SPDX-License-Identifier: Apache-2.0
#include "generate/draw.h"

#include <algorithm>

#include "generate/statement_drawer.h"

namespace refract::generate {
namespace {

constexpr uint32_t kFunctionStatements = 20;

}  // namespace

Tree StatementDrawer::Draw() {
  budget_ = options_.statements;
  const uint64_t functions = options_.calls == 0 ? 0 : random_.Below(3);
  for (uint64_t i = 0; i < functions; ++i) DrawFunction();
  DrawMain();
  return std::move(tree_);
}

void StatementDrawer::DrawFunction() {
  Summary summary;
  function_ = {};
  function_.result = variables_.DrawType();
  const uint32_t values = static_cast<uint32_t>(random_.Between(1, 3));
  const uint32_t pointers = static_cast<uint32_t>(random_.Below(3));
  function_.parameters = values + pointers;
  for (uint32_t i = 0; i < function_.parameters; ++i) {
    const Storage storage = i < values ? Storage::kValue : Storage::kReference;
    function_.variables.push_back(variables_.AddParameter(storage));
    summary.enters.push_back(random_.Percent(40) || options_.classes == 0);
  }
  summary.divergent_control = random_.Percent(50);
  Begin(summary.divergent_control);
  for (uint32_t i = 0; i < function_.parameters; ++i) {
    environment_.Initialise(function_.variables[i], summary.enters[i]);
  }
  AddVariables(static_cast<uint32_t>(random_.Between(2, 4)), false);
  const uint32_t all = budget_;
  budget_ = std::min(all / 4, kFunctionStatements);
  const uint32_t before = budget_;
  DrawBlock(options_.block / 2, 0, &function_.body);
  budget_ = all - (before - budget_);
  summary.parts = parts_;
  summary.result_divergent = split_ || random_.Percent(30) || options_.classes == 0;
  environment_.SetControl(summary.divergent_control);
  function_.returned = expressions_.Draw(function_.result, summary.result_divergent);
  for (uint32_t i = 0; i < function_.parameters; ++i) {
    const uint32_t id = function_.variables[i];
    const bool assigned = environment_.scopes().front().assigned[id];
    summary.leaves.push_back(environment_.IsDivergent(id) || at_returns_[id] ||
                             (split_ && assigned));
  }
  summary.meets = expressions_.TakeMeets() || meets_;
  summaries_.push_back(std::move(summary));
  tree_.functions.push_back(std::move(function_));
}

void StatementDrawer::DrawMain() {
  function_ = {};
  Begin(false);
  AddVariables(options_.variables, true);
  DrawBlock(options_.block, 0, &function_.body);
  tree_.functions.push_back(std::move(function_));
}

void StatementDrawer::Begin(bool divergent_control) {
  is_main_ = false;
  meets_ = split_ = parts_ = dead_ = false;
  pending_.clear();
  at_returns_.assign(tree_.variables.size(), false);
  work_ = 1;
  in_switch_ = false;
  // A divergent return leaves later statements without barriers.
  environment_.Reset(tree_.variables.size(), divergent_control, !divergent_control,
                     random_.Percent(40));
}

void StatementDrawer::AddVariables(uint32_t count, bool is_main) {
  is_main_ = is_main;
  for (uint32_t i = 0; i < count; ++i) {
    function_.variables.push_back(variables_.AddVariable(is_main));
  }
  // The expressions of the initial values use inputs and parameters.
  environment_.Grow(tree_.variables.size());
  at_returns_.resize(tree_.variables.size());
  versions_.assign(tree_.variables.size(), 0);
  expressions_.SetVariables(
      {function_.variables.begin(), function_.variables.begin() + function_.parameters});
  for (uint32_t i = function_.parameters; i < function_.variables.size(); ++i) {
    const uint32_t id = function_.variables[i];
    const bool divergent = random_.Percent(35) || options_.classes == 0;
    const Type type = tree_.variables[id].TypeOf(0);
    tree_.variables[id].initial = random_.Percent(20) && !divergent
                                      ? expressions_.Constant(type)
                                      : expressions_.Source(type, divergent);
    environment_.Initialise(id, divergent || environment_.divergent_control());
  }
  expressions_.SetVariables(function_.variables);
}

Tree DrawTree(const GenerateOptions& options, uint64_t seed) {
  for (uint64_t tries = 0;; ++tries) {
    Tree tree = StatementDrawer(options, tries == 0 ? seed : Mix(seed, tries)).Draw();
    if (CountStatements(tree) >= options.least || tries == 200) return tree;
  }
}

}  // namespace refract::generate
