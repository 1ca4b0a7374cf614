// SPDX-License-Identifier: Apache-2.0
// SPIR-V binaries in and out of the model.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/module.h"

namespace refract::inline ir {

/// The largest id bound we read (SPIR-V 2.17, universal limits).
constexpr uint32_t kMaxIdBound = 4194303;

/// Reads a module. `file` names it in errors, which say at which word. Parsing is SPIRV-Tools'; a
/// module it cannot parse, of the wrong byte order, with a bound over kMaxIdBound or with blocks
/// outside functions is refused. Whether it is valid is another question (ir/tools.h).
Result<Module> ReadModule(std::span<const uint32_t> words, const std::string& file);

/// The module as a binary: byte for byte what was read if nothing was edited.
std::vector<uint32_t> WriteModule(const Module& module);

}  // namespace refract::inline ir
