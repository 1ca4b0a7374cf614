// SPDX-License-Identifier: Apache-2.0
// Copies of blocks and instructions made by one step: the machinery of duplicating, inlining and
// moving code. A copy is named by its role and the name of what it is a copy of, so copies of
// copies are told apart to any depth. Debug lines and debug instructions are not copied.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// Whether a second instruction like this one can be made.
Verdict MayCopy(const Module& module, Inst inst);
/// The most instructions that one step copies.
constexpr size_t kMostCopies = 2000;
/// Whether all that a function's blocks hold can be copied.
Verdict MayCopyBody(const Module& module, Function function);

/// Gives `copy` the facts of `like`. What a part of `like` is equal to, the same part of `copy` is
/// equal to as `other` says: `other(id)` is the value that stands for `id` beside the copy; kNone
/// if there is none.
template <class Other>
void CarryFacts(ContextEditor& editor, Id like, Id copy, Other other);
/// Of these only the equalities.
template <class Other>
void CarryEqualities(ContextEditor& editor, Id like, Id copy, Other other);

class Copies {
 public:
  /// `role`: of all copies made here, within the step.
  Copies(ContextEditor& editor, uint64_t role) : editor_(editor), role_(role) {}

  /// Lets `to` stand for `from` in all copies, which are made after this.
  void Map(Id from, Id to) { map_[from] = to; }
  /// The same where `from` is a parameter, and `to` what is passed for it by the call whose place
  /// the copies take: they are equal to that as they were to the parameter.
  void Pass(Id from, Id to) {
    Map(from, to);
    passed_.emplace_back(from, to);
  }
  /// The same where `to` is a copy made elsewhere, so that it gets the facts of `from`.
  void MapCopy(Id from, Id to) {
    Map(from, to);
    made_.emplace_back(from, to);
  }
  /// What stands for `id` in the copies.
  Id Of(Id id) const {
    const auto found = map_.find(id);
    return found == map_.end() ? id : found->second;
  }

  /// Copies the blocks and lists them in this order after `after`. What is mapped already is not
  /// made again; labels and values of the blocks map to their copies. Returns the copies.
  std::vector<Block> CopyBlocks(std::span<const Block> blocks, Block after);
  /// The same in another function, behind its last block if it has any.
  std::vector<Block> CopyBlocksTo(Function function, std::span<const Block> blocks);
  /// A copy of one instruction with a result, put before `where`, named for `role_` and `part` too.
  Id CopyValue(Inst inst, Inst where, Name part);

  /// Carries the facts of everything copied to its copy. Once, when all copies are made. Where
  /// copies are of another round of a loop, `round` is in front of all of it: what is not available
  /// there equals the original's last round, not the copy.
  void CarryAllFacts(Inst round = Inst::kNone);

 private:
  Args MappedOperands(Inst inst) const;
  void MapLabel(Block block, Block copy);
  void CopyBodies(std::span<const Block> blocks, std::span<const Block> copies);
  void CopyInto(Inst inst, Block block);
  void MapOperands(Inst copy);

  ContextEditor& editor_;
  const uint64_t role_;
  std::map<Id, Id> map_;
  std::vector<std::pair<Id, Id>> made_, passed_;
};

/// Whether a function and its parameters can be copied.
Verdict MayCopyFunction(const Module& module, Function function);
/// The copy, after all others, with all that is known of the function and in it. It is named like a
/// Copies of this role names what it copies, its OpFunctionEnd is named `end`.
Function CopyFunction(ContextEditor& editor, Function function, uint64_t role, Name end);

template <class Other>
void CarryFacts(ContextEditor& editor, Id like, Id copy, Other other) {
  Facts& facts = editor.facts();
  if (const Steps* why = facts.Dead(like)) facts.SetDead(copy, editor.Because(*why));
  if (const Steps* why = facts.Irrelevant(like)) facts.SetIrrelevant(copy, editor.Because(*why));
  if (const Steps* why = facts.IrrelevantPointee(like)) {
    facts.SetIrrelevantPointee(copy, editor.Because(*why));
  }
  if (const Steps* why = facts.NeverRuns(like)) facts.SetNeverRuns(copy, editor.Because(*why));
  if (const Steps* why = facts.Uniform(like)) facts.SetUniform(copy, editor.Because(*why));
  CarryEqualities(editor, like, copy, other);
}

template <class Other>
void CarryEqualities(ContextEditor& editor, Id like, Id copy, Other other) {
  Facts& facts = editor.facts();
  struct Equality {
    Part part, to;
    Steps why;
  };
  std::vector<Equality> equalities;
  facts.ForEachEquality(like, [&](Part part, Part to, const Steps& why) {
    const Id mapped = other(to.value);
    if (mapped == Id::kNone) return;
    // Of two that are both copied only one adds the pair.
    if (mapped != to.value && Index(to.value) < Index(like)) return;
    part.value = copy;
    to.value = mapped;
    if (facts.Irrelevant(mapped) == nullptr) equalities.push_back({part, to, why});
  });
  for (auto equality = equalities.rbegin(); equality != equalities.rend(); ++equality) {
    facts.AddSynonym(equality->part, equality->to, editor.Because(equality->why));
  }
}

}  // namespace refract::inline rules
