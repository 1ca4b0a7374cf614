// SPDX-License-Identifier: Apache-2.0
#include "planted/program.h"

#include <algorithm>
#include <set>

#include "ir/binary.h"

namespace refract::planted {
namespace {

bool IsLine(spv::Op op) {
  return op == spv::Op::OpLine || op == spv::Op::OpNoLine;
}

Instruction Convert(const Module& module, Inst inst) {
  const refract::Instruction& from = module[inst];
  Instruction to{from.opcode};
  if (from.type != refract::Id::kNone) to.type = module.FileId(from.type);
  if (from.result != refract::Id::kNone) to.result = module.FileId(from.result);
  for (uint32_t i = 0; i < from.operand_count; ++i) {
    to.in.push_back(module.IsId(inst, i) ? IdOperand(module.FileId(module.IdAt(inst, i)))
                                         : Literal(module.Word(inst, i)));
  }
  return to;
}

template <class List>
void ConvertSection(const Module& module, Section section, List* list) {
  refract::ForEachInstruction(module, Module::SectionBlock(section), [&](Inst inst) {
    if (!IsLine(module.Opcode(inst))) list->push_back(Convert(module, inst));
  });
}

Function ConvertFunction(const Module& module, refract::Function from) {
  Function to;
  refract::ForEachInstruction(module, module[from].head, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpFunction) to.definition = Convert(module, inst);
    if (module.Opcode(inst) == spv::Op::OpFunctionParameter) {
      to.parameters.push_back(Convert(module, inst));
    }
  });
  refract::ForEachBlock(module, from, [&](refract::Block block) {
    Block made{module.FileId(module.LabelId(block))};
    refract::ForEachInstruction(module, block, [&](Inst inst) {
      const spv::Op op = module.Opcode(inst);
      if (!IsLine(op) && op != spv::Op::OpLabel) made.code.push_back(Convert(module, inst));
    });
    to.blocks.push_back(std::move(made));
  });
  return to;
}

std::string TextOf(const Instruction& instruction) {
  std::string text;
  for (const Operand& operand : instruction.in) {
    for (int shift = 0; shift < 32; shift += 8) {
      const char c = static_cast<char>(operand.word >> shift & 0xff);
      if (c == 0) return text;
      text += c;
    }
  }
  return text;
}

bool HasIdentity(spv::Op op) {
  return op != spv::Op::OpConstant && op != spv::Op::OpConstantTrue &&
         op != spv::Op::OpConstantFalse && op != spv::Op::OpUndef;
}

void Write(const Instruction& instruction, std::vector<uint32_t>* words) {
  const size_t begin = words->size();
  words->push_back(0);
  if (instruction.type != 0) words->push_back(instruction.type);
  if (instruction.result != 0) words->push_back(instruction.result);
  for (const Operand& operand : instruction.in) words->push_back(operand.word);
  (*words)[begin] =
      static_cast<uint32_t>(words->size() - begin) << 16 | static_cast<uint32_t>(instruction.op);
}

std::set<uint32_t> Defined(const Program& program) {
  std::set<uint32_t> ids;
  for (const auto& list : {&program.head, &program.debug, &program.annotations}) {
    for (const Instruction& instruction : *list) ids.insert(instruction.result);
  }
  for (const Instruction& instruction : program.declarations) ids.insert(instruction.result);
  for (const Function& function : program.functions) {
    ids.insert(function.id());
    for (const Instruction& parameter : function.parameters) ids.insert(parameter.result);
    for (const Block& block : function.blocks) {
      ids.insert(block.label);
      for (const Instruction& instruction : block.code) ids.insert(instruction.result);
    }
  }
  return ids;
}

// Writes names and decorations, except those of removed ids.
void WriteAbout(const std::vector<Instruction>& list, const std::set<uint32_t>& defined,
                std::vector<uint32_t>* words) {
  for (Instruction instruction : list) {
    auto& in = instruction.in;
    if (instruction.op == spv::Op::OpGroupDecorate) {
      std::erase_if(in, [&](const Operand& operand) { return defined.count(operand.word) == 0; });
    } else if (instruction.result == 0 && !in.empty() && in[0].is_id &&
               defined.count(in[0].word) == 0) {
      continue;
    }
    Write(instruction, words);
  }
}

}  // namespace

