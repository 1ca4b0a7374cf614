// SPDX-License-Identifier: Apache-2.0
// The messages between a harness and its worker on a socket: frames of {kind, size, payload}. The
// payload is a sequence of numbers and of bytes with their count. Both ends are the same
// executable, so the protocol has no version. A driver may have damaged the worker's memory, so
// everything that a worker sends is checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "driver/run.h"

namespace refract {
inline namespace driver {

enum class FrameKind : uint32_t {
  kStart = 1,  ///< to the worker, first: StartRequest
  kStarted,    ///< from it: StartReply
  kJob,        ///< to it: Job
  kAnswer,     ///< from it: Answer
  kStop,       ///< to it: release everything and exit
  kStopped,    ///< from it, last: the validation messages of its end
};

struct FrameHeader {
  uint32_t kind = 0;
  uint32_t size = 0;  ///< of the payload
};
constexpr uint32_t kMaxPayload = uint32_t{1} << 28;

struct StartRequest {
  bool validate = false;
};

struct StartReply {
  std::string problem;   ///< why there is no device; empty if there is one
  uint32_t process = 0;  ///< its process id; the process that was started is its watcher
  DeviceInfo device;
};

/// The answer to a job of a worker that did not die.
struct Answer {
  enum class Kind : uint32_t { kDone, kFailed, kUnsupported };
  Kind kind = Kind::kDone;
  std::string reason;  ///< kUnsupported: what the device lacks for this module
  std::string call;    ///< kFailed
  int32_t code = 0;
  Outputs outputs;
  std::vector<std::string> validation_messages;
};

std::string Encode(const StartRequest& request);
std::string Encode(const StartReply& reply);
std::string Encode(const Job& job);
std::string Encode(const Answer& answer);
std::string Encode(const std::vector<std::string>& texts);
std::string Encode(const Outputs& outputs);

/// False if `payload` is not exactly one message of that kind.
bool Decode(std::string_view payload, StartRequest* request);
bool Decode(std::string_view payload, StartReply* reply);
bool Decode(std::string_view payload, Job* job);
bool Decode(std::string_view payload, Answer* answer);
bool Decode(std::string_view payload, std::vector<std::string>* texts);
bool Decode(std::string_view payload, Outputs* outputs);

}  // namespace driver
}  // namespace refract
