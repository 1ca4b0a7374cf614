// SPDX-License-Identifier: Apache-2.0
// Measures which steps survive an optimiser, among those that read what nothing needs or keep
// values alive. Variants are made with these steps and with steps that make constants opaque. From
// each recording single steps are left out, with all steps that depend on them. A step survived if
// spirv-opt -O gives fewer instructions without it. Also measures how many scalars are alive at
// once with and without all of these steps.
//   survival [--references DIR] [--count N] [--first I] [--each N] [--least PERCENT] [--seconds S]
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <set>
#include <string_view>

#include "base/random.h"
#include "base/text.h"
#include "base/version.h"
#include "engine/replay.h"
#include "ir/binary.h"
#include "measure/optimised.h"
#include "measure/reference.h"
#include "measure/register_pressure.h"
#include "measure/variants.h"
#include "message/all.h"

namespace refract::measure {
namespace {

struct Options {
  std::string references = "references";
  uint64_t count = 40, first = 0, each = 3, seconds = 86400;
  uint64_t least = 0;  // percent of the opaque waves that must survive
};

// The types that are measured: register pressure, and loads and stores that nothing needs.
constexpr std::string_view kJudged[] = {"keep_values_alive", "access", "load_again",
                                        "add_overwritten_store"};
// The types that make a zero or a condition depend on a value that an optimiser cannot know.
constexpr std::string_view kOpaque[] = {"replace_constant_with_uniform",
                                        "replace_constant_with_opaque_value"};
constexpr std::string_view kOthers[] = {"add_numbers",
                                        "replace_id_with_synonym",
                                        "replace_bool_constant_with_comparison",
                                        "replace_constant_with_arithmetic",
                                        "add_synonym",
                                        "add_variable",
                                        "add_uniform",
                                        "split_block",
                                        "add_dead_block",
                                        "wrap_region_in_loop",
                                        "wrap_region_in_selection"};

template <size_t n>
bool IsAmong(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

struct Tally {
  uint64_t steps = 0, survived = 0;
  uint64_t used = 0, used_survived = 0;      // those on which another step depends
  uint64_t opaque = 0, opaque_survived = 0;  // those with an opaque value on either side
};

struct Pressure {
  uint64_t variants = 0, kept = 0, original = 0, without = 0, with = 0;
};

class Experiment {
 public:
  explicit Experiment(const Options& options) : options_(options) {}

  void Measure(uint64_t index, const VariantOriginal& subject,
               const std::vector<AnyMessage>& donors) {
    FuzzOptions fuzz;
    fuzz.seed = index + 1;
    fuzz.donors = donors;
    fuzz.max_steps = 300;
    fuzz.stop_by_chance = false;
    fuzz.validate = false;
    for (std::string_view name : kJudged) fuzz.passes.emplace_back(name);
    for (std::string_view name : kOpaque) fuzz.passes.emplace_back(name);
    for (std::string_view name : kOthers) fuzz.passes.emplace_back(name);
    const Result<FuzzResult> made = Fuzz(subject.original, fuzz);
    if (!made) return Fail(subject, made.error().message);
    const auto whole = Optimise(made->words, subject.name);
    if (!whole) return;
    ++variants_;
    MeasureSteps(index, subject, made->recording, *whole);
    MeasurePressure(subject, made->recording, *whole);
  }

  std::string Report(bool* reached) const {
    std::string text = format(
        "## What spirv-opt -O leaves\n\nrefract {} ({}, {}), {} variants; {} times spirv-opt "
        "crashes\n\n",
        ToolVersion(), ToolCommit(), ToolBuildType(), variants_, crashes_);
    text +=
        "| step | left out | survives | used by another | survives | made opaque | survives |\n"
        "|---|---:|---:|---:|---:|---:|---:|\n";
    for (const auto& [name, tally] : tallies_) {
      text += format("| {} | {} | {} | {} | {} | {} | {} |\n", name, tally.steps,
                     Share(tally.survived, tally.steps), tally.used,
                     Share(tally.used_survived, tally.used), tally.opaque,
                     Share(tally.opaque_survived, tally.opaque));
    }
    text +=
        "\n| largest wave of a variant | variants | values in it | numbers alive at once: original "
        "| without waves | with waves |\n|---|---:|---:|---:|---:|---:|\n";
    for (const auto& [least, sum] : pressures_) {
      const auto mean = [&](uint64_t total) {
        return format("{:.1f}", static_cast<double>(total) / static_cast<double>(sum.variants));
      };
      text += format("| {} | {} | {} | {} | {} | {} |\n",
                     least == 0 ? "below 16" : format("{} and more", least), sum.variants,
                     mean(sum.kept), mean(sum.original), mean(sum.without), mean(sum.with));
    }
    for (const std::string& fault : faults_) text += "\n- " + fault;
    const auto waves = tallies_.find("keep_values_alive");
    *reached = faults_.empty() && waves != tallies_.end() && waves->second.opaque > 0 &&
               waves->second.opaque_survived * 100 >= waves->second.opaque * options_.least;
    text += format("\nOf the opaque waves, at least {} % survive: {}\n", options_.least,
                   *reached ? "reached" : "NOT REACHED");
    return text;
  }

 private:
  static std::string Share(uint64_t part, uint64_t whole) {
    return whole == 0
               ? "-"
               : format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  }

  void Fail(const VariantOriginal& subject, const std::string& message) {
    faults_.push_back(subject.name + ": " + message);
  }

  std::optional<Module> Optimise(const std::vector<uint32_t>& words, const std::string& name) {
    const Result<std::vector<uint32_t>> optimised = Optimised(words, name);
    if (!optimised) {
      ++crashes_;
      return std::nullopt;
    }
    Result<Module> module = ReadModule(*optimised, name);
    if (!module) {
      faults_.push_back(module.error().message);
      return std::nullopt;
    }
    return std::move(*module);
  }

  // The recording without these steps, optimised.
  std::optional<Module> Without(const VariantOriginal& subject, const message::Recording& recording,
                                const std::set<uint32_t>& gone) {
    ReplayOptions options;
    for (const message::Step& step : recording.steps) {
      if (gone.count(step.number) == 0) options.steps.push_back(step.number);
    }
    if (options.steps.empty()) return Optimise(subject.original.words, subject.name);
    const Result<ReplayResult> replayed = Replay(subject.original, recording, options);
    if (!replayed) {
      Fail(subject, replayed.error().message);
      return std::nullopt;
    }
    return Optimise(replayed->words, subject.name);
  }

  static std::string_view TypeOf(const message::Step& step) {
    return message::KindName(step.transformation.kind);
  }

  // `gone` and all steps that depend on one of them.
  static std::set<uint32_t> WithDependants(const message::Recording& recording,
                                           std::set<uint32_t> gone) {
    for (const message::Step& step : recording.steps) {
      const bool goes = std::any_of(step.needs.begin(), step.needs.end(),
                                    [&](uint32_t need) { return gone.count(need) != 0; });
      if (goes) gone.insert(step.number);
    }
    return gone;
  }

  void MeasureSteps(uint64_t index, const VariantOriginal& subject,
                    const message::Recording& recording, const Module& whole) {
    Random random(index + 1);
    const uint64_t instructions = CountInstructions(whole);
    for (std::string_view name : kJudged) {
      std::vector<const message::Step*> steps;
      for (const message::Step& step : recording.steps) {
        if (TypeOf(step) == name) steps.push_back(&step);
      }
      for (uint64_t i = 0; i < options_.each && !steps.empty(); ++i) {
        std::swap(steps[random.Below(steps.size())], steps.back());
        const message::Step& step = *steps.back();
        steps.pop_back();
        const std::set<uint32_t> gone = WithDependants(recording, {step.number});
        const bool is_opaque =
            std::any_of(recording.steps.begin(), recording.steps.end(), [&](const auto& other) {
              const bool is_near =
                  gone.count(other.number) != 0 ||
                  std::find(step.needs.begin(), step.needs.end(), other.number) != step.needs.end();
              return is_near && IsAmong(kOpaque, TypeOf(other));
            });
        const auto without = Without(subject, recording, gone);
        if (!without) continue;
        const bool survives = instructions > CountInstructions(*without);
        Tally& tally = tallies_[std::string(name)];
        ++tally.steps;
        tally.survived += survives;
        tally.used += gone.size() > 1;
        tally.used_survived += gone.size() > 1 && survives;
        tally.opaque += is_opaque;
        tally.opaque_survived += is_opaque && survives;
      }
    }
  }

  void MeasurePressure(const VariantOriginal& subject, const message::Recording& recording,
                       const Module& whole) {
    std::set<uint32_t> waves;
    size_t largest = 0;
    for (const message::Step& step : recording.steps) {
      if (TypeOf(step) != kJudged[0]) continue;
      waves.insert(step.number);
      largest = std::max(largest, step.transformation.As<message::KeepValuesAlive>().kept.size());
    }
    if (waves.empty()) return;
    const auto original = Optimise(subject.original.words, subject.name);
    const auto without = Without(subject, recording, WithDependants(recording, waves));
    if (!original || !without) return;
    Pressure& sum = pressures_[largest >= 64 ? 64 : largest >= 16 ? 16 : 0];
    sum.original += MaxLiveScalars(*original);
    sum.without += MaxLiveScalars(*without);
    sum.with += MaxLiveScalars(whole);
    sum.kept += largest;
    ++sum.variants;
  }

  const Options& options_;
  uint64_t variants_ = 0, crashes_ = 0;
  std::map<std::string, Tally> tallies_;
  std::map<size_t, Pressure> pressures_;  // by the lower bound of the size of the largest wave
  std::vector<std::string> faults_;
};

int Run(const Options& options) {
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) {
    std::fprintf(stderr, "%s\n", subjects.error().message.c_str());
    return 3;
  }
  Experiment experiment(options);
  const std::time_t begin = std::time(nullptr);
  for (uint64_t i = options.first; i < options.first + options.count; ++i) {
    if (std::difftime(std::time(nullptr), begin) > static_cast<double>(options.seconds)) break;
    const Result<const VariantOriginal*> subject = subjects->Of(i);
    if (!subject) {
      std::fprintf(stderr, "%s\n", subject.error().message.c_str());
      return 3;
    }
    experiment.Measure(i, **subject, subjects->donors());
  }
  bool reached = false;
  std::fputs(experiment.Report(&reached).c_str(), stdout);
  return reached ? 0 : 1;
}

int Main(int argc, char** argv) {
  Options options;
  const std::map<std::string_view, uint64_t*> numbers = {{"--count", &options.count},
                                                         {"--first", &options.first},
                                                         {"--each", &options.each},
                                                         {"--least", &options.least},
                                                         {"--seconds", &options.seconds}};
  for (int i = 1; i < argc; i += 2) {
    const auto number = numbers.find(argv[i]);
    const std::string value = i + 1 < argc ? argv[i + 1] : "";
    if (number != numbers.end() && ParseNumber(value, number->second)) continue;
    if (std::string_view(argv[i]) == "--references" && !value.empty()) {
      options.references = value;
      continue;
    }
    std::fprintf(stderr, "survival: unknown option %s %s\n", argv[i], value.c_str());
    return 2;
  }
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
