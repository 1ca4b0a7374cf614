// SPDX-License-Identifier: Apache-2.0
// What fuzz and replay write.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "engine/original.h"

namespace refract {

/// Adds OUT.spv and, if the original has inputs, OUT.json. `output` must end in .spv: the names of
/// the files beside it follow from it.
Status AddVariant(const std::string& output, const std::vector<uint32_t>& words,
                  const Original& original, OutputSet* outputs);

}  // namespace refract
