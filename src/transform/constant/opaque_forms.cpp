// SPDX-License-Identifier: Apache-2.0
#include "transform/constant/opaque_forms.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/known_values.h"
#include "rules/legality/memory.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

using Form = message::ReplaceConstantWithOpaqueValue::Form;
using Op = spv::Op;
using F = OpaqueForm;

constexpr Term kX = Term::kX, kT0 = Term::kT0;

constexpr OpaqueForm Settled(Form form, F::Source source, F::Gives gives, Op op, Term other) {
  return {form, source, gives, source == F::kBool, {{op, {kX, other}}}, true};
}
// An operation on the value and itself.
constexpr OpaqueForm WithSelf(Form form, F::Source source, F::Gives gives, bool is_bool, Op op) {
  return {form, source, gives, is_bool, {{op, {kX, kX}}}, false, true};
}
// An operation on the value and the result of another operation on it.
constexpr OpaqueForm WithOther(Form form, F::Source source, F::Gives gives, Op other, Op op) {
  return {
      form,  source, gives, source == F::kBool, {{other, {kX}, FormulaType::kOfX}, {op, {kX, kT0}}},
      false, true};
}
constexpr OpaqueForm Compared(Form form, F::Source source, bool gives, Op op, Term other) {
  return {form, source, gives ? F::kOne : F::kZero, true, {{op, {kX, other}}}};
}

constexpr OpaqueForm kForms[] = {
    Settled(Form::kAndZero, F::kInt, F::kZero, Op::OpBitwiseAnd, Term::kZero),
    Settled(Form::kMultiplyZero, F::kInt, F::kZero, Op::OpIMul, Term::kZero),
    WithSelf(Form::kXorSelf, F::kInt, F::kZero, false, Op::OpBitwiseXor),
    WithSelf(Form::kSubtractSelf, F::kInt, F::kZero, false, Op::OpISub),
    WithOther(Form::kAndNot, F::kInt, F::kZero, Op::OpNot, Op::OpBitwiseAnd),
    WithOther(Form::kAddNegated, F::kInt, F::kZero, Op::OpSNegate, Op::OpIAdd),
    {Form::kRemainderOne, F::kUnsigned, F::kZero, false, {{Op::OpUMod, {kX, Term::kOne}}}},
    {Form::kMinZero,
     F::kInt,
     F::kZero,
     false,
     {{Op::OpExtInst, {kX, Term::kZero}, FormulaType::kResult, GLSLstd450UMin}}},
    {Form::kOdd,
     F::kInt,
     F::kOne,
     false,
     {{Op::OpBitwiseOr, {kX, Term::kOne}, FormulaType::kOfX},
      {Op::OpBitwiseAnd, {kT0, Term::kOne}}}},
    Settled(Form::kOrOnes, F::kInt, F::kOnes, Op::OpBitwiseOr, Term::kOnes),
    WithOther(Form::kOrNot, F::kInt, F::kOnes, Op::OpNot, Op::OpBitwiseOr),
    WithOther(Form::kXorNot, F::kInt, F::kOnes, Op::OpNot, Op::OpBitwiseXor),
    WithOther(Form::kAddNot, F::kInt, F::kOnes, Op::OpNot, Op::OpIAdd),
    WithSelf(Form::kEqualSelf, F::kInt, F::kOne, true, Op::OpIEqual),
    WithSelf(Form::kNotEqualSelf, F::kInt, F::kZero, true, Op::OpINotEqual),
    WithSelf(Form::kLessSelf, F::kInt, F::kZero, true, Op::OpSLessThan),
    WithSelf(Form::kGreaterEqualSelf, F::kInt, F::kOne, true, Op::OpUGreaterThanEqual),
    Compared(Form::kLessZero, F::kInt, false, Op::OpULessThan, Term::kZero),
    Compared(Form::kGreaterEqualZero, F::kInt, true, Op::OpUGreaterThanEqual, Term::kZero),
    Compared(Form::kGreaterOnes, F::kInt, false, Op::OpUGreaterThan, Term::kOnes),
    Compared(Form::kLessEqualOnes, F::kInt, true, Op::OpULessThanEqual, Term::kOnes),
    Compared(Form::kWithinBound, F::kInt, true, Op::OpULessThanEqual, Term::kA),
    Compared(Form::kAboveBound, F::kInt, false, Op::OpUGreaterThan, Term::kA),
    Settled(Form::kLogicalAndFalse, F::kBool, F::kZero, Op::OpLogicalAnd, Term::kFalse),
    Settled(Form::kLogicalOrTrue, F::kBool, F::kOne, Op::OpLogicalOr, Term::kTrue),
    WithOther(Form::kLogicalAndNot, F::kBool, F::kZero, Op::OpLogicalNot, Op::OpLogicalAnd),
    WithOther(Form::kLogicalOrNot, F::kBool, F::kOne, Op::OpLogicalNot, Op::OpLogicalOr),
    WithSelf(Form::kLogicalEqualSelf, F::kBool, F::kOne, true, Op::OpLogicalEqual),
    WithSelf(Form::kLogicalNotEqualSelf, F::kBool, F::kZero, true, Op::OpLogicalNotEqual),
    // Vulkan, "FragCoord": half a pixel or a sample offset from the edge, never below zero.
    Compared(Form::kCoordinateNotNegative, F::kCoordinate, true, Op::OpFOrdGreaterThanEqual,
             Term::kZero),
    Compared(Form::kCoordinateNegative, F::kCoordinate, false, Op::OpFOrdLessThan, Term::kZero),
};

