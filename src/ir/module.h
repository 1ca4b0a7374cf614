// SPDX-License-Identifier: Apache-2.0
// The whole model of a SPIR-V module.
//
// WHAT A MODULE IS. A header (version, generator, bound) and instructions. Every instruction lives
// in exactly one list, called a block here:
//   - a basic block proper: from OpLabel to its terminator, in a function;
//   - a section: one list for each part of the logical layout (SPIR-V 2.4), see enum Section;
//   - a function's head (OpFunction and its parameters) and tail (OpFunctionEnd).
// Debug lines (OpLine, OpNoLine) are instructions like others. One that stands before an OpLabel,
// OpFunction or OpFunctionEnd belongs to the list of that instruction, so the first instruction of
// a basic block is not always its label: ask Label().
// Written out in order (sections, then functions, then the trailer) the lists give the file back,
// byte for byte, when nothing was edited.
//
// IDS. Inside, ids are dense numbers (Id); what the file calls them is a field (FileId). Operands
// that are ids hold the dense number. Result type and result id are not operands here: operand 0 is
// the first word after them. A literal of several words is several operands.
//
// NAMES. Every instruction has a permanent Name (base/name.h). Handles (Inst, Id, Block, ...) are
// for one module and its copies; names are for messages and files.
//
// USES. The operands that use an id form a list: exact at all times, in no promised order, but that
// decorations of it come last: so who asks for those does not visit the thousands of uses that a
// constant may have. Result types are not in it.
//
// ORDER. Instructions of one list are ordered by order numbers with gaps, so Precedes() is a
// comparison. Blocks of a function are a list too.
//
// STORAGE. Flat vectors of plain records, pages shared between copies (cow_vector.h). No pointers,
// no allocation per instruction. Removed instructions and blocks keep their slot, marked.
//
// WHO MAY CHANGE WHAT. Reading is free and const; several threads may read one const module. All
// writing goes through Editor (editor.h), a friend. Analyses (control_flow.h) are made when first
// asked for and kept per function. Editor's shapes (split, diamond, new edge, ...) patch them; any
// other edit of a function's blocks or edges drops that function's. What is said of the module as a
// whole (divergence.h) is dropped by any edit.
#pragma once

#include <cstdint>
#include <memory>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "base/name.h"
#include "ir/control_flow.h"
#include "ir/cow_index.h"
#include "ir/cow_vector.h"
#include "ir/divergence/divergence.h"
#include "ir/handles.h"
#include "ir/lazy_shared.h"

namespace refract::inline ir {

class Editor;
class IdTable;

/// The parts of the logical layout of a module before and after its functions (SPIR-V 2.4).
enum class Section : uint32_t {
  kCapabilities = 1,
  kExtensions,
  kImports,
  kMemoryModel,
  kEntryPoints,
  kExecutionModes,
  kDebug,  ///< strings, sources, names, module-processed
  kAnnotations,
  kDeclarations,  ///< types, constants, global variables
  kTrailer,       ///< whatever stands after the last function
  kCount = kTrailer,
};

struct Instruction {
  spv::Op opcode = spv::Op::OpNop;
  bool removed = false;
  uint32_t operand_count = 0;
  uint32_t first_operand = 0;  ///< in Module's operand pool
  Id type = Id::kNone;         ///< result type
  Id result = Id::kNone;
  Inst prev = Inst::kNone, next = Inst::kNone;
  Block block = Block::kNone;  ///< the list it is in
  uint64_t order = 0;          ///< grows along the list
  Name name;
  Inst copy_of = Inst::kNone;  ///< what a step made it from: without that it would not be
};

/// One operand word, and its place in the list of uses of its id.
struct Operand {
  uint32_t word = 0;  ///< the literal, or the dense id
  Inst user = Inst::kNone;
  Use next_use = Use::kNone, prev_use = Use::kNone;  ///< next_use is kLiteral for literals
  uint32_t step = 0;  ///< which put it there: what a step that counts on this use rests on
  static constexpr Use kLiteral = static_cast<Use>(0xffffffffu);
  bool is_id() const { return next_use != kLiteral; }
};

/// An operand to be made: an id or a literal word.
struct Arg {
  uint32_t word = 0;
  bool is_id = false;
  Arg(Id id) : word(Index(id)), is_id(true) {}  // NOLINT(google-explicit-constructor)
  Arg(uint32_t literal) : word(literal) {}      // NOLINT(google-explicit-constructor)
};
using Args = std::vector<Arg>;

struct BlockRecord {
  Inst first = Inst::kNone, last = Inst::kNone;
  Inst label = Inst::kNone;                        ///< none for sections, heads and tails
  Function function = Function::kNone;             ///< none for sections
  Block prev = Block::kNone, next = Block::kNone;  ///< among the function's basic blocks
};

struct FunctionRecord {
  Inst definition = Inst::kNone;  ///< the OpFunction
  Block head = Block::kNone, tail = Block::kNone;
  Block first = Block::kNone, last = Block::kNone;  ///< basic blocks; none for a declaration
  Function prev = Function::kNone, next = Function::kNone;
};

struct IdRecord {
  Inst definition = Inst::kNone;
  uint32_t file_id = 0;
  Use first_use = Use::kNone;
  Use first_decoration = Use::kNone;  ///< in the list of uses; nothing but decorations from there
};

class Module {
 public:
  // --- header
  uint32_t version() const { return version_; }  ///< as in the file, e.g. 0x00010300
  uint32_t generator() const { return generator_; }
  uint32_t schema() const { return schema_; }        ///< the reserved header word
  uint32_t bound() const { return bound_; }          ///< file ids are below
  size_t word_count() const { return word_count_; }  ///< of the file it would be written to

