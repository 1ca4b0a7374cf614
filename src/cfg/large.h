// SPDX-License-Identifier: Apache-2.0
// Graphs of more blocks than can be counted exactly: from the outside in, each construct gets its
// share of the blocks by chance, and what has become small enough is drawn by weight.
#pragma once

#include "cfg/sampler.h"

namespace refract::cfg {

/// Appends a chain of any number of blocks. The sampler is for kMostExact blocks if it is more than
/// that, with a limit of depth, and has chains of every kind (HasEveryChain).
void AppendLarge(Sampler& sampler, ChainKind kind, Context context, uint8_t depth, uint32_t size,
                 Random* random, Tree* tree);

/// Whether there is a chain of each kind in each place, of one block and of several: weights of 0
/// can leave none.
bool HasEveryChain(const Productions& productions);

}  // namespace refract::cfg
