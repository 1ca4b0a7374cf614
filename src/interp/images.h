// SPDX-License-Identifier: Apache-2.0
// Images during a run: texels, a shadow for each texel, and the accesses so far. Private to this
// library.
#pragma once

#include <string>
#include <vector>

#include "input/texels.h"
#include "interp/code.h"
#include "interp/machine.h"
#include "interp/memory.h"

namespace refract {
inline namespace interp {

/// A component of a texel: the number that the bits represent, or the bits of an integer.
struct Component {
  double number = 0;
  uint32_t bits = 0;
};

class ImageMemory {
 public:
  explicit ImageMemory(const Program::Code& code);

  /// Stands for no texel, if the coordinates are outside the image.
  static constexpr uint32_t kOutside = 0xffffffffu;
  const BoundImage& image(uint32_t image) const { return code_.bindings.images[image]; }
  const TexelFormat& texel_format(uint32_t image) const { return *memories_[image].format; }
  /// A texel of an image: the mip level, the place in it, the layer of an array, and the sample of
  /// a multisampled image.
  struct Place {
    uint64_t x = 0, y = 0, z = 0, layer = 0, level = 0, sample = 0;
  };
  /// The number of the texel, or kOutside. Each sample has a number of its own.
  uint32_t TexelAt(uint32_t image, const Place& place) const;
  /// Components that the format lacks are 0, except that the fourth is 1 (Vulkan, "Conversion to
  /// RGBA").
  void Read(uint32_t image, uint32_t texel, Component (&components)[4]) const;
  uint32_t shadow(uint32_t image, uint32_t texel) const {
    const std::string& shadows = memories_[image].shadows;
    return shadows.empty() ? 0 : static_cast<uint8_t>(shadows[texel]);
  }
  /// `bits` has the bits of each component of the format.
  void Write(uint32_t image, uint32_t texel, const uint32_t (&bits)[4], uint32_t shadow);
  /// For texels with one component of 32 bits.
  uint32_t ReadBits(uint32_t image, uint32_t texel, uint32_t* shadow) const;
  void WriteBits(uint32_t image, uint32_t texel, uint32_t bits, uint32_t shadow);
  /// Records an access to a storage image. A race is a trap.
  void Access(Machine& machine, const Op& op, uint32_t lane, uint32_t image, uint32_t texel,
              bool write, bool atomic);

  /// Copies the storage images and their shadows to the report.
  void ReadBack(RunReport* report) const;

 private:
  struct Memory {
    const TexelFormat* format = nullptr;  // null for samplers, which are never accessed
    // Of storage images; other images are read from the bindings.
    std::string texels;
    std::string shadows;  // by texel; empty if all are exact
    RaceDetector races;
  };
  const std::string& TexelsOf(uint32_t image) const;
  void MarkLostBits(size_t image, std::string* shadows) const;
  const Program::Code& code_;
  std::vector<Memory> memories_;
};

}  // namespace interp
}  // namespace refract
