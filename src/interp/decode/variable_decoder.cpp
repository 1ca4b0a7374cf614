// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/variable_decoder.h"

#include <algorithm>

#include "base/text.h"
#include "input/block_use.h"
#include "input/layout.h"
#include "interp/address_shadow.h"
#include "interp/memory.h"
#include "interp/ops/ops.h"
#include "interp/ops/ops_memory.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {
namespace {

uint32_t DecorationWord(const Module& module, Id id, spv::Decoration decoration,
                        uint32_t otherwise) {
  const Inst found = FindDecoration(module, id, decoration);
  return found == Inst::kNone ? otherwise : module.Word(found, 2);
}

bool HasNarrow(const std::vector<MemoryScalar>& scalars) {
  return std::any_of(scalars.begin(), scalars.end(),
                     [](const MemoryScalar& s) { return BytesOf(s.scalar) < 4; });
}

bool HasNarrowTypes(const Module& module) {
  bool found = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const Id type = module.Result(inst);
    found |= type != Id::kNone && (IsInt(module, type) || IsFloat(module, type)) &&
             Width(module, type) < 32;
  });
  return found;
}

}  // namespace

VariableDecoder::VariableDecoder(Decoder& decoder)
    : decoder_(decoder), has_narrow_types_(HasNarrowTypes(decoder.module)) {}

Status VariableDecoder::Decode(Inst inst) {
  const Id id = decoder_.module.Result(inst);
  PointerInfo pointer;
  pointer.storage = static_cast<spv::StorageClass>(decoder_.module.Word(inst, 0));
  pointer.pointee = ElementType(decoder_.module, decoder_.module.Type(inst));
  pointer.shared = IsShared(pointer.storage);
  pointer.fixed = true;
  if (pointer.storage == spv::StorageClass::UniformConstant) return DecodeResource(inst, pointer);
  const TypeInfo* type = nullptr;
  if (Status status = decoder_.types.TypeOf(pointer.pointee, &type); !status) {
    // The type of a variable that nothing uses may be unknown.
    decoder_.pointers.SetUnusable(id, status.error().message);
    return {};
  }
  if (pointer.shared) return DecodeShared(inst, pointer);
  if (Status status = AllocateRows(inst, *type, &pointer); !status) return status;
  if (pointer.storage == spv::StorageClass::Input) return DecodeInput(inst, pointer);
  decoder_.pointers.Set(id, pointer);
  if (Status status = EmitInitializer(inst, pointer, *type); !status) return status;
  if (pointer.storage != spv::StorageClass::Output) return {};
  if (decoder_.code.is_compute || decoder_.code.is_vertex) return {};
  const Inst location = FindDecoration(decoder_.module, id, spv::Decoration::Location);
  const Inst built_in = FindDecoration(decoder_.module, id, spv::Decoration::BuiltIn);
  const bool is_mask =
      built_in != Inst::kNone &&
      decoder_.module.Word(built_in, 2) == static_cast<uint32_t>(spv::BuiltIn::SampleMask);
  if (location == Inst::kNone && !is_mask) return {};
  if (std::find(decoder_.entry.interface.begin(), decoder_.entry.interface.end(), id) ==
      decoder_.entry.interface.end()) {
    return {};
  }
  // As in a pipeline on a driver, an output that nothing writes has no image.
  if (!UseOf(decoder_.module, id, ReachedFlags(decoder_.module, decoder_.entry.function)).used) {
    return {};
  }
  if (is_mask) {
    decoder_.code.sample_mask_row = pointer.address;
    return {};
  }
  return DecodeOutput(inst, pointer.pointee, pointer.address, decoder_.module.Word(location, 2));
}

// Allocates rows for a variable that belongs to an invocation.
Status VariableDecoder::AllocateRows(Inst inst, const TypeInfo& type, PointerInfo* pointer) {
  if (type.rows <= kMaxVariableRows) {
    pointer->address = decoder_.rows.Allocate(type.rows);
    return {};
  }
  if (type.rows > (uint64_t{1} << 30) || sparse_rows_ + type.rows >= (uint64_t{1} << 31)) {
    return decoder_.Cannot(inst, "its type is too large");
  }
  pointer->address = kFirstSparseRow + static_cast<uint32_t>(sparse_rows_);
  sparse_rows_ += type.rows;
  return {};
}

