// SPDX-License-Identifier: Apache-2.0
#include "generate/write_expression.h"

#include <algorithm>
#include <utility>

#include "generate/draw_expression.h"

namespace refract::generate {
namespace {

using spv::Op;
using spv::StorageClass;
using enum Operator;

constexpr double kMostStored = 4;

}  // namespace

bool ExpressionWriter::Fits(Scalar scalar, double bound, uint32_t fraction) {
  const uint32_t width = WidthOf(scalar);
  const uint32_t significand = width == 16 ? 11 : width == 64 ? 53 : 24;
  // So small multiples are normal numbers of the type.
  const uint32_t most_fraction = width == 16 ? 10 : width == 64 ? 40 : 20;
  return fraction <= most_fraction && bound * static_cast<double>(uint64_t{1} << fraction) <=
                                          static_cast<double>(uint64_t{1} << significand);
}

void ExpressionWriter::Begin() {
  code_.words.clear();
  prologue_.words.clear();
  invocation_ = local_index_ = workgroup_ = 0;
}

uint32_t ExpressionWriter::Add(Op op, uint32_t type, std::initializer_list<uint32_t> operands) {
  const uint32_t id = module_.NewId();
  code_.Begin(op, 2 + operands.size());
  code_.words.push_back(type);
  code_.words.push_back(id);
  for (const uint32_t operand : operands) code_.words.push_back(operand);
  return id;
}

uint32_t ExpressionWriter::Extended(GLSLstd450 op, Type type,
                                    std::initializer_list<uint32_t> operands) {
  const uint32_t result = module_.TypeId(type), set = module_.Instructions(), id = module_.NewId();
  code_.Begin(Op::OpExtInst, 4 + operands.size());
  code_.words.insert(code_.words.end(), {result, id, set, static_cast<uint32_t>(op)});
  for (const uint32_t operand : operands) code_.words.push_back(operand);
  return id;
}

uint32_t ExpressionWriter::Workgroup() {
  if (options_.stage != Stage::kCompute) return module_.Uint(0);
  if (workgroup_ != 0) return workgroup_;
  const Type vector = {Scalar::kUint, 3};
  const uint32_t variable = module_.BuiltIn(spv::BuiltIn::WorkgroupId, vector);
  std::swap(code_, prologue_);
  const uint32_t all = Add(Op::OpLoad, vector, {variable});
  workgroup_ = Add(Op::OpCompositeExtract, kUintType, {all, 0});
  std::swap(code_, prologue_);
  return workgroup_;
}

uint32_t ExpressionWriter::LocalIndex() {
  if (local_index_ != 0) return local_index_;
  const uint32_t variable = module_.BuiltIn(spv::BuiltIn::LocalInvocationIndex, kUintType);
  std::swap(code_, prologue_);
  local_index_ = Add(Op::OpLoad, kUintType, {variable});
  std::swap(code_, prologue_);
  return local_index_;
}

uint32_t ExpressionWriter::Invocation() {
  if (invocation_ != 0) return invocation_;
  if (options_.stage == Stage::kCompute) {
    const uint32_t group = Workgroup(), local = LocalIndex();
    std::swap(code_, prologue_);
    const uint32_t first = Add(Op::OpIMul, kUintType, {group, module_.Uint(options_.workgroup)});
    invocation_ = Add(Op::OpIAdd, kUintType, {first, local});
  } else if (options_.stage == Stage::kVertex) {
    const Type integer = {Scalar::kInt, 1};
    const uint32_t variable = module_.BuiltIn(spv::BuiltIn::VertexIndex, integer);
    std::swap(code_, prologue_);
    const uint32_t index = Add(Op::OpLoad, integer, {variable});
    invocation_ = Add(Op::OpBitcast, kUintType, {index});
  } else {
    const Type vector = {Scalar::kFloat, 4};
    const uint32_t variable = module_.BuiltIn(spv::BuiltIn::FragCoord, vector);
    std::swap(code_, prologue_);
    const uint32_t place = Add(Op::OpLoad, vector, {variable});
    const auto part = [&](uint32_t component) {
      const uint32_t real = Add(Op::OpCompositeExtract, kFloatType, {place, component});
      return Add(Op::OpConvertFToU, kUintType, {real});
    };
    const uint32_t x = part(0), y = part(1);
    const uint32_t row = Add(Op::OpIMul, kUintType, {y, module_.Uint(options_.side)});
    invocation_ = Add(Op::OpIAdd, kUintType, {row, x});
  }
  std::swap(code_, prologue_);
  return invocation_;
}

uint32_t ExpressionWriter::Masked(uint32_t value, Type type, uint64_t mask) {
  return Add(Op::OpBitwiseAnd, type, {value, module_.Constant(type, mask)});
}

uint32_t ExpressionWriter::PointerTo(const Place& place, uint32_t part) {
  const Variable& variable = tree_.variables[place.variable];
  if (variable.shape == Shape::kPlain) return ids_[place.variable];
  uint32_t index = 0;
  if (part != kNone || variable.shape == Shape::kStruct) {
    index = module_.Uint(part != kNone ? part : place.member);
  } else {
    index = Masked(Write(place.index).id, kUintType, variable.length - 1);
  }
  const uint32_t member = variable.shape == Shape::kStruct && part != kNone ? part : place.member;
  const StorageClass storage =
      variable.storage == Storage::kPrivate ? StorageClass::Private : StorageClass::Function;
  const uint32_t pointer = module_.Pointer(storage, module_.TypeId(variable.TypeOf(member)));
  return Add(Op::OpAccessChain, pointer, {ids_[place.variable], index});
}

uint32_t ExpressionWriter::Texel() {
  const uint32_t column = LocalIndex(), row = Workgroup();
  return Add(Op::OpCompositeConstruct, Type{Scalar::kUint, 2}, {column, row});
}

uint32_t ExpressionWriter::Load(const Place& place, uint32_t part) {
  const Variable& variable = tree_.variables[place.variable];
  if (variable.storage != Storage::kTexel) {
    const uint32_t member = part != kNone ? part : place.member;
    const uint32_t pointer = PointerTo(place, part);
    return Add(Op::OpLoad, variable.TypeOf(member), {pointer});
  }
  const Type type = variable.type, all = type.WithComponents(4);
  const uint32_t image_type = module_.StorageImageType(type);
  const uint32_t image = Add(Op::OpLoad, image_type, {ids_[place.variable]}), texel = Texel();
  const uint32_t read = Add(Op::OpImageRead, all, {image, texel});
  return type == all ? read : Add(Op::OpCompositeExtract, type, {read, 0});
}

void ExpressionWriter::Store(const Place& place, uint32_t value, uint32_t part) {
  const Variable& variable = tree_.variables[place.variable];
  if (variable.storage != Storage::kTexel) {
    return code_.Add(Op::OpStore, {PointerTo(place, part), value});
  }
  const Type type = variable.type, all = type.WithComponents(4);
  if (type != all) {
    const uint32_t zero = module_.Constant(type, 0);
    value = Add(Op::OpCompositeConstruct, all, {value, zero, zero, zero});
  }
  const uint32_t image_type = module_.StorageImageType(type);
  const uint32_t image = Add(Op::OpLoad, image_type, {ids_[place.variable]}), texel = Texel();
  code_.Add(Op::OpImageWrite, {image, texel, value});
}

ExpressionWriter::Value ExpressionWriter::Write(uint32_t expression) {
  const Expression& node = tree_.expressions[expression];
  Value value;
  if (node.op < kConvert) {
    value = WriteLeaf(node);
  } else if (node.op == kConvert) {
    value = WriteConvert(node);
  } else if (node.op == kTexel) {
    value = WriteTexel(node);
  } else if (node.op < kNot || node.op == kJoin || node.op == kTimesMatrix) {
    value = WriteShape(node);
  } else if (node.op < kJoin) {
    value = WriteUnary(node);
  } else if (node.op < kSelect) {
    value = WriteBinary(node);
  } else {
    value = WriteTernary(node);
  }
  const bool is_result = node.op != kConstant && node.op != kSpecConstant;
  if (results_ != nullptr && is_result) results_->push_back(value.id);
  return value;
}

ExpressionWriter::Value ExpressionWriter::WriteLeaf(const Expression& node) {
  const uint32_t fraction = node.type.IsFloat() ? StoredFraction(node.type.scalar) : 0;
  switch (node.op) {
    case kConstant:
      return {module_.Constant(node.type,
                               std::span(tree_.constants).subspan(node.a, node.type.components)),
              kMostStored, fraction};
    case kVariable: {
      if (tree_.variables[node.a].storage == Storage::kValue) {
        return {ids_[node.a], kMostStored, fraction};
      }
      return {Load({node.a, node.b, node.c}), kMostStored, fraction};
    }
    case kUniform: {
      const uint32_t block = module_.UniformBlock();
      const uint32_t pointer = module_.Pointer(StorageClass::Uniform, module_.TypeId(kUintType));
      const uint32_t place =
          Add(Op::OpAccessChain, pointer,
              {block, module_.Uint(0), module_.Uint(node.a / 4), module_.Uint(node.a % 4)});
      return {Add(Op::OpLoad, kUintType, {place})};
    }
    case kInput: {
      const uint32_t buffer = module_.StorageBuffer(kInputBinding), invocation = Invocation();
      const uint32_t row = Add(Op::OpIMul, kUintType, {invocation, module_.Uint(kInputWords)});
      const uint32_t index = Add(Op::OpIAdd, kUintType, {row, module_.Uint(node.a)});
      const uint32_t pointer =
          module_.Pointer(StorageClass::StorageBuffer, module_.TypeId(kUintType));
      const uint32_t place = Add(Op::OpAccessChain, pointer, {buffer, module_.Uint(0), index});
      return {Add(Op::OpLoad, kUintType, {place})};
    }
    case kCounter: {
      const uint32_t value = Add(Op::OpLoad, Type{Scalar::kInt, 1}, {counters_[node.a]});
      return {Add(Op::OpBitcast, kUintType, {value})};
    }
    case kWorkgroup:
      return {Workgroup()};
    case kSpecConstant: {
      const uint32_t specialised = module_.SpecConstant(node.a);
      if (node.b == kNone) return {specialised, kMostStored, fraction};
      constexpr Op kOps[] = {Op::OpIAdd, Op::OpISub, Op::OpIMul, Op::OpBitwiseXor};
      const uint32_t other = module_.Constant(node.type, tree_.constants[node.b]);
      return {module_.SpecOperation(kOps[node.c], node.type, specialised, other)};
    }
    default:
      return {Invocation()};
  }
}

ExpressionWriter::Value ExpressionWriter::Stored(const Value& value, Type type) {
  if (!type.IsFloat()) return value;
  const uint32_t fraction = StoredFraction(type.scalar);
  const double scale = 1 << fraction;
  uint32_t id = value.id;
  if (value.bound > kMostStored) {
    id = Extended(
        GLSLstd450FClamp, type,
        {id, module_.FloatConstant(type, -kMostStored), module_.FloatConstant(type, kMostStored)});
  }
  if (value.fraction > fraction) {
    id = Add(Op::OpFMul, type, {id, module_.FloatConstant(type, scale)});
    id = Extended(GLSLstd450Floor, type, {id});
    id = Add(Op::OpFMul, type, {id, module_.FloatConstant(type, 1 / scale)});
  }
  return {id, std::min(value.bound, kMostStored), std::min(value.fraction, fraction)};
}

uint32_t ExpressionWriter::WriteStored(uint32_t expression) {
  return Stored(Write(expression), tree_.expressions[expression].type).id;
}

uint32_t ExpressionWriter::ConvertInteger(uint32_t value, Type from, Type to) {
  if (from == to) return value;
  if (WidthOf(from.scalar) == WidthOf(to.scalar)) return Add(Op::OpBitcast, to, {value});
  if (IsSigned(from.scalar)) return Add(Op::OpSConvert, to, {value});
  // The result of OpUConvert is unsigned.
  const uint32_t converted = Add(Op::OpUConvert, to.Unsigned(), {value});
  return IsSigned(to.scalar) ? Add(Op::OpBitcast, to, {converted}) : converted;
}

uint32_t ExpressionWriter::ToUints(uint32_t value, Type type) {
  const Type uints = type.WithScalar(Scalar::kUint), ints = type.WithScalar(Scalar::kInt);
  if (type.scalar == Scalar::kBool) {
    return Add(Op::OpSelect, uints,
               {value, module_.Constant(uints, 1), module_.Constant(uints, 0)});
  }
  if (type.IsFloat()) {
    const double scale = 1 << StoredFraction(type.scalar);
    const uint32_t scaled = Add(Op::OpFMul, type, {value, module_.FloatConstant(type, scale)});
    const uint32_t integer = Add(Op::OpConvertFToS, ints, {scaled});
    return Add(Op::OpBitcast, uints, {integer});
  }
  const uint32_t low = ConvertInteger(value, type, uints);
  if (WidthOf(type.scalar) != 64) return low;
  const uint32_t shifted = Add(Op::OpShiftRightLogical, type, {value, module_.Constant(type, 32)});
  const uint32_t high = ConvertInteger(shifted, type, uints);
  constexpr uint32_t kOdd = 0x85ebca6b;  // so that a sign that is copied to all bits stays visible
  const uint32_t mixed = Add(Op::OpIMul, uints, {high, module_.Constant(uints, kOdd)});
  return Add(Op::OpBitwiseXor, uints, {low, mixed});
}

ExpressionWriter::Value ExpressionWriter::ToFloat(uint32_t id, Type from, Type to) {
  const uint32_t fraction = StoredFraction(to.scalar);
  const double scale = 1 << fraction;
  if (from.scalar == Scalar::kBool) {
    const uint32_t one = module_.FloatConstant(to, 1), zero = module_.FloatConstant(to, 0);
    return {Add(Op::OpSelect, to, {id, one, zero}), 1, 0};
  }
  const Type ints = from.Signed();
  const auto most = static_cast<uint64_t>(kMostStored * scale);
  id = Masked(ConvertInteger(id, from, ints), ints, 2 * most - 1);
  id = Add(Op::OpISub, ints, {id, module_.Constant(ints, most)});
  id = Add(Op::OpConvertSToF, to, {id});
  id = Add(Op::OpFMul, to, {id, module_.FloatConstant(to, 1 / scale)});
  return {id, kMostStored, fraction};
}

ExpressionWriter::Value ExpressionWriter::WriteConvert(const Expression& node) {
  const Type from = tree_.expressions[node.a].type, to = node.type;
  Value value = Write(node.a);
  if (to.scalar == Scalar::kBool) {
    if (from.IsFloat()) {
      return {Add(Op::OpFOrdGreaterThan, to, {value.id, module_.FloatConstant(from, 0)})};
    }
    const uint32_t bit = Masked(value.id, from, 4);
    return {Add(Op::OpINotEqual, to, {bit, module_.Constant(from, 0)})};
  }
  if (to.IsFloat() && from.IsFloat()) {
    if (to == from) return value;
    if (!Fits(to.scalar, value.bound, value.fraction)) value = Stored(value, from);
    return {Add(Op::OpFConvert, to, {value.id}), value.bound, value.fraction};
  }
  if (to.IsFloat()) return ToFloat(value.id, from, to);
  if (from.IsInteger()) return {ConvertInteger(value.id, from, to)};
  const uint32_t converted = ToUints(Stored(value, from).id, from);
  return {ConvertInteger(converted, to.WithScalar(Scalar::kUint), to)};
}

// Every texel and the middle of it have exact coordinates.
ExpressionWriter::Value ExpressionWriter::WriteTexel(const Expression& node) {
  constexpr uint32_t kLod = 2;  // the mask of image operands
  static_assert(kImageSide == 4);
  const Scalar scalar = node.type.scalar;
  const Type place = {Scalar::kUint, 2}, point = {Scalar::kFloat, 2};
  const uint32_t index = Write(node.a).id;
  const uint32_t row = Add(Op::OpShiftRightLogical, kUintType, {index, module_.Uint(2)});
  const uint32_t both = Add(Op::OpCompositeConstruct, place, {index, row});
  const uint32_t texel = Masked(both, place, kImageSide - 1);
  const uint32_t type = module_.SampledImageType(scalar);
  const uint32_t image = Add(Op::OpLoad, type, {module_.Image(scalar)});
  if (node.b == 0) {
    const uint32_t texels = Add(Op::OpImage, module_.ImageType(scalar), {image});
    return {Add(Op::OpImageFetch, node.type, {texels, texel, kLod, module_.Uint(0)}), kMostStored,
            StoredFraction(Scalar::kFloat)};
  }
  const uint32_t real = Add(Op::OpConvertUToF, point, {texel});
  const uint32_t scaled = Add(Op::OpFMul, point, {real, module_.FloatConstant(point, 0.25f)});
  const uint32_t middle = Add(Op::OpFAdd, point, {scaled, module_.FloatConstant(point, 0.125f)});
  const uint32_t level = module_.FloatConstant(kFloatType, 0);
  return {Add(Op::OpImageSampleExplicitLod, node.type, {image, middle, kLod, level}), kMostStored,
          StoredFraction(Scalar::kFloat)};
}

ExpressionWriter::Value ExpressionWriter::WriteShape(const Expression& node) {
  const Type type = node.type;
  Value a = Write(node.a);
  const Type operand = tree_.expressions[node.a].type;
  switch (node.op) {
    case kSplat: {
      const uint32_t result = module_.TypeId(type), id = module_.NewId();
      code_.Begin(Op::OpCompositeConstruct, 2u + type.components);
      code_.words.insert(code_.words.end(), {result, id});
      code_.words.insert(code_.words.end(), type.components, a.id);
      return {id, a.bound, a.fraction};
    }
    case kExtract:
      return {Add(Op::OpCompositeExtract, type, {a.id, node.b}), a.bound, a.fraction};
    case kExtractAt: {
      const uint32_t index = Masked(Write(node.b).id, kUintType, operand.components - 1u);
      return {Add(Op::OpVectorExtractDynamic, type, {a.id, index}), a.bound, a.fraction};
    }
    case kSwizzle: {
      const uint32_t result = module_.TypeId(type), id = module_.NewId();
      code_.Begin(Op::OpVectorShuffle, 4u + type.components);
      code_.words.insert(code_.words.end(), {result, id, a.id, a.id});
      for (uint32_t i = 0; i < type.components; ++i) {
        code_.words.push_back((node.b >> (2 * i) & 3) % operand.components);
      }
      return {id, a.bound, a.fraction};
    }
    case kTimesMatrix: {
      const Variable& matrix = tree_.variables[node.b];
      const double columns = matrix.length;
      const uint32_t fraction = StoredFraction(type.scalar);
      if (!Fits(type.scalar, columns * kMostStored * a.bound, a.fraction + fraction)) {
        a = Stored(a, operand);
      }
      const uint32_t all = module_.VariableType(matrix);
      const uint32_t loaded = Add(Op::OpLoad, all, {ids_[node.b]});
      return {Add(Op::OpMatrixTimesVector, type, {loaded, a.id}), columns * kMostStored * a.bound,
              a.fraction + fraction};
    }
    case kJoin: {
      const Value b = Write(node.b);
      return {Add(Op::OpCompositeConstruct, type, {a.id, b.id}), std::max(a.bound, b.bound),
              std::max(a.fraction, b.fraction)};
    }
    default:
      return {Add(node.op == kAny ? Op::OpAny : Op::OpAll, type, {a.id})};
  }
}

}  // namespace refract::generate
