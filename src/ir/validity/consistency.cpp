// SPDX-License-Identifier: Apache-2.0
#include "ir/validity/consistency.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace ir {
namespace {

using validity::Violation;

class ConsistencyChecker {
 public:
  explicit ConsistencyChecker(const Module& module)
      : module_(module), listed_(module.instruction_slots()), blocks_(module.block_slots()) {}

  Status Check() {
    for (Status (ConsistencyChecker::*part)() :
         {&ConsistencyChecker::CheckLists, &ConsistencyChecker::CheckMembership,
          &ConsistencyChecker::CheckGlobalVariables, &ConsistencyChecker::CheckUses,
          &ConsistencyChecker::CheckNames, &ConsistencyChecker::CheckFlows,
          &ConsistencyChecker::CheckFile}) {
      if (Status status = (this->*part)(); !status) return status;
    }
    return {};
  }

 private:
  // Checks one list: links in both directions, ascending order numbers, no removed instructions,
  // and each instruction names this list.
  Status CheckList(Block block) {
    Inst prev = Inst::kNone;
    for (Inst inst = module_.First(block); inst != Inst::kNone; inst = module_.Next(inst)) {
      const Instruction& record = module_[inst];
      if (record.block != block || record.prev != prev) {
        return Violation("list-links",
                         "the instruction names the wrong list or the wrong previous instruction",
                         module_, inst);
      }
      if (record.removed) {
        return Violation("list-removed",
                         "the instruction is removed, but its list still contains it", module_,
                         inst);
      }
      if (prev != Inst::kNone && record.order <= module_[prev].order) {
        return Violation("list-order", "the order numbers of the instructions do not increase",
                         module_, inst);
      }
      if (listed_[Index(inst)]) {
        return Violation("list-twice", "the lists contain the instruction twice", module_, inst);
      }
      listed_[Index(inst)] = true;
      prev = inst;
    }
    if (module_.Last(block) != prev) {
      return Violation("list-links",
                       "the last instruction of the list is not the instruction that the list "
                       "stores as its last",
                       module_, prev);
    }
    return {};
  }

  Status CheckBlocks(Function function) {
    const FunctionRecord& record = module_[function];
    for (Block list : {record.head, record.tail}) {
      if (module_[list].function != function || module_[list].label != Inst::kNone) {
        return Violation("block-function",
                         "the instructions before the first block or after the last block belong "
                         "to another function",
                         module_, record.definition);
      }
    }
    Block prev = Block::kNone;
    for (Block block = record.first; block != Block::kNone; block = module_[block].next) {
      const BlockRecord& b = module_[block];
      if (b.function != function || b.prev != prev) {
        return Violation("block-links",
                         "the block names the wrong function or the wrong previous block", module_,
                         b.label);
      }
      if (b.label == Inst::kNone || module_.BlockOf(b.label) != block ||
          module_.BlockOfLabel(module_.Result(b.label)) != block) {
        return Violation("block-label", "the label of the block is in another block", module_,
                         b.label);
      }
      if (blocks_[Index(block)]) {
        return Violation("block-twice", "the list of blocks contains the block twice", module_,
                         b.label);
      }
      blocks_[Index(block)] = true;
      prev = block;
    }
    if (record.last != prev) {
      return Violation(
          "block-links",
          "the last block of the function is not the block that the function stores as its last",
          module_, record.definition);
    }
    const Inst definition = record.definition;
    if (definition == Inst::kNone || module_.BlockOf(definition) != record.head ||
        module_.FunctionOfId(module_.Result(definition)) != function) {
      return Violation("block-function",
                       "the OpFunction is not before the first block of its function", module_,
                       definition);
    }
    return {};
  }

