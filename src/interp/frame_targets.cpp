// SPDX-License-Identifier: Apache-2.0
#include "interp/frame_targets.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace refract {
inline namespace interp {

FrameTargets::FrameTargets(const Program::Code& code, const RunOptions& options, RunReport* report)
    : code_(code),
      report_(*report),
      width_(TargetWidth(code.bindings)),
      height_(code.bindings.height),
      memory_(options.limits.memory),
      depths_(code.bindings.depth, size_t{width_} * height_),
      tests_early_(depths_.exists() && code.tests_early),
      keeps_(code.linked && depths_.IsSelective() && !tests_early_) {
  MakeTargets();
  if (code.linked) last_.assign(size_t{width_} * height_, 0);
  // A draw of the whole frame may leave pixels as they are.
  const bool known = (code.linked || DrawsNothing()) && options.sample.empty();
  bounds_ = TargetBounds(report_.outputs.targets, known);
}

void FrameTargets::MakeTargets() {
  std::vector<ColourTarget>& targets = report_.outputs.targets;
  for (const OutputCode& output : code_.outputs) {
    auto place = std::find_if(targets.begin(), targets.end(), [&](const ColourTarget& target) {
      return target.location >= output.location;
    });
    if (place != targets.end() && place->location == output.location) continue;
    ColourTarget target;
    target.location = output.location;
    target.format = IsFloat(output.scalar) ? code_.bindings.float_target
                    : output.is_signed     ? spv::ImageFormat::Rgba32i
                                           : spv::ImageFormat::Rgba32ui;
    target.width = width_;
    target.height = height_;
    target.texels.resize(size_t{width_} * height_ * TexelSize(target.format));
    targets.insert(place, std::move(target));
  }
  for (ColourTarget& target : targets) {
    uint32_t components = 0;
    for (const OutputCode& output : code_.outputs) {
      if (output.location != target.location) continue;
      components |= ((1u << output.components) - 1) << output.component;
    }
    FillMissing(components, &target);
  }
  if (depths_.exists()) targets.push_back(DepthTarget(code_.bindings, {}));
  const std::string exact(size_t{width_} * height_ * 4, '\0');
  report_.target_shadows.assign(targets.size(), exact);
}

bool FrameTargets::DrawsNothing() const {
  return tests_early_ && !code_.linked && depths_.FailsAtFirst(0);
}

// --- reading

void FrameTargets::Take(Machine& machine, const Machine::Batch& batch,
                        const std::vector<FloatValue>& depths) {
  batch.present.ForEach([&](uint32_t lane) {
    if (batch.helper.Has(lane)) return;
    fragment_.depth = depths.empty() ? FloatValue() : depths[lane];
    Read(machine, batch, lane, &fragment_);
    const uint32_t samples = code_.bindings.samples;
    const bool discarded = fragment_.discarded;
    const uint32_t mask = code_.sample_mask_row ? machine.Row(*code_.sample_mask_row)[lane] : ~0u;
    const size_t first = fragment_.pixel;
    for (uint32_t sample = 0; sample < samples; ++sample) {
      if ((SamplesOf(batch, lane) >> sample & 1) == 0) continue;
      fragment_.pixel = first + sample;
      // Bit n of the mask is for sample n (Vulkan, "Sample Mask").
      fragment_.discarded = discarded || (mask >> sample & 1) == 0;
      if (!keeps_) {
        Draw(fragment_);
      } else if (FitsInMemory()) {
        kept_.push_back(fragment_);
      }
    }
  });
}

// The samples that the invocation covers, as a mask.
uint32_t FrameTargets::SamplesOf(const Machine::Batch& batch, uint32_t lane) const {
  return code_.bindings.samples > 1 ? batch.covered[lane] : 1;
}

void FrameTargets::Read(Machine& machine, const Machine::Batch& batch, uint32_t lane,
                        Fragment* fragment) const {
  fragment->number = batch.z[lane];
  fragment->pixel = size_t{batch.y[lane]} * width_ + batch.x[lane] * code_.bindings.samples;
  fragment->discarded = machine.discarded().Has(lane);
  fragment->uncertain = IsUncertain(machine, lane);
  fragment->mask_shadow = 0;
  if (code_.sample_mask_row && !fragment->discarded) {
    fragment->discarded = (machine.Row(*code_.sample_mask_row)[lane] & SamplesOf(batch, lane)) == 0;
    fragment->mask_shadow = machine.ShadowOf(*code_.sample_mask_row, lane) & kShadowMask;
  }
  fragment->written.clear();
  if (fragment->discarded) return;
  if (depths_.exists()) fragment->depth = DepthOf(machine, lane, fragment->depth);
  for (const OutputCode& output : code_.outputs) ReadOutput(machine, output, lane, fragment);
}

// Whether an approximate value decided what this invocation does, or one of its quad does.
bool FrameTargets::IsUncertain(const Machine& machine, uint32_t lane) const {
  const LaneSet& approximate = machine.approximate_lanes();
  if (!code_.has_collectives) return approximate.Has(lane);
  const uint32_t first = lane / 4 * 4;
  return approximate.Has(first) || approximate.Has(first + 1) || approximate.Has(first + 2) ||
         approximate.Has(first + 3);
}

// The depth of a fragment. `between`: the depth between the vertices, which holds unless the shader
// replaces it. A depth that is not from 0 to 1 is undefined (Vulkan, "Depth Clamping and Range
// Adjustment"), and so is one that breaks the promise of DepthGreater and similar modes.
FloatValue FrameTargets::DepthOf(Machine& machine, uint32_t lane, const FloatValue& between) const {
  if (!code_.replaces_depth || code_.tests_early) return between;
  if (!code_.depth_row) {
    FloatValue unknown;
    unknown.note.shadow = kUndefinedBit;
    return unknown;
  }
  FloatValue depth = FloatColumn(machine, *code_.depth_row, Scalar::kFloat32).Get(lane);
  if ((depth.note.shadow & kUndefinedBit) != 0) return depth;
  const double error = depth.note.exact() ? 0 : depth.note.error;
  const double low = depth.value - error, high = depth.value + error;
  const double around = between.note.exact() ? 0 : between.note.error;
  const double least = code_.depth_may_fall ? 0 : between.value - around;
  const double most = code_.depth_may_rise ? 1 : between.value + around;
  if (math::IsNan(depth.value) || high < least || low > most) {
    depth.note.shadow = kUndefinedBit;
    return depth;
  }
  // The depth may be the wrong one, for some values that are possible.
  const bool within = low >= (code_.depth_may_fall ? 0 : between.value + around) &&
                      high <= (code_.depth_may_rise ? 1 : between.value - around);
  if (within) return depth;
  depth.note.shadow = kApproximateBit;
  depth.note.error = math::kInfinity;
  return depth;
}

void FrameTargets::ReadOutput(Machine& machine, const OutputCode& output, uint32_t lane,
                              Fragment* fragment) const {
  size_t number = 0;
  while (report_.outputs.targets[number].location != output.location) ++number;
  const bool is_level = report_.outputs.targets[number].format == spv::ImageFormat::Rgba8;
  const uint32_t rows = RowsOf(output.scalar);
  for (uint32_t i = 0; i < output.components && output.component + i < 4; ++i) {
    const uint32_t row = output.row + i * rows;
    Written& written = fragment->written.emplace_back();
    written.target = number;
    written.place = output.component + i;
    uint32_t about = machine.ShadowOf(row, lane);
    if (IsFloat(output.scalar)) {
      const FloatValue value = FloatColumn(machine, row, output.scalar).Get(lane);
      if (is_level) {
        written.is_level = true;
        written.level = LevelOf(value);
        continue;
      }
      written.bits = math::FloatBitsFromDouble(value.value);
      // The samples of a frame are read by draws, which may flush denormals and lose the sign of a
      // zero.
      const bool is_lost =
          code_.bindings.samples > 1 &&
          ((value.value == 0 && std::signbit(value.value)) || math::IsDenormal(value.value, 32));
      const bool has_unknown_sign = (about & kUnknownZeroSignBit) != 0 || is_lost;
      about = value.note.shadow | (has_unknown_sign ? kApproximateBit : 0);
    } else {
      written.bits = static_cast<uint32_t>(machine.Get(row, output.scalar, lane));
      const uint32_t width = WidthOf(output.scalar);
      const bool negative =
          output.is_signed && width < 32 && (written.bits >> (width - 1) & 1) != 0;
      if (negative) written.bits |= ~0u << width;
      about &= kShadowMask;
    }
    written.shadow = (about & kUndefinedBit) != 0 ? kUndefinedBit : about;
  }
}

// --- drawing

bool FrameTargets::FitsInMemory() const {
  const uint64_t size = sizeof(Fragment) + 4 * code_.outputs.size() * sizeof(Written);
  return kept_.size() * size <= memory_;
}

bool FrameTargets::DrawKept() {
  if (!FitsInMemory()) return false;
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Fragment& a, const Fragment& b) { return a.number < b.number; });
  for (const Fragment& fragment : kept_) Draw(fragment);
  kept_.clear();
  return true;
}

