// SPDX-License-Identifier: Apache-2.0
#include "input/layout.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "input/layout_rules.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

constexpr size_t kMaxBlockScalars = size_t{1} << 20;
constexpr uint64_t kTooMany = kMaxBlockScalars + 1;
constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 28;
// The SPIR-V limit is 255 levels of structs (SPIR-V 2.17). Real shaders have less than 10.
constexpr size_t kMaxDepth = 64;

// The length of an array if it is a plain specialisation constant of 32 bits.
std::optional<uint32_t> SpecialisedLength(const Module& module, Id type,
                                          const std::vector<BoundConstant>& constants) {
  const Id length = module.IdAt(module.Definition(type), 1);
  if (module.OpcodeOf(length) != spv::Op::OpSpecConstant ||
      Width(module, module.TypeOf(length)) != 32) {
    return std::nullopt;
  }
  const Inst id = FindDecoration(module, length, spv::Decoration::SpecId);
  for (const BoundConstant& given : constants) {
    if (id != Inst::kNone && given.id == module.Word(id, 2)) {
      return static_cast<uint32_t>(given.bits);
    }
  }
  return module.Word(module.Definition(length), 0);
}

// The length of an OpTypeArray; nullopt if it is not known.
std::optional<uint32_t> FixedLength(const Module& module, Id array,
                                    const std::vector<BoundConstant>& constants) {
  if (const auto count = PartCount(module, array)) return static_cast<uint32_t>(*count);
  return SpecialisedLength(module, array, constants);
}

class Builder {
 public:
  Builder(const Module& module, uint32_t runtime_length,
          const std::vector<BoundConstant>& constants)
      : module_(module), runtime_length_(runtime_length), constants_(constants) {}

  Status Add(Id type, uint64_t offset, MatrixLayout matrix);
  Layout Take() { return std::move(layout_); }
  /// The number of scalars of a type; kTooMany if there are more than kMaxBlockScalars. Each type
  /// is counted once, so types that double at every level cost nothing.
  uint64_t CountScalars(Id type, uint32_t depth = 0);

 private:
  Status AddStruct(Id type, uint64_t offset);
  Status AddArray(Id type, uint64_t offset, MatrixLayout matrix);
  Status AddMatrix(Id type, uint64_t offset, MatrixLayout matrix);
  Status AddScalar(Id type, uint64_t offset);
  std::optional<uint32_t> LengthOf(Id array) const;
  Status AddPart(uint32_t index, Id type, uint64_t offset, MatrixLayout matrix);
  std::string TypeText(Id type) const { return format("type %{}", module_.FileId(type)); }

  const Module& module_;
  const uint32_t runtime_length_;
  const std::vector<BoundConstant>& constants_;
  Layout layout_;
  std::vector<uint32_t> path_;
  std::map<Id, uint64_t> counts_;
};

uint64_t Builder::CountScalars(Id type, uint32_t depth) {
  // Until its count is known, a type counts as too many: in an invalid module it may contain
  // itself.
  const auto [known, is_new] = counts_.emplace(type, kTooMany);
  if (!is_new || depth > kMaxDepth) return known->second;
  uint64_t count = 0;
  switch (TypeOpcode(module_, type)) {
    case spv::Op::OpTypeStruct:
      for (uint32_t i = 0; i < *PartCount(module_, type) && count <= kMaxBlockScalars; ++i) {
        count += CountScalars(PartType(module_, type, i), depth + 1);
      }
      break;
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      // A runtime array without elements still counts, because it has a place.
      count = uint64_t{std::max(LengthOf(type).value_or(1), 1u)} *
              CountScalars(ElementType(module_, type), depth + 1);
      break;
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeVector:
      count = *PartCount(module_, type) * CountScalars(ElementType(module_, type), depth + 1);
      break;
    default:
      count = 1;
  }
  count = std::min(count, kTooMany);
  known->second = count;
  return count;
}

