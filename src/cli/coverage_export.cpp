// SPDX-License-Identifier: Apache-2.0
#include "cli/coverage_export.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "cli/campaign/progress_line.h"
#include "cli/coverage_tests.h"
#include "cli/interruption.h"
#include "cli/original_options.h"
#include "cli/target_options.h"
#include "coverage/gap_test.h"
#include "folder/amber.h"
#include "folder/file_names.h"
#include "ir/binary.h"
#include "ir/call_graph.h"

namespace refract {
inline namespace cli {
namespace {

// How many tests of a gap are tried.
constexpr size_t kMostSources = 3;
constexpr size_t kMostTries = 2000;

// Parts of a name of a file that would lead out of the folder are replaced.
std::string FolderOfGap(const std::string& output, const CoverageGap& gap) {
  std::string folder = output;
  for (const std::filesystem::path& part : std::filesystem::path(gap.file)) {
    const std::string name = part.string();
    folder += "/" + (name == ".." || name == "/" ? std::string("_") : name);
  }
  return format("{}/{}", folder, gap.first);
}

// The original of a test, as `coverage run` runs it.
Result<Original> LoadSourceOf(const std::string& file, Console& console) {
  Result<LoadedModule> loaded = LoadModuleFor(console, file);
  if (!loaded) return loaded.error();
  Result<LoadedInputs> inputs = LoadInputsOf(file, "", {});
  if (!inputs) return inputs.error();
  const Result<Module> module = ReadModule(loaded->words, file);
  if (!module) return module.error();
  OriginalOptions options;
  for (const EntryPoint& entry : EntryPoints(*module)) {
    if (entry.name == kUsualEntry) options.entry = kUsualEntry;
  }
  options.cache_validation = true;
  return MakeOriginal(std::move(loaded->words), file, std::move(inputs->inputs), options);
}

size_t CountRan(const TestHits& test) {
  return static_cast<size_t>(std::count(test.lines.begin(), test.lines.end(), true));
}

class GapExport {
 public:
  GapExport(const CoverageExportArguments& given, const std::vector<CoverageGap>& gaps,
            const CoverageData& b, CoverageBuild build, Console& console)
      : given_(given),
        gaps_(gaps),
        b_(b),
        console_(console),
        targets_(given.build, std::move(build), b.target, given.target_files),
        closed_(gaps.size()) {
    run_.time_limit = static_cast<double>(given.time_limit);
    run_.zero_inputs = true;
    run_.stop = &targets_.harness().stopped();
    size_t element = 0;
    for (const SourceFile& file : b.files) {
      first_element_[file.name] = {&file, static_cast<uint32_t>(element)};
      element += file.lines.size();
    }
  }

  Result<ExitCode> Run() {
    if (Status made = MakeFolder(given_.output); !made) return made.error();
    if (Status known = CountFinished(); !known) return known.error();
    bool all = true;
    for (size_t gap = 0; gap < gaps_.size(); ++gap) {
      if (closed_[gap]) continue;
      all = !MustStop() && (!given_.tests || made_ < *given_.tests);
      if (!all) break;
      const Result<bool> done = Close(gap);
      if (!done) return done.error();
      all = *done;
      if (!all) break;
    }
    targets_.harness().Close();
    const auto closed = static_cast<size_t>(std::count(closed_.begin(), closed_.end(), true));
    console_.Print(format("{} in {}; they run {} of {}\n", Counted(made_ + finished_, "test"),
                          given_.output, closed, Counted(gaps_.size(), "gap")));
    if (all) return kDone;
    if (Interruption::asked && !time_ended_) return kInterrupted;
    if (!time_ended_) return kDone;  // --tests
    console_.Say("the time ended; the same command continues");
    return kBudgetEnded;
  }

 private:
  bool MustStop() {
    if (given_.time && MonotonicSeconds() - begin_ > static_cast<double>(*given_.time)) {
      time_ended_ = true;
    }
    if (!time_ended_ && !Interruption::asked) return false;
    targets_.harness().Stop();
    return true;
  }

  // Elements of TestHits::lines.
  std::vector<uint32_t> LinesOf(const CoverageGap& gap) const {
    const auto& [file, first] = first_element_.at(gap.file);
    std::vector<uint32_t> lines;
    for (size_t i = 0; i < file->lines.size(); ++i) {
      if (file->lines[i] < gap.first || file->lines[i] > gap.last) continue;
      lines.push_back(first + static_cast<uint32_t>(i));
    }
    return lines;
  }

  // Returns the number of gaps that were open before.
  size_t MarkClosed(const TestHits& hits) {
    size_t count = 0;
    for (size_t gap = 0; gap < gaps_.size(); ++gap) {
      const std::vector<uint32_t> lines = LinesOf(gaps_[gap]);
      if (closed_[gap] || !std::all_of(lines.begin(), lines.end(),
                                       [&](uint32_t line) { return hits.lines[line]; })) {
        continue;
      }
      closed_[gap] = true;
      ++count;
    }
    return count;
  }

  // The data and the build must agree about the lines.
  Status CheckBuild() const {
    if (targets_.program() == b_.program) return {};
    return Error{format("B is not of the build in {}", given_.build)};
  }

  // Runs the tests that an earlier start wrote.
  Status CountFinished() {
    for (const CoverageGap& gap : gaps_) {
      const std::string folder = FolderOfGap(given_.output, gap);
      if (!FileExists(format("{}/{}", folder, kTestJson)) || MustStop()) continue;
      const bool checks = FileExists(format("{}/{}", folder, kSelfChecking));
      const std::string file = format("{}/{}", folder, checks ? kSelfChecking : "original.spv");
      const Result<Job> job = LoadCoverageTest(file, given_.time_limit, console_);
      if (!job) return job.error();
      const Result<TestHits> hits = targets_.HitsOf(*job);
      if (!hits) return hits.error();
      if (Status same = CheckBuild(); !same) return same;
      MarkClosed(*hits);
      ++finished_;
    }
    return {};
  }

  // The tests of the gap, those first that run the fewest lines.
  std::vector<size_t> SourcesOf(const CoverageGap& gap) const {
    std::vector<size_t> tests = gap.tests;
    std::stable_sort(tests.begin(), tests.end(), [&](size_t x, size_t y) {
      return CountRan(b_.tests[x]) < CountRan(b_.tests[y]);
    });
    if (tests.size() > kMostSources) tests.resize(kMostSources);
    return tests;
  }

  // Makes a test for the gap from one of its tests. Returns false if the time ended.
  Result<bool> Close(size_t index) {
    const CoverageGap& gap = gaps_[index];
    std::string reasons;
    for (const size_t source : SourcesOf(gap)) {
      const std::string& name = b_.tests[source].name;
      const Result<Original> original = LoadSourceOf(name, console_);
      if (!original) {
        reasons += format("\n  {}", original.error().message);
        continue;
      }
      const Result<SmallGapTest> test = Reduce(gap, source, *original);
      if (!test && MustStop()) return false;
      if (!test) return test.error();
      if (Status same = CheckBuild(); !same) return same.error();
      if (test->end == Reduction::End::kStopped) return false;
      if (test->end == Reduction::End::kDone) return Write(gap, *test);
      const bool named = test->why_not.starts_with(name);
      reasons += format("\n  {}{}", named ? "" : name + ": ", test->why_not);
    }
    console_.Warn(format("{}: no test{}", PlaceOf(gap), reasons));
    return true;
  }

  Result<SmallGapTest> Reduce(const CoverageGap& gap, size_t source, const Original& original) {
    ReduceOptions options;
    const size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
    options.jobs = static_cast<uint32_t>(given_.jobs.value_or(cores));
    options.smallest_tries = kMostTries;
    options.stop = [this] { return MustStop(); };
    options.journal = given_.output + "/reducing";
    options.journal_key = format("{} {}", b_.program, PlaceOf(gap));
    options.resume = FileExists(options.journal);
    ProgressLine line(console_);
    options.progress = [&](const Progress& progress) {
      line.Show(format("{}: {} of {}, {}, {}", PlaceOf(gap), Counted(progress.size, "instruction"),
                       b_.tests[source].name,
                       progress.tries == 1 ? "1 try" : format("{} tries", progress.tries),
                       format("{:.0f} s", progress.seconds)));
    };
    const std::vector<uint32_t> lines = LinesOf(gap);
    Result<SmallGapTest> test = MakeSmallGapTest(original, lines, run_, options, targets_);
    if (!test && options.resume && !MustStop()) {  // the journal may be of another reduction
      options.resume = false;
      test = MakeSmallGapTest(original, lines, run_, options, targets_);
    }
    const bool stopped = test ? test->end == Reduction::End::kStopped : MustStop();
    if (!stopped) std::remove(options.journal.c_str());
    return test;
  }

  Result<bool> Write(const CoverageGap& gap, const SmallGapTest& test) {
    const std::string folder = FolderOfGap(given_.output, gap);
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), ignored);
    const Status written = WriteGapTest(folder, test, PlaceOf(gap), targets_.name(), run_);
    if (!written) return written.error();
    AmberOptions options;
    options.self_checking = test.self_checking.has_value();
    const Result<std::string> script = AmberScriptOf(folder, options);
    if (script) {
      if (Status done = WriteFile(folder + ".amber", *script); !done) return done.error();
    } else {
      console_.Warn(format("no script: {}", script.error().message));
    }
    ++made_;
    const size_t closed = MarkClosed(test.hits);
    console_.Print(format("{}: {}, {}, {}\n", PlaceOf(gap),
                          Counted(test.instructions, "instruction"), Counted(closed, "gap"),
                          test.self_checking ? "self-checking" : test.why_not_checking));
    return true;
  }

  const CoverageExportArguments& given_;
  const std::vector<CoverageGap>& gaps_;
  const CoverageData& b_;
  Console& console_;
  CountedTargets targets_;
  RunSettings run_;
  std::map<std::string, std::pair<const SourceFile*, uint32_t>> first_element_;
  std::vector<bool> closed_;  // by gap
  size_t made_ = 0, finished_ = 0;
  bool time_ended_ = false;
  const double begin_ = MonotonicSeconds();
};

}  // namespace

