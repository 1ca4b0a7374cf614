// SPDX-License-Identifier: Apache-2.0
// Replaces an exchange between invocations by another one that reads from the same invocation. A
// quad of a compute shader is four invocations with consecutive numbers in the subgroup, of which
// the first is a multiple of four (Vulkan, "Quad"). A swap of direction d therefore is a shuffle
// with the number changed by the bits of d + 1.
#include "message/replace_lane_exchange.h"

#include <optional>

#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/convergence.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_lane_exchange {
namespace {

using Message = message::ReplaceLaneExchange;
using spv::Op;

struct Exchange {
  Op opcode = Op::OpNop;  // OpNop: no other exchange is known
  spv::Capability capability = spv::Capability::GroupNonUniformShuffle;
  std::optional<uint32_t> number = std::nullopt;  // the last operand; nullopt: it stays
};

Exchange OtherFor(const Module& module, Inst inst) {
  const Op opcode = module.Opcode(inst);
  if (opcode == Op::OpGroupNonUniformBroadcast) return {Op::OpGroupNonUniformShuffle};
  if (opcode != Op::OpGroupNonUniformQuadSwap && opcode != Op::OpGroupNonUniformShuffleXor) {
    return {};
  }
  const std::optional<uint64_t> number = LiteralValue(module, module.IdAt(inst, 2));
  if (!number) return {};
  if (opcode == Op::OpGroupNonUniformQuadSwap) {
    if (*number > 2) return {};
    return {Op::OpGroupNonUniformShuffleXor, spv::Capability::GroupNonUniformShuffle,
            static_cast<uint32_t>(*number + 1)};
  }
  if (*number < 1 || *number > 3) return {};
  return {Op::OpGroupNonUniformQuadSwap, spv::Capability::GroupNonUniformQuad,
          static_cast<uint32_t>(*number - 1)};
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  const Exchange other = OtherFor(module, inst);
  if (other.opcode == Op::OpNop) return No("the operation has no equal exchange");
  view.DependOn(inst, 2);
  if (other.number && view.IsIrrelevant(module.IdAt(inst, 2))) {
    return No("a later step may replace the number of the exchange");
  }
  if (!HasCapability(module, other.capability)) {
    return No("the module does not declare the required capability");
  }
  // There, a quad is a square of the workgroup, and its invocations need not be consecutive.
  if (HasCapability(module, spv::Capability::ComputeDerivativeGroupQuadsNV)) {
    return No("the quads of the module are not consecutive invocations");
  }
  if (StagesReaching(module, module.FunctionOf(inst)) != Stages::kCompute) {
    return No("a shader of another stage can reach the function");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Exchange other = OtherFor(module, inst);
  editor.SetOpcode(inst, other.opcode);
  if (!other.number) return;
  editor.SetOperand(inst, 2, Declare(editor, ScalarConstant(IntType(32, false), *other.number)));
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return OtherFor(module, inst).opcode != Op::OpNop; };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"scalarize_subgroup_operation"}});

}  // namespace refract::replace_lane_exchange
