// SPDX-License-Identifier: Apache-2.0
// Keeps many values alive up to one place, however early they were computed, to create register
// pressure.
#include "message/keep_values_alive.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/legality/defined.h"
#include "rules/legality/known_values.h"
#include "rules/legality/live_range.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/synonym/words.h"

namespace refract::keep_values_alive {
namespace {

using Message = message::KeepValuesAlive;
using Chain = Message::Chain;
using Fold = Message::Fold;
using message::Type;
using Op = spv::Op;
enum Role : uint64_t {
  kResult = 1,
  kWords = 2,
  kLink = 3,
  kMasked = 4,
  kNarrowed = 5,
  kCondition = 6,
  kSplat = 7,
  kBits = 8,
  kFolded = 9
};

constexpr size_t kMostKept = 256;
constexpr size_t kMuch = 4;
constexpr uint64_t kMostParts = 512;  // numbers in all values together
constexpr uint32_t kVersion14 = 0x00010400;

// True if the result can be folded into the value in this way.
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

// The int type that the masked result must have to be folded into a value of this type.
Type FoldedType(const Module& module, Fold fold, Id type) {
  const Id scalar = ScalarType(module, type);
  if (fold == Fold::kBySelect || IsBool(module, scalar)) return WordType();
  return WithScalar(Describe(module, type), IntType(Width(module, scalar), false));
}

// The type of the select condition for a value of this type, or of the boolean that is folded into
// it.
Type ConditionType(const Module& module, Fold fold, Id type) {
  const bool is_vector = IsVector(module, type);
  if (!is_vector || (fold == Fold::kBySelect && module.version() >= kVersion14)) return BoolType();
  return WithScalar(Describe(module, type), BoolType());
}

// Checks that a value can be kept alive there, together with values that have `parts` numbers in
// total.
CheckResult CheckKept(const View& view, Id id, Inst before, uint64_t parts) {
  const Module& module = view.module();
  if (id == Id::kNone) return No("a value that the step keeps alive does not exist");
  const Id type = module.TypeOf(id);
  if (!IsOrdinary(module, type)) {
    return No("a value that the step keeps alive does not consist of numbers and booleans");
  }
  if (parts + ScalarCount(module, type) > kMostParts) {
    return No("the values that the step keeps alive have too many parts");
  }
  if (!AreWords(module, type)) {
    return No("a value that the step keeps alive cannot be converted to integers");
  }
  if (!IsAvailable(module, id, before)) {
    return No("a value that the step keeps alive is not available at the insertion point");
  }
  if (!IsSurelyDefined(view, id))
    return No("a value that the step would use again may be undefined");
  return Yes();
}

// The values of the message that exist and can be kept. They come from many steps, and each may be
// missing without harm except the first, so the step depends only on the first.
std::vector<Id> KeptBy(const Message& message, const View& view, Inst before) {
  const Module& module = view.module();
  std::set<Id> seen;
  std::vector<Id> kept;
  uint64_t parts = 0;
  for (const Name& name : message.kept) {
    const Id id = view.Value(name);
    if (!seen.insert(id).second || !CheckKept(view, id, before, parts)) continue;
    parts += ScalarCount(module, module.TypeOf(id));
    kept.push_back(id);
  }
  return kept;
}

// The 32-bit zeros of the module, signed and unsigned.
std::vector<Id> Zeros(const Module& module) {
  std::vector<Id> zeros;
  for (const bool is_signed : {false, true}) {
    const Id zero = FindConstant(module, ScalarConstant(IntType(32, is_signed), 0));
    if (zero != Id::kNone) zeros.push_back(zero);
  }
  return zeros;
}

CheckResult CheckMask(const View& view, Id mask, Inst before) {
  const Module& module = view.module();
  if (mask == Id::kNone) return No("the mask does not exist");
  for (Id zero : Zeros(module)) {
    if (module.TypeOf(zero) != module.TypeOf(mask)) continue;
    if (!view.AreSynonymous(Part(zero), Part(mask))) break;
    return IsAvailable(module, mask, before)
               ? Yes()
               : No("the mask is not available at the insertion point");
  }
  return No("the mask is not known to be zero");
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (static_cast<uint32_t>(message.chain) > static_cast<uint32_t>(Chain::kOr) ||
      static_cast<uint32_t>(message.fold) > static_cast<uint32_t>(Fold::kBySelect)) {
    return No("the field `chain` or `fold` has an unknown value");
  }
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  const Inst before = InsertionPointFor(module, place);
  const Id value = module.IdAt(place.user, place.operand);
  if (const CheckResult v = MayHaveSynonym(view, value); !v) return v;
  if (!Fits(view, message.fold, value)) {
    return No("this value of the field `fold` does not support the type of the operand");
  }
  const Id type = module.TypeOf(value);
  if (!IsDeclarableHere(module, WordType()) || !IsDeclarableHere(module, BoolType()) ||
      !IsDeclarableHere(module, FoldedType(module, message.fold, type)) ||
      !IsDeclarableHere(module, ConditionType(module, message.fold, type))) {
    return No("a required type cannot be declared in this module");
  }
  if (message.mask) {
    if (const CheckResult v = CheckMask(view, view.Value(message.mask), before); !v) return v;
  }
  if (message.kept.empty() || message.kept.size() > kMostKept) {
    return No("the list of values that the step keeps alive is empty or too long");
  }
  for (size_t i = 1; i < message.kept.size(); ++i) view.MarkOptional(message.kept[i]);
  return CheckKept(view, view.Value(message.kept[0]), before, 0);
}

class KeepAliveChain {
 public:
  KeepAliveChain(ContextEditor& editor, const Message& message)
      : editor_(editor),
        module_(editor.module()),
        message_(message),
        place_(FindUse(module_, message.use)),
        before_(InsertionPointFor(module_, place_)),
        kept_(KeptBy(message, editor.view(), before_)),
        word_(Declare(editor, WordType())),
        zero_(Declare(editor, ScalarConstant(WordType(), 0))),
        chain_(zero_) {}

