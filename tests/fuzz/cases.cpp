// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cases.h"

#include <cstring>

#include "amber/import.h"
#include "base/text.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "fuzz/coverage_files.h"
#include "fuzz/mutate.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "wire/recording_file.h"
#include "wire/text.h"

namespace refract::fuzz {
namespace {

// Recordings long enough that steps depend on each other, short enough to be replayed often.
constexpr uint32_t kSteps = 60;
constexpr std::string_view kScripts[] = {
    R"(#!amber
# Draws an image, and a second one from its texels.
SHADER vertex plain PASSTHROUGH
SHADER fragment fill SPIRV-ASM TARGET_ENV spv1.0
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpDecorate %levels DescriptorSet 0
OpDecorate %levels Binding 2
%void = OpTypeVoid
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%int = OpTypeInt 32 1
%block = OpTypeStruct %vec4 %int
%to_block = OpTypePointer Uniform %block
%to_vec4 = OpTypePointer Uniform %vec4
%to_colour = OpTypePointer Output %vec4
%function = OpTypeFunction %void
%zero = OpConstant %int 0
%levels = OpVariable %to_block Uniform
%colour = OpVariable %to_colour Output
%main = OpFunction %void None %function
%begin = OpLabel
%place = OpAccessChain %to_vec4 %levels %zero
%value = OpLoad %vec4 %place
OpStore %colour %value
OpReturn
OpFunctionEnd
END
SHADER fragment fetch SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 0
%void = OpTypeVoid
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%plane = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %plane
%to_image = OpTypePointer UniformConstant %sampled
%to_colour = OpTypePointer Output %vec4
%function = OpTypeFunction %void
%half = OpConstant %float 0.5
%middle = OpConstantComposite %vec2 %half %half
%image = OpVariable %to_image UniformConstant
%colour = OpVariable %to_colour Output
%main = OpFunction %void None %function
%begin = OpLabel
%loaded = OpLoad %sampled %image
%texel = OpImageSampleImplicitLod %vec4 %loaded %middle
OpStore %colour %texel
OpReturn
OpFunctionEnd
END
BUFFER levels DATA_TYPE vec4<float> STD140 DATA
 1.0 0.0 0.0 1.0
 0.0 0.0 0.0 0.0
END
BUFFER first FORMAT B8G8R8A8_UNORM
BUFFER second FORMAT R8G8B8A8_UNORM
SAMPLER taken MAG_FILTER nearest ADDRESS_MODE_U clamp_to_edge
PIPELINE graphics one
  ATTACH plain
  ATTACH fill ENTRY_POINT main
  FRAMEBUFFER_SIZE 4 2
  BIND BUFFER first AS color LOCATION 0
  BIND BUFFER levels AS uniform DESCRIPTOR_SET 0 BINDING 2
END
PIPELINE graphics two
  ATTACH plain
  ATTACH fetch
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER second AS color LOCATION 0
  BIND BUFFER first AS combined_image_sampler SAMPLER taken DESCRIPTOR_SET 0 BINDING 0
END
CLEAR_COLOR one 0 0 0 255
CLEAR one
RUN one DRAW_RECT POS 0 0 SIZE 4 2
RUN two DRAW_RECT POS 0 0 SIZE 4 4
EXPECT second IDX 0 0 SIZE 4 4 EQ_RGBA 255 0 0 255
EXPECT first EQ_HISTOGRAM_EMD_BUFFER second TOLERANCE 0.005
)",
    R"(#!amber
DEVICE_FEATURE shaderInt64
SHADER compute add SPIRV-ASM TARGET_ENV spv1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %list ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %sums DescriptorSet 1
OpDecorate %sums Binding 0
OpDecorate %step SpecId 3
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%list = OpTypeRuntimeArray %uint
%block = OpTypeStruct %list
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%function = OpTypeFunction %void
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%step = OpSpecConstant %uint 1
%sums = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %function
%begin = OpLabel
%place = OpAccessChain %to_uint %sums %zero %one
%value = OpLoad %uint %place
%sum = OpIAdd %uint %value %step
OpStore %place %sum
OpReturn
OpFunctionEnd
END
BUFFER sums DATA_TYPE uint32 SIZE 4 FILL 7
PIPELINE compute run
  ATTACH add SPECIALIZE 3 AS uint32 5
  BIND BUFFER sums AS storage DESCRIPTOR_SET 1 BINDING 0
END
RUN run 1 1 1
EXPECT sums IDX 4 EQ 12 7
)"};

// Steps of fuzzing on a changed module, to see whether it is as good as it seems.
constexpr uint32_t kStepsAfter = 12;
constexpr size_t kHeadBytes = 18;  // of a recording: magic and checksum

std::string Bytes(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * 4};
}

