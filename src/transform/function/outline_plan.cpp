// SPDX-License-Identifier: Apache-2.0
#include "transform/function/outline_plan.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/function_type.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

bool IsReturn(spv::Op opcode) {
  return opcode == spv::Op::OpReturn || opcode == spv::Op::OpReturnValue;
}

bool IsIn(const std::vector<Id>& list, Id id) {
  return std::find(list.begin(), list.end(), id) != list.end();
}

}  // namespace

OutlinePlan::OutlinePlan(const View& view, const RegionEnds& ends)
    : module_(view.module()),
      facts_(view.facts()),
      region_(module_, ends.entry, ends.exit),
      exit_(ends.exit) {}

CheckResult OutlinePlan::Make() {
  if (const CheckResult v = region_.Check(); !v) return v;
  region_.ForEachInside([&](Inst inst) {
    returns_ = returns_ || IsReturn(module_.Opcode(inst));
    if (module_.Result(inst) != Id::kNone) made_.push_back(module_.Result(inst));
  });
  std::sort(made_.begin(), made_.end());
  if (returns_) {
    AddReturn();
  } else {
    for (Id id : region_.ResultsUsedOutside()) {
      RefuseIfUsedUnreached(id);
      AddResult(id);
    }
  }
  region_.ForEachInside([&](Inst inst) {
    if (!IsDebugInstruction(module_, inst)) AddInputsOf(inst);
  });
  return check_result_;
}

bool OutlinePlan::IsInside(Id id) const {
  return std::binary_search(made_.begin(), made_.end(), id);
}

// A step can replace each use of an irrelevant index separately. If the pointer were computed
// twice, the two copies could then lead to different places.
bool OutlinePlan::MayComputeAgain(Id pointer) const {
  const spv::Op opcode = module_.OpcodeOf(pointer);
  bool again =
      (IsAccessChain(opcode) || opcode == spv::Op::OpCopyObject) && IsTouchable(module_, pointer);
  ForEachOperand(module_.Definition(pointer),
                 [&](Id id) { again = again && facts_.Irrelevant(id) == nullptr; });
  return again;
}

bool OutlinePlan::IsPassed(Id value) const {
  return IsOrdinary(module_, module_.TypeOf(value)) && IsTouchable(module_, value);
}

// Handles a region that contains returns.
void OutlinePlan::AddReturn() {
  const Inst end = module_.Terminator(exit_);
  if (!IsReturn(module_.Opcode(end))) {
    return Refuse(No("some paths through the region return from the function, and others do not"));
  }
  for (Id id : region_.ResultsUsedOutside()) {
    ForEachUse(module_, id, [&](Use use) {
      const Inst user = module_.User(use);
      const Block block = module_.BlockOf(user);
      if (user != end && module_.IsBasicBlock(block) && !region_.Has(block)) {
        Refuse(
            No("the region returns from the function, and an instruction outside the region uses "
               "one of its values"));
      }
    });
  }
  if (module_.OperandCount(end) > 0) AddInput(module_.IdAt(end, 0));
}

void OutlinePlan::RefuseIfUsedUnreached(Id id) {
  if (region_.IsUsedUnreachedBeforeExit(id)) {
    Refuse(No("unreachable code before the exit block uses a value of the region"));
  }
}

void OutlinePlan::AddResult(Id id) {
  if (!check_result_ || IsIn(results_, id)) return;
  if (!IsAvailableAtEnd(module_, id, exit_)) {
    return Refuse(No("a value used after the region is not available at its exit block"));
  }
  if (!IsPointer(module_, module_.TypeOf(id))) {
    if (!IsPassed(id))
      return Refuse(No("code after the region uses a value that cannot be returned"));
    values_.push_back(id);
  } else if (!MayComputeAgain(id)) {
    return Refuse(No("code after the region uses a pointer that cannot be computed again"));
  } else {
    ForEachOperand(module_.Definition(id), [&](Id operand) {
      if (IsInside(operand)) AddResult(operand);
    });
  }
  results_.push_back(id);
  RefuseIfMuch(results_);
}

void OutlinePlan::AddInputsOf(Inst inst) {
  ForEachOperand(inst, [&](Id id) { AddInput(id); });
}

void OutlinePlan::AddInput(Id id) {
  const Inst inst = module_.Definition(id);
  if (!check_result_ || module_.Type(inst) == Id::kNone || IsInside(id) || IsIn(inputs_, id) ||
      IsIn(pointers_, id) || module_.FunctionOf(inst) == Function::kNone ||
      module_.Opcode(inst) == spv::Op::OpFunction) {
    return;
  }
  if (IsPointer(module_, module_.Type(inst))) return AddPointer(id);
  if (!IsPassed(id)) return Refuse(No("the region uses a value that cannot be a parameter"));
  inputs_.push_back(id);
  RefuseIfMuch(inputs_);
}

void OutlinePlan::AddPointer(Id pointer) {
  const Inst inst = module_.Definition(pointer);
  const bool is_object = module_.Opcode(inst) == spv::Op::OpVariable ||
                         module_.Opcode(inst) == spv::Op::OpFunctionParameter;
  if (is_object) {
    if (!IsOrdinary(module_, ElementType(module_, module_.Type(inst))) ||
        !IsTouchable(module_, pointer)) {
      return Refuse(No("the region uses a variable that cannot be a parameter"));
    }
    inputs_.push_back(pointer);
  } else if (!MayComputeAgain(pointer)) {
    Refuse(No("the region uses a pointer that cannot be computed again"));
  } else {
    AddInputsOf(inst);
    pointers_.push_back(pointer);
  }
  RefuseIfMuch(inputs_);
  RefuseIfMuch(pointers_);
}

void OutlinePlan::Refuse(CheckResult check_result) {
  if (check_result_) check_result_ = check_result;
}

// Limits the number of parameters and results. It also keeps the lists short, because they are
// searched linearly.
void OutlinePlan::RefuseIfMuch(const std::vector<Id>& list) {
  if (list.size() > kMostParameters) {
    Refuse(No("the new function would have too many parameters or results"));
  }
}

template <class Visit>
void OutlinePlan::ForEachOperand(Inst inst, Visit visit) const {
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    if (module_.IsId(inst, i)) visit(module_.IdAt(inst, i));
  }
}

}  // namespace transform
}  // namespace refract
