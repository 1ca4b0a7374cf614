// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/ops_address.h"

#include "base/text.h"
#include "input/bindings.h"
#include "interp/address_shadow.h"
#include "interp/memory.h"
#include "interp/ops/ops_memory.h"

namespace refract {
inline namespace interp {

void NumberFromPointer(Machine& machine, const Op& op) {
  machine.ForActive([&](uint32_t lane) {
    const uint32_t about =
        (machine.ShadowOf(op.a, lane) | machine.ShadowOf(op.a + 1, lane)) & kShadowMask;
    const Address address = {machine.Row(op.a)[lane], machine.Row(op.a + 1)[lane], about};
    const NumberedAddress number = NumberOf(address);
    const uint32_t rows = RowsOf(op.scalar);
    const bool halves = op.count == 2;
    for (uint32_t i = 0; i < op.count; ++i) {
      const uint64_t bits = number.bits >> (32 * i);
      const uint32_t width = WidthOf(op.scalar);
      machine.Set(op.result + i * rows, op.scalar, lane,
                  width == 64 ? bits : bits & ((uint64_t{1} << width) - 1));
      const bool whole = width == 64;
      const uint32_t shadow = whole    ? number.shadow
                              : halves ? HalfOf(number, i == 1, machine.code())
                                       : number.shadow & kShadowMask;
      machine.SetShadow(op.result + i * rows, lane, shadow);
    }
  });
}

void PointerFromNumber(Machine& machine, const Op& op) {
  machine.ForActive([&](uint32_t lane) {
    NumberedAddress number;
    if (op.count == 2) {
      number.bits = machine.Row(op.a)[lane] | uint64_t{machine.Row(op.a + 1)[lane]} << 32;
      number.shadow = JoinHalves(machine.ShadowOf(op.a, lane), machine.ShadowOf(op.a + 1, lane));
    } else {
      number.bits = machine.Get(op.a, op.scalar, lane);
      number.shadow = machine.ShadowOf(op.a, lane);
    }
    const Address address = PointerOf(number, machine.code());
    machine.Row(op.result)[lane] = address.object;
    machine.Row(op.result + 1)[lane] = address.byte;
    machine.SetShadow(op.result, lane, address.shadow);
    machine.SetShadow(op.result + 1, lane, address.shadow);
  });
}

void RequireAligned(Machine& machine, const Op& op) {
  machine.ForActive([&](uint32_t lane) {
    // Helper invocations do not store.
    if (machine.IsHelper(lane) || !RequireDefinedPointer(machine, op, lane)) return;
    const SharedAddress pointer = PointerAt(machine, op, lane);
    if (!machine.shared().InRange(machine, op, lane, pointer.object, pointer.byte, 0)) return;
    if (op.c != 0 && op.c <= kAddressAlignment && pointer.byte % op.c == 0) return;
    machine.FailUndefined(
        op, lane,
        format("byte {} of {} may not be at a multiple of {} bytes, as Aligned says", pointer.byte,
               machine.code().objects[pointer.object].name, op.c));
  });
}

void KeepAddresses(Machine& machine, const Op& op) {
  const auto opcode = static_cast<spv::Op>(op.list);
  const bool subtracts = opcode == spv::Op::OpISub;
  const bool moves = (subtracts || opcode == spv::Op::OpIAdd) && op.scalar == Scalar::kInt64;
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t a = op.a + rows * i, b = op.b + rows * i, result = op.result + rows * i;
    if (!machine.IsShadowed(result)) continue;
    machine.ForActive([&](uint32_t lane) {
      const uint32_t x = machine.ShadowOf(a, lane), y = machine.ShadowOf(b, lane);
      const auto left = AddressIn(x), right = AddressIn(y);
      // Zero changes neither an address nor a half of one.
      if (left && y == 0 && (moves || machine.Get(b, op.scalar, lane) == 0)) {
        machine.SetShadow(result, lane, x);
      } else if (right && x == 0 && !subtracts && (moves || machine.Get(a, op.scalar, lane) == 0)) {
        machine.SetShadow(result, lane, y);
      } else if (left && left == right && subtracts && moves) {
        machine.SetShadow(result, lane, 0);  // the distance in the buffer
      }
    });
  }
}

namespace {

// A scalar of a comparison.
struct Compared {
  uint64_t bits = 0;
  uint32_t shadow = 0;
  std::optional<AddressShadow> address;
};

// Whether the bits are those of an address in its object; for a lower half, whether they may be.
bool IsInside(const Compared& x, const Program::Code& code) {
  const uint64_t size = code.objects[x.address->object].size;
  switch (x.address->part) {
    case AddressShadow::kWhole:
      return x.bits >> 32 == x.address->object && (x.bits & 0xffffffff) <= size;
    case AddressShadow::kLow:
      return x.bits <= size;
    case AddressShadow::kHigh:
      return x.bits == x.address->object;
  }
  return false;
}

// Whether the comparison for equality has the same result on every implementation.
bool IsCertain(const Compared& x, const Compared& y, const Program::Code& code) {
  if (x.address && y.address) {
    if (x.address->part != y.address->part || !IsInside(x, code) || !IsInside(y, code)) {
      return false;
    }
    return x.address->object == y.address->object || x.address->part == AddressShadow::kWhole;
  }
  const Compared& address = x.address ? x : y;
  const Compared& other = x.address ? y : x;
  // The null address is not that of a buffer.
  return address.address && other.shadow == 0 && other.bits == 0 && IsInside(address, code) &&
         address.address->part != AddressShadow::kHigh;
}

}  // namespace

void CompareAddresses(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count; ++i) {
    const uint32_t result = op.result + i;
    if (!machine.IsShadowed(result)) continue;
    const bool equal = static_cast<spv::Op>(op.list) == spv::Op::OpIEqual;
    const auto at = [&](uint32_t row, uint32_t lane) {
      const uint32_t shadow = machine.ShadowOf(row, lane);
      return Compared{machine.Get(row, op.scalar, lane), shadow, AddressIn(shadow)};
    };
    machine.ForActive([&](uint32_t lane) {
      const Compared x = at(op.a + i * rows, lane), y = at(op.b + i * rows, lane);
      if (!IsCertain(x, y, machine.code())) return;
      // The lower half of offset 0 is 0 only in this interpreter.
      const bool same = x.bits == y.bits && x.address.has_value() == y.address.has_value();
      machine.Row(result)[lane] = same == equal ? 1 : 0;
      machine.SetShadow(result, lane, 0);
    });
  }
}

}  // namespace interp
}  // namespace refract
