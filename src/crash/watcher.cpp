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
#include "crash/remote_stack.h"

namespace refract {
inline namespace crash {
namespace {

// The time limit for a report. Reading a stack takes milliseconds; if it gets stuck, the worker
// must still end.
constexpr unsigned kReportSeconds = 10;

volatile pid_t watched = 0;  // 0 once it has been waited for

// Kills the worker. Watch then sees its end as usual, so no process is left.
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

/// Whether the process has a handler for the signal, as some drivers and sanitisers do. If the
/// process then dies of the signal, that is seen as a second stop.
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

/// Whether the signal was sent with kill, as scripts do. Such a signal is no crash at the place
/// where it arrives. abort and raise send signals of another kind.
bool IsSentByKill(pid_t thread) {
  siginfo_t info{};
  return ::ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) == 0 && info.si_code == SI_USER;
}

void Report(pid_t process, pid_t thread, int signal) {
  static bool reported = false;  // other threads may crash as well while the process ends
  if (std::exchange(reported, true)) return;
  ::alarm(kReportSeconds);
  const RemoteStack stack = ReadRemoteStack(process, thread);
  const std::string text = CrashReportText(signal, stack.overflow, stack.lines);
  // If this fails, there is nobody to report it to.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::alarm(0);
}

/// Ends this process as the worker ended, for the process that waits for it.
int EndWithStatus(int status) {
  watched = 0;
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  const int signal = WTERMSIG(status);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  return 128 + signal;
}

/// Handles a stop of one of the worker's threads and lets the thread continue.
void HandleStop(pid_t process, pid_t thread, int status) {
  const int signal = WSTOPSIG(status);
  const int event = status >> 16;
  if (event == PTRACE_EVENT_STOP && signal != SIGTRAP) {
    ::ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);  // stopped by a signal, until SIGCONT
    return;
  }
  if (event == 0 && EndsProcess(signal) && !IsCaught(process, signal) && !IsSentByKill(thread)) {
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
      HandleStop(process, thread, status);
    } else if (thread == process) {
      return EndWithStatus(status);
    }
  }
}

void DieWithParent(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent died before the call
}

}  // namespace

int RunWatched(pid_t parent, const std::function<int(bool traced)>& work) {
  DieWithParent(parent);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  int ready[2] = {-1, -1};
  if (::pipe(ready) != 0) return 1;
  const pid_t self = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) return 1;
  if (process == 0) {
    DieWithParent(self);
    char traced = 0;
    const bool told = ::read(ready[0], &traced, 1) == 1;
    ::close(ready[0]);
    ::close(ready[1]);
    // Runs no static destructors, because threads of some drivers outlive them.
    std::_Exit(told ? work(traced == 1) : 1);
  }
  watched = process;
  ::signal(SIGTERM, KillWatched);
  ::close(kWorkerFd);  // only the worker holds the socket, so the harness sees when it ends
  const long options = PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  const char traced = ::ptrace(PTRACE_SEIZE, process, nullptr, options) == 0 ? 1 : 0;
  const bool told = ::write(ready[1], &traced, 1) == 1;
  ::close(ready[0]);
  ::close(ready[1]);
  if (!told) ::kill(process, SIGKILL);
  return Watch(process);
}

}  // namespace crash
}  // namespace refract
