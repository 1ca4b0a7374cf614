// SPDX-License-Identifier: Apache-2.0
// Built-in inputs (Vulkan, "Built-In Variables") of a full-screen triangle, of the triangles of a
// vertex shader, or of a dispatch.
#include <bit>

#include "interp/machine.h"
#include "interp/math/float_formats.h"
#include "interp/ops/columns.h"
#include "interp/ops/ops.h"
#include "interp/raster.h"

namespace refract {
inline namespace interp {

bool IsKnownBuiltIn(spv::BuiltIn built_in) {
  switch (built_in) {
    case spv::BuiltIn::VertexIndex:
    case spv::BuiltIn::InstanceIndex:
    case spv::BuiltIn::BaseVertex:
    case spv::BuiltIn::BaseInstance:
    case spv::BuiltIn::DrawIndex:
    case spv::BuiltIn::FragCoord:
    case spv::BuiltIn::FrontFacing:
    case spv::BuiltIn::PointCoord:
    case spv::BuiltIn::HelperInvocation:
    case spv::BuiltIn::SampleId:
    case spv::BuiltIn::SampleMask:
    case spv::BuiltIn::SamplePosition:
    case spv::BuiltIn::PrimitiveId:
    case spv::BuiltIn::Layer:
    case spv::BuiltIn::ViewportIndex:
    case spv::BuiltIn::ViewIndex:
    case spv::BuiltIn::DeviceIndex:
    case spv::BuiltIn::NumWorkgroups:
    case spv::BuiltIn::WorkgroupSize:
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::GlobalInvocationId:
    case spv::BuiltIn::LocalInvocationIndex:
    case spv::BuiltIn::SubgroupSize:
    case spv::BuiltIn::NumSubgroups:
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::SubgroupLocalInvocationId:
    case spv::BuiltIn::SubgroupEqMask:
    case spv::BuiltIn::SubgroupGeMask:
    case spv::BuiltIn::SubgroupGtMask:
    case spv::BuiltIn::SubgroupLeMask:
    case spv::BuiltIn::SubgroupLtMask:
      return true;
    default:
      return false;
  }
}

namespace {

// A 128-bit mask has the bits of invocations `from` to `to` - 1. Returns its 32 bits from bit 32 *
// word on.
uint32_t MaskWord(uint32_t from, uint32_t to, uint32_t word) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    const uint32_t lane = 32 * word + i;
    if (lane >= from && lane < to) bits |= uint32_t{1} << i;
  }
  return bits;
}

// A made-up input: a small integer, or for floats a small multiple of 1/4.
uint64_t MadeUp(uint64_t hash, Scalar scalar) {
  const int64_t small = static_cast<int64_t>(hash % 64) - 16;
  const double fraction = static_cast<double>(small) / 4;
  const uint32_t width = WidthOf(scalar);
  switch (scalar) {
    case Scalar::kBool:
      return hash & 1;
    case Scalar::kFloat16:
      return math::HalfFromDouble(fraction);
    case Scalar::kFloat32:
      return math::FloatBitsFromDouble(fraction);
    case Scalar::kFloat64:
      return std::bit_cast<uint64_t>(fraction);
    default:
      return static_cast<uint64_t>(small) &
             (width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1);
  }
}

}  // namespace

// Where a fragment is in its pixel: at its sample, or in the middle.
double Machine::PlaceInPixel(uint32_t component, uint32_t lane) const {
  const bool at_sample = code_.bindings.per_sample;
  const PixelPlace place =
      at_sample ? SampleLocation(code_.bindings.samples, batch_->sample[lane]) : PixelPlace();
  return component == 0 ? place.right() : place.down();
}

// Whether the mask of covered samples may be another one. If the shader runs for each pixel, an
// implementation may run it several times, each time for some of the samples.
bool Machine::HasOpenMask(uint32_t lane) const {
  const Bindings& bindings = code_.bindings;
  if (bindings.samples == 1 || bindings.per_sample) return false;
  return batch_->open.Has(lane) || std::popcount(batch_->covered[lane]) > 1;
}

