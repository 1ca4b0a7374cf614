// SPDX-License-Identifier: Apache-2.0
#include "base/child_call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "base/clock.h"
#include "base/process_usage.h"

namespace refract {
inline namespace base {
namespace {

constexpr double kMemoryCheckSeconds = 0.02;
constexpr int kExitDone = 0, kExitNoMemory = 1;

void SetSignals(sighandler_t handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

[[noreturn]] void RunChild(const std::function<std::string()>& work, int output, pid_t parent) {
  SetSignals(SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExitDone);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::set_new_handler([] { ::_exit(kExitNoMemory); });
  WriteAll(output, work());
  ::_exit(kExitDone);
}

// Reads the output of the child until the child closes the pipe. If a limit is reached first, it
// sets `answer->end` to that limit and returns false.
bool ReceiveResult(pid_t pid, int input, const ChildLimits& limits, ChildResult* answer) {
  const double begin = MonotonicSeconds();
  char buffer[1 << 12];
  while (true) {
    const double left = begin + limits.seconds - MonotonicSeconds();
    if (left <= 0) {
      answer->end = ChildResult::End::kTime;
      return false;
    }
    pollfd fd{input, POLLIN, 0};
    const int ready =
        ::poll(&fd, 1, 1 + static_cast<int>(1000 * std::min(left, kMemoryCheckSeconds)));
    if (ready > 0) {
      const ssize_t got = ::read(input, buffer, sizeof buffer);
      if (got == 0) return true;
      if (got > 0) answer->bytes.append(buffer, static_cast<size_t>(got));
    } else if (ready == 0 && ResidentBytes(pid) > limits.memory) {
      answer->end = ChildResult::End::kMemory;
      return false;
    }
  }
}

ChildResult CallOnce(const std::function<std::string()>& work, const ChildLimits& limits) {
  ChildResult answer;
  int pipes[2];
  if (::pipe2(pipes, O_CLOEXEC) != 0) return answer;
  const pid_t parent = ::getpid();
  sigset_t all, before;
  ::sigfillset(&all);  // no signal handler of this process may run in the child
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) RunChild(work, pipes[1], parent);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(pipes[1]);
  if (pid > 0) {
    answer.end = ChildResult::End::kDone;
    if (!ReceiveResult(pid, pipes[0], limits, &answer)) ::kill(pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (answer.end == ChildResult::End::kDone && WIFSIGNALED(status)) {
      answer.end = ChildResult::End::kSignal;
      answer.signal = WTERMSIG(status);
    } else if (answer.end == ChildResult::End::kDone && WEXITSTATUS(status) != kExitDone) {
      answer.end = ChildResult::End::kMemory;
    }
  }
  ::close(pipes[0]);
  return answer;
}

}  // namespace

ChildResult CallInChild(const std::function<std::string()>& work, const ChildLimits& limits) {
#ifdef REFRACT_SANITIZE
  // The allocator of the sanitiser does not survive a fork: if another thread holds one of its
  // locks, the child waits forever. With several threads, that happens to many children. Such a
  // child gets a short time, and then another one is made.
  for (const double seconds : {0.5, 2.0, 8.0}) {
    if (limits.seconds <= seconds) break;
    ChildResult result = CallOnce(work, {seconds, limits.memory});
    if (result.end != ChildResult::End::kTime) return result;
  }
#endif
  return CallOnce(work, limits);
}

}  // namespace base
}  // namespace refract
