// SPDX-License-Identifier: Apache-2.0
#include "target/difference.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/counted.h"
#include "base/text.h"
#include "input/addressed/resolve_addressed.h"
#include "input/scalar.h"
#include "input/texels.h"

namespace refract {
inline namespace target {
namespace {

// The type of an element's bits. kWord: the type is not known.
enum class ElementKind : uint8_t { kWord, kFloat, kInt, kUint, kLevel, kSignedLevel };

uint64_t BitsAt(const std::string& bytes, size_t at, size_t size) {
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) {
    bits |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  }
  return bits;
}

int64_t SignExtend(uint64_t bits, size_t size) {
  const size_t unused = 64 - 8 * size;
  return static_cast<int64_t>(bits << unused) >> unused;
}

double AsDouble(uint64_t bits, size_t size) {
  if (size == 8) return std::bit_cast<double>(bits);
  return size == 4 ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                   : HalfToFloat(static_cast<uint16_t>(bits));
}

bool NearFloats(uint64_t a, uint64_t b, size_t size) {
  const double smallest = std::ldexp(1.0, size == 8 ? -1022 : size == 4 ? -126 : -14);
  const double x = AsDouble(a, size), y = AsDouble(b, size);
  if (!std::isfinite(x) || !std::isfinite(y)) return false;
  const double larger = std::max(std::fabs(x), std::fabs(y));
  return larger < smallest || std::fabs(x - y) <= std::ldexp(larger, size == 2 ? -8 : -16);
}

bool Agree(uint64_t a, uint64_t b, size_t size, ElementKind kind, CompareRule rule) {
  if (a == b) return true;
  if (rule == CompareRule::kExact) return false;
  if (kind == ElementKind::kFloat) return NearFloats(a, b, size);
  if (kind == ElementKind::kLevel) return (a > b ? a - b : b - a) <= 1;
  return kind == ElementKind::kSignedLevel &&
         std::llabs(SignExtend(a, size) - SignExtend(b, size)) <= 1;
}

std::string ValueText(uint64_t bits, size_t size, ElementKind kind) {
  const auto width = static_cast<uint32_t>(8 * size);
  if (kind == ElementKind::kFloat && IsFinite(bits, width)) return FloatText(bits, width);
  if (kind == ElementKind::kInt || kind == ElementKind::kSignedLevel) {
    return format("{}", SignExtend(bits, size));
  }
  if (kind == ElementKind::kUint || kind == ElementKind::kLevel) return format("{}", bits);
  return format("{:#x}", bits);
}

// Compares element by element, and keeps the first difference.
class ElementComparer {
 public:
  ElementComparer(const std::string& a, const std::string& b, CompareRule rule)
      : a_(a), b_(b), rule_(rule) {}

  /// True if this element is the first that differs.
  bool Compare(size_t at, size_t size, ElementKind kind) {
    const uint64_t a = BitsAt(a_, at, size), b = BitsAt(b_, at, size);
    if (Agree(a, b, size, kind, rule_)) return false;
    if (found.elements++ > 0) return false;
    found.a = ValueText(a, size, kind);
    found.b = ValueText(b, size, kind);
    return true;
  }
  Difference found;

 private:
  const std::string& a_;
  const std::string& b_;
  const CompareRule rule_;
};

ElementKind KindOf(const TexelFormat& format_row) {
  switch (format_row.kind) {
    case TexelFormat::kUnorm:
      return ElementKind::kLevel;
    case TexelFormat::kSnorm:
      return ElementKind::kSignedLevel;
    case TexelFormat::kFloat:
      return ElementKind::kFloat;
    case TexelFormat::kInt:
      return ElementKind::kInt;
    case TexelFormat::kUint:
      return ElementKind::kUint;
  }
  return ElementKind::kWord;
}

// Compares two sets of texels. Both have the same size and format, and the number of bytes that
// these need.
Difference CompareTexels(const std::string& a, const std::string& b, spv::ImageFormat format_of,
                         uint32_t width, uint32_t height, CompareRule rule) {
  const TexelFormat* row = FindTexelFormat(format_of);
  ElementComparer comparer(a, b, rule);
  if (row == nullptr || a == b) return comparer.found;
  const size_t size = row->width / 8;
  for (size_t at = 0; at + size <= a.size(); at += size) {
    if (!comparer.Compare(at, size, KindOf(*row))) continue;
    const size_t texel = at / row->bytes();
    comparer.found.element =
        format("texel ({}, {}, {}), component {}", texel % width, texel / width % height,
               texel / width / height, at / size % row->components);
  }
  return comparer.found;
}

// Compares floats as the layout says, and everything between them as words, or as bytes if no word
// fits.
Difference CompareBytes(const std::string& a, const std::string& b, const Layout* layout,
                        CompareRule rule) {
  ElementComparer comparer(a, b, rule);
  if (a == b) return comparer.found;
  std::vector<std::pair<size_t, size_t>> floats;  // begin and size
  if (layout != nullptr) {
    for (const LaidOutScalar& scalar : layout->scalars) {
      if (scalar.kind != LaidOutScalar::kFloat) continue;
      floats.emplace_back(scalar.offset, scalar.width / 8);
    }
    std::sort(floats.begin(), floats.end());
  }
  auto next = floats.begin();
  for (size_t at = 0, size = 0; at < a.size(); at += size) {
    while (next != floats.end() && next->first < at) ++next;
    const bool is_float =
        next != floats.end() && next->first == at && at + next->second <= a.size();
    const size_t end =
        next != floats.end() && !is_float ? std::min(next->first, a.size()) : a.size();
    size = is_float ? next->second : end - at >= 4 && at % 4 == 0 ? 4 : 1;
    if (comparer.Compare(at, size, is_float ? ElementKind::kFloat : ElementKind::kWord)) {
      comparer.found.element = format("byte {}", at);
    }
  }
  return comparer.found;
}

// Pairs the outputs of two lists by place; the lists need not be sorted. `compare` is called for
// each pair. An output that only one list has is a difference.
template <class Output, class Compare>
void Pair(const std::string& kind, const std::vector<Output>& a, const std::vector<Output>& b,
          Compare compare, std::vector<Difference>* differences) {
  const auto find = [](const std::vector<Output>& list, const std::string& place) {
    return std::find_if(list.begin(), list.end(),
                        [&](const Output& output) { return PlaceOf(output) == place; });
  };
  const auto add = [&](Difference found, const std::string& place) {
    found.kind = kind;
    found.place = place;
    differences->push_back(std::move(found));
  };
  for (const Output& output : a) {
    const auto other = find(b, PlaceOf(output));
    if (other == b.end()) {
      add({{}, {}, 0, {}, "present", "missing"}, PlaceOf(output));
    } else if (Difference found = compare(output, *other); found.elements > 0 || !found.a.empty()) {
      add(std::move(found), PlaceOf(output));
    }
  }
  for (const Output& output : b) {
    if (find(a, PlaceOf(output)) != a.end()) continue;
    add({{}, {}, 0, {}, "missing", "present"}, PlaceOf(output));
  }
}

// The difference of outputs at one place with different sizes or formats.
Difference Unlike(std::string a, std::string b) {
  return {{}, {}, 0, {}, std::move(a), std::move(b)};
}

std::string Shape(spv::ImageFormat format_of, uint32_t width, uint32_t height, uint32_t slices) {
  const TexelFormat* row = FindTexelFormat(format_of);
  return format("{}x{}x{} {}", width, height, slices, row == nullptr ? "?" : row->name);
}

}  // namespace

void AddAddressedLayouts(const Bindings& bindings, std::vector<BufferLayout>* layouts) {
  for (uint32_t i = 0; i < bindings.addressed.size(); ++i) {
    layouts->push_back({kAddressedSet, i, LayoutOf(bindings.addressed[i])});
  }
}

std::string PlaceOf(const ColourTarget& target) {
  return target.location == kDepthLocation ? "depth" : format("location {}", target.location);
}
std::string PlaceOf(const BoundBuffer& buffer) {
  return PlaceText(buffer);
}
std::string PlaceOf(const BoundImage& image) {
  return PlaceText(image);
}

std::vector<Difference> Differences(const Outputs& a, const Outputs& b, CompareRule rule,
                                    const std::vector<BufferLayout>& layouts) {
  std::vector<Difference> differences;
  Pair(
      "target", a.targets, b.targets,
      [&](const ColourTarget& x, const ColourTarget& y) {
        const bool picture = x.format == spv::ImageFormat::Rgba8;
        if (x.format == y.format && picture) return Difference();
        // The other rules are for colours; an approximate depth has no bounds here.
        if (x.location == kDepthLocation && rule != CompareRule::kExact) return Difference();
        const std::string one = Shape(x.format, x.width, x.height, 1);
        const std::string other = Shape(y.format, y.width, y.height, 1);
        if (one != other) return Unlike(one, other);
        return CompareTexels(x.texels, y.texels, x.format, x.width, x.height, rule);
      },
      &differences);
  Pair(
      "buffer", a.buffers, b.buffers,
      [&](const BoundBuffer& x, const BoundBuffer& y) {
        if (x.bytes.size() != y.bytes.size()) {
          return Unlike(Counted(x.bytes.size(), "byte"), Counted(y.bytes.size(), "byte"));
        }
        const auto known =
            std::find_if(layouts.begin(), layouts.end(),
                         [&](const BufferLayout& candidate) { return SamePlace(candidate, x); });
        return CompareBytes(x.bytes, y.bytes, known == layouts.end() ? nullptr : &known->layout,
                            rule);
      },
      &differences);
  Pair(
      "image", a.images, b.images,
      [&](const BoundImage& x, const BoundImage& y) {
        const std::string one = Shape(x.format, x.width, x.height, x.depth * x.layers);
        const std::string other = Shape(y.format, y.width, y.height, y.depth * y.layers);
        if (one != other) return Unlike(one, other);
        return CompareTexels(x.texels, y.texels, x.format, x.width, x.height, rule);
      },
      &differences);
  return differences;
}

}  // namespace target
}  // namespace refract