// The bits of component `component` of the built-in.
uint32_t Machine::BuiltIn(spv::BuiltIn built_in, uint32_t component, uint32_t lane) const {
  const auto coordinate = [&](const Batch& batch) {
    return component == 0 ? batch.x[lane] : component == 1 ? batch.y[lane] : batch.z[lane];
  };
  const uint32_t size = subgroup_size_, in_subgroup = lane % size;
  const uint32_t* group = code_.group;
  switch (built_in) {
    case spv::BuiltIn::VertexIndex:
      return coordinate(*batch_);
    case spv::BuiltIn::InstanceIndex:
      return code_.is_vertex ? batch_->y[lane] : 0;
    case spv::BuiltIn::FragCoord:
      if (component == 2) return 0;
      if (component == 3) return std::bit_cast<uint32_t>(1.0f);
      return std::bit_cast<uint32_t>(
          static_cast<float>(coordinate(*batch_) + PlaceInPixel(component, lane)));
    case spv::BuiltIn::SamplePosition:
      return std::bit_cast<uint32_t>(static_cast<float>(PlaceInPixel(component, lane)));
    case spv::BuiltIn::SampleId:
      return code_.bindings.per_sample ? batch_->sample[lane] : 0;
    case spv::BuiltIn::FrontFacing:
      return 0;  // the vertices of the triangle are in clockwise order
    case spv::BuiltIn::HelperInvocation:
      return batch_->helper.Has(lane) ? 1 : 0;
    case spv::BuiltIn::SampleMask:
      if (batch_->helper.Has(lane)) return 0;
      return code_.bindings.samples > 1 ? batch_->covered[lane] : 1;
    case spv::BuiltIn::NumWorkgroups:
      return code_.bindings.groups[component];
    case spv::BuiltIn::WorkgroupSize:
      return group[component];
    case spv::BuiltIn::WorkgroupId:
      return batch_->workgroup[component];
    case spv::BuiltIn::GlobalInvocationId:
      return coordinate(*batch_);
    case spv::BuiltIn::LocalInvocationId:
      return coordinate(*batch_) - batch_->workgroup[component] * group[component];
    case spv::BuiltIn::LocalInvocationIndex:
      return lane;
    case spv::BuiltIn::SubgroupSize:
      return size;
    case spv::BuiltIn::NumSubgroups:
      return (group[0] * group[1] * group[2] + size - 1) / size;
    case spv::BuiltIn::SubgroupId:
      return lane / size;
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return in_subgroup;
    case spv::BuiltIn::SubgroupEqMask:
      return MaskWord(in_subgroup, in_subgroup + 1, component);
    case spv::BuiltIn::SubgroupGeMask:
      return MaskWord(in_subgroup, size, component);
    case spv::BuiltIn::SubgroupGtMask:
      return MaskWord(in_subgroup + 1, size, component);
    case spv::BuiltIn::SubgroupLeMask:
      return MaskWord(0, in_subgroup + 1, component);
    case spv::BuiltIn::SubgroupLtMask:
      return MaskWord(0, in_subgroup, component);
    default:
      return 0;  // layer, view, primitive, device, base, draw: there is only one
  }
}

void Machine::SetBuiltIns() {
  for (const BuiltInCode& built_in : code_.built_ins) {
    for (uint32_t i = 0; i < built_in.components; ++i) {
      const uint32_t row = built_in.row + i * RowsOf(built_in.scalar);
      ClearShadow(row);
      if (built_in.batch_input != BuiltInCode::kNoBatchInput) {
        const size_t first = size_t{built_in.batch_input} * lanes_;
        ForActive([&](uint32_t lane) {
          Row(row)[lane] = batch_->inputs[first + lane];
          SetShadow(row, lane, batch_->input_shadows[first + lane]);
        });
        continue;
      }
      ForActive([&](uint32_t lane) {
        if (built_in.built_in == spv::BuiltIn::Max) {
          const uint64_t place =
              Mix(Mix(code_.made_up_inputs, built_in.place), InvocationNumber(lane));
          return Set(row, built_in.scalar, lane, MadeUp(place, built_in.scalar));
        }
        Set(row, built_in.scalar, lane, BuiltIn(built_in.built_in, i, lane));
        if (built_in.built_in == spv::BuiltIn::SampleMask && HasOpenMask(lane)) {
          SetShadow(row, lane, kApproximateBit);
        }
        // Only fragments of points have it.
        if (built_in.built_in == spv::BuiltIn::PointCoord) SetShadow(row, lane, kUndefinedBit);
      });
    }
  }
}

}  // namespace interp
}  // namespace refract
