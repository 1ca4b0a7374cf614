// SPDX-License-Identifier: Apache-2.0
// The walks that most Propose functions begin with: over places for new instructions, and over
// existing instructions.
#pragma once

#include "ir/availability.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {

/// True if an instruction that was chosen at random should still be skipped: most of those in long
/// sequences.
inline bool ShouldSkip(Proposer& proposer, Inst inst) {
  return IsInLongSequence(proposer.module(), inst) && proposer.Pick(8) != 0;
}

/// Calls `offer(place)` for a random selection of the places in the function where an instruction
/// `opcode` can be inserted. Each place is replaced by the oldest one nearby.
template <class Offer>
void OfferAtInsertionPointsIn(Proposer& proposer, Function function, spv::Op opcode, Offer offer) {
  const Module& module = proposer.module();
  ForEachBlock(module, function, [&](Block block) {
    for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
         inst = module.Next(inst)) {
      if (MayInsertBefore(module, opcode, inst) && proposer.ShouldTry()) {
        offer(OldestInsertionPoint(module, opcode, inst));
      }
    }
  });
}

/// The same in all functions that the fuzzer pass walks.
template <class Offer>
void OfferAtInsertionPoints(Proposer& proposer, spv::Op opcode, Offer offer) {
  ForEachFunction(proposer, [&](Function function) {
    OfferAtInsertionPointsIn(proposer, function, opcode, offer);
  });
}

/// Calls `offer(inst)` for a random selection of the instructions in blocks for which `fits(inst)`
/// is true. `fits` should be cheap.
template <class Fits, class Offer>
void OfferAtInstructions(Proposer& proposer, Fits fits, Offer offer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (fits(inst) && proposer.ShouldTry()) offer(inst);
      });
    });
  });
}

/// Offers Message{name, opcode} of a random selection of the instructions for which `fits(inst)` is
/// true and whose message `check(message, view)` accepts.
template <class Message, class Fits, class Check>
void OfferOperations(Proposer& proposer, Fits fits, Check check) {
  const Module& module = proposer.module();
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst), static_cast<uint32_t>(module.Opcode(inst))};
    if (check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace rules
}  // namespace refract
