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
#include <thread>
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
};

/// What a subreaper (RunSubreaper) reports as soon as it has tried to start the program.
struct StartReport {
  pid_t subreaper = -1;
  int failed = 0;  // the number of the error if the program did not start
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

/// The main function of a subreaper: a process between refract and the program. Orphaned
/// descendants of the program become children of the subreaper, so it can kill each of them and no
/// process of refract's own. It ends after the program, with the program's status in `*status`.
/// SIGTERM makes it kill all of them. It shares its memory with a process that has threads, so it
/// may only make system calls, and all signals are blocked. It must not end by a signal that dumps
/// core: old kernels then end all processes that share its memory.
[[noreturn]] void RunSubreaper(const Launch& launch, pid_t parent, int report, int* status) {
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
  const StartReport started{self, pid < 0 ? errno : failed};
  [[maybe_unused]] const ssize_t written = ::write(report, &started, sizeof started);
  ::close_range(3, ~0u, 0);  // other processes wait for the end of these pipes
  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  int one_status = 0;
  bool ended = pid < 0;
  for (int signal = 0; !ended && signal != SIGTERM;) {
    pid_t one = 0;
    while (!ended && (one = ::waitpid(-1, &one_status, WNOHANG)) > 0) ended = one == pid;
    if (ended) {
      *status = one_status;
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
  ::_exit(0);
}

/// No signal handler of this process may run in a child that shares its memory.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

/// Starts the child with vfork. fork copies the page tables of this process and then each page that
/// it writes, which takes longer than most tools run. posix_spawn supports neither
/// PR_SET_PDEATHSIG nor limits.
pid_t Spawn(const Launch& launch, int* failed) {
  const BlockedSignals blocked;
  const pid_t self = ::getpid();
  const pid_t pid = ::vfork();
  if (pid == 0) ExecProgram(launch, self, failed);
  if (pid < 0) *failed = errno;
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

/// The subreaper of a program. vfork suspends the thread that calls it until the child ends, so
/// each subreaper has a thread.
class Subreaper {
 public:
  Subreaper() = default;
  ~Subreaper() {
    if (thread_.joinable()) thread_.join();
  }
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;

  /// Starts it. Returns its process, or -1; `*failed` is 0, or says why the program did not start.
  /// `launch` must exist for as long as this object.
  pid_t Start(const Launch& launch, int* failed) {
    int pipes[2] = {-1, -1};
    *failed = ::pipe2(pipes, O_CLOEXEC) == 0 ? 0 : errno;
    Descriptor reading(pipes[0]);
    writing_ = Descriptor(pipes[1]);
    if (*failed == 0 && (reading.get() < 0 || writing_.get() < 0)) *failed = EMFILE;
    if (*failed != 0) return -1;
    thread_ = std::thread([this, &launch] {
      const BlockedSignals blocked;
      const pid_t self = ::getpid();
      const pid_t pid = ::vfork();
      if (pid == 0) RunSubreaper(launch, self, writing_.get(), &status_);
      if (pid < 0) {
        const StartReport report{pid, errno};
        [[maybe_unused]] const ssize_t written = ::write(writing_.get(), &report, sizeof report);
      }
      writing_.Close();
    });
    StartReport report;
    if (::read(reading.get(), &report, sizeof report) != static_cast<ssize_t>(sizeof report)) {
      report.failed = ECHILD;
    }
    *failed = report.failed;
    return report.subreaper;
  }

  /// How the program ended, as waitpid says it. Call it after the subreaper has ended.
  int status() const { return status_; }

 private:
  Descriptor writing_;
  int status_ = 0;
  std::thread thread_;
};

/// A program that is running.
class RunningProgram {
 public:
  /// `subreaper`: the one whose process is `pid`; null if that is the program itself.
  RunningProgram(pid_t pid, const Command& command, Descriptor output, const Subreaper* subreaper)
      : pid_(pid), command_(command), begin_(MonotonicSeconds()), subreaper_(subreaper) {
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
        // The memory of a subreaper is that of this process.
        const uint64_t bytes = subreaper_ ? ResidentBytesOfDescendants(pid_) : ResidentBytes(pid_);
        if (bytes > command_.memory_limit) {
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
    if (subreaper_ != nullptr) {
      ::kill(pid_, SIGTERM);
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
    if (subreaper_ != nullptr && WIFEXITED(status)) status = subreaper_->status();
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
  const Subreaper* subreaper_;
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
  Subreaper subreaper;
  int failed = 0;
  const pid_t pid = command.end_daemons ? subreaper.Start(launch, &failed) : Spawn(launch, &failed);
  writing.Close();
  if (failed != 0) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return StartError(command, failed);
  }
  return RunningProgram(pid, command, std::move(reading),
                        command.end_daemons ? &subreaper : nullptr)
      .Wait();
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
