// SPDX-License-Identifier: Apache-2.0
// The option for the thresholds of comparison rules. It is the same in every verb.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/options.h"
#include "image/comparison_rule.h"

namespace refract {
inline namespace cli {

/// Declares --thresholds NAME=VALUE,..., a text for TakeThresholds.
void DeclareThresholds(Options& options, std::string* text);
/// The thresholds of that text, which may be empty. An error of ParseThresholds, with the name of
/// the option.
Result<Thresholds> TakeThresholds(const std::string& text);

}  // namespace cli
}  // namespace refract
