// SPDX-License-Identifier: Apache-2.0
// A shrink pass that removes struct members that nothing selects. The later members get new numbers
// in indices, names, decorations and composites.
#include <functional>
#include <optional>

#include "ir/types.h"
#include "shrink/pass.h"

namespace refract {
inline namespace shrink {
namespace {

class MemberRemover {
 public:
  MemberRemover(Editor& editor, Inst type, uint32_t member)
      : editor_(editor), module_(editor.module()), type_(module_.Result(type)), member_(member) {}

  bool Run() {
    const auto look = [&](Block list) {
      ForEachInstruction(module_, list, [&](Inst inst) { Look(inst); });
    };
    for (uint32_t s = 1; s <= Index(Section::kCount); ++s) look(static_cast<Block>(s));
    ForEachFunction(module_, [&](Function function) { ForEachBlock(module_, function, look); });
    if (!possible_) return false;
    for (const auto& change : changes_) change();
    return true;
  }

 private:
  void Look(Inst inst) {
    switch (module_.Opcode(inst)) {
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
        return LookAtChain(inst, 1);
      case spv::Op::OpPtrAccessChain:
      case spv::Op::OpInBoundsPtrAccessChain:
        return LookAtChain(inst, 2);
      case spv::Op::OpCompositeExtract:
        return LookAtLiterals(inst, module_.TypeOf(module_.IdAt(inst, 0)), 1);
      case spv::Op::OpCompositeInsert:
        return LookAtLiterals(inst, module_.Type(inst), 2);
      case spv::Op::OpArrayLength: {
        const Id pointee = ElementType(module_, module_.TypeOf(module_.IdAt(inst, 0)));
        if (pointee == type_) LookAtLiteral(inst, 1);
        return;
      }
      case spv::Op::OpMemberName:
      case spv::Op::OpMemberDecorate:
      case spv::Op::OpMemberDecorateString:
        if (module_.IdAt(inst, 0) != type_) return;
        if (module_.Word(inst, 1) != member_) return LookAtLiteral(inst, 1);
        return changes_.push_back([this, inst] { editor_.Remove(inst); });
      case spv::Op::OpGroupMemberDecorate:
        for (uint32_t i = 1; i < module_.OperandCount(inst); i += 2) {
          possible_ &= module_.IdAt(inst, i) != type_;
        }
        return;
      case spv::Op::OpCompositeConstruct:
      case spv::Op::OpConstantComposite:
      case spv::Op::OpSpecConstantComposite:
        if (module_.Type(inst) == type_) Drop(inst);
        return;
      case spv::Op::OpTypeStruct:
        if (module_.Result(inst) == type_) Drop(inst);
        return;
      default:
        return;
    }
  }

  void Drop(Inst inst) {
    changes_.push_back([this, inst] {
      Args args = ArgsOf(module_, inst);
      if (member_ < args.size()) args.erase(args.begin() + member_);
      editor_.SetOperands(inst, args);
    });
  }

  void LookAtLiteral(Inst inst, uint32_t operand) {
    const uint32_t value = module_.Word(inst, operand);
    possible_ &= value != member_;
    if (value <= member_) return;
    changes_.push_back(
        [this, inst, operand, value] { editor_.SetOperand(inst, operand, value - 1); });
  }

  void LookAtLiterals(Inst inst, Id type, uint32_t first) {
    for (uint32_t i = first; i < module_.OperandCount(inst) && type != Id::kNone; ++i) {
      const uint32_t index = module_.Word(inst, i);
      if (type == type_) LookAtLiteral(inst, i);
      type = PartType(module_, type, index);
    }
  }

  void LookAtChain(Inst inst, uint32_t first) {
    Id type = ElementType(module_, module_.TypeOf(module_.IdAt(inst, 0)));
    for (uint32_t i = first; i < module_.OperandCount(inst) && type != Id::kNone; ++i) {
      const Id index = module_.IdAt(inst, i);
      if (TypeOpcode(module_, type) != spv::Op::OpTypeStruct) {
        type = ElementType(module_, type);
        continue;
      }
      const std::optional<uint64_t> value = LiteralValue(module_, index);
      if (!value) {
        possible_ = false;
        return;
      }
      if (type == type_) LookAtIndex(inst, i, index, *value);
      type = PartType(module_, type, static_cast<uint32_t>(*value));
    }
  }

  void LookAtIndex(Inst inst, uint32_t operand, Id index, uint64_t value) {
    possible_ &= value != member_;
    if (value <= member_) return;
    changes_.push_back([this, inst, operand, index, value] {
      Args words;
      const Id type = module_.TypeOf(index);
      for (uint32_t word : LiteralWords(module_, type, value - 1)) words.push_back(word);
      editor_.SetOperand(inst, operand, editor_.Declare(spv::Op::OpConstant, type, words));
    });
  }

  Editor& editor_;
  const Module& module_;
  const Id type_;
  const uint32_t member_;
  bool possible_ = true;
  std::vector<std::function<void()>> changes_;
};

}  // namespace

// Starts at the last member, so that the numbers of those before it do not change.
std::vector<Edit> RemoveMembers(const Module& module, Function) {
  std::vector<Edit> edits;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (module.Opcode(inst) != spv::Op::OpTypeStruct) return;
    for (uint32_t member = module.OperandCount(inst); member-- > 0;) {
      edits.push_back([=](Editor& editor) {
        const Module& now = editor.module();
        if (now[inst].removed || now.OperandCount(inst) <= member || now.OperandCount(inst) < 2) {
          return false;
        }
        return MemberRemover(editor, inst, member).Run();
      });
    }
  });
  return edits;
}

}  // namespace shrink
}  // namespace refract