bool IsFragCoord(const Module& module, Id variable) {
  const Inst built_in = FindDecoration(module, variable, spv::Decoration::BuiltIn);
  return built_in != Inst::kNone &&
         module.Word(built_in, 2) == static_cast<uint32_t>(spv::BuiltIn::FragCoord);
}

// True if the form can use this scalar type. Sets `bitcasts` if it uses the bits of a float.
bool TakesScalar(const Module& module, const OpaqueForm& form, Id scalar, Id wanted,
                 bool* bitcasts) {
  if (form.source == F::kBool) return IsBool(module, scalar);
  *bitcasts = IsFloat(module, scalar) && form.source != F::kCoordinate;
  if (form.source == F::kCoordinate) return IsFloat(module, scalar);
  if (!IsInt(module, scalar) && !*bitcasts) return false;
  if (!form.is_bool && Width(module, scalar) != Width(module, wanted)) return false;
  // An unsigned form requires unsigned ints everywhere.
  return form.source != F::kUnsigned || (*bitcasts && !IsSigned(module, wanted)) ||
         scalar == wanted;
}

CheckResult CheckVariable(const View& view, Id variable, Inst before) {
  const Module& module = view.module();
  if (IsVolatileOrCoherent(module, variable)) return No("the variable is volatile or coherent");
  if (!MayBeUsedIn(module, variable, module.FunctionOf(before))) {
    return No("an entry point that reaches the function does not use the variable");
  }
  return MayLoad(module, variable, false);
}

}  // namespace

std::span<const OpaqueForm> OpaqueForms() {
  return kForms;
}

const OpaqueForm* FindOpaqueForm(Form form) {
  for (const OpaqueForm& row : kForms) {
    if (row.form == form) return &row;
  }
  return nullptr;
}

bool Gives(const Module& module, const OpaqueForm& form, Id type, uint64_t bits) {
  const Id scalar = ScalarType(module, type);
  if (scalar == Id::kNone) return false;
  if (form.is_bool) return IsBool(module, scalar) && bits == (form.gives == F::kOne ? 1u : 0u);
  if (!IsInt(module, scalar)) return false;
  if (form.source == F::kUnsigned && IsSigned(module, scalar)) return false;
  const uint32_t width = Width(module, scalar);
  const uint64_t ones = LowBits(width);
  return bits == (form.gives == F::kOnes ? ones : form.gives == F::kOne ? 1u : 0u);
}

std::optional<OpaqueSource> FindOpaqueSource(const Module& module, const OpaqueForm& form, Id named,
                                             uint32_t component, Id wanted) {
  OpaqueSource source;
  source.loaded = module.TypeOf(named);
  if (IsPointer(module, source.loaded)) {
    if (module.OpcodeOf(named) != Op::OpVariable ||
        StorageClassOf(module, source.loaded) != spv::StorageClass::Input) {
      return std::nullopt;
    }
    source.loads = true;
    source.loaded = PointeeOf(module, named);
  }
  const Id scalar = ScalarType(module, source.loaded);
  if (scalar == Id::kNone || !IsOrdinary(module, source.loaded)) return std::nullopt;
  const uint32_t has = PartCount(module, source.loaded).value_or(1);
  const uint32_t wants = PartCount(module, wanted).value_or(1);
  source.extracts = has > 1 && wants == 1;
  if (source.extracts ? component >= has : component != 0 || has != wants) return std::nullopt;
  if (form.source == F::kCoordinate &&
      !(source.loads && IsFragCoord(module, named) && source.extracts && component < 2)) {
    return std::nullopt;
  }
  if (!TakesScalar(module, form, scalar, ScalarType(module, wanted), &source.bitcasts)) {
    return std::nullopt;
  }
  source.type = Describe(module, source.extracts ? scalar : source.loaded);
  if (source.bitcasts) {
    source.type = IntsLike(module, source.type, Width(module, scalar), false);
  }
  return source;
}

CheckResult CheckOpaqueSource(const View& view, const OpaqueForm& form, const OpaqueSource& source,
                              Id value, Inst before) {
  const Module& module = view.module();
  if (source.loads) {
    if (const CheckResult v = CheckVariable(view, value, before); !v) return v;
    // Inputs are defined, so only exactness is checked.
    if (form.ignores_approximation || IsExactInput(view, value, source.loaded)) return Yes();
    return No("the input variable is interpolated");
  }
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  if (!IsSurelyDefined(view, value)) return No("the value may be undefined");
  const bool has_sure_bits = !source.bitcasts || HasSureBits(view, value);
  if (!form.ignores_approximation && !(has_sure_bits && IsSurelyExact(view, value))) {
    return No("the value may be approximate");
  }
  if (form.twice && view.facts().Irrelevant(value) != nullptr) {
    return No(
        "the value is marked as irrelevant, and this form of the transformation uses the value "
        "twice");
  }
  return Yes();
}

Id MakeOpaqueSource(ContextEditor& editor, const OpaqueSource& source, Id named, uint32_t component,
                    Inst before, uint64_t role) {
  const Module& module = editor.module();
  Id value = named;
  if (source.loads) {
    editor.AddToInterfaces(value, module.FunctionOf(before));
    value = editor.InsertValue(before, Op::OpLoad, source.loaded, editor.Made(role), {value});
  }
  if (source.extracts) {
    value = editor.InsertValue(before, Op::OpCompositeExtract, ScalarType(module, source.loaded),
                               editor.Made(role + 1), {value, component});
  }
  if (source.bitcasts) {
    const Id type = Declare(editor, source.type);
    value = editor.InsertValue(before, Op::OpBitcast, type, editor.Made(role + 2), {value});
  }
  return value;
}

}  // namespace transform
}  // namespace refract