Instruction* Block::Merge() {
  if (code.size() < 2) return nullptr;
  Instruction& merge = code[code.size() - 2];
  const bool is_merge = merge.op == spv::Op::OpSelectionMerge || merge.op == spv::Op::OpLoopMerge;
  return is_merge ? &merge : nullptr;
}

size_t Function::Size() const {
  size_t size = 0;
  for (const Block& block : blocks) size += block.code.size() + 1;
  return size;
}

bool Program::HasCapability(spv::Capability capability) const {
  return std::any_of(head.begin(), head.end(), [&](const Instruction& instruction) {
    return instruction.op == spv::Op::OpCapability &&
           instruction.Word(0) == static_cast<uint32_t>(capability);
  });
}

uint32_t Program::Declare(spv::Op op, uint32_t type, const std::vector<Operand>& in) {
  auto [found, is_new] = declared.try_emplace({op, type, in}, 0);
  if (!is_new) return found->second;
  found->second = NewId();
  declarations.push_back({op, type, found->second, in});
  return found->second;
}

const Properties& Program::PropertiesOf(const Instruction& instruction) const {
  if (instruction.op != spv::Op::OpExtInst) return refract::PropertiesOf(instruction.op);
  const auto set = imports.find(instruction.Id(0));
  return PropertiesOfExtInst(set == imports.end() ? ExtInstSet::kOther : set->second,
                             instruction.Word(1));
}

void Program::CopyDecorations(uint32_t id, uint32_t copy) {
  const size_t count = annotations.size();
  for (size_t i = 0; i < count; ++i) {
    Instruction& decoration = annotations[i];
    if (decoration.op == spv::Op::OpGroupDecorate) {
      const auto targets = decoration.in.begin() + 1;
      if (std::count(targets, decoration.in.end(), IdOperand(id)) != 0) {
        decoration.in.push_back(IdOperand(copy));
      }
    } else if (!decoration.in.empty() && decoration.in[0] == IdOperand(id)) {
      Instruction made = decoration;
      made.in[0] = IdOperand(copy);
      annotations.push_back(std::move(made));
    }
  }
}

void Program::Sweep() {
  for (Function& function : functions) {
    for (Block& block : function.blocks) {
      std::erase_if(block.code, [](const Instruction& instruction) {
        return instruction.op == spv::Op::OpNop;
      });
    }
  }
}

Definitions::Definitions(Program& program) {
  for (Instruction& instruction : program.declarations) Add(&instruction);
  for (Function& function : program.functions) {
    Add(&function.definition);
    for (Instruction& parameter : function.parameters) Add(&parameter);
    ForEachInstruction(function, [&](Instruction& instruction) { Add(&instruction); });
  }
}

void Definitions::Add(Instruction* instruction) {
  if (instruction->result == 0) return;
  if (instruction->result >= by_id_.size()) by_id_.resize(instruction->result + 1);
  by_id_[instruction->result] = instruction;
}

bool Definitions::IsInt32(uint32_t type) const {
  return Op(type) == spv::Op::OpTypeInt && (*this)[type]->Word(0) == 32;
}

bool Definitions::IntValue(uint32_t id, uint32_t* value) const {
  const Instruction* constant = (*this)[id];
  if (constant == nullptr || !IsInt32(constant->type)) return false;
  if (constant->op != spv::Op::OpConstant && constant->op != spv::Op::OpConstantNull) return false;
  *value = constant->op == spv::Op::OpConstant ? constant->Word(0) : 0;
  return true;
}

bool Definitions::BoolValue(uint32_t id, bool* value) const {
  const Instruction* constant = (*this)[id];
  if (constant == nullptr || Op(constant->type) != spv::Op::OpTypeBool) return false;
  *value = constant->op == spv::Op::OpConstantTrue;
  return *value || constant->op == spv::Op::OpConstantFalse ||
         constant->op == spv::Op::OpConstantNull;
}

uint32_t Replacements::Find(uint32_t id) const {
  for (auto found = by_.find(id); found != by_.end(); found = by_.find(id)) id = found->second;
  return id;
}

