// SPDX-License-Identifier: Apache-2.0
#include "planted/uniformity.h"

#include <algorithm>
#include <set>

namespace refract::planted {
namespace {

using spv::Op;
using spv::StorageClass;

StorageClass StorageOf(const Instruction& variable) {
  return static_cast<StorageClass>(variable.Word(0));
}

bool IsChain(Op op) {
  return op == Op::OpAccessChain || op == Op::OpInBoundsAccessChain;
}

bool IsConstant(Op op) {
  return op == Op::OpConstant || op == Op::OpConstantTrue || op == Op::OpConstantFalse ||
         op == Op::OpConstantComposite || op == Op::OpConstantNull;
}

bool IsReturn(Op op) {
  return op == Op::OpReturn || op == Op::OpReturnValue;
}

// Whether the operand is the pointer of a load, a store or an access chain.
bool IsFollowed(const Instruction& instruction, size_t operand) {
  return operand == 0 &&
         (instruction.op == Op::OpLoad || instruction.op == Op::OpStore || IsChain(instruction.op));
}

}  // namespace

Uniformity::Uniformity(Program* program)
    : program_(*program), definitions_(*program), divergent_(program->bound) {
  for (const Instruction& decoration : program->annotations) {
    if (decoration.op == Op::OpDecorate && decoration.in.size() == 3 &&
        decoration.Word(1) == static_cast<uint32_t>(spv::Decoration::BuiltIn)) {
      builtins_[decoration.Id(0)] = decoration.Word(2);
    }
    has_buffer_blocks_ |= decoration.op == Op::OpDecorate &&
                          decoration.Word(1) == static_cast<uint32_t>(spv::Decoration::BufferBlock);
  }
  for (const Function& function : program->functions) {
    function_of_[function.id()] = functions_.size();
    functions_.emplace_back(function);
    FindDeciders(&functions_.back());
  }
  FindVariables();
  for (OfFunction& of : functions_) {
    of.at_entry.assign(of.deciders.size(), Classes(variables_.size()));
  }
  do {
    changed_ = false;
    for (size_t i = 0; i < functions_.size(); ++i) {
      UpdateBlocks(i);
      UpdateValues(i);
    }
  } while (changed_);
}

// Variables of functions, and those of an invocation that only one function uses, if all uses are
// loads, stores and arguments of calls.
void Uniformity::FindVariables() {
  std::map<uint32_t, std::set<uint32_t>> users;
  std::set<uint32_t> unknown;
  for (Function& function : program_.functions) {
    ForEachInstruction(function, [&](const Instruction& instruction) {
      for (size_t i = 0; i < instruction.in.size(); ++i) {
        if (!instruction.in[i].is_id) continue;
        const uint32_t id = RootOf(instruction.Id(i));
        users[id].insert(function.id());
        if (IsFollowed(instruction, i)) continue;
        const bool is_argument =
            instruction.op == Op::OpFunctionCall && i > 0 && id == instruction.Id(i);
        if (!is_argument) unknown.insert(id);
      }
      if (IsChain(instruction.op)) roots_[instruction.result] = RootOf(instruction.Id(0));
    });
  }
  const auto add = [&](const Instruction& variable) {
    if (variable.op != Op::OpVariable || unknown.count(variable.result) != 0) return;
    const StorageClass storage = StorageOf(variable);
    const bool alone = storage == StorageClass::Private && users[variable.result].size() == 1;
    if (storage == StorageClass::Function || alone) {
      variables_.emplace(variable.result, variables_.size());
    }
  };
  for (const Instruction& variable : program_.declarations) add(variable);
  for (Function& function : program_.functions) ForEachInstruction(function, add);
}

void Uniformity::FindDeciders(OfFunction* of) {
  const Flow& flow = of->flow;
  const auto count = static_cast<uint32_t>(flow.successors.size());
  of->deciders.resize(count);
  of->joins.assign(count, Flow::kNone);
  of->divergent_block.resize(count);
  of->divergent_selection.resize(count);
  if (count == 0) return;
  // Backwards from a block after all exits.
  Graph graph;
  for (uint32_t i = 0; i <= count; ++i) {
    graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
    if (i < count && flow.Reachable(i)) {
      for (const uint32_t before : flow.predecessors[i]) {
        if (flow.Reachable(before)) graph.targets.push_back(before);
      }
    }
    for (uint32_t exit = 0; i == count && exit < count; ++exit) {
      if (flow.Reachable(exit) && flow.successors[exit].empty()) graph.targets.push_back(exit);
    }
  }
  graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
  const DominatorTree after(graph, count);
  for (uint32_t i = 0; i < count; ++i) of->is_opaque |= flow.Reachable(i) && !after.Reached(i);
  if (of->is_opaque) return;
  for (uint32_t branch = 0; branch < count; ++branch) {
    if (!flow.Reachable(branch)) continue;
    of->joins[branch] = after.Parent(branch);
    if (flow.successors[branch].size() < 2) continue;
    for (const uint32_t next : flow.successors[branch]) {
      for (uint32_t at = next; at != after.Parent(branch); at = after.Parent(at)) {
        of->deciders[at].push_back(branch);
      }
    }
  }
}

bool Uniformity::IsDivergentBranch(size_t function, uint32_t block) const {
  const Instruction& end = program_.functions[function].blocks[block].End();
  return (end.op == Op::OpBranchConditional || end.op == Op::OpSwitch) && IsDivergent(end.Id(0));
}

bool Uniformity::IsInLoop(const Flow& flow, uint32_t header, uint32_t block) const {
  return flow.structural.Dominates(header, block) &&
         !flow.structural.Dominates(flow.merge[header], block);
}

// Whether invocations leave a loop around the block by this branch.
bool Uniformity::IsExit(const OfFunction& of, uint32_t branch, uint32_t block) const {
  const Flow& flow = of.flow;
  for (uint32_t header = 0; header < flow.merge.size(); ++header) {
    if (flow.continue_target[header] == Flow::kNone || !IsInLoop(flow, header, block)) continue;
    const uint32_t join = of.joins[branch];
    const bool leaves = join >= flow.merge.size() || !IsInLoop(flow, header, join);
    if (IsInLoop(flow, header, branch) && leaves) return true;
  }
  return false;
}

void Uniformity::UpdateBlocks(size_t number) {
  OfFunction& of = functions_[number];
  bool changed = true, any = false;
  while (changed) {
    changed = false;
    for (uint32_t block = 0; block < of.deciders.size(); ++block) {
      bool divergent = of.divergent || of.is_opaque || !of.flow.Reachable(block);
      bool selection = divergent;
      for (const uint32_t branch : of.deciders[block]) {
        const bool own = IsDivergentBranch(number, branch);
        divergent |= own || of.divergent_block[branch];
        selection |= of.divergent_selection[branch] || (own && !IsExit(of, branch, block));
      }
      changed |= divergent != of.divergent_block[block];
      changed |= selection != of.divergent_selection[block];
      of.divergent_block[block] = divergent;
      of.divergent_selection[block] = selection;
      any |= changed;
    }
  }
  changed_ |= any;
}

void Uniformity::UpdateValues(size_t number) {
  OfFunction& of = functions_[number];
  const Function& function = program_.functions[number];
  for (uint32_t block = 0; block < function.blocks.size(); ++block) {
    if (!of.flow.Reachable(block)) continue;
    Classes now = of.at_entry[block];
    for (const Instruction& instruction : function.blocks[block].code) {
      Visit(of, block, instruction, &now);
    }
    for (const uint32_t next : of.flow.successors[block]) {
      for (size_t i = 0; i < now.size(); ++i) {
        if (!now[i] || of.at_entry[next][i]) continue;
        of.at_entry[next][i] = true;
        changed_ = true;
      }
    }
  }
}

void Uniformity::SetDivergent(uint32_t id) {
  changed_ |= !divergent_[id];
  divergent_[id] = true;
}

void Uniformity::Visit(OfFunction& of, uint32_t block, const Instruction& instruction,
                       Classes* now) {
  if (instruction.op == Op::OpStore) return VisitStore(of, block, instruction, now);
  if (IsReturn(instruction.op)) {
    const bool value = instruction.op == Op::OpReturnValue && IsDivergent(instruction.Id(0));
    const bool divergent = value || of.divergent_block[block];
    changed_ |= divergent && !of.returns_divergent;
    of.returns_divergent |= divergent;
  }
  if (instruction.result == 0 || instruction.type == 0) return;
  if (ResultIsDivergent(of, block, instruction, now)) SetDivergent(instruction.result);
}

void Uniformity::VisitStore(const OfFunction& of, uint32_t block, const Instruction& store,
                            Classes* now) {
  const auto found = variables_.find(RootOf(store.Id(0)));
  if (found == variables_.end()) return;
  const bool whole = found->first == store.Id(0);
  const bool value = IsDivergent(store.Id(1)) || HasDivergentIndex(store.Id(0));
  bool control = of.divergent_block[block];
  if (control && whole && IsConstant(definitions_.Op(store.Id(1))) &&
      program_.bugs.At(Bug::kConstantStore)) {
    control = false;
  }
  if (control && !value && !of.divergent_selection[block] &&
      program_.bugs.At(Bug::kTemporalDivergence)) {
    control = false;
  }
  (*now)[found->second] = value || control || (!whole && (*now)[found->second]);
}

uint32_t Uniformity::RootOf(uint32_t pointer) const {
  const auto found = roots_.find(pointer);
  return found == roots_.end() ? pointer : found->second;
}

uint32_t Uniformity::VariableOf(uint32_t pointer) const {
  const uint32_t root = RootOf(pointer);
  return variables_.count(root) == 0 ? 0 : root;
}

bool Uniformity::HasDivergentIndex(uint32_t pointer) const {
  for (const Instruction* at = definitions_[pointer]; at != nullptr && IsChain(at->op);
       at = definitions_[at->Id(0)]) {
    for (size_t i = 1; i < at->in.size(); ++i) {
      if (IsDivergent(at->Id(i))) return true;
    }
  }
  return false;
}

bool Uniformity::AnyOperandIsDivergent(const Instruction& instruction) const {
  return std::any_of(instruction.in.begin(), instruction.in.end(), [&](const Operand& operand) {
    return operand.is_id && IsDivergent(operand.word);
  });
}

// Whether it selects one of two uniform values that are not both constants.
bool Uniformity::SelectsUniform(const Instruction& select) const {
  const bool constants =
      IsConstant(definitions_.Op(select.Id(1))) && IsConstant(definitions_.Op(select.Id(2)));
  return !constants && !IsDivergent(select.Id(1)) && !IsDivergent(select.Id(2));
}

bool Uniformity::LoadIsDivergent(const Instruction& load, const Classes& now) {
  const uint32_t root = RootOf(load.Id(0));
  const Instruction* variable = definitions_[root];
  if (variable == nullptr || variable->op != Op::OpVariable) return true;
  const bool index = HasDivergentIndex(load.Id(0));
  switch (StorageOf(*variable)) {
    case StorageClass::Function:
    case StorageClass::Private: {
      const auto found = variables_.find(root);
      if (found == variables_.end() || now[found->second]) return true;
      return index && !program_.bugs.At(Bug::kDivergentIndex);
    }
    case StorageClass::Uniform:
    case StorageClass::PushConstant:
      return index || has_buffer_blocks_;
    case StorageClass::Input: {
      const auto builtin = builtins_.find(root);
      if (builtin == builtins_.end()) return true;
      return builtin->second != static_cast<uint32_t>(spv::BuiltIn::WorkgroupId) &&
             builtin->second != static_cast<uint32_t>(spv::BuiltIn::NumWorkgroups);
    }
    default:
      return true;
  }
}

bool Uniformity::CallIsDivergent(OfFunction& of, uint32_t block, const Instruction& call,
                                 Classes* now) {
  const auto found = function_of_.find(call.Id(0));
  if (found == function_of_.end()) return true;
  OfFunction& callee = functions_[found->second];
  const Function& function = program_.functions[found->second];
  bool arguments = false;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    const auto variable = variables_.find(call.Id(i + 1));
    const bool divergent =
        variable != variables_.end() ? (*now)[variable->second] : IsDivergent(call.Id(i + 1));
    arguments |= divergent;
    if (divergent) SetDivergent(function.parameters[i].result);
    // What a function stores through a pointer is not known.
    if (variable != variables_.end()) (*now)[variable->second] = true;
  }
  const bool control = of.divergent_block[block];
  changed_ |= control && !callee.divergent;
  callee.divergent |= control;
  const bool divergent = arguments || control || callee.returns_divergent;
  const bool first = call.in.size() > 1 && !IsDivergent(call.Id(1));
  return divergent && !(first && !control && program_.bugs.At(Bug::kCallResult));
}

