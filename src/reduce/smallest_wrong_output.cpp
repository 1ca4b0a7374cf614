// SPDX-License-Identifier: Apache-2.0
#include "reduce/smallest_wrong_output.h"

#include <cstdio>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "reduce/failing_interestingness.h"

namespace refract {
inline namespace reduce {
namespace {

// The module of the pair whose output is wrong; without a pair, the variant.
Candidate FailingModule(const SmallestPair& smallest, const Candidate& variant) {
  if (!smallest.pair) return variant;
  if (!smallest.is_original_wrong) return smallest.pair->variant;
  const Original& original = smallest.pair->original;
  return {original.words, original.context.inputs, nullptr};
}

// The options of one of the two reductions.
ReduceOptions OptionsFor(ReduceOptions options, const std::string& journal) {
  options.wrong_output = [] { return true; };
  options.journal = journal;
  options.resume = options.resume && FileExists(journal);
  return options;
}

// A comparison in the module may hide the failure, so that a larger module may be needed.
Status MakeSelfChecking(const Original& original, const Candidate& failing, const Target& target,
                        const RunSettings& run, uint32_t runs, Harness& harness,
                        SmallestWrongOutput* result) {
  const Candidate smallest = {result->module.words, result->module.inputs, nullptr};
  for (const Candidate& candidate : {smallest, failing}) {
    if (candidate.words.empty()) continue;
    const Result<Original> source =
        MakeOriginal(candidate.words, original.file, candidate.inputs, OptionsOf(original));
    if (!source) return source.error();
    Result<SelfCheckingModule> made = TestedSelfChecking(*source, target, run, runs, harness);
    if (made) {
      result->self_checking = std::move(*made);
      result->why_not_checking.clear();
      return {};
    }
    if (made.error().kind != ErrorKind::kUnavailable || harness.IsLost(target)) return made.error();
    if (result->why_not_checking.empty()) result->why_not_checking = made.error().message;
  }
  return {};
}

// Makes the failing module smaller alone, and then one that compares its own output.
Status ReduceAlone(const Original& original, const Candidate& failing, const Target& target,
                   const RunSettings& run, const ReduceOptions& options, Harness& harness,
                   SmallestWrongOutput* result) {
  const Result<Original> source =
      MakeOriginal(failing.words, original.file, failing.inputs, OptionsOf(original));
  if (!source) return source.error();
  FailingTest test(*source, target, {}, run, harness);
  RepeatedTest repeated(test, options.wanted_runs, options.runs);
  Result<ModuleReduction> module = ReduceModule(*source, options, repeated);
  if (!module) return module.error();
  if (module->end == Reduction::End::kNotInteresting) {
    result->why_not = test.NotJudged().empty() ? "the output is that of the interpreter"
                                               : "the interpreter cannot tell which output is "
                                                 "correct: " +
                                                     test.NotJudged();
  }
  result->is_stopped = module->end == Reduction::End::kStopped;
  result->module = std::move(*module);
  if (result->is_stopped || !result->why_not.empty()) return {};
  Status made = MakeSelfChecking(original, failing, target, run, options.runs, harness, result);
  result->is_stopped = !made && (harness.IsStopped() || (options.stop && options.stop()));
  return result->is_stopped ? Status() : made;
}

}  // namespace

Result<SmallestWrongOutput> ReduceWrongOutput(const Original& original,
                                              const message::Recording& recording,
                                              const Candidate& variant, const Target& target,
                                              const RunSettings& run, const ReduceOptions& options,
                                              Harness& harness) {
  SmallestWrongOutput result;
  Result<SmallestPair> pair =
      ReducePair(original, recording, target, run, OptionsFor(options, options.journal), harness);
  if (!pair) return pair.error();
  result.pair = std::move(*pair);
  if (result.pair.reduction.end == Reduction::End::kStopped) {
    result.is_stopped = true;
    return result;
  }
  ReduceOptions alone = OptionsFor(options, ModuleJournalOf(options.journal));
  // Most of what was not interesting for the pair is not interesting for one of its modules.
  alone.left = result.pair.reduction.left;
  Status reduced = ReduceAlone(original, FailingModule(result.pair, variant), target, run, alone,
                               harness, &result);
  if (!reduced) return reduced.error();
  return result;
}

Result<SmallestWrongOutput> ReduceWrongModule(const Original& module, const Target& target,
                                              const RunSettings& run, const ReduceOptions& options,
                                              Harness& harness) {
  SmallestWrongOutput result;
  Status reduced = ReduceAlone(module, {module.words, module.context.inputs, nullptr}, target, run,
                               OptionsFor(options, options.journal), harness, &result);
  if (!reduced) return reduced.error();
  return result;
}

std::string ModuleJournalOf(const std::string& journal) {
  return journal.empty() ? journal : journal + "-module";
}

void RemoveJournals(const std::string& journal) {
  if (journal.empty()) return;
  std::remove(journal.c_str());
  std::remove(ModuleJournalOf(journal).c_str());
}

}  // namespace reduce
}  // namespace refract
