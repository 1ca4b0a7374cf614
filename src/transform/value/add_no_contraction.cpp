// SPDX-License-Identifier: Apache-2.0
// Adds NoContraction to an operation on floats: it must not be combined with other operations. This
// leaves fewer ways to compute the result, all of which the original allows.
#include "message/add_no_contraction.h"

#include "ir/decorations.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::add_no_contraction {
namespace {

using Message = message::AddNoContraction;
enum Role : uint64_t { kDecoration = 1 };

// True for arithmetic that compilers may contract (SPIR-V 3.20, NoContraction).
bool MayBeContracted(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpFAdd:
    case spv::Op::OpFSub:
    case spv::Op::OpFMul:
    case spv::Op::OpFDiv:
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
    case spv::Op::OpFNegate:
    case spv::Op::OpVectorTimesScalar:
    case spv::Op::OpMatrixTimesScalar:
    case spv::Op::OpVectorTimesMatrix:
    case spv::Op::OpMatrixTimesVector:
    case spv::Op::OpMatrixTimesMatrix:
    case spv::Op::OpOuterProduct:
    case spv::Op::OpDot:
      return true;
    default:
      return false;
  }
}

bool IsAlreadyDecorated(const Module& module, Id id) {
  return FindDecoration(module, id, spv::Decoration::NoContraction) != Inst::kNone;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Id id = view.Value(message.instruction);
  if (id == Id::kNone) return No("the instruction does not exist");
  if (!MayBeContracted(module.OpcodeOf(id))) {
    return No("the id is not the result of floating-point arithmetic");
  }
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Id id = editor.module().FindId(message.instruction);
  if (IsAlreadyDecorated(editor.module(), id)) return;
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate,
                     editor.Made(kDecoration),
                     {id, static_cast<uint32_t>(spv::Decoration::NoContraction)});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  if (!HasCapability(module, spv::Capability::Shader)) return;
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (!MayBeContracted(module.Opcode(inst)) || !proposer.ShouldTry()) return;
        if (IsAlreadyDecorated(module, module.Result(inst))) return;
        proposer.Offer(Message{module.NameOf(inst)});
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {5, 50}});

}  // namespace refract::add_no_contraction
