// SPDX-License-Identifier: Apache-2.0
// Builds a module. Instructions can be appended to its sections in any order; Finish puts the
// sections in the order that SPIR-V requires. Types, constants and variables are made when they are
// first used.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "flesh/program.h"
#include "ir/words.h"

namespace refract::flesh {

/// Ids that every program has, below those of its blocks.
enum FixedId : uint32_t { kMain = 1, kVoid, kMainType, kBool, kUint, kFixedIds };
static_assert(kFixedIds <= kFirstLabel);

/// The bindings of set 0.
enum Binding : uint32_t {
  kTraceBinding = 0,       ///< storage: the recorded rows, one for each invocation
  kPathsBinding = 1,       ///< storage: for each invocation, the number of its path
  kDirectionsBinding = 2,  ///< storage: targets by path and position
  kBytesBinding = 3,       ///< uniform: the same as bytes
  kHiddenBinding = 4,      ///< uniform: hidden words
  kExpectedBinding = 5,    ///< uniform: hashes by path
};

class ModuleWords {
 public:
  ModuleWords(Stage stage, uint32_t blocks);

  uint32_t NewId() { return next_id_++; }
  uint32_t NewIds(uint32_t count) { return (next_id_ += count) - count; }
  static uint32_t Label(uint32_t block) { return kFirstLabel + block; }

  uint32_t Constant(uint32_t value);
  /// OpSpecConstantTrue or OpSpecConstantFalse with a SpecId.
  uint32_t SpecBool(bool value, uint32_t spec_id);
  uint32_t True();
  uint32_t SpecUint(uint32_t value, uint32_t spec_id);
  uint32_t Float();
  uint32_t FloatConstant(uint32_t bits);
  /// A vector of uints.
  uint32_t Vector(uint32_t components);
  uint32_t FloatVector();  ///< of four components
  uint32_t Pointer(spv::StorageClass storage_class, uint32_t type);
  /// An array of `count` uints, without a layout.
  uint32_t LocalArray(uint32_t count);
  /// The type of the local array of a program (payload.h).
  uint32_t ArrayType() {
    return array_type_ != 0 ? array_type_ : array_type_ = LocalArray(kLocalWords);
  }
  /// The type of a void function. All calls must have the same parameters.
  uint32_t FunctionType(std::span<const uint32_t> parameters);
  uint32_t Null(uint32_t type);

  /// Blocks with one member, an array: a storage buffer has a runtime array of uints, a uniform
  /// block `vectors` four-component vectors, and push constants `count` uints. The program writes
  /// only the trace.
  uint32_t StorageBuffer(Binding binding);
  uint32_t UniformBlock(Binding binding, uint32_t vectors);
  uint32_t PushConstants(uint32_t count);
  /// An Input variable of that built-in; Colour is the Output variable at location 0.
  uint32_t BuiltIn(spv::BuiltIn what, uint32_t type);
  uint32_t Colour();
  /// An array of `count` uints in workgroup memory.
  uint32_t Shared(uint32_t count);
  /// Adds a capability unless the module has it.
  void AddCapability(spv::Capability capability);

  /// Sets the size of the workgroup (compute).
  void SetWorkgroup(uint32_t x, uint32_t y, uint32_t z);

  Words& variables() { return variables_; }  ///< of the function; they begin its first block
  Words& function() { return function_; }    ///< begins with the OpLabel of the first block

  /// Returns the module.
  std::vector<uint32_t> Finish();

 private:
  uint32_t Cached(uint32_t* id, spv::Op opcode, std::initializer_list<uint32_t> operands);
  uint32_t Variable(spv::StorageClass storage_class, uint32_t type);
  void Decorate(uint32_t id, spv::Decoration decoration) {
    annotations_.Add(spv::Op::OpDecorate, {id, Word(decoration)});
  }
  void Decorate(uint32_t id, spv::Decoration decoration, uint32_t value) {
    annotations_.Add(spv::Op::OpDecorate, {id, Word(decoration), value});
  }
  uint32_t BlockType(uint32_t array);
  void DecorateBinding(uint32_t variable, Binding binding);

  const Stage stage_;
  const uint32_t blocks_;
  uint32_t next_id_;
  std::array<uint32_t, 3> workgroup_ = {1, 1, 1};
  Words annotations_, declarations_, variables_, function_;
  std::vector<uint32_t> interface_;
  std::vector<std::pair<spv::BuiltIn, uint32_t>> built_ins_;
  std::vector<std::pair<uint32_t, uint32_t>> constants_;  // a hash table of value and id; 0: free
  size_t constant_count_ = 0;
  struct PointerType {
    spv::StorageClass storage_class;
    uint32_t type, id;
  };
  std::vector<PointerType> pointers_;
  std::vector<spv::Capability> capabilities_ = {spv::Capability::Shader};
  std::array<uint32_t, 5> vectors_ = {};
  std::array<uint32_t, 6> buffers_ = {};  // by Binding
  uint32_t float_ = 0, float_vector_ = 0, storage_block_ = 0, push_ = 0, colour_ = 0, shared_ = 0,
           true_ = 0, array_type_ = 0, function_type_ = 0;
};

}  // namespace refract::flesh
