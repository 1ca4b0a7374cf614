// SPDX-License-Identifier: Apache-2.0
#include "interp/decode/decode.h"

#include <algorithm>

#include "base/text.h"
#include "interp/describe.h"
#include "interp/linked.h"
#include "ir/binary.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

Decoder::Decoder(const Module& module, const EntryPoint& entry, const Bindings& bindings,
                 const std::string& file, const DecodeOptions& options, bool linked)
    : module_(module),
      entry_(entry),
      file_(file),
      options_(options),
      code_(std::make_unique<Program::Code>()),
      rows_(module.id_slots()) {
  code_->module = &module;
  code_->bindings = bindings;
  code_->is_compute = entry.model == spv::ExecutionModel::GLCompute;
  code_->is_vertex = entry.model == spv::ExecutionModel::Vertex;
  code_->linked = options.only_function == Function::kNone &&
                  (code_->is_vertex || (!code_->is_compute && linked));
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

Result<std::unique_ptr<Program::Code>> Decoder::Decode() {
  if (Status status = CheckModule(); !status) return status.error();
  if (Status status = DecodeModule(); !status) return status.error();
  return std::move(code_);
}

Status Decoder::CheckModule() {
  if (entry_.model != spv::ExecutionModel::Fragment && !code_->is_compute && !code_->is_vertex) {
    return Cannot(entry_.instruction, "only fragment, vertex and compute shaders are supported");
  }
  const Block section = Module::SectionBlock(Section::kMemoryModel);
  const Inst model = module_.First(section);
  if (model != Inst::kNone &&
      module_.Word(model, 0) != static_cast<uint32_t>(spv::AddressingModel::Logical)) {
    return Cannot(model, "only logical addressing is supported");
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
  // Only module-scope variables and constants that the entry point uses must be decodable.
  reached_ = options_.only_function != Function::kNone ? Reached(module_, options_.only_function)
                                                       : Reached(module_, entry_.function);
  PrepareAudit();
  if (Status status = PrepareLinked(); !status) return status;
  ops_ = &setup_;
  fine_buffers_ = HasNarrowTypes(module_);
  ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (failed) failed = DecodeDeclaration(inst);
  });
  if (!failed) return failed;
  if (Status status = SizeGroup(); !status) return status;
  if (Status status = NoteOutputs(); !status) return status;
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
      return Cannot(inst, "rounding towards zero is not supported");
    case Mode::DerivativeGroupLinearNV:
      linear_quads_ = true;
      return {};
    case Mode::OriginLowerLeft:
      return Cannot(inst, "Vulkan has no lower left origin");
    default:
      return {};
  }
}

// Finds the size of the workgroup. A constant with the built-in WorkgroupSize takes precedence over
// LocalSizeId and LocalSize (Vulkan, "WorkgroupSize").
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
      return Cannot(module_.Definition(group_ids_[i]), "the size of the workgroup is not known");
    }
    code_->group[i] = static_cast<uint32_t>(*size);
  }
  return {};
}

// --- Program

namespace {

// Decodes the other program of a draw, and links the outputs of one to the inputs of the other.
Status DecodeCompanion(const EntryPoint& tested, const DecodeOptions& options,
                       const std::string& file, Program::Code* code) {
  const BoundCompanion& companion = code->bindings.companion;
  const auto cannot = [&](std::string_view why) {
    return Error{format("{}: {}", file, why), ErrorKind::kUnavailable};
  };
  if (!companion) return cannot("a vertex shader without a fragment shader cannot be interpreted");
  Result<Module> module = ReadModule(companion.spirv, file);
  if (!module) return module.error();
  auto kept = std::make_unique<const Module>(std::move(*module));
  const auto wanted = code->is_vertex ? spv::ExecutionModel::Fragment : spv::ExecutionModel::Vertex;
  for (const EntryPoint& entry : EntryPoints(*kept)) {
    if (entry.name != companion.entry || entry.model != wanted ||
        entry.function == Function::kNone) {
      continue;
    }
    Bindings bindings = code->bindings;
    bindings.companion = {};
    bindings.constants = companion.constants;
    DecodeOptions plain;
    plain.made_up_inputs = options.made_up_inputs;
    Result<std::unique_ptr<Program::Code>> other =
        Decoder(*kept, entry, bindings, file, plain, true).Decode();
    if (!other) return other.error();
    Program::Code* vertex = code->is_vertex ? code : other->get();
    Program::Code* fragment = code->is_vertex ? other->get() : code;
    if (std::string problem = LinkGivens(*vertex, fragment); !problem.empty()) {
      return cannot(problem);
    }
    code->other_module = std::move(kept);
    code->other = std::move(*other);
    return {};
  }
  return cannot(format("entry point '{}' has no companion of the other stage", tested.name));
}

}  // namespace

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
  const auto depends = [&](const Code& code) {
    return code.has_collectives ||
           std::any_of(code.objects.begin(), code.objects.end(), is_shared) ||
           std::any_of(code.bindings.images.begin(), code.bindings.images.end(), is_storage);
  };
  return depends(*code_) || (code_->other != nullptr && depends(*code_->other));
}

Result<Program> Program::Decode(const Module& module, const EntryPoint& entry,
                                const Bindings& bindings, const std::string& file,
                                const DecodeOptions& options) {
  const bool linked = static_cast<bool>(bindings.companion);
  Result<std::unique_ptr<Code>> code =
      Decoder(module, entry, bindings, file, options, linked).Decode();
  if (!code) return code.error();
  if ((*code)->linked) {
    if (Status status = DecodeCompanion(entry, options, file, code->get()); !status) {
      return status.error();
    }
  }
  return Program(std::move(*code));
}

}  // namespace interp
}  // namespace refract
