// SPDX-License-Identifier: Apache-2.0
// Measures how well names survive the removal of steps: recordings of 500 steps with all passes
// enabled are replayed without one step, and in random subsets. A kept step that is refused lost a
// name (the step that made it is gone), a fact (the step that established it is gone), or its shape
// (everything it needs is there, but the code around it differs). Steps that survive must do the
// same as before: make the same names with the same ids, edit the same instructions, and leave a
// valid module.
//   names [--count N] [--first I] [--steps N] [--removals N] [--subsets N] [--seconds S]
//         [--verbose 1]
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iterator>
#include <map>
#include <string_view>

#include "base/random.h"
#include "base/text.h"
#include "base/version.h"
#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "measure/trace.h"

namespace refract::measure {
namespace {

struct Options {
  uint64_t count = 6, first = 0, steps = 500, removals = 10, subsets = 10, seconds = 86400;
  uint64_t verbose = 0;
};

// The limit for shape failures, and the goals for the removal of one step.
constexpr double kMostShape = 0.3;         // percent of kept steps
constexpr double kLeastSurvivors = 99.7;   // percent
constexpr uint64_t kGrowth = 64;           // of words, at most
constexpr uint64_t kLeastRemovals = 1000;  // fewer removals are not compared with the goals
constexpr double kMostLost = 1.5;          // steps lost per removal

// Types that copy, guard or collect whatever code they find. With other steps applied they find
// more or less of it. A call, or a step that forwards one, has an argument for each parameter of
// the function.
constexpr std::string_view kCopiers =
    " add_entry_point add_parameter clone_function duplicate_region_with_selection "
    "flatten_branch forward_call function_call inline_function keep_values_alive merge_returns "
    "outline_function "
    "pack_variables peel_loop "
    "propagate_instruction_down propagate_instruction_up replace_parameter_with_global "
    "replace_parameter_with_pointer replace_parameters_with_struct "
    "replace_pointer_parameter_with_value return_through_pointer split_loop split_variable "
    "unroll_loop_by_two wrap_region_in_loop wrap_region_in_selection ";

// Replays of one kind: with one step removed, or with random subsets.
struct Losses {
  uint64_t replays = 0, kept = 0, lost = 0, names = 0, facts = 0, shape = 0;
};

struct Totals {
  uint64_t recordings = 0, steps = 0, shortest = ~uint64_t{0};
  Losses removals, subsets;
  std::map<std::string, uint64_t> shape;      // by "type: reason"
  std::map<std::string, uint64_t> different;  // what survivors did differently, by "type: what"
  uint64_t other_ids = 0, other_names = 0, copied_less_or_more = 0, other_edits = 0;
  uint64_t done_already = 0;
  std::vector<std::string> faults;
};

bool IsCopier(std::string_view type) {
  return kCopiers.find(format(" {} ", type)) != std::string_view::npos;
}

class Experiment {
 public:
  Experiment(const Options& options, std::vector<AnyMessage> donors)
      : options_(options), donors_(std::move(donors)) {}

  // Measures the recording of `seed` and all its replays.
  void Measure(const std::string& subject, const Original& original, uint64_t seed) {
    where_ = format("{}, seed {}", subject, seed);
    FuzzOptions fuzz;
    fuzz.seed = seed;
    fuzz.max_steps = static_cast<uint32_t>(options_.steps);
    fuzz.all_passes = true;
    fuzz.donors = donors_;
    fuzz.stop_by_chance = false;
    // The number of steps matters here, and small references would reach the usual limit on words
    // first.
    fuzz.max_words = kGrowth * original.words.size();
    const Result<FuzzResult> variant = Fuzz(original, fuzz);
    if (!variant) return Fault(variant.error().message);
    recording_ = &variant->recording;
    original_ = &original;
    const uint64_t steps = recording_->steps.size();
    ++totals_.recordings;
    totals_.steps += steps;
    totals_.shortest = std::min(totals_.shortest, steps);
    if (!MeasureFull(variant->words)) return;
    Random random(Mix(seed, uint64_t{0x6e616d6573}));
    for (uint64_t i = 0; i < options_.removals; ++i) {
      const size_t gone = random.Below(steps);
      std::vector<bool> kept(steps, true);
      kept[gone] = false;
      MeasureSubset(kept, format("without step {}", gone + 1), &totals_.removals);
    }
    for (uint64_t i = 0; i < options_.subsets; ++i) {
      const auto share = static_cast<uint32_t>(random.Between(50, 95));
      std::vector<bool> kept(steps);
      for (size_t k = 0; k < steps; ++k) kept[k] = random.Percent(share);
      kept[random.Below(steps)] = true;
      MeasureSubset(kept, format("subset {}", i), &totals_.subsets);
    }
  }

