// SPDX-License-Identifier: Apache-2.0
#include "driver/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "crash/crash_report.h"
#include "crash/watcher.h"
#include "driver/device.h"
#include "driver/protocol.h"
#include "driver/run_job.h"

namespace refract {
inline namespace driver {
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

/// Prepares the process so that nothing that a driver does can harm the process that started it.
void SettleIn() {
  ::signal(SIGPIPE, SIG_IGN);
  ::setvbuf(stdout, nullptr, _IONBF, 0);  // keeps what a driver prints before it crashes
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // If a shader makes a compiler use all memory, the kernel should kill this process first.
  if (const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); fd >= 0) {
    WriteExactly(fd, "1000", 4);
    ::close(fd);
  }
}

// The depth is known only at run time, so that compilers do not find an infinite recursion.
int Recurse(int depth) {
  volatile char space[4096];
  space[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : Recurse(depth - 1) + space[0];
}

/// Overwrites the stack of its callers and the stack pointer, then faults.
__attribute__((no_sanitize("address"))) void RuinStack() {
  volatile char* const place = static_cast<volatile char*>(__builtin_frame_address(0));
  for (int i = 0; i < 2048; ++i) place[i] = 'A';
#if defined(__x86_64__)
  asm volatile("mov $0x4141414141414140, %rsp\n\tpush %rax");
#elif defined(__aarch64__)
  asm volatile("mov x9, #0x4140\n\tmov sp, x9\n\tstr x9, [sp]");
#else
  __builtin_trap();
#endif
}

/// Overwrites the header that malloc stores before a block.
void CorruptHeap() {
  char* volatile const block = static_cast<char*>(std::malloc(2000));
  volatile char* const before = block - 16;
  for (int i = 0; i < 16; ++i) before[i] = 'A';
  std::free(block);
}

/// Runs code that belongs to no file: an invalid instruction.
__attribute__((no_sanitize("undefined"))) void RunMadeCode() {
  constexpr uint8_t kTrap[] = {0x0f, 0x0b, 0x00, 0x00};  // ud2; also invalid on AArch64
  void* const code =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return;
  std::memcpy(code, kTrap, sizeof kTrap);
  if (::mprotect(code, 4096, PROT_READ | PROT_EXEC) != 0) return;
  reinterpret_cast<void (*)()>(code)();
}

/// More bytes than can be allocated, computed so that the compiler does not know this.
size_t TooMuch() {
  volatile size_t size = SIZE_MAX / 4;
  return size;
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
    case TestFault::kSlow:
      for (const double end = MonotonicSeconds() + 2; MonotonicSeconds() < end;) {
      }
      return;
    case TestFault::kCorruptStack:
      RuinStack();
      return;
    case TestFault::kCorruptHeap:
      CorruptHeap();
      return;
    case TestFault::kOverflowInThread:
      std::thread([] { std::fprintf(stderr, "%d\n", Recurse(1 << 30)); }).join();
      return;
    case TestFault::kJit:
      RunMadeCode();
      return;
    case TestFault::kEatMemory:
      for (std::vector<std::string> eaten;;) eaten.emplace_back(size_t{1} << 24, 'x');
    case TestFault::kBadAlloc:
      ::operator delete(::operator new(TooMuch()));
      return;
    case TestFault::kPrintGigabyte:
      for (int i = 0; i < 1 << 14; ++i) {
        const std::string line(size_t{1} << 16, static_cast<char>('a' + i % 26));
        if (!WriteExactly(STDERR_FILENO, line.data(), line.size())) return;
      }
      return;
    case TestFault::kNone:
    case TestFault::kLoseDevice:
    case TestFault::kReportOutOfMemory:
      return;
  }
}

class Server {
 public:
  Server(int in_fd, int out_fd) : in_fd_(in_fd), out_fd_(out_fd) {}

  /// Handles one message. Returns false when there is nothing more to do.
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
    if (!Decode(payload, &request)) return false;
    StartReply reply;
    reply.process = static_cast<uint32_t>(::getpid());
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
    } else if (job.fault == TestFault::kReportOutOfMemory) {
      answer.kind = Answer::Kind::kFailed;
      answer.call = "vkAllocateMemory";
      answer.code = VK_ERROR_OUT_OF_DEVICE_MEMORY;
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

int WorkerMain(int in_fd, int out_fd, bool traced) {
  SettleIn();
  if (traced) {
    ResetSignalHandlers();  // of a sanitiser: the watcher's report has more
  } else {
    InstallCrashReport();
  }
  {
    Server server(in_fd, out_fd);
    while (server.Serve()) {
    }
  }
  return 0;
}

void BecomeWorkerIfAsked(int argc, char** argv) {
  if (argc < 2) return;
  const std::string_view verb = argv[1];
  if (verb != kWorkerArgument && verb != kWatchArgument) return;
  uint64_t parent = 0;
  if (argc < 3 || !ParseNumber(argv[2], &parent)) std::_Exit(2);
  if (verb == kWatchArgument) {
    if (argc < 4) std::_Exit(2);
    std::_Exit(RunWatched(static_cast<pid_t>(parent), [&](bool traced) {
      // Without tracing, a second run shows nothing.
      if (traced) ::execv(argv[3], argv + 3);
      return 127;
    }));
  }
  if (argc != 3) std::_Exit(2);
  std::_Exit(RunWatched(static_cast<pid_t>(parent),
                        [](bool traced) { return WorkerMain(kWorkerFd, kWorkerFd, traced); }));
}

}  // namespace driver
}  // namespace refract
