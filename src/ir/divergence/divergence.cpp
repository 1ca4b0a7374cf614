// SPDX-License-Identifier: Apache-2.0
// Computes a fixpoint from below: all values start as constants, and rounds over the whole module
// raise classes until none changes. A class can rise at most five times, and nearly always the
// second or third round is the last.
#include "ir/divergence/divergence.h"

#include <algorithm>

#include "base/check.h"
#include "ir/call_graph.h"
#include "ir/divergence/control_dependence.h"
#include "ir/divergence/divergence_memory.h"
#include "ir/grammar/operand_rules.h"
#include "ir/module.h"
#include "ir/types.h"

namespace refract {
inline namespace ir {

using Class = DivergenceClass;
using Op = spv::Op;

std::string_view NameOf(DivergenceClass divergence) {
  constexpr std::string_view kNames[] = {"constant", "draw", "workgroup",
                                         "subgroup", "quad", "divergent"};
  return kNames[static_cast<size_t>(divergence)];
}

Class DivergenceAnalysis::Leaving(uint32_t from, uint32_t to) const {
  Class leaving = Class::kConstant;
  for (; from != kNoLoop; from = loops_[from].parent) {
    uint32_t around = to;
    while (around != kNoLoop && around != from) around = loops_[around].parent;
    if (around == from) break;
    leaving = std::max(leaving, loops_[from].exit);
  }
  return leaving;
}

Class DivergenceAnalysis::Seen(const Module& module, Id id, Block where) const {
  const Class made = Of(id);
  const Inst definition = module.Definition(id);
  const Block block = definition == Inst::kNone ? Block::kNone : module.BlockOf(definition);
  if (Index(block) >= loop_of_.size()) return made;
  const uint32_t from = loop_of_[Index(block)];
  if (from == kNoLoop) return made;
  if (Index(where) >= loop_of_.size()) return Class::kDivergent;
  return std::max(made, Leaving(from, loop_of_[Index(where)]));
}

namespace {

// All functions that entry points reach, callers before callees even where the file has the
// opposite order: then one round carries the classes of arguments all the way down.
std::vector<Function> ReachedByEntries(const Module& module) {
  std::vector<Function> reached;
  for (const EntryPoint& entry : EntryPoints(module)) {
    for (const Function function : Reached(module, entry.function)) {
      if (std::find(reached.begin(), reached.end(), function) == reached.end()) {
        reached.push_back(function);
      }
    }
  }
  return reached;
}

}  // namespace

class DivergenceSolver {
 public:
  DivergenceSolver(const Module& module, DivergenceAnalysis* analysis)
      : module_(module),
        made_(*analysis),
        reached_(ReachedByEntries(module)),
        memory_(module, reached_) {}

  void Solve(std::span<const Id> divergent);

 private:
  struct Body {
    explicit Body(const Module& module, Function function)
        : function(function), influence(module, function) {}
    Function function;
    ControlDependence influence;
    uint32_t first_loop = 0;       // index into made_.loops_
    std::vector<Class> condition;  // by place: the class of its branch condition
    // By place: the class of control flow that this function determines.
    std::vector<Class> local;
    // By place: which invocations may have ended in a called function.
    std::vector<Class> ended;
    Class called = Class::kConstant;  // control flow of its calls
    Class result = Class::kConstant;  // class of its return value
    Class ends = Class::kConstant;    // which invocations may end in this function
    bool may_end = false;
    uint32_t returns = 0;
  };

  void AddBodies();
  void StartValues();
  void Visit(Body& body);
  void VisitBlock(Body& body, uint32_t place);
  void VisitInstruction(Body& body, uint32_t place, Inst inst);
  void VisitTerminator(Body& body, uint32_t place);
  void VisitCall(Body& body, uint32_t place, Inst call);
  void VisitWrites(const Body& body, uint32_t place, Inst inst);
  Class PhiClass(const Body& body, uint32_t place, Inst phi) const;
  Class ClassOf(const Body& body, uint32_t place, Inst inst) const;
  Class Together(const Properties& row, Inst inst, Class operands, Class control) const;
  Class JoinOfOperands(Inst inst, Block block) const;
  Class Decided(const Body& body, std::span<const uint32_t> deciding_blocks, uint32_t loop) const;

  uint32_t LoopOf(const Body& body, uint32_t place) const {
    const uint32_t loop = body.influence.LoopOf(place);
    return loop == DivergenceAnalysis::kNoLoop ? loop : body.first_loop + loop;
  }
  Class SeenFrom(Id id, Block block) const { return made_.Seen(module_, id, block); }
  void Raise(Class* at, Class to) {
    if (*at >= to) return;
    *at = to;
    changed_ = true;
  }
  void RaiseValue(Id id, Class to) { Raise(&made_.values_[Index(id)], to); }

  const Module& module_;
  DivergenceAnalysis& made_;
  const std::vector<Function> reached_;
  DivergenceMemory memory_;
  std::vector<Body> bodies_;
  std::vector<uint32_t> body_of_;  // by function; 0: none, else 1 + index
  bool changed_ = false;
};

void DivergenceSolver::AddBodies() {
  body_of_.assign(module_.function_slots(), 0);
  bodies_.reserve(reached_.size());
  for (const Function function : reached_) {
    if (module_[function].first == Block::kNone) continue;
    bodies_.emplace_back(module_, function);
    body_of_[Index(function)] = static_cast<uint32_t>(bodies_.size());
    // Without structured control flow, or with callers outside the module, nothing is known.
    if (memory_.is_opaque()) bodies_.back().called = Class::kDivergent;
  }
}

void DivergenceSolver::StartValues() {
  // Values and blocks that no entry point reaches stay divergent.
  made_.values_.assign(module_.id_slots(), Class::kDivergent);
  made_.control_.assign(module_.block_slots(), Class::kDivergent);
  made_.loop_of_.assign(module_.block_slots(), DivergenceAnalysis::kNoLoop);
  const auto set_no_value = [&](Inst inst) {
    if (module_.Result(inst) != Id::kNone) {
      made_.values_[Index(module_.Result(inst))] = Class::kConstant;
    }
  };
  for (const Section section : {Section::kImports, Section::kDebug}) {
    ForEachInstruction(module_, Module::SectionBlock(section), set_no_value);
  }
  ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const Id id = module_.Result(inst);
    if (id == Id::kNone) return;
    if (module_.Type(inst) == Id::kNone) {
      set_no_value(inst);
      return;
    }
    const Properties& row = PropertiesOf(module_.Opcode(inst));
    Class made = JoinOfOperands(inst, Block::kNone);
    if (module_.Opcode(inst) == Op::OpVariable) {
      made = memory_.IsOwn(id) ? Class::kConstant : Class::kDraw;
    } else if (!row.is_constant) {
      made = Class::kDivergent;  // OpUndef
    } else if (row.is_spec) {
      made = std::max(made, Class::kDraw);
    }
    made_.values_[Index(id)] = made;
  });
  for (const Body& body : bodies_) {
    if (body.called == Class::kConstant) {
      ForEachInstruction(module_, module_[body.function].head, set_no_value);
    }
  }
  for (Body& body : bodies_) {
    const std::vector<Block>& order = body.influence.order();
    body.condition.assign(order.size(), Class::kConstant);
    body.ended = body.local = body.condition;
    body.first_loop = static_cast<uint32_t>(made_.loops_.size());
    for (const ControlDependence::Loop& loop : body.influence.loops()) {
      const bool is_outer = loop.parent == DivergenceAnalysis::kNoLoop;
      made_.loops_.push_back({is_outer ? loop.parent : body.first_loop + loop.parent,
                              body.influence.is_opaque() ? Class::kDivergent : Class::kConstant});
    }
    for (uint32_t i = 0; i < order.size(); ++i) {
      made_.loop_of_[Index(order[i])] = LoopOf(body, i);
      made_.control_[Index(order[i])] = Class::kConstant;
      ForEachInstruction(module_, order[i], [&](Inst inst) {
        if (module_.Result(inst) != Id::kNone) {
          made_.values_[Index(module_.Result(inst))] = Class::kConstant;
        }
        const Op op = module_.Opcode(inst);
        body.returns += op == Op::OpReturn || op == Op::OpReturnValue ? 1 : 0;
      });
    }
  }
}

