// SPDX-License-Identifier: Apache-2.0
#include "crash/watcher.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "base/text.h"
#include "crash/child_arguments.h"
#include "crash/crash_report.h"
#include "crash/outside_stack.h"

namespace refract::inline crash {
namespace {

// Reading a stack takes milliseconds. Should it not end, the worker is to die nevertheless.
constexpr unsigned kReportSeconds = 10;

volatile pid_t watched = 0;  // as long as it has not been waited for

// Its end is seen in the usual way, so nothing of it is left behind.
void KillWatched(int) {
  const int kept = errno;
  if (watched > 0) ::kill(watched, SIGKILL);
  errno = kept;
}

bool EndsProcess(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL:
    case SIGABRT:
    case SIGTRAP:
    case SIGSYS:
      return true;
    default:
      return false;
  }
}

/// Drivers and sanitisers may catch what would else be the end; if they then die of it, that is
/// seen again.
bool IsCaught(pid_t process, int signal) {
  std::FILE* file = std::fopen(format("/proc/{}/status", process).c_str(), "re");
  if (file == nullptr) return false;
  char line[256];
  unsigned long mask = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "SigCgt: %lx", &mask) == 1) break;
  }
  std::fclose(file);
  return (mask >> (signal - 1) & 1) != 0;
}

/// Sent by kill, as scripts do: it says nothing about the place where it was met. What abort and
/// raise send is another.
bool IsSentByHand(pid_t thread) {
  siginfo_t info{};
  return ::ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) == 0 && info.si_code == SI_USER;
}

void Report(pid_t process, pid_t thread, int signal) {
  static bool reported = false;  // other threads may follow on the way down
  if (std::exchange(reported, true)) return;
  ::alarm(kReportSeconds);
  const OutsideStack stack = ReadOutsideStack(process, thread);
  const std::string text = CrashReportText(signal, stack.overflow, stack.lines);
  // Nobody is left to tell if this fails.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::alarm(0);
}

/// Ends as the worker did, so that whoever waits for this process learns it.
int EndAs(int status) {
  watched = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  return 128 + signal;
}

/// A stop of one of the worker's threads; what it is to go on with.
void GoOn(pid_t process, pid_t thread, int status) {
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
    ::ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);  // stopped by somebody, until SIGCONT
    return;
  }
  if (event == 0 && EndsProcess(signal) && !IsCaught(process, signal) && !IsSentByHand(thread)) {
    Report(process, thread, signal);
  }
  const long passed = event == 0 ? signal : 0;
  ::ptrace(PTRACE_CONT, thread, nullptr, passed);
}

int Watch(pid_t process) {
  for (;;) {
    int status = 0;
    const pid_t thread = ::waitpid(-1, &status, __WALL);
    if (thread < 0 && errno == EINTR) continue;
    if (thread < 0) return 1;
    if (WIFSTOPPED(status)) {
      GoOn(process, thread, status);
    } else if (thread == process) {
      return EndAs(status);
    }
  }
}

void DieWith(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before
}

}  // namespace

int RunWatched(pid_t parent, const std::function<int(bool traced)>& work) {
  DieWith(parent);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  int ready[2] = {-1, -1};
  if (::pipe(ready) != 0) return 1;
  const pid_t self = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) return 1;
  if (process == 0) {
    DieWith(self);
    char traced = 0;
    const bool told = ::read(ready[0], &traced, 1) == 1;
    ::close(ready[0]);
    ::close(ready[1]);
    // No static destructors: drivers are known to have threads that outlive them.
    std::_Exit(told ? work(traced == 1) : 1);
  }
  watched = process;
  ::signal(SIGTERM, KillWatched);
  ::close(kWorkerFd);  // its end is to be seen at the other side of the socket
  const long options = PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  const char traced = ::ptrace(PTRACE_SEIZE, process, nullptr, options) == 0 ? 1 : 0;
  const bool told = ::write(ready[1], &traced, 1) == 1;
  ::close(ready[0]);
  ::close(ready[1]);
  if (!told) ::kill(process, SIGKILL);
  return Watch(process);
}

}  // namespace refract::inline crash
