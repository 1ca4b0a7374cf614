// SPDX-License-Identifier: Apache-2.0
// Splits an operation on vectors into one operation for each component. The old instruction, under
// its name, composes the results.
#include "message/scalarize_operation.h"

#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "transform/value/componentwise.h"

namespace refract::scalarize_operation {
namespace {

using Message = message::ScalarizeOperation;
using spv::Op;
enum Role : uint64_t { kLane = 1, kOperand = 2 };

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (CheckResult may = MayChangeComponentCount(view, inst); !may) return may;
  if (!IsVector(module, module.Type(inst))) {
    return No("the result of the operation is already a scalar");
  }
  return Yes();
}

class Scalarizing {
 public:
  Scalarizing(ContextEditor& editor, Inst inst)
      : editor_(editor),
        module_(editor.module()),
        inst_(inst),
        result_(module_.Result(inst)),
        builder_(editor, inst, result_) {}

  void Run() {
    const uint32_t lanes = PartCount(module_, module_.Type(inst_)).value();
    std::vector<Id> results;
    for (uint32_t lane = 0; lane < lanes; ++lane) results.push_back(MakeLane(lane));
    editor_.RemoveDecorations(result_);
    editor_.SetOpcode(inst_, Op::OpCompositeConstruct);
    editor_.SetOperands(inst_, Args(results.begin(), results.end()));
    if (!MayHaveSynonym(editor_.view(), result_)) return;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      editor_.facts().AddSynonym(*Part(result_).Component(lane), Part(results[lane]),
                                 editor_.Provenance());
    }
  }

 private:
  Id MakeLane(uint32_t lane) {
    const uint32_t first = FirstComponentOperand(module_, inst_);
    Args args;
    for (uint32_t i = 0; i < first; ++i) {
      args.push_back(module_.IsId(inst_, i) ? Arg(module_.IdAt(inst_, i))
                                            : Arg(module_.Word(inst_, i)));
    }
    for (uint32_t i = first; i < module_.OperandCount(inst_); ++i) {
      const Id operand = module_.IdAt(inst_, i);
      args.push_back(
          IsSharedByComponents(module_, inst_, i)
              ? operand
              : builder_.Extract(*Part(operand).Component(lane), editor_.Made(kOperand, lane, i)));
    }
    const Id made =
        builder_.Compute(module_.Opcode(inst_), ElementType(module_, module_.Type(inst_)),
                         editor_.Made(kLane, lane), args);
    editor_.CopyValueDecorations(result_, made);
    return made;
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id result_;
  Builder builder_;
};

void Apply(const Message& message, ContextEditor& editor) {
  Scalarizing(editor, editor.module().Find(message.operation)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return module.Type(inst) != Id::kNone && IsVector(module, module.Type(inst)) &&
           IsComponentwise(module, inst);
  };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {5, 40},
     .follow_ons = {"replace_id_with_synonym", "widen_operation", "swap_commutable_operands",
                    "vectorize_operations", "add_no_contraction"}});

}  // namespace refract::scalarize_operation
