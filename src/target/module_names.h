// SPDX-License-Identifier: Apache-2.0
// The names in a module. Messages of tools contain them; signatures do not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/run.h"

namespace refract {
inline namespace target {

/// The names of entry points, of ids (OpName) and of members (OpMemberName), in the order of the
/// module. Accepts any words.
std::vector<std::string> NamesOfModule(const std::vector<uint32_t>& words);

/// Sets RunResult::names to those of the module, unless the result is ok.
void AddNames(const std::vector<uint32_t>& words, RunResult* result);

}  // namespace target
}  // namespace refract
