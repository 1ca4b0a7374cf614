// SPDX-License-Identifier: Apache-2.0
#include "shrink/repair.h"

#include <algorithm>
#include <map>
#include <set>

#include "ir/availability.h"
#include "ir/branches.h"
#include "shrink/pass.h"
#include "shrink/plain_values.h"

namespace refract {
inline namespace shrink {
namespace {

class FunctionRepairer {
 public:
  FunctionRepairer(Editor& editor, Function function, const std::set<Block>& left_alone)
      : editor_(editor), module_(editor.module()), function_(function), left_alone_(left_alone) {}

  bool Run() {
    if (module_[function_].first == Block::kNone) return true;
    FindKept();
    if (!ShortenUnreachableTargets() || !RepairPhis() || !RemoveUnreachableBlocks() ||
        !RepairUses())
      return false;
    RepairBlockOrder();
    return true;
  }

 private:
  std::vector<Block> Blocks() const {
    std::vector<Block> blocks;
    ForEachBlock(module_, function_, [&](Block block) { blocks.push_back(block); });
    return blocks;
  }

  template <class Visit>
  void ForEachSuccessor(Block block, Visit visit) const {
    const Inst terminator = module_.Terminator(block);
    ForEachTarget(module_, terminator, [&](uint32_t operand) {
      visit(module_.BlockOfLabel(module_.IdAt(terminator, operand)));
    });
  }

  void FindKept() {
    std::vector<Block> todo{module_[function_].first};
    kept_.insert(todo[0]);
    while (!todo.empty()) {
      const Block block = todo.back();
      todo.pop_back();
      ForEachSuccessor(block, [&](Block next) {
        if (kept_.insert(next).second) todo.push_back(next);
      });
    }
    KeepLeftAlone();
  }

  void KeepLeftAlone() {
    std::set<Block> staying;
    for (Block block : Blocks()) {
      if (left_alone_.count(block) != 0) staying.insert(block);
    }
    const auto leaves = [&](Block block) {
      bool found = false;
      ForEachSuccessor(
          block, [&](Block next) { found |= kept_.count(next) == 0 && staying.count(next) == 0; });
      return found;
    };
    while (std::erase_if(staying, leaves) != 0) {
    }
    // A block without code is only of use if others lead to it.
    std::set<Block> reached;
    const auto is_idle = [&](Block block) {
      return IsShort(module_, block) && reached.count(block) == 0;
    };
    do {
      reached.clear();
      for (Block block : staying) {
        ForEachSuccessor(block, [&](Block next) {
          if (next != block) reached.insert(next);
        });
      }
    } while (std::erase_if(staying, is_idle) != 0);
    kept_.merge(staying);
  }

  // Shortens merge blocks and continue targets that are not reachable. They cannot be removed
  // (SPIR-V 2.11).
  bool ShortenUnreachableTargets() {
    std::map<Block, Block> continues;  // continue target to header
    std::set<Block> merges;
    for (Block block : kept_) {
      const Inst merge = module_.MergeInstruction(block);
      if (merge == Inst::kNone) continue;
      const Block end = module_.BlockOfLabel(module_.IdAt(merge, 0));
      if (kept_.count(end) == 0) merges.insert(end);
      if (module_.Opcode(merge) != spv::Op::OpLoopMerge) continue;
      const Block target = module_.BlockOfLabel(module_.IdAt(merge, 1));
      if (kept_.count(target) == 0) continues.emplace(target, block);
    }
    for (Block block : merges) {
      if (continues.count(block) == 0 && !Strip(block)) return false;
      if (continues.count(block) == 0) editor_.SetTerminator(block, spv::Op::OpUnreachable, {});
    }
    for (const auto& [block, header] : continues) {
      if (!Strip(block)) return false;
      editor_.SetTerminator(block, spv::Op::OpBranch, {module_.LabelId(header)});
    }
    kept_.insert(merges.begin(), merges.end());
    for (const auto& [block, header] : continues) kept_.insert(block);
    return true;
  }

  // Removes everything between the label and the terminator.
  bool Strip(Block block) {
    std::vector<Inst> inside;
    ForEachInstruction(module_, block, [&](Inst inst) {
      if (inst != module_.Label(block) && inst != module_.Terminator(block)) inside.push_back(inst);
    });
    for (Inst inst : inside) {
      if (module_.Result(inst) != Id::kNone && !ReplaceByPlain(editor_, module_.Result(inst))) {
        return false;
      }
    }
    for (auto inst = inside.rbegin(); inst != inside.rend(); ++inst) editor_.Remove(*inst);
    return true;
  }

  bool RepairPhis() {
    std::map<Block, std::vector<Block>> predecessors;
    for (Block block : Blocks()) {
      if (kept_.count(block) == 0) continue;
      ForEachSuccessor(block, [&](Block next) {
        std::vector<Block>& list = predecessors[next];
        if (std::find(list.begin(), list.end(), block) == list.end()) list.push_back(block);
      });
    }
    for (Block block : kept_) {
      std::vector<Inst> phis;
      ForEachInstruction(module_, block, [&](Inst inst) {
        if (module_.Opcode(inst) == spv::Op::OpPhi) phis.push_back(inst);
      });
      for (Inst phi : phis) {
        if (!RepairPhi(phi, predecessors[block])) return false;
      }
    }
    return true;
  }

  bool RepairPhi(Inst phi, std::vector<Block> predecessors) {
    Args args;
    for (uint32_t i = 0; i + 1 < module_.OperandCount(phi); i += 2) {
      const Block from = module_.BlockOfLabel(module_.IdAt(phi, i + 1));
      const auto at = std::find(predecessors.begin(), predecessors.end(), from);
      if (at == predecessors.end()) continue;
      args.push_back(module_.IdAt(phi, i));
      args.push_back(module_.IdAt(phi, i + 1));
      predecessors.erase(at);
    }
    for (Block from : predecessors) {
      const Id plain = PlainValue(editor_, module_.Type(phi), function_, module_.Result(phi));
      if (plain == Id::kNone) return false;
      args.push_back(plain);
      args.push_back(module_.LabelId(from));
    }
    if (args.size() != module_.OperandCount(phi) || !predecessors.empty()) {
      editor_.SetOperands(phi, args);
    }
    return true;
  }

  bool RemoveUnreachableBlocks() {
    std::vector<Block> gone;
    for (Block block : Blocks()) {
      if (kept_.count(block) == 0) gone.push_back(block);
    }
    const std::set<Block> set(gone.begin(), gone.end());
    for (Block block : gone) {
      std::vector<Use> uses;
      ForEachInstruction(module_, block, [&](Inst inst) {
        if (module_.Result(inst) == Id::kNone) return;
        ForEachUse(module_, module_.Result(inst), [&](Use use) {
          if (IsAnnotation(module_, use)) return;
          if (set.count(module_.BlockOf(module_.User(use))) == 0) uses.push_back(use);
        });
      });
      for (Use use : uses) {
        if (!MakePlain(module_.User(use), module_.OperandIndex(use))) return false;
      }
    }
    RemoveBlocks(editor_, gone);
    return true;
  }

  bool MakePlain(Inst user, uint32_t operand) {
    const Id id = module_.IdAt(user, operand);
    if (module_.TypeOf(id) == Id::kNone) return false;  // a label as the operand is not valid here
    const Id plain = PlainValue(editor_, module_.TypeOf(id), function_, id);
    if (plain == Id::kNone) return false;
    editor_.SetOperand(user, operand, plain);
    return true;
  }

  bool RepairUses() {
    std::vector<std::pair<Inst, uint32_t>> broken;
    const ControlFlow& flow = module_.Flow(function_);
    for (Block block : Blocks()) {
      if (!flow.Reachable(block)) continue;  // it was left alone, and any id may be used there
      ForEachInstruction(module_, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
          if (!module_.IsId(inst, i)) continue;
          const Inst definition = module_.Definition(module_.IdAt(inst, i));
          const Block home = definition == Inst::kNone ? Block::kNone : module_.BlockOf(definition);
          // Global values and parameters are available everywhere, and labels need not be
          // available.
          if (!module_.IsBasicBlock(home) || module_.Opcode(definition) == spv::Op::OpLabel) {
            continue;
          }
          if (!IsAvailableAtUse(module_, module_.IdAt(inst, i), inst, i))
            broken.emplace_back(inst, i);
        }
      });
    }
    return std::all_of(broken.begin(), broken.end(),
                       [&](const auto& use) { return MakePlain(use.first, use.second); });
  }

  // SPIR-V 2.4: a block comes after the blocks that dominate it, structurally too.
  void RepairBlockOrder() {
    const ControlFlow& flow = module_.Flow(function_);
    const std::vector<Block> listed = Blocks();
    std::map<Block, Block> parent;
    for (Block block : listed) {
      parent[block] = flow.AtSlot(flow.structural.Parent(flow.Slot(block)));
    }
    std::vector<Block> order;
    std::set<Block> done;
    while (order.size() < listed.size()) {
      const size_t before = order.size();
      for (Block block : listed) {
        const Block above = parent[block];
        if (done.count(block) != 0) continue;
        if (above != Block::kNone && above != block && done.count(above) == 0) continue;
        order.push_back(block);
        done.insert(block);
      }
      if (order.size() == before) return;
    }
    if (order == listed) return;
    for (size_t i = 1; i < order.size(); ++i) editor_.MoveBlockAfter(order[i], order[i - 1]);
  }

  Editor& editor_;
  const Module& module_;
  const Function function_;
  const std::set<Block>& left_alone_;
  std::set<Block> kept_;
};

}  // namespace

bool IsShort(const Module& module, Block block) {
  const Inst end = module.Terminator(block);
  return module.Next(module.Label(block)) == end &&
         (module.Opcode(end) == spv::Op::OpUnreachable || module.Opcode(end) == spv::Op::OpBranch);
}

std::set<Block> UnreachableBlocks(const Module& module, Function function) {
  std::set<Block> blocks;
  if (module[function].first == Block::kNone) return blocks;
  const ControlFlow& flow = module.Flow(function);
  ForEachBlock(module, function, [&](Block block) {
    if (!flow.Reachable(block)) blocks.insert(block);
  });
  return blocks;
}

bool Repair(Editor& editor, Function function, const std::set<Block>& left_alone) {
  return FunctionRepairer(editor, function, left_alone).Run();
}

// Moves the blocks to a new function and removes that function.
void RemoveBlocks(Editor& editor, const std::vector<Block>& blocks) {
  if (blocks.empty()) return;
  const Function gone = editor.AddFunction();
  for (Block block : blocks) editor.MoveBlockTo(gone, block);
  editor.RemoveFunction(gone);
}

}  // namespace shrink
}  // namespace refract
