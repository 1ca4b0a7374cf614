// SPDX-License-Identifier: Apache-2.0
#include "folder/target_record.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "folder/build_id.h"
#include "target/inspect.h"

namespace refract {
inline namespace folder {
namespace {

// Prefixes of environment variables that change what a driver or the loader does.
constexpr std::string_view kPrefixes[] = {
    "ACO_",   "AMD_", "AMDVLK_", "ANV_",  "FD_",   "GALLIUM_", "GALLIVM_", "INTEL_",
    "LIBGL_", "LP_",  "LVP_",    "MESA_", "NIR_",  "NVK_",     "PAN_",     "RADV_",
    "ST_",    "TU_",  "VK_",     "ZINK_", "__GL_", "DRAW_",    "SWIFT",
};

std::string_view FileName(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

void AddEnvironment(const Target& target, TargetRecord* record) {
  std::map<std::string, std::string> variables;
  for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view text = *each;
    const size_t equals = std::min(text.find('='), text.size());
    const bool heard =
        std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                    [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (heard && equals < text.size()) {
      variables[std::string(text.substr(0, equals))] = WithoutFolders(text.substr(equals + 1));
    }
  }
  for (const auto& [name, value] : target.environment) variables[name] = WithoutFolders(value);
  record->environment.assign(variables.begin(), variables.end());
}

void AddDriver(const Target& target, const DeviceInfo& device, TargetRecord* record) {
  record->driver = device.driver;
  record->driver_version = format("{:#x}", device.driver_version);
  record->driver_info = device.driver_info;
  record->device = device.device;
  record->api_version = ApiVersionText(device.api_version);
  record->icd = FileName(target.icd);
  const std::string library =
      target.root.is_set() ? LibraryOf(target) : folder::LibraryOfIcd(target.icd);
  if (!library.empty()) {
    record->build_ids.emplace_back(FileName(library), BuildIdOf(library));
  }
}

void AddTools(const CommandTarget& command, TargetRecord* record) {
  for (const CommandStep& step : command.steps) {
    const std::string name(FileName(step.argv[0]));
    const auto known = std::any_of(record->build_ids.begin(), record->build_ids.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    if (!known)
      record->build_ids.emplace_back(name, BuildIdOf(FindProgramIn(step.root, step.argv[0])));
  }
}

}  // namespace

std::string WithoutFolders(std::string_view text) {
  const auto ends = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' ||
           std::string_view("\"'`:;,=()<>|").find(c) != std::string_view::npos;
  };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || ends(text[at - 1]);
    if (text[at] != '/' || !begins) {
      result += text[at++];
      continue;
    }
    size_t end = at;
    while (end < text.size() && !ends(text[end])) ++end;
    const std::string_view path = text.substr(at, end - at);
    const size_t slash = path.find_last_of('/');
    // "/4" is a division, not a path. "/" alone is neither.
    result += slash == 0 ? path : path.substr(slash + 1);
    at = end;
  }
  return result;
}

Result<TargetRecord> DescribeTarget(const Target& target, Harness& harness) {
  const TargetState state = harness.Probe(target);
  if (!state.available) {
    return Error{format("target {}: {}", target.name, state.reason), ErrorKind::kUnavailable};
  }
  TargetRecord record;
  record.name = FileName(RecordedName(target));  // the name may be the path of an ICD file
  record.kind = TargetKindName(target.kind);
  record.version = WithoutFolders(state.version);
  if (target.command != nullptr) {
    AddTools(*target.command, &record);
    if (target.command->render != CommandTarget::Render::kNone) {
      const Result<Target> driver = harness.DriverOf(*target.command);
      // A failure of a tool needs no driver.
      if (!driver && driver.error().kind != ErrorKind::kUnavailable) return driver.error();
      if (driver) {
        const TargetState drawn = harness.Probe(*driver);
        if (drawn.available) AddDriver(*driver, drawn.device, &record);
        AddEnvironment(*driver, &record);
        return record;
      }
    }
  } else if (target.kind != Target::Kind::kInterpreter) {
    AddDriver(target, state.device, &record);
  }
  AddEnvironment(target, &record);
  return record;
}

}  // namespace folder
}  // namespace refract
