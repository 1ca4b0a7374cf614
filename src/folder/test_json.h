// SPDX-License-Identifier: Apache-2.0
// test.json: a TestRecord as text.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "folder/test_folder.h"

namespace refract::inline folder {

/// The same record gives the same bytes. Strings that are not UTF-8 lose what is not.
std::string TestJson(const TestRecord& record);

/// Any bytes give a record, or an error "FILE:LINE: /pointer: what". Keys that are not known are
/// passed over; a newer format is refused by name.
Result<TestRecord> ParseTestJson(const std::string& file, std::string_view text);

inline constexpr uint64_t kMaxTestJson = uint64_t{1} << 20;

}  // namespace refract::inline folder
