// SPDX-License-Identifier: Apache-2.0
#include "input/outputs.h"

#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "input/texels.h"

namespace refract {
inline namespace input {

std::string TargetText(uint32_t location) {
  return location == kDepthLocation ? "the depth target"
                                    : format("the output at location {}", location);
}

void FillMissing(uint32_t components, ColourTarget* target) {
  if ((components & 0xf) == 0xf) return;
  const TexelFormat* format = FindTexelFormat(target->format);
  CHECK(format != nullptr);
  const uint32_t one = format->kind == TexelFormat::kUnorm   ? 255
                       : format->kind == TexelFormat::kFloat ? 0x3f800000
                                                             : 1;
  const size_t size = format->width / 8;
  for (size_t at = 0; at < target->texels.size(); at += format->bytes()) {
    for (uint32_t c = 0; c < 4; ++c) {
      if ((components >> c & 1) != 0) continue;
      for (uint32_t byte = 0; byte < size; ++byte) {
        target->texels[at + c * size + byte] = static_cast<char>(c == 3 ? one >> (8 * byte) : 0);
      }
    }
  }
}

ColourTarget DepthTarget(const Bindings& bindings, std::span<const float> depths) {
  ColourTarget target{kDepthLocation, spv::ImageFormat::Rgba32f, bindings.width, bindings.height,
                      std::string(size_t{16} * bindings.width * bindings.height, '\0')};
  for (size_t i = 0; i < depths.size(); ++i) {
    const float depth = depths[i] == 0 ? 0 : depths[i];
    std::memcpy(target.texels.data() + 16 * i, &depth, sizeof depth);
  }
  FillMissing(1, &target);
  return target;
}

}  // namespace input
}  // namespace refract
