// SPDX-License-Identifier: Apache-2.0
// Builds the module of a generated program. Types, constants and variables are made when they are
// first used.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "generate/options.h"
#include "generate/tree.h"
#include "ir/words.h"

namespace refract::generate {

/// The bindings of set 0.
enum Binding : uint32_t {
  kOutputBinding = 0,   ///< storage: the words that a compute shader writes
  kUniformBinding = 1,  ///< uniform: words that are the same in all invocations
  kInputBinding = 2,    ///< storage: a row of words for each invocation
  kTexelBinding = 6,    ///< storage images, one after the other: texels that invocations own
  kImageBinding = 3,    ///< sampled images of ints; then those of uints and of floats
};

class ModuleWriter {
 public:
  explicit ModuleWriter(const GenerateOptions& options);

  uint32_t NewId() { return next_id_++; }
  uint32_t main() const { return main_; }

  uint32_t Void();
  uint32_t TypeId(Type type);
  uint32_t Array(uint32_t element, uint32_t length);
  uint32_t Matrix(Type column, uint32_t columns);
  uint32_t Struct(std::span<const uint32_t> members);
  /// The type of the whole variable.
  uint32_t VariableType(const Variable& variable);
  uint32_t Pointer(spv::StorageClass storage, uint32_t type);
  uint32_t FunctionType(uint32_t result, std::span<const uint32_t> parameters);

  uint32_t Uint(uint32_t value) { return Constant({Scalar::kUint, 1}, value); }
  /// A constant with these bits for each component, which are all given or one for all.
  uint32_t Constant(Type type, std::span<const uint64_t> bits);
  uint32_t Constant(Type type, uint64_t bits) { return Constant(type, {&bits, 1}); }
  /// The type must have the value exactly.
  uint32_t FloatConstant(Type type, double value);

  /// The specialisation constant with that number, which is its SpecId.
  uint32_t SpecConstant(uint32_t number);
  /// An operation on a specialisation constant and a constant.
  uint32_t SpecOperation(spv::Op op, Type type, uint32_t specialised, uint32_t constant);
  bool HasSpecConstant(uint32_t number) const { return specialised_[number] != 0; }

  /// A variable of the module. Every call makes another one.
  uint32_t Global(spv::StorageClass storage, uint32_t type);
  uint32_t StorageBuffer(Binding binding);
  uint32_t UniformBlock();
  /// The image of ints, uints or floats, with a sampler.
  uint32_t Image(Scalar scalar);
  uint32_t ImageType(Scalar scalar);
  uint32_t SampledImageType(Scalar scalar);
  /// The type of a storage image whose texels have that type. With StorageImage, a new variable.
  uint32_t StorageImageType(Type texel);
  uint32_t StorageImage(Type texel);
  /// The texels of all storage images, in the order of their bindings.
  const std::vector<Type>& storage_images() const { return storage_images_; }
  static Binding BindingOfImage(Scalar scalar) {
    return static_cast<Binding>(kImageBinding + static_cast<uint32_t>(scalar) -
                                static_cast<uint32_t>(Scalar::kInt));
  }
  /// An Input variable with that built-in.
  uint32_t BuiltIn(spv::BuiltIn what, Type type);
  uint32_t Colour();
  uint32_t Corner();        ///< vertex: the attribute, its position
  uint32_t Position();      ///< vertex: where its position goes
  uint32_t Shared();        ///< workgroup memory: a word for each invocation
  uint32_t SharedWord();    ///< workgroup memory: one word for atomics
  uint32_t Instructions();  ///< GLSL.std.450
  /// Whether the module has the buffer or block.
  bool Has(Binding binding) const { return buffers_[binding] != 0; }
  void AddCapability(spv::Capability capability);

  Words& functions() { return functions_; }
  std::vector<uint32_t> Finish();

 private:
  // The words of a scalar constant.
  static std::vector<uint32_t> Literal(Type type, uint64_t bits);
  // Declares a type or a constant, unless there is an equal one. `typed` is the result type, or 0.
  uint32_t Declare(spv::Op op, uint32_t typed, std::span<const uint32_t> operands);
  uint32_t Declare(spv::Op op, uint32_t typed, std::initializer_list<uint32_t> operands) {
    return Declare(op, typed, std::span(operands.begin(), operands.size()));
  }
  void Decorate(uint32_t id, spv::Decoration decoration) {
    annotations_.Add(spv::Op::OpDecorate, {id, Word(decoration)});
  }
  void Decorate(uint32_t id, spv::Decoration decoration, uint32_t value) {
    annotations_.Add(spv::Op::OpDecorate, {id, Word(decoration), value});
  }
  // A variable of four floats that another stage reads or wrote.
  uint32_t Interface(spv::StorageClass storage, spv::Decoration decoration, uint32_t value);
  uint32_t BlockOf(uint32_t array, uint32_t stride);
  void Bind(uint32_t variable, Binding binding);

  const GenerateOptions& options_;
  uint32_t next_id_ = 1;
  const uint32_t main_;
  Words annotations_, declarations_, functions_;
  struct Declaration {
    uint64_t hash = 0;
    uint32_t at = 0, id = 0;  // in declarations_; id 0: free
  };
  std::vector<Declaration> table_;
  size_t declared_ = 0;
  std::vector<spv::Capability> capabilities_ = {spv::Capability::Shader};
  std::vector<uint32_t> interface_;
  std::vector<Type> storage_images_;
  std::vector<std::pair<spv::BuiltIn, uint32_t>> built_ins_;
  std::array<uint32_t, kTypes> types_ = {};
  std::array<uint32_t, kSpecConstants> specialised_ = {};
  std::array<uint32_t, 6> buffers_ = {};  // by Binding
  uint32_t storage_block_ = 0, colour_ = 0, corner_ = 0, position_ = 0, shared_ = 0,
           shared_word_ = 0, instructions_ = 0;
};

}  // namespace refract::generate
