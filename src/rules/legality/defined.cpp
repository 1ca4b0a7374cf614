// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/defined.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "input/inputs.h"
#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/defined_by_constants.h"
#include "rules/legality/known_values.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"

namespace refract {
inline namespace rules {
namespace {

bool HasBuiltIn(const Module& module, Id variable, spv::BuiltIn built_in) {
  const Inst decoration = FindDecoration(module, variable, spv::Decoration::BuiltIn);
  return decoration != Inst::kNone && module.Word(decoration, 2) == static_cast<uint32_t>(built_in);
}

enum Wanted : uint8_t { kDefined = 1, kExact = 2 };

class Search {
 public:
  Search(const View& view, int wanted)
      : view_(view),
        module_(view.module()),
        defined_((wanted & kDefined) != 0),
        exact_((wanted & kExact) != 0) {}

  bool IsDefined(Id value) {
    // A value that depends on itself (a loop phi) is defined if everything else that it depends on
    // is.
    if (std::find(seen_.begin(), seen_.end(), value) != seen_.end()) return true;
    if (seen_.size() == kMost) return false;
    seen_.push_back(value);
    const Inst inst = module_.Definition(value);
    const spv::Op opcode = module_.Opcode(inst);
    if (opcode == spv::Op::OpUndef) return !defined_;
    if (exact_ && !IsExact(inst)) return false;
    if (IsConstant(opcode)) return AreOperandsDefined(inst, 1);
    switch (opcode) {
      case spv::Op::OpPhi:
        return AreOperandsDefined(inst, 2);
      case spv::Op::OpLoad:
        return IsMemoryDefined(module_.IdAt(inst, 0), inst);
      case spv::Op::OpFunctionCall:
        return view_.IsLiveSafe(module_.FunctionOfId(module_.IdAt(inst, 0))) &&
               AreOperandsDefined(inst, 1);
      default:
        return PropertiesOf(module_, inst).pure &&
               (!defined_ || IsDefinedByConstants(module_, inst)) && AreOperandsDefined(inst, 1);
    }
  }

 private:
  static constexpr size_t kMost = 64;

  // Assumes exact operands. The result of a call is not known to be exact. An exact float is one
  // number, but arithmetic leaves open the sign of its zero, which a bitcast shows.
  bool IsExact(Inst inst) const {
    if (module_.Opcode(inst) == spv::Op::OpBitcast) {
      const Id operand = module_.IdAt(inst, 0);
      if (IsFloatOrVector(operand) && !AreBitsKept(view_, operand)) return false;
    }
    if (FindDecoration(module_, module_.Result(inst), spv::Decoration::RelaxedPrecision) !=
        Inst::kNone) {
      return false;
    }
    const Properties& properties = PropertiesOf(module_, inst);
    return properties.exactness == Exactness::kExact &&
           module_.Opcode(inst) != spv::Op::OpFunctionCall;
  }

  bool IsFloatOrVector(Id value) const {
    const Id scalar = ScalarType(module_, module_.TypeOf(value));
    return scalar != Id::kNone && IsFloat(module_, scalar);
  }

  bool AreOperandsDefined(Inst inst, uint32_t step) {
    for (uint32_t i = 0; i < module_.OperandCount(inst); i += step) {
      if (!module_.IsId(inst, i)) continue;
      const Id id = module_.IdAt(inst, i);
      if (module_.TypeOf(id) == Id::kNone) continue;  // a label or an extended instruction set
      if (module_.OpcodeOf(id) == spv::Op::OpFunction) continue;
      if (IsPointer(module_, module_.TypeOf(id)) || !IsDefined(id)) return false;
    }
    return true;
  }

  bool IsMemoryDefined(Id pointer, Inst load) {
    const Id root = RootOfPointer(module_, pointer);
    if (root == Id::kNone || !IsPartOfVariable(module_, pointer) ||
        (defined_ && !IsAlwaysValid(module_, pointer)) ||
        module_.OpcodeOf(root) != spv::Op::OpVariable) {
      return false;
    }
    if (exact_ && MayBeRounded(module_, pointer)) return false;
    // The indices decide which part is loaded, so they must be as certain as the value. For
    // exactness, memory must not be irrelevant, because steps may store any defined value there,
    // exact or not.
    if (!AreIndicesDefined(pointer) || (exact_ && MayBeOverwritten(view_, pointer))) return false;
    switch (StorageClassOf(module_, module_.TypeOf(root))) {
      case spv::StorageClass::Input:
        // Only fragments of points have it (Vulkan, "PointCoord").
        if (HasBuiltIn(module_, root, spv::BuiltIn::PointCoord)) return false;
        return !exact_ || IsExactInput(view_, root, module_.Type(load));
      case spv::StorageClass::Uniform:
      case spv::StorageClass::PushConstant:
        return true;
      case spv::StorageClass::Function:
      case spv::StorageClass::Private:
        return IsOwnMemoryDefined(root, load);
      default:
        return false;
    }
  }

  bool AreIndicesDefined(Id pointer) {
    const std::optional<Place> place = PlaceOf(module_, pointer);
    return place && std::all_of(place->path.begin(), place->path.end(),
                                [&](Id index) { return IsDefined(index); });
  }

  // The variable must be completely written before the load, and every value written to it must be
  // defined. The first condition is checked for each load on the way, because a written value may
  // itself have been loaded from the variable.
  bool IsOwnMemoryDefined(Id variable, Inst load) {
    if (defined_ && !IsWrittenBefore(variable, load)) return false;
    if (std::find(seen_.begin(), seen_.end(), variable) != seen_.end()) return true;
    seen_.push_back(variable);
    const Inst definition = module_.Definition(variable);
    const bool is_initialized = module_.OperandCount(definition) > 1;
    if (is_initialized && !IsDefined(module_.IdAt(definition, 1))) return false;
    return AreWritesDefined(variable);
  }

  bool IsWrittenBefore(Id variable, Inst load) const {
    if (module_.OperandCount(module_.Definition(variable)) > 1) return true;
    for (Use use = module_.FirstUse(variable); use != Use::kNone; use = module_.NextUse(use)) {
      const Inst user = module_.User(use);
      if (module_.Opcode(user) == spv::Op::OpStore && module_.OperandIndex(use) == 0 &&
          Dominates(user, load)) {
        return true;
      }
    }
    return false;
  }

  bool AreWritesDefined(Id pointer) {
    for (Use use = module_.FirstUse(pointer); use != Use::kNone; use = module_.NextUse(use)) {
      const Inst user = module_.User(use);
      if (!module_.IsBasicBlock(module_.BlockOf(user))) continue;
      switch (module_.Opcode(user)) {
        case spv::Op::OpLoad:
          break;
        case spv::Op::OpStore:
          if (module_.OperandIndex(use) != 0 || !IsDefined(module_.IdAt(user, 1))) return false;
          break;
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
          if (!AreWritesDefined(module_.Result(user))) return false;
          break;
        default:
          return false;
      }
    }
    return true;
  }

  bool Dominates(Inst store, Inst load) const {
    const Function function = module_.FunctionOf(store);
    if (module_.FunctionOf(load) != function) return false;
    if (module_.BlockOf(store) == module_.BlockOf(load)) return module_.Precedes(store, load);
    return module_.Flow(function).Dominates(module_.BlockOf(store), module_.BlockOf(load));
  }

  const View& view_;
  const Module& module_;
  const bool defined_, exact_;
  std::vector<Id> seen_;
};

bool HasFragmentShader(const Module& module) {
  bool found = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst inst) {
    found |= module.Word(inst, 0) == static_cast<uint32_t>(spv::ExecutionModel::Fragment);
  });
  return found;
}

}  // namespace

