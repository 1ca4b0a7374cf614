// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/index_range.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace rules {
namespace {

// The number of elements, with the default value if a specialisation constant decides it.
std::optional<uint64_t> CountOf(const Module& module, Id type) {
  if (const auto count = PartCount(module, type)) return count;
  if (TypeOpcode(module, type) != spv::Op::OpTypeArray) return std::nullopt;
  const Inst length = module.Definition(module.IdAt(module.Definition(type), 1));
  if (module.Opcode(length) != spv::Op::OpSpecConstant) return std::nullopt;
  return module.Word(length, 0);
}

// The array, matrix or vector into which the operand is an index; kNone if it is not such an index.
Id TypeIndexedBy(const Module& module, OperandUse place) {
  uint32_t first = 1;
  switch (module.Opcode(place.user)) {
    case spv::Op::OpVectorExtractDynamic:
      return place.operand == 1 ? module.TypeOf(module.IdAt(place.user, 0)) : Id::kNone;
    case spv::Op::OpVectorInsertDynamic:
      return place.operand == 2 ? module.TypeOf(module.IdAt(place.user, 0)) : Id::kNone;
    case spv::Op::OpPtrAccessChain:
    case spv::Op::OpInBoundsPtrAccessChain:
      first = 2;  // operand 1 moves the pointer itself
      break;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      break;
    default:
      return Id::kNone;
  }
  if (place.operand < first) return Id::kNone;
  const Id type = IndexedType(module, place.user, place.operand);
  return TypeOpcode(module, type) == spv::Op::OpTypeStruct ? Id::kNone : type;
}

// Indices are signed, whatever their type (SPIR-V 3.42.8).
bool IsOutOfRange(const Module& module, Id indexed, Id index_type, uint64_t number) {
  const uint64_t most = uint64_t{1} << (std::clamp(Width(module, index_type), 1u, 64u) - 1);
  return number >= std::min(CountOf(module, indexed).value_or(most), most);
}

// What a compiler that folds constants knows if some ids are replaced by others.
class Folding {
 public:
  Folding(const Module& module, const std::map<Id, Id>& values)
      : module_(module), values_(values) {}

  bool Folds(Id id, int depth = 0) const {
    constexpr int kMostDepth = 5;
    id = Of(id);
    if (IsConstant(module_.OpcodeOf(id)) || reached_.count(id) != 0) return true;
    const Inst inst = module_.Definition(id);
    if (depth == kMostDepth || !IsComputed(inst)) return false;
    bool has_operand = false;
    for (uint32_t i = 0; i < module_.OperandCount(inst); ++i) {
      if (!IsValue(inst, i)) continue;
      if (!Folds(module_.IdAt(inst, i), depth + 1)) return false;
      has_operand = true;
    }
    return has_operand;
  }

  // The number that the id is, or that it is a copy of.
  std::optional<uint64_t> NumberOf(Id id) const {
    constexpr int kMostCopies = 8;
    id = Of(id);
    for (int i = 0; i < kMostCopies && module_.OpcodeOf(id) == spv::Op::OpCopyObject; ++i) {
      id = Of(module_.IdAt(module_.Definition(id), 0));
    }
    return LiteralValue(module_, id);
  }

  // Adds an operand that gets this value.
  void Put(OperandUse place, std::optional<uint64_t> number) { todo_.push_back({place, number}); }
  void PutAtUses(Id id, std::optional<uint64_t> number) {
    ForEachUse(module_, id, [&](Use use) {
      const Inst user = module_.User(use);
      if (module_.IsBasicBlock(module_.BlockOf(user))) {
        Put({user, module_.OperandIndex(use)}, number);
      }
    });
  }

  // True if an index may be out of range because of the added operands. An index computed from them
  // counts as out of range, because its number is not known here.
  bool MayBeOutOfRange() {
    constexpr size_t kMost = 64;
    for (size_t i = 0; i < todo_.size(); ++i) {
      const auto [place, number] = todo_[i];
      const Id indexed = TypeIndexedBy(module_, place);
      if (indexed != Id::kNone) {
        const Id type = module_.TypeOf(module_.IdAt(place.user, place.operand));
        if (!number || IsOutOfRange(module_, indexed, type, *number)) return true;
        continue;
      }
      if (!IsComputed(place.user) || !FoldOthers(place)) continue;
      const Id result = module_.Result(place.user);
      if (todo_.size() > kMost || !reached_.insert(result).second) continue;
      const bool is_copy = module_.Opcode(place.user) == spv::Op::OpCopyObject;
      PutAtUses(result, is_copy ? number : std::nullopt);
    }
    return false;
  }

 private:
  struct Item {
    OperandUse place;
    std::optional<uint64_t> number;
  };

  Id Of(Id id) const {
    const auto found = values_.find(id);
    return found == values_.end() ? id : found->second;
  }
  bool IsComputed(Inst inst) const {
    return module_.IsBasicBlock(module_.BlockOf(inst)) && module_.Type(inst) != Id::kNone &&
           module_.Opcode(inst) != spv::Op::OpPhi && PropertiesOf(module_, inst).pure;
  }
  bool IsValue(Inst inst, uint32_t operand) const {
    return module_.IsId(inst, operand) && module_.TypeOf(module_.IdAt(inst, operand)) != Id::kNone;
  }
  bool FoldOthers(OperandUse place) const {
    for (uint32_t i = 0; i < module_.OperandCount(place.user); ++i) {
      if (i != place.operand && IsValue(place.user, i) && !Folds(module_.IdAt(place.user, i))) {
        return false;
      }
    }
    return true;
  }

  const Module& module_;
  const std::map<Id, Id>& values_;
  std::set<Id> reached_;
  std::vector<Item> todo_;
};

}  // namespace

bool IsFoldable(const Module& module, Id value) {
  const std::map<Id, Id> none;
  return Folding(module, none).Folds(value);
}

bool IsIndex(const Module& module, OperandUse place) {
  return TypeIndexedBy(module, place) != Id::kNone;
}

bool HasIndexOutOfRange(const Module& module, Inst inst) {
  const std::map<Id, Id> none;
  const Folding folding(module, none);
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const Id indexed = TypeIndexedBy(module, {inst, i});
    if (indexed == Id::kNone) continue;
    const Id index = module.IdAt(inst, i);
    const std::optional<uint64_t> number = folding.NumberOf(index);
    if (number && IsOutOfRange(module, indexed, module.TypeOf(index), *number)) return true;
  }
  return false;
}

bool MayPutIndexOutOfRange(const Module& module, OperandUse place, Id value) {
  const std::map<Id, Id> none;
  Folding folding(module, none);
  if (!folding.Folds(value)) return false;
  folding.Put(place, folding.NumberOf(value));
  return folding.MayBeOutOfRange();
}

bool MayPutIndexOutOfRange(const Module& module, const std::map<Id, Id>& values) {
  Folding folding(module, values);
  for (const auto& [from, to] : values) {
    if (folding.Folds(to)) folding.PutAtUses(from, folding.NumberOf(to));
  }
  return folding.MayBeOutOfRange();
}

}  // namespace rules
}  // namespace refract