// Emits the op that initialises the variable.
Status VariableDecoder::EmitInitializer(Inst inst, const PointerInfo& pointer,
                                        const TypeInfo& type) {
  Op op = decoder_.writer.MakeOp(inst, MakeUndefined);
  const bool initialised = decoder_.module.OperandCount(inst) > 1;
  if (pointer.address >= kFirstSparseRow) {
    op.run = ResetSparse;
    op.a = pointer.address;
    op.b = static_cast<uint32_t>(type.rows);
    if (initialised) {
      const Id value = decoder_.module.IdAt(inst, 1);
      if (!decoder_.constants.IsLargeNull(value)) {
        return decoder_.Cannot(inst, "initializers are not supported for variables of this size");
      }
      op.c = 1;
    }
    decoder_.writer.Emit(op);
    return {};
  }
  op.result = pointer.address;
  op.count = static_cast<uint32_t>(type.rows);
  if (initialised) {
    const Id value = decoder_.module.IdAt(inst, 1);
    if (decoder_.constants.IsLargeNull(value)) {
      op.run = ZeroRows;
    } else {
      const Result<uint32_t> row = decoder_.writer.RowOf(inst, value);
      if (!row) return row.error();
      op.run = CopyRows;
      op.a = *row;
    }
  }
  decoder_.writer.Emit(op);
  return {};
}

// --- shared memory

// Records the addresses that the object holds at the start.
void VariableDecoder::SetAddresses(BoundAddress::Memory memory, ObjectCode* object) const {
  if (!decoder_.code.has_addresses) return;
  for (const BoundAddress& address : decoder_.code.bindings.addresses) {
    const bool is_here = memory == BoundAddress::kPushConstants || SamePlace(address, *object);
    if (address.memory == memory && is_here) object->addresses.push_back(address);
  }
}

Status VariableDecoder::AddAddressed(Inst model) {
  const std::vector<AddressedBuffer>& buffers = decoder_.code.bindings.addressed;
  if (buffers.size() > kMostAddressed) {
    return decoder_.Cannot(model, format("more than {} addressed buffers", kMostAddressed));
  }
  // What an access through such a pointer may assume about others is not followed.
  bool has_restrict = false;
  ForEachInstruction(decoder_.module, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    const bool is_member = decoder_.module.Opcode(inst) == spv::Op::OpMemberDecorate;
    if (!is_member && decoder_.module.Opcode(inst) != spv::Op::OpDecorate) return;
    has_restrict |= static_cast<spv::Decoration>(decoder_.module.Word(inst, is_member ? 2 : 1)) ==
                    spv::Decoration::RestrictPointer;
  });
  if (has_restrict) return decoder_.Cannot(model, "pointers with RestrictPointer");
  decoder_.code.has_addresses = true;
  ObjectCode object;
  object.kind = ObjectCode::Kind::kStorage;
  object.set = kAddressedSet;
  object.binding = kAddressedSet;
  object.name = "no buffer";
  decoder_.code.objects.push_back(object);
  object.has_narrow_scalars = has_narrow_types_;
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    object.binding = i;
    object.bytes = buffers[i].bytes;
    object.size = static_cast<uint32_t>(object.bytes.size());
    object.name = format("the buffer {}", buffers[i].name);
    object.addresses.clear();
    SetAddresses(BoundAddress::kBuffer, &object);
    decoder_.code.objects.push_back(object);
  }
  return {};
}

Status VariableDecoder::DecodeShared(Inst inst, PointerInfo pointer) {
  const Id id = decoder_.module.Result(inst);
  ObjectCode object;
  object.name = format("variable %{}", decoder_.module.FileId(id));
  object.set = DecorationWord(decoder_.module, id, spv::Decoration::DescriptorSet, 0);
  object.binding = DecorationWord(decoder_.module, id, spv::Decoration::Binding, 0);
  if (pointer.storage == spv::StorageClass::Workgroup) {
    if (Status status = FindWorkgroupSize(inst, pointer, &object); !status) return status;
  } else if (pointer.storage == spv::StorageClass::PushConstant) {
    object.kind = ObjectCode::Kind::kPushConstant;
    object.bytes = decoder_.code.bindings.push_constants;
    SetAddresses(BoundAddress::kPushConstants, &object);
  } else {
    const bool in_array = IsDescriptorArray(decoder_.module, pointer);
    const Id block = in_array ? ElementType(decoder_.module, pointer.pointee) : pointer.pointee;
    const bool old_style =
        FindDecoration(decoder_.module, block, spv::Decoration::BufferBlock) != Inst::kNone;
    object.kind = old_style || pointer.storage == spv::StorageClass::StorageBuffer
                      ? ObjectCode::Kind::kStorage
                      : ObjectCode::Kind::kUniform;
    return DecodeBuffers(id, pointer, in_array, std::move(object));
  }
  if (pointer.storage != spv::StorageClass::Workgroup) {
    object.size = static_cast<uint32_t>(object.bytes.size());
    object.has_narrow_scalars = has_narrow_types_;
  }
  pointer.object = static_cast<uint32_t>(decoder_.code.objects.size());
  decoder_.code.objects.push_back(std::move(object));
  decoder_.pointers.Set(id, pointer);
  return {};
}

