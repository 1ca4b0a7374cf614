// SPDX-License-Identifier: Apache-2.0
#include "driver/device.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace refract {
inline namespace driver {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

Error Unavailable(std::string message) {
  return Error{std::move(message), ErrorKind::kUnavailable};
}

Error Unavailable(const char* call, VkResult code) {
  return Unavailable(format("{} failed: {}", call, VulkanResultName(code)));
}

/// The jobs of one campaign need few different sets of features.
constexpr size_t kMaxDevices = 4;

/// Features in the form that Vulkan reads and writes. The chain has no structures of a newer Vulkan
/// version than that of the device.
struct ChainedFeatures {
  VkPhysicalDeviceFeatures2 first =
      Structure<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);

  ChainedFeatures(uint32_t api_version, Features* features) {
    first.features = features->core;
    features->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    features->clock.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR;
    features->atomic_float.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
    features->atomic_float2.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT;
    features->interlock.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADER_INTERLOCK_FEATURES_EXT;
    features->image_int64.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT;
    features->workgroup_layout.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR;
    features->mesh_shaders.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT;
    features->acceleration.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR;
    features->ray_query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR;
    features->ray_pipeline.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR;
    if (api_version < VK_API_VERSION_1_2) return;
    first.pNext = &features->v11;
    features->v11.pNext = &features->v12;
    if (api_version >= VK_API_VERSION_1_3) features->v12.pNext = &features->v13;
    ForEachOfExtensions([&](auto structure, const char* extension) {
      if (!features->extensions.contains(extension)) return;
      (features->*structure).pNext = first.pNext;
      first.pNext = &(features->*structure);
    });
  }
};

/// The extensions that the device has, of those that the feature table names.
std::set<std::string> ExtensionsOf(VkPhysicalDevice device) {
  const std::set<std::string> known = KnownExtensions();
  uint32_t count = 0;
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> properties(count);
  vkEnumerateDeviceExtensionProperties(device, nullptr, &count, properties.data());
  std::set<std::string> extensions;
  for (const VkExtensionProperties& each : properties) {
    if (known.contains(each.extensionName)) extensions.insert(each.extensionName);
  }
  return extensions;
}

}  // namespace

bool HasValidationLayer() {
  uint32_t count = 0;
  vkEnumerateInstanceLayerProperties(&count, nullptr);
  std::vector<VkLayerProperties> layers(count);
  vkEnumerateInstanceLayerProperties(&count, layers.data());
  return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
    return std::string_view(layer.layerName) == kValidationLayer;
  });
}

Result<std::unique_ptr<Device>> Device::Open(bool validate) {
  if (volkInitialize() != VK_SUCCESS) {
    return Unavailable("no Vulkan loader (libvulkan.so.1) on this machine");
  }
  std::unique_ptr<Device> device(new Device);
  if (Status made = device->CreateInstance(validate); !made) return made.error();
  if (Status made = device->ChooseDevice(); !made) return made.error();
  device->ReadProperties();
  device->ReadFeatures();
  if (const VulkanFailure failed = device->Use({})) return Unavailable(failed.call, failed.code);
  return device;
}

Device::~Device() {
  Close();
}

