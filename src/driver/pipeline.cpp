// SPDX-License-Identifier: Apache-2.0
#include "driver/pipeline.h"

#include <spirv-tools/libspirv.hpp>

#include "base/check.h"
#include "driver/full_frame.h"
#include "driver/requirements.h"
#include "driver/sample_copy.h"
#include "driver/vulkan_format.h"

namespace refract {
inline namespace driver {
namespace {

// The intersection shader for the boxes of scenes if there is no other (docs/inputs.md, "Ray
// tracing"): a ray meets a box at its lowest side, if it comes from below.
constexpr char kBox[] = R"(
               OpCapability RayTracingKHR
               OpExtension "SPV_KHR_ray_tracing"
               OpMemoryModel Logical GLSL450
               OpEntryPoint IntersectionKHR %main "main" %origin %direction %number %attribute
               OpDecorate %origin BuiltIn ObjectRayOriginKHR
               OpDecorate %direction BuiltIn ObjectRayDirectionKHR
               OpDecorate %number BuiltIn RayGeometryIndexKHR
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %bool = OpTypeBool
      %bool2 = OpTypeVector %bool 2
        %int = OpTypeInt 32 1
       %uint = OpTypeInt 32 0
      %float = OpTypeFloat 32
     %float2 = OpTypeVector %float 2
     %float3 = OpTypeVector %float 3
     %in_int = OpTypePointer Input %int
  %in_float3 = OpTypePointer Input %float3
 %hit_float2 = OpTypePointer HitAttributeKHR %float2
   %no_index = OpConstant %int 0
    %no_kind = OpConstant %uint 0
          %0 = OpConstant %float 0
          %4 = OpConstant %float 4
          %8 = OpConstant %float 8
    %quarter = OpConstant %float 0.25
      %zeros = OpConstantComposite %float2 %0 %0
      %fours = OpConstantComposite %float2 %4 %4
     %origin = OpVariable %in_float3 Input
  %direction = OpVariable %in_float3 Input
     %number = OpVariable %in_int Input
  %attribute = OpVariable %hit_float2 HitAttributeKHR
       %main = OpFunction %void None %function
      %entry = OpLabel
       %from = OpLoad %float3 %origin
      %along = OpLoad %float3 %direction
   %geometry = OpLoad %int %number
     %from_z = OpCompositeExtract %float %from 2
    %along_z = OpCompositeExtract %float %along 2
      %rises = OpFOrdGreaterThan %bool %along_z %0
               OpSelectionMerge %done None
               OpBranchConditional %rises %upward %done
     %upward = OpLabel
      %first = OpIEqual %bool %geometry %no_index
      %level = OpSelect %float %first %0 %8
         %up = OpFSub %float %level %from_z
   %distance = OpFDiv %float %up %along_z
    %from_xy = OpVectorShuffle %float2 %from %from 0 1
   %along_xy = OpVectorShuffle %float2 %along %along 0 1
      %moved = OpVectorTimesScalar %float2 %along_xy %distance
         %at = OpFAdd %float2 %from_xy %moved
      %above = OpFOrdGreaterThan %bool2 %at %zeros
      %below = OpFOrdLessThan %bool2 %at %fours
     %inside = OpLogicalAnd %bool2 %above %below
     %within = OpAll %bool %inside
               OpSelectionMerge %end None
               OpBranchConditional %within %report %end
     %report = OpLabel
      %parts = OpVectorTimesScalar %float2 %at %quarter
               OpStore %attribute %parts
   %accepted = OpReportIntersectionKHR %bool %distance %no_kind
               OpBranch %end
        %end = OpLabel
               OpBranch %done
       %done = OpLabel
               OpReturn
               OpFunctionEnd
)";

const std::vector<uint32_t>& BoxModule() {
  static const std::vector<uint32_t> kWords = [] {
    std::vector<uint32_t> assembled;
    CHECK(spvtools::SpirvTools(SPV_ENV_UNIVERSAL_1_4).Assemble(kBox, &assembled));
    return assembled;
  }();
  return kWords;
}

// The number of locations up to the last one used.
uint32_t ColourCount(const EntryPointInfo& stage) {
  return stage.outputs.empty() ? 0 : stage.outputs.back().location + 1;
}

/// The values of specialisation constants in the form that a pipeline needs. It must outlive the
/// creation of the pipeline.
class Specialisation {
 public:
  explicit Specialisation(const std::vector<BoundConstant>& constants) {
    for (const BoundConstant& constant : constants) {
      const uint32_t size = constant.width / 8;
      entries_.push_back({constant.id, static_cast<uint32_t>(bytes_.size()), size});
      for (uint32_t byte = 0; byte < size; ++byte) {
        bytes_.push_back(static_cast<char>(constant.bits >> (8 * byte)));
      }
    }
    info_ = {static_cast<uint32_t>(entries_.size()), entries_.data(), bytes_.size(), bytes_.data()};
  }
  Specialisation(const Specialisation&) = delete;
  Specialisation& operator=(const Specialisation&) = delete;

  const VkSpecializationInfo* info() const { return entries_.empty() ? nullptr : &info_; }

 private:
  std::vector<VkSpecializationMapEntry> entries_;
  std::string bytes_;
  VkSpecializationInfo info_ = {};
};

struct StageFlagRow {
  spv::ExecutionModel model;
  VkShaderStageFlagBits flag;
  VkPipelineStageFlagBits at;
};

constexpr StageFlagRow kStageFlags[] = {
    {spv::ExecutionModel::Vertex, VK_SHADER_STAGE_VERTEX_BIT, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT},
    {spv::ExecutionModel::TessellationControl, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
     VK_PIPELINE_STAGE_TESSELLATION_CONTROL_SHADER_BIT},
    {spv::ExecutionModel::TessellationEvaluation, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
     VK_PIPELINE_STAGE_TESSELLATION_EVALUATION_SHADER_BIT},
    {spv::ExecutionModel::Geometry, VK_SHADER_STAGE_GEOMETRY_BIT,
     VK_PIPELINE_STAGE_GEOMETRY_SHADER_BIT},
    {spv::ExecutionModel::TaskEXT, VK_SHADER_STAGE_TASK_BIT_EXT,
     VK_PIPELINE_STAGE_TASK_SHADER_BIT_EXT},
    {spv::ExecutionModel::MeshEXT, VK_SHADER_STAGE_MESH_BIT_EXT,
     VK_PIPELINE_STAGE_MESH_SHADER_BIT_EXT},
    {spv::ExecutionModel::Fragment, VK_SHADER_STAGE_FRAGMENT_BIT,
     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT},
    {spv::ExecutionModel::GLCompute, VK_SHADER_STAGE_COMPUTE_BIT,
     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT},
    {spv::ExecutionModel::RayGenerationKHR, VK_SHADER_STAGE_RAYGEN_BIT_KHR,
     VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR},
    {spv::ExecutionModel::IntersectionKHR, VK_SHADER_STAGE_INTERSECTION_BIT_KHR,
     VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR},
    {spv::ExecutionModel::AnyHitKHR, VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
     VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR},
    {spv::ExecutionModel::ClosestHitKHR, VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
     VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR},
    {spv::ExecutionModel::MissKHR, VK_SHADER_STAGE_MISS_BIT_KHR,
     VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR},
    {spv::ExecutionModel::CallableKHR, VK_SHADER_STAGE_CALLABLE_BIT_KHR,
     VK_PIPELINE_STAGE_RAY_TRACING_SHADER_BIT_KHR}};

const StageFlagRow& FlagsOf(spv::ExecutionModel model) {
  for (const StageFlagRow& row : kStageFlags) {
    if (row.model == model) return row;
  }
  CHECK(false);
}

VkPipelineShaderStageCreateFlags SubgroupFlags(const Device& device, const EntryPointInfo& stage,
                                               spv::ExecutionModel model,
                                               const std::vector<uint32_t>& spirv) {
  return RequiresFullSubgroups(device, spirv[1], stage.WorkgroupsOf(model))
             ? VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT
             : 0;
}

VkPrimitiveTopology TopologyOf(const EntryPointInfo& stage) {
  switch (stage.primitive) {
    case EntryPointInfo::kTriangles:
      return VulkanTopology(stage.mesh.topology);
    case EntryPointInfo::kPoints:
      return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case EntryPointInfo::kLines:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case EntryPointInfo::kLinesAdjacency:
      return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case EntryPointInfo::kTrianglesAdjacency:
      return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    case EntryPointInfo::kPatches:
      return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  }
  CHECK(false);
}

// A target that is cleared before the draw, and copied after it.
VkAttachmentDescription TargetDescription(VkFormat format, uint32_t samples) {
  VkAttachmentDescription target{};
  target.format = format;
  target.samples = static_cast<VkSampleCountFlagBits>(samples);
  target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  target.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
  target.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  target.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  target.finalLayout =
      samples > 1 ? SampleCopy::ReadState().layout : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
  return target;
}

}  // namespace

VkShaderStageFlagBits StageFlag(spv::ExecutionModel model) {
  return FlagsOf(model).flag;
}

VkShaderStageFlags StageFlags(const EntryPointInfo& stage) {
  VkShaderStageFlags flags = StageFlag(stage.model);
  for (const spv::ExecutionModel model : stage.stages) flags |= StageFlag(model);
  return flags;
}

VkPipelineStageFlags PipelineStageFlags(const EntryPointInfo& stage) {
  VkPipelineStageFlags flags = FlagsOf(stage.model).at;
  for (const spv::ExecutionModel model : stage.stages) flags |= FlagsOf(model).at;
  return flags;
}

VulkanFailure Pipeline::Make(const Device& device, const Job& job, const EntryPointInfo& stage,
                             const std::vector<VkDescriptorSetLayout>& sets) {
  if (VulkanFailure failed = MakeLayout(device, job, stage, sets)) return failed;
  if (VulkanFailure failed = MakeShader(device, job.spirv, &shader)) return failed;
  const Specialisation constants(job.bindings.constants);
  auto info = Structure<VkPipelineShaderStageCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  info.stage = StageFlag(stage.model);
  info.module = shader.get();
  info.pName = job.entry.c_str();
  info.pSpecializationInfo = constants.info();
  info.flags = SubgroupFlags(device, stage, stage.model, job.spirv);
  if (stage.is_compute()) return MakeCompute(device, info);
  if (!stage.is_rays()) {
    if (VulkanFailure failed = MakePass(device, job, stage)) return failed;
  }
  std::vector<BoundCompanion> shaders = job.bindings.built;
  if (job.bindings.companion) shaders.push_back(job.bindings.companion);
  if (!stage.linked && !stage.is_rays()) {
    shaders.assign(1, {TriangleModule(), "main", {}, spv::ExecutionModel::Vertex});
  }
  std::vector<VkPipelineShaderStageCreateInfo> stages = {info};
  std::vector<std::unique_ptr<Specialisation>> all_constants;
  for (const BoundCompanion& other : shaders) {
    if (VulkanFailure failed = MakeShader(device, other.spirv, &others.emplace_back())) {
      return failed;
    }
    all_constants.push_back(std::make_unique<Specialisation>(other.constants));
    info.flags = SubgroupFlags(device, stage, other.model, other.spirv);
    info.stage = StageFlag(other.model);
    info.module = others.back().get();
    info.pName = other.entry.c_str();
    info.pSpecializationInfo = all_constants.back()->info();
    stages.push_back(info);
  }
  return stage.is_rays() ? MakeRays(device, stage, std::move(stages))
                         : MakeGraphics(device, job, stage, stages);
}

VulkanFailure Pipeline::MakeRays(const Device& device, const EntryPointInfo& stage,
                                 std::vector<VkPipelineShaderStageCreateInfo> stages) {
  if (!stage.Has(spv::ExecutionModel::IntersectionKHR)) {
    if (VulkanFailure failed = MakeShader(device, BoxModule(), &others.emplace_back())) {
      return failed;
    }
    auto box = Structure<VkPipelineShaderStageCreateInfo>(
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
    box.stage = VK_SHADER_STAGE_INTERSECTION_BIT_KHR;
    box.module = others.back().get();
    box.pName = "main";
    stages.push_back(box);
  }
  const auto at = [&](VkShaderStageFlagBits wanted) {
    for (uint32_t i = 0; i < stages.size(); ++i) {
      if (stages[i].stage == wanted) return i;
    }
    return VK_SHADER_UNUSED_KHR;
  };
  auto group = Structure<VkRayTracingShaderGroupCreateInfoKHR>(
      VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR);
  group.generalShader = group.closestHitShader = group.anyHitShader = group.intersectionShader =
      VK_SHADER_UNUSED_KHR;
  std::vector<VkRayTracingShaderGroupCreateInfoKHR> groups(kRayGroups, group);
  groups[kGenerationGroup].generalShader = at(VK_SHADER_STAGE_RAYGEN_BIT_KHR);
  groups[kMissGroup].generalShader = at(VK_SHADER_STAGE_MISS_BIT_KHR);
  for (const RayGroup hit : {kSheetGroup, kBoxGroup}) {
    groups[hit].type = VK_RAY_TRACING_SHADER_GROUP_TYPE_TRIANGLES_HIT_GROUP_KHR;
    groups[hit].closestHitShader = at(VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR);
    groups[hit].anyHitShader = at(VK_SHADER_STAGE_ANY_HIT_BIT_KHR);
  }
  groups[kBoxGroup].type = VK_RAY_TRACING_SHADER_GROUP_TYPE_PROCEDURAL_HIT_GROUP_KHR;
  groups[kBoxGroup].intersectionShader = at(VK_SHADER_STAGE_INTERSECTION_BIT_KHR);
  groups[kCallableGroup].generalShader = at(VK_SHADER_STAGE_CALLABLE_BIT_KHR);
  if (!stage.Has(spv::ExecutionModel::CallableKHR)) groups.pop_back();
  auto info = Structure<VkRayTracingPipelineCreateInfoKHR>(
      VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR);
  info.stageCount = static_cast<uint32_t>(stages.size());
  info.pStages = stages.data();
  info.groupCount = static_cast<uint32_t>(groups.size());
  info.pGroups = groups.data();
  info.maxPipelineRayRecursionDepth = stage.ray_depth;
  info.layout = layout.get();
  handle = {device.handle(), vkDestroyPipeline};
  const VkResult made = vkCreateRayTracingPipelinesKHR(
      device.handle(), VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, handle.out());
  if (made != VK_SUCCESS) return {"vkCreateRayTracingPipelinesKHR", made};
  return {};
}

VulkanFailure Pipeline::MakePass(const Device& device, const Job& job,
                                 const EntryPointInfo& stage) {
  std::vector<VkAttachmentDescription> targets;
  std::vector<VkAttachmentReference> references(ColourCount(stage),
                                                {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED});
  for (const EntryPointInfo::Output& output : stage.outputs) {
    references[output.location] = {static_cast<uint32_t>(targets.size()),
                                   VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    targets.push_back(TargetDescription(VulkanFormat(output.format), job.bindings.samples));
  }
  VkSubpassDescription subpass{};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = static_cast<uint32_t>(references.size());
  subpass.pColorAttachments = references.data();
  const VkAttachmentReference depth{static_cast<uint32_t>(targets.size()),
                                    VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
  if (job.bindings.depth) {
    targets.push_back(TargetDescription(kDepthFormat, 1));
    subpass.pDepthStencilAttachment = &depth;
  }
  // The images are uploaded before the render pass (DescriptorSets::RecordUpload).
  std::vector<VkAttachmentReference> inputs;
  for (const BoundImage& image : job.bindings.images) {
    if (image.kind != BoundImage::kAttachment) continue;
    if (inputs.size() <= image.attachment) {
      inputs.resize(image.attachment + 1, {VK_ATTACHMENT_UNUSED, VK_IMAGE_LAYOUT_UNDEFINED});
    }
    inputs[image.attachment] = {static_cast<uint32_t>(targets.size()),
                                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
    VkAttachmentDescription& input =
        targets.emplace_back(TargetDescription(VulkanFormat(image.format), image.samples));
    input.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    input.initialLayout = input.finalLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  }
  subpass.inputAttachmentCount = static_cast<uint32_t>(inputs.size());
  subpass.pInputAttachments = inputs.data();
  // The copy after the render pass waits for the colours and depths.
  VkSubpassDependency after{};
  after.srcSubpass = 0;
  after.dstSubpass = VK_SUBPASS_EXTERNAL;
  after.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                       VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                       VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
  after.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT;
  after.srcAccessMask =
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  after.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  if (job.bindings.samples > 1) {
    after.dstStageMask |= SampleCopy::ReadState().stage;
    after.dstAccessMask |= SampleCopy::ReadState().access;
  }
  auto info = Structure<VkRenderPassCreateInfo>(VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO);
  info.attachmentCount = static_cast<uint32_t>(targets.size());
  info.pAttachments = targets.data();
  info.subpassCount = info.dependencyCount = 1;
  info.pSubpasses = &subpass;
  info.pDependencies = &after;
  pass = {device.handle(), vkDestroyRenderPass};
  const VkResult made = vkCreateRenderPass(device.handle(), &info, nullptr, pass.out());
  if (made != VK_SUCCESS) return {"vkCreateRenderPass", made};
  return {};
}

VulkanFailure Pipeline::MakeLayout(const Device& device, const Job& job,
                                   const EntryPointInfo& stage,
                                   const std::vector<VkDescriptorSetLayout>& sets) {
  const VkPushConstantRange push{StageFlags(stage), 0, PushConstantSize(job.bindings)};
  auto info = Structure<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  info.setLayoutCount = static_cast<uint32_t>(sets.size());
  info.pSetLayouts = sets.data();
  info.pushConstantRangeCount = push.size > 0 ? 1 : 0;
  info.pPushConstantRanges = &push;
  layout = {device.handle(), vkDestroyPipelineLayout};
  const VkResult made = vkCreatePipelineLayout(device.handle(), &info, nullptr, layout.out());
  if (made != VK_SUCCESS) return {"vkCreatePipelineLayout", made};
  return {};
}

VulkanFailure Pipeline::MakeCompute(const Device& device,
                                    const VkPipelineShaderStageCreateInfo& stage) {
  auto info =
      Structure<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
  info.stage = stage;
  info.layout = layout.get();
  handle = {device.handle(), vkDestroyPipeline};
  const VkResult made =
      vkCreateComputePipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, handle.out());
  if (made != VK_SUCCESS) return {"vkCreateComputePipelines", made};
  return {};
}

VulkanFailure Pipeline::MakeGraphics(const Device& device, const Job& job,
                                     const EntryPointInfo& stage,
                                     const std::vector<VkPipelineShaderStageCreateInfo>& stages) {
  FrameState state(job.bindings.width, job.bindings.height, ColourCount(stage));
  state.samples.rasterizationSamples = static_cast<VkSampleCountFlagBits>(job.bindings.samples);
  state.samples.sampleShadingEnable = job.bindings.per_sample ? VK_TRUE : VK_FALSE;
  state.samples.minSampleShading = 1;
  // Each attribute has a buffer of its own.
  std::vector<VkVertexInputBindingDescription> buffers;
  std::vector<VkVertexInputAttributeDescription> attributes;
  for (const BoundAttribute& attribute : stage.mesh.attributes) {
    const auto number = static_cast<uint32_t>(buffers.size());
    buffers.push_back(
        {number, attribute.components * attribute.width / 8,
         attribute.per_instance ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX});
    attributes.push_back({attribute.location, number, VulkanFormat(attribute), 0});
  }
  state.input.vertexBindingDescriptionCount = static_cast<uint32_t>(buffers.size());
  state.input.pVertexBindingDescriptions = buffers.data();
  state.input.vertexAttributeDescriptionCount = static_cast<uint32_t>(attributes.size());
  state.input.pVertexAttributeDescriptions = attributes.data();
  state.assembly.topology = TopologyOf(stage);
  auto patches = Structure<VkPipelineTessellationStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO);
  patches.patchControlPoints = job.bindings.patch_vertices;
  auto depth = Structure<VkPipelineDepthStencilStateCreateInfo>(
      VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  if (job.bindings.depth) depth.depthCompareOp = VulkanCompare(job.bindings.depth.compare);

  VkGraphicsPipelineCreateInfo info = state.Info(stages);
  if (stage.primitive == EntryPointInfo::kPatches) info.pTessellationState = &patches;
  if (stage.Has(spv::ExecutionModel::MeshEXT)) {
    info.pVertexInputState = nullptr;
    info.pInputAssemblyState = nullptr;
  }
  if (job.bindings.depth) info.pDepthStencilState = &depth;
  info.layout = layout.get();
  info.renderPass = pass.get();
  handle = {device.handle(), vkDestroyPipeline};
  const VkResult made =
      vkCreateGraphicsPipelines(device.handle(), VK_NULL_HANDLE, 1, &info, nullptr, handle.out());
  if (made != VK_SUCCESS) return {"vkCreateGraphicsPipelines", made};
  return {};
}

}  // namespace driver
}  // namespace refract
