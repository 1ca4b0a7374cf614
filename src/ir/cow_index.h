// SPDX-License-Identifier: Apache-2.0
// A hash index from 64-bit hashes to instructions, copied like CowVector. Several instructions may
// have the same hash, so the caller compares them. Entries are never removed; callers skip
// instructions that were removed.
#pragma once

#include "ir/cow_vector.h"
#include "ir/handles.h"

namespace refract {
inline namespace ir {

class CowIndex {
 public:
  /// Makes an empty index large enough for `count` entries.
  void Reserve(size_t count) {
    size_t size = kSmallest;
    while (size < 2 * count) size *= 2;
    if (count_ == 0 && size > slots_.size()) slots_ = Empty(size);
  }

  void Insert(uint64_t hash, Inst inst) {
    if ((count_ + 1) * 2 > slots_.size()) Grow();
    Put(hash, inst);
    ++count_;
  }

  /// Calls `visit(inst)` for every instruction inserted with `hash`, until it returns true.
  template <class Visit>
  void Find(uint64_t hash, Visit visit) const {
    if (slots_.empty()) return;
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.inst == Inst::kNone) return;
      if (slot.hash == hash && visit(slot.inst)) return;
    }
  }

 private:
  struct Slot {
    uint64_t hash = 0;
    Inst inst = Inst::kNone;
  };

  static constexpr size_t kSmallest = 64;

  static CowVector<Slot> Empty(size_t size) {
    CowVector<Slot> slots;
    slots.resize(size, Slot{});
    return slots;
  }

  void Put(uint64_t hash, Inst inst) {
    const size_t mask = slots_.size() - 1;
    size_t i = hash & mask;
    while (slots_[i].inst != Inst::kNone) i = (i + 1) & mask;
    slots_.Mutable(i) = {hash, inst};
  }

  void Grow() {
    const CowVector<Slot> old = std::move(slots_);
    slots_ = Empty(old.empty() ? kSmallest : old.size() * 2);
    for (size_t i = 0; i < old.size(); ++i) {
      if (old[i].inst != Inst::kNone) Put(old[i].hash, old[i].inst);
    }
  }

  CowVector<Slot> slots_;
  size_t count_ = 0;
};

}  // namespace ir
}  // namespace refract
