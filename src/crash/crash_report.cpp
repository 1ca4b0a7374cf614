// SPDX-License-Identifier: Apache-2.0
#include "crash/crash_report.h"

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <charconv>
#include <cstring>

#include "base/text.h"

namespace refract {
inline namespace crash {
namespace {

constexpr char kBegin[] = "\nrefract-worker: fatal signal ";
constexpr char kEnd[] = "refract-worker: end of backtrace\n";
constexpr std::string_view kOverflow = "refract-worker: the stack has come to its end";
constexpr std::string_view kOurs = "refract(";  // argv[0], as backtrace_symbols_fd prints it
constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int kMaxFrames = 128;

alignas(16) char alternate_stack[64 * 1024];

void WriteToStderr(const char* text, size_t size) {
  // Nothing can be done about a failed write in a dying process.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, size);
}

/// The address at which the signal occurred, to leave out the frames of the handler.
void* FaultAddress(void* context) {
  const auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<void*>(machine->gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<void*>(machine->pc);
#else
  (void)machine;
  return nullptr;
#endif
}

// Calls only functions that are safe in a signal handler. backtrace() is safe once libgcc_s is
// loaded.
void OnSignal(int signal, siginfo_t*, void* context) {
  // A second fault, inside this handler, ends the process by the default action. If unwinding gets
  // stuck, the alarm ends the process, so that the crash does not become a timeout.
  for (const int each : kSignals) ::signal(each, SIG_DFL);
  ::alarm(3);
  const char digits[] = {static_cast<char>('0' + signal / 10), static_cast<char>('0' + signal % 10),
                         '\n'};
  WriteToStderr(kBegin, sizeof kBegin - 1);
  WriteToStderr(digits, sizeof digits);
  void* frames[kMaxFrames];
  const int count = ::backtrace(frames, kMaxFrames);
  int first = 0;
  void* const fault = FaultAddress(context);
  while (first < count && frames[first] != fault) ++first;
  if (first == count) first = 0;
  ::backtrace_symbols_fd(frames + first, count - first, STDERR_FILENO);
  WriteToStderr(kEnd, sizeof kEnd - 1);
  ::raise(signal);  // blocked until this function returns; then the default action ends the process
}

/// Turns "/lib/libfoo.so.1(symbol+0x12) [0x7f..]" into the form of CrashReport::backtrace, without
/// folder and absolute address.
std::string Frame(std::string_view line) {
  constexpr std::string_view kBuildId = "(BuildId: ";
  if (line.starts_with("[")) return "jit";  // code that belongs to no file
  std::string build_id;
  if (const size_t at = line.rfind(kBuildId); at != std::string_view::npos && at > 0) {
    std::string_view id = line.substr(at + kBuildId.size());
    build_id = format(" [build-id {}]", id.substr(0, id.find(')')));
    line = line.substr(0, at);
  }
  const size_t open = line.find('(');
  const size_t close = line.find(')', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return "?";
  std::string_view file = line.substr(0, open);
  if (const size_t slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  const std::string_view place = line.substr(open + 1, close - open - 1);
  if (place.empty()) return std::string(file);
  return format("{}{}{}{}", file, place[0] == '+' ? "" : "!", place, build_id);
}

}  // namespace

void InstallCrashReport() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads libgcc_s now, not in the handler
  stack_t stack{};
  stack.ss_sp = alternate_stack;
  stack.ss_size = sizeof alternate_stack;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnSignal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
  ::signal(SIGALRM, SIG_DFL);
}

void ResetSignalHandlers() {
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
}

std::string CrashReportText(int signal, bool stack_overflow,
                            const std::vector<std::string>& lines) {
  std::string text = format("{}{:02}\n", kBegin, signal);
  if (stack_overflow) text += format("{}\n", kOverflow);
  for (const std::string& line : lines) text += line + "\n";
  return text + kEnd;
}

CrashReport FindCrashReport(std::string_view output) {
  CrashReport report;
  const size_t begin = output.rfind(kBegin);
  if (begin == std::string_view::npos) return report;
  std::string_view rest = output.substr(begin + sizeof kBegin - 1);
  std::from_chars(rest.data(), rest.data() + rest.size(), report.signal);
  rest = rest.substr(0, rest.find(kEnd));
  const std::vector<std::string> lines = Split(rest, '\n');
  const std::string* first = nullptr;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    if (lines[i] == kOverflow) {
      report.stack_overflow = true;
      continue;
    }
    if (first == nullptr) first = &lines[i];
    // The frames of Refract that called the driver are the same for every crash, so they are left
    // out.
    if (lines[i].starts_with(kOurs) && !first->starts_with(kOurs)) break;
    report.backtrace.push_back(Frame(lines[i]));
  }
  return report;
}

}  // namespace crash
}  // namespace refract
