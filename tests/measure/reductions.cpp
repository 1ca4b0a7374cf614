// SPDX-License-Identifier: Apache-2.0
// Reduces recordings of planted bugs (from planted_recordings) and prints the results by bug and by
// kind: steps, instructions of difference, tries, whether the result is 1-minimal, and whether it
// shows the same bug. With --plain 1, the algorithm of the paper reduces them, for comparison.
//   reductions --optimiser PROGRAM --recordings FILE [--references DIR] [--only BUG] [--each N]
//              [--plain 1] [--jobs N] [--algorithm NAME] [--state FILE] [--seconds S]
//              [--most-steps N] [--without KIND] [--folders DIR] [--again-with-jobs N]
//              [--again-every N]
// `--most-steps`: no result may have more steps. `--without hang`: leaves out bugs of that kind.
// `--folders`: writes a test folder for each result, DIR/KIND.BUG/NUMBER, as dedup_quality reads
// them (not for results that are already in the state file). Each result is run again, and at most
// one of a hundred may have another signature than its variant. `--again-with-jobs`: reduces again
// with that many jobs, which must give the same bytes with the same number of tries;
// `--again-every`: not for all recordings but the first of N.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <map>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "measure/planted_folder.h"
#include "measure/variants.h"
#include "planted/optimiser_runner.h"
#include "reduce/reduce.h"

namespace refract::measure {
namespace {

struct Options {
  std::string optimiser, recordings, references = "references";
  std::string only, without, state, folders, algorithm = "bisect";
  uint64_t each = 20, plain = 0, jobs = 1, seconds = 86400, most_steps = 0, again = 0,
           again_every = 1;
};

// Whether a candidate shows the bug with the same signature as the variant.
class PlantedTest : public InterestingnessTest {
 public:
  PlantedTest(const planted::OptimiserRunner& campaign, planted::Bug bug, std::string signature)
      : campaign_(campaign), bug_(bug), signature_(std::move(signature)) {}

  Result<bool> IsInteresting(const Candidate& candidate) override {
    if (candidate.context == nullptr) return false;
    std::string signature;
    const Result<bool> shows =
        campaign_.Shows(bug_, candidate.words, *candidate.context, &signature);
    if (!shows) return shows.error();
    return *shows && signature == signature_;
  }

