// SPDX-License-Identifier: Apache-2.0
#include "reduce/self_check_code.h"

#include <bit>
#include <utility>

#include "ir/decorations.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/values.h"
#include "transform/function/entry_points.h"

namespace refract {
inline namespace reduce {

using spv::Op;

SelfCheckCode::SelfCheckCode(Module& module, const EntryPoint& entry)
    : module_(module), entry_(entry), editor_(module, 1) {
  void_ = Declare(editor_, message::Type{.kind = message::Type::Kind::kVoid});
  function_ = StartFunction(editor_, void_, {}, {NewName(), NewName()});
  block_ = editor_.AddBlock(function_);
  editor_.AppendValue(block_, Op::OpLabel, Id::kNone, NewName(), {});
}

void SelfCheckCode::Call() {
  Value(Op::OpFunctionCall, void_, {module_.FunctionId(entry_.function)});
}

Id SelfCheckCode::Value(Op opcode, Id type, const Args& args) {
  return editor_.AppendValue(block_, opcode, type, NewName(), args);
}

void SelfCheckCode::Plain(Op opcode, const Args& args) {
  editor_.AppendPlain(block_, opcode, NewName(), args);
}

Id SelfCheckCode::Type(const message::Type& type) {
  return Declare(editor_, type);
}

Id SelfCheckCode::Bool() {
  return Type(BoolType());
}

Id SelfCheckCode::Uint() {
  return Type(IntType(32, false));
}

Id SelfCheckCode::Bits(Id type, uint64_t bits) {
  return Declare(editor_, ScalarConstant(module_, type, bits));
}

Id SelfCheckCode::Float(float value) {
  return Bits(Type(FloatType(32)), std::bit_cast<uint32_t>(value));
}

Id SelfCheckCode::Composite(Id type, const Args& parts) {
  return editor_.Declare(Op::OpConstantComposite, type, parts);
}

Id SelfCheckCode::BuiltInVariable(spv::BuiltIn built_in, Id type) {
  for (const Id variable : entry_.interface) {
    if (transform::IsBuiltIn(module_, variable, built_in)) return variable;
  }
  const Id variable =
      AddVariable(editor_, spv::StorageClass::Input, Function::kNone, type, NewName(), Id::kNone);
  Decorate(
      {variable, static_cast<uint32_t>(spv::Decoration::BuiltIn), static_cast<uint32_t>(built_in)});
  transform::AddToInterface(editor_, entry_.instruction, variable);
  return variable;
}

void SelfCheckCode::Decorate(const Args& args) {
  editor_.AppendPlain(Module::SectionBlock(Section::kAnnotations), Op::OpDecorate, NewName(), args);
}

void SelfCheckCode::DecorateMember(const Args& args) {
  editor_.AppendPlain(Module::SectionBlock(Section::kAnnotations), Op::OpMemberDecorate, NewName(),
                      args);
}

void SelfCheckCode::BeginIf(Id condition) {
  const Block arm = editor_.AddBlock(function_), merge = editor_.AddBlock(function_);
  const Id arm_label = editor_.AppendValue(arm, Op::OpLabel, Id::kNone, NewName(), {});
  merge_label_ = editor_.AppendValue(merge, Op::OpLabel, Id::kNone, NewName(), {});
  Plain(Op::OpSelectionMerge, {merge_label_, 0u});
  Plain(Op::OpBranchConditional, {condition, arm_label, merge_label_});
  block_ = arm;
  merge_ = merge;
}

void SelfCheckCode::EndIf() {
  Plain(Op::OpBranch, {merge_label_});
  block_ = merge_;
}

void SelfCheckCode::Finish() {
  Plain(Op::OpReturn, {});
  const Id old_id = module_.FunctionId(entry_.function);
  const Id new_id = module_.FunctionId(function_);
  editor_.SetOperand(entry_.instruction, 1, new_id);
  const Block modes = Module::SectionBlock(Section::kExecutionModes);
  for (Inst inst = module_.First(modes); inst != Inst::kNone; inst = module_.Next(inst)) {
    if (module_.OperandCount(inst) > 0 && module_.IsId(inst, 0) &&
        module_.IdAt(inst, 0) == old_id) {
      editor_.SetOperand(inst, 0, new_id);
    }
  }
}

Error CannotCheck(std::string why) {
  return Error{std::move(why), ErrorKind::kUnavailable};
}

uint32_t DecorationValue(const Module& module, Id id, spv::Decoration decoration) {
  const Inst found = FindDecoration(module, id, decoration);
  return found == Inst::kNone ? 0 : module.Word(found, 2);
}

}  // namespace reduce
}  // namespace refract