void DivergenceSolver::Solve(std::span<const Id> divergent) {
  AddBodies();
  StartValues();
  for (const Id id : divergent) RaiseValue(id, Class::kDivergent);
  do {
    changed_ = false;
    for (Body& body : bodies_) Visit(body);
    changed_ = memory_.TakeChanged() || changed_;
  } while (changed_);
}

// The join of the classes of the branch conditions, as seen from `loop`.
Class DivergenceSolver::Decided(const Body& body, std::span<const uint32_t> deciding_blocks,
                                uint32_t loop) const {
  Class decided = Class::kConstant;
  for (const uint32_t place : deciding_blocks) {
    decided = std::max(decided, body.condition[place]);
    decided = std::max(decided, made_.Leaving(LoopOf(body, place), loop));
  }
  return decided;
}

void DivergenceSolver::Visit(Body& body) {
  const ControlDependence& influence = body.influence;
  for (uint32_t i = 0; i < influence.order().size(); ++i) VisitBlock(body, i);
  if (influence.is_opaque()) return;
  for (uint32_t i = 0; i < influence.loops().size(); ++i) {
    Raise(&made_.loops_[body.first_loop + i].exit,
          Decided(body, influence.loops()[i].deciding_blocks, body.first_loop + i));
  }
}

void DivergenceSolver::VisitBlock(Body& body, uint32_t place) {
  const Block block = body.influence.order()[place];
  // This also holds for a block without a path to the next iteration: it is entered in some
  // iteration.
  Class local =
      std::max(body.ended[place], made_.Leaving(LoopOf(body, place), DivergenceAnalysis::kNoLoop));
  if (body.influence.is_opaque()) {
    local = Class::kDivergent;
  } else {
    for (const uint32_t decider : body.influence.BlocksThatDecideEntry(place)) {
      local = std::max({local, body.condition[decider], body.local[decider]});
    }
  }
  Raise(&body.local[place], local);
  Raise(&made_.control_[Index(block)], std::max(body.local[place], body.called));
  ForEachInstruction(module_, block, [&](Inst inst) { VisitInstruction(body, place, inst); });
  VisitTerminator(body, place);
}

