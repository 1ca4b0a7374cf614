// SPDX-License-Identifier: Apache-2.0
#include "input/layout_rules.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint64_t kMaxLaidOutBytes = uint64_t{1} << 28;
constexpr uint32_t kMaxMembers = 256;  // of one struct: finding a decoration takes linear time
constexpr uint32_t kMaxTypes = 4096;   // visited: nested types may multiply

uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Rounds up to the "extended alignment" of uniform blocks.
uint64_t Extended(uint64_t alignment, LayoutRules rules) {
  return rules == LayoutRules::kUniform ? RoundUp(alignment, 16) : alignment;
}

class Ruler {
 public:
  Ruler(const Module& module, LayoutRules rules, const LayoutChange* change)
      : module_(module), rules_(rules), change_(change) {}

  std::optional<Extent> Of(Id type, MatrixLayout matrix);
  MatrixLayout MatrixOf(Id type, uint32_t member) const;

 private:
  std::optional<Extent> OfArray(Id type, MatrixLayout matrix);
  std::optional<Extent> OfMatrix(Id type, MatrixLayout matrix) const;
  std::optional<Extent> OfStruct(Id type);
  bool IsChanged(Id type, uint32_t member, spv::Decoration decoration) const {
    return change_ != nullptr && change_->type == type && change_->member == member &&
           change_->decoration == decoration;
  }
  std::optional<uint32_t> MemberWord(Id type, uint32_t member, spv::Decoration decoration) const;

  const Module& module_;
  const LayoutRules rules_;
  const LayoutChange* const change_;
  uint32_t visited_ = 0;
};

std::optional<uint32_t> Ruler::MemberWord(Id type, uint32_t member,
                                          spv::Decoration decoration) const {
  if (IsChanged(type, member, decoration)) return change_->value;
  const Inst inst = FindMemberDecoration(module_, type, member, decoration);
  if (inst == Inst::kNone || module_.OperandCount(inst) < 4) return std::nullopt;
  return module_.Word(inst, 3);
}

MatrixLayout Ruler::MatrixOf(Id type, uint32_t member) const {
  MatrixLayout matrix;
  matrix.stride = MemberWord(type, member, spv::Decoration::MatrixStride).value_or(0);
  matrix.row_major = IsChanged(type, member, spv::Decoration::RowMajor)
                         ? change_->value != 0
                         : HasMemberDecoration(module_, type, member, spv::Decoration::RowMajor);
  return matrix;
}

std::optional<Extent> Ruler::Of(Id type, MatrixLayout matrix) {
  if (++visited_ > kMaxTypes) return std::nullopt;
  switch (TypeOpcode(module_, type)) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return ExtentOfNumbers(Width(module_, type), 1);
    case spv::Op::OpTypeVector: {
      const uint32_t width = Width(module_, ElementType(module_, type));
      const uint32_t count = *PartCount(module_, type);
      if (width == 0 || count > 4) return std::nullopt;
      return ExtentOfNumbers(width, count);
    }
    case spv::Op::OpTypeMatrix:
      return OfMatrix(type, matrix);
    case spv::Op::OpTypeArray:
      return OfArray(type, matrix);
    case spv::Op::OpTypeStruct:
      return OfStruct(type);
    default:
      return std::nullopt;
  }
}

// A matrix has the layout of an array of its columns or, if it is row-major, of its rows.
std::optional<Extent> Ruler::OfMatrix(Id type, MatrixLayout matrix) const {
  const Id column = ElementType(module_, type);
  if (TypeOpcode(module_, column) != spv::Op::OpTypeVector) return std::nullopt;
  const uint32_t width = Width(module_, ElementType(module_, column));
  const uint32_t columns = *PartCount(module_, type), rows = *PartCount(module_, column);
  const Extent vector = ExtentOfNumbers(width, matrix.row_major ? columns : rows);
  const uint64_t alignment = Extended(vector.alignment, rules_);
  if (matrix.stride % alignment != 0 || matrix.stride < vector.size) return std::nullopt;
  const uint64_t size = uint64_t{matrix.stride} * (matrix.row_major ? rows : columns);
  if (size > kMaxLaidOutBytes) return std::nullopt;
  return Extent{size, alignment};
}

std::optional<Extent> Ruler::OfArray(Id type, MatrixLayout matrix) {
  const std::optional<uint32_t> count = PartCount(module_, type);
  const Inst inst = FindDecoration(module_, type, spv::Decoration::ArrayStride);
  if (!count || inst == Inst::kNone) return std::nullopt;
  const uint32_t stride =
      IsChanged(type, 0, spv::Decoration::ArrayStride) ? change_->value : module_.Word(inst, 2);
  const std::optional<Extent> element = Of(ElementType(module_, type), matrix);
  if (!element) return std::nullopt;
  const uint64_t alignment = Extended(element->alignment, rules_);
  if (stride % alignment != 0 || stride < element->size) return std::nullopt;
  if (uint64_t{stride} > kMaxLaidOutBytes / std::max(*count, 1u)) return std::nullopt;
  return Extent{uint64_t{stride} * *count, alignment};
}

std::optional<Extent> Ruler::OfStruct(Id type) {
  const uint32_t count = module_.OperandCount(module_.Definition(type));
  if (count > kMaxMembers) return std::nullopt;
  std::vector<PlacedMember> members;
  for (uint32_t i = 0; i < count; ++i) {
    const std::optional<uint32_t> offset = MemberWord(type, i, spv::Decoration::Offset);
    if (!offset) return std::nullopt;
    const std::optional<Extent> extent = Of(PartType(module_, type, i), MatrixOf(type, i));
    if (!extent) return std::nullopt;
    members.push_back({*offset, *extent});
  }
  return ExtentOfMembers(std::move(members), rules_);
}

}  // namespace

Extent ExtentOfNumbers(uint32_t width, uint32_t count) {
  const uint64_t bytes = width / 8;
  return {bytes * count, bytes * (count == 3 ? 4 : count)};
}

std::optional<Extent> ExtentOfMembers(std::vector<PlacedMember> members, LayoutRules rules) {
  if (members.empty()) return std::nullopt;
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  uint64_t end = 0, alignment = 1;
  for (const PlacedMember& member : members) {
    if (member.extent.alignment == 0 || member.offset % member.extent.alignment != 0 ||
        member.offset < end) {
      return std::nullopt;
    }
    end = member.offset + member.extent.size;
    alignment = std::max(alignment, member.extent.alignment);
  }
  if (end > kMaxLaidOutBytes) return std::nullopt;
  alignment = Extended(alignment, rules);
  return Extent{RoundUp(end, alignment), alignment};
}

MatrixLayout MatrixLayoutOf(const Module& module, Id type, uint32_t member) {
  return Ruler(module, LayoutRules::kUniform, nullptr).MatrixOf(type, member);
}

std::optional<Extent> ExtentOf(const Module& module, Id type, LayoutRules rules,
                               MatrixLayout matrix, const LayoutChange* change) {
  return Ruler(module, rules, change).Of(type, matrix);
}

}  // namespace input
}  // namespace refract
