// SPDX-License-Identifier: Apache-2.0
// Structured control flow (SPIR-V 1.6 revision 2, 2.11.1 and 2.11.2), in terms of structural
// dominance: with an edge from each header to its merge block and continue target. Every rule
// speaks of structurally reachable blocks only, unless it says otherwise.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "ir/branches.h"
#include "ir/validity.h"
#include "ir/validity_report.h"

namespace refract {
namespace {

using validity::Broken;
using validity::Called;

constexpr size_t kMaxNesting = 1023;  // SPIR-V 2.17

enum class Kind : uint8_t { kSelection, kSwitch, kLoop, kContinue, kCase };

// One construct. `head` is the header, the continue target or the case's label.
struct Part {
  Kind kind;
  Block head = Block::kNone;
  Block header = Block::kNone;  ///< with the merge instruction
  Block merge = Block::kNone;
  Block continue_target = Block::kNone;
  Block latch = Block::kNone;  ///< the back-edge block
};

class StructureChecker {
 public:
  StructureChecker(const Module& module, Function function)
      : module_(module), flow_(BuildControlFlow(module, function)) {}

  Status Check() {
    if (flow_.order.empty()) return {};
    for (Status (StructureChecker::*rule)() :
         {&StructureChecker::CheckMergesUnique, &StructureChecker::CheckHeaders,
          &StructureChecker::CheckBackEdges, &StructureChecker::CheckAcyclic,
          &StructureChecker::CheckLoops, &StructureChecker::CheckNesting,
          &StructureChecker::CheckEdges, &StructureChecker::CheckSwitches}) {
      if (Status status = (this->*rule)(); !status) return status;
    }
    return {};
  }

 private:
  bool Reached(Block block) const { return flow_.StructurallyReachable(block); }
  bool Dominates(Block a, Block b) const { return flow_.StructurallyDominates(a, b); }
  Error Fail(const char* rule, const std::string& what, Block where) const {
    return Broken(rule, what, module_, module_.Terminator(where));
  }
  Inst Merge(Block block) const { return module_.MergeInstruction(block); }
  Block MergeBlock(Block header) const {
    return module_.BlockOfLabel(module_.IdAt(Merge(header), 0));
  }
  bool IsLoopHeader(Block block) const {
    return Merge(block) != Inst::kNone && module_.Opcode(Merge(block)) == spv::Op::OpLoopMerge;
  }
  Block ContinueTarget(Block header) const {
    return module_.BlockOfLabel(module_.IdAt(Merge(header), 1));
  }

  // Also in unreachable blocks: spirv-val says so, and the text has no exception.
  Status CheckMergesUnique() {
    std::vector<Block> merges;
    for (Block block : flow_.order) {
      if (Merge(block) == Inst::kNone) continue;
      const Block merge = MergeBlock(block);
      if (merge == block) return Fail("merge-self", "a header is its own merge block", block);
      if (IsLoopHeader(block) && ContinueTarget(block) == merge) {
        return Fail("merge-continue", "merge block and continue target are one", block);
      }
      if (std::find(merges.begin(), merges.end(), merge) != merges.end()) {
        return Fail("merge-unique", "another header names its merge block, too", block);
      }
      merges.push_back(merge);
    }
    return {};
  }

  Status CheckHeaders() {
    for (Block block : flow_.order) {
      if (!Reached(block)) continue;
      const spv::Op end = module_.Opcode(module_.Terminator(block));
      if (Merge(block) == Inst::kNone) {
        if (end == spv::Op::OpSwitch) {
          return Fail("switch-merge", "a switch without a merge instruction", block);
        }
        continue;
      }
      if (!Dominates(block, MergeBlock(block))) {
        return Fail("merge-dominance", "a header does not dominate its merge block", block);
      }
      if (IsLoopHeader(block) && !Dominates(block, ContinueTarget(block))) {
        return Fail("continue-dominance", "a header does not dominate its continue target", block);
      }
    }
    return {};
  }

