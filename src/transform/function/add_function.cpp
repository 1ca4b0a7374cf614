// SPDX-License-Identifier: Apache-2.0
// Adds a donated function.
#include "message/add_function.h"

#include <algorithm>
#include <vector>

#include "donate/donated_function.h"
#include "rules/values.h"

namespace refract::add_function {
namespace {

using Message = message::AddFunction;

// True if some step has added the function, whole or shrunk.
bool HasFunctionOfOrigin(const Module& module, uint64_t origin) {
  bool found = false;
  ForEachFunction(module, [&](Function function) {
    found = found || module.NameOf(module[function].definition).local == FunctionLocal(origin);
  });
  return found;
}

// The donor's function, with the names of the functions that it calls. If a called function is
// missing, returns that function instead, which the donor lists earlier.
Message ReadyFrom(const Proposer& proposer, size_t index) {
  const std::vector<AnyMessage>& donors = proposer.donors();
  for (;;) {
    Message message = donors[index].As<Message>();
    const uint64_t missing = ResolveDonatedCalls(proposer.module(), &message);
    size_t callee = index;
    while (missing != 0 && callee-- > 0) {
      if (FunctionLocal(donors[callee].As<Message>().origin) == missing) break;
    }
    if (missing == 0 || callee >= index) return message;
    index = callee;
  }
}

void Propose(Proposer& proposer) {
  constexpr size_t kTries = 6, kOffers = 2;
  constexpr uint32_t kUsualLimit = 12;  // nested loops still end soon
  constexpr size_t kAsItIs = 8;
  const std::vector<AnyMessage>& donors = proposer.donors();
  if (donors.empty() || !HasCapability(proposer.module(), spv::Capability::Shader)) return;
  const size_t first = proposer.Pick(donors.size());
  std::vector<uint64_t> offered;
  for (size_t i = 0; i < std::min(donors.size(), kTries) && offered.size() < kOffers; ++i) {
    const size_t index = (first + i) % donors.size();
    if (!proposer.ShouldTry() ||
        HasFunctionOfOrigin(proposer.module(), donors[index].As<Message>().origin)) {
      continue;
    }
    Message message = ReadyFrom(proposer, index);
    if (std::find(offered.begin(), offered.end(), message.origin) != offered.end()) continue;
    // Sometimes the function is added unchanged, not live-safe, for calls in dead blocks.
    const bool as_it_is = !message.live_safe || proposer.Pick(kAsItIs) == 0;
    message.loop_limit = 1 + static_cast<uint32_t>(proposer.Pick(kUsualLimit));
    if (as_it_is || !CheckAddFunction(message, proposer.view())) {
      message.live_safe = false;
      message.loop_limit = 0;
      if (!CheckAddFunction(message, proposer.view())) continue;
    }
    offered.push_back(message.origin);
    proposer.Offer(std::move(message));
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, CheckAddFunction, ApplyAddFunction, Propose>(
    {.chance = {20, 90},
     .follow_ons = {"function_call", "replace_irrelevant_id", "merge_returns",
                    "replace_branch_from_dead_block_with_exit", "move_function"},
     // If runs without donors left this pass out, they would all change.
     .donors = DonorUse::kOptional});

}  // namespace refract::add_function
