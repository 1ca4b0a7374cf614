// SPDX-License-Identifier: Apache-2.0
// Byte fuzzing of everything that reads files: modules, shader.json, recordings, AmberScripts,
// files of coverage. It has its own loop with seeds, so that two numbers identify a case:
//   byte_fuzz [--seconds N] [--count N] [--seed S] [--first I] [--keep FILE] [--only KIND]
// KIND is shader, script or coverage. Exits with 0 if nothing was found and with 1 at the first
// fault. A crash names its case on stderr.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "fuzz/cases.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define REFRACT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define REFRACT_SANITIZED 1
#endif
#endif

namespace refract::fuzz {
namespace {

// The limit on the peak memory of the process. The address sanitiser keeps freed memory.
constexpr long kMaxKilobytes = 2 * 1024 * 1024;
// The time limit for a case: to a user, anything slower hangs.
constexpr unsigned kMaxSeconds = 60;

// The current case, written in advance because a crash handler cannot allocate memory.
char running[160];

void SayWhatRuns() {
  static_cast<void>(!write(STDERR_FILENO, running, std::strlen(running)));
}

void OnSignal(int signal) {
  SayWhatRuns();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void NameCrashes() {
  std::signal(SIGABRT, OnSignal);
  std::signal(SIGALRM, OnSignal);
#ifdef REFRACT_SANITIZED
  __sanitizer_set_death_callback(SayWhatRuns);
#else
  std::signal(SIGSEGV, OnSignal);
  std::signal(SIGFPE, OnSignal);
#endif
}

struct Arguments {
  uint64_t seconds = 0, count = 0, seed = 1, first = 0;
  std::string keep;
  std::optional<Kind> only;
};

std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    bool good = true;
    if (name == "--seconds") {
      good = ParseNumber(value, &arguments.seconds);
    } else if (name == "--count") {
      good = ParseNumber(value, &arguments.count);
    } else if (name == "--seed") {
      good = ParseNumber(value, &arguments.seed);
    } else if (name == "--first") {
      good = ParseNumber(value, &arguments.first);
    } else if (name == "--only" && value == "shader") {
      arguments.only = Kind::kShader;
    } else if (name == "--only" && value == "script") {
      arguments.only = Kind::kScript;
    } else if (name == "--only" && value == "coverage") {
      arguments.only = Kind::kCoverage;
    } else if (name == "--keep" && !value.empty()) {
      arguments.keep = value;
    } else {
      good = false;
    }
    if (!good) return std::nullopt;
  }
  if (arguments.seconds == 0 && arguments.count == 0) return std::nullopt;
  return arguments;
}

double Now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

long MostKilobytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Tally {
  uint64_t tried = 0, accepted = 0;
};

int Report(const Arguments& arguments, uint64_t index, const Case& one, const std::string& fault) {
  std::printf("FAULT in case %llu of seed %llu (%s):\n%s\n", static_cast<unsigned long long>(index),
              static_cast<unsigned long long>(arguments.seed),
              std::string(NameOf(one.kind)).c_str(), fault.c_str());
  std::printf("rerun: byte_fuzz --seed %llu --first %llu --count 1 --keep FILE\n",
              static_cast<unsigned long long>(arguments.seed),
              static_cast<unsigned long long>(index));
  return 1;
}

int Run(const Arguments& arguments) {
  Result<Cases> cases = Cases::Load(REFRACT_SOURCE_DIR);
  if (!cases) {
    std::fprintf(stderr, "%s\n", cases.error().message.c_str());
    return 3;
  }
  NameCrashes();
  Tally tallies[kKinds];
  const double start = Now();
  uint64_t index = arguments.first;
  for (;; ++index) {
    if (arguments.count != 0 && index - arguments.first >= arguments.count) break;
    if (arguments.seconds != 0 && Now() - start >= static_cast<double>(arguments.seconds)) break;
    const Case one = cases->Make(arguments.seed, index, arguments.only);
    const std::string text = format(
        "\nbyte_fuzz: in case {} of seed {} ({}); rerun: byte_fuzz --seed {} --first {} "
        "--count 1 --keep FILE\n",
        index, arguments.seed, NameOf(one.kind), arguments.seed, index);
    std::strncpy(running, text.c_str(), sizeof running - 1);
    if (!arguments.keep.empty() && !WriteFile(arguments.keep, one.bytes)) return 2;
    alarm(kMaxSeconds);
    const Outcome outcome = cases->Run(one);
    alarm(0);
    if (outcome.fault) return Report(arguments, index, one, *outcome.fault);
    if (MostKilobytes() > kMaxKilobytes) {
      return Report(arguments, index, one, format("memory grew to {} KiB", MostKilobytes()));
    }
    Tally& tally = tallies[static_cast<size_t>(one.kind)];
    ++tally.tried;
    tally.accepted += outcome.accepted;
  }
  std::printf("byte_fuzz: seed %llu, %llu cases in %.0f s, at most %ld MiB, no fault\n",
              static_cast<unsigned long long>(arguments.seed),
              static_cast<unsigned long long>(index - arguments.first), Now() - start,
              MostKilobytes() / 1024);
  for (size_t kind = 0; kind < kKinds; ++kind) {
    std::printf("  %-15s %8llu, of which accepted %8llu\n",
                std::string(NameOf(static_cast<Kind>(kind))).c_str(),
                static_cast<unsigned long long>(tallies[kind].tried),
                static_cast<unsigned long long>(tallies[kind].accepted));
  }
  return 0;
}

}  // namespace
}  // namespace refract::fuzz

int main(int argc, char** argv) {
  const auto arguments = refract::fuzz::Parse(argc, argv);
  if (!arguments) {
    std::fprintf(stderr,
                 "usage: byte_fuzz --seconds N or --count N [--seed S] [--first I] [--keep FILE] "
                 "[--only shader|script|coverage]\n");
    return 2;
  }
  return refract::fuzz::Run(*arguments);
}
