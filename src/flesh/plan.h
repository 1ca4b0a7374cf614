// SPDX-License-Identifier: Apache-2.0
// Plans the path of each invocation through a graph before the program is made, so that the
// recorded output is known before the program runs. The idea is from the study of 2023
// (docs/fleshing.md). The choice of the paths (paths.h) is our own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "cfg/graph.h"

namespace refract::flesh {

/// A path from the entry block to an end of the function.
struct Path {
  std::vector<uint32_t> blocks;  ///< in the order of their visits
  /// For each visit, the position in Graph::Targets of the target that is taken; 0 at the end.
  std::vector<uint16_t> choices;
};
bool operator==(const Path& a, const Path& b);

struct PlanOptions {
  uint32_t paths = 3;  ///< the most different paths; never more than groups with a common path
  uint32_t most_visits = 900;  ///< after this many visits a path takes the shortest way to an end
  /// Of all workgroups, ordered by workgroup, then by LocalInvocationIndex.
  uint32_t invocations = 64;
  uint32_t workgroup = 64;  ///< invocations in a workgroup; the last one may have fewer
  /// This many consecutive invocations of a workgroup take the same path; 0: paths are drawn for
  /// single invocations.
  uint32_t invocations_per_path = 0;
};

/// The paths of a program and which invocation takes which.
struct Plan {
  std::vector<Path> paths;        ///< all different; at least one
  std::vector<uint32_t> path_of;  ///< for each invocation; every path is taken
};

/// Draws a plan. Fails if no end can be reached from the entry block. `graph` must keep the rules
/// of structured control flow. The plan has fewer paths than requested if the graph seems to have
/// no more. The same graph, options and state of `random` give the same plan.
Result<Plan> MakePlan(const cfg::Graph& graph, const PlanOptions& options, Random* random);

// CONVERGED VISITS. A converged visit of a group of invocations is a visit of a block at which all
// invocations of the group execute the same dynamic instance of the block. Some instructions need
// this and may be used only in a block whose visits are all converged visits: barriers (of the
// workgroup), derivatives, and group operations for which it must be known who takes part. The
// proof uses these facts (SPIR-V 1.6, section 2.2.5):
//
//   - Control flow is uniform at the entry point.
//   - Invocations that share a dynamic instance and then follow the same path share the dynamic
//     instances on that path. The same path means the same choice at each branch. If two labels of
//     a branch name the same block, nothing is known about invocations that choose different ones.
//   - If control flow is uniform on entry to a header block, and all invocations of the invocation
//     group leave that dynamic instance of its construct through its merge block, control flow is
//     uniform there. The invocation group of a compute shader is the workgroup.
//
// Nothing else is used. After a group has diverged, these are therefore not converged visits:
// continue targets, cases that others fall through to, blocks where the arms of a selection join
// before its merge block, and the header of a loop that some invocations repeat. So the paths are
// replayed together. After a converged visit, the group stays together as long as all choices are
// the same. Where the paths diverge, the surrounding constructs are tried, the innermost first,
// including the block's own if it is a header. All of these were entered at converged visits,
// because a group that has diverged meets again only outside of the construct in which it diverged.
// The first construct that all invocations leave through its merge block gives the next converged
// visit: that visit of the merge block. If an invocation leaves the construct in another way, by an
// exit to an outer construct or an end, the construct gives no converged visit for the others
// either. If no construct remains, there are no further converged visits.
//
// For a group smaller than the workgroup, the same holds: the group follows its own path from each
// converged visit of the workgroup until it diverges. With the extension that guarantees
// reconvergence of subgroups, a subgroup is treated as the workgroup is. The caller must know which
// invocations form a subgroup. At the converged visits of the workgroup that does not matter.

/// Which visits are converged visits: [path][visit]; empty for paths that nobody in the group
/// takes.
using ConvergedVisits = std::vector<std::vector<bool>>;

/// What makes invocations that diverged share dynamic instances again.
enum class Reconvergence : uint8_t {
  kWorkgroup,  ///< merge blocks that the whole workgroup reaches: SPIR-V without extensions
  kGroup,      ///< merge blocks that the group reaches: SPV_KHR_subgroup_uniform_control_flow
};

/// Returns the converged visits of the invocations [first, first + count). They must belong to one
/// workgroup of `workgroup` invocations (the last workgroup may have fewer).
ConvergedVisits FindConvergedVisits(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                    uint32_t first, uint32_t count, Reconvergence reconvergence);

/// Returns the visited blocks whose visits are all converged visits of the group of the invocation.
/// `group` divides workgroups as `invocations_per_path` does, and is not 0.
std::vector<bool> ConvergedBlocks(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                  uint32_t group, Reconvergence reconvergence);

}  // namespace refract::flesh
