// SPDX-License-Identifier: Apache-2.0
// The mesh shader that Refract makes for a task shader. It shows which workgroups the task shader
// starts: each draws one of 16x16 cells of the frame, the one of its number modulo 256, and gives
// its id as three integers at location 0.
#include "base/check.h"
#include "base/text.h"
#include "input/pipeline/made_shaders.h"
#include "input/pipeline/payload.h"
#include "ir/tools.h"

namespace refract {
inline namespace input {
namespace {

constexpr std::string_view kCells = R"(
               OpCapability MeshShadingEXT
               OpExtension "SPV_EXT_mesh_shader"
               OpMemoryModel Logical GLSL450
               OpEntryPoint MeshEXT %main "main" %id %groups %vertices %triangles %place
               OpExecutionMode %main LocalSize 1 1 1
               OpExecutionMode %main OutputVertices 4
               OpExecutionMode %main OutputPrimitivesEXT 2
               OpExecutionMode %main OutputTrianglesEXT
               OpDecorate %id BuiltIn WorkgroupId
               OpDecorate %groups BuiltIn NumWorkgroups
               OpMemberDecorate %vertex 0 BuiltIn Position
               OpDecorate %vertex Block
               OpDecorate %triangles BuiltIn PrimitiveTriangleIndicesEXT
               OpDecorate %place Location 0
       %void = OpTypeVoid
   %function = OpTypeFunction %void
       %uint = OpTypeInt 32 0
      %uint3 = OpTypeVector %uint 3
      %float = OpTypeFloat 32
     %float4 = OpTypeVector %float 4
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
         %u3 = OpConstant %uint 3
         %u4 = OpConstant %uint 4
        %u15 = OpConstant %uint 15
         %f0 = OpConstant %float 0
         %f1 = OpConstant %float 1
     %eighth = OpConstant %float 0.125
     %vertex = OpTypeStruct %float4
  %vertices_ = OpTypeArray %vertex %u4
 %triangles_ = OpTypeArray %uint3 %u2
    %places_ = OpTypeArray %uint3 %u4
   %in_uint3 = OpTypePointer Input %uint3
%out_vertices = OpTypePointer Output %vertices_
%out_triangles = OpTypePointer Output %triangles_
 %out_places = OpTypePointer Output %places_
 %out_float4 = OpTypePointer Output %float4
  %out_uint3 = OpTypePointer Output %uint3
         %id = OpVariable %in_uint3 Input
     %groups = OpVariable %in_uint3 Input
   %vertices = OpVariable %out_vertices Output
  %triangles = OpVariable %out_triangles Output
      %place = OpVariable %out_places Output
      %upper = OpConstantComposite %uint3 %u0 %u2 %u1
      %lower = OpConstantComposite %uint3 %u1 %u2 %u3
       %main = OpFunction %void None %function
      %entry = OpLabel
               OpSetMeshOutputsEXT %u4 %u2
         %me = OpLoad %uint3 %id
        %all = OpLoad %uint3 %groups
       %me_x = OpCompositeExtract %uint %me 0
       %me_y = OpCompositeExtract %uint %me 1
       %me_z = OpCompositeExtract %uint %me 2
      %all_x = OpCompositeExtract %uint %all 0
      %all_y = OpCompositeExtract %uint %all 1
     %slices = OpIMul %uint %all_y %me_z
       %rows = OpIAdd %uint %slices %me_y
     %before = OpIMul %uint %all_x %rows
     %number = OpIAdd %uint %before %me_x
     %column = OpBitwiseAnd %uint %number %u15
      %above = OpShiftRightLogical %uint %number %u4
        %row = OpBitwiseAnd %uint %above %u15
    %column_ = OpConvertUToF %float %column
       %row_ = OpConvertUToF %float %row
    %right_x = OpFMul %float %column_ %eighth
     %down_y = OpFMul %float %row_ %eighth
         %x0 = OpFSub %float %right_x %f1
         %y0 = OpFSub %float %down_y %f1
         %x1 = OpFAdd %float %x0 %eighth
         %y1 = OpFAdd %float %y0 %eighth
         %p0 = OpCompositeConstruct %float4 %x0 %y0 %f0 %f1
         %p1 = OpCompositeConstruct %float4 %x1 %y0 %f0 %f1
         %p2 = OpCompositeConstruct %float4 %x0 %y1 %f0 %f1
         %p3 = OpCompositeConstruct %float4 %x1 %y1 %f0 %f1
)";

// Stores the corners, their values and the triangles.
std::string StoresText() {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    text += format(
        "%at{} = OpAccessChain %out_float4 %vertices %u{} %u0\nOpStore %at{} %p{}\n"
        "%value{} = OpAccessChain %out_uint3 %place %u{}\nOpStore %value{} %me\n",
        i, i, i, i, i, i, i);
  }
  return text +
         "%first = OpAccessChain %out_uint3 %triangles %u0\nOpStore %first %upper\n"
         "%second = OpAccessChain %out_uint3 %triangles %u1\nOpStore %second %lower\n"
         "OpReturn\nOpFunctionEnd\n";
}

}  // namespace

MadeShader MakeMesh(const StageShader& task, const std::string& file) {
  if (PayloadOf(task.module, task.entry) != Id::kNone) {
    return Error{format("{}: the task shader passes a payload; a pipeline with it needs a file for "
                        "the mesh shader",
                        file),
                 ErrorKind::kUnavailable};
  }
  Result<std::vector<uint32_t>> words =
      Assemble(std::string(kCells) + StoresText(), TargetEnvironment::kUniversal14);
  CHECK(static_cast<bool>(words));
  return MakeCompanion(std::move(*words), file, spv::ExecutionModel::MeshEXT);
}

}  // namespace input
}  // namespace refract