  Status CheckLists() {
    Function prev = Function::kNone;
    for (Function f = module_.first_function(); f != Function::kNone; f = module_.NextFunction(f)) {
      if (module_[f].prev != prev) {
        return Violation("function-links", "the function names the wrong previous function",
                         module_, module_[f].definition);
      }
      if (Status status = CheckBlocks(f); !status) return status;
      prev = f;
    }
    std::vector<Block> lists;
    for (uint32_t s = 1; s <= Index(Section::kCount); ++s) lists.push_back(static_cast<Block>(s));
    ForEachFunction(module_, [&](Function function) {
      lists.push_back(module_[function].head);
      ForEachBlock(module_, function, [&](Block block) { lists.push_back(block); });
      lists.push_back(module_[function].tail);
    });
    for (Block list : lists) {
      if (Status status = CheckList(list); !status) return status;
    }
    return {};
  }

  Status CheckMembership() {
    for (uint32_t i = 1; i < module_.instruction_slots(); ++i) {
      const Inst inst = static_cast<Inst>(i);
      if (module_[inst].removed == listed_[i]) {
        return Violation("list-removed", "the instruction is not removed, but no list contains it",
                         module_, inst);
      }
    }
    return {};
  }

  // Checks that the list of global variables has exactly the variables among the declarations.
  Status CheckGlobalVariables() {
    std::vector<Inst> declared, known;
    ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
      if (module_.Opcode(inst) == spv::Op::OpVariable) declared.push_back(inst);
    });
    ForEachGlobalVariable(module_, [&](Inst inst) { known.push_back(inst); });
    std::sort(declared.begin(), declared.end());
    std::sort(known.begin(), known.end());
    if (declared == known) return {};
    const auto [a, b] = std::mismatch(declared.begin(), declared.end(), known.begin(), known.end());
    return Violation("global-variables",
                     "the list of global variables differs from the declarations", module_,
                     a != declared.end() ? *a : *b);
  }

  // Checks that the lists of uses have exactly the operands that are ids.
  Status CheckUses() {
    std::vector<Id> operands;  // by index; uses found in a list are cleared
    for (uint32_t slot = 1; slot < listed_.size(); ++slot) {
      if (!listed_[slot]) continue;
      const Inst inst = static_cast<Inst>(slot);
      const size_t first = module_[inst].first_operand;
      operands.resize(std::max(operands.size(), first + module_.OperandCount(inst)), Id::kNone);
      for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
        const Operand& operand = module_.OperandAt(inst, i);
        if (operand.user != inst) {
          return Violation("use-user", "an operand names another instruction as its user", module_,
                           inst);
        }
        if (!operand.is_id()) continue;
        if (operand.word == 0 || operand.word >= module_.id_slots()) {
          return Violation("use-id", "an operand is not an id of the module", module_, inst);
        }
        operands[first + i] = static_cast<Id>(operand.word);
      }
    }
    for (uint32_t i = 1; i < module_.id_slots(); ++i) {
      const Id id = static_cast<Id>(i);
      Use prev = Use::kNone;
      bool decorations = false;
      for (Use use = module_.FirstUse(id); use != Use::kNone; use = module_.NextUse(use)) {
        decorations = decorations || use == module_.FirstDecoration(id);
        if (decorations != IsDecoration(module_.Opcode(module_.User(use)))) {
          return Violation("use-decoration", "decorations are not at the end of the list of uses",
                           module_, module_.User(use));
        }
        if (Index(use) >= operands.size() || operands[Index(use)] != id) {
          return Violation(
              "use-list",
              format("the list of uses of %{} has an entry that is not a use", module_.FileId(id)));
        }
        const Inst user = module_.User(use);
        if (module_.OperandAt(user, module_.OperandIndex(use)).prev_use != prev) {
          return Violation("use-list", "a use in a list of uses is not linked to the previous use",
                           module_, user);
        }
        operands[Index(use)] = Id::kNone;
        prev = use;
      }
      const Inst definition = module_.Definition(id);
      if (definition != Inst::kNone && module_.Result(definition) != id) {
        return Violation("use-definition",
                         "the instruction is stored as the definition of another id", module_,
                         definition);
      }
    }
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == Id::kNone) continue;
      return Violation(
          "use-list",
          format("a use of %{} is not in its list of uses", module_.FileId(operands[i])), module_,
          module_.User(static_cast<Use>(i)));
    }
    return {};
  }

  Status CheckNames() {
    for (uint32_t slot = 1; slot < listed_.size(); ++slot) {
      if (!listed_[slot]) continue;
      const Inst inst = static_cast<Inst>(slot);
      const Name name = module_.NameOf(inst);
      if (!name) return Violation("name", "the instruction has no name", module_, inst);
      const Inst found = module_.Find(name);
      if (found != inst) {
        const bool twice = found != Inst::kNone && module_.NameOf(found) == name;
        return Violation("name",
                         twice ? "another instruction has the same name"
                               : "a search for the name does not find the instruction",
                         module_, inst);
      }
      const Id result = module_.Result(inst);
      if (result != Id::kNone && module_.Definition(result) != inst) {
        return Violation("use-definition",
                         "another instruction is stored as the definition of the id", module_,
                         inst);
      }
    }
    return {};
  }

  Status CheckFlows() {
    Status status;
    ForEachFunction(module_, [&](Function function) {
      if (!status || SameFlow(module_.Flow(function), BuildControlFlow(module_, function))) return;
      status = Violation("flow-stale", "the cached control flow differs from that of the function",
                         module_, module_[function].definition);
    });
    return status;
  }

  Status CheckFile() {
    const std::vector<uint32_t> words = WriteModule(module_);
    if (words.size() != module_.word_count()) {
      return Violation("word-count", format("{} words were written, but {} were counted",
                                            words.size(), module_.word_count()));
    }
    const Result<Module> again = ReadModule(words, "as written");
    if (!again) {
      return Violation("round-trip",
                       "the written module cannot be read again: " + again.error().message);
    }
    if (WriteModule(*again) != words) {
      return Violation("round-trip", "the module is different after writing and reading it");
    }
    return {};
  }

  const Module& module_;
  std::vector<bool> listed_, blocks_;  // by slot
};

