// SPDX-License-Identifier: Apache-2.0
// The outputs of fuzz, replay and reduce: OUT.spv and further files next to it, either all or none.
// If OUT is "-", only the module is written, to standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/console.h"
#include "engine/original.h"
#include "input/inputs.h"

namespace refract {
inline namespace cli {

/// Checks `output` before the work begins. It must be "-" or end in .spv, because the names of the
/// other files are made from it. Neither it nor a file with an extension of `beside` may be one of
/// `inputs`.
Status CheckVariantOutput(const std::string& output, const std::vector<std::string>& beside,
                          const std::vector<std::string>& inputs);

/// Writes the module; OUT.json, if there are inputs; and OUT.refract, if there is a recording.
Status WriteVariant(const std::string& output, const std::vector<uint32_t>& words,
                    const Inputs* inputs, const std::string* recording);

}  // namespace cli
}  // namespace refract