  const Totals& totals() const { return totals_; }

 private:
  void Fault(const std::string& what) { totals_.faults.push_back(where_ + ": " + what); }

  std::string TypeOf(size_t index) const {
    if (index >= recording_->steps.size()) return "";  // made by the declarations
    return std::string(message::KindName(recording_->steps[index].transformation.kind));
  }

  bool MeasureFull(const std::vector<uint32_t>& words) {
    Result<ReplayTrace> full = TraceReplay(
        *original_, *recording_, Numbers(std::vector<bool>(recording_->steps.size(), true)));
    if (!full || full->fault || full->words != words) {
      Fault(!full ? full.error().message : "the whole recording replays to another module");
      return false;
    }
    full_ = std::move(*full);
    return true;
  }

  std::vector<uint32_t> Numbers(const std::vector<bool>& kept) const {
    std::vector<uint32_t> numbers;
    for (size_t i = 0; i < kept.size(); ++i) {
      if (kept[i]) numbers.push_back(recording_->steps[i].number);
    }
    return numbers;
  }

  void MeasureSubset(const std::vector<bool>& kept, const std::string& what, Losses* losses) {
    const Result<ReplayTrace> part = TraceReplay(*original_, *recording_, Numbers(kept));
    if (!part) return Fault(what + ": " + part.error().message);
    if (part->fault) Fault(what + ": " + *part->fault);
    ++losses->replays;
    for (size_t i = 0; i < kept.size(); ++i) {
      const StepTrace& step = part->steps[i];
      if (!step.kept) continue;
      ++losses->kept;
      if (step.applied) {
        CompareStep(i, *part, what);
      } else {
        ++losses->lost;
        CountLoss(i, *part, what, losses);
      }
    }
    CompareIds(*part, what);
  }

  // The index of the step with this number; the number of steps if the recording has no such step.
  size_t IndexOf(uint32_t number) const {
    const auto step =
        std::lower_bound(recording_->steps.begin(), recording_->steps.end(), number,
                         [](const message::Step& a, uint32_t n) { return a.number < n; });
    if (step == recording_->steps.end() || step->number != number) return recording_->steps.size();
    return static_cast<size_t>(step - recording_->steps.begin());
  }

  // Whether the step with this number was left out or refused.
  bool IsGone(uint32_t number, const ReplayTrace& part) const {
    const size_t index = IndexOf(number);
    return index < part.steps.size() && !part.steps[index].applied;
  }

  void CountLoss(size_t index, const ReplayTrace& part, const std::string& what, Losses* losses) {
    const message::Step& step = recording_->steps[index];
    message::NameSink names;
    message::NamesIn(step.transformation, names);
    for (const Name& name : names) {
      if (IsGone(name.step, part)) {
        ++losses->names;
        if (options_.verbose > 1) {
          std::printf("%s, %s: lost step %u: %s: name %zu of %s\n", where_.c_str(), what.c_str(),
                      step.number, TypeOf(index).c_str(), static_cast<size_t>(&name - names.data()),
                      TypeOf(IndexOf(name.step)).c_str());
        }
        return;
      }
    }
    const bool rests_on_gone = std::any_of(step.needs.begin(), step.needs.end(),
                                           [&](uint32_t need) { return IsGone(need, part); });
    if (rests_on_gone) {
      // A copy was made by a step that is kept, of a value whose step is gone.
      ++(part.steps[index].name_missing ? losses->names : losses->facts);
      return;
    }
    ++losses->shape;
    const std::string text = format("{}: {}", TypeOf(index), part.steps[index].reason);
    ++totals_.shape[text];
    if (options_.verbose != 0) {
      std::printf("%s, %s: step %u: %s\n", where_.c_str(), what.c_str(), step.number, text.c_str());
    }
  }

  void Different(size_t index, const std::string& what, const std::string& how, uint64_t* count) {
    ++*count;
    ++totals_.different[format("{}: {}", TypeOf(index), how)];
    if (options_.verbose != 0) {
      std::printf("%s, %s: step %u: %s: %s\n", where_.c_str(), what.c_str(),
                  recording_->steps[index].number, TypeOf(index).c_str(), how.c_str());
    }
  }

  // A value that is computed in another way keeps its decorations, and another step may have
  // decorated it.
  bool DiffersInDecorations(const StepTrace& then, const StepTrace& now,
                            const ReplayTrace& part) const {
    std::vector<Name> names;
    std::set_symmetric_difference(then.made.begin(), then.made.end(), now.made.begin(),
                                  now.made.end(), std::back_inserter(names));
    return std::all_of(names.begin(), names.end(), [&](const Name& name) {
      const auto in_full = full_.made.find(name), in_part = part.made.find(name);
      const InstructionSummary& thing =
          in_full != full_.made.end() ? in_full->second : in_part->second;
      return thing.opcode == spv::Op::OpDecorate;
    });
  }

