// SPDX-License-Identifier: Apache-2.0
// Measures the corpus: whether each reference and donor reaches the goals of the corpus, how
// sensitive the references are to faults, what code they share, and whether drivers and goldens
// agree with the interpreter. Every test run measures a slice, and tools/soak.sh all of it. Authors
// of a reference use `--only NAME --verbose`.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>

#include "base/file.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "driver/worker.h"
#include "ir/binary.h"
#include "measure/corpus_page.h"
#include "measure/optimised.h"

namespace refract::measure {
namespace {

constexpr char kHelp[] =
    "corpus [OPTIONS]\n"
    "  --references DIR   the folder of the references (references)\n"
    "  --donors DIR       the folder of the donors (donors next to the references)\n"
    "  --only A,B         only these references, and no donors\n"
    "  --every N          only every Nth reference (1)\n"
    "  --targets A,B      targets to compare (lavapipe,swiftshader,interp), or none\n"
    "  --faults N         faults injected into each reference (200)\n"
    "  --faults-every N   inject faults only into every Nth reference (1)\n"
    "  --verbose          list the faults that no output shows, and the shared lines\n"
    "  --bless            write the goldens\n"
    "  --optimised        measure the references after spirv-opt -O\n"
    "  --whole            also fail if a goal for the whole corpus is not reached\n"
    "  --page FILE        write the page of references\n"
    "  --state FILE       cache sensitivities in this file\n"
    "  --jobs N           references at once (1)\n"
    "Exits with 0 if all goals are reached, 1 if not, and with 2, 3 or 7 as refract does.\n";

struct Options {
  std::string references = "references", donors, page;
  std::vector<std::string> only;
  std::vector<std::string> targets = {"lavapipe", "swiftshader", "interp"};
  uint64_t every = 1, faults_every = 1, jobs = 1;
  bool verbose = false, optimised = false, whole = false;
  MeasureOptions measure;
};

int Fail(const Error& error) {
  std::fprintf(stderr, "corpus: %s\n", error.message.c_str());
  return error.kind == ErrorKind::kUnavailable ? 7 : 3;
}

Result<std::vector<Reference>> LoadReferences(const Options& options) {
  const Result<std::vector<std::string>> files = ReferenceFiles(options.references);
  if (!files) return files.error();
  std::vector<Reference> references;
  for (const std::string& file : *files) {
    Result<Reference> reference = LoadReference(file);
    if (!reference) {
      // With --only, faults of other references do not matter.
      const auto& only = options.only;
      if (only.empty() || std::find(only.begin(), only.end(), NameOfFile(file)) != only.end()) {
        return reference.error();
      }
      std::fprintf(stderr, "corpus: left out: %s\n", reference.error().message.c_str());
      continue;
    }
    if (options.optimised) {
      std::vector<uint32_t>& words = reference->subject.job.spirv;
      Result<std::vector<uint32_t>> optimised = Optimised(words, file);
      if (!optimised) return optimised.error();
      words = std::move(*optimised);
    }
    references.push_back(std::move(*reference));
  }
  return references;
}

// Finds the reference that shares the largest part of the lines of either.
void MeasureSharing(const std::vector<Reference>& references, const Reference& reference,
                    bool verbose, Measurement* measured) {
  const Reference* closest = nullptr;
  for (const Reference& other : references) {
    if (other.name == reference.name) continue;
    const double percent = std::max(SharedPercent(reference.code, other.code),
                                    SharedPercent(other.code, reference.code));
    if (closest != nullptr && percent <= measured->shared_percent) continue;
    closest = &other;
    measured->shares_with = other.name;
    measured->shared_percent = percent;
  }
  if (!verbose || closest == nullptr) return;
  if (const auto module = ReadModule(reference.subject.job.spirv, reference.name)) {
    measured->shared_text = SharedText(*module, reference.code, closest->code);
  }
}

std::vector<Measurement> MeasureAll(const std::vector<Reference>& references,
                                    const std::vector<size_t>& chosen, const Options& options,
                                    Harness& harness) {
  std::vector<Measurement> measured(chosen.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < chosen.size(); i = next++) {
      const Reference& reference = references[chosen[i]];
      MeasureOptions measure = options.measure;
      if (i % options.faults_every != 0) measure.faults = 0;
      measured[i] = Measure(reference, measure, harness);
      MeasureSharing(references, reference, options.verbose, &measured[i]);
      const bool wrong = !UnmetGoals(measured[i]).empty();
      if (wrong || options.verbose || !options.only.empty()) {
        std::fputs(Describe(measured[i], options.verbose).c_str(), stdout);
      } else {
        std::fprintf(stdout, "%s: as wanted\n", reference.name.c_str());
      }
      std::fflush(stdout);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return measured;
}

// A few faults say too little about one reference, but all of them together say enough.
bool NoticesEnough(const std::vector<Measurement>& references) {
  uint64_t noticed = 0, all = 0;
  for (const Measurement& m : references) {
    if (!m.sensitivity) continue;
    const FaultTally total = m.sensitivity->Total();
    noticed += total.noticed();
    all += total.noticed() + total.unchanged;
  }
  std::printf("faults: %d of %d noticed\n", static_cast<int>(noticed), static_cast<int>(all));
  return 100 * noticed >= static_cast<uint64_t>(kLeastSensitivity) * all;
}

int Run(Options& options) {
  const Result<std::vector<Reference>> references = LoadReferences(options);
  if (!references) return Fail(references.error());
  const auto& only = options.only;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < references->size(); ++i) {
    const bool named =
        only.empty() || std::find(only.begin(), only.end(), (*references)[i].name) != only.end();
    if (named && i % options.every == 0) chosen.push_back(i);
  }
  if (chosen.size() < std::max<size_t>(1, only.size())) {
    return Fail({options.references + ": not all of these references are there"});
  }
  Harness harness;
  CorpusMeasurement corpus;
  for (const std::string& name : options.targets) {
    Result<Target> target = FindTarget(name);
    if (!target) return Fail(target.error());
    const TargetState state = harness.Probe(*target);
    corpus.targets.push_back(
        format("{}: {}", name, state.available ? state.version : state.reason));
    options.measure.targets.push_back(std::move(*target));
  }
  if (options.measure.bless) {
    if (Status made = MakeFolder(options.measure.goldens); !made) return Fail(made.error());
  }
  corpus.references = MeasureAll(*references, chosen, options, harness);
  bool good = NoticesEnough(corpus.references);
  for (const Measurement& m : corpus.references) good = good && UnmetGoals(m).empty();
  if (!only.empty() || options.every > 1) return good ? 0 : 1;

  Result<std::vector<DonorMeasurement>> donors = MeasureDonors(options.donors);
  if (!donors) return Fail(donors.error());
  corpus.donors = std::move(*donors);
  for (const DonorMeasurement& donor : corpus.donors) {
    for (const std::string& what : UnmetGoals(donor)) {
      std::printf("%s: WRONG: %s\n", donor.file.c_str(), what.c_str());
      good = false;
    }
  }
  bool reached = false;
  std::printf("\n%s", Summary(corpus, &reached).c_str());
  if (!options.page.empty()) {
    const Status written = WriteFile(options.page, Page(corpus, "../references/goldens"));
    if (!written) return Fail(written.error());
  }
  return good && (reached || !options.whole) ? 0 : 1;
}

int Usage(const std::string& what) {
  std::fprintf(stderr, "corpus: %s\n%s", what.c_str(), kHelp);
  return 2;
}

int Main(int argc, char** argv) {
  Options options;
  MeasureOptions& measure = options.measure;
  measure.faults = 200;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--help") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    bool* flag = name == "--verbose"     ? &options.verbose
                 : name == "--bless"     ? &measure.bless
                 : name == "--optimised" ? &options.optimised
                 : name == "--whole"     ? &options.whole
                                         : nullptr;
    if (flag != nullptr) {
      *flag = true;
      continue;
    }
    uint64_t* number = name == "--faults"         ? &measure.faults
                       : name == "--faults-every" ? &options.faults_every
                       : name == "--every"        ? &options.every
                       : name == "--jobs"         ? &options.jobs
                                                  : nullptr;
    std::string* text = name == "--references" ? &options.references
                        : name == "--donors"   ? &options.donors
                        : name == "--page"     ? &options.page
                        : name == "--state"    ? &measure.state
                                               : nullptr;
    std::vector<std::string>* list = name == "--only"      ? &options.only
                                     : name == "--targets" ? &options.targets
                                                           : nullptr;
    if (++i == argc) return Usage(format("{} is unknown or lacks its value", name));
    if (number != nullptr) {
      if (!ParseNumber(argv[i], number)) return Usage(format("{} wants a number", name));
    } else if (text != nullptr) {
      *text = argv[i];
    } else if (list != nullptr) {
      *list = Split(argv[i], ',');
    } else {
      return Usage(format("unknown option {}", name));
    }
  }
  if (options.targets == std::vector<std::string>{"none"}) options.targets.clear();
  // Only the unoptimised reference is checked for dependence on the schedule.
  measure.judge.schedules = !options.optimised;
  options.faults_every = std::max<uint64_t>(options.faults_every, 1);
  options.every = std::max<uint64_t>(options.every, 1);
  if (options.donors.empty()) options.donors = options.references + "/../donors";
  measure.goldens = options.references + "/goldens";
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  return refract::measure::Main(argc, argv);
}
