// SPDX-License-Identifier: Apache-2.0
// Small random changes of graphs that may break a rule, to test our control-flow rules and other
// validators.
#pragma once

#include "base/random.h"
#include "cfg/graph.h"

namespace refract::cfg {

/// Makes one change: redirects, adds or removes an edge, exchanges two labels, or changes, adds or
/// removes a merge instruction. The number of blocks stays, but some may become unreachable.
void EditOnce(Graph* graph, Random* random);

}  // namespace refract::cfg
