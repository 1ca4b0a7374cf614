// SPDX-License-Identifier: Apache-2.0
#include "target/pass_bisect.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "ir/tools.h"
#include "target/optimiser_passes.h"

namespace refract {
inline namespace target {
namespace {

bool IsSpirvOpt(const CommandStep& step) {
  const std::string program = std::filesystem::path(step.argv[0]).filename().string();
  return program.find("spirv-opt") != std::string::npos;
}

bool IsPlaceholder(const std::string& argument) {
  return argument == "{passes}" || argument == "{pass}";
}

/// A module of almost nothing, so that spirv-opt's --print-all prints little.
constexpr std::string_view kEmpty = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%1 = OpFunction %2 None %3
%4 = OpLabel
OpReturn
OpFunctionEnd
)";

/// The passes that -O or -Os stands for in this program: --print-all names each pass before it
/// runs.
std::vector<std::string> ExpandMacro(const CommandStep& step, const std::string& macro) {
  const Result<std::vector<uint32_t>> words = Assemble(kEmpty, TargetEnvironment::kUniversal10);
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!words || !folder) return {};
  const std::string_view bytes(reinterpret_cast<const char*>(words->data()), 4 * words->size());
  if (!WriteFile(folder->path() + "/0.spv", bytes)) return {};
  Command command;
  const std::string program = FindProgramIn(step.root, step.argv[0]);
  command.argv = StartedIn(step.root, {program, macro, "--print-all", "0.spv", "-o", "1.spv"});
  command.folder = folder->path();
  command.time_limit = 10;
  const Result<CommandResult> ran = RunCommand(command);
  std::vector<std::string> flags;
  if (!ran || ran->end != CommandResult::End::kExit || ran->exit_code != 0) return flags;
  constexpr std::string_view kBefore = "; IR before pass ";
  for (const std::string& line : Split(ran->output, '\n')) {
    if (!std::string_view(line).starts_with(kBefore)) continue;
    flags.push_back(format("--{}", Trim(std::string_view(line).substr(kBefore.size()))));
  }
  return flags;
}

}  // namespace

std::vector<std::string> PassesOf(const CommandStep& step) {
  std::vector<std::string> flags;
  if (!IsSpirvOpt(step)) return flags;
  std::vector<std::string> given;
  for (size_t i = 1; i < step.argv.size(); ++i) {
    if (IsPlaceholder(step.argv[i])) {
      given.insert(given.end(), step.passes.begin(), step.passes.end());
    } else if (IsPassFlag(step.argv[i])) {
      given.push_back(step.argv[i]);
    }
  }
  for (const std::string& flag : given) {
    if (flag != "-O" && flag != "-Os") {
      flags.push_back(flag);
      continue;
    }
    const std::vector<std::string> parts = ExpandMacro(step, flag);
    if (parts.empty()) return {};
    flags.insert(flags.end(), parts.begin(), parts.end());
  }
  return flags;
}

CommandStep WithPassFlags(CommandStep step, const std::vector<std::string>& flags) {
  std::vector<std::string> argv;
  bool put = false;
  for (size_t i = 0; i < step.argv.size(); ++i) {
    const bool pass = i > 0 && (IsPlaceholder(step.argv[i]) || IsPassFlag(step.argv[i]));
    if (!pass) {
      argv.push_back(step.argv[i]);
    } else if (!put) {
      argv.insert(argv.end(), flags.begin(), flags.end());
      put = true;
    }
  }
  step.argv = std::move(argv);
  step.passes.clear();
  return step;
}

std::optional<FailingPass> BisectPasses(
    const std::vector<std::string>& flags,
    const std::function<bool(const std::vector<std::string>&)>& fails,
    const std::function<bool(size_t before, const std::string& flag)>& alone) {
  const auto first = [&](size_t count) {
    return std::vector<std::string>(flags.begin(),
                                    flags.begin() + static_cast<std::ptrdiff_t>(count));
  };
  if (flags.empty() || !fails(flags) || fails({})) return std::nullopt;
  size_t good = 0, bad = flags.size();  // beginnings of these lengths
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (fails(first(middle)) ? bad : good) = middle;
  }
  return FailingPass{bad, flags.size(), flags[bad - 1], good == 0 || alone(good, flags[bad - 1])};
}

}  // namespace target
}  // namespace refract
