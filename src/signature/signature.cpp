// SPDX-License-Identifier: Apache-2.0
#include "signature/signature.h"

#include <signal.h>

#include <algorithm>
#include <optional>

#include "base/counted.h"
#include "base/text.h"
#include "crash/crash_report.h"
#include "signature/code_names.h"
#include "signature/frames.h"
#include "signature/message_rules.h"
#include "signature/normalise.h"
#include "signature/shader_names.h"

namespace refract {
inline namespace signature {
namespace {

using Lines = std::vector<std::string_view>;

/// The identifiers that tools make of names, sorted.
std::vector<std::string> Identifiers(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(IdentifierOf(name));
  std::erase(words, std::string());
  std::sort(words.begin(), words.end());
  return words;
}

/// Makes the signature of one failure, and notes each step.
class Writer {
 public:
  explicit Writer(const FailureData& facts)
      : facts_(facts),
        names_(Identifiers(facts.names)),
        output_(WithoutColours(facts.output)),
        lines_(LinesOf(output_)) {}

  FailureSignature Write() {
    FindKey();
    const std::string where = facts_.stage.empty() ? facts_.target : facts_.stage;
    result_.text = FailureClassName(facts_.kind);
    if (!where.empty()) result_.text += " " + Normalise(where, {}, nullptr);
    if (!result_.key.empty()) result_.text += ": " + result_.key;
    result_.text = TruncateWithHash(result_.text, kMaxSignature);
    Note("signature", 0, result_.text);
    return std::move(result_);
  }

 private:
  void Note(std::string rule, size_t line, std::string_view text) {
    result_.steps.push_back({std::move(rule), line, std::string(text)});
  }

  void FindKey() {
    Note("class", 0, FailureClassName(facts_.kind));
    switch (facts_.kind) {
      case FailureClass::kCrash:
        if (TakeMessage({MessageKind::kCrashPattern}) || TakeFrame()) return;
        return TakeExitStatus();
      case FailureClass::kRejected:
      case FailureClass::kUnknown:
        if (TakeMessage(
                {MessageKind::kRejection, MessageKind::kCrashPattern, MessageKind::kAnyError}))
          return;
        if (facts_.kind == FailureClass::kRejected) TakeExitStatus();
        return;
      case FailureClass::kInvalidOutput:
        return TakeText("validator", facts_.validator_message);
      case FailureClass::kDeviceLost:
      case FailureClass::kError:
      case FailureClass::kOutOfMemory:
      case FailureClass::kUnsupported:
      case FailureClass::kUndefined:
      case FailureClass::kNotUsable:
      case FailureClass::kOurError:
        if (!facts_.code.empty()) return TakeText("code", facts_.code);
        if (!facts_.detail.empty()) return TakeText("detail", facts_.detail);
        if (!TakeMessage(
                {MessageKind::kFailureReport, MessageKind::kRejection, MessageKind::kAnyError}))
          TakeExitStatus();
        return;
      case FailureClass::kHang:
      case FailureClass::kWrongImage:
      case FailureClass::kWrongBuffer:
      case FailureClass::kSlow:
      case FailureClass::kNonDeterministic:
        return;
    }
  }

  void SetKey(const char* rule, std::string_view raw, bool source_text = false) {
    std::vector<Rewrite> rewrites;
    result_.rule = rule;
    result_.key = Normalise(raw, {source_text, names_}, &rewrites);
    for (const Rewrite& rewrite : rewrites) Note(rewrite.rule, 0, rewrite.text);
  }

  bool TakeMessage(std::initializer_list<MessageKind> kinds) {
    for (const MessageKind kind : kinds) {
      const std::optional<MessageMatch> words = FindMessage(lines_, kind);
      if (!words) continue;
      Note("line", words->line, lines_[words->line - 1]);
      Note(words->rule, words->line, words->key);
      SetKey(words->rule, words->key, words->source_text);
      return true;
    }
    return false;
  }

  bool TakeFrame() {
    Stack stack;
    for (const std::string& line : facts_.backtrace) {
      int number = 0;
      std::optional<Frame> frame = ReadFrame(line, &number);
      if (line == "jit") frame = Frame{line, "", ""};
      stack.frames.push_back(frame.value_or(Frame{}));  // "?" is no code and is skipped
      stack.lines.push_back(0);
    }
    if (stack.frames.empty()) stack = FindStack(lines_);
    const TopFrame top = FindTopFrame(stack.frames);
    if (top.name.empty()) return facts_.stack_overflow && TakeOverflow();
    const size_t line = stack.lines[top.index];
    Note("stack", stack.lines[0], Counted(stack.frames.size(), "frame"));
    if (top.skipped != 0) {
      Note("machinery", 0, format("frames skipped before the top one: {}", top.skipped));
    }
    if (line != 0) Note("line", line, lines_[line - 1]);
    const bool overflow = top.recursion || facts_.stack_overflow;
    Note(overflow ? "stack overflow" : "top frame", line, top.name);
    // Offsets in a file are the same in every run, so they stay.
    result_.rule = overflow ? "stack overflow" : "top frame";
    result_.key =
        Printable(format("{}{}", overflow ? "stack overflow in " : SignalPrefix(), top.name));
    return true;
  }

  /// The key of a stack overflow at an unknown place.
  bool TakeOverflow() {
    result_.rule = result_.key = "stack overflow";
    Note(result_.rule, 0, result_.key);
    return true;
  }

  std::string SignalPrefix() const {
    return facts_.signal == 0 ? std::string() : SignalName(facts_.signal) + " ";
  }

  /// Takes the signal, the exit code or the message if nothing else is known.
  void TakeExitStatus() {
    if (facts_.signal != 0) {
      result_.rule = "signal";
      result_.key = SignalName(facts_.signal);
    } else if (facts_.exit_code != 0) {
      result_.rule = "exit code";
      result_.key = format("exit {}", facts_.exit_code);
    } else if (!facts_.detail.empty()) {
      return TakeText("detail", facts_.detail);
    } else {
      return;
    }
    Note(result_.rule, 0, result_.key);
  }

  /// Takes the first line. The validator's last line is an instruction, whose opcode is added.
  void TakeText(const char* rule, std::string_view text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    std::string raw(first);
    if (first.size() < text.size()) {
      const std::string_view last = Trim(text.substr(first.size()));
      const size_t op = last.find("Op");
      if (op != std::string_view::npos) {
        raw += " in " + std::string(last.substr(op, last.find_first_of(" \n", op) - op));
      }
    }
    Note(rule, 0, raw);
    SetKey(rule, raw);
  }

  const FailureData& facts_;
  const std::vector<std::string> names_;  // sorted
  const std::string output_;
  const Lines lines_;  // of output_
  FailureSignature result_;
};

constexpr std::string_view kMark = "refract-log: ";

/// Reads the lines "refract-log: KEY VALUE" at the start of a log, up to "refract-log: output".
FailureData ReadOwnLog(std::string_view log) {
  FailureData facts;
  while (log.starts_with(kMark)) {
    const size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(kMark.size(), end - kMark.size());
    log.remove_prefix(std::min(end + 1, log.size()));
    const size_t blank = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, blank);
    const std::string value(line.substr(std::min(blank + 1, line.size())));
    uint64_t number = 0;
    const bool is_number = ParseNumber(value, &number) && number < 1024;
    if (key == "output") break;
    if (key == "target") facts.target = value;
    if (key == "stage") facts.stage = value;
    if (key == "signal" && is_number) facts.signal = static_cast<int>(number);
    if (key == "exit" && is_number) facts.exit_code = static_cast<int>(number);
    if (key == "stack_overflow") facts.stack_overflow = value == "yes";
    if (key == "code") facts.code = value;
    if (key == "detail") facts.detail = value;
    if (key == "name") facts.names.push_back(value);
    if (key == "frame") facts.backtrace.push_back(value);
    if (key == "validator") {
      facts.validator_message += (facts.validator_message.empty() ? "" : "\n") + value;
    }
    if (key == "class") facts.kind = FailureClassNamed(value).value_or(facts.kind);
  }
  facts.output = log;
  return facts;
}

/// The log with Unix line endings instead of those of Windows.
std::string WithLineFeeds(std::string_view log) {
  std::string text;
  for (size_t i = 0; i < log.size(); ++i) {
    if (log[i] != '\r' || i + 1 == log.size() || log[i + 1] != '\n') text += log[i];
  }
  return text;
}

/// The signal that the text names: "Segmentation fault" of a shell, "SIGSEGV", "signal 11".
int SignalIn(const Lines& lines) {
  constexpr std::pair<std::string_view, int> kWords[] = {
      {"SIGSEGV", SIGSEGV},        {"Segmentation fault", SIGSEGV},
      {"signal 11", SIGSEGV},      {"SIGABRT", SIGABRT},
      {"Aborted", SIGABRT},        {"signal 6", SIGABRT},
      {"SIGBUS", SIGBUS},          {"Bus error", SIGBUS},
      {"SIGILL", SIGILL},          {"Illegal instruction", SIGILL},
      {"SIGFPE", SIGFPE},          {"Floating point exception", SIGFPE},
      {"(SEGV)", SIGSEGV},         {": segfault at ", SIGSEGV},
      {"(ABRT)", SIGABRT},         {"trap invalid opcode", SIGILL},
      {"EXC_BAD_ACCESS", SIGSEGV},
  };
  for (const std::string_view line : lines) {
    for (const auto& [word, signal] : kWords) {
      if (line.find(word) != std::string_view::npos) return signal;
    }
  }
  return 0;
}

}  // namespace

FailureSignature SignatureOf(const FailureData& facts) {
  return Writer(facts).Write();
}

std::vector<std::string> NamesIn(const FailureData& facts, const std::vector<std::string>& names) {
  std::vector<std::string> words = Identifiers(names);
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::erase_if(words, [&](const std::string& word) {
    return facts.output.find(word) == std::string::npos &&
           facts.validator_message.find(word) == std::string::npos &&
           facts.detail.find(word) == std::string::npos;
  });
  return words;
}

FailureData FailureFromLog(std::string_view log) {
  if (log.find("\r\n") != std::string_view::npos) return FailureFromLog(WithLineFeeds(log));
  if (log.starts_with(kMark)) return ReadOwnLog(WithoutColours(log));
  FailureData facts;
  facts.output = log;
  const CrashReport report = FindCrashReport(log);
  facts.signal = report.signal;
  facts.backtrace = report.backtrace;
  facts.stack_overflow = report.stack_overflow;
  const std::string plain = WithoutColours(log);
  const Lines lines = LinesOf(plain);
  if (facts.signal == 0) facts.signal = SignalIn(lines);
  std::optional<MessageMatch> words = FindMessage(lines, MessageKind::kCrashPattern);
  if (words || facts.signal != 0 || !FindTopFrame(FindStack(lines).frames).name.empty()) {
    facts.kind = FailureClass::kCrash;
    return facts;
  }
  for (const MessageKind kind :
       {MessageKind::kFailureReport, MessageKind::kRejection, MessageKind::kAnyError}) {
    words = FindMessage(lines, kind);
    if (!words) continue;
    facts.kind = words->kind;
    if (kind != MessageKind::kFailureReport) return facts;
    facts.code = words->key;
    if (const size_t blank = facts.code.find(' '); facts.code.starts_with("vk")) {
      facts.stage = facts.code.substr(0, blank);
      facts.code.erase(0, blank + 1);
    }
    return facts;
  }
  return facts;
}

std::string LogText(const FailureData& facts) {
  std::string text;
  const auto line = [&](std::string_view key, std::string_view value) {
    std::string one_line(value);
    std::replace(one_line.begin(), one_line.end(), '\n', ' ');
    if (!value.empty()) text += format("{}{} {}\n", kMark, key, one_line);
  };
  line("class", FailureClassName(facts.kind));
  line("target", facts.target);
  line("stage", facts.stage);
  if (facts.signal != 0) line("signal", format("{}", facts.signal));
  if (facts.exit_code != 0) line("exit", format("{}", facts.exit_code));
  if (facts.stack_overflow) line("stack_overflow", "yes");
  line("code", facts.code);
  line("detail", facts.detail);
  for (const std::string& name : facts.names) line("name", name);
  for (const std::string& frame : facts.backtrace) line("frame", frame);
  if (!facts.validator_message.empty()) {
    for (const std::string& part : Split(facts.validator_message, '\n')) line("validator", part);
  }
  return text + format("{}output\n", kMark) + facts.output;
}

bool IsCrashExit(int exit_code, std::string_view output, int* signal) {
  *signal = 0;
  if (exit_code == 0) return false;
  for (const int each : {SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV}) {
    if (exit_code == 128 + each) *signal = each;
  }
  return *signal != 0 ||
         FindMessage(LinesOf(WithoutColours(output)), MessageKind::kCrashPattern).has_value();
}

}  // namespace signature
}  // namespace refract