 private:
  const planted::OptimiserRunner& campaign_;
  const planted::Bug bug_;
  const std::string signature_;
};

// The result for one recording. A line of the state file.
struct Outcome {
  std::string key;  // bug, subject, seed, algorithm
  std::string fault;
  uint64_t recorded = 0, steps = 0, instructions = 0, tries = 0, minimal = 0, same = 0;
  uint64_t renamed = 0;  // has another signature when run again
  double seconds = 0, judging = 0;
  std::string types;  // of the remaining steps
};

std::string ToLine(const Outcome& one) {
  return format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\t{}\n", one.key, one.fault,
                one.recorded, one.steps, one.instructions, one.tries, one.minimal, one.same,
                one.renamed, one.seconds, one.judging, one.types);
}

std::map<std::string, Outcome> ReadState(const std::string& path) {
  std::map<std::string, Outcome> done;
  if (path.empty() || !FileExists(path)) return done;
  const Result<std::string> text = ReadFile(path);
  if (!text) return done;
  for (const std::string& line : Split(*text, '\n')) {
    const std::vector<std::string> fields = Split(line, '\t');
    Outcome one;
    if (fields.size() != 12) continue;  // incomplete, because the process was killed
    one.key = fields[0];
    one.fault = fields[1];
    uint64_t* numbers[] = {&one.recorded, &one.steps, &one.instructions, &one.tries,
                           &one.minimal,  &one.same,  &one.renamed};
    bool whole = true;
    for (size_t i = 0; i < std::size(numbers); ++i)
      whole = whole && ParseNumber(fields[2 + i], numbers[i]);
    one.seconds = std::strtod(fields[9].c_str(), nullptr);
    one.judging = std::strtod(fields[10].c_str(), nullptr);
    one.types = fields[11];
    if (whole) done[one.key] = one;
  }
  return done;
}

std::string TypesInOrder(const message::Recording& recording) {
  std::string types;
  for (const message::Step& step : recording.steps) {
    if (!types.empty()) types += " ";
    types += message::KindName(step.transformation.kind);
  }
  return types;
}

void ReduceOne(const planted::PlantedRecording& one, const VariantOriginal& subject,
               const VariantOriginals& subjects, const Options& options, bool again,
               Outcome* outcome) {
  FuzzOptions fuzz;
  fuzz.seed = one.seed;
  fuzz.max_steps = static_cast<uint32_t>(one.max_steps);
  fuzz.donors = subjects.donors();
  const Result<FuzzResult> variant = Fuzz(subject.original, fuzz);
  if (!variant) {
    outcome->fault = variant.error().message;
    return;
  }
  outcome->recorded = variant->recording.steps.size();
  const planted::Bug bug = *planted::BugByName(one.bug);
  const planted::OptimiserRunner campaign(options.optimiser, subject.original);
  std::string signature;
  const Result<bool> shows = campaign.Shows(bug, variant->words, variant->context, &signature);
  if (!shows || !*shows) {
    outcome->fault = shows ? "the variant does not show it" : shows.error().message;
    return;
  }
  PlantedTest judge(campaign, bug, signature);
  ReduceOptions reduce;
  reduce.plain = options.plain != 0;
  reduce.jobs = static_cast<uint32_t>(options.jobs);
  reduce.algorithm = AlgorithmByName(options.algorithm).value_or(Algorithm::kBisect);
  const Result<Reduction> reduction = Reduce(subject.original, variant->recording, reduce, judge);
  if (!reduction || reduction->end != Reduction::End::kDone) {
    outcome->fault = reduction ? "not interesting" : reduction.error().message;
    return;
  }
  if (again) {
    reduce.jobs = static_cast<uint32_t>(options.again);
    const Result<Reduction> other = Reduce(subject.original, variant->recording, reduce, judge);
    const bool same = other && other->words == reduction->words &&
                      other->tries == reduction->tries && other->recording == reduction->recording;
    if (!same) outcome->fault = format("with {} jobs it gives another result", options.again);
  }
  outcome->steps = reduction->steps;
  outcome->instructions = reduction->instructions;
  outcome->tries = reduction->tries;
  outcome->minimal = reduction->minimal;
  outcome->seconds = reduction->seconds;
  outcome->judging = reduction->testing_seconds;
  outcome->types = TypesInOrder(reduction->recording);
  const std::vector<planted::Bug> met = planted::BugsReached(reduction->words);
  outcome->same = std::count(met.begin(), met.end(), bug) != 0;
  std::string shown;
  const Result<bool> still = campaign.Shows(bug, reduction->words, *reduction->context, &shown);
  outcome->renamed = !still || !*still || shown != signature;
  if (options.folders.empty()) return;
  const Status written = WritePlantedFolder(
      options.folders, {bug, signature, subject.original, variant->recording, *reduction});
  if (!written) outcome->fault = written.error().message;
}

struct Row {
  std::vector<uint64_t> steps, instructions, tries;
  uint64_t faults = 0, not_minimal = 0, turned = 0, renamed = 0;
  double seconds = 0, judging = 0;
  std::map<std::string, uint64_t> types;
  void Add(const Outcome& one) {
    if (!one.fault.empty()) {
      ++faults;
      return;
    }
    steps.push_back(one.steps);
    instructions.push_back(one.instructions);
    tries.push_back(one.tries);
    not_minimal += one.minimal == 0;
    turned += one.same == 0;
    renamed += one.renamed;
    seconds += one.seconds;
    judging += one.judging;
    std::vector<std::string> names = Split(one.types, ' ');
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string key;
    for (const std::string& name : names) key += (key.empty() ? "" : " + ") + name;
    ++types[key];
  }
};

std::string MedianAndWorst(std::vector<uint64_t> values) {
  if (values.empty()) return "-";
  std::sort(values.begin(), values.end());
  return format("{} ({})", values[(values.size() - 1) / 2], values.back());
}

std::string RowText(const std::string& name, const Row& row) {
  std::string most;
  uint64_t count = 0;
  for (const auto& [types, times] : row.types) {
    if (times > count) {
      most = types;
      count = times;
    }
  }
  const uint64_t least =
      row.steps.empty() ? 0 : *std::min_element(row.steps.begin(), row.steps.end());
  return format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} | {} |\n", name,
                row.steps.size(), row.faults, least, MedianAndWorst(row.steps),
                MedianAndWorst(row.instructions), MedianAndWorst(row.tries), row.not_minimal,
                row.turned, row.seconds, row.judging, most);
}

