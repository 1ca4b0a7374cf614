// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce/reduce_smallest.h"

#include <string>
#include <utility>

#include "base/counted.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/outputs.h"
#include "ir/tools.h"
#include "shrink/shrink_module.h"

namespace refract {
inline namespace cli {
namespace {

Status WritePair(const ReduceArguments& given, const SmallestPair& smallest, Console& console) {
  if (!smallest.pair) return {};
  const Original& original = smallest.pair->original;
  const Candidate& variant = smallest.pair->variant;
  const Result<InstructionDiff> diff = DisassemblyDiff(original.words, variant.words);
  if (!diff) return diff.error();
  console.Say(format("smallest pair: {} of {}, {} different, {} tries",
                     Counted(CountInstructions(original.words), "instruction"),
                     smallest.reduction.instructions_before, diff->count(),
                     smallest.reduction.tries));
  if (!given.smallest) return {};
  for (const Status& written :
       {WriteVariant(PairOriginalOf(given), original.words, original.context.inputs.get(), nullptr),
        WriteVariant(PairVariantOf(given), variant.words, variant.inputs.get(), nullptr),
        WriteFile(PairDiffOf(given), diff->text)}) {
    if (!written) return written;
  }
  return {};
}

Status WriteAlone(const ReduceArguments& given, const ModuleReduction& smallest, Console& console) {
  if (smallest.words.empty()) return {};
  console.Say(format("smallest: {} of {}, {} tries", Counted(smallest.instructions, "instruction"),
                     smallest.instructions_before, smallest.tries));
  if (!given.smallest) return {};
  return WriteVariant(SmallestOf(given), smallest.words, smallest.inputs.get(), nullptr);
}

}  // namespace

Status WriteSmallest(const ReduceArguments& given, const SmallestWrongOutput& smallest,
                     Console& console) {
  if (Status written = WritePair(given, smallest.pair, console); !written) return written;
  if (Status written = WriteAlone(given, smallest.module, console); !written) return written;
  if (!given.smallest) return {};
  const std::pair<const char*, const std::string*> missing[] = {
      {"smallest pair", &smallest.pair.why_not},
      {"smallest module", &smallest.why_not},
      {"self-checking module", &smallest.why_not_checking}};
  for (const auto& [what, why_not] : missing) {
    if (!why_not->empty()) console.Warn(format("no {}: {}", what, *why_not));
  }
  if (!smallest.self_checking) return {};
  return WriteVariant(CheckOf(given), smallest.self_checking->words,
                      smallest.self_checking->inputs.get(), nullptr);
}

}  // namespace cli
}  // namespace refract
