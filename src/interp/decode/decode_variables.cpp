// SPDX-License-Identifier: Apache-2.0
// Decodes variables: rows of invocations, shared objects, built-ins, outputs.
#include <algorithm>

#include "base/text.h"
#include "input/block_use.h"
#include "interp/decode/decode.h"
#include "interp/memory.h"
#include "interp/ops/ops_memory.h"
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

}  // namespace

Status Decoder::DecodeVariable(Inst inst) {
  const Id id = module_.Result(inst);
  PointerInfo pointer;
  pointer.storage = static_cast<spv::StorageClass>(module_.Word(inst, 0));
  pointer.pointee = ElementType(module_, module_.Type(inst));
  pointer.shared = IsShared(pointer.storage);
  pointer.fixed = true;
  pointer.root = id;
  if (pointer.storage == spv::StorageClass::UniformConstant) return DecodeResource(inst, pointer);
  const TypeInfo* type = nullptr;
  if (Status status = TypeOf(pointer.pointee, &type); !status) {
    // The type of a variable that nothing uses may be unknown.
    without_memory_[id] = status.error().message;
    return {};
  }
  if (pointer.shared) return DecodeShared(inst, pointer);
  if (Status status = GiveRows(inst, *type, &pointer); !status) return status;
  if (pointer.storage == spv::StorageClass::Input) return DecodeInput(inst, pointer);
  pointers_[id] = pointer;
  if (Status status = SetUp(inst, pointer, *type); !status) return status;
  if (pointer.storage != spv::StorageClass::Output) return {};
  const Inst location = FindDecoration(module_, id, spv::Decoration::Location);
  if (location == Inst::kNone || code_->is_compute || code_->is_vertex) return {};
  if (std::find(entry_.interface.begin(), entry_.interface.end(), id) == entry_.interface.end()) {
    return {};
  }
  // As in a pipeline on a driver, an output that nothing writes has no image.
  if (!UseOf(module_, id, ReachedFlags(module_, entry_.function)).used) return {};
  return DecodeOutput(inst, pointer.pointee, pointer.place, module_.Word(location, 2));
}

// Allocates rows for a variable that belongs to an invocation.
Status Decoder::GiveRows(Inst inst, const TypeInfo& type, PointerInfo* pointer) {
  if (type.rows <= kMostVariableRows) {
    pointer->place = NewRows(type.rows);
    return {};
  }
  if (type.rows > (uint64_t{1} << 30) || sparse_rows_ + type.rows >= (uint64_t{1} << 31)) {
    return Cannot(inst, "its type is too large");
  }
  pointer->place = kFirstSparseRow + static_cast<uint32_t>(sparse_rows_);
  sparse_rows_ += type.rows;
  return {};
}

// Emits the op that initialises the variable.
Status Decoder::SetUp(Inst inst, const PointerInfo& pointer, const TypeInfo& type) {
  Op op = MakeOp(inst, MakeUndefined);
  const bool initialised = module_.OperandCount(inst) > 1;
  if (pointer.place >= kFirstSparseRow) {
    op.run = ResetSparse;
    op.a = pointer.place;
    op.b = static_cast<uint32_t>(type.rows);
    if (initialised) {
      const Id value = module_.IdAt(inst, 1);
      if (std::find(huge_nulls_.begin(), huge_nulls_.end(), value) == huge_nulls_.end()) {
        return Cannot(inst, "the variable is too large for its initializer");
      }
      op.c = 1;
    }
    setup_.push_back(op);
    return {};
  }
  op.result = pointer.place;
  op.count = static_cast<uint32_t>(type.rows);
  if (initialised) {
    const Id value = module_.IdAt(inst, 1);
    if (std::find(huge_nulls_.begin(), huge_nulls_.end(), value) != huge_nulls_.end()) {
      op.run = ZeroRows;
    } else {
      const Result<uint32_t> row = RowOf(inst, value);
      if (!row) return row.error();
      op.run = CopyRows;
      op.a = *row;
    }
  }
  setup_.push_back(op);
  return {};
}

// --- shared memory

namespace {

bool HasNarrow(const std::vector<MemoryScalar>& scalars) {
  return std::any_of(scalars.begin(), scalars.end(),
                     [](const MemoryScalar& s) { return BytesOf(s.scalar) < 4; });
}

}  // namespace

Status Decoder::DecodeShared(Inst inst, PointerInfo pointer) {
  const Id id = module_.Result(inst);
  ObjectCode object;
  object.name = format("variable %{}", module_.FileId(id));
  object.set = DecorationWord(module_, id, spv::Decoration::DescriptorSet, 0);
  object.binding = DecorationWord(module_, id, spv::Decoration::Binding, 0);
  if (pointer.storage == spv::StorageClass::Workgroup) {
    if (Status status = SizeWorkgroup(inst, pointer, &object); !status) return status;
  } else if (pointer.storage == spv::StorageClass::PushConstant) {
    object.kind = ObjectCode::Kind::kPushConstant;
    object.bytes = code_->bindings.push_constants;
  } else {
    const Id block = pointer.pointee;
    const bool old_style =
        FindDecoration(module_, block, spv::Decoration::BufferBlock) != Inst::kNone;
    object.kind = old_style || pointer.storage == spv::StorageClass::StorageBuffer
                      ? ObjectCode::Kind::kStorage
                      : ObjectCode::Kind::kUniform;
    const BoundBuffer* bound = nullptr;
    for (const BoundBuffer& buffer : code_->bindings.buffers) {
      if (buffer.set == object.set && buffer.binding == object.binding) bound = &buffer;
    }
    if (bound == nullptr) {
      without_memory_[id] =
          format("nothing is bound to set {}, binding {}", object.set, object.binding);
      return {};
    }
    object.bytes = bound->bytes;
    object.name = format("the buffer of set {}, binding {}", object.set, object.binding);
  }
  if (pointer.storage != spv::StorageClass::Workgroup) {
    object.size = static_cast<uint32_t>(object.bytes.size());
    object.fine = fine_buffers_;
  }
  // Several variables may use the same buffer.
  for (uint32_t i = 0; i < code_->objects.size(); ++i) {
    const ObjectCode& other = code_->objects[i];
    if (other.kind != object.kind || other.kind == ObjectCode::Kind::kWorkgroup) continue;
    if (other.set != object.set || other.binding != object.binding) continue;
    pointer.object = i;
    pointers_[id] = pointer;
    return {};
  }
  pointer.object = static_cast<uint32_t>(code_->objects.size());
  code_->objects.push_back(std::move(object));
  pointers_[id] = pointer;
  return {};
}

