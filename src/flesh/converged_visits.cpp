// SPDX-License-Identifier: Apache-2.0
// Finds the converged visits of a plan (plan.h).
#include <algorithm>
#include <limits>

#include "base/check.h"
#include "flesh/plan.h"

namespace refract::flesh {
namespace {

constexpr uint32_t kOutside = std::numeric_limits<uint32_t>::max();

// The constructs that a path enters, and where it leaves them.
struct PathConstructs {
  // For each visit of a header that enters its construct, the visit of the merge block through
  // which the path leaves the construct; 0 if it leaves it in another way, and for all other
  // visits.
  std::vector<uint32_t> merged_at;
  // For each visit, the visit that entered the innermost construct around the block, its own
  // construct included. For each visit that enters a construct, the visit that entered the next
  // outer one. kOutside if not found.
  std::vector<uint32_t> inside, around;
};

PathConstructs MakeTrail(const cfg::Graph& graph, const Path& path) {
  const size_t count = path.blocks.size();
  PathConstructs trail = {std::vector<uint32_t>(count, 0), std::vector<uint32_t>(count, kOutside),
                          std::vector<uint32_t>(count, kOutside)};
  std::vector<uint32_t> entered;  // visits of the headers whose constructs the path is in
  for (uint32_t at = 0; at < count; ++at) {
    const uint32_t block = path.blocks[at];
    // A block that is the merge block of a surrounding construct leaves this construct and all
    // constructs in it. A block that is its continue target or loop header leaves only the
    // constructs in it.
    bool again = false;
    for (size_t i = entered.size(); i-- > 0;) {
      const uint32_t header = path.blocks[entered[i]];
      if (graph.blocks[header].merge == block) {
        trail.merged_at[entered[i]] = at;
        entered.resize(i);
      } else if (header == block || graph.blocks[header].continue_target == block) {
        again = header == block;
        entered.resize(i + 1);
      } else {
        continue;
      }
      break;
    }
    if (graph.blocks[block].is_header() && !again) {
      trail.around[at] = entered.empty() ? kOutside : entered.back();
      entered.push_back(at);
    }
    trail.inside[at] = entered.empty() ? kOutside : entered.back();
  }
  return trail;
}

// Replays several paths next to each other to find their converged visits.
class Replay {
 public:
  Replay(const cfg::Graph& graph, const Plan& plan) : plan_(plan) {
    for (const Path& path : plan.paths) trails_.push_back(MakeTrail(graph, path));
  }

  // Returns the paths of the invocations [first, first + count).
  std::vector<uint32_t> PathsOf(uint32_t first, uint32_t count) const {
    std::vector<uint32_t> paths(plan_.path_of.begin() + first,
                                plan_.path_of.begin() + first + count);
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return paths;
  }

  // Follows `paths` from the visits `at`, where they meet, up to the visits where they diverge.
  // Notes the converged visits and moves `at` to the last one. Returns false if the paths end
  // there.
  bool Together(const std::vector<uint32_t>& paths, std::vector<uint32_t>* at,
                ConvergedVisits* converged_visits) const {
    for (;;) {
      bool same = true, end = false;
      for (size_t i = 0; i < paths.size(); ++i) {
        const Path& path = plan_.paths[paths[i]];
        (*converged_visits)[paths[i]].resize(path.blocks.size());
        (*converged_visits)[paths[i]][(*at)[i]] = true;
        same &= path.choices[(*at)[i]] == plan_.paths[paths[0]].choices[(*at)[0]];
        end |= (*at)[i] + 1 == path.blocks.size();
      }
      if (end) return false;
      if (!same) return true;
      for (uint32_t& visit : *at) ++visit;
    }
  }

