// SPDX-License-Identifier: Apache-2.0
#include "donate/live_safe.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "donate/safe_operands.h"
#include "ir/availability.h"
#include "ir/branches.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined_by_constants.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract {
inline namespace donate {
namespace {

enum LoopRole : uint64_t {
  kCounter = 16,
  kCount = 17,
  kNextCount = 18,
  kStore = 19,
  kMore = 20,
  kCondition = 21,
  kInRange = 22,
  kIndex = 23,
  kGuard = 24,
  kKept = 25,
  kKeep = 26,
  kKeptValue = 27,
};

constexpr auto kLocal = static_cast<uint32_t>(spv::StorageClass::Function);

// The block with the back edge to the loop header `header`; kNone if not found.
Block LatchOf(const Module& module, Function function, Block header) {
  const ControlFlow& flow = module.Flow(function);
  for (Block from : flow.Predecessors(header)) {
    if (flow.Reachable(from) && flow.Dominates(header, from)) return from;
  }
  return Block::kNone;
}

// True if the instruction is defined for all operands, or becomes so without MakeDefined.
bool IsDefined(const Module& module, Inst inst) {
  switch (module.Opcode(inst)) {
    case spv::Op::OpLoad:
    case spv::Op::OpStore:
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      return true;  // the variable is initialised, the index clamped
    case spv::Op::OpFunctionCall:
      return true;  // of a live-safe function
    case spv::Op::OpUnreachable:
      return true;  // will not be reached, or is replaced by a return
    default:
      return IsDefinedByConstants(module, inst) && !MayBeNan(module, inst);
  }
}

class Protector {
 public:
  Protector(Editor& editor, Function function, uint32_t limit)
      : editor_(editor), module_(editor.module()), function_(function), limit_(limit) {}

  void Protect() {
    std::vector<std::pair<Block, Block>> loops;  // header, latch
    std::vector<Inst> chains, variables, undefined;
    ForEachBlock(module_, function_, [&](Block block) {
      if (IsLoopHeader(module_, block)) {
        loops.emplace_back(block, LatchOf(module_, function_, block));
      }
      ForEachInstruction(module_, block, [&](Inst inst) {
        const spv::Op opcode = module_.Opcode(inst);
        if (opcode == spv::Op::OpVariable) variables.push_back(inst);
        if (IsAccessChain(opcode)) chains.push_back(inst);
        if (!IsDefined(module_, inst)) undefined.push_back(inst);
      });
    });
    for (Inst variable : variables) Initialise(variable);
    for (Inst chain : chains) Clamp(chain);
    for (Inst inst : undefined) MakeDefined(editor_, inst, kGuard);
    for (const auto& [header, latch] : loops) {
      if (latch != Block::kNone) Bound(header, latch);
    }
    EndByReturning();
    KeepValues();
  }

 private:
  Id Uint(uint32_t value) { return Declare(editor_, ScalarConstant(IntType(32, false), value)); }

  void Initialise(Inst variable) {
    if (module_.OperandCount(variable) > 1) return;
    const Id null = DeclareNull(editor_, ElementType(module_, module_.Type(variable)));
    editor_.SetOperands(variable, {kLocal, null});
  }

  // Replaces each index that is not a constant in range by `index < count ? index : 0`. The
  // comparison is unsigned, so negative indices count as large.
  void Clamp(Inst chain) {
    Id type = ElementType(module_, module_.TypeOf(module_.IdAt(chain, 0)));
    for (uint32_t i = 1; i < module_.OperandCount(chain); ++i) {
      const uint32_t count = PartCount(module_, type).value();
      if (TypeOpcode(module_, type) == spv::Op::OpTypeStruct) {
        const std::optional<uint64_t> member = LiteralValue(module_, module_.IdAt(chain, i));
        type = PartType(module_, type, static_cast<uint32_t>(member.value()));
        continue;
      }
      type = ElementType(module_, type);
      const Id index = module_.IdAt(chain, i);
      const std::optional<uint64_t> value = LiteralValue(module_, index);
      if (value && *value < count) continue;
      const Id index_type = module_.TypeOf(index);
      const Name of = module_.NameOf(chain);
      const Id in_range = editor_.InsertValue(
          chain, spv::Op::OpULessThan, Declare(editor_, BoolType()),
          editor_.Made(kInRange, of, uint64_t{i}),
          {index, Declare(editor_, ScalarConstant(module_, index_type, count))});
      const Id kept = editor_.InsertValue(
          chain, spv::Op::OpSelect, index_type, editor_.Made(kIndex, of, uint64_t{i}),
          {in_range, index, Declare(editor_, ScalarConstant(module_, index_type, 0))});
      editor_.SetOperand(chain, i, kept);
    }
  }

  // Adds a counter to the loop. The back edge increments it and compares it with the limit. The
  // counter is not reset when the loop is entered again in the same call.
  void Bound(Block header, Block latch) {
    const Inst loop = module_.MergeInstruction(header);
    const Name of = module_.NameOf(loop);
    const Id uint = Declare(editor_, IntType(32, false));
    const Id boolean = Declare(editor_, BoolType());
    const Id counter = AddVariable(editor_, spv::StorageClass::Function, function_, uint,
                                   editor_.Made(kCounter, of), Uint(0));
    const Inst at = EndOfBlock(module_, latch);
    const Id count =
        editor_.InsertValue(at, spv::Op::OpLoad, uint, editor_.Made(kCount, of), {counter});
    const Id next = editor_.InsertValue(at, spv::Op::OpIAdd, uint, editor_.Made(kNextCount, of),
                                        {count, Uint(1)});
    editor_.InsertPlain(at, spv::Op::OpStore, editor_.Made(kStore, of), {counter, next});
    const Inst branch = module_.Terminator(latch);
    const Id header_label = module_.LabelId(header);
    if (module_.Opcode(branch) == spv::Op::OpBranch) {
      const Id merge_label = module_.IdAt(loop, 0);
      const Id more = Compare(at, spv::Op::OpULessThan, boolean, count, of);
      editor_.SetTerminator(latch, spv::Op::OpBranchConditional, {more, header_label, merge_label});
      AddNullInputs(module_.BlockOfLabel(merge_label), module_.LabelId(latch));
      return;
    }
    const bool round_if_true = module_.IdAt(branch, 1) == header_label;
    const Id more = Compare(at, round_if_true ? spv::Op::OpULessThan : spv::Op::OpUGreaterThanEqual,
                            boolean, count, of);
    const Id condition =
        editor_.InsertValue(at, round_if_true ? spv::Op::OpLogicalAnd : spv::Op::OpLogicalOr,
                            boolean, editor_.Made(kCondition, of), {module_.IdAt(branch, 0), more});
    editor_.SetOperand(branch, 0, condition);
  }

  Id Compare(Inst at, spv::Op opcode, Id boolean, Id count, Name of) {
    return editor_.InsertValue(at, opcode, boolean, editor_.Made(kMore, of), {count, Uint(limit_)});
  }

  void AddNullInputs(Block block, Id from) {
    std::vector<Inst> phis;
    ForEachInstruction(module_, block, [&](Inst inst) {
      if (module_.Opcode(inst) == spv::Op::OpPhi) phis.push_back(inst);
    });
    for (Inst phi : phis) {
      editor_.AddPhiInput(phi, DeclareNull(editor_, module_.Type(phi)), from);
    }
  }

  // Makes blocks return that can now be reached only because a loop limit ended the loop.
  void EndByReturning() {
    const Id result = module_.Type(module_[function_].definition);
    ForEachBlock(module_, function_, [&](Block block) {
      if (module_.Opcode(module_.Terminator(block)) != spv::Op::OpUnreachable ||
          !module_.Flow(function_).Reachable(block)) {
        return;
      }
      if (TypeOpcode(module_, result) == spv::Op::OpTypeVoid) {
        editor_.SetTerminator(block, spv::Op::OpReturn, {});
      } else {
        editor_.SetTerminator(block, spv::Op::OpReturnValue, {DeclareNull(editor_, result)});
      }
    });
  }

  // If a value no longer dominates its uses, because a loop may now be left before it is computed,
  // it goes through a variable, which is null until then.
  void KeepValues() {
    std::vector<OperandUse> places;
    ForEachBlock(module_, function_, [&](Block block) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
          if (!module_.IsId(inst, i)) continue;
          const Id id = module_.IdAt(inst, i);
          const Id type = module_.TypeOf(id);
          if (type == Id::kNone || IsPointer(module_, type) || IsFunction(id) ||
              IsAvailableAtUse(module_, id, inst, i)) {
            continue;
          }
          places.push_back({inst, i});
        }
      });
    });
    std::map<Id, Id> variables;
    for (const OperandUse& place : places) {
      const Id value = module_.IdAt(place.user, place.operand);
      const auto [entry, is_new] = variables.emplace(value, Id::kNone);
      if (is_new) entry->second = Keep(value);
      const Id kept = editor_.InsertValue(
          InsertionPointFor(module_, place), spv::Op::OpLoad, module_.TypeOf(value),
          editor_.Made(kKeptValue, module_.NameOf(place.user), uint64_t{place.operand}),
          {entry->second});
      editor_.SetOperand(place.user, place.operand, kept);
    }
  }

  bool IsFunction(Id id) const { return module_.OpcodeOf(id) == spv::Op::OpFunction; }

  Id Keep(Id value) {
    const Name of = module_.NameOf(module_.Definition(value));
    const Id type = module_.TypeOf(value);
    const Id variable = AddVariable(editor_, spv::StorageClass::Function, function_, type,
                                    editor_.Made(kKept, of), DeclareNull(editor_, type));
    Inst behind = module_.Next(module_.Definition(value));
    while (module_.Opcode(behind) == spv::Op::OpPhi) behind = module_.Next(behind);
    editor_.InsertPlain(behind, spv::Op::OpStore, editor_.Made(kKeep, of), {variable, value});
    return variable;
  }

  Editor& editor_;
  const Module& module_;
  const Function function_;
  const uint32_t limit_;
};

}  // namespace

