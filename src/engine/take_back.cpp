// SPDX-License-Identifier: Apache-2.0
#include "engine/take_back.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "engine/execution_facts.h"
#include "transform/registry.h"

namespace refract {
inline namespace engine {
namespace {

void CountTakenBack(const message::Step& step, FuzzResult* result) {
  const auto index = static_cast<size_t>(RegistryIndex(step.transformation.kind));
  TypeStatistics& counted = result->statistics[std::string(Registry()[index].name)];
  --counted.applied;
  ++counted.refused["taken back, because the interpreter does not certify the result"];
}

// Applies the steps again, without those that need a certificate and come after the first `most` of
// these.
void ApplyAgain(const Original& original, const Declarations& declarations, size_t most,
                FuzzResult* result) {
  Context context = original.context;
  AddExecutionFacts(result->recording.execution_facts, &context);
  std::vector<message::Step> kept;
  for (message::Step& step : result->recording.steps) {
    if (NeedsCertificate(step)) {
      if (most == 0) {
        CountTakenBack(step, result);
        continue;
      }
      --most;
    }
    StepOutcome outcome = declarations.ApplyStep(context, step.number, step.transformation);
    if (!outcome.check_result) {
      CountTakenBack(step, result);
      continue;
    }
    step.needs = std::move(outcome.needs);
    kept.push_back(std::move(step));
  }
  result->recording.steps = std::move(kept);
  result->context = std::move(context);
}

size_t CountSteps(const FuzzResult& result) {
  const auto& steps = result.recording.steps;
  return static_cast<size_t>(
      std::count_if(steps.begin(), steps.end(),
                    [](const message::Step& step) { return NeedsCertificate(step); }));
}

}  // namespace

void TakeBackUncertified(const Original& original, Certifier& certifier,
                         const Declarations& declarations, FuzzResult* result) {
  const size_t before = CountSteps(*result), all = result->recording.steps.size();
  std::string why;
  for (size_t left = before; left > 0; left = CountSteps(*result)) {
    const auto uncertified = certifier.FindUncertified(result->context, true);
    if (!uncertified) break;
    why = *uncertified;
    ApplyAgain(original, declarations, left / 2, result);
  }
  if (why.empty()) return;
  result->notes.push_back(
      format("{} taken back, because the interpreter did not certify the "
             "result: {}",
             Counted(all - result->recording.steps.size(), "step"), why));
}

}  // namespace engine
}  // namespace refract
