// SPDX-License-Identifier: Apache-2.0
// The files of targets/, compiled into the executable. cmake/targets.cmake generates the
// definition.
#pragma once

#include <span>
#include <string_view>

namespace refract {
inline namespace target {

struct ShippedTarget {
  std::string_view file;  ///< "spirv-opt-O.json"
  std::string_view text;
};
extern const std::span<const ShippedTarget> kShippedTargets;

}  // namespace target
}  // namespace refract
