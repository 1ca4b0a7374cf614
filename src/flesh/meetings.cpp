// SPDX-License-Identifier: Apache-2.0
// Finds the meetings of a plan (plan.h).
#include <algorithm>
#include <limits>

#include "base/check.h"
#include "flesh/plan.h"

namespace refract::flesh {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// The constructs that a path enters, and where it leaves them.
struct Trail {
  // For each visit of a header that enters its construct, the visit of the merge block through
  // which the path leaves the construct; 0 if it leaves it in another way, and for all other
  // visits.
  std::vector<uint32_t> merged_at;
  // For each visit, the visit that entered the innermost construct around the block, its own
  // construct included. For each visit that enters a construct, the visit that entered the next
  // outer one. kNone if not found.
  std::vector<uint32_t> inside, around;
};

Trail MakeTrail(const cfg::Graph& graph, const Walk& walk) {
  const size_t count = walk.blocks.size();
  Trail trail = {std::vector<uint32_t>(count, 0), std::vector<uint32_t>(count, kNone),
                 std::vector<uint32_t>(count, kNone)};
  std::vector<uint32_t> entered;  // visits of the headers whose constructs the path is in
  for (uint32_t at = 0; at < count; ++at) {
    const uint32_t block = walk.blocks[at];
    // A block that is the merge block of a surrounding construct leaves this construct and all
    // constructs in it. A block that is its continue target or loop header leaves only the
    // constructs in it.
    bool again = false;
    for (size_t i = entered.size(); i-- > 0;) {
      const uint32_t header = walk.blocks[entered[i]];
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
      trail.around[at] = entered.empty() ? kNone : entered.back();
      entered.push_back(at);
    }
    trail.inside[at] = entered.empty() ? kNone : entered.back();
  }
  return trail;
}

// Replays several paths next to each other to find their meetings.
class Replay {
 public:
  Replay(const cfg::Graph& graph, const Plan& plan) : plan_(plan) {
    for (const Walk& walk : plan.walks) trails_.push_back(MakeTrail(graph, walk));
  }

  // Returns the paths of the invocations [first, first + count).
  std::vector<uint32_t> WalksOf(uint32_t first, uint32_t count) const {
    std::vector<uint32_t> walks(plan_.walk_of.begin() + first,
                                plan_.walk_of.begin() + first + count);
    std::sort(walks.begin(), walks.end());
    walks.erase(std::unique(walks.begin(), walks.end()), walks.end());
    return walks;
  }

  // Follows `walks` from the visits `at`, where they meet, up to the visits where they diverge.
  // Notes the meetings and moves `at` to the last one. Returns false if the paths end there.
  bool Together(const std::vector<uint32_t>& walks, std::vector<uint32_t>* at,
                Meetings* meetings) const {
    for (;;) {
      bool same = true, end = false;
      for (size_t i = 0; i < walks.size(); ++i) {
        const Walk& walk = plan_.walks[walks[i]];
        (*meetings)[walks[i]].resize(walk.blocks.size());
        (*meetings)[walks[i]][(*at)[i]] = true;
        same &= walk.choices[(*at)[i]] == plan_.walks[walks[0]].choices[(*at)[0]];
        end |= (*at)[i] + 1 == walk.blocks.size();
      }
      if (end) return false;
      if (!same) return true;
      for (uint32_t& visit : *at) ++visit;
    }
  }

  // Moves `at` from the visits where the paths diverge to the visits where they reconverge: at the
  // merge block of the innermost construct that all leave through it. Returns false if there is
  // none.
  bool Reconverge(const std::vector<uint32_t>& walks, std::vector<uint32_t>* at) const {
    std::vector<uint32_t> construct(walks.size());
    for (size_t i = 0; i < walks.size(); ++i) construct[i] = trails_[walks[i]].inside[(*at)[i]];
    while (construct[0] != kNone) {
      bool all = true;
      for (size_t i = 0; i < walks.size(); ++i) {
        const Trail& trail = trails_[walks[i]];
        CHECK(plan_.walks[walks[i]].blocks[construct[i]] ==
              plan_.walks[walks[0]].blocks[construct[0]]);
        all &= trail.merged_at[construct[i]] != 0;
      }
      for (size_t i = 0; i < walks.size(); ++i) {
        const Trail& trail = trails_[walks[i]];
        if (all) (*at)[i] = trail.merged_at[construct[i]];
        construct[i] = trail.around[construct[i]];
      }
      if (all) return true;
    }
    return false;
  }

  // Implements FindMeetings.
  Meetings Find(uint32_t workgroup, uint32_t first, uint32_t count,
                Reconvergence reconvergence) const {
    Meetings meetings(plan_.walks.size());
    const std::vector<uint32_t> members = WalksOf(first, count);
    if (reconvergence == Reconvergence::kGroup) {
      Follow(members, &meetings, [](const std::vector<uint32_t>&) {});
      return meetings;
    }
    const uint32_t start = first / workgroup * workgroup;
    const uint32_t end = std::min(start + workgroup, static_cast<uint32_t>(plan_.walk_of.size()));
    const std::vector<uint32_t> all = WalksOf(start, end - start);
    Meetings of_all(plan_.walks.size());
    Follow(all, &of_all, [&](const std::vector<uint32_t>& at) {
      std::vector<uint32_t> mine;
      for (size_t i = 0; i < all.size(); ++i) {
        if (std::binary_search(members.begin(), members.end(), all[i])) mine.push_back(at[i]);
      }
      Together(members, &mine, &meetings);
    });
    return meetings;
  }

 private:
  // Notes the meetings of all invocations on `walks`. Calls `common(walks, at)` at the start and
  // wherever they reconverge.
  template <class Common>
  void Follow(const std::vector<uint32_t>& walks, Meetings* meetings, Common common) const {
    std::vector<uint32_t> at(walks.size(), 0);
    do {
      common(at);
      if (!Together(walks, &at, meetings)) return;
    } while (Reconverge(walks, &at));
  }

  const Plan& plan_;
  std::vector<Trail> trails_;
};

}  // namespace

Meetings FindMeetings(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup, uint32_t first,
                      uint32_t count, Reconvergence reconvergence) {
  return Replay(graph, plan).Find(workgroup, first, count, reconvergence);
}

std::vector<bool> MeetingBlocks(const cfg::Graph& graph, const Plan& plan, uint32_t workgroup,
                                uint32_t group, Reconvergence reconvergence) {
  CHECK(workgroup > 0 && group > 0);
  const Replay replay(graph, plan);
  std::vector<bool> visited(graph.size(), false), apart(graph.size(), false);
  const uint32_t all = static_cast<uint32_t>(plan.walk_of.size());
  for (uint32_t start = 0; start < all; start += workgroup) {
    const uint32_t end = std::min(start + workgroup, all);
    for (uint32_t first = start; first < end; first += group) {
      const Meetings meetings =
          replay.Find(workgroup, first, std::min(group, end - first), reconvergence);
      for (size_t walk = 0; walk < meetings.size(); ++walk) {
        for (size_t at = 0; at < meetings[walk].size(); ++at) {
          const uint32_t block = plan.walks[walk].blocks[at];
          visited[block] = true;
          if (!meetings[walk][at]) apart[block] = true;
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
