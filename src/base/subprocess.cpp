// SPDX-License-Identifier: Apache-2.0
#include "base/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/capped_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/process_usage.h"
#include "base/text.h"

namespace refract {
inline namespace base {
namespace {

constexpr double kMemoryCheckSeconds = 0.05;
// How often, and with what pauses, the descendants of a program are killed until none is left: 2 s.
constexpr int kEndRounds = 400;
constexpr long kEndPauseNanoseconds = 5'000'000;

/// All that the child needs. It is prepared before the child exists, because between vfork and
/// execve the child may only make system calls.
struct Launch {
  std::vector<char*> argv, environment;
  const char* folder = nullptr;
  int input = -1, output = -1, error = -1;  // become 0, 1 and 2; all are above 2
  rlim_t file_limit = 0;
  int report = -1;  // where a subreaper (RunSubreaper) reports whether the program started
};

[[noreturn]] void ExecProgram(const Launch& launch, pid_t parent, int* failed) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // when the thread that made the child ends
  if (::getppid() != parent) ::_exit(127);
  const rlimit no_core{0, 0};
  const rlimit file_size{launch.file_limit, launch.file_limit};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setrlimit(RLIMIT_FSIZE, &file_size);
  // If memory runs out, the kernel kills this process first.
  if (const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(fd, "1000", 4);
    ::close(fd);
  }
  ::dup2(launch.input, STDIN_FILENO);
  ::dup2(launch.output, STDOUT_FILENO);
  ::dup2(launch.error, STDERR_FILENO);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (launch.folder == nullptr || ::chdir(launch.folder) == 0) {
    ::execve(launch.argv[0], launch.argv.data(), launch.environment.data());
  }
  *failed = errno;  // the child still shares the parent's memory
  ::_exit(127);
}

/// Kills all children of this thread, which is the only thread of its process.
void KillChildren() {
  const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char text[4096];
  const ssize_t size = ::read(fd, text, sizeof text);
  ::close(fd);
  pid_t child = 0;
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      child = 10 * child + (text[i] - '0');
    } else if (child != 0) {
      ::kill(child, SIGKILL);
      child = 0;
    }
  }
}

/// Ends this process with the exit code or signal that `status` has.
[[noreturn]] void EndWithStatus(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(WTERMSIG(status), &action, nullptr);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  ::sigemptyset(&none);
  ::kill(::getpid(), WTERMSIG(status));
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::_exit(127);
}

/// The main function of a subreaper: a process between refract and the program. Orphaned
/// descendants of the program become children of the subreaper, so it can kill each of them and no
/// process of refract's own. It ends as the program ends. SIGTERM makes it kill all of them. It was
/// forked from a process with threads, so it may only make system calls, and all signals are
/// blocked. Not even a copy of `launch` is allowed: another thread may have held the lock of the
/// allocator.
[[noreturn]] void RunSubreaper(const Launch& launch, pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, nullptr);
  const pid_t self = ::getpid();
  volatile int failed = 0;
  const pid_t pid = ::vfork();
  if (pid == 0) ExecProgram(launch, self, const_cast<int*>(&failed));
  const int start_error = pid < 0 ? errno : failed;
  [[maybe_unused]] const ssize_t written = ::write(launch.report, &start_error, sizeof start_error);
  ::close_range(3, ~0u, 0);  // other processes wait for the end of these pipes
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  int status = 0, one_status = 0;
  bool ended = pid < 0;
  for (int signal = 0; !ended && signal != SIGTERM;) {
    pid_t one = 0;
    while (!ended && (one = ::waitpid(-1, &one_status, WNOHANG)) > 0) ended = one == pid;
    if (ended) {
      status = one_status;
      break;
    }
    const timespec pause{0, 100'000'000};
    signal = ::sigtimedwait(&awaited, nullptr, &pause);
  }
  if (pid > 0) ::kill(-pid, SIGKILL);
  for (int round = 0; round < kEndRounds; ++round) {
    KillChildren();
    pid_t one = 0;
    while ((one = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (one < 0) break;  // no children are left
    const timespec pause{0, kEndPauseNanoseconds};
    ::nanosleep(&pause, nullptr);
  }
  EndWithStatus(status);
}

/// Starts the child with vfork, because the copy of a large process's page tables, which fork
/// makes, takes longer than most tools run. posix_spawn supports neither PR_SET_PDEATHSIG nor
/// limits.
pid_t Spawn(const Launch& launch, int* failed) {
  sigset_t all, before;
  ::sigfillset(&all);  // no signal handler of this process may run in the child
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t self = ::getpid();
  pid_t pid = 0;
  if (launch.report >= 0) {
    pid = ::fork();
    if (pid == 0) RunSubreaper(launch, self);
  } else {
    pid = ::vfork();
    if (pid == 0) ExecProgram(launch, self, failed);
  }
  if (pid < 0) *failed = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

/// A file descriptor that is closed when it goes out of scope. It is above 2, so that dup2 in the
/// child never overwrites it.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) {
    if (fd < 0) return;
    fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 10);
    ::close(fd);
  }
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

/// A program that is running.
class RunningProgram {
 public:
  RunningProgram(pid_t pid, const Command& command, Descriptor output)
      : pid_(pid), command_(command), begin_(MonotonicSeconds()) {
    output_ = std::move(output);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
  }

