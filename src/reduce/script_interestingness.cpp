// SPDX-License-Identifier: Apache-2.0
#include "reduce/script_interestingness.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"

namespace refract {
inline namespace reduce {
namespace {

constexpr double kTimeLimitFactor = 10;
constexpr double kMinTimeLimit = 10;   // seconds
constexpr double kFirstLimit = 86400;  // the first tries have nearly no limit

std::string HowItEnded(const CommandResult& ran) {
  switch (ran.end) {
    case CommandResult::End::kExit:
      return format("exit code {}", ran.exit_code);
    case CommandResult::End::kSignal:
      return format("ended by signal {}", ran.signal);
    case CommandResult::End::kTime:
      return format("killed at the time limit, after {:.0f} s", ran.seconds);
    case CommandResult::End::kMemory:
      return "killed because it used too much memory";
    case CommandResult::End::kStop:
      return "killed";
  }
  return {};
}

}  // namespace

double DefaultTimeLimit(double first_seconds) {
  return std::max(kMinTimeLimit, kTimeLimitFactor * first_seconds);
}

Result<ScriptTest> ScriptTest::Make(std::vector<std::string> argv, double time_limit,
                                    const std::atomic<bool>* stop) {
  if (argv.empty()) return Error{"no script given", ErrorKind::kUsage};
  const std::string found = FindProgram(argv[0]);
  if (found.empty()) {
    return Error{FileExists(argv[0]) ? format("{}: not executable; run chmod +x on it", argv[0])
                                     : format("{}: no such script or program", argv[0]),
                 ErrorKind::kUsage};
  }
  std::string name = argv[0];
  std::error_code error;  // the script runs in another folder
  const std::filesystem::path absolute = std::filesystem::absolute(found, error);
  if (!error) argv[0] = absolute.lexically_normal().string();
  return ScriptTest(std::move(name), std::move(argv), time_limit, stop);
}

Result<bool> ScriptTest::IsInteresting(const Candidate& candidate) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const std::string work = folder->path() + "/work";
  const std::string module = folder->path() + "/candidate.spv";
  const std::string_view bytes(reinterpret_cast<const char*>(candidate.words.data()),
                               4 * candidate.words.size());
  if (Status made = MakeFolder(work); !made) return made.error();
  if (Status written = WriteFile(module, bytes); !written) return written.error();
  if (candidate.inputs != nullptr) {
    const std::string inputs = folder->path() + "/candidate.json";
    Status written = WriteFile(inputs, WriteInputs(*candidate.inputs));
    if (!written) return written.error();
  }
  Command command;
  command.argv = argv_;
  command.argv.push_back(module);
  command.folder = work;
  command.memory_limit = command.file_limit = std::numeric_limits<uint64_t>::max();
  command.end_daemons = true;
  command.stop = stop_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    command.time_limit = limit_ > 0 ? limit_ : kFirstLimit;
  }
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return Error{format("{}: {}", name_, ran.error().message), ErrorKind::kUsage};
  if (candidate.is_original) return Decide(*ran);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (limit_ == 0) limit_ = DefaultTimeLimit(ran->seconds);
  if (!first_output_) {
    first_output_ = ran->output;
    if (!first_output_->empty() && first_output_->back() != '\n') *first_output_ += '\n';
    *first_output_ += format("{}: {}\n", name_, HowItEnded(*ran));
  }
  return Decide(*ran);
}

Result<bool> ScriptTest::Decide(const CommandResult& ran) const {
  if (ran.end == CommandResult::End::kStop) return Error{"stopped", ErrorKind::kFailed};
  if (ran.end != CommandResult::End::kExit) return false;
  if (ran.exit_code == 126 || ran.exit_code == 127) {
    return Error{
        format("{}: exit code {}: {}; output: {}", name_, ran.exit_code,
               ran.exit_code == 127 ? "a command was not found" : "a command cannot be run",
               ran.output.empty() ? "nothing" : Trim(ran.output)),
        ErrorKind::kUsage};
  }
  return ran.exit_code == 0;
}

std::string ScriptTest::FirstOutput() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_output_.value_or("");
}

}  // namespace reduce
}  // namespace refract