Status Builder::AddPart(uint32_t index, Id type, uint64_t offset, MatrixLayout matrix) {
  path_.push_back(index);
  Status status = Add(type, offset, matrix);
  path_.pop_back();
  return status;
}

Status Builder::Add(Id type, uint64_t offset, MatrixLayout matrix) {
  if (path_.size() > kMaxDepth) {
    return Error{format("types are nested more than {} levels deep", kMaxDepth)};
  }
  if (offset > kMaxBlockBytes)
    return Error{format("the block is larger than {} bytes", kMaxBlockBytes)};
  switch (TypeOpcode(module_, type)) {
    case spv::Op::OpTypeStruct:
      return AddStruct(type, offset);
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return AddArray(type, offset, matrix);
    case spv::Op::OpTypeMatrix:
      return AddMatrix(type, offset, matrix);
    case spv::Op::OpTypeVector: {
      const Id component = ElementType(module_, type);
      const uint32_t bytes = Width(module_, component) / 8;
      for (uint32_t i = 0; i < *PartCount(module_, type); ++i) {
        if (Status status = AddPart(i, component, offset + i * bytes, {}); !status) return status;
      }
      return {};
    }
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return AddScalar(type, offset);
    case spv::Op::OpTypePointer:
      if (StorageClassOf(module_, type) == spv::StorageClass::PhysicalStorageBuffer) {
        return AddScalar(type, offset);
      }
      return Error{
          format("{} is a pointer, and inputs have only addresses of the storage class "
                 "PhysicalStorageBuffer",
                 TypeText(type))};
    default:
      return Error{format("{} cannot be filled with values", TypeText(type))};
  }
}

Status Builder::AddScalar(Id type, uint64_t offset) {
  const bool is_address = TypeOpcode(module_, type) == spv::Op::OpTypePointer;
  const uint32_t width = is_address ? 64 : Width(module_, type);
  if (width != 8 && width != 16 && width != 32 && width != 64) {
    return Error{format("{} has {} bits; expected 8, 16, 32 or 64", TypeText(type), width)};
  }
  LaidOutScalar& scalar = layout_.scalars.emplace_back();
  scalar.offset = offset;
  scalar.width = width;
  scalar.kind = is_address               ? LaidOutScalar::kAddress
                : IsFloat(module_, type) ? LaidOutScalar::kFloat
                                         : LaidOutScalar::kInteger;
  scalar.path = path_;
  layout_.size = std::max(layout_.size, offset + width / 8);
  return {};
}

Status Builder::AddStruct(Id type, uint64_t offset) {
  if (CountScalars(type) == 0) return {};  // only empty structs, in any number
  const uint32_t members = *PartCount(module_, type);
  for (uint32_t i = 0; i < members; ++i) {
    const Inst place = FindMemberDecoration(module_, type, i, spv::Decoration::Offset);
    if (place == Inst::kNone) {
      return Error{format("member {} of {} has no Offset", i, TypeText(type))};
    }
    const MatrixLayout matrix = MatrixLayoutOf(module_, type, i);
    Status status = AddPart(i, PartType(module_, type, i), offset + module_.Word(place, 3), matrix);
    if (!status) return status;
  }
  return {};
}

// The length of an array; nullopt if it is not known.
std::optional<uint32_t> Builder::LengthOf(Id array) const {
  if (TypeOpcode(module_, array) == spv::Op::OpTypeRuntimeArray) return runtime_length_;
  return FixedLength(module_, array, constants_);
}

