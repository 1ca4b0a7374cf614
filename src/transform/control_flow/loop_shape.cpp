// SPDX-License-Identifier: Apache-2.0
#include "transform/control_flow/loop_shape.h"

#include <algorithm>

#include "ir/availability.h"
#include "rules/build/copies.h"
#include "rules/legality/condition.h"
#include "rules/legality/dead_exit.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

// SPIR-V 3.23: control bits that stay valid when the number of iterations changes. For
// MaxIterations this holds because no transformation adds iterations.
constexpr uint32_t kUnroll = 0x1, kDontUnroll = 0x2, kDependencyInfinite = 0x4,
                   kMaxIterations = 0x20, kPeelCount = 0x80, kPartialCount = 0x100;
constexpr uint32_t kHarmless =
    kUnroll | kDontUnroll | kDependencyInfinite | kMaxIterations | kPeelCount | kPartialCount;

// Collects the blocks structurally in the loop: dominated by the header and not by the merge block.
void CollectBlocks(const Module& module, const ControlFlow& flow, LoopShape* shape) {
  std::vector<Block> blocks{shape->header};
  std::vector<uint8_t> seen(flow.order.size(), 0);
  seen[flow.Slot(shape->header)] = 1;
  seen[flow.Slot(shape->merge)] = 1;
  for (size_t i = 0; i < blocks.size(); ++i) {
    flow.ForEachSuccessorSlot(flow.Slot(blocks[i]), true, [&](uint32_t slot) {
      if (seen[slot] != 0 || !flow.StructurallyDominates(shape->header, flow.AtSlot(slot))) return;
      seen[slot] = 1;
      blocks.push_back(flow.AtSlot(slot));
    });
  }
  std::sort(blocks.begin(), blocks.end(),
            [&](Block a, Block b) { return flow.Position(a) < flow.Position(b); });
  shape->blocks = blocks;
  std::sort(blocks.begin(), blocks.end());
  shape->sorted = std::move(blocks);
  shape->phis = PhisOf(module, shape->header);
}

// Checks that all edges into the loop go to its header, and all edges out of it from one block to
// the merge block.
CheckResult CheckEdges(const ControlFlow& flow, LoopShape* shape) {
  for (Block block : shape->blocks) {
    for (Block predecessor : flow.Predecessors(block)) {
      if (shape->Has(predecessor)) {
        if (block == shape->header) shape->latch = predecessor;
      } else if (block != shape->header) {
        return No("a block outside the loop branches into the loop body");
      } else if (shape->before != Block::kNone) {
        return No("several blocks outside the loop branch to the loop header");
      } else {
        shape->before = predecessor;
      }
    }
    for (Block successor : flow.Successors(block)) {
      if (shape->Has(successor)) continue;
      if (successor != shape->merge || shape->test != Block::kNone) {
        return No("the loop has several exits");
      }
      shape->test = block;
    }
  }
  if (shape->before == Block::kNone) {
    return No("no block outside the loop branches to the loop header");
  }
  if (shape->test == Block::kNone) return No("the loop has no exit");
  return Yes();
}

// True if the innermost construct around `block` is the loop or its continue construct.
bool IsOnLoopLevel(const ControlFlow& flow, const LoopShape& shape, Block block) {
  const uint32_t innermost = flow.InnermostConstruct(block);
  if (innermost == Construct::kNone) return false;
  const Construct& construct = flow.constructs[innermost];
  const bool is_own =
      construct.kind == ConstructKind::kLoop || construct.kind == ConstructKind::kContinue;
  return is_own && construct.merge == shape.merge;
}

// True if the branch to the continue target can be redirected to any block.
bool MayFlowToNext(const Module& module, const ControlFlow& flow, const LoopShape& shape) {
  if (shape.next == shape.header) return shape.latch == shape.header;
  const auto predecessors = flow.Predecessors(shape.next);
  if (predecessors.size() != 1) return false;
  const Block from = predecessors[0];
  return IsOnLoopLevel(flow, shape, from) &&
         (from == shape.test || module.Opcode(module.Terminator(from)) == spv::Op::OpBranch);
}

