// SPDX-License-Identifier: Apache-2.0
#include "rules/build/uniform_block.h"

#include <algorithm>

#include "base/text.h"
#include "input/inputs.h"
#include "input/pipeline/ray_shaders.h"
#include "input/pipeline/stages.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

enum Role : uint64_t {
  kBlock = 1,
  kVariable = 2,
  kOffset = 3,
  kIsBlock = 4,
  kSet = 5,
  kBinding = 6,
  kMemberDecoration = kRolesOfBlock
};

// The limits that every Vulkan implementation supports (Vulkan 1.3, "Required Limits":
// maxBoundDescriptorSets, maxPerStageDescriptorUniformBuffers), and more bindings than a module
// needs.
constexpr uint32_t kSets = 4;
constexpr uint32_t kBindings = 1024;
constexpr uint32_t kUniformBuffers = 12;

uint32_t Word(spv::Decoration decoration) {
  return static_cast<uint32_t>(decoration);
}

std::optional<uint32_t> WordOf(const Module& module, Id id, spv::Decoration decoration) {
  const Inst inst = FindDecoration(module, id, decoration);
  if (inst == Inst::kNone || module.OperandCount(inst) < 3) return std::nullopt;
  return module.Word(inst, 2);
}

spv::StorageClass ClassOf(const Module& module, Inst variable) {
  return static_cast<spv::StorageClass>(module.Word(variable, 0));
}

// The block of a variable, as far as the variable itself defines it.
std::optional<KnownBlock> BlockOf(const Module& module, Id variable) {
  const Inst inst = module.Definition(variable);
  if (module.Opcode(inst) != spv::Op::OpVariable) return std::nullopt;
  KnownBlock block;
  block.variable = variable;
  block.type = ElementType(module, module.Type(inst));
  block.push_constant = ClassOf(module, inst) == spv::StorageClass::PushConstant;
  if (!block.push_constant && ClassOf(module, inst) != spv::StorageClass::Uniform) {
    return std::nullopt;
  }
  if (TypeOpcode(module, block.type) != spv::Op::OpTypeStruct ||
      FindDecoration(module, block.type, spv::Decoration::Block) == Inst::kNone) {
    return std::nullopt;
  }
  if (block.push_constant) return block;
  const auto set = WordOf(module, variable, spv::Decoration::DescriptorSet);
  const auto binding = WordOf(module, variable, spv::Decoration::Binding);
  if (!set || !binding) return std::nullopt;
  block.set = *set;
  block.binding = *binding;
  return block;
}

// True if another variable shares the memory, so that the data has two layouts.
bool IsAliased(const Module& module, const KnownBlock& block) {
  bool aliased = false;
  ForEachGlobalVariable(module, [&](Inst inst) {
    const Id other = module.Result(inst);
    if (other == block.variable) return;
    aliased |= block.push_constant
                   ? ClassOf(module, inst) == spv::StorageClass::PushConstant
                   : WordOf(module, other, spv::Decoration::Binding) == block.binding &&
                         WordOf(module, other, spv::Decoration::DescriptorSet) == block.set;
  });
  return aliased;
}

bool IsOf(const KnownValue& known, const KnownBlock& block) {
  return known.push_constant == block.push_constant &&
         (block.push_constant || (known.set == block.set && known.binding == block.binding));
}

}  // namespace

std::optional<KnownBlock> KnownBlockOf(const View& view, Id variable) {
  const Module& module = view.module();
  const std::optional<KnownBlock> block = BlockOf(module, variable);
  if (!block || view.context().entry.empty() || IsAliased(module, *block)) return std::nullopt;
  // If the companion reads the block too, its layout and its values must not change.
  const Inputs* inputs = view.context().inputs.get();
  if (inputs != nullptr && inputs->companion != nullptr &&
      inputs->companion->HasPlace(block->push_constant, block->set, block->binding)) {
    return std::nullopt;
  }
  std::vector<std::vector<uint32_t>> paths;
  for (const KnownValue& known : view.facts().known_inputs()) {
    if (IsOf(known, *block)) paths.push_back(known.path);
  }
  if (paths.empty()) return std::nullopt;
  std::sort(paths.begin(), paths.end());
  const Result<Layout> layout = LayOut(module, block->type, 0);
  if (!layout || layout->has_unsized) return std::nullopt;
  for (const LaidOutScalar& scalar : layout->scalars) {
    if (!std::binary_search(paths.begin(), paths.end(), scalar.path)) return std::nullopt;
  }
  return block;
}