CheckResult MayBeLiveSafe(const Module& module, Function function) {
  CheckResult check_result = Yes();
  ForEachBlock(module, function, [&](Block block) {
    ForEachInstruction(module, block, [&](Inst inst) {
      if (!check_result) return;
      const spv::Op opcode = module.Opcode(inst);
      if (opcode == spv::Op::OpKill ||
          (opcode == spv::Op::OpUnreachable && module.Flow(function).Reachable(block))) {
        check_result = No("a function that is marked as live-safe must end with a return");
      } else if (!IsDefined(module, inst) && !MayBeMadeDefined(module, inst)) {
        check_result = No("an instruction of the function may have undefined behavior");
      }
    });
    if (!check_result || !IsLoopHeader(module, block)) return;
    const Block latch = LatchOf(module, function, block);
    if (latch == Block::kNone) return;  // never iterates
    const spv::Op end = module.Opcode(module.Terminator(latch));
    if (end != spv::Op::OpBranch && end != spv::Op::OpBranchConditional) {
      check_result =
          No("the donated function is not valid SPIR-V after its loops got an iteration limit");
    }
  });
  return check_result;
}

void MakeLiveSafe(Editor& editor, Function function, uint32_t loop_limit) {
  Protector(editor, function, loop_limit).Protect();
}

}  // namespace donate
}  // namespace refract