  // --- instructions
  const Instruction& operator[](Inst inst) const { return instructions_[Index(inst)]; }
  spv::Op Opcode(Inst inst) const { return (*this)[inst].opcode; }
  Id Type(Inst inst) const { return (*this)[inst].type; }
  Id Result(Inst inst) const { return (*this)[inst].result; }
  Inst Next(Inst inst) const { return (*this)[inst].next; }
  Inst Prev(Inst inst) const { return (*this)[inst].prev; }
  Block BlockOf(Inst inst) const { return (*this)[inst].block; }
  /// None for instructions of sections.
  Function FunctionOf(Inst inst) const { return blocks_[Index(BlockOf(inst))].function; }
  /// Whether `a` stands before `b`, both in one block.
  bool Precedes(Inst a, Inst b) const { return (*this)[a].order < (*this)[b].order; }
  /// One more than the largest index ever used; instructions may be removed.
  size_t instruction_slots() const { return instructions_.size(); }
  /// Calls `visit(Inst)` for each instruction, removed ones too, that may not be as it is in
  /// `earlier`, from which this module was copied and edited; for some more, and some twice.
  template <class Visit>
  void ForEachMaybeChanged(const Module& earlier, Visit visit) const {
    instructions_.ForEachUnshared(earlier.instructions_, [&](size_t i) {
      if (i != 0) visit(static_cast<Inst>(i));
    });
    operands_.ForEachUnshared(earlier.operands_, [&](size_t i) {
      if (operands_[i].user != Inst::kNone) visit(operands_[i].user);
    });
  }

  // --- operands (in-operands: without result type and result id; one per word)
  uint32_t OperandCount(Inst inst) const { return (*this)[inst].operand_count; }
  const Operand& OperandAt(Inst inst, uint32_t index) const {
    return operands_[(*this)[inst].first_operand + index];
  }
  bool IsId(Inst inst, uint32_t index) const { return OperandAt(inst, index).is_id(); }
  uint32_t Word(Inst inst, uint32_t index) const { return OperandAt(inst, index).word; }
  Id IdAt(Inst inst, uint32_t index) const { return static_cast<Id>(Word(inst, index)); }

  // --- ids and uses
  const IdRecord& operator[](Id id) const { return ids_[Index(id)]; }
  /// None if the id is used but never defined (it may be so in a module not yet complete).
  Inst Definition(Id id) const { return (*this)[id].definition; }
  uint32_t FileId(Id id) const { return (*this)[id].file_id; }
  size_t id_slots() const { return ids_.size(); }
  Use FirstUse(Id id) const { return (*this)[id].first_use; }
  /// Where in the list of uses the operands of decorations begin.
  Use FirstDecoration(Id id) const { return (*this)[id].first_decoration; }
  Use NextUse(Use use) const { return operands_[Index(use)].next_use; }
  Inst User(Use use) const { return operands_[Index(use)].user; }
  /// Which operand of User(use) it is.
  uint32_t OperandIndex(Use use) const { return Index(use) - (*this)[User(use)].first_operand; }
  /// Type of the value of an id; none if it has none.
  Id TypeOf(Id id) const { return Type(Definition(id)); }
  spv::Op OpcodeOf(Id id) const { return Opcode(Definition(id)); }

  // --- blocks
  const BlockRecord& operator[](Block block) const { return blocks_[Index(block)]; }
  static Block SectionBlock(Section section) { return static_cast<Block>(section); }
  bool IsBasicBlock(Block block) const { return (*this)[block].label != Inst::kNone; }
  Inst Label(Block block) const { return (*this)[block].label; }
  Id LabelId(Block block) const { return Result(Label(block)); }
  /// The basic block an OpLabel starts; none if `label` is no label.
  Block BlockOfLabel(Id label) const;
  Inst First(Block block) const { return (*this)[block].first; }
  Inst Last(Block block) const { return (*this)[block].last; }
  /// The terminator of a basic block. Debug lines never follow it.
  Inst Terminator(Block block) const { return Last(block); }
  /// OpSelectionMerge or OpLoopMerge of a basic block; none.
  Inst MergeInstruction(Block block) const;
  size_t block_slots() const { return blocks_.size(); }

