// SPDX-License-Identifier: Apache-2.0
// Writes a TestRecord as test.json, and reads it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "folder/test_folder.h"

namespace refract {
inline namespace folder {

/// The text of test.json. The same record gives the same bytes. Bytes that are not UTF-8 are
/// replaced.
std::string TestJson(const TestRecord& record);

/// Parses test.json. Errors have the form "FILE:LINE: /pointer: message". Unknown keys are ignored.
/// A newer format is an error that names it.
Result<TestRecord> ParseTestJson(const std::string& file, std::string_view text);

inline constexpr uint64_t kMaxTestJson = uint64_t{1} << 20;

}  // namespace folder
}  // namespace refract
