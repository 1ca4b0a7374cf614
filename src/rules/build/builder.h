// SPDX-License-Identifier: Apache-2.0
// Values that a step puts before one place, with the facts that follow from what they are made of.
#pragma once

#include <vector>

#include "rules/context_editor.h"

namespace refract::inline rules {

class Builder {
 public:
  /// Everything made stands before `where`. If `goal` is given, all of it is only made on the way
  /// to that value: if that is irrelevant, so is the rest, and nothing of it equals anything.
  Builder(ContextEditor& editor, Inst where, Id goal = Id::kNone);

  /// A value of which nothing follows.
  Id Compute(spv::Op opcode, Id type, Name name, const Args& args);
  /// OpCompositeConstruct of components that fit the type; its parts equal them. Of irrelevant
  /// components alone it is irrelevant.
  Id Construct(Id type, Name name, const std::vector<Id>& components);
  /// OpCompositeExtract of a part that is there; it equals that, or is as irrelevant as the whole.
  Id Extract(const Part& part, Name name);
  /// OpCompositeInsert of what is to be in the place of `part`; the rest equals that of the value.
  Id Insert(Id object, const Part& part, Name name);
  /// OpVectorShuffle; each component of the result equals the one it was.
  Id Shuffle(Id type, Name name, Id first, Id second, const std::vector<uint32_t>& components);

 private:
  void Equal(const Part& made, const Part& of);
  /// Whether `value` is irrelevant; if so `why` gets the steps of that.
  bool IsIrrelevant(Id value, Steps* why) const;
  void InsertFacts(Id result, Id object, const Part& part);

  ContextEditor& editor_;
  const Inst where_;
  bool to_irrelevant_ = false;
  Steps why_;
};

/// How many parts of a vector of `element`s the component fills: 1 for one of them, more for a
/// vector of them; 0 if it does not fit.
uint32_t PartsFilled(const Module& module, Id component, Id element);

}  // namespace refract::inline rules
