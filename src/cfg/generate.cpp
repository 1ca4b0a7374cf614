// SPDX-License-Identifier: Apache-2.0
#include "cfg/generate.h"

#include <algorithm>

#include "base/text.h"
#include "cfg/large_graphs.h"

namespace refract::cfg {
namespace {

constexpr uint32_t kLargeDepth = 12;  // the limit for large graphs if none is given

}  // namespace

void MakeVarious(GenerateOptions* options) {
  options->various = true;
  options->grammar.distinct_labels = true;
  options->grammar.long_continue = true;
  options->grammar.one_outermost = true;
}

Generator::Generator(const GenerateOptions& options)
    : options_(options),
      sampler_(std::make_unique<Sampler>(options.grammar, std::min(options.blocks, kMostExact))) {}

Result<Generator> Generator::Make(const GenerateOptions& given) {
  GenerateOptions options = given;
  const bool large = options.blocks > kMostExact;
  Grammar& grammar = options.grammar;
  if (large) grammar.depth = grammar.depth == kUnlimitedDepth ? kLargeDepth : grammar.depth;
  if (options.detached >= options.blocks) {
    return Error{format("with {} unreachable blocks, no blocks are left for the rest of the graph",
                        options.detached),
                 ErrorKind::kUsage};
  }
  Generator generator(options);
  const Productions& productions = generator.sampler_->productions();
  if (large) {
    if (HasEveryChain(productions)) return generator;
    return Error{format("in a graph of more than {} blocks, a weight cannot be 0 if some construct "
                        "then has no possible content; use a weight of 1",
                        kMostExact),
                 ErrorKind::kUsage};
  }
  bool has = generator.sampler_->Has(options.blocks - options.detached);
  for (uint32_t size = 1; size <= options.detached; ++size) {
    has &= !productions.Chain(ChainKind::kBody, kMayEnd, productions.OuterDepth(), size).IsZero();
  }
  if (has) return generator;
  return Error{format("no graph of {} blocks exists with these weights", options.blocks),
               ErrorKind::kUsage};
}

void Generator::DrawChains(Random* random, Tree* tree) {
  tree->Clear();
  const uint8_t depth = sampler_->productions().OuterDepth();
  uint32_t detached = options_.detached;
  AppendLarge(*sampler_, ChainKind::kEntry, kMayEnd, depth, options_.blocks - detached, random,
              tree);
  while (detached > 0) {
    const uint32_t size = static_cast<uint32_t>(random->Between(1, detached));
    AppendLarge(*sampler_, ChainKind::kBody, kMayEnd, depth, size, random, tree);
    detached -= size;
  }
}

bool Generator::Draw(Random* random, Tree* tree, Graph* graph) {
  for (uint32_t i = 0; i < options_.tries; ++i) {
    DrawChains(random, tree);
    MakeGraph(*tree, graph);
    if (options_.various && !IsVarious(*tree, *graph)) continue;
    if (!options_.wanted.any || options_.wanted.Has(CountFeatures(*tree, *graph))) return true;
  }
  return false;
}

}  // namespace refract::cfg
