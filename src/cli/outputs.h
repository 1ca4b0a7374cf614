// SPDX-License-Identifier: Apache-2.0
// What fuzz and replay write: OUT.spv and the files beside it, all or none; or, where OUT is "-",
// the module alone on standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/console.h"
#include "engine/original.h"
#include "input/inputs.h"

namespace refract::inline cli {

/// To be asked before the work: whether `output` is "-" or ends in .spv (the names of the files
/// beside it follow from it), and whether it or one with an ending of `beside` is one of `inputs`.
Status CheckVariantOutput(const std::string& output, const std::vector<std::string>& beside,
                          const std::vector<std::string>& inputs);

/// Writes the module, if there are inputs OUT.json, and if there is one the recording.
Status WriteVariant(const std::string& output, const std::vector<uint32_t>& words,
                    const Inputs* inputs, const std::string* recording);

}  // namespace refract::inline cli