  void Make() {
    for (Id value : kept_) Keep(value);
    const Id mask = message_.mask ? module_.FindId(message_.mask) : zero_;
    const Id masked = Put(Op::OpBitwiseAnd, word_, editor_.Made(kMasked), {chain_, mask});
    const Id value = module_.IdAt(place_.user, place_.operand);
    const Id result = FoldInto(value, masked);
    editor_.SetOperand(place_.user, place_.operand, result);
    editor_.facts().AddSynonym(Part(result), Part(value), editor_.Provenance());
  }

 private:
  Id Put(Op opcode, Id type, Name name, const Args& args) {
    return editor_.InsertValue(before_, opcode, type, name, args);
  }

  // Adds the words of a value to the chain. The new instructions depend on the value, although the
  // step as a whole does not.
  void Keep(Id value) {
    const Inst last = module_.Prev(before_);
    uint64_t number = 0;
    for (Id word : WordsOf(editor_, before_, value, kWords)) {
      const Name name = editor_.Made(kLink, module_.NameOf(value), number++);
      chain_ = Put(ChainOp(), word_, name, {chain_, word});
    }
    for (Inst inst = module_.Next(last); inst != before_; inst = module_.Next(inst)) {
      editor_.MarkMadeOf(inst, module_.Definition(value));
    }
  }

  Op ChainOp() const {
    if (message_.chain == Chain::kAdd) return Op::OpIAdd;
    return message_.chain == Chain::kOr ? Op::OpBitwiseOr : Op::OpBitwiseXor;
  }

