// SPDX-License-Identifier: Apache-2.0
#include "transform/function/choose_arguments.h"

#include <optional>
#include <set>

#include "ir/availability.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/index_range.h"
#include "rules/legality/memory.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

using message::DonatedParameter;

class Chooser {
 public:
  Chooser(Proposer& proposer, Inst before)
      : proposer_(proposer),
        module_(proposer.module()),
        before_(before),
        dead_(proposer.view().facts().Dead(module_.LabelId(module_.BlockOf(before))) != nullptr),
        near_(ValuesNear(module_, before, 64)) {}

  std::vector<Name> Choose(const message::AddFunction& body) {
    std::vector<Name> arguments;
    for (const DonatedParameter& parameter : body.parameters) {
      arguments.push_back({});
      if (proposer_.Pick(6) == 0) continue;
      const bool is_variable = parameter.type.kind == message::Type::Kind::kPointer;
      Id argument = Id::kNone;
      if (!is_variable) {
        const bool is_index = !body.live_safe && IsIndexOf(body, parameter);
        argument = PickOf(near_, FindType(module_, parameter.type), false, is_index);
      } else if (!body.live_safe || proposer_.Pick(2) == 0) {
        argument = PickOf(Pointers(), FindType(module_, parameter.type), true);
      }
      if (argument == Id::kNone && is_variable && body.live_safe) {
        argument = PickOf(near_, FindType(module_, parameter.type.parts[0]), false);
      }
      if (argument != Id::kNone) arguments.back() = module_.NameOf(argument);
    }
    return arguments;
  }

 private:
  Id PickOf(const std::vector<Id>& from, Id type, bool pointers, bool is_index = false) {
    std::vector<Id> fitting;
    for (Id id : from) {
      if (type != Id::kNone && module_.TypeOf(id) == type) fitting.push_back(id);
    }
    for (int tries = 0; tries < 3 && !fitting.empty(); ++tries) {
      const Id id = fitting[proposer_.Pick(fitting.size())];
      if (!IsAvailable(module_, id, before_)) continue;
      if (is_index && IsFoldable(module_, id)) continue;
      if (pointers ? bool(MayStore(module_, id)) && (dead_ || IsAlwaysValid(module_, id))
                   : dead_ || IsSurelyDefined(proposer_.view(), id)) {
        return id;
      }
    }
    return Id::kNone;
  }

  // Pointers into local variables; outside dead blocks, into variables on which nothing depends.
  const std::vector<Id>& Pointers() {
    if (found_) return *found_;
    found_.emplace();
    const auto add = [&](Inst inst) {
      const Id id = module_.Result(inst);
      if (id == Id::kNone || module_.Type(inst) == Id::kNone || found_->size() >= 128) return;
      if (!IsPointer(module_, module_.Type(inst)) ||
          StorageClassOf(module_, module_.Type(inst)) != spv::StorageClass::Function ||
          !IsPartOfVariable(module_, id)) {
        return;
      }
      if (dead_ || proposer_.view().facts().IrrelevantPointee(id) != nullptr) {
        found_->push_back(id);
      }
    };
    const Function function = module_.FunctionOf(before_);
    ForEachInstruction(module_, module_[function].head, add);
    ForEachBlock(module_, function, [&](Block block) { ForEachInstruction(module_, block, add); });
    return *found_;
  }

  Proposer& proposer_;
  const Module& module_;
  const Inst before_;
  const bool dead_;
  const std::vector<Id> near_;
  std::optional<std::vector<Id>> found_;
};

}  // namespace

std::vector<Name> ChooseArguments(Proposer& proposer, Inst before,
                                  const message::AddFunction& body) {
  return Chooser(proposer, before).Choose(body);
}

bool IsIndexOf(const message::AddFunction& body, const DonatedParameter& parameter) {
  std::set<uint64_t> computed{parameter.local};  // the parameter, and values computed from it
  for (const message::DonatedBlock& block : body.blocks) {
    for (const message::DonatedInstruction& inst : block.instructions) {
      const auto opcode = static_cast<spv::Op>(inst.opcode);
      for (size_t i = 0; i < inst.operands.size(); ++i) {
        const message::DonatedOperand& operand = inst.operands[i];
        if (operand.kind != message::DonatedOperand::Kind::kLocal ||
            computed.count(operand.word) == 0) {
          continue;
        }
        if ((IsAccessChain(opcode) && i > 0) ||
            (opcode == spv::Op::OpVectorExtractDynamic && i == 1) ||
            (opcode == spv::Op::OpVectorInsertDynamic && i == 2)) {
          return true;
        }
        if (PropertiesOf(opcode).pure && opcode != spv::Op::OpPhi) computed.insert(inst.local);
      }
    }
  }
  return false;
}

}  // namespace transform
}  // namespace refract
