// SPDX-License-Identifier: Apache-2.0
#include "input/addressed/complete_addresses.h"

#include <algorithm>

#include "base/text.h"
#include "input/layout.h"
#include "input/resolve_blocks.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint32_t kNodes = 4;         // of a list or along a path of a tree
constexpr uint32_t kMostBuffers = 64;  // after these, addresses are null
// Elements in a row, if the module computes addresses, and entries for an array of structs.
constexpr uint32_t kElements = 16;

bool IsAddress(const Module& module, Id type) {
  return TypeOpcode(module, type) == spv::Op::OpTypePointer;
}

bool ComputesAddress(const Module& module, Inst inst) {
  switch (module.Opcode(inst)) {
    case spv::Op::OpConvertUToPtr:
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
      return true;
    case spv::Op::OpBitcast:
      return IsAddress(module, module.Type(inst));
    default:
      return false;
  }
}

bool ComputesAddresses(const Module& module) {
  bool found = false;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block,
                         [&](Inst inst) { found = found || ComputesAddress(module, inst); });
    });
  });
  return found;
}

// Whether elements of the runtime array hold addresses.
bool HasAddressesInElements(const Layout& layout) {
  const std::vector<uint32_t>& array = layout.unsized;
  return layout.has_unsized &&
         std::any_of(layout.scalars.begin(), layout.scalars.end(), [&](const LaidOutScalar& s) {
           return s.kind == LaidOutScalar::kAddress && s.path.size() > array.size() &&
                  std::equal(array.begin(), array.end(), s.path.begin());
         });
}

}  // namespace

AddressCompleter::AddressCompleter(const Module& module, const BlockNames& names,
                                   NewEntries entries)
    : module_(module),
      names_(names),
      entries_(std::move(entries)),
      computes_(ComputesAddresses(module)) {}

Result<AddressInput> AddressCompleter::Make(Id pointer, const std::string& name,
                                            const std::vector<BoundConstant>& constants) {
  const Id type = ElementType(module_, pointer);
  const auto nodes = std::count(open_.begin(), open_.end(), type);
  if (nodes >= kNodes || made_ >= kMostBuffers) return AddressInput();
  constants_ = constants;
  const Result<Layout> one = LayOut(module_, type, 1, constants_);
  if (!one) return one.error();
  const uint32_t length = HasAddressesInElements(*one) ? kNodes : kDefaultArrayLength;
  const Result<Layout> layout = LayOut(module_, type, length, constants_);
  if (!layout) return layout.error();
  const uint64_t size = std::max<uint64_t>((layout->size + 15) / 16 * 16, 16);
  InputValue buffer;
  buffer.name = entries_.free_name(name);
  buffer.buffer_bytes = computes_ && !layout->has_unsized ? kElements * size : size;
  if (buffer.buffer_bytes > kMaxBufferBytes) {
    return Error{format("{} bytes are too many for a buffer", buffer.buffer_bytes),
                 ErrorKind::kUnavailable};
  }
  ++made_;
  if (open_.empty()) root_ = buffer.name;
  AddressInput address{buffer.name, 0};
  const Part whole{type, 0, {}, buffer.name};
  if (Status kept = entries_.keep(std::move(buffer)); !kept) return kept.error();

  open_.push_back(type);
  const std::string outer = std::exchange(buffer_, address.buffer);
  const uint32_t outer_length = std::exchange(runtime_length_, length);
  const Status added = AddPart(whole);
  open_.pop_back();
  buffer_ = outer;
  runtime_length_ = outer_length;
  if (!added) return added.error();
  return address;
}

Status AddressCompleter::AddPart(const Part& part) {
  switch (TypeOpcode(module_, part.type)) {
    case spv::Op::OpTypeStruct:
      return AddMembers(part);
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return AddArray(part);
    case spv::Op::OpTypeMatrix: {
      const Id column = ElementType(module_, part.type);
      uint32_t rows = static_cast<uint32_t>(*PartCount(module_, column));
      uint32_t columns = static_cast<uint32_t>(*PartCount(module_, part.type));
      if (part.matrix.row_major) std::swap(rows, columns);
      return AddElements(part, rows, columns, ElementType(module_, column), part.matrix.stride);
    }
    case spv::Op::OpTypePointer:
      return AddAddresses(part, 0, 0);
    case spv::Op::OpTypeVector:
      return AddElements(part, static_cast<uint32_t>(*PartCount(module_, part.type)), 0,
                         ElementType(module_, part.type), 0);
    default:
      return AddElements(part, 1, 0, part.type, 0);
  }
}

