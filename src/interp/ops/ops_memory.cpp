// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/ops_memory.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "interp/memory.h"
#include "interp/sparse.h"

namespace refract {
inline namespace interp {
SharedAddress PointerAt(Machine& machine, const Op& op, uint32_t lane) {
  if ((op.flags & kFixedPointer) != 0) return {op.a, op.b};
  return {machine.Row(op.a)[lane], machine.Row(op.b)[lane]};
}

bool RequireDefinedPointer(Machine& machine, const Op& op, uint32_t lane) {
  if ((op.flags & kFixedPointer) != 0) return true;
  if (machine.Row(op.a)[lane] == kNullPointer &&
      (machine.ShadowOf(op.a, lane) & kUndefinedBit) == 0) {
    machine.FailUndefined(op, lane, "the pointer is null");
    return false;
  }
  if (!machine.IsShadowed(op.a)) return true;
  return machine.RequireDefined(op.instruction, op.a, lane, "the pointer");
}

// The row to which the pointers of all active invocations point, if it is the same for all and not
// sparse. Arrays are mostly indexed by loop counters and constants.
std::optional<uint32_t> OneRow(Machine& machine, const Op& op) {
  if (machine.IsShadowed(op.a)) return std::nullopt;
  const uint32_t* pointer = machine.Row(op.a);
  const uint32_t first = pointer[machine.FirstActive()];
  if (first >= kFirstSparseRow) return std::nullopt;
  uint32_t other = 0;
  machine.ForActive([&](uint32_t lane) { other |= pointer[lane] ^ first; });
  return other == 0 ? std::optional(first) : std::nullopt;
}

void LoadRows(Machine& machine, const Op& op) {
  if (const auto row = OneRow(machine, op)) return machine.Copy(op.result, *row, op.count);
  const uint32_t* pointer = machine.Row(op.a);
  for (uint32_t i = 0; i < op.count; ++i) {
    uint32_t* to = machine.Row(op.result + i);
    machine.ClearShadow(op.result + i);
    machine.ForActive([&](uint32_t lane) {
      if (!RequireDefinedPointer(machine, op, lane)) return;
      const uint32_t row = pointer[lane] + i;
      uint32_t shadow = 0;
      if (row >= kFirstSparseRow) {
        to[lane] = machine.sparse().Read(row, lane, &shadow);
      } else {
        to[lane] = machine.Row(row)[lane];
        shadow = machine.ShadowOf(row, lane);
      }
      if (shadow != 0) machine.SetShadow(op.result + i, lane, shadow);
    });
  }
}

void StoreRows(Machine& machine, const Op& op) {
  if (const auto row = OneRow(machine, op)) return machine.Copy(*row, op.c, op.count);
  const uint32_t* pointer = machine.Row(op.a);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t* from = machine.Row(op.c + i);
    machine.ForActive([&](uint32_t lane) {
      if (!RequireDefinedPointer(machine, op, lane)) return;
      const uint32_t row = pointer[lane] + i;
      const uint32_t shadow = machine.ShadowOf(op.c + i, lane);
      if (row < kFirstSparseRow) {
        machine.Row(row)[lane] = from[lane];
        machine.SetShadow(row, lane, shadow);
      } else if (!machine.sparse().Write(row, lane, from[lane], shadow)) {
        machine.Fail(
            Trap::Kind::kLimit, op.instruction, lane,
            format("the run needs more than {} bytes of memory", machine.options().limits.memory));
      }
    });
  }
}

namespace {

// Loads from the same place in read-only memory for all invocations: reads it once.
void LoadUniform(Machine& machine, const Op& op, const SharedAddress& place) {
  SharedMemory& memory = machine.shared();
  const MemoryScalar* scalars = machine.code().scalars.data() + op.list;
  uint32_t result = op.result;
  for (uint32_t i = 0; i < op.count; ++i) {
    const Scalar scalar = scalars[i].scalar;
    const uint64_t address = uint64_t{place.byte} + scalars[i].offset;
    machine.ClearShadow(result);
    if (!memory.InRange(machine, op, machine.FirstActive(), place.object, address,
                        BytesOf(scalar))) {
      return;
    }
    uint32_t shadow = 0;
    const uint64_t bits =
        memory.Read(place.object, static_cast<uint32_t>(address), scalar, &shadow);
    if (shadow != 0) {
      machine.ForActive([&](uint32_t lane) { machine.SetShadow(result, lane, shadow); });
    }
    for (uint32_t row = 0; row < RowsOf(scalar); ++row, ++result) {
      uint32_t* words = machine.Row(result);
      const auto word = static_cast<uint32_t>(bits >> (32 * row));
      machine.ForActive([&](uint32_t lane) { words[lane] = word; });
    }
  }
}

// Loads from a different place in read-only memory for each invocation. Races are impossible.
void LoadReadOnly(Machine& machine, const Op& op, uint32_t object) {
  SharedMemory& memory = machine.shared();
  const MemoryScalar* scalars = machine.code().scalars.data() + op.list;
  const uint32_t* bytes = machine.Row(op.b);
  uint32_t result = op.result;
  for (uint32_t i = 0; i < op.count; result += RowsOf(scalars[i].scalar), ++i) {
    const Scalar scalar = scalars[i].scalar;
    const uint32_t size = BytesOf(scalar);
    machine.ClearShadow(result);
    machine.ForActive([&](uint32_t lane) {
      const uint64_t address = uint64_t{bytes[lane]} + scalars[i].offset;
      if (!memory.InRange(machine, op, lane, object, address, size)) return;
      uint32_t shadow = 0;
      machine.Set(result, scalar, lane,
                  memory.Read(object, static_cast<uint32_t>(address), scalar, &shadow));
      if (shadow != 0) machine.SetShadow(result, lane, shadow);
    });
  }
}

// The cases of LoadShared that need not check the pointer of each invocation. Returns false for
// other cases.
bool LoadPlain(Machine& machine, const Op& op) {
  if ((op.flags & kFixedPointer) != 0) {
    if (machine.shared().IsWritable(op.a)) return false;
    LoadUniform(machine, op, {op.a, op.b});
    return true;
  }
  if (machine.IsShadowed(op.a) || machine.IsShadowed(op.b)) return false;
  const uint32_t* objects = machine.Row(op.a);
  const uint32_t* bytes = machine.Row(op.b);
  const SharedAddress first = {objects[machine.FirstActive()], bytes[machine.FirstActive()]};
  uint32_t other_object = 0, other_byte = 0;
  machine.ForActive([&](uint32_t lane) {
    other_object |= objects[lane] ^ first.object;
    other_byte |= bytes[lane] ^ first.byte;
  });
  if (other_object != 0 || first.object == kNullPointer) return false;
  if (machine.shared().IsWritable(first.object)) return false;
  if (other_byte == 0) {
    LoadUniform(machine, op, first);
  } else {
    LoadReadOnly(machine, op, first.object);
  }
  return true;
}

}  // namespace

void LoadShared(Machine& machine, const Op& op) {
  if (LoadPlain(machine, op)) return;
  SharedMemory& memory = machine.shared();
  const MemoryScalar* scalars = machine.code().scalars.data() + op.list;
  uint32_t result = op.result;
  for (uint32_t i = 0; i < op.count; result += RowsOf(scalars[i].scalar), ++i) {
    const Scalar scalar = scalars[i].scalar;
    const uint32_t size = BytesOf(scalar);
    machine.ClearShadow(result);
    machine.ForActive([&](uint32_t lane) {
      if (!RequireDefinedPointer(machine, op, lane)) return;
      const SharedAddress pointer = PointerAt(machine, op, lane);
      const uint64_t address = uint64_t{pointer.byte} + scalars[i].offset;
      if (!memory.InRange(machine, op, lane, pointer.object, address, size)) return;
      const uint32_t byte = static_cast<uint32_t>(address);
      if (!machine.IsHelper(lane)) {
        memory.Access(machine, op, lane, pointer.object, byte, size, false, false);
      }
      uint32_t shadow = 0;
      machine.Set(result, scalar, lane, memory.Read(pointer.object, byte, scalar, &shadow));
      if (shadow != 0) machine.SetShadow(result, lane, shadow);
    });
  }
}

void StoreShared(Machine& machine, const Op& op) {
  SharedMemory& memory = machine.shared();
  const MemoryScalar* scalars = machine.code().scalars.data() + op.list;
  uint32_t from = op.c;
  for (uint32_t i = 0; i < op.count; from += RowsOf(scalars[i].scalar), ++i) {
    const Scalar scalar = scalars[i].scalar;
    const uint32_t size = BytesOf(scalar);
    machine.ForActiveInOrder([&](uint32_t lane) {
      if (machine.IsHelper(lane) || !RequireDefinedPointer(machine, op, lane)) return;
      const SharedAddress pointer = PointerAt(machine, op, lane);
      const uint64_t address = uint64_t{pointer.byte} + scalars[i].offset;
      if (!memory.InRange(machine, op, lane, pointer.object, address, size)) return;
      const uint32_t byte = static_cast<uint32_t>(address);
      // Of integers, the shadow may say that they are addresses (address_shadow.h).
      const uint32_t about = machine.ShadowOf(from, lane);
      const uint32_t shadow = IsFloat(scalar) ? about & kShadowMask : about;
      if ((shadow & kUndefinedBit) != 0) {
        return machine.FailUndefined(
            op, lane, "an undefined value is stored to memory that other invocations can read");
      }
      memory.Access(machine, op, lane, pointer.object, byte, size, true, false);
      memory.Write(pointer.object, byte, scalar, machine.Get(from, scalar, lane), shadow);
    });
  }
}

namespace {

// The size of what an address points to is not known: an access checks itself where it is.
constexpr uint32_t kNoSize = UINT32_MAX;

// Adds what the indices add to the address of one invocation. Returns false after a trap.
bool AddIndices(Machine& machine, const Op& op, uint32_t lane, uint64_t* place, uint32_t size) {
  const uint64_t base = *place - op.d;
  const uint32_t* words = machine.code().words.data() + op.list;
  const uint32_t indices = *words++;
  for (uint32_t i = 0; i < indices; ++i, words += 6) {
    const auto [row, kind, is_signed, stride, limit] =
        std::tuple(words[0], static_cast<Scalar>(words[1]), words[2], words[3], words[4]);
    if (!machine.RequireDefined(op.instruction, row, lane, "an index")) return false;
    uint64_t index = machine.Get(row, kind, lane);
    const uint32_t width = WidthOf(kind);
    const bool is_negative = is_signed != 0 && width < 64 && (index >> (width - 1) & 1) != 0;
    if (limit == kAnyElement) {
      // Before or after the object, an access traps.
      if (is_negative) index |= UINT64_MAX << width;
      constexpr int64_t kFar = int64_t{1} << 31;
      const int64_t moved = std::clamp(static_cast<int64_t>(index), -kFar, kFar);
      *place += static_cast<uint64_t>(moved) * stride;
      continue;
    }
    if (is_negative) index = UINT64_MAX;
    uint64_t bound = limit;
    if (limit == kRuntimeBound) {
      const uint64_t array = base + words[5];
      bound = array < size ? (size - array) / stride : 0;
      if (size == kNoSize) bound = UINT64_MAX;
    }
    if (index >= bound) {
      machine.FailUndefined(
          op, lane,
          index == UINT64_MAX
              ? std::string("an index is negative")
              : format("index {} is out of range: the array has {} elements", index, bound));
      return false;
    }
    // After the end of every buffer, if the size is not known.
    *place += std::min<uint64_t>(index, UINT32_MAX) * stride;
  }
  return true;
}

}  // namespace

namespace {

// Handles a single 32-bit index into a variable. Returns false for other cases, and if the index is
// out of range. `words` are those of AddIndices. Writes the addresses to row `result`, from `base`
// on.
bool AddPlainIndex(Machine& machine, const Op& op, uint32_t base, uint32_t result) {
  const uint32_t* words = machine.code().words.data() + op.list;
  const bool fixed = (op.flags & kFixedPointer) != 0;
  if (!fixed || words[0] != 1 || static_cast<Scalar>(words[2]) != Scalar::kInt32) return false;
  if (machine.IsShadowed(words[1]) || words[5] > INT32_MAX) return false;
  const uint32_t* index = machine.Row(words[1]);
  const uint32_t stride = words[4], bound = words[5];
  uint32_t* to = machine.Row(result);
  uint32_t outside = 0;
  machine.ForActive([&](uint32_t lane) {
    outside |= index[lane] >= bound ? 1 : 0;
    to[lane] = base + index[lane] * stride;
  });
  return outside == 0;
}

}  // namespace

void AccessRows(Machine& machine, const Op& op) {
  const bool fixed = (op.flags & kFixedPointer) != 0;
  uint32_t* to = machine.Row(op.result);
  machine.ClearShadow(op.result);
  if (AddPlainIndex(machine, op, op.a + op.d, op.result)) return;
  machine.ForActive([&](uint32_t lane) {
    if (!RequireDefinedPointer(machine, op, lane)) return;
    uint64_t place = (fixed ? op.a : machine.Row(op.a)[lane]) + uint64_t{op.d};
    if (AddIndices(machine, op, lane, &place, 0)) to[lane] = static_cast<uint32_t>(place);
  });
}

void AccessShared(Machine& machine, const Op& op) {
  uint32_t* object = machine.Row(op.result);
  uint32_t* byte = machine.Row(op.result + 1);
  machine.ClearShadow(op.result);
  machine.ClearShadow(op.result + 1);
  if (AddPlainIndex(machine, op, op.b + op.d, op.result + 1)) {
    machine.ForActive([&](uint32_t lane) { object[lane] = op.a; });
    return;
  }
  machine.ForActive([&](uint32_t lane) {
    if (!RequireDefinedPointer(machine, op, lane)) return;
    const SharedAddress pointer = PointerAt(machine, op, lane);
    const ObjectCode& target = machine.code().objects[pointer.object];
    const bool by_address = target.set == kAddressedSet;
    uint64_t place = uint64_t{pointer.byte} + op.d;
    if (by_address) place += pointer.byte >> 31 == 0 ? 0 : uint64_t{UINT32_MAX} << 32;
    if (!AddIndices(machine, op, lane, &place, by_address ? kNoSize : target.size)) return;
    // No buffer has so many bytes.
    const bool is_far = by_address && place + (uint64_t{1} << 31) >= uint64_t{1} << 32;
    object[lane] = pointer.object;
    const bool is_outside = !by_address && place > UINT32_MAX;
    byte[lane] = is_far ? INT32_MAX : is_outside ? UINT32_MAX : static_cast<uint32_t>(place);
    if (is_far) {
      machine.SetShadow(op.result, lane, kApproximateBit);
      machine.SetShadow(op.result + 1, lane, kApproximateBit);
    }
  });
}

void SelectDescriptor(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count; ++i) machine.ClearShadow(op.result + i);
  machine.ForActive([&](uint32_t lane) {
    if (!RequireDefinedPointer(machine, op, lane) ||
        !machine.RequireDefined(op.instruction, op.c, lane, "the index of a descriptor")) {
      return;
    }
    const uint64_t index = machine.Get(op.c, op.scalar, lane);
    if (index >= op.d) {
      const uint32_t width = WidthOf(op.scalar);
      const bool is_negative = (op.flags & kSigned) != 0 && (index >> (width - 1) & 1) != 0;
      return machine.FailUndefined(
          op, lane,
          is_negative
              ? std::string("the index of a descriptor is negative")
              : format("index {} is out of range: the array has {} descriptors", index, op.d));
    }
    machine.Row(op.result)[lane] =
        PointerAt(machine, op, lane).object + static_cast<uint32_t>(index);
    if (op.count == 2) machine.Row(op.result + 1)[lane] = 0;
  });
}

