// SPDX-License-Identifier: Apache-2.0
// Small random changes of graphs, which may well break a rule: what tests the rules' judges, ours
// and others.
#pragma once

#include "base/random.h"
#include "cfg/graph.h"

namespace refract::cfg {

/// Makes one change: an edge goes elsewhere, comes or goes, two labels change places, a merge
/// instruction declares another block, comes or goes. Blocks stay as many as they are, but some may
/// not be reached any more.
void EditOnce(Graph* graph, Random* random);

}  // namespace refract::cfg
