// SPDX-License-Identifier: Apache-2.0
#include "harness/targets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace refract {
namespace {

namespace fs = std::filesystem;

// Where the Vulkan loader looks, and where container tools put NVIDIA's.
constexpr const char* kIcdFolders[] = {
    "/etc/vulkan/icd.d",
    "/usr/local/etc/vulkan/icd.d",
    "/usr/share/vulkan/icd.d",
    "/usr/local/share/vulkan/icd.d",
    "/usr/local/nvidia/share/vulkan/icd.d",
};

std::string Absolute(const fs::path& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  return error ? fs::absolute(path, error).string() : resolved.string();
}

/// ICD files of the standard folders, sorted within each; none of a foreign processor.
std::vector<fs::path> IcdFiles() {
  std::vector<fs::path> files;
  for (const char* folder : kIcdFolders) {
    std::error_code error;
    const size_t first = files.size();
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string name = it->path().filename().string();
      const bool foreign = name.find("i686") != std::string::npos ||
                           name.find("i386") != std::string::npos ||
                           name.find("icd32") != std::string::npos;
      if (it->path().extension() == ".json" && !foreign) files.push_back(it->path());
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

/// "radeon_icd.x86_64.json" is "radeon".
std::string NameOf(const fs::path& icd) {
  const std::string file = icd.filename().string();
  std::string_view name = file;
  name = name.substr(0, name.find('.'));
  for (const std::string_view ending : {"_icd64", "_icd"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name.empty() ? std::string_view(file) : name);
}

/// SwiftShader belongs to no standard folder: it comes out of a browser's package.
std::string FindSwiftShader() {
  constexpr const char* kFile = "vk_swiftshader_icd.json";
  std::vector<fs::path> folders;
  if (const char* set = std::getenv("REFRACT_SWIFTSHADER"); set != nullptr && *set != '\0') {
    if (fs::path(set).extension() == ".json") return FileExists(set) ? Absolute(set) : "";
    folders.emplace_back(set);
  }
  std::error_code error;
  // Beside the executable or above it: build/swiftshader serves build/dev/tests/unit_tests too.
  fs::path above = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; !error && level < 4; ++level, above = above.parent_path()) {
    folders.push_back(above / "swiftshader");
  }
  folders.insert(folders.end(), {"build/swiftshader", "/usr/lib/chromium"});
  for (const fs::path& folder : folders) {
    if (FileExists((folder / kFile).string())) return Absolute(folder / kFile);
  }
  return {};
}

std::string Find(const std::vector<fs::path>& files, std::string_view name) {
  for (const fs::path& file : files) {
    if (NameOf(file) == name) return Absolute(file);
  }
  return {};
}

// A driver that answers from its cache compiles nothing.
const std::pair<std::string, std::string> kNoMesaCache = {"MESA_SHADER_CACHE_DISABLE", "1"};
const std::pair<std::string, std::string> kNoNvidiaCache = {"__GL_SHADER_DISK_CACHE", "0"};

/// RADV without its hardware. Its memory of compiled shaders is switched off too, so that repeated
/// runs compile; ACO's own checks turn silent errors into aborts.
Target Radv(const std::string& name, const std::string& icd, const std::string& debug) {
  return {.name = name,
          .kind = Target::Kind::kPipeline,
          .icd = icd,
          .environment = {kNoMesaCache,
                          {"RADV_FORCE_FAMILY", "navi21"},
                          {"RADV_DEBUG", debug},
                          {"ACO_DEBUG", "validateir,validatera"}},
          .missing = icd.empty() ? "no radeon_icd file (Debian: mesa-vulkan-drivers)" : "",
          .command = nullptr};
}

}  // namespace

std::string_view TargetKindName(Target::Kind kind) {
  return kind == Target::Kind::kRender     ? "render"
         : kind == Target::Kind::kPipeline ? "pipeline"
         : kind == Target::Kind::kCommand  ? "command"
                                           : "interpreter";
}

std::string VersionText(const DeviceInfo& device) {
  const std::string driver =
      device.driver.empty() ? format("driver version {:#x}", device.driver_version) : device.driver;
  return format("{}, {}{}Vulkan {}", driver, device.driver_info,
                device.driver_info.empty() ? "" : ", ", ApiVersionText(device.api_version));
}

std::vector<Target> FindDrivers() {
  const std::vector<fs::path> files = IcdFiles();
  const std::string lavapipe = Find(files, "lvp");
  const std::string swiftshader = FindSwiftShader();
  const std::string radeon = Find(files, "radeon");
  std::vector<Target> targets = {
      {.name = "lavapipe",
       .icd = lavapipe,
       .environment = {kNoMesaCache},
       .missing = lavapipe.empty() ? "no lvp_icd file (Debian: mesa-vulkan-drivers)" : ""},
      {.name = "swiftshader",
       .icd = swiftshader,
       .environment = {},
       .missing = swiftshader.empty()
                      ? "no vk_swiftshader_icd.json in $REFRACT_SWIFTSHADER, build/swiftshader "
                        "or /usr/lib/chromium"
                      : ""},
      Radv("radv-aco", radeon, "nocache"),
      Radv("radv-llvm", radeon, "nocache,llvm"),
  };
  std::set<std::string> names = {"lvp", "vk_swiftshader"};
  for (const fs::path& file : files) {
    if (!names.insert(NameOf(file)).second) continue;  // an earlier folder wins
    targets.push_back({.name = NameOf(file),
                       .icd = Absolute(file),
                       .environment = {kNoMesaCache, kNoNvidiaCache},
                       .missing = ""});
  }
  return targets;
}

Result<std::vector<Target>> FindTargets(const std::vector<std::string>& files) {
  std::vector<Target> targets = {{.name = "interp",
                                  .kind = Target::Kind::kInterpreter,
                                  .icd = {},
                                  .environment = {},
                                  .missing = {}}};
  for (Target& driver : FindDrivers()) targets.push_back(std::move(driver));
  Result<std::vector<CommandTarget>> commands = ReadCommandTargets(files);
  if (!commands) return commands.error();
  for (const CommandTarget& command : *commands) {
    for (const Target& driver : targets) {
      if (driver.name != command.name) continue;
      return Error{format("{}: /name: '{}' is the name of a driver; choose another", command.file,
                          command.name)};
    }
  }
  const size_t own = commands->size();
  for (CommandTarget& shipped : ShippedCommandTargets()) {
    const auto first = commands->begin(), last = first + static_cast<std::ptrdiff_t>(own);
    const bool replaced = std::any_of(
        first, last, [&](const CommandTarget& command) { return command.name == shipped.name; });
    if (!replaced) commands->push_back(std::move(shipped));
  }
  std::sort(commands->begin(), commands->end(),
            [](const CommandTarget& a, const CommandTarget& b) { return a.name < b.name; });
  for (CommandTarget& command : *commands) {
    targets.push_back({.name = command.name,
                       .kind = Target::Kind::kCommand,
                       .icd = {},
                       .environment = {},
                       .missing = MissingProgram(command),
                       .command = std::make_shared<const CommandTarget>(std::move(command))});
  }
  return targets;
}

Result<Target> FindTarget(const std::string& name, const std::vector<std::string>& files) {
  Result<std::vector<Target>> targets = FindTargets(files);
  if (!targets) return targets.error();
  if (name.ends_with(".json")) {
    if (!FileExists(name)) return Error{format("{}: no such ICD file", name)};
    return Target{.name = name,
                  .icd = Absolute(name),
                  .environment = {kNoMesaCache, kNoNvidiaCache},
                  .missing = "",
                  .command = nullptr};
  }
  std::string known;
  for (Target& target : *targets) {
    if (target.name != name) {
      known += known.empty() ? target.name : ", " + target.name;
    } else if (!target.missing.empty()) {
      return Error{format("target {}: {}", name, target.missing), ErrorKind::kUnavailable};
    } else {
      return std::move(target);
    }
  }
  return Error{
      format("no target named '{}'; there are {}, or the path of an ICD file", name, known),
      ErrorKind::kUsage};
}

}  // namespace refract
