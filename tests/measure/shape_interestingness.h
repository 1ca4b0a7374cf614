// SPDX-License-Identifier: Apache-2.0
// Interestingness tests for shrinking, which ask for what might make a tool fail: shapes of control
// flow, of values, of memory, and what spirv-opt makes of the module.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace refract::measure {

struct ShapeTest {
  std::string_view name;
  bool (*interesting)(std::span<const uint32_t> words);
};

/// Cheap ones first. Each refuses words that are not a module.
std::span<const ShapeTest> AllShapeTests();

}  // namespace refract::measure
