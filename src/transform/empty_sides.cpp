// SPDX-License-Identifier: Apache-2.0
#include "transform/empty_sides.h"

#include "ir/types.h"

namespace refract {

Block AddForwardingBlock(ContextEditor& editor, Block after, Block to, Name label, Name branch,
                         Block like) {
  const Module& module = editor.module();
  const Block block = editor.AddBlockAfter(after, label);
  editor.AppendPlain(block, spv::Op::OpBranch, branch, {module.LabelId(to)});
  editor.CarryDead(like, block);
  return block;
}

EmptySelection AddEmptySelection(ContextEditor& editor, Inst before, Id condition, EmptySides sides,
                                 const EmptySelectionNames& names) {
  const Module& module = editor.module();
  EmptySelection made;
  made.header = made.from_true = made.from_false = module.BlockOf(before);
  made.merge = editor.SplitBlock(before, names.merge_label, names.branch);
  editor.CarryDead(made.header, made.merge);
  const bool is_switch = !IsBool(module, module.TypeOf(condition));
  // Of one the shape is a diamond, and control flow is patched.
  if (!is_switch && sides.on_false && !sides.on_true) {
    made.from_false = editor.AddDiamond(made.header, condition,
                                        {names.false_label, names.false_branch, names.merge});
    editor.CarryDead(made.header, made.from_false);
    return made;
  }
  if (sides.on_true) {
    made.from_true = AddForwardingBlock(editor, made.header, made.merge, names.true_label,
                                        names.true_branch, made.header);
  }
  if (sides.on_false) {
    made.from_false = AddForwardingBlock(editor, made.from_true, made.merge, names.false_label,
                                         names.false_branch, made.header);
  }
  const auto target = [&](Block side) {
    return module.LabelId(side == made.header ? made.merge : side);
  };
  editor.InsertPlain(module.Terminator(made.header), spv::Op::OpSelectionMerge, names.merge,
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

}  // namespace refract
