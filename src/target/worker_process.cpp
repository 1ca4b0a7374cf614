// SPDX-License-Identifier: Apache-2.0
#include "target/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/process_usage.h"
#include "base/text.h"
#include "driver/worker.h"

namespace refract {
inline namespace target {
namespace {

// Variables that only the target sets. All other variables of the user's environment are passed on.
constexpr const char* kOurs[] = {"VK_DRIVER_FILES",     "VK_ICD_FILENAMES",
                                 "VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS",
                                 "RADV_FORCE_FAMILY",   "VK_LOADER_LAYERS_ENABLE"};

// What a driver printed while it was opened, shortened, in one line.
std::string Printed(std::string_view output) {
  constexpr size_t kLongest = 400;
  std::string line;
  for (const std::string& part : Split(Trim(output), '\n')) {
    const std::string_view text = Trim(part);
    if (!text.empty()) line += format("{}{}", line.empty() ? "" : "; ", text);
  }
  // The Vulkan loader aligns its messages with spaces.
  for (size_t at = 0; (at = line.find("  ", at)) != std::string::npos;) line.erase(at, 1);
  return line.substr(0, kLongest);
}

std::vector<std::string> EnvironmentFor(const Target& target) {
  std::vector<std::pair<std::string, std::string>> set = {
      {"VK_DRIVER_FILES", target.icd},
      {"VK_ICD_FILENAMES", target.icd},
      // Keeps out the implicit layers of overlays and recorders.
      {"VK_LOADER_LAYERS_DISABLE", "~implicit~"},
      {"NODEVICE_SELECT", "1"},
  };
  set.insert(set.end(), target.environment.begin(), target.environment.end());
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    const bool replaced =
        std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs) ||
        std::any_of(set.begin(), set.end(), [&](const auto& pair) { return pair.first == name; });
    if (!replaced) environment.emplace_back(text);
  }
  for (const auto& [name, value] : set) environment.push_back(format("{}={}", name, value));
  return environment;
}

// Seconds between two checks of memory and of Limits::stop.
constexpr double kMemoryCheckSeconds = 0.05;
// Seconds until a process must have ended after SIGTERM to its watcher, and after SIGKILL.
constexpr double kTermSeconds = 2, kKillSeconds = 10;
constexpr double kHurrySeconds = 1;  // replaces both in a hurry

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

Error SystemError(const char* what, int number) {
  return Error{format("cannot start a worker: {}: {}", what, std::strerror(number)),
               ErrorKind::kFailed};
}

void CloseAll(std::initializer_list<int> fds) {
  for (const int fd : fds) {
    if (fd >= 0) ::close(fd);
  }
}

/// Pointers to the texts, and null at the end, as posix_spawn takes them.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts this executable again with the two descriptors in place. Returns an errno.
int SpawnSelf(const Root& root, std::vector<std::string> environment, int socket, int output,
              pid_t* pid) {
  std::vector<std::string> arguments =
      SelfStartedIn(root, {kWorkerArgument, format("{}", ::getpid())});
  const std::vector<char*> argv = Pointers(arguments), variables = Pointers(environment);

  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, socket, kWorkerFd);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  // A process group of its own: ^C reaches only the parent, and killing the group ends all its
  // children.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(
      &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const char* program = root.is_set() ? root.loader.c_str() : "/proc/self/exe";
  const int failed =
      ::posix_spawn(pid, program, &files, &attributes, argv.data(), variables.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return failed;
}

/// One thread that starts all workers and lives as long as the process. PR_SET_PDEATHSIG refers to
/// the thread that spawned, not to the process, so a worker would otherwise die with the thread
/// that started it, perhaps during a job of another thread.
class Spawner {
 public:
  static Spawner& Get() {
    static Spawner* const kSpawner = new Spawner;  // never destroyed: its thread never ends
    return *kSpawner;
  }

