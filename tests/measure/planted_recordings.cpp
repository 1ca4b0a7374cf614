// SPDX-License-Identifier: Apache-2.0
// Finds recordings for each planted bug (planted/README.md): variants of the references, plain and
// after spirv-opt -O, made with one seed after the other. For each variant, the optimiser prints
// which bugs' places it reached. These bugs are then enabled, each in a separate process, and the
// outputs are checked.
//   planted_recordings --optimiser PROGRAM [--references DIR] [--count N] [--first I]
//                      [--max-steps N] [--each N] [--least N] [--only BUG,BUG] [--write FILE]
//                      [--met-only 1] [--float 1]
// `--each` is the number of recordings wanted for each bug; the search for a bug ends when it has
// them. `--least` is the number of bugs that must have that many. `--write` names the file for the
// recordings, a line each, which the program `reductions` reads. With `--float 1`, variants have
// float identities, and only the bugs with floats count. Without it, no variant may reach one of
// these bugs.
#include <algorithm>
#include <cstdio>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "measure/variants.h"
#include "planted/optimiser_runner.h"

namespace refract::measure {
namespace {

struct Options {
  std::string references = "references", optimiser, only, write;
  uint64_t count = 100, first = 0, max_steps = 2000, each = 20, met_only = 0;
  uint64_t floats = 0;
  uint64_t least = 30;  // bugs that must have `each` recordings
};

planted::BugGroup GroupOf(const Options& options) {
  return options.floats != 0 ? planted::BugGroup::kFloats : planted::BugGroup::kSteps;
}

struct Found {
  uint64_t met = 0;  // variants that reach its place
  uint64_t ran = 0;  // of these, variants that ran with the bug enabled
  std::vector<planted::PlantedRecording> recordings;
  std::set<std::string> signatures;
};

int Report(const std::vector<Found>& found, const Options& options) {
  uint64_t reached = 0, same_name = 0, floats_met = 0;
  std::set<std::string> names;
  std::printf("| bug | pass | kind | met | run | shown |\n|---|---|---|---:|---:|---:|\n");
  for (size_t i = 0; i < found.size(); ++i) {
    const planted::BugInfo& info = planted::BugTable()[i];
    const Found& of = found[i];
    if (info.group == planted::BugGroup::kFloats && options.floats == 0) floats_met += of.met;
    if (info.group != GroupOf(options)) continue;
    std::fputs(format("| {} | {} | {} | {} | {} | {} |\n", info.name, info.pass,
                      planted::BugKindName(info.kind), of.met, of.ran, of.recordings.size())
                   .c_str(),
               stdout);
    reached += of.recordings.size() >= options.each;
    // Each crash must have exactly one signature, which no other crash has.
    if (info.kind != planted::BugKind::kCrash) continue;
    for (const std::string& signature : of.signatures) {
      std::printf("  %s\n", signature.c_str());
      same_name += !names.insert(signature).second;
    }
    same_name += of.signatures.size() > 1;
  }
  std::printf("%llu bugs have %llu recordings, of %llu wanted\n",
              static_cast<unsigned long long>(reached),
              static_cast<unsigned long long>(options.each),
              static_cast<unsigned long long>(options.least));
  if (options.floats == 0) {
    std::printf("%llu times a variant without float identities reached a bug with floats\n",
                static_cast<unsigned long long>(floats_met));
    if (floats_met > 0) return 1;
  }
  if (same_name > 0) {
    std::printf("different crashes have the same signature, or a crash has several\n");
    return 1;
  }
  return reached >= options.least || !options.only.empty() || options.met_only != 0 ? 0 : 1;
}

int Search(const Options& options) {
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) {
    std::fprintf(stderr, "%s\n", subjects.error().message.c_str());
    return 3;
  }
  std::vector<Found> found(planted::BugTable().size());
  std::FILE* file = options.write.empty() ? nullptr : std::fopen(options.write.c_str(), "w");
  if (file == nullptr && !options.write.empty()) {
    std::fprintf(stderr, "%s: cannot be written\n", options.write.c_str());
    return 3;
  }
  for (uint64_t i = options.first; i < options.first + options.count; ++i) {
    const Result<const VariantOriginal*> subject = subjects->Of(i);
    if (!subject) {
      std::fprintf(stderr, "%s\n", subject.error().message.c_str());
      return 3;
    }
    FuzzOptions fuzz;
    fuzz.seed = i + 1;
    fuzz.max_steps = static_cast<uint32_t>(options.max_steps);
    fuzz.donors = subjects->donors();
    fuzz.float_identities = options.floats != 0;
    const Result<FuzzResult> variant = Fuzz((*subject)->original, fuzz);
    if (!variant) {
      std::fprintf(stderr, "variant %llu: %s\n", static_cast<unsigned long long>(i),
                   variant.error().message.c_str());
      return 1;
    }
    planted::OptimiserRunner campaign(options.optimiser, (*subject)->original);
    for (const planted::Bug bug : planted::BugsReached(variant->words)) {
      const auto number = static_cast<size_t>(bug);
      Found& of = found[number];
      ++of.met;
      const std::string name(planted::BugTable()[number].name);
      const std::vector<std::string> only = Split(options.only, ',');
      const bool wanted = options.only.empty() || std::count(only.begin(), only.end(), name) != 0;
      if (!wanted || planted::BugTable()[number].group != GroupOf(options) ||
          options.met_only != 0 || of.recordings.size() >= options.each)
        continue;
      ++of.ran;
      std::string signature;
      const Result<bool> shows = campaign.Shows(bug, variant->words, variant->context, &signature);
      if (!shows) {
        std::fprintf(stderr, "%s\n", shows.error().message.c_str());
        return 3;
      }
      if (!*shows) continue;
      of.signatures.insert(signature);
      of.recordings.push_back({name, (*subject)->name, i, i + 1, options.max_steps});
      if (file == nullptr) continue;
      std::fputs(planted::ToLine(of.recordings.back()).c_str(), file);
      std::fflush(file);
    }
  }
  if (file != nullptr) std::fclose(file);
  return Report(found, options);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    uint64_t* number = name == "--count"       ? &options.count
                       : name == "--first"     ? &options.first
                       : name == "--max-steps" ? &options.max_steps
                       : name == "--each"      ? &options.each
                       : name == "--least"     ? &options.least
                       : name == "--met-only"  ? &options.met_only
                       : name == "--float"     ? &options.floats
                                               : nullptr;
    std::string* text = name == "--references"  ? &options.references
                        : name == "--optimiser" ? &options.optimiser
                        : name == "--only"      ? &options.only
                        : name == "--write"     ? &options.write
                                                : nullptr;
    if (text != nullptr) {
      *text = value;
    } else if (number == nullptr || !ParseNumber(value, number)) {
      std::fprintf(stderr, "planted_recordings: unknown option %s %s\n", argv[i], argv[i + 1]);
      return 2;
    }
  }
  if (options.optimiser.empty()) {
    std::fprintf(stderr, "planted_recordings: --optimiser PROGRAM\n");
    return 2;
  }
  return Search(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
