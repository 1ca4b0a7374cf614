// SPDX-License-Identifier: Apache-2.0
#include "signature/last_words.h"

#include "signature/words.h"

namespace refract {
inline namespace signature {
namespace {

constexpr size_t kMaxLine = 4096;
constexpr size_t kNone = std::string_view::npos;

struct WordsRule {
  const char* name;
  WordsKind kind;
  FailureClass failure;
  std::string (*find)(const LogLines& lines, size_t i);
  bool source_text = false;
};
constexpr WordsRule kRules[] = {
    {"sanitizer", WordsKind::kAbort, FailureClass::kCrash, SanitizerWords},
    {"sanitizer header", WordsKind::kAbort, FailureClass::kCrash, SanitizerHeaderWords},
    {"undefined behaviour", WordsKind::kAbort, FailureClass::kCrash, UndefinedBehaviourWords},
    {"assertion", WordsKind::kAbort, FailureClass::kCrash, AssertionWords, true},
    {"mesa", WordsKind::kAbort, FailureClass::kCrash, MesaWords},
    {"llvm", WordsKind::kAbort, FailureClass::kCrash, LlvmWords},
    {"terminate", WordsKind::kAbort, FailureClass::kCrash, TerminateWords},
    {"glibc", WordsKind::kAbort, FailureClass::kCrash, GlibcWords},
    {"rust panic", WordsKind::kAbort, FailureClass::kCrash, RustPanicWords},
    {"python", WordsKind::kAbort, FailureClass::kCrash, PythonWords},
    {"fatal", WordsKind::kAbort, FailureClass::kCrash, FatalWords},
    {"out of memory", WordsKind::kAbort, FailureClass::kCrash, OutOfMemoryWords},
    {"valgrind", WordsKind::kAbort, FailureClass::kCrash, ValgrindWords},
    {"device lost", WordsKind::kFinding, FailureClass::kDeviceLost, DeviceLostWords},
    {"vulkan call", WordsKind::kFinding, FailureClass::kError, VulkanCallWords},
    {"wrong image", WordsKind::kFinding, FailureClass::kWrongImage, WrongImageWords},
    {"hang", WordsKind::kFinding, FailureClass::kHang, HangWords},
    {"unsupported", WordsKind::kFinding, FailureClass::kUnsupported, UnsupportedWords},
    {"glslang", WordsKind::kRefusal, FailureClass::kRejected, GlslangWords},
    {"spirv-cross", WordsKind::kRefusal, FailureClass::kRejected, SpirvCrossWords},
    {"validation layer", WordsKind::kRefusal, FailureClass::kRejected, ValidationLayerWords},
    {"compiler error", WordsKind::kRefusal, FailureClass::kRejected, CompilerErrorWords},
    {"numbered error", WordsKind::kRefusal, FailureClass::kRejected, NumberedErrorWords},
    {"amber", WordsKind::kRefusal, FailureClass::kRejected, AmberWords},
    {"loader", WordsKind::kRefusal, FailureClass::kRejected, LoaderWords},
    {"any error", WordsKind::kAnyError, FailureClass::kRejected, AnyErrorWords},
};

/// Removes the prefix of logcat, "11-22 02:04:05.678  4711  4712 F DEBUG   : ".
std::string_view WithoutLogcat(std::string_view line) {
  constexpr std::string_view kForm = "00-00 00:00:00.000 ";
  if (line.size() < kForm.size()) return line;
  for (size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == '0' ? !IsDigitAt(line, i) : line[i] != kForm[i]) return line;
  }
  const size_t debug = line.find(" DEBUG   : ", kForm.size());
  return debug == kNone ? line : line.substr(debug + 11);
}

}  // namespace

std::optional<LastWords> FindLastWords(const LogLines& lines, WordsKind kind) {
  for (const WordsRule& rule : kRules) {
    if (rule.kind != kind) continue;
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string key = rule.find(lines, i);
      if (key.empty()) continue;
      return LastWords{rule.name, i + 1, rule.failure, std::move(key), rule.source_text};
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, std::min(end, kMaxLine));
    if (line.ends_with("\r")) line.remove_suffix(1);
    lines.push_back(WithoutLogcat(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace signature
}  // namespace refract
