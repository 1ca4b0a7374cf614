// SPDX-License-Identifier: Apache-2.0
#include "driver/workgroups.h"

#include <algorithm>
#include <vector>

#include "ir/decorations.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract {
inline namespace driver {
namespace {

constexpr uint64_t kMaxShared = uint64_t{1} << 31;  // far above any limit; prevents overflows

class WorkgroupReader {
 public:
  WorkgroupReader(const Module& module, const std::vector<BoundConstant>& constants)
      : module_(module), constants_(constants) {}

  void ReadLocalSize(const EntryPoint& entry);
  uint64_t BytesIn(spv::StorageClass storage, const EntryPoint& entry) const;
  Workgroups groups;

 private:
  std::optional<uint32_t> ValueOf(Id constant) const;
  uint64_t BytesOf(Id type, const std::vector<uint64_t>& known) const;

  const Module& module_;
  const std::vector<BoundConstant>& constants_;
};

// The value of an integer constant, with the specialisation of the bindings.
std::optional<uint32_t> WorkgroupReader::ValueOf(Id constant) const {
  const spv::Op opcode = module_.OpcodeOf(constant);
  if (opcode == spv::Op::OpSpecConstant) {
    const Inst id = FindDecoration(module_, constant, spv::Decoration::SpecId);
    if (id != Inst::kNone) {
      for (const BoundConstant& given : constants_) {
        if (given.id == module_.Word(id, 2)) return static_cast<uint32_t>(given.bits);
      }
    }
  } else if (opcode != spv::Op::OpConstant) {
    return std::nullopt;
  }
  return module_.Word(module_.Definition(constant), 0);
}

// The built-in WorkgroupSize takes precedence over LocalSize and LocalSizeId (Vulkan 1.3,
// "WorkgroupSize").
void WorkgroupReader::ReadLocalSize(const EntryPoint& entry) {
  const Id function = module_.IdAt(entry.instruction, 1);
  ForEachInstruction(module_, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module_.IdAt(inst, 0) != function || module_.OperandCount(inst) < 5) return;
    const auto mode = static_cast<spv::ExecutionMode>(module_.Word(inst, 1));
    groups.local_size_id = groups.local_size_id || mode == spv::ExecutionMode::LocalSizeId;
    for (uint32_t i = 0; i < 3; ++i) {
      if (mode == spv::ExecutionMode::LocalSize) groups.local_size[i] = module_.Word(inst, 2 + i);
      if (mode == spv::ExecutionMode::LocalSizeId) {
        groups.local_size[i] = ValueOf(module_.IdAt(inst, 2 + i));
      }
    }
  });
  ForEachInstruction(module_, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    if (module_.Opcode(inst) != spv::Op::OpDecorate || module_.OperandCount(inst) != 3 ||
        static_cast<spv::Decoration>(module_.Word(inst, 1)) != spv::Decoration::BuiltIn ||
        static_cast<spv::BuiltIn>(module_.Word(inst, 2)) != spv::BuiltIn::WorkgroupSize) {
      return;
    }
    const Inst size = module_.Definition(module_.IdAt(inst, 0));
    const spv::Op opcode = module_.Opcode(size);
    const bool is_composite =
        opcode == spv::Op::OpConstantComposite || opcode == spv::Op::OpSpecConstantComposite;
    for (std::optional<uint32_t>& side : groups.local_size) side.reset();
    if (!is_composite || module_.OperandCount(size) != 3) return;
    for (uint32_t i = 0; i < 3; ++i) groups.local_size[i] = ValueOf(module_.IdAt(size, i));
  });
}

// The size of a type; the sizes of its parts are in `known`. 0 for a type without a size.
uint64_t WorkgroupReader::BytesOf(Id type, const std::vector<uint64_t>& known) const {
  if (IsBool(module_, type)) return 4;
  if (const uint32_t width = Width(module_, type); width != 0) return (width + 7) / 8;
  const bool is_array = TypeOpcode(module_, type) == spv::Op::OpTypeArray;
  std::optional<uint32_t> parts = PartCount(module_, type);
  if (!parts && is_array) parts = ValueOf(module_.IdAt(module_.Definition(type), 1));
  if (!parts) return 0;
  if (TypeOpcode(module_, type) != spv::Op::OpTypeStruct) {
    return std::min(*parts * known[Index(ElementType(module_, type))], kMaxShared);
  }
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < *parts; ++i) {
    bytes = std::min(bytes + known[Index(PartType(module_, type, i))], kMaxShared);
  }
  return bytes;
}

// The bytes of all variables of the storage class. Types come before the types that use them, so
// one pass is enough. From SPIR-V 1.4 on, an entry point lists its variables.
uint64_t WorkgroupReader::BytesIn(spv::StorageClass storage, const EntryPoint& entry) const {
  const bool is_listed = module_.version() >= VersionWord(1, 4);
  uint64_t bytes = 0;
  std::vector<uint64_t> known(module_.id_slots());
  ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (IsType(module_.Opcode(inst)) && module_.Result(inst) != Id::kNone) {
      known[Index(module_.Result(inst))] = BytesOf(module_.Result(inst), known);
    }
    if (module_.Opcode(inst) != spv::Op::OpVariable || !IsPointer(module_, module_.Type(inst)) ||
        StorageClassOf(module_, module_.Type(inst)) != storage ||
        (is_listed && std::find(entry.interface.begin(), entry.interface.end(),
                                module_.Result(inst)) == entry.interface.end())) {
      return;
    }
    bytes = std::min(bytes + known[Index(ElementType(module_, module_.Type(inst)))], kMaxShared);
  });
  return bytes;
}

}  // namespace

uint64_t BytesOfVariables(const Module& module, const EntryPoint& entry,
                          const std::vector<BoundConstant>& constants, spv::StorageClass storage) {
  return WorkgroupReader(module, constants).BytesIn(storage, entry);
}

Workgroups ReadWorkgroups(const Module& module, const EntryPoint& entry,
                          const std::vector<BoundConstant>& constants) {
  WorkgroupReader reader(module, constants);
  reader.groups.model = entry.model;
  reader.ReadLocalSize(entry);
  reader.groups.shared_bytes = reader.BytesIn(spv::StorageClass::Workgroup, entry);
  reader.groups.payload_bytes = reader.BytesIn(spv::StorageClass::TaskPayloadWorkgroupEXT, entry);
  return std::move(reader.groups);
}

}  // namespace driver
}  // namespace refract
