// SPDX-License-Identifier: Apache-2.0
#include "planted/optimiser_runner.h"

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "planted/passes.h"
#include "planted/sample.h"

namespace refract::planted {
namespace {

// Seconds, for a hang. Without a bug, the optimiser takes much less processor time than kHangs, but
// on a busy machine or with sanitisers it may take more wall time. The second limit covers that.
constexpr double kHangs = 1, kBusy = 30;

}  // namespace

std::vector<Bug> BugsReached(const std::vector<uint32_t>& words) {
  Result<Program> program = ReadProgram(words, "variant");
  if (!program) return {};
  Optimise(&*program, Passes());
  std::vector<Bug> met;
  for (size_t i = 0; i < BugTable().size(); ++i) {
    if (program->bugs.Reached(static_cast<Bug>(i))) met.push_back(static_cast<Bug>(i));
  }
  return met;
}

OptimiserRunner::OptimiserRunner(const std::string& optimiser, const Original& original)
    : optimiser_(std::filesystem::absolute(optimiser).string()), original_(original) {}

Result<OptimiserResult> OptimiserRunner::Run(Bug bug, const std::vector<uint32_t>& words) const {
  CommandStep step;
  step.name = "planted_opt";
  step.argv = {optimiser_, "--bug", std::string(BugTable()[static_cast<size_t>(bug)].name), "{in}",
               "{out}"};
  step.time_limit = BugTable()[static_cast<size_t>(bug)].kind == BugKind::kHang ? kHangs : kBusy;
  step.memory_limit = uint64_t{2} << 30;
  CommandTarget target;
  target.name = "planted";
  target.steps = {step};
  target.render = CommandTarget::Render::kNone;
  Job job;
  job.spirv = words;
  job.entry = original_.context.entry;
  job.environment = original_.environment;
  job.validation = original_.validation;
  Result<RunResult> ran = RunCommands(target, job);
  if (ran && ran->verdict == RunOutcome::kHang && ran->cpu_seconds < kHangs / 2) {
    target.steps[0].time_limit = kBusy;
    ran = RunCommands(target, job);
  }
  if (!ran) return ran.error();
  OptimiserResult end{ran->verdict, "", ran->spirv};
  if (ran->verdict != RunOutcome::kOk) end.signature = Signature(*ran);
  return end;
}

Result<bool> OptimiserRunner::Shows(Bug bug, const std::vector<uint32_t>& words,
                                    const Context& context, std::string* signature) const {
  const Result<OptimiserResult> end = Run(bug, words);
  if (!end) return end.error();
  if (signature != nullptr) *signature = end->signature;
  switch (BugTable()[static_cast<size_t>(bug)].kind) {
    case BugKind::kCrash:
      return end->verdict == RunOutcome::kCrash;
    case BugKind::kHang:
      return end->verdict == RunOutcome::kHang;
    case BugKind::kMiscompilation:
      break;
  }
  if (end->verdict != RunOutcome::kOk || end->words == words) return false;
  const Result<RunReport> before = RunSample(words, context, original_.file);
  if (!before || before->trap) return false;
  if (FindFault(end->words, *before, original_, context).empty()) return false;
  if (signature != nullptr) *signature = "wrong_image planted";
  return true;
}

std::string ToLine(const PlantedRecording& recording) {
  return format("{}\t{}\t{}\t{}\t{}\n", recording.bug, recording.subject, recording.index,
                recording.seed, recording.max_steps);
}

Result<std::vector<PlantedRecording>> ReadRecordings(const std::string& file) {
  const Result<std::string> text = ReadFile(file);
  if (!text) return text.error();
  std::vector<PlantedRecording> recordings;
  size_t line_number = 0;
  for (const std::string& line : Split(*text, '\n')) {
    ++line_number;
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> fields = Split(line, '\t');
    PlantedRecording recording;
    if (fields.size() != 5 || !BugByName(fields[0]) || !ParseNumber(fields[2], &recording.index) ||
        !ParseNumber(fields[3], &recording.seed) || !ParseNumber(fields[4], &recording.max_steps)) {
      return Error{format("{}:{}: not bug, reference, index, seed and steps", file, line_number)};
    }
    recording.bug = fields[0];
    recording.subject = fields[1];
    recordings.push_back(std::move(recording));
  }
  return recordings;
}

}  // namespace refract::planted
