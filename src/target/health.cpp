// SPDX-License-Identifier: Apache-2.0
#include "target/health.h"

#include "base/check.h"
#include "base/text.h"
#include "ir/tools.h"

namespace refract {
inline namespace target {
namespace {

// As many levels as a byte has, and enough pixels for all units of a graphics card: if only a few
// units are stuck, a small image is still correct.
constexpr uint32_t kSide = 256;
constexpr double kSeconds = 20;

// colour = vec4((x - 0.5) / 255, (y - 0.5) / 255, 1, 1), where x, y is the centre of the pixel.
constexpr char kShader[] = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %where %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %where BuiltIn FragCoord
OpDecorate %colour Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%half = OpConstant %float 0.5
%levels = OpConstant %float 255
%one = OpConstant %float 1
%vec4 = OpTypeVector %float 4
%in_vec4 = OpTypePointer Input %vec4
%out_vec4 = OpTypePointer Output %vec4
%where = OpVariable %in_vec4 Input
%colour = OpVariable %out_vec4 Output
%main = OpFunction %void None %function
%label = OpLabel
%middle = OpLoad %vec4 %where
%middle_x = OpCompositeExtract %float %middle 0
%middle_y = OpCompositeExtract %float %middle 1
%x = OpFSub %float %middle_x %half
%y = OpFSub %float %middle_y %half
%red = OpFDiv %float %x %levels
%green = OpFDiv %float %y %levels
%result = OpCompositeConstruct %vec4 %red %green %one %one
OpStore %colour %result
OpReturn
OpFunctionEnd
)";

}  // namespace

Job HealthJob() {
  static const Result<std::vector<uint32_t>> kWords =
      Assemble(kShader, DefaultEnvironment(0x10000));
  CHECK(kWords.has_value());
  Job job;
  job.spirv = *kWords;
  job.bindings.width = job.bindings.height = kSide;
  job.time_limit = kSeconds;
  return job;
}

std::string HealthProblem(const RunResult& result, bool pipeline_only) {
  if (result.verdict != RunOutcome::kOk) {
    return format("{}: {}", RunOutcomeName(result.verdict), result.detail);
  }
  if (pipeline_only) return {};
  const Image picture = ImageAtLocation0(result.outputs);
  if (picture.width != kSide || picture.height != kSide) return "there is no image";
  for (size_t i = 0; i < picture.pixel_count(); ++i) {
    const uint8_t* pixel = picture.pixel(i);
    const size_t x = i % kSide, y = i / kSide;
    if (pixel[0] == x && pixel[1] == y && pixel[2] == 255 && pixel[3] == 255) continue;
    return format("pixel ({}, {}) is {} {} {} {} instead of {} {} 255 255", x, y, pixel[0],
                  pixel[1], pixel[2], pixel[3], x, y);
  }
  return {};
}

}  // namespace target
}  // namespace refract
