// SPDX-License-Identifier: Apache-2.0
// Images as a run sees them: texels, a shadow for each, who accessed it. Inside this room only.
#pragma once

#include <string>
#include <vector>

#include "input/texels.h"
#include "interp/code.h"
#include "interp/machine.h"
#include "interp/memory.h"

namespace refract::inline interp {

/// A component as images hold it: the number that the bits stand for, or an integer's bits.
struct Component {
  double number = 0;
  uint32_t bits = 0;
};

class ImageMemory {
 public:
  explicit ImageMemory(const Program::Code& code);

  /// No texel: where coordinates are beside the image.
  static constexpr uint32_t kOutside = 0xffffffffu;
  const BoundImage& image(uint32_t image) const { return code_.bindings.images[image]; }
  const TexelFormat& texel_format(uint32_t image) const { return *memories_[image].format; }
  /// The texel's number or kOutside. `layer` is that of arrays.
  uint32_t TexelAt(uint32_t image, uint64_t x, uint64_t y, uint64_t z, uint64_t layer) const;
  /// What of the four components the format lacks is 0, 0 and, the fourth, 1 (Vulkan, "Conversion
  /// to RGBA").
  void Read(uint32_t image, uint32_t texel, Component (&components)[4]) const;
  uint32_t shadow(uint32_t image, uint32_t texel) const {
    const std::string& shadows = memories_[image].shadows;
    return shadows.empty() ? 0 : static_cast<uint8_t>(shadows[texel]);
  }
  /// The bits of each component that the format has.
  void Write(uint32_t image, uint32_t texel, const uint32_t (&bits)[4], uint32_t shadow);
  /// Texels of one component of 32 bits.
  uint32_t ReadBits(uint32_t image, uint32_t texel, uint32_t* shadow) const;
  void WriteBits(uint32_t image, uint32_t texel, uint32_t bits, uint32_t shadow);
  /// Notes an access to a storage image; a race is a trap.
  void Access(Machine& machine, const Op& op, uint32_t lane, uint32_t image, uint32_t texel,
              bool write, bool atomic);

  /// The storage images and their shadows into the report.
  void ReadBack(RunReport* report) const;

 private:
  struct Memory {
    const TexelFormat* format = nullptr;  // null of samplers: nobody asks
    std::string texels;                   // of storage images; others stay where they are bound
    std::string shadows;                  // by texel; empty if all are exact
    RaceDetector races;
  };
  const std::string& TexelsOf(uint32_t image) const;
  const Program::Code& code_;
  std::vector<Memory> memories_;
};

}  // namespace refract::inline interp
