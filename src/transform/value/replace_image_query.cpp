// SPDX-License-Identifier: Apache-2.0
// Replaces a query for the size, the levels or the samples of an image by the answer, which the
// inputs give (docs/inputs.md).
#include "message/replace_image_query.h"

#include <optional>
#include <vector>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/image_input.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::replace_image_query {
namespace {

using Message = message::ReplaceImageQuery;
using spv::Op;

bool IsQuery(Op opcode) {
  return opcode == Op::OpImageQuerySize || opcode == Op::OpImageQuerySizeLod ||
         opcode == Op::OpImageQueryLevels || opcode == Op::OpImageQuerySamples;
}

// The numbers that the query yields; empty if they are not known.
std::vector<uint32_t> AnswerTo(const View& view, Inst inst) {
  const Module& module = view.module();
  const Op opcode = module.Opcode(inst);
  if (!IsQuery(opcode)) return {};
  std::optional<uint64_t> level = 0;
  if (opcode == Op::OpImageQuerySizeLod) {
    view.DependOn(inst, 1);
    const Id operand = module.IdAt(inst, 1);
    level = LiteralValue(module, operand);
    if (view.IsIrrelevant(operand)) return {};
  }
  view.DependOn(inst, 0);
  const ImageInput* image = InputOfImage(view, module.IdAt(inst, 0));
  if (image == nullptr) return {};
  if (opcode == Op::OpImageQueryLevels) return {image->levels};
  if (opcode == Op::OpImageQuerySamples) return {image->samples};
  return level ? SizeOfLevel(*image, *level) : std::vector<uint32_t>();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.query);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  const std::vector<uint32_t> answer = AnswerTo(view, inst);
  const Id type = answer.empty() ? Id::kNone : module.Type(inst);
  const uint32_t count = answer.empty()           ? 0
                         : IsVector(module, type) ? PartCount(module, type).value_or(0)
                                                  : 1;
  if (count == 0 || count != answer.size() || Width(module, ScalarType(module, type)) < 32) {
    return No("the answer to the query is not known");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.query);
  const Id type = module.Type(inst), scalar = ScalarType(module, type);
  const std::vector<uint32_t> answer = AnswerTo(editor.view(), inst);
  message::Constant value;
  if (answer.size() == 1) {
    value = ScalarConstant(module, scalar, answer[0]);
  } else {
    value.type = Describe(module, type);
    for (const uint32_t part : answer) value.parts.push_back(ScalarConstant(module, scalar, part));
  }
  editor.SetOpcode(inst, Op::OpCopyObject);
  editor.SetOperands(inst, {Declare(editor, value)});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsQuery(module.Opcode(inst)); };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_opaque_value"}});

}  // namespace refract::replace_image_query
