// SPDX-License-Identifier: Apache-2.0
#include "ir/edit/editor.h"

#include <algorithm>

#include "base/check.h"
#include "ir/branches.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/purity.h"
#include "ir/types.h"

namespace refract {
inline namespace ir {
namespace {

constexpr uint64_t kOrderGap = uint64_t{1} << 24;

// Identifies a declaration by its permanent name. The name is computed from the content, except for
// declarations with an identity of their own (structs, variables, decorated types).
uint64_t ContentName(const Module& module, Id id) {
  const Name name = module.NameOf(id);
  return Mix(uint64_t{1}, name);
}

}  // namespace

Name DeclarationName(const Module& module, spv::Op opcode, Id type, const Args& args) {
  uint64_t hash = Mix(Mix(uint64_t{0}, static_cast<uint64_t>(opcode)), uint64_t{args.size()});
  if (type != Id::kNone) hash = Mix(hash, ContentName(module, type));
  for (const Arg& arg : args) {
    hash = arg.is_id ? Mix(hash, ContentName(module, static_cast<Id>(arg.word)))
                     : Mix(hash, uint64_t{arg.word});
  }
  return Name{Name::kDeclaredStep, hash};
}

// --- operands and uses

// Inserts the use at the head of the list; a decoration after all other uses, where decorations
// begin.
void Editor::LinkUse(Use use, Id id) {
  IdRecord& record = module_.ids_.Mutable(Index(id));
  Use next = record.first_use, prev = Use::kNone;
  if (IsDecoration(module_.Opcode(module_.User(use)))) {
    next = record.first_decoration;
    if (next != Use::kNone) {
      prev = module_.operands_[Index(next)].prev_use;
    } else {
      for (Use at = record.first_use; at != Use::kNone; at = module_.NextUse(at)) prev = at;
    }
    record.first_decoration = use;
  }
  Operand& operand = module_.operands_.Mutable(Index(use));
  operand.word = Index(id);
  operand.next_use = next;
  operand.prev_use = prev;
  if (next != Use::kNone) module_.operands_.Mutable(Index(next)).prev_use = use;
  if (prev != Use::kNone) {
    module_.operands_.Mutable(Index(prev)).next_use = use;
  } else {
    record.first_use = use;
  }
}

void Editor::UnlinkUse(Use use) {
  const Operand operand = module_.operands_[Index(use)];
  if (operand.prev_use != Use::kNone) {
    module_.operands_.Mutable(Index(operand.prev_use)).next_use = operand.next_use;
  } else {
    module_.ids_.Mutable(operand.word).first_use = operand.next_use;
  }
  if (operand.next_use != Use::kNone) {
    module_.operands_.Mutable(Index(operand.next_use)).prev_use = operand.prev_use;
  }
  if (module_.ids_[operand.word].first_decoration == use) {
    module_.ids_.Mutable(operand.word).first_decoration = operand.next_use;
  }
}

void Editor::StoreOperands(Inst inst, const Args& args) {
  const uint32_t first = static_cast<uint32_t>(module_.operands_.size());
  for (const Arg& arg : args) {
    Operand operand;
    operand.word = arg.word;
    operand.user = inst;
    operand.next_use = arg.is_id ? Use::kNone : Operand::kLiteral;
    operand.step = step_;
    const Use use = static_cast<Use>(module_.operands_.size());
    module_.operands_.push_back(operand);
    if (arg.is_id) LinkUse(use, static_cast<Id>(arg.word));
  }
  Instruction& record = Own(inst);
  record.first_operand = first;
  record.operand_count = static_cast<uint32_t>(args.size());
  module_.word_count_ += args.size();
  if (record.opcode == spv::Op::OpFunction && !args.empty()) {
    module_.has_promises_ |= (args[0].word & kPromises) != 0;
  }
}

void Editor::ReleaseOperands(Inst inst) {
  const Instruction record = module_[inst];
  for (uint32_t i = 0; i < record.operand_count; ++i) {
    const Use use = static_cast<Use>(record.first_operand + i);
    if (module_.operands_[Index(use)].is_id()) UnlinkUse(use);
    Operand& operand = module_.operands_.Mutable(Index(use));
    operand.next_use = Operand::kLiteral;
    operand.user = Inst::kNone;
  }
  module_.word_count_ -= record.operand_count;
  Own(inst).operand_count = 0;
}

void Editor::ReplaceOperands(Inst inst, const Args& args) {
  std::vector<Operand> old;
  for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
    old.push_back(module_.OperandAt(inst, i));
  }
  ReleaseOperands(inst);
  StoreOperands(inst, args);
  // Most operands stay in order, so each search begins where the last one ended.
  size_t next = 0;
  for (uint32_t i = 0; i < args.size(); ++i) {
    for (size_t tries = 0; args[i].is_id && tries < old.size(); ++tries) {
      Operand& was = old[(next + tries) % old.size()];
      if (!was.is_id() || was.word != args[i].word) continue;
      module_.operands_.Mutable(module_[inst].first_operand + i).step = was.step;
      was.next_use = Operand::kLiteral;  // marks it as used
      next += tries + 1;
      break;
    }
  }
  Touch(inst);
}

void Editor::SetOperand(Inst inst, uint32_t index, Arg arg) {
  CHECK(index < module_.OperandCount(inst));
  // Conditions, returned values, control masks and weights do not affect edges.
  const bool is_target = (IsTerminator(module_.Opcode(inst)) || IsMerge(module_.Opcode(inst))) &&
                         module_.IsId(inst, index) &&
                         module_.OpcodeOf(module_.IdAt(inst, index)) == spv::Op::OpLabel;
  if (is_target) DropFlow(module_.BlockOf(inst));
  StoreOperand(inst, index, arg);
}

void Editor::StoreOperand(Inst inst, uint32_t index, Arg arg) {
  const Use use = static_cast<Use>(module_[inst].first_operand + index);
  if (module_.operands_[Index(use)].is_id()) UnlinkUse(use);
  if (arg.is_id) {
    LinkUse(use, static_cast<Id>(arg.word));
  } else {
    Operand& operand = module_.operands_.Mutable(Index(use));
    operand.word = arg.word;
    operand.next_use = Operand::kLiteral;
  }
  module_.operands_.Mutable(Index(use)).step = step_;
  if (module_.Opcode(inst) == spv::Op::OpFunction && index == 0) {
    module_.has_promises_ |= (arg.word & kPromises) != 0;
  }
  Touch(inst);
}

void Editor::SetOperands(Inst inst, const Args& args) {
  const spv::Op opcode = module_.Opcode(inst);
  if (IsTerminator(opcode)) return SetTerminator(module_.BlockOf(inst), opcode, args);
  // The control mask of a merge instruction does not affect edges.
  if (IsMerge(opcode)) {
    const uint32_t labels = opcode == spv::Op::OpLoopMerge ? 2 : 1;
    // An instruction that is being made may not have operands yet.
    bool same = args.size() >= labels && module_.OperandCount(inst) >= labels;
    for (uint32_t i = 0; same && i < labels; ++i) same = args[i].word == module_.Word(inst, i);
    if (!same) DropFlow(module_.BlockOf(inst));
  }
  ReplaceOperands(inst, args);
}

void Editor::ReplaceTerminator(Inst terminator, spv::Op opcode, const Args& args) {
  Own(terminator).opcode = opcode;
  ReplaceOperands(terminator, args);
}

// --- instructions

Inst Editor::Create(spv::Op opcode, Id type, Id result, Name name, const Args& args) {
  if (module_.instructions_.empty()) module_.instructions_.push_back({});
  if (module_.operands_.empty()) module_.operands_.push_back({});
  const Inst inst = static_cast<Inst>(module_.instructions_.size());
  Instruction record;
  record.opcode = opcode;
  record.type = type;
  record.result = result;
  record.name = name;
  module_.instructions_.push_back(record);
  if (result != Id::kNone) module_.ids_.Mutable(Index(result)).definition = inst;
  module_.names_.Insert(Module::NameHash(name), inst);
  module_.word_count_ += 1 + (type != Id::kNone) + (result != Id::kNone);
  StoreOperands(inst, args);
  return inst;
}

void Editor::Link(Inst inst, Block block, Inst before) {
  const Inst prev = before == Inst::kNone ? module_[block].last : module_.Prev(before);
  const uint64_t low = prev == Inst::kNone ? 0 : module_[prev].order;
  const uint64_t high = before == Inst::kNone ? low + 2 * kOrderGap : module_[before].order;
  Instruction& record = Own(inst);
  record.block = block;
  record.prev = prev;
  record.next = before;
  record.order = low + (high - low) / 2;
  const bool full = record.order == low;
  if (prev != Inst::kNone) {
    Own(prev).next = inst;
  } else {
    Own(block).first = inst;
  }
  if (before != Inst::kNone) {
    Own(before).prev = inst;
  } else {
    Own(block).last = inst;
  }
  if (full) Renumber(block);
}

// Records that a step changed `inst`, if this may break a promise. If a pointer now points
// elsewhere, all its users are changed too.
void Editor::NoteTouched(Inst inst) {
  if (step_ == 0 || !MayBreakPromises(module_, inst)) return;
  // A parameter alone has no effect.
  const bool is_parameter = module_.Opcode(inst) == spv::Op::OpFunctionParameter;
  if (!is_parameter) AddTouched(module_.FunctionOf(inst));
  const Id result = module_.Result(inst);
  if (result == Id::kNone || module_.Type(inst) == Id::kNone ||
      !IsPointer(module_, module_.Type(inst))) {
    return;
  }
  ForEachUse(module_, result, [&](Use use) { AddTouched(module_.FunctionOf(module_.User(use))); });
}

void Editor::AddTouched(Function function) {
  if (function == Function::kNone) return;
  if (std::find(touched_.begin(), touched_.end(), function) == touched_.end()) {
    touched_.push_back(function);
  }
}

void Editor::Renumber(Block block) {
  uint64_t order = 0;
  for (Inst inst = module_.First(block); inst != Inst::kNone; inst = module_.Next(inst)) {
    Own(inst).order = (order += kOrderGap);
  }
}

void Editor::Unlink(Inst inst) {
  const Instruction record = module_[inst];
  if (record.prev != Inst::kNone) {
    Own(record.prev).next = record.next;
  } else {
    Own(record.block).first = record.next;
  }
  if (record.next != Inst::kNone) {
    Own(record.next).prev = record.prev;
  } else {
    Own(record.block).last = record.prev;
  }
}

// Only the first few instructions with the same content are indexed, because a hash index with many
// equal entries is slow.
void Editor::AddDeclaration(uint64_t hash, Inst inst) {
  constexpr int kEnough = 16;
  int equal = 0;
  module_.declarations_.Find(hash, [&](Inst other) {
    equal += module_[other].removed ? 0 : 1;
    return equal == kEnough;
  });
  if (equal < kEnough) module_.declarations_.Insert(hash, inst);
}

void Editor::AddGlobalVariable(Inst inst) {
  std::shared_ptr<std::vector<Inst>>& variables = module_.global_variables_;
  if (variables.use_count() > 1) variables = std::make_shared<std::vector<Inst>>(*variables);
  variables->push_back(inst);
}

Inst Editor::Append(Block block, spv::Op opcode, Id type, Id result, Name name, const Args& args) {
  const Inst inst = Create(opcode, type, result, name, args);
  Link(inst, block, Inst::kNone);
  Touch(inst);
  if (opcode == spv::Op::OpLabel) Own(block).label = inst;
  if (opcode == spv::Op::OpFunction) {
    Own(module_[block].function).definition = inst;
    // The new function may become a copy of one that makes a promise.
    if (module_.has_promises_ && step_ != 0) AddTouched(module_[block].function);
  }
  if (block == Module::SectionBlock(Section::kDeclarations) && result != Id::kNone) {
    AddDeclaration(Module::ContentHash(opcode, type, args), inst);
    if (opcode == spv::Op::OpVariable) AddGlobalVariable(inst);
  }
  return inst;
}

Id Editor::InsertValue(Inst where, spv::Op opcode, Id type, Name name, const Args& args) {
  const Id result = BindNewId(name);
  const Inst inst = Create(opcode, type, result, name, args);
  Link(inst, module_.BlockOf(where), where);
  Touch(inst);
  return result;
}

Inst Editor::InsertPlain(Inst where, spv::Op opcode, Name name, const Args& args) {
  const Inst inst = Create(opcode, Id::kNone, Id::kNone, name, args);
  Link(inst, module_.BlockOf(where), where);
  Touch(inst);
  if (IsMerge(opcode)) DropFlow(module_.BlockOf(where));
  return inst;
}

Id Editor::AppendValue(Block block, spv::Op opcode, Id type, Name name, const Args& args) {
  const Id result = BindNewId(name);
  Append(block, opcode, type, result, name, args);
  return result;
}

Inst Editor::AppendPlain(Block block, spv::Op opcode, Name name, const Args& args) {
  const Inst inst = Append(block, opcode, Id::kNone, Id::kNone, name, args);
  if (IsMerge(opcode) || IsTerminator(opcode)) DropFlow(block);
  return inst;
}

void Editor::RemoveAnnotations(Id id, Section section) {
  std::vector<Inst> users;
  const bool all = section != Section::kAnnotations;
  for (Use use = all ? module_.FirstUse(id) : module_.FirstDecoration(id); use != Use::kNone;
       use = module_.NextUse(use)) {
    const Inst user = module_.User(use);
    if (module_.BlockOf(user) == Module::SectionBlock(section)) users.push_back(user);
  }
  for (Inst user : users) {
    if (module_.OperandCount(user) > 0 && module_.IdAt(user, 0) == id) {
      Remove(user);
    } else {
      LeaveGroup(user, id);
    }
  }
}

// Removes a target from a group of decorations (SPIR-V 3.42.7).
void Editor::LeaveGroup(Inst group, Id target) {
  if (module_.Opcode(group) != spv::Op::OpGroupDecorate) return;
  Args args;
  for (uint32_t i = 0; i < module_.OperandCount(group); ++i) {
    if (module_.IdAt(group, i) != target) args.push_back(module_.IdAt(group, i));
  }
  SetOperands(group, args);
}

void Editor::Remove(Inst inst) {
  const spv::Op opcode = module_.Opcode(inst);
  if (IsMerge(opcode) || IsTerminator(opcode)) DropFlow(module_.BlockOf(inst));
  RemoveInstruction(inst);
}

void Editor::RemoveInstruction(Inst inst) {
  const Instruction record = module_[inst];
  CHECK(!record.removed);
  if (record.result != Id::kNone) {
    RemoveAnnotations(record.result, Section::kDebug);
    RemoveDecorations(record.result);
    CHECK(module_.FirstUse(record.result) == Use::kNone);
    module_.ids_.Mutable(Index(record.result)).definition = Inst::kNone;
  }
  ReleaseOperands(inst);
  Unlink(inst);
  module_.word_count_ -= 1 + (record.type != Id::kNone) + (record.result != Id::kNone);
  Own(inst).removed = true;
}

void Editor::MoveBefore(Inst inst, Inst where) {
  if (inst == where) return;
  // The block to which the merge instruction moves becomes the header.
  if (IsMerge(module_.Opcode(inst))) DropFlow(module_.BlockOf(inst));
  const Function from = module_.FunctionOf(inst);
  Unlink(inst);
  Link(inst, module_.BlockOf(where), where);
  if (module_.FunctionOf(inst) != from) Touch(inst);
}

void Editor::MarkCopy(Inst copy, Inst original) {
  MarkMadeOf(copy, original);
  const uint32_t count = module_.OperandCount(copy);
  if (count != module_.OperandCount(original)) return;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t step = module_.OperandAt(original, i).step;
    module_.operands_.Mutable(module_[copy].first_operand + i).step = step;
  }
}