std::string PlaceOf(const CoverageGap& gap) {
  return gap.first == gap.last ? format("{}:{}", gap.file, gap.first)
                               : format("{}:{}-{}", gap.file, gap.first, gap.last);
}

void DeclareCoverageExport(CoverageExportArguments& given, Options& options) {
  options.Group("Tests for the gaps");
  options.Text("--export", "DIR", &given.output,
               "Make a small self-checking test for each gap: a test folder and an AmberScript in "
               "DIR. Tests that DIR has are not made again");
  options.Text("--build", "DIR", &given.build,
               "With --export, required: the folder of `coverage build` on which B ran");
  DeclareTargetFiles(options, &given.target_files,
                     "Target description, or folder with target descriptions");
  options.Number("--tests", &given.tests, "Make at most this many tests", 1);
  options.Duration("--time", &given.time, "Stop after this time; the same command continues", 1);
  options.Number("-j,--jobs", &given.jobs,
                 "Number of tries at a time (default: one per core); the tests do not depend on it",
                 1, 1024);
  options.Duration("--timeout,--time-limit", &given.time_limit, "Time limit of a run (default 10s)",
                   1);
}

Result<ExitCode> ExportGapTests(const CoverageExportArguments& given,
                                const std::vector<CoverageGap>& gaps, const CoverageData& b,
                                Console& console) {
  if (given.build.empty()) return Error{"--export requires --build", ErrorKind::kUsage};
  Result<CoverageBuild> build = ReadCoverageBuild(given.build);
  if (!build) return build.error();
  const Interruption interruption;
  return GapExport(given, gaps, b, std::move(*build), console).Run();
}

}  // namespace cli
}  // namespace refract
