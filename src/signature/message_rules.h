// SPDX-License-Identifier: Apache-2.0
// Finds the messages with which programs crash, report failures or reject their input: a table of
// rules, each of which knows one form of message. The rules are in order of rank: the first rule
// that matches any line gives the result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.h"

namespace refract {
inline namespace signature {

enum class MessageKind : uint8_t {
  kCrashPattern,   ///< crash patterns: sanitisers, assertions, LLVM, the C and C++ libraries
  kFailureReport,  ///< a test runner or the kernel reports a failure: device lost, wrong image
  kRejection,      ///< a tool rejects its input
  kAnyError,       ///< a line that begins with "error:"
};

struct MessageMatch {
  const char* rule = "";
  size_t line = 0;  ///< from 1
  FailureClass kind = FailureClass::kUnknown;
  std::string key;           ///< not yet normalised
  bool source_text = false;  ///< it quotes the program's source, in which nothing varies
};

/// The match of the first rule of that kind; nothing if no rule matches. `lines` is from LinesOf.
std::optional<MessageMatch> FindMessage(const std::vector<std::string_view>& lines,
                                        MessageKind kind);

/// The lines of `text`, each cut at a length that is enough for every rule.
std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace signature
}  // namespace refract
