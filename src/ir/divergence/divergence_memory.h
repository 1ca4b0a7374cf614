// SPDX-License-Identifier: Apache-2.0
// The divergence classes of memory. Read-only memory is uniform. Each variable of an invocation's
// own memory has one class, which stores raise. Other memory is divergent. Used only by
// divergence.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/divergence/divergence.h"
#include "ir/grammar/operand_rules.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

class DivergenceMemory {
 public:
  /// `reached` are the functions that entry points reach; other functions are ignored.
  DivergenceMemory(const Module& module, const std::vector<Function>& reached);

  /// True if the module is not a shader or other modules can call its functions: then nothing is
  /// known.
  bool is_opaque() const { return is_opaque_; }
  /// True for a variable or pointer parameter of storage class Function or Private.
  bool IsOwn(Id id) const { return roots_[Index(id)] == id; }

  enum class Write : uint8_t {
    kOperands,  ///< the written value depends on the operands only
    kCopy,      ///< as kOperands, and on the memory that the pointer at operand 1 points to
    kAnything,  ///< the written value may be anything
  };
  /// Calls `visit(operand, root, write)` for each pointer into own memory through which the
  /// instruction may write.
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
  /// The class of the memory at the pointer, without that of the pointer itself.
  DivergenceClass Read(Id pointer) const;
  /// The class of the memory that the instruction, whose row is `row`, reads.
  DivergenceClass ReadBy(Inst inst, const Properties& row) const;
  void Raise(Id root, DivergenceClass to);
  /// True if a class was raised since the last call.
  bool TakeChanged();

 private:
  void FindRootsIn(Block block);
  void RecordRoot(Inst inst);
  std::optional<Write> WriteAt(Inst inst, const Properties& row, uint32_t operand) const;
  DivergenceClass ReadImage(Id image) const;
  DivergenceClass OfGlobal(Inst variable) const;
  DivergenceClass OfBlock(Id variable, bool is_storage) const;
  uint32_t Find(Id root) const;
  void JoinArguments(Inst call);

  const Module& module_;
  bool is_opaque_ = false;
  bool changed_ = false;
  // By id: the variable or parameter from which a pointer into own memory derives.
  std::vector<Id> roots_;
  std::vector<DivergenceClass> memory_;  // by id: for global variables and heads of groups
  std::vector<uint32_t> group_;          // by id: parameters are in one group with their arguments
};

}  // namespace ir
}  // namespace refract
