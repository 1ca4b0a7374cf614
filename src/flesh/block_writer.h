// SPDX-License-Identifier: Apache-2.0
// Writes the instructions of a block, and passes values from one block to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "flesh/emit.h"
#include "flesh/module_words.h"

namespace refract::flesh {

/// Appends instructions to the function. Functions that return an id return the result of a new
/// instruction.
class BlockWriter {
 public:
  BlockWriter(ModuleWords* module, const Payload& payload) : module_(*module), payload_(payload) {}

  /// Declares the local array of the program.
  void DeclareArray();
  /// Sets what kExchange and similar operators need to know about an invocation.
  void SetLocalIndex(uint32_t id, uint32_t workgroup) {
    local_index_ = id;
    workgroup_ = workgroup;
  }
  void BeginBlock() { loaded_.clear(); }
  uint32_t array() const { return array_; }
  void SetArray(uint32_t id) { array_ = id; }
  uint32_t local_index() const { return local_index_; }

  /// Writes the operation on the values `a` and `b` with the id `result`.
  void Operate(const Operation& operation, uint32_t a, uint32_t b, uint32_t result);
  /// Returns a hidden word, which the block loads once.
  uint32_t Hidden(uint32_t word);

  uint32_t Unary(spv::Op opcode, uint32_t a);
  uint32_t Binary(spv::Op opcode, uint32_t a, uint32_t b);
  uint32_t Compare(spv::Op opcode, uint32_t a, uint32_t b);
  uint32_t Load(uint32_t type, uint32_t pointer);
  void Store(uint32_t pointer, uint32_t value) {
    module_.function().Add(spv::Op::OpStore, {pointer, value});
  }
  uint32_t Extract(uint32_t type, uint32_t composite, uint32_t index);
  /// Returns a pointer to an element of a block whose member is an array of uints.
  uint32_t ElementPointer(uint32_t block, uint32_t index,
                          spv::StorageClass storage = spv::StorageClass::StorageBuffer);
  uint32_t Element(uint32_t block, uint32_t index,
                   spv::StorageClass storage = spv::StorageClass::StorageBuffer);
  /// Loads a word by its number from a uniform block of four-component vectors.
  uint32_t WordOf(uint32_t block, uint32_t number);
  /// Returns green if the condition is true, else red.
  uint32_t RedOrGreen(uint32_t condition);

 private:
  void Result(spv::Op opcode, uint32_t a, uint32_t b, uint32_t result) {
    module_.function().Add(opcode, {kUint, result, a, b});
  }
  uint32_t LocalPointer(uint32_t index);
  void AddGroupOperation(Operator what, uint32_t value, uint32_t result);
  void Exchange(uint32_t value, uint32_t result);
  void Barrier();

  ModuleWords& module_;
  const Payload& payload_;
  uint32_t array_ = 0;
  uint32_t local_index_ = 0, workgroup_ = 0;
  // Hidden words that this block has loaded: word, id.
  std::vector<std::pair<uint32_t, uint32_t>> loaded_;
};

/// The carried values of a module that is written block by block.
class CarriedValues {
 public:
  CarriedValues(const ProgramParts& parts, ModuleWords* module);

  /// Call it in the entry block, before Begin.
  void Initialise(uint32_t carried, uint32_t value);
  /// Call it after OpLabel, and in the entry block after Initialise.
  void Begin(uint32_t block);
  /// Returns the value at the beginning of the block.
  uint32_t Read(uint32_t carried);
  void Assign(uint32_t carried, uint32_t value);
  /// Returns the value after its assignment in this block.
  uint32_t ReadAssigned(uint32_t carried);
  /// The variables of the values, if they are not carried in phis.
  const std::vector<uint32_t>& variables() const { return variables_; }
  void SetVariables(std::vector<uint32_t> variables) { variables_ = std::move(variables); }
  /// Returns the id of an operation of a block.
  uint32_t Result(uint32_t block, uint32_t operation) const { return results_[block] + operation; }

 private:
  void FindPredecessors();
  uint32_t AtEnd(uint32_t block, uint32_t carried);
  uint32_t AtBegin(uint32_t block, uint32_t carried) const {
    return begin_[block * parts_.payload.carried + carried];
  }

  const ProgramParts& parts_;
  ModuleWords& module_;
  std::vector<uint32_t> results_;  // for each block, the id of the first operation
  std::vector<uint32_t> variables_;
  std::vector<uint32_t> now_, assigned_;           // ids in this block; 0: not read yet
  std::vector<uint32_t> begin_;                    // with phis: ids by block and value
  std::vector<uint32_t> predecessors_, first_of_;  // with phis
};

}  // namespace refract::flesh
