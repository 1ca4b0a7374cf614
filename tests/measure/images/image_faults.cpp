// SPDX-License-Identifier: Apache-2.0
#include "measure/images/image_faults.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "base/random.h"

namespace refract::measure {
namespace {

uint8_t Level(double value) {
  return static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

/// The image whose pixel (x, y) is the pixel `from(x, y)`.
template <class From>
Image Moved(const Image& image, From from) {
  Image moved = image;
  for (uint32_t y = 0; y < image.height; ++y) {
    for (uint32_t x = 0; x < image.width; ++x) {
      const std::pair<uint32_t, uint32_t> place = from(x, y);
      const size_t source =
          size_t{place.second % image.height} * image.width + place.first % image.width;
      std::copy_n(image.pixel(source), 4, moved.pixel(size_t{y} * image.width + x));
    }
  }
  return moved;
}

/// The image with each colour channel of each pixel changed: `change(level, channel)`.
template <class Change>
Image Changed(const Image& image, Change change) {
  Image changed = image;
  for (size_t i = 0; i < changed.pixel_count(); ++i) {
    for (int c = 0; c < 3; ++c) changed.pixel(i)[c] = change(changed.pixel(i)[c], c);
  }
  return changed;
}

/// The image with one colour where `inside(x, y)`.
template <class Inside>
Image Painted(const Image& image, uint8_t red, uint8_t green, uint8_t blue, Inside inside) {
  Image painted = image;
  for (uint32_t y = 0; y < image.height; ++y) {
    for (uint32_t x = 0; x < image.width; ++x) {
      if (!inside(x, y)) continue;
      uint8_t* pixel = painted.pixel(size_t{y} * image.width + x);
      pixel[0] = red, pixel[1] = green, pixel[2] = blue;
    }
  }
  return painted;
}

using Fault = Image (*)(const Image&, Random&);

Image Shift(const Image& image, Random& random) {
  const auto dx = static_cast<uint32_t>(random.Between(1, 16));
  const auto dy = static_cast<uint32_t>(random.Between(0, 16));
  return Moved(image, [&](uint32_t x, uint32_t y) { return std::pair(x + dx, y + dy); });
}
Image MirrorX(const Image& image, Random&) {
  return Moved(image, [&](uint32_t x, uint32_t y) { return std::pair(image.width - 1 - x, y); });
}
Image MirrorY(const Image& image, Random&) {
  return Moved(image, [&](uint32_t x, uint32_t y) { return std::pair(x, image.height - 1 - y); });
}
Image Rotate(const Image& image, Random& random) {
  const bool half = random.Percent(50) || image.width != image.height;
  return Moved(image, [&](uint32_t x, uint32_t y) {
    return half ? std::pair(image.width - 1 - x, image.height - 1 - y)
                : std::pair(y, image.width - 1 - x);
  });
}
template <uint32_t kSide>
Image Block(const Image& image, uint8_t red, uint8_t green, uint8_t blue, Random& random) {
  const auto left = static_cast<uint32_t>(random.Below(std::max(image.width, kSide) - kSide + 1));
  const auto top = static_cast<uint32_t>(random.Below(std::max(image.height, kSide) - kSide + 1));
  return Painted(image, red, green, blue, [&](uint32_t x, uint32_t y) {
    return x >= left && x < left + kSide && y >= top && y < top + kSide;
  });
}
Image Hole(const Image& image, Random& random) {
  return Block<10>(image, 0, 0, 0, random);
}
Image WrongBlock(const Image& image, Random& random) {
  const auto level = [&] { return static_cast<uint8_t>(random.Below(256)); };
  const uint8_t red = level(), green = level(), blue = level();
  return Block<8>(image, red, green, blue, random);
}
Image SwapChannels(const Image& image, Random& random) {
  const size_t from = random.Below(3), to = (from + 1) % 3;
  Image swapped = image;
  for (size_t i = 0; i < swapped.pixel_count(); ++i) {
    std::swap(swapped.pixel(i)[from], swapped.pixel(i)[to]);
  }
  return swapped;
}
Image Offset(const Image& image, Random& random) {
  const int by = static_cast<int>(random.Between(9, 40)) * (random.Percent(50) ? 1 : -1);
  const auto only = static_cast<int>(random.Below(3));
  return Changed(image,
                 [&](uint8_t level, int c) { return c == only ? Level(level + by) : level; });
}
Image Gamma(const Image& image, Random& random) {
  const double power = random.Percent(50) ? 1.4 : 1 / 1.4;
  return Changed(image,
                 [&](uint8_t level, int) { return Level(255 * std::pow(level / 255.0, power)); });
}
Image Contrast(const Image& image, Random& random) {
  const double factor = random.Percent(50) ? 0.7 : 1.4;
  return Changed(image, [&](uint8_t level, int) { return Level(128 + (level - 128) * factor); });
}
Image Noise(const Image& image, Random& random) {
  const auto share = static_cast<uint32_t>(random.Between(5, 40));
  const int most = static_cast<int>(random.Between(16, 96));
  Image noisy = image;
  for (size_t i = 0; i < noisy.pixel_count(); ++i) {
    if (!random.Percent(share)) continue;
    for (int c = 0; c < 3; ++c) {
      const int by = static_cast<int>(random.Below(2 * static_cast<uint64_t>(most) + 1)) - most;
      noisy.pixel(i)[c] = Level(noisy.pixel(i)[c] + by);
    }
  }
  return noisy;
}
Image MissingTriangle(const Image& image, Random& random) {
  // A corner: where the sum of the distances from two edges is small.
  const uint64_t corner = random.Below(4);
  const uint64_t size = random.Between(image.width / 8, image.width);
  return Painted(image, 0, 0, 0, [&](uint32_t x, uint32_t y) {
    const uint64_t dx = corner % 2 == 0 ? x : image.width - 1 - x;
    const uint64_t dy = corner / 2 == 0 ? y : image.height - 1 - y;
    return dx + dy < size;
  });
}
Image Smear(const Image& image, Random& random) {
  // A part of each row repeats its first pixel, as if an index did not move.
  const auto left = static_cast<uint32_t>(random.Below(image.width));
  const auto width = static_cast<uint32_t>(random.Between(8, 64));
  return Moved(image, [&](uint32_t x, uint32_t y) {
    return std::pair(x >= left && x < left + width ? left : x, y);
  });
}
Image OneColour(const Image& image, Random& random) {
  const auto level = static_cast<uint8_t>(random.Below(256));
  return Painted(image, level, level, level, [](uint32_t, uint32_t) { return true; });
}
Image Tiles(const Image& image, Random& random) {
  // Two tiles of 32 x 32 pixels are exchanged.
  const uint32_t columns = (image.width + 31) / 32, rows = (image.height + 31) / 32;
  const uint64_t a = random.Below(uint64_t{columns} * rows);
  const uint64_t b = random.Below(uint64_t{columns} * rows);
  return Moved(image, [&](uint32_t x, uint32_t y) {
    const uint64_t tile = uint64_t{y / 32} * columns + x / 32;
    const uint64_t other = tile == a ? b : tile == b ? a : tile;
    return std::pair(static_cast<uint32_t>(other % columns * 32 + x % 32),
                     static_cast<uint32_t>(other / columns * 32 + y % 32));
  });
}
Image Coarse(const Image& image, Random& random) {
  // Blocks of one colour, as if coordinates were rounded.
  const auto side = static_cast<uint32_t>(random.Between(4, 16));
  return Moved(image,
               [&](uint32_t x, uint32_t y) { return std::pair(x / side * side, y / side * side); });
}

constexpr std::string_view kNames[] = {
    "shift",    "mirror in x", "mirror in y", "rotate",   "hole of 10 x 10", "block of 8 x 8",
    "channels", "offset",      "gamma",       "contrast", "noise",           "missing triangle",
    "smear",    "one colour",  "tiles",       "coarse",
};
constexpr Fault kFaults[] = {
    Shift, MirrorX,  MirrorY, Rotate,          Hole,  WrongBlock, SwapChannels, Offset,
    Gamma, Contrast, Noise,   MissingTriangle, Smear, OneColour,  Tiles,        Coarse,
};
static_assert(std::size(kNames) == std::size(kFaults));

bool IsVisible(const Image& a, const Image& b) {
  size_t pixels = 0;
  for (size_t i = 0; i < a.pixel_count(); ++i) {
    int most = 0;
    for (int c = 0; c < 4; ++c) {
      most = std::max(most, std::abs(int{a.pixel(i)[c]} - int{b.pixel(i)[c]}));
    }
    pixels += most > 8 ? 1 : 0;
  }
  return pixels >= 16;
}

}  // namespace

std::span<const std::string_view> ImageFaultKinds() {
  return kNames;
}

std::optional<Image> WithImageFault(const Image& image, size_t kind, uint64_t seed) {
  Random random(Mix(seed, kind));
  for (int i = 0; i < 16; ++i) {
    Image faulty = kFaults[kind](image, random);
    if (IsVisible(image, faulty)) return faulty;
  }
  return std::nullopt;
}

}  // namespace refract::measure
