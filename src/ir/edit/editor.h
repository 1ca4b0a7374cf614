// SPDX-License-Identifier: Apache-2.0
// The only way to change a Module. Keeps uses, names, declarations, the word count and the cached
// control flow in step with every edit. It trusts its caller: whoever edits has checked first.
#pragma once

#include <memory>
#include <vector>

#include "ir/id_table.h"
#include "ir/module.h"

namespace refract::inline ir {

class Editor {
 public:
  /// Edits made through this editor belong to `step` of a recording (0: the original module).
  Editor(Module& module, uint32_t step) : module_(module), step_(step) {}
  ~Editor() {
    if (module_.divergence_.is_made()) module_.divergence_.Drop();
  }
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  const Module& module() const { return module_; }
  uint32_t step() const { return step_; }
  /// Functions in which this editor has made or changed what may make a promise untrue that their
  /// control, or that of a caller, makes (ir/purity.h). Nothing where no function promises
  /// anything.
  const std::vector<Function>& touched() const { return touched_; }
  /// The name of what this step makes in `role` for `parts` (names or numbers).
  template <class... Parts>
  Name Made(uint64_t role, const Parts&... parts) const {
    return Name{step_, RoleName(role, parts...)};
  }

  // --- instructions. `where` is what the new one will stand before.
  /// An instruction with result and type.
  Id InsertValue(Inst where, spv::Op opcode, Id type, Name name, const Args& args);
  /// An instruction without a result.
  Inst InsertPlain(Inst where, spv::Op opcode, Name name, const Args& args);
  /// The same at the end of a list.
  Id AppendValue(Block block, spv::Op opcode, Id type, Name name, const Args& args);
  Inst AppendPlain(Block block, spv::Op opcode, Name name, const Args& args);

  /// Unlinks an instruction whose result nobody uses, with its names and decorations.
  void Remove(Inst inst);
  /// Moves an instruction before `where`, in the same or another block. Not a label.
  void MoveBefore(Inst inst, Inst where);
  void SetOperand(Inst inst, uint32_t index, Arg arg);
  /// Of what was among the operands before, the step that put it there stays known.
  void SetOperands(Inst inst, const Args& args);
  void SetOpcode(Inst inst, spv::Op opcode) {
    Own(inst).opcode = opcode;
    Touch(inst);
  }
  /// Replaces opcode and operands of a terminator in place: it keeps its name, the block's end.
  void SetTerminator(Block block, spv::Op opcode, const Args& args);
  /// Says that `made` is there because `original` was.
  void MarkMadeOf(Inst made, Inst original) { Own(made).copy_of = original; }
  /// Says that `copy` was made because `original` was there, and each operand because its operand
  /// was (where they have as many).
  void MarkCopy(Inst copy, Inst original);
  /// Parts an instruction from its value: it goes on under the name `name` with a new result id,
  /// which is returned, and takes its decorations along. The old name, id and all uses are left for
  /// an instruction that yields the value from now on: YieldAs.
  Id Displace(Inst inst, Name name);
  /// The instruction that yields a displaced value, put before `where`.
  void YieldAs(Inst where, Id displaced, Name name, spv::Op opcode, Id type, const Args& args);
  /// Takes all decorations from an id.
  void RemoveDecorations(Id id);
  /// Copies decorations that bear on the value (NoContraction, RelaxedPrecision) from one id to
  /// another.
  void CopyValueDecorations(Id from, Id to);

  // --- shapes. These and SetTerminator patch the control-flow graph and all that is derived from
  // it; other edits of edges drop it, and the next question makes it anew.
  /// Everything from `first` on moves to a new block listed after; the old one ends with an
  /// OpBranch to it. Phis in successors follow. Returns the new block.
  Block SplitBlock(Inst first, Name label, Name branch);
  /// Names of what AddDiamond makes.
  struct DiamondNames {
    Name label, branch;  ///< of the new block
    Name merge;          ///< the OpSelectionMerge
  };
  /// The OpBranch at the end of `block`, which is no header, to a block with no other predecessor,
  /// which no header names, becomes a selection: if `condition` directly to the old successor, the
  /// merge block, else over a new block with nothing but an OpBranch to there, listed after
  /// `block`. Phis there get for the new edge the input they had. Returns the new block.
  Block AddDiamond(Block block, Id condition, const DiamondNames& names);
  /// The OpBranch at the end of `block`, which is no header, becomes a selection: if `condition` to
  /// the old successor, else to `merge`, its merge block. Phis there are the caller's.
  void AddSelection(Block block, Id condition, Block merge, Name name);
  /// The OpBranch at the end of `from` becomes conditional: if `condition` to the old successor,
  /// else to `to`. Phis there are the caller's.
  void AddEdge(Block from, Id condition, Block to);
  /// All edges `from` -> `old_target` go to `new_target` instead. Phis are the caller's.
  void RedirectEdge(Block from, Block old_target, Block new_target);
  /// Undoes a split: the one successor of `block`, whose one predecessor it is, which no header
  /// names (any more) and which has no phis, is appended to `block`, which has no merge instruction
  /// (any more) and whose OpBranch goes, with the successor's label. Phis behind follow.
  void MergeBlocks(Block block);
  /// Lists `block` directly after `after`.
  void MoveBlockAfter(Block block, Block after);

  // --- blocks
  /// A new, empty basic block (its label only) listed after `after`.
  Block AddBlockAfter(Block after, Name label);
  /// In the phis of `block`: inputs from `from` become inputs from `to`.
  void RedirectPhis(Block block, Id from, Id to);
  /// Adds an input to a phi.
  void AddPhiInput(Inst phi, Id value, Id predecessor);

  // --- declarations
  /// An equal declaration, or a new one at the end of its section named by its content.
  Id Declare(spv::Op opcode, Id type, const Args& args);
  /// A declaration with an identity of its own: no equal one serves for it, and it is not found
  /// where one of its content is wanted.
  Id DeclareDistinct(spv::Op opcode, Id type, Name name, const Args& args);
  /// Adds a global variable to the interface of each entry point that reaches `function`, where the
  /// version wants it there (SPIR-V 1.4 on: all storage classes).
  void AddToInterfaces(Id variable, Function function);

  // --- functions
  /// Lists a basic block last in another function. Edges and uses are the caller's.
  void MoveBlockTo(Function function, Block block);
  /// Lists a function directly after another; with none: first.
  void MoveFunctionAfter(Function function, Function after);
  /// Removes a function, which nothing outside of it uses but names and decorations.
  void RemoveFunction(Function function);
  /// Gives an instruction that has a result type another one.
  void SetType(Inst inst, Id type) {
    Own(inst).type = type;
    Touch(inst);
  }

  // --- for the reader
  Inst Append(Block block, spv::Op opcode, Id type, Id result, Name name, const Args& args);
  Id NewId(uint32_t file_id);
  void SetHeader(uint32_t version, uint32_t generator, uint32_t schema, uint32_t bound);
  Function AddFunction();
  Block AddBlock(Function function);
  /// File ids for names to come, from a recording; names it does not know are numbered above them.
  /// An id that the module has, or that stands twice, is left out.
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

/// The name a declaration with this content gets; stable for ever. Operands that are ids count by
/// the names of what they mean.
Name DeclarationName(const Module& module, spv::Op opcode, Id type, const Args& args);

}  // namespace refract::inline ir
