// SPDX-License-Identifier: Apache-2.0
// What a new control-flow edge would do to dominance, answered from the dominator tree: nothing is
// tried and undone.
#pragma once

#include "ir/module.h"

namespace refract {

/// Whether an edge `from` -> `to` (both basic blocks of one function) would leave some use without
/// a dominating definition. Phis of `to` are taken to get a proper input for the edge.
///
/// With the edge, exactly those blocks v change their immediate dominator (to n, the closest common
/// dominator of `from` and `to`) that are deeper than n's children and reached from `to` by a path
/// of blocks at least as deep as v (Ramalingam and Reps 1994; the depth-based search of Georgiadis
/// et al. 2012). What stood between n and v in the tree no longer dominates v's subtree.
bool EdgeBreaksDominance(const Module& module, Block from, Block to);

}  // namespace refract