  // A vector of copies of the scalar if the type is a vector; otherwise the scalar.
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
    const Id bits = Put(Op::OpBitcast, of_bits, editor_.Made(kBits), {value});
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
  const OperandUse place_;
  const Inst before_;
  const std::vector<Id> kept_;
  const Id word_, zero_;
  Id chain_;  // begins as zero, whichever value is the first
};

void Apply(const Message& message, ContextEditor& editor) {
  KeepAliveChain(editor, message).Make();
}

// The number of values: usually few, sometimes as many as there are registers.
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

// Usually an opaque zero if there is one, preferably a loaded one, because compilers cannot fold
// it.
Name PickMask(Proposer& proposer, Inst before) {
  constexpr size_t kChoices = 8;
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  if (proposer.Pick(4) == 0) return {};
  std::vector<Id> masks, loads;
  for (Id zero : Zeros(module)) {
    if (!facts.MayHaveSynonyms(zero)) continue;
    for (const Facts::Synonym& synonym : facts.SynonymsOf(module, Part(zero), kChoices)) {
      const Id id = synonym.part.value;
      if (synonym.part.depth == 0 && module.TypeOf(id) == module.TypeOf(zero) &&
          !IsConstant(module.OpcodeOf(id)) && IsAvailable(module, id, before)) {
        (module.OpcodeOf(id) == Op::OpLoad ? loads : masks).push_back(id);
      }
    }
  }
  if (!loads.empty() && (masks.empty() || proposer.Pick(4) != 0)) masks = std::move(loads);
  return masks.empty() ? Name{} : module.NameOf(masks[proposer.Pick(masks.size())]);
}

// True if only instructions of the same step use the value, as for values that add_numbers made to
// be kept alive.
bool IsUnused(const Module& module, Id id) {
  const uint32_t step = module.NameOf(id).step;
  for (Use use = module.FirstUse(id); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    const bool is_own = step != 0 && module.NameOf(user).step == step;
    if (!is_own && module.IsBasicBlock(module.BlockOf(user))) return false;
  }
  return true;
}

// Picks `count` values above the place, preferably far ones.
std::vector<Name> PickKept(Proposer& proposer, Inst before, size_t count) {
  const Module& module = proposer.module();
  const size_t most_instructions = proposer.Pick(4) == 0 ? 768 : 96 + 8 * count;
  ValuesAbove above = FindValuesAbove(module, before, most_instructions);
  std::vector<Id>& values = above.values;
  // Usually picks unused values if there are any; if there are many, picks them all.
  std::vector<Id> unused;
  if (proposer.Pick(3) != 0) {
    std::copy_if(values.begin(), values.end(), std::back_inserter(unused),
                 [&](Id id) { return IsUnused(module, id); });
    if (unused.size() >= kMuch) count = std::min(std::max(count, unused.size()), kMostKept);
  }
  if (!unused.empty()) {
    values = std::move(unused);
  } else if (above.far < values.size() && proposer.Pick(4) != 0) {
    values.erase(values.begin(), values.begin() + static_cast<ptrdiff_t>(above.far));
  }
  // The value that a store overwrites comes first.
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
  // Put the value of the earliest step first, because the new step depends on the first value.
  if (!kept.empty()) std::iter_swap(kept.begin(), std::min_element(kept.begin(), kept.end()));
  return kept;
}

void Offer(Proposer& proposer, OperandUse place) {
  const Module& module = proposer.module();
  const Id value = module.IdAt(place.user, place.operand);
  std::vector<Fold> fitting;
  for (uint32_t i = 0; i <= static_cast<uint32_t>(Fold::kBySelect); ++i) {
    const auto fold = static_cast<Fold>(i);
    if (Fits(proposer.view(), fold, value)) fitting.push_back(fold);
  }
  if (fitting.empty()) return;
  const Inst before = InsertionPointFor(module, place);
  Message message{DescribeUse(module, place.user, place.operand),
                  PickKept(proposer, before, PickCount(proposer)), PickMask(proposer, before),
                  static_cast<Chain>(proposer.Pick(3)), fitting[proposer.Pick(fitting.size())]};
  if (Check(message, proposer.view())) proposer.Offer(std::move(message));
}

// True if the result of the user may matter: the kept values are only alive if it does.
bool MayMatter(const Module& module, Inst user) {
  return module.Result(user) == Id::kNone || module.FirstUse(module.Result(user)) != Use::kNone;
}

// Offers only one use in each block, because a step inserts many instructions.
void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  std::vector<OperandUse> places;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      if (!proposer.ShouldTry()) return;
      if (proposer.view().facts().Dead(module.LabelId(block)) != nullptr) return;
      places.clear();
      ForEachInstruction(module, block, [&](Inst inst) {
        if (!MayMatter(module, inst)) return;
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (module.IsId(inst, i) && MayBeAnyValue(module, {inst, i}) &&
              MayHaveSynonym(proposer.view(), module.IdAt(inst, i))) {
            places.push_back({inst, i});
          }
        }
      });
      if (!places.empty()) Offer(proposer, places[proposer.Pick(places.size())]);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 40},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_opaque_value",
                    "replace_constant_with_arithmetic", "add_uniform"}});

}  // namespace refract::keep_values_alive
