// SPDX-License-Identifier: Apache-2.0
// The model of a SPIR-V module.
//
// WHAT A MODULE IS. A header (version, generator, bound) and instructions. Every instruction is in
// exactly one list, which is called a block here:
//   - a real basic block: from OpLabel to its terminator, in a function;
//   - a section: one list for each part of the logical layout (SPIR-V 2.4), see enum Section;
//   - the head of a function (OpFunction and its parameters) or its tail (OpFunctionEnd).
// Debug lines (OpLine, OpNoLine) are instructions like others. A debug line before an OpLabel,
// OpFunction or OpFunctionEnd belongs to the list of that instruction, so the first instruction of
// a basic block is not always its label: use Label(). If nothing was edited, writing the lists in
// order (sections, then functions, then the trailer) gives the file that was read, byte for byte.
//
// IDS. Inside a module, ids are dense numbers (Id). FileId gives the id in the file. Operands that
// are ids hold the dense number. Result type and result id are not operands: operand 0 is the first
// word after them. A literal of several words is several operands.
//
// NAMES. Every instruction has a permanent Name (base/name.h). Handles (Inst, Id, Block, ...) are
// valid in one module and its copies. Messages and files use names.
//
// USES. The operands that use an id form a list, which is always exact. Its order is unspecified,
// except that decorations of the id come last: finding them does not visit the thousands of uses
// that a constant may have. Result types are not in the list.
//
// ORDER. Instructions of a list have increasing order numbers with gaps, so Precedes() is one
// comparison. The blocks of a function are a list too.
//
// STORAGE. Flat vectors of plain records, whose pages are shared between copies (cow_vector.h).
// There are no pointers and no allocations for single instructions. Removed instructions and blocks
// keep their slot and are marked.
//
// EDITS. All reading is const; several threads may read one const module. All writing goes through
// Editor (editor.h), a friend. Analyses (control_flow.h) are made at their first use and kept for
// each function. The Editor's control-flow edits (split, diamond, new edge, ...) patch them; any
// other edit of the blocks or edges of a function discards the analyses of that function. Every
// edit discards analyses of the whole module (divergence.h).
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

namespace refract {
inline namespace ir {

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
  kTrailer,       ///< everything after the last function
  kCount = kTrailer,
};

struct Instruction {
  spv::Op opcode = spv::Op::OpNop;
  bool removed = false;
  uint32_t operand_count = 0;
  uint32_t first_operand = 0;  ///< index into the operand pool of Module
  Id type = Id::kNone;         ///< result type
  Id result = Id::kNone;
  Inst prev = Inst::kNone, next = Inst::kNone;
  Block block = Block::kNone;  ///< the list that contains it
  uint64_t order = 0;          ///< increases along the list
  Name name;
  /// The instruction from which a step made it, and without which it would not exist.
  Inst copy_of = Inst::kNone;
};

/// One operand word, and its position in the list of uses of its id.
struct Operand {
  uint32_t word = 0;  ///< the literal, or the dense id
  Inst user = Inst::kNone;
  Use next_use = Use::kNone, prev_use = Use::kNone;  ///< next_use is kLiteral for literals
  uint32_t step = 0;  ///< the step that put it there; steps that rely on this use depend on it
  static constexpr Use kLiteral = static_cast<Use>(0xffffffffu);
  bool is_id() const { return next_use != kLiteral; }
};

/// An operand for a new instruction: an id or a literal word.
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
  Use first_decoration = Use::kNone;  ///< in the list of uses; from there on, all are decorations
};

class Module {
 public:
  // --- header
  uint32_t version() const { return version_; }  ///< as in the file, e.g. 0x00010300
  uint32_t generator() const { return generator_; }
  uint32_t schema() const { return schema_; }        ///< the reserved header word
  uint32_t bound() const { return bound_; }          ///< all ids in the file are lower
  size_t word_count() const { return word_count_; }  ///< of the file that WriteModule would write

  // --- instructions
  const Instruction& operator[](Inst inst) const { return instructions_[Index(inst)]; }
  spv::Op Opcode(Inst inst) const { return (*this)[inst].opcode; }
  Id Type(Inst inst) const { return (*this)[inst].type; }
  Id Result(Inst inst) const { return (*this)[inst].result; }
  Inst Next(Inst inst) const { return (*this)[inst].next; }
  Inst Prev(Inst inst) const { return (*this)[inst].prev; }
  Block BlockOf(Inst inst) const { return (*this)[inst].block; }
  /// kNone for instructions of sections.
  Function FunctionOf(Inst inst) const { return blocks_[Index(BlockOf(inst))].function; }
  /// True if `a` comes before `b` in the same block.
  bool Precedes(Inst a, Inst b) const { return (*this)[a].order < (*this)[b].order; }
  /// One more than the largest index ever used, including removed instructions.
  size_t instruction_slots() const { return instructions_.size(); }
  /// Calls `visit(Inst)` for each instruction, including removed ones, that may differ from
  /// `earlier`, of which this module is an edited copy. It may visit others, and some twice.
  template <class Visit>
  void ForEachMaybeChanged(const Module& earlier, Visit visit) const {
    instructions_.ForEachUnshared(earlier.instructions_, [&](size_t i) {
      if (i != 0) visit(static_cast<Inst>(i));
    });
    operands_.ForEachUnshared(earlier.operands_, [&](size_t i) {
      if (operands_[i].user != Inst::kNone) visit(operands_[i].user);
    });
  }

