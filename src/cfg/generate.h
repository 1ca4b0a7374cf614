// SPDX-License-Identifier: Apache-2.0
// Generates graphs of an exact size, with weights and wanted features. Up to kMostExact blocks, the
// probability of each wanted graph is proportional to its weight. Larger graphs are composed of
// such graphs, from the outside in.
#pragma once

#include <memory>

#include "base/random.h"
#include "base/result.h"
#include "cfg/features.h"
#include "cfg/sampler.h"

namespace refract::cfg {

constexpr uint32_t kMostGenerated = 1000;  ///< blocks

struct GenerateOptions {
  Grammar grammar;
  uint32_t blocks = 12;  ///< 1 to kMostGenerated
  /// How many of the blocks are in chains to which no edge leads.
  uint32_t detached = 0;
  /// Only graphs with a loop and without three consecutive blocks that could be merged into one.
  bool various = false;
  FeatureRanges wanted;
  uint32_t tries = 1'000'000;  ///< how many graphs to draw until one is wanted
};

/// Sets the options to graphs as various as those that the study of 2023 searched with a solver.
/// With GenerateOptions::various and a width of 3, these are its conditions D1 to D6
/// (docs/graphs.md).
void MakeVarious(GenerateOptions* options);

/// Not thread-safe.
class Generator {
 public:
  /// Fails if the grammar has no graph with that number of blocks.
  static Result<Generator> Make(const GenerateOptions& options);

  uint32_t tries() const { return options_.tries; }
  /// Draws a tree and makes its graph. Returns false if no wanted graph was drawn within the limit
  /// of tries.
  bool Draw(Random* random, Tree* tree, Graph* graph);

 private:
  explicit Generator(const GenerateOptions& options);
  void DrawChains(Random* random, Tree* tree);

  GenerateOptions options_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace refract::cfg
