// SPDX-License-Identifier: Apache-2.0
// Tests ShrinkRecording. The interestingness test simulates a bug that three instructions trigger,
// each of which uses the next: a chain of opcodes that the original does not have, drawn by the
// seed. For odd seeds, the chain must be in a donated function. Before shrinking, steps are left
// out until none can be removed.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "files/donor_files.h"
#include "glsl/companion_file.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/grammar/grammar.h"
#include "measure/reference.h"
#include "shrink/shrink_module.h"
#include "shrink/shrink_recording.h"
#include "wire/text.h"

namespace refract::measure {
namespace {

using Chain = std::array<spv::Op, 3>;

// Calls `visit(Inst)` for each instruction in this module's blocks whose result is an operand of
// `user`.
template <class Visit>
void ForEachUsed(const Module& module, Inst user, Visit visit) {
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (!module.IsId(user, i)) continue;
    const Inst from = module.Definition(module.IdAt(user, i));
    if (module.IsBasicBlock(module.BlockOf(from)) && module.Type(from) != Id::kNone) visit(from);
  }
}

// All chains of three opcodes in which each uses the next. With `added`, only those in functions
// that steps added.
std::set<Chain> ChainsIn(const Module& module, bool added) {
  std::set<Chain> chains;
  ForEachFunction(module, [&](Function function) {
    if (added && module.NameOf(module[function].definition).step == 0) return;
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst last) {
        ForEachUsed(module, last, [&](Inst middle) {
          ForEachUsed(module, middle, [&](Inst first) {
            chains.insert({module.Opcode(last), module.Opcode(middle), module.Opcode(first)});
          });
        });
      });
    });
  });
  return chains;
}

Result<Original> LoadReferenceOriginal(const std::string& file) {
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  Result<std::shared_ptr<const Inputs>> inputs = LoadInputsOf(file);
  if (!inputs) return inputs.error();
  return MakeOriginal(std::move(loaded->words), file, std::move(*inputs), {});
}

// Removes chunks of steps from the end, halving their size, until no single step can be removed.
Result<message::Recording> LeaveOutSteps(const Original& original, message::Recording recording,
                                         const InterestingRecording& interesting, size_t* tries) {
  for (size_t chunk = std::max<size_t>(1, recording.steps.size() / 2); chunk > 0;) {
    bool progress = false;
    for (size_t end = recording.steps.size(); end > 0; end -= std::min(chunk, end)) {
      message::Recording fewer = recording;
      const size_t first = end - std::min(chunk, end);
      if (end > fewer.steps.size()) continue;
      fewer.steps.erase(fewer.steps.begin() + static_cast<ptrdiff_t>(first),
                        fewer.steps.begin() + static_cast<ptrdiff_t>(end));
      const Result<ReplayedPointer> played = ReplayWithContexts(original, std::move(fewer));
      if (!played) return played.error();
      ++*tries;
      if (!interesting(**played, [] { return false; })) continue;
      recording = (*played)->recording;
      progress = true;
    }
    if (!progress) chunk /= 2;
  }
  return recording;
}

struct Size {
  size_t steps = 0, difference = 0, words = 0;
};

Size SizeOf(const Original& original, const message::Recording& recording,
            const std::vector<uint32_t>& words) {
  const auto diff = DisassemblyDiff(original.words, words, 0);
  return {recording.steps.size(), diff ? diff->added + diff->removed : 0, words.size()};
}

struct Arguments {
  std::string references, only;
  uint64_t first = 0, count = 10, steps = 300;
  bool verbose = false;
};

struct Row {
  Size before, after;
  size_t steps = 0, tries = 0, reduce_tries = 0;
  double seconds = 0;
};

