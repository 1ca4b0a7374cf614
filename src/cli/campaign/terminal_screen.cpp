// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign/terminal_screen.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace refract {
inline namespace cli {
namespace {

// The alternate screen, without a cursor.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr off_t kMessageBytes = 8192;  // of the newest messages
constexpr int kSignals[] = {SIGQUIT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

std::atomic<int> terminal{-1};  // a copy of the original stderr while there is a screen
int messages = -1;              // the file that is stderr meanwhile

// Signal handlers call this.
void WriteAll(int to, const char* bytes, size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(to, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes += written;
    count -= static_cast<size_t>(written);
  }
}

void DieRestored(int signal) {
  TerminalScreen::Restore();
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // takes effect when this function returns
}

// ^Z: the shell gets its screen back. The next Draw repaints everything.
void StopRestored(int) {
  const int saved = errno;
  const int to = terminal;
  if (to >= 0) WriteAll(to, kLeave.data(), kLeave.size());
  ::raise(SIGSTOP);  // returns when the process continues
  if (to >= 0) WriteAll(to, kEnter.data(), kEnter.size());
  errno = saved;
}

}  // namespace

bool HasScreen() {
  const char* name = std::getenv("TERM");
  return name != nullptr && *name != '\0' && std::strcmp(name, "dumb") != 0 &&
         isatty(STDERR_FILENO) != 0;
}

Result<TerminalScreen> TerminalScreen::Begin(bool styles) {
  std::fflush(stderr);
  const int copy = ::dup(STDERR_FILENO);
  messages = ::memfd_create("messages", MFD_CLOEXEC);
  if (copy < 0 || messages < 0 || ::dup2(messages, STDERR_FILENO) < 0) {
    if (copy >= 0) ::close(copy);
    if (messages >= 0) ::close(messages);
    return Error{format("the terminal: {}", std::strerror(errno)), ErrorKind::kFailed};
  }
  terminal = copy;
  WriteAll(copy, kEnter.data(), kEnter.size());
  for (const int signal : kSignals) ::signal(signal, DieRestored);
  ::signal(SIGTSTP, StopRestored);
  return TerminalScreen(styles);
}

TerminalScreen::TerminalScreen(TerminalScreen&& other) noexcept
    : styles_(other.styles_), active_(std::exchange(other.active_, false)) {}

TerminalScreen::~TerminalScreen() {
  if (!active_) return;
  std::fflush(stderr);
  Restore();
  for (const int signal : kSignals) ::signal(signal, SIG_DFL);
  ::signal(SIGTSTP, SIG_DFL);
  ::close(messages);
}

void TerminalScreen::Restore() {
  const int to = terminal.exchange(-1);
  if (to < 0) return;
  WriteAll(to, kLeave.data(), kLeave.size());
  ::dup2(to, STDERR_FILENO);
  ::close(to);
  char bytes[512];
  for (off_t at = 0;;) {
    const ssize_t count = ::pread(messages, bytes, sizeof(bytes), at);
    if (count <= 0) return;
    WriteAll(STDERR_FILENO, bytes, static_cast<size_t>(count));
    at += count;
  }
}

TerminalScreen::Size TerminalScreen::size() const {
  winsize window{};
  Size size;
  if (::ioctl(terminal, TIOCGWINSZ, &window) != 0) return size;
  if (window.ws_col > 0) size.width = window.ws_col;
  if (window.ws_row > 0) size.height = window.ws_row;
  return size;
}

void TerminalScreen::Draw(const std::vector<ScreenLine>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ScreenLine& line = lines[i];
    const bool plain = !styles_ || line.style == ScreenLine::Style::kPlain || line.text.empty();
    const char* style = line.style == ScreenLine::Style::kHeading ? "1" : "33";
    // The line is removed before it is written: after a text as wide as the screen, the code would
    // remove its last character.
    text += format("\x1b[{};1H\x1b[2K", i + 1);
    text += plain ? line.text : format("\x1b[{}m{}\x1b[0m", style, line.text);
  }
  if (lines.size() < size().height) text += format("\x1b[{};1H\x1b[J", lines.size() + 1);
  WriteAll(terminal, text.data(), text.size());
}

std::vector<std::string> TerminalScreen::Messages() const {
  std::fflush(stderr);
  const off_t end = ::lseek(messages, 0, SEEK_CUR);
  const off_t begin = end > kMessageBytes ? end - kMessageBytes : 0;
  std::string text(static_cast<size_t>(end - begin), '\0');
  const ssize_t count = text.empty() ? 0 : ::pread(messages, text.data(), text.size(), begin);
  text.resize(count > 0 ? static_cast<size_t>(count) : 0);
  std::vector<std::string> lines;
  for (const std::string& line : Split(text, '\n')) {
    if (!Trim(line).empty()) lines.push_back(line);
  }
  return lines;
}

}  // namespace cli
}  // namespace refract
