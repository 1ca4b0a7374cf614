// SPDX-License-Identifier: Apache-2.0
// What memory holds for whom: read-only memory is the same for all, an invocation's own variables
// have one class each, which stores raise, and of everything else nothing is known. What
// divergence.h is worked out on; inside this room only.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/divergence/divergence.h"
#include "ir/module.h"
#include "ir/grammar/operand_rules.h"

namespace refract::inline ir {

class DivergenceMemory {
 public:
  /// `reached`: the functions that entry points reach; what others do is nobody's business.
  DivergenceMemory(const Module& module, const std::vector<Function>& reached);

  /// No shader, or functions that other modules call: nothing is known of anything.
  bool is_opaque() const { return is_opaque_; }
  /// A variable or parameter of class Function or Private.
  bool IsOwn(Id id) const { return roots_[Index(id)] == id; }

  enum class Write : uint8_t {
    kOperands,  ///< what the operands make of it
    kCopy,      ///< that, and what the pointer at operand 1 points to
    kAnything,
  };
  /// Calls `visit(operand, root, how)` for each pointer into own memory that the instruction may
  /// write through.
  template <class Visit>
  void ForEachWrite(Inst inst, Visit visit) const {
    const Properties* row = nullptr;
    for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
      if (!module_.IsId(inst, i)) continue;
      const Id root = roots_[Index(module_.IdAt(inst, i))];
      if (root == Id::kNone) continue;
      if (row == nullptr) row = &PropertiesOf(module_, inst);
      if (const auto write = WriteAt(inst, *row, i)) visit(i, root, *write);
    }
  }
  /// What is at the pointer, apart from where the pointer points.
  DivergenceClass Read(Id pointer) const;
  /// What the instruction, of that row, reads.
  DivergenceClass ReadBy(Inst inst, const Properties& row) const;
  void Raise(Id root, DivergenceClass to);
  /// Whether something was raised since the last question.
  bool TakeChanged();

 private:
  void FindRootsIn(Block block);
  void NoteRoot(Inst inst);
  std::optional<Write> WriteAt(Inst inst, const Properties& row, uint32_t operand) const;
  DivergenceClass ReadImage(Id image) const;
  DivergenceClass OfGlobal(Inst variable) const;
  DivergenceClass OfBlock(Id variable, bool is_storage) const;
  uint32_t Find(Id root) const;
  void JoinArguments(Inst call);

  const Module& module_;
  bool is_opaque_ = false;
  bool changed_ = false;
  std::vector<Id> roots_;  // by id: the variable or parameter that a pointer into own memory is of
  std::vector<DivergenceClass> memory_;  // by id: of global variables, and heads of groups
  std::vector<uint32_t> group_;          // by id: parameters are in one group with what is passed
};

}  // namespace refract::inline ir
