// SPDX-License-Identifier: Apache-2.0
// The option for the thresholds of comparison rules. It is the same in every verb.
#pragma once

#include <string>

#include "cli/options.h"

namespace refract {
inline namespace cli {

/// Declares --thresholds NAME=VALUE,..., a text for ParseThresholds.
void DeclareThresholds(Options& options, std::string* text);

}  // namespace cli
}  // namespace refract
