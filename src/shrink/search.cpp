// SPDX-License-Identifier: Apache-2.0
#include "shrink/search.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "ir/branches.h"
#include "ir/types.h"
#include "shrink/plain_values.h"
#include "shrink/repair.h"

namespace refract {
inline namespace shrink {
namespace {

constexpr ShrinkPass kPasses[] = {
    {"remove unreachable code", RemoveUnreachableCode},
    {"remove entry points", RemoveEntryPoints, false},
    {"empty functions", EmptyFunctions},
    {"move entry points", MoveEntryPoints, false},
    {"remove unused", RemoveUnused},
    {"skip constructs", SkipConstructs},
    {"end functions earlier", EndFunctionsEarlier},
    {"remove instructions", RemoveInstructions},
    {"take one side", TakeOneSide},
    {"open loops", OpenLoops},
    {"redirect edges", RedirectEdges},
    {"remove cases", RemoveCases},
    {"merge blocks", MergeBlocks},
    {.name = "forward operands", .find = ForwardOperands, .repeats = false},
    {"forward stores", ForwardStores, true, PassUse::kWrongOutputs},
    {"undefined values", UndefinedValues, false, PassUse::kOtherFailures},
    {.name = "plain operands", .find = PlainOperands, .repeats = false},
    {.name = "one operands", .find = OneOperands, .use = PassUse::kWrongOutputs, .repeats = false},
    {.name = "older operands", .find = OlderOperands, .repeats = false},
    {.name = "remove parameters", .find = RemoveParameters, .repeats = false},
    {.name = "return nothing", .find = ReturnNothing, .repeats = false},
    {"remove members", RemoveMembers, false},
    {"shorten arrays", ShortenArrays, false},
    {"plain constants", PlainConstants, false},
    {"plain literals", PlainLiterals},
};

// Weights of operands for Weight::operands: a local value weighs more the later it is defined.
class OperandWeights {
 public:
  explicit OperandWeights(const Module& module)
      : module_(module), weights_(module.instruction_slots(), 0) {
    uint64_t next = kFirst;
    ForEachFunction(module, [&](Function function) {
      next = kFirst;
      ForEachInstruction(module, module[function].head, [&](Inst inst) { At(inst) = next; });
      ForEachBlock(module, function, [&](Block block) {
        ForEachInstruction(module, block, [&](Inst inst) {
          At(inst) = module.Opcode(inst) == spv::Op::OpVariable ? kFirst : next++;
        });
      });
    });
  }

  uint64_t WeightOf(Id id) const {
    const Inst definition = module_.Definition(id);
    if (definition == Inst::kNone || module_.Type(definition) == Id::kNone) return 0;
    if (weights_[Index(definition)] != 0) return weights_[Index(definition)];
    if (!IsConstant(module_.Opcode(definition))) return 3;
    return static_cast<uint64_t>(Plainness(module_, definition));
  }

 private:
  static constexpr uint64_t kFirst = 4;
  uint64_t& At(Inst inst) { return weights_[Index(inst)]; }
  const Module& module_;
  std::vector<uint64_t> weights_;
};

uint64_t LiteralWeight(const Module& module, Inst inst) {
  const auto of = [&](uint32_t operand) -> uint64_t {
    if (operand >= module.OperandCount(inst) || module.IsId(inst, operand)) return 0;
    return std::min<uint64_t>(module.Word(inst, operand), 2);
  };
  switch (module.Opcode(inst)) {
    case spv::Op::OpConstant:
      return static_cast<uint64_t>(Plainness(module, inst));
    case spv::Op::OpSpecConstant:
    case spv::Op::OpSpecConstantTrue:
    case spv::Op::OpSpecConstantFalse:
      return 3;
    case spv::Op::OpExecutionMode:
      return of(2) + of(3) + of(4);
    case spv::Op::OpTypeArray:
      return LiteralValue(module, module.IdAt(inst, 1)) == std::optional<uint64_t>(1) ? 0 : 2;
    case spv::Op::OpFunction:
      return of(0);
    case spv::Op::OpSelectionMerge:
      return of(1);
    case spv::Op::OpLoopMerge:
      return of(2);
    default:
      return 0;
  }
}

// A parameter weighs more than a variable, and a result more than no result.
uint64_t FunctionTypeWeight(const Module& module, Inst inst) {
  if (module.Opcode(inst) == spv::Op::OpFunctionParameter) return 2;
  if (module.Opcode(inst) != spv::Op::OpFunction) return 0;
  return module.OpcodeOf(module.Type(inst)) == spv::Op::OpTypeVoid ? 0 : 2;
}

// True for passes that mostly change what is outside of functions.
bool IsForDeclarations(const ShrinkPass& pass) {
  return !pass.for_functions || pass.find == RemoveUnused || pass.find == PlainLiterals;
}

// The size of the first chunk of a pass that finds `size` edits and ended its last turn with `left`
// edits. Most of these probably fail again, so a chunk with many of them is not worth a try.
size_t FirstChunk(size_t size, size_t left) {
  if (size > 2 * left) return size;
  return size == 0 ? 0 : std::max<size_t>(1, size - std::min(size, left));
}

}  // namespace

std::span<const ShrinkPass> ShrinkPasses() {
  return kPasses;
}

Weight WeightOf(const Module& module) {
  Weight weight;
  const OperandWeights operand_weights(module);
  weight.words = module.word_count();
  const auto count = [&](Block list, bool in_body) {
    ForEachInstruction(module, list, [&](Inst inst) {
      ++weight.instructions;
      weight.literals += LiteralWeight(module, inst);
      weight.operands += FunctionTypeWeight(module, inst);
      if (!in_body) return;
      ++weight.body;
      for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
        if (module.IsId(inst, i)) weight.operands += operand_weights.WeightOf(module.IdAt(inst, i));
      }
    });
  };
  for (uint32_t s = 1; s <= Index(Section::kCount); ++s) count(static_cast<Block>(s), false);
  ForEachFunction(module, [&](Function function) {
    count(module[function].head, false);
    ForEachInstruction(module, module[function].head, [&](Inst inst) {
      if (module.Opcode(inst) == spv::Op::OpFunctionParameter) ++weight.body;
    });
    ForEachBlock(module, function, [&](Block block) { count(block, true); });
    count(module[function].tail, false);
  });
  return weight;
}

ModuleSearch::ModuleSearch(Module start, Function only, Filter filter, PassUse use)
    : best_(std::move(start)),
      weight_(WeightOf(best_)),
      only_(only),
      use_(use),
      filter_(std::move(filter)) {}

void ModuleSearch::BeginWithDeclarations() {
  CHECK(queue_.empty());
  next_.same_code = std::size(kPasses);
}

const SearchCandidate* ModuleSearch::Candidate(size_t ahead) {
  while (queue_.size() <= ahead) {
    if (!Prepare()) return nullptr;
  }
  return &queue_[ahead].candidate;
}

size_t ModuleSearch::End(const Position& position) {
  return std::min(position.begin + position.chunk, position.edits->size());
}

// Moves to the next chunk that has edits, in this pass or a later one. The first pass comes after
// the last one. Returns false at the end of the search: no pass has found a change since its last
// turn.
bool ModuleSearch::FindEdits(Position* position) const {
  position->left.resize(std::size(kPasses), 0);
  while (true) {
    if (position->edits != nullptr) {
      const size_t size = position->edits->size();
      if (position->begin < size && position->chunk > 0) return true;
      position->begin = 0;
      position->chunk = std::min(position->chunk, 2 * size) / 2;
      if (position->chunk > 0) continue;
      if (position->fits) position->left[position->pass] = size;
      position->unchanged = position->changed ? 0 : position->unchanged + 1;
      position->same_code = position->removed_code ? 0 : position->same_code + 1;
      position->pass = (position->pass + 1) % std::size(kPasses);
      position->edits = nullptr;
      position->changed = position->removed_code = false;
    }
    if (position->unchanged == std::size(kPasses)) return false;
    const ShrinkPass& pass = kPasses[position->pass];
    // What changes outside of functions, or becomes plainer, rarely makes it possible to remove
    // more code.
    const bool may_change = IsForDeclarations(pass) || position->same_code < std::size(kPasses);
    const bool fits = may_change && (only_ == Function::kNone || pass.for_functions) &&
                      (pass.use == PassUse::kAlways || pass.use == use_);
    position->fits = fits;
    const size_t left = position->left[position->pass];
    auto edits = std::make_shared<const Edits>(fits ? pass.find(best_, only_) : Edits());
    const bool finds_more = pass.repeats || edits->size() > left;
    position->chunk = finds_more ? FirstChunk(edits->size(), left) : 0;
    position->begin = 0;
    position->edits = std::move(edits);
  }
}

std::optional<Module> ModuleSearch::Apply(const Position& position) const {
  Module module = best_;
  Editor editor(module, Name::kDeclaredStep);
  bool changed = false;
  const size_t end = End(position);
  for (size_t i = position.begin; i < end; ++i) changed |= (*position.edits)[i](editor);
  if (!changed) return std::nullopt;
  std::vector<Function> functions;
  ForEachFunctionOf(module, only_, [&](Function function) { functions.push_back(function); });
  // The failure may need what was unreachable before the change, so a pass of its own removes that.
  std::set<Block> left_alone;
  ForEachFunctionOf(best_, only_, [&](Function function) {
    left_alone.merge(UnreachableBlocks(best_, function));
  });
  for (Function function : functions) {
    if (!Repair(editor, function, left_alone)) return std::nullopt;
  }
  return module;
}

bool ModuleSearch::Prepare() {
  if (!FindEdits(&next_)) return false;
  const Position position = next_;
  next_.begin = End(next_);
  std::optional<Module> module = Apply(position);
  if (!module) return true;
  const Weight weight = WeightOf(*module);
  if (!(weight < weight_)) return true;
  SearchCandidate candidate{std::move(*module), kPasses[position.pass].name, {}};
  if (filter_(&candidate)) queue_.push_back({position, std::move(candidate), weight});
  return true;
}

void ModuleSearch::TakeAnswer(bool interesting) {
  CHECK(!queue_.empty());
  Prepared first = std::move(queue_.front());
  queue_.pop_front();
  if (!interesting) return;
  queue_.clear();
  const bool removes_code = first.weight.body < weight_.body;
  best_ = std::move(first.candidate.module);
  weight_ = first.weight;
  const Edits& edits = *first.position.edits;
  const auto at = [&](size_t i) { return edits.begin() + static_cast<ptrdiff_t>(i); };
  Edits rest(edits.begin(), at(first.position.begin));
  rest.insert(rest.end(), at(End(first.position)), edits.end());
  next_ = std::move(first.position);
  next_.edits = std::make_shared<const Edits>(std::move(rest));
  next_.changed = true;
  next_.removed_code |= removes_code;
}

Module SearchSmaller(Module start, Function only, const Ask& ask) {
  ModuleSearch search(std::move(start), only, [](SearchCandidate*) { return true; });
  while (const SearchCandidate* candidate = search.Candidate()) {
    const Answer answer = ask(candidate->module, candidate->pass);
    search.TakeAnswer(answer == Answer::kYes);
    if (answer == Answer::kStop) break;
  }
  return search.TakeBest();
}

}  // namespace shrink
}  // namespace refract
