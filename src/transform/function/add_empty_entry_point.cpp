// SPDX-License-Identifier: Apache-2.0
// Adds an entry point that does nothing and that is never run. Other steps can add code to it.
#include "message/add_empty_entry_point.h"

#include <optional>

#include "base/text.h"
#include "rules/build/declare.h"
#include "rules/build/function_type.h"
#include "rules/context_editor.h"
#include "rules/values.h"
#include "transform/function/entry_points.h"

namespace refract::add_empty_entry_point {
namespace {

using Message = message::AddEmptyEntryPoint;
enum Role : uint64_t { kFunction = 1, kEnd = 2, kLabel = 3, kReturn = 4, kEntry = 5, kMode = 6 };

// What a stage must declare: an execution mode and its literals.
struct Modes {
  spv::ExecutionModel model;
  bool has_mode;
  spv::ExecutionMode mode;
  uint32_t literals;  // how many; each of them is 1
};
constexpr Modes kModes[] = {
    {spv::ExecutionModel::Vertex, false, {}, 0},
    // Vulkan, VUID-StandaloneSpirv-OriginLowerLeft-04653.
    {spv::ExecutionModel::Fragment, true, spv::ExecutionMode::OriginUpperLeft, 0},
    {spv::ExecutionModel::GLCompute, true, spv::ExecutionMode::LocalSize, 3},
};

const Modes* ModesOf(uint32_t model) {
  for (const Modes& row : kModes) {
    if (static_cast<uint32_t>(row.model) == model) return &row;
  }
  return nullptr;
}

// True if a constant is the built-in WorkgroupSize, which only stages with workgroups may use
// (Vulkan, VUID-WorkgroupSize-WorkgroupSize-04425). Later steps may use any constant.
bool HasWorkgroupSize(const Module& module) {
  const Block annotations = Module::SectionBlock(Section::kAnnotations);
  for (Inst inst = module.First(annotations); inst != Inst::kNone; inst = module.Next(inst)) {
    if (module.Opcode(inst) == spv::Op::OpDecorate &&
        module.Word(inst, 1) == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
        module.Word(inst, 2) == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
      return true;
    }
  }
  return false;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  if (ModesOf(message.model) == nullptr) {
    return No("the shader stage is not Vertex, Fragment or GLCompute");
  }
  if (message.model != static_cast<uint32_t>(spv::ExecutionModel::GLCompute) &&
      HasWorkgroupSize(module)) {
    return No("the module has the constant WorkgroupSize, which this stage must not use");
  }
  return CheckEntryName(module, message.name);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Id type = Declare(editor, message::Type{.kind = message::Type::Kind::kVoid});
  const Function function =
      StartFunction(editor, type, {}, {editor.Made(kFunction), editor.Made(kEnd)});
  const Block block = editor.AddBlock(function);
  editor.AppendValue(block, spv::Op::OpLabel, Id::kNone, editor.Made(kLabel), {});
  editor.AppendPlain(block, spv::Op::OpReturn, editor.Made(kReturn), {});
  const Id id = module.FunctionId(function);
  Args args{message.model, id};
  AppendString(message.name, &args);
  editor.AppendPlain(Module::SectionBlock(Section::kEntryPoints), spv::Op::OpEntryPoint,
                     editor.Made(kEntry), args);
  const Modes& modes = *ModesOf(message.model);
  if (!modes.has_mode) return;
  args = {id, static_cast<uint32_t>(modes.mode)};
  args.resize(args.size() + modes.literals, 1u);
  editor.AppendPlain(Module::SectionBlock(Section::kExecutionModes), spv::Op::OpExecutionMode,
                     editor.Made(kMode), args);
}

void Propose(Proposer& proposer) {
  constexpr size_t kMostEntries = 3;
  const Module& module = proposer.module();
  if (EntryPoints(module).size() >= kMostEntries || !proposer.ShouldTry()) return;
  const Modes& modes = kModes[proposer.Pick(std::size(kModes))];
  const Message message{format("empty_{}", proposer.Pick(1000)),
                        static_cast<uint32_t>(modes.model)};
  if (Check(message, proposer.view())) proposer.Offer(message);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 50}, .follow_ons = {"add_built_in_variable", "add_unused_output"}});

}  // namespace refract::add_empty_entry_point
