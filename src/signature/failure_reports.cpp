// SPDX-License-Identifier: Apache-2.0
// Messages of test runners about failures, and messages of the kernel's graphics drivers about a
// GPU that failed.
#include "signature/characters.h"
#include "signature/code_names.h"
#include "signature/match_functions.h"

namespace refract {
inline namespace signature {
namespace {

/// Replaces words that are hexadecimal without a prefix by 0. In the kernel's messages, channels
/// and status words have this form; some of them look like decimal numbers.
std::string WithoutHexWords(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    bool digit = false;
    while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) {
      digit |= IsDigitAt(text, end++);
    }
    const bool word = end - at >= 4 && digit && (at == 0 || !std::isalnum(text[at - 1])) &&
                      (end == text.size() || !std::isalnum(text[end]));
    if (word) {
      result += '0';
    } else {
      end = std::max(end, at + 1);
      result += text.substr(at, end - at);
    }
    at = end;
  }
  return result;
}

/// The key of "31, pid=12, name=x, Ch 0000001a, intr 0. MMU Fault: ENGINE ... Fault is of type
/// FAULT_PDE": the Xid and the type of the fault, without the name of the process and the unit.
std::string NvidiaXid(std::string_view rest) {
  std::string text(rest);
  if (const size_t name = text.find(", name="); name != kNone) {
    text.erase(name, text.find(',', name + 1) - name);
  }
  const size_t fault = text.find(". MMU Fault:");
  const std::string kind(After(text, "Fault is of type "));
  if (fault != kNone) text.resize(fault);
  return format("Xid {}{}{}", WithoutHexWords(text), kind.empty() ? "" : ", ", kind);
}

/// Messages of Linux's drivers for AMD, Intel, ARM and Qualcomm GPUs.
std::string KernelGpu(std::string_view line) {
  if (line.find("amdgpu") != kNone) {
    for (const std::string_view mark : {"*ERROR* ring ", ": ring "}) {
      const size_t ring = line.find(mark);
      // The driver lists its rings when it starts. Only a timeout of a ring is a failure.
      if (ring == kNone || line.find(" timeout", ring) == kNone) continue;
      return std::string(line.substr(mark[0] == '*' ? ring : ring + 2));
    }
    const size_t fault = line.find("page fault (");
    const size_t hub = line.rfind('[', fault);
    if (fault != kNone && hub != kNone) return std::string(line.substr(hub, fault + 10 - hub));
    for (const std::string_view text :
         {"The CS has been cancelled because the context is lost", "The CS has been rejected"}) {
      if (line.find(text) != kNone) return std::string(text);
    }
  }
  // The code names the generation, the engine and the instruction, so all its digits must stay.
  if (const std::string_view code = After(line, "GPU HANG: ecode "); !code.empty()) {
    std::string name = format("GPU HANG ecode_{}", code.substr(0, code.find_first_of(", ")));
    std::replace(name.begin(), name.end(), ':', '_');
    return name;
  }
  if (const size_t mali = line.find("mali "); mali != kNone) {
    const std::string_view rest = After(line.substr(mali), ".gpu: ");
    if (!rest.empty()) return format("mali: {}", WithoutHexWords(rest));
  }
  const std::string_view adreno = line.find("kgsl") == kNone ? "" : After(line, "gpu fault ");
  return adreno.empty() ? "" : format("kgsl: gpu fault {}", WithoutHexWords(adreno));
}

std::string_view WordAt(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() &&
         (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) {
    ++end;
  }
  return line.substr(at, end - at);
}

/// "Internal Vulkan error (-4): ..." of programs that use Vulkan: the name of the code.
std::string NamedVulkanError(std::string_view line) {
  std::string_view number = After(line, "Internal Vulkan error (-");
  number = number.substr(0, number.find(')'));
  uint64_t code = 0;
  if (!ParseNumber(number, &code) || code > 2'000'000'000) return {};
  return VulkanResultName(-static_cast<int32_t>(code));
}

}  // namespace

std::string MatchDeviceLost(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  constexpr std::string_view kLost = "VK_ERROR_DEVICE_LOST";
  if (line.find(kLost) != kNone || NamedVulkanError(line) == kLost) return std::string(kLost);
  const std::string_view xid = After(line, "NVRM: Xid ");
  if (!xid.empty()) return NvidiaXid(After(xid, "): "));
  for (const std::string_view mark : {"DXGI_ERROR_DEVICE_", "kIOGPUCommandBufferCallbackError"}) {
    if (const size_t at = line.find(mark); at != kNone) return std::string(WordAt(line, at));
  }
  return KernelGpu(line);
}

/// "vkCreateGraphicsPipelines failed: VK_ERROR_UNKNOWN"; "Calling vkWaitForFences Timeout" of
/// Amber.
std::string MatchVulkanCall(const LogLines& lines, size_t i) {
  const std::string_view line = lines[i];
  const std::string_view amber = After(line, "Calling vk");
  if (amber.ends_with(" Timeout") || amber.ends_with(" Fail")) return format("vk{}", amber);
  const size_t call = line.find("vk"), code = line.find("VK_ERROR_");
  if (code == kNone) return NamedVulkanError(line);
  return call < code ? format("{} {}", WordAt(line, call), WordAt(line, code))
                     : std::string(WordAt(line, code));
}

std::string MatchWrongImage(const LogLines& lines, size_t i) {
  for (const std::string_view text : {"is greater than tolerance", "Buffers have different values",
                                      "Probe failed at", "DIFFERENT under rule"}) {
    if (lines[i].find(text) != kNone) return "picture";
  }
  return {};
}

std::string MatchHang(const LogLines& lines, size_t i) {
  for (const std::string_view text :
       {"no answer within ", "did not end within ", "fence timeout"}) {
    if (lines[i].find(text) != kNone) return "time limit";
  }
  return {};
}

std::string MatchUnsupported(const LogLines& lines, size_t i) {
  const size_t at = lines[i].find("does not support all required ");
  return at == kNone ? "" : std::string(Trim(lines[i].substr(at)));
}

}  // namespace signature
}  // namespace refract