  // --- functions
  const FunctionRecord& operator[](Function function) const { return functions_[Index(function)]; }
  Function first_function() const { return first_function_; }
  Function NextFunction(Function function) const { return (*this)[function].next; }
  Id FunctionId(Function function) const { return Result((*this)[function].definition); }
  /// The function an OpFunction defines; none for other ids.
  Function FunctionOfId(Id id) const;
  size_t function_slots() const { return functions_.size(); }
  /// Whether some function may be promised to be Pure or Const (SPIR-V 3.24).
  bool has_promises() const { return has_promises_; }

  // --- names
  Name NameOf(Inst inst) const { return (*this)[inst].name; }
  Name NameOf(Id id) const { return NameOf(Definition(id)); }
  /// The instruction of that name; none if there is none or it was removed.
  Inst Find(Name name) const;
  /// The result id of the instruction of that name; none if there is none or it has no result.
  Id FindId(Name name) const;

  // --- declarations
  /// The type, constant or other declaration with exactly this content; of several the one with the
  /// lowest name; never one that carries decorations, but for types that cannot stand twice.
  /// `operands` as dense ids and literals.
  Id FindDeclaration(spv::Op opcode, Id type, const Args& operands) const;

  /// The variables among the declarations that were ever added, in that order; some may be removed.
  const std::vector<Inst>& global_variables() const { return *global_variables_; }

  /// The control-flow graph and everything derived from it; made when first asked for.
  const ControlFlow& Flow(Function function) const;
  /// Whether it is there without being made: edits have patched it, not dropped it.
  bool HasFlow(Function function) const { return flows_[Index(function)].is_made(); }
  /// Who agrees on which value, and on entering which block; made when first asked for, for the
  /// module as it is: every Editor drops it when it goes, and nobody asks while there is one.
  const DivergenceAnalysis& Divergence() const;

 private:
  friend class Editor;
  friend struct ModuleBreaker;  // tests of CheckConsistency

  static uint64_t NameHash(Name name) { return Mix(uint64_t{0}, name); }
  static uint64_t ContentHash(spv::Op opcode, Id type, const Args& operands);

  uint32_t version_ = 0, generator_ = 0, schema_ = 0, bound_ = 1;
  uint32_t next_file_id_ = 1;  // for ids the table does not know
  std::shared_ptr<const IdTable> id_table_;
  size_t word_count_ = 0;
  bool has_promises_ = false;
  CowVector<Instruction> instructions_;
  CowVector<Operand> operands_;
  CowVector<IdRecord> ids_;
  CowVector<BlockRecord> blocks_;
  CowVector<FunctionRecord> functions_;
  Function first_function_ = Function::kNone, last_function_ = Function::kNone;
  CowIndex names_;
  CowIndex declarations_;
  // Few, so that a copy that adds one can have its own.
  std::shared_ptr<std::vector<Inst>> global_variables_ = std::make_shared<std::vector<Inst>>();
  mutable std::vector<LazyShared<ControlFlow>> flows_;  // by function
  mutable LazyShared<DivergenceAnalysis> divergence_;
};

/// Calls `visit(Inst)` for each instruction of the list, in order.
template <class Visit>
void ForEachInstruction(const Module& module, Block block, Visit visit) {
  for (Inst inst = module.First(block); inst != Inst::kNone; inst = module.Next(inst)) visit(inst);
}

/// Calls `visit(Inst)` for each variable among the declarations.
template <class Visit>
void ForEachGlobalVariable(const Module& module, Visit visit) {
  for (Inst inst : module.global_variables()) {
    if (!module[inst].removed) visit(inst);
  }
}

/// Calls `visit(Block)` for each basic block of the function, in the order they are listed.
template <class Visit>
void ForEachBlock(const Module& module, Function function, Visit visit) {
  for (Block block = module[function].first; block != Block::kNone; block = module[block].next) {
    visit(block);
  }
}

/// Calls `visit(Function)` for each function, in order.
template <class Visit>
void ForEachFunction(const Module& module, Visit visit) {
  for (Function f = module.first_function(); f != Function::kNone; f = module.NextFunction(f)) {
    visit(f);
  }
}

/// Calls `visit(Use)` for each use of `id`. The visitor must not edit.
template <class Visit>
void ForEachUse(const Module& module, Id id, Visit visit) {
  for (Use use = module.FirstUse(id); use != Use::kNone; use = module.NextUse(use)) visit(use);
}

}  // namespace refract::inline ir
