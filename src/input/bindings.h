// SPDX-License-Identifier: Apache-2.0
// What a device needs besides the module: bytes for every buffer, push constants, the size of the
// frame. The input room fills it from shader.json and the module's layout; a harness copies it and
// asks no questions, so it knows neither names nor types.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace refract {

/// One buffer descriptor. `bytes` is the buffer's whole content, laid out as the module's block
/// says.
struct BoundBuffer {
  uint32_t set = 0;
  uint32_t binding = 0;
  bool storage = false;  ///< storage buffer; otherwise uniform buffer
  std::string bytes;

  friend bool operator==(const BoundBuffer&, const BoundBuffer&) = default;
};

/// All inputs of one run. Sorted by (set, binding) by who makes it; no pair twice.
struct Bindings {
  std::vector<BoundBuffer> buffers;
  std::string push_constants;  ///< from offset 0; empty if the module has none
  uint32_t width = 256;        ///< of the frame, in pixels
  uint32_t height = 256;

  friend bool operator==(const Bindings&, const Bindings&) = default;
};

}  // namespace refract
