// SPDX-License-Identifier: Apache-2.0
#include "driver/limits.h"

#include <algorithm>

#include "base/text.h"
#include "driver/mesh_shader.h"
#include "driver/over_limit.h"
#include "driver/protocol.h"
#include "driver/sample_upload.h"
#include "driver/vulkan_format.h"
#include "input/texels.h"

namespace refract {
inline namespace driver {
namespace {

// maxPerStageDescriptorAccelerationStructures of every device (Vulkan, "Required Limits").
constexpr uint64_t kMostScenes = 16;
// maxRayDispatchInvocationCount of every device.
constexpr uint64_t kMostRays = uint64_t{1} << 30;

std::string OfDescriptors(const VkPhysicalDeviceLimits& limits, const Bindings& bindings) {
  uint64_t sets = 0, uniforms = 0, storages = 0, uniform_size = 0, storage_size = 0;
  for (const BoundBuffer& buffer : bindings.buffers) {
    sets = std::max(sets, uint64_t{buffer.set} + 1);
    ++(buffer.storage ? storages : uniforms);
    uint64_t& size = buffer.storage ? storage_size : uniform_size;
    size = std::max<uint64_t>(size, buffer.bytes.size());
  }
  uint64_t samplers = 0, sampled = 0, storage_images = 0, attachments = 0, scenes = 0;
  for (const BoundImage& image : bindings.images) {
    sets = std::max(sets, uint64_t{image.set} + 1);
    const bool combined = image.kind == BoundImage::kCombined;
    if (combined || image.kind == BoundImage::kSampler) ++samplers;
    if (combined || image.kind == BoundImage::kSampled) ++sampled;
    if (image.kind == BoundImage::kStorage) ++storage_images;
    if (image.kind == BoundImage::kAttachment) ++attachments;
    if (image.kind == BoundImage::kScene) ++scenes;
  }
  return FirstProblem(
      {Over("descriptor sets", sets, limits.maxBoundDescriptorSets),
       Over("uniform buffers", uniforms, limits.maxPerStageDescriptorUniformBuffers),
       Over("storage buffers", storages, limits.maxPerStageDescriptorStorageBuffers),
       Over("samplers", samplers, limits.maxPerStageDescriptorSamplers),
       Over("sampled images", sampled, limits.maxPerStageDescriptorSampledImages),
       Over("storage images", storage_images, limits.maxPerStageDescriptorStorageImages),
       Over("input attachments", attachments, limits.maxPerStageDescriptorInputAttachments),
       Over("acceleration structures", scenes, kMostScenes),
       Over("resources", uniforms + storages + sampled + storage_images + attachments,
            limits.maxPerStageResources),
       Over("bytes in a uniform buffer", uniform_size, limits.maxUniformBufferRange),
       Over("bytes in a storage buffer", storage_size, limits.maxStorageBufferRange),
       Over("bytes of push constants", bindings.push_constants.size(),
            limits.maxPushConstantsSize)});
}

std::string OfTexelBuffer(const Device& device, const EntryPointInfo& stage,
                          const BoundImage& buffer, const TexelFormat& row) {
  const VkFormatFeatureFlags features = device.BufferFeatures(VulkanFormat(buffer.format));
  const bool storage = buffer.kind == BoundImage::kStorage;
  if ((features & (storage ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
                           : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT)) == 0) {
    return format("the device does not support {} texel buffers of format {}",
                  storage ? "storage" : "uniform", row.name);
  }
  if (storage && stage.image_atomics && row.is_integer() && row.components == 1 &&
      (features & VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT) == 0) {
    return format("the device does not support atomics on texel buffers of format {}", row.name);
  }
  return Over("texels of a texel buffer", buffer.width, device.limits().maxTexelBufferElements);
}

// Checks the number of samples of a multisampled image, and the image from which it is filled. The
// limits hold for all formats; Device::CanMake knows those of one format.
std::string OfSamples(const Device& device, const BoundImage& image, const TexelFormat& row) {
  const VkPhysicalDeviceLimits& limits = device.limits();
  const bool is_integer = row.is_integer();
  // An input attachment is not sampled.
  if (image.kind != BoundImage::kAttachment &&
      ((is_integer ? limits.sampledImageIntegerSampleCounts
                   : limits.sampledImageColorSampleCounts) &
       image.samples) == 0) {
    return format("the device does not support sampled images with {} samples of format {} ({})",
                  image.samples, row.name,
                  is_integer ? "sampledImageIntegerSampleCounts" : "sampledImageColorSampleCounts");
  }
  // Vulkan 1.0 has no such limit for integers.
  if (!is_integer && (limits.framebufferColorSampleCounts & image.samples) == 0) {
    return format(
        "the device does not draw images with {} samples, which is how they are filled "
        "(framebufferColorSampleCounts)",
        image.samples);
  }
  if (image.kind == BoundImage::kStorage &&
      (limits.storageImageSampleCounts & image.samples) == 0) {
    return format(
        "the device does not support storage images with {} samples "
        "(storageImageSampleCounts)",
        image.samples);
  }
  const BoundImage source = JoinedOf(image);
  // A draw fills the image. Another one puts the samples of a storage image side by side.
  const bool joined = image.kind == BoundImage::kStorage;
  const uint64_t width = joined ? source.width : image.width;
  const char* const what =
      joined ? "width in samples of a multisampled storage image" : "width of a multisampled image";
  const uint32_t(&viewport)[2] = limits.maxViewportDimensions;
  if (std::string problem =
          FirstProblem({Over(what, width, std::min(limits.maxFramebufferWidth, viewport[0])),
                        Over("height of a multisampled image", image.height,
                             std::min(limits.maxFramebufferHeight, viewport[1]))});
      !problem.empty()) {
    return problem;
  }
  const bool can_read =
      image.kind != BoundImage::kStorage || device.CanMake(JoinedTargetInfo(image));
  if (can_read && device.CanMake(ImageInfo(source))) return {};
  return format(
      "the device cannot make the image from which the image at {} is filled: {}x{}, {} "
      "layers, {}",
      PlaceText(image), source.width, source.height, source.layers, row.name);
}

// Checks the format and the size of an image.
std::string OfImage(const Device& device, const EntryPointInfo& stage, const BoundImage& image) {
  const float most_bias = device.limits().maxSamplerLodBias;
  if (image.mip.bias > most_bias || image.mip.bias < -most_bias) {
    return format("lod_bias of a sampler: the inputs give {}, but the device allows {}",
                  image.mip.bias, most_bias);
  }
  if (image.wrap == BoundImage::kMirrorClamp &&
      device.abilities().features.v12.samplerMirrorClampToEdge == VK_FALSE) {
    return "the device lacks feature samplerMirrorClampToEdge, which \"mirror_clamp\" needs";
  }
  if (image.reduction != BoundImage::kWeightedAverage &&
      device.abilities().features.v12.samplerFilterMinmax == VK_FALSE) {
    return "the device lacks feature samplerFilterMinmax, which a minimum or maximum needs";
  }
  if (!HasTexels(image.kind)) return {};
  const TexelFormat* format_row = FindTexelFormat(image.format);
  if (format_row == nullptr) return "an image has a format that Refract does not support";
  if (image.dim == spv::Dim::Buffer) return OfTexelBuffer(device, stage, image, *format_row);
  const VkImageCreateInfo info = ImageInfo(image);
  const VkFormatFeatureFlags features = device.FormatFeatures(info.format);
  const auto lacks = [&](VkFormatFeatureFlags wanted, const char* what) {
    return (features & wanted) == wanted
               ? std::string()
               : format("the device does not support {} of format {}", what, format_row->name);
  };
  if (image.kind == BoundImage::kStorage) {
    if (std::string problem = lacks(VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, "storage images");
        !problem.empty()) {
      return problem;
    }
    // It is not known which image the atomics use, so all formats are checked that allow atomics:
    // single integers.
    if (stage.image_atomics && format_row->is_integer() && format_row->components == 1) {
      std::string problem = lacks(VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT, "image atomics");
      if (!problem.empty()) return problem;
    }
  } else if (image.kind == BoundImage::kAttachment) {
    std::string problem = lacks(VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, "input attachments");
    if (!problem.empty()) return problem;
  } else if (image.samples == 1) {
    const bool linear = image.linear || image.mip.linear;
    const bool extreme = image.reduction != BoundImage::kWeightedAverage;
    const VkFormatFeatureFlags filter =
        (linear ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT : 0) |
        (extreme ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT : 0);
    std::string problem = lacks(VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | filter,
                                extreme  ? "images with a minimum or maximum"
                                : linear ? "images with a linear filter"
                                         : "sampled images");
    if (!problem.empty()) return problem;
  }
  if (image.samples > 1) {
    const VkFormatFeatureFlags sampled =
        image.kind == BoundImage::kAttachment ? 0 : VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT;
    std::string problem = lacks(sampled | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT,
                                "multisampled images, which are drawn to fill them,");
    if (problem.empty()) problem = OfSamples(device, image, *format_row);
    if (!problem.empty()) return problem;
  }
  if (device.CanMake(info)) return {};
  return format("the device cannot make the image at {}: {}x{}x{}, {} layers, {} levels, {} {}, {}",
                PlaceText(image), image.width, image.height, image.depth, image.layers,
                image.levels, image.samples, image.samples == 1 ? "sample" : "samples",
                format_row->name);
}

// Checks the formats and the number of the attributes.
std::string OfMesh(const Device& device, const BoundMesh& mesh) {
  const VkPhysicalDeviceLimits& limits = device.limits();
  uint64_t locations = 0;
  for (const BoundAttribute& attribute : mesh.attributes) {
    const bool two = attribute.width == 64 && attribute.components > 2;
    locations = std::max<uint64_t>(locations, attribute.location + (two ? 2 : 1));
    if ((device.BufferFeatures(VulkanFormat(attribute)) & VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT) !=
        0) {
      continue;
    }
    return format("the device does not support vertex attributes of {} {} of {} bits",
                  attribute.components,
                  attribute.kind == BoundAttribute::kFloat ? "floats"
                  : attribute.kind == BoundAttribute::kInt ? "signed integers"
                                                           : "unsigned integers",
                  attribute.width);
  }
  return FirstProblem(
      {Over("locations of vertex attributes", locations, limits.maxVertexInputAttributes),
       Over("vertex attributes", mesh.attributes.size(), limits.maxVertexInputBindings)});
}

// Checks the number of samples of a pixel for one target.
std::string OfTargetSamples(const Device& device, const EntryPointInfo::Output& output,
                            const Bindings& bindings) {
  BoundImage target;
  target.format = output.format;
  target.width = bindings.width;
  target.height = bindings.height;
  target.samples = bindings.samples;
  const VkPhysicalDeviceLimits& limits = device.limits();
  const TexelFormat* row = FindTexelFormat(output.format);
  const VkSampleCountFlags sampled = row->is_integer() ? limits.sampledImageIntegerSampleCounts
                                                       : limits.sampledImageColorSampleCounts;
  // Device::CanMake knows what can be drawn in one format.
  if ((sampled & bindings.samples) != 0 && device.CanMake(JoinedTargetInfo(target)) &&
      device.CanMake(TargetInfo(VulkanFormat(output.format), bindings.width, bindings.height,
                                bindings.samples))) {
    return {};
  }
  return format("the device does not draw {}x{} pixels with {} samples of format {} and read them",
                bindings.width, bindings.height, bindings.samples, row->name);
}

std::string OfFrameSamples(const Device& device, const EntryPointInfo& stage,
                           const Bindings& bindings) {
  if (bindings.samples == 1) return {};
  const VkPhysicalDeviceLimits& limits = device.limits();
  if (limits.standardSampleLocations == VK_FALSE) {
    return "the device does not have the standard locations of samples (standardSampleLocations)";
  }
  for (const EntryPointInfo::Output& output : stage.outputs) {
    std::string problem = OfTargetSamples(device, output, bindings);
    if (!problem.empty()) return problem;
  }
  const bool has_attachments =
      !stage.outputs.empty() ||
      std::any_of(bindings.images.begin(), bindings.images.end(),
                  [](const BoundImage& image) { return image.kind == BoundImage::kAttachment; });
  if (!has_attachments && (limits.framebufferNoAttachmentsSampleCounts & bindings.samples) == 0) {
    return format(
        "the device does not draw pixels with {} samples without a target "
        "(framebufferNoAttachmentsSampleCounts)",
        bindings.samples);
  }
  return {};
}

std::string OfGraphics(const Device& device, const EntryPointInfo& stage,
                       const Bindings& bindings) {
  const VkPhysicalDeviceLimits& limits = device.limits();
  const uint64_t locations = stage.outputs.empty() ? 0 : stage.outputs.back().location + 1;
  if (std::string problem = FirstProblem(
          {Over("width of the image in pixels", bindings.width, limits.maxFramebufferWidth),
           Over("height of the image in pixels", bindings.height, limits.maxFramebufferHeight),
           Over("vertices of a patch", bindings.patch_vertices, limits.maxTessellationPatchSize),
           Over("vertices of a patch that the tessellation control shader makes",
                stage.control_vertices, limits.maxTessellationPatchSize),
           Over("components of a vertex from the geometry shader", stage.geometry_components,
                limits.maxGeometryOutputComponents),
           Over("components of all vertices from an invocation of the geometry shader",
                stage.geometry_components * stage.geometry_vertices,
                limits.maxGeometryTotalOutputComponents),
           Over("vertices from an invocation of the geometry shader", stage.geometry_vertices,
                limits.maxGeometryOutputVertices),
           Over("invocations of the geometry shader", stage.geometry_invocations,
                limits.maxGeometryShaderInvocations),
           Over("colour targets", locations,
                std::min(limits.maxColorAttachments, limits.maxFragmentOutputAttachments))});
      !problem.empty()) {
    return problem;
  }
  if (std::string problem = OfMesh(device, stage.mesh); !problem.empty()) return problem;
  if (std::string problem = OfFrameSamples(device, stage, bindings); !problem.empty()) {
    return problem;
  }
  uint64_t bytes = 0;
  for (const EntryPointInfo::Output& output : stage.outputs) {
    bytes += uint64_t{TexelSize(output.format)} * TargetWidth(bindings) * bindings.height;
    if ((device.FormatFeatures(VulkanFormat(output.format)) &
         VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) == 0) {
      return format("the device does not support colour targets of format {}",
                    FindTexelFormat(output.format)->name);
    }
  }
  if (bindings.depth) {
    bytes += uint64_t{TexelSize(spv::ImageFormat::Rgba32f)} * bindings.width * bindings.height;
    if ((device.FormatFeatures(kDepthFormat) & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) ==
        0) {
      return "the device does not support depth targets of 32-bit floats";
    }
  }
  // If buffers and images need as much again, the answer still fits into one frame of the protocol.
  return Over("bytes in all targets", bytes, kMaxPayload / 4);
}

std::string OfCompute(const VkPhysicalDeviceLimits& limits, const EntryPointInfo& stage,
                      const Bindings& bindings) {
  const Workgroups& groups = stage.workgroups.front();
  return FirstProblem(
      {OverWorkgroupCount(bindings.groups, limits.maxComputeWorkGroupCount),
       OverWorkgroupSize(groups.local_size, limits.maxComputeWorkGroupSize,
                         limits.maxComputeWorkGroupInvocations),
       Over("bytes of workgroup memory", groups.shared_bytes, limits.maxComputeSharedMemorySize)});
}

std::string OfRays(const Device& device, const EntryPointInfo& stage, const Bindings& bindings) {
  uint64_t rays = 1;
  for (const uint32_t side : bindings.groups) rays = std::min(rays * side, uint64_t{1} << 40);
  return FirstProblem(
      {Over("invocations of a ray generation shader", rays, kMostRays),
       Over("levels of rays (maxRayRecursionDepth)", stage.ray_depth,
            device.ray_limits().maxRayRecursionDepth),
       Over("bytes of a hit attribute (maxRayHitAttributeSize)", stage.hit_attribute_bytes,
            device.ray_limits().maxRayHitAttributeSize)});
}

}  // namespace

std::string MissingLimit(const Device& device, const EntryPointInfo& stage, const Job& job) {
  const Bindings& bindings = job.bindings;
  if (std::string problem = OfDescriptors(device.limits(), bindings); !problem.empty()) {
    return problem;
  }
  for (const BoundImage& image : bindings.images) {
    if (std::string problem = OfImage(device, stage, image); !problem.empty()) return problem;
  }
  if (stage.is_rays()) return OfRays(device, stage, bindings);
  if (stage.is_compute()) return OfCompute(device.limits(), stage, bindings);
  std::string problem = OfGraphics(device, stage, bindings);
  return problem.empty() ? MissingMeshLimit(device.mesh_limits(), stage, bindings) : problem;
}

}  // namespace driver
}  // namespace refract