void DivergenceSolver::VisitTerminator(Body& body, uint32_t place) {
  const Block block = body.influence.order()[place];
  const Inst terminator = module_.Terminator(block);
  switch (module_.Opcode(terminator)) {
    case Op::OpBranchConditional:
    case Op::OpSwitch:
      Raise(&body.condition[place], SeenFrom(module_.IdAt(terminator, 0), block));
      break;
    case Op::OpReturnValue:
      Raise(&body.result, SeenFrom(module_.IdAt(terminator, 0), block));
      Raise(&body.result, made_.Leaving(LoopOf(body, place), DivergenceAnalysis::kNoLoop));
      if (body.returns > 1) Raise(&body.result, body.local[place]);
      break;
    case Op::OpBranch:
    case Op::OpReturn:
    case Op::OpUnreachable:
      break;
    default:  // the terminator ends the invocation
      body.may_end = true;
      Raise(&body.ends, body.local[place]);
  }
}

void DivergenceSolver::VisitInstruction(Body& body, uint32_t place, Inst inst) {
  const Op op = module_.Opcode(inst);
  if (op == Op::OpFunctionCall) {
    VisitCall(body, place, inst);
    return;
  }
  VisitWrites(body, place, inst);
  if (module_.Result(inst) == Id::kNone || module_.Type(inst) == Id::kNone) return;
  RaiseValue(module_.Result(inst), ClassOf(body, place, inst));
}

// Passes the classes of arguments down to the callee, and the result and ended invocations up.
void DivergenceSolver::VisitCall(Body& body, uint32_t place, Inst call) {
  const Block block = body.influence.order()[place];
  const Function function = module_.FunctionOfId(module_.IdAt(call, 0));
  const uint32_t index = function == Function::kNone ? 0 : body_of_[Index(function)];
  if (index == 0) {
    RaiseValue(module_.Result(call), Class::kDivergent);
    return;
  }
  Body& callee = bodies_[index - 1];
  Raise(&callee.called, made_.control_[Index(block)]);
  uint32_t operand = 1;
  ForEachInstruction(module_, module_[function].head, [&](Inst inst) {
    if (module_.Opcode(inst) != Op::OpFunctionParameter) return;
    if (operand < module_.OperandCount(call)) {
      RaiseValue(module_.Result(inst), SeenFrom(module_.IdAt(call, operand), block));
    }
    ++operand;
  });
  RaiseValue(module_.Result(call), callee.result);
  if (!callee.may_end) return;
  // The other invocations continue without those that ended, to the end of this function and
  // beyond.
  const Class ended = std::max(callee.ends, body.local[place]);
  body.may_end = true;
  Raise(&body.ends, ended);
  if (body.influence.is_opaque()) return;
  body.influence.ForEachPostDominator(place,
                                      [&](uint32_t after) { Raise(&body.ended[after], ended); });
}

