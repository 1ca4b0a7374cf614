// SPDX-License-Identifier: Apache-2.0
// Removes what has no effect: unused values, unreachable blocks, and functions that are not called.
#include <set>

#include "planted/flow.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

constexpr auto kInline = static_cast<uint32_t>(spv::FunctionControlMask::Inline);

bool IsVolatile(const Instruction& load) {
  return load.in.size() > 1 &&
         (load.Word(1) & ~(static_cast<uint32_t>(spv::MemoryAccessMask::Aligned) |
                           static_cast<uint32_t>(spv::MemoryAccessMask::Nontemporal))) != 0;
}

// Whether the instruction can be removed if its result is not used.
bool MayGo(const Program& program, const Instruction& instruction) {
  if (instruction.result == 0) return false;
  if (instruction.op == spv::Op::OpVariable || instruction.op == spv::Op::OpPhi) return true;
  if (instruction.op == spv::Op::OpLoad) return !IsVolatile(instruction);
  return program.PropertiesOf(instruction).removable_if_unused();
}

void RemoveValues(Program* program) {
  Definitions definitions(*program);
  std::set<uint32_t> live;
  std::vector<const Instruction*> work;
  for (Function& function : program->functions) {
    ForEachInstruction(function, [&](Instruction& instruction) {
      if (!MayGo(*program, instruction)) work.push_back(&instruction);
    });
  }
  while (!work.empty()) {
    const Instruction* instruction = work.back();
    work.pop_back();
    for (const Operand& operand : instruction->in) {
      if (!operand.is_id) continue;
      if (!live.insert(operand.word).second) continue;
      if (definitions[operand.word] != nullptr) work.push_back(definitions[operand.word]);
    }
  }
  for (Function& function : program->functions) {
    ForEachInstruction(function, [&](Instruction& instruction) {
      if (instruction.result == 0 || live.count(instruction.result) != 0) return;
      const bool hinted = instruction.op == spv::Op::OpFunctionCall &&
                          definitions.Op(instruction.Id(0)) == spv::Op::OpFunction &&
                          (definitions[instruction.Id(0)]->Word(0) & kInline) != 0;
      if (MayGo(*program, instruction) || (hinted && program->bugs.At(Bug::kHintedCall))) {
        instruction.Remove();
      }
    });
  }
}

// Restores the back edge of a loop whose continue target is unreachable.
void MakeBackEdge(Program* program, Function* function, const Flow& flow, uint32_t block) {
  Block& target = function->blocks[block];
  const uint32_t header = flow.continue_of[block];
  target.code = {{spv::Op::OpBranch, 0, 0, {IdOperand(function->blocks[header].label)}}};
  for (Instruction& phi : function->blocks[header].code) {
    if (phi.op != spv::Op::OpPhi) continue;
    phi.in.push_back(IdOperand(program->Undef(phi.type)));
    phi.in.push_back(IdOperand(target.label));
  }
}

// Whether the block is on the path of a back edge, which must reach the header (SPIR-V 2.11.2).
bool IsOnWayBack(const Flow& flow, uint32_t block) {
  for (uint32_t above = block; above != Flow::kNone; above = flow.structural.Parent(above)) {
    const uint32_t header = flow.continue_of[above];
    if (header != Flow::kNone && flow.Reachable(above) &&
        !flow.structural.Dominates(flow.merge[header], block)) {
      return true;
    }
  }
  return false;
}

void NoteMissing(const Block& block, std::map<uint32_t, uint32_t>* missing) {
  for (const Instruction& instruction : block.code) {
    if (instruction.type != 0) (*missing)[instruction.result] = instruction.type;
  }
}

// Replaces removed values in blocks that never run.
void ReplaceMissing(Program* program, Function* function,
                    const std::map<uint32_t, uint32_t>& types) {
  ForEachInstruction(*function, [&](Instruction& instruction) {
    for (Operand& operand : instruction.in) {
      const auto type = operand.is_id ? types.find(operand.word) : types.end();
      if (type != types.end()) operand.word = program->Undef(type->second);
    }
  });
}

void UnreachableBugs(const Block& block, Bugs* bugs) {
  const Instruction* merge = block.Merge();
  if (merge == nullptr || merge->op != spv::Op::OpLoopMerge) return;
  if (merge->Id(1) == block.label && block.code.size() == 2 && merge->Word(2) != 0 &&
      bugs->At(Bug::kUnreachableLoop)) {
    for (volatile bool again = true; again;) again = true;
  }
}

void RemoveBlocks(Program* program, Function* function) {
  const Flow flow(*function);
  const auto count = static_cast<uint32_t>(function->blocks.size());
  const auto names_it = [&](uint32_t header) {
    return header != Flow::kNone && flow.Reachable(header);
  };
  std::set<uint32_t> gone;
  std::map<uint32_t, uint32_t> missing;  // types of the removed values
  for (uint32_t i = 0; i < count; ++i) {
    if (flow.Reachable(i) || IsOnWayBack(flow, i)) continue;
    for (const uint32_t next : flow.successors[i]) {
      DropPhiInputs(&function->blocks[next], function->blocks[i].label);
    }
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (flow.Reachable(i) || IsOnWayBack(flow, i)) continue;
    UnreachableBugs(function->blocks[i], &program->bugs);
    NoteMissing(function->blocks[i], &missing);
    if (names_it(flow.continue_of[i])) {
      MakeBackEdge(program, function, flow, i);
    } else if (names_it(flow.merge_of[i])) {
      function->blocks[i].code = {{spv::Op::OpUnreachable}};
    } else {
      gone.insert(function->blocks[i].label);
    }
  }
  std::erase_if(function->blocks, [&](const Block& block) { return gone.count(block.label) != 0; });
  if (!missing.empty()) ReplaceMissing(program, function, missing);
}

void RemoveFunctions(Program* program) {
  std::set<uint32_t> called;
  for (const Instruction& entry : program->head) {
    if (entry.op == spv::Op::OpEntryPoint) called.insert(entry.Id(1));
  }
  for (Function& function : program->functions) {
    ForEachInstruction(function, [&](Instruction& call) {
      if (call.op == spv::Op::OpFunctionCall) called.insert(call.Id(0));
    });
  }
  if (program->HasCapability(spv::Capability::Linkage)) return;
  std::erase_if(program->functions,
                [&](const Function& function) { return called.count(function.id()) == 0; });
}

}  // namespace

void RemoveDeadCode(Program* program) {
  for (Function& function : program->functions) {
    if (!function.blocks.empty()) RemoveBlocks(program, &function);
  }
  RemoveFunctions(program);
  RemoveValues(program);
}

}  // namespace refract::planted
