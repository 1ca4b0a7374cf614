// SPDX-License-Identifier: Apache-2.0
// A diagnostic (base/diagnostic.h) in one line and without its column, for tests of many messages:
// "FILE:LINE: what".
#pragma once

#include <regex>
#include <string>

namespace refract {

inline std::string PlainError(const std::string& message) {
  const std::string line = message.substr(0, message.find('\n'));
  static const std::regex kPlace("^([^: ]*:[0-9]+):[0-9]+: (error: )?");
  return std::regex_replace(line, kPlace, "$1: ");
}

}  // namespace refract