  // Compares a survivor with the whole recording: does it make and edit the same?
  void CompareStep(size_t index, const ReplayTrace& part, const std::string& what) {
    const StepTrace& now = part.steps[index];
    const StepTrace& then = full_.steps[index];
    if (now.made != then.made && DiffersInDecorations(then, now, part)) {
      Different(index, what, "took less or more decorations along", &totals_.copied_less_or_more);
    } else if (now.made != then.made) {
      const bool copies = IsCopier(TypeOf(index));
      Different(index, what, copies ? "copied less or more" : "made other names",
                copies ? &totals_.copied_less_or_more : &totals_.other_names);
    }
    if (now.made.empty() && now.edited.empty() && !then.edited.empty()) {
      Different(index, what, "found it done already", &totals_.done_already);
      return;
    }
    // What a copier names can stay, move or become a phi, depending on how much there is to copy.
    if (IsCopier(TypeOf(index))) return;
    // Edits of what the message does not name (a phi after a split block) depend on its place.
    message::NameSink names;
    message::NamesIn(recording_->steps[index].transformation, names);
    for (const Name& name : names) {
      const bool edits = std::binary_search(now.edited.begin(), now.edited.end(), name);
      if (edits == std::binary_search(then.edited.begin(), then.edited.end(), name)) continue;
      Different(index, what, "edited other instructions", &totals_.other_edits);
      break;
    }
  }

  void CompareIds(const ReplayTrace& part, const std::string& what) {
    for (const auto& [name, thing] : part.made) {
      const auto then = full_.made.find(name);
      if (then == full_.made.end() || then->second == thing) continue;
      // A copy has the form of its source: if the step that made a branch conditional is gone, it
      // is plain.
      if (then->second.id == thing.id && IsCopier(TypeOf(IndexOf(name.step)))) continue;
      ++totals_.other_ids;
      if (options_.verbose != 0) {
        std::printf("%s, %s: %s: name {%u, %llu} is %u with id %u, not %u with id %u\n",
                    where_.c_str(), what.c_str(), TypeOf(IndexOf(name.step)).c_str(), name.step,
                    static_cast<unsigned long long>(name.local),
                    static_cast<uint32_t>(thing.opcode), thing.id,
                    static_cast<uint32_t>(then->second.opcode), then->second.id);
      }
    }
  }