Status AddressCompleter::AddMembers(const Part& part) {
  for (uint32_t i = 0; i < *PartCount(module_, part.type); ++i) {
    const Inst offset = FindMemberDecoration(module_, part.type, i, spv::Decoration::Offset);
    if (offset == Inst::kNone) continue;  // an empty struct, as LayOut has checked
    const std::string& name = names_.MemberName(part.type, i);
    Status added = AddPart({PartType(module_, part.type, i), part.offset + module_.Word(offset, 3),
                            MatrixLayoutOf(module_, part.type, i),
                            format("{}.{}", part.name, name.empty() ? format("{}", i) : name)});
    if (!added) return added;
  }
  return {};
}

Status AddressCompleter::AddArray(const Part& part) {
  const Id element = ElementType(module_, part.type);
  const bool is_runtime = TypeOpcode(module_, part.type) == spv::Op::OpTypeRuntimeArray;
  const auto length = is_runtime ? runtime_length_
                                 : static_cast<uint32_t>(PartCount(module_, part.type).value_or(1));
  const Inst decoration = FindDecoration(module_, part.type, spv::Decoration::ArrayStride);
  if (decoration == Inst::kNone) return {};
  const uint32_t stride = module_.Word(decoration, 2);
  if (IsAddress(module_, element)) return AddAddresses(part, length, stride);
  if (IsVector(module_, element)) {
    return AddElements(part, static_cast<uint32_t>(*PartCount(module_, element)), length,
                       ElementType(module_, element), stride);
  }
  if (Width(module_, element) != 0) return AddElements(part, 1, length, element, stride);
  for (uint32_t i = 0; i < std::min(length, kElements); ++i) {
    Status added = AddPart(
        {element, part.offset + uint64_t{i} * stride, part.matrix, format("{}[{}]", part.name, i)});
    if (!added) return added;
  }
  return {};
}

InputValue AddressCompleter::ValueFor(const Part& part, uint32_t count, uint32_t stride) const {
  InputValue value;
  value.name = entries_.free_name(part.name);
  value.buffer = buffer_;
  value.offset = static_cast<uint32_t>(part.offset);
  value.count = count;
  value.stride = count == 0 ? 0 : stride;
  return value;
}

Status AddressCompleter::AddElements(const Part& part, uint32_t rows, uint32_t count, Id scalar,
                                     uint32_t stride) {
  InputValue value = ValueFor(part, count, stride);
  value.width = Width(module_, scalar);
  value.rows = rows;
  value.scalar = IsFloat(module_, scalar)    ? InputValue::kFloat
                 : IsSigned(module_, scalar) ? InputValue::kInt
                                             : InputValue::kUint;
  if (value.stride == rows * value.width / 8) value.stride = 0;
  value.words.resize(value.elements());
  entries_.fill(&value);
  return entries_.keep(std::move(value));
}

Status AddressCompleter::AddAddresses(const Part& part, uint32_t count, uint32_t stride) {
  InputValue value = ValueFor(part, std::max(count, 1u), stride == 8 ? 0 : stride);
  value.scalar = InputValue::kAddress;
  value.width = 64;
  Id pointer = part.type;
  if (count != 0) pointer = ElementType(module_, part.type);
  for (uint32_t i = 0; i < value.count; ++i) {
    // The names of nodes of a list would become longer and longer.
    Result<AddressInput> address = Make(pointer, root_, constants_);
    if (!address) return address.error();
    value.addresses.push_back(std::move(*address));
  }
  value.words.resize(value.count);
  return entries_.keep(std::move(value));
}

}  // namespace input
}  // namespace refract
