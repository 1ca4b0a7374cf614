// SPDX-License-Identifier: Apache-2.0
#include "interp/address_worlds.h"

#include <algorithm>

#include "base/random.h"
#include "input/bindings.h"

namespace refract {
inline namespace interp {
namespace {

constexpr uint64_t kAddressRange = uint64_t{1} << 32;  // no buffer crosses a multiple of it
constexpr size_t kMostComputed = size_t{1} << 17;
constexpr size_t kMostSearched = 4096;  // objects that are compared with a half of an address

uint64_t RoundToAlignment(uint64_t number) {
  return number / kAddressAlignment * kAddressAlignment;
}

// The values of one number in all worlds are the same.
bool AreSame(const AddressWorlds::Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](uint64_t value) { return value == values[0]; });
}

}  // namespace

AddressWorlds::AddressWorlds(const Program::Code& code) : code_(code), bases_(code.objects.size()) {
  uint64_t all = 0;
  for (uint32_t i = 1; i < code.objects.size(); ++i) {
    if (code.objects[i].set != kAddressedSet) continue;
    objects_.push_back(i);
    all += code.objects[i].size + uint64_t{kAddressAlignment};
  }
  // Two worlds with all objects in one range of 2^32 bytes, if they fit.
  const bool fits = 2 * kAddressAlignment + all < kAddressRange;
  uint64_t up = kAddressAlignment, down = RoundToAlignment(kAddressRange - 1);
  for (const uint32_t i : objects_) {
    const uint64_t size = code.objects[i].size;
    const uint64_t most =
        std::max<uint64_t>(RoundToAlignment(kAddressRange - 1 - size), kAddressAlignment);
    Values& base = bases_[i];
    base[0] = i * kAddressRange + kAddressAlignment;
    base[1] = (kHalfMask - i) * kAddressRange + most;
    for (size_t world = 2; world < kWorlds; ++world) {
      const uint64_t random = Mix(Mix(uint64_t{i}, uint64_t{world}), uint64_t{size});
      const uint64_t places = most / kAddressAlignment;
      base[world] = (random >> 32) * kAddressRange +
                    ((random & kHalfMask) % places + 1) * uint64_t{kAddressAlignment};
    }
    if (!fits) continue;
    base[2] = 0x7f12 * kAddressRange + up;
    up += RoundToAlignment(size) + kAddressAlignment;
    down = RoundToAlignment(down - size - 1);
    base[3] = down;
  }
}

const AddressWorlds::Computed* AddressWorlds::ComputedOf(const Number& number) const {
  const std::optional<uint32_t> index = ComputedIn(number.shadow);
  return index && *index < computed_.size() ? &computed_[*index] : nullptr;
}

std::optional<AddressWorlds::Values> AddressWorlds::ValuesOf(const Number& number) const {
  Values values;
  if ((number.shadow & kShadowMask) == 0) {
    values.fill(number.bits);
    return values;
  }
  if (const Computed* computed = ComputedOf(number)) return computed->values;
  const std::optional<AddressShadow> address = AddressIn(number.shadow);
  if (!address || address->object >= bases_.size()) return std::nullopt;
  const Values& base = bases_[address->object];
  for (size_t world = 0; world < kWorlds; ++world) {
    switch (address->part) {
      case AddressShadow::kWhole:
        values[world] = base[world] + (number.bits - address->object * kAddressRange);
        break;
      case AddressShadow::kLow:
        values[world] = (base[world] + number.bits) & kHalfMask;
        break;
      case AddressShadow::kHigh:
        values[world] = base[world] >> 32;
        break;
    }
  }
  return values;
}

// The whole address with these values. In world 0, the upper half is the number of the object,
// unless the address is before its start.
std::optional<Number> AddressWorlds::FindAddress(const Values& values) const {
  for (uint64_t object = values[0] >> 32; object <= (values[0] >> 32) + 1; ++object) {
    if (object == 0 || object >= bases_.size() || code_.objects[object].set != kAddressedSet) {
      continue;
    }
    const Values& base = bases_[object];
    const uint64_t offset = values[0] - base[0];
    if (offset + (kAddressRange >> 1) >= kAddressRange) continue;
    bool same = true;
    for (size_t world = 1; world < kWorlds; ++world) {
      same = same && values[world] - base[world] == offset;
    }
    if (!same) continue;
    const AddressShadow about{AddressShadow::kWhole, static_cast<uint32_t>(object)};
    return Number{object * kAddressRange + offset, about.Bits(), 64};
  }
  return std::nullopt;
}

