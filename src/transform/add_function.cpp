// SPDX-License-Identifier: Apache-2.0
#include "message/add_function.h"

#include "transform/donated_function.h"
#include "transform/live_safe.h"
#include "transform/values.h"

namespace refract::add_function {
namespace {

using Message = message::AddFunction;

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  // Kernels have rules of their own for ints and for structured control flow.
  if (!HasCapability(module, spv::Capability::Shader)) return No("the module is for no shader");
  if (message.live_safe ? message.loop_limit == 0 || message.loop_limit > kMaxLoopLimit
                        : message.loop_limit != 0) {
    return No("the loop limit is 1 to 64 in a live-safe function, else 0");
  }
  return CheckDonated(module, message);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Function function = BuildDonated(editor, message);
  if (!message.live_safe) return;
  MakeLiveSafe(editor, function, message.loop_limit);
  editor.facts().SetLiveSafe(editor.module().FunctionId(function), editor.Because());
}

// Whether some step has added it, whole or shrunk.
bool IsThere(const Module& module, uint64_t origin) {
  bool found = false;
  ForEachFunction(module, [&](Function function) {
    found = found || module.NameOf(module[function].definition).local == FunctionLocal(origin);
  });
  return found;
}

void Propose(Proposer& proposer) {
  constexpr size_t kTries = 6, kOffers = 2;
  constexpr uint32_t kUsualLimit = 12;  // loops of loops still end soon
  const std::vector<AnyMessage>& donors = proposer.donors();
  if (donors.empty() || !HasCapability(proposer.module(), spv::Capability::Shader)) return;
  const size_t first = proposer.Pick(donors.size());
  size_t offers = 0;
  for (size_t i = 0; i < std::min(donors.size(), kTries) && offers < kOffers; ++i) {
    const Message& donated = donors[(first + i) % donors.size()].As<Message>();
    if (!proposer.Toss() || IsThere(proposer.module(), donated.origin)) continue;
    Message message = donated;
    if (message.live_safe) {
      message.loop_limit = 1 + static_cast<uint32_t>(proposer.Pick(kUsualLimit));
      if (Check(message, proposer.view())) {
        proposer.Offer(std::move(message));
        ++offers;
        continue;
      }
      message.live_safe = false;
      message.loop_limit = 0;
    }
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(std::move(message));
    ++offers;
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule =
    MakeRule<Message, Check, Apply, Propose>({.chance = {20, 90}, .follow_ons = {"function_call"}});

}  // namespace refract::add_function