bool IsSurelyDefined(const View& view, Id value) {
  return Search(view, kDefined).IsDefined(value);
}

bool IsSurelyExact(const View& view, Id value) {
  return Search(view, kExact).IsDefined(value);
}

bool IsExactInput(const View& view, Id variable, Id loaded) {
  const Module& module = view.module();
  const Inputs* inputs = view.context().inputs.get();
  const Id scalar = ScalarType(module, loaded);
  if (scalar == Id::kNone) return false;
  if (IsFloat(module, scalar)) return HasBuiltIn(module, variable, spv::BuiltIn::FragCoord);
  // An invocation of a pixel with several samples may have only some of those that are covered.
  if (HasBuiltIn(module, variable, spv::BuiltIn::SampleMask) &&
      (inputs == nullptr || (inputs->samples > 1 && !inputs->per_sample))) {
    return false;
  }
  return inputs == nullptr || inputs->companion == nullptr || !HasFragmentShader(module) ||
         FindDecoration(module, variable, spv::Decoration::Location) == Inst::kNone;
}

bool WasBranchedOnBefore(const View& view, Id condition, Block block) {
  const Module& module = view.module();
  const ControlFlow& flow = module.Flow(module[block].function);
  for (Use use = module.FirstUse(condition); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    if (module.Opcode(user) != spv::Op::OpBranchConditional || module.OperandIndex(use) != 0) {
      continue;
    }
    const Block decided = module.BlockOf(user);
    if (module[decided].function == module[block].function && decided != block &&
        flow.Dominates(decided, block)) {
      view.DependOn(user, 0);
      return true;
    }
  }
  return false;
}

CheckResult MayBranchOn(const View& view, Id value, Block block) {
  if (Search(view, kDefined | kExact).IsDefined(value) || view.IsUniform(value)) return Yes();
  // This comes last, and never applies to constants, which the whole module can use.
  if (WasBranchedOnBefore(view, value, block)) return Yes();
  return No("the value may be undefined or approximate, so no branch may depend on the value");
}

}  // namespace rules
}  // namespace refract
