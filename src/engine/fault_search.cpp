// SPDX-License-Identifier: Apache-2.0
#include "engine/fault_search.h"

#include <algorithm>

#include "base/check.h"
#include "engine/replay.h"

namespace refract {
inline namespace engine {
namespace {

using Numbers = std::vector<uint32_t>;

class Search {
 public:
  Search(const Original& original, const message::Recording& recording, const ContextCheck& check)
      : original_(original), recording_(recording), check_(check) {}

  std::optional<std::string> FindFaultAfter(const Numbers& steps) {
    if (steps.empty()) return std::nullopt;  // this is the original
    ReplayOptions options;
    options.steps = steps;
    const Result<ReplayResult> replayed = Replay(original_, recording_, options);
    CHECK(replayed);
    return check_(replayed->context);
  }

  // Returns the least number of steps from the beginning whose result has a fault. It is more than
  // `sound` and at most all steps.
  size_t FirstBad(const Numbers& steps, size_t sound) {
    size_t bad = steps.size();
    while (sound + 1 < bad) {
      const size_t middle = sound + (bad - sound) / 2;
      const bool wrong =
          FindFaultAfter(Numbers(steps.begin(), steps.begin() + static_cast<long>(middle)))
              .has_value();
      (wrong ? bad : sound) = middle;
    }
    return bad;
  }

  // Leaves out chunks of steps from the end to the beginning, and halves the chunk size until no
  // single step can be left out (Donaldson et al., "Test-case reduction and deduplication almost
  // for free with transformation-based compiler testing", 2021).
  Numbers Smallest(Numbers steps, std::string* what) {
    size_t chunk = std::max<size_t>(steps.size() / 2, 1);
    while (true) {
      bool smaller = false;
      for (size_t end = steps.size(); end > 0;) {
        const size_t begin = end > chunk ? end - chunk : 0;
        Numbers rest(steps.begin(), steps.begin() + static_cast<long>(begin));
        rest.insert(rest.end(), steps.begin() + static_cast<long>(end), steps.end());
        if (auto found = FindFaultAfter(rest)) {
          *what = std::move(*found);
          steps = std::move(rest);
          smaller = true;
        }
        end = begin;
      }
      if (chunk == 1 && !smaller) return steps;
      if (!smaller) chunk = std::max<size_t>(chunk / 2, 1);
    }
  }

 private:
  const Original& original_;
  const message::Recording& recording_;
  const ContextCheck& check_;
};

}  // namespace

StepFault FindFault(const Original& original, const message::Recording& recording,
                    uint32_t sound_steps, const std::string& what, const ContextCheck& check) {
  Numbers steps;
  for (const message::Step& step : recording.steps) steps.push_back(step.number);
  CHECK(!steps.empty() && sound_steps < steps.size());
  Search search(original, recording, check);
  StepFault fault;
  fault.what = what;
  fault.smallest = recording;
  const size_t bad = search.FirstBad(steps, sound_steps);
  const message::Step& culprit = recording.steps[bad - 1];
  fault.step = culprit.number;
  fault.type = std::string(message::KindName(culprit.transformation.kind));
  steps.resize(bad);
  // If the replay does not show the fault, the replay itself has a fault. Then all steps are kept.
  if (const auto found = search.FindFaultAfter(steps)) {
    fault.what = *found;
    steps = search.Smallest(std::move(steps), &fault.what);
    std::erase_if(fault.smallest.steps, [&](const message::Step& step) {
      return !std::binary_search(steps.begin(), steps.end(), step.number);
    });
  }
  // The smallest recording stores the hashes of the result of its own steps.
  const Result<ReplayResult> replayed = Replay(original, fault.smallest, {});
  CHECK(replayed);
  fault.smallest.result_hash = HashOfWords(replayed->words);
  fault.smallest.result_inputs_hash = HashOfInputs(replayed->context.inputs.get());
  return fault;
}

}  // namespace engine
}  // namespace refract