  CommandResult Wait() {
    CommandResult result;
    double next_check = begin_ + kMemoryCheckSeconds;
    while (!Ended()) {
      const double now = MonotonicSeconds();
      if (now - begin_ >= command_.time_limit) {
        result.end = CommandResult::End::kTime;
        break;
      }
      if (command_.stop != nullptr && command_.stop->load()) {
        result.end = CommandResult::End::kStop;
        break;
      }
      if (now >= next_check) {
        next_check = now + kMemoryCheckSeconds;
        if (ResidentBytes(pid_) > command_.memory_limit) {
          result.end = CommandResult::End::kMemory;
          break;
        }
      }
      WaitForOutput();
    }
    result.seconds = MonotonicSeconds() - begin_;
    KillAndReap(&result);
    Drain();
    result.output = text_.Text();
    return result;
  }

 private:
  /// True if the process is a zombie. Until it is reaped, its number and that of its group are not
  /// reused.
  bool Ended() {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 &&
           info.si_pid == pid_;
  }

  /// Waits until the program writes, closes its output (usually because it ends), or 5 ms pass.
  void WaitForOutput() {
    if (output_.get() < 0) {
      ::usleep(200);
      return;
    }
    pollfd fd{output_.get(), POLLIN, 0};
    if (::poll(&fd, 1, 5) > 0) Drain();
  }

  void Drain() {
    char buffer[1 << 16];
    // The number of rounds is bounded, so that the limits are also checked for a program that never
    // stops writing.
    for (int rounds = 0; rounds < 64 && output_.get() >= 0; ++rounds) {
      const ssize_t got = ::read(output_.get(), buffer, sizeof buffer);
      if (got > 0) {
        text_.Append({buffer, static_cast<size_t>(got)});
      } else if (got == 0) {
        output_.Close();
      } else if (errno != EINTR) {
        return;
      }
    }
  }

  /// Kills the process group. Writes to `result` how the program ended, unless a limit ended it.
  void KillAndReap(CommandResult* result) {
    if (command_.end_daemons) {
      ::kill(pid_, SIGTERM);  // to the subreaper
      for (int round = 0; round < 2 * kEndRounds && !Ended(); ++round) {
        ::usleep(kEndPauseNanoseconds / 1000);
      }
    }
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);  // the child may not have made its group yet
    int status = 0;
    rusage usage{};
    while (::wait4(pid_, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      result->cpu_seconds +=
          static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
    if (result->end != CommandResult::End::kExit) return;
    if (WIFSIGNALED(status)) {
      result->end = CommandResult::End::kSignal;
      result->signal = WTERMSIG(status);
    } else {
      result->exit_code = WEXITSTATUS(status);
    }
  }

  pid_t pid_;
  const Command& command_;
  Descriptor output_;
  double begin_;
  CappedText text_;
};

Error StartError(const Command& command, int number) {
  return Error{format("cannot start {}: {}", command.argv[0], std::strerror(number)),
               ErrorKind::kFailed};
}

}  // namespace

Result<CommandResult> RunCommand(const Command& command) {
  std::vector<std::string> argv = command.argv, environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const bool replaced = !command.folder.empty() && std::strncmp(*entry, "TMPDIR=", 7) == 0;
    if (!replaced) environment.emplace_back(*entry);
  }
  if (!command.folder.empty()) environment.push_back("TMPDIR=" + command.folder);

  int pipes[2] = {-1, -1};
  if (::pipe2(pipes, O_CLOEXEC) != 0) return StartError(command, errno);
  Descriptor reading(pipes[0]), writing(pipes[1]), input(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor file;
  if (!command.stdout_file.empty()) {
    file = Descriptor(
        ::open(command.stdout_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (file.get() < 0) return StartError(command, errno);
  }
  if (reading.get() < 0 || writing.get() < 0 || input.get() < 0) return StartError(command, EMFILE);

  Launch launch;
  for (std::string& argument : argv) launch.argv.push_back(argument.data());
  launch.argv.push_back(nullptr);
  for (std::string& entry : environment) launch.environment.push_back(entry.data());
  launch.environment.push_back(nullptr);
  if (!command.folder.empty()) launch.folder = command.folder.c_str();
  launch.input = input.get();
  launch.output = file.get() >= 0 ? file.get() : writing.get();
  launch.error = writing.get();
  launch.file_limit = command.file_limit;
  Descriptor report_reader, report_writer;
  if (command.end_daemons) {
    if (::pipe2(pipes, O_CLOEXEC) != 0) return StartError(command, errno);
    report_reader = Descriptor(pipes[0]);
    report_writer = Descriptor(pipes[1]);
    if (report_reader.get() < 0 || report_writer.get() < 0) return StartError(command, EMFILE);
    launch.report = report_writer.get();
  }
  int failed = 0;
  const pid_t pid = Spawn(launch, &failed);
  writing.Close();
  report_writer.Close();
  if (pid > 0 && command.end_daemons &&
      ::read(report_reader.get(), &failed, sizeof failed) != static_cast<ssize_t>(sizeof failed)) {
    failed = ECHILD;
  }
  if (failed != 0) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return StartError(command, failed);
  }
  return RunningProgram(pid, command, std::move(reading)).Wait();
}

std::string FindProgram(const std::string& name) {
  const auto runs = [](const std::string& path) {
    return FileExists(path) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? name : std::string();
  const char* path = std::getenv("PATH");
  for (const std::string& folder : Split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string candidate = format("{}/{}", folder.empty() ? "." : folder, name);
    if (runs(candidate)) return candidate;
  }
  return {};
}

}  // namespace base
}  // namespace refract
