// SPDX-License-Identifier: Apache-2.0
// Runs compute shaders with one image in the interpreter.
#pragma once

#include <string>
#include <vector>

#include "unit/shared/interp_run.h"

namespace refract {

template <class T>
BoundImage ImageOf(BoundImage::Kind kind, spv::ImageFormat format, uint32_t width, uint32_t height,
                   const std::vector<T>& texels) {
  BoundImage image;
  image.binding = 1;
  image.kind = kind;
  image.format = format;
  image.width = width;
  image.height = height;
  image.texels.assign(reinterpret_cast<const char*>(texels.data()), texels.size() * sizeof(T));
  return image;
}

/// 4 x 2 floats: 0 1 2 3 / 10 11 12 13.
inline BoundImage Ramp(BoundImage::Kind kind = BoundImage::kCombined) {
  return ImageOf<float>(kind, spv::ImageFormat::R32f, 4, 2, {0, 1, 2, 3, 10, 11, 12, 13});
}

inline InterpRun RunWith(const BoundImage& image, const std::string& declaration,
                         const std::string& body, uint32_t size = 1,
                         const RunOptions& options = {}) {
  Bindings bindings = ComputeBindings();
  bindings.images.push_back(image);
  return InterpretCompute(body, options, declaration, size, bindings);
}

/// Stores a float to `data`.
inline std::string Put(const std::string& value, int place = 0) {
  return "data[" + std::to_string(place) + "] = floatBitsToUint(" + value + ");";
}

}  // namespace refract
