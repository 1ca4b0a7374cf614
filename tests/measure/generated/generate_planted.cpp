// SPDX-License-Identifier: Apache-2.0
// Which generated programs show the planted bugs that need divergence, and how small these programs
// get (planted/README.md). Runs one program after the other: first through the optimiser without a
// bug, where each must compute its expected output, then through the optimiser with each bug whose
// place the program reaches. The interpreter runs the outputs. The first program that shows a bug
// is reduced as `refract generate --reduce` does.
//   generate_planted --optimiser PROGRAM [--count N] [--first N] [--least N] [--most N]
//                    [--uniform N] [--only BUG,BUG] [--keep DIR] [--state FILE] [--report FILE]
//   generate_planted --optimiser PROGRAM --ablation SECONDS [--seeds N] [--state FILE] ...
// `--least` is the number of bugs that must be found, `--most` the greatest median of statements of
// reduced programs. `--keep` gets the reduced programs. None of `--uniform` programs with only
// uniform statements may reach the place of a bug that needs divergence. With `--ablation`, it runs
// programs with and without classes and longer live ranges instead (generate_ablation.h).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "campaign/findings/failing_program.h"
#include "driver/worker.h"
#include "generate/program.h"
#include "measure/generated/generate_ablation.h"
#include "measure/generated/planted_targets.h"
#include "measure/numbered_runs.h"

namespace refract::measure {
namespace {

using planted::Bug;
using planted::BugTable;

struct Options {
  NumberedRuns runs;
  std::string optimiser, only, keep;
  uint64_t least = 12, most = 15, uniform = 100;
  uint64_t ablation = 0, seeds = 5;
};

// The first program that shows a bug.
struct Found {
  std::string bug;
  uint64_t program = 0, before = 0, after = 0, tries = 0;
  double seconds = 0;
  std::string shape;
};

std::string ToLine(const Found& found) {
  return format("{}\t{}\t{}\t{}\t{}\t{:.1f}\t{}\n", found.bug, found.program, found.before,
                found.after, found.tries, found.seconds, found.shape);
}

std::optional<Found> FoundOf(const std::string& line) {
  const std::vector<std::string> fields = Split(line, '\t');
  Found found;
  if (fields.size() != 7 || !ParseNumber(fields[1], &found.program) ||
      !ParseNumber(fields[2], &found.before) || !ParseNumber(fields[3], &found.after) ||
      !ParseNumber(fields[4], &found.tries)) {
    return std::nullopt;
  }
  found.bug = fields[0];
  found.seconds = std::strtod(fields[5].c_str(), nullptr);
  found.shape = fields[6];
  return found;
}

class Measurement {
 public:
  Measurement(const Options& options, PlantedTargets targets)
      : options_(options), targets_(std::move(targets)) {
    for (const std::string& line : StateLines(options.runs.state)) {
      if (const std::optional<Found> found = FoundOf(line)) found_[found->bug] = *found;
    }
    const std::vector<std::string> only = Split(options.only, ',');
    for (const planted::BugInfo& bug : BugTable()) {
      if (bug.group != planted::BugGroup::kDivergence) continue;
      const std::string name(bug.name);
      const bool wanted = options.only.empty() || std::count(only.begin(), only.end(), name) != 0;
      if (wanted) wanted_.insert(name);
    }
  }

  Result<int> Run() {
    const std::time_t begin = std::time(nullptr);
    for (uint64_t i = options_.runs.first; options_.runs.Has(i) && !IsDone(); ++i) {
      if (std::difftime(std::time(nullptr), begin) > options_.runs.seconds) break;
      if (Status ran = RunProgram(i); !ran) return ran.error();
      ++programs_;
    }
    CheckUniform();
    return Report();
  }

 private:
  bool IsDone() const {
    return std::all_of(wanted_.begin(), wanted_.end(),
                       [&](const std::string& bug) { return found_.count(bug) != 0; });
  }

  Status RunProgram(uint64_t index) {
    generate::ProgramRecipe recipe = generate::DrawAnyRecipe(index);
    Result<generate::GeneratedProgram> made = generate::MakeProgram(recipe);
    if (!made) return made.error();
    const uint64_t statements = CountStatements(recipe.tree);
    const std::vector<Bug> reached = PlantedTargets::BugsReached(made->words);
    const auto program = TestProgramOf(std::move(recipe), std::move(*made));
    if (!program) return program.error();
    const Result<std::string> without = targets_.FailureOf(**program, std::nullopt, harness_);
    if (!without) return without.error();
    if (!without->empty()) {
      ++false_;
      std::printf("program %llu fails without a bug: %s\n", static_cast<unsigned long long>(index),
                  without->c_str());
      return {};
    }
    for (const Bug bug : reached) {
      const std::string name(BugTable()[static_cast<size_t>(bug)].name);
      if (wanted_.count(name) == 0 || found_.count(name) != 0) continue;
      const Result<std::string> signature = targets_.FailureOf(**program, bug, harness_);
      if (!signature) return signature.error();
      if (signature->empty()) continue;
      const double begin = ProcessorSeconds();
      FailingProgram failing{**program, targets_.Of(bug), *signature, {}};
      failing.run.time_limit = PlantedTargets::kTimeLimit;
      const Result<ReducedTestProgram> reduced =
          ReduceProgram(failing, harness_, [] { return false; });
      if (!reduced) return reduced.error();
      Found found{name, index, statements, 0, reduced->asked, ProcessorSeconds() - begin, ""};
      // "46 statements"
      found.after = std::strtoull(reduced->program->Size().c_str(), nullptr, 10);
      found.shape = reduced->program->Shape();
      if (Status kept = Keep(name, reduced->program->original()); !kept) return kept;
      Note(found);
    }
    return {};
  }

