// SPDX-License-Identifier: Apache-2.0
// refract coverage run: what each test runs of a target that `coverage build` built.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/counted.h"
#include "base/file.h"
#include "cli/coverage_tests.h"
#include "cli/interruption.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "coverage/counted_target.h"
#include "coverage/formats.h"
#include "signature/normalise.h"

namespace refract {
inline namespace cli {
namespace {

struct CoverageRunArguments {
  std::vector<std::string> paths;  // first the build
  std::string output, target;
  std::vector<std::string> target_files;
  std::optional<uint64_t> jobs;
  uint64_t time_limit = 10;
  std::optional<uint64_t> time;
};

void Declare(CoverageRunArguments& given, Options& options) {
  options.Arguments("BUILD TEST", &given.paths,
                    "The folder of `coverage build`, and then the tests: modules, folders of them, "
                    "and folders of tests");
  options.RequiredText("-o,--output", "FILE", &given.output,
                       "Output file. If it exists, tests that it has are not run again");
  DeclareTarget(options, "-t,--target,--targets", &given.target,
                "Target whose program is replaced by that of the build: spirv-opt-O, "
                "spirv-opt:--ccp, spirv-cross-glsl. Not used for drivers");
  DeclareTargetFiles(options, &given.target_files,
                     "Target description, or folder with target descriptions");
  options.Number("-j,--jobs", &given.jobs, "Number of tests at a time (default: one per core)", 1,
                 1024);
  options.Duration("--time", &given.time, "Stop after this time and write what there is", 1);
  options.Duration("--timeout,--time-limit", &given.time_limit, "Time limit of a test", 1);
}

// Runs the tests, in several threads.
class CoverageRunner {
 public:
  CoverageRunner(const CoverageRunArguments& given, const CoverageBuild& build, Console& console)
      : given_(given), build_(build), console_(console) {}

  /// Runs the tests that are not in `data` and adds them in their order.
  Status AddTo(const std::vector<std::string>& tests, CoverageData* data) {
    std::set<std::string> known;
    for (const TestHits& test : data->tests) known.insert(test.name);
    for (const std::string& test : tests) {
      if (known.count(test) == 0) tests_.push_back(test);
    }
    marks_.resize(tests_.size());
    std::vector<std::thread> threads;
    const size_t cores = std::max(std::thread::hardware_concurrency(), 1u);
    const size_t count = std::min<size_t>(given_.jobs.value_or(cores), tests_.size());
    for (size_t i = 0; i < count; ++i) threads.emplace_back([this] { Work(); });
    for (std::thread& thread : threads) thread.join();
    harness_.Close();
    if (!status_) return status_;
    return Collect(data);
  }

  size_t started = 0, not_run = 0, left = 0;

 private:
  bool MustStop() const {
    return Interruption::asked ||
           (given_.time && MonotonicSeconds() - begin_ > static_cast<double>(*given_.time));
  }

  void Fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (status_) status_ = error;
    next_ = tests_.size();
  }

  void Work() {
    Result<CountedTarget> target = CountedTarget::Open(build_, given_.target, given_.target_files);
    if (!target) return Fail(target.error());
    for (size_t i = next_++; i < tests_.size() && !MustStop(); i = next_++) {
      const Status done = RunTest(i, *target);
      if (!done) return Fail(done.error());
    }
  }

  Status RunTest(size_t i, CountedTarget& target) {
    const Result<Job> job = LoadCoverageTest(tests_[i], given_.time_limit, console_);
    std::string reason;
    if (job) {
      RunResult ran;
      Result<std::vector<bool>> marks = target.Run(harness_, *job, &ran);
      if (!marks) return marks.error();
      if (!marks->empty()) {
        const std::lock_guard lock(mutex_);
        if (blocks_.empty()) blocks_ = target.blocks();
        marks_[i] = std::move(*marks);
        return {};
      }
      if (ran.verdict == RunOutcome::kNotUsable || ran.verdict == RunOutcome::kOurError) {
        return Error{ran.detail, ran.verdict == RunOutcome::kNotUsable ? ErrorKind::kUnavailable
                                                                       : ErrorKind::kFailed};
      }
      reason = format("{}: {}", RunOutcomeName(ran.verdict), ran.detail);
    } else {
      reason = job.error().message;
    }
    const std::lock_guard lock(mutex_);
    console_.Warn(format("{}: not run: {}", tests_[i], Printable(reason)));
    ++not_run;
    return {};
  }

  Status Collect(CoverageData* data) {
    started = static_cast<size_t>(std::count_if(
        marks_.begin(), marks_.end(), [](const std::vector<bool>& one) { return !one.empty(); }));
    left = tests_.size() - started - not_run;
    if (started == 0) return {};
    const Result<SourceMap> map = MapOfBuild(given_.paths[0], build_, blocks_);
    if (!map) return map.error();
    const std::string program = BlocksHash(blocks_);
    if (!data->program.empty() && (data->program != program || data->target != Name())) {
      return Error{
          format("{}: has data of another build or target; pass another -o", given_.output)};
    }
    data->program = program;
    data->target = Name();
    data->files = map->files;
    for (size_t i = 0; i < tests_.size(); ++i) {
      if (marks_[i].empty()) continue;
      data->tests.push_back(map->HitsOf(tests_[i], marks_[i]));
    }
    return {};
  }

  std::string Name() const { return build_.is_driver ? build_.recipe : given_.target; }

  const CoverageRunArguments& given_;
  const CoverageBuild& build_;
  Console& console_;
  const double begin_ = MonotonicSeconds();
  Harness harness_;
  std::vector<std::string> tests_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;  // for everything below, and for the console
  Status status_;
  std::vector<std::vector<bool>> marks_;  // by test; empty: not run
  std::vector<BlockAddress> blocks_;
};

Result<ExitCode> Run(const CoverageRunArguments& given, Console& console) {
  if (given.paths.size() < 2) {
    return Error{"pass the folder of `coverage build` and at least one test", ErrorKind::kUsage};
  }
  const Result<CoverageBuild> build = ReadCoverageBuild(given.paths[0]);
  if (!build) return build.error();
  const Result<std::vector<std::string>> tests =
      ListCoverageTests({given.paths.begin() + 1, given.paths.end()});
  if (!tests) return tests.error();
  CoverageData data;
  if (FileExists(given.output)) {
    Result<CoverageData> before = ReadCoverage(given.output);
    if (!before) return before.error();
    data = std::move(*before);
  }
  const Interruption interruption;
  CoverageRunner runner(given, *build, console);
  const Status ran = runner.AddTo(*tests, &data);
  if (!ran) return ran.error();
  if (data.tests.empty()) return Error{"no test ran on the target", ErrorKind::kUnavailable};
  const Status written = WriteCoverage(given.output, data);
  if (!written) return written.error();
  const TestHits all = data.All();
  const auto count = [](const std::vector<bool>& hits) {
    return std::count(hits.begin(), hits.end(), true);
  };
  console.Print(format("{}: {} of {} lines, {} of {} functions\n",
                       Counted(data.tests.size(), "test"), count(all.lines), all.lines.size(),
                       count(all.functions), all.functions.size()));
  if (runner.not_run > 0) console.Say(format("not run: {}", Counted(runner.not_run, "test")));
  if (runner.left == 0) return kDone;
  console.Say(format("left when the time ended: {}; the same command continues",
                     Counted(runner.left, "test")));
  return kBudgetEnded;
}

}  // namespace

const Verb kCoverageRunVerb = {
    .name = "run",
    .summary = "Run tests on a build with counters, and write what each test ran",
    .example = "refract coverage run build/spirv-opt tests -t spirv-opt-O -o tests.coverage",
    .exit_codes = {{kBudgetEnded, "--time ended; the output has the tests that ran"},
                   {kTargetMissing, "the target cannot be used, or no test ran on it"}},
    .main_options = {"--output", "--target", "--target-file", "--jobs", "--time", "--timeout"},
    .declare = DeclareVerb<CoverageRunArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
