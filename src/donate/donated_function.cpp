// SPDX-License-Identifier: Apache-2.0
#include "donate/donated_function.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/call_graph.h"
#include "ir/grammar/properties.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace donate {
namespace {

using message::DonatedBlock;
using message::DonatedInstruction;
using message::DonatedOperand;
using Message = message::AddFunction;
using Kind = DonatedOperand::Kind;

// Far apart, so that names made from small roles and small numbers do not collide.
enum Role : uint64_t {
  kNumbered = uint64_t{1} << 40,
  kFunction = uint64_t{2} << 40,
  kEnd = uint64_t{3} << 40,
};

class FunctionBuilder {
 public:
  FunctionBuilder(Editor& editor, const Message& message)
      : editor_(editor), module_(editor.module()), message_(message) {}

  // First creates all instructions, then sets their operands, because a phi or a branch can name a
  // later instruction.
  Function Build() {
    const Function function = editor_.AddFunction();
    BuildHead(function);
    std::vector<Inst> made;
    for (const DonatedBlock& block : message_.blocks) BuildBlock(function, block, &made);
    editor_.AppendPlain(module_[function].tail, spv::Op::OpFunctionEnd, editor_.Made(kEnd), {});
    std::sort(ids_.begin(), ids_.end());
    size_t next = 0;
    for (const DonatedBlock& block : message_.blocks) {
      for (const DonatedInstruction& instruction : block.instructions) {
        editor_.SetOperands(made[next++], ArgsOf(instruction));
      }
    }
    return function;
  }

 private:
  Name NameOf(uint32_t local) const { return editor_.Made(kNumbered, uint64_t{local}); }

  void BuildHead(Function function) {
    const Block head = module_[function].head;
    const Id result = Declare(editor_, message_.result);
    Args signature{result};
    for (const message::DonatedParameter& parameter : message_.parameters) {
      signature.push_back(Declare(editor_, parameter.type));
    }
    const Id type = editor_.Declare(spv::Op::OpTypeFunction, Id::kNone, signature);
    editor_.AppendValue(head, spv::Op::OpFunction, result,
                        Name{editor_.step(), FunctionLocal(message_.origin)},
                        {message_.control, type});
    for (const message::DonatedParameter& parameter : message_.parameters) {
      ids_.emplace_back(parameter.local, editor_.AppendValue(head, spv::Op::OpFunctionParameter,
                                                             Declare(editor_, parameter.type),
                                                             NameOf(parameter.local), {}));
    }
  }

  void BuildBlock(Function function, const DonatedBlock& donated, std::vector<Inst>* made) {
    const Block block = editor_.AddBlock(function);
    ids_.emplace_back(donated.local, editor_.AppendValue(block, spv::Op::OpLabel, Id::kNone,
                                                         NameOf(donated.local), {}));
    for (const DonatedInstruction& instruction : donated.instructions) {
      const auto opcode = static_cast<spv::Op>(instruction.opcode);
      const Name name = NameOf(instruction.local);
      if (instruction.type.kind == message::Type::Kind::kNone) {
        made->push_back(editor_.AppendPlain(block, opcode, name, {}));
      } else {
        const Id type = Declare(editor_, instruction.type);
        const Id result = editor_.AppendValue(block, opcode, type, name, {});
        ids_.emplace_back(instruction.local, result);
        made->push_back(module_.Definition(result));
      }
    }
  }

  Args ArgsOf(const DonatedInstruction& instruction) {
    Args args;
    for (const DonatedOperand& operand : instruction.operands) {
      switch (operand.kind) {
        case Kind::kLiteral:
          args.push_back(operand.word);
          break;
        case Kind::kLocal:
          args.push_back(
              std::lower_bound(ids_.begin(), ids_.end(), std::make_pair(operand.word, Id::kNone))
                  ->second);
          break;
        case Kind::kConstant:
          args.push_back(Declare(editor_, operand.constant));
          break;
        case Kind::kGlslStd450:
          args.push_back(DeclareGlslImport());
          break;
        case Kind::kFunction:
          args.push_back(module_.FindId(operand.function));
          break;
      }
    }
    return args;
  }

  // Named by its content like a declaration, so that no step depends on the step that made it.
  Id DeclareGlslImport() {
    if (const Id found = FindGlslImport(module_); found != Id::kNone) return found;
    constexpr std::string_view kSet = "GLSL.std.450";
    Args args;  // four bytes a word, lowest first; zeros fill the last word (SPIR-V 2.2.1)
    for (size_t i = 0; i <= kSet.size(); i += 4) {
      uint32_t word = 0;
      for (size_t b = i; b < std::min(i + 4, kSet.size()); ++b) {
        word |= static_cast<uint32_t>(static_cast<unsigned char>(kSet[b])) << 8 * (b - i);
      }
      args.push_back(word);
    }
    const Name name = DeclarationName(module_, spv::Op::OpExtInstImport, Id::kNone, args);
    return editor_.AppendValue(Module::SectionBlock(Section::kImports), spv::Op::OpExtInstImport,
                               Id::kNone, name, args);
  }

  Editor& editor_;
  const Module& module_;
  const Message& message_;
  std::vector<std::pair<uint32_t, Id>> ids_;  // by local number
};

}  // namespace

uint64_t FunctionLocal(uint64_t origin) {
  return LocalPart(kFunction, uint64_t{0}, origin);
}

Function BuildDonated(Editor& editor, const Message& message) {
  return FunctionBuilder(editor, message).Build();
}

uint64_t ResolveDonatedCalls(const Module& module, Message* message) {
  uint64_t missing = 0;
  for (DonatedBlock& block : message->blocks) {
    for (DonatedInstruction& instruction : block.instructions) {
      for (DonatedOperand& operand : instruction.operands) {
        if (operand.kind != Kind::kFunction || operand.function.step != 0) continue;
        const uint64_t local = operand.function.local;
        ForEachFunction(module, [&](Function function) {
          const Name name = module.NameOf(module[function].definition);
          if (name.local == local && operand.function.step == 0) operand.function = name;
        });
        if (operand.function.step == 0) missing = local;
      }
    }
  }
  return missing;
}

}  // namespace donate
}  // namespace refract
