// SPDX-License-Identifier: Apache-2.0
#include "rules/build/builder.h"

#include "ir/types.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

// For composites with more parts than the synonym search compares (facts/synonym_search.cpp), no
// synonyms of single parts are recorded.
constexpr uint32_t kMostSiblings = 16;

}  // namespace

uint32_t PartsFilled(const Module& module, Id component, Id element) {
  const Id type = module.TypeOf(component);
  if (type == element) return 1;
  return IsVector(module, type) && ElementType(module, type) == element
             ? PartCount(module, type).value_or(0)
             : 0;
}

Builder::Builder(ContextEditor& editor, Inst where, Id goal) : editor_(editor), where_(where) {
  if (goal != Id::kNone) to_irrelevant_ = IsIrrelevant(goal, &why_);
}

bool Builder::IsIrrelevant(Id value, Steps* why) const {
  const Steps* steps = editor_.view().facts().Irrelevant(value);
  if (steps != nullptr) MergeSteps(why, *steps);
  return steps != nullptr;
}

void Builder::Equal(const Part& made, const Part& of) {
  if (to_irrelevant_ || !MayHaveSynonym(editor_.view(), of.value)) return;
  editor_.facts().AddSynonym(made, of, editor_.Provenance());
}

Id Builder::Compute(spv::Op opcode, Id type, Name name, const Args& args) {
  const Id result = editor_.InsertValue(where_, opcode, type, name, args);
  if (to_irrelevant_) editor_.facts().SetIrrelevant(result, editor_.Provenance(why_));
  return result;
}

Id Builder::Construct(Id type, Name name, const std::vector<Id>& components) {
  const Module& module = editor_.module();
  const Id result = Compute(spv::Op::OpCompositeConstruct, type, name,
                            Args(components.begin(), components.end()));
  const bool is_vector = IsVector(module, type);
  const Id element = ElementType(module, type);
  uint32_t first = 0;
  bool all_irrelevant = true;
  Steps why;
  for (Id component : components) {
    const uint32_t parts = is_vector ? PartsFilled(module, component, element) : 1;
    for (uint32_t i = 0; i < parts; ++i) {
      const std::optional<Part> made = Part(result).Component(first + i);
      const std::optional<Part> of = parts == 1 ? Part(component) : Part(component).Component(i);
      if (made && of) Equal(*made, *of);
    }
    first += parts;
    all_irrelevant &= IsIrrelevant(component, &why);
  }
  if (all_irrelevant) editor_.facts().SetIrrelevant(result, editor_.Provenance(why));
  return result;
}

Id Builder::Extract(const Part& part, Name name) {
  Args args{part.value};
  args.insert(args.end(), part.index, part.index + part.depth);
  const Id type = TypeOfPart(editor_.module(), part);
  const Id result = Compute(spv::Op::OpCompositeExtract, type, name, args);
  Steps why;
  if (IsIrrelevant(part.value, &why)) {
    editor_.facts().SetIrrelevant(result, editor_.Provenance(why));
  } else {
    Equal(Part(result), part);
  }
  return result;
}

Id Builder::Insert(Id object, const Part& part, Name name) {
  Args args{object, part.value};
  args.insert(args.end(), part.index, part.index + part.depth);
  const Id result =
      Compute(spv::Op::OpCompositeInsert, editor_.module().TypeOf(part.value), name, args);
  Steps why;
  const bool object_irrelevant = IsIrrelevant(object, &why);
  if (IsIrrelevant(part.value, &why) && object_irrelevant) {
    editor_.facts().SetIrrelevant(result, editor_.Provenance(why));
  } else {
    InsertFacts(result, object, part);
  }
  return result;
}

void Builder::InsertFacts(Id result, Id object, const Part& part) {
  const Module& module = editor_.module();
  Part made(result), of(part.value);
  for (uint16_t level = 0; level < part.depth; ++level) {
    const uint32_t count = PartCount(module, TypeOfPart(module, of)).value_or(0);
    for (uint32_t i = 0; i < count && count <= kMostSiblings; ++i) {
      if (i != part.index[level]) Equal(*made.Component(i), *of.Component(i));
    }
    made = *made.Component(part.index[level]);
    of = *of.Component(part.index[level]);
  }
  Equal(made, Part(object));
}

Id Builder::Shuffle(Id type, Name name, Id first, Id second,
                    const std::vector<uint32_t>& components) {
  const Module& module = editor_.module();
  Args args{first, second};
  args.insert(args.end(), components.begin(), components.end());
  const Id result = Compute(spv::Op::OpVectorShuffle, type, name, args);
  const uint32_t count = PartCount(module, module.TypeOf(first)).value_or(0);
  bool all_irrelevant = true;
  Steps why;
  for (uint32_t i = 0; i < components.size(); ++i) {
    const bool is_first = components[i] < count;
    const Id from = is_first ? first : second;
    // 0xFFFFFFFF means undefined (SPIR-V 3.42.12), so the component is no synonym; and it is not
    // irrelevant, because irrelevant values are defined.
    if (components[i] == 0xffffffffu || !IsIrrelevant(from, &why)) all_irrelevant = false;
    if (components[i] == 0xffffffffu) continue;
    Equal(*Part(result).Component(i),
          *Part(from).Component(is_first ? components[i] : components[i] - count));
  }
  if (all_irrelevant) editor_.facts().SetIrrelevant(result, editor_.Provenance(why));
  return result;
}

}  // namespace rules
}  // namespace refract
