// SPDX-License-Identifier: Apache-2.0
#include "transform/control_flow/empty_sides.h"

#include "ir/types.h"

namespace refract {
inline namespace transform {
namespace {

enum Role : uint64_t {
  kMergeLabel = 1,
  kBranch = 2,
  kMerge = 3,
  kTrueLabel = 4,
  kTrueBranch = 5,
  kFalseLabel = 6,
  kFalseBranch = 7
};

}  // namespace

Block AddForwardingBlock(ContextEditor& editor, Block after, Block to, Name label, Name branch,
                         Block like) {
  const Module& module = editor.module();
  const Block block = editor.AddBlockAfter(after, label);
  editor.AppendPlain(block, spv::Op::OpBranch, branch, {module.LabelId(to)});
  editor.CopyDeadFacts(like, block);
  return block;
}

EmptySelection AddEmptySelection(ContextEditor& editor, Inst before, Id condition,
                                 EmptySides sides) {
  const Module& module = editor.module();
  EmptySelection made;
  made.header = made.from_true = made.from_false = module.BlockOf(before);
  made.merge = editor.SplitBlock(before, editor.Made(kMergeLabel), editor.Made(kBranch));
  editor.CopyDeadFacts(made.header, made.merge);
  const bool is_switch = !IsBool(module, module.TypeOf(condition));
  // With one side the shape is a diamond, for which the editor updates the cached control flow.
  if (!is_switch && sides.on_false && !sides.on_true) {
    made.from_false = editor.AddDiamond(
        made.header, condition,
        {editor.Made(kFalseLabel), editor.Made(kFalseBranch), editor.Made(kMerge)});
    editor.CopyDeadFacts(made.header, made.from_false);
    return made;
  }
  if (sides.on_true) {
    made.from_true = AddForwardingBlock(editor, made.header, made.merge, editor.Made(kTrueLabel),
                                        editor.Made(kTrueBranch), made.header);
  }
  if (sides.on_false) {
    made.from_false =
        AddForwardingBlock(editor, made.from_true, made.merge, editor.Made(kFalseLabel),
                           editor.Made(kFalseBranch), made.header);
  }
  const auto target = [&](Block side) {
    return module.LabelId(side == made.header ? made.merge : side);
  };
  editor.InsertPlain(module.Terminator(made.header), spv::Op::OpSelectionMerge, editor.Made(kMerge),
                     {module.LabelId(made.merge), 0u});
  if (!is_switch) {
    editor.SetTerminator(made.header, spv::Op::OpBranchConditional,
                         {condition, target(made.from_true), target(made.from_false)});
    return made;
  }
  Args args{condition, target(made.from_false)};
  for (uint32_t word : LiteralWords(module, module.TypeOf(condition), 1)) args.push_back(word);
  args.push_back(target(made.from_true));
  editor.SetTerminator(made.header, spv::Op::OpSwitch, args);
  return made;
}

}  // namespace transform
}  // namespace refract
