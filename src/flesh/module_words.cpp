// SPDX-License-Identifier: Apache-2.0
#include "flesh/module_words.h"

#include <algorithm>

#include "ir/tools.h"

namespace refract::flesh {
namespace {

using spv::Decoration;
using spv::Op;
using spv::StorageClass;

}  // namespace

ModuleWords::ModuleWords(Stage stage, uint32_t blocks)
    : stage_(stage), blocks_(blocks), next_id_(kFirstLabel + blocks), constants_(128) {
  annotations_.words.reserve(128);
  declarations_.words.reserve(512);
  function_.words.reserve(blocks * 128);
  declarations_.Add(Op::OpTypeVoid, {kVoid});
  declarations_.Add(Op::OpTypeFunction, {kMainType, kVoid});
  declarations_.Add(Op::OpTypeBool, {kBool});
  declarations_.Add(Op::OpTypeInt, {kUint, 32, 0});
}

uint32_t ModuleWords::Constant(uint32_t value) {
  if (2 * constant_count_ >= constants_.size()) {
    std::vector<std::pair<uint32_t, uint32_t>> old(2 * constants_.size());
    std::swap(old, constants_);
    for (const auto& [known, id] : old) {
      if (id == 0) continue;
      size_t at = known * 0x9e3779b1u % constants_.size();
      while (constants_[at].second != 0) at = (at + 1) % constants_.size();
      constants_[at] = {known, id};
    }
  }
  size_t at = value * 0x9e3779b1u % constants_.size();
  for (; constants_[at].second != 0; at = (at + 1) % constants_.size()) {
    if (constants_[at].first == value) return constants_[at].second;
  }
  const uint32_t id = NewId();
  constants_[at] = {value, id};
  ++constant_count_;
  declarations_.Add(Op::OpConstant, {kUint, id, value});
  return id;
}

uint32_t ModuleWords::SpecBool(bool value, uint32_t spec_id) {
  const uint32_t id = NewId();
  Decorate(id, Decoration::SpecId, spec_id);
  declarations_.Add(value ? Op::OpSpecConstantTrue : Op::OpSpecConstantFalse, {kBool, id});
  return id;
}

uint32_t ModuleWords::SpecUint(uint32_t value, uint32_t spec_id) {
  const uint32_t id = NewId();
  Decorate(id, Decoration::SpecId, spec_id);
  declarations_.Add(Op::OpSpecConstant, {kUint, id, value});
  return id;
}

uint32_t ModuleWords::True() {
  if (true_ == 0) {
    true_ = NewId();
    declarations_.Add(Op::OpConstantTrue, {kBool, true_});
  }
  return true_;
}

uint32_t ModuleWords::Cached(uint32_t* id, Op opcode, std::initializer_list<uint32_t> operands) {
  if (*id != 0) return *id;
  *id = NewId();
  declarations_.Begin(opcode, operands.size() + 1);
  declarations_.words.push_back(*id);
  declarations_.words.insert(declarations_.words.end(), operands);
  return *id;
}

uint32_t ModuleWords::Float() {
  return Cached(&float_, Op::OpTypeFloat, {32});
}

uint32_t ModuleWords::FloatConstant(uint32_t bits) {
  const uint32_t type = Float(), id = NewId();
  declarations_.Add(Op::OpConstant, {type, id, bits});
  return id;
}

uint32_t ModuleWords::Vector(uint32_t components) {
  return Cached(&vectors_[components], Op::OpTypeVector, {kUint, components});
}

uint32_t ModuleWords::FloatVector() {
  const uint32_t type = Float();
  return Cached(&float_vector_, Op::OpTypeVector, {type, 4});
}

uint32_t ModuleWords::Pointer(StorageClass storage_class, uint32_t type) {
  for (const PointerType& pointer : pointers_) {
    if (pointer.storage_class == storage_class && pointer.type == type) return pointer.id;
  }
  const uint32_t id = NewId();
  pointers_.push_back({storage_class, type, id});
  declarations_.Add(Op::OpTypePointer, {id, Word(storage_class), type});
  return id;
}

uint32_t ModuleWords::LocalArray(uint32_t count) {
  const uint32_t length = Constant(count), id = NewId();
  declarations_.Add(Op::OpTypeArray, {id, kUint, length});
  return id;
}

uint32_t ModuleWords::FunctionType(std::span<const uint32_t> parameters) {
  if (function_type_ != 0) return function_type_;
  function_type_ = NewId();
  declarations_.Begin(Op::OpTypeFunction, 2 + parameters.size());
  declarations_.words.insert(declarations_.words.end(), {function_type_, kVoid});
  declarations_.words.insert(declarations_.words.end(), parameters.begin(), parameters.end());
  return function_type_;
}

uint32_t ModuleWords::Null(uint32_t type) {
  const uint32_t id = NewId();
  declarations_.Add(Op::OpConstantNull, {type, id});
  return id;
}

uint32_t ModuleWords::Variable(StorageClass storage_class, uint32_t type) {
  const uint32_t pointer = Pointer(storage_class, type), id = NewId();
  declarations_.Add(Op::OpVariable, {pointer, id, Word(storage_class)});
  return id;
}

uint32_t ModuleWords::BlockType(uint32_t array) {
  const uint32_t block = NewId();
  declarations_.Add(Op::OpTypeStruct, {block, array});
  Decorate(block, Decoration::Block);
  annotations_.Add(Op::OpMemberDecorate, {block, 0, Word(Decoration::Offset), 0});
  return block;
}

void ModuleWords::DecorateBinding(uint32_t variable, Binding binding) {
  buffers_[binding] = variable;
  Decorate(variable, Decoration::DescriptorSet, 0);
  Decorate(variable, Decoration::Binding, binding);
}

uint32_t ModuleWords::StorageBuffer(Binding binding) {
  if (buffers_[binding] != 0) return buffers_[binding];
  if (storage_block_ == 0) {
    const uint32_t array = NewId();
    declarations_.Add(Op::OpTypeRuntimeArray, {array, kUint});
    Decorate(array, Decoration::ArrayStride, 4);
    storage_block_ = BlockType(array);
  }
  const uint32_t variable = Variable(StorageClass::StorageBuffer, storage_block_);
  if (binding != kTraceBinding) Decorate(variable, Decoration::NonWritable);
  DecorateBinding(variable, binding);
  return variable;
}

uint32_t ModuleWords::UniformBlock(Binding binding, uint32_t vectors) {
  if (buffers_[binding] != 0) return buffers_[binding];
  const uint32_t vector = Vector(4), length = Constant(vectors), array = NewId();
  declarations_.Add(Op::OpTypeArray, {array, vector, length});
  Decorate(array, Decoration::ArrayStride, 16);
  const uint32_t variable = Variable(StorageClass::Uniform, BlockType(array));
  DecorateBinding(variable, binding);
  return variable;
}

uint32_t ModuleWords::PushConstants(uint32_t count) {
  if (push_ != 0) return push_;
  const uint32_t length = Constant(count), array = NewId();
  declarations_.Add(Op::OpTypeArray, {array, kUint, length});
  Decorate(array, Decoration::ArrayStride, 4);
  return push_ = Variable(StorageClass::PushConstant, BlockType(array));
}

uint32_t ModuleWords::BuiltIn(spv::BuiltIn what, uint32_t type) {
  for (const auto& [known, variable] : built_ins_) {
    if (known == what) return variable;
  }
  const uint32_t variable = Variable(StorageClass::Input, type);
  built_ins_.emplace_back(what, variable);
  Decorate(variable, Decoration::BuiltIn, Word(what));
  interface_.push_back(variable);
  return variable;
}

uint32_t ModuleWords::Colour() {
  if (colour_ != 0) return colour_;
  colour_ = Variable(StorageClass::Output, FloatVector());
  Decorate(colour_, Decoration::Location, 0);
  interface_.push_back(colour_);
  return colour_;
}

uint32_t ModuleWords::Shared(uint32_t count) {
  if (shared_ != 0) return shared_;
  const uint32_t array = LocalArray(count);
  return shared_ = Variable(StorageClass::Workgroup, array);
}

void ModuleWords::AddCapability(spv::Capability capability) {
  if (std::find(capabilities_.begin(), capabilities_.end(), capability) == capabilities_.end()) {
    capabilities_.push_back(capability);
  }
}

void ModuleWords::SetWorkgroup(uint32_t x, uint32_t y, uint32_t z) {
  workgroup_ = {x, y, z};
}

std::vector<uint32_t> ModuleWords::Finish() {
  constexpr uint32_t kMainText = 0x6e69616d;  // "main"
  Words head;
  head.words = {spv::MagicNumber, VersionWord(1, 3), 0, next_id_, 0};
  head.words.reserve(64 + annotations_.words.size() + declarations_.words.size() +
                     variables_.words.size() + function_.words.size());
  for (const spv::Capability capability : capabilities_) {
    head.Add(Op::OpCapability, {Word(capability)});
  }
  head.Add(Op::OpMemoryModel,
           {Word(spv::AddressingModel::Logical), Word(spv::MemoryModel::GLSL450)});
  head.Begin(Op::OpEntryPoint, 4 + interface_.size());
  head.words.insert(head.words.end(),
                    {Word(stage_ == Stage::kCompute ? spv::ExecutionModel::GLCompute
                                                    : spv::ExecutionModel::Fragment),
                     kMain, kMainText, 0});
  head.words.insert(head.words.end(), interface_.begin(), interface_.end());
  if (stage_ == Stage::kCompute) {
    head.Add(Op::OpExecutionMode, {kMain, Word(spv::ExecutionMode::LocalSize), workgroup_[0],
                                   workgroup_[1], workgroup_[2]});
  } else {
    head.Add(Op::OpExecutionMode, {kMain, Word(spv::ExecutionMode::OriginUpperLeft)});
  }
  const auto append = [&head](std::span<const uint32_t> words) {
    head.words.insert(head.words.end(), words.begin(), words.end());
  };
  append(annotations_.words);
  append(declarations_.words);
  head.Add(Op::OpFunction, {kVoid, kMain, 0, kMainType});
  constexpr size_t kLabelWords = 2;  // the OpLabel of the first block, before its variables
  append(std::span(function_.words).first(kLabelWords));
  append(variables_.words);
  append(std::span(function_.words).subspan(kLabelWords));
  head.Add(Op::OpFunctionEnd, {});
  return std::move(head.words);
}

}  // namespace refract::flesh
