// SPDX-License-Identifier: Apache-2.0
#include "coverage/counted_target.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "coverage/map_file.h"

namespace refract {
inline namespace coverage {
namespace {

constexpr const char* kVariable = "REFRACT_COVERAGE";

bool SamePath(const std::string& a, const std::string& b) {
  std::error_code wrong;
  return std::filesystem::weakly_canonical(a, wrong) == std::filesystem::weakly_canonical(b, wrong);
}

// glslang has two names.
std::string PlainName(const std::string& program) {
  return program == "glslangValidator" ? "glslang" : program;
}

// The target with each step that runs a program of that name running `program` instead. It ends
// after the last of them, and nothing looks at its output: the steps after it would only take time.
Result<Target> WithProgram(Target target, const std::string& program, const std::string& folder) {
  const std::string wanted = std::filesystem::path(program).filename().string();
  CommandTarget command = *target.command;
  size_t used = 0;
  for (size_t i = 0; i < command.steps.size(); ++i) {
    CommandStep& step = command.steps[i];
    if (PlainName(ProgramName(step)) != PlainName(wanted)) continue;
    used = i + 1;
    if (step.name.empty()) step.name = wanted;
    step.argv[0] = program;
    step.argv.insert(step.argv.begin(), {"env", format("{}={}", kVariable, folder)});
  }
  if (used == 0) {
    return Error{
        format("target {} does not run {}, which was built for coverage", target.name, wanted),
        ErrorKind::kUsage};
  }
  command.steps.resize(used);
  command.steps.back().only_checks = true;
  command.render = CommandTarget::Render::kNone;
  target.command = std::make_shared<const CommandTarget>(std::move(command));
  return target;
}

}  // namespace

Result<CountedTarget> CountedTarget::Open(const CoverageBuild& build, const std::string& name,
                                          const std::vector<std::string>& files) {
  Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  CountedTarget counted(std::move(*folder));
  counted.counted_ = build.counted;
  if (build.is_driver) {
    const CoverageRecipe* recipe = FindCoverageRecipe(build.recipe);
    const std::vector<Target> drivers = FindDrivers();
    const auto driver = std::find_if(drivers.begin(), drivers.end(), [&](const Target& one) {
      return recipe != nullptr && one.name == recipe->like;
    });
    if (driver == drivers.end()) {
      return Error{format("coverage.json: /recipe: '{}' is not a driver", build.recipe)};
    }
    // As the built-in driver runs: RADV gets a device that is not there, and Mesa no cache.
    counted.target_ = *driver;
    counted.target_.name = build.recipe;
    counted.target_.icd = build.result;
    counted.target_.missing.clear();
    counted.target_.environment.emplace_back(kVariable, counted.counters_->path());
    return counted;
  }
  if (name.empty()) {
    return Error{format("--target is missing: a target that runs {}",
                        std::filesystem::path(build.counted).filename().string()),
                 ErrorKind::kUsage};
  }
  Result<Target> target = FindTarget(name, files);
  if (!target) return target.error();
  if (target->kind != Target::Kind::kCommand) {
    return Error{format("target {} does not run commands", name), ErrorKind::kUsage};
  }
  Result<Target> replaced =
      WithProgram(std::move(*target), build.counted, counted.counters_->path());
  if (!replaced) return replaced.error();
  counted.target_ = std::move(*replaced);
  return counted;
}

Status CountedTarget::FindBlockFile() {
  const Result<std::vector<std::string>> files = ListFiles(counters_->path());
  if (!files) return files.error();
  for (const std::string& file : *files) {
    if (!file.ends_with(kBlockFileEnding)) continue;
    Result<BlockFile> read = ReadBlockFile(file);
    if (!read) return read.error();
    if (!SamePath(read->program, counted_)) continue;
    block_file_ = file;
    blocks_ = std::move(read->blocks);
    return {};
  }
  return {};
}

Result<std::vector<bool>> CountedTarget::Run(Harness& harness, const Job& job, RunResult* ran) {
  *ran = harness.Try(target_, job);
  if (block_file_.empty()) {
    const Status found = FindBlockFile();
    if (!found) return found.error();
    if (block_file_.empty()) return std::vector<bool>();
  }
  return TakeMarks(block_file_, blocks_.size());
}

std::string BlocksHash(const std::vector<BlockAddress>& blocks) {
  std::string bytes;
  for (const BlockAddress& block : blocks) bytes += format("{:x} ", block.address);
  return ContentHash(bytes);
}

Result<SourceMap> MapOfBuild(const std::string& folder, const CoverageBuild& build,
                             const std::vector<BlockAddress>& blocks) {
  const std::string file = folder + "/source_map.json.gz", hash = BlocksHash(blocks);
  if (FileExists(file)) {
    Result<SourceMap> stored = ReadSourceMap(file, hash);
    if (stored) return stored;
  }
  Result<SourceMap> map = MapProgram(build.counted, blocks, build.source, build.build);
  if (!map) return map;
  const Status written = WriteSourceMap(file, hash, *map);
  if (!written) return written.error();
  return map;
}

}  // namespace coverage
}  // namespace refract
