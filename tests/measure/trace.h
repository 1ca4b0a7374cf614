// SPDX-License-Identifier: Apache-2.0
// What each step of a recording does when it is replayed, whole or in part: which instructions it
// makes, under which names and ids, and which it edits. What survivors of a removal are compared
// by.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract::measure {

/// An instruction under its name, as others see it.
struct InstructionSummary {
  spv::Op opcode = spv::Op::OpNop;
  uint32_t id = 0;  ///< in the file; 0 if it has no result
  friend bool operator==(const InstructionSummary&, const InstructionSummary&) = default;
};

struct StepTrace {
  bool kept = false;          ///< it was to be replayed
  bool applied = false;       ///< and check said yes
  std::string reason;         ///< of a refusal
  bool name_missing = false;  ///< of a refusal: a name in the message names nothing
  std::vector<Name> made;     ///< ascending; what the step named itself
  std::vector<Name> edited;   ///< ascending: had other operands, opcode or type before, or is gone
};

struct ReplayTrace {
  std::vector<StepTrace> steps;  ///< in the order of the recording
  std::map<Name, InstructionSummary>
      made;                          ///< by all steps, declarations too, as they were when made
  std::optional<std::string> fault;  ///< why the result is not valid, if it is not
  std::vector<uint32_t> words;
};

/// Replays the steps with these numbers (ascending; not none).
Result<ReplayTrace> TraceReplay(const Original& original, const message::Recording& recording,
                                const std::vector<uint32_t>& numbers);

}  // namespace refract::measure
