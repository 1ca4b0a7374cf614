// SPDX-License-Identifier: Apache-2.0
#include "ir/binary.h"

#include <spirv-tools/libspirv.h>

#include <unordered_map>

#include "base/text.h"
#include "ir/block_head.h"
#include "ir/branches.h"
#include "ir/edit/editor.h"

namespace refract {
inline namespace ir {
namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;

Section SectionOf(spv::Op opcode, Section current) {
  switch (opcode) {
    case spv::Op::OpCapability:
      return Section::kCapabilities;
    case spv::Op::OpExtension:
      return Section::kExtensions;
    case spv::Op::OpExtInstImport:
      return Section::kImports;
    case spv::Op::OpMemoryModel:
      return Section::kMemoryModel;
    case spv::Op::OpEntryPoint:
      return Section::kEntryPoints;
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return Section::kExecutionModes;
    case spv::Op::OpString:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpModuleProcessed:
      return Section::kDebug;
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString:
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpMemberDecorateString:
    case spv::Op::OpDecorationGroup:
    case spv::Op::OpGroupDecorate:
    case spv::Op::OpGroupMemberDecorate:
      return Section::kAnnotations;
    case spv::Op::OpNop:
      return current;
    default:
      return Section::kDeclarations;
  }
}

// The number of instructions after the header, or less if the lengths of instructions are wrong.
size_t CountInstructions(std::span<const uint32_t> words) {
  size_t count = 0;
  for (size_t i = 5; i < words.size() && words[i] >> 16 != 0; i += words[i] >> 16) ++count;
  return count;
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file), editor_(module_, 0) {}

  Result<Module> Read(std::span<const uint32_t> words) {
    if (words.empty()) return Error{format("{}: empty file", file_)};
    if (words[0] == kSwappedMagic) {
      return Error{format("{}: big-endian SPIR-V is not supported, only little-endian", file_)};
    }
    if (words[0] != kMagic) {
      return Error{format("{}: not SPIR-V: the first word is {:#010x}, not {:#010x}", file_,
                          words[0], kMagic)};
    }
    if (words.size() < 5) {
      return Error{format("{}: word {}: truncated: a header has 5 words", file_, words.size())};
    }
    if (words[3] > kMaxIdBound) {
      return Error{
          format("{}: word 3: id bound {} is over the limit of {}", file_, words[3], kMaxIdBound)};
    }
    editor_.SetHeader(words[1], words[2], words[4], words[3]);
    editor_.ExpectInstructions(CountInstructions(words));
    low_ids_.resize(std::min<size_t>(words[3], words.size()), Id::kNone);
    spv_diagnostic diagnostic = nullptr;
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    const spv_result_t parsed = spvBinaryParse(context, this, words.data(), words.size(), nullptr,
                                               &Reader::Instruction, &diagnostic);
    spvContextDestroy(context);
    std::string message = diagnostic != nullptr ? diagnostic->error : "cannot be parsed";
    const size_t index = diagnostic != nullptr ? diagnostic->position.index : words.size();
    spvDiagnosticDestroy(diagnostic);
    if (!problem_.empty()) return Error{problem_};
    if (parsed != SPV_SUCCESS) return Error{format("{}: word {}: {}", file_, index, message)};
    if (function_ != Function::kNone) {
      return Error{
          format("{}: word {}: truncated: the last function does not end", file_, words.size())};
    }
    Flush(Module::SectionBlock(Section::kTrailer));
    return std::move(module_);
  }

 private:
  struct Pending {
    spv::Op opcode;
    Id type, result;
    Name name;
    Args args;
  };

  static spv_result_t Instruction(void* self, const spv_parsed_instruction_t* inst) {
    return static_cast<Reader*>(self)->Add(*inst);
  }

  // Ids that are lower than the number of words are in a vector, and these are nearly all. The
  // bound of a small module may be large, so the others are in a map.
  Id Dense(uint32_t file_id) {
    Id& id = file_id < low_ids_.size() ? low_ids_[file_id] : high_ids_[file_id];
    if (id == Id::kNone) id = editor_.NewId(file_id);
    return id;
  }

  void Operands(const spv_parsed_instruction_t& inst, Args* operands) {
    Args& args = *operands;
    args.clear();
    for (uint16_t i = 0; i < inst.num_operands; ++i) {
      const spv_parsed_operand_t& operand = inst.operands[i];
      switch (operand.type) {
        case SPV_OPERAND_TYPE_TYPE_ID:
        case SPV_OPERAND_TYPE_RESULT_ID:
          break;  // these are separate fields
        case SPV_OPERAND_TYPE_ID:
        case SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID:
        case SPV_OPERAND_TYPE_SCOPE_ID:
          args.push_back(Dense(inst.words[operand.offset]));
          break;
        default:
          for (uint16_t w = 0; w < operand.num_words; ++w) {
            args.push_back(inst.words[operand.offset + w]);
          }
      }
    }
  }

  spv_result_t Problem(const char* what) {
    problem_ = format("{}: instruction {}: {}", file_, ordinal_, what);
    return SPV_ERROR_INVALID_BINARY;
  }

  void Put(Block block, const Pending& inst) {
    editor_.Append(block, inst.opcode, inst.type, inst.result, inst.name, inst.args);
  }

  void Flush(Block block) {
    for (const Pending& inst : pending_) Put(block, inst);
    pending_.clear();
  }

  spv_result_t Add(const spv_parsed_instruction_t& parsed) {
    Pending& inst = current_;
    inst.opcode = static_cast<spv::Op>(parsed.opcode);
    inst.type = parsed.type_id != 0 ? Dense(parsed.type_id) : Id::kNone;
    inst.result = parsed.result_id != 0 ? Dense(parsed.result_id) : Id::kNone;
    inst.name =
        parsed.result_id != 0 ? Name{0, parsed.result_id} : Name{0, Name::kOrdinal + ordinal_};
    Operands(parsed, &inst.args);
    ++ordinal_;
    if (inst.result != Id::kNone && module_.Definition(inst.result) != Inst::kNone) {
      return Problem("the instruction defines an id that is already defined");
    }
    return Place(inst);
  }

  // The opcode and the current function and block give the list to which an instruction belongs.
  spv_result_t Place(const Pending& inst) {
    const bool open_block = block_ != Block::kNone;
    if (IsDebugLine(inst.opcode) && !open_block) {
      pending_.push_back(inst);
      return SPV_SUCCESS;
    }
    switch (inst.opcode) {
      case spv::Op::OpFunction:
        if (function_ != Function::kNone) return Problem("OpFunction is inside a function");
        function_ = editor_.AddFunction();
        return PutAt(module_[function_].head, inst);
      case spv::Op::OpFunctionParameter:
        if (function_ == Function::kNone) {
          return Problem("OpFunctionParameter is outside a function");
        }
        return PutAt(module_[function_].head, inst);
      case spv::Op::OpFunctionEnd: {
        if (function_ == Function::kNone || open_block) {
          return Problem("OpFunctionEnd is outside a function or inside a block");
        }
        const Block tail = module_[function_].tail;
        function_ = Function::kNone;
        return PutAt(tail, inst);
      }
      case spv::Op::OpLabel:
        if (function_ == Function::kNone || open_block) {
          return Problem("OpLabel is outside a function or inside a block");
        }
        block_ = editor_.AddBlock(function_);
        return PutAt(block_, inst);
      default:
        break;
    }
    if (open_block) {
      Put(block_, inst);
      if (IsTerminator(inst.opcode)) block_ = Block::kNone;
      return SPV_SUCCESS;
    }
    if (function_ != Function::kNone) {
      return Problem("the instruction is in a function, but outside a block");
    }
    if (module_.first_function() != Function::kNone) {
      // Between functions only debug lines may appear; they belong to the next function.
      pending_.push_back(inst);
      return SPV_SUCCESS;
    }
    section_ = std::max(section_, SectionOf(inst.opcode, section_));
    return PutAt(Module::SectionBlock(section_), inst);
  }

  spv_result_t PutAt(Block block, const Pending& inst) {
    Flush(block);
    Put(block, inst);
    return SPV_SUCCESS;
  }

  const std::string& file_;
  Module module_;
  Editor editor_;
  std::vector<Id> low_ids_;  // by file id; kNone: not yet seen
  std::unordered_map<uint32_t, Id> high_ids_;
  Pending current_;  // the instruction that is being read; here so that its memory is reused
  std::vector<Pending> pending_;
  std::string problem_;
  uint64_t ordinal_ = 0;
  Section section_ = Section::kCapabilities;
  Function function_ = Function::kNone;
  Block block_ = Block::kNone;
};

void WriteList(const Module& module, Block block, std::vector<uint32_t>* words) {
  ForEachInstruction(module, block, [&](Inst inst) {
    const size_t begin = words->size();
    words->push_back(0);
    if (module.Type(inst) != Id::kNone) words->push_back(module.FileId(module.Type(inst)));
    if (module.Result(inst) != Id::kNone) words->push_back(module.FileId(module.Result(inst)));
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      words->push_back(module.IsId(inst, i) ? module.FileId(module.IdAt(inst, i))
                                            : module.Word(inst, i));
    }
    const uint32_t count = static_cast<uint32_t>(words->size() - begin);
    (*words)[begin] = count << 16 | static_cast<uint32_t>(module.Opcode(inst));
  });
}

}  // namespace

Result<Module> ReadModule(std::span<const uint32_t> words, const std::string& file) {
  return Reader(file).Read(words);
}

std::vector<uint32_t> WriteModule(const Module& module) {
  std::vector<uint32_t> words{kMagic, module.version(), module.generator(), module.bound(),
                              module.schema()};
  words.reserve(module.word_count());
  for (uint32_t s = 1; s < Index(Section::kTrailer); ++s) {
    WriteList(module, static_cast<Block>(s), &words);
  }
  ForEachFunction(module, [&](Function function) {
    WriteList(module, module[function].head, &words);
    ForEachBlock(module, function, [&](Block block) { WriteList(module, block, &words); });
    WriteList(module, module[function].tail, &words);
  });
  WriteList(module, Module::SectionBlock(Section::kTrailer), &words);
  return words;
}

}  // namespace ir
}  // namespace refract
