// SPDX-License-Identifier: Apache-2.0
#include "driver/addressed.h"

#include <algorithm>
#include <cstring>

namespace refract {
inline namespace driver {
namespace {

constexpr uint64_t kHalf = uint64_t{1} << 32;

// Where the content begins in a buffer at `address`: at a multiple of kAddressAlignment, so that
// the lower half of no address in it, or at its end, is 0, and all have the same upper half. The
// interpreter relies on this.
VkDeviceSize BeginOf(VkDeviceAddress address, uint64_t size) {
  VkDeviceAddress begin = (address + kAddressAlignment - 1) / kAddressAlignment * kAddressAlignment;
  if (begin % kHalf == 0) begin += kAddressAlignment;
  if (begin / kHalf != (begin + size) / kHalf) {
    begin = (begin + size) / kHalf * kHalf + kAddressAlignment;
  }
  return begin - address;
}

}  // namespace

VulkanFailure AddressedMemory::Make(const Device& device, const Bindings& bindings) {
  for (const AddressedBuffer& bound : bindings.addressed) {
    Memory& memory = memories_.emplace_back();
    memory.size = bound.bytes.size();
    // Twice the size, because the content may have to begin after a multiple of 2^32.
    const VkDeviceSize room = 2 * memory.size + 3 * VkDeviceSize{kAddressAlignment};
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    if (VulkanFailure failed = memory.buffer.Make(device, room, usage)) return failed;
    const VkDeviceAddress address = memory.buffer.Address(device);
    if (address == 0) return {"vkGetBufferDeviceAddress", VK_ERROR_UNKNOWN};
    memory.begin = BeginOf(address, memory.size);
    memory.address = address + memory.begin;
    std::memset(memory.buffer.mapped, 0, room);
    std::memcpy(static_cast<char*>(memory.buffer.mapped) + memory.begin, bound.bytes.data(),
                bound.bytes.size());
  }
  return {};
}

void AddressedMemory::WriteAddresses(const Bindings& bindings, const std::vector<Buffer>& buffers,
                                     std::string* push_constants) const {
  *push_constants = bindings.push_constants;
  for (const BoundAddress& address : bindings.addresses) {
    const VkDeviceAddress number = memories_[address.target].address + address.target_offset;
    char* to = nullptr;
    if (address.memory == BoundAddress::kPushConstants) {
      to = push_constants->data();
    } else if (address.set == kAddressedSet) {
      const Memory& memory = memories_[address.binding];
      to = static_cast<char*>(memory.buffer.mapped) + memory.begin;
    } else {
      for (size_t i = 0; i < bindings.buffers.size(); ++i) {
        if (SamePlace(bindings.buffers[i], address)) to = static_cast<char*>(buffers[i].mapped);
      }
    }
    if (to != nullptr) std::memcpy(to + address.offset, &number, sizeof number);
  }
}

// Replaces everything that looks like an address in a buffer: shaders may store addresses anywhere.
void AddressedMemory::ReplaceAddresses(std::string* bytes) const {
  if (memories_.empty()) return;
  VkDeviceAddress lowest = memories_[0].address, highest = 0;
  for (const Memory& memory : memories_) {
    lowest = std::min(lowest, memory.address);
    highest = std::max(highest, memory.address + memory.size);
  }
  for (size_t at = 0; at + sizeof(VkDeviceAddress) <= bytes->size(); at += 4) {
    VkDeviceAddress number = 0;
    std::memcpy(&number, bytes->data() + at, sizeof number);
    if (number < lowest || number > highest) continue;
    for (uint32_t i = 0; i < memories_.size(); ++i) {
      if (number < memories_[i].address || number - memories_[i].address > memories_[i].size) {
        continue;
      }
      const uint64_t known = AddressNumber(i, static_cast<uint32_t>(number - memories_[i].address));
      std::memcpy(bytes->data() + at, &known, sizeof known);
      at += 4;  // the other half
      break;
    }
  }
}

void AddressedMemory::ReadBack(const Bindings& bindings, std::vector<BoundBuffer>* outputs) const {
  for (uint32_t i = 0; i < memories_.size(); ++i) {
    BoundBuffer& buffer =
        outputs->emplace_back(BoundBuffer{kAddressedSet, i, true, bindings.addressed[i].bytes});
    std::memcpy(buffer.bytes.data(),
                static_cast<const char*>(memories_[i].buffer.mapped) + memories_[i].begin,
                buffer.bytes.size());
  }
  for (BoundBuffer& buffer : *outputs) ReplaceAddresses(&buffer.bytes);
}

}  // namespace driver
}  // namespace refract
