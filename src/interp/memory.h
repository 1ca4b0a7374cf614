// SPDX-License-Identifier: Apache-2.0
// Memory that invocations share: blocks, push constants, workgroup variables. It finds data races
// (SPIR-V 2.20, Vulkan memory model): two accesses to one place by two invocations, one of them a
// write, not both atomic, and no barrier of both between them. Inside this room only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "interp/code.h"
#include "interp/machine.h"

namespace refract::inline interp {

/// What barriers order; a bit for each in masks.
enum class MemoryClass : uint8_t { kBuffer, kWorkgroup, kImage };

/// Who accessed the places of a piece of memory, and when.
class RaceDetector {
 public:
  RaceDetector() = default;
  explicit RaceDetector(size_t places) : pages_((places + kPage - 1) / kPage) {}
  struct Who {
    uint32_t invocation = 0, group = 0, subgroup = 0;
    uint32_t epoch = 0, subgroup_epoch = 0;  ///< barriers so far of the group, of the subgroup
  };
  /// False if it races with an earlier access; `*other` is the invocation of that.
  bool Read(size_t place, const Who& who, bool atomic, uint32_t* other);
  bool Write(size_t place, const Who& who, bool atomic, uint32_t* other);

 private:
  struct Access {
    Who who;
    bool there = false, atomic = false;
    bool many = false;    // several invocations, of one workgroup
    bool groups = false;  // of several workgroups
    uint32_t second = 0;  // of many or groups: another one
  };
  struct Place {
    Access write, read;
  };
  static bool Races(const Access& earlier, const Who& who, bool atomic);
  /// Null where no more memory is spent: of an untrusted module that touches so many places races
  /// may be missed.
  Place* At(size_t place);

  // Made when first touched: a buffer may be large, and little of it used.
  static constexpr size_t kPage = 256, kMostPages = 8192;
  std::vector<std::unique_ptr<Place[]>> pages_;
  size_t made_ = 0;
};

class SharedMemory {
 public:
  SharedMemory(const Program::Code& code, bool find_races);

  /// Workgroup variables become undefined, or what they are initialised with.
  void BeginBatch(Machine& machine);
  /// All of the workgroup (or, with `subgroups_only`, of each active subgroup) met at a barrier
  /// that orders these classes, one bit each.
  void Barrier(Machine& machine, uint32_t classes, bool subgroups_only);
  /// The active invocations released their writes of these classes: what all of the workgroup did
  /// since they last wrote, the next Barrier of the workgroup orders too.
  void Fence(Machine& machine, uint32_t classes);
  /// The invocation wrote: an earlier Fence says nothing of that.
  void Unfence(uint32_t lane, MemoryClass kind) { fenced_[static_cast<size_t>(kind)].Remove(lane); }

  /// A place of `size` bytes in an object; false (and a trap) if it is not in the object.
  bool InRange(Machine& machine, const Op& op, uint32_t lane, uint32_t object, uint64_t address,
               uint32_t size);
  uint64_t Read(uint32_t object, uint32_t address, Scalar scalar, uint32_t* shadow) const;
  void Write(uint32_t object, uint32_t address, Scalar scalar, uint64_t bits, uint32_t shadow);
  /// Notes an access; a race is a trap.
  void Access(Machine& machine, const Op& op, uint32_t lane, uint32_t object, uint32_t address,
              uint32_t size, bool write, bool atomic);
  RaceDetector::Who WhoIs(Machine& machine, uint32_t lane, MemoryClass kind) const;
  bool finds_races() const { return find_races_; }

  bool IsWritable(uint32_t object) const {
    const ObjectCode::Kind kind = code_.objects[object].kind;
    return kind == ObjectCode::Kind::kStorage || kind == ObjectCode::Kind::kWorkgroup;
  }
  const std::string& bytes(uint32_t object) const { return objects_[object].bytes; }
  /// By byte; empty if all are exact.
  const std::string& shadows(uint32_t object) const { return objects_[object].shadows; }

 private:
  struct Object {
    std::string bytes;
    std::string shadows;
    RaceDetector races;
    bool detects = false;
  };
  const Program::Code& code_;
  const bool find_races_;
  std::vector<Object> objects_;
  uint32_t epochs_[3] = {};
  std::vector<uint32_t> subgroup_epochs_[3];
  LaneSet fenced_[3];
};

/// Bytes of a scalar in memory that is not laid out, and of one that is.
uint32_t BytesOf(Scalar scalar);

}  // namespace refract::inline interp