Result<std::optional<Row>> Measure(const Original& original, const DonorFiles& donors,
                                   uint64_t seed, const Arguments& arguments) {
  FuzzOptions options;
  options.seed = seed;
  options.max_steps = static_cast<uint32_t>(arguments.steps);
  options.donors = donors.donors.functions;
  options.validate = false;
  options.stop_by_chance = false;
  const Result<FuzzResult> fuzzed = Fuzz(original, options);
  if (!fuzzed) return fuzzed.error();
  const std::set<Chain> had = ChainsIn(original.context.module, false);
  std::vector<Chain> fresh;
  for (const bool added : {seed % 2 != 0, false}) {
    for (const Chain& chain : ChainsIn(fuzzed->context.module, added)) {
      if (had.count(chain) == 0) fresh.push_back(chain);
    }
    if (!fresh.empty()) break;
  }
  if (fresh.empty()) return std::optional<Row>();
  const Chain wanted = fresh[seed * 7919 % fresh.size()];
  const auto has_wanted = [&](const Context& context) {
    return ChainsIn(context.module, false).count(wanted) != 0;
  };
  const InterestingRecording interesting = [&](const ReplayedRecording& played, const IdleWork&) {
    return has_wanted(played.context());
  };
  Row row;
  row.steps = fuzzed->recording.steps.size();
  const Result<message::Recording> reduced =
      LeaveOutSteps(original, fuzzed->recording, interesting, &row.reduce_tries);
  if (!reduced) return reduced.error();
  const Result<ReplayResult> before = Replay(original, *reduced, {});
  if (!before) return before.error();
  row.before = SizeOf(original, *reduced, before->words);
  const double start = MonotonicSeconds();
  const Result<ShrunkRecording> shrunk = ShrinkRecording(original, *reduced, interesting);
  if (!shrunk) return shrunk.error();
  row.seconds = MonotonicSeconds() - start;
  row.tries = shrunk->report.tries;
  row.after = SizeOf(original, shrunk->recording, shrunk->replayed.words);
  if (arguments.verbose) {
    std::printf("%s of %s of %s\n", NameOf(wanted[0]).c_str(), NameOf(wanted[1]).c_str(),
                NameOf(wanted[2]).c_str());
    for (const message::Step& step : reduced->steps) {
      std::printf("  - %s\n", ToText(step.transformation).c_str());
    }
    for (const message::Step& step : shrunk->recording.steps) {
      std::printf("  + %s\n", ToText(step.transformation).c_str());
    }
    std::printf("%s", DisassemblyDiff(original.words, shrunk->replayed.words)->text.c_str());
  }
  // Checks what ShrinkRecording promises.
  const Result<ReplayResult> again = Replay(original, shrunk->recording, {});
  if (!again) return again.error();
  if (again->words != shrunk->replayed.words || !again->skipped.empty() ||
      HashOfWords(again->words) != shrunk->recording.result_hash) {
    return Error{"the result does not replay to the module that was tested"};
  }
  if (!has_wanted(again->context)) return Error{"the result is not interesting"};
  if (std::pair(row.after.difference, row.after.words) >
      std::pair(row.before.difference, row.before.words)) {
    return Error{"the result is larger"};
  }
  if (auto fault = FindValidityError(again->context.module, again->words, original)) return *fault;
  return std::optional<Row>(row);
}

size_t Median(std::vector<size_t> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 1;
}

int Run(const Arguments& arguments) {
  Result<std::vector<std::string>> files = ReferenceFiles(arguments.references);
  if (!files) return Fail(files.error());
  const Result<DonorFiles> donors = LoadDonors({arguments.references + "/../donors"});
  if (!donors) return Fail(donors.error());
  std::printf("%-26s %5s | %5s %5s %6s | %5s %5s %6s | %5s %6s\n", "reference", "steps", "left",
              "diff", "words", "left", "diff", "words", "tries", "time");
  std::vector<size_t> before, after, tries;
  for (uint64_t i = arguments.first; i < arguments.first + arguments.count; ++i) {
    const std::string& file = (*files)[i * 7 % files->size()];
    const Result<Original> original = LoadReferenceOriginal(file);
    if (!original) return Fail(original.error());
    const Result<std::optional<Row>> row = Measure(*original, *donors, i + 1, arguments);
    if (!row) return Fail({format("{}, seed {}: {}", file, i + 1, row.error().message)});
    if (!*row) continue;
    const Row& it = **row;
    std::printf("%-26s %5zu | %5zu %5zu %6zu | %5zu %5zu %6zu | %5zu %6.2f\n",
                NameOfFile(file).c_str(), it.steps, it.before.steps, it.before.difference,
                it.before.words, it.after.steps, it.after.difference, it.after.words, it.tries,
                it.seconds);
    std::fflush(stdout);
    before.push_back(it.before.difference);
    after.push_back(it.after.difference);
    tries.push_back(it.tries);
  }
  std::printf("%zu recordings: median difference %zu instructions before, %zu after, %zu tries\n",
              after.size(), Median(before), Median(after), Median(tries));
  return after.empty() ? 1 : 0;
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  CLI::App app("Shrinks reduced recordings.");
  refract::measure::Arguments arguments;
  app.add_option("--references", arguments.references)->required();
  app.add_option("--first", arguments.first, "the first seed is this + 1");
  app.add_option("--count", arguments.count);
  app.add_option("--steps", arguments.steps, "number of steps of each recording");
  app.add_flag("--verbose", arguments.verbose, "print steps before and after, and the difference");
  CLI11_PARSE(app, argc, argv);
  return refract::measure::Run(arguments);
}
