// SPDX-License-Identifier: Apache-2.0
#include "folder/amber.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "folder/amber_expect.h"
#include "folder/amber_job.h"
#include "folder/file_names.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "image/png.h"
#include "ir/binary.h"

namespace refract {
inline namespace folder {
namespace {

struct TestJobs {
  AmberJob original, variant;
  std::optional<Comparison> seen;  // the difference of the images in the folder
};

Result<TestModule> ReadTestModule(const std::string& folder, const std::string& name,
                                  std::shared_ptr<const Inputs> otherwise) {
  TestModule module;
  Result<LoadedModule> loaded = LoadModuleFile(format("{}/{}.spv", folder, name));
  if (!loaded) return loaded.error();
  module.words = std::move(loaded->words);
  module.inputs = std::move(otherwise);
  const std::string file = format("{}/{}.json", folder, name);
  if (!FileExists(file)) return module;
  Result<Inputs> inputs = LoadInputs(file);
  if (!inputs) return inputs.error();
  module.inputs = std::make_shared<const Inputs>(std::move(*inputs));
  return module;
}

// Adds the companion to both modules, if the folder has one.
Status AddCompanion(const std::string& folder, const std::vector<TestModule*>& modules) {
  for (const auto& [model, name, option] : kCompanionFiles) {
    const std::string file = format("{}/{}", folder, name);
    if (!FileExists(file)) continue;
    const Result<LoadedCompanion> loaded = LoadCompanionFile(file, model);
    if (!loaded) return loaded.error();
    for (TestModule* module : modules) {
      Inputs inputs = module->inputs != nullptr ? *module->inputs : Inputs();
      inputs.companion = loaded->companion;
      module->inputs = std::make_shared<const Inputs>(std::move(inputs));
    }
  }
  return {};
}

std::optional<Image> ReadPngImage(const std::string& file) {
  const Result<std::string> bytes = ReadFile(file);
  if (!bytes) return std::nullopt;
  Result<Image> image = DecodePng(*bytes, file);
  if (!image) return std::nullopt;
  return std::move(*image);
}

// `first`: the name of the original, or of the only module.
Result<TestJobs> ReadTestJobs(const std::string& folder, const TestRecord& record,
                              const std::string& first) {
  Result<TestModule> original = ReadTestModule(folder, first, nullptr);
  if (!original) return original.error();
  const std::string name = !record.HasVariant()                           ? first
                           : FileExists(format("{}/reduced.spv", folder)) ? "reduced"
                                                                          : "variant";
  Result<TestModule> variant = ReadTestModule(folder, name, original->inputs);
  if (!variant) return variant.error();
  if (Status added = AddCompanion(folder, {&*original, &*variant}); !added) return added.error();
  Result<AmberJob> original_job =
      MakeAmberJob("original", format("{}/{}.spv", folder, first), *original, record);
  if (!original_job) return original_job.error();
  Result<AmberJob> variant_job =
      MakeAmberJob("variant", format("{}/{}.spv", folder, name), *variant, record);
  if (!variant_job) return variant_job.error();
  TestJobs test_jobs{std::move(*original_job), std::move(*variant_job), std::nullopt};
  const std::optional<Image> before = ReadPngImage(format("{}/original.png", folder));
  const std::optional<Image> after = ReadPngImage(format("{}/variant.png", folder));
  if (before && after) test_jobs.seen = Compare(*before, *after);
  return test_jobs;
}

// The newer SPIR-V version of the shaders of a job.
uint32_t VersionOf(const AmberJob& job) {
  const uint32_t version = job.shader.module.version();
  return job.companion ? std::max(version, job.companion->module.version()) : version;
}

// A comment line. Characters that are not printable ASCII become '?'.
std::string Comment(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c >= 0x7f; }, '?');
  return format("# {}\n", line);
}

// The short description for a test whose user gave none.
std::string DefaultDescription(const TestRecord& record, const EntryPointInfo& stage) {
  switch (record.verdict) {
    case FailureClass::kWrongImage:
      return "Equivalent shaders must render identically";
    case FailureClass::kWrongBuffer:
      return "A shader must write the correct buffer contents";
    case FailureClass::kHang:
      return format("A {} shader that must terminate", AmberStage(stage.model));
    default:
      return format("A {} shader that must compile and {}", AmberStage(stage.model),
                    stage.is_compute() ? "run" : "draw");
  }
}

Result<std::string> Description(const TestRecord& record, const AmberOptions& options,
                                const EntryPointInfo& stage) {
  if (options.description.empty()) return DefaultDescription(record, stage);
  const bool printable = std::all_of(options.description.begin(), options.description.end(),
                                     [](char c) { return c >= ' ' && c < 0x7f; });
  if (printable && options.description.size() <= kMaxAmberDescription) return options.description;
  return Error{format("the description must be one line of at most {} printable ASCII characters",
                      kMaxAmberDescription),
               ErrorKind::kUsage};
}

std::string Header(const TestRecord& record, const std::string& description, uint32_t version) {
  std::string text = "#!amber\n\n";
  text += Comment(format("Short description: {}", description));
  text += "#\n";
  if (!record.covers.empty()) {
    text += Comment(format("Made by refract {}: {}", record.tool, record.signature));
    text += Comment(format("Run with: amber -v {} FILE", VulkanVersionFor(version)));
    return text + "\n";
  }
  text += Comment(format("Found by refract {} on {}{}",
                         record.tool.empty() ? ToolVersion() : record.tool, record.target.name,
                         record.target.version.empty() ? "" : ", " + record.target.version));
  text += Comment(format("Signature: {}", record.signature));
  if (!record.what.empty()) text += Comment(format("What happened: {}", record.what));
  text += Comment(format("Run with: amber -v {} FILE", VulkanVersionFor(version)));
  return text + "\n";
}

Result<AmberRequirements> RequirementsOf(const std::vector<const AmberJob*>& jobs) {
  AmberRequirements needs;
  for (const AmberJob* job : jobs) {
    std::vector<const AmberShader*> shaders = {&job->shader};
    if (job->companion) shaders.push_back(&*job->companion);
    for (const AmberShader* shader : shaders) {
      if (Status known = AddRequirements(shader->module, shader->file, &needs); !known) {
        return known.error();
      }
    }
    if (!job->stage.is_compute() && WritesMemory(*job)) {
      needs.features.insert("fragmentStoresAndAtomics");
    }
    if (job->vertex_has_memory) needs.features.insert("vertexPipelineStoresAndAtomics");
    for (const BoundImage& image : job->bindings.images) {
      if (image.wrap != BoundImage::kMirrorClamp) continue;
      needs.extensions.insert("VK_KHR_sampler_mirror_clamp_to_edge");
    }
  }
  return needs;
}

std::string RequirementText(const AmberRequirements& needs) {
  std::string text;
  for (const std::string& name : needs.features) text += format("DEVICE_FEATURE {}\n", name);
  for (const std::string& name : needs.extensions) text += format("DEVICE_EXTENSION {}\n", name);
  for (const std::string& name : needs.properties) text += format("DEVICE_PROPERTY {}\n", name);
  return text.empty() ? text : text + "\n";
}

// The expectations of the script, and the modules that they are about.
struct ScriptChecks {
  Expectations expected;
  bool both = false;  // the original runs too
};

Result<ScriptChecks> ChooseChecks(const TestRecord& record, const TestJobs& test_jobs,
                                  const KnownOutputs& known, bool only_values) {
  ScriptChecks checks;
  if (only_values && record.verdict == FailureClass::kWrongImage && record.HasVariant()) {
    // Some pixels would not be enough, because the wrong ones may be others.
    checks.expected = ExpectPixels(test_jobs.original, test_jobs.variant, known);
    if (checks.expected.whole) return checks;
  }
  const bool alone = !record.HasVariant();  // there is no variant to compare with
  if (alone || record.verdict != FailureClass::kWrongImage) {
    checks.expected = test_jobs.original.stage.is_compute()
                          ? ExpectValues(test_jobs.variant, known)
                          : ExpectPixels(test_jobs.original, test_jobs.variant, known);
    // The wrong value in a buffer may be one of those that were left out.
    const bool enough =
        alone || record.verdict != FailureClass::kWrongBuffer || checks.expected.left_out == 0;
    if (!checks.expected.text.empty() && enough) return checks;
    if (alone || (!known.certain && record.verdict != FailureClass::kWrongBuffer)) {
      checks.expected.comment = format("No output is checked: {}", known.uncertain);
      return checks;
    }
  }
  Result<Expectations> same = ExpectSame(test_jobs.original, test_jobs.variant, record.rule.kind,
                                         known.types, test_jobs.seen);
  if (!same) return same.error();
  checks.both = !same->text.empty();
  checks.expected = std::move(*same);
  if (!checks.both) checks.expected.comment = "The modules have no output to compare";
  return checks;
}

// An error if the checks compare two modules or nothing, or if a wrong image may pass them.
Status CheckOnlyValues(const std::string& folder, const TestRecord& record,
                       const ScriptChecks& checks) {
  if (!checks.both && checks.expected.text.empty()) {
    return Error{format("{}: {}", folder, checks.expected.comment)};
  }
  const bool image = record.verdict == FailureClass::kWrongImage;
  if (!checks.both && (!image || checks.expected.whole)) return {};
  return Error{format(
      "{}: the expected output is not certain enough for a test without the original, and there is "
      "no self-checking module",
      folder)};
}

void AddShader(const AmberShader& shader, AmberScript* script) {
  script->shaders.push_back(
      {shader.name, shader.entry.model, shader.entry.name, WriteModule(shader.module)});
}

}  // namespace

