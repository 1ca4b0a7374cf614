// SPDX-License-Identifier: Apache-2.0
// Graphs as asked for: of an exact size, with weights, and of what they are to have. Up to
// kMostExact blocks each is as likely as it weighs among those wanted; larger ones are put together
// of such, from the outside in.
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
  /// Of them, so many are in chains that no edge leads to.
  uint32_t detached = 0;
  /// Only graphs with a loop and without three blocks in a row that might as well be one.
  bool various = false;
  Wanted wanted;
  uint32_t tries = 1'000'000;  ///< to draw one that is wanted
};

/// The grammar of graphs as various as those that the study of 2023 had a solver look for: with
/// GenerateOptions::various, and a width of 3, its conditions D1 to D6 (docs/graphs.md).
void MakeVarious(GenerateOptions* options);

/// One thread at a time.
class Generator {
 public:
  /// An error if there is no graph of the grammar with so many blocks.
  static Result<Generator> Make(const GenerateOptions& options);

  uint32_t tries() const { return options_.tries; }
  /// Draws a tree and makes its graph; false if in all its tries none came that is wanted.
  bool Draw(Random* random, Tree* tree, Graph* graph);

 private:
  explicit Generator(const GenerateOptions& options);
  void DrawChains(Random* random, Tree* tree);

  GenerateOptions options_;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace refract::cfg
