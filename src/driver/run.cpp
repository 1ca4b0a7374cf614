// SPDX-License-Identifier: Apache-2.0
#include "driver/run.h"

#include <signal.h>

#include "base/text.h"
#include "driver/vulkan.h"

namespace refract::inline driver {

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

std::string SignalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? format("SIG{}", name) : format("signal {}", signal);
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

std::string VulkanResultName(int32_t code) {
  switch (static_cast<VkResult>(code)) {
    case VK_SUCCESS:
      return "VK_SUCCESS";
    case VK_NOT_READY:
      return "VK_NOT_READY";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    case VK_INCOMPLETE:
      return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return "VK_ERROR_FORMAT_NOT_SUPPORTED";
    case VK_ERROR_FRAGMENTED_POOL:
      return "VK_ERROR_FRAGMENTED_POOL";
    case VK_ERROR_UNKNOWN:
      return "VK_ERROR_UNKNOWN";
    case VK_ERROR_OUT_OF_POOL_MEMORY:
      return "VK_ERROR_OUT_OF_POOL_MEMORY";
    case VK_ERROR_FRAGMENTATION:
      return "VK_ERROR_FRAGMENTATION";
    case VK_ERROR_INVALID_SHADER_NV:
      return "VK_ERROR_INVALID_SHADER_NV";
    case VK_PIPELINE_COMPILE_REQUIRED:
      return "VK_PIPELINE_COMPILE_REQUIRED";
    default:
      return format("VkResult {}", code);
  }
}

}  // namespace refract::inline driver
