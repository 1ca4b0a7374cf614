// SPDX-License-Identifier: Apache-2.0
// Sampling and gathering (Vulkan, "Image Operations"). If several levels may be read
// (image_levels.h), the result is exact only if all of them give the same value.
//
// HOW EXACT IT IS. Implementations compute texel coordinates in fixed point, so a coordinate is
// assumed to be off by 1/256 of a texel in addition to its own error. If this may select another
// texel, nearest sampling is exact only if that texel has the same value. Filtered values are exact
// if all texels that may contribute are equal. On an axis on which the coordinate is exactly at the
// centre of a texel, no other texel contributes. The face of a cube is open if two components of
// the direction may be the largest, or if the texels of another face may contribute.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "interp/images.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/image_levels.h"
#include "interp/ops/ops_image.h"

namespace refract {
inline namespace interp {
namespace {

using math::Absolute;
using math::kInfinity;

constexpr double kSubTexel = 0x1p-8;

// The texels on an axis: the selected one (and the next one, weighted by `fraction`), and the range
// of those that could be selected.
struct Axis {
  int64_t base = 0, low = 0, high = 0;
  double fraction = 0;
  double margin = 0;
  bool unknown = false;  // any texel could be selected
};

class Sampler {
 public:
  Sampler(Machine& machine, const Op& op)
      : machine_(machine), op_(op), form_(ImageOperandsOf(machine, op)) {}
  void Sample(uint32_t lane);
  void Gather(uint32_t lane);

 private:
  bool Begin(uint32_t lane);
  bool AllowsTexelCoordinates();
  void UseLevel(uint32_t level) {
    level_ = level;
    size_ = SizeOfLevel(machine_.images().image(image_), level);
  }
  bool Coordinate(uint32_t component, FloatValue* value);
  bool FindAxes(bool filtered);
  Axis AlongAxis(const FloatValue& coordinate, uint32_t size, bool filtered) const;
  Axis AlongLayers(const FloatValue& coordinate) const;
  bool FindFace(bool filtered);
  bool SampleLevel(uint32_t level, TexelValue (&values)[4]);
  bool SampleLevels(const LevelChoice& choice, TexelValue (&values)[4]);
  Axis OnFace(const FloatValue& along, const FloatValue& major, bool filtered) const;
  int64_t OffsetOf(uint32_t row) const { return static_cast<int32_t>(machine_.Row(row)[lane_]); }
  uint64_t Wrap(int64_t place, uint32_t size) const;
  void ReadBorder(Component (&components)[4]) const;
  void Read(int64_t x, int64_t y, int64_t z, int64_t layer, Component (&components)[4]) const;
  bool FindReference();
  void Compare(Component* component) const;
  bool normalised() const {
    const TexelFormat::Kind kind = machine_.images().texel_format(image_).kind;
    return kind == TexelFormat::kUnorm || kind == TexelFormat::kSnorm;
  }
  bool unknown() const;
  bool IsSure(int64_t x, int64_t y, int64_t z, int64_t layer) const;
  struct Mix;
  Mix MixTexels(bool filtered) const;
  bool GatherOne(uint32_t number, uint32_t component, TexelValue* value);

  Machine& machine_;
  const Op& op_;
  const ImageOperands form_;
  uint32_t lane_ = 0, image_ = 0;
  bool linear_ = false;
  BoundImage::Wrap wrap_ = BoundImage::kClamp;
  BoundImage::Border border_ = BoundImage::kTransparent;
  BoundImage::Reduction reduction_ = BoundImage::kWeightedAverage;
  bool reduces_levels_ = false;
  bool in_texels_ = false;  // coordinates are those of texels
  uint32_t level_ = 0;
  LevelSize size_;  // of the level
  Axis axes_[4];    // x, y, z, layer
  BoundImage::Compare compare_ = BoundImage::kNone;
  double least_ref_ = 0, most_ref_ = 0;  // the depth that is compared
  mutable bool open_comparison_ = false;
};

bool Sampler::Begin(uint32_t lane) {
  lane_ = lane;
  image_ = machine_.Row(op_.a)[lane];
  UseLevel(0);
  const BoundImage& sampler = machine_.images().image(machine_.Row(op_.a + 1)[lane]);
  linear_ = sampler.linear && IsFloat(op_.scalar);
  wrap_ = form_.cube == 0 ? sampler.wrap : BoundImage::kClamp;
  border_ = sampler.border;
  reduction_ = linear_ ? sampler.reduction : BoundImage::kWeightedAverage;
  in_texels_ = sampler.texel_coordinates;
  reduces_levels_ = sampler.reduction != BoundImage::kWeightedAverage;
  if (in_texels_ && !AllowsTexelCoordinates()) return false;
  compare_ = sampler.compare;
  for (uint32_t i = 0; form_.offset != kNoRow && i < form_.axes; ++i) {
    if (!machine_.RequireDefined(op_.instruction, form_.offset + i, lane, "an offset")) {
      return false;
    }
  }
  return true;
}

// Whether the instruction and the image are some that a sampler with coordinates of texels may have
// (Vulkan, VkSamplerCreateInfo, unnormalizedCoordinates). Returns false after a trap.
bool Sampler::AllowsTexelCoordinates() {
  const BoundImage& image = machine_.images().image(image_);
  const bool is_flat = image.dim == spv::Dim::Dim1D || image.dim == spv::Dim::Dim2D;
  const bool is_gather = form_.component != kNoRow;
  const bool has_level = form_.lod != kNoRow || form_.grad[0] != kNoRow;
  const bool is_plain = form_.projective == 0 && form_.reference == kNoRow &&
                        form_.offset == kNoRow && (is_gather || has_level);
  if (is_flat && !image.arrayed && image.levels == 1 && is_plain) return true;
  machine_.FailUndefined(op_, lane_,
                         "the coordinates of the sampler are those of texels, which only gathers "
                         "and samples with a level may use, without an offset, of 1D and 2D images "
                         "with one level");
  return false;
}

// Reads a coordinate. Returns false after a trap. No texel can be selected by an undefined
// coordinate.
bool Sampler::Coordinate(uint32_t component, FloatValue* value) {
  *value = SampledCoordinate(machine_, form_, lane_, component);
  if ((value->note.shadow & kUndefinedBit) == 0) return true;
  machine_.FailUndefined(op_, lane_, "a coordinate is undefined");
  return false;
}

Axis Sampler::AlongAxis(const FloatValue& coordinate, uint32_t size, bool filtered) const {
  Axis axis;
  const double scale = in_texels_ ? 1 : size;
  const double exact = coordinate.value * scale;
  const double place = filtered ? exact - 0.5 : exact;
  if (!(Absolute(place) < 0x1p31)) {
    axis.unknown = true;
    return axis;
  }
  const double own = coordinate.note.shadow != 0 ? coordinate.note.error * scale : 0;
  axis.margin = own + kSubTexel + Absolute(exact) * 0x1p-22;
  axis.unknown = !(axis.margin < 0.5);
  const double base = std::floor(place);
  axis.base = axis.low = axis.high = static_cast<int64_t>(base);
  axis.fraction = filtered ? place - base : 0;
  if (axis.unknown) return axis;
  const bool centred = filtered && place == base && own == 0 && math::IsRepresentable(exact, 32);
  if (centred) {
    axis.margin = 0;
    return axis;
  }
  axis.low = static_cast<int64_t>(std::floor(place - axis.margin));
  axis.high = static_cast<int64_t>(std::floor(place + axis.margin)) + (filtered ? 1 : 0);
  return axis;
}

// The layer nearest to the coordinate, ties to even, clamped.
Axis Sampler::AlongLayers(const FloatValue& coordinate) const {
  const uint32_t faces = form_.cube != 0 ? 6 : 1;
  const double last = machine_.images().image(image_).layers / faces - 1.0;
  const auto layer = [&](double value) {
    const double clamped = std::clamp(value, 0.0, last);
    const double below = std::floor(clamped), rest = clamped - below;
    const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
    return static_cast<int64_t>(up ? below + 1 : below);
  };
  Axis axis;
  const double error = coordinate.note.shadow != 0 ? coordinate.note.error : 0;
  axis.base = layer(coordinate.value);
  axis.low = layer(coordinate.value - error);
  axis.high = layer(coordinate.value + error);
  axis.unknown = axis.high - axis.low > 3;
  return axis;
}

// One axis of the face with the major component `major` (Vulkan, "Cube Map Coordinate
// Transformation").
Axis Sampler::OnFace(const FloatValue& along, const FloatValue& major, bool filtered) const {
  const auto error = [](const FloatValue& value) {
    return value.note.shadow != 0 ? value.note.error : 0;
  };
  const double size = Absolute(major.value), room = size - error(major);
  FloatValue place;
  place.value = 0.5 * (along.value / size) + 0.5;
  // The quotient may be off by 2.5 ULP, and by what the errors of both components make of it.
  const double carried = error(along) + Absolute(along.value / size) * error(major);
  place.note.shadow = kApproximateBit;
  place.note.error = room > 0 ? 0.5 * carried / room + 0x1p-22 : kInfinity;
  const uint32_t side = size_.width;
  Axis axis = AlongAxis(place, side, filtered);
  axis.unknown |= axis.low < 0 || axis.high >= static_cast<int64_t>(side);
  return axis;
}

// Finds the face of a cube and the axes on it. The last axis gets the face of the cube. Returns
// false after a trap, or if the result is undefined.
bool Sampler::FindFace(bool filtered) {
  FloatValue part[3];
  for (uint32_t i = 0; i < 3; ++i) {
    if (!Coordinate(i, &part[i])) return false;
    if (math::IsFinite(part[i].value)) continue;
    PutUndefinedTexel(machine_, op_, lane_);
    return false;
  }
  const CubeFace face = FaceOf(part);
  if (part[face.major].value == 0) {
    PutUndefinedTexel(machine_, op_, lane_);
    return false;
  }
  for (uint32_t i = 0; i < 2; ++i) {
    FloatValue along = part[face.along[i]];
    if (face.flipped[i]) along.value = -along.value;
    axes_[i] = OnFace(along, part[face.major], filtered);
  }
  if (form_.arrayed != 0) {
    FloatValue cube;
    if (!Coordinate(3, &cube)) return false;
    axes_[3] = AlongLayers(cube);
    axes_[3].unknown |= axes_[3].low != axes_[3].high;
  }
  axes_[3].base = axes_[3].base * 6 + face.number();
  axes_[3].low = axes_[3].high = axes_[3].base;
  return true;
}

// Returns false after a trap, or if the result is undefined.
bool Sampler::FindAxes(bool filtered) {
  const uint32_t sizes[3] = {size_.width, size_.height, size_.depth};
  for (uint32_t i = 0; i < 4; ++i) axes_[i] = {};
  if (form_.cube != 0) return FindFace(filtered);
  for (uint32_t i = 0; i < form_.axes + form_.arrayed; ++i) {
    FloatValue value;
    if (!Coordinate(i, &value)) return false;
    if (!math::IsFinite(value.value)) {
      PutUndefinedTexel(machine_, op_, lane_);
      return false;
    }
    if (i >= form_.axes) {
      axes_[3] = AlongLayers(value);
      continue;
    }
    Axis& axis = axes_[i] = AlongAxis(value, sizes[i], filtered);
    const int64_t offset = form_.offset == kNoRow ? 0 : OffsetOf(form_.offset + i);
    axis.base += offset;
    axis.low += offset;
    axis.high += offset;
  }
  return true;
}

bool Sampler::unknown() const {
  return std::any_of(axes_, axes_ + 4, [](const Axis& axis) { return axis.unknown; });
}

// The texel on an axis of `size` texels (Vulkan, "Wrapping Operation"); ImageMemory::kOutside for
// the border.
uint64_t Sampler::Wrap(int64_t place, uint32_t size) const {
  const int64_t last = int64_t{size} - 1;
  const auto modulo = [](int64_t number, int64_t period) {
    const int64_t rest = number % period;
    return rest < 0 ? rest + period : rest;
  };
  switch (wrap_) {
    case BoundImage::kRepeat:
      place = modulo(place, size);
      break;
    case BoundImage::kMirror:
      place = modulo(place, 2 * int64_t{size});
      if (place > last) place = 2 * last + 1 - place;
      break;
    case BoundImage::kMirrorClamp:
      if (place < 0) place = -1 - place;
      place = std::min(place, last);
      break;
    case BoundImage::kBorder:
      if (place < 0 || place > last) return ImageMemory::kOutside;
      break;
    case BoundImage::kClamp:
      place = std::clamp<int64_t>(place, 0, last);
  }
  return static_cast<uint64_t>(place);
}

// The border takes the place of a texel before its format adds the components that it does not have
// (Vulkan, "Texel Replacement" and "Conversion to RGBA").
void Sampler::ReadBorder(Component (&components)[4]) const {
  const uint32_t stored = machine_.images().texel_format(image_).components;
  for (uint32_t i = 0; i < 4; ++i) {
    const bool alpha = i == 3;
    const bool one =
        i >= stored ? alpha
                    : border_ == BoundImage::kWhite || (alpha && border_ == BoundImage::kBlack);
    components[i] = {one ? 1.0 : 0.0, one ? 1u : 0u};
  }
}

void Sampler::Read(int64_t x, int64_t y, int64_t z, int64_t layer,
                   Component (&components)[4]) const {
  const uint64_t column = Wrap(x, size_.width), row = Wrap(y, size_.height);
  const uint64_t slice = Wrap(z, size_.depth);
  if (column == ImageMemory::kOutside || row == ImageMemory::kOutside ||
      slice == ImageMemory::kOutside) {
    ReadBorder(components);
  } else {
    const uint32_t texel = machine_.images().TexelAt(
        image_, {column, row, slice, static_cast<uint64_t>(layer), level_});
    if (texel == ImageMemory::kOutside) return;
    machine_.images().Read(image_, texel, components);
  }
  if (form_.reference != kNoRow) Compare(&components[0]);
}

// Returns false after a trap.
bool Sampler::FindReference() {
  open_comparison_ = false;
  if (form_.reference == kNoRow) return true;
  const FloatValue value = FloatColumn(machine_, form_.reference, Scalar::kFloat32).Get(lane_);
  if ((value.note.shadow & kUndefinedBit) != 0) {
    machine_.FailUndefined(op_, lane_, "the depth reference is undefined");
    return false;
  }
  const double error = value.note.shadow != 0 ? value.note.error : 0;
  least_ref_ = value.value - error;
  most_ref_ = value.value + error;
  open_comparison_ = !math::IsFinite(least_ref_) || !math::IsFinite(most_ref_);
  return true;
}

// Replaces a depth by the result of the comparison: reference OP texel (Vulkan, "Depth Compare
// Operation").
void Sampler::Compare(Component* component) const {
  const auto passes = [&](double reference) {
    const double texel = component->number;
    switch (compare_) {
      case BoundImage::kLess:
        return reference < texel;
      case BoundImage::kEqual:
        return reference == texel;
      case BoundImage::kLessOrEqual:
        return reference <= texel;
      case BoundImage::kGreater:
        return reference > texel;
      case BoundImage::kNotEqual:
        return reference != texel;
      case BoundImage::kGreaterOrEqual:
        return reference >= texel;
      case BoundImage::kAlways:
        return true;
      default:
        return false;
    }
  };
  const bool low = passes(least_ref_), middle = passes((least_ref_ + most_ref_) / 2);
  // A texel between the ends may be equal to the reference, although neither end is.
  const bool inside = least_ref_ < component->number && component->number < most_ref_;
  if (low != passes(most_ref_) || low != middle || inside) open_comparison_ = true;
  *component = {middle ? 1.0 : 0.0, middle ? 1u : 0u};
}

// The combination of all texels that may contribute, for each component.
struct Sampler::Mix {
  double value[4] = {}, least[4], most[4];
  uint32_t bits[4] = {};
  bool same[4] = {true, true, true, true};  // for `bits`
  // The minimum or maximum of the texels that contribute, and of those that surely do; nothing: no
  // texel does.
  std::optional<double> extreme[4], sure[4];

  void Include(uint32_t component, BoundImage::Reduction reduction, bool contributes, bool surely,
               double number) {
    const auto add = [&](std::optional<double>* to) {
      *to = !*to                                ? number
            : reduction == BoundImage::kMinimum ? std::min(**to, number)
                                                : std::max(**to, number);
    };
    if (contributes) add(&extreme[component]);
    if (surely) add(&sure[component]);
  }
  // The value of a component with this reduction, and how much another correct value may differ:
  // Vulkan includes the texels with a weight above 0, but weights are not exact.
  void Reduce(uint32_t component, BoundImage::Reduction reduction, TexelValue* value) const {
    const bool is_minimum = reduction == BoundImage::kMinimum;
    const double outermost = is_minimum ? least[component] : most[component];
    const double innermost =
        sure[component].value_or(is_minimum ? most[component] : least[component]);
    value->number = extreme[component].value_or(outermost);
    value->extra_error = Absolute(innermost - outermost);
  }
};

// Whether the texel has a weight above 0 in every implementation. A texel with a whole axis to
// itself has all of its weight.
bool Sampler::IsSure(int64_t x, int64_t y, int64_t z, int64_t layer) const {
  const int64_t places[] = {x, y, z, layer};
  for (uint32_t i = 0; i < 4; ++i) {
    const Axis& axis = axes_[i];
    if (axis.low == axis.high) continue;
    const double share = places[i] == axis.base       ? 1 - axis.fraction
                         : places[i] == axis.base + 1 ? axis.fraction
                                                      : 0;
    if (!(share > axis.margin + kSubTexel)) return false;
  }
  return true;
}

Sampler::Mix Sampler::MixTexels(bool filtered) const {
  Mix mix;
  std::fill_n(mix.least, 4, kInfinity);
  std::fill_n(mix.most, 4, -kInfinity);
  const auto weight = [&](const Axis& axis, int64_t place) {
    if (place == axis.base) return 1 - axis.fraction;
    return filtered && place == axis.base + 1 ? axis.fraction : 0.0;
  };
  Component base[4];
  Read(axes_[0].base, axes_[1].base, axes_[2].base, axes_[3].base, base);
  for (uint32_t i = 0; i < 4; ++i) mix.bits[i] = base[i].bits;
  for (int64_t l = axes_[3].low; l <= axes_[3].high; ++l) {
    for (int64_t z = axes_[2].low; z <= axes_[2].high; ++z) {
      for (int64_t y = axes_[1].low; y <= axes_[1].high; ++y) {
        for (int64_t x = axes_[0].low; x <= axes_[0].high; ++x) {
          Component texel[4];
          Read(x, y, z, l, texel);
          const double share = l == axes_[3].base
                                   ? weight(axes_[0], x) * weight(axes_[1], y) * weight(axes_[2], z)
                                   : 0;
          const bool sure = IsSure(x, y, z, l);
          for (uint32_t i = 0; i < 4; ++i) {
            if (share != 0) mix.value[i] += share * texel[i].number;
            mix.Include(i, reduction_, share != 0, sure, texel[i].number);
            mix.least[i] = std::min(mix.least[i], texel[i].number);
            mix.most[i] = std::max(mix.most[i], texel[i].number);
            mix.same[i] = mix.same[i] && texel[i].bits == mix.bits[i];
          }
        }
      }
    }
  }
  return mix;
}

// Returns false after a trap, or if the result is undefined.
bool Sampler::SampleLevel(uint32_t level, TexelValue (&values)[4]) {
  UseLevel(level);
  if (!FindAxes(linear_)) return false;
  const Mix mix = MixTexels(linear_);
  const bool any = unknown() || open_comparison_;
  // Along each axis, one texel changes a filtered value by at most the spread of the texels. The
  // weights have 8 bits, and so may the sum.
  double share = linear_ ? 2 * kSubTexel : 1;
  for (const Axis& axis : axes_) {
    if (linear_ && axis.margin != 0) share += axis.margin + kSubTexel;
  }
  if (axes_[3].low != axes_[3].high) share = 1;
  for (uint32_t i = 0; i < 4; ++i) {
    TexelValue& value = values[i] = {};
    value.normalised = normalised();
    value.bits = mix.bits[i];
    value.number = mix.least[i] == mix.most[i] ? mix.least[i] : mix.value[i];
    const double spread = mix.most[i] - mix.least[i];
    value.extra_error = std::min(share, 1.0) * spread;
    if (reduction_ != BoundImage::kWeightedAverage) mix.Reduce(i, reduction_, &value);
    if (any) value.extra_error = kInfinity;
    if (!(value.extra_error >= 0)) value.extra_error = kInfinity;
    if (!IsFloat(op_.scalar) && (any || !mix.same[i])) value.shadow = kApproximateBit;
  }
  return true;
}

// Combines all levels that may be read. Returns false after a trap, or if the result is undefined.
bool Sampler::SampleLevels(const LevelChoice& choice, TexelValue (&values)[4]) {
  struct Level {
    TexelValue values[4];
  };
  std::vector<Level> levels(choice.high - choice.low + 1);
  for (size_t i = 0; i < levels.size(); ++i) {
    if (!SampleLevel(choice.low + static_cast<uint32_t>(i), levels[i].values)) return false;
  }
  const double lowest = choice.low, highest = choice.high;
  const double likely = std::clamp(
      choice.mixes ? std::floor(choice.likely_level) : std::ceil(choice.likely_level - 0.5), lowest,
      highest);
  const auto first = static_cast<size_t>(likely) - choice.low;
  const size_t second = std::min(first + 1, levels.size() - 1);
  const double share = choice.mixes ? choice.likely_level - likely : 0;
  // Between two levels, the value changes by at most this part of their difference.
  const double reach = !choice.mixes || levels.size() != 2 || reduces_levels_
                           ? 1
                           : std::max(choice.likely_level - choice.level.low,
                                      choice.level.high - choice.likely_level) +
                                 kSubTexel;
  const auto distance = [](double x, double y) { return x == y ? 0 : Absolute(x - y); };
  for (uint32_t i = 0; i < 4; ++i) {
    values[i] = levels[first].values[i];
    const double next = levels[second].values[i].number;
    if (share > 0 && next != values[i].number) {
      values[i].number = (1 - share) * values[i].number + share * next;
    }
    for (const Level& level : levels) {
      const TexelValue& other = level.values[i];
      const double away =
          reach < 1 ? reach * distance(levels[0].values[i].number, levels[1].values[i].number)
                    : distance(other.number, values[i].number);
      const double error = away + other.extra_error;
      values[i].extra_error = error >= 0 ? std::max(values[i].extra_error, error) : kInfinity;
      values[i].shadow |= other.shadow;
      if (!IsFloat(op_.scalar) && other.bits != values[i].bits) values[i].shadow = kApproximateBit;
    }
  }
  return true;
}

void Sampler::Sample(uint32_t lane) {
  if (!Begin(lane) || !FindReference()) return;
  TexelValue values[4];
  if (machine_.images().image(image_).levels == 1) {
    if (!SampleLevel(0, values)) return;
  } else {
    LevelChoice choice;
    if (!ChooseLevels(machine_, op_, form_, lane, &choice)) return;
    if (choice.is_undefined) return PutUndefinedTexel(machine_, op_, lane);
    if (!SampleLevels(choice, values)) return;
  }
  for (uint32_t i = 0; i < std::min(op_.count, 4u); ++i) {
    PutTexelValue(machine_, op_, i, lane, values[i]);
  }
}

// One of the four texels, counter-clockwise from the lower left: (0, 1), (1, 1), (1, 0), (0, 0).
// With ConstOffsets each is the upper left texel of its own offset.
bool Sampler::GatherOne(uint32_t number, uint32_t component, TexelValue* value) {
  constexpr int64_t kPlaces[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  int64_t place[2] = {kPlaces[number][0], kPlaces[number][1]};
  for (uint32_t i = 0; form_.offsets != kNoRow && i < 2; ++i) {
    const uint32_t row = form_.offsets + 2 * number + i;
    if (!machine_.RequireDefined(op_.instruction, row, lane_, "an offset")) return false;
    place[i] = OffsetOf(row);
  }
  Component chosen[4];
  Read(axes_[0].base + place[0], axes_[1].base + place[1], 0, axes_[3].base, chosen);
  value->number = chosen[component].number;
  value->bits = chosen[component].bits;
  value->normalised = normalised();
  // The upper left texel may be any one from `low` on; `high` belongs to the right or lower one.
  for (int64_t l = axes_[3].low; l <= axes_[3].high; ++l) {
    for (int64_t y = axes_[1].low; y < axes_[1].high; ++y) {
      for (int64_t x = axes_[0].low; x < axes_[0].high; ++x) {
        Component other[4];
        Read(x + place[0], y + place[1], 0, l, other);
        value->extra_error =
            std::max(value->extra_error, Absolute(other[component].number - value->number));
        if (!IsFloat(op_.scalar) && other[component].bits != value->bits) {
          value->shadow = kApproximateBit;
        }
      }
    }
  }
  return true;
}

void Sampler::Gather(uint32_t lane) {
  if (!Begin(lane) || !FindReference()) return;
  if (!machine_.RequireDefined(op_.instruction, form_.component, lane, "the component")) return;
  const uint64_t component =
      machine_.Get(form_.component, static_cast<Scalar>(form_.component_scalar), lane);
  if (component > 3) return PutUndefinedTexel(machine_, op_, lane);
  if (!FindAxes(true)) return;
  // At the centre of a texel, a small error can select the texel before it, too.
  for (Axis* axis : {&axes_[0], &axes_[1]}) {
    if (axis->margin != 0 || axis->unknown) continue;
    axis->low = axis->base - 1;
    axis->high = axis->base + 1;
  }
  for (uint32_t i = 0; i < std::min(op_.count, 4u); ++i) {
    TexelValue value;
    if (!GatherOne(i, static_cast<uint32_t>(component), &value)) return;
    if (unknown() || open_comparison_) {
      value.extra_error = kInfinity;
      value.shadow = kApproximateBit;
    }
    PutTexelValue(machine_, op_, i, lane, value);
  }
}

}  // namespace

void SampleImage(Machine& machine, const Op& op) {
  Sampler sampler(machine, op);
  machine.ForActive([&](uint32_t lane) {
    if (!machine.stopped()) sampler.Sample(lane);
  });
}

void QueryImageLod(Machine& machine, const Op& op) {
  const ImageOperands form = ImageOperandsOf(machine, op);
  machine.ForActive([&](uint32_t lane) {
    LevelChoice choice;
    if (machine.stopped() || !ChooseLevels(machine, op, form, lane, &choice)) return;
    choice.is_undefined |= machine.images().image(machine.Row(op.a + 1)[lane]).texel_coordinates;
    if (choice.is_undefined) return PutUndefinedTexel(machine, op, lane);
    const double lowest = choice.low, highest = choice.high;
    const math::Range levels = choice.mixes ? choice.level : math::Range{lowest, highest};
    const auto put = [&](uint32_t row, const math::Range& range, double likely) {
      const double number = math::RoundToWidth(likely, 32);
      const FloatColumn to(machine, row, op.scalar);
      to.PutApproximate(lane, number, math::ErrorOf(range, number), 0);
    };
    put(op.result, levels, choice.mixes ? choice.likely_level : lowest);
    put(op.result + 1, choice.lod, choice.likely_lod);
  });
}

void GatherTexels(Machine& machine, const Op& op) {
  Sampler sampler(machine, op);
  machine.ForActive([&](uint32_t lane) {
    if (!machine.stopped()) sampler.Gather(lane);
  });
}

}  // namespace interp
}  // namespace refract
