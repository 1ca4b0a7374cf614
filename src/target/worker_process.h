// SPDX-License-Identifier: Apache-2.0
// A worker seen from the harness: a child process with a socket, whose stderr and stdout are
// collected, and which can always be got rid of.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/capped_text.h"
#include "base/result.h"
#include "driver/protocol.h"
#include "target/targets.h"

namespace refract::inline target {

class WorkerProcess {
 public:
  /// What came of waiting for a frame.
  enum class Outcome { kFrame, kDied, kTimeout, kMemory };
  struct Limits {
    double seconds = 60;
    uint64_t bytes = uint64_t{4} << 30;  ///< of memory that it really uses
  };
  struct Death {
    int signal = 0;
    int exit_code = 0;
  };

  /// Starts /proc/self/exe as a worker of `target` and waits until it has a device. Unavailable,
  /// with the reason, if it finds none or dies over it.
  static Result<std::unique_ptr<WorkerProcess>> Start(const Target& target, bool validate,
                                                      const Limits& limits);
  /// Ends the process, by force if it must.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Sends `payload` and waits for the answer, `limits` for both. Anything but kFrame leaves a
  /// process that is only good for Bury.
  Outcome Exchange(FrameKind kind, std::string_view payload, const Limits& limits,
                   FrameKind* answer_kind, std::string* answer);
  /// Kills what is left of the process and says how it died. It is given a moment to do so by
  /// itself: a crash report may be on its way.
  Death Bury(bool kill_at_once);
  /// False if it died while nobody looked.
  bool Alive();
  /// Seconds of processor time that it has used up to now, or to its end.
  double CpuSeconds();
  /// Bytes of memory that it uses now.
  uint64_t MemoryUse() const;
  /// What it wrote since the last ClearOutput.
  std::string Output();
  void ClearOutput() { output_.Clear(); }

  const DeviceInfo& device() const { return device_; }
  uint32_t jobs_done = 0;

 private:
  WorkerProcess() = default;
  Status Spawn(const Target& target);
  Error StartFailed(const Target& target, Outcome outcome);
  /// When waiting ends, and when memory is next looked at.
  struct Wait {
    double deadline = 0, next_look = 0;
    uint64_t bytes = 0;
  };
  Outcome WaitFor(short events, Wait* wait);
  Outcome SendAll(const char* bytes, size_t size, Wait* wait);
  Outcome ReceiveAll(char* bytes, size_t size, Wait* wait);
  void DrainOutput();
  bool Reap(double seconds);

  pid_t pid_ = -1;          // of its watcher, who dies as it does (crash/watcher.h)
  pid_t worker_ = -1;       // its own, once it has said so
  double cpu_seconds_ = 0;  // when last asked for, or at its end
  int socket_ = -1;
  int output_fd_ = -1;
  Death death_;
  CappedText output_;
  DeviceInfo device_;
};

}  // namespace refract::inline target
