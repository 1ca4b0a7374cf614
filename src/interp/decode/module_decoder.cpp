// SPDX-License-Identifier: Apache-2.0
// Decodes a module: what it requires, its execution modes, its declarations and its functions.
#include "base/text.h"
#include "input/stage_interface.h"
#include "interp/decode/decoder.h"
#include "interp/decode/function_decoder.h"
#include "interp/decode/variable_decoder.h"
#include "interp/describe.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace interp {

Error DecodeSource::Cannot(Inst inst, std::string_view why) const {
  return {format("{}: {} cannot be interpreted: {}", file, Describe(module, inst), why),
          ErrorKind::kUnavailable};
}

Decoder::Decoder(const Module& decoded, const EntryPoint& entry_point, const Bindings& bindings,
                 const std::string& file, const DecodeOptions& decode_options, bool linked)
    : module(decoded),
      entry(entry_point),
      options(decode_options),
      source{decoded, file},
      owned_code(std::make_unique<Program::Code>()),
      code(*owned_code),
      rows(module, code),
      constants(module, code, rows),
      types(source, constants),
      layout(source, types),
      pointers(source, code.bindings, rows, constants),
      writer(source, code, rows, constants, types, layout, pointers, entry_point.function),
      audit(module, options.audit) {
  code.module = &module;
  code.bindings = bindings;
  code.is_compute = entry.model == spv::ExecutionModel::GLCompute;
  code.is_vertex = entry.model == spv::ExecutionModel::Vertex;
  code.linked =
      options.only_function == Function::kNone && (code.is_vertex || (!code.is_compute && linked));
  if (options.only_function != Function::kNone) code.randomise = options.function_seed;
  if (options.audit != nullptr) code.randomise = options.audit->randomise;
  for (const Id id : audit.irrelevant) rows.KeepSeparate(id);
}

namespace {

class ModuleDecoder {
 public:
  explicit ModuleDecoder(Decoder& decoder) : decoder_(decoder), variables_(decoder) {}
  Status Decode();

 private:
  Status CheckModule();
  Status DecodeExecutionMode(Inst inst);
  Status DecodeDeclaration(Inst inst);
  Status FindWorkgroupSize();

