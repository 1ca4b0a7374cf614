// SPDX-License-Identifier: Apache-2.0
// Draws calls and the operations that the invocations of a workgroup execute together: both depend
// on which invocations get there.
#include <algorithm>
#include <utility>

#include "generate/statement_drawer.h"

namespace refract::generate {
namespace {}  // namespace

bool StatementDrawer::DrawCall(Statement* statement) {
  const auto callee = static_cast<uint32_t>(random_.Below(summaries_.size()));
  const Summary& summary = summaries_[callee];
  const Function& function = tree_.functions[callee];
  const bool control = environment_.divergent_control();
  if (control && !summary.divergent_control) return false;
  if (summary.meets && !environment_.MayMeet()) return false;
  // Nothing before the call in a loop may meet in the next round.
  if (summary.parts && environment_.MayMeet() && environment_.scopes().size() > 1) return false;
  statement->kind = StatementKind::kCall;
  statement->number = callee;
  const uint32_t target = FindTarget(&function.result, summary.result_divergent);
  if (target == kNone) return false;
  std::vector<std::pair<uint32_t, bool>> changed;
  for (uint32_t i = 0; i < function.parameters; ++i) {
    const Variable& parameter = tree_.variables[function.variables[i]];
    const Type type = parameter.type;
    if (parameter.storage == Storage::kValue) {
      statement->arguments.push_back(expressions_.Draw(type, summary.enters[i]));
      continue;
    }
    uint32_t found = kNone;
    for (const uint32_t id : function_.variables) {
      const Variable& variable = tree_.variables[id];
      const bool used = std::any_of(changed.begin(), changed.end(),
                                    [&](const auto& other) { return other.first == id; });
      if (used || variable.shape != Shape::kPlain || variable.type != type) continue;
      if (variable.storage != Storage::kFunction && variable.storage != Storage::kReference) {
        continue;
      }
      if (environment_.IsDivergent(id) && !summary.enters[i]) continue;
      if (environment_.MayAssign(id, summary.leaves[i])) found = id;
    }
    if (found == kNone) return false;
    statement->arguments.push_back(found);
    changed.emplace_back(found, summary.leaves[i]);
  }
  for (const auto& [id, divergent] : changed) Assign({id, kNone, 0}, divergent);
  statement->target = DrawPlace(target, &function.result, false);
  statement->divergent = summary.result_divergent || control;
  Assign(statement->target, summary.result_divergent);
  if (summary.parts) Part();
  meets_ |= summary.meets;
  return true;
}

bool StatementDrawer::DrawGroup(bool divergent, bool subgroup, Statement* statement) {
  if (!environment_.MayMeet()) return false;
  constexpr auto kFirst = static_cast<uint64_t>(GroupOperation::kBroadcastFirst);
  constexpr auto kEnd = static_cast<uint64_t>(GroupOperation::kCount);
  auto operation = static_cast<GroupOperation>(subgroup ? random_.Between(kFirst, kEnd - 1)
                                                        : random_.Below(kFirst));
  // Only a ballot may have a divergent operand and result; the others need a uniform value.
  if (subgroup && divergent) operation = GroupOperation::kBallot;
  const bool vote = operation >= GroupOperation::kAllVote;
  const Type type = vote ? kBoolType : kUintType;
  const bool is_sum =
      operation >= GroupOperation::kAtomicAdd && operation < GroupOperation::kBroadcastFirst;
  const bool result = divergent && !is_sum;
  const uint32_t target = FindTarget(&type, result);
  if (target == kNone) return false;
  statement->kind = StatementKind::kGroup;
  statement->number = static_cast<uint32_t>(operation);
  statement->value = expressions_.Draw(type, divergent);
  statement->target = DrawPlace(target, &type, false);
  statement->divergent = result;
  Assign(statement->target, result);
  meets_ = true;
  return true;
}

void StatementDrawer::Part() {
  environment_.SetMayMeet(false);
  parts_ = true;
}

}  // namespace refract::generate
