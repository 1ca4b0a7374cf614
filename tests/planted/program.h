// SPDX-License-Identifier: Apache-2.0
// The optimiser's representation of a module: plain vectors of instructions with the ids of the
// file, which a pass may change freely. Debug lines are dropped. Everything outside of functions is
// kept, except names and decorations of removed ids.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "ir/grammar/properties.h"
#include "ir/module.h"
#include "planted/bugs.h"

namespace refract::planted {

struct Operand {
  uint32_t word = 0;
  bool is_id = false;
  auto operator<=>(const Operand&) const = default;
};
inline Operand IdOperand(uint32_t id) {
  return {id, true};
}
inline Operand Literal(uint32_t word) {
  return {word, false};
}

struct Instruction {
  spv::Op op = spv::Op::OpNop;  ///< OpNop: a pass has removed it (Program::Sweep)
  uint32_t type = 0, result = 0;
  std::vector<Operand> in = {};  ///< without result type and result id
  uint32_t Id(size_t i) const { return in[i].word; }
  uint32_t Word(size_t i) const { return in[i].word; }
  void Remove() { *this = Instruction{}; }
};

struct Block {
  uint32_t label = 0;
  std::vector<Instruction> code = {};  ///< the last is the terminator
  Instruction& End() { return code.back(); }
  const Instruction& End() const { return code.back(); }
  /// OpSelectionMerge or OpLoopMerge; null if not found.
  Instruction* Merge();
  const Instruction* Merge() const { return const_cast<Block*>(this)->Merge(); }
};

struct Function {
  Instruction definition;
  std::vector<Instruction> parameters = {};
  std::vector<Block> blocks = {};
  uint32_t id() const { return definition.result; }
  size_t Size() const;
};

struct Program {
  uint32_t version = 0, generator = 0, schema = 0, bound = 1;
  std::vector<Instruction> head;         ///< capabilities to execution modes
  std::vector<Instruction> debug;        ///< strings and names
  std::vector<Instruction> annotations;  ///< decorations
  std::deque<Instruction> declarations;  ///< types, constants, variables; addresses are stable
  std::vector<Function> functions;
  std::vector<Instruction> trailer;
  Bugs bugs;

  uint32_t NewId() { return bound++; }
  bool HasCapability(spv::Capability capability) const;
  /// Finds or adds an OpConstant, OpConstantTrue or OpConstantFalse of this type, an OpUndef or
  /// another declaration without an identity of its own.
  uint32_t Declare(spv::Op op, uint32_t type, const std::vector<Operand>& in);
  uint32_t IntConstant(uint32_t type, uint32_t value) {
    return Declare(spv::Op::OpConstant, type, {Literal(value)});
  }
  uint32_t BoolConstant(uint32_t type, bool value) {
    return Declare(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, type, {});
  }
  uint32_t Undef(uint32_t type) { return Declare(spv::Op::OpUndef, type, {}); }
  /// The properties of the instruction from the tables of ir/grammar/properties.h.
  const Properties& PropertiesOf(const Instruction& instruction) const;
  /// Gives `copy` the decorations of `id`.
  void CopyDecorations(uint32_t id, uint32_t copy);
  /// Removes the instructions that passes have replaced by OpNop.
  void Sweep();

  std::map<uint32_t, ExtInstSet> imports;
  std::map<std::tuple<spv::Op, uint32_t, std::vector<Operand>>, uint32_t> declared;
};

/// The instruction that defines each id. Valid until a vector of instructions grows or shrinks.
class Definitions {
 public:
  explicit Definitions(Program& program);
  /// Null if nothing defines it, or a label does.
  Instruction* operator[](uint32_t id) const { return id < by_id_.size() ? by_id_[id] : nullptr; }
  void Add(Instruction* instruction);
  spv::Op Op(uint32_t id) const {
    return (*this)[id] == nullptr ? spv::Op::OpNop : (*this)[id]->op;
  }
  uint32_t TypeOf(uint32_t id) const { return (*this)[id] == nullptr ? 0 : (*this)[id]->type; }
  bool IsInt32(uint32_t type) const;
  /// The value of an OpConstant or OpConstantNull of a 32-bit int; false if it is none or
  /// specialised.
  bool IntValue(uint32_t id, uint32_t* value) const;
  /// The same for booleans.
  bool BoolValue(uint32_t id, bool* value) const;

 private:
  std::vector<Instruction*> by_id_;
};

/// Collects which id replaces which.
class Replacements {
 public:
  void Set(uint32_t id, uint32_t by) { by_[id] = by; }
  bool empty() const { return by_.empty(); }
  uint32_t Find(uint32_t id) const;
  /// Replaces them in all functions.
  void Apply(Program* program) const;

 private:
  std::map<uint32_t, uint32_t> by_;
};

/// Calls `visit(Instruction&)` for each instruction in blocks of the function.
template <class Visit>
void ForEachInstruction(Function& function, Visit visit) {
  for (Block& block : function.blocks) {
    for (Instruction& instruction : block.code) visit(instruction);
  }
}

/// Whether the optimiser supports the module: shaders with logical addresses.
bool IsUnderstood(const Program& program);

Result<Program> ReadProgram(std::span<const uint32_t> words, const std::string& file);
std::vector<uint32_t> WriteProgram(const Program& program);

/// The result of a comparison of two 32-bit ints; none if `op` is not such a comparison.
std::optional<bool> Compare(spv::Op op, uint32_t a, uint32_t b);

}  // namespace refract::planted
