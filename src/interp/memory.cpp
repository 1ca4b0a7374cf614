// SPDX-License-Identifier: Apache-2.0
#include "interp/memory.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "interp/address_shadow.h"
#include "interp/describe.h"

namespace refract {
inline namespace interp {

uint32_t BytesOf(Scalar scalar) {
  return scalar == Scalar::kBool || scalar == Scalar::kPointer ? 4 : WidthOf(scalar) / 8;
}

// --- addresses

NumberedAddress NumberOf(const Address& address) {
  // A pointer before the start of its object has a negative byte.
  const auto offset = static_cast<int64_t>(static_cast<int32_t>(address.byte));
  if (address.object == 0) return {address.byte, address.shadow};
  const uint64_t bits = (uint64_t{address.object} << 32) + static_cast<uint64_t>(offset);
  if ((address.shadow & kUndefinedBit) != 0) return {bits, kUndefinedBit};
  if (address.shadow != 0) return {bits, address.shadow};
  return {bits, AddressShadow{AddressShadow::kWhole, address.object}.Bits()};
}

Address PointerOf(const NumberedAddress& number, const Program::Code& code) {
  const uint32_t about = number.shadow & kShadowMask;
  if ((about & kUndefinedBit) != 0) return {0, 0, kUndefinedBit};
  if (const auto address = AddressIn(number.shadow)) {
    const uint64_t byte = number.bits - (uint64_t{address->object} << 32);
    const bool fits = byte + (uint64_t{1} << 31) < (uint64_t{1} << 32);
    if (address->part == AddressShadow::kWhole && fits) {
      return {address->object, static_cast<uint32_t>(byte), 0};
    }
  }
  // A number that was computed from an address in another way: which buffer it is in may differ.
  const auto object = static_cast<uint32_t>(number.bits >> 32);
  const auto low = static_cast<uint32_t>(number.bits);
  const bool is_object =
      object != 0 && object < code.objects.size() && code.objects[object].set == kAddressedSet;
  if (about != 0 && is_object) return {object, low, kApproximateBit};
  if (object == 0) return {0, low, about};
  return {0, low, kApproximateBit};
}

uint32_t SharedMemory::AddressShadowAt(const Object& memory, uint32_t address,
                                       Scalar scalar) const {
  const auto at = [&](uint32_t place) {
    const auto found = memory.addresses.find(place);
    return found == memory.addresses.end() ? 0u : found->second;
  };
  const uint32_t low = at(address);
  if (low == 0 || IsFloat(scalar)) return 0;
  if (BytesOf(scalar) == 4) return low;
  return BytesOf(scalar) == 8 ? JoinHalves(low, at(address + 4)) : 0;
}

void SharedMemory::SetAddressShadow(Object* memory, uint32_t address, uint32_t size, uint64_t bits,
                                    uint32_t shadow) {
  // Halves of other addresses that the write changes.
  const auto first = memory->addresses.lower_bound(address < 3 ? 0 : address - 3);
  memory->addresses.erase(first, memory->addresses.lower_bound(address + size));
  const auto part = AddressIn(shadow);
  if (!part || size < 4) return;
  if (size == 4) {
    memory->addresses[address] = shadow;
  } else if (part->part == AddressShadow::kWhole) {
    const NumberedAddress whole{bits, shadow};
    memory->addresses[address] = HalfOf(whole, false, code_);
    memory->addresses[address + 4] = HalfOf(whole, true, code_);
  }
}

void SharedMemory::SettleAddresses(uint32_t object) {
  Object& memory = objects_[object];
  for (const auto& [place, shadow] : memory.addresses) {
    if (place % 4 != 0) continue;  // the harness looks for addresses at multiples of 4 alone
    const uint32_t whole = AddressShadowAt(memory, place, Scalar::kInt64);
    if (!AddressIn(whole)) continue;
    uint64_t bits = 0;
    std::memcpy(&bits, memory.bytes.data() + place, sizeof bits);
    const auto target = static_cast<uint32_t>(bits >> 32);
    if (target != AddressIn(whole)->object || (bits & 0xffffffff) > code_.objects[target].size) {
      continue;
    }
    std::memset(memory.shadows.data() + place, 0, sizeof bits);
  }
}

// --- races

bool RaceDetector::Races(const Access& earlier, const Accessor& accessor, bool atomic) {
  if (!earlier.there || (atomic && earlier.atomic)) return false;
  if (!earlier.many && !earlier.groups && earlier.accessor.invocation == accessor.invocation) {
    return false;
  }
  if (earlier.groups || earlier.accessor.group != accessor.group) return true;
  if (earlier.accessor.epoch < accessor.epoch) return false;
  return earlier.many || earlier.accessor.subgroup != accessor.subgroup ||
         earlier.accessor.subgroup_epoch >= accessor.subgroup_epoch;
}

RaceDetector::Place* RaceDetector::At(size_t place) {
  std::unique_ptr<Place[]>& page = pages_[place / kPage];
  if (page == nullptr) {
    if (made_ == kMaxPages) return nullptr;
    ++made_;
    page = std::make_unique<Place[]>(kPage);
  }
  return &page[place % kPage];
}

bool RaceDetector::Read(size_t place, const Accessor& accessor, bool atomic, uint32_t* other) {
  Place* const found = At(place);
  if (found == nullptr) return true;
  Place& here = *found;
  if (Races(here.write, accessor, atomic)) {
    *other = here.write.accessor.invocation;
    return false;
  }
  Access& read = here.read;
  const bool is_past = !read.there || (!read.groups && read.accessor.group == accessor.group &&
                                       read.accessor.epoch < accessor.epoch);
  if (is_past) {
    read = {accessor, true, atomic, false, false, 0};
    return true;
  }
  read.atomic = read.atomic && atomic;
  if (read.accessor.invocation != accessor.invocation) {
    (read.accessor.group != accessor.group ? read.groups : read.many) = true;
    read.second = accessor.invocation;
  }
  if (!read.many) read.accessor = accessor;
  return true;
}

bool RaceDetector::Write(size_t place, const Accessor& accessor, bool atomic, uint32_t* other) {
  Place* const found = At(place);
  if (found == nullptr) return true;
  Place& here = *found;
  for (const Access* earlier : {&here.write, &here.read}) {
    if (!Races(*earlier, accessor, atomic)) continue;
    const bool is_self = earlier->accessor.invocation == accessor.invocation;
    *other = is_self ? earlier->second : earlier->accessor.invocation;
    return false;
  }
  here.write = {accessor, true, atomic, false, false, 0};
  return true;
}

// --- memory

SharedMemory::SharedMemory(const Program::Code& code, bool find_races)
    : code_(code), find_races_(find_races), objects_(code.objects.size()) {
  for (size_t i = 0; i < objects_.size(); ++i) {
    objects_[i].bytes = code.objects[i].bytes;
    objects_[i].bytes.resize(code.objects[i].size);
    for (const BoundAddress& address : code.objects[i].addresses) {
      if (address.offset + 8 > code.objects[i].size) continue;
      objects_[i].shadows.resize(code.objects[i].size);
      const AddressShadow shadow{AddressShadow::kWhole, address.target + 1};
      uint64_t bits = 0;
      std::memcpy(&bits, objects_[i].bytes.data() + address.offset, sizeof bits);
      SetAddressShadow(&objects_[i], address.offset, 8, bits, shadow.Bits());
      std::memset(objects_[i].shadows.data() + address.offset, kApproximateBit, 8);
    }
    if (code.objects[i].kind == ObjectCode::Kind::kStorage && find_races) {
      const size_t places = code.objects[i].has_narrow_scalars ? code.objects[i].size
                                                               : (code.objects[i].size + 3) / 4;
      objects_[i].races = RaceDetector(places);
      objects_[i].detects = true;
    }
  }
}

void SharedMemory::BeginBatch(Machine& machine) {
  const uint32_t subgroups = machine.lanes() / machine.subgroup_size() + 1;
  for (auto& epochs : subgroup_epochs_) epochs.assign(subgroups, 0);
  for (LaneSet& fenced : fenced_) fenced = LaneSet(machine.lanes());
  for (size_t i = 0; i < objects_.size(); ++i) {
    const ObjectCode& object = code_.objects[i];
    if (object.kind != ObjectCode::Kind::kWorkgroup) continue;
    objects_[i].bytes = object.bytes;
    objects_[i].bytes.resize(object.size);
    objects_[i].shadows.clear();
    objects_[i].addresses.clear();
    if (object.bytes.empty()) {
      objects_[i].shadows.assign(object.size, static_cast<char>(kUndefinedBit));
    }
    if (find_races_) {
      objects_[i].races =
          RaceDetector(object.has_narrow_scalars ? object.size : (object.size + 3) / 4);
      objects_[i].detects = true;
    }
  }
}

void SharedMemory::Barrier(Machine& machine, uint32_t classes, bool subgroups_only) {
  if (!subgroups_only) {
    for (uint32_t kind = 0; kind < 3; ++kind) {
      if ((classes >> kind & 1) != 0 || fenced_[kind] == machine.live()) ++epochs_[kind];
      fenced_[kind] = LaneSet(machine.lanes());
    }
    return;
  }
  std::vector<bool> met(subgroup_epochs_[0].size());
  machine.active().ForEach([&](uint32_t lane) { met[lane / machine.subgroup_size()] = true; });
  for (uint32_t kind = 0; kind < 3; ++kind) {
    if ((classes >> kind & 1) == 0) continue;
    for (size_t i = 0; i < met.size(); ++i) {
      if (met[i]) ++subgroup_epochs_[kind][i];
    }
  }
}

void SharedMemory::Fence(Machine& machine, uint32_t classes) {
  for (uint32_t kind = 0; kind < 3; ++kind) {
    if ((classes >> kind & 1) != 0) fenced_[kind] |= machine.active();
  }
}

RaceDetector::Accessor SharedMemory::AccessorOf(Machine& machine, uint32_t lane,
                                                MemoryClass kind) const {
  const uint32_t invocation = machine.InvocationNumber(lane);
  const uint32_t subgroup = lane / machine.subgroup_size();
  // Fragments are not in workgroups: each counts as a group.
  const uint32_t group = code_.is_compute ? invocation / machine.lanes() : invocation;
  const size_t place = static_cast<size_t>(kind);
  return {invocation, group, subgroup, epochs_[place], subgroup_epochs_[place][subgroup]};
}

void SharedMemory::Access(Machine& machine, const Op& op, uint32_t lane, uint32_t object,
                          uint32_t address, uint32_t size, bool write, bool atomic) {
  Object& memory = objects_[object];
  if (!memory.detects) return;
  const bool fine = code_.objects[object].has_narrow_scalars;
  const MemoryClass kind = code_.objects[object].kind == ObjectCode::Kind::kWorkgroup
                               ? MemoryClass::kWorkgroup
                               : MemoryClass::kBuffer;
  const RaceDetector::Accessor accessor = AccessorOf(machine, lane, kind);
  if (write) ClearFence(lane, kind);
  const uint32_t first = fine ? address : address / 4;
  const uint32_t last = fine ? address + size - 1 : (address + size - 1) / 4;
  for (uint32_t place = first; place <= last; ++place) {
    uint32_t other = 0;
    const bool good = write ? memory.races.Write(place, accessor, atomic, &other)
                            : memory.races.Read(place, accessor, atomic, &other);
    if (good) continue;
    machine.Fail(
        Trap::Kind::kRace, op.instruction, lane,
        format("{}: a data race with {} at byte {} of {}", Describe(*code_.module, op.instruction),
               machine.NameOf(other), address, code_.objects[object].name));
    return;
  }
}

bool SharedMemory::InRange(Machine& machine, const Op& op, uint32_t lane, uint32_t object,
                           uint64_t address, uint32_t size) {
  if (address + size <= objects_[object].bytes.size()) return true;
  if (object == 0 && code_.has_addresses) {
    machine.FailUndefined(op, lane,
                          address == 0 ? std::string("the address is null")
                                       : format("the address {} is not in a buffer", address));
    return false;
  }
  machine.FailUndefined(op, lane,
                        format("the access to byte {} of {} is out of range: the size is {} bytes",
                               address, code_.objects[object].name, objects_[object].bytes.size()));
  return false;
}

uint64_t SharedMemory::Read(uint32_t object, uint32_t address, Scalar scalar,
                            uint32_t* shadow) const {
  const Object& memory = objects_[object];
  uint64_t bits = 0;
  std::memcpy(&bits, memory.bytes.data() + address, BytesOf(scalar));
  *shadow = memory.shadows.empty() ? 0 : static_cast<uint8_t>(memory.shadows[address]);
  if (!memory.addresses.empty()) {
    // The bytes of a scalar may have different shadows, if it was written in parts.
    for (uint32_t i = 1; i < BytesOf(scalar); ++i) {
      *shadow |= static_cast<uint8_t>(memory.shadows[address + i]);
    }
    if (const uint32_t about = AddressShadowAt(memory, address, scalar); AddressIn(about)) {
      *shadow = about;
    }
  }
  if (scalar != Scalar::kAddress) return bits;
  const Address pointer = PointerOf({bits, *shadow}, code_);
  *shadow = pointer.shadow;
  return pointer.object | uint64_t{pointer.byte} << 32;
}

void SharedMemory::Write(uint32_t object, uint32_t address, Scalar scalar, uint64_t bits,
                         uint32_t shadow) {
  Object& memory = objects_[object];
  const uint32_t size = BytesOf(scalar);
  if (scalar == Scalar::kAddress) {
    const NumberedAddress number =
        NumberOf({static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32), shadow});
    bits = number.bits;
    shadow = number.shadow;
  }
  if (code_.has_addresses && (AddressIn(shadow) || !memory.addresses.empty())) {
    SetAddressShadow(&memory, address, size, bits, IsFloat(scalar) ? 0 : shadow);
  }
  std::memcpy(memory.bytes.data() + address, &bits, size);
  if (memory.shadows.empty()) {
    if (shadow == 0) return;
    memory.shadows.resize(memory.bytes.size());
  }
  std::memset(memory.shadows.data() + address, static_cast<int>(shadow & kShadowMask), size);
}

}  // namespace interp
}  // namespace refract
