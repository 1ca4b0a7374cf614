// SPDX-License-Identifier: Apache-2.0
// The shaders that Refract makes for pipelines that trace rays, and which shaders fit together.
#include "input/pipeline/ray_shaders.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "input/pipeline/other_shaders.h"
#include "input/pipeline/stages.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

using Model = spv::ExecutionModel;

constexpr char kHead[] = R"(OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint {} %main "main"{}
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%uint_0 = OpConstant %uint 0
%float2 = OpTypeVector %float 2
%int3 = OpTypeVector %int 3
%matrix = OpTypeMatrix %float2 2
%pair = OpTypeStruct %float2 %uint %int3
)";

constexpr char kBody[] = R"(%main = OpFunction %void None %void_fn
%entry = OpLabel
{}OpReturn
OpFunctionEnd
)";

// A shader with a variable of the type in the storage class, and some code.
Module Shader(const char* model, const char* storage, const char* type, const char* code = "") {
  const bool has = *storage != '\0';
  const std::string text =
      format(kHead, model, has ? " %variable" : "") +
      (has ? format("%pointer = OpTypePointer {} %{}\n%variable = OpVariable %pointer {}\n",
                    storage, type, storage)
           : std::string()) +
      format(kBody, code);
  Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kUniversal14);
  EXPECT_TRUE(words) << words.error().message;
  Result<Module> module = ReadModule(*words, "test");
  EXPECT_TRUE(module) << module.error().message;
  return std::move(*module);
}

// What prevents these shaders from tracing rays together.
std::string Problem(const std::vector<const Module*>& modules) {
  std::vector<EntryPoint> entries;
  for (const Module* module : modules) entries.push_back(EntryPoints(*module).front());
  std::vector<StageShader> shaders;
  for (size_t i = 0; i < modules.size(); ++i) shaders.push_back({*modules[i], entries[i]});
  return RayProblem(shaders);
}

// The stages of the other shaders, each of which is valid; or the error.
std::string Others(const Module& module) {
  const EntryPoint entry = EntryPoints(module).front();
  const Result<Companions> others = OtherShaders(module, entry, Inputs(), "test");
  if (!others) return others.error().message;
  std::string text;
  for (const std::shared_ptr<const Companion>& other : *others) {
    const Status valid = Validate(other->spirv, TargetEnvironment::kVulkan12);
    EXPECT_TRUE(valid) << valid.error().message;
    text += (text.empty() ? "" : ", ") + std::string(StageName(other->model));
  }
  return text;
}

TEST(RayShaders, TheRestOfAPipelineIsMade) {
  const std::string all = "ray generation, closest hit, miss";
  EXPECT_EQ(Others(Shader("AnyHitKHR", "IncomingRayPayloadKHR", "pair")), all);
  EXPECT_EQ(Others(Shader("AnyHitKHR", "IncomingRayPayloadKHR", "int3")), all);
  EXPECT_EQ(Others(Shader("AnyHitKHR", "", "")), all);
  EXPECT_EQ(Others(Shader("IntersectionKHR", "HitAttributeKHR", "matrix")), all);
  EXPECT_EQ(Others(Shader("CallableKHR", "IncomingCallableDataKHR", "pair")), all);
  EXPECT_EQ(Others(Shader("CallableKHR", "IncomingCallableDataKHR", "float")), all);
  EXPECT_EQ(Others(Shader("RayGenerationKHR", "", "")), "closest hit, miss");
  EXPECT_EQ(Others(Shader("RayGenerationKHR", "CallableDataKHR", "matrix",
                          "OpExecuteCallableKHR %uint_0 %variable\n")),
            "closest hit, miss, callable");
}

TEST(RayShaders, SomeShadersNeedAFile) {
  EXPECT_EQ(Others(Shader("MissKHR", "", "")),
            "test: a miss shader runs only with a ray generation shader: a file NAME.rgen in the "
            "same folder, or --ray-generation");
  EXPECT_EQ(Others(Shader("AnyHitKHR", "IncomingRayPayloadKHR", "matrix")),
            "test: the payload of the shader is not a scalar, a vector or a struct of these, of at "
            "most 13 numbers of 32 bits; it needs a file for the ray generation shader");
  EXPECT_EQ(Others(Shader("CallableKHR", "IncomingCallableDataKHR", "matrix")),
            "test: the callable data of the shader is not a scalar, a vector or a struct of these, "
            "of at most 13 numbers of 32 bits; it needs a file for the ray generation shader");
}

TEST(RayShaders, ShadersAgree) {
  const Module generation = Shader("RayGenerationKHR", "CallableDataKHR", "pair",
                                   "OpExecuteCallableKHR %uint_0 %variable\n");
  const Module same = Shader("CallableKHR", "IncomingCallableDataKHR", "pair");
  const Module other = Shader("CallableKHR", "IncomingCallableDataKHR", "int3");
  EXPECT_EQ(Problem({&generation, &same}), "");
  EXPECT_EQ(Problem({&generation, &other}),
            "the data of the callable shader has another type than that of a call");
  const Module deep =
      Shader("CallableKHR", "CallableDataKHR", "pair", "OpExecuteCallableKHR %uint_0 %variable\n");
  EXPECT_EQ(Problem({&generation, &deep}),
            "the callable shader calls callable shaders, which only the other shaders may");
  const EntryPoint of_deep = EntryPoints(deep).front(), of_same = EntryPoints(same).front();
  EXPECT_TRUE(CallsCallable({deep, of_deep}));
  EXPECT_FALSE(CallsCallable({same, of_same}));
  EXPECT_FALSE(TracesRays({deep, of_deep}));

  const Module wide = Shader("IntersectionKHR", "HitAttributeKHR", "matrix");
  const Module reads = Shader("AnyHitKHR", "HitAttributeKHR", "float2");
  const Module other_hit = Shader("AnyHitKHR", "HitAttributeKHR", "pair");
  EXPECT_EQ(Problem({&wide}), "");
  EXPECT_EQ(
      Problem({&wide, &reads}),
      "the hit attribute of the intersection shader is not a vec2, which another shader reads");
  EXPECT_EQ(Problem({&reads}), "");
  EXPECT_EQ(Problem({&other_hit}), "the hit attribute of the any-hit shader is not a vec2");
}

TEST(RayShaders, PartnersAreInTheOrderOfTheirFiles) {
  EXPECT_EQ(PartnersOf(Model::RayGenerationKHR),
            (std::vector<Model>{Model::ClosestHitKHR, Model::AnyHitKHR, Model::IntersectionKHR,
                                Model::CallableKHR}));
  for (const std::string_view ending : {".rint", ".rahit", ".rchit", ".rmiss", ".rcall"}) {
    const std::optional<Model> model = StageOfEnding(ending);
    ASSERT_TRUE(model) << ending;
    EXPECT_EQ(StageEnding(*model), ending);
    EXPECT_EQ(PartnersOf(*model), std::vector<Model>{Model::RayGenerationKHR});
  }
  EXPECT_TRUE(PartnersOf(Model::GLCompute).empty());
}

}  // namespace
}  // namespace refract