// The half of an address with these values. Outside its buffer, the halves of an address are not
// found: the lower one may carry into the higher one.
std::optional<Number> AddressWorlds::FindHalf(const Values& values) const {
  if (objects_.size() > kMostSearched) return std::nullopt;
  for (const uint32_t object : objects_) {
    const Values& base = bases_[object];
    const uint64_t offset = (values[0] - base[0]) & kHalfMask;
    bool low = offset <= code_.objects[object].size, high = true;
    for (size_t world = 0; world < kWorlds && (low || high); ++world) {
      low = low && values[world] == ((base[world] + offset) & kHalfMask);
      high = high && values[world] == base[world] >> 32;
    }
    if (low) return Number{offset, AddressShadow{AddressShadow::kLow, object}.Bits(), 32};
    if (high) return Number{object, AddressShadow{AddressShadow::kHigh, object}.Bits(), 32};
  }
  return std::nullopt;
}

AddressWorlds::Computed* AddressWorlds::FindOrAdd(const Values& values, uint32_t* index) {
  const auto found = found_.find(values);
  if (found != found_.end()) {
    *index = found->second;
    return &computed_[*index];
  }
  if (computed_.size() >= kMostComputed) return nullptr;
  *index = static_cast<uint32_t>(computed_.size());
  found_.emplace(values, *index);
  return &computed_.emplace_back(Computed{values, false, Origin::kNone, {}});
}

Number AddressWorlds::Settle(const Values& values, uint32_t width, uint64_t bits) {
  if (AreSame(values)) return {values[0], 0, width};
  const std::optional<Number> found = width == 64   ? FindAddress(values)
                                      : width == 32 ? FindHalf(values)
                                                    : std::nullopt;
  if (found) return *found;
  uint32_t index = 0;
  if (FindOrAdd(values, &index) == nullptr) return {bits, kApproximateBit, width};
  return {bits, ComputedShadow(index), width};
}

Number AddressWorlds::SettleResult(spv::Op opcode, const std::vector<Number>& operands,
                                   const Values& values, uint32_t width, uint64_t bits) {
  const Number result = Settle(values, width, bits);
  const std::optional<uint32_t> index = ComputedIn(result.shadow);
  if (!index || operands.empty()) return result;
  Computed& computed = computed_[*index];
  const auto come_from = [&](Origin origin, const Number& from) {
    computed.is_nonzero = computed.is_nonzero || IsNonzero(from);
    if (computed.origin != Origin::kNone || ComputedIn(from.shadow) == index) return;
    computed.origin = origin;
    computed.from = from;
  };
  switch (opcode) {
    case spv::Op::OpISub:
    case spv::Op::OpBitwiseXor: {
      computed.is_nonzero =
          computed.is_nonzero || Compare(spv::Op::OpIEqual, operands[0], operands[1]) == false;
      if (opcode == spv::Op::OpISub) break;
      for (const size_t i : {0, 1}) {
        const Number &other = operands[1 - i], &mask = operands[i];
        const bool is_top = mask.shadow == 0 && mask.bits == (OnesOf(width) >> 1) + 1;
        if (!is_top) continue;
        // That the operand is not zero says nothing about the result.
        const bool was_nonzero = computed.is_nonzero;
        come_from(Origin::kFlipped, other);
        computed.is_nonzero = was_nonzero;
      }
      break;
    }
    case spv::Op::OpSNegate:
    case spv::Op::OpBitReverse:
    case spv::Op::OpBitcast:
      if (operands[0].width == width) {
        computed.is_nonzero = computed.is_nonzero || IsNonzero(operands[0]);
      }
      break;
    case spv::Op::OpUConvert:
    case spv::Op::OpSConvert:
      if (operands[0].width >= width) break;
      come_from(opcode == spv::Op::OpUConvert ? Origin::kZeroExtended : Origin::kSignExtended,
                operands[0]);
      break;
    default:
      break;
  }
  return result;
}

Number AddressWorlds::Half(const Number& whole, bool high) {
  const uint32_t shift = high ? 32 : 0;
  const uint64_t bits = whole.bits >> shift & kHalfMask;
  if (whole.shadow == 0) return {bits, 0, 32};
  const std::optional<Values> values = ValuesOf(whole);
  if (!values) return {bits, whole.shadow & kShadowMask, 32};
  Values halves;
  for (size_t world = 0; world < kWorlds; ++world) {
    halves[world] = (*values)[world] >> shift & kHalfMask;
  }
  return Settle(halves, 32, bits);
}

Number AddressWorlds::Join(const Number& low, const Number& high) {
  const uint64_t bits = low.bits | high.bits << 32;
  if (low.shadow == 0 && high.shadow == 0) return {bits, 0, 64};
  const std::optional<Values> a = ValuesOf(low), b = ValuesOf(high);
  if (!a || !b) return {bits, (low.shadow | high.shadow) & kShadowMask, 64};
  Values wholes;
  for (size_t world = 0; world < kWorlds; ++world) {
    wholes[world] = (*a)[world] | (*b)[world] << 32;
  }
  return Settle(wholes, 64, bits);
}

}  // namespace interp
}  // namespace refract
