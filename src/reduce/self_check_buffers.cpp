// SPDX-License-Identifier: Apache-2.0
// A compute shader that compares its storage buffers.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/text.h"
#include "input/block_use.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "reduce/self_check_code.h"
#include "reduce/self_checking.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace reduce {
namespace {

using spv::Op;

// The scalars of a storage buffer are compared through this variable.
Id BufferVariable(const Module& module, const BoundBuffer& buffer) {
  for (const Inst inst : module.global_variables()) {
    if (module[inst].removed) continue;
    const Id variable = module.Result(inst);
    if (FindDecoration(module, variable, spv::Decoration::Binding) != Inst::kNone &&
        DecorationValue(module, variable, spv::Decoration::Binding) == buffer.binding &&
        DecorationValue(module, variable, spv::Decoration::DescriptorSet) == buffer.set) {
      return variable;
    }
  }
  return Id::kNone;
}

// The type of the scalar at a path into a block.
Id TypeAt(const Module& module, Id type, const std::vector<uint32_t>& path) {
  for (const uint32_t index : path) {
    type = TypeOpcode(module, type) == Op::OpTypeStruct ? PartType(module, type, index)
                                                        : ElementType(module, type);
  }
  return type;
}

// Whether the scalar has the expected bits; floats, the expected value.
Id IsRight(SelfCheckCode& code, Id variable, uint32_t element, const LaidOutScalar& scalar,
           uint64_t bits) {
  const Module& module = code.module();
  const Id pointer = module.TypeOf(variable);
  std::vector<uint32_t> path = scalar.path;
  if (IsBlockArray(module, variable)) path.insert(path.begin(), element);
  const Id type = TypeAt(module, ElementType(module, pointer), path);
  Args chain{variable};
  for (const uint32_t index : path) chain.push_back(code.Uint(index));
  const Id place =
      code.Value(Op::OpAccessChain,
                 DeclarePointer(code.editor(), StorageClassOf(module, pointer), type), chain);
  const Id value = code.Value(Op::OpLoad, type, {place});
  if (scalar.kind == LaidOutScalar::kInteger) {
    return code.Value(Op::OpIEqual, code.Bool(), {value, code.Bits(type, bits)});
  }
  const bool is_nan = scalar.width == 32
                          ? std::bit_cast<float>(static_cast<uint32_t>(bits)) !=
                                std::bit_cast<float>(static_cast<uint32_t>(bits))
                          : std::bit_cast<double>(bits) != std::bit_cast<double>(bits);
  if (is_nan) return code.Value(Op::OpIsNan, code.Bool(), {value});
  return code.Value(Op::OpFOrdEqual, code.Bool(), {value, code.Bits(type, bits)});
}

// Whether all storage buffers have the expected content.
Result<Id> AreBuffersRight(SelfCheckCode& code, const Outputs& outputs,
                           const std::vector<BufferLayout>& layouts) {
  Id all = Id::kNone;
  uint32_t count = 0;
  for (const BoundBuffer& buffer : outputs.buffers) {
    const auto layout = std::find_if(layouts.begin(), layouts.end(),
                                     [&](const BufferLayout& l) { return SamePlace(l, buffer); });
    const Id variable = BufferVariable(code.module(), buffer);
    if (layout == layouts.end() || layout->layout.has_unsized || variable == Id::kNone) {
      return CannotCheck(
          format("the layout of the storage buffer at {} is not known", PlaceOf(buffer)));
    }
    for (const LaidOutScalar& scalar : layout->layout.scalars) {
      if (scalar.width != 32 && scalar.width != 64) {
        return CannotCheck(format("the storage buffer at {} has scalars of {} bits",
                                  PlaceOf(buffer), scalar.width));
      }
      if (++count > kMostCheckedScalars) {
        return CannotCheck(
            format("the storage buffers have more than {} scalars", kMostCheckedScalars));
      }
      uint64_t bits = 0;
      if (scalar.offset + scalar.width / 8 > buffer.bytes.size()) continue;
      std::memcpy(&bits, buffer.bytes.data() + scalar.offset, scalar.width / 8);
      const Id right = IsRight(code, variable, buffer.element, scalar, bits);
      all = all == Id::kNone ? right : code.Value(Op::OpLogicalAnd, code.Bool(), {all, right});
    }
  }
  if (all == Id::kNone) return CannotCheck("the shader writes no storage buffer");
  return all;
}

// A new storage buffer of one number, declared as `like` is.
Id AddResultBuffer(SelfCheckCode& code, Id like, uint32_t set, uint32_t binding) {
  const Module& module = code.module();
  const spv::StorageClass storage = StorageClassOf(module, module.TypeOf(like));
  const Id block =
      code.editor().DeclareDistinct(Op::OpTypeStruct, Id::kNone, code.NewName(), {code.Uint()});
  const auto word = [](auto value) { return static_cast<uint32_t>(value); };
  code.Decorate(
      {block, word(storage == spv::StorageClass::StorageBuffer ? spv::Decoration::Block
                                                               : spv::Decoration::BufferBlock)});
  code.DecorateMember({block, 0u, word(spv::Decoration::Offset), 0u});
  const Id variable =
      AddVariable(code.editor(), storage, Function::kNone, block, code.NewName(), Id::kNone);
  code.Decorate({variable, word(spv::Decoration::DescriptorSet), set});
  code.Decorate({variable, word(spv::Decoration::Binding), binding});
  code.editor().AddToInterfaces(variable, code.entry().function);
  return variable;
}

// A binding of this set that no variable has.
uint32_t FreeBinding(const Module& module, uint32_t set) {
  uint32_t free = 0;
  for (const Inst inst : module.global_variables()) {
    const Id variable = module.Result(inst);
    if (module[inst].removed ||
        FindDecoration(module, variable, spv::Decoration::Binding) == Inst::kNone ||
        DecorationValue(module, variable, spv::Decoration::DescriptorSet) != set) {
      continue;
    }
    free = std::max(free, DecorationValue(module, variable, spv::Decoration::Binding) + 1);
  }
  return free;
}

// A buffer that the shader only writes may have no input; now it is read.
void AddBufferInput(const BoundBuffer& buffer, Inputs* inputs) {
  const auto is_whole = [&](const InputValue& value) {
    return value.buffer_bytes > 0 && value.has_binding && value.set == buffer.set &&
           value.binding == buffer.binding && value.element.value_or(0) == buffer.element;
  };
  if (std::any_of(inputs->values.begin(), inputs->values.end(), is_whole)) return;
  InputValue value;
  value.name = format("checked_{}_{}", buffer.set, buffer.binding);
  if (buffer.element != 0) {
    value.name += format("_{}", buffer.element);
    value.element = buffer.element;
  }
  value.set = buffer.set;
  value.binding = buffer.binding;
  value.has_binding = true;
  value.buffer_bytes = buffer.bytes.size();
  inputs->values.push_back(std::move(value));
}

}  // namespace