  // Finds the latch of each loop, too.
  Status CheckBackEdges() {
    latch_.assign(flow_.order.size(), Block::kNone);
    for (Block block : flow_.order) {
      if (!Reached(block)) continue;
      for (Block successor : flow_.Successors(block)) {
        if (!Dominates(successor, block)) continue;
        if (!IsLoopHeader(successor)) {
          return Fail("back-edge-header", "a back edge to what is no loop header", block);
        }
        Block& latch = latch_[flow_.Slot(successor)];
        if (latch != Block::kNone) {
          return Fail("back-edge-once", "a second back edge to " + Called(module_, successor),
                      block);
        }
        latch = block;
      }
    }
    for (Block block : flow_.order) {
      if (!Reached(block) || !IsLoopHeader(block)) continue;
      if (latch_[flow_.Slot(block)] == Block::kNone) {
        return Fail("back-edge-once", "no back edge to this loop header", block);
      }
      uint32_t edges = 0;  // both targets of one branch are two edges
      const Inst branch = module_.Terminator(latch_[flow_.Slot(block)]);
      ForEachTarget(module_, branch, [&](uint32_t operand) {
        edges += module_.IdAt(branch, operand) == module_.LabelId(block);
      });
      if (edges != 1) {
        return Fail("back-edge-once", "several back edges from one block", module_.BlockOf(branch));
      }
    }
    return {};
  }

  template <class Visit>
  void ForEachStructuralSuccessor(Block block, Visit visit) const {
    for (Block successor : flow_.Successors(block)) visit(successor);
    if (Merge(block) == Inst::kNone) return;
    visit(MergeBlock(block));
    if (IsLoopHeader(block)) visit(ContinueTarget(block));
  }

  // Without its back edges the structural graph has no cycle; makes the post-dominators, too.
  Status CheckAcyclic() {
    const uint32_t n = static_cast<uint32_t>(flow_.order.size());
    std::vector<uint32_t> incoming(n, 0);
    std::vector<std::vector<uint32_t>> reversed(n + 1);
    for (Block block : flow_.order) {
      if (!Reached(block)) continue;
      if (flow_.Successors(block).empty()) reversed[n].push_back(flow_.Slot(block));
      ForEachStructuralSuccessor(block, [&](Block successor) {
        reversed[flow_.Slot(successor)].push_back(flow_.Slot(block));
        if (!Dominates(successor, block)) ++incoming[flow_.Slot(successor)];
      });
    }
    std::vector<Block> ready{flow_.order[0]};
    size_t done = 0;
    for (; done < ready.size(); ++done) {
      const Block block = ready[done];
      ForEachStructuralSuccessor(block, [&](Block successor) {
        if (Dominates(successor, block)) return;
        if (--incoming[flow_.Slot(successor)] == 0) ready.push_back(successor);
      });
    }
    for (Block block : flow_.order) {
      if (Reached(block) && incoming[flow_.Slot(block)] != 0) {
        return Fail("cycle", "it is on or behind a cycle that no loop header begins", block);
      }
    }
    Graph graph;
    graph.begin.push_back(0);
    for (const std::vector<uint32_t>& sources : reversed) {
      graph.targets.insert(graph.targets.end(), sources.begin(), sources.end());
      graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
    }
    postdominators_ = DominatorTree(graph, n);
    return {};
  }

  bool PostDominates(Block a, Block b) const {
    return postdominators_.Dominates(flow_.Slot(a), flow_.Slot(b));
  }

  Status CheckLoops() {
    for (Block block : flow_.order) {
      if (!Reached(block) || !IsLoopHeader(block)) continue;
      const Block target = ContinueTarget(block), latch = latch_[flow_.Slot(block)];
      if (!Dominates(target, latch)) {
        return Fail("continue-back-edge",
                    "the continue target does not dominate the back-edge block", block);
      }
      if (!PostDominates(latch, target)) {
        return Fail("back-edge-postdominance",
                    "the back-edge block does not post-dominate the continue target", block);
      }
      const auto successors = flow_.Successors(block);
      if (module_.Opcode(module_.Terminator(block)) == spv::Op::OpBranchConditional &&
          std::none_of(successors.begin(), successors.end(),
                       [&](Block s) { return s == target || s == MergeBlock(block); })) {
        return Fail("loop-header-exit",
                    "a loop header with a conditional branch that leaves neither way", block);
      }
    }
    return {};
  }

