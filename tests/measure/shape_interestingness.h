// SPDX-License-Identifier: Apache-2.0
// What a shrunk module still has to have, as a tool would have to have it to fail: shapes of
// control flow, of values, of memory, and what spirv-opt makes of it.
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

/// Cheap ones first; each says no to what is no module.
std::span<const ShapeTest> AllShapeTests();

}  // namespace refract::measure