void Editor::RemoveDecorations(Id id) {
  RemoveAnnotations(id, Section::kAnnotations);
}

Id Editor::Displace(Inst inst, Name name) {
  const Id old = module_.Result(inst);
  const Id id = BindNewId(name);
  Own(inst).result = id;
  Own(inst).name = name;
  module_.ids_.Mutable(Index(id)).definition = inst;
  module_.ids_.Mutable(Index(old)).definition = Inst::kNone;
  module_.names_.Insert(Module::NameHash(name), inst);
  std::vector<Use> decorations;
  for (Use use = module_.FirstDecoration(old); use != Use::kNone; use = module_.NextUse(use)) {
    decorations.push_back(use);
  }
  for (Use use : decorations) SetOperand(module_.User(use), module_.OperandIndex(use), id);
  return id;
}

void Editor::YieldAs(Inst where, Id displaced, Name name, spv::Op opcode, Id type,
                     const Args& args) {
  CHECK(module_.Definition(displaced) == Inst::kNone);
  const Inst inst = Create(opcode, type, displaced, name, args);
  Link(inst, module_.BlockOf(where), where);
  Touch(inst);
}

void Editor::CopyValueDecorations(Id from, Id to) {
  for (spv::Decoration decoration : {spv::Decoration::RelaxedPrecision,
                                     spv::Decoration::NoContraction, spv::Decoration::NonUniform}) {
    if (FindDecoration(module_, from, decoration) == Inst::kNone) continue;
    const uint32_t number = static_cast<uint32_t>(decoration);
    AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate,
                Made(0xdec0, module_.NameOf(to), uint64_t{number}), {to, number});
  }
}

