// SPDX-License-Identifier: Apache-2.0
// The first line of a diagnostic (base/diagnostic.h) without its column, "FILE:LINE: reason", for
// tests of many messages.
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