void Device::Close() {
  logical_.clear();
  if (messenger_ != VK_NULL_HANDLE) {
    vkDestroyDebugUtilsMessengerEXT(instance_, std::exchange(messenger_, {}), nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(std::exchange(instance_, {}), nullptr);
}

VkBool32 Device::OnMessage(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                           const VkDebugUtilsMessengerCallbackDataEXT* data, void* self) {
  Device* device = static_cast<Device*>(self);
  const std::lock_guard lock(device->messages_mutex_);
  device->messages_.emplace_back(data->pMessage != nullptr ? data->pMessage : "");
  return VK_FALSE;
}

std::vector<std::string> Device::TakeMessages() {
  const std::lock_guard lock(messages_mutex_);
  return std::exchange(messages_, {});
}

Status Device::CreateInstance(bool validate) {
  if (validate && !HasValidationLayer()) {
    return Unavailable(
        format("{} is not installed (Debian: vulkan-validationlayers)", kValidationLayer));
  }
  auto application = Structure<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.pApplicationName = "refract";
  application.apiVersion = VK_API_VERSION_1_3;
  auto messenger = Structure<VkDebugUtilsMessengerCreateInfoEXT>(
      VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT);
  messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                              VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = OnMessage;
  messenger.pUserData = this;
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  auto info = Structure<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  info.pApplicationInfo = &application;
  if (validate) {
    info.pNext = &messenger;  // for messages about the instance itself
    info.enabledLayerCount = info.enabledExtensionCount = 1;
    info.ppEnabledLayerNames = &kValidationLayer;
    info.ppEnabledExtensionNames = &extension;
  }
  if (const VkResult made = vkCreateInstance(&info, nullptr, &instance_); made != VK_SUCCESS) {
    return Unavailable("vkCreateInstance", made);
  }
  volkLoadInstance(instance_);
  if (!validate) return {};
  const VkResult made = vkCreateDebugUtilsMessengerEXT(instance_, &messenger, nullptr, &messenger_);
  if (made != VK_SUCCESS) return Unavailable("vkCreateDebugUtilsMessengerEXT", made);
  return {};
}

Status Device::ChooseDevice() {
  uint32_t count = 0;
  VkResult listed = vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  // The loader returns this if none of its drivers has a device.
  if (listed == VK_ERROR_INITIALIZATION_FAILED) return Unavailable("the driver finds no device");
  if (listed != VK_SUCCESS) return Unavailable("vkEnumeratePhysicalDevices", listed);
  std::vector<VkPhysicalDevice> devices(count);
  listed = vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  if (count == 0) return Unavailable("the driver finds no device");
  if (listed != VK_SUCCESS) return Unavailable("vkEnumeratePhysicalDevices", listed);
  physical_ = devices[0];

  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  // If the device supports graphics, some family supports graphics and compute (Vulkan 1.3,
  // VkQueueFlagBits).
  const VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  for (uint32_t i = 0; i < count; ++i) {
    if ((families[i].queueFlags & both) != both) continue;
    queue_family_ = i;
    return {};
  }
  return Unavailable("the device has no queue for graphics and compute");
}

void Device::ReadProperties() {
  // Structures of a newer version than that of the device must not be queried.
  VkPhysicalDeviceProperties plain;
  vkGetPhysicalDeviceProperties(physical_, &plain);
  info_.device = plain.deviceName;
  info_.api_version = plain.apiVersion;
  info_.driver_version = plain.driverVersion;
  info_.vendor_id = plain.vendorID;
  info_.device_id = plain.deviceID;
  limits_ = plain.limits;
  vkGetPhysicalDeviceMemoryProperties(physical_, &memory_);
  if (plain.apiVersion < VK_API_VERSION_1_2) return;

  auto driver = Structure<VkPhysicalDeviceDriverProperties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
  VkPhysicalDeviceSubgroupProperties& subgroup = abilities_.subgroup;
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  subgroup.pNext = &driver;
  VkPhysicalDeviceFloatControlsProperties& float_controls = abilities_.float_controls;
  float_controls.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES;
  float_controls.pNext = &subgroup;
  auto all = Structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  all.pNext = &float_controls;
  auto thirteen = Structure<VkPhysicalDeviceVulkan13Properties>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES);
  if (plain.apiVersion >= VK_API_VERSION_1_3) driver.pNext = &thirteen;
  vkGetPhysicalDeviceProperties2(physical_, &all);
  subgroup.pNext = float_controls.pNext = nullptr;
  max_subgroup_ = thirteen.maxSubgroupSize;
  info_.driver = driver.driverName;
  info_.driver_info = driver.driverInfo;
}

void Device::ReadFeatures() {
  abilities_.api_version = info_.api_version;
  Features& has = abilities_.features;
  // Devices of Vulkan versions before 1.2 get no chain of structures.
  if (info_.api_version >= VK_API_VERSION_1_2) has.extensions = ExtensionsOf(physical_);
  ChainedFeatures chain(info_.api_version, &has);
  if (info_.api_version >= VK_API_VERSION_1_1) {
    vkGetPhysicalDeviceFeatures2(physical_, &chain.first);
  } else {
    vkGetPhysicalDeviceFeatures(physical_, &chain.first.features);
  }
  has.core = chain.first.features;
  has.v11.pNext = has.v12.pNext = nullptr;
  ForEachOfExtensions([&](auto structure, const char*) { (has.*structure).pNext = nullptr; });
  auto all = Structure<VkPhysicalDeviceProperties2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2);
  if (has.extensions.contains(VK_EXT_MESH_SHADER_EXTENSION_NAME)) {
    mesh_limits_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT;
    all.pNext = &mesh_limits_;
    vkGetPhysicalDeviceProperties2(physical_, &all);
  }
  if (has.extensions.contains(VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME)) {
    ray_limits_.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_PROPERTIES_KHR;
    all.pNext = &ray_limits_;
    vkGetPhysicalDeviceProperties2(physical_, &all);
  }
}

