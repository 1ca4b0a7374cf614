// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/payload.h"

#include <vector>

#include "input/block_use.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

// Whether two types have the same shape, without regard to names and decorations.
bool SameShape(const Module& a, Id type_a, const Module& b, Id type_b) {
  const spv::Op opcode = TypeOpcode(a, type_a);
  if (opcode != TypeOpcode(b, type_b)) return false;
  switch (opcode) {
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      return Width(a, type_a) == Width(b, type_b) && IsSigned(a, type_a) == IsSigned(b, type_b);
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
    case spv::Op::OpTypeArray:
      return PartCount(a, type_a) == PartCount(b, type_b) &&
             SameShape(a, ElementType(a, type_a), b, ElementType(b, type_b));
    case spv::Op::OpTypeStruct: {
      const uint32_t count = PartCount(a, type_a).value_or(0);
      if (count != PartCount(b, type_b)) return false;
      for (uint32_t i = 0; i < count; ++i) {
        if (!SameShape(a, PartType(a, type_a, i), b, PartType(b, type_b, i))) return false;
      }
      return true;
    }
    default:
      return true;
  }
}

}  // namespace

Id PayloadOf(const Module& module, const EntryPoint& entry) {
  const std::vector<bool> reached = ReachedFlags(module, entry.function);
  for (const Id variable : entry.interface) {
    if (StorageClassOf(module, module.TypeOf(variable)) ==
            spv::StorageClass::TaskPayloadWorkgroupEXT &&
        UseOf(module, variable, reached).used) {
      return variable;
    }
  }
  return Id::kNone;
}

std::string PayloadProblem(const Module& task, const EntryPoint& task_entry, const Module& mesh,
                           const EntryPoint& mesh_entry) {
  const Id wanted = PayloadOf(mesh, mesh_entry);
  if (wanted == Id::kNone) return {};
  const Id given = PayloadOf(task, task_entry);
  if (given == Id::kNone) {
    return "the mesh shader reads a payload, and the task shader passes none";
  }
  if (!SameShape(task, ElementType(task, task.TypeOf(given)), mesh,
                 ElementType(mesh, mesh.TypeOf(wanted)))) {
    return "the payload has different types in the task shader and in the mesh shader";
  }
  return {};
}

}  // namespace input
}  // namespace refract