  bool Contains(const Part& part, Block block) const {
    if (!Dominates(part.head, block)) return false;
    const bool in_continue = part.continue_target != Block::kNone &&
                             Dominates(part.continue_target, block) &&
                             PostDominates(part.latch, block);
    if (part.kind == Kind::kContinue) return in_continue;
    return !Dominates(part.merge, block) && !(part.kind == Kind::kLoop && in_continue);
  }

  // The constructs around `block`, outermost first, from those of its dominator. What one block
  // heads is nested in this order: case, continue construct, its own construct.
  void CollectHeads() {
    heads_.assign(flow_.order.size(), {});
    for (Block block : flow_.order) {  // cases
      if (!Reached(block) || module_.Opcode(module_.Terminator(block)) != spv::Op::OpSwitch) {
        continue;
      }
      for (Block target : flow_.Successors(block)) {
        if (target == MergeBlock(block) || !Dominates(block, target)) continue;
        heads_[flow_.Slot(target)].push_back(
            {Kind::kCase, target, block, MergeBlock(block), Block::kNone, Block::kNone});
      }
    }
    const auto loop = [&](Kind kind, Block head, Block header) {
      return Part{kind,
                  head,
                  header,
                  MergeBlock(header),
                  ContinueTarget(header),
                  latch_[flow_.Slot(header)]};
    };
    for (Block block : flow_.order) {  // continue constructs of other headers
      if (!Reached(block) || !IsLoopHeader(block) || ContinueTarget(block) == block) continue;
      heads_[flow_.Slot(ContinueTarget(block))].push_back(
          loop(Kind::kContinue, ContinueTarget(block), block));
    }
    for (Block block : flow_.order) {
      if (!Reached(block) || Merge(block) == Inst::kNone) continue;
      std::vector<Part>& own = heads_[flow_.Slot(block)];
      if (IsLoopHeader(block)) {
        own.push_back(loop(Kind::kLoop, block, block));
        if (ContinueTarget(block) == block) own.push_back(loop(Kind::kContinue, block, block));
      } else {
        const bool is_switch = module_.Opcode(module_.Terminator(block)) == spv::Op::OpSwitch;
        own.push_back({is_switch ? Kind::kSwitch : Kind::kSelection, block, block,
                       MergeBlock(block), Block::kNone, Block::kNone});
      }
    }
  }

  Status CheckNesting() {
    CollectHeads();
    around_.assign(flow_.order.size(), {});
    for (uint32_t slot : flow_.structural.Preorder()) {
      const Block block = flow_.AtSlot(slot);
      const uint32_t parent = flow_.structural.Parent(slot);
      std::vector<Part>& mine = around_[slot];
      if (parent != DominatorTree::kNone) {
        for (const Part& part : around_[parent]) {
          if (Contains(part, block)) mine.push_back(part);
        }
      }
      for (const Part& part : heads_[slot]) {
        if (Contains(part, block)) mine.push_back(part);
      }
      if (mine.size() > kMaxNesting) {
        return Fail("limit-nesting", "constructs nested deeper than 1023", block);
      }
      if (Merge(block) == Inst::kNone) continue;
      // A construct with a header in it contains the header's merge block.
      for (const Part& part : mine) {
        if (part.header == block && part.kind != Kind::kCase) continue;
        if (!Contains(part, MergeBlock(block))) {
          return Fail("nesting",
                      "the construct of " + Called(module_, part.head) +
                          " contains this header, but not its merge block",
                      block);
        }
      }
    }
    return {};
  }

  Status CheckEdges() {
    for (Block from : flow_.order) {
      if (!Reached(from)) continue;
      bool leaves = false;
      for (Block to : flow_.Successors(from)) {
        if (Status status = CheckEntry(from, to); !status) return status;
        if (Status status = CheckExit(from, to, &leaves); !status) return status;
      }
      // SPIR-V 2.16.2 in its strict reading: one of two ways is an exit.
      if (Merge(from) == Inst::kNone && flow_.Successors(from).size() > 1 && !leaves) {
        return Fail("selection-merge", "a conditional branch without a merge instruction", from);
      }
    }
    return {};
  }