  int Run(std::function<int()> spawn) {
    std::packaged_task<int()> task(std::move(spawn));
    std::future<int> result = task.get_future();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
    return result.get();
  }

 private:
  Spawner() {
    std::thread([this] { Serve(); }).detach();
  }

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return !tasks_.empty(); });
      std::packaged_task<int()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<int()>> tasks_;
};

}  // namespace

Status WorkerProcess::Spawn(const Target& target) {
  int sockets[2] = {-1, -1}, pipes[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return SystemError("socketpair", errno);
  }
  if (::pipe2(pipes, O_CLOEXEC) != 0) {
    const int number = errno;
    CloseAll({sockets[0], sockets[1]});
    return SystemError("pipe", number);
  }
  // Moves them away from the numbers that the child's descriptors get.
  const int child_socket = ::fcntl(sockets[1], F_DUPFD_CLOEXEC, 10);
  const int child_output = ::fcntl(pipes[1], F_DUPFD_CLOEXEC, 10);
  const int failed = child_socket < 0 || child_output < 0 ? EMFILE : Spawner::Get().Run([&] {
    return SpawnSelf(target.root, EnvironmentFor(target), child_socket, child_output, &pid_);
  });
  CloseAll({sockets[1], pipes[1], child_socket, child_output});
  socket_ = sockets[0];
  output_fd_ = pipes[0];
  if (failed != 0) {
    pid_ = -1;
    return SystemError("posix_spawn", failed);
  }
  ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  ::fcntl(output_fd_, F_SETFL, O_NONBLOCK);
  return {};
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const Target& target, bool validate,
                                                            const Limits& limits) {
  bool answered = false;
  Result<std::unique_ptr<WorkerProcess>> worker = StartOnce(target, validate, limits, &answered);
  if (worker || !answered) return worker;
  // Without this variable, the Vulkan loader does not say why it finds no device. Workers that do
  // jobs run without it, because signatures read what they print.
  Target talkative = target;
  talkative.environment.emplace_back("VK_LOADER_DEBUG", "error");
  return StartOnce(talkative, validate, limits, &answered);
}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::StartOnce(const Target& target, bool validate,
                                                                const Limits& limits,
                                                                bool* answered) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess);
  worker->stop_ = limits.stop;
  if (Status spawned = worker->Spawn(target); !spawned) return spawned.error();
  const StartRequest request{validate};
  FrameKind kind{};
  std::string payload;
  const WaitResult outcome =
      worker->Exchange(FrameKind::kStart, Encode(request), limits, &kind, &payload);
  StartReply reply;
  if (outcome != WaitResult::kFrame || kind != FrameKind::kStarted || !Decode(payload, &reply)) {
    return worker->StartFailed(target, outcome);
  }
  *answered = true;
  if (!reply.problem.empty()) {
    const std::string said = Printed(worker->Output());
    return Error{format("target {}: {}{}{}", target.name, reply.problem,
                        said.empty() ? "" : "; it printed: ", said),
                 ErrorKind::kUnavailable};
  }
  worker->device_ = reply.device;
  worker->worker_ = static_cast<pid_t>(reply.process);
  worker->ClearOutput();
  return worker;
}

Error WorkerProcess::StartFailed(const Target& target, WaitResult outcome) {
  const ExitState exit_state = Terminate(outcome != WaitResult::kDied);
  if (outcome == WaitResult::kStopped) {
    return Error{format("target {}: stopped", target.name), ErrorKind::kFailed};
  }
  std::string how = outcome == WaitResult::kTimeout  ? "hangs"
                    : outcome == WaitResult::kMemory ? "uses too much memory"
                    : exit_state.signal != 0 ? format("dies of signal {}", exit_state.signal)
                                             : format("exits with code {}", exit_state.exit_code);
  const std::string said = Printed(Output());
  return Error{format("target {}: the driver {} when it is opened{}{}", target.name, how,
                      said.empty() ? "" : ": ", said),
               ErrorKind::kUnavailable};
}

