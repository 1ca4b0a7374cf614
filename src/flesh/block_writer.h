// SPDX-License-Identifier: Apache-2.0
// Instructions of a block, and how values get from one block to the next.
#pragma once

#include <cstdint>
#include <vector>

#include "flesh/emit.h"
#include "flesh/module_words.h"

namespace refract::flesh {

/// Appends to the function; what returns an id made the instruction that has it.
class BlockWriter {
 public:
  BlockWriter(ModuleWords* module, const Payload& payload) : module_(*module), payload_(payload) {}

  void DeclareArray();
  /// What kExchange and the like need to know of an invocation.
  void SetLocalIndex(uint32_t id, uint32_t workgroup) {
    local_index_ = id;
    workgroup_ = workgroup;
  }
  void BeginBlock() { loaded_.clear(); }
  uint32_t array() const { return array_; }
  void SetArray(uint32_t id) { array_ = id; }
  uint32_t local_index() const { return local_index_; }

  /// The operation on values; `result` is its id.
  void Operate(const Operation& operation, uint32_t a, uint32_t b, uint32_t result);
  uint32_t Hidden(uint32_t word);

  uint32_t Unary(spv::Op opcode, uint32_t a);
  uint32_t Binary(spv::Op opcode, uint32_t a, uint32_t b);
  uint32_t Compare(spv::Op opcode, uint32_t a, uint32_t b);
  uint32_t Load(uint32_t type, uint32_t pointer);
  void Store(uint32_t pointer, uint32_t value) {
    module_.function().Add(spv::Op::OpStore, {pointer, value});
  }
  uint32_t Extract(uint32_t type, uint32_t composite, uint32_t index);
  /// Of a block whose member is an array of uints.
  uint32_t ElementPointer(uint32_t block, uint32_t index,
                          spv::StorageClass storage = spv::StorageClass::StorageBuffer);
  uint32_t Element(uint32_t block, uint32_t index,
                   spv::StorageClass storage = spv::StorageClass::StorageBuffer);
  /// Of a uniform block of vectors of four, the word with that number.
  uint32_t WordOf(uint32_t block, uint32_t number);
  /// Green if the condition holds.
  uint32_t RedOrGreen(uint32_t condition);

 private:
  void Result(spv::Op opcode, uint32_t a, uint32_t b, uint32_t result) {
    module_.function().Add(opcode, {kUint, result, a, b});
  }
  uint32_t LocalPointer(uint32_t index);
  void Meet(Operator what, uint32_t value, uint32_t result);
  void Exchange(uint32_t value, uint32_t result);
  void Barrier();

  ModuleWords& module_;
  const Payload& payload_;
  uint32_t array_ = 0;
  uint32_t local_index_ = 0, workgroup_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> loaded_;  // hidden words that the block has: word, id
};

/// The carried values of a module that is being written, block by block.
class Carried {
 public:
  Carried(const Parts& parts, ModuleWords* module);

  /// In the entry block, before Begin.
  void Initialise(uint32_t carried, uint32_t value);
  /// Behind OpLabel; of the entry block behind Initialise.
  void Begin(uint32_t block);
  /// The value at the beginning of the block.
  uint32_t Read(uint32_t carried);
  void Assign(uint32_t carried, uint32_t value);
  /// The value as assigned.
  uint32_t ReadAgain(uint32_t carried);
  /// Where they lie, without phis.
  const std::vector<uint32_t>& variables() const { return variables_; }
  void SetVariables(std::vector<uint32_t> variables) { variables_ = std::move(variables); }
  /// The id that an operation of a block has.
  uint32_t Result(uint32_t block, uint32_t operation) const { return results_[block] + operation; }

 private:
  void FindPredecessors();
  uint32_t AtEnd(uint32_t block, uint32_t carried);
  uint32_t AtBegin(uint32_t block, uint32_t carried) const {
    return begin_[block * parts_.payload.carried + carried];
  }

  const Parts& parts_;
  ModuleWords& module_;
  std::vector<uint32_t> results_;  // of each block the id of the first operation
  std::vector<uint32_t> variables_;
  std::vector<uint32_t> now_, again_;              // ids in this block; 0: not read yet
  std::vector<uint32_t> begin_;                    // with phis: ids by block and value
  std::vector<uint32_t> predecessors_, first_of_;  // with phis
};

}  // namespace refract::flesh