VulkanFailure Device::Use(const std::vector<uint32_t>& capabilities) {
  Features wanted = WantedFeatures(abilities_, capabilities);
  const auto known = std::find_if(logical_.begin(), logical_.end(), [&](const Logical& logical) {
    return logical.features == wanted;
  });
  if (known != logical_.end()) {
    std::rotate(logical_.begin(), known, known + 1);
    return {};
  }
  Logical made;
  made.features = wanted;
  if (const VulkanFailure failed = CreateDevice(&made)) return failed;
  if (const VulkanFailure failed = CreateCommands(&made)) return failed;
  if (logical_.size() == kMaxDevices) logical_.pop_back();
  logical_.insert(logical_.begin(), std::move(made));
  return {};
}

Device::Logical::~Logical() {
  pool = {};
  if (device != VK_NULL_HANDLE) vkDestroyDevice(device, nullptr);
}

Device::Logical::Logical(Logical&& other) noexcept
    : features(other.features),
      device(std::exchange(other.device, VK_NULL_HANDLE)),
      queue(other.queue),
      pool(std::move(other.pool)),
      commands(other.commands) {}

Device::Logical& Device::Logical::operator=(Logical&& other) noexcept {
  std::swap(features, other.features);
  std::swap(device, other.device);
  std::swap(queue, other.queue);
  std::swap(pool, other.pool);
  std::swap(commands, other.commands);
  return *this;
}

VulkanFailure Device::CreateDevice(Logical* logical) {
  const float priority = 1;
  auto queue = Structure<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = queue_family_;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto info = Structure<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  Features features = logical->features;
  ChainedFeatures chain(info_.api_version, &features);
  if (info_.api_version >= VK_API_VERSION_1_1) {
    info.pNext = &chain.first;
  } else {
    info.pEnabledFeatures = &chain.first.features;
  }
  std::vector<const char*> extensions;
  for (const std::string& name : features.extensions) extensions.push_back(name.c_str());
  info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult made = vkCreateDevice(physical_, &info, nullptr, &logical->device);
  if (made != VK_SUCCESS) return {"vkCreateDevice", made};
  vkGetDeviceQueue(logical->device, queue_family_, 0, &logical->queue);
  return {};
}

VulkanFailure Device::CreateCommands(Logical* logical) {
  auto pool = Structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool.queueFamilyIndex = queue_family_;
  logical->pool = {logical->device, vkDestroyCommandPool};
  VkResult made = vkCreateCommandPool(logical->device, &pool, nullptr, logical->pool.out());
  if (made != VK_SUCCESS) return {"vkCreateCommandPool", made};
  auto buffer =
      Structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  buffer.commandPool = logical->pool.get();
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  made = vkAllocateCommandBuffers(logical->device, &buffer, &logical->commands);
  if (made != VK_SUCCESS) return {"vkAllocateCommandBuffers", made};
  return {};
}

VkFormatFeatureFlags Device::FormatFeatures(VkFormat format) const {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return properties.optimalTilingFeatures;
}

VkFormatFeatureFlags Device::BufferFeatures(VkFormat format) const {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(physical_, format, &properties);
  return properties.bufferFeatures;
}

bool Device::CanMake(const VkImageCreateInfo& info) const {
  VkImageFormatProperties can{};
  const VkResult asked = vkGetPhysicalDeviceImageFormatProperties(
      physical_, info.format, info.imageType, info.tiling, info.usage, info.flags, &can);
  return asked == VK_SUCCESS && info.extent.width <= can.maxExtent.width &&
         info.extent.height <= can.maxExtent.height && info.extent.depth <= can.maxExtent.depth &&
         info.arrayLayers <= can.maxArrayLayers && info.mipLevels <= can.maxMipLevels &&
         (can.sampleCounts & info.samples) != 0;
}

int Device::MemoryType(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
  for (uint32_t i = 0; i < memory_.memoryTypeCount; ++i) {
    if ((allowed >> i & 1) != 0 && (memory_.memoryTypes[i].propertyFlags & wanted) == wanted) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace driver
}  // namespace refract