bool Uniformity::ResultIsDivergent(OfFunction& of, uint32_t block, const Instruction& instruction,
                                   Classes* now) {
  switch (instruction.op) {
    case Op::OpVariable:
      // The initial value of a variable is a constant.
      return false;
    case Op::OpLoad:
      return LoadIsDivergent(instruction, *now);
    case Op::OpFunctionCall:
      return CallIsDivergent(of, block, instruction, now);
    case Op::OpPhi:
    case Op::OpUndef:
      return true;
    case Op::OpAccessChain:
    case Op::OpInBoundsAccessChain:
      return AnyOperandIsDivergent(instruction);
    case Op::OpSelect:
      return AnyOperandIsDivergent(instruction) &&
             !(SelectsUniform(instruction) && program_.bugs.At(Bug::kDivergentSelect));
    case Op::OpGroupNonUniformInverseBallot: {
      const Instruction* ballot = definitions_[instruction.Id(1)];
      const bool own = ballot != nullptr && ballot->op == Op::OpGroupNonUniformBallot &&
                       IsDivergent(ballot->Id(1));
      return !(own && program_.bugs.At(Bug::kOwnBit));
    }
    default:
      break;
  }
  const Properties& properties = program_.PropertiesOf(instruction);
  switch (properties.agreement) {
    case Agreement::kAsOperands:
      // Derivatives and such need a whole quad, and memory may differ.
      return properties.reads || AnyOperandIsDivergent(instruction);
    case Agreement::kInGroup:
      return of.divergent_block[block];
    case Agreement::kInReducedGroup:
      return of.divergent_block[block] ||
             instruction.Word(1) != static_cast<uint32_t>(spv::GroupOperation::Reduce);
    default:
      return true;
  }
}

}  // namespace refract::planted