// Compares by block, because a patched graph may number its slots differently from a new one.
bool SameParent(const ControlFlow& a, const DominatorTree& in_a, const ControlFlow& b,
                const DominatorTree& in_b, Block block) {
  return in_a.Reached(a.Slot(block)) == in_b.Reached(b.Slot(block)) &&
         in_a.Depth(a.Slot(block)) == in_b.Depth(b.Slot(block)) &&
         a.AtSlot(in_a.Parent(a.Slot(block))) == b.AtSlot(in_b.Parent(b.Slot(block)));
}

bool SameConstruct(const ControlFlow& a, uint32_t in_a, const ControlFlow& b, uint32_t in_b) {
  while (in_a != Construct::kNone && in_b != Construct::kNone) {
    const Construct &x = a.constructs[in_a], &y = b.constructs[in_b];
    if (x.kind != y.kind || x.header != y.header || x.merge != y.merge ||
        x.continue_target != y.continue_target) {
      return false;
    }
    in_a = x.parent;
    in_b = y.parent;
  }
  return in_a == in_b;
}

}  // namespace

bool SameFlow(const ControlFlow& a, const ControlFlow& b) {
  if (a.order != b.order) return false;
  for (Block block : a.order) {
    const auto same = [&](auto x, auto y) {
      return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    if (!same(a.Successors(block), b.Successors(block)) ||
        !same(a.Predecessors(block), b.Predecessors(block)) ||
        a.Position(block) != b.Position(block) || a.Reachable(block) != b.Reachable(block) ||
        a.ImmediateDominator(block) != b.ImmediateDominator(block) ||
        !SameParent(a, a.structural, b, b.structural, block) ||
        !SameParent(a, a.PostDominators(), b, b.PostDominators(), block) ||
        a.HeaderOfMerge(block) != b.HeaderOfMerge(block) ||
        a.HeaderOfContinue(block) != b.HeaderOfContinue(block) ||
        !SameConstruct(a, a.InnermostConstruct(block), b, b.InnermostConstruct(block))) {
      return false;
    }
  }
  return true;
}

Status CheckConsistency(const Module& module) {
  return ConsistencyChecker(module).Check();
}

}  // namespace ir
}  // namespace refract
