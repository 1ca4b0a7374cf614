// SPDX-License-Identifier: Apache-2.0
#include "transform/donated_function.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "ir/call_graph.h"
#include "ir/properties.h"
#include "ir/validity.h"
#include "transform/declare.h"
#include "transform/live_safe.h"
#include "transform/values.h"

namespace refract {
namespace {

using message::DonatedBlock;
using message::DonatedInstruction;
using message::DonatedOperand;
using Message = message::AddFunction;
using Kind = DonatedOperand::Kind;

// Far apart: names made from small roles and small numbers might meet.
enum Role : uint64_t {
  kNumbered = uint64_t{1} << 40,
  kFunction = uint64_t{2} << 40,
  kEnd = uint64_t{3} << 40,
};

class Builder {
 public:
  Builder(Editor& editor, const Message& message)
      : editor_(editor), module_(editor.module()), message_(message) {}

  // Everything is made first and gets its operands then: a phi or a branch may name what follows.
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
          args.push_back(FindGlslImport(module_));
          break;
      }
    }
    return args;
  }

  Editor& editor_;
  const Module& module_;
  const Message& message_;
  std::vector<std::pair<uint32_t, Id>> ids_;  // by local number
};

void Copy(const Module& from, Section section, Editor* to) {
  ForEachInstruction(from, Module::SectionBlock(section), [&](Inst inst) {
    Args args;
    for (uint32_t i = 0; i < from.OperandCount(inst); ++i) {
      if (from.IsId(inst, i)) return;
      args.push_back(from.Word(inst, i));
    }
    const Block block = Module::SectionBlock(section);
    if (from.Result(inst) == Id::kNone) {
      to->AppendPlain(block, from.Opcode(inst), from.NameOf(inst), args);
    } else {
      to->AppendValue(block, from.Opcode(inst), Id::kNone, from.NameOf(inst), args);
    }
  });
}

// A module with nothing in it but what decides on the validity of a function.
Module EmptyLike(const Module& module) {
  Module empty;
  Editor editor(empty, 0);
  editor.SetHeader(module.version(), 0, 0, 1);
  Copy(module, Section::kCapabilities, &editor);
  Copy(module, Section::kImports, &editor);
  editor.Declare(spv::Op::OpTypeVoid, Id::kNone, {});
  return empty;
}

// A block that no branch leads to is a merge block with nothing in it: of others spirv-val 2023.1
// has its own opinion (docs/validator-quirks.md).
bool AreBlocksReached(const Module& module, Function function) {
  const ControlFlow& flow = module.Flow(function);
  for (Block block : flow.order) {
    if (flow.Reachable(block)) continue;
    if (module.Opcode(module.Next(module.Label(block))) != spv::Op::OpUnreachable ||
        !flow.IsMergeBlock(block)) {
      return false;
    }
  }
  return true;
}

// Early versions of SPIR-V want another type; our checker, like spirv-val, does not judge that.
bool HasIdleBitcast(const Module& module, Function function) {
  bool found = false;
  ForEachBlock(module, function, [&](Block block) {
    ForEachInstruction(module, block, [&](Inst inst) {
      found = found || (module.Opcode(inst) == spv::Op::OpBitcast &&
                        module.TypeOf(module.IdAt(inst, 0)) == module.Type(inst));
    });
  });
  return found;
}

}  // namespace

Id FindGlslImport(const Module& module) {
  Id found = Id::kNone;
  ForEachInstruction(module, Module::SectionBlock(Section::kImports), [&](Inst inst) {
    if (found != Id::kNone || module.Opcode(inst) != spv::Op::OpExtInstImport) return;
    if (ExtInstSetByName(StringOperand(module, inst, 0)) == ExtInstSet::kGlsl) {
      found = module.Result(inst);
    }
  });
  return found;
}

uint64_t FunctionLocal(uint64_t origin) {
  return RoleName(kFunction, uint64_t{0}, origin);
}

Function BuildDonated(Editor& editor, const Message& message) {
  return Builder(editor, message).Build();
}

Verdict CheckDonated(const Module& module, const Message& message) {
  if (Verdict form = CheckDonatedForm(module, message); !form) return form;
  Module alone = EmptyLike(module);
  Editor editor(alone, 1);
  const Function function = BuildDonated(editor, message);
  if (!CheckModule(alone)) return No("the function is not valid");
  if (!AreBlocksReached(alone, function)) return No("a block of the function is not reached");
  if (HasIdleBitcast(alone, function)) return No("a bitcast to the type that the value has");
  if (!message.live_safe) return Yes();
  if (Verdict may = MayBeLiveSafe(alone, function); !may) return may;
  MakeLiveSafe(editor, function, message.loop_limit);
  // An end to a loop may leave a value without its definition, for one.
  return CheckModule(alone) ? Yes() : No("the function is not valid with its loops bounded");
}

}  // namespace refract