std::vector<uint32_t> Words(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

Outcome Fault(std::string what) {
  return {false, std::move(what)};
}

/// An error that a user can act on: it names the file and is about the input.
Outcome Refused(const Error& error, const std::string& file) {
  if (error.kind != ErrorKind::kBadInput && error.kind != ErrorKind::kUsage) {
    return Fault("an error that is not about the input: " + error.message);
  }
  if (!error.message.starts_with(file + ":") || error.message.size() < file.size() + 4) {
    return Fault("an error without file and place: " + error.message);
  }
  return {};
}

Outcome RunScript(const std::string& text) {
  const Result<amber::Script> script = amber::ParseScript("damaged.amber", text);
  if (!script) return Refused(script.error(), "damaged.amber");
  const Result<amber::ImportedScript> imported = amber::ImportScript(*script, "damaged");
  if (!imported) return Refused(imported.error(), "damaged.amber");
  for (const amber::ImportedFile& file : imported->files) {
    if (!file.name.ends_with(".json")) continue;
    const Result<Inputs> inputs = ParseInputs("imported.json", file.text);
    if (!inputs) return Fault("imported inputs cannot be read: " + inputs.error().message);
  }
  return {true, std::nullopt};
}

}  // namespace

std::string_view NameOf(Kind kind) {
  static constexpr std::string_view kNames[kKinds] = {"binary",    "assembly",       "inputs",
                                                      "recording", "recording text", "script",
                                                      "shader",    "coverage"};
  return kNames[static_cast<size_t>(kind)];
}

Result<Cases> Cases::Load(const std::string& source_folder) {
  Cases cases;
  Result<std::vector<TestModule>> odd = OddModules(source_folder);
  if (!odd) return odd.error();
  Result<std::vector<TestModule>> references = References(source_folder);
  if (!references) return references.error();
  std::vector<TestModule> modules = std::move(*odd);
  modules.insert(modules.end(), references->begin(), references->end());
  for (TestModule& module : modules) {
    Result<std::vector<Original>> originals = Originals(module);
    if (!originals) return originals.error();
    Result<std::string> assembly = Disassemble(module.words, {.header = true});
    if (!assembly) return assembly.error();
    Subject subject;
    if (module.inputs) subject.inputs = WriteInputs(*module.inputs);
    subject.original = std::move(originals->front());
    subject.assembly = std::move(*assembly);
    subject.module = std::move(module);
    cases.subjects_.push_back(std::move(subject));
  }
  return cases;
}

size_t Cases::AnySubject(Random& random, bool with_inputs) const {
  for (;;) {
    const size_t index = random.Below(subjects_.size());
    if (!with_inputs || !subjects_[index].inputs.empty()) return index;
  }
}

const Cases::Subject& Cases::WithRecording(size_t index) {
  Subject& subject = subjects_[index];
  if (!subject.recording.empty()) return subject;
  FuzzOptions options;
  options.seed = index;
  options.max_steps = kSteps;
  options.all_passes = true;
  const Result<FuzzResult> fuzzed = Fuzz(subject.original, options);
  if (!fuzzed) return subject;
  subject.recording = WriteRecording(fuzzed->recording).substr(kHeadBytes);
  subject.recording_text = ToText(fuzzed->recording);
  return subject;
}

Case Cases::Make(uint64_t seed, uint64_t index, std::optional<Kind> only) {
  Random random(Mix(Mix(0, seed), index));
  Case one;
  static constexpr Kind kShares[] = {Kind::kBinary,    Kind::kBinary,        Kind::kBinary,
                                     Kind::kAssembly,  Kind::kInputs,        Kind::kRecording,
                                     Kind::kRecording, Kind::kRecordingText, Kind::kRecordingText,
                                     Kind::kScript,    Kind::kShader,        Kind::kCoverage};
  one.kind = kShares[random.Below(std::size(kShares))];
  if (only) one.kind = *only;
  one.subject = AnySubject(random, one.kind == Kind::kInputs);
  const size_t other = AnySubject(random, one.kind == Kind::kInputs);
  const Subject& from = subjects_[other];
  const Subject& subject = subjects_[one.subject];
  switch (one.kind) {
    case Kind::kBinary:
      one.bytes = random.Percent(80)
                      ? Bytes(DamageModule(subject.module.words, from.module.words, random))
                      : DamageBytes(Bytes(subject.module.words), Bytes(from.module.words), random);
      break;
    case Kind::kAssembly:
      one.bytes = DamageText(subject.assembly, from.assembly, random);
      break;
    case Kind::kInputs:
      one.bytes = random.Percent(70) ? DamageText(subject.inputs, from.inputs, random)
                                     : DamageBytes(subject.inputs, from.inputs, random);
      break;
    case Kind::kRecording: {
      const std::string encoded = WithRecording(one.subject).recording;
      const std::string damaged = DamageBytes(encoded, WithRecording(other).recording, random);
      one.bytes = random.Percent(90) ? SealRecording(damaged) : damaged;
      break;
    }
    case Kind::kRecordingText: {
      const std::string text = WithRecording(one.subject).recording_text;
      one.bytes = DamageText(text, WithRecording(other).recording_text, random);
      break;
    }
    case Kind::kScript: {
      const std::string script(kScripts[random.Below(std::size(kScripts))]);
      const std::string from_script(kScripts[random.Below(std::size(kScripts))]);
      one.bytes = random.Percent(80) ? DamageText(script, from_script, random)
                                     : DamageBytes(script, from_script, random);
      break;
    }
    case Kind::kShader:
      one.bytes = Bytes(ValidModule(subject, random));
      break;
    case Kind::kCoverage: {
      const std::string file = AnyCoverageFile(random);
      const std::string from_file = AnyCoverageFile(random);
      one.bytes = random.Percent(60) ? DamageText(file, from_file, random)
                                     : DamageBytes(file, from_file, random);
      break;
    }
  }
  return one;
}

