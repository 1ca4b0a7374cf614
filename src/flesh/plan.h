// SPDX-License-Identifier: Apache-2.0
// Which way each invocation takes through a graph: planned before there is a program, so that what
// a program records is known before it runs. The idea is that of "Structured control flow: a
// formal model and its use in testing" (the study of 2023 in docs/graphs.md); how ways are chosen
// is not.
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
  uint32_t walks = 3;          ///< different ones, at most
  uint32_t most_visits = 900;  ///< after so many a walk takes the shortest way to an end
  uint32_t invocations = 64;   ///< in all, in order of workgroup, then LocalInvocationIndex
  uint32_t workgroup = 64;     ///< invocations of a workgroup; the last one may have fewer
  /// So many invocations in a row, within a workgroup, take the same walk; 0: each as it is drawn.
  uint32_t alike = 0;
};

struct Plan {
  std::vector<Walk> walks;        ///< all different; at least one
  std::vector<uint32_t> walk_of;  ///< by invocation; every walk is taken if there are enough
};

/// Error if no end can be reached from the entry block. `graph` keeps the rules of structured
/// control flow. The same for the same graph, options and state of `random`.
Result<Plan> MakePlan(const cfg::Graph& graph, const PlanOptions& options, Random* random);

/// Which visits are meetings: [walk][visit]; empty for walks that nobody of the group takes.
using Meetings = std::vector<std::vector<bool>>;

/// What makes invocations that went different ways share dynamic instances again.
enum class Reconvergence : uint8_t {
  kWorkgroup,  ///< merge blocks where the whole workgroup arrives: SPIR-V without extensions
  kGroup,      ///< where the group arrives: with SPV_KHR_subgroup_uniform_control_flow
};

/// The meetings of the group of invocations [first, first + count), which are of one workgroup: the
/// visits at which all of the group execute the same dynamic instance of the block.
Meetings FindMeetings(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup, uint32_t first,
                      uint32_t count, Reconvergence reconvergence);

/// Blocks that are visited, and at each visit by all of a group together; `group` divides
/// workgroups as `alike` does: where barriers may stand (group = workgroup), where a ballot is that
/// of the whole group, a reduction is over it, ...
std::vector<bool> MeetingBlocks(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                uint32_t group, Reconvergence reconvergence);

}  // namespace refract::flesh
