// SPDX-License-Identifier: Apache-2.0
#include "rules/context.h"

#include "ir/branches.h"

namespace refract {
inline namespace rules {

Id View::Value(Name name) const {
  const Inst inst = Find(name);
  if (inst == Inst::kNone) return Id::kNone;
  const Id type = module().Type(inst);
  // OpFunction has a type too, but it is not a value.
  if (type == Id::kNone || module().Opcode(inst) == spv::Op::OpFunction) return Id::kNone;
  if (module().OpcodeOf(type) == spv::Op::OpTypeVoid) return Id::kNone;
  return module().Result(inst);
}

Block View::BlockStarting(Name name) const {
  const Inst inst = Find(name);
  if (inst == Inst::kNone || module().Opcode(inst) != spv::Op::OpLabel) return Block::kNone;
  return module().BlockOf(inst);
}

Block View::BlockEnding(Name name) const {
  const Inst inst = Find(name);
  if (inst == Inst::kNone || !IsTerminator(module().Opcode(inst))) return Block::kNone;
  return module().BlockOf(inst);
}

Function View::FunctionNamed(Name name) const {
  const Inst inst = Find(name);
  if (inst == Inst::kNone || module().Opcode(inst) != spv::Op::OpFunction) return Function::kNone;
  return module().FunctionOf(inst);
}

bool View::Use(const Steps* why) const {
  if (why != nullptr && used_ != nullptr) MergeSteps(used_, *why);
  return why != nullptr;
}

bool View::IsDead(Block block) const {
  return Use(facts().Dead(module().LabelId(block)));
}
bool View::IsIrrelevant(Id value) const {
  return Use(facts().Irrelevant(value));
}
bool View::IsIrrelevantPointee(Id pointer) const {
  return Use(facts().IrrelevantPointee(pointer));
}
bool View::IsLiveSafe(Function function) const {
  return Use(facts().LiveSafe(module().FunctionId(function)));
}

bool View::NeverRuns(Block block) const {
  return Use(facts().NeverRuns(module().LabelId(block)));
}

bool View::IsUniform(Id value) const {
  return Use(facts().Uniform(value));
}

bool View::IsKnownInput(const KnownValue& input) const {
  for (const KnownValue& known : facts().known_inputs()) {
    KnownValue same = input;
    same.added_by = known.added_by;
    if (known != same) continue;
    const Steps why = known.added_by == 0 ? Steps{} : Steps{known.added_by};
    return Use(&why);
  }
  return false;
}

void View::DependOn(Inst user, uint32_t operand) const {
  const uint32_t step = module().OperandAt(user, operand).step;
  if (step != 0 && used_ != nullptr) MergeSteps(used_, {step});
}

bool View::AreSynonymous(const Part& a, const Part& b) const {
  const std::optional<Steps> why = facts().Synonymous(module(), a, b);
  return Use(why ? &*why : nullptr);
}

}  // namespace rules
}  // namespace refract
