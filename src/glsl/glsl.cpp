// SPDX-License-Identifier: Apache-2.0
#include "glsl/glsl.h"

#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "base/child_call.h"
#include "base/diagnostic.h"
#include "base/text.h"
#include "glsl/assign_bindings.h"
#include "glsl/error_columns.h"
#include "glsl/version_line.h"

namespace refract {
inline namespace glsl {
namespace {

// Where glslang first puts the block of plain uniforms: the largest binding that it can write.
// AssignBindingsAndLocations replaces it, because a free binding is known only after parsing.
constexpr uint32_t kPlainUniformsBinding = 0xfffe;
constexpr uint32_t kGatheredSet = 0;
constexpr int kDefaultGlslVersion = 450;
constexpr size_t kMaxErrorLines = 20;
constexpr size_t kHeaderWords = 5;
constexpr TargetEnvironment kLeastForRays = TargetEnvironment::kVulkan11Spirv14;

void InitializeOnce() {
  static std::once_flag once;
  std::call_once(once, [] { glslang::InitializeProcess(); });
}

EShLanguage LanguageOf(GlslStage stage) {
  switch (stage) {
    case GlslStage::kVertex:
      return EShLangVertex;
    case GlslStage::kControl:
      return EShLangTessControl;
    case GlslStage::kEvaluation:
      return EShLangTessEvaluation;
    case GlslStage::kGeometry:
      return EShLangGeometry;
    case GlslStage::kTask:
      return EShLangTask;
    case GlslStage::kMesh:
      return EShLangMesh;
    case GlslStage::kFragment:
      return EShLangFragment;
    case GlslStage::kCompute:
      return EShLangCompute;
    case GlslStage::kRayGeneration:
      return EShLangRayGen;
    case GlslStage::kIntersection:
      return EShLangIntersect;
    case GlslStage::kAnyHit:
      return EShLangAnyHit;
    case GlslStage::kCallable:
      return EShLangCallable;
    case GlslStage::kClosestHit:
      return EShLangClosestHit;
    case GlslStage::kMiss:
      return EShLangMiss;
  }
  return EShLangFragment;
}

struct Target {
  glslang::EShTargetClientVersion client;
  glslang::EShTargetLanguageVersion language;
};

Target TargetOf(TargetEnvironment environment, std::string_view source) {
  const bool is_old =
      environment == TargetEnvironment::kVulkan10 || environment == TargetEnvironment::kVulkan11;
  // Task and mesh shaders have the extension, and fragment shaders that read values of primitives.
  if (is_old && source.find("GL_EXT_mesh_shader") != std::string_view::npos) {
    environment = TargetEnvironment::kVulkan11Spirv14;
  }
  switch (environment) {
    case TargetEnvironment::kVulkan10:
      return {glslang::EShTargetVulkan_1_0, glslang::EShTargetSpv_1_0};
    case TargetEnvironment::kVulkan11Spirv14:
      return {glslang::EShTargetVulkan_1_1, glslang::EShTargetSpv_1_4};
    case TargetEnvironment::kVulkan12:
      return {glslang::EShTargetVulkan_1_2, glslang::EShTargetSpv_1_5};
    case TargetEnvironment::kVulkan13:
      return {glslang::EShTargetVulkan_1_3, glslang::EShTargetSpv_1_6};
    default:
      return {glslang::EShTargetVulkan_1_1, glslang::EShTargetSpv_1_3};
  }
}

// Makes an error of glslang's log, which has lines "ERROR: NAME:LINE: message", and a count at the
// end.
Error ErrorFromLog(const std::string& name, std::string_view log) {
  std::string message;
  size_t lines = 0;
  for (const std::string& raw : Split(log, '\n')) {
    std::string_view line = Trim(raw);
    constexpr std::string_view kError = "ERROR: ";
    if (!line.starts_with(kError) || line.ends_with("No code generated.")) continue;
    line.remove_prefix(kError.size());
    // If the error is about no token, the log has an empty one, which is removed.
    std::string what(line);
    constexpr std::string_view kNoToken = "'' : ";
    if (const size_t at = what.find(kNoToken); at != std::string::npos) {
      what.erase(at, kNoToken.size() + (what[at + kNoToken.size()] == ' ' ? 1 : 0));
    }
    if (what.ends_with(": compilation terminated")) continue;
    if (++lines > kMaxErrorLines) continue;
    if (!message.empty()) message += '\n';
    // Link errors have no line, so they get the name of the source.
    if (!what.starts_with(name)) message += name + ": ";
    message += what;
  }
  if (lines > kMaxErrorLines) message += format("\n{}: {} errors in all", name, lines);
  if (message.empty()) message = format("{}: glslang failed without an error message", name);
  return Error{std::move(message)};
}

Result<std::vector<uint32_t>> Compile(const std::string& name, std::string_view source,
                                      GlslStage stage, const GlslOptions& options,
                                      std::vector<std::string>* warnings) {
  const Result<VersionedSource> versioned = ReadVersion(name, source);
  if (!versioned) return versioned.error();
  if (versioned->text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return Error{format("{}: the file is too large for glslang", name)};
  }
  InitializeOnce();
  const EShLanguage language = LanguageOf(stage);
  const bool is_ray = stage >= GlslStage::kRayGeneration;
  const Target target = TargetOf(
      is_ray ? std::max(options.environment, kLeastForRays) : options.environment, versioned->text);
  glslang::TShader shader(language);
  const char* text = versioned->text.data();
  const int length = static_cast<int>(versioned->text.size());
  const char* text_name = name.c_str();
  shader.setStringsWithLengthsAndNames(&text, &length, &text_name, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, language, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, target.client);
  shader.setEnvTarget(glslang::EShTargetSpv, target.language);
  shader.setEnvInputVulkanRulesRelaxed();
  shader.setGlobalUniformBlockName(options.uniform_block.c_str());
  shader.setGlobalUniformSet(kGatheredSet);
  shader.setGlobalUniformBinding(kPlainUniformsBinding);
  // glslang then accepts variables without bindings or locations. AssignBindingsAndLocations gives
  // them.
  shader.setAutoMapBindings(true);
  shader.setAutoMapLocations(true);
  const auto messages = static_cast<EShMessages>(
      EShMsgSpvRules | EShMsgVulkanRules | (options.debug_info ? int{EShMsgDebugInfo} : 0) |
      (options.all_errors ? int{EShMsgCascadingErrors} : 0));
  if (!shader.parse(GetDefaultResources(), kDefaultGlslVersion, false, messages)) {
    return ErrorFromLog(name, shader.getInfoLog());
  }
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages)) return ErrorFromLog(name, program.getInfoLog());

  glslang::TIntermediate* tree = program.getIntermediate(language);
  if (Status placed = AssignBindingsAndLocations(name, kPlainUniformsBinding, tree); !placed) {
    return placed.error();
  }
  std::vector<uint32_t> words;
  spv::SpvBuildLogger logger;
  glslang::SpvOptions spv_options;
  spv_options.generateDebugInfo = options.debug_info;
  glslang::GlslangToSpv(*tree, words, &logger, &spv_options);
  const std::string log = logger.getAllMessages();
  if (words.size() < kHeaderWords || log.find("error") != std::string::npos) {
    return Error{format("{}: {}", name, Trim(log))};
  }
  if (warnings != nullptr && !versioned->warning.empty()) warnings->push_back(versioned->warning);
  return words;
}

// Returns all errors of a source that has errors; empty if the child process fails.
std::string AllErrors(const std::string& name, std::string_view source, GlslStage stage,
                      const GlslOptions& options) {
  const ChildResult answer = CallInChild(
      [&] {
        const auto words = Compile(name, source, stage, options, nullptr);
        return words ? std::string() : words.error().message;
      },
      {.seconds = 10});
  return answer.end == ChildResult::End::kDone ? answer.bytes : std::string();
}

}  // namespace

Result<std::vector<uint32_t>> CompileGlsl(const std::string& name, std::string_view source,
                                          GlslStage stage, const GlslOptions& options,
                                          std::vector<std::string>* warnings) {
  GlslOptions first_error = options;
  first_error.all_errors = false;
  auto words = Compile(name, source, stage, first_error, warnings);
  if (words) return words;
  Error error = words.error();
  if (options.all_errors) {
    std::string all = AllErrors(name, source, stage, options);
    if (!all.empty()) error.message = std::move(all);
  }
  return WithSource(WithColumns(std::move(error), name, source), name, source);
}

}  // namespace glsl
}  // namespace refract
