// SPDX-License-Identifier: Apache-2.0
// Adds a phi that is a synonym of a value. Synonyms are equal wherever both are available.
// Therefore the value itself must be available at the end of every predecessor, not only its
// substitute: if two values each equal a third where that one is available, they may differ
// elsewhere.
#include "message/add_phi_synonym.h"

#include <map>

#include "ir/availability.h"
#include "rules/context_editor.h"
#include "rules/values.h"

namespace refract::add_phi_synonym {
namespace {

using Message = message::AddPhiSynonym;
enum Role : uint64_t { kPhi = 1 };

// The substitutes that the message gives for the value, by block. Substitutes for blocks that are
// not predecessors have no effect.
std::map<Block, Name> OthersOf(const Message& message, const View& view) {
  std::map<Block, Name> others;
  for (const message::EdgeValue& other : message.others) {
    const Block from = view.BlockEnding(other.edge_from);
    others.emplace(from, other.value);
  }
  return others;
}

CheckResult CheckInput(const View& view, Id value, Id input, Block from) {
  const Module& module = view.module();
  if (!IsAvailableAtEnd(module, value, from)) {
    return No("the value is not available at the end of a predecessor");
  }
  if (input == value) return Yes();
  if (!IsAvailableAtEnd(module, input, from)) {
    return No("the phi's value for a predecessor is not available at the end of that predecessor");
  }
  if (module.TypeOf(input) != module.TypeOf(value)) {
    return No("the phi's value for a predecessor has another type");
  }
  if (!view.AreSynonymous(Part(value), Part(input))) {
    return No("the phi's value for a predecessor is not known to equal the original value");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Block block = view.BlockStarting(message.block);
  if (block == Block::kNone) return No("the block does not exist");
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (const CheckResult v = MayHaveSynonym(view, value); !v) return v;
  const ControlFlow& flow = module.Flow(module[block].function);
  if (!flow.Reachable(block)) return No("the block is unreachable");
  if (flow.Predecessors(block).empty()) return No("the block has no predecessors");
  // All names in the message must exist, even those without effect, because the step depends on the
  // steps that made them.
  for (const message::EdgeValue& other : message.others) {
    if (view.BlockEnding(other.edge_from) == Block::kNone) return No("a branch does not exist");
    if (view.Value(other.value) == Id::kNone) {
      return No("the phi's value for a predecessor does not exist");
    }
  }
  const std::map<Block, Name> others = OthersOf(message, view);
  for (Block from : flow.Predecessors(block)) {
    const auto other = others.find(from);
    const Id input = other == others.end() ? value : view.Value(other->second);
    if (const CheckResult v = CheckInput(view, value, input, from); !v) return v;
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Block block = editor.view().BlockStarting(message.block);
  const Id value = editor.view().Value(message.value);
  const std::map<Block, Name> others = OthersOf(message, editor.view());
  Args args;
  for (Block from : module.Flow(module[block].function).Predecessors(block)) {
    const auto other = others.find(from);
    args.push_back(other == others.end() ? value : editor.view().Value(other->second));
    args.push_back(module.LabelId(from));
  }
  const Id phi = editor.InsertValue(module.Next(module.Label(block)), spv::Op::OpPhi,
                                    module.TypeOf(value), editor.Made(kPhi), args);
  editor.facts().AddSynonym(Part(phi), Part(value), editor.Provenance());
}

// A whole value that is a synonym of this one and available at the end of the block; none if
// not found.
Name PickOther(Proposer& proposer, Id value, Block from) {
  constexpr size_t kSynonyms = 8;
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  if (!facts.MayHaveSynonyms(value)) return {};
  std::vector<Id> found;
  for (const Facts::Synonym& synonym : facts.SynonymsOf(module, Part(value), kSynonyms)) {
    const Id id = synonym.part.value;
    if (synonym.part.depth == 0 && module.TypeOf(id) == module.TypeOf(value) &&
        facts.Irrelevant(id) == nullptr && IsAvailableAtEnd(module, id, from)) {
      found.push_back(id);
    }
  }
  return found.empty() ? Name{} : module.NameOf(found[proposer.Pick(found.size())]);
}

void ProposeAt(Proposer& proposer, Block block) {
  constexpr size_t kMostPredecessors = 16, kNear = 24;
  const Module& module = proposer.module();
  const ControlFlow& flow = module.Flow(module[block].function);
  const auto predecessors = flow.Predecessors(block);
  if (!flow.Reachable(block) || predecessors.empty()) return;
  if (predecessors.size() > kMostPredecessors) return;
  std::vector<Id> near = ValuesNear(module, module.Terminator(predecessors[0]), kNear);
  // Prefer values with synonyms, if there are any.
  std::vector<Id> with_synonyms;
  for (Id id : near) {
    if (proposer.view().facts().MayHaveSynonyms(id)) with_synonyms.push_back(id);
  }
  if (!with_synonyms.empty() && proposer.Pick(4) != 0) near = with_synonyms;
  for (int tries = 0; tries < 4 && !near.empty(); ++tries) {
    const Id value = near[proposer.Pick(near.size())];
    Message message{module.NameOf(module.Label(block)), module.NameOf(value), {}};
    for (Block from : predecessors) {
      if (proposer.Pick(4) == 0) continue;
      const Name other = PickOther(proposer, value, from);
      if (other) message.others.push_back({module.NameOf(module.Terminator(from)), other});
    }
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (block != module[function].first && proposer.ShouldTry()) ProposeAt(proposer, block);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60},
     .follow_ons = {"replace_id_with_synonym", "permute_phi_operands",
                    "replace_phi_operand_from_dead_predecessor"}});

}  // namespace refract::add_phi_synonym
