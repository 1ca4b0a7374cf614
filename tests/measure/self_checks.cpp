// SPDX-License-Identifier: Apache-2.0
// Tests fuzz runs of 500 steps, each checked by the interpreter: there may be no
// difference, no new trap and no wrong fact. Measures what the checks cost. Then the recording is
// replayed, and after each of its steps every function must follow the control-flow rules, and no
// constant index may be out of range that is in range in the original. Every
// third run uses execution facts of its original (--execution-facts). `--count 2000` gives the full
// numbers. `--passes LIST` enables only the transformations or families of the list. `--limit 2000`
// makes runs as users have them, which end by chance or after that many steps; none may take much
// longer than the others. Runs that are done are listed in --state and not repeated. For each
// fault, the fewest steps that show it are written next to that file.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "engine/replay.h"
#include "ir/rules/flow_rules.h"
#include "measure/numbered_runs.h"
#include "measure/variants.h"
#include "rules/legality/index_range.h"
#include "wire/recording_file.h"

namespace refract::measure {
namespace {

struct Options : NumberedRuns {
  Options() { count = 12; }
  uint64_t most_of_median = 0;      // 0: no limit
  uint64_t limit = 0;               // steps; 0: 500 steps, and no run ends earlier by chance
  std::vector<std::string> passes;  // names or families; empty: all, or those that the seed draws
};

struct Outcome {
  std::string subject, fault, note;
  uint64_t index = 0, steps = 0;
  double plain = 0, checked = 0;  // seconds of this thread
  message::Recording shown;       // the fewest steps that show the fault
};

// The processor time of this thread, because other processes may run at the same time.
double Now() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The instructions that have a constant index out of range; one for each copy of such instructions.
std::set<Name> BadIndices(const Module& module) {
  std::set<Name> bad;
  for (size_t i = 1; i < module.instruction_slots(); ++i) {
    const Inst inst = static_cast<Inst>(i);
    if (module[inst].removed || !HasIndexOutOfRange(module, inst)) continue;
    const Inst like = module[inst].copy_of;
    bad.insert(module.NameOf(like != Inst::kNone ? like : inst));
  }
  return bad;
}

// Finds the first step after which a function breaks a control-flow rule, or after which more
// constant indices are out of range; empty if there is none.
std::string FindFaultOfStep(const Original& original, const message::Recording& recording) {
  std::string found;
  const std::set<Name> bad_before = BadIndices(original.context.module);
  ReplayOptions options;
  options.watch = [&](const message::Step& step, const StepOutcome&, const Context& context) {
    const Module& module = context.module;
    for (Function f = module.first_function(); f != Function::kNone && found.empty();
         f = module.NextFunction(f)) {
      const std::optional<FlowFault> fault = FindFlowFault(module, f);
      if (!fault) continue;
      found = format("step {}: {}", step.number, Describe(module, *fault));
    }
    if (found.empty() && BadIndices(module) != bad_before) {
      found = format("step {}: a constant index is out of range", step.number);
    }
  };
  const Result<ReplayResult> replayed = Replay(original, recording, options);
  return replayed ? found : replayed.error().message;
}

Outcome RunOne(uint64_t index, const VariantOriginal& subject,
               const std::vector<AnyMessage>& donors, const Options& run) {
  Outcome outcome;
  outcome.index = index;
  outcome.subject = subject.name;
  FuzzOptions options;
  options.seed = index + 1;
  options.donors = donors;
  options.max_steps = run.limit == 0 ? 500 : static_cast<uint32_t>(run.limit);
  options.all_passes = index % 2 == 0;
  options.execution_facts = index % 3 == 0;
  options.passes = run.passes;
  options.stop_by_chance = run.limit != 0;
  const double begin = Now();
  const Result<FuzzResult> plain = Fuzz(subject.original, options);
  const double middle = Now();
  options.self_check = true;
  options.fault = &outcome.shown;
  const Result<FuzzResult> checked = Fuzz(subject.original, options);
  outcome.plain = middle - begin;
  outcome.checked = Now() - middle;
  if (!checked) {
    outcome.fault = checked.error().message;
    return outcome;
  }
  outcome.steps = checked->recording.steps.size();
  if (!plain || plain->words != checked->words) outcome.fault = "checking changes the result";
  if (outcome.fault.empty()) outcome.fault = FindFaultOfStep(subject.original, checked->recording);
  for (const std::string& note : checked->notes)
    outcome.note += (outcome.note.empty() ? "" : "; ") + note;
  return outcome;
}

// One line, with tabs between the fields.
std::string ToLine(const Outcome& outcome) {
  return format("{}\t{}\t{}\t{:.4f}\t{:.4f}\t{}\t{}\n", outcome.index, outcome.subject,
                outcome.steps, outcome.plain, outcome.checked, outcome.fault, outcome.note);
}

void KeepFault(const Outcome& outcome, const std::string& state) {
  if (outcome.shown.steps.empty()) return;
  const std::string file = format("{}.{}.refract", state, outcome.index);
  if (Status written = WriteFile(file, WriteRecording(outcome.shown)); !written) {
    std::fprintf(stderr, "%s\n", written.error().message.c_str());
  }
}

std::map<uint64_t, Outcome> ReadState(const std::string& path) {
  std::map<uint64_t, Outcome> done;
  for (const std::string& line : StateLines(path)) {
    const std::vector<std::string> fields = Split(line, '\t');
    Outcome outcome;
    if (fields.size() != 7 || !ParseNumber(fields[0], &outcome.index) ||
        !ParseNumber(fields[2], &outcome.steps)) {
      continue;  // incomplete, because the process was killed
    }
    outcome.subject = fields[1];
    outcome.plain = std::strtod(fields[3].c_str(), nullptr);
    outcome.checked = std::strtod(fields[4].c_str(), nullptr);
    outcome.fault = fields[5];
    outcome.note = fields[6];
    done[outcome.index] = std::move(outcome);
  }
  return done;
}

// The times of runs without checks: a row of the table.
std::string TimesOf(const std::map<uint64_t, Outcome>& done, const Options& options,
                    bool* reached) {
  std::vector<std::pair<double, uint64_t>> times;
  double seconds = 0;
  uint64_t steps = 0;
  for (const auto& [index, outcome] : done) {
    if (!options.Has(index)) continue;
    times.emplace_back(outcome.plain, index);
    seconds += outcome.plain;
    steps += outcome.steps;
  }
  if (options.limit == 0 || times.empty()) return "";
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2].first;
  const auto& [worst, index] = times.back();
  std::string judged, wanted;
  if (options.most_of_median != 0) {
    const bool in_bounds = worst <= static_cast<double>(options.most_of_median) * median;
    if (!in_bounds) *reached = false;
    wanted = format(", wanted at most {} times", options.most_of_median);
    judged = in_bounds ? "reached" : "NOT REACHED";
  }
  return format(
      "| the slowest run, unchecked: {:.1f} ms, {:.1f} times the median of {:.1f} ms ({}, seed "
      "{}){} | {} |\n| steps of a run on average: {:.0f}; steps a second: {:.0f} | |\n",
      worst * 1e3, worst / median, median * 1e3, done.at(index).subject, index + 1, wanted, judged,
      static_cast<double>(steps) / static_cast<double>(times.size()),
      static_cast<double>(steps) / seconds);
}

std::string Report(const std::map<uint64_t, Outcome>& done, const Options& options, bool* reached) {
  uint64_t runs = 0, steps = 0, faults = 0, noted = 0;
  struct Cost {
    uint64_t runs = 0;
    double more = 0;
  };
  std::map<std::string, Cost> costs;
  std::string notes;
  for (const auto& [index, outcome] : done) {
    if (!options.Has(index)) continue;
    ++runs;
    steps += outcome.steps;
    Cost& cost = costs[outcome.subject];
    ++cost.runs;
    cost.more += outcome.checked - outcome.plain;
    if (!outcome.fault.empty()) {
      ++faults;
      notes += format("- {}, seed {}: {}\n", outcome.subject, index + 1, outcome.fault);
    }
    if (outcome.note.empty()) continue;
    ++noted;
    notes += format("- {}, seed {}: note: {}\n", outcome.subject, index + 1, outcome.note);
  }
  *reached = runs == options.count && faults == 0;
  std::string text = ReportHead("Self-checked runs");
  text += format("| number | |\n|---|---|\n| runs: {} of {} | {} |\n", runs, options.count,
                 runs == options.count ? "reached" : "NOT REACHED");
  text += format(
      "| differences, new traps, wrong facts, control-flow rules broken and indices out of range "
      "after a step: {} in {} "
      "steps, wanted 0 | {} |\n",
      faults, steps, faults == 0 ? "reached" : "NOT REACHED");
  text += TimesOf(done, options, reached);
  text += format("\n{} runs were not checked in full.\n\n", noted);
  text += "| subject | runs | self-check, seconds more a run |\n|---|---:|---:|\n";
  for (const auto& [subject, cost] : costs) {
    text += format("| {} | {} | {:.2f} |\n", subject, cost.runs,
                   cost.more / static_cast<double>(cost.runs));
  }
  return text + "\n" + notes;
}

int Run(const Options& options) {
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) {
    std::fprintf(stderr, "%s\n", subjects.error().message.c_str());
    return 3;
  }
  std::map<uint64_t, Outcome> done = ReadState(options.state);
  const bool made = MeasureRuns(
      options, *subjects, [&](uint64_t i) { return done.count(i) != 0; },
      [&](uint64_t i, const VariantOriginal& subject) {
        done[i] = RunOne(i, subject, subjects->donors(), options);
        return ToLine(done[i]);
      },
      [&](uint64_t i, const VariantOriginal&) { KeepFault(done[i], options.state); });
  if (!made) return 3;
  bool reached = false;
  const std::string text = Report(done, options, &reached);
  return WriteReport(options, text, reached);
}

int Main(int argc, char** argv) {
  Options options;
  const auto other = [&](std::string_view name, const std::string& value) {
    uint64_t number = 0;
    const bool is_number = ParseNumber(value, &number);
    if (name == "--limit" && is_number) {
      options.limit = number;
    } else if (name == "--most-of-median" && is_number) {
      options.most_of_median = number;
    } else if (name == "--passes") {
      options.passes = Split(value, ',');
    } else {
      return false;
    }
    return true;
  };
  if (!ReadArguments(argc, argv, "self_checks", &options, other)) return 2;
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