Status CheckBuffers(SelfCheckCode& code, const Outputs& outputs,
                    const std::vector<BufferLayout>& layouts, Inputs* inputs) {
  const Module& module = code.module();
  const bool one_workgroup =
      !inputs->compute ||
      std::all_of(std::begin(inputs->compute->groups), std::end(inputs->compute->groups),
                  [](uint32_t count) { return count == 1; });
  if (!one_workgroup) return CannotCheck("the shader runs more than one workgroup");
  if (HasCapability(module, spv::Capability::VulkanMemoryModel)) {
    return CannotCheck("the shader uses the Vulkan memory model");
  }
  if (outputs.buffers.empty()) return CannotCheck("the shader writes no storage buffer");
  const auto word = [](auto value) { return static_cast<uint32_t>(value); };
  code.Call();
  // One invocation compares, after all others are done and their writes are visible.
  const Id workgroup = code.Uint(word(spv::Scope::Workgroup));
  code.Plain(Op::OpControlBarrier, {workgroup, workgroup,
                                    code.Uint(word(spv::MemorySemanticsMask::AcquireRelease) |
                                              word(spv::MemorySemanticsMask::UniformMemory))});
  // A module may declare the built-in as a signed number.
  const Id index = code.BuiltInVariable(spv::BuiltIn::LocalInvocationIndex, code.Uint());
  const Id integer = ElementType(module, module.TypeOf(index));
  const Id number = code.Value(Op::OpLoad, integer, {index});
  code.BeginIf(code.Value(Op::OpIEqual, code.Bool(), {number, code.Bits(integer, 0)}));
  const Result<Id> right = AreBuffersRight(code, outputs, layouts);
  if (!right) return right.error();
  const uint32_t set = outputs.buffers.front().set, binding = FreeBinding(module, set);
  const Id result =
      AddResultBuffer(code, BufferVariable(module, outputs.buffers.front()), set, binding);
  const Id pointer =
      DeclarePointer(code.editor(), StorageClassOf(module, module.TypeOf(result)), code.Uint());
  const Id place = code.Value(Op::OpAccessChain, pointer, {result, code.Uint(0)});
  code.Plain(Op::OpStore,
             {place, code.Value(Op::OpSelect, code.Uint(), {*right, code.Uint(1), code.Uint(0)})});
  code.EndIf();
  for (const BoundBuffer& buffer : outputs.buffers) AddBufferInput(buffer, inputs);
  AddBufferInput({set, binding, true, std::string(sizeof(uint32_t), '\0')}, inputs);
  inputs->expected = ExpectedOutputs{{{set, binding, {1}}}, std::nullopt};
  return {};
}

}  // namespace reduce
}  // namespace refract