CheckResult CheckCopies(const Module& module, LoopShape* shape) {
  size_t count = 0;
  for (Block block : shape->blocks) {
    CheckResult check_result = Yes();
    ForEachInstruction(module, block, [&](Inst inst) {
      if (check_result) check_result = MayCopy(module, inst);
      ++count;
    });
    if (!check_result) return check_result;
    if (count > kMostCopies) return No("the loop is too large");
  }
  return Yes();
}

void CollectResults(const View& view, LoopShape* shape) {
  const Module& module = view.module();
  for (Block block : shape->blocks) {
    ForEachInstruction(module, block, [&](Inst inst) {
      if (module.Type(inst) == Id::kNone) return;
      const Id result = module.Result(inst);
      bool is_used =
          view.facts().MayHaveSynonyms(result) && IsAvailableAtEnd(module, result, shape->test);
      ForEachUse(module, result, [&](Use use) {
        const Inst user = module.User(use);
        const Block block_of_user = module.BlockOf(user);
        const bool is_merged =
            block_of_user == shape->merge && module.Opcode(user) == spv::Op::OpPhi;
        is_used = is_used ||
                  (module.IsBasicBlock(block_of_user) && !shape->Has(block_of_user) && !is_merged);
      });
      if (is_used) shape->results.push_back(result);
    });
  }
}

}  // namespace

bool LoopShape::Has(Block block) const {
  return std::binary_search(sorted.begin(), sorted.end(), block);
}

CheckResult FindLoopShape(const View& view, Name header, LoopShape* shape) {
  const Module& module = view.module();
  *shape = {};
  shape->header = view.BlockStarting(header);
  if (shape->header == Block::kNone) return No("the loop header does not exist");
  if (!IsLoopHeader(module, shape->header)) return No("the block is not a loop header");
  const Inst merge = module.MergeInstruction(shape->header);
  shape->merge = module.BlockOfLabel(module.IdAt(merge, 0));
  shape->next = module.BlockOfLabel(module.IdAt(merge, 1));
  const ControlFlow& flow = module.Flow(module[shape->header].function);
  if (!flow.Reachable(shape->header)) return No("the loop is unreachable");
  CollectBlocks(module, flow, shape);
  if (const CheckResult v = CheckEdges(flow, shape); !v) return v;
  if (!flow.Reachable(shape->before) || !flow.Reachable(shape->test) ||
      !flow.Reachable(shape->latch)) {
    return No("the loop has no reachable back edge");
  }
  if (module.Opcode(module.Terminator(shape->test)) != spv::Op::OpBranchConditional ||
      !IsOnLoopLevel(flow, *shape, shape->test)) {
    return No("the loop exit is inside another construct");
  }
  if (!MayFlowToNext(module, flow, *shape)) {
    return No("the loop has an unsupported continue construct");
  }
  if (const CheckResult v = CheckCopies(module, shape); !v) return v;
  CollectResults(view, shape);
  return Yes();
}

CheckResult MayChangeIterations(const Module& module, const LoopShape& shape) {
  if ((module.Word(module.MergeInstruction(shape.header), 2) & ~kHarmless) != 0) {
    return No("the loop control promises something about the iterations of the loop");
  }
  return MayAddEdges(module, shape.header);
}

CheckResult MayInsertBeforeLoop(const Module& module, const LoopShape& shape) {
  const ControlFlow& flow = module.Flow(module[shape.header].function);
  const Block continued = flow.HeaderOfContinue(shape.header);
  if (flow.IsMergeBlock(shape.header) || (continued != Block::kNone && continued != shape.header)) {
    return No(
        "the loop header is a merge block or a continue target, so the loop first needs a "
        "preheader");
  }
  return Yes();
}

CheckResult MayJoinAtMerge(const Module& module, const LoopShape& shape) {
  const ControlFlow& flow = module.Flow(module[shape.header].function);
  if (flow.Predecessors(shape.merge).size() != 1) {
    return No("the merge block has predecessors outside the loop");
  }
  for (Id result : shape.results) {
    if (!IsOrdinary(module, module.TypeOf(result))) {
      return No("a value that is needed after the loop has a type that OpPhi does not support");
    }
    if (!IsAvailableAtEnd(module, result, shape.test)) {
      return No("a value that is needed after the loop is not available at the loop test");
    }
  }
  return Yes();
}

}  // namespace transform
}  // namespace refract
