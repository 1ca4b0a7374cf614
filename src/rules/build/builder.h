// SPDX-License-Identifier: Apache-2.0
// Inserts the instructions of one step before one place, and records the facts that follow from
// their operands.
#pragma once

#include <vector>

#include "rules/context_editor.h"

namespace refract {
inline namespace rules {

class Builder {
 public:
  /// All instructions go before `where`. If `goal` is given, they are only intermediate results for
  /// that value: if `goal` is irrelevant, so are they, and none of them becomes a synonym.
  Builder(ContextEditor& editor, Inst where, Id goal = Id::kNone);

  /// Inserts an instruction. Its operands imply no facts about its result.
  Id Compute(spv::Op opcode, Id type, Name name, const Args& args);
  /// Inserts an OpCompositeConstruct; the components fit the type. Each part of the result is a
  /// synonym of its component. The result is irrelevant if all components are.
  Id Construct(Id type, Name name, const std::vector<Id>& components);
  /// Inserts an OpCompositeExtract of an existing part. The result is a synonym of the part, or
  /// irrelevant if the composite is.
  Id Extract(const Part& part, Name name);
  /// Inserts an OpCompositeInsert that puts `object` in the place of `part`. The other parts of the
  /// result are synonyms of those of the composite.
  Id Insert(Id object, const Part& part, Name name);
  /// Inserts an OpVectorShuffle. Each component of the result is a synonym of its source.
  Id Shuffle(Id type, Name name, Id first, Id second, const std::vector<uint32_t>& components);

 private:
  void Equal(const Part& made, const Part& of);
  /// True if `value` is irrelevant; then `why` gets the steps that made it so.
  bool IsIrrelevant(Id value, Steps* why) const;
  void InsertFacts(Id result, Id object, const Part& part);

  ContextEditor& editor_;
  const Inst where_;
  bool to_irrelevant_ = false;
  Steps why_;
};

/// How many components of a vector of `element`s this constituent fills: 1 if it is a scalar, more
/// if it is a vector. 0 if it does not fit.
uint32_t PartsFilled(const Module& module, Id component, Id element);

}  // namespace rules
}  // namespace refract
