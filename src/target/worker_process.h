// SPDX-License-Identifier: Apache-2.0
// A worker as the harness sees it: a child process with a socket. Its stdout and stderr are
// collected, and it can always be ended.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/capped_text.h"
#include "base/result.h"
#include "driver/protocol.h"
#include "target/targets.h"

namespace refract {
inline namespace target {

class WorkerProcess {
 public:
  /// The result of waiting for a frame.
  enum class WaitResult { kFrame, kDied, kTimeout, kMemory, kStopped };
  struct Limits {
    double seconds = 60;
    uint64_t bytes = uint64_t{4} << 30;  ///< of resident memory
    /// Once `*stop` is true, the wait ends with kStopped. Null: never.
    const std::atomic<bool>* stop = nullptr;
  };
  struct ExitState {
    int signal = 0;
    int exit_code = 0;
  };

  /// Starts /proc/self/exe as a worker of `target` and waits until it has opened a device. The
  /// error is kUnavailable if there is no device or if the worker dies. It has the reason and what
  /// the driver and the Vulkan loader printed. Once `*limits.stop` is true, the worker is also
  /// ended in a hurry.
  static Result<std::unique_ptr<WorkerProcess>> Start(const Target& target, bool validate,
                                                      const Limits& limits);
  /// Ends the process, by force if necessary.
  ~WorkerProcess();
  /// Ends idle workers, all at the same time. A process that is stuck in the kernel is left alone.
  static void EndAll(std::vector<std::unique_ptr<WorkerProcess>> workers);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends `payload` and waits for the answer; `limits` is for both together. After any outcome
  /// except kFrame, only Terminate can be called.
  WaitResult Exchange(FrameKind kind, std::string_view payload, const Limits& limits,
                      FrameKind* answer_kind, std::string* answer);
  /// Kills the process, if it still runs, and returns how it ended. Unless `kill_at_once`, it has
  /// some time to end by itself, because a crash report may be on its way.
  ExitState Terminate(bool kill_at_once);
  /// False if the process died while it was idle.
  bool Alive();
  /// Seconds of processor time that it has used so far.
  double CpuSeconds();
  /// Bytes of resident memory that it uses now.
  uint64_t MemoryUse() const;
  /// The output since the last ClearOutput.
  std::string Output();
  void ClearOutput() { output_.Clear(); }

  const DeviceInfo& device() const { return device_; }
  uint32_t jobs_done = 0;

 private:
  WorkerProcess() = default;
  /// `*answered` is set if the worker answered, with a device or with the reason why there is none.
  static Result<std::unique_ptr<WorkerProcess>> StartOnce(const Target& target, bool validate,
                                                          const Limits& limits, bool* answered);
  Status Spawn(const Target& target);
  Error StartFailed(const Target& target, WaitResult outcome);
  /// The deadline of a wait, and the time of the next check of memory.
  struct Wait {
    double deadline = 0, next_memory_check = 0;
    uint64_t bytes = 0;
    const std::atomic<bool>* stop = nullptr;
  };
  WaitResult WaitFor(short events, Wait* wait);
  WaitResult SendAll(const char* bytes, size_t size, Wait* wait);
  WaitResult ReceiveAll(char* bytes, size_t size, Wait* wait);
  void DrainOutput();
  bool Reap(double seconds);
  bool Hurries() const { return stop_ != nullptr && stop_->load(); }

  pid_t pid_ = -1;          // the watcher, which ends as the worker ends (crash/watcher.h)
  pid_t worker_ = -1;       // the worker itself, once it has reported its id
  double cpu_seconds_ = 0;  // at the last query, or at its end
  const std::atomic<bool>* stop_ = nullptr;
  int socket_ = -1;
  int output_fd_ = -1;
  ExitState exit_state_;
  CappedText output_;
  DeviceInfo device_;
};

}  // namespace target
}  // namespace refract
