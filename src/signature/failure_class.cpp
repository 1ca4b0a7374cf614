// SPDX-License-Identifier: Apache-2.0
// The classes of failures: their names, and which of them are bugs of a target.
#include "signature/signature.h"

namespace refract {
inline namespace signature {
namespace {

constexpr FailureClass kClasses[] = {
    FailureClass::kUnknown,
    FailureClass::kCrash,
    FailureClass::kHang,
    FailureClass::kRejected,
    FailureClass::kInvalidOutput,
    FailureClass::kDeviceLost,
    FailureClass::kError,
    FailureClass::kWrongImage,
    FailureClass::kWrongBuffer,
    FailureClass::kSlow,
    FailureClass::kNonDeterministic,
    FailureClass::kOutOfMemory,
    FailureClass::kUnsupported,
    FailureClass::kUndefined,
    FailureClass::kNotUsable,
    FailureClass::kOurError,
};

}  // namespace

std::string_view FailureClassName(FailureClass kind) {
  switch (kind) {
    case FailureClass::kUnknown:
      return "unknown";
    case FailureClass::kCrash:
      return "crash";
    case FailureClass::kHang:
      return "hang";
    case FailureClass::kRejected:
      return "rejected";
    case FailureClass::kInvalidOutput:
      return "invalid_output";
    case FailureClass::kDeviceLost:
      return "device_lost";
    case FailureClass::kError:
      return "error";
    case FailureClass::kWrongImage:
      return "wrong_image";
    case FailureClass::kWrongBuffer:
      return "wrong_buffer";
    case FailureClass::kSlow:
      return "slow";
    case FailureClass::kNonDeterministic:
      return "non_deterministic";
    case FailureClass::kOutOfMemory:
      return "out_of_memory";
    case FailureClass::kUnsupported:
      return "unsupported";
    case FailureClass::kUndefined:
      return "undefined_behaviour";
    case FailureClass::kNotUsable:
      return "target_not_usable";
    case FailureClass::kOurError:
      return "our_error";
  }
  return "";
}

std::optional<FailureClass> FailureClassNamed(std::string_view name) {
  for (const FailureClass kind : kClasses) {
    if (name == FailureClassName(kind)) return kind;
  }
  return std::nullopt;
}

bool IsWrongOutput(FailureClass kind) {
  return kind == FailureClass::kWrongImage || kind == FailureClass::kWrongBuffer;
}

bool IsBug(FailureClass kind) {
  switch (kind) {
    case FailureClass::kUnknown:  // it may be a bug
    case FailureClass::kCrash:
    case FailureClass::kHang:
    case FailureClass::kRejected:
    case FailureClass::kInvalidOutput:
    case FailureClass::kDeviceLost:
    case FailureClass::kError:
    case FailureClass::kWrongImage:
    case FailureClass::kWrongBuffer:
    case FailureClass::kNonDeterministic:
      return true;
    case FailureClass::kSlow:
    case FailureClass::kOutOfMemory:
    case FailureClass::kUnsupported:
    case FailureClass::kUndefined:
    case FailureClass::kNotUsable:
    case FailureClass::kOurError:
      return false;
  }
  return true;
}

}  // namespace signature
}  // namespace refract