std::vector<KnownBlock> KnownBlocks(const View& view) {
  std::vector<KnownBlock> blocks;
  if (view.facts().known_inputs().empty()) return blocks;
  ForEachGlobalVariable(view.module(), [&](Inst inst) {
    if (const auto block = KnownBlockOf(view, view.module().Result(inst))) blocks.push_back(*block);
  });
  return blocks;
}

bool IsReachedByEntryAlone(const Context& context, Function function) {
  const std::vector<Inst> entries = EntryPointsReaching(context.module, function);
  return entries.size() == 1 && StringOperand(context.module, entries[0], 2) == context.entry;
}

bool IsUsedByEntryAlone(const View& view, Id variable) {
  const Module& module = view.module();
  if (EntryPoints(module).size() == 1) return true;
  std::vector<Function> users;
  ForEachUse(module, variable, [&](Use use) {
    const Function user = module.FunctionOf(module.User(use));
    if (user != Function::kNone && std::find(users.begin(), users.end(), user) == users.end()) {
      users.push_back(user);
    }
  });
  return std::all_of(users.begin(), users.end(), [&](Function user) {
    const std::vector<Inst> entries = EntryPointsReaching(module, user);
    return std::all_of(entries.begin(), entries.end(), [&](Inst entry) {
      return StringOperand(module, entry, 2) == view.context().entry;
    });
  });
}

namespace {

// The name of an input that a step adds: number `part` of the data at this place.
std::string NameOfAddedInput(const NewBinding& place, uint32_t part) {
  const std::string name =
      place.push_constant ? "added_push" : format("added_{}_{}", place.set, place.binding);
  return part == 0 ? name : format("{}_{}", name, part);
}

// True if another shader of the pipeline has a block at this place.
bool CompanionHas(const Context& context, const NewBinding& place) {
  const std::vector<EntryPoint> entries = EntryPoints(context.module);
  if (!place.push_constant && place.set == kMadeSet &&
      std::any_of(entries.begin(), entries.end(),
                  [](const EntryPoint& entry) { return IsOptionalRay(entry.model); })) {
    return true;
  }
  return context.inputs != nullptr && context.inputs->companion != nullptr &&
         context.inputs->companion->HasPlace(place.push_constant, place.set, place.binding);
}

CheckResult MayBePushed(const Module& module, bool has) {
  ForEachGlobalVariable(
      module, [&](Inst inst) { has |= ClassOf(module, inst) == spv::StorageClass::PushConstant; });
  return has ? No("the module already has push constants") : Yes();
}

CheckResult MayBeBound(const Module& module, const NewBinding& place, bool taken) {
  if (place.set >= kSets || place.binding >= kBindings) {
    return No("the set or binding exceeds the guaranteed Vulkan limit");
  }
  uint32_t buffers = 1;
  ForEachGlobalVariable(module, [&](Inst inst) {
    const Id variable = module.Result(inst);
    taken |= WordOf(module, variable, spv::Decoration::Binding) == place.binding &&
             WordOf(module, variable, spv::Decoration::DescriptorSet) == place.set;
    if (ClassOf(module, inst) != spv::StorageClass::Uniform) return;
    const Id block = ElementType(module, module.Type(inst));
    buffers += TypeOpcode(module, block) == spv::Op::OpTypeStruct ? 1 : kUniformBuffers;
  });
  if (taken) return No("the set and binding are already in use");
  if (buffers > kUniformBuffers) {
    return No("the number of uniform buffers exceeds the guaranteed Vulkan limit");
  }
  return Yes();
}

}  // namespace

CheckResult MayBind(const View& view, const NewBinding& place) {
  const bool taken = CompanionHas(view.context(), place);
  const CheckResult check_result = place.push_constant ? MayBePushed(view.module(), taken)
                                                       : MayBeBound(view.module(), place, taken);
  const Inputs* inputs = view.context().inputs.get();
  if (!check_result || inputs == nullptr) return check_result;
  const std::string name = NameOfAddedInput(place, 0);
  const std::optional<ComputeInput>& compute = inputs->compute;
  const bool given =
      (compute && compute->has_buffer && !place.push_constant && compute->set == place.set &&
       compute->binding == place.binding) ||
      std::any_of(inputs->values.begin(), inputs->values.end(), [&](const InputValue& value) {
        if (value.name == name || value.name.starts_with(name + "_")) return true;
        if (place.push_constant) return value.push_constant;
        return value.has_binding && value.set == place.set && value.binding == place.binding;
      });
  return given ? No("the inputs already have a value with this name or binding") : Yes();
}

