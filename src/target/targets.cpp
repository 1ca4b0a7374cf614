// SPDX-License-Identifier: Apache-2.0
#include "target/targets.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/check.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/text.h"
#include "target/driver_file.h"
#include "target/target_files.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;

// The folders where the Vulkan loader searches, and where container tools put the ICD files of
// NVIDIA.
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

/// Adds the ICD files of a folder, sorted, except those for another processor.
void AddIcdFiles(const fs::path& folder, std::vector<fs::path>* files) {
  std::error_code error;
  const size_t first = files->size();
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool foreign = name.find("i686") != std::string::npos ||
                         name.find("i386") != std::string::npos ||
                         name.find("icd32") != std::string::npos;
    if (it->path().extension() == ".json" && !foreign) files->push_back(it->path());
  }
  std::sort(files->begin() + static_cast<std::ptrdiff_t>(first), files->end());
}

/// Adds the files and folders that a variable of the Vulkan loader lists, separated by ":". False
/// if the variable is not set.
bool AddListed(const char* variable, std::vector<fs::path>* files) {
  const char* listed = std::getenv(variable);
  if (listed == nullptr || *listed == '\0') return false;
  for (const std::string& path : Split(listed, ':')) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      AddIcdFiles(path, files);
    } else if (FileExists(path)) {
      files->emplace_back(path);
    }
  }
  return true;
}

/// The ICD files that the Vulkan loader would use. The files in VK_DRIVER_FILES (older name:
/// VK_ICD_FILENAMES) replace the standard folders; those in VK_ADD_DRIVER_FILES come before them.
std::vector<fs::path> IcdFiles() {
  std::vector<fs::path> files;
  if (AddListed("VK_DRIVER_FILES", &files) || AddListed("VK_ICD_FILENAMES", &files)) return files;
  AddListed("VK_ADD_DRIVER_FILES", &files);
  for (const char* folder : kIcdFolders) AddIcdFiles(folder, &files);
  return files;
}

/// The name of a driver: "radeon" for "radeon_icd.x86_64.json".
std::string NameOf(const fs::path& icd) {
  const std::string file = icd.filename().string();
  std::string_view name = file;
  name = name.substr(0, name.find('.'));
  for (const std::string_view ending : {"_icd64", "_icd"}) {
    if (name.ends_with(ending)) name.remove_suffix(ending.size());
  }
  return std::string(name.empty() ? std::string_view(file) : name);
}

/// The ICD file of SwiftShader. It is in no standard folder, because it comes with a browser.
std::string FindSwiftShader() {
  constexpr const char* kFile = "vk_swiftshader_icd.json";
  std::vector<fs::path> folders;
  if (const char* set = std::getenv("REFRACT_SWIFTSHADER"); set != nullptr && *set != '\0') {
    if (fs::path(set).extension() == ".json") return FileExists(set) ? Absolute(set) : "";
    folders.emplace_back(set);
  }
  std::error_code error;
  // In the folder of the executable or above it: build/swiftshader is also for
  // build/dev/tests/unit_target.
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

// A driver that takes shaders from its cache does not compile them.
const std::pair<std::string, std::string> kNoMesaCache = {"MESA_SHADER_CACHE_DISABLE", "1"};
const std::pair<std::string, std::string> kNoNvidiaCache = {"__GL_SHADER_DISK_CACHE", "0"};

/// RADV without its hardware. Its in-memory cache of shaders is off too, so that repeated runs
/// compile. ACO's own checks turn silent errors into aborts.
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

const Target* FindNamed(std::span<const Target> targets, std::string_view name) {
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [&](const Target& target) { return target.name == name; });
  return found == targets.end() ? nullptr : &*found;
}