  Decoder& decoder_;
  VariableDecoder variables_;
  Id workgroup_size_ids_[3] = {};  // of LocalSizeId, or the components of WorkgroupSize
};

Status ModuleDecoder::Decode() {
  if (Status status = CheckModule(); !status) return status;
  Status failed;
  const Block modes = Module::SectionBlock(Section::kExecutionModes);
  ForEachInstruction(decoder_.module, modes, [&](Inst inst) {
    if (failed) failed = DecodeExecutionMode(inst);
  });
  if (!failed) return failed;
  // Only module-scope variables and constants that the entry point uses must be decodable.
  const Function only = decoder_.options.only_function;
  const std::vector<Function> reached =
      Reached(decoder_.module, only != Function::kNone ? only : decoder_.entry.function);
  if (Status status = variables_.ReadInterface(); !status) return status;
  std::vector<Op> setup;
  decoder_.writer.EmitTo(&setup);
  const Block declarations = Module::SectionBlock(Section::kDeclarations);
  ForEachInstruction(decoder_.module, declarations, [&](Inst inst) {
    if (failed) failed = DecodeDeclaration(inst);
  });
  if (!failed) return failed;
  if (Status status = FindWorkgroupSize(); !status) return status;
  variables_.FindDepth();
  if (Status status = variables_.RecordVertexOutputs(); !status) return status;
  decoder_.code.first_setup = decoder_.writer.Append(setup);
  decoder_.code.setups = static_cast<uint32_t>(setup.size());
  return FunctionDecoder(decoder_, variables_).DecodeAll(reached);
}

Status ModuleDecoder::DecodeDeclaration(Inst inst) {
  const spv::Op opcode = decoder_.module.Opcode(inst);
  if (IsConstant(opcode) || opcode == spv::Op::OpUndef) return DecodeConstant(decoder_, inst);
  if (opcode == spv::Op::OpVariable) return variables_.Decode(inst);
  return {};  // types are decoded at their first use
}

Status ModuleDecoder::CheckModule() {
  if (decoder_.entry.model != spv::ExecutionModel::Fragment && !decoder_.code.is_compute &&
      !decoder_.code.is_vertex) {
    return decoder_.Cannot(decoder_.entry.instruction,
                           "only fragment, vertex and compute shaders are supported");
  }
  if (decoder_.options.only_function == Function::kNone) {
    const std::string problem =
        PixelProblem(decoder_.module, decoder_.entry, decoder_.code.bindings);
    if (!problem.empty()) return decoder_.Cannot(decoder_.entry.instruction, problem);
  }
  const Block section = Module::SectionBlock(Section::kMemoryModel);
  const Inst model = decoder_.module.First(section);
  if (model == Inst::kNone) return {};
  switch (static_cast<spv::AddressingModel>(decoder_.module.Word(model, 0))) {
    case spv::AddressingModel::Logical:
      return {};
    case spv::AddressingModel::PhysicalStorageBuffer64:
      return variables_.AddAddressed(model);
    default:
      return decoder_.Cannot(model,
                             "only logical and PhysicalStorageBuffer64 addressing are supported");
  }
}

Status ModuleDecoder::DecodeExecutionMode(Inst inst) {
  using Mode = spv::ExecutionMode;
  if (decoder_.module.OperandCount(inst) < 2 ||
      decoder_.module.IdAt(inst, 0) != decoder_.module.FunctionId(decoder_.entry.function)) {
    return {};
  }
  const uint32_t operands = decoder_.module.OperandCount(inst);
  const auto width = [&]() -> int {
    const uint32_t bits = operands > 2 ? decoder_.module.Word(inst, 2) : 0;
    return bits == 16 ? 0 : bits == 32 ? 1 : 2;
  };
  switch (static_cast<Mode>(decoder_.module.Word(inst, 1))) {
    case Mode::LocalSize:
      for (uint32_t i = 0; i < 3; ++i) decoder_.code.group[i] = decoder_.module.Word(inst, 2 + i);
      return {};
    case Mode::LocalSizeId:
      for (uint32_t i = 0; i < 3; ++i) workgroup_size_ids_[i] = decoder_.module.IdAt(inst, 2 + i);
      return {};
    case Mode::SignedZeroInfNanPreserve:
      decoder_.code.preserves_signed_zero[width()] = true;
      return {};
    case Mode::DenormPreserve:
      decoder_.code.preserves_denormals[width()] = true;
      return {};
    case Mode::EarlyFragmentTests:
      decoder_.code.tests_early = true;
      return {};
    case Mode::DepthReplacing:
      decoder_.code.replaces_depth = true;
      return {};
    case Mode::DepthGreater:
      decoder_.code.depth_may_fall = false;
      return {};
    case Mode::DepthLess:
      decoder_.code.depth_may_rise = false;
      return {};
    case Mode::DepthUnchanged:
      decoder_.code.depth_may_fall = decoder_.code.depth_may_rise = false;
      return {};
    case Mode::RoundingModeRTZ:
      return decoder_.Cannot(inst, "rounding towards zero is not supported");
    case Mode::DerivativeGroupLinearNV:
      decoder_.linear_quads = true;
      return {};
    case Mode::OriginLowerLeft:
      return decoder_.Cannot(inst, "Vulkan does not allow OriginLowerLeft");
    case Mode::PixelCenterInteger:
      return decoder_.Cannot(inst, "Vulkan does not allow PixelCenterInteger");
    default:
      return {};
  }
}

// Finds the size of the workgroup. A constant with the built-in WorkgroupSize takes precedence over
// LocalSizeId and LocalSize (Vulkan, "WorkgroupSize").
Status ModuleDecoder::FindWorkgroupSize() {
  if (!decoder_.code.is_compute) return {};
  ForEachInstruction(decoder_.module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const spv::Op opcode = decoder_.module.Opcode(inst);
    if (opcode != spv::Op::OpConstantComposite && opcode != spv::Op::OpSpecConstantComposite) {
      return;
    }
    const Inst built_in =
        FindDecoration(decoder_.module, decoder_.module.Result(inst), spv::Decoration::BuiltIn);
    if (built_in == Inst::kNone || decoder_.module.OperandCount(inst) != 3 ||
        decoder_.module.Word(built_in, 2) != static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
      return;
    }
    for (uint32_t i = 0; i < 3; ++i) workgroup_size_ids_[i] = decoder_.module.IdAt(inst, i);
  });
  for (uint32_t i = 0; i < 3 && workgroup_size_ids_[0] != Id::kNone; ++i) {
    const std::optional<uint64_t> size = decoder_.ConstantValue(workgroup_size_ids_[i]);
    if (!size || *size > UINT32_MAX) {
      return decoder_.Cannot(decoder_.module.Definition(workgroup_size_ids_[i]),
                             "the size of the workgroup is not known");
    }
    decoder_.code.group[i] = static_cast<uint32_t>(*size);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Program::Code>> DecodeModule(const Module& module, const EntryPoint& entry,
                                                    const Bindings& bindings,
                                                    const std::string& file,
                                                    const DecodeOptions& options, bool linked) {
  Decoder decoder(module, entry, bindings, file, options, linked);
  if (Status status = ModuleDecoder(decoder).Decode(); !status) return status.error();
  return std::move(decoder.owned_code);
}

}  // namespace interp
}  // namespace refract
