// SPDX-License-Identifier: Apache-2.0
#include "interp/ops/ops_address.h"

#include "base/text.h"
#include "input/bindings.h"
#include "interp/address_worlds.h"
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
    const uint32_t rows = RowsOf(op.scalar), width = WidthOf(op.scalar);
    for (uint32_t i = 0; i < op.count; ++i) {
      Number part{number.bits, number.shadow, 64};
      if (width <= 32) part = machine.shared().worlds().Half(part, i == 1);
      if (width < 32) {
        part.bits &= (uint64_t{1} << width) - 1;
        part.shadow &= kShadowMask;
      }
      machine.Set(op.result + i * rows, op.scalar, lane, part.bits);
      machine.SetShadow(op.result + i * rows, lane, part.shadow);
    }
  });
}

void PointerFromNumber(Machine& machine, const Op& op) {
  machine.ForActive([&](uint32_t lane) {
    Number number{machine.Get(op.a, op.scalar, lane), machine.ShadowOf(op.a, lane),
                  WidthOf(op.scalar)};
    if (op.count == 2) {
      const Number high{machine.Row(op.a + 1)[lane], machine.ShadowOf(op.a + 1, lane), 32};
      number = machine.shared().worlds().Join(number, high);
    }
    const Address address = PointerOf({number.bits, number.shadow}, machine.code());
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

}  // namespace interp
}  // namespace refract