  const Options& options_;
  const std::vector<AnyMessage> donors_;
  Totals totals_;
  std::string where_;
  const Original* original_ = nullptr;
  const message::Recording* recording_ = nullptr;
  ReplayTrace full_;
};

double Percent(uint64_t part, uint64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<uint64_t>(whole, 1));
}

void PrintLosses(const char* what, const Losses& l) {
  std::printf("| %s | %llu | %llu | %llu | %llu | %llu | %llu | %.3f %% |\n", what,
              static_cast<unsigned long long>(l.replays), static_cast<unsigned long long>(l.kept),
              static_cast<unsigned long long>(l.lost), static_cast<unsigned long long>(l.names),
              static_cast<unsigned long long>(l.facts), static_cast<unsigned long long>(l.shape),
              Percent(l.shape, l.kept));
}

// Prints lines "what | reached". Returns false if a goal is missed.
bool Judge(const Totals& totals, const Options& options) {
  bool reached = true;
  const auto line = [&](bool ok, const std::string& what) {
    reached = reached && ok;
    std::printf("| %s | %s |\n", what.c_str(), ok ? "reached" : "NOT REACHED");
  };
  const Losses& one = totals.removals;
  // Shapes differ most where many steps are missing, so only the subsets count here.
  const uint64_t kept = totals.subsets.kept;
  const double shape = Percent(totals.subsets.shape, kept);
  const double survivors = 100.0 - Percent(one.lost, one.kept);
  const double lost =
      static_cast<double>(one.lost) / static_cast<double>(std::max<uint64_t>(one.replays, 1));
  std::printf("\n| number | |\n|---|---|\n");
  line(totals.recordings == options.count,
       format("recordings: {} of {}", totals.recordings, options.count));
  line(totals.shortest >= options.steps,
       format("steps: at least {} each, wanted {}", totals.shortest, options.steps));
  line(shape < kMostShape, format("refused for another shape: {:.3f} % of {} steps kept, wanted "
                                  "under {} %",
                                  shape, kept, kMostShape));
  // In a slice, a few steps on which many others depend have too much weight.
  if (one.replays >= kLeastRemovals) {
    line(survivors >= kLeastSurvivors,
         format("steps that survive one removal: {:.2f} %, wanted {} % (spirv-fuzz 99.24 %)",
                survivors, kLeastSurvivors));
    line(lost < kMostLost,
         format("steps lost with one removed: {:.2f}, wanted under {} (spirv-fuzz 3.35)", lost,
                kMostLost));
  }
  line(totals.other_names == 0, format("survivors that made other names: {}", totals.other_names));
  line(totals.other_ids == 0,
       format("names with another id or opcode than in the whole recording: {}", totals.other_ids));
  line(totals.other_edits == 0,
       format("survivors that edited other instructions: {}", totals.other_edits));
  line(totals.faults.empty(),
       format("results that are not valid, or other faults: {}", totals.faults.size()));
  return reached;
}

bool Print(const Totals& totals, const Options& options) {
  std::printf("refract %s (%s, %s): %llu recordings, seeds %llu to %llu, %llu steps.\n\n",
              std::string(ToolVersion()).c_str(), std::string(ToolCommit()).c_str(),
              std::string(ToolBuildType()).c_str(),
              static_cast<unsigned long long>(totals.recordings),
              static_cast<unsigned long long>(options.first + 1),
              static_cast<unsigned long long>(options.first + options.count),
              static_cast<unsigned long long>(totals.steps));
  std::printf(
      "Each recording was replayed without some of its steps. The table counts the kept steps that "
      "were refused,\nby the cause of the refusal: the step that made a name was removed, the step "
      "that made a fact was removed,\nor the code around the step has another shape:\n\n"
      "| | replays | steps kept | refused | a name is gone | a fact is gone | shape | share |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|\n");
  PrintLosses("one step removed", totals.removals);
  PrintLosses("random subsets, 50 to 95 % kept", totals.subsets);
  const bool reached = Judge(totals, options);
  std::printf(
      "\nThe list gives the reasons of two kinds of steps. \"Shape\": a kept step is refused, "
      "although"
      "\neverything that it needs exists, because the code around it differs. \"Survivors\": a kept"
      "\nstep is applied, but does something else than in the whole recording:\n\n");
  for (const auto& [what, count] : totals.shape) {
    std::printf("- shape, %llu times: %s\n", static_cast<unsigned long long>(count), what.c_str());
  }
  for (const auto& [what, count] : totals.different) {
    std::printf("- survivors, %llu times: %s\n", static_cast<unsigned long long>(count),
                what.c_str());
  }
  for (const std::string& fault : totals.faults) std::printf("- fault: %s\n", fault.c_str());
  return reached;
}

int Run(const Options& options) {
  const Result<std::vector<TestModule>> modules = References(REFRACT_SOURCE_DIR);
  if (!modules) {
    std::fprintf(stderr, "%s\n", modules.error().message.c_str());
    return 3;
  }
  std::vector<std::pair<std::string, Original>> subjects;
  for (const TestModule& module : *modules) {
    if (std::string_view(module.name).ends_with(" -Os")) continue;
    Result<std::vector<Original>> originals = Originals(module);
    if (!originals) {
      std::fprintf(stderr, "%s\n", originals.error().message.c_str());
      return 3;
    }
    for (Original& original : *originals) subjects.emplace_back(module.name, std::move(original));
  }
  Result<DonorFiles> donors = LoadDonors({REFRACT_SOURCE_DIR "/donors"});
  if (!donors) {
    std::fprintf(stderr, "%s\n", donors.error().message.c_str());
    return 3;
  }
  Experiment experiment(options, std::move(donors->donors.functions));
  const std::time_t begin = std::time(nullptr);
  for (uint64_t i = options.first; i < options.first + options.count; ++i) {
    if (std::difftime(std::time(nullptr), begin) > static_cast<double>(options.seconds)) break;
    const auto& [name, original] = subjects[i % subjects.size()];
    experiment.Measure(name, original, i + 1);
  }
  return Print(experiment.totals(), options) ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  const std::pair<std::string_view, uint64_t*> numbers[] = {
      {"--count", &options.count},     {"--first", &options.first},
      {"--steps", &options.steps},     {"--removals", &options.removals},
      {"--subsets", &options.subsets}, {"--seconds", &options.seconds},
      {"--verbose", &options.verbose}};
  for (int i = 1; i < argc; i += 2) {
    bool known = false;
    for (const auto& [name, number] : numbers) {
      known = known || (name == argv[i] && i + 1 < argc && ParseNumber(argv[i + 1], number));
    }
    if (known) continue;
    std::fprintf(stderr, "names: unknown option %s; the options are listed in names.cpp\n",
                 argv[i]);
    return 2;
  }
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