void FrameTargets::Draw(const Fragment& fragment) {
  const size_t pixel = fragment.pixel;
  if (fragment.uncertain || fragment.mask_shadow != 0) bounds_.MarkUncertain(pixel);
  if (code_.linked && last_[pixel] > fragment.number + 1) return;
  bool drawn = !fragment.discarded;
  DepthBuffer::Test test;
  if (tests_early_) {
    // With vertices, the tests before the shaders have stored the depths.
    if (!code_.linked) test = depths_.TestFragment(pixel, fragment.depth);
  } else if (drawn && depths_.exists()) {
    test = depths_.TestFragment(pixel, fragment.depth);
    drawn = test.passes;
  }
  if (!tests_early_ && fragment.mask_shadow != 0) depths_.Raise(pixel, fragment.mask_shadow);
  if (!tests_early_ && fragment.uncertain) depths_.Raise(pixel, kApproximateBit);
  if (!code_.linked || drawn) bounds_.SetToTexels(report_.outputs.targets, pixel);
  if (drawn) {
    if (code_.linked) last_[pixel] = fragment.number + 1;
    for (const Written& written : fragment.written) Put(written, pixel);
  }
  const uint32_t open = fragment.mask_shadow | test.open;
  if (open == 0) return;
  bounds_.MarkUncertain(pixel);
  RaiseShadows(pixel, (open & kUndefinedBit) != 0 ? kUndefinedBit : kApproximateBit);
}

