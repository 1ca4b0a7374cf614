// SPDX-License-Identifier: Apache-2.0
#include "coverage/build.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "coverage/block_file.h"
#include "input/json_text.h"
#include "signature/normalise.h"

namespace refract {
inline namespace coverage {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using System = CoverageRecipe::System;

// Optimised a little, so that tests are quick, and with line tables. no-prune: a counter for each
// block, because the lines of a block come from it alone.
constexpr std::string_view kFlags =
    "-O1 -gline-tables-only -fsanitize-coverage=trace-pc-guard,pc-table,no-prune";

constexpr CoverageRecipe kRecipes[] = {
    {"cmake", "any CMake project: pass --program", System::kCmake, "", "", "", "", "", ""},
    {"glslang", "glslang's compiler", System::kCmake,
     "-DENABLE_OPT=OFF -DGLSLANG_TESTS=OFF -DBUILD_TESTING=OFF", "glslang-standalone",
     "StandAlone/glslang", "", "", ""},
    {"lavapipe", "Mesa's lavapipe", System::kMeson,
     "-Dgallium-drivers=swrast -Dvulkan-drivers=swrast -Dplatforms= -Dglx=disabled -Degl=disabled "
     "-Dgbm=disabled -Dopengl=false -Dgles1=disabled -Dgles2=disabled -Dllvm=enabled",
     "", "src/gallium/targets/lavapipe/lvp_devenv_icd.x86_64.json",
     "src/gallium/targets/lavapipe/libvulkan_lvp.so", "lavapipe",
     "what `apt-get build-dep mesa` installs, with LLVM"},
    {"radv", "Mesa's RADV with ACO, without LLVM", System::kMeson,
     "-Dgallium-drivers= -Dvulkan-drivers=amd -Dplatforms= -Dglx=disabled -Degl=disabled "
     "-Dgbm=disabled -Dopengl=false -Dgles1=disabled -Dgles2=disabled -Dllvm=disabled",
     "", "src/amd/vulkan/radeon_devenv_icd.x86_64.json", "src/amd/vulkan/libvulkan_radeon.so",
     "radv-aco", "bison, flex, libdrm and the Mako module of Python (Debian: python3-mako)"},
    {"spirv-cross", "SPIRV-Cross", System::kCmake,
     "-DSPIRV_CROSS_SHARED=OFF -DSPIRV_CROSS_ENABLE_TESTS=OFF", "spirv-cross", "spirv-cross", "",
     "", ""},
    {"spirv-opt", "the optimiser of SPIRV-Tools", System::kCmake,
     "-DSPIRV_SKIP_TESTS=ON -DSPIRV_WERROR=OFF", "spirv-opt", "tools/spirv-opt", "", "",
     "SPIRV-Headers in external/spirv-headers"},
    {"spirv-val", "the validator of SPIRV-Tools", System::kCmake,
     "-DSPIRV_SKIP_TESTS=ON -DSPIRV_WERROR=OFF", "spirv-val", "tools/spirv-val", "", "",
     "SPIRV-Headers in external/spirv-headers"},
    {"swiftshader", "SwiftShader", System::kCmake,
     "-DSWIFTSHADER_BUILD_TESTS=OFF -DSWIFTSHADER_BUILD_WSI_XCB=OFF", "vk_swiftshader",
     "Linux/vk_swiftshader_icd.json", "Linux/libvk_swiftshader.so", "swiftshader", ""},
};

std::string WithoutLinks(const std::string& path) {
  std::error_code wrong;
  const fs::path whole = fs::absolute(path, wrong);
  const fs::path canonical = fs::weakly_canonical(whole, wrong);
  return wrong ? whole.lexically_normal().string() : canonical.string();
}

// The last lines of an output, without control characters.
std::string EndOf(const std::string& output) {
  constexpr size_t kLines = 15;
  std::vector<std::string> lines = Split(output, '\n');
  std::erase(lines, "");
  std::string text;
  for (size_t i = lines.size() - std::min(kLines, lines.size()); i < lines.size(); ++i) {
    text += "\n  " + Printable(lines[i]);
  }
  return text;
}

void AddWords(std::string_view words, const std::string& source, std::vector<std::string>* to) {
  for (std::string word : Split(words, ' ')) {
    const size_t at = word.find("{source}");
    if (at != std::string::npos) word.replace(at, 8, source);
    if (!word.empty()) to->push_back(std::move(word));
  }
}

// Runs the commands of a build, with their output in log files.
class Builder {
 public:
  Builder(const CoverageBuildOptions& options, const CoverageRecipe& recipe,
          const std::function<void(const std::string&)>& say)
      : options_(options), recipe_(recipe), say_(say) {
    made_.recipe = recipe.name;
    made_.source = WithoutLinks(options.source);
    folder_ = WithoutLinks(options.output);
    made_.build = folder_ + "/build";
    made_.result = InBuild(recipe.result[0] == '\0' ? options.program : recipe.result);
    made_.is_driver = recipe.is_driver();
    made_.counted = recipe.is_driver() ? InBuild(recipe.driver_file) : made_.result;
  }

  Result<CoverageBuild> Make() {
    const bool cmake = recipe_.system == System::kCmake;
    const std::string wanted = made_.source + (cmake ? "/CMakeLists.txt" : "/meson.build");
    if (!FileExists(wanted)) {
      return Error{
          format("{}: not found; {} is built from a source folder with it", wanted, recipe_.name)};
    }
    for (const char* tool : {"clang", "clang++", "ninja", cmake ? "cmake" : "meson"}) {
      if (!FindProgram(tool).empty()) continue;
      return Error{format("{} is not installed (Debian: clang, ninja-build, cmake, meson)", tool),
                   ErrorKind::kUnavailable};
    }
    Status done = MakeFolder(folder_);
    if (done) done = Counters();
    if (done) done = cmake ? Cmake() : Meson();
    if (!done) return done.error();
    std::vector<std::string> ninja = {"ninja", "-C", made_.build};
    if (options_.jobs > 0) ninja.insert(ninja.end(), {"-j", format("{}", options_.jobs)});
    AddWords(recipe_.build, made_.source, &ninja);
    done = Do("build", ninja);
    if (!done) return done.error();
    for (const std::string* file : {&made_.result, &made_.counted}) {
      if (!FileExists(*file)) return Error{format("{}: was not built", *file)};
    }
    const Json json = {{"refract_coverage_build", 1}, {"recipe", made_.recipe},
                       {"source", made_.source},      {"build", made_.build},
                       {"result", made_.result},      {"counted", made_.counted},
                       {"driver", made_.is_driver}};
    const Status written = WriteFile(folder_ + "/coverage.json", json.dump(2) + "\n");
    if (!written) return written.error();
    return made_;
  }

 private:
  std::string InBuild(const std::string& file) const { return format("{}/{}", made_.build, file); }

  Status Counters() {
    const std::string source = folder_ + "/block_counters.c";
    const Status written = WriteFile(source, kBlockCounters);
    if (!written) return written;
    return Do("counters",
              {"clang", "-O2", "-fPIC", "-fvisibility=hidden", "-c", source, "-o", CountersFile()});
  }
  std::string CountersFile() const { return folder_ + "/block_counters.o"; }

  Status Cmake() {
    std::vector<std::string> argv = {"cmake",
                                     "-G",
                                     "Ninja",
                                     "-S",
                                     made_.source,
                                     "-B",
                                     made_.build,
                                     "-DCMAKE_BUILD_TYPE=",
                                     "-DCMAKE_C_COMPILER=clang",
                                     "-DCMAKE_CXX_COMPILER=clang++",
                                     format("-DCMAKE_C_FLAGS={}", kFlags),
                                     format("-DCMAKE_CXX_FLAGS={}", kFlags)};
    for (const char* kind : {"EXE", "SHARED", "MODULE"}) {
      argv.push_back(format("-DCMAKE_{}_LINKER_FLAGS={}", kind, CountersFile()));
    }
    AddWords(recipe_.options, made_.source, &argv);
    argv.insert(argv.end(), options_.options.begin(), options_.options.end());
    return Do("configure", argv);
  }

  Status Meson() {
    std::vector<std::string> argv = {"env", "CC=clang", "CXX=clang++", "meson", "setup"};
    if (FileExists(made_.build + "/build.ninja")) argv.push_back("--reconfigure");
    argv.insert(argv.end(),
                {made_.build, made_.source, "--buildtype=plain", format("-Dc_args={}", kFlags),
                 format("-Dcpp_args={}", kFlags), format("-Dc_link_args={}", CountersFile()),
                 format("-Dcpp_link_args={}", CountersFile())});
    AddWords(recipe_.options, made_.source, &argv);
    argv.insert(argv.end(), options_.options.begin(), options_.options.end());
    return Do("configure", argv);
  }

  Status Do(const std::string& what, std::vector<std::string> argv) {
    const std::string log = format("{}/{}.log", folder_, what);
    say_(format("{}: {} ({})", what, argv[0] == "env" ? argv[3] : argv[0], log));
    Command command;
    command.argv = std::move(argv);
    command.argv[0] = FindProgram(command.argv[0]);
    command.time_limit = static_cast<double>(options_.time_limit);
    command.memory_limit = uint64_t{64} << 30;
    command.file_limit = uint64_t{16} << 30;
    const Result<CommandResult> ran = RunCommand(command);
    if (!ran) return ran.error();
    const Status written = WriteFile(log, ran->output);
    if (!written) return written;
    if (ran->end == CommandResult::End::kExit && ran->exit_code == 0) return {};
    if (ran->end == CommandResult::End::kTime) {
      return Error{format("{} took more than {} s (--time-limit)", what, options_.time_limit),
                   ErrorKind::kFailed};
    }
    const std::string needs =
        recipe_.needs[0] == '\0' ? "" : format("\nthe sources need {}", recipe_.needs);
    return Error{
        format("{} failed; the whole output is in {}{}{}", what, log, needs, EndOf(ran->output)),
        ErrorKind::kFailed};
  }

  const CoverageBuildOptions& options_;
  const CoverageRecipe& recipe_;
  const std::function<void(const std::string&)>& say_;
  CoverageBuild made_;
  std::string folder_;
};

}  // namespace

std::span<const CoverageRecipe> CoverageRecipes() {
  return kRecipes;
}

const CoverageRecipe* FindCoverageRecipe(const std::string& name) {
  for (const CoverageRecipe& recipe : kRecipes) {
    if (recipe.name == name) return &recipe;
  }
  return nullptr;
}

Result<CoverageBuild> MakeCoverageBuild(const CoverageBuildOptions& options,
                                        const std::function<void(const std::string&)>& say) {
  const CoverageRecipe* recipe = FindCoverageRecipe(options.recipe);
  if (recipe == nullptr) {
    return Error{format("unknown target '{}'", options.recipe), ErrorKind::kUsage};
  }
  return Builder(options, *recipe, say).Make();
}

Result<CoverageBuild> ReadCoverageBuild(const std::string& folder) {
  const std::string file = folder + "/coverage.json";
  const Result<std::string> text = ReadFile(file, uint64_t{1} << 20);
  if (!text) return text.error();
  const Result<JsonNode> json = ParseJson(file, *text);
  if (!json) return json.error();
  CoverageBuild build;
  const std::pair<const char*, std::string*> members[] = {{"recipe", &build.recipe},
                                                          {"source", &build.source},
                                                          {"build", &build.build},
                                                          {"result", &build.result},
                                                          {"counted", &build.counted}};
  for (const auto& [key, value] : members) {
    const JsonNode* member = json->Find(key);
    if (member == nullptr || member->kind != JsonNode::Kind::kString) {
      return Error{format("{}: /{}: a text is missing; `refract coverage build` writes this file",
                          file, key)};
    }
    *value = member->text;
  }
  const JsonNode* driver = json->Find("driver");
  build.is_driver = driver != nullptr && driver->boolean;
  return build;
}

}  // namespace coverage
}  // namespace refract
