// SPDX-License-Identifier: Apache-2.0
#include "target/run_commands.h"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <spirv/unified1/spirv.hpp11>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "crash/watched_command.h"
#include "driver/requirements.h"
#include "glsl/load.h"
#include "signature/out_of_memory.h"
#include "target/module_names.h"
#include "target/optimiser_passes.h"

namespace refract {
inline namespace target {
namespace {

// A command gets as many seconds as the job, but at least this many, because machines may be busy.
constexpr double kLeastSeconds = 10;
// The largest module that is accepted from a tool.
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

std::string_view BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

/// glslang's names for stages. SPIRV-Cross and most other tools accept them too.
std::string_view StageName(uint32_t model) {
  switch (static_cast<spv::ExecutionModel>(model)) {
    case spv::ExecutionModel::Vertex:
      return "vert";
    case spv::ExecutionModel::TessellationControl:
      return "tesc";
    case spv::ExecutionModel::TessellationEvaluation:
      return "tese";
    case spv::ExecutionModel::Geometry:
      return "geom";
    case spv::ExecutionModel::TaskEXT:
      return "task";
    case spv::ExecutionModel::MeshEXT:
      return "mesh";
    case spv::ExecutionModel::Fragment:
      return "frag";
    case spv::ExecutionModel::GLCompute:
      return "comp";
    case spv::ExecutionModel::RayGenerationKHR:
      return "rgen";
    case spv::ExecutionModel::IntersectionKHR:
      return "rint";
    case spv::ExecutionModel::AnyHitKHR:
      return "rahit";
    case spv::ExecutionModel::CallableKHR:
      return "rcall";
    case spv::ExecutionModel::ClosestHitKHR:
      return "rchit";
    case spv::ExecutionModel::MissKHR:
      return "rmiss";
    default:
      return "";
  }
}

/// Runs one module through the commands.
class Pipe {
 public:
  Pipe(const CommandTarget& target, const Job& job, TargetEnvironment environment,
       const std::atomic<bool>* stop)
      : target_(target), job_(job), environment_(environment), stop_(stop) {}

  Result<RunResult> Run(Placeholders values) {
    const Result<TemporaryFolder> folder = TemporaryFolder::Make();
    if (!folder) return folder.error();
    result_.target = target_.name;
    // The names are short and always the same, because tools print them.
    values.in = "0.spv";
    if (Status written = WriteFile(folder->path() + "/0.spv", BytesOf(job_.spirv)); !written) {
      return written.error();
    }
    for (size_t i = 0; i < target_.steps.size(); ++i) {
      const CommandStep& step = target_.steps[i];
      values.out = format("{}.{}", i + 1, step.makes_spirv ? "spv" : "txt");
      for (const std::string& flag : step.passes) {
        result_.passes += format("{}{}", result_.passes.empty() ? "" : " ", flag);
      }
      Result<bool> went_on = RunStep(step, values, folder->path());
      if (!went_on) return went_on.error();
      if (!*went_on) return std::move(result_);
      if (!step.only_checks) values.in = values.out;
    }
    // If all commands only check the module, it is unchanged.
    if (result_.spirv.empty() && values.in == "0.spv") result_.spirv = job_.spirv;
    return std::move(result_);
  }

 private:
  double TimeLimit(const CommandStep& step) const {
    return std::min(step.time_limit, std::max(job_.time_limit, kLeastSeconds));
  }

  bool Fail(const CommandStep& step, RunOutcome verdict, std::string detail) {
    result_.command = step.name;
    result_.verdict = verdict;
    result_.detail = std::move(detail);
    return false;
  }

  /// Runs one command. Returns false if the result is final.
  Result<bool> RunStep(const CommandStep& step, const Placeholders& values,
                       const std::string& folder) {
    for (const auto& [what, lost] :
         {std::pair("specialisation constants",
                    !step.keeps_spec_constants && !job_.bindings.constants.empty()),
          std::pair("push constants",
                    !step.keeps_push_constants && !job_.bindings.push_constants.empty())}) {
      if (!lost) continue;
      return Error{format("target {}: {} does not keep {}, and the inputs give values to some",
                          target_.name, step.name, what),
                   ErrorKind::kUnavailable};
    }
    const std::string out = format("{}/{}", folder, values.out);
    Command command;
    command.argv = StartedIn(step.root, Fill(step, values));
    command.folder = folder;
    command.time_limit = TimeLimit(step);
    command.stop = stop_;
    command.memory_limit = step.memory_limit;
    if (step.to_standard_output) command.stdout_file = out;
    Result<CommandResult> ran = RunCommand(command);
    if (!ran) return ran.error();
    result_.seconds += ran->seconds;
    result_.cpu_seconds += ran->cpu_seconds;
    result_.output = std::move(ran->output);
    if (!CheckResultOf(step, *ran)) {
      if (result_.verdict == RunOutcome::kCrash && ran->end == CommandResult::End::kSignal) {
        return TraceCrash(std::move(command));
      }
      if (result_.verdict != RunOutcome::kRejected || !SaysUnsupported(step)) return false;
      return Error{
          format("target {}: {} (a known limitation of the tool)", target_.name, result_.detail),
          ErrorKind::kUnavailable};
    }
    if (step.only_checks) return true;
    if (!FileExists(out)) {
      return Fail(step, RunOutcome::kError, format("{} made no output", step.name));
    }
    return step.makes_spirv ? Validate(step, out) : Result<bool>(true);
  }

  /// Adds the stack of a crash to the result. Returns false, because the result is final.
  Result<bool> TraceCrash(Command command) {
    Result<CrashReport> report = RerunUnderWatcher(std::move(command));
    if (!report) return report.error();
    if (report->signal != result_.signal) return false;  // not the same crash this time
    result_.backtrace = std::move(report->backtrace);
    result_.stack_overflow = report->stack_overflow;
    if (result_.stack_overflow) result_.detail += " (stack overflow)";
    return false;
  }

  RunOutcome CrashOutcome() const {
    return ReportsOutOfMemory(result_.output) ? RunOutcome::kOutOfMemory : RunOutcome::kCrash;
  }

  bool SaysUnsupported(const CommandStep& step) const {
    return std::any_of(step.unsupported.begin(), step.unsupported.end(),
                       [&](const std::string& text) {
                         return !text.empty() && result_.output.find(text) != std::string::npos;
                       });
  }

  /// Interprets how the process ended. Returns true if it ended normally.
  bool CheckResultOf(const CommandStep& step, const CommandResult& ran) {
    switch (ran.end) {
      case CommandResult::End::kTime:
        return Fail(step, RunOutcome::kHang,
                    format("{} did not end within {} seconds", step.name, TimeLimit(step)));
      case CommandResult::End::kStop:  // the caller discards the result
      case CommandResult::End::kMemory:
        return Fail(
            step, RunOutcome::kOutOfMemory,
            format("{} used more than {} MiB of memory", step.name, step.memory_limit >> 20));
      case CommandResult::End::kSignal:
        result_.signal = ran.signal;
        // A process does not send SIGKILL to itself: it was killed from outside.
        if (ran.signal == SIGKILL) {
          return Fail(step, RunOutcome::kOutOfMemory,
                      format("{} was killed from outside, as when memory runs out", step.name));
        }
        return Fail(step, CrashOutcome(),
                    format("{} died of {}", step.name, SignalName(ran.signal)));
      case CommandResult::End::kExit:
        break;
    }
    if (ran.exit_code == 0) return true;
    result_.exit_code = ran.exit_code;
    if (IsCrashExit(ran.exit_code, result_.output, &result_.signal)) {
      return Fail(step, CrashOutcome(),
                  format("{} crashed with exit code {}", step.name, ran.exit_code));
    }
    FailureData facts;
    facts.kind = FailureClass::kRejected;
    facts.output = result_.output;
    facts.names = NamesIn(facts, NamesOfModule(job_.spirv));
    const std::string said = SignatureOf(facts).key;
    const char* colon = said.empty() ? "" : ": ";
    return Fail(step, RunOutcome::kRejected,
                format("{} rejected its input with exit code {}{}{}", step.name, ran.exit_code,
                       colon, said));
  }

  Result<bool> Validate(const CommandStep& step, const std::string& file) {
    std::error_code error;
    if (std::filesystem::file_size(file, error) > kMostBytes && !error) {
      result_.validator_message = format("a module of more than {} MiB", kMostBytes >> 20);
      return Fail(step, RunOutcome::kInvalidOutput,
                  format("{}'s output: {}", step.name, result_.validator_message));
    }
    const Result<std::string> bytes = ReadFile(file);
    if (!bytes) return bytes.error();
    Result<std::vector<uint32_t>> words = WordsFromBytes(step.name + "'s output", *bytes);
    if (!words) {
      result_.validator_message = words.error().message;
      return Fail(step, RunOutcome::kInvalidOutput, words.error().message);
    }
    result_.spirv = std::move(*words);
    const auto invalid = FindInvalid(result_.spirv, environment_, job_.validation);
    if (!invalid) return true;
    result_.validator_message = invalid->message;
    return Fail(step, RunOutcome::kInvalidOutput,
                format("{}'s output is not valid for {}: {}", step.name, NameOf(environment_),
                       OneLine(*invalid)));
  }

  const CommandTarget& target_;
  const Job& job_;
  const TargetEnvironment environment_;
  const std::atomic<bool>* const stop_;
  RunResult result_;
};

}  // namespace

TargetEnvironment EnvironmentOf(const Job& job) {
  if (job.environment) return *job.environment;
  const uint32_t version = job.spirv.size() > 1 ? job.spirv[1] : 0;
  const TargetEnvironment vulkan = DefaultEnvironment(version);
  return FindInvalid(job.spirv, vulkan, job.validation) ? UniversalEnvironment(version) : vulkan;
}

Result<Placeholders> PlaceholdersOf(const CommandTarget& target, const Job& job,
                                    TargetEnvironment environment) {
  ModuleHeader header;
  if (!ReadModuleHeader(job.spirv, &header)) return Error{"not a SPIR-V module of this machine"};
  Placeholders values;
  values.env = NameOf(environment);
  const std::string_view vulkan = NameOf(DefaultEnvironment(header.version));
  values.vulkan = vulkan.substr(0, vulkan.find("spv"));
  values.spirv = format("spirv{}.{}", header.version >> 16 & 0xff, header.version >> 8 & 0xff);
  values.entry = job.entry;
  values.seed = format("{}", target.seed);
  for (const std::string& option : NamesOf(job.validation)) {
    values.layout.push_back(format("--{}", option));
  }
  for (const ModuleHeader::Entry& entry : header.entries) {
    if (entry.name == job.entry && values.stage.empty()) values.stage = StageName(entry.model);
  }
  return values;
}

Result<RunResult> RunCommands(const CommandTarget& target, const Job& job,
                              const std::atomic<bool>* stop) {
  const TargetEnvironment environment = EnvironmentOf(job);
  Result<Placeholders> values = PlaceholdersOf(target, job, environment);
  if (!values) return values.error();
  for (const CommandStep& step : target.steps) {
    const std::string unfit = WhyPassesCannotRun(step.passes, job);
    if (unfit.empty()) continue;
    return Error{format("target {}: {}", target.name, unfit), ErrorKind::kUnavailable};
  }
  return Pipe(target, job, environment, stop).Run(std::move(*values));
}

Job DrawingJob(const Job& job, std::vector<uint32_t> spirv) {
  Job drawing = job;
  drawing.spirv = std::move(spirv);
  ModuleHeader header;
  CHECK(ReadModuleHeader(drawing.spirv, &header));
  const bool kept =
      std::any_of(header.entries.begin(), header.entries.end(),
                  [&](const ModuleHeader::Entry& entry) { return entry.name == job.entry; });
  if (!kept && header.entries.size() == 1) drawing.entry = header.entries[0].name;
  return drawing;
}

}  // namespace target
}  // namespace refract
