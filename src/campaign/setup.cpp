// SPDX-License-Identifier: Apache-2.0
#include "campaign/setup.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "base/version.h"
#include "campaign/feedback.h"
#include "campaign/original_tests.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

std::string Excerpt(const Json& value) {
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= 100 ? text : text.substr(0, 97) + "...";
}

// Describes the first member in which two lists (of modules or targets) differ.
std::string ListDifference(const std::string& key, const Json& before, const Json& now) {
  for (size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    const Json a = i < before.size() ? before[i] : Json("(none)");
    const Json b = i < now.size() ? now[i] : Json("(none)");
    if (a != b) {
      return format("{}, number {}: {} before, {} now", key, i + 1, Excerpt(a), Excerpt(b));
    }
  }
  return {};
}

// Nothing if there is no campaign in the folder.
Result<std::optional<CampaignInfo>> InfoOfCampaign(const std::string& out) {
  const std::string path = out + "/" + kStoreFile;
  if (!FileExists(path)) return std::optional<CampaignInfo>();
  Result<Store> store = Store::Read(path);
  if (!store) return store.error();
  Result<CampaignInfo> info = store->Info();
  if (!info) return info.error();
  return std::optional<CampaignInfo>(std::move(*info));
}

}  // namespace

std::vector<std::string> TargetNames(const CampaignSetup& setup) {
  std::vector<std::string> names;
  for (const VersionedTarget& state : setup.targets) names.push_back(state.target.name);
  return names;
}

const VersionedTarget* TargetNamed(const CampaignSetup& setup, const std::string& name) {
  for (const VersionedTarget& state : setup.targets) {
    if (state.target.name == name) return &state;
  }
  return nullptr;
}

TestPlan PlanOf(const CampaignSetup& setup, uint64_t index) {
  if (IsOriginalTest(index)) {
    TestPlan plan;
    plan.reference = ReferenceOfOriginalTest(index);
    plan.original = true;
    plan.varied = false;
    return plan;
  }
  return setup.feedback != nullptr ? setup.feedback->PlanOf(index)
                                   : PlanWithoutFeedback(setup, index);
}

TestPlan PlanWithoutFeedback(const CampaignSetup& setup, uint64_t index) {
  return PlanTest(setup.seed, index, setup.sources.size(), setup.shares, setup.first_round);
}

const std::string& ReferenceName(ProgramKind kind) {
  static const std::string kControlFlow = kControlFlowPrograms, kGenerated = kGeneratedPrograms;
  return kind == ProgramKind::kControlFlow ? kControlFlow : kGenerated;
}

bool IsProgramReference(std::string_view name) {
  return name == kControlFlowPrograms || name == kGeneratedPrograms;
}

const std::string& ReferenceName(const CampaignSetup& setup, const TestPlan& plan) {
  return plan.program ? ReferenceName(*plan.program) : setup.sources[plan.reference].name;
}

bool IsSeeded(const Target& target) {
  return target.command != nullptr && TakesSeed(*target.command) &&
         target.name.find(':') == std::string::npos;
}

Target TargetOfTest(const Target& target, uint64_t seed) {
  return IsSeeded(target) ? Reseeded(target, seed) : target;
}

Result<CampaignSource> LoadSource(const std::string& name, const std::string& file) {
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  Result<std::shared_ptr<const Inputs>> inputs = LoadInputsOf(file);
  if (!inputs) return inputs.error();
  Result<Original> original = MakeOriginal(std::move(loaded->words), file, std::move(*inputs), {});
  if (!original) return original.error();
  CampaignSource source{name, file, nullptr, {}};
  source.hash = ContentHash(
      format("{} {}{}", original->module_hash, original->inputs_hash, original->companion_hash));
  source.original = std::make_unique<const Original>(std::move(*original));
  return source;
}