/// A driver that the user described. `ours` are the known drivers, whose ICD files it may use by
/// name.
Result<Target> DriverOf(const DriverFile& file, std::span<const Target> ours) {
  Target driver;
  driver.name = file.name;
  driver.file = file.file;
  driver.description = file.description;
  driver.root = file.root;
  if (file.icd.ends_with(".json")) {
    driver.icd = FileExists(file.icd) ? Absolute(file.icd) : "";
    if (driver.icd.empty()) driver.missing = format("{}: no such ICD file", file.icd);
    if (!file.root.problem.empty()) driver.missing = file.root.problem;
    driver.environment = {kNoMesaCache, kNoNvidiaCache};
  } else {
    const Target* known = FindNamed(ours, file.icd);
    if (known == nullptr || known->kind == Target::Kind::kInterpreter) {
      std::string names;
      for (const Target& target : ours) {
        if (target.kind == Target::Kind::kInterpreter) continue;
        names += format("{}{}", names.empty() ? "" : ", ", target.name);
      }
      return Error{
          format("{}: /icd: expected the path of a .json file or one of {}", file.file, names)};
    }
    driver.icd = known->icd;
    driver.missing = known->missing;
    driver.environment = known->environment;
    driver.kind = known->kind;
  }
  if (file.pipeline_only) driver.kind = Target::Kind::kPipeline;
  for (const auto& [name, value] : file.environment) {
    const auto known =
        std::find_if(driver.environment.begin(), driver.environment.end(),
                     [&wanted = name](const auto& variable) { return variable.first == wanted; });
    if (known != driver.environment.end()) {
      known->second = value;
    } else {
      driver.environment.emplace_back(name, value);
    }
  }
  return driver;
}

Target AsTarget(CommandTarget command) {
  const std::string missing = MissingProgram(command);
  return {.name = command.name,
          .kind = Target::Kind::kCommand,
          .icd = {},
          .environment = {},
          .missing = missing,
          .command = std::make_shared<const CommandTarget>(std::move(command))};
}

/// Resolves NAME, NAME:SEED or NAME:--PASS,--PASS among `targets`.
Result<Target> ResolvePlain(const std::string& name, std::span<const Target> targets) {
  const size_t colon = name.find(':');
  const Target* found = FindNamed(targets, name.substr(0, colon));
  if (found == nullptr) {
    std::string known;
    std::vector<std::string_view> names;
    for (const Target& target : targets) {
      known += known.empty() ? target.name : ", " + target.name;
      names.push_back(target.name);
    }
    return Error{format("no target named '{}'; there are {}, or the path of an ICD file{}", name,
                        known, DidYouMean(name.substr(0, colon), names)),
                 ErrorKind::kUsage};
  }
  const bool takes_seed = found->command != nullptr && TakesSeed(*found->command);
  if (colon == std::string::npos) {
    return takes_seed ? AsTarget(WithSeed(*found->command, 0)) : *found;
  }
  const std::string given = name.substr(colon + 1);
  uint64_t seed = 0;
  if (takes_seed && ParseNumber(given, &seed)) return AsTarget(WithSeed(*found->command, seed));
  if (takes_seed && TakesPasses(*found->command) && given.starts_with('-')) {
    Result<CommandTarget> made = WithPasses(*found->command, Split(given, ','));
    if (!made) return Error{format("target {}: {}", name, made.error().message), ErrorKind::kUsage};
    return AsTarget(std::move(*made));
  }
  return Error{
      format("target {}: {} takes {}", name, found->name,
             !takes_seed                    ? "neither a seed nor passes after a colon"
             : TakesPasses(*found->command) ? "a seed or passes, as in :7 or :--ccp,--merge-blocks"
                                            : "a seed, as in :7"),
      ErrorKind::kUsage};
}

/// Like ResolvePlain, and also resolves NAME@DRIVER.
Result<Target> Resolve(const std::string& name, std::span<const Target> targets) {
  const size_t at = name.rfind('@');
  Result<Target> target = ResolvePlain(name.substr(0, at), targets);
  if (!target || at == std::string::npos) return target;
  const Result<Target> driver = ResolvePlain(name.substr(at + 1), targets);
  if (!driver) return driver;
  if (driver->command != nullptr || target->command == nullptr) {
    return Error{format("target {}: expected TARGET@DRIVER: a command target, and the driver that "
                        "draws its output",
                        name),
                 ErrorKind::kUsage};
  }
  if (!driver->missing.empty()) return driver;
  CommandTarget command = *target->command;
  const auto last_spirv = std::find_if(command.steps.rbegin(), command.steps.rend(),
                                       [](const CommandStep& s) { return !s.only_checks; });
  if (last_spirv != command.steps.rend() && !last_spirv->makes_spirv) {
    return Error{format("target {}: its output is text, which no driver can draw", name),
                 ErrorKind::kUsage};
  }
  command.name = name;
  command.render = CommandTarget::Render::kNamed;
  command.driver = driver->name;
  command.described_driver = std::make_shared<const Target>(*driver);
  return AsTarget(std::move(command));
}

}  // namespace

std::string_view TargetKindName(Target::Kind kind) {
  return kind == Target::Kind::kRender     ? "render"
         : kind == Target::Kind::kPipeline ? "pipeline"
         : kind == Target::Kind::kCommand  ? "command"
                                           : "interpreter";
}

