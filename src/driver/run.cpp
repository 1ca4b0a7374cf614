// SPDX-License-Identifier: Apache-2.0
#include "driver/run.h"

#include "base/text.h"
#include "driver/vulkan.h"

namespace refract {
inline namespace driver {

std::string_view RunOutcomeName(RunOutcome verdict) {
  switch (verdict) {
    case RunOutcome::kOk:
      return "ok";
    case RunOutcome::kCrash:
      return "crash";
    case RunOutcome::kHang:
      return "hang";
    case RunOutcome::kError:
      return "error";
    case RunOutcome::kDeviceLost:
      return "device_lost";
    case RunOutcome::kRejected:
      return "rejected";
    case RunOutcome::kInvalidOutput:
      return "invalid_output";
    case RunOutcome::kUndefined:
      return "undefined_behaviour";
    case RunOutcome::kUnexpected:
      return "unexpected_output";
    case RunOutcome::kSlow:
      return "slow";
    case RunOutcome::kOutOfMemory:
      return "out_of_memory";
    case RunOutcome::kUnsupported:
      return "unsupported";
    case RunOutcome::kNotUsable:
      return "target_not_usable";
    case RunOutcome::kOurError:
      return "our_error";
  }
  return "";
}

Image ImageAtLocation0(const Outputs& outputs) {
  for (const ColourTarget& target : outputs.targets) {
    if (target.location != 0 || target.format != spv::ImageFormat::Rgba8) continue;
    return {target.width, target.height, target.texels};
  }
  return {};
}

FailureData FactsOf(const RunResult& result) {
  FailureData facts;
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
  facts.names = result.names;
  switch (result.verdict) {
    case RunOutcome::kOk:
      break;
    case RunOutcome::kCrash:
      facts.kind = FailureClass::kCrash;
      break;
    case RunOutcome::kHang:
      facts.kind = FailureClass::kHang;
      break;
    case RunOutcome::kError:
      facts.kind = FailureClass::kError;
      break;
    case RunOutcome::kDeviceLost:
      facts.kind = FailureClass::kDeviceLost;
      break;
    case RunOutcome::kRejected:
      facts.kind = FailureClass::kRejected;
      break;
    case RunOutcome::kInvalidOutput:
      facts.kind = FailureClass::kInvalidOutput;
      break;
    case RunOutcome::kUndefined:
      facts.kind = FailureClass::kUndefined;
      break;
    case RunOutcome::kUnexpected:
      facts.kind = result.wrong_image ? FailureClass::kWrongImage : FailureClass::kWrongBuffer;
      break;
    case RunOutcome::kSlow:
      facts.kind = FailureClass::kSlow;
      break;
    case RunOutcome::kOutOfMemory:
      facts.kind = FailureClass::kOutOfMemory;
      break;
    case RunOutcome::kUnsupported:
      facts.kind = FailureClass::kUnsupported;
      break;
    case RunOutcome::kNotUsable:
      facts.kind = FailureClass::kNotUsable;
      break;
    case RunOutcome::kOurError:
      facts.kind = FailureClass::kOurError;
      break;
  }
  return facts;
}

std::string Signature(const RunResult& result) {
  if (result.verdict == RunOutcome::kOk) return {};
  return SignatureOf(FactsOf(result)).text;
}

std::string ApiVersionText(uint32_t api_version) {
  return format("{}.{}.{}", VK_API_VERSION_MAJOR(api_version), VK_API_VERSION_MINOR(api_version),
                VK_API_VERSION_PATCH(api_version));
}

}  // namespace driver
}  // namespace refract
