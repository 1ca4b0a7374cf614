// SPDX-License-Identifier: Apache-2.0
#include "harness/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "harness/crash_report.h"
#include "harness/device.h"
#include "harness/draw.h"
#include "harness/protocol.h"

namespace refract {
namespace {

bool ReadExactly(int fd, void* to, size_t size) {
  char* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::read(fd, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteExactly(int fd, const void* from, size_t size) {
  const char* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t put = ::write(fd, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += put;
    size -= static_cast<size_t>(put);
  }
  return true;
}

bool Receive(int fd, FrameKind* kind, std::string* payload) {
  FrameHeader header;
  if (!ReadExactly(fd, &header, sizeof header) || header.size > kMaxPayload) return false;
  *kind = static_cast<FrameKind>(header.kind);
  payload->assign(header.size, '\0');
  return ReadExactly(fd, payload->data(), payload->size());
}

bool Send(int fd, FrameKind kind, std::string_view payload) {
  const FrameHeader header{static_cast<uint32_t>(kind), static_cast<uint32_t>(payload.size())};
  return WriteExactly(fd, &header, sizeof header) &&
         WriteExactly(fd, payload.data(), payload.size());
}

/// Nothing a driver does may outlive or hurt who started us.
void SettleIn() {
  ::signal(SIGPIPE, SIG_IGN);
  ::setvbuf(stdout, nullptr, _IONBF, 0);  // what a driver prints is not to be lost with it
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // Whose memory is taken first when a shader makes a compiler eat all of it: ours.
  if (const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    WriteExactly(fd, "1000", 4);
    ::close(fd);
  }
}

/// To be killed when the parent dies, even in the middle of a hung job.
bool DieWithParent(uint32_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return static_cast<uint32_t>(::getppid()) == parent;  // it may have died before
}

// The depth is asked for at run time, so that no compiler sees an endless recursion.
int Recurse(int depth) {
  volatile char space[4096];
  space[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : Recurse(depth - 1) + space[0];
}

void Misbehave(TestFault fault, int out_fd) {
  switch (fault) {
    case TestFault::kSegmentationFault:
      ::raise(SIGSEGV);
      return;
    case TestFault::kAbort:
      std::fputs("test fault: about to abort\n", stderr);
      std::abort();
    case TestFault::kStackOverflow:
      std::fprintf(stderr, "%d\n", Recurse(1 << 30));
      return;
    case TestFault::kSpin:
      for (volatile int forever = 1; forever != 0;) {
      }
      return;
    case TestFault::kExit:
      std::_Exit(7);
    case TestFault::kNonsense:
      Send(out_fd, FrameKind::kAnswer, "nonsense");
      return;
    case TestFault::kNone:
    case TestFault::kLoseDevice:
      return;
  }
}

class Server {
 public:
  Server(int in_fd, int out_fd) : in_fd_(in_fd), out_fd_(out_fd) {}

  /// One message; false when there is nothing more to do.
  bool Serve() {
    FrameKind kind{};
    std::string payload;
    if (!Receive(in_fd_, &kind, &payload)) return false;
    switch (kind) {
      case FrameKind::kStart:
        return Start(payload);
      case FrameKind::kJob:
        return RunOne(payload);
      case FrameKind::kStop:
        return Stop();
      default:
        return false;
    }
  }

 private:
  bool Start(const std::string& payload) {
    StartRequest request;
    if (!Decode(payload, &request) || !DieWithParent(request.parent)) return false;
    StartReply reply;
    Result<std::unique_ptr<Device>> opened = Device::Open(request.validate);
    if (opened) {
      device_ = std::move(*opened);
      reply.device = device_->info();
    } else {
      reply.problem = opened.error().message;
    }
    return Send(out_fd_, FrameKind::kStarted, Encode(reply));
  }

  bool RunOne(const std::string& payload) {
    Job job;
    if (!Decode(payload, &job) || device_ == nullptr) return false;
    Misbehave(job.fault, out_fd_);
    Answer answer;
    if (job.fault == TestFault::kLoseDevice) {
      answer.kind = Answer::Kind::kFailed;
      answer.call = "vkQueueSubmit";
      answer.code = VK_ERROR_DEVICE_LOST;
    } else {
      answer = RunJob(*device_, job);
    }
    return Send(out_fd_, FrameKind::kAnswer, Encode(answer));
  }

  bool Stop() {
    std::vector<std::string> messages;
    if (device_ != nullptr) {
      device_->Close();
      messages = device_->TakeMessages();
    }
    Send(out_fd_, FrameKind::kStopped, Encode(messages));
    return false;
  }

  int in_fd_, out_fd_;
  std::unique_ptr<Device> device_;
};

}  // namespace

int WorkerMain(int in_fd, int out_fd) {
  SettleIn();
  InstallCrashReport();
  {
    Server server(in_fd, out_fd);
    while (server.Serve()) {
    }
  }
  return 0;
}

void BecomeWorkerIfAsked(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != kWorkerArgument) return;
  // No static destructors: drivers are known to have threads that outlive them.
  std::_Exit(WorkerMain(kWorkerFd, kWorkerFd));
}

}  // namespace refract