bool IsInterpreted(const Target& target) {
  if (target.command == nullptr) return target.kind == Target::Kind::kInterpreter;
  const std::shared_ptr<const Target>& driver = target.command->described_driver;
  return driver != nullptr && driver->kind == Target::Kind::kInterpreter;
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
  std::string swiftshader = Find(files, "vk_swiftshader");
  if (swiftshader.empty()) swiftshader = FindSwiftShader();
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
  Result<TargetFiles> described = ReadTargetFiles(files);
  if (!described) return described.error();
  for (const auto& [name, file] : described->file_of) {
    if (FindNamed(targets, name) == nullptr) continue;
    return Error{format("{}: /name: '{}' is the name of a driver; choose another", file, name)};
  }
  const size_t ours = targets.size();
  for (const DriverFile& file : described->drivers) {
    Result<Target> driver = DriverOf(file, std::span(targets).first(ours));
    if (!driver) return driver.error();
    targets.push_back(std::move(*driver));
  }
  std::vector<CommandTarget>& commands = described->commands;
  for (CommandTarget& shipped : ShippedCommandTargets()) {
    const auto other = described->file_of.find(shipped.name);
    if (other == described->file_of.end()) commands.push_back(std::move(shipped));
  }
  std::sort(commands.begin(), commands.end(),
            [](const CommandTarget& a, const CommandTarget& b) { return a.name < b.name; });
  const size_t drivers = targets.size();
  for (CommandTarget& command : commands) {
    const Target* driver =
        FindNamed(std::span(targets).subspan(ours, drivers - ours), command.driver);
    if (driver != nullptr) command.described_driver = std::make_shared<const Target>(*driver);
    targets.push_back(AsTarget(std::move(command)));
  }
  return targets;
}

Result<Target> FindTarget(const std::string& name, const std::vector<std::string>& files) {
  const Result<std::vector<Target>> targets = FindTargets(files);
  if (!targets) return targets.error();
  return FindTarget(name, std::span<const Target>(*targets));
}

Result<Target> FindTarget(const std::string& name, std::span<const Target> targets) {
  if (name.ends_with(".json")) {
    if (!FileExists(name)) return Error{format("{}: no such ICD file", name)};
    return Target{.name = name,
                  .icd = Absolute(name),
                  .environment = {kNoMesaCache, kNoNvidiaCache},
                  .missing = "",
                  .command = nullptr};
  }
  Result<Target> target = Resolve(name, targets);
  if (!target || target->missing.empty()) return target;
  return Error{format("target {}: {}", name, target->missing), ErrorKind::kUnavailable};
}

std::vector<std::string> JoinPassLists(const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  for (const std::string& part : parts) {
    if (part.starts_with('-') && !names.empty() && names.back().find(":-") != std::string::npos) {
      names.back() += "," + part;
    } else {
      names.push_back(part);
    }
  }
  return names;
}

std::string RecordedName(const Target& target) {
  if (target.command == nullptr || !TakesPasses(*target.command)) return target.name;
  const std::string& name = target.name;
  const size_t colon = name.find(':');
  const size_t end = std::min(name.find('@'), name.size());
  uint64_t seed = 0;
  if (colon >= end || !ParseNumber(name.substr(colon + 1, end - colon - 1), &seed)) return name;
  std::string passes;
  for (const CommandStep& step : target.command->steps) {
    for (const std::string& flag : step.passes) {
      passes += format("{}{}", passes.empty() ? "" : ",", flag);
    }
    if (!passes.empty()) break;  // all commands that take passes have the same list
  }
  return format("{}:{}{}", name.substr(0, colon), passes, name.substr(end));
}

Target WithoutDriver(const Target& target) {
  if (target.command == nullptr) return target;
  CommandTarget command = *target.command;
  command.render = CommandTarget::Render::kNone;
  Target tools = target;
  tools.command = std::make_shared<const CommandTarget>(std::move(command));
  return tools;
}

Target Reseeded(const Target& target, uint64_t seed) {
  CHECK(target.command != nullptr && TakesSeed(*target.command));
  CommandTarget command = *target.command;
  const size_t at = command.name.rfind('@');
  const std::string driver = at == std::string::npos ? "" : command.name.substr(at);
  command.name = command.name.substr(0, std::min(command.name.find(':'), at));
  command = WithSeed(std::move(command), seed);
  command.name += driver;
  return AsTarget(std::move(command));
}

}  // namespace target
}  // namespace refract