void Replacements::Apply(Program* program) const {
  if (by_.empty()) return;
  for (Function& function : program->functions) {
    ForEachInstruction(function, [&](Instruction& instruction) {
      for (Operand& operand : instruction.in) {
        if (operand.is_id) operand.word = Find(operand.word);
      }
    });
  }
}

bool IsUnderstood(const Program& program) {
  if (!program.HasCapability(spv::Capability::Shader)) return false;
  return std::any_of(program.head.begin(), program.head.end(), [](const Instruction& model) {
    return model.op == spv::Op::OpMemoryModel &&
           model.Word(0) == static_cast<uint32_t>(spv::AddressingModel::Logical);
  });
}

Result<Program> ReadProgram(std::span<const uint32_t> words, const std::string& file) {
  const Result<Module> module = ReadModule(words, file);
  if (!module) return module.error();
  Program program;
  program.version = module->version();
  program.generator = module->generator();
  program.schema = module->schema();
  program.bound = module->bound();
  for (const Section section :
       {Section::kCapabilities, Section::kExtensions, Section::kImports, Section::kMemoryModel,
        Section::kEntryPoints, Section::kExecutionModes}) {
    ConvertSection(*module, section, &program.head);
  }
  ConvertSection(*module, Section::kDebug, &program.debug);
  ConvertSection(*module, Section::kAnnotations, &program.annotations);
  ConvertSection(*module, Section::kDeclarations, &program.declarations);
  ConvertSection(*module, Section::kTrailer, &program.trailer);
  refract::ForEachFunction(*module, [&](refract::Function function) {
    program.functions.push_back(ConvertFunction(*module, function));
  });
  std::set<uint32_t> decorated;
  for (const Instruction& decoration : program.annotations) {
    for (const Operand& operand : decoration.in) {
      if (operand.is_id) decorated.insert(operand.word);
    }
  }
  for (const Instruction& made : program.declarations) {
    if (HasIdentity(made.op) || decorated.count(made.result) != 0) continue;
    program.declared.try_emplace({made.op, made.type, made.in}, made.result);
  }
  for (const Instruction& import : program.head) {
    if (import.op != spv::Op::OpExtInstImport) continue;
    program.imports[import.result] = ExtInstSetByName(TextOf(import));
  }
  return program;
}

std::vector<uint32_t> WriteProgram(const Program& program) {
  std::vector<uint32_t> words = {spv::MagicNumber, program.version, program.generator,
                                 program.bound, program.schema};
  const std::set<uint32_t> defined = Defined(program);
  for (const Instruction& instruction : program.head) Write(instruction, &words);
  WriteAbout(program.debug, defined, &words);
  WriteAbout(program.annotations, defined, &words);
  for (const Instruction& instruction : program.declarations) Write(instruction, &words);
  for (const Function& function : program.functions) {
    Write(function.definition, &words);
    for (const Instruction& parameter : function.parameters) Write(parameter, &words);
    for (const Block& block : function.blocks) {
      Write({spv::Op::OpLabel, 0, block.label}, &words);
      for (const Instruction& instruction : block.code) Write(instruction, &words);
    }
    Write({spv::Op::OpFunctionEnd}, &words);
  }
  for (const Instruction& instruction : program.trailer) Write(instruction, &words);
  return words;
}

std::optional<bool> Compare(spv::Op op, uint32_t a, uint32_t b) {
  const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (op) {
    case spv::Op::OpIEqual:
      return a == b;
    case spv::Op::OpINotEqual:
      return a != b;
    case spv::Op::OpULessThan:
      return a < b;
    case spv::Op::OpULessThanEqual:
      return a <= b;
    case spv::Op::OpUGreaterThan:
      return a > b;
    case spv::Op::OpUGreaterThanEqual:
      return a >= b;
    case spv::Op::OpSLessThan:
      return x < y;
    case spv::Op::OpSLessThanEqual:
      return x <= y;
    case spv::Op::OpSGreaterThan:
      return x > y;
    case spv::Op::OpSGreaterThanEqual:
      return x >= y;
    default:
      return std::nullopt;
  }
}

}  // namespace refract::planted