Status Builder::AddArray(Id type, uint64_t offset, MatrixLayout matrix) {
  const Inst stride = FindDecoration(module_, type, spv::Decoration::ArrayStride);
  if (stride == Inst::kNone) return Error{format("{} has no ArrayStride", TypeText(type))};
  if (TypeOpcode(module_, type) == spv::Op::OpTypeRuntimeArray) {
    layout_.unsized = path_;
    layout_.has_unsized = true;
  }
  const std::optional<uint32_t> length = LengthOf(type);
  if (!length) {
    return Error{
        format("the length of {} is computed from specialisation constants", TypeText(type))};
  }
  const Id element = ElementType(module_, type);
  for (uint32_t i = 0; i < *length && CountScalars(element) > 0; ++i) {
    const uint64_t place = offset + uint64_t{i} * module_.Word(stride, 2);
    if (Status status = AddPart(i, element, place, matrix); !status) return status;
  }
  // Adds the padding of the last element, without which it would not count as an element. Other
  // arrays do not need this.
  if (TypeOpcode(module_, type) == spv::Op::OpTypeRuntimeArray) {
    layout_.size = std::max(layout_.size, offset + uint64_t{*length} * module_.Word(stride, 2));
  }
  return {};
}

Status Builder::AddMatrix(Id type, uint64_t offset, MatrixLayout matrix) {
  const Id column = ElementType(module_, type);
  if (TypeOpcode(module_, column) != spv::Op::OpTypeVector) {
    return Error{format("the columns of {} are not vectors", TypeText(type))};
  }
  const Id component = ElementType(module_, column);
  if (matrix.stride == 0 || component == Id::kNone) {
    return Error{format("{} has no MatrixStride", TypeText(type))};
  }
  const uint32_t bytes = Width(module_, component) / 8;
  for (uint32_t c = 0; c < *PartCount(module_, type); ++c) {
    for (uint32_t r = 0; r < *PartCount(module_, column); ++r) {
      const uint64_t place = matrix.row_major ? r * uint64_t{matrix.stride} + c * bytes
                                              : c * uint64_t{matrix.stride} + r * bytes;
      path_.push_back(c);
      Status status = AddPart(r, component, offset + place, {});
      path_.pop_back();
      if (!status) return status;
    }
  }
  return {};
}

}  // namespace

Result<Layout> LayOut(const Module& module, Id type, uint32_t runtime_length,
                      const std::vector<BoundConstant>& constants) {
  Builder builder(module, runtime_length, constants);
  if (builder.CountScalars(type) == kTooMany) {
    return Error{format("the block has more than {} scalars", kMaxBlockScalars)};
  }
  if (Status status = builder.Add(type, 0, {}); !status) return status.error();
  return builder.Take();
}

Result<uint32_t> DescriptorCount(const Module& module, Id type,
                                 const std::vector<BoundConstant>& constants) {
  const auto is = [&](Id id, spv::Op opcode) { return TypeOpcode(module, id) == opcode; };
  const Id element = ElementType(module, type);
  if (is(element, spv::Op::OpTypeArray) || is(element, spv::Op::OpTypeRuntimeArray)) {
    return Error{"an array of arrays of descriptors"};
  }
  if (!is(type, spv::Op::OpTypeArray)) return Error{"an array of descriptors without a length"};
  const std::optional<uint32_t> length = FixedLength(module, type, constants);
  if (!length) return Error{"an array of descriptors whose length is computed"};
  if (*length > 0 && *length <= kMaxDescriptors) return *length;
  return Error{format("an array of {} descriptors; the maximum is {}", *length, kMaxDescriptors)};
}

Result<RuntimeArrayPlace> PlaceOfRuntimeArray(const Module& module, const Layout& layout, Id type) {
  if (layout.unsized.size() != 1) {
    return Error{"the runtime array is not a direct member of the block"};
  }
  const uint32_t member = layout.unsized[0];
  const Inst offset = FindMemberDecoration(module, type, member, spv::Decoration::Offset);
  const Inst stride =
      FindDecoration(module, PartType(module, type, member), spv::Decoration::ArrayStride);
  // LayOut has already found both; this is only a safeguard.
  if (offset == Inst::kNone || stride == Inst::kNone || module.Word(stride, 2) == 0) {
    return Error{"the runtime array has no Offset or no ArrayStride"};
  }
  return RuntimeArrayPlace{module.Word(offset, 3), module.Word(stride, 2)};
}

}  // namespace input
}  // namespace refract