// Raises the classes of the invocation's own variables that the instruction writes.
void DivergenceSolver::VisitWrites(const Body& body, uint32_t place, Inst inst) {
  const Block block = body.influence.order()[place];
  memory_.ForEachWrite(inst, [&](uint32_t pointer, Id root, DivergenceMemory::Write write) {
    if (write == DivergenceMemory::Write::kAnything) {
      memory_.Raise(root, Class::kDivergent);
      return;
    }
    // A local variable is a different one in each call.
    const bool is_local = module_.Opcode(module_.Definition(root)) == Op::OpVariable &&
                          module_.FunctionOf(module_.Definition(root)) == body.function;
    Class written = is_local ? body.local[place] : made_.control_[Index(block)];
    written = std::max(written, SeenFrom(module_.IdAt(inst, pointer), block));
    written = std::max(written, JoinOfOperands(inst, block));
    if (write == DivergenceMemory::Write::kCopy) {
      written = std::max(written, memory_.Read(module_.IdAt(inst, 1)));
    }
    memory_.Raise(root, written);
  });
}

Class DivergenceSolver::JoinOfOperands(Inst inst, Block block) const {
  Class join = Class::kConstant;
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    if (module_.IsId(inst, i)) join = std::max(join, SeenFrom(module_.IdAt(inst, i), block));
  }
  return join;
}

Class DivergenceSolver::PhiClass(const Body& body, uint32_t place, Inst phi) const {
  const Block block = body.influence.order()[place];
  if (body.influence.is_opaque()) return Class::kDivergent;
  Class join = Class::kConstant;
  Id first = Id::kNone;
  bool is_choice = false;
  for (uint32_t i = 0; i + 1 < module_.OperandCount(phi); i += 2) {
    const Block from = module_.BlockOfLabel(module_.IdAt(phi, i + 1));
    if (!module_.Flow(body.function).Reachable(from)) continue;
    const Id value = module_.IdAt(phi, i);
    join = std::max(join, SeenFrom(value, block));
    if (first == Id::kNone) first = value;
    is_choice = is_choice || value != first;
  }
  if (!is_choice) return join;
  if (body.influence.IsPhiOpaque(place)) return Class::kDivergent;
  return std::max(join,
                  Decided(body, body.influence.BlocksThatDecidePhi(place), LoopOf(body, place)));
}

// The class of the result of an instruction that depends on which invocations execute it together.
Class DivergenceSolver::Together(const Properties& row, Inst inst, Class operands,
                                 Class control) const {
  Class scope = Class::kDivergent;
  const bool has_scope = row.operands.starts_with('k');
  switch (row.agreement) {
    case Agreement::kInQuad:
      scope = Class::kQuad;
      break;
    case Agreement::kAsOperandsInQuad:
      return control <= Class::kQuad ? operands : Class::kDivergent;
    case Agreement::kInReducedGroup:
    case Agreement::kInGroup: {
      scope = Class::kSubgroup;
      if (!has_scope) break;
      const auto number = LiteralValue(module_, module_.IdAt(inst, 0));
      if (number == static_cast<uint64_t>(spv::Scope::Workgroup)) {
        scope = Class::kWorkgroup;
      } else if (number != static_cast<uint64_t>(spv::Scope::Subgroup)) {
        return Class::kDivergent;
      }
      break;
    }
    default:
      return Class::kDivergent;
  }
  if (row.agreement == Agreement::kInReducedGroup) {
    const uint32_t operation = module_.Word(inst, has_scope ? 1 : 0);
    if (operation != static_cast<uint32_t>(spv::GroupOperation::Reduce)) return Class::kDivergent;
  }
  return control <= scope ? scope : Class::kDivergent;
}

Class DivergenceSolver::ClassOf(const Body& body, uint32_t place, Inst inst) const {
  const Block block = body.influence.order()[place];
  const Op op = module_.Opcode(inst);
  if (op == Op::OpPhi) return PhiClass(body, place, inst);
  if (op == Op::OpVariable) return Class::kConstant;
  if (op == Op::OpUndef) return Class::kDivergent;
  const Properties& row = PropertiesOf(module_, inst);
  Class join = JoinOfOperands(inst, block);
  if (row.reads) join = std::max(join, memory_.ReadBy(inst, row));
  if (row.agreement == Agreement::kAsOperands) return join;
  return Together(row, inst, join, made_.control_[Index(block)]);
}

DivergenceAnalysis::DivergenceAnalysis(const Module& module, std::span<const Id> divergent) {
  DivergenceSolver(module, this).Solve(divergent);
}

}  // namespace ir
}  // namespace refract
