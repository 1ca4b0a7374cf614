// SPDX-License-Identifier: Apache-2.0
#include "driver/run.h"

#include "base/text.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

std::string_view RunVerdictName(RunVerdict verdict) {
  switch (verdict) {
    case RunVerdict::kOk:
      return "ok";
    case RunVerdict::kCrash:
      return "crash";
    case RunVerdict::kHang:
      return "hang";
    case RunVerdict::kError:
      return "error";
    case RunVerdict::kDeviceLost:
      return "device_lost";
    case RunVerdict::kRejected:
      return "rejected";
    case RunVerdict::kInvalidOutput:
      return "invalid_output";
    case RunVerdict::kUndefined:
      return "undefined_behaviour";
    case RunVerdict::kUnexpected:
      return "unexpected_output";
    case RunVerdict::kSlow:
      return "slow";
    case RunVerdict::kOutOfMemory:
      return "out_of_memory";
    case RunVerdict::kUnsupported:
      return "unsupported";
    case RunVerdict::kNotUsable:
      return "target_not_usable";
    case RunVerdict::kOurError:
      return "our_error";
  }
  return "";
}

Image PictureOf(const Outputs& outputs) {
  for (const ColourTarget& target : outputs.targets) {
    if (target.location != 0 || target.format != spv::ImageFormat::Rgba8) continue;
    return {target.width, target.height, target.texels};
  }
  return {};
}

FailureFacts FactsOf(const RunResult& result) {
  FailureFacts facts;
  facts.target = result.target;
  facts.stage = result.command.empty() ? result.vulkan_call : result.command;
  facts.signal = result.signal;
  facts.exit_code = result.exit_code;
  facts.stack_overflow = result.stack_overflow;
  if (!result.vulkan_call.empty()) facts.code = VulkanResultName(result.vulkan_code);
  facts.backtrace = result.backtrace;
  facts.output = result.output;
  facts.validator_message = result.validator_message;
  facts.detail = result.detail;
  switch (result.verdict) {
    case RunVerdict::kOk:
      break;
    case RunVerdict::kCrash:
      facts.kind = FailureClass::kCrash;
      break;
    case RunVerdict::kHang:
      facts.kind = FailureClass::kHang;
      break;
    case RunVerdict::kError:
      facts.kind = FailureClass::kError;
      break;
    case RunVerdict::kDeviceLost:
      facts.kind = FailureClass::kDeviceLost;
      break;
    case RunVerdict::kRejected:
      facts.kind = FailureClass::kRejected;
      break;
    case RunVerdict::kInvalidOutput:
      facts.kind = FailureClass::kInvalidOutput;
      break;
    case RunVerdict::kUndefined:
      facts.kind = FailureClass::kUndefined;
      break;
    case RunVerdict::kUnexpected:
      facts.kind = result.wrong_picture ? FailureClass::kWrongImage : FailureClass::kWrongBuffer;
      break;
    case RunVerdict::kSlow:
      facts.kind = FailureClass::kSlow;
      break;
    case RunVerdict::kOutOfMemory:
      facts.kind = FailureClass::kOutOfMemory;
      break;
    case RunVerdict::kUnsupported:
      facts.kind = FailureClass::kUnsupported;
      break;
    case RunVerdict::kNotUsable:
      facts.kind = FailureClass::kNotUsable;
      break;
    case RunVerdict::kOurError:
      facts.kind = FailureClass::kOurError;
      break;
  }
  return facts;
}

std::string Signature(const RunResult& result) {
  if (result.verdict == RunVerdict::kOk) return {};
  return SignatureOf(FactsOf(result)).text;
}

std::string ApiVersionText(uint32_t api_version) {
  return format("{}.{}.{}", VK_API_VERSION_MAJOR(api_version), VK_API_VERSION_MINOR(api_version),
                VK_API_VERSION_PATCH(api_version));
}

}  // namespace driver
}  // namespace refract