WorkerProcess::~WorkerProcess() {
  if (pid_ > 0) {
    // An idle worker exits when its socket is closed. Drivers of real hardware need an orderly
    // exit.
    ::shutdown(socket_, SHUT_RDWR);
    if (!Reap(1.0)) Terminate(true);
  }
  CloseAll({socket_, output_fd_});
}

void WorkerProcess::EndAll(std::vector<std::unique_ptr<WorkerProcess>> workers) {
  const auto reap = [&](double seconds) {
    const double until = MonotonicSeconds() + seconds;
    std::erase_if(workers, [&](const std::unique_ptr<WorkerProcess>& worker) {
      return worker->Reap(std::max(0.0, until - MonotonicSeconds()));
    });
  };
  for (const auto& worker : workers) ::shutdown(worker->socket_, SHUT_RDWR);
  reap(kHurrySeconds);
  for (const auto& worker : workers) ::kill(worker->pid_, SIGTERM);
  reap(kTermSeconds);
  for (const auto& worker : workers) ::kill(-worker->pid_, SIGKILL);
  reap(kHurrySeconds);
  for (const auto& worker : workers) worker->pid_ = -1;
}

/// Waits until the socket is ready, and meanwhile empties the pipe: a worker that cannot write its
/// output cannot answer.
WorkerProcess::WaitResult WorkerProcess::WaitFor(short events, Wait* wait) {
  for (;;) {
    const double now = MonotonicSeconds();
    if (now >= wait->deadline) return WaitResult::kTimeout;
    if (now >= wait->next_memory_check) {
      wait->next_memory_check = now + kMemoryCheckSeconds;
      if (wait->stop != nullptr && wait->stop->load()) return WaitResult::kStopped;
      if (MemoryUse() > wait->bytes) return WaitResult::kMemory;
    }
    std::array<pollfd, 2> fds = {pollfd{socket_, events, 0}, pollfd{output_fd_, POLLIN, 0}};
    const double until = std::min(wait->deadline, wait->next_memory_check);
    const int ready = ::poll(fds.data(), output_fd_ >= 0 ? 2 : 1,
                             static_cast<int>(std::ceil((until - now) * 1000)));
    if (ready < 0 && errno != EINTR) return WaitResult::kDied;
    if (ready <= 0) continue;
    if (output_fd_ >= 0 && fds[1].revents != 0) DrainOutput();
    if (fds[0].revents != 0) return WaitResult::kFrame;
  }
}

WorkerProcess::WaitResult WorkerProcess::SendAll(const char* bytes, size_t size, Wait* wait) {
  while (size > 0) {
    const ssize_t put = ::send(socket_, bytes, size, MSG_NOSIGNAL);
    if (put > 0) {
      bytes += put;
      size -= static_cast<size_t>(put);
    } else if (put < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (const WaitResult waited = WaitFor(POLLOUT, wait); waited != WaitResult::kFrame)
        return waited;
    } else {
      return WaitResult::kDied;
    }
  }
  return WaitResult::kFrame;
}

WorkerProcess::WaitResult WorkerProcess::ReceiveAll(char* bytes, size_t size, Wait* wait) {
  while (size > 0) {
    const ssize_t got = ::recv(socket_, bytes, size, 0);
    if (got > 0) {
      bytes += got;
      size -= static_cast<size_t>(got);
    } else if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (const WaitResult waited = WaitFor(POLLIN, wait); waited != WaitResult::kFrame)
        return waited;
    } else {
      return WaitResult::kDied;
    }
  }
  return WaitResult::kFrame;
}

