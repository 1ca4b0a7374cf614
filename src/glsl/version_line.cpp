// SPDX-License-Identifier: Apache-2.0
#include "glsl/version_line.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/text.h"

namespace refract {
inline namespace glsl {
namespace {

constexpr uint64_t kOldestDesktop = 330;
constexpr uint64_t kKnown[] = {330, 400, 410, 420, 430, 440, 450, 460};
constexpr uint64_t kKnownEs[] = {300, 310, 320};
constexpr std::string_view kBlank = " \t\v\f";
constexpr std::string_view kWhatIsRead =
    "versions 310 es and later, and 330 and later, are supported";

bool IsNewline(char c) {
  return c == '\n' || c == '\r';
}

bool IsWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// The number of newlines, which are LF, CR or the two together (GLSL 4.60, 3.2).
size_t Lines(std::string_view text) {
  size_t lines = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsNewline(text[i]) && !text.substr(i).starts_with("\r\n")) ++lines;
  }
  return lines;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  size_t at() const { return at_; }

  // Skips white space and comments, up to the first token or the end.
  void SkipToToken() {
    for (;;) {
      SkipBlank(/*newlines=*/true);
      if (text_.substr(at_).starts_with("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (text_.substr(at_).starts_with("//")) {
        SkipLineComment();
      } else {
        return;
      }
    }
  }

  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // Skips blanks and returns the letters and digits that follow on this line; may be empty.
  std::string_view TakeWord() {
    SkipBlank(/*newlines=*/false);
    const size_t begin = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  void SkipBlank(bool newlines) {
    while (at_ < text_.size() && (kBlank.find(text_[at_]) != std::string_view::npos ||
                                  (newlines && IsNewline(text_[at_])))) {
      ++at_;
    }
  }

  // Skips to the end of the line. A backslash before a newline continues the comment
  // (GLSL 4.60, 3.2).
  void SkipLineComment() {
    for (; at_ < text_.size() && !IsNewline(text_[at_]); ++at_) {
      if (text_[at_] != '\\' || at_ + 1 == text_.size() || !IsNewline(text_[at_ + 1])) continue;
      at_ += text_.substr(at_ + 1).starts_with("\r\n") ? 2 : 1;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<VersionedSource> ReadVersion(const std::string& name, std::string_view source) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (source.starts_with(kByteOrderMark)) source.remove_prefix(kByteOrderMark.size());
  Scanner scanner(source);
  scanner.SkipToToken();
  const std::string_view before = source.substr(0, scanner.at());
  const auto refuse = [&](std::string_view what) {
    return Error{format("{}:{}: {}", name, Lines(before) + 1, what)};
  };
  if (!scanner.Take("#") || scanner.TakeWord() != "version") {
    return refuse(
        format("there is no #version line, so the version is 100 or 110; {}", kWhatIsRead));
  }
  const std::string_view number = scanner.TakeWord();
  const size_t behind_number = scanner.at();
  const bool es = scanner.TakeWord() == "es";
  const size_t behind = es ? scanner.at() : behind_number;

  uint64_t version = 0;
  if (!ParseNumber(number, &version)) return refuse("expected a number after #version");
  if (!es && (version == 300 || version == 310 || version == 320)) {
    return refuse(format("#version {0} must be '{0} es'", version));
  }
  if (version < (es ? 300 : kOldestDesktop)) {
    return refuse(
        format("#version {}{} is too old for Vulkan; {}", version, es ? " es" : "", kWhatIsRead));
  }
  const auto is_known = [version](const auto& known) {
    return std::find(std::begin(known), std::end(known), version) != std::end(known);
  };
  if (!(es ? is_known(kKnownEs) : is_known(kKnown))) {
    return refuse(format("#version {}{} is not known", number, es ? " es" : ""));
  }
  const bool replaced = es && version == 300;
  if (!es || (!replaced && before.empty())) return VersionedSource{std::string(source), {}};
  VersionedSource result;
  result.text = format("#version {} es", replaced ? 310 : version);
  result.text.append(Lines(before), '\n');
  result.text += source.substr(behind);
  if (replaced) {
    result.warning =
        format("{}:{}: #version 300 es is compiled as 310 es", name, Lines(before) + 1);
  }
  return result;
}

}  // namespace glsl
}  // namespace refract