Outcome Cases::Run(const Case& one) const {
  const Subject& subject = subjects_[one.subject];
  switch (one.kind) {
    case Kind::kBinary:
      return RunModule("damaged.spv", one.bytes);
    case Kind::kAssembly:
      return RunModule("damaged.spvasm", one.bytes);
    case Kind::kInputs:
      return RunInputs(subject, one.bytes);
    case Kind::kRecording:
    case Kind::kRecordingText:
      return RunRecording(subject, "damaged.refract", one.bytes);
    case Kind::kScript:
      return RunScript(one.bytes);
    case Kind::kShader:
      return RunShader(subject, one.bytes);
    case Kind::kCoverage: {
      Outcome outcome;
      outcome.fault = ReadCoverageFile(one.bytes, &outcome.accepted);
      return outcome;
    }
  }
  return Fault("no such kind");
}

Outcome Cases::RunModule(const std::string& name, const std::string& bytes) const {
  // The reader by itself must also survive what the loader refuses.
  std::vector<uint32_t> words = Words(bytes);
  const Result<LoadedModule> loaded = LoadModuleBytes(name, bytes);
  if (loaded) words = loaded->words;
  const Result<Module> module = ReadModule(words, name);
  if (!module) {
    const Outcome outcome = Refused(module.error(), name);
    if (outcome.fault) return outcome;
  } else {
    static_cast<void>(WriteModule(*module));
  }
  if (!loaded) return Refused(loaded.error(), name);
  const Result<Original> original = MakeOriginal(words, name, nullptr, {});
  if (!original) return Refused(original.error(), name);
  if (!module) return Fault("an original that cannot be read");
  if (const auto invalid = FindInvalid(words, original->environment, {})) {
    return Fault("an invalid module was accepted: " + invalid->message);
  }
  if (WriteModule(*module) != words) return Fault("a valid module changed when it was written");
  FuzzOptions options;
  options.seed = words.size();
  options.max_steps = kStepsAfter;
  options.all_passes = true;
  const Result<FuzzResult> fuzzed = Fuzz(*original, options);
  if (!fuzzed) return Fault(fuzzed.error().message);
  return {true, std::nullopt};
}

Outcome Cases::RunInputs(const Subject& subject, const std::string& text) const {
  const Result<Inputs> inputs = ParseInputs("damaged.json", text);
  if (!inputs) return Refused(inputs.error(), "damaged.json");
  const Result<Inputs> again = ParseInputs("again.json", WriteInputs(*inputs));
  if (!again) return Fault("written inputs cannot be read: " + again.error().message);
  if (!(*again == *inputs)) return Fault("inputs change when they are written");
  const Result<Original> original = MakeOriginal(subject.module.words, subject.module.name,
                                                 std::make_shared<const Inputs>(*inputs), {});
  if (original) return {true, std::nullopt};
  return original.error().message.empty() ? Fault("an empty error") : Outcome{};
}

Outcome Cases::RunRecording(const Subject& subject, const std::string& name,
                            const std::string& bytes) const {
  const Result<message::Recording> recording = ReadRecording(bytes, name);
  if (!recording) return Refused(recording.error(), name);
  static_cast<void>(OriginalOptionsOf(*recording));
  static_cast<void>(ToJson(*recording));
  const Result<message::Recording> again = ReadRecording(WriteRecording(*recording), "again");
  if (!again) return Fault("a written recording cannot be read: " + again.error().message);
  ReplayOptions options;
  options.force = true;
  const Result<ReplayResult> replayed = Replay(subject.original, *recording, options);
  if (!replayed) return Fault("replay with force: " + replayed.error().message);
  if (const auto invalid =
          FindInvalid(replayed->words, subject.original.environment, subject.original.validation)) {
    return Fault("replay gives an invalid module: " + invalid->message);
  }
  return {true, std::nullopt};
}

}  // namespace refract::fuzz
