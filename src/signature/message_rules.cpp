// SPDX-License-Identifier: Apache-2.0
#include "signature/message_rules.h"

#include "signature/characters.h"
#include "signature/match_functions.h"

namespace refract {
inline namespace signature {
namespace {

constexpr size_t kMaxLine = 4096;

struct MessageRule {
  const char* name;
  MessageKind kind;
  FailureClass failure;
  std::string (*find)(const LogLines& lines, size_t i);
  bool source_text = false;
};
constexpr MessageRule kRules[] = {
    {"sanitizer", MessageKind::kCrashPattern, FailureClass::kCrash, MatchSanitizer},
    {"sanitizer header", MessageKind::kCrashPattern, FailureClass::kCrash, MatchSanitizerHeader},
    {"undefined behaviour", MessageKind::kCrashPattern, FailureClass::kCrash,
     MatchUndefinedBehaviour},
    {"assertion", MessageKind::kCrashPattern, FailureClass::kCrash, MatchAssertion, true},
    {"mesa", MessageKind::kCrashPattern, FailureClass::kCrash, MatchMesa},
    {"llvm", MessageKind::kCrashPattern, FailureClass::kCrash, MatchLlvm},
    {"terminate", MessageKind::kCrashPattern, FailureClass::kCrash, MatchTerminate},
    {"glibc", MessageKind::kCrashPattern, FailureClass::kCrash, MatchGlibc},
    {"rust panic", MessageKind::kCrashPattern, FailureClass::kCrash, MatchRustPanic},
    {"python", MessageKind::kCrashPattern, FailureClass::kCrash, MatchPython},
    {"fatal", MessageKind::kCrashPattern, FailureClass::kCrash, MatchFatal},
    {"out of memory", MessageKind::kCrashPattern, FailureClass::kCrash, MatchOutOfMemory},
    {"valgrind", MessageKind::kCrashPattern, FailureClass::kCrash, MatchValgrind},
    {"device lost", MessageKind::kFailureReport, FailureClass::kDeviceLost, MatchDeviceLost},
    {"vulkan call", MessageKind::kFailureReport, FailureClass::kError, MatchVulkanCall},
    {"wrong image", MessageKind::kFailureReport, FailureClass::kWrongImage, MatchWrongImage},
    {"hang", MessageKind::kFailureReport, FailureClass::kHang, MatchHang},
    {"unsupported", MessageKind::kFailureReport, FailureClass::kUnsupported, MatchUnsupported},
    {"glslang", MessageKind::kRejection, FailureClass::kRejected, MatchGlslang},
    {"spirv-cross", MessageKind::kRejection, FailureClass::kRejected, MatchSpirvCross},
    {"validation layer", MessageKind::kRejection, FailureClass::kRejected, MatchValidationLayer},
    {"compiler error", MessageKind::kRejection, FailureClass::kRejected, MatchCompilerError},
    {"numbered error", MessageKind::kRejection, FailureClass::kRejected, MatchNumberedError},
    {"amber", MessageKind::kRejection, FailureClass::kRejected, MatchAmber},
    {"loader", MessageKind::kRejection, FailureClass::kRejected, MatchLoader},
    {"any error", MessageKind::kAnyError, FailureClass::kRejected, MatchAnyError},
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

std::optional<MessageMatch> FindMessage(const LogLines& lines, MessageKind kind) {
  for (const MessageRule& rule : kRules) {
    if (rule.kind != kind) continue;
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string key = rule.find(lines, i);
      if (key.empty()) continue;
      return MessageMatch{rule.name, i + 1, rule.failure, std::move(key), rule.source_text};
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
