// SPDX-License-Identifier: Apache-2.0
// Copies some members of a block to a new block, in another order, with unused members and gaps.
// Accesses through constant indices read the new block; the old block remains for all other
// accesses.
#include "message/split_uniform_block.h"

#include <algorithm>

#include "base/check.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/uniform_block.h"
#include "rules/values.h"

namespace refract::split_uniform_block {
namespace {

using Message = message::SplitUniformBlock;
using Kind = message::Type::Kind;
using spv::Decoration;

constexpr size_t kMostMembers = 64;

NewBinding PlaceOf(const Message& message) {
  return {message.set, message.binding, false};
}

bool IsUnused(const message::BlockMember& member) {
  return !(member.unused == message::Type());
}

// The scalar type of a number or a vector of numbers, which can fill a gap; nullptr for other
// types.
const message::Type* NumberOf(const message::Type& type) {
  if (type.declared) return nullptr;
  const message::Type* scalar = &type;
  if (type.kind == Kind::kVector && type.parts.size() == 1) scalar = &type.parts[0];
  const bool is_number = scalar->kind == Kind::kInt || scalar->kind == Kind::kFloat;
  return is_number && !scalar->declared && scalar->width >= 32 ? scalar : nullptr;
}

Extent ExtentOfUnused(const message::Type& type) {
  return ExtentOfNumbers(NumberOf(type)->width, type.kind == Kind::kVector ? type.count : 1);
}

// True for decorations that a member may have and that its copy in the new block gets too.
bool IsCarried(Decoration decoration) {
  switch (decoration) {
    case Decoration::RowMajor:
    case Decoration::ColMajor:
    case Decoration::MatrixStride:
    case Decoration::RelaxedPrecision:
    case Decoration::NonWritable:
      return true;
    default:
      return false;
  }
}

template <class Visit>
void ForEachDecoration(const Module& module, Id type, uint32_t member, Visit visit) {
  for (Use use = module.FirstDecoration(type); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    const bool of_member = module.Opcode(user) == spv::Op::OpMemberDecorate
                               ? module.Word(user, 1) == member
                               : module.Opcode(user) != spv::Op::OpDecorate;
    if (of_member) visit(user);
  }
}

bool IsCarriedWhole(const Module& module, Id type, uint32_t member) {
  bool whole = true;
  ForEachDecoration(module, type, member, [&](Inst inst) {
    const bool is_plain = module.Opcode(inst) == spv::Op::OpMemberDecorate;
    const auto decoration = static_cast<Decoration>(module.Word(inst, is_plain ? 2 : 0));
    whole &= is_plain && (decoration == Decoration::Offset || IsCarried(decoration));
  });
  return whole;
}

// The member of the new block that an access chain would lead to; nullopt if none.
std::optional<uint32_t> NewIndexOf(const Module& module, const Message& message, Use use) {
  const Inst user = module.User(use);
  const spv::Op opcode = module.Opcode(user);
  if ((opcode != spv::Op::OpAccessChain && opcode != spv::Op::OpInBoundsAccessChain) ||
      module.OperandIndex(use) != 0 || module.OperandCount(user) < 2) {
    return std::nullopt;
  }
  const std::optional<uint64_t> index = LiteralValue(module, module.IdAt(user, 1));
  for (uint32_t i = 0; index && i < message.members.size(); ++i) {
    if (!IsUnused(message.members[i]) && message.members[i].member == *index) return i;
  }
  return std::nullopt;
}

struct Reader {
  Inst chain = Inst::kNone;
  uint32_t member = 0;  // index in the new block
};

// The access chains that will lead to the new block. Only the entry point under test executes them.
std::vector<Reader> ReadersOf(const View& view, const Message& message, Id variable) {
  const Module& module = view.module();
  std::vector<Reader> readers;
  std::vector<std::pair<Function, bool>> asked;
  ForEachUse(module, variable, [&](Use use) {
    const std::optional<uint32_t> member = NewIndexOf(module, message, use);
    if (!member) return;
    const Inst chain = module.User(use);
    const Function function = module.FunctionOf(chain);
    auto known = std::find_if(asked.begin(), asked.end(),
                              [&](const auto& one) { return one.first == function; });
    if (known == asked.end()) {
      asked.emplace_back(function, IsReachedByEntryAlone(view.context(), function));
      known = asked.end() - 1;
    }
    if (known->second) readers.push_back({chain, *member});
  });
  std::sort(readers.begin(), readers.end(),
            [](const auto& a, const auto& b) { return Index(a.chain) < Index(b.chain); });
  return readers;
}

CheckResult CheckMembers(const Message& message, const Module& module, const KnownBlock& block) {
  if (message.members.empty() || message.members.size() > kMostMembers) {
    return No("the new block has no members or too many members");
  }
  const uint32_t count = module.OperandCount(module.Definition(block.type));
  std::vector<PlacedMember> placed;
  std::vector<bool> taken(count);
  for (const message::BlockMember& member : message.members) {
    if (IsUnused(member)) {
      if (NumberOf(member.unused) == nullptr || !IsDeclarableHere(module, member.unused)) {
        return No("the type of an unused member is not a number or vector");
      }
      placed.push_back({member.offset, ExtentOfUnused(member.unused)});
      continue;
    }
    if (member.member >= count) return No("a member does not exist");
    if (taken[member.member]) return No("a member is listed twice");
    taken[member.member] = true;
    if (!IsCarriedWhole(module, block.type, member.member)) {
      return No("a decoration on a member forbids the change");
    }
    const auto extent =
        ExtentOf(module, PartType(module, block.type, member.member), LayoutRules::kUniform,
                 MatrixLayoutOf(module, block.type, member.member));
    if (!extent) return No("a member violates the uniform block layout rules or has no known size");
    placed.push_back({member.offset, *extent});
  }
  const auto whole = ExtentOfMembers(std::move(placed), LayoutRules::kUniform);
  if (!whole) return No("the members overlap or are not aligned");
  if (whole->size > KnownBlock().most_bytes()) return No("the new block is too large");
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Id variable = view.Value(message.variable);
  if (variable == Id::kNone) return No("the variable does not exist");
  const std::optional<KnownBlock> block = KnownBlockOf(view, variable);
  if (!block || block->push_constant) {
    return No("the variable is not a uniform block whose members all have a value in the inputs");
  }
  if (CheckResult check_result = CheckMembers(message, view.module(), *block); !check_result)
    return check_result;
  if (CheckResult check_result = MayBind(view, PlaceOf(message)); !check_result)
    return check_result;
  if (ReadersOf(view, message, variable).empty()) {
    return No("no instruction would read the new block");
  }
  return Yes();
}

// A nonzero number, so that a wrong read of an unused member is noticed.
uint64_t UnusedBits(const LaidOutScalar& scalar) {
  if (scalar.kind == LaidOutScalar::kInteger) return 77;
  return scalar.width == 64 ? 0x4008000000000000u : 0x40400000u;  // 3.0
}

std::vector<NewScalar> ScalarsOf(const View& view, const Message& message, const KnownBlock& block,
                                 const Layout& layout) {
  std::vector<NewScalar> scalars;
  for (const LaidOutScalar& place : layout.scalars) {
    const message::BlockMember& member = message.members[place.path[0]];
    NewScalar scalar{place, UnusedBits(place), false};
    std::vector<uint32_t> path = place.path;
    path[0] = member.member;
    for (const KnownValue& known : view.facts().known_inputs()) {
      if (IsUnused(member)) break;
      if (!known.push_constant && known.set == block.set && known.binding == block.binding &&
          known.path == path) {
        scalar.bits = known.bits;
      }
    }
    scalars.push_back(std::move(scalar));
  }
  return scalars;
}

// Copies the decorations of a member, except offsets, to the new block.
void CopyDecorations(ContextEditor& editor, Id from, uint32_t member, Id to, uint32_t as) {
  const Module& module = editor.module();
  std::vector<Inst> carried;
  ForEachDecoration(module, from, member, [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpMemberDecorate) return;
    if (IsCarried(static_cast<Decoration>(module.Word(inst, 2)))) carried.push_back(inst);
  });
  std::sort(carried.begin(), carried.end(), [&](Inst a, Inst b) { return module.Precedes(a, b); });
  for (Inst inst : carried) {
    std::optional<uint32_t> value;
    if (module.OperandCount(inst) > 3) value = module.Word(inst, 3);
    DecorateMember(editor, to, as, static_cast<Decoration>(module.Word(inst, 2)), value);
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id old = module.FindId(message.variable);
  const KnownBlock block = KnownBlockOf(editor.view(), old).value();
  const std::vector<Reader> readers = ReadersOf(editor.view(), message, old);
  std::vector<NewMember> members;
  for (const message::BlockMember& member : message.members) {
    const Id type = IsUnused(member) ? Declare(editor, member.unused)
                                     : PartType(module, block.type, member.member);
    members.push_back({type, member.offset});
  }
  const Id variable = AddUniformBlock(editor, members, PlaceOf(message));
  for (uint32_t i = 0; i < members.size(); ++i) {
    if (IsUnused(message.members[i])) continue;
    CopyDecorations(editor, block.type, message.members[i].member, variable, i);
  }
  const Result<Layout> layout = LayOut(module, ElementType(module, module.TypeOf(variable)), 0);
  CHECK(layout);
  RecordBlockInputs(editor, PlaceOf(message), ScalarsOf(editor.view(), message, block, *layout),
                    editor.view().context().inputs != nullptr);
  for (const Reader& reader : readers) {
    editor.SetOperand(reader.chain, 0, variable);
    const message::Constant index = ScalarConstant(IntType(32, true), reader.member);
    editor.SetOperand(reader.chain, 1, Declare(editor, index));
    editor.AddToInterfaces(variable, module.FunctionOf(reader.chain));
  }
}

// Picks an unused member that consists of numbers.
message::BlockMember PickUnused(Proposer& proposer) {
  message::BlockMember member;
  message::Type scalar = IntType(32, proposer.Pick(2) == 0);
  const auto count = static_cast<uint32_t>(1 + proposer.Pick(4));
  member.unused = scalar;
  if (count > 1) member.unused = VectorType(scalar, count);
  return member;
}

void OfferFor(Proposer& proposer, const KnownBlock& block) {
  const Module& module = proposer.module();
  Message message;
  message.variable = module.NameOf(block.variable);
  message.set = static_cast<uint32_t>(proposer.Pick(4));
  message.binding = static_cast<uint32_t>(proposer.Pick(64));
  const uint32_t count = module.OperandCount(module.Definition(block.type));
  for (uint32_t i = 0; i < count && message.members.size() < kMostMembers / 2; ++i) {
    if (count > 1 && proposer.Pick(3) == 0) continue;
    message::BlockMember member;
    member.member = i;
    message.members.push_back(member);
    if (proposer.Pick(3) == 0) message.members.push_back(PickUnused(proposer));
  }
  // Shuffles the order of the members, and then the order of their offsets.
  std::vector<size_t> order(message.members.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(message.members[i - 1], message.members[proposer.Pick(i)]);
    std::swap(order[i - 1], order[proposer.Pick(i)]);
  }
  uint64_t end = 0;
  for (size_t i : order) {
    message::BlockMember& member = message.members[i];
    std::optional<Extent> extent;
    if (IsUnused(member)) {
      extent = ExtentOfUnused(member.unused);
    } else {
      extent = ExtentOf(module, PartType(module, block.type, member.member), LayoutRules::kUniform,
                        MatrixLayoutOf(module, block.type, member.member));
    }
    if (!extent) return;
    const uint64_t unit = std::max<uint64_t>(extent->alignment, 1);
    if (proposer.Pick(4) == 0) end += 4 * (1 + proposer.Pick(16));
    member.offset = static_cast<uint32_t>((end + unit - 1) / unit * unit);
    end = member.offset + extent->size;
  }
  if (Check(message, proposer.view())) proposer.Offer(std::move(message));
}

void Propose(Proposer& proposer) {
  for (const KnownBlock& block : KnownBlocks(proposer.view())) {
    if (!block.push_constant && proposer.ShouldTry()) OfferFor(proposer, block);
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"set_block_layout", "replace_constant_with_uniform"}});

}  // namespace refract::split_uniform_block
