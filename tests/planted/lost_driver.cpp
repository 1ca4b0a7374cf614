// SPDX-License-Identifier: Apache-2.0
// A Vulkan driver (ICD) that passes all calls on to another one, until its device is lost or hangs.
// These environment variables say when:
//   PLANTED_DRIVER  the library of the other driver
//   PLANTED_STATE   a file; each submission of any process appends a byte to it
//   PLANTED_LOST    "FIRST-LAST": the numbers of the submissions that fail, counted from 1
//   PLANTED_HANGS   set: these submissions do not return, instead of VK_ERROR_DEVICE_LOST
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using GetInstanceProc = PFN_vkVoidFunction (*)(VkInstance, const char*);

PFN_vkGetDeviceProcAddr real_device_proc = nullptr;
PFN_vkQueueSubmit real_submit = nullptr;

void* Real(const char* name) {
  static void* const kLibrary = ::dlopen(std::getenv("PLANTED_DRIVER"), RTLD_NOW | RTLD_LOCAL);
  return kLibrary == nullptr ? nullptr : ::dlsym(kLibrary, name);
}

// Whether this submission fails.
bool IsLost() {
  unsigned long first = 0, last = 0;
  if (std::sscanf(std::getenv("PLANTED_LOST"), "%lu-%lu", &first, &last) != 2) return false;
  const int file = ::open(std::getenv("PLANTED_STATE"), O_CREAT | O_APPEND | O_WRONLY, 0666);
  if (file < 0 || ::write(file, ".", 1) != 1) return false;
  struct stat state {};
  ::fstat(file, &state);
  ::close(file);
  const auto number = static_cast<unsigned long>(state.st_size);
  return number >= first && number <= last;
}

VKAPI_ATTR VkResult VKAPI_CALL Submit(VkQueue queue, uint32_t count, const VkSubmitInfo* submits,
                                      VkFence fence) {
  if (!IsLost()) return real_submit(queue, count, submits, fence);
  while (std::getenv("PLANTED_HANGS") != nullptr) ::sleep(1);
  return VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL DeviceProc(VkDevice device, const char* name) {
  const PFN_vkVoidFunction real = real_device_proc(device, name);
  if (std::strcmp(name, "vkQueueSubmit") != 0) return real;
  real_submit = reinterpret_cast<PFN_vkQueueSubmit>(real);
  return reinterpret_cast<PFN_vkVoidFunction>(Submit);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) VkResult vk_icdNegotiateLoaderICDInterfaceVersion(
    uint32_t* version) {
  const auto real =
      reinterpret_cast<VkResult (*)(uint32_t*)>(Real("vk_icdNegotiateLoaderICDInterfaceVersion"));
  return real == nullptr ? VK_ERROR_INITIALIZATION_FAILED : real(version);
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetInstanceProcAddr(
    VkInstance instance, const char* name) {
  const auto real = reinterpret_cast<GetInstanceProc>(Real("vk_icdGetInstanceProcAddr"));
  if (real == nullptr) return nullptr;
  const PFN_vkVoidFunction function = real(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") != 0 || function == nullptr) return function;
  real_device_proc = reinterpret_cast<PFN_vkGetDeviceProcAddr>(function);
  return reinterpret_cast<PFN_vkVoidFunction>(DeviceProc);
}

__attribute__((visibility("default"))) PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(
    VkInstance instance, const char* name) {
  const auto real = reinterpret_cast<GetInstanceProc>(Real("vk_icdGetPhysicalDeviceProcAddr"));
  return real == nullptr ? nullptr : real(instance, name);
}

}  // extern "C"