// Adds an object for each buffer at the binding, unless another variable uses the same buffers.
Status VariableDecoder::DecodeBuffers(Id id, PointerInfo pointer, bool in_array,
                                      ObjectCode object) {
  std::vector<ObjectCode>& objects = decoder_.code.objects;
  pointer.object = static_cast<uint32_t>(objects.size());
  for (uint32_t i = 0; i < objects.size(); ++i) {
    if (objects[i].kind != object.kind || !SamePlace(objects[i], object)) continue;
    pointer.object = i;
    break;
  }
  uint32_t found = 0;
  for (const BoundBuffer& bound : decoder_.code.bindings.buffers) {
    if (bound.set != object.set || bound.binding != object.binding) continue;
    if (bound.element == found) ++found;
    if (pointer.object + found <= objects.size()) continue;
    object.element = bound.element;
    object.bytes = bound.bytes;
    object.size = static_cast<uint32_t>(bound.bytes.size());
    object.has_narrow_scalars = has_narrow_types_;
    object.name = "the buffer of " + PlaceText(bound);
    object.addresses.clear();
    SetAddresses(BoundAddress::kBuffer, &object);
    objects.push_back(object);
  }
  return SetDescriptors(id, pointer, in_array, found, object.set, object.binding);
}

// Sets the pointer to a variable for which `found` descriptors are bound.
Status VariableDecoder::SetDescriptors(Id id, const PointerInfo& pointer, bool in_array,
                                       uint32_t found, uint32_t set, uint32_t binding) {
  uint32_t wanted = 1;
  if (in_array) {
    const Result<uint32_t> count =
        DescriptorCount(decoder_.module, pointer.pointee, decoder_.code.bindings.constants);
    if (!count) {
      decoder_.pointers.SetUnusable(id, count.error().message);
      return {};
    }
    wanted = *count;
    decoder_.code.has_descriptor_arrays = true;
  }
  if (found >= wanted) {
    decoder_.pointers.Set(id, pointer);
  } else {
    decoder_.pointers.SetUnusable(id, "nothing is bound to " + PlaceText(set, binding, found));
  }
  return {};
}

Status VariableDecoder::FindWorkgroupSize(Inst inst, const PointerInfo& pointer,
                                          ObjectCode* object) {
  object->kind = ObjectCode::Kind::kWorkgroup;
  std::vector<MemoryScalar> scalars;
  const TypeInfo* type = nullptr;
  if (Status status = decoder_.types.TypeOf(pointer.pointee, &type); !status) return status;
  uint64_t size = 4 * type->rows;
  if (type->rows <= kMaxValueRows) {
    if (Status status = decoder_.layout.LayOut(inst, pointer.pointee, 0, {}, &scalars); !status) {
      return status;
    }
    size = 0;
    for (const MemoryScalar& s : scalars) {
      size = std::max(size, uint64_t{s.offset} + BytesOf(s.scalar));
    }
    object->has_narrow_scalars = HasNarrow(scalars);
  }
  if (size > (uint64_t{1} << 24)) {
    return decoder_.Cannot(inst, "the workgroup variable has more than 16 MiB");
  }
  object->size = static_cast<uint32_t>(size);
  // The initializer can only be null (Vulkan, VUID-StandaloneSpirv-OpVariable-04651).
  if (decoder_.module.OperandCount(inst) > 1) object->bytes.assign(object->size, '\0');
  return {};
}

Status VariableDecoder::DecodeResource(Inst inst, PointerInfo pointer) {
  const Id id = decoder_.module.Result(inst);
  const uint32_t set = DecorationWord(decoder_.module, id, spv::Decoration::DescriptorSet, 0);
  const uint32_t binding = DecorationWord(decoder_.module, id, spv::Decoration::Binding, 0);
  uint32_t found = 0;
  for (uint32_t i = 0; i < decoder_.code.bindings.images.size(); ++i) {
    const BoundImage& image = decoder_.code.bindings.images[i];
    if (image.set != set || image.binding != binding || image.element != found) continue;
    if (found++ == 0) pointer.address = i;
  }
  return SetDescriptors(id, pointer, IsDescriptorArray(decoder_.module, pointer), found, set,
                        binding);
}

