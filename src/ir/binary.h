// SPDX-License-Identifier: Apache-2.0
// Reads and writes SPIR-V binaries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// The largest id bound that Refract reads (SPIR-V 2.17, universal limits).
constexpr uint32_t kMaxIdBound = 4194303;

/// Reads a module. Errors name `file` and the word. SPIRV-Tools parses the words. Refused are
/// modules that it cannot parse, big-endian modules, modules with a bound above kMaxIdBound, and
/// modules with instructions of functions outside blocks. The module may still be invalid (see
/// ir/tools.h).
Result<Module> ReadModule(std::span<const uint32_t> words, const std::string& file);

/// The module as a binary. If nothing was edited, it equals what was read, byte for byte.
std::vector<uint32_t> WriteModule(const Module& module);

}  // namespace ir
}  // namespace refract
