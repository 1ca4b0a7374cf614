// SPDX-License-Identifier: Apache-2.0
// Adds a variable to an interface or removes it. An interface may list variables that the entry
// point does not use (SPIR-V 3.42.2, OpEntryPoint); compilers that assume otherwise are wrong.
#include "message/set_interface.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/legality/memory.h"
#include "transform/function/entry_points.h"

namespace refract::set_interface {
namespace {

using Message = message::SetInterface;
using Storage = spv::StorageClass;

CheckResult CheckListing(const Module& module, Storage storage) {
  if (module.version() < 0x00010400) {
    return No("before SPIR-V 1.4, an interface can list only inputs and outputs");
  }
  switch (storage) {
    case Storage::Private:
    case Storage::Uniform:
    case Storage::UniformConstant:
    case Storage::StorageBuffer:
      return Yes();
    default:
      return No(
          "the interface can list a variable of this storage class only if the entry point uses "
          "the variable");
  }
}

CheckResult CheckUnlisting(const Module& module, const EntryPoint& entry, Id variable,
                           Storage storage) {
  switch (storage) {
    case Storage::Private:
    case Storage::Uniform:
    case Storage::UniformConstant:
    case Storage::StorageBuffer:
    case Storage::PushConstant:
    case Storage::Workgroup:
      break;
    case Storage::Input:
      // The presence of some inputs changes how often the stage runs (Vulkan, "Sample Shading").
      if (!IsPlainInput(module, variable) ||
          FindDecoration(module, variable, spv::Decoration::Sample) != Inst::kNone) {
        return No("the input may affect how the shader stage is executed");
      }
      break;
    case Storage::Output:
      // The previous stage must declare an input of the next stage as an output (Vulkan,
      // VUID-RuntimeSpirv-OpEntryPoint-08743), and an initial value of an output is drawn.
      if (entry.model != spv::ExecutionModel::Fragment ||
          module.OperandCount(module.Definition(variable)) > 1 ||
          FindDecoration(module, variable, spv::Decoration::BuiltIn) != Inst::kNone) {
        return No("a later stage or the image may use the output");
      }
      break;
    default:
      return No("a variable of this storage class must stay in the interface");
  }
  return EntryUses(module, entry, variable) ? No("the entry point uses the variable") : Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const std::optional<EntryPoint> entry = OnlyEntryOf(view, message.function);
  if (!entry) return No("the function must be the function of exactly one entry point");
  const Inst inst = view.Find(message.variable);
  if (inst == Inst::kNone || module.Opcode(inst) != spv::Op::OpVariable ||
      module.FunctionOf(inst) != Function::kNone) {
    return No("the global variable does not exist");
  }
  const Id variable = module.Result(inst);
  if (IsInInterface(*entry, variable) == message.listed) return Yes();
  const Storage storage = StorageClassOf(module, module.Type(inst));
  return message.listed ? CheckListing(module, storage)
                        : CheckUnlisting(module, *entry, variable, storage);
}

void Apply(const Message& message, ContextEditor& editor) {
  const EntryPoint entry = *OnlyEntryOf(editor.view(), message.function);
  const Id variable = editor.view().Value(message.variable);
  if (IsInInterface(entry, variable) == message.listed) return;
  if (message.listed) {
    AddToInterface(editor, entry.instruction, variable);
  } else {
    RemoveFromInterface(editor, entry.instruction, variable);
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  for (const EntryPoint& entry : EntryPoints(module)) {
    if (entry.function == Function::kNone) continue;
    ForEachGlobalVariable(module, [&](Inst inst) {
      const bool listed = IsInInterface(entry, module.Result(inst));
      if (!listed && !CheckListing(module, StorageClassOf(module, module.Type(inst)))) return;
      if (proposer.Full() || !proposer.ShouldTry()) return;
      const Message message{module.NameOf(module[entry.function].definition), module.NameOf(inst),
                            !listed};
      if (Check(message, proposer.view())) proposer.Offer(message);
    });
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {30, 100}});

}  // namespace refract::set_interface
