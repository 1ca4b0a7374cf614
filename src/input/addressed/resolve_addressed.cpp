// SPDX-License-Identifier: Apache-2.0
#include "input/addressed/resolve_addressed.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

Error Refuse(const std::string& file, const InputValue& value, std::string_view what) {
  return Error{format("{}: /{}: {}", file, value.name, what)};
}

// Writes the values of one entry to a buffer.
class Filler {
 public:
  Filler(const AddressedNames& names, const std::string& file, uint32_t index,
         ResolvedAddressed* result, std::vector<bool>* given)
      : names_(names), file_(file), index_(index), result_(*result), given_(*given) {}

  Status Fill(const InputValue& value);

 private:
  Status Put(const InputValue& value, size_t word, uint64_t offset);

  const AddressedNames& names_;
  const std::string& file_;
  const uint32_t index_;
  ResolvedAddressed& result_;
  std::vector<bool>& given_;  // a flag for each byte
};

Status Filler::Put(const InputValue& value, size_t word, uint64_t offset) {
  AddressedBuffer& buffer = result_.buffers[index_];
  const uint32_t size = value.width / 8;
  if (offset + size > buffer.bytes.size()) {
    return Refuse(file_, value,
                  format("the value ends at byte {}, but the buffer {} has {} bytes", offset + size,
                         buffer.name, buffer.bytes.size()));
  }
  uint64_t bits = value.words[word];
  const auto at = static_cast<uint32_t>(offset);
  if (value.scalar == InputValue::kAddress) {
    if (offset % size != 0) {
      return Refuse(
          file_, value,
          format("an address must be at a multiple of {} bytes, not at byte {}", size, offset));
    }
    const Result<uint64_t> number = names_.NumberOf(value, word);
    if (!number) return number.error();
    bits = *number;
    if (bits != 0) {
      BoundAddress& address =
          result_.addresses.emplace_back(AddressAt(BoundAddress::kBuffer, at, bits));
      address.set = kAddressedSet;
      address.binding = index_;
    }
  }
  if (value.scalar == InputValue::kFloat) buffer.floats.push_back({at, value.width});
  for (uint32_t byte = 0; byte < size; ++byte) {
    if (given_[at + byte]) {
      return Refuse(file_, value,
                    format("byte {} of the buffer {} already has a value", at + byte, buffer.name));
    }
    given_[at + byte] = true;
    buffer.bytes[at + byte] = static_cast<char>(bits >> (8 * byte));
  }
  return {};
}

Status Filler::Fill(const InputValue& value) {
  const uint64_t size = uint64_t{value.rows} * value.width / 8;
  const uint64_t stride = value.stride == 0 ? size : value.stride;
  if (stride < size) {
    return Refuse(file_, value,
                  format("\"stride\" is {}, but a vector has {} bytes", stride, size));
  }
  for (size_t i = 0; i < value.words.size(); ++i) {
    const uint64_t offset =
        value.offset.value_or(0) + i / value.rows * stride + i % value.rows * (value.width / 8);
    if (Status put = Put(value, i, offset); !put) return put;
  }
  return {};
}

}  // namespace

AddressedNames::AddressedNames(const Inputs& inputs, std::string file) : file_(std::move(file)) {
  for (const InputValue& value : inputs.values) {
    if (!value.is_addressed_buffer()) continue;
    const auto index = static_cast<uint32_t>(buffers_.size());
    buffers_[value.name] = {index, value.buffer_bytes};
  }
}

Result<AddressedNames::Buffer> AddressedNames::Find(const InputValue& value,
                                                    const std::string& name) const {
  const auto found = buffers_.find(name);
  if (found != buffers_.end()) return found->second;
  return Refuse(file_, value, format("no entry \"{}\" is a buffer without a binding", name));
}

Result<uint64_t> AddressedNames::NumberOf(const InputValue& value, size_t index) const {
  const AddressInput& address = value.addresses[index];
  if (address.buffer.empty()) return uint64_t{0};
  const Result<Buffer> buffer = Find(value, address.buffer);
  if (!buffer) return buffer.error();
  if (address.offset > buffer->bytes) {
    return Refuse(file_, value,
                  format("the address {}+{} is after the end of the buffer, which has {} bytes",
                         address.buffer, address.offset, buffer->bytes));
  }
  return AddressNumber(buffer->index, address.offset);
}

Result<uint32_t> AddressedNames::IndexFor(const InputValue& value) const {
  const Result<Buffer> buffer = Find(value, value.buffer);
  if (!buffer) return buffer.error();
  return buffer->index;
}

BoundAddress AddressAt(BoundAddress::Memory memory, uint32_t offset, uint64_t number) {
  BoundAddress address;
  address.memory = memory;
  address.offset = offset;
  address.target = static_cast<uint32_t>(number >> 32) - 1;
  address.target_offset = static_cast<uint32_t>(number);
  return address;
}

Result<ResolvedAddressed> ResolveAddressed(const Inputs& inputs, const std::string& file) {
  constexpr uint64_t kMaxBytes = uint64_t{1} << 29;  // of all buffers together
  const AddressedNames names(inputs, file);
  ResolvedAddressed result;
  std::vector<std::vector<bool>> given;
  uint64_t total = 0;
  for (const InputValue& value : inputs.values) {
    if (!value.is_addressed_buffer()) continue;
    total += value.buffer_bytes;
    if (total > kMaxBytes) {
      return Error{format("{}: the buffers have more than {} bytes", file, kMaxBytes),
                   ErrorKind::kUnavailable};
    }
    result.buffers.push_back({value.name, std::string(value.buffer_bytes, '\0'), {}});
    given.emplace_back(value.buffer_bytes);
  }
  for (const InputValue& value : inputs.values) {
    if (value.buffer.empty()) continue;
    const Result<uint32_t> index = names.IndexFor(value);
    if (!index) return index.error();
    Status filled = Filler(names, file, *index, &result, &given[*index]).Fill(value);
    if (!filled) return filled.error();
  }
  std::sort(result.addresses.begin(), result.addresses.end());
  return result;
}

bool AddressesFit(const Bindings& bindings) {
  return std::all_of(
      bindings.addresses.begin(), bindings.addresses.end(), [&](const BoundAddress& address) {
        const std::string* memory = nullptr;
        if (address.memory == BoundAddress::kPushConstants) {
          memory = &bindings.push_constants;
        } else if (address.set == kAddressedSet) {
          if (address.binding < bindings.addressed.size()) {
            memory = &bindings.addressed[address.binding].bytes;
          }
        } else {
          for (const BoundBuffer& buffer : bindings.buffers) {
            if (SamePlace(buffer, address)) memory = &buffer.bytes;
          }
        }
        return memory != nullptr && uint64_t{address.offset} + 8 <= memory->size() &&
               address.target < bindings.addressed.size() &&
               address.target_offset <= bindings.addressed[address.target].bytes.size();
      });
}

Layout LayoutOf(const AddressedBuffer& buffer) {
  Layout layout;
  layout.size = buffer.bytes.size();
  for (const auto& [offset, width] : buffer.floats) {
    layout.scalars.push_back({offset, width, LaidOutScalar::kFloat, {}});
  }
  return layout;
}

}  // namespace input
}  // namespace refract
