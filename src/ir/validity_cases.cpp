// SPDX-License-Identifier: Apache-2.0
// The cases of a switch: dominated by it, falling through in order, at most one into each.
#include <algorithm>
#include <utility>
#include <vector>

#include "ir/branches.h"
#include "ir/validity_report.h"

namespace refract::validity {
namespace {

using Fall = std::pair<Block, Block>;  // from case, to case

class CaseChecker {
 public:
  CaseChecker(const Module& module, const ControlFlow& flow, Block header)
      : module_(module),
        flow_(flow),
        header_(header),
        merge_(module.BlockOfLabel(module.IdAt(module.MergeInstruction(header), 0))) {
    const Inst branch = module.Terminator(header);
    ForEachTarget(module, branch, [&](uint32_t operand) {
      targets_.push_back(module.BlockOfLabel(module.IdAt(branch, operand)));
    });
  }

  Status Check() {
    for (Block target : flow_.Successors(header_)) {
      if (target == merge_) continue;
      if (!flow_.StructurallyDominates(header_, target)) {
        return Fail("case-dominance", "a switch does not dominate its target");
      }
      CollectFalls(target);
    }
    for (const Fall& fall : falls_) {
      for (const Fall& other : falls_) {
        if ((fall.first == other.first) != (fall.second == other.second)) {
          return Fail("case-fall-through", "cases fall into each other more than once");
        }
      }
    }
    return CheckOrder();
  }

 private:
  Error Fail(const char* rule, const char* what) const {
    return Broken(rule, what, module_, module_.Terminator(header_));
  }

  bool IsInCase(Block target, Block block) const {
    return flow_.StructurallyDominates(target, block) &&
           !flow_.StructurallyDominates(merge_, block);
  }

  void CollectFalls(Block target) {
    const auto cases = flow_.Successors(header_);
    for (Block block : flow_.order) {
      if (!IsInCase(target, block)) continue;
      for (Block to : flow_.Successors(block)) {
        if (to == target || to == merge_) continue;
        if (std::find(cases.begin(), cases.end(), to) == cases.end()) continue;
        if (std::find(falls_.begin(), falls_.end(), Fall(target, to)) == falls_.end()) {
          falls_.emplace_back(target, to);
        }
      }
    }
  }

  Block FallOf(Block block) const {
    for (const auto& [from, to] : falls_) {
      if (from == block) return to;
    }
    return Block::kNone;
  }

  // A case that falls through stands directly before the one it falls into; equal labels stand
  // together. The default counts where it is listed; if only as the default, it is passed over.
  Status CheckOrder() const {
    const auto begin = targets_.begin() + 1, end = targets_.end();
    for (auto at = begin; at != end; ++at) {
      if (std::find(at + 1, end, *at) != end && *(at + 1) != *at) {
        return Fail("case-order", "equal targets do not stand together");
      }
    }
    const bool default_listed = std::find(begin, end, targets_[0]) != end;
    const auto rbegin = std::make_reverse_iterator(end), rend = std::make_reverse_iterator(begin);
    for (const auto& [from, to] : falls_) {
      const auto last = std::find(rbegin, rend, from);
      if (last == rend) continue;  // the default
      const Block next = to == targets_[0] && !default_listed ? FallOf(to) : to;
      if (next == Block::kNone) continue;
      if (last.base() == end || *last.base() != next) {
        return Fail("case-order", "a case does not stand before the one it falls into");
      }
    }
    return {};
  }

  const Module& module_;
  const ControlFlow& flow_;
  const Block header_, merge_;
  std::vector<Block> targets_;  // as listed, the default first
  std::vector<Fall> falls_;     // each once
};

}  // namespace

Status CheckCases(const Module& module, const ControlFlow& flow, Block header) {
  return CaseChecker(module, flow, header).Check();
}

}  // namespace refract::validity
