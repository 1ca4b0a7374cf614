// SPDX-License-Identifier: Apache-2.0
#include "rules/build/counter.h"

#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

// SPIR-V 2.16.3: ints have signedness 0 in kernels.
bool AreSigned(const Module& module) {
  return !HasCapability(module, spv::Capability::Kernel);
}

message::Type CounterType(const Module& module) {
  return IntType(32, AreSigned(module));
}

}  // namespace

Id DeclareCounterType(ContextEditor& editor) {
  return Declare(editor, CounterType(editor.module()));
}

Id DeclareCount(ContextEditor& editor, uint32_t count) {
  return Declare(editor, ScalarConstant(CounterType(editor.module()), count));
}

Id InsertIncrement(ContextEditor& editor, Inst where, Id counter, Name name) {
  const Id type = DeclareCounterType(editor), one = DeclareCount(editor, 1);
  return editor.InsertValue(where, spv::Op::OpIAdd, type, name, {counter, one});
}

Id InsertLess(ContextEditor& editor, Inst where, Id counter, Id limit, Name name) {
  const spv::Op less = AreSigned(editor.module()) ? spv::Op::OpSLessThan : spv::Op::OpULessThan;
  return editor.InsertValue(where, less, Declare(editor, BoolType()), name, {counter, limit});
}

Id InsertNotLess(ContextEditor& editor, Inst where, Id counter, Id limit, Name name) {
  const spv::Op not_less =
      AreSigned(editor.module()) ? spv::Op::OpSGreaterThanEqual : spv::Op::OpUGreaterThanEqual;
  return editor.InsertValue(where, not_less, Declare(editor, BoolType()), name, {counter, limit});
}

}  // namespace rules
}  // namespace refract