  Status Keep(const std::string& bug, const Original& program) {
    if (options_.keep.empty()) return {};
    const std::string base = options_.keep + "/" + bug;
    if (Status made = MakeFolder(options_.keep); !made) return made;
    const Status written =
        WriteFile(base + ".spv", {reinterpret_cast<const char*>(program.words.data()),
                                  program.words.size() * sizeof(uint32_t)});
    return written ? WriteFile(base + ".json", WriteInputs(*program.context.inputs)) : written;
  }

  void Note(const Found& found) {
    found_[found.bug] = found;
    if (options_.runs.state.empty()) return;
    std::FILE* state = std::fopen(options_.runs.state.c_str(), "a");
    if (state == nullptr) return;
    std::fputs(ToLine(found).c_str(), state);
    std::fclose(state);
  }

  void CheckUniform() {
    generate::GenerateOptions options;
    options.divergent = 0;
    options.calls = 0;   // a function may have divergent parameters
    options.groups = 0;  // the analysis does not know that a sum of all invocations is uniform
    options.images = 0;  // nor that equal coordinates give equal texels
    for (uint64_t seed = 0; seed < options_.uniform; ++seed) {
      const auto recipe = generate::DrawRecipe(options, seed);
      for (const Bug bug : PlantedTargets::BugsReached(generate::MakeModule(*recipe).words)) {
        if (planted::GroupOf(bug) != planted::BugGroup::kDivergence) continue;
        if (uniform_reaches_++ > 0) continue;
        std::printf("seed %llu, only uniform statements: reaches %s\n",
                    static_cast<unsigned long long>(seed),
                    std::string(BugTable()[static_cast<size_t>(bug)].name).c_str());
      }
    }
  }

  int Report() {
    std::string text =
        "| bug | first program | statements | reduced to | runs | seconds | shape |\n"
        "|---|---:|---:|---:|---:|---:|---|\n";
    std::vector<uint64_t> sizes;
    for (const planted::BugInfo& bug : BugTable()) {
      const auto at = found_.find(std::string(bug.name));
      if (wanted_.count(std::string(bug.name)) == 0) continue;
      if (at == found_.end()) {
        text += format("| `{}` | none | | | | | |\n", bug.name);
        continue;
      }
      const Found& found = at->second;
      text += format("| `{}` | {} | {} | {} | {} | {:.1f} | {} |\n", bug.name, found.program,
                     found.before, found.after, found.tries, found.seconds, found.shape);
      sizes.push_back(found.after);
    }
    std::sort(sizes.begin(), sizes.end());
    const uint64_t median = sizes.empty() ? 0 : sizes[sizes.size() / 2];
    text += format(
        "\n{} of {} bugs; median of statements: {}, wanted at most {}. Without a bug, {} of {} "
        "programs fail. {} programs with only uniform statements reach the place of a bug {} "
        "times.\n",
        sizes.size(), wanted_.size(), median, options_.most, false_, programs_, options_.uniform,
        uniform_reaches_);
    const uint64_t least = std::min<uint64_t>(options_.least, wanted_.size());
    return WriteReport(
        options_.runs, text,
        sizes.size() >= least && median <= options_.most && false_ == 0 && uniform_reaches_ == 0);
  }

  const Options options_;
  const PlantedTargets targets_;
  Harness harness_;
  std::set<std::string> wanted_;
  std::map<std::string, Found> found_;
  uint64_t programs_ = 0, false_ = 0, uniform_reaches_ = 0;
};

int Main(int argc, char** argv) {
  Options options;
  options.runs.count = 2000;
  const auto other = [&](std::string_view name, const std::string& value) {
    uint64_t* number = name == "--least"      ? &options.least
                       : name == "--most"     ? &options.most
                       : name == "--uniform"  ? &options.uniform
                       : name == "--ablation" ? &options.ablation
                       : name == "--seeds"    ? &options.seeds
                                              : nullptr;
    if (number != nullptr) return ParseNumber(value, number);
    std::string* text = name == "--optimiser" ? &options.optimiser
                        : name == "--only"    ? &options.only
                        : name == "--keep"    ? &options.keep
                                              : nullptr;
    if (text != nullptr) *text = value;
    return text != nullptr;
  };
  const bool given = ReadArguments(argc, argv, "generate_planted", &options.runs, other);
  if (!given || options.optimiser.empty()) {
    std::fputs("generate_planted: --optimiser PROGRAM\n", stderr);
    return 2;
  }
  Result<PlantedTargets> targets = PlantedTargets::Make(options.optimiser);
  if (!targets) {
    std::fprintf(stderr, "%s\n", targets.error().message.c_str());
    return 3;
  }
  const Result<int> status =
      options.ablation != 0
          ? MeasureAblation(options.runs, *targets, options.ablation, options.seeds)
          : Measurement(options, std::move(*targets)).Run();
  if (!status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  return *status;
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  return refract::measure::Main(argc, argv);
}