  // Moves `at` from the visits where the paths diverge to the visits where they reconverge: at the
  // merge block of the innermost construct that all leave through it. Returns false if there is
  // none.
  bool Reconverge(const std::vector<uint32_t>& paths, std::vector<uint32_t>* at) const {
    std::vector<uint32_t> construct(paths.size());
    for (size_t i = 0; i < paths.size(); ++i) construct[i] = trails_[paths[i]].inside[(*at)[i]];
    while (construct[0] != kOutside) {
      bool all = true;
      for (size_t i = 0; i < paths.size(); ++i) {
        const PathConstructs& trail = trails_[paths[i]];
        CHECK(plan_.paths[paths[i]].blocks[construct[i]] ==
              plan_.paths[paths[0]].blocks[construct[0]]);
        all &= trail.merged_at[construct[i]] != 0;
      }
      for (size_t i = 0; i < paths.size(); ++i) {
        const PathConstructs& trail = trails_[paths[i]];
        if (all) (*at)[i] = trail.merged_at[construct[i]];
        construct[i] = trail.around[construct[i]];
      }
      if (all) return true;
    }
    return false;
  }

  // Implements FindConvergedVisits.
  ConvergedVisits Find(uint32_t workgroup, uint32_t first, uint32_t count,
                       Reconvergence reconvergence) const {
    ConvergedVisits converged_visits(plan_.paths.size());
    const std::vector<uint32_t> members = PathsOf(first, count);
    if (reconvergence == Reconvergence::kGroup) {
      Follow(members, &converged_visits, [](const std::vector<uint32_t>&) {});
      return converged_visits;
    }
    const uint32_t start = first / workgroup * workgroup;
    const uint32_t end = std::min(start + workgroup, static_cast<uint32_t>(plan_.path_of.size()));
    const std::vector<uint32_t> all = PathsOf(start, end - start);
    ConvergedVisits of_all(plan_.paths.size());
    Follow(all, &of_all, [&](const std::vector<uint32_t>& at) {
      std::vector<uint32_t> mine;
      for (size_t i = 0; i < all.size(); ++i) {
        if (std::binary_search(members.begin(), members.end(), all[i])) mine.push_back(at[i]);
      }
      Together(members, &mine, &converged_visits);
    });
    return converged_visits;
  }

 private:
  // Notes the converged visits of all invocations on `paths`. Calls `common(paths, at)` at the
  // start and wherever they reconverge.
  template <class Common>
  void Follow(const std::vector<uint32_t>& paths, ConvergedVisits* converged_visits,
              Common common) const {
    std::vector<uint32_t> at(paths.size(), 0);
    do {
      common(at);
      if (!Together(paths, &at, converged_visits)) return;
    } while (Reconverge(paths, &at));
  }

  const Plan& plan_;
  std::vector<PathConstructs> trails_;
};

}  // namespace

ConvergedVisits FindConvergedVisits(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                    uint32_t first, uint32_t count, Reconvergence reconvergence) {
  return Replay(graph, plan).Find(workgroup, first, count, reconvergence);
}

std::vector<bool> ConvergedBlocks(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                  uint32_t group, Reconvergence reconvergence) {
  CHECK(workgroup > 0 && group > 0);
  const Replay replay(graph, plan);
  std::vector<bool> visited(graph.size(), false), apart(graph.size(), false);
  const uint32_t all = static_cast<uint32_t>(plan.path_of.size());
  for (uint32_t start = 0; start < all; start += workgroup) {
    const uint32_t end = std::min(start + workgroup, all);
    for (uint32_t first = start; first < end; first += group) {
      const ConvergedVisits converged_visits =
          replay.Find(workgroup, first, std::min(group, end - first), reconvergence);
      for (size_t path = 0; path < converged_visits.size(); ++path) {
        for (size_t at = 0; at < converged_visits[path].size(); ++at) {
          const uint32_t block = plan.paths[path].blocks[at];
          visited[block] = true;
          if (!converged_visits[path][at]) apart[block] = true;
        }
      }
    }
  }
  for (uint32_t block = 0; block < graph.size(); ++block) {
    visited[block] = visited[block] && !apart[block];
  }
  return visited;
}

}  // namespace refract::flesh