// --- declarations

Id Editor::Declare(spv::Op opcode, Id type, const Args& args) {
  if (const Id found = module_.FindDeclaration(opcode, type, args); found != Id::kNone) {
    return found;
  }
  const Name name = DeclarationName(module_, opcode, type, args);
  return AppendValue(Module::SectionBlock(Section::kDeclarations), opcode, type, name, args);
}

Id Editor::DeclareDistinct(spv::Op opcode, Id type, Name name, const Args& args) {
  const Id id = BindNewId(name);
  const Inst inst = Create(opcode, type, id, name, args);
  Link(inst, Module::SectionBlock(Section::kDeclarations), Inst::kNone);
  if (opcode == spv::Op::OpVariable) AddGlobalVariable(inst);
  return id;
}

void Editor::AddToInterfaces(Id variable, Function function) {
  if (module_.version() < 0x00010400) return;
  for (Inst entry : EntryPointsReaching(module_, function)) {
    bool listed = false;
    ForEachUse(module_, variable, [&](Use use) { listed |= module_.User(use) == entry; });
    if (listed) continue;
    Args args;
    for (uint32_t i = 0; i < module_.OperandCount(entry); ++i) {
      args.push_back(module_.IsId(entry, i) ? Arg(module_.IdAt(entry, i))
                                            : Arg(module_.Word(entry, i)));
    }
    args.push_back(variable);
    SetOperands(entry, args);
  }
}

void Editor::SetHeader(uint32_t version, uint32_t generator, uint32_t schema, uint32_t bound) {
  module_.version_ = version;
  module_.generator_ = generator;
  module_.schema_ = schema;
  module_.bound_ = module_.next_file_id_ = bound;
  module_.word_count_ = 5;
  while (module_.blocks_.size() <= Index(Section::kCount)) module_.blocks_.push_back({});
  module_.functions_.push_back({});
  module_.flows_.resize(1);
}

void Editor::ExpectInstructions(size_t count) {
  module_.names_.Reserve(count);
}

}  // namespace ir
}  // namespace refract
