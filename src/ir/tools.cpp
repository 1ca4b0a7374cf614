// SPDX-License-Identifier: Apache-2.0
#include "ir/tools.h"

#include <atomic>
#include <cstring>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <type_traits>

#include "base/check.h"
#include "base/child_call.h"
#include "base/suggest.h"
#include "base/text.h"

namespace refract {
inline namespace ir {
namespace {

struct EnvironmentRow {
  TargetEnvironment environment;
  std::string_view name;
  spv_target_env tools_name;
  uint32_t version;
};
// In the order of the enum; within the Vulkan part also ascending by version.
constexpr EnvironmentRow kEnvironments[] = {
    {TargetEnvironment::kUniversal10, "spv1.0", SPV_ENV_UNIVERSAL_1_0, VersionWord(1, 0)},
    {TargetEnvironment::kUniversal11, "spv1.1", SPV_ENV_UNIVERSAL_1_1, VersionWord(1, 1)},
    {TargetEnvironment::kUniversal12, "spv1.2", SPV_ENV_UNIVERSAL_1_2, VersionWord(1, 2)},
    {TargetEnvironment::kUniversal13, "spv1.3", SPV_ENV_UNIVERSAL_1_3, VersionWord(1, 3)},
    {TargetEnvironment::kUniversal14, "spv1.4", SPV_ENV_UNIVERSAL_1_4, VersionWord(1, 4)},
    {TargetEnvironment::kUniversal15, "spv1.5", SPV_ENV_UNIVERSAL_1_5, VersionWord(1, 5)},
    {TargetEnvironment::kUniversal16, "spv1.6", SPV_ENV_UNIVERSAL_1_6, VersionWord(1, 6)},
    {TargetEnvironment::kVulkan10, "vulkan1.0", SPV_ENV_VULKAN_1_0, VersionWord(1, 0)},
    {TargetEnvironment::kVulkan11, "vulkan1.1", SPV_ENV_VULKAN_1_1, VersionWord(1, 3)},
    {TargetEnvironment::kVulkan11Spirv14, "vulkan1.1spv1.4", SPV_ENV_VULKAN_1_1_SPIRV_1_4,
     VersionWord(1, 4)},
    {TargetEnvironment::kVulkan12, "vulkan1.2", SPV_ENV_VULKAN_1_2, VersionWord(1, 5)},
    {TargetEnvironment::kVulkan13, "vulkan1.3", SPV_ENV_VULKAN_1_3, VersionWord(1, 6)},
};

const EnvironmentRow& RowOf(TargetEnvironment environment) {
  const EnvironmentRow& row = kEnvironments[static_cast<size_t>(environment)];
  CHECK(row.environment == environment);
  return row;
}

/// The first environment of this kind whose highest version is at least `version_word`.
TargetEnvironment SmallestFor(uint32_t version_word, bool vulkan) {
  TargetEnvironment newest = TargetEnvironment::kUniversal10;
  for (const EnvironmentRow& row : kEnvironments) {
    if (IsVulkan(row.environment) != vulkan) continue;
    if (row.version >= version_word) return row.environment;
    newest = row.environment;
  }
  return newest;
}

struct OptionRow {
  std::string_view name;
  bool ValidationOptions::*field;
};
constexpr OptionRow kOptions[] = {
    {"relax-struct-store", &ValidationOptions::relax_struct_store},
    {"relax-logical-pointer", &ValidationOptions::relax_logical_pointer},
    {"relax-block-layout", &ValidationOptions::relax_block_layout},
    {"uniform-buffer-standard-layout", &ValidationOptions::uniform_buffer_standard_layout},
    {"scalar-block-layout", &ValidationOptions::scalar_block_layout},
    {"workgroup-scalar-block-layout", &ValidationOptions::workgroup_scalar_block_layout},
    {"skip-block-layout", &ValidationOptions::skip_block_layout},
    {"allow-localsizeid", &ValidationOptions::allow_localsizeid},
    {"before-hlsl-legalization", &ValidationOptions::before_hlsl_legalization},
};

void Fill(const ValidationOptions& options, spvtools::ValidatorOptions* tools) {
  tools->SetRelaxStructStore(options.relax_struct_store);
  tools->SetRelaxLogicalPointer(options.relax_logical_pointer);
  tools->SetRelaxBlockLayout(options.relax_block_layout);
  tools->SetUniformBufferStandardLayout(options.uniform_buffer_standard_layout);
  tools->SetScalarBlockLayout(options.scalar_block_layout);
  tools->SetWorkgroupScalarBlockLayout(options.workgroup_scalar_block_layout);
  tools->SetSkipBlockLayout(options.skip_block_layout);
  tools->SetAllowLocalSizeId(options.allow_localsizeid);
  tools->SetBeforeHlslLegalization(options.before_hlsl_legalization);
  tools->SetFriendlyNames(false);
  // The minimums that every consumer must support (SPIR-V 2.17). They are also spirv-val's
  // defaults, and are set here so that another version of the library cannot change them.
  tools->SetUniversalLimit(spv_validator_limit_max_struct_members, 16383);
  tools->SetUniversalLimit(spv_validator_limit_max_struct_depth, 255);
  tools->SetUniversalLimit(spv_validator_limit_max_local_variables, 524287);
  tools->SetUniversalLimit(spv_validator_limit_max_global_variables, 65535);
  tools->SetUniversalLimit(spv_validator_limit_max_switch_branches, 16383);
  tools->SetUniversalLimit(spv_validator_limit_max_function_args, 255);
  tools->SetUniversalLimit(spv_validator_limit_max_control_flow_nesting_depth, 1023);
  tools->SetUniversalLimit(spv_validator_limit_max_access_chain_indexes, 255);
  tools->SetUniversalLimit(spv_validator_limit_max_id_bound, 0x3FFFFF);
}

/// The first error message from SPIRV-Tools.
struct FirstError {
  bool is_set = false;
  size_t line = 0, column = 0, index = 0;
  std::string message;

  spvtools::MessageConsumer Consumer() {
    return [this](spv_message_level_t level, const char*, const spv_position_t& position,
                  const char* text) {
      if (is_set || level > SPV_MSG_ERROR) return;
      is_set = true;
      line = position.line;
      column = position.column;
      index = position.index;
      message = Trim(text);
    };
  }
};

}  // namespace

Result<TargetEnvironment> ParseTargetEnvironment(std::string_view name) {
  std::string names;
  std::vector<std::string_view> known;
  for (const EnvironmentRow& row : kEnvironments) {
    if (row.name == name) return row.environment;
    names += format("{}{}", names.empty() ? "" : ", ", row.name);
    known.push_back(row.name);
  }
  return Error{format("unknown target environment '{}'; expected one of {}{}", name, names,
                      DidYouMean(name, known)),
               ErrorKind::kUsage};
}

std::string_view NameOf(TargetEnvironment environment) {
  return RowOf(environment).name;
}
TargetEnvironment DefaultEnvironment(uint32_t version) {
  return SmallestFor(version, true);
}
TargetEnvironment UniversalEnvironment(uint32_t version) {
  return SmallestFor(version, false);
}
uint32_t HighestVersion(TargetEnvironment environment) {
  return RowOf(environment).version;
}
bool IsVulkan(TargetEnvironment environment) {
  return environment >= TargetEnvironment::kVulkan10;
}

Status SetValidationOption(std::string_view name, ValidationOptions* options) {
  std::string names;
  for (const OptionRow& row : kOptions) {
    if (row.name == name) {
      options->*row.field = true;
      return {};
    }
    names += format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  return Error{format("unknown validation option '{}'; expected one of {}", name, names),
               ErrorKind::kUsage};
}

std::vector<std::string> NamesOf(const ValidationOptions& options) {
  std::vector<std::string> names;
  for (const OptionRow& row : kOptions) {
    if (options.*row.field) names.emplace_back(row.name);
  }
  return names;
}

std::optional<ValidationError> FindInvalid(std::span<const uint32_t> words,
                                           TargetEnvironment environment,
                                           const ValidationOptions& options) {
  spvtools::SpirvTools tools(RowOf(environment).tools_name);
  FirstError error;
  tools.SetMessageConsumer(error.Consumer());
  spvtools::ValidatorOptions tools_options;
  Fill(options, &tools_options);
  if (tools.Validate(words.data(), words.size(), tools_options)) return std::nullopt;
  if (!error.is_set) error.message = "the module is invalid, but spirv-val gave no reason";
  return ValidationError{static_cast<uint32_t>(error.index), error.message};
}

namespace {

// A request to validate: the environment, the options, and the words.
std::string RequestOf(std::span<const uint32_t> words, TargetEnvironment environment,
                      const ValidationOptions& options) {
  static_assert(std::is_trivially_copyable_v<ValidationOptions>);
  std::string request(sizeof environment + sizeof options + words.size_bytes(), '\0');
  char* to = request.data();
  std::memcpy(to, &environment, sizeof environment);
  std::memcpy(to + sizeof environment, &options, sizeof options);
  if (!words.empty()) {
    std::memcpy(to + sizeof environment + sizeof options, words.data(), words.size_bytes());
  }
  return request;
}

// The answer: empty for a valid module, else the instruction's number and the message.
std::string ValidateRequest(const std::string& request) {
  TargetEnvironment environment;
  ValidationOptions options;
  constexpr size_t kHead = sizeof environment + sizeof options;
  std::memcpy(&environment, request.data(), sizeof environment);
  std::memcpy(&options, request.data() + sizeof environment, sizeof options);
  std::vector<uint32_t> words((request.size() - kHead) / sizeof(uint32_t));
  if (!words.empty()) {
    std::memcpy(words.data(), request.data() + kHead, request.size() - kHead);
  }
  std::string bytes;
  if (const auto invalid = FindInvalid(words, environment, options)) {
    bytes.assign(reinterpret_cast<const char*>(&invalid->instruction), sizeof(uint32_t));
    bytes += invalid->message;
  }
  return bytes;
}

std::atomic<bool> keep_validators = false;

ChildResult ValidateInChild(const std::string& request, const ValidationOptions& options) {
  const ChildLimits limits{static_cast<double>(options.seconds), kValidatorMemory};
  if (!keep_validators) return CallInChild([&] { return ValidateRequest(request); }, limits);
  static KeptChildren* const validators = new KeptChildren(ValidateRequest);  // never ends
  return validators->Call(request, limits);
}

}  // namespace

void KeepValidators() {
  keep_validators = true;
}

std::optional<ValidationError> FindInvalidWithin(std::span<const uint32_t> words,
                                                 TargetEnvironment environment,
                                                 const ValidationOptions& options) {
  if (options.seconds == 0) return FindInvalid(words, environment, options);
  const ChildResult answer = ValidateInChild(RequestOf(words, environment, options), options);
  const auto unfinished = [](std::string message) {
    return ValidationError{0, std::move(message), true};
  };
  switch (answer.end) {
    case ChildResult::End::kNoChild:
      return FindInvalid(words, environment, options);
    case ChildResult::End::kTime:
      return unfinished(
          format("spirv-val did not finish within {} s; pass --validator-limit SECONDS to allow "
                 "more time",
                 options.seconds));
    case ChildResult::End::kMemory:
      return unfinished(
          format("spirv-val used more than {} MiB of memory", kValidatorMemory >> 20));
    case ChildResult::End::kSignal:
      return unfinished(format("spirv-val crashed: {}", ::strsignal(answer.signal)));
    case ChildResult::End::kDone:
      break;
  }
  if (answer.bytes.size() < sizeof(uint32_t)) return std::nullopt;
  ValidationError error;
  std::memcpy(&error.instruction, answer.bytes.data(), sizeof(uint32_t));
  error.message = answer.bytes.substr(sizeof(uint32_t));
  return error;
}

namespace {

Status AsStatus(const std::optional<ValidationError>& invalid) {
  return invalid ? Status(Error{OneLine(*invalid)}) : Status();
}

}  // namespace

Status Validate(std::span<const uint32_t> words, TargetEnvironment environment,
                const ValidationOptions& options) {
  return AsStatus(FindInvalid(words, environment, options));
}

Status ValidateWithin(std::span<const uint32_t> words, TargetEnvironment environment,
                      const ValidationOptions& options) {
  return AsStatus(FindInvalidWithin(words, environment, options));
}

std::string OneLine(const ValidationError& error) {
  std::string text =
      error.instruction == 0 ? std::string() : format("instruction {}: ", error.instruction);
  std::string_view separator;
  for (const std::string& line : Split(error.message, '\n')) {
    const std::string_view words = Trim(line);
    if (words.empty()) continue;
    text += separator;
    text += words;
    separator = words.ends_with(':') ? " " : ": ";
  }
  return text;
}

Result<std::string> Disassemble(std::span<const uint32_t> words,
                                const DisassemblyOptions& options) {
  // The newest universal environment has every opcode, regardless of the module's version.
  spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
  FirstError error;
  tools.SetMessageConsumer(error.Consumer());
  uint32_t bits = SPV_BINARY_TO_TEXT_OPTION_NONE;
  if (!options.header) bits |= SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  if (options.friendly_names) bits |= SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  if (options.indent) bits |= SPV_BINARY_TO_TEXT_OPTION_INDENT;
  std::string text;
  if (!tools.Disassemble(words.data(), words.size(), &text, bits)) {
    return Error{format("word {}: {}", error.index, error.message)};
  }
  return text;
}

Result<std::vector<uint32_t>> Assemble(std::string_view text, TargetEnvironment environment) {
  spvtools::SpirvTools tools(RowOf(environment).tools_name);
  FirstError error;
  tools.SetMessageConsumer(error.Consumer());
  std::vector<uint32_t> words;
  if (!tools.Assemble(text.data(), text.size(), &words,
                      SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS)) {
    return Error{format("{}:{}: {}", error.line + 1, error.column + 1, error.message)};
  }
  return words;
}

std::optional<uint32_t> VersionInComment(std::string_view text) {
  constexpr std::string_view kMark = "; Version: ";
  while (text.starts_with(';')) {  // only the comments at the top
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.starts_with(kMark)) {
      const auto parts = Split(Trim(line.substr(kMark.size())), '.');
      uint64_t major = 0, minor = 0;
      if (parts.size() == 2 && ParseNumber(parts[0], &major) && ParseNumber(parts[1], &minor) &&
          major < 256 && minor < 256) {
        return VersionWord(static_cast<uint32_t>(major), static_cast<uint32_t>(minor));
      }
    }
    if (line.size() == text.size()) break;
    text.remove_prefix(line.size() + 1);
  }
  return std::nullopt;
}

Result<std::vector<uint32_t>> Optimize(std::span<const uint32_t> words,
                                       const std::vector<std::string>& flags,
                                       TargetEnvironment environment) {
  spvtools::Optimizer optimizer(RowOf(environment).tools_name);
  FirstError error;
  optimizer.SetMessageConsumer(error.Consumer());
  if (!optimizer.RegisterPassesFromFlags(flags)) {
    return Error{format("spirv-opt: {}", error.is_set ? error.message : "unknown flag"),
                 ErrorKind::kUsage};
  }
  spvtools::OptimizerOptions options;
  options.set_run_validator(false);
  std::vector<uint32_t> result;
  if (!optimizer.Run(words.data(), words.size(), &result, options)) {
    return Error{
        format("spirv-opt: {}", error.is_set ? error.message : "failed without a message")};
  }
  return result;
}

}  // namespace ir
}  // namespace refract
