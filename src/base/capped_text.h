// SPDX-License-Identifier: Apache-2.0
// Keeps the beginning and the end of a text, for example the output of a child process, that may be
// too long to keep as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract {
inline namespace base {

/// The first and the last MiB of a text of any length.
class CappedText {
 public:
  static constexpr size_t kPart = size_t{1} << 20;
  void Append(std::string_view text);
  /// The kept text. If bytes were dropped, a line in the middle gives their number.
  std::string Text() const;
  void Clear() { *this = {}; }

 private:
  std::string first_, last_;
  uint64_t dropped_ = 0;
};

}  // namespace base
}  // namespace refract
