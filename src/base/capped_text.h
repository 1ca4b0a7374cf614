// SPDX-License-Identifier: Apache-2.0
// What a child process says may be endless; its beginning and its end are what is worth keeping.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract::inline base {

/// The first and the last MiB of a text that may be endless.
class CappedText {
 public:
  static constexpr size_t kPart = size_t{1} << 20;
  void Append(std::string_view text);
  /// All of it, with a line in the middle that says how much was left out.
  std::string Text() const;
  void Clear() { *this = {}; }

 private:
  std::string first_, last_;
  uint64_t dropped_ = 0;
};

}  // namespace refract::inline base
