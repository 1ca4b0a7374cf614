// SPDX-License-Identifier: Apache-2.0
// The walks that most Propose begin with: over places for something new, and over instructions.
#pragma once

#include "ir/availability.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::inline rules {

/// Whether not to act at an instruction for which the dice said yes: most of those in long rows.
inline bool PassesBy(Proposer& proposer, Inst inst) {
  return IsInLongRow(proposer.module(), inst) && proposer.Pick(8) != 0;
}

/// Calls `offer(place)` where an instruction `opcode` may be put in the function and the dice say
/// so; the place is the oldest around.
template <class Offer>
void OfferAtPlacesIn(Proposer& proposer, Function function, spv::Op opcode, Offer offer) {
  const Module& module = proposer.module();
  ForEachBlock(module, function, [&](Block block) {
    for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
         inst = module.Next(inst)) {
      if (MayInsertBefore(module, opcode, inst) && proposer.Toss()) {
        offer(OldestPlaceFrom(module, opcode, inst));
      }
    }
  });
}

/// The same in all functions of the walk.
template <class Offer>
void OfferAtPlaces(Proposer& proposer, spv::Op opcode, Offer offer) {
  ForEachFunction(proposer,
                  [&](Function function) { OfferAtPlacesIn(proposer, function, opcode, offer); });
}

/// Calls `offer(inst)` for instructions in blocks for which `fits(inst)`, which should be cheap,
/// and the dice say so.
template <class Fits, class Offer>
void OfferAtInstructions(Proposer& proposer, Fits fits, Offer offer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (fits(inst) && proposer.Toss()) offer(inst);
      });
    });
  });
}

}  // namespace refract::inline rules
