// SPDX-License-Identifier: Apache-2.0
// Records what each step of a recording does when it is replayed, in full or in part: which
// instructions it makes, under which names and ids, and which it edits. The steps that survive a
// removal are compared by this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract::measure {

/// An instruction, identified by its permanent name.
struct InstructionSummary {
  spv::Op opcode = spv::Op::OpNop;
  uint32_t id = 0;  ///< in the file; 0 if it has no result
  friend bool operator==(const InstructionSummary&, const InstructionSummary&) = default;
};

struct StepTrace {
  bool kept = false;          ///< the replay included it
  bool applied = false;       ///< and it was accepted
  std::string reason;         ///< of a refusal
  bool name_missing = false;  ///< of a refusal: a name in the message does not exist
  std::vector<Name> made;     ///< ascending; the names that the step made
  std::vector<Name> edited;   ///< ascending: other operands, opcode or type than before, or removed
};

struct ReplayTrace {
  std::vector<StepTrace> steps;  ///< in the order of the recording
  std::map<Name, InstructionSummary>
      made;                          ///< by all steps and declarations, as they were when made
  std::optional<std::string> fault;  ///< why the result is not valid, if it is not
  std::vector<uint32_t> words;
};

/// Replays the steps with these numbers (ascending; at least one).
Result<ReplayTrace> TraceReplay(const Original& original, const message::Recording& recording,
                                const std::vector<uint32_t>& numbers);

}  // namespace refract::measure