Status Decoder::SizeWorkgroup(Inst inst, const PointerInfo& pointer, ObjectCode* object) {
  object->kind = ObjectCode::Kind::kWorkgroup;
  std::vector<MemoryScalar> scalars;
  const TypeInfo* type = nullptr;
  if (Status status = TypeOf(pointer.pointee, &type); !status) return status;
  uint64_t size = 4 * type->rows;
  if (type->rows <= kMostRows) {
    if (Status status = LayOut(inst, pointer.pointee, 0, {}, &scalars); !status) return status;
    size = 0;
    for (const MemoryScalar& s : scalars) {
      size = std::max(size, uint64_t{s.offset} + BytesOf(s.scalar));
    }
    object->fine = HasNarrow(scalars);
  }
  if (size > (uint64_t{1} << 24)) {
    return Cannot(inst, "the workgroup variable has more than 16 MiB");
  }
  object->size = static_cast<uint32_t>(size);
  // The initializer can only be null (Vulkan, VUID-StandaloneSpirv-OpVariable-04651).
  if (module_.OperandCount(inst) > 1) object->bytes.assign(object->size, '\0');
  return {};
}

Status Decoder::DecodeResource(Inst inst, PointerInfo pointer) {
  const Id id = module_.Result(inst);
  const uint32_t set = DecorationWord(module_, id, spv::Decoration::DescriptorSet, 0);
  const uint32_t binding = DecorationWord(module_, id, spv::Decoration::Binding, 0);
  for (uint32_t i = 0; i < code_->bindings.images.size(); ++i) {
    const BoundImage& image = code_->bindings.images[i];
    if (image.set != set || image.binding != binding) continue;
    pointer.place = i;
    pointers_[id] = pointer;
    return {};
  }
  without_memory_[id] = format("nothing is bound to set {}, binding {}", set, binding);
  return {};
}

// --- inputs and outputs

Status Decoder::DecodeInput(Inst inst, const PointerInfo& pointer) {
  const Id id = module_.Result(inst);
  if (code_->linked) {
    bool done = false;
    if (Status status = DecodeLinkedInput(inst, pointer, &done); !status || done) return status;
  }
  const Inst built_in = FindDecoration(module_, id, spv::Decoration::BuiltIn);
  if (built_in == Inst::kNone) {
    if (options_.made_up_inputs != 0) return MakeUpInput(inst, pointer);
    without_memory_[id] = "the input needs a vertex shader";
    return {};
  }
  const TypeInfo* type = nullptr;
  if (Status status = TypeOf(pointer.pointee, &type); !status) return status;
  BuiltInCode code;
  code.built_in = static_cast<spv::BuiltIn>(module_.Word(built_in, 2));
  code.row = pointer.place;
  code.scalar = type->scalar;
  code.components = type->parts;
  if (!IsKnownBuiltIn(code.built_in)) {
    without_memory_[id] =
        format("built-in {} is not supported", static_cast<uint32_t>(code.built_in));
    return {};
  }
  pointers_[id] = pointer;
  code_->built_ins.push_back(code);
  return {};
}

Status Decoder::MakeUpInput(Inst inst, const PointerInfo& pointer) {
  const Id id = module_.Result(inst);
  std::vector<Scalar> scalars;
  if (Status status = Flatten(pointer.pointee, &scalars); !status) return status;
  const uint32_t location = DecorationWord(module_, id, spv::Decoration::Location, 0);
  uint32_t row = pointer.place, number = 0;
  for (const Scalar scalar : scalars) {
    BuiltInCode code;
    code.row = row;
    code.scalar = scalar;
    code.place = location << 16 | number++;
    code_->built_ins.push_back(code);
    row += RowsOf(scalar);
  }
  code_->made_up_inputs = options_.made_up_inputs;
  pointers_[id] = pointer;
  return {};
}

Status Decoder::DecodeOutput(Inst inst, Id type, uint32_t row, uint32_t location) {
  const TypeInfo* info = nullptr;
  if (Status status = TypeOf(type, &info); !status) return status;
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
    return Cannot(inst, "outputs of this type are not supported");
  }
  const Id id = module_.Result(inst);
  if (DecorationWord(module_, id, spv::Decoration::Index, 0) != 0) {
    return Cannot(inst, "dual-source blending is not supported");
  }
  OutputCode output;
  output.location = location;
  output.component = DecorationWord(module_, id, spv::Decoration::Component, 0);
  output.row = row;
  output.scalar = info->scalar;
  output.components = info->parts;
  output.is_signed = info->is_signed;
  code_->outputs.push_back(output);
  return {};
}

}  // namespace interp
}  // namespace refract