void RequireOneDescriptor(Machine& machine, const Op& op) {
  std::vector<std::optional<uint32_t>>& seen = machine.compared_descriptors();
  seen.resize(machine.code().compared_descriptors);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t* row = machine.Row(op.a + i);
    std::optional<uint32_t> in_batch;
    std::optional<uint32_t>& one = op.d == kNoComparison ? in_batch : seen[op.d + i];
    machine.ForActive([&](uint32_t lane) {
      if (!one) one = row[lane];
      if (*one == row[lane] || machine.stopped()) return;
      machine.FailUndefined(op, lane,
                            "the descriptor is not the same for all invocations, and the operand "
                            "is not decorated with NonUniform");
    });
  }
}

void ArrayLength(Machine& machine, const Op& op) {
  uint32_t* to = machine.Row(op.result);
  machine.ClearShadow(op.result);
  machine.ForActive([&](uint32_t lane) {
    if (!RequireDefinedPointer(machine, op, lane)) return;
    const SharedAddress pointer = PointerAt(machine, op, lane);
    const uint64_t begin = uint64_t{pointer.byte} + op.c;
    const uint64_t size = machine.code().objects[pointer.object].size;
    to[lane] = begin < size ? static_cast<uint32_t>((size - begin) / op.d) : 0;
  });
}

void ResetSparse(Machine& machine, const Op& op) {
  machine.sparse().Reset(op.a, op.b, op.c != 0, machine.active());
}

}  // namespace interp
}  // namespace refract
