// SPDX-License-Identifier: Apache-2.0
// The executable as a user starts it: whole processes, from start to end. The benchmark has its own
// cache folder, which is filled unless a name says otherwise.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>

#include "base/check.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench_data.h"
#include "wire/recording_file.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

constexpr size_t kDonors = 64;
constexpr size_t kInstructions = 1000;

std::string Words(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

// A module of 1,000 instructions, and the first 64 donors.
class Folder {
 public:
  static const Folder& Get() {
    static const Folder folder;
    return folder;
  }
  std::string operator/(std::string_view name) const {
    return folder_.path() + "/" + std::string(name);
  }

  void EmptyCache() const {
    std::filesystem::remove_all(*this / "cache");
    CHECK(MakeFolder(*this / "cache"));
  }

 private:
  Folder() : folder_(std::move(*TemporaryFolder::Make())) {
    CHECK(WriteFile(*this / "sized.spv", Words(SizedModule(kInstructions).words)));
    CHECK(WriteFile(*this / "column_sort.spv", Words(Reference("column_sort.frag").words)));
    CHECK(MakeFolder(*this / "donors"));
    const Result<std::vector<std::string>> files = ListFiles(REFRACT_SOURCE_DIR "/donors");
    CHECK(files && files->size() >= kDonors);
    for (size_t i = 0; i < kDonors; ++i) {
      const std::filesystem::path file = (*files)[i];
      std::filesystem::copy_file(file, std::filesystem::path(*this / "donors") / file.filename());
    }
    EmptyCache();
    CHECK(setenv("XDG_CACHE_HOME", (*this / "cache").c_str(), 1) == 0);
  }
  TemporaryFolder folder_;
};

struct Times {
  double wall = 0, cpu = 0;
  long faults = 0;  // page faults
};

// Runs a command and discards its output. It must exit with 0.
Times RunOnce(const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>(REFRACT_EXECUTABLE)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  CHECK(posix_spawn_file_actions_init(&actions) == 0);
  for (const int descriptor : {0, 1, 2}) {
    CHECK(posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) == 0);
  }
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  CHECK(posix_spawn(&pid, REFRACT_EXECUTABLE, &actions, nullptr, argv.data(), environ) == 0);
  int status = 0;
  rusage used{};
  CHECK(wait4(pid, &status, 0, &used) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  posix_spawn_file_actions_destroy(&actions);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {wall.count(), seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_minflt};
}

// Adds up runs. The time of an iteration is that of the process.
class Sum {
 public:
  explicit Sum(benchmark::State& state) : state_(state) {}
  void Add(const Times& times) {
    state_.SetIterationTime(times.wall);
    cpu_ += times.cpu;
    faults_ += times.faults;
  }
  ~Sum() {
    const auto runs = static_cast<double>(state_.iterations());
    state_.counters["cpu_ms"] = 1e3 * cpu_ / runs;
    state_.counters["page_faults"] = static_cast<double>(faults_) / runs;
  }

 private:
  benchmark::State& state_;
  double cpu_ = 0;
  long faults_ = 0;
};

// A verb that does almost nothing: the cost of starting it.
void ProcessStarts(benchmark::State& state, const std::vector<std::string>& arguments) {
  const Folder& folder = Folder::Get();
  std::vector<std::string> full = arguments;
  for (std::string& argument : full) {
    if (argument.ends_with(".spv")) argument = folder / argument;
  }
  Sum sum(state);
  for (auto _ : state) sum.Add(RunOnce(full));
}
BENCHMARK_CAPTURE(ProcessStarts, version, {"--version"})
    ->Unit(benchmark::kMillisecond)
    ->UseManualTime();
BENCHMARK_CAPTURE(ProcessStarts, list, {"list"})->Unit(benchmark::kMillisecond)->UseManualTime();

enum class Given { kAlone, kDonors, kDonorsAndColdCache };

// `refract fuzz` with one seed after the other. The seeds are always the same.
void Fuzz(benchmark::State& state, Given given, const char* module, uint32_t max_steps) {
  const Folder& folder = Folder::Get();
  std::vector<std::string> arguments = {"fuzz",        folder / module,
                                        "-o",          folder / "variant.spv",
                                        "--max-steps", format("{}", max_steps)};
  if (given != Given::kAlone) arguments.insert(arguments.end(), {"--donors", folder / "donors"});
  arguments.insert(arguments.end(), {"--seed", ""});
  if (given == Given::kDonors) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      arguments.back() = format("{}", seed);
      RunOnce(arguments);
    }
  }
  Sum sum(state);
  uint64_t seed = 0, steps = 0;
  for (auto _ : state) {
    if (given == Given::kDonorsAndColdCache) folder.EmptyCache();
    arguments.back() = format("{}", ++seed);
    sum.Add(RunOnce(arguments));
    const Result<std::string> bytes = ReadFile(folder / "variant.refract");
    CHECK(bytes);
    const Result<message::Recording> recording = ReadRecording(*bytes, "variant.refract");
    CHECK(recording);
    steps += recording->steps.size();
  }
  state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
  state.counters["steps/run"] =
      static_cast<double>(steps) / static_cast<double>(state.iterations());
}

// Start-up: the module is read, validated and written without changes, or with one step.
void ProcessFuzzes(benchmark::State& state, Given given, uint32_t max_steps) {
  Fuzz(state, given, "sized.spv", max_steps);
}
BENCHMARK_CAPTURE(ProcessFuzzes, nothing, Given::kAlone, 0)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200)
    ->UseManualTime();
BENCHMARK_CAPTURE(ProcessFuzzes, nothing_donors, Given::kDonors, 0)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200)
    ->UseManualTime();
BENCHMARK_CAPTURE(ProcessFuzzes, one_step_donors, Given::kDonors, 1)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200)
    ->UseManualTime();
BENCHMARK_CAPTURE(ProcessFuzzes, plain, Given::kAlone, 2000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200)
    ->UseManualTime();
BENCHMARK_CAPTURE(ProcessFuzzes, donors, Given::kDonors, 2000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(200)
    ->UseManualTime();
BENCHMARK_CAPTURE(ProcessFuzzes, donors_cold_cache, Given::kDonorsAndColdCache, 2000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(40)
    ->UseManualTime();

}  // namespace
}  // namespace refract::bench
