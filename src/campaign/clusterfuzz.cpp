// SPDX-License-Identifier: Apache-2.0
#include "campaign/clusterfuzz.h"

#include <optional>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/embedded_inputs.h"
#include "engine/fuzz.h"
#include "input/resolve.h"
#include "ir/binary.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr uint32_t kAttempts = 8;

// A loop with a selection: every family of transformations can change something in it.
constexpr std::string_view kBuiltInModule = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %place %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %place BuiltIn FragCoord
OpDecorate %colour Location 0
%void = OpTypeVoid
%main_type = OpTypeFunction %void
%bool = OpTypeBool
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%float4 = OpTypeVector %float 4
%in_float4 = OpTypePointer Input %float4
%out_float4 = OpTypePointer Output %float4
%fn_int = OpTypePointer Function %int
%place = OpVariable %in_float4 Input
%colour = OpVariable %out_float4 Output
%zero = OpConstant %int 0
%one = OpConstant %int 1
%three = OpConstant %int 3
%eight = OpConstant %int 8
%eighth = OpConstant %float 0.125
%opaque = OpConstant %float 1
%main = OpFunction %void None %main_type
%entry = OpLabel
%sum = OpVariable %fn_int Function %zero
%at = OpLoad %float4 %place
%x = OpCompositeExtract %float %at 0
%start = OpConvertFToS %int %x
OpBranch %head
%head = OpLabel
%i = OpPhi %int %zero %entry %next %continue
%more = OpSLessThan %bool %i %eight
OpLoopMerge %done %continue None
OpBranchConditional %more %body %done
%body = OpLabel
%mixed = OpBitwiseXor %int %start %i
%low = OpBitwiseAnd %int %mixed %three
%is_zero = OpIEqual %bool %low %zero
OpSelectionMerge %joined None
OpBranchConditional %is_zero %count %joined
%count = OpLabel
%before = OpLoad %int %sum
%after = OpIAdd %int %before %one
OpStore %sum %after
OpBranch %joined
%joined = OpLabel
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %int %i %one
OpBranch %head
%done = OpLabel
%total = OpLoad %int %sum
%number = OpConvertSToF %float %total
%level = OpFMul %float %number %eighth
%value = OpCompositeConstruct %float4 %level %level %level %opaque
OpStore %colour %value
OpReturn
OpFunctionEnd
)";

struct File {
  std::vector<uint32_t> words;
  TargetEnvironment environment = TargetEnvironment::kVulkan10;
  bool unchanged = false;
};

Result<CampaignSource> BuiltInSource() {
  Result<std::vector<uint32_t>> words = Assemble(kBuiltInModule, TargetEnvironment::kVulkan10);
  if (!words) return words.error();
  Result<Original> original = MakeOriginal(std::move(*words), "the built-in module", nullptr, {});
  if (!original) return original.error();
  CampaignSource source{"", "the built-in module", nullptr, {}};
  source.original = std::make_unique<const Original>(std::move(*original));
  return source;
}

std::string Bytes(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

// Makes a variant of `source`. Returns nothing if no variant can be made, or if its inputs cannot
// be built in.
std::optional<File> MakeFile(const CampaignSource& source, const ClusterFuzzOptions& options,
                             uint64_t seed) {
  FuzzOptions fuzz;
  fuzz.seed = seed;
  fuzz.max_steps = options.max_steps;
  if (options.donors.donors() > 0) {
    fuzz.read_donors = [&options, seed] { return options.donors.FunctionsOf(seed); };
  }
  const Original& original = *source.original;
  const Result<FuzzResult> variant = Fuzz(original, fuzz);
  if (!variant) return std::nullopt;
  const Result<Module> module = ReadModule(variant->words, source.file);
  if (!module) return std::nullopt;
  const Result<EntryPoint> entry = FindEntryPoint(*module, variant->recording.entry, source.file);
  if (!entry) return std::nullopt;
  const std::shared_ptr<const Inputs>& inputs = variant->context.inputs;
  Result<std::vector<uint32_t>> words =
      WithInputsEmbedded(*module, *entry, inputs ? *inputs : Inputs(), source.file);
  if (!words || FindInvalid(*words, original.environment, original.validation)) return std::nullopt;
  return File{std::move(*words), original.environment, false};
}

std::string FlagsOf(const ClusterFuzzOptions& options, const File& file, Random& random) {
  if (options.flags.empty()) return {};
  std::string line = options.flags[random.Below(options.flags.size())];
  const std::string_view mark = "{env}";
  for (size_t at = 0; (at = line.find(mark, at)) != std::string::npos;) {
    line.replace(at, mark.size(), NameOf(file.environment));
  }
  return line;
}

}  // namespace

Result<ClusterFuzzResult> WriteClusterFuzzFiles(const ClusterFuzzOptions& options) {
  const Result<CampaignSource> own = BuiltInSource();
  if (!own) return own.error();
  if (Status made = MakeFolder(options.output); !made) return made.error();
  ClusterFuzzResult result;
  for (uint64_t i = 0; i < options.files; ++i) {
    Random random(Mix(Mix(options.seed, 1), i));
    std::optional<File> file;
    for (uint32_t attempt = 0; attempt < kAttempts && !file && !options.sources.empty();
         ++attempt) {
      const CampaignSource& source = options.sources[random.Below(options.sources.size())];
      file = MakeFile(source, options, random.Next());
    }
    if (!file) file = MakeFile(*own, options, random.Next());
    if (!file) {
      file = File{own->original->words, own->original->environment, true};
    }
    ++(file->unchanged ? result.unchanged : result.variants);
    OutputSet pair;
    Status added = pair.Add(format("{}/fuzz-{}.spv", options.output, i), Bytes(file->words));
    if (added) {
      added = pair.Add(format("{}/flags-{}", options.output, i), FlagsOf(options, *file, random));
    }
    if (added) added = pair.Commit();
    if (!added) return added.error();
  }
  return result;
}

}  // namespace campaign
}  // namespace refract