WorkerProcess::WaitResult WorkerProcess::Exchange(FrameKind kind, std::string_view payload,
                                                  const Limits& limits, FrameKind* answer_kind,
                                                  std::string* answer) {
  const double now = MonotonicSeconds();
  Wait wait{now + limits.seconds, now + kMemoryCheckSeconds, limits.bytes, limits.stop};
  FrameHeader header{static_cast<uint32_t>(kind), static_cast<uint32_t>(payload.size())};
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame.append(payload);
  WaitResult outcome = SendAll(frame.data(), frame.size(), &wait);
  if (outcome == WaitResult::kFrame) {
    outcome = ReceiveAll(reinterpret_cast<char*>(&header), sizeof header, &wait);
  }
  if (outcome != WaitResult::kFrame) return outcome;
  if (header.size > kMaxPayload) return WaitResult::kDied;  // the worker's memory is damaged
  *answer_kind = static_cast<FrameKind>(header.kind);
  answer->assign(header.size, '\0');
  return ReceiveAll(answer->data(), answer->size(), &wait);
}

double WorkerProcess::CpuSeconds() {
  if (worker_ > 0 && pid_ > 0) {
    cpu_seconds_ = std::max(cpu_seconds_, CpuSecondsOf(worker_));
  }
  return cpu_seconds_;
}

uint64_t WorkerProcess::MemoryUse() const {
  return pid_ > 0 ? ResidentBytes(pid_) : 0;
}

void WorkerProcess::DrainOutput() {
  char buffer[1 << 16];
  // Bounded, so that a driver that writes forever does not delay the time limit.
  for (int rounds = 0; rounds < 64; ++rounds) {
    const ssize_t got = ::read(output_fd_, buffer, sizeof buffer);
    if (got > 0) {
      output_.Append({buffer, static_cast<size_t>(got)});
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      if (got == 0) CloseAll({std::exchange(output_fd_, -1)});
      return;
    }
  }
}

bool WorkerProcess::Reap(double seconds) {
  if (pid_ <= 0) return true;
  const double deadline = MonotonicSeconds() + seconds;
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t reaped = ::wait4(pid_, &status, WNOHANG, &usage);
    if (reaped == pid_ || (reaped < 0 && errno == ECHILD)) {
      if (reaped == pid_ && WIFSIGNALED(status)) exit_state_.signal = WTERMSIG(status);
      if (reaped == pid_ && WIFEXITED(status)) exit_state_.exit_code = WEXITSTATUS(status);
      if (reaped == pid_) {
        // The times of the watcher and of the worker that it waited for.
        cpu_seconds_ = std::max(cpu_seconds_, Seconds(usage.ru_utime) + Seconds(usage.ru_stime));
      }
      ::kill(-pid_, SIGKILL);  // other processes that it started
      pid_ = -1;
      return true;
    }
    if (MonotonicSeconds() >= deadline) return false;
    if (output_fd_ >= 0) DrainOutput();
    ::usleep(500);
  }
}

WorkerProcess::ExitState WorkerProcess::Terminate(bool kill_at_once) {
  if (pid_ > 0) {
    if (kill_at_once) CpuSeconds();
    // The watcher kills the worker and waits for it. If both were killed together, the worker would
    // remain as a zombie.
    if (kill_at_once) ::kill(pid_, SIGTERM);
    const double wait = kill_at_once ? kTermSeconds : 5.0;
    if (!Reap(Hurries() ? kHurrySeconds : wait)) {
      ::kill(-pid_, SIGKILL);
      // A process that is stuck in a kernel driver may survive even this.
      Reap(Hurries() ? kHurrySeconds : kKillSeconds);
    }
  }
  if (output_fd_ >= 0) DrainOutput();
  return exit_state_;
}

bool WorkerProcess::Alive() {
  if (pid_ <= 0) return false;
  // An idle worker sends nothing, so anything to read is the end of the socket.
  pollfd fd{socket_, POLLIN, 0};
  return ::poll(&fd, 1, 0) == 0;
}

std::string WorkerProcess::Output() {
  if (output_fd_ >= 0) DrainOutput();
  return output_.Text();
}

}  // namespace target
}  // namespace refract