// --- inputs and outputs

// A depth that the shader does not write is undefined, so the variable counts even if nothing uses
// it. Without a variable, each depth is undefined.
void VariableDecoder::FindDepth() {
  if (!decoder_.code.replaces_depth) return;
  for (const Id variable : decoder_.entry.interface) {
    const Inst built_in = FindDecoration(decoder_.module, variable, spv::Decoration::BuiltIn);
    const PointerInfo* pointer = decoder_.pointers.Find(variable);
    if (built_in == Inst::kNone || pointer == nullptr ||
        decoder_.module.Word(built_in, 2) != static_cast<uint32_t>(spv::BuiltIn::FragDepth)) {
      continue;
    }
    decoder_.code.depth_row = pointer->address;
  }
}

Status VariableDecoder::DecodeInput(Inst inst, const PointerInfo& pointer) {
  const Id id = decoder_.module.Result(inst);
  if (decoder_.code.linked && DecodeLinkedInput(inst, pointer)) return {};
  const Inst built_in = FindDecoration(decoder_.module, id, spv::Decoration::BuiltIn);
  if (built_in == Inst::kNone) {
    if (decoder_.options.made_up_inputs != 0) return DecodeMadeUpInput(inst, pointer);
    decoder_.pointers.SetUnusable(id, "the input needs a vertex shader that writes its value");
    return {};
  }
  const TypeInfo* type = nullptr;
  if (Status status = decoder_.types.TypeOf(pointer.pointee, &type); !status) return status;
  BuiltInCode code;
  code.built_in = static_cast<spv::BuiltIn>(decoder_.module.Word(built_in, 2));
  code.row = pointer.address;
  code.scalar = type->scalar;
  code.components = type->parts;
  if (!IsKnownBuiltIn(code.built_in)) {
    decoder_.pointers.SetUnusable(
        id, format("built-in {} is not supported", static_cast<uint32_t>(code.built_in)));
    return {};
  }
  decoder_.pointers.Set(id, pointer);
  decoder_.code.built_ins.push_back(code);
  return {};
}

Status VariableDecoder::DecodeMadeUpInput(Inst inst, const PointerInfo& pointer) {
  const Id id = decoder_.module.Result(inst);
  std::vector<Scalar> scalars;
  if (Status status = decoder_.types.Flatten(pointer.pointee, &scalars); !status) return status;
  const uint32_t location = DecorationWord(decoder_.module, id, spv::Decoration::Location, 0);
  uint32_t row = pointer.address, number = 0;
  for (const Scalar scalar : scalars) {
    BuiltInCode code;
    code.row = row;
    code.scalar = scalar;
    code.place = location << 16 | number++;
    decoder_.code.built_ins.push_back(code);
    row += RowsOf(scalar);
  }
  decoder_.code.made_up_inputs = decoder_.options.made_up_inputs;
  decoder_.pointers.Set(id, pointer);
  return {};
}

Status VariableDecoder::DecodeOutput(Inst inst, Id type, uint32_t row, uint32_t location) {
  const TypeInfo* info = nullptr;
  if (Status status = decoder_.types.TypeOf(type, &info); !status) return status;
  if (info->opcode == spv::Op::OpTypeArray) {
    for (uint32_t i = 0; i < info->parts; ++i) {
      const uint32_t place = row + i * static_cast<uint32_t>(info->element_rows);
      if (Status status = DecodeOutput(inst, info->element, place, location + i); !status) {
        return status;
      }
    }
    return {};
  }
  if (info->opcode == spv::Op::OpTypeStruct || info->opcode == spv::Op::OpTypeMatrix) {
    return decoder_.Cannot(inst, "outputs of this type are not supported");
  }
  const Id id = decoder_.module.Result(inst);
  if (DecorationWord(decoder_.module, id, spv::Decoration::Index, 0) != 0) {
    return decoder_.Cannot(inst, "dual-source blending is not supported");
  }
  OutputCode output;
  output.location = location;
  output.component = DecorationWord(decoder_.module, id, spv::Decoration::Component, 0);
  output.row = row;
  output.scalar = info->scalar;
  output.components = info->parts;
  output.is_signed = info->is_signed;
  decoder_.code.outputs.push_back(output);
  return {};
}

}  // namespace interp
}  // namespace refract
