// SPDX-License-Identifier: Apache-2.0
// Who is to blame for a finding: the optimiser or translator, the validator, the driver, or we
// ourselves. The finding is taken apart into runs (plain, after each tool, on a second driver, in
// the interpreter), each of them compared with the original's; who is to blame follows from
// that table alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.h"

namespace refract::inline target {

enum class Culprit : uint8_t {
  kUnclear,
  kOurs,       ///< the variant is not valid, or not the original's equal
  kTool,       ///< an optimiser or translator
  kValidator,  ///< it refuses what is valid
  kDriver,
};
/// "unclear", "ours", "tool", "validator", "driver".
std::string_view CulpritName(Culprit culprit);

/// What a run showed, held against the same run of the original.
enum class Seen : uint8_t {
  kNotRun,  ///< it was not tried, could not be, or the original fails there itself
  kSame,
  kDiffers,  ///< another picture, another buffer
  kFails,    ///< a crash, an error, undefined behaviour
};
/// "not run", "same", "differs", "fails".
std::string_view SeenName(Seen seen);

/// One module in all the places where it was run.
struct BlameRow {
  std::string module;           ///< "the variant", "what spirv-opt makes of it"
  std::string command;          ///< that made it; empty: the variant itself
  Seen driver = Seen::kNotRun;  ///< the one that draws
  Seen second = Seen::kNotRun;  ///< another one
  Seen interp = Seen::kNotRun;  ///< the interpreter
};

struct BlameTable {
  FailureClass failure = FailureClass::kUnknown;  ///< what happened on the target
  std::string command;        ///< the command that failed; empty: the driver, or the outputs
  bool only_looks = false;    ///< that command makes nothing: a validator
  std::string text_maker;     ///< the command that made the text it was given; empty: none
  std::string driver;         ///< the name of the driver that draws; empty: none does
  std::string variant_fault;  ///< what our rules find wrong with the variant; empty: nothing
  BlameRow variant;
  std::vector<BlameRow> made;  ///< one for each command that made SPIR-V, in order
  // Of a module that a validator refuses, invalid output or a variant that spirv-val rejects:
  std::string output_fault;  ///< what our rules find wrong with it; empty: nothing
  std::string quirk;         ///< the known quirk of spirv-val's that it is; empty: none
  bool about_flow = false;   ///< the validator speaks of control flow, which our rules judge
};

/// The pass of a list at which it begins.
struct GuiltyPass {
  size_t number = 0;   ///< from 1, in the list as it ran: -O is taken apart
  size_t count = 0;    ///< passes in the list
  std::string flag;    ///< "--ccp"
  bool alone = false;  ///< on what the passes before it made, it does it by itself
};

struct Blame {
  Culprit culprit = Culprit::kUnclear;
  std::string stage;   ///< the command or driver: "spirv-opt", "lavapipe"; empty: unclear or ours
  std::string reason;  ///< a sentence without a full stop
  std::optional<GuiltyPass> pass;
  BlameTable table;

  /// "tool spirv-opt, pass 7 of 12: --ccp (alone, too): REASON"
  std::string Text() const;
};

/// Who is to blame by the table; says nothing of passes.
Blame Decide(const BlameTable& table);

}  // namespace refract::inline target
