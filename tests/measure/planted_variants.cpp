// SPDX-License-Identifier: Apache-2.0
// Tests that our small optimiser without bugs (planted/README.md) is correct: the validator and the
// interpreter check its outputs for variants of all references, plain and after spirv-opt -O.
//   planted_variants [--references DIR] [--count N] [--first I] [--max-steps N] [--state FILE]
//                    [--seconds S] [--float 1]
// With `--float 1`, the variants have float identities.
#include <cstdio>
#include <ctime>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "measure/variants.h"
#include "planted/passes.h"
#include "planted/sample.h"

namespace refract::measure {
namespace {

struct Options {
  std::string references = "references", state;
  uint64_t count = 24, first = 0, max_steps = 2000, seconds = 86400, floats = 0;
};

struct Totals {
  uint64_t variants = 0, faults = 0, unjudged = 0;
  uint64_t instructions = 0, left = 0;  // words before and after
};

struct Outcome {
  std::string verdict;  // "ok", "unjudged: ...", or what is wrong
  uint64_t before = 0, after = 0;
};

Outcome MeasureOne(uint64_t index, const VariantOriginal& subject, const VariantOriginals& subjects,
                   const Options& options, std::vector<uint32_t>* words) {
  FuzzOptions fuzz;
  fuzz.seed = index + 1;
  fuzz.max_steps = static_cast<uint32_t>(options.max_steps);
  fuzz.donors = subjects.donors();
  fuzz.float_identities = options.floats != 0;
  const Result<FuzzResult> variant = Fuzz(subject.original, fuzz);
  if (!variant) return {variant.error().message};
  *words = variant->words;
  Result<planted::Program> program = planted::ReadProgram(variant->words, subject.name);
  if (!program) return {program.error().message};
  planted::Optimise(&*program, planted::Passes());
  const std::vector<uint32_t> made = planted::WriteProgram(*program);
  Outcome outcome{"ok", variant->words.size(), made.size()};
  const auto before = planted::RunSample(variant->words, variant->context, subject.name);
  if (!before || before->trap) {
    const auto invalid = FindInvalid(made, subject.original.environment, {});
    outcome.verdict =
        invalid ? "invalid: " + OneLine(*invalid)
                : "unjudged: " + (before ? before->trap->message : before.error().message);
    return outcome;
  }
  const std::string fault = planted::FindFault(made, *before, subject.original, variant->context);
  if (!fault.empty()) outcome.verdict = fault;
  return outcome;
}

std::set<uint64_t> ReadState(const std::string& path, Totals* totals) {
  std::set<uint64_t> done;
  const Result<std::string> text =
      !path.empty() && FileExists(path) ? ReadFile(path) : Result<std::string>(std::string());
  if (!text) return done;
  for (const std::string& line : Split(*text, '\n')) {
    const std::vector<std::string> fields = Split(line, '\t');
    uint64_t index = 0, before = 0, after = 0;
    if (fields.size() != 4 || !ParseNumber(fields[0], &index) || !ParseNumber(fields[1], &before) ||
        !ParseNumber(fields[2], &after)) {
      continue;  // incomplete, because the process was killed
    }
    const bool unjudged = fields[3].starts_with("unjudged");
    ++totals->variants;
    totals->unjudged += unjudged;
    totals->faults += !unjudged && fields[3] != "ok";
    totals->instructions += before;
    totals->left += after;
    done.insert(index);
  }
  return done;
}

int Run(const Options& options) {
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) {
    std::fprintf(stderr, "%s\n", subjects.error().message.c_str());
    return 3;
  }
  Totals totals;
  const std::set<uint64_t> done = ReadState(options.state, &totals);
  std::FILE* state = options.state.empty() ? nullptr : std::fopen(options.state.c_str(), "a");
  const std::time_t begin = std::time(nullptr);
  for (uint64_t i = options.first; i < options.first + options.count; ++i) {
    if (done.count(i) != 0) continue;
    if (std::difftime(std::time(nullptr), begin) > static_cast<double>(options.seconds)) break;
    const Result<const VariantOriginal*> subject = subjects->Of(i);
    if (!subject) {
      std::fprintf(stderr, "%s\n", subject.error().message.c_str());
      return 3;
    }
    std::vector<uint32_t> words;
    const Outcome outcome = MeasureOne(i, **subject, *subjects, options, &words);
    const bool unjudged = outcome.verdict.starts_with("unjudged");
    ++totals.variants;
    totals.unjudged += unjudged;
    totals.instructions += outcome.before;
    totals.left += outcome.after;
    if (!unjudged && outcome.verdict != "ok") {
      ++totals.faults;
      std::printf("variant %llu (%s, seed %llu): %s\n", static_cast<unsigned long long>(i),
                  (*subject)->name.c_str(), static_cast<unsigned long long>(i + 1),
                  outcome.verdict.c_str());
      std::fflush(stdout);
      if (!options.state.empty()) {
        const Status written = WriteFile(
            format("{}.{}.spv", options.state, i),
            {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)});
        if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
      }
    }
    if (state == nullptr) continue;
    std::fputs(
        format("{}\t{}\t{}\t{}\n", i, outcome.before, outcome.after, outcome.verdict).c_str(),
        state);
    std::fflush(state);
  }
  if (state != nullptr) std::fclose(state);
  std::fputs(
      format("refract {} ({}, {}): {} of {} variants through the optimiser, {} wrong, {} not "
             "judged; {} words became {}\n",
             ToolVersion(), ToolCommit(), ToolBuildType(), totals.variants, options.count,
             totals.faults, totals.unjudged, totals.instructions, totals.left)
          .c_str(),
      stdout);
  const bool smaller = totals.left < totals.instructions;
  return totals.faults == 0 && totals.variants >= options.count && smaller &&
                 totals.unjudged * 20 <= totals.variants
             ? 0
             : 1;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    uint64_t* number = name == "--count"       ? &options.count
                       : name == "--first"     ? &options.first
                       : name == "--max-steps" ? &options.max_steps
                       : name == "--seconds"   ? &options.seconds
                       : name == "--float"     ? &options.floats
                                               : nullptr;
    if (name == "--references") {
      options.references = value;
    } else if (name == "--state") {
      options.state = value;
    } else if (number == nullptr || !ParseNumber(value, number)) {
      std::fprintf(stderr, "planted_variants: unknown option %s %s\n", argv[i], argv[i + 1]);
      return 2;
    }
  }
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
