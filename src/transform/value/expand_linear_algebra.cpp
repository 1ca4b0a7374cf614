// SPDX-License-Identifier: Apache-2.0
// Expands operations on matrices and vectors into smaller ones. The old instruction, under its
// name, becomes the last of these. A product is one multiplication for each number, in whatever way
// it is written. Sums of products may be rounded in any order (Vulkan, "Precision and Operation of
// SPIR-V Instructions"), so they are expanded only if nothing is rounded.
#include "message/expand_linear_algebra.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"
#include "transform/value/whole_numbers.h"

namespace refract::expand_linear_algebra {
namespace {

using Message = message::ExpandLinearAlgebra;
using spv::Op;
enum Role : uint64_t { kTaken = 1, kProduct = 2, kSum = 3, kColumn = 4 };

enum class Kind : uint8_t { kNone, kProducts, kSums };

Kind KindOf(Op opcode) {
  switch (opcode) {
    case Op::OpTranspose:
    case Op::OpVectorTimesScalar:
    case Op::OpMatrixTimesScalar:
    case Op::OpOuterProduct:
      return Kind::kProducts;
    case Op::OpDot:
    case Op::OpMatrixTimesVector:
    case Op::OpVectorTimesMatrix:
    case Op::OpMatrixTimesMatrix:
      return Kind::kSums;
    default:
      return Kind::kNone;
  }
}

// False for cooperative matrices, whose numbers belong to several invocations.
bool HasParts(const Module& module, Inst inst) {
  const auto has = [&](Id type) {
    return IsFloat(module, type) || IsVector(module, type) ||
           TypeOpcode(module, type) == Op::OpTypeMatrix;
  };
  bool all = has(module.Type(inst));
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    all = all && has(module.TypeOf(module.IdAt(inst, i)));
  }
  return all;
}

// How many products are added for each number of the result.
uint32_t Terms(const Module& module, Inst inst) {
  // The columns of the left matrix, or the components of a vector.
  return PartCount(module, module.TypeOf(module.IdAt(inst, 0))).value_or(0);
}

// True if no sum is rounded.
bool IsExact(const View& view, Inst inst) {
  const Module& module = view.module();
  if (FindDecoration(module, module.Result(inst), spv::Decoration::RelaxedPrecision) !=
      Inst::kNone) {
    return false;
  }
  Id scalar = module.Type(inst);
  while (!IsFloat(module, scalar)) scalar = ElementType(module, scalar);
  const std::optional<uint64_t> left = MaxWholeNumber(view, module.IdAt(inst, 0));
  const std::optional<uint64_t> right =
      left ? MaxWholeNumber(view, module.IdAt(inst, 1)) : std::nullopt;
  if (!right) return false;
  view.DependOn(inst, 0);
  view.DependOn(inst, 1);
  const uint64_t most = MaxExactWholeNumber(Width(module, scalar));
  return *left == 0 || *right <= most / *left / Terms(module, inst);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (inst == Inst::kNone) return No("the operation does not exist");
  const Kind kind = KindOf(module.Opcode(inst));
  if (kind == Kind::kNone || !HasParts(module, inst)) {
    return No("the operation is not a matrix or vector product");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  if (kind == Kind::kSums && !view.IsDead(module.BlockOf(inst)) &&
      !view.IsIrrelevant(module.Result(inst)) && !IsExact(view, inst)) {
    return No("in another order, the sums may be rounded differently");
  }
  DependOnForm(view, inst);
  return Yes();
}

class Expansion {
 public:
  Expansion(ContextEditor& editor, Inst inst)
      : editor_(editor),
        module_(editor.module()),
        inst_(inst),
        result_(module_.Result(inst)),
        type_(module_.Type(inst)),
        left_(module_.IdAt(inst, 0)),
        right_(module_.OperandCount(inst) > 1 ? module_.IdAt(inst, 1) : Id::kNone),
        builder_(editor, inst, result_) {}

  void Run() {
    switch (module_.Opcode(inst_)) {
      case Op::OpTranspose:
        return Transpose();
      case Op::OpVectorTimesScalar:
        return Last(Op::OpFMul, {left_, Splat(right_)});
      case Op::OpMatrixTimesScalar:
        return Join(EachPart(left_, Op::OpVectorTimesScalar, right_, false));
      case Op::OpOuterProduct:
        return Join(EachPart(right_, Op::OpVectorTimesScalar, left_, true));
      case Op::OpVectorTimesMatrix:
        return Join(EachPart(right_, Op::OpDot, left_, true));
      case Op::OpMatrixTimesMatrix:
        return Join(EachPart(right_, Op::OpMatrixTimesVector, left_, true));
      case Op::OpMatrixTimesVector:
        return Add(Columns());
      default:
        return Dot();
    }
  }

 private:
  uint32_t Parts(Id value) const { return PartCount(module_, module_.TypeOf(value)).value(); }
  Id Take(Id value, uint32_t i) {
    return builder_.Extract(*Part(value).Component(i), editor_.Made(kTaken, i, IsLeft(value)));
  }
  uint64_t IsLeft(Id value) const { return value == left_ ? 1 : 0; }
  // Inserts an arithmetic instruction with the decorations of the operation.
  Id Compute(Op opcode, Id type, Role role, uint32_t i, const Args& args) {
    const Id made = builder_.Compute(opcode, type, editor_.Made(role, i), args);
    editor_.CopyValueDecorations(result_, made);
    return made;
  }
  void Last(Op opcode, const Args& args) {
    editor_.SetOpcode(inst_, opcode);
    editor_.SetOperands(inst_, args);
  }
  void Join(const std::vector<Id>& parts) {
    editor_.RemoveDecorations(result_);
    Last(Op::OpCompositeConstruct, Args(parts.begin(), parts.end()));
  }
  void Add(const std::vector<Id>& terms) {
    Id sum = terms[0];
    for (uint32_t i = 1; i + 1 < terms.size(); ++i) {
      sum = Compute(Op::OpFAdd, type_, kSum, i, {sum, terms[i]});
    }
    Last(Op::OpFAdd, {sum, terms.back()});
  }

  Id Splat(Id scalar) {
    return builder_.Construct(type_, editor_.Made(kTaken), std::vector<Id>(Parts(left_), scalar));
  }

  // Applies the opcode to each part of `composite` and to `other`.
  std::vector<Id> EachPart(Id composite, Op opcode, Id other, bool other_first) {
    std::vector<Id> parts;
    for (uint32_t i = 0; i < Parts(composite); ++i) {
      const Id part = Take(composite, i);
      const Args args = other_first ? Args{other, part} : Args{part, other};
      parts.push_back(Compute(opcode, ElementType(module_, type_), kProduct, i, args));
    }
    return parts;
  }

  // The columns of the left matrix, each multiplied by a component of the right vector.
  std::vector<Id> Columns() {
    std::vector<Id> columns;
    for (uint32_t i = 0; i < Parts(left_); ++i) {
      const Id column = Take(left_, i);
      columns.push_back(
          Compute(Op::OpVectorTimesScalar, type_, kProduct, i, {column, Take(right_, i)}));
    }
    return columns;
  }

  void Dot() {
    const Id products = Compute(Op::OpFMul, module_.TypeOf(left_), kProduct, 0, {left_, right_});
    std::vector<Id> terms;
    for (uint32_t i = 0; i < Parts(products); ++i) terms.push_back(Take(products, i));
    Add(terms);
  }

  void Transpose() {
    const Id column_type = ElementType(module_, type_);
    const uint32_t rows = PartCount(module_, column_type).value();
    std::vector<Id> columns;
    for (uint32_t i = 0; i < PartCount(module_, type_).value(); ++i) {
      std::vector<Id> numbers;
      for (uint32_t j = 0; j < rows; ++j) {
        numbers.push_back(
            builder_.Extract(*Part(left_).Component(j)->Component(i), editor_.Made(kTaken, i, j)));
      }
      columns.push_back(builder_.Construct(column_type, editor_.Made(kColumn, i), numbers));
    }
    Join(columns);
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id result_, type_, left_, right_;
  Builder builder_;
};

void Apply(const Message& message, ContextEditor& editor) {
  Expansion(editor, editor.module().Find(message.operation)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return KindOf(module.Opcode(inst)) != Kind::kNone; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {40, 100},
     .follow_ons = {"scalarize_operation", "replace_id_with_synonym", "swap_commutable_operands",
                    "add_no_contraction"}});

}  // namespace refract::expand_linear_algebra
