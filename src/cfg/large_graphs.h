// SPDX-License-Identifier: Apache-2.0
// Draws graphs with more blocks than can be counted exactly. From the outside in, each construct
// gets a random share of the blocks. Parts that are small enough are drawn by weight.
#pragma once

#include "cfg/sampler.h"

namespace refract::cfg {

/// Appends a chain of any number of blocks. If that number is above kMostExact, the sampler must be
/// for kMostExact blocks, have a depth limit, and have chains of every kind (HasEveryChain).
void AppendLarge(Sampler& sampler, ChainKind kind, Context context, uint8_t depth, uint32_t size,
                 Random* random, Tree* tree);

/// True if chains of each kind exist in each place, of one block and of several. Weights of 0 can
/// leave none.
bool HasEveryChain(const Productions& productions);

}  // namespace refract::cfg