  // Constructs are entered at their head; continue constructs from their loop.
  Status CheckEntry(Block from, Block to) const {
    for (const Part& part : around_[flow_.Slot(to)]) {
      if (Contains(part, from)) continue;
      if (part.head != to) {
        return Fail(
            "entry",
            "a branch into the construct of " + Called(module_, part.head) + " not to its head",
            from);
      }
      if (part.kind == Kind::kContinue && part.header != to && !Dominates(to, from) &&
          !Contains(
              {Kind::kLoop, part.header, part.header, part.merge, part.continue_target, part.latch},
              from)) {
        return Fail("continue-entry", "a branch to a continue target from outside of its loop",
                    from);
      }
    }
    return {};
  }

  // Walks outwards over the constructs that the edge leaves. Selections do not stop a break or
  // continue, switches only one to an outer switch, loops and continue constructs everything.
  Status CheckExit(Block from, Block to, bool* leaves) const {
    const std::vector<Part>& around = around_[flow_.Slot(from)];
    bool crossed_selection = false, crossed_switch = false, crossed_case = false;
    for (size_t i = around.size(); i-- > 0;) {
      const Part& part = around[i];
      if (Contains(part, to) && !(part.kind == Kind::kContinue && to == part.header)) {
        // Still inside: what was left is at most a case, for the next one.
        if (!crossed_selection && !crossed_switch && !crossed_case) return {};
        const bool to_case = part.kind == Kind::kSwitch && IsCase(part.header, to);
        if (to_case && crossed_case && !crossed_selection && !crossed_switch) {
          *leaves = true;
          return {};
        }
        break;
      }
      switch (part.kind) {
        case Kind::kSelection:
          if (to == part.merge && !crossed_selection && !crossed_switch && !crossed_case) {
            *leaves = true;
            return {};
          }
          crossed_selection = true;
          break;
        case Kind::kSwitch:
          if (to == part.merge && !crossed_switch) {
            *leaves = true;
            return {};
          }
          crossed_switch = true;
          break;
        case Kind::kCase:
          crossed_case = true;
          break;
        case Kind::kLoop:
          *leaves = true;
          if (to == part.merge || to == part.continue_target) return {};
          return Exit(from, to);
        case Kind::kContinue:
          *leaves = true;
          if (from == part.latch && (to == part.merge || to == part.header)) return {};
          return Exit(from, to);
      }
    }
    if (!crossed_selection && !crossed_switch && !crossed_case) return {};
    return Exit(from, to);
  }

  Error Exit(Block from, Block to) const {
    return Fail(
        "exit",
        "a branch to " + Called(module_, to) + " leaves a construct in a way that is not allowed",
        from);
  }

  bool IsCase(Block switch_header, Block block) const {
    const auto cases = flow_.Successors(switch_header);
    return std::find(cases.begin(), cases.end(), block) != cases.end();
  }

  Status CheckSwitches() {
    for (Block block : flow_.order) {
      if (!Reached(block) || module_.Opcode(module_.Terminator(block)) != spv::Op::OpSwitch) {
        continue;
      }
      if (Status status = validity::CheckCases(module_, flow_, block); !status) return status;
    }
    return {};
  }

  const Module& module_;
  ControlFlow flow_;
  DominatorTree postdominators_;                   ///< structural; one more node: the virtual exit
  std::vector<Block> latch_;                       ///< by slot of the loop header
  std::vector<std::vector<Part>> heads_, around_;  ///< by slot
};

}  // namespace

Status CheckStructure(const Module& module) {
  if (!validity::HasCapability(module, spv::Capability::Shader)) return {};
  Status status;
  ForEachFunction(module, [&](Function function) {
    if (status) status = StructureChecker(module, function).Check();
  });
  return status;
}

}  // namespace refract
