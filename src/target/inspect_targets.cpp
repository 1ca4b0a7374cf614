// SPDX-License-Identifier: Apache-2.0
// Inspects drivers and tools.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "driver/loader.h"
#include "input/json_text.h"
#include "target/health.h"
#include "target/inspect.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;
using State = Inspected::State;

constexpr const char* kDriverVariables[] = {"VK_DRIVER_FILES", "VK_ICD_FILENAMES",
                                            "VK_ADD_DRIVER_FILES", "REFRACT_SWIFTSHADER"};

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  return value == nullptr ? "" : value;
}

// The variable that replaces the standard folders of drivers; empty if not set.
std::string ReplacingVariable() {
  for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    if (!Variable(name).empty()) return name;
  }
  return {};
}

Inspected InspectLoader(const VulkanLoader& loader) {
  Inspected found{.group = "drivers", .name = "Vulkan loader", .file = loader.file};
  found.text = format("version {}", loader.version);
  if (!loader.file.empty()) return found;
  found.state = State::kMissing;
  found.text = "libvulkan.so.1 cannot be opened";
  found.fix = "apt-get install libvulkan1";
  return found;
}

Inspected InspectLayer(const VulkanLoader& loader) {
  Inspected found{.group = "drivers", .name = "validation layer"};
  found.text = "for `refract run --validate`";
  if (loader.has_validation_layer) return found;
  found.state = State::kMissing;
  found.text = "VK_LAYER_KHRONOS_validation, for `refract run --validate`";
  found.fix = "apt-get install vulkan-validationlayers";
  return found;
}

// A variable that selects drivers. Files that it names and that do not exist are ignored by the
// loader without a message.
Inspected InspectVariable(const char* name) {
  Inspected found{.group = "drivers", .name = name, .text = std::string(Variable(name))};
  std::string absent;
  for (const std::string& path : Split(Variable(name), ':')) {
    std::error_code error;
    if (path.empty() || fs::exists(path, error)) continue;
    absent += format("{}{}", absent.empty() ? "" : ", ", path);
  }
  if (absent.empty()) return found;
  found.state = State::kBroken;
  found.text = format("names files that do not exist: {}", absent);
  found.fix = format("unset {}", name);
  return found;
}

std::string FixOfMissing(const Target& target) {
  if (target.name == "swiftshader") {
    return "run `make setup` in the source folder of Refract, or set REFRACT_SWIFTSHADER to the "
           "folder of vk_swiftshader_icd.json";
  }
  const std::string install = InstallCommand(target.missing);
  const std::string variable = ReplacingVariable();
  if (variable.empty() || install.empty()) return install;
  return format("unset {}; if the driver is still missing: {}", variable, install);
}

Inspected InspectDriver(const Target& target, Harness& harness) {
  Inspected found{.group = "drivers", .name = target.name};
  if (!target.missing.empty()) {
    found.state = State::kMissing;
    found.text = target.missing;
    found.fix = FixOfMissing(target);
    return found;
  }
  found.file = LibraryOf(target);
  if (!target.root.is_set()) found.select = format("VK_DRIVER_FILES={}", target.icd);
  const TargetState state = harness.Probe(target);
  if (!state.available) {
    // The files of drivers for hardware are often installed on machines without that hardware.
    const bool no_device = state.reason.starts_with("the driver finds no device");
    found.state = no_device ? State::kMissing : State::kBroken;
    found.text = state.reason;
    if (no_device) found.fix = "nothing to do unless this machine has such hardware";
    if (!no_device) found.fix = "reinstall the package of this driver, or remove its ICD file";
    return found;
  }
  found.text = state.version;
  const bool pipeline = target.kind == Target::Kind::kPipeline;
  const std::string problem = HealthProblem(harness.Try(target, HealthJob()), pipeline);
  if (problem.empty()) {
    found.draws = !pipeline;
    if (pipeline) found.text += "; compiles only";
    return found;
  }
  found.state = State::kBroken;
  found.text = format("{}: it cannot run a simple shader: {}", state.version, problem);
  found.fix = "install another version of this driver";
  return found;
}

}  // namespace

std::string_view StateName(State state) {
  return state == State::kOk ? "ok" : state == State::kMissing ? "missing" : "broken";
}

std::string InstallCommand(std::string_view text) {
  constexpr std::string_view kMark = "Debian: ";
  const size_t at = text.find(kMark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + kMark.size());
  return format("apt-get install {}", rest.substr(0, rest.find_first_of(" ),;")));
}

std::string LibraryOfIcd(const std::string& icd) {
  const Result<std::string> text = ReadFile(icd, uint64_t{1} << 20);
  if (!text) return {};
  const Result<JsonNode> root = ParseJson(icd, *text);
  const JsonNode* driver = root ? root->Find("ICD") : nullptr;
  const JsonNode* library = driver != nullptr ? driver->Find("library_path") : nullptr;
  if (library == nullptr || library->kind != JsonNode::Kind::kString) return {};
  // A name without a slash is searched for by the dynamic linker.
  if (library->text.find('/') == std::string::npos) return library->text;
  return (fs::path(icd).parent_path() / library->text).lexically_normal().string();
}

std::string LibraryOf(const Target& driver) {
  const std::string library = LibraryOfIcd(driver.icd);
  const std::string found = FindLibraryIn(driver.root, library);
  return found.empty() ? library : found;
}

std::vector<Inspected> InspectDrivers(const std::vector<Target>& targets, Harness& harness) {
  const VulkanLoader loader = FindVulkanLoader();
  std::vector<Inspected> list = {InspectLoader(loader)};
  for (const char* variable : kDriverVariables) {
    if (!Variable(variable).empty()) list.push_back(InspectVariable(variable));
  }
  for (const Target& target : targets) {
    if (target.kind != Target::Kind::kRender && target.kind != Target::Kind::kPipeline) continue;
    list.push_back(InspectDriver(target, harness));
  }
  list.push_back(InspectLayer(loader));
  return list;
}

std::vector<Inspected> InspectTools(const std::vector<Target>& targets) {
  std::vector<Inspected> list;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Target& target : targets) {
    if (target.command == nullptr) continue;
    for (const CommandStep& step : target.command->steps) {
      if (!seen.insert({step.argv[0], step.root.folder}).second) continue;
      Inspected found{.group = "tools", .name = step.name};
      found.file = FindProgramIn(step.root, step.argv[0]);
      CommandTarget alone;
      alone.steps = {step};
      if (found.file.empty()) {
        found.state = State::kMissing;
        found.text = MissingProgram(alone);
        found.fix = InstallCommand(step.hint);
        if (found.fix.empty()) found.fix = step.hint;
      } else {
        const std::string version = VersionsOf(alone);
        const std::string prefix = step.name + ": ";
        found.text = version.starts_with(prefix) ? version.substr(prefix.size()) : version;
        if (step.root.is_set()) found.text += format("; from the root {}", step.root.folder);
      }
      list.push_back(std::move(found));
    }
  }
  std::sort(list.begin(), list.end(), [](const Inspected& a, const Inspected& b) {
    return std::tie(a.name, a.file) < std::tie(b.name, b.file);
  });
  return list;
}

}  // namespace target
}  // namespace refract
