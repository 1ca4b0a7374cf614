// SPDX-License-Identifier: Apache-2.0
#include "engine/original.h"

#include <algorithm>

#include "base/clock.h"
#include "base/hash.h"
#include "base/text.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/call_graph.h"
#include "ir/validity/known_valid.h"

namespace refract {
inline namespace engine {
namespace {

constexpr double kSlowValidationSeconds = 0.25;

Error Invalid(const std::string& file, TargetEnvironment environment,
              const ValidationError& invalid) {
  if (invalid.unfinished) return Error{format("{}: {}", file, OneLine(invalid))};
  return Error{format("{}: not valid for {}: {}", file, NameOf(environment), OneLine(invalid))};
}

// Returns the environment for which the module is valid: the requested one, else Vulkan, else
// universal.
Result<TargetEnvironment> ChooseEnvironment(const Original& original,
                                            const OriginalOptions& options, uint32_t version) {
  const auto try_one = [&](TargetEnvironment environment) {
    return options.cache_validation
               ? FindInvalidUnlessKnown(original.words, environment, options.validation)
               : FindInvalidWithin(original.words, environment, options.validation);
  };
  if (options.environment) {
    if (const auto invalid = try_one(*options.environment)) {
      return Invalid(original.file, *options.environment, *invalid);
    }
    return *options.environment;
  }
  const TargetEnvironment vulkan = DefaultEnvironment(version);
  const auto not_vulkan = try_one(vulkan);
  if (!not_vulkan) return vulkan;
  if (not_vulkan->unfinished) return Invalid(original.file, vulkan, *not_vulkan);
  const TargetEnvironment universal = UniversalEnvironment(version);
  const auto not_universal = try_one(universal);
  if (!not_universal) return universal;
  return Invalid(original.file, vulkan, not_universal->unfinished ? *not_universal : *not_vulkan);
}

Result<std::string> ChooseEntry(const Module& module, const std::string& file,
                                const OriginalOptions& options) {
  const std::string& wanted = options.entry;
  const std::vector<EntryPoint> entries = EntryPoints(module);
  std::string names;
  for (const EntryPoint& entry : entries) {
    if (!wanted.empty() && entry.name == wanted) return wanted;
    names += (names.empty() ? "" : ", ") + entry.name;
  }
  if (!wanted.empty()) {
    return Error{format("{}: no entry point '{}'; the module has: {}", file, wanted,
                        names.empty() ? "none" : names)};
  }
  if (entries.size() > 1 && !options.any_entry) {
    return Error{format("{}: several entry points; choose one with --entry: {}", file, names),
                 ErrorKind::kUsage};
  }
  return entries.empty() ? std::string() : entries[0].name;
}

// Returns the scalars that the entry point `entry` reads from uniform blocks and push constants and
// whose values `inputs` gives. Leaves out blocks that cannot be filled, such as those with
// pointers. Inputs that do not fit the module are an error.
Result<std::vector<KnownValue>> KnownInputsOf(const Module& module, const std::string& entry,
                                              const Inputs& inputs, const std::string& file) {
  if (entry.empty()) return std::vector<KnownValue>();
  const Result<EntryPoint> entry_point = FindEntryPoint(module, entry, file);
  if (!entry_point && entry_point.error().kind == ErrorKind::kUnavailable) {
    return std::vector<KnownValue>();
  }
  if (!entry_point) return entry_point.error();
  // This does not check whether the entry point can be run with the inputs.
  const ResolveOptions options{.zero_inputs = true, .known_only = true};
  Result<ResolvedInputs> resolved = Resolve(module, *entry_point, inputs, file, options);
  if (!resolved && resolved.error().kind == ErrorKind::kUnavailable &&
      inputs.companion != nullptr) {
    Inputs alone = inputs;  // shaders that do not fit together can still be changed one by one
    alone.companion.reset();
    resolved = Resolve(module, *entry_point, alone, file, options);
  }
  if (resolved) return std::move(resolved->known);
  if (resolved.error().kind == ErrorKind::kUnavailable) return std::vector<KnownValue>();
  return resolved.error();
}

}  // namespace

std::string HashOfInputs(const Inputs* inputs) {
  return inputs == nullptr ? std::string() : ContentHash(WriteInputs(*inputs, ListForm::kOneLine));
}

std::string HashOfInputs(const Inputs* inputs, const Original& original) {
  return inputs == original.context.inputs.get() ? original.inputs_hash : HashOfInputs(inputs);
}

std::string HashOfWords(const std::vector<uint32_t>& words) {
  return ContentHash({reinterpret_cast<const char*>(words.data()), words.size() * 4});
}

std::vector<std::string> MissingInputs(const Original& original) {
  const Context& context = original.context;
  if (context.entry.empty()) return {};
  const Result<EntryPoint> entry = FindEntryPoint(context.module, context.entry, original.file);
  if (!entry) return {};
  const Inputs none;
  Result<ResolvedInputs> resolved =
      Resolve(context.module, *entry, context.inputs == nullptr ? none : *context.inputs,
              original.file, {.zero_inputs = true, .known_only = true});
  return resolved ? std::move(resolved->missing) : std::vector<std::string>();
}

OriginalOptions OptionsOf(const Original& original) {
  OriginalOptions options;
  options.entry = original.context.entry;
  options.environment = original.environment;
  options.validation = original.validation;
  options.latest_shapes = original.context.latest_shapes;
  return options;
}

Result<Original> MakeOriginal(std::vector<uint32_t> words, const std::string& file,
                              std::shared_ptr<const Inputs> inputs,
                              const OriginalOptions& options) {
  Original original;
  original.file = file;
  original.words = std::move(words);
  Result<Module> module = ReadModule(original.words, file);
  if (!module) return module.error();
  original.context.module = std::move(*module);
  original.validation = options.validation;
  const double begin = MonotonicSeconds();
  const Result<TargetEnvironment> environment =
      ChooseEnvironment(original, options, original.context.module.version());
  if (!environment) return environment.error();
  original.is_slow_to_validate = MonotonicSeconds() - begin > kSlowValidationSeconds;
  original.environment = *environment;
  Result<std::string> entry = ChooseEntry(original.context.module, file, options);
  if (!entry) return entry.error();
  original.context.entry = std::move(*entry);
  original.context.latest_shapes = options.latest_shapes;
  original.module_hash = HashOfWords(original.words);
  if (inputs) {
    original.inputs_hash = HashOfInputs(inputs.get());
    if (inputs->companion != nullptr) {
      original.companion_hash = HashOfWords(inputs->companion->spirv);
    }
    original.width = inputs->width;
    original.height = inputs->height;
    Result<std::vector<KnownValue>> known =
        KnownInputsOf(original.context.module, original.context.entry, *inputs, file);
    if (!known) return known.error();
    original.context.facts.SetKnownInputs(
        std::make_shared<const std::vector<KnownValue>>(std::move(*known)));
  }
  original.context.inputs = std::move(inputs);
  return original;
}

}  // namespace engine
}  // namespace refract