Result<AmberScript> AmberPartsOf(const std::string& folder, const AmberOptions& options) {
  Result<TestRecord> record = ReadTestRecord(folder);
  if (!record) return record.error();
  if (options.self_checking) {
    const std::string file = format("{}/{}", folder, kSelfChecking);
    if (!FileExists(file)) return Error{format("{}: there is no self-checking module", file)};
    record->unchanged = true;  // it has no variant
  }
  const Result<TestJobs> test_jobs =
      ReadTestJobs(folder, *record, options.self_checking ? "check" : "original");
  if (!test_jobs) return test_jobs.error();
  AmberScript script;
  Result<std::string> description = Description(*record, options, test_jobs->original.stage);
  if (!description) return description.error();
  script.description = std::move(*description);
  const KnownOutputs known = InterpretOriginal(test_jobs->original);
  const Result<ScriptChecks> checks = ChooseChecks(*record, *test_jobs, known, options.only_values);
  if (!checks) return checks.error();
  if (options.only_values) {
    if (Status only = CheckOnlyValues(folder, *record, *checks); !only) return only.error();
  }
  std::vector<const AmberJob*> jobs;
  if (checks->both) jobs.push_back(&test_jobs->original);
  jobs.push_back(&test_jobs->variant);

  Result<AmberRequirements> needs = RequirementsOf(jobs);
  if (!needs) return needs.error();
  script.needs = std::move(*needs);
  script.version = VersionOf(test_jobs->variant);
  script.body = RequirementText(script.needs);
  for (const AmberJob* job : jobs) {
    const Result<std::string> declarations = Declarations(*job, known.types);
    if (!declarations) return declarations.error();
    script.body += *declarations;
    AddShader(job->shader, &script);
    if (job->companion) AddShader(*job->companion, &script);
  }
  for (const AmberJob* job : jobs) script.body += RunCommands(*job);
  script.body += "\n" + Comment(checks->expected.comment) + checks->expected.text;
  script.record = std::move(*record);
  return script;
}

Result<std::string> AmberScriptOf(const std::string& folder, const AmberOptions& options) {
  const Result<AmberScript> script = AmberPartsOf(folder, options);
  if (!script) return script.error();
  return Header(script->record, script->description, script->version) + script->body;
}

}  // namespace folder
}  // namespace refract
