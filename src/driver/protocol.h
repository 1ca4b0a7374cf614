// SPDX-License-Identifier: Apache-2.0
// What a harness and its worker say to each other over a socket: frames of {kind, size, payload},
// the payload a plain row of little numbers and counted bytes. Both ends are the same executable,
// so there is no version; but a driver may have scribbled over the worker, so what it says is read
// with every bound checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "driver/run.h"

namespace refract::inline driver {

enum class FrameKind : uint32_t {
  kStart = 1,  ///< to the worker, first: StartRequest
  kStarted,    ///< from it: StartReply
  kJob,        ///< to it: Job
  kAnswer,     ///< from it: Answer
  kStop,       ///< to it: give everything back and leave
  kStopped,    ///< from it, last: the validation messages of the end
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
  uint32_t process = 0;  ///< its process id: who it was started as is its watcher
  DeviceInfo device;
};

/// What a worker that lived says about a job.
struct Answer {
  enum class Kind : uint32_t { kDone, kFailed, kCannot };
  Kind kind = Kind::kDone;
  std::string reason;  ///< kCannot: what the device lacks for this module
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

/// False if `payload` is not one whole message of that kind.
bool Decode(std::string_view payload, StartRequest* request);
bool Decode(std::string_view payload, StartReply* reply);
bool Decode(std::string_view payload, Job* job);
bool Decode(std::string_view payload, Answer* answer);
bool Decode(std::string_view payload, std::vector<std::string>* texts);
bool Decode(std::string_view payload, Outputs* outputs);

}  // namespace refract::inline driver
