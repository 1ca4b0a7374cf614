// SPDX-License-Identifier: Apache-2.0
// Which way each invocation takes through a graph: planned before there is a program, so that what
// a program records is known before it runs. The idea is of the study of 2023 that docs/graphs.md
// speaks of; how ways are chosen here (walks.h) is not.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "cfg/graph.h"

namespace refract::flesh {

/// One way from the entry block to an end of the function.
struct Walk {
  std::vector<uint32_t> blocks;  ///< in the order of their visits
  /// For each visit the place in Graph::Targets that is taken; 0 where the function ends.
  std::vector<uint16_t> choices;
};
bool operator==(const Walk& a, const Walk& b);

struct PlanOptions {
  uint32_t walks = 3;          ///< different ones, at most; nor more than groups that are alike
  uint32_t most_visits = 900;  ///< after so many a walk takes the shortest way to an end
  uint32_t invocations = 64;   ///< in all, in order of workgroup, then LocalInvocationIndex
  uint32_t workgroup = 64;     ///< invocations of a workgroup; the last one may have fewer
  /// So many invocations in a row, within a workgroup, take the same walk; 0: each as it is drawn.
  uint32_t alike = 0;
};

struct Plan {
  std::vector<Walk> walks;        ///< all different; at least one
  std::vector<uint32_t> walk_of;  ///< by invocation; every walk is taken by some
};

/// Error if no end can be reached from the entry block. `graph` keeps the rules of structured
/// control flow. Fewer walks than asked for where the graph seems to have no more. The same for the
/// same graph, options and state of `random`.
Result<Plan> MakePlan(const cfg::Graph& graph, const PlanOptions& options, Random* random);

// MEETINGS. A meeting of a group of invocations is a visit of a block at which all of the group
// execute the same dynamic instance of the block. What needs that, and may stand in a block whose
// visits are all meetings: barriers (of the workgroup), derivatives, and group operations of which
// it is to be known who takes part. What we rest on (SPIR-V 1.6, 2.2.5):
//
//   - Control flow is uniform at the entry point.
//   - Invocations that follow the same path from where they share a dynamic instance go on sharing
//     them. The same path is the same choice at each branch: of two labels that name one block it
//     is not said that whoever takes the one goes with whoever takes the other.
//   - If control flow is uniform on entry to a header block, and all invocations of the invocation
//     group leave that dynamic instance of its construct by way of its merge block, it is uniform
//     there. The invocation group of a compute shader is the workgroup.
//
// and nothing else: continue targets, cases that others fall through to, blocks where the arms of a
// selection join before its merge block, the header of a loop that some go round once more, are no
// meetings once the group has parted. So the walks are replayed side by side. From a meeting all
// of the group go on together as long as their choices are the same. Where they part, the
// constructs around are looked at, the innermost first, the block's own if it is a header: all of
// them were entered at meetings, since a group that parted has met again only outside of what it
// parted in. The first that every one leaves by its merge block gives the next meeting, that visit
// of the merge block; whoever leaves it otherwise, by an exit to something farther out or by an
// end, takes away the promise from all. With none such there is no further meeting.
//
// For a group that is less than the workgroup, the same holds with the workgroup's meetings, from
// each of which its own path is followed until it parts; and with the extension that says it of
// subgroups, as of the workgroup. Which invocations make a subgroup is for the caller to see to: at
// the workgroup's meetings it does not matter.

/// Which visits are meetings: [walk][visit]; empty for walks that nobody of the group takes.
using Meetings = std::vector<std::vector<bool>>;

/// What makes invocations that went different ways share dynamic instances again.
enum class Reconvergence : uint8_t {
  kWorkgroup,  ///< merge blocks where the whole workgroup arrives: SPIR-V without extensions
  kGroup,      ///< where the group arrives: SPV_KHR_subgroup_uniform_control_flow, for subgroups
};

/// The meetings of the group of invocations [first, first + count), which are of one workgroup of
/// `workgroup` invocations (the last one may have fewer).
Meetings FindMeetings(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup, uint32_t first,
                      uint32_t count, Reconvergence reconvergence);

/// Blocks that are visited, and whose visits are all meetings of the group that the invocation is
/// of: `group` divides workgroups as `alike` does, and is not 0.
std::vector<bool> MeetingBlocks(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                uint32_t group, Reconvergence reconvergence);

}  // namespace refract::flesh
