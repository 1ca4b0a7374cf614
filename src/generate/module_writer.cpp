// SPDX-License-Identifier: Apache-2.0
#include "generate/module_writer.h"

#include <algorithm>

#include "base/random.h"
#include "generate/draw_expression.h"
#include "ir/tools.h"

namespace refract::generate {
namespace {

using spv::Decoration;
using spv::Op;
using spv::StorageClass;

}  // namespace

ModuleWriter::ModuleWriter(const GenerateOptions& options)
    : options_(options), main_(next_id_++), table_(512) {
  declarations_.words.reserve(2048);
  functions_.words.reserve(16384);
}

uint32_t ModuleWriter::Declare(Op op, uint32_t typed, std::span<const uint32_t> operands) {
  uint64_t hash = Mix(static_cast<uint64_t>(op), typed);
  for (const uint32_t operand : operands) hash = Mix(hash, operand);
  if (2 * declared_ >= table_.size()) {
    std::vector<Declaration> old(2 * table_.size());
    std::swap(old, table_);
    for (const Declaration& one : old) {
      if (one.id == 0) continue;
      size_t at = one.hash % table_.size();
      while (table_[at].id != 0) at = (at + 1) % table_.size();
      table_[at] = one;
    }
  }
  const size_t skipped = typed == 0 ? 2 : 3;  // the opcode, the result type, the result
  const uint32_t first = static_cast<uint32_t>(skipped + operands.size()) << 16 | Word(op);
  const auto is_equal = [&](const Declaration& one) {
    if (one.hash != hash) return false;
    const uint32_t* words = &declarations_.words[one.at];
    return words[0] == first && (typed == 0 || words[1] == typed) &&
           std::equal(operands.begin(), operands.end(), words + skipped);
  };
  size_t at = hash % table_.size();
  for (; table_[at].id != 0; at = (at + 1) % table_.size()) {
    if (is_equal(table_[at])) return table_[at].id;
  }
  const uint32_t id = NewId();
  table_[at] = {hash, static_cast<uint32_t>(declarations_.words.size()), id};
  ++declared_;
  declarations_.words.push_back(first);
  if (typed != 0) declarations_.words.push_back(typed);
  declarations_.words.push_back(id);
  declarations_.words.insert(declarations_.words.end(), operands.begin(), operands.end());
  return id;
}

uint32_t ModuleWriter::Void() {
  return Declare(Op::OpTypeVoid, 0, {});
}

uint32_t ModuleWriter::TypeId(Type type) {
  uint32_t& known = types_[IndexOf(type)];
  if (known != 0) return known;
  if (type.components > 1) {
    const uint32_t scalar = TypeId(type.WithComponents(1));
    return known = Declare(Op::OpTypeVector, 0, {scalar, type.components});
  }
  switch (type.scalar) {
    case Scalar::kBool:
      return known = Declare(Op::OpTypeBool, 0, {});
    case Scalar::kFloat16:
      AddCapability(spv::Capability::Float16);
      break;
    case Scalar::kFloat64:
      AddCapability(spv::Capability::Float64);
      break;
    case Scalar::kInt16:
    case Scalar::kUint16:
      AddCapability(spv::Capability::Int16);
      break;
    case Scalar::kInt64:
    case Scalar::kUint64:
      AddCapability(spv::Capability::Int64);
      break;
    default:
      break;
  }
  const uint32_t width = WidthOf(type.scalar);
  if (type.IsFloat()) return known = Declare(Op::OpTypeFloat, 0, {width});
  return known = Declare(Op::OpTypeInt, 0, {width, IsSigned(type.scalar) ? 1u : 0u});
}

uint32_t ModuleWriter::Array(uint32_t element, uint32_t length) {
  return Declare(Op::OpTypeArray, 0, {element, Uint(length)});
}
uint32_t ModuleWriter::Matrix(Type column, uint32_t columns) {
  return Declare(Op::OpTypeMatrix, 0, {TypeId(column), columns});
}
uint32_t ModuleWriter::Struct(std::span<const uint32_t> members) {
  return Declare(Op::OpTypeStruct, 0, members);
}

uint32_t ModuleWriter::VariableType(const Variable& variable) {
  switch (variable.shape) {
    case Shape::kPlain:
      return TypeId(variable.type);
    case Shape::kArray:
      return Array(TypeId(variable.type), variable.length);
    case Shape::kMatrix:
      return Matrix(variable.type, variable.length);
    case Shape::kStruct:
      break;
  }
  std::vector<uint32_t> members;
  for (const Type member : variable.members) members.push_back(TypeId(member));
  return Struct(members);
}

uint32_t ModuleWriter::Pointer(StorageClass storage, uint32_t type) {
  return Declare(Op::OpTypePointer, 0, {Word(storage), type});
}

uint32_t ModuleWriter::FunctionType(uint32_t result, std::span<const uint32_t> parameters) {
  std::vector<uint32_t> operands = {result};
  operands.insert(operands.end(), parameters.begin(), parameters.end());
  return Declare(Op::OpTypeFunction, 0, operands);
}

uint32_t ModuleWriter::Constant(Type type, std::span<const uint64_t> bits) {
  const uint32_t id = TypeId(type);
  if (type.components > 1) {
    std::array<uint32_t, 4> parts = {};
    for (size_t i = 0; i < type.components; ++i) {
      parts[i] = Constant(type.WithComponents(1), bits[bits.size() == 1 ? 0 : i]);
    }
    return Declare(Op::OpConstantComposite, id, std::span(parts).first(type.components));
  }
  if (type.scalar == Scalar::kBool) {
    return Declare(bits[0] != 0 ? Op::OpConstantTrue : Op::OpConstantFalse, id, {});
  }
  return Declare(Op::OpConstant, id, Literal(type, bits[0]));
}

std::vector<uint32_t> ModuleWriter::Literal(Type type, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  switch (WidthOf(type.scalar)) {
    case 64:
      return {low, static_cast<uint32_t>(bits >> 32)};
    case 16: {
      // The literal of a signed integer is sign-extended.
      const bool is_negative = IsSigned(type.scalar) && (low & 0x8000) != 0;
      return {is_negative ? low | 0xffff0000 : low & 0xffff};
    }
    default:
      return {low};
  }
}

uint32_t ModuleWriter::FloatConstant(Type type, double value) {
  return Constant(type, FloatBits(type.scalar, value));
}

uint32_t ModuleWriter::SpecConstant(uint32_t number) {
  uint32_t& id = specialised_[number];
  if (id != 0) return id;
  constexpr uint64_t kOdd = 0x9e3779b1;  // so that the values without inputs differ
  const Type type = SpecConstantType(number);
  const uint32_t result = TypeId(type);
  id = NewId();
  Decorate(id, Decoration::SpecId, number);
  if (type.scalar == Scalar::kBool) {
    const Op op = number % 2 == 0 ? Op::OpSpecConstantTrue : Op::OpSpecConstantFalse;
    declarations_.Add(op, {result, id});
  } else {
    const uint64_t bits = type.IsFloat() ? FloatBits(type.scalar, number % 7 * 0.75 - 2.25)
                                         : number * kOdd * 0x100000001;
    const std::vector<uint32_t> literal = Literal(type, bits);
    declarations_.Begin(Op::OpSpecConstant, 2 + literal.size());
    declarations_.words.insert(declarations_.words.end(), {result, id});
    declarations_.words.insert(declarations_.words.end(), literal.begin(), literal.end());
  }
  return id;
}

uint32_t ModuleWriter::SpecOperation(Op op, Type type, uint32_t specialised, uint32_t constant) {
  return Declare(Op::OpSpecConstantOp, TypeId(type), {Word(op), specialised, constant});
}

uint32_t ModuleWriter::Global(StorageClass storage, uint32_t type) {
  const uint32_t pointer = Pointer(storage, type), id = NewId();
  declarations_.Add(Op::OpVariable, {pointer, id, Word(storage)});
  return id;
}

uint32_t ModuleWriter::BlockOf(uint32_t array, uint32_t stride) {
  Decorate(array, Decoration::ArrayStride, stride);
  const uint32_t block = Declare(Op::OpTypeStruct, 0, {array});
  Decorate(block, Decoration::Block);
  annotations_.Add(Op::OpMemberDecorate, {block, 0, Word(Decoration::Offset), 0});
  return block;
}

void ModuleWriter::Bind(uint32_t variable, Binding binding) {
  buffers_[binding] = variable;
  Decorate(variable, Decoration::DescriptorSet, 0);
  Decorate(variable, Decoration::Binding, binding);
}

uint32_t ModuleWriter::StorageBuffer(Binding binding) {
  if (buffers_[binding] != 0) return buffers_[binding];
  if (storage_block_ == 0) {
    const uint32_t array = Declare(Op::OpTypeRuntimeArray, 0, {TypeId({Scalar::kUint, 1})});
    storage_block_ = BlockOf(array, 4);
  }
  const uint32_t variable = Global(StorageClass::StorageBuffer, storage_block_);
  if (binding != kOutputBinding) Decorate(variable, Decoration::NonWritable);
  Bind(variable, binding);
  return variable;
}

uint32_t ModuleWriter::UniformBlock() {
  if (buffers_[kUniformBinding] != 0) return buffers_[kUniformBinding];
  // Not the array type of a variable, because only this one has a layout.
  const uint32_t vector = TypeId({Scalar::kUint, 4}), length = Uint(kUniformWords / 4);
  const uint32_t array = NewId();
  declarations_.Add(Op::OpTypeArray, {array, vector, length});
  const uint32_t variable = Global(StorageClass::Uniform, BlockOf(array, 16));
  Bind(variable, kUniformBinding);
  return variable;
}

uint32_t ModuleWriter::ImageType(Scalar scalar) {
  constexpr uint32_t kSampled = 1;
  return Declare(Op::OpTypeImage, 0,
                 {TypeId({scalar, 1}), Word(spv::Dim::Dim2D), 0, 0, 0, kSampled,
                  Word(spv::ImageFormat::Unknown)});
}

uint32_t ModuleWriter::StorageImageType(Type texel) {
  using spv::ImageFormat;
  constexpr ImageFormat kFormats[][2] = {{ImageFormat::R32i, ImageFormat::Rgba32i},
                                         {ImageFormat::R32ui, ImageFormat::Rgba32ui}};
  constexpr uint32_t kStorage = 2;
  const ImageFormat format = kFormats[KindOf(texel.scalar)][texel.components == 4 ? 1 : 0];
  return Declare(
      Op::OpTypeImage, 0,
      {TypeId(texel.WithComponents(1)), Word(spv::Dim::Dim2D), 0, 0, 0, kStorage, Word(format)});
}

uint32_t ModuleWriter::StorageImage(Type texel) {
  const uint32_t variable = Global(StorageClass::UniformConstant, StorageImageType(texel));
  Decorate(variable, Decoration::DescriptorSet, 0);
  const auto number = static_cast<uint32_t>(storage_images_.size());
  Decorate(variable, Decoration::Binding, kTexelBinding + number);
  storage_images_.push_back(texel);
  return variable;
}

uint32_t ModuleWriter::SampledImageType(Scalar scalar) {
  return Declare(Op::OpTypeSampledImage, 0, {ImageType(scalar)});
}

uint32_t ModuleWriter::Image(Scalar scalar) {
  const Binding binding = BindingOfImage(scalar);
  if (buffers_[binding] == 0) {
    Bind(Global(StorageClass::UniformConstant, SampledImageType(scalar)), binding);
  }
  return buffers_[binding];
}

uint32_t ModuleWriter::BuiltIn(spv::BuiltIn what, Type type) {
  for (const auto& [known, variable] : built_ins_) {
    if (known == what) return variable;
  }
  const uint32_t variable = Global(StorageClass::Input, TypeId(type));
  built_ins_.emplace_back(what, variable);
  Decorate(variable, Decoration::BuiltIn, Word(what));
  interface_.push_back(variable);
  return variable;
}

uint32_t ModuleWriter::Interface(StorageClass storage, Decoration decoration, uint32_t value) {
  const uint32_t variable = Global(storage, TypeId({Scalar::kFloat, 4}));
  Decorate(variable, decoration, value);
  interface_.push_back(variable);
  return variable;
}

uint32_t ModuleWriter::Colour() {
  if (colour_ != 0) return colour_;
  colour_ = Interface(StorageClass::Output, Decoration::Location, 0);
  if (options_.stage == Stage::kVertex) Decorate(colour_, Decoration::Flat);
  return colour_;
}

uint32_t ModuleWriter::Corner() {
  if (corner_ != 0) return corner_;
  return corner_ = Interface(StorageClass::Input, Decoration::Location, 0);
}

uint32_t ModuleWriter::Position() {
  if (position_ != 0) return position_;
  return position_ =
             Interface(StorageClass::Output, Decoration::BuiltIn, Word(spv::BuiltIn::Position));
}

uint32_t ModuleWriter::Shared() {
  if (shared_ != 0) return shared_;
  const uint32_t array = Array(TypeId({Scalar::kUint, 1}), options_.workgroup);
  return shared_ = Global(StorageClass::Workgroup, array);
}

uint32_t ModuleWriter::SharedWord() {
  if (shared_word_ != 0) return shared_word_;
  return shared_word_ = Global(StorageClass::Workgroup, TypeId({Scalar::kUint, 1}));
}

uint32_t ModuleWriter::Instructions() {
  return instructions_ != 0 ? instructions_ : instructions_ = NewId();
}

void ModuleWriter::AddCapability(spv::Capability capability) {
  if (std::find(capabilities_.begin(), capabilities_.end(), capability) == capabilities_.end()) {
    capabilities_.push_back(capability);
  }
}

std::vector<uint32_t> ModuleWriter::Finish() {
  constexpr uint32_t kMainText = 0x6e69616d;  // "main"
  const bool compute = options_.stage == Stage::kCompute;
  Words head;
  head.words = {spv::MagicNumber, VersionWord(1, 3), 0, next_id_, 0};
  head.words.reserve(64 + annotations_.words.size() + declarations_.words.size() +
                     functions_.words.size());
  for (const spv::Capability capability : capabilities_) {
    head.Add(Op::OpCapability, {Word(capability)});
  }
  if (instructions_ != 0) {  // "GLSL.std.450"
    head.Add(Op::OpExtInstImport, {instructions_, 0x4c534c47, 0x6474732e, 0x3035342e, 0});
  }
  head.Add(Op::OpMemoryModel,
           {Word(spv::AddressingModel::Logical), Word(spv::MemoryModel::GLSL450)});
  head.Begin(Op::OpEntryPoint, 4 + interface_.size());
  constexpr spv::ExecutionModel kModels[] = {
      spv::ExecutionModel::GLCompute, spv::ExecutionModel::Fragment, spv::ExecutionModel::Vertex};
  const spv::ExecutionModel model = kModels[static_cast<size_t>(options_.stage)];
  head.words.insert(head.words.end(), {Word(model), main_, kMainText, 0});
  head.words.insert(head.words.end(), interface_.begin(), interface_.end());
  if (compute) {
    head.Add(Op::OpExecutionMode,
             {main_, Word(spv::ExecutionMode::LocalSize), options_.workgroup, 1, 1});
  } else if (options_.stage == Stage::kFragment) {
    head.Add(Op::OpExecutionMode, {main_, Word(spv::ExecutionMode::OriginUpperLeft)});
  }
  for (const Words* section : {&annotations_, &declarations_, &functions_}) {
    head.words.insert(head.words.end(), section->words.begin(), section->words.end());
  }
  return std::move(head.words);
}

}  // namespace refract::generate