Id AddUniformBlock(ContextEditor& editor, const std::vector<NewMember>& members,
                   const NewBinding& place) {
  Args types;
  for (const NewMember& member : members) types.push_back(member.type);
  const Id block =
      editor.DeclareDistinct(spv::Op::OpTypeStruct, Id::kNone, editor.Made(kBlock), types);
  const Block annotations = Module::SectionBlock(Section::kAnnotations);
  for (uint32_t i = 0; i < members.size(); ++i) {
    const Name name = i == 0 ? editor.Made(kOffset) : editor.Made(kOffset, uint64_t{i});
    editor.AppendPlain(annotations, spv::Op::OpMemberDecorate, name,
                       {block, i, Word(spv::Decoration::Offset), members[i].offset});
  }
  editor.AppendPlain(annotations, spv::Op::OpDecorate, editor.Made(kIsBlock),
                     {block, Word(spv::Decoration::Block)});
  const spv::StorageClass storage =
      place.push_constant ? spv::StorageClass::PushConstant : spv::StorageClass::Uniform;
  const Id pointer = DeclarePointer(editor, storage, block);
  const Id variable = editor.DeclareDistinct(spv::Op::OpVariable, pointer, editor.Made(kVariable),
                                             {static_cast<uint32_t>(storage)});
  if (place.push_constant) return variable;
  editor.AppendPlain(annotations, spv::Op::OpDecorate, editor.Made(kSet),
                     {variable, Word(spv::Decoration::DescriptorSet), place.set});
  editor.AppendPlain(annotations, spv::Op::OpDecorate, editor.Made(kBinding),
                     {variable, Word(spv::Decoration::Binding), place.binding});
  return variable;
}

void DecorateMember(ContextEditor& editor, Id variable, uint32_t member, spv::Decoration decoration,
                    std::optional<uint32_t> value) {
  const Module& module = editor.module();
  Args args{ElementType(module, module.TypeOf(variable)), member, Word(decoration)};
  if (value) args.push_back(*value);
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpMemberDecorate,
                     editor.Made(kMemberDecoration, uint64_t{member}, uint64_t{Word(decoration)}),
                     args);
}

namespace {

// True if two scalars form one value in the inputs: they are in one member and have the same type.
bool BelongTogether(const NewScalar& a, const NewScalar& b) {
  return a.place.path[0] == b.place.path[0] && a.place.kind == b.place.kind &&
         a.place.width == b.place.width && a.is_signed == b.is_signed;
}

std::vector<InputValue> AsInputs(const NewBinding& place, const std::vector<NewScalar>& scalars) {
  std::vector<InputValue> values;
  for (size_t begin = 0, end = 0; begin < scalars.size(); begin = end) {
    const NewScalar& first = scalars[begin];
    InputValue value;
    value.name = NameOfAddedInput(place, static_cast<uint32_t>(values.size()));
    value.set = place.set;
    value.binding = place.binding;
    value.has_binding = !place.push_constant;
    value.push_constant = place.push_constant;
    value.offset = static_cast<uint32_t>(first.place.offset);
    value.scalar = first.place.kind == LaidOutScalar::kFloat ? InputValue::kFloat
                   : first.is_signed                         ? InputValue::kInt
                                                             : InputValue::kUint;
    value.width = first.place.width;
    for (; end < scalars.size() && BelongTogether(first, scalars[end]); ++end) {
      value.words.push_back(scalars[end].bits);
    }
    const auto count = static_cast<uint32_t>(value.words.size());
    (count <= 4 ? value.rows : value.count) = count;
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

void RecordBlockInputs(ContextEditor& editor, const NewBinding& place,
                       const std::vector<NewScalar>& scalars, bool has_inputs) {
  if (has_inputs) {
    const Inputs* old = editor.view().context().inputs.get();
    auto inputs = std::make_shared<Inputs>(old != nullptr ? *old : Inputs());
    for (InputValue& value : AsInputs(place, scalars)) {
      inputs->values.push_back(std::move(value));
    }
    editor.SetInputs(std::move(inputs));
  }
  std::vector<KnownValue> known = editor.facts().known_inputs();
  for (const NewScalar& scalar : scalars) {
    KnownValue value;
    value.set = place.set;
    value.binding = place.binding;
    value.push_constant = place.push_constant;
    value.path = scalar.place.path;
    value.bits = scalar.bits;
    value.width = scalar.place.width;
    value.added_by = editor.step();
    known.push_back(std::move(value));
  }
  editor.facts().SetKnownInputs(std::make_shared<const std::vector<KnownValue>>(std::move(known)));
}

}  // namespace rules
}  // namespace refract
