// SPDX-License-Identifier: Apache-2.0
// Adds components to the coordinates of an image sample, which ignores them: "It may be a vector
// larger than needed, but all unused components appear after all used components" (SPIR-V 3.42.10,
// OpImageSampleImplicitLod and similar). This does not hold for projections, whose last component
// is the divisor, nor for fetches.
#include "message/add_unused_coordinates.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::add_unused_coordinates {
namespace {

using Message = message::AddUnusedCoordinates;
using spv::Op;
enum Role : uint64_t { kCoordinate = 1 };

constexpr uint32_t kCoordinateOperand = 1;

bool IsSample(Op opcode) {
  return opcode == Op::OpImageSampleImplicitLod || opcode == Op::OpImageSampleExplicitLod ||
         opcode == Op::OpImageSampleDrefImplicitLod || opcode == Op::OpImageSampleDrefExplicitLod;
}

uint32_t SizeOf(const Module& module, Id type) {
  return IsVector(module, type) ? PartCount(module, type).value_or(0) : 1;
}

// "The number of components must equal the number of components in Coordinate, minus the array
// layer component" (SPIR-V 3.14, Grad, ConstOffset and Offset).
bool HasOneForEachCoordinate(const Module& module, Inst sample) {
  const Op opcode = module.Opcode(sample);
  const bool compares =
      opcode == Op::OpImageSampleDrefImplicitLod || opcode == Op::OpImageSampleDrefExplicitLod;
  const uint32_t mask_operand = kCoordinateOperand + (compares ? 2 : 1);
  if (module.OperandCount(sample) <= mask_operand) return false;
  using Mask = spv::ImageOperandsMask;
  return (module.Word(sample, mask_operand) &
          static_cast<uint32_t>(Mask::Grad | Mask::ConstOffset | Mask::Offset)) != 0;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst sample = view.Find(message.sample);
  if (sample == Inst::kNone) return No("the sampling instruction does not exist");
  if (!IsSample(module.Opcode(sample))) {
    return No("the instruction does not allow unused coordinates");
  }
  const Id type = module.TypeOf(module.IdAt(sample, kCoordinateOperand));
  if (message.size > 4) return No("a coordinate has at most four components");
  if (message.size <= SizeOf(module, type)) {
    return No("the coordinate already has this many components");
  }
  if (HasOneForEachCoordinate(module, sample)) {
    return No("a gradient or offset must match the size of the coordinate");
  }
  if (!message.filler) return Yes();
  const Id filler = view.Value(message.filler);
  if (filler == Id::kNone) return No("the value to add does not exist");
  if (module.TypeOf(filler) != ScalarType(module, type)) {
    return No("the value to add does not have the coordinate's component type");
  }
  if (!IsAvailable(module, filler, sample)) {
    return No("the value to add is not available at the sampling instruction");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst sample = module.Find(message.sample);
  const Id coordinate = module.IdAt(sample, kCoordinateOperand);
  const Id scalar = ScalarType(module, module.TypeOf(coordinate));
  const Id filler = message.filler ? module.FindId(message.filler)
                                   : Declare(editor, ScalarConstant(module, scalar, 0));
  std::vector<Id> components{coordinate};
  components.resize(1 + message.size - SizeOf(module, module.TypeOf(coordinate)), filler);
  const Id type = Declare(editor, VectorType(Describe(module, scalar), message.size));
  const Id wider = Builder(editor, sample).Construct(type, editor.Made(kCoordinate), components);
  editor.SetOperand(sample, kCoordinateOperand, wider);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsSample(module.Opcode(inst)); };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Id type = module.TypeOf(module.IdAt(inst, kCoordinateOperand));
    const uint32_t size = SizeOf(module, type);
    if (size >= 4) return;
    Message message{
        module.NameOf(inst), static_cast<uint32_t>(size + 1 + proposer.Pick(4 - size)), {}};
    std::vector<Id> near = ValuesNear(module, inst, 48);
    std::erase_if(near, [&](Id id) { return module.TypeOf(id) != ScalarType(module, type); });
    if (!near.empty()) message.filler = module.NameOf(near[proposer.Pick(near.size())]);
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {90, 100}, .follow_ons = {"replace_id_with_synonym", "composite_extract"}});

}  // namespace refract::add_unused_coordinates
