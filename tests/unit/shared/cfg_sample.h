// SPDX-License-Identifier: Apache-2.0
// Random structured functions in the text form of test::Cfg: nested selections, loops and switches
// with breaks, continues, returns and fall-throughs. They are made construct by construct, from the
// outside inwards, so that each keeps the rules.
#pragma once

#include <map>
#include <vector>

#include "base/random.h"
#include "unit/shared/cfg_text.h"

namespace refract::test {

class CfgSample {
 public:
  CfgSample(uint64_t seed, int budget) : random_(seed), budget_(budget) {}

  std::map<int, CfgBlock> Make() {
    const int entry = New();
    blocks_[entry].targets = {Chain({}, kNone)};
    return blocks_;
  }

 private:
  static constexpr int kNone = -1;
  // Where a block may branch to, apart from the next block; kNone: not possible.
  struct Ways {
    int selection = kNone, a_switch = kNone, merge = kNone, target = kNone, fall = kNone;
    bool end = true;
  };

  int New() {
    const int number = static_cast<int>(blocks_.size());
    blocks_[number] = {};
    --budget_;
    return number;
  }
  bool Odds(uint64_t percent) { return random_.Below(100) < percent; }

  // A branch that leaves the construct; kNone: the function ends.
  int Leave(const Ways& ways) {
    std::vector<int> exits;
    for (int exit : {ways.selection, ways.a_switch, ways.merge, ways.target, ways.fall}) {
      if (exit != kNone) exits.push_back(exit);
    }
    if (exits.empty() || (ways.end && Odds(20))) return kNone;
    return exits[random_.Below(exits.size())];
  }
  // An exit that a conditional branch without merge instruction may have.
  int Exit(Ways ways) {
    ways.fall = kNone;
    ways.end = false;
    return Leave(ways);
  }

  // A chain of blocks; returns the first. The last block goes to `onwards` if that is a block.
  int Chain(const Ways& ways, int onwards) {
    const uint64_t kind = budget_ <= 0 ? 99 : random_.Below(100);
    if (kind < 18) return Selection(ways, onwards);
    if (kind < 38) return Loop(ways, onwards);
    if (kind < 56) return Switch(ways, onwards);
    const int block = New();
    int next = onwards;
    if (budget_ > 0 && Odds(60)) {
      next = Chain(ways, onwards);
    } else if (onwards == kNone) {
      next = Leave(ways);
      if (next == kNone) return block;  // returns
    }
    blocks_[block].targets = {next};
    const int exit = Exit(ways);
    if (exit != kNone && exit != next && Odds(30)) {
      blocks_[block].targets.insert(blocks_[block].targets.begin() + (Odds(50) ? 0 : 1), exit);
    }
    return block;
  }

  // The blocks after a construct: its merge block is the first of them.
  int Behind(const Ways& ways, int onwards) { return Chain(ways, onwards); }

  int Selection(const Ways& ways, int onwards) {
    const int header = New(), merge = Behind(ways, onwards);
    Ways inside = ways;
    inside.selection = merge;
    inside.fall = kNone;
    const int first = Chain(inside, kNone);
    const int other = Odds(30) ? merge : Chain(inside, Odds(25) ? first : kNone);
    blocks_[header] = {'S', merge, kNone, {first, other}};
    return header;
  }

  int Loop(const Ways& ways, int onwards) {
    const int header = New(), merge = Behind(ways, onwards);
    if (Odds(15)) {
      blocks_[header] = {'L', merge, header, {header, merge}};
      return header;
    }
    const int latch = New();
    blocks_[latch].targets = {header};
    if (Odds(40)) blocks_[latch].targets.push_back(merge);
    Ways nowhere;
    nowhere.end = false;
    const int target = Odds(30) ? Chain(nowhere, latch) : latch;
    Ways body;
    body.merge = merge;
    body.target = target;
    body.end = ways.end;
    blocks_[header] = {'L', merge, target, {Chain(body, kNone)}};
    if (Odds(30)) blocks_[header].targets.push_back(Odds(50) ? merge : target);
    return header;
  }

  int Switch(const Ways& ways, int onwards) {
    const int header = New(), merge = Behind(ways, onwards);
    Ways inside = ways;
    inside.selection = kNone;
    inside.a_switch = merge;
    inside.fall = kNone;
    std::vector<int> cases;  // the last one first, because a case falls through to an existing one
    const uint64_t count = random_.Below(4);
    for (uint64_t i = 0; i < count; ++i) {
      if (!cases.empty() && Odds(40)) inside.fall = cases.front();
      cases.insert(cases.begin(), Chain(inside, kNone));
      inside.fall = kNone;
    }
    blocks_[header] = {'W', merge, kNone, {merge}};
    std::vector<int>& targets = blocks_[header].targets;
    targets.insert(targets.end(), cases.begin(), cases.end());
    return header;
  }

  Random random_;
  int budget_;
  std::map<int, CfgBlock> blocks_;
};

}  // namespace refract::test