int Report(const std::vector<std::pair<std::string, Outcome>>& outcomes, const Options& options) {
  std::map<std::string, Row> by_bug, by_kind;
  Row all;
  for (const auto& [bug, one] : outcomes) {
    by_bug[bug].Add(one);
    const auto number = static_cast<size_t>(*planted::BugByName(bug));
    by_kind[std::string(planted::BugKindName(planted::BugTable()[number].kind))].Add(one);
    all.Add(one);
    if (!one.fault.empty()) std::printf("%s: %s\n", one.key.c_str(), one.fault.c_str());
  }
  std::string text = format(
      "\n{}: median and, in brackets, worst\n\n"
      "| bug | reduced | faults | fewest steps | steps | instructions | tries | not minimal | "
      "another bug | seconds | judging | types, most often |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
      options.plain != 0 ? "plain" : options.algorithm);
  for (const auto& [bug, row] : by_bug) text += RowText(bug, row);
  for (const auto& [kind, row] : by_kind) text += RowText("all of kind " + kind, row);
  all.types.clear();
  text += RowText("all", all);
  std::fputs(text.c_str(), stdout);
  std::printf("run again: %llu of %zu have another signature\n",
              static_cast<unsigned long long>(all.renamed), all.steps.size());
  const bool short_enough =
      options.most_steps == 0 || all.steps.empty() ||
      *std::max_element(all.steps.begin(), all.steps.end()) <= options.most_steps;
  return !all.steps.empty() && all.faults == 0 && all.not_minimal == 0 && all.turned == 0 &&
                 100 * all.renamed <= all.steps.size() && short_enough
             ? 0
             : 1;
}

int Run(const Options& options) {
  const auto recordings = planted::ReadRecordings(options.recordings);
  if (!recordings) {
    std::fprintf(stderr, "%s\n", recordings.error().message.c_str());
    return 3;
  }
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) {
    std::fprintf(stderr, "%s\n", subjects.error().message.c_str());
    return 3;
  }
  std::map<std::string, Outcome> done = ReadState(options.state);
  std::FILE* state = options.state.empty() ? nullptr : std::fopen(options.state.c_str(), "a");
  std::map<std::string, uint64_t> counts;
  std::vector<std::pair<std::string, Outcome>> outcomes;
  const std::time_t begin = std::time(nullptr);
  for (const planted::PlantedRecording& one : *recordings) {
    if (!options.only.empty() && one.bug != options.only) continue;
    const auto number = static_cast<size_t>(*planted::BugByName(one.bug));
    if (planted::BugKindName(planted::BugTable()[number].kind) == options.without) continue;
    if (++counts[one.bug] > options.each) continue;
    const std::string how = options.plain != 0 ? "plain" : options.algorithm;
    Outcome outcome;
    outcome.key = format("{} {} {} {}", one.bug, one.subject, one.seed, how);
    const auto found = done.find(outcome.key);
    if (found != done.end()) {
      outcomes.emplace_back(one.bug, found->second);
      continue;
    }
    if (std::difftime(std::time(nullptr), begin) > static_cast<double>(options.seconds)) continue;
    const Result<const VariantOriginal*> subject = subjects->Of(one.index);
    if (!subject || (*subject)->name != one.subject) {
      outcome.fault = "this reference no longer exists";
    } else {
      const bool again = options.again != 0 && outcomes.size() % options.again_every == 0;
      ReduceOne(one, **subject, *subjects, options, again, &outcome);
    }
    if (state != nullptr) {
      std::fputs(ToLine(outcome).c_str(), state);
      std::fflush(state);
    }
    outcomes.emplace_back(one.bug, std::move(outcome));
  }
  if (state != nullptr) std::fclose(state);
  return Report(outcomes, options);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    uint64_t* number = name == "--each"              ? &options.each
                       : name == "--plain"           ? &options.plain
                       : name == "--jobs"            ? &options.jobs
                       : name == "--seconds"         ? &options.seconds
                       : name == "--most-steps"      ? &options.most_steps
                       : name == "--again-with-jobs" ? &options.again
                       : name == "--again-every"     ? &options.again_every
                                                     : nullptr;
    std::string* text = name == "--optimiser"    ? &options.optimiser
                        : name == "--recordings" ? &options.recordings
                        : name == "--references" ? &options.references
                        : name == "--only"       ? &options.only
                        : name == "--state"      ? &options.state
                        : name == "--without"    ? &options.without
                        : name == "--folders"    ? &options.folders
                        : name == "--algorithm"  ? &options.algorithm
                                                 : nullptr;
    if (text != nullptr) {
      *text = value;
    } else if (number == nullptr || !ParseNumber(value, number)) {
      std::fprintf(stderr, "reductions: unknown option %s %s\n", argv[i], argv[i + 1]);
      return 2;
    }
  }
  if (options.optimiser.empty() || options.again_every == 0 ||
      !AlgorithmByName(options.algorithm)) {
    std::fprintf(
        stderr,
        "reductions: --optimiser PROGRAM, --algorithm bisect|halving|counter, --again-every N\n");
    return 2;
  }
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
