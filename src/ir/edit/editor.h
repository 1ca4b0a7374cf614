// SPDX-License-Identifier: Apache-2.0
// Editor is the only class that changes a Module. With every edit it updates uses, names,
// declarations, the word count and the cached control flow. It does not check: callers must have
// checked that an edit is allowed.
#pragma once

#include <memory>
#include <vector>

#include "ir/id_table.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

class Editor {
 public:
  /// All edits through this editor belong to `step` of a recording (0: the original module).
  Editor(Module& module, uint32_t step) : module_(module), step_(step) {}
  ~Editor() {
    if (module_.divergence_.is_made()) module_.divergence_.Drop();
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  const Module& module() const { return module_; }
  uint32_t step() const { return step_; }
  /// The functions in which this editor made or changed instructions that may break a promise,
  /// given by the control of the function or of a caller (ir/purity.h). Empty if no function of the
  /// module makes a promise.
  const std::vector<Function>& touched() const { return touched_; }
  /// The name for what this step makes in `role` for `parts` (names or numbers).
  template <class... Parts>
  Name Made(uint64_t role, const Parts&... parts) const {
    return Name{step_, LocalPart(role, parts...)};
  }

  // --- instructions. A new instruction is inserted before `where`.
  /// Inserts an instruction with a result and a type.
  Id InsertValue(Inst where, spv::Op opcode, Id type, Name name, const Args& args);
  /// Inserts an instruction without a result.
  Inst InsertPlain(Inst where, spv::Op opcode, Name name, const Args& args);
  /// The same, at the end of a list.
  Id AppendValue(Block block, spv::Op opcode, Id type, Name name, const Args& args);
  Inst AppendPlain(Block block, spv::Op opcode, Name name, const Args& args);

  /// Removes an instruction whose result has no uses, with its names and decorations.
  void Remove(Inst inst);
  /// Moves an instruction, which is not a label, before `where` in the same or another block.
  void MoveBefore(Inst inst, Inst where);
  void SetOperand(Inst inst, uint32_t index, Arg arg);
  /// Replaces all operands. An operand that was among the old ones keeps the step that put it
  /// there.
  void SetOperands(Inst inst, const Args& args);
  void SetOpcode(Inst inst, spv::Op opcode) {
    Own(inst).opcode = opcode;
    Touch(inst);
  }
  /// Replaces the opcode and the operands of a terminator. It keeps its name.
  void SetTerminator(Block block, spv::Op opcode, const Args& args);
  /// Records that `made` exists because `original` does.
  void MarkMadeOf(Inst made, Inst original) { Own(made).copy_of = original; }
  /// Records that `copy` was made because `original` exists, and each of its operands because the
  /// corresponding operand of `original` exists (if both have as many operands).
  void MarkCopy(Inst copy, Inst original);
  /// Separates an instruction from its value. The instruction gets the name `name` and a new result
  /// id, which is returned, and keeps its decorations. The old name, id and all uses are kept for
  /// another instruction, which YieldAs inserts and which then computes the value.
  Id Displace(Inst inst, Name name);
  /// Inserts the instruction that computes a displaced value before `where`.
  void YieldAs(Inst where, Id displaced, Name name, spv::Op opcode, Id type, const Args& args);
  /// Removes all decorations from an id.
  void RemoveDecorations(Id id);
  /// Copies the decorations that affect the value (NoContraction, RelaxedPrecision, NonUniform)
  /// from one id to another.
  void CopyValueDecorations(Id from, Id to);

  // --- control flow. These edits and SetTerminator patch the control-flow graph and its analyses.
  // Other edits of edges discard the graph, and it is rebuilt at the next use.
  /// Moves all instructions from `first` on to a new block, listed after the old one. The old block
  /// ends with an OpBranch to the new one. Phis in successors are updated. Returns the new block.
  Block SplitBlock(Inst first, Name label, Name branch);
  /// The names of the instructions that AddDiamond makes.
  struct DiamondNames {
    Name label, branch;  ///< of the new block
    Name merge;          ///< the OpSelectionMerge
  };
  /// Replaces the OpBranch at the end of `block`, which is not a header, with a selection. Its
  /// target must have no other predecessor and must not be named by a header; it becomes the merge
  /// block. If `condition` holds, the selection branches to it directly; otherwise through a new
  /// block, listed after `block`, that has only an OpBranch to it. Phis in the target get the same
  /// input for the new edge. Returns the new block.
  Block AddDiamond(Block block, Id condition, const DiamondNames& names);
  /// Replaces the OpBranch at the end of `block`, which is not a header, with a selection: if
  /// `condition` holds to the old successor, else to `merge`, its merge block. The caller updates
  /// phis in `merge`.
  void AddSelection(Block block, Id condition, Block merge, Name name);
  /// Replaces the OpBranch at the end of `from` with a conditional branch: if `condition` holds to
  /// the old successor, else to `to`. The caller updates phis in `to`.
  void AddEdge(Block from, Id condition, Block to);
  /// Redirects all edges `from` -> `old_target` to `new_target`. The caller updates phis.
  void RedirectEdge(Block from, Block old_target, Block new_target);
  /// Undoes a split: appends the only successor of `block` to `block`. The successor must have no
  /// other predecessor and no phis, and no header may name it; `block` must have no merge
  /// instruction. The OpBranch of `block` and the label of the successor are removed. Phis in later
  /// blocks are updated.
  void MergeBlocks(Block block);
  /// Lists `block` directly after `after`.
  void MoveBlockAfter(Block block, Block after);

  // --- blocks
  /// Makes an empty basic block (only a label), listed after `after`.
  Block AddBlockAfter(Block after, Name label);
  /// In the phis of `block`, changes inputs from `from` to inputs from `to`.
  void RedirectPhis(Block block, Id from, Id to);
  /// Adds an input to a phi.
  void AddPhiInput(Inst phi, Id value, Id predecessor);

  // --- declarations
  /// Finds an equal declaration, or makes one at the end of its section with a name computed from
  /// its content.
  Id Declare(spv::Op opcode, Id type, const Args& args);
  /// Makes a declaration with an identity of its own: an equal declaration is not used in its
  /// place, and it is not found by its content.
  Id DeclareDistinct(spv::Op opcode, Id type, Name name, const Args& args);
  /// Adds a global variable to the interface of each entry point that reaches `function`, if the
  /// version requires it (from SPIR-V 1.4 on: for all storage classes).
  void AddToInterfaces(Id variable, Function function);

  // --- functions
  /// Moves a basic block to the end of another function. The caller updates edges and uses.
  void MoveBlockTo(Function function, Block block);
  /// Lists a function directly after `after`; with Function::kNone first.
  void MoveFunctionAfter(Function function, Function after);
  /// Removes a function. Outside of it, only names and decorations may use it.
  void RemoveFunction(Function function);
  /// Changes the result type of an instruction that has one.
  void SetType(Inst inst, Id type) {
    Own(inst).type = type;
    Touch(inst);
  }

  // --- for the reader of binaries
  Inst Append(Block block, spv::Op opcode, Id type, Id result, Name name, const Args& args);
  Id NewId(uint32_t file_id);
  void SetHeader(uint32_t version, uint32_t generator, uint32_t schema, uint32_t bound);
  /// Makes the tables of an empty module large enough for this many instructions.
  void ExpectInstructions(size_t count);
  Function AddFunction();
  Block AddBlock(Function function);
  /// Sets the ids for names that steps will make, from a recording. Other new names get ids above
  /// these. An entry whose id is already in the module, or occurs twice, is ignored.
  void BindIds(std::vector<std::pair<Name, uint32_t>> entries);

 private:
  Instruction& Own(Inst inst) { return module_.instructions_.Mutable(Index(inst)); }
  BlockRecord& Own(Block block) { return module_.blocks_.Mutable(Index(block)); }
  FunctionRecord& Own(Function function) { return module_.functions_.Mutable(Index(function)); }
  Inst Create(spv::Op opcode, Id type, Id result, Name name, const Args& args);
  Id BindNewId(Name name);
  void Link(Inst inst, Block block, Inst before);
  void Unlink(Inst inst);
  void AddDeclaration(uint64_t hash, Inst inst);
  void AddGlobalVariable(Inst inst);
  void Renumber(Block block);
  void LinkUse(Use use, Id id);
  void UnlinkUse(Use use);
  void ReleaseOperands(Inst inst);
  void StoreOperands(Inst inst, const Args& args);
  void ReplaceOperands(Inst inst, const Args& args);
  void StoreOperand(Inst inst, uint32_t index, Arg arg);
  void ReplaceTerminator(Inst terminator, spv::Op opcode, const Args& args);
  void RemoveInstruction(Inst inst);
  void ListBlock(Block block, Function function, Block after);
  void UnlistBlock(Block block);
  void UnlistFunction(Function function);
  Block ListNewBlock(Block after, Name label);
  void DropFlow(Block block);
  ControlFlow* FlowToPatch(Block block);
  void PatchSuccessors(Block block);
  void RemoveAnnotations(Id id, Section section);
  void LeaveGroup(Inst group, Id target);
  void Touch(Inst inst) {
    if (module_.has_promises_) NoteTouched(inst);
  }
  void NoteTouched(Inst inst);
  void AddTouched(Function function);

  Module& module_;
  uint32_t step_;
  std::vector<Function> touched_;
};

/// The name of a declaration with this content, which must never change. Operands that are ids are
/// represented by the names of their definitions.
Name DeclarationName(const Module& module, spv::Op opcode, Id type, const Args& args);

}  // namespace ir
}  // namespace refract
