// SPDX-License-Identifier: Apache-2.0
#include "interp/memory.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "interp/describe.h"

namespace refract {
inline namespace interp {

uint32_t BytesOf(Scalar scalar) {
  return scalar == Scalar::kBool || scalar == Scalar::kPointer ? 4 : WidthOf(scalar) / 8;
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
  return bits;
}

void SharedMemory::Write(uint32_t object, uint32_t address, Scalar scalar, uint64_t bits,
                         uint32_t shadow) {
  Object& memory = objects_[object];
  const uint32_t size = BytesOf(scalar);
  std::memcpy(memory.bytes.data() + address, &bits, size);
  if (memory.shadows.empty()) {
    if (shadow == 0) return;
    memory.shadows.resize(memory.bytes.size());
  }
  std::memset(memory.shadows.data() + address, static_cast<int>(shadow & kShadowMask), size);
}

}  // namespace interp
}  // namespace refract
