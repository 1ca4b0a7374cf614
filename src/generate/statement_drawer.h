// SPDX-License-Identifier: Apache-2.0
// Draws the statements and functions of a tree, with the classes of all variables. Used only by
// draw.h.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "generate/draw_expression.h"
#include "generate/environment.h"
#include "generate/options.h"
#include "generate/tree.h"
#include "generate/variables.h"

namespace refract::generate {

// An assignment whose value can get another use.
struct Pending {
  uint32_t variable, version;
};

// What callers must know about a function.
struct Summary {
  bool divergent_control = false;  // it may be called in divergent control flow
  bool meets = false;              // it has operations of a whole workgroup
  bool parts = false;              // invocations that enter it together may leave it apart
  bool result_divergent = false;
  std::vector<bool> enters, leaves;  // for each parameter: divergent at the begin and at the end
};

class StatementDrawer {
 public:
  StatementDrawer(const GenerateOptions& options, uint64_t seed)
      : options_(options),
        random_(seed),
        expressions_(options, environment_, &random_, &tree_),
        variables_(options, &random_, &tree_) {
    tree_.most_rounds = options.rounds;
    tree_.expressions.reserve(1024);
    tree_.constants.reserve(512);
  }

  /// Call it once.
  Tree Draw();

 private:
  bool compute() const { return options_.stage == Stage::kCompute; }

  void DrawFunction();
  void DrawMain();
  void Begin(bool divergent_control);
  void AddVariables(uint32_t count, bool is_main);
  /// `most`: statements of a block here. `level`: the number of statements around it.
  void DrawBlock(uint32_t most, uint32_t level, Block* block);
  // Returns false if nothing can follow the statement.
  bool DrawStatement(uint32_t most, uint32_t level, Block* block);
  // Finds a variable that may be assigned here, of that type (if not null), at random.
  uint32_t FindTarget(const Type* type, bool divergent);
  // Completes a place in the variable, of that type if it is not null.
  Place DrawPlace(uint32_t id, const Type* type, bool divergent);
  void Assign(const Place& place, bool divergent);
  bool DrawAssignment(bool divergent, Statement* statement);
  // The paper's extension of live ranges: e becomes e op v, for a value v of the same class that
  // was assigned before and has not been used in this way.
  uint32_t Extend(Type type, bool divergent, uint32_t value);
  void DrawIf(bool divergent, uint32_t most, uint32_t level, Statement* statement);
  void DrawSwitch(bool divergent, uint32_t most, uint32_t level, Statement* statement);
  void DrawArms(bool divergent, uint32_t most, uint32_t level, bool is_switch,
                Statement* statement);
  void DrawLoop(bool divergent, uint32_t most, uint32_t level, Statement* statement);
  // Draws what a loop executes at the end of each round. `head`: the classes at its head.
  void DrawRoundEnd(const std::vector<bool>& head, uint32_t most, uint32_t level,
                    Statement* statement);
  bool DrawJump(bool has_condition, bool divergent, Statement* statement);
  // Ends the block with a jump if one is possible there.
  void AddJump(uint32_t most, Block* block);
  bool DrawCall(Statement* statement);
  bool DrawGroup(bool divergent, bool subgroup, Statement* statement);
  // From here on, not all invocations execute the same statements together.
  void Part();

  const GenerateOptions& options_;
  Random random_;
  Tree tree_;
  Environment environment_;
  ExpressionDrawer expressions_;
  VariableDrawer variables_;
  std::vector<Summary> summaries_;
  Function function_;  // the one that is drawn
  uint32_t budget_ = 0, work_ = 1;
  bool is_main_ = false, in_switch_ = false, in_round_end_ = false;
  // Probably nothing is executed here. There is no switch in dead code: spirv-val computes a wrong
  // depth for one in a merge block that no branch reaches (docs/validator-quirks.md,
  // case_exit_by_depth).
  bool dead_ = false;
  // In divergent control flow, a `continue` was drawn in this loop; a break in this switch.
  bool left_round_ = false, left_switch_ = false;
  // By variable: divergent at a break out of this switch; at a return from this function.
  std::vector<bool> at_breaks_, at_returns_;
  bool meets_ = false;
  bool split_ = false;              // invocations return at different places
  bool parts_ = false;              // these, or those of a called function
  std::vector<uint32_t> versions_;  // by variable: the number of its assignments
  std::vector<Pending> pending_;
  std::vector<uint32_t> targets_;  // of FindTarget; it keeps its memory
};

}  // namespace refract::generate
