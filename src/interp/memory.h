// SPDX-License-Identifier: Apache-2.0
// Memory that invocations share: blocks, push constants, workgroup variables. It detects data races
// (SPIR-V 2.20, Vulkan memory model): two invocations access the same place, at least one writes,
// the accesses are not both atomic, and no barrier of both invocations is between them. Private to
// this library.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interp/code.h"
#include "interp/machine.h"

namespace refract {
inline namespace interp {

/// The classes of memory that barriers order; masks have one bit for each.
enum class MemoryClass : uint8_t { kBuffer, kWorkgroup, kImage };

/// Records which invocations accessed each place of a piece of memory, and when.
class RaceDetector {
 public:
  RaceDetector() = default;
  explicit RaceDetector(size_t places) : pages_((places + kPage - 1) / kPage) {}
  struct Accessor {
    uint32_t invocation = 0, group = 0, subgroup = 0;
    /// The number of barriers so far of the group and of the subgroup.
    uint32_t epoch = 0, subgroup_epoch = 0;
  };
  /// Records an access. Returns false if it races with an earlier access, and sets `*other` to the
  /// invocation of that access.
  bool Read(size_t place, const Accessor& accessor, bool atomic, uint32_t* other);
  bool Write(size_t place, const Accessor& accessor, bool atomic, uint32_t* other);

 private:
  struct Access {
    Accessor accessor;
    bool there = false, atomic = false;
    bool many = false;    // several invocations of one workgroup
    bool groups = false;  // invocations of several workgroups
    uint32_t second = 0;  // if `many` or `groups`: another one
  };
  struct Place {
    Access write, read;
  };
  static bool Races(const Access& earlier, const Accessor& accessor, bool atomic);
  /// Null if the memory limit of the detector is reached. In a module that touches so many places,
  /// races may be missed.
  Place* At(size_t place);

  // Pages are made when they are first touched, because a buffer may be large and mostly unused.
  static constexpr size_t kPage = 256, kMaxPages = 8192;
  std::vector<std::unique_ptr<Place[]>> pages_;
  size_t made_ = 0;
};

class SharedMemory {
 public:
  SharedMemory(const Program::Code& code, bool find_races);

  /// Resets workgroup variables to undefined or to their initializers.
  void BeginBatch(Machine& machine);
  /// Records that all invocations of the workgroup (or, with `subgroups_only`, of each active
  /// subgroup) are at a barrier that orders these classes, one bit each.
  void Barrier(Machine& machine, uint32_t classes, bool subgroups_only);
  /// Records that the active invocations released their writes of these classes. If all invocations
  /// of the workgroup did so after their last write, the next Barrier of the workgroup orders these
  /// classes too.
  void Fence(Machine& machine, uint32_t classes);
  /// Records that the invocation wrote after its Fence, so that the Fence no longer counts.
  void ClearFence(uint32_t lane, MemoryClass kind) {
    fenced_[static_cast<size_t>(kind)].Remove(lane);
  }

  /// True if `size` bytes at `address` are within the object; otherwise a trap.
  bool InRange(Machine& machine, const Op& op, uint32_t lane, uint32_t object, uint64_t address,
               uint32_t size);
  uint64_t Read(uint32_t object, uint32_t address, Scalar scalar, uint32_t* shadow) const;
  void Write(uint32_t object, uint32_t address, Scalar scalar, uint64_t bits, uint32_t shadow);
  /// Records an access. A race is a trap.
  void Access(Machine& machine, const Op& op, uint32_t lane, uint32_t object, uint32_t address,
              uint32_t size, bool write, bool atomic);
  RaceDetector::Accessor AccessorOf(Machine& machine, uint32_t lane, MemoryClass kind) const;

  /// True if its content may change or has shadows.
  bool IsWritable(uint32_t object) const {
    if (!objects_[object].shadows.empty()) return true;
    const ObjectCode::Kind kind = code_.objects[object].kind;
    return kind == ObjectCode::Kind::kStorage || kind == ObjectCode::Kind::kWorkgroup;
  }
  /// Says that addresses in the object are exact: as outputs, their numbers are the same on every
  /// implementation. Called after the run.
  void SettleAddresses(uint32_t object);
  const std::string& bytes(uint32_t object) const { return objects_[object].bytes; }
  /// By byte; empty if all are exact.
  const std::string& shadows(uint32_t object) const { return objects_[object].shadows; }

 private:
  struct Object {
    std::string bytes;
    std::string shadows;
    /// The shadows of scalars of 32 bits that are halves of addresses, by their byte.
    std::map<uint32_t, uint32_t> addresses;
    RaceDetector races;
    bool detects = false;
  };
  uint32_t AddressShadowAt(const Object& memory, uint32_t address, Scalar scalar) const;
  void SetAddressShadow(Object* memory, uint32_t address, uint32_t size, uint64_t bits,
                        uint32_t shadow);

  const Program::Code& code_;
  const bool find_races_;
  std::vector<Object> objects_;
  uint32_t epochs_[3] = {};
  std::vector<uint32_t> subgroup_epochs_[3];
  LaneSet fenced_[3];
};

/// A pointer to PhysicalStorageBuffer as in rows, and the worse of the two shadows.
struct Address {
  uint32_t object = 0, byte = 0, shadow = 0;
};
/// The same as a number.
struct NumberedAddress {
  uint64_t bits = 0;
  uint32_t shadow = 0;
};
NumberedAddress NumberOf(const Address& address);
/// A number that is not the address of an object becomes a pointer to object 0.
Address PointerOf(const NumberedAddress& number, const Program::Code& code);

/// The bytes of a scalar in memory, with or without a layout.
uint32_t BytesOf(Scalar scalar);

}  // namespace interp
}  // namespace refract
