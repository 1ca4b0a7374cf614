// SPDX-License-Identifier: Apache-2.0
// Copies of blocks and instructions that one step makes, for transformations that duplicate, inline
// or move code. The name of a copy consists of its role and the name of the copied thing, so copies
// of copies have distinct names. Debug lines and debug instructions are not copied.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// Checks that a second instruction like this one can exist.
CheckResult MayCopy(const Module& module, Inst inst);
/// The largest number of instructions that one step copies.
constexpr size_t kMostCopies = 2000;
/// Checks that all instructions in the blocks of a function can be copied.
CheckResult MayCopyBody(const Module& module, Function function);

/// Gives `copy` the facts of `like`. For each synonym of a part of `like`, the same part of `copy`
/// becomes a synonym of what `other` makes of it: `other(id)` is the value that corresponds to `id`
/// at the copy, or kNone if not found.
template <class Other>
void CopyFacts(ContextEditor& editor, Id like, Id copy, Other other);
/// Carries only the synonyms.
template <class Other>
void CopyEqualities(ContextEditor& editor, Id like, Id copy, Other other);

class Copies {
 public:
  /// `role` is the name role, within the step, of all copies made here.
  Copies(ContextEditor& editor, uint64_t role) : editor_(editor), role_(role) {}

  /// Makes all later copies use `to` instead of `from`.
  void Map(Id from, Id to) { map_[from] = to; }
  /// Like Map, for a parameter `from` of an inlined call whose argument is `to`. Synonyms of the
  /// parameter become synonyms of the argument.
  void MapArgument(Id from, Id to) {
    Map(from, to);
    arguments_.emplace_back(from, to);
  }
  /// Like Map, where `to` is a copy made by the caller. `to` gets the facts of `from`.
  void MapCopy(Id from, Id to) {
    Map(from, to);
    made_.emplace_back(from, to);
  }
  /// The id that replaces `id` in the copies.
  Id Of(Id id) const {
    const auto found = map_.find(id);
    return found == map_.end() ? id : found->second;
  }

  /// Copies the blocks and lists the copies in this order after `after`. Labels and values of the
  /// blocks are mapped to their copies; what is already mapped is not copied. Returns the copies.
  std::vector<Block> CopyBlocks(std::span<const Block> blocks, Block after);
  /// Like CopyBlocks, but appends the copies to another function.
  std::vector<Block> CopyBlocksTo(Function function, std::span<const Block> blocks);
  /// Inserts a copy of one instruction with a result before `where`. Its name also contains `part`.
  Id CopyValue(Inst inst, Inst where, Name part);

  /// Gives each copy the facts of its original. Call it once, after all copies are made. If the
  /// copies are another iteration of a loop, `before_loop` is an instruction before all iterations:
  /// a synonym that is not available there is equal to the original in its last iteration, not to
  /// the copy.
  void CopyAllFacts(Inst before_loop = Inst::kNone);

 private:
  Args MappedOperands(Inst inst) const;
  void MapLabel(Block block, Block copy);
  void CopyBodies(std::span<const Block> blocks, std::span<const Block> copies);
  void CopyInto(Inst inst, Block block);
  void MapOperands(Inst copy);

  ContextEditor& editor_;
  const uint64_t role_;
  std::map<Id, Id> map_;
  std::vector<std::pair<Id, Id>> made_, arguments_;
};

/// Checks that a function and its parameters can be copied.
CheckResult MayCopyFunction(const Module& module, Function function);
/// Copies a function, with all facts about it and its contents. The copy comes after all other
/// functions. Its parts are named as a Copies object with this role names them; its OpFunctionEnd
/// is named `end`.
Function CopyFunction(ContextEditor& editor, Function function, uint64_t role, Name end);

template <class Other>
void CopyFacts(ContextEditor& editor, Id like, Id copy, Other other) {
  Facts& facts = editor.facts();
  if (const Steps* why = facts.Dead(like)) facts.SetDead(copy, editor.Provenance(*why));
  if (const Steps* why = facts.Irrelevant(like)) facts.SetIrrelevant(copy, editor.Provenance(*why));
  if (const Steps* why = facts.IrrelevantPointee(like)) {
    facts.SetIrrelevantPointee(copy, editor.Provenance(*why));
  }
  if (const Steps* why = facts.NeverRuns(like)) facts.SetNeverRuns(copy, editor.Provenance(*why));
  if (const Steps* why = facts.Uniform(like)) facts.SetUniform(copy, editor.Provenance(*why));
  CopyEqualities(editor, like, copy, other);
}

template <class Other>
void CopyEqualities(ContextEditor& editor, Id like, Id copy, Other other) {
  Facts& facts = editor.facts();
  struct Equality {
    Part part, to;
    Steps why;
  };
  std::vector<Equality> equalities;
  facts.ForEachEquality(like, [&](Part part, Part to, const Steps& why) {
    const Id mapped = other(to.value);
    if (mapped == Id::kNone) return;
    // If both values are copied, only one of them adds the pair.
    if (mapped != to.value && Index(to.value) < Index(like)) return;
    part.value = copy;
    to.value = mapped;
    if (facts.Irrelevant(mapped) == nullptr) equalities.push_back({part, to, why});
  });
  for (auto equality = equalities.rbegin(); equality != equalities.rend(); ++equality) {
    facts.AddSynonym(equality->part, equality->to, editor.Provenance(equality->why));
  }
}

}  // namespace rules
}  // namespace refract
