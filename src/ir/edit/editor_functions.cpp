// SPDX-License-Identifier: Apache-2.0
// Edits the list of functions, and which function a block belongs to.
#include <utility>
#include <vector>

#include "base/check.h"
#include "ir/edit/editor.h"

namespace refract {
inline namespace ir {

Function Editor::AddFunction() {
  const Function function = static_cast<Function>(module_.functions_.size());
  FunctionRecord record;
  record.head = static_cast<Block>(module_.blocks_.size());
  record.tail = static_cast<Block>(module_.blocks_.size() + 1);
  for (int i = 0; i < 2; ++i) {
    BlockRecord list;
    list.function = function;
    module_.blocks_.push_back(list);
  }
  record.prev = module_.last_function_;
  module_.functions_.push_back(record);
  module_.flows_.resize(module_.functions_.size());
  if (record.prev != Function::kNone) {
    Own(record.prev).next = function;
  } else {
    module_.first_function_ = function;
  }
  module_.last_function_ = function;
  return function;
}

void Editor::MoveFunctionAfter(Function function, Function after) {
  if (function == after || module_[function].prev == after) return;
  UnlistFunction(function);
  const Function next = after == Function::kNone ? module_.first_function_ : module_[after].next;
  Own(function).prev = after;
  Own(function).next = next;
  (after == Function::kNone ? module_.first_function_ : Own(after).next) = function;
  (next == Function::kNone ? module_.last_function_ : Own(next).prev) = function;
}

void Editor::UnlistFunction(Function function) {
  const Function prev = module_[function].prev, next = module_[function].next;
  (prev == Function::kNone ? module_.first_function_ : Own(prev).next) = next;
  (next == Function::kNone ? module_.last_function_ : Own(next).prev) = prev;
}

void Editor::RemoveFunction(Function function) {
  std::vector<Block> lists{module_[function].head};
  ForEachBlock(module_, function, [&](Block block) { lists.push_back(block); });
  lists.push_back(module_[function].tail);
  // First removes all uses: the instructions of the function may use each other in any order.
  for (Block list : lists) {
    ForEachInstruction(module_, list, [&](Inst inst) { ReleaseOperands(inst); });
  }
  for (Block list : lists) {
    while (module_.Last(list) != Inst::kNone) RemoveInstruction(module_.Last(list));
    Own(list) = {};
  }
  UnlistFunction(function);
  module_.flows_[Index(function)].Drop();
  Own(function) = {};
}

void Editor::MoveBlockTo(Function function, Block block) {
  DropFlow(block);
  UnlistBlock(block);
  ListBlock(block, function, module_[function].last);
  DropFlow(block);
  if (module_.has_promises_) AddTouched(function);
}

}  // namespace ir
}  // namespace refract