  // --- operands (in-operands: without result type and result id; one for each word)
  uint32_t OperandCount(Inst inst) const { return (*this)[inst].operand_count; }
  const Operand& OperandAt(Inst inst, uint32_t index) const {
    return operands_[(*this)[inst].first_operand + index];
  }
  bool IsId(Inst inst, uint32_t index) const { return OperandAt(inst, index).is_id(); }
  uint32_t Word(Inst inst, uint32_t index) const { return OperandAt(inst, index).word; }
  Id IdAt(Inst inst, uint32_t index) const { return static_cast<Id>(Word(inst, index)); }

  // --- ids and uses
  const IdRecord& operator[](Id id) const { return ids_[Index(id)]; }
  /// kNone if the id is used but never defined, as in an incomplete module.
  Inst Definition(Id id) const { return (*this)[id].definition; }
  uint32_t FileId(Id id) const { return (*this)[id].file_id; }
  size_t id_slots() const { return ids_.size(); }
  Use FirstUse(Id id) const { return (*this)[id].first_use; }
  /// The position in the list of uses where decorations begin.
  Use FirstDecoration(Id id) const { return (*this)[id].first_decoration; }
  Use NextUse(Use use) const { return operands_[Index(use)].next_use; }
  Inst User(Use use) const { return operands_[Index(use)].user; }
  /// The index of this operand in User(use).
  uint32_t OperandIndex(Use use) const { return Index(use) - (*this)[User(use)].first_operand; }
  /// The type of the value of an id; kNone if it has none.
  Id TypeOf(Id id) const { return Type(Definition(id)); }
  spv::Op OpcodeOf(Id id) const { return Opcode(Definition(id)); }

  // --- blocks
  const BlockRecord& operator[](Block block) const { return blocks_[Index(block)]; }
  static Block SectionBlock(Section section) { return static_cast<Block>(section); }
  bool IsBasicBlock(Block block) const { return (*this)[block].label != Inst::kNone; }
  Inst Label(Block block) const { return (*this)[block].label; }
  Id LabelId(Block block) const { return Result(Label(block)); }
  /// The basic block that starts with this OpLabel; kNone if `label` is not a label.
  Block BlockOfLabel(Id label) const;
  Inst First(Block block) const { return (*this)[block].first; }
  Inst Last(Block block) const { return (*this)[block].last; }
  /// The terminator of a basic block. Debug lines never follow it.
  Inst Terminator(Block block) const { return Last(block); }
  /// The OpSelectionMerge or OpLoopMerge of a basic block; kNone if not found.
  Inst MergeInstruction(Block block) const;
  size_t block_slots() const { return blocks_.size(); }

  // --- functions
  const FunctionRecord& operator[](Function function) const { return functions_[Index(function)]; }
  Function first_function() const { return first_function_; }
  Function NextFunction(Function function) const { return (*this)[function].next; }
  Id FunctionId(Function function) const { return Result((*this)[function].definition); }
  /// The function that an OpFunction defines; kNone for other ids.
  Function FunctionOfId(Id id) const;
  size_t function_slots() const { return functions_.size(); }
  /// True if the control of some function may have Pure or Const (SPIR-V 3.24).
  bool has_promises() const { return has_promises_; }

  // --- names
  Name NameOf(Inst inst) const { return (*this)[inst].name; }
  Name NameOf(Id id) const { return NameOf(Definition(id)); }
  /// The instruction of this name; kNone if not found or it was removed.
  Inst Find(Name name) const;
  /// The result id of the instruction of this name; kNone if there is no such instruction or
  /// result.
  Id FindId(Name name) const;

  // --- declarations
  /// The type, constant or other declaration with exactly this content; if there are several, the
  /// one with the lowest name. Declarations with decorations are not found, except types that must
  /// be unique. `operands` has dense ids and literals.
  Id FindDeclaration(spv::Op opcode, Id type, const Args& operands) const;

  /// All variables that were ever added to the declarations, in that order; some may be removed.
  const std::vector<Inst>& global_variables() const { return *global_variables_; }

  /// The control-flow graph and the analyses based on it, made at the first call.
  const ControlFlow& Flow(Function function) const;
  /// True if the graph exists without being made now: edits have patched it and not discarded it.
  bool HasFlow(Function function) const { return flows_[Index(function)].is_made(); }
  /// The divergence analysis of the current module, made at the first call. The destructor of each
  /// Editor discards it, so it must not be called while an Editor exists.
  const DivergenceAnalysis& Divergence() const;

 private:
  friend class Editor;
  friend struct ModuleBreaker;  // tests of CheckConsistency

  static uint64_t NameHash(Name name) { return Mix(uint64_t{0}, name); }
  static uint64_t ContentHash(spv::Op opcode, Id type, const Args& operands);

  uint32_t version_ = 0, generator_ = 0, schema_ = 0, bound_ = 1;
  uint32_t next_file_id_ = 1;  // for ids that are not in the table
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
  // There are few, so a copy that adds one may copy all of them.
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

/// Calls `visit(Block)` for each basic block of the function, in order.
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

}  // namespace ir
}  // namespace refract
