// SPDX-License-Identifier: Apache-2.0
// A wave of pressure: so many values are wanted at one place, however long ago they were made. Each
// of their numbers becomes 32 bits; of wider ones the low half stands for both.
#include "message/keep_values_alive.h"

#include <algorithm>
#include <set>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "transform/declare.h"
#include "transform/defined.h"
#include "transform/known_values.h"
#include "transform/live_range.h"
#include "transform/recipe.h"
#include "transform/uses.h"
#include "transform/values.h"

namespace refract::keep_values_alive {
namespace {

using Message = message::KeepValuesAlive;
using Chain = Message::Chain;
using Fold = Message::Fold;
using message::Type;
using Op = spv::Op;
enum Role : uint64_t {
  kResult = 1,
  kPart = 2,
  kBits = 3,
  kWord = 4,
  kLink = 5,
  kMasked = 6,
  kNarrowed = 7,
  kCondition = 8,
  kSplat = 9,
  kValueBits = 10,
  kFolded = 11
};

constexpr size_t kMostKept = 256;
constexpr uint64_t kMostParts = 512;  // numbers in all of them together
constexpr uint32_t kVersion14 = 0x00010400;

Type Word() {
  return IntType(32, false);
}

// Whether a number or boolean can be made 32 bits.
bool CanBeWord(const Module& module, Id scalar) {
  if (IsBool(module, scalar) || IsInt(module, scalar)) return true;
  return IsFloat(module, scalar) && IsDeclarableHere(module, IntType(Width(module, scalar), false));
}

// Whether all numbers in a value of the type can; it has not too many.
bool AreWords(const Module& module, Id type) {
  const Id scalar = ScalarType(module, type);
  if (scalar != Id::kNone) return CanBeWord(module, scalar);
  const uint32_t count = PartCount(module, type).value_or(0);
  const bool is_struct = TypeOpcode(module, type) == Op::OpTypeStruct;
  for (uint32_t i = 0; i < (is_struct ? count : std::min(count, 1u)); ++i) {
    if (!AreWords(module, PartType(module, type, i))) return false;
  }
  return true;
}

// Whether the result can be folded into the value that way.
bool Fits(const View& view, Fold fold, Id value) {
  const Module& module = view.module();
  const Id type = module.TypeOf(value), scalar = ScalarType(module, type);
  if (fold == Fold::kBySelect) {
    if (!HasNull(module, type)) return false;
    return scalar != Id::kNone || module.version() >= kVersion14;
  }
  if (scalar == Id::kNone ||
      FindDecoration(module, value, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
    return false;
  }
  if (IsBool(module, scalar)) return fold == Fold::kByXor || fold == Fold::kByOr;
  return IsInt(module, scalar) || HasSureBits(view, value);
}

// Of what ints the masked result is to be for that, for a value of the type.
Type FoldedType(const Module& module, Fold fold, Id type) {
  const Id scalar = ScalarType(module, type);
  if (fold == Fold::kBySelect || IsBool(module, scalar)) return Word();
  return WithScalar(Describe(module, type), IntType(Width(module, scalar), false));
}

// The condition that a value of the type is selected by, or the boolean it is folded with.
Type ConditionType(const Module& module, Fold fold, Id type) {
  const bool is_vector = IsVector(module, type);
  if (!is_vector || (fold == Fold::kBySelect && module.version() >= kVersion14)) return BoolType();
  return WithScalar(Describe(module, type), BoolType());
}

Verdict CheckKept(const Message& message, const View& view, Inst before) {
  const Module& module = view.module();
  if (message.kept.empty() || message.kept.size() > kMostKept) {
    return No("there are no values to keep, or too many");
  }
  std::set<Id> seen;
  uint64_t parts = 0;
  for (const Name& name : message.kept) {
    const Id id = view.Value(name);
    if (id == Id::kNone) return No("a value to keep is not there");
    if (!seen.insert(id).second) return No("a value is to be kept twice");
    const Id type = module.TypeOf(id);
    if (!IsOrdinary(module, type)) return No("a value to keep is not made of numbers and booleans");
    parts += ScalarCount(module, type);
    if (parts > kMostParts) return No("the values to keep have too many parts");
    if (!AreWords(module, type)) return No("a value to keep cannot be seen as ints");
    if (!IsAvailable(module, id, before)) return No("a value to keep is not available there");
    if (!IsSurelyDefined(view, id)) return No("a value to keep may be undefined");
  }
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (static_cast<uint32_t>(message.chain) > static_cast<uint32_t>(Chain::kOr) ||
      static_cast<uint32_t>(message.fold) > static_cast<uint32_t>(Fold::kBySelect)) {
    return No("there is no such way");
  }
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  if (!MayInsertBefore(module, Op::OpCopyObject, before)) return No("nothing can be put there");
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value is not there");
  if (const Verdict v = MayHaveSynonym(view, value); !v) return v;
  if (!IsAvailable(module, value, before)) return No("the value is not available there");
  if (!Fits(view, message.fold, value)) return No("nothing is folded into the value that way");
  const Id type = module.TypeOf(value);
  if (!IsDeclarableHere(module, Word()) || !IsDeclarableHere(module, BoolType()) ||
      !IsDeclarableHere(module, FoldedType(module, message.fold, type)) ||
      !IsDeclarableHere(module, ConditionType(module, message.fold, type))) {
    return No("a type that is needed cannot be declared");
  }
  return CheckKept(message, view, before);
}

class Wave {
 public:
  Wave(ContextEditor& editor, const Message& message)
      : editor_(editor),
        module_(editor.module()),
        message_(message),
        before_(module_.Find(message.before)),
        word_(Declare(editor, Word())),
        zero_(Declare(editor, ScalarConstant(Word(), 0))) {}

  Id Make() {
    for (const Name& name : message_.kept) {
      name_ = name;
      part_ = 0;
      Keep(module_.FindId(name), {});
    }
    const Id masked = Put(Op::OpBitwiseAnd, word_, editor_.Made(kMasked), {chain_, zero_});
    return FoldInto(module_.FindId(message_.value), masked);
  }

 private:
  Id Put(Op opcode, Id type, Name name, const Args& args) {
    return editor_.InsertValue(before_, opcode, type, name, args);
  }

  // Takes each number of the value `whole` that is below `path` into the chain.
  void Keep(Id whole, const Args& path) {
    Id type = module_.TypeOf(whole);
    for (const Arg& index : path) type = PartType(module_, type, index.word);
    const bool is_scalar = ScalarType(module_, type) == type;
    if (!is_scalar) {
      const uint32_t count = *PartCount(module_, type);
      for (uint32_t i = 0; i < count; ++i) {
        Args deeper = path;
        deeper.push_back(i);
        Keep(whole, deeper);
      }
      return;
    }
    Id number = whole;
    if (!path.empty()) {
      Args args{whole};
      args.insert(args.end(), path.begin(), path.end());
      number = Put(Op::OpCompositeExtract, type, editor_.Made(kPart, name_, part_), args);
    }
    Add(ToWord(number, type));
    ++part_;
  }

  Id ToWord(Id number, Id type) {
    const Name name = editor_.Made(kWord, name_, part_);
    if (IsBool(module_, type)) {
      const Id one = Declare(editor_, ScalarConstant(Word(), 1));
      return Put(Op::OpSelect, word_, name, {number, one, zero_});
    }
    const uint32_t width = Width(module_, type);
    if (IsFloat(module_, type)) {
      number = Put(Op::OpBitcast, Declare(editor_, IntType(width, false)),
                   editor_.Made(kBits, name_, part_), {number});
    }
    return width == 32 ? number : Put(Op::OpUConvert, word_, name, {number});
  }

  void Add(Id word) {
    if (chain_ == Id::kNone) {
      chain_ = word;
      return;
    }
    const Op op = message_.chain == Chain::kXor   ? Op::OpBitwiseXor
                  : message_.chain == Chain::kAdd ? Op::OpIAdd
                                                  : Op::OpBitwiseOr;
    chain_ = Put(op, word_, editor_.Made(kLink, name_, part_), {chain_, word});
  }

  // As many of it as the type has components.
  Id Splat(Id scalar, const Type& type) {
    if (type.kind != Type::Kind::kVector) return scalar;
    const Args args(type.count, scalar);
    return Put(Op::OpCompositeConstruct, Declare(editor_, type), editor_.Made(kSplat), args);
  }

  Id FoldInto(Id value, Id masked) {
    const Id type = module_.TypeOf(value), scalar = ScalarType(module_, type);
    const Fold fold = message_.fold;
    const Name result = editor_.Made(kResult);
    if (fold == Fold::kBySelect || IsBool(module_, scalar)) {
      const Id is_not_zero = Put(Op::OpINotEqual, Declare(editor_, BoolType()),
                                 editor_.Made(kCondition), {masked, zero_});
      const Id condition = Splat(is_not_zero, ConditionType(module_, fold, type));
      if (fold == Fold::kBySelect) {
        return Put(Op::OpSelect, type, result, {condition, DeclareNull(editor_, type), value});
      }
      const Op op = fold == Fold::kByXor ? Op::OpLogicalNotEqual : Op::OpLogicalOr;
      return Put(op, type, result, {value, condition});
    }
    const Type folded = FoldedType(module_, fold, type);
    if (Width(module_, scalar) != 32) {
      const Id narrow = Declare(editor_, ScalarOf(folded));
      masked = Put(Op::OpUConvert, narrow, editor_.Made(kNarrowed), {masked});
    }
    const Id other = Splat(masked, folded);
    if (IsInt(module_, scalar)) return Put(FoldOp(), type, result, {value, other});
    const Id of_bits = Declare(editor_, folded);
    const Id bits = Put(Op::OpBitcast, of_bits, editor_.Made(kValueBits), {value});
    const Id same = Put(FoldOp(), of_bits, editor_.Made(kFolded), {bits, other});
    return Put(Op::OpBitcast, type, result, {same});
  }

  Op FoldOp() const {
    switch (message_.fold) {
      case Fold::kByAdd:
        return Op::OpIAdd;
      case Fold::kBySubtract:
        return Op::OpISub;
      case Fold::kByOr:
        return Op::OpBitwiseOr;
      default:
        return Op::OpBitwiseXor;
    }
  }

  ContextEditor& editor_;
  const Module& module_;
  const Message& message_;
  const Inst before_;
  const Id word_, zero_;
  Id chain_ = Id::kNone;
  Name name_;          // of the value that is being kept
  uint64_t part_ = 0;  // which number of it
};

void Apply(const Message& message, ContextEditor& editor) {
  const Id result = Wave(editor, message).Make();
  const Id value = editor.module().FindId(message.value);
  editor.facts().AddSynonym(Part(result), Part(value), editor.Because());
}

// How many values: mostly few, now and then as many as there are registers.
size_t PickCount(Proposer& proposer) {
  switch (proposer.Pick(24)) {
    case 0:
      return 64 + proposer.Pick(kMostKept - 63);
    case 1:
    case 2:
    case 3:
      return 16 + proposer.Pick(49);
    default:
      return 1 + proposer.Pick(8);
  }
}

// Something that the instruction uses and that may be replaced, so that the new one may come there.
Id PickValue(Proposer& proposer, Inst before) {
  const Module& module = proposer.module();
  const Block block = module.BlockOf(before);
  const Inst user = before == EndOfBlock(module, block) ? module.Terminator(block) : before;
  std::vector<Id> fitting;
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (!module.IsId(user, i) || !MayBeAnyValue(module, {user, i})) continue;
    const Id id = module.IdAt(user, i);
    if (module.TypeOf(id) != Id::kNone && MayHaveSynonym(proposer.view(), id)) {
      fitting.push_back(id);
    }
  }
  if (fitting.empty()) fitting = ValuesNear(module, before, 8);
  return fitting.empty() ? Id::kNone : fitting[proposer.Pick(fitting.size())];
}

// So many of those above, mostly far ones if there are any.
std::vector<Name> PickKept(Proposer& proposer, Inst before, size_t count) {
  const Module& module = proposer.module();
  ValuesAbove above = FindValuesAbove(module, before, 96 + 8 * count);
  std::vector<Id>& values = above.values;
  if (above.far < values.size() && proposer.Pick(4) != 0) {
    values.erase(values.begin(), values.begin() + static_cast<ptrdiff_t>(above.far));
  }
  // First of all what a store overwrites.
  Id next = LoadOfOverwritten(module, before);
  if (next != Id::kNone) {
    std::erase(values, next);
    values.push_back(next);
  }
  std::vector<Name> kept;
  uint64_t parts = 0;
  while (!values.empty() && kept.size() < count) {
    if (next == Id::kNone) std::swap(values[proposer.Pick(values.size())], values.back());
    next = Id::kNone;
    const Id id = values.back();
    values.pop_back();
    const uint64_t more = ScalarCount(module, module.TypeOf(id));
    if (parts + more > kMostParts || !AreWords(module, module.TypeOf(id)) ||
        !IsSurelyDefined(proposer.view(), id)) {
      continue;
    }
    parts += more;
    kept.push_back(module.NameOf(id));
  }
  return kept;
}

void Offer(Proposer& proposer, Inst before) {
  const Module& module = proposer.module();
  const Id value = PickValue(proposer, before);
  if (value == Id::kNone) return;
  std::vector<Fold> fitting;
  for (uint32_t i = 0; i <= static_cast<uint32_t>(Fold::kBySelect); ++i) {
    const auto fold = static_cast<Fold>(i);
    if (Fits(proposer.view(), fold, value)) fitting.push_back(fold);
  }
  if (fitting.empty()) return;
  const Fold fold = fitting[proposer.Pick(fitting.size())];
  const auto chain = static_cast<Chain>(proposer.Pick(3));
  Message message{module.NameOf(before), module.NameOf(value),
                  PickKept(proposer, before, PickCount(proposer)), chain, fold};
  if (Check(message, proposer.view())) proposer.Offer(std::move(message));
}

// Somewhere in the block, or kNone.
Inst PickPlace(Proposer& proposer, Block block) {
  const Module& module = proposer.module();
  std::vector<Inst> places;
  ForEachInstruction(module, block, [&](Inst inst) {
    if (MayInsertBefore(module, Op::OpCopyObject, inst)) places.push_back(inst);
  });
  if (places.empty()) return Inst::kNone;
  return OldestPlaceFrom(module, Op::OpCopyObject, places[proposer.Pick(places.size())]);
}

// One place of a block, not each of its instructions: a wave is large.
void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.Toss()) return;
      const Inst before = PickPlace(proposer, block);
      if (before != Inst::kNone) Offer(proposer, before);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {3, 20},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_opaque_value",
                    "replace_id_with_synonym", "replace_constant_with_arithmetic"}});

}  // namespace refract::keep_values_alive
