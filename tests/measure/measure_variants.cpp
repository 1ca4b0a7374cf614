// SPDX-License-Identifier: Apache-2.0
// Tests variants: each must be valid, replay to the same bytes, and draw the original's image on
// every target, and every transformation must be applied. `--count 1000` gives the full numbers.
// Variants that are done are listed in --state and not run again. `--all-passes 1` enables all
// passes instead of those that the seed draws. `--targets none` runs nothing. `--known-bad TARGET`
// only counts the outcomes on a target with known bugs (docs/bugs.md). `--passes LIST` enables only
// the transformations or families of the list, and `--float 1` enables float identities, too.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "driver/worker.h"
#include "image/png.h"
#include "measure/numbered_runs.h"
#include "measure/variants.h"
#include "transform/registry.h"

namespace refract::measure {
namespace {

struct Options : NumberedRuns {
  Options() { count = 24; }
  uint64_t least_applied = 0;  // of each type
  uint64_t least_steps = 0;    // steps of a variant, on average
  FuzzOptions fuzz;
  std::vector<std::string> targets = {"lavapipe", "swiftshader"};
  std::string known_bad;  // a target with known bugs: counted, but never a failure
};

// The counts of one transformation over all variants, and the references where it was offered or
// applied.
struct TypeTotals {
  TypeStatistics sum;
  std::set<std::string> can_hold, hold;
};

struct Totals {
  uint64_t variants = 0, steps = 0, applied = 0, faults = 0, set_aside = 0;
  std::map<std::string, TypeTotals> types;
  std::map<std::string, std::map<std::string, uint64_t>> targets;
  std::vector<std::string> notes;
};

void Add(const VariantOutcome& outcome, Totals* totals) {
  ++totals->variants;
  totals->steps += outcome.steps;
  const std::string what =
      format("variant {} ({}, seed {})", outcome.index, outcome.subject, outcome.seed);
  if (!outcome.fault.empty()) {
    ++totals->faults;
    totals->notes.push_back(what + ": our fault: " + outcome.fault);
  }
  bool aside = false;
  for (const auto& [target, verdict] : outcome.targets) {
    ++totals->targets[target][verdict];
    if (verdict == "same") continue;
    aside = true;
    totals->notes.push_back(format("{} set aside: {}: {}", what, target, verdict));
  }
  totals->set_aside += aside;
  const std::string reference = Split(outcome.subject, ' ').front();
  for (const auto& [name, type] : outcome.types) {
    TypeTotals& type_totals = totals->types[name];
    if (type.offered > 0) type_totals.can_hold.insert(reference);
    if (type.applied > 0) type_totals.hold.insert(reference);
    TypeStatistics& sum = type_totals.sum;
    sum.offered += type.offered;
    sum.applied += type.applied;
    totals->applied += type.applied;
    for (const auto& [reason, count] : type.refused) sum.refused[reason] += count;
  }
}

// Percentage of all steps.
double ShareOf(const TypeTotals& type, const Totals& totals) {
  return 100.0 * static_cast<double>(type.sum.applied) /
         static_cast<double>(std::max<uint64_t>(totals.applied, 1));
}

// Compares the totals with the goals, as lines "reached / wanted". Returns false if a goal is
// missed.
bool Judge(const Totals& totals, const Options& options, std::string* text) {
  bool reached = true;
  const auto line = [&](bool ok, const std::string& what) {
    reached = reached && ok;
    *text += format("| {} | {} |\n", what, ok ? "reached" : "NOT REACHED");
  };
  *text += "| number | |\n|---|---|\n";
  line(totals.variants == options.count,
       format("variants: {} of {}", totals.variants, options.count));
  line(totals.faults == 0, format("invalid, or replayed to other bytes: {} of {}, wanted 0",
                                  totals.faults, totals.variants));
  for (const auto& [target, verdicts] : totals.targets) {
    const auto same = verdicts.find("same");
    const uint64_t count = same == verdicts.end() ? 0 : same->second;
    std::string others;
    uint64_t ran = 0;  // without originals that need what the target lacks
    for (const auto& [verdict, times] : verdicts) {
      ran += times;
      if (verdict != "same") others += format("; {} {}", times, verdict);
    }
    line(
        count == ran || target == options.known_bad,
        format("{}: {} of {} have the same outputs as the original{}", target, count, ran, others));
  }
  if (options.least_applied == 0) return reached;
  const uint64_t average = totals.steps / std::max<uint64_t>(totals.variants, 1);
  line(average >= options.least_steps,
       format("steps of a variant, on average: {}, wanted {}", average, options.least_steps));
  for (size_t i = 0; i < Registry().size(); ++i) {
    const RegistryEntry& entry = Registry()[i];
    if (IsOptIn(i) && !options.fuzz.float_identities) continue;
    const auto found = totals.types.find(std::string(entry.name));
    const TypeTotals type = found == totals.types.end() ? TypeTotals() : found->second;
    const uint64_t applied = type.sum.applied;
    const double share = ShareOf(type, totals);
    const bool wide = type.hold.size() * 4 >= type.can_hold.size();
    if (applied >= options.least_applied && share <= 15 && wide) continue;
    line(false, format("{}: applied {} times (wanted {}), {:.1f} % of steps (at most 15), in {} "
                       "of {} references that can hold it (a quarter)",
                       entry.name, applied, options.least_applied, share, type.hold.size(),
                       type.can_hold.size()));
  }
  return reached;
}

std::string TypeTable(const Totals& totals) {
  std::string text =
      "| type | offered | applied | share | references | refused, by reason |\n"
      "|---|---:|---:|---:|---:|---|\n";
  for (const auto& [name, type] : totals.types) {
    std::string reasons;
    for (const auto& [reason, count] : type.sum.refused) {
      reasons += format("{}{} {}", reasons.empty() ? "" : "; ", count, reason);
    }
    text += format("| {} | {} | {} | {:.1f} % | {} of {} | {} |\n", name, type.sum.offered,
                   type.sum.applied, ShareOf(type, totals), type.hold.size(), type.can_hold.size(),
                   reasons);
  }
  return text;
}

// Whether somebody should look into this outcome.
bool IsAside(const VariantOutcome& outcome) {
  return !outcome.fault.empty() ||
         std::any_of(outcome.targets.begin(), outcome.targets.end(),
                     [](const auto& target) { return target.second != "same"; });
}

void KeepAside(const VariantOutcome& outcome, const VariantOriginal& subject,
               const VariantFiles& files, const std::string& folder) {
  const std::string base = format("{}/aside-{}", folder, outcome.index);
  std::vector<Status> written;
  written.push_back(WriteFile(base + ".refract", files.recording));
  written.push_back(WriteFile(
      base + ".spv", {reinterpret_cast<const char*>(files.words.data()), files.words.size() * 4}));
  written.push_back(WriteFile(base + ".original.spv",
                              {reinterpret_cast<const char*>(subject.original.words.data()),
                               subject.original.words.size() * 4}));
  for (const auto& [target, image] : files.pictures) {
    if (image.pixels.empty()) continue;
    written.push_back(WriteFile(format("{}.{}.png", base, target), EncodePng(image)));
  }
  for (const Status& status : written) {
    if (!status) std::fprintf(stderr, "%s\n", status.error().message.c_str());
  }
}

std::map<uint64_t, VariantOutcome> ReadState(const std::string& path) {
  std::map<uint64_t, VariantOutcome> done;
  for (const std::string& line : StateLines(path)) {
    if (std::optional<VariantOutcome> outcome = FromLine(line)) done[outcome->index] = *outcome;
  }
  return done;
}

int Run(const Options& options) {
  std::vector<Target> targets;
  Harness harness;
  std::string versions;
  for (const std::string& name : options.targets) {
    Result<Target> target = FindTarget(name);
    if (!target) {
      std::fprintf(stderr, "%s\n", target.error().message.c_str());
      return 7;
    }
    const TargetState state = harness.Probe(*target);
    versions += format("- {}: {}\n", name, state.available ? state.version : state.reason);
    targets.push_back(std::move(*target));
  }
  Result<VariantOriginals> subjects =
      VariantOriginals::Open(options.references, std::move(targets), harness);
  if (!subjects) {
    std::fprintf(stderr, "%s\n", subjects.error().message.c_str());
    return 3;
  }
  std::map<uint64_t, VariantOutcome> done = ReadState(options.state);
  VariantFiles files;
  const bool made = MeasureRuns(
      options, *subjects, [&](uint64_t i) { return done.count(i) != 0; },
      [&](uint64_t i, const VariantOriginal& subject) {
        files = {};
        done[i] = MeasureVariant(i, subject, *subjects, options.fuzz, harness, &files);
        return ToLine(done[i]);
      },
      [&](uint64_t i, const VariantOriginal& subject) {
        if (!IsAside(done[i])) return;
        const size_t slash = options.state.find_last_of('/');
        KeepAside(done[i], subject, files,
                  slash == std::string::npos ? "." : options.state.substr(0, slash));
      });
  if (!made) return 3;

  Totals totals;
  for (const auto& [index, outcome] : done) {
    if (options.Has(index)) Add(outcome, &totals);
  }
  std::string text = ReportHead("Variants") + versions + "\n";
  const bool reached = Judge(totals, options, &text);
  text += format("\n{} variants (seeds {} to {}), {} steps, {} set aside.\n\n", totals.variants,
                 options.first + 1, options.first + options.count, totals.steps, totals.set_aside);
  text +=
      "A variant is set aside if it fails on a target, or if its outputs differ from those of "
      "the original:\n\n";
  for (const std::string& note : totals.notes) text += "- " + note + "\n";
  text += "\n" + TypeTable(totals);
  return WriteReport(options, text, reached);
}

int Main(int argc, char** argv) {
  Options options;
  const auto other = [&](std::string_view name, const std::string& value) {
    uint64_t number = 0;
    const bool is_number = ParseNumber(value, &number);
    if (name == "--least-applied" && is_number) {
      options.least_applied = number;
    } else if (name == "--least-steps" && is_number) {
      options.least_steps = number;
    } else if (name == "--all-passes" && is_number) {
      options.fuzz.all_passes = number != 0;
    } else if (name == "--float" && is_number) {
      options.fuzz.float_identities = number != 0;
    } else if (name == "--passes") {
      options.fuzz.passes = Split(value, ',');
    } else if (name == "--known-bad") {
      options.known_bad = value;
    } else if (name == "--targets") {
      options.targets = value == "none" ? std::vector<std::string>() : Split(value, ',');
    } else {
      return false;
    }
    return true;
  };
  if (!ReadArguments(argc, argv, "measure_variants", &options, other)) return 2;
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  return refract::measure::Main(argc, argv);
}
