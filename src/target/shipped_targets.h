// SPDX-License-Identifier: Apache-2.0
// The files of targets/, in the executable. cmake/targets.cmake writes the definition.
#pragma once

#include <span>
#include <string_view>

namespace refract::inline target {

struct ShippedTarget {
  std::string_view file;  ///< "spirv-opt-O.json"
  std::string_view text;
};
extern const std::span<const ShippedTarget> kShippedTargets;

}  // namespace refract::inline target
