// SPDX-License-Identifier: Apache-2.0
#include "base/child_call.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/process_usage.h"

namespace refract {
inline namespace base {
namespace {

constexpr double kCallMemoryCheckSeconds = 0.02;
constexpr int kExitDone = 0, kExitNoMemory = 1;

void SetSignals(sighandler_t handler) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

bool WriteAll(int fd, const void* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t wrote = ::write(fd, static_cast<const char*>(bytes) + done, size - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<size_t>(wrote);
  }
  return true;
}

bool ReadAll(int fd, void* bytes, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t got = ::read(fd, static_cast<char*>(bytes) + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<size_t>(got);
  }
  return true;
}

/// Messages have their size in front.
bool WriteMessage(int fd, const std::string& bytes) {
  const uint64_t size = bytes.size();
  return WriteAll(fd, &size, sizeof size) && WriteAll(fd, bytes.data(), bytes.size());
}

[[noreturn]] void RunChild(const std::function<std::string()>& work, int output, pid_t parent) {
  SetSignals(SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kExitDone);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::set_new_handler([] { ::_exit(kExitNoMemory); });
  WriteMessage(output, work());
  ::_exit(kExitDone);
}

// Reads a message of the child, or what there is of it if the child ends. If a limit is reached
// first, it sets `answer->end` to that limit and returns false.
bool ReceiveResult(pid_t pid, int input, const ChildLimits& limits, ChildResult* answer) {
  const double begin = MonotonicSeconds();
  char buffer[1 << 12];
  uint64_t size = 0;
  std::string received;
  while (true) {
    if (received.size() >= sizeof size) {
      std::memcpy(&size, received.data(), sizeof size);
      if (received.size() - sizeof size == size) {
        answer->bytes = received.substr(sizeof size);
        answer->end = ChildResult::End::kDone;
        return true;
      }
    }
    const double left = begin + limits.seconds - MonotonicSeconds();
    if (left <= 0) {
      answer->end = ChildResult::End::kTime;
      return false;
    }
    pollfd fd{input, POLLIN, 0};
    const int ready =
        ::poll(&fd, 1, 1 + static_cast<int>(1000 * std::min(left, kCallMemoryCheckSeconds)));
    if (ready > 0) {
      const ssize_t got = ::read(input, buffer, sizeof buffer);
      if (got == 0 || (got < 0 && errno != EINTR)) return true;
      if (got > 0) received.append(buffer, static_cast<size_t>(got));
    } else if (ready == 0 && ResidentBytes(pid) > limits.memory) {
      answer->end = ChildResult::End::kMemory;
      return false;
    }
  }
}

/// Waits for a child that ended before its answer was complete, and says how it ended.
void ReapAfterNoAnswer(pid_t pid, ChildResult* answer) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer->end != ChildResult::End::kNoChild) return;  // a limit
  if (WIFSIGNALED(status)) {
    answer->end = ChildResult::End::kSignal;
    answer->signal = WTERMSIG(status);
  } else {
    answer->end = ChildResult::End::kMemory;
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
    if (!ReceiveResult(pid, pipes[0], limits, &answer)) ::kill(pid, SIGKILL);
    if (answer.end == ChildResult::End::kDone) {
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    } else {
      ReapAfterNoAnswer(pid, &answer);
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

class KeptChildren::Child {
 public:
  /// Null if the system could not create a process.
  static std::unique_ptr<Child> Make(Work work) {
    int sockets[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return nullptr;
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0) Serve(work, sockets[1]);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::close(sockets[1]);
    if (pid > 0) return std::unique_ptr<Child>(new Child(pid, sockets[0]));
    ::close(sockets[0]);
    return nullptr;
  }

  ~Child() {
    ::close(socket_);
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// From now on, it is only the child of another process.
  void Leave() { pid_ = -1; }

  /// False if it no longer runs and so did not see the request.
  bool Send(const std::string& request, const ChildLimits& limits) {
    std::string message(sizeof limits.seconds + sizeof(uint64_t), '\0');
    const uint64_t size = request.size();
    std::memcpy(message.data(), &limits.seconds, sizeof limits.seconds);
    std::memcpy(message.data() + sizeof limits.seconds, &size, sizeof size);
    message += request;
    for (size_t done = 0; done < message.size();) {
      const ssize_t sent =
          ::send(socket_, message.data() + done, message.size() - done, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      done += static_cast<size_t>(sent);
    }
    return true;
  }

  /// The answer to what was sent. The child is of no use after any end but kDone.
  ChildResult Receive(const ChildLimits& limits) {
    ChildResult answer;
    if (!ReceiveResult(pid_, socket_, limits, &answer)) ::kill(pid_, SIGKILL);
    if (answer.end != ChildResult::End::kDone) ReapAfterNoAnswer(std::exchange(pid_, -1), &answer);
    return answer;
  }

 private:
  Child(pid_t pid, int socket) : pid_(pid), socket_(socket) {}

  /// The main function of the child. It ends when the other end of the socket closes. A child whose
  /// parent was killed during a call ends at the time limit of the call: that is a limit of
  /// processor time.
  [[noreturn]] static void Serve(Work work, int socket) {
    SetSignals(SIG_DFL);
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(signal, SIG_IGN);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::set_new_handler([] { ::_exit(kExitNoMemory); });
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; ++fd) ::dup2(nothing, fd);
    constexpr int kSocket = 3;
    if (socket != kSocket) ::dup2(socket, kSocket);
    ::close_range(kSocket + 1, ~0u, 0);  // others wait for the end of these pipes
    double seconds = 0;
    uint64_t size = 0;
    while (ReadAll(kSocket, &seconds, sizeof seconds) && ReadAll(kSocket, &size, sizeof size)) {
      std::string request(size, '\0');
      if (!ReadAll(kSocket, request.data(), size)) break;
      timespec used{};
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
      const auto most =
          static_cast<rlim_t>(used.tv_sec) + 2 + static_cast<rlim_t>(std::ceil(seconds));
      const rlimit processor_time{most, RLIM_INFINITY};
      ::setrlimit(RLIMIT_CPU, &processor_time);
      if (!WriteMessage(kSocket, work(request))) break;
    }
    ::_exit(kExitDone);
  }

  pid_t pid_;
  int socket_;
};

KeptChildren::KeptChildren(Work work) : work_(work), owner_(::getpid()) {}

KeptChildren::~KeptChildren() = default;

/// Null if none is idle.
std::unique_ptr<KeptChildren::Child> KeptChildren::TakeIdle() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (owner_ != ::getpid()) {
    for (const std::unique_ptr<Child>& child : idle_) child->Leave();
    idle_.clear();
    owner_ = ::getpid();
  }
  if (idle_.empty()) return nullptr;
  std::unique_ptr<Child> child = std::move(idle_.back());
  idle_.pop_back();
  return child;
}

ChildResult KeptChildren::Call(const std::string& request, const ChildLimits& limits) {
#ifdef REFRACT_SANITIZE
  // See CallInChild: such a child may have to be replaced.
  return CallInChild([&] { return work_(request); }, limits);
#endif
  // A child that something else killed is replaced once: it may have been killed before the call.
  ChildResult answer;
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::unique_ptr<Child> child = TakeIdle();
    if (child == nullptr || !child->Send(request, limits)) {
      child = Child::Make(work_);
      if (child == nullptr || !child->Send(request, limits)) return {};
    }
    answer = child->Receive(limits);
    if (answer.end == ChildResult::End::kDone) {
      const std::lock_guard<std::mutex> lock(mutex_);
      idle_.push_back(std::move(child));
    }
    if (answer.end != ChildResult::End::kSignal || answer.signal != SIGKILL) break;
  }
  return answer;
}

}  // namespace base
}  // namespace refract
