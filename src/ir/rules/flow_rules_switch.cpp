// SPDX-License-Identifier: Apache-2.0
// Rules on the cases of a switch (SPIR-V 1.6 revision 2, 2.11.3): the switch dominates them, and
// each may fall through to at most one other case, in the order in which they are listed.
#include <utility>
#include <vector>

#include "base/text.h"
#include "ir/branches.h"
#include "ir/rules/flow_rule_functions.h"

namespace refract {
inline namespace ir {
namespace flow_rules {
namespace {

// The cases of one switch at a time, and which case falls through to which.
class Cases {
 public:
  static constexpr uint32_t kNone = 0xffffffffu;
  struct Case {
    Block block = Block::kNone;
    // Listed with a literal, not only as the default.
    bool listed = false;
    uint32_t next = kNone, other = kNone;                      // cases to which it falls through
    Block source = Block::kNone, other_source = Block::kNone;  // the blocks that branch there
  };

  explicit Cases(const FlowConstructs& flow)
      : flow_(flow),
        case_of_(flow.blocks().size(), {Block::kNone, 0}),
        visited_(flow.blocks().size(), Block::kNone) {}

  Block header = Block::kNone;
  std::vector<Case> cases;  // each target except the merge block, once
  uint32_t default_case = kNone;
  std::vector<uint32_t> list;  // the cases in the order of the literals; kNone for the merge block

  // Calls `visit()` for each reachable switch header until it returns a fault.
  template <class Visit>
  Found ForEachSwitch(Visit visit) {
    for (Block block : flow_.blocks()) {
      if (!flow_.Reached(block) || !flow_.EndsWith(block, spv::Op::OpSwitch)) continue;
      if (!flow_.IsHeader(block)) continue;
      Look(block);
      if (Found found = visit()) return found;
    }
    return std::nullopt;
  }

  // The case that starts with this block, in the current switch.
  uint32_t IndexOf(Block block) const {
    const auto& [of, index] = case_of_[flow_.flow().Slot(block)];
    return of == header ? index : kNone;
  }

 private:
  void Look(Block switch_header) {
    header = switch_header;
    cases.clear();
    default_case = kNone;
    list.clear();
    const Module& module = flow_.module();
    const Inst branch = module.Terminator(header);
    bool is_default = true;
    ForEachTarget(module, branch, [&](uint32_t operand) {
      const uint32_t index = Enter(module.BlockOfLabel(module.IdAt(branch, operand)));
      if (std::exchange(is_default, false)) {
        default_case = index;
        return;
      }
      if (index != kNone) cases[index].listed = true;
      list.push_back(index);
    });
    for (uint32_t i = 0; i < cases.size(); ++i) FindFalls(i);
  }

  uint32_t Enter(Block target) {
    if (target == flow_.MergeOf(header)) return kNone;
    if (const uint32_t known = IndexOf(target); known != kNone) return known;
    cases.push_back({.block = target});
    case_of_[flow_.flow().Slot(target)] = {header, static_cast<uint32_t>(cases.size() - 1)};
    return static_cast<uint32_t>(cases.size() - 1);
  }

  // Walks over the blocks of a case construct (the blocks that the target structurally dominates)
  // and records the fall-throughs. spirv-val walks over branches only.
  void FindFalls(uint32_t index) {
    const Block target = cases[index].block, merge = flow_.MergeOf(header);
    if (!flow_.Dominates(header, target)) return;
    const auto enter = [&](Block block) {
      Block& by = visited_[flow_.flow().Slot(block)];
      if (by == target || !flow_.Dominates(target, block) || flow_.Dominates(merge, block)) return;
      by = target;
      work_.push_back(block);
    };
    work_.clear();
    enter(target);
    while (!work_.empty()) {
      const Block block = work_.back();
      work_.pop_back();
      for (Block to : flow_.flow().Successors(block)) {
        AddFall(index, block, to);
        enter(to);
      }
      if (flow_.mode() == FlowMode::kSpirvVal || !flow_.IsHeader(block)) continue;
      enter(flow_.MergeOf(block));
      if (flow_.IsLoopHeader(block)) enter(flow_.ContinueTargetOf(block));
    }
  }

  void AddFall(uint32_t index, Block from, Block to) {
    const uint32_t next = IndexOf(to);
    Case& one = cases[index];
    if (next == kNone || next == index || next == one.next || one.other != kNone) return;
    if (one.next == kNone) {
      one.next = next;
      one.source = from;
    } else {
      one.other = next;
      one.other_source = from;
    }
  }

  const FlowConstructs& flow_;
  // By slot: the header of the switch, and the index of the case.
  std::vector<std::pair<Block, uint32_t>> case_of_;
  // By slot: the target whose walk has visited the block.
  std::vector<Block> visited_;
  std::vector<Block> work_;
};

}  // namespace

// 2.11.3: "the header block for S must structurally dominate every case construct associated with
// S". Therefore a switch cannot branch to the merge block or continue target of a loop around it.
Found SwitchDominatesCases(const FlowConstructs& flow) {
  Cases look(flow);
  return look.ForEachSwitch([&]() -> Found {
    for (const Cases::Case& one : look.cases) {
      if (flow.Dominates(look.header, one.block)) continue;
      return Fault({look.header, one.block}, "a switch does not dominate one of its targets");
    }
    return std::nullopt;
  });
}

// 2.11.3: "each case construct associated with S must not branch to more than one other case
// construct associated with S".
Found CaseBranchesToOneCase(const FlowConstructs& flow) {
  Cases look(flow);
  return look.ForEachSwitch([&]() -> Found {
    for (const Cases::Case& one : look.cases) {
      if (one.other == Cases::kNone) continue;
      return Fault({one.block, one.source, one.other_source},
                   "a case falls through to two other cases");
    }
    return std::nullopt;
  });
}

// 2.11.3: "each case construct associated with S must not be branched to by more than one other
// case construct associated with S".
Found CaseBranchedToByOneCase(const FlowConstructs& flow) {
  Cases look(flow);
  return look.ForEachSwitch([&]() -> Found {
    std::vector<Block> source(look.cases.size(), Block::kNone);
    for (const Cases::Case& one : look.cases) {
      if (one.next == Cases::kNone) continue;
      if (source[one.next] != Block::kNone) {
        return Fault({look.cases[one.next].block, source[one.next], one.source},
                     "two cases fall through to the same case");
      }
      source[one.next] = one.source;
    }
    return std::nullopt;
  });
}

// 2.11.3: "if T1 and T2 appear as labels of targets in the OpSwitch instruction and the case
// construct defined by T1 branches to the case construct defined by T2 then the last target with
// label T1 must immediately precede the first target with label T2 in the list of OpSwitch Target
// operands". The same holds if T1 branches to the Default case construct, which branches to T2, and
// Default is not listed. An earlier rule has checked that equal labels are consecutive.
Found CaseBeforeItsSuccessor(const FlowConstructs& flow) {
  Cases look(flow);
  return look.ForEachSwitch([&]() -> Found {
    const std::vector<uint32_t>& list = look.list;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i] == Cases::kNone || (i + 1 < list.size() && list[i + 1] == list[i])) continue;
      uint32_t next = look.cases[list[i]].next;
      if (next != Cases::kNone && next == look.default_case && !look.cases[next].listed) {
        next = look.cases[next].next;
      }
      if (next == Cases::kNone || !look.cases[next].listed) continue;
      if (i + 1 < list.size() && list[i + 1] == next) continue;
      return Fault({look.header, look.cases[list[i]].block, look.cases[next].block},
                   "a case is not listed directly before the case that it falls through to");
    }
    return std::nullopt;
  });
}

// 2.11.3: "for any label T, all targets with label T must appear consecutively in the list of
// OpSwitch Target operands". The merge block is such a label too. spirv-val does not check this.
Found CaseLabelsTogether(const FlowConstructs& flow) {
  if (flow.mode() == FlowMode::kSpirvVal) return std::nullopt;
  const Module& module = flow.module();
  std::vector<std::pair<Block, uint32_t>> seen(flow.blocks().size(), {Block::kNone, 0});
  for (Block header : flow.blocks()) {
    if (!flow.Reached(header) || !flow.EndsWith(header, spv::Op::OpSwitch)) continue;
    const Inst branch = module.Terminator(header);
    uint32_t place = 0;  // 0 is the default
    Found found;
    ForEachTarget(module, branch, [&](uint32_t operand) {
      const Block target = module.BlockOfLabel(module.IdAt(branch, operand));
      if (const uint32_t here = place++; here != 0) {
        auto& [of, last] = seen[flow.flow().Slot(target)];
        if (of == header && last + 1 != here && !found) {
          found = Fault({header, target},
                        "a label is listed twice in a switch, with other labels between");
        }
        of = header;
        last = here;
      }
    });
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace flow_rules
}  // namespace ir
}  // namespace refract
