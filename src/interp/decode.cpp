// SPDX-License-Identifier: Apache-2.0
#include "interp/decode.h"

#include <algorithm>

#include "base/text.h"
#include "interp/describe.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/operand_rules.h"
#include "ir/types.h"

namespace refract {

Decoder::Decoder(const Module& module, const EntryPoint& entry, const Bindings& bindings,
                 const std::string& file, const DecodeOptions& options)
    : module_(module),
      entry_(entry),
      file_(file),
      options_(options),
      code_(std::make_unique<Program::Code>()),
      rows_(module.id_slots()) {
  code_->module = &module;
  code_->bindings = bindings;
  code_->is_compute = entry.model == spv::ExecutionModel::GLCompute;
}

Error Decoder::Cannot(Inst inst, std::string_view why) const {
  return {format("{}: {} cannot be interpreted: {}", file_, Describe(module_, inst), why),
          ErrorKind::kUnavailable};
}

namespace {

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

Result<std::unique_ptr<const Program::Code>> Decoder::Decode() {
  if (Status status = CheckModule(); !status) return status.error();
  if (Status status = DecodeModule(); !status) return status.error();
  return std::unique_ptr<const Program::Code>(std::move(code_));
}

Status Decoder::CheckModule() {
  if (entry_.model == spv::ExecutionModel::Vertex) {
    return Error{format("{}: vertex stage not yet", file_), ErrorKind::kUnavailable};
  }
  if (entry_.model != spv::ExecutionModel::Fragment && !code_->is_compute) {
    return Cannot(entry_.instruction, "only fragment and compute shaders are");
  }
  const Block section = Module::SectionBlock(Section::kMemoryModel);
  const Inst model = module_.First(section);
  if (model != Inst::kNone &&
      module_.Word(model, 0) != static_cast<uint32_t>(spv::AddressingModel::Logical)) {
    return Cannot(model, "only logical addressing is");
  }
  return {};
}

uint32_t Decoder::NewRows(uint64_t rows) {
  const uint32_t first = code_->rows;
  code_->rows += static_cast<uint32_t>(rows);
  return first;
}

void Decoder::SetConstant(uint32_t row, uint32_t word, uint32_t shadow) {
  code_->constants.push_back({row, word, shadow});
}

uint32_t Decoder::ConstantWord(uint32_t word) {
  const auto [found, is_new] = constant_words_.emplace(word, 0);
  if (is_new) {
    found->second = NewRows(1);
    SetConstant(found->second, word);
  }
  return found->second;
}

uint32_t Decoder::AddWords(const std::vector<uint32_t>& words) {
  const uint32_t first = static_cast<uint32_t>(code_->words.size());
  code_->words.insert(code_->words.end(), words.begin(), words.end());
  return first;
}

Status Decoder::DecodeModule() {
  Status failed;
  ForEachInstruction(module_, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (failed) failed = DecodeExecutionMode(inst);
  });
  if (!failed) return failed;
  // Module-scope variables and constants that nothing of the entry point's uses need not be
  // possible to decode.
  reached_ = options_.only_function != Function::kNone ? Reached(module_, options_.only_function)
                                                       : Reached(module_, entry_.function);
  PrepareAudit();
  ops_ = &setup_;
  fine_buffers_ = HasNarrowTypes(module_);
  ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (failed) failed = DecodeDeclaration(inst);
  });
  if (!failed) return failed;
  if (Status status = SizeGroup(); !status) return status;
  code_->first_setup = static_cast<uint32_t>(code_->ops.size());
  code_->setups = static_cast<uint32_t>(setup_.size());
  code_->ops.insert(code_->ops.end(), setup_.begin(), setup_.end());
  setup_.clear();
  return DecodeFunctions();
}

Status Decoder::DecodeExecutionMode(Inst inst) {
  using Mode = spv::ExecutionMode;
  if (module_.OperandCount(inst) < 2 ||
      module_.IdAt(inst, 0) != module_.FunctionId(entry_.function)) {
    return {};
  }
  const uint32_t operands = module_.OperandCount(inst);
  const auto width = [&]() -> int {
    const uint32_t bits = operands > 2 ? module_.Word(inst, 2) : 0;
    return bits == 16 ? 0 : bits == 32 ? 1 : 2;
  };
  switch (static_cast<Mode>(module_.Word(inst, 1))) {
    case Mode::LocalSize:
      for (uint32_t i = 0; i < 3; ++i) code_->group[i] = module_.Word(inst, 2 + i);
      return {};
    case Mode::LocalSizeId:
      for (uint32_t i = 0; i < 3; ++i) group_ids_[i] = module_.IdAt(inst, 2 + i);
      return {};
    case Mode::SignedZeroInfNanPreserve:
      code_->preserves_signed_zero[width()] = true;
      return {};
    case Mode::DenormPreserve:
      code_->preserves_denormals[width()] = true;
      return {};
    case Mode::RoundingModeRTZ:
      return Cannot(inst, "rounding towards zero is not there");
    case Mode::DerivativeGroupLinearNV:
      linear_quads_ = true;
      return {};
    case Mode::OriginLowerLeft:
      return Cannot(inst, "Vulkan has no lower left origin");
    default:
      return {};
  }
}

// The workgroup's size, where constants say it: a constant with the built-in WorkgroupSize counts
// before LocalSizeId and LocalSize (Vulkan, "WorkgroupSize").
Status Decoder::SizeGroup() {
  if (!code_->is_compute) return {};
  ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const spv::Op opcode = module_.Opcode(inst);
    if (opcode != spv::Op::OpConstantComposite && opcode != spv::Op::OpSpecConstantComposite)
      return;
    const Inst built_in = FindDecoration(module_, module_.Result(inst), spv::Decoration::BuiltIn);
    if (built_in == Inst::kNone || module_.OperandCount(inst) != 3 ||
        module_.Word(built_in, 2) != static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
      return;
    }
    for (uint32_t i = 0; i < 3; ++i) group_ids_[i] = module_.IdAt(inst, i);
  });
  for (uint32_t i = 0; i < 3 && group_ids_[0] != Id::kNone; ++i) {
    const std::optional<uint64_t> size = ConstantBits(group_ids_[i]);
    if (!size || *size > UINT32_MAX) {
      return Cannot(module_.Definition(group_ids_[i]), "the workgroup's size is not known");
    }
    code_->group[i] = static_cast<uint32_t>(*size);
  }
  return {};
}

// --- Program

Program::Program(std::unique_ptr<const Code> code) : code_(std::move(code)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

const Module& Program::module() const {
  return *code_->module;
}

bool Program::DependsOnSchedule() const {
  const auto is_shared = [](const ObjectCode& object) {
    return object.kind == ObjectCode::Kind::kStorage || object.kind == ObjectCode::Kind::kWorkgroup;
  };
  const auto is_storage = [](const BoundImage& image) {
    return image.kind == BoundImage::kStorage;
  };
  return code_->has_collectives ||
         std::any_of(code_->objects.begin(), code_->objects.end(), is_shared) ||
         std::any_of(code_->bindings.images.begin(), code_->bindings.images.end(), is_storage);
}

Result<Program> Program::Decode(const Module& module, const EntryPoint& entry,
                                const Bindings& bindings, const std::string& file,
                                const DecodeOptions& options) {
  Result<std::unique_ptr<const Code>> code =
      Decoder(module, entry, bindings, file, options).Decode();
  if (!code) return code.error();
  return Program(std::move(*code));
}

}  // namespace refract
