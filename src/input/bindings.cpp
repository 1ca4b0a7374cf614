// SPDX-License-Identifier: Apache-2.0
#include "input/bindings.h"

namespace refract {

uint32_t TexelSize(spv::ImageFormat format) {
  using F = spv::ImageFormat;
  switch (format) {
    case F::R8:
    case F::R8ui:
    case F::R8i:
      return 1;
    case F::R16f:
    case F::R16ui:
    case F::R16i:
      return 2;
    case F::Rgba8:
    case F::Rgba8Snorm:
    case F::Rgba8ui:
    case F::Rgba8i:
    case F::R32f:
    case F::R32ui:
    case F::R32i:
      return 4;
    case F::Rgba16f:
    case F::Rgba16ui:
    case F::Rgba16i:
    case F::Rg32f:
    case F::Rg32ui:
    case F::Rg32i:
      return 8;
    case F::Rgba32f:
    case F::Rgba32ui:
    case F::Rgba32i:
      return 16;
    default:
      return 0;
  }
}

}  // namespace refract