std::string OptionsText(const CampaignSetup& setup) {
  Json json;
  json["version"] = ToolVersion();
  if (setup.sample) json["sample"] = *setup.sample;
  if (setup.zero_inputs) json["zero_inputs"] = true;
  Json& references = json["references"] = Json::array();
  for (const CampaignSource& source : setup.sources) {
    references.push_back(format("{} {}", source.name, source.hash));
  }
  json["flesh"] = setup.shares.flesh;
  // Campaigns of earlier versions have no such key.
  if (setup.shares.generate > 0) json["generate"] = setup.shares.generate;
  json["fuel"] = setup.fuel;
  json["donors"] = setup.donors_hash;
  Json& targets = json["targets"] = Json::array();
  for (const VersionedTarget& state : setup.targets) targets.push_back(state.target.name);
  json["max_steps"] = setup.max_steps;
  json["passes"] = setup.passes;
  // Campaigns of earlier versions have no such keys.
  if (setup.all_passes > 0) json["all_passes"] = setup.all_passes;
  if (setup.float_identities) json["float"] = true;
  if (setup.feedback != nullptr) {
    json["coverage"] = setup.feedback->target();
    json["coverage_program"] = setup.feedback->program_hash();
    json["round"] = setup.feedback->tests_per_round();
    json["feedback"] = setup.feedback->decides();
  }
  if (setup.thresholds != Thresholds()) json["thresholds"] = ThresholdsText(setup.thresholds);
  json["recommendations"] = setup.recommendations;
  json["time_limit"] = setup.time_limit;
  json["keep"] = setup.keep;
  json["confirm"] = setup.confirm;
  json["shard"] = format("{}/{}", setup.shard.number, setup.shard.of);
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string OptionsDifference(const std::string& before, const std::string& now) {
  const Json a = Json::parse(before, nullptr, false), b = Json::parse(now, nullptr, false);
  if (!a.is_object() || !b.is_object()) return "the options cannot be read";
  for (const auto& [key, value] : b.items()) {
    const Json was = a.contains(key) ? a[key] : Json();
    if (was == value) continue;
    if (was.is_array() && value.is_array()) return ListDifference(key, was, value);
    return format("{}: {} before, {} now", key, was.is_null() ? "(none)" : Excerpt(was),
                  Excerpt(value));
  }
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key)) return format("{}: {} before, (none) now", key, Excerpt(value));
  }
  return {};
}

Result<uint64_t> SeedOfCampaign(const std::string& out, std::optional<uint64_t> given) {
  const Result<std::optional<CampaignInfo>> info = InfoOfCampaign(out);
  if (!info) return info.error();
  if (*info) return (*info)->seed;
  return given ? *given : DrawSeed();
}

Result<std::optional<uint32_t>> PercentOfCampaign(const std::string& out, const char* option) {
  const Result<std::optional<CampaignInfo>> info = InfoOfCampaign(out);
  if (!info) return info.error();
  if (!*info) return std::optional<uint32_t>();
  const Json options = Json::parse((*info)->options, nullptr, false);
  const bool has = options.is_object() && options.contains(option);
  if (!has || !options[option].is_number_unsigned()) return std::optional<uint32_t>(0);
  return std::optional<uint32_t>(options[option].get<uint32_t>());
}

Result<Store> OpenStore(CampaignSetup* setup, std::optional<uint64_t> seed) {
  const std::string path = setup->out + "/" + kStoreFile;
  if (FileExists(path)) {
    Result<Store> store = Store::Open(path);
    if (!store) return store;
    const Result<CampaignInfo> info = store->Info();
    if (!info) return info.error();
    setup->seed = info->seed;
    std::string differs = seed && *seed != info->seed
                              ? format("seed: {} before, {} now", info->seed, *seed)
                              : OptionsDifference(info->options, OptionsText(*setup));
    if (differs.empty()) return store;
    return Error{format("{}: the campaign in this folder has other options: {}; use the same "
                        "options, or another folder",
                        setup->out, differs),
                 ErrorKind::kUsage};
  }
  setup->seed = seed ? *seed : DrawSeed();
  if (Status made = MakeFolder(setup->out); !made) return made.error();
  CampaignInfo info;
  info.seed = setup->seed;
  info.options = OptionsText(*setup);
  info.tool = ToolVersion();
  info.commit = ToolCommit();
  return Store::Create(path, info);
}

}  // namespace campaign
}  // namespace refract
