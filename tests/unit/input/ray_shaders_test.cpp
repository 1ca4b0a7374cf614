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
%bool = OpTypeBool
%float = OpTypeFloat 32
%float_1 = OpConstant %float 1
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

// A module with several entry points, named in `entries`, each with code of its own.
Module ModuleOf(const std::string& entries, const std::string& declarations,
                const std::vector<std::pair<std::string, std::string>>& functions) {
  std::string text =
      "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n"
      "OpMemoryModel Logical GLSL450\n" +
      entries + "%void = OpTypeVoid\n%void_fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n" +
      declarations;
  for (const auto& [name, code] : functions) {
    text += format(
        "%{} = OpFunction %void None %void_fn\n%in_{} = OpLabel\n{}OpReturn\n"
        "OpFunctionEnd\n",
        name, name, code);
  }
  const Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kUniversal14);
  EXPECT_TRUE(words) << words.error().message;
  Result<Module> module = ReadModule(*words, "test");
  EXPECT_TRUE(module) << module.error().message;
  return std::move(*module);
}

// The shader of the stage that is made if the entry point with this number is tested.
std::string MadeFor(const Module& module, size_t tested, Model wanted) {
  const EntryPoint entry = EntryPoints(module).at(tested);
  const Result<Companions> others = OtherShaders(module, entry, Inputs(), "test");
  EXPECT_TRUE(others) << others.error().message;
  for (const std::shared_ptr<const Companion>& other : *others) {
    if (other->model == wanted) return *Disassemble(other->spirv);
  }
  return "missing";
}

TEST(RayShaders, ThePayloadIsThatOfAnyShader) {
  const Module module = ModuleOf(R"(OpEntryPoint IntersectionKHR %box "box"
OpEntryPoint AnyHitKHR %hit "hit" %payload
OpEntryPoint CallableKHR %called "called" %data
)",
                                 R"(%float2 = OpTypeVector %float 2
%payload_pointer = OpTypePointer IncomingRayPayloadKHR %float2
%data_pointer = OpTypePointer IncomingCallableDataKHR %float
%payload = OpVariable %payload_pointer IncomingRayPayloadKHR
%data = OpVariable %data_pointer IncomingCallableDataKHR
)",
                                 {{"box", ""}, {"hit", ""}, {"called", ""}});
  const std::string of_box = MadeFor(module, 0, Model::RayGenerationKHR);
  EXPECT_NE(of_box, "missing");
  EXPECT_EQ(of_box, MadeFor(module, 1, Model::RayGenerationKHR));
  EXPECT_NE(of_box, MadeFor(module, 2, Model::RayGenerationKHR)) << "it calls the shader";
}

// What is under test does not matter.
TEST(RayShaders, TheClosestHitShaderDependsOnThePipeline) {
  const auto module_with = [](const char* stage) {
    return ModuleOf(format(R"(OpEntryPoint RayGenerationKHR %rays "rays" %scene %payload
OpEntryPoint {} %other "other"
OpDecorate %scene DescriptorSet 0
OpDecorate %scene Binding 0
)",
                           stage),
                    R"(%uint = OpTypeInt 32 0
%float3 = OpTypeVector %float 3
%structures = OpTypeAccelerationStructureKHR
%scene_pointer = OpTypePointer UniformConstant %structures
%payload_pointer = OpTypePointer RayPayloadKHR %float
%scene = OpVariable %scene_pointer UniformConstant
%payload = OpVariable %payload_pointer RayPayloadKHR
%n = OpConstant %uint 0
%f = OpConstant %float 1
%place = OpConstantComposite %float3 %f %f %f
)",
                    {{"rays",
                      "%traced = OpLoad %structures %scene\n"
                      "OpTraceRayKHR %traced %n %n %n %n %n %place %f %place %f %payload\n"},
                     {"other", ""}});
  };
  for (const char* stage : {"MissKHR", "CallableKHR", "AnyHitKHR"}) {
    const Module module = module_with(stage);
    const std::string idle = MadeFor(module, 1, Model::ClosestHitKHR);
    EXPECT_EQ(idle.find("OpStore"), std::string::npos) << stage;
    EXPECT_EQ(MadeFor(module, 0, Model::ClosestHitKHR), idle) << stage;
  }
  const Module boxes = module_with("IntersectionKHR");
  const std::string stores = MadeFor(boxes, 1, Model::ClosestHitKHR);
  EXPECT_NE(stores.find("OpStore"), std::string::npos);
  EXPECT_EQ(MadeFor(boxes, 0, Model::ClosestHitKHR), stores);
}

TEST(RayShaders, AModuleMayNotUseTheSetOfMadeShaders) {
  const auto others_in = [](uint32_t set) {
    return Others(ModuleOf(format(R"(OpEntryPoint AnyHitKHR %main "main" %buffer
OpDecorate %Block Block
OpMemberDecorate %Block 0 Offset 0
OpDecorate %buffer DescriptorSet {}
OpDecorate %buffer Binding 7
)",
                                  set),
                           R"(%Block = OpTypeStruct %float
%pointer = OpTypePointer StorageBuffer %Block
%buffer = OpVariable %pointer StorageBuffer
)",
                           {{"main", ""}}));
  };
  EXPECT_EQ(others_in(2), "ray generation, closest hit, miss");
  EXPECT_EQ(others_in(3),
            "test: the module uses set 3, which is for the ray generation shader that Refract "
            "makes; use another set, or a file for that shader");
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

  const char* const load = "%loaded = OpLoad %float2 %variable\n";
  const Module loads = Shader("AnyHitKHR", "HitAttributeKHR", "float2", load);
  const Module writes = Shader("IntersectionKHR", "HitAttributeKHR", "float2", load);
  const Module silent = Shader("IntersectionKHR", "", "");
  const Module without =
      Shader("IntersectionKHR", "", "", "%hit = OpReportIntersectionKHR %bool %float_1 %uint_0\n");
  EXPECT_EQ(Problem({&loads}), "") << "Refract makes the intersection shader";
  EXPECT_EQ(Problem({&writes, &loads}), "");
  EXPECT_EQ(Problem({&without, &reads}), "") << "nothing reads it";
  EXPECT_EQ(Problem({&silent, &loads}), "") << "boxes are not hit";
  EXPECT_EQ(Problem({&without, &loads}),
            "the any-hit shader reads a hit attribute, which the intersection shader does not "
            "write");
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
