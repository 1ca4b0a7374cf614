// SPDX-License-Identifier: Apache-2.0
// What programs say when they die or refuse: a table of rules, each of which knows one way of
// saying it. Order is rank: the first rule that finds anything anywhere gives the words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.h"

namespace refract::inline signature {

enum class WordsKind : uint8_t {
  kAbort,     ///< it died and said why: sanitisers, assertions, LLVM, the C and C++ libraries
  kFinding,   ///< a runner says what it saw: device lost, wrong picture
  kRefusal,   ///< a tool says what it does not accept
  kAnyError,  ///< a line that begins with "error:"
};

struct LastWords {
  const char* rule = "";
  size_t line = 0;  ///< from 1
  FailureClass kind = FailureClass::kUnknown;
  std::string key;           ///< not yet normalised
  bool source_text = false;  ///< it quotes the program's own source, where nothing varies
};

/// The words of that kind; lines as FindStack takes them.
std::optional<LastWords> FindLastWords(const std::vector<std::string_view>& lines, WordsKind kind);

/// The text in lines, each cut at a length no rule needs more of.
std::vector<std::string_view> LinesOf(std::string_view text);

}  // namespace refract::inline signature
