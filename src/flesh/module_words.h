// SPDX-License-Identifier: Apache-2.0
// A module being written: sections, in the order that SPIR-V has them, to which instructions are
// appended in any order; types, constants and variables that are made when they are first asked
// for.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "flesh/program.h"

namespace refract::flesh {

/// A run of instructions.
struct Words {
  std::vector<uint32_t> words;

  void Begin(spv::Op opcode, size_t operands) {
    words.push_back(static_cast<uint32_t>(operands + 1) << 16 | static_cast<uint32_t>(opcode));
  }
  void Add(spv::Op opcode, std::initializer_list<uint32_t> operands) {
    Begin(opcode, operands.size());
    for (const uint32_t operand : operands) words.push_back(operand);  // faster than insert
  }
};

template <class Enum>
constexpr uint32_t Word(Enum value) {
  return static_cast<uint32_t>(value);
}

/// Ids that every program has, below those of its blocks.
enum FixedId : uint32_t { kMain = 1, kVoid, kMainType, kBool, kUint, kFixedIds };
static_assert(kFixedIds <= kFirstLabel);

/// What lies at which binding of set 0.
enum Binding : uint32_t {
  kTraceBinding = 0,       ///< storage: what is recorded, a row for each invocation
  kWalksBinding = 1,       ///< storage: of each invocation the number of its walk
  kDirectionsBinding = 2,  ///< storage: targets by walk and position
  kBytesBinding = 3,       ///< uniform: the same, a byte each
  kHiddenBinding = 4,      ///< uniform: hidden words
  kExpectedBinding = 5,    ///< uniform: hashes by walk
};

class ModuleWords {
 public:
  ModuleWords(Stage stage, uint32_t blocks);

  uint32_t NewId() { return next_id_++; }
  uint32_t NewIds(uint32_t count) { return (next_id_ += count) - count; }
  static uint32_t Label(uint32_t block) { return kFirstLabel + block; }

  uint32_t Constant(uint32_t value);
  /// OpConstantTrue or OpConstantFalse with a SpecId.
  uint32_t SpecBool(bool value, uint32_t spec_id);
  uint32_t True();
  uint32_t SpecUint(uint32_t value, uint32_t spec_id);
  uint32_t Float();
  uint32_t FloatConstant(uint32_t bits);
  /// Of uints.
  uint32_t Vector(uint32_t components);
  uint32_t FloatVector();  ///< of four
  uint32_t Pointer(spv::StorageClass storage_class, uint32_t type);
  /// An array of `count` uints, without a layout.
  uint32_t LocalArray(uint32_t count);
  /// The local array of a program (payload.h).
  uint32_t ArrayType() {
    return array_type_ != 0 ? array_type_ : array_type_ = LocalArray(kLocalWords);
  }
  /// Of a function that gives nothing back; of the same parameters always.
  uint32_t FunctionType(std::span<const uint32_t> parameters);
  uint32_t Null(uint32_t type);

  /// A block with one member, an array: of a storage buffer uints, in a runtime array; of a uniform
  /// block `count` vectors of four; of push constants `count` uints. Only the trace is written.
  uint32_t StorageBuffer(Binding binding);
  uint32_t UniformBlock(Binding binding, uint32_t vectors);
  uint32_t PushConstants(uint32_t count);
  /// An Input of that built-in, or the Output at location 0.
  uint32_t BuiltIn(spv::BuiltIn what, uint32_t type);
  uint32_t Colour();
  /// An array of `count` uints in workgroup memory.
  uint32_t Shared(uint32_t count);
  /// Adds a capability, once.
  void Need(spv::Capability capability);

  /// Sizes of the workgroup (compute).
  void SetWorkgroup(uint32_t x, uint32_t y, uint32_t z);

  Words& variables() { return variables_; }  ///< of the function: they open its first block
  Words& function() { return function_; }    ///< from the first block's OpLabel on

  /// The module. `entry` is what of function() comes before the variables: the first OpLabel.
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
  void Place(uint32_t variable, Binding binding);

  const Stage stage_;
  const uint32_t blocks_;
  uint32_t next_id_;
  std::array<uint32_t, 3> workgroup_ = {1, 1, 1};
  Words annotations_, declarations_, variables_, function_;
  std::vector<uint32_t> interface_;
  std::vector<std::pair<spv::BuiltIn, uint32_t>> built_ins_;
  std::vector<std::pair<uint32_t, uint32_t>> constants_;  // a hash table: value, id; 0: free
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
