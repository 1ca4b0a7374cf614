// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/unread.h"

#include <algorithm>

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace rules {
namespace {

constexpr uint32_t kMostParts = 63;

PartSet PartBit(uint32_t part) {
  return PartSet{1} << std::min(part, kMostParts);
}

// For OpVectorShuffle: the result components that come from these parts of the first or second
// operand.
PartSet Shuffled(const Module& module, Inst shuffle, uint32_t operand, PartSet parts) {
  const auto size = [&](uint32_t i) {
    return PartCount(module, module.TypeOf(module.IdAt(shuffle, i))).value_or(0);
  };
  const uint32_t first = operand == 0 ? 0 : size(0), count = size(operand);
  PartSet result = 0;
  for (uint32_t i = 2; i < module.OperandCount(shuffle); ++i) {
    const uint32_t component = module.Word(shuffle, i);
    if (component < first || component - first >= count) continue;
    if ((parts & PartBit(component - first)) != 0) result |= PartBit(i - 2);
  }
  return result;
}

// For OpCompositeInsert: operand 0 is the inserted value, operand 1 the composite.
PartSet Inserted(const Module& module, Inst insert, uint32_t operand, PartSet parts) {
  const PartSet written = PartBit(module.Word(insert, 2));
  if (operand == 0) return written;
  const bool is_whole_part = module.OperandCount(insert) == 3 && written != PartBit(kMostParts);
  return is_whole_part ? parts & ~written : parts;
}

class Readers {
 public:
  explicit Readers(const View& view) : view_(view), module_(view.module()) {}

  bool AreNone(Inst inst, PartSet parts) {
    if (parts == 0) return true;
    if (left_-- == 0 || !PropertiesOf(module_, inst).may_be_speculated()) return false;
    const Id value = module_.Result(inst);
    const Facts& facts = view_.facts();
    if (facts.MayHaveSynonyms(value) || facts.Uniform(value) != nullptr) return false;
    for (Use use = module_.FirstUse(value); use != Use::kNone; use = module_.NextUse(use)) {
      const Inst user = module_.User(use);
      if (!module_.IsBasicBlock(module_.BlockOf(user))) continue;  // a name or a decoration
      if (!AreNone(user, DependentParts(module_, user, module_.OperandIndex(use), parts))) {
        return false;
      }
    }
    return true;
  }

 private:
  const View& view_;
  const Module& module_;
  int left_ = 16;  // how many more values to visit
};

}  // namespace

PartSet DependentParts(const Module& module, Inst user, uint32_t operand, PartSet parts) {
  switch (module.Opcode(user)) {
    case spv::Op::OpCopyObject:
      return parts;
    case spv::Op::OpCompositeExtract:
      return (parts & PartBit(module.Word(user, 1))) != 0 ? kAllParts : 0;
    case spv::Op::OpVectorShuffle:
      return Shuffled(module, user, operand, parts);
    case spv::Op::OpCompositeInsert:
      return Inserted(module, user, operand, parts);
    case spv::Op::OpCompositeConstruct:
      // In a vector, one constituent may be several components.
      return IsVector(module, module.Type(user)) ? kAllParts : PartBit(operand);
    default:
      return kAllParts;
  }
}

bool AreUnread(const View& view, Inst inst, PartSet parts) {
  return Readers(view).AreNone(inst, parts);
}

}  // namespace rules
}  // namespace refract