void FrameTargets::Put(const Written& written, size_t pixel) {
  ColourTarget& target = report_.outputs.targets[written.target];
  const size_t component = 4 * pixel + written.place;
  char& shadow = report_.target_shadows[written.target][component];
  if (written.is_level) {
    target.texels[component] = static_cast<char>(written.level.level);
    shadow = static_cast<char>(written.level.shadow);
    report_.near_boundary |= written.level.near_boundary;
    bounds_.Set(written.target, component, written.level);
    return;
  }
  std::memcpy(target.texels.data() + 4 * component, &written.bits, 4);
  shadow = static_cast<char>(written.shadow);
}

std::vector<uint32_t> FrameTargets::CoveredBy() const {
  return depths_.IsSelective() ? std::vector<uint32_t>(last_.size()) : last_;
}

void FrameTargets::MarkOpen(size_t pixel) {
  bounds_.MarkUncertain(pixel);
  RaiseShadows(pixel, kApproximateBit);
  depths_.Raise(pixel, kApproximateBit);
}

// All components of the colours of the pixel are at least as uncertain as `shadow`, kApproximateBit
// or kUndefinedBit.
void FrameTargets::RaiseShadows(size_t pixel, uint32_t shadow) {
  for (size_t i = 0; i < report_.target_shadows.size(); ++i) {
    if (report_.outputs.targets[i].location == kDepthLocation) continue;
    for (size_t component = 4 * pixel; component < 4 * pixel + 4; ++component) {
      char& known = report_.target_shadows[i][component];
      known = std::max(known, static_cast<char>(shadow));
    }
  }
}

void FrameTargets::Finish(bool nothing) {
  report_.target_bounds = bounds_.Take(nothing);
  depths_.Store(code_.bindings, &report_);
}

}  // namespace interp
}  // namespace refract
