// SPDX-License-Identifier: Apache-2.0
// Decides who is to blame for a finding: a tool (an optimiser or a translator), the validator, the
// driver, or Refract itself. Several runs are made of the variant: without the tools, after each
// tool, on a second driver, and in the interpreter. Each is compared with the same run of the
// original. The decision follows from the table of these comparisons alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signature/signature.h"

namespace refract {
inline namespace target {

enum class Culprit : uint8_t {
  kUnclear,
  kOurs,       ///< the variant is invalid, or does not compute what the original computes
  kTool,       ///< an optimiser or translator
  kValidator,  ///< it refuses a valid module
  kDriver,
};
/// "unclear", "ours", "tool", "validator", "driver".
std::string_view CulpritName(Culprit culprit);

/// The result of a run of the variant, compared with the same run of the original.
enum class ComparedRun : uint8_t {
  kNotRun,  ///< it was not tried, it could not be run, or the original fails there too
  kSame,
  kDiffers,  ///< the outputs differ
  kFails,    ///< a crash, an error, undefined behaviour
};
/// "not run", "same", "differs", "fails".
std::string_view ComparedRunName(ComparedRun seen);

/// What the runs of one module showed.
struct BlameRow {
  std::string module;   ///< "the variant", "what spirv-opt made of it"
  std::string command;  ///< the command that made it; empty: the variant itself
  ComparedRun driver = ComparedRun::kNotRun;  ///< on the driver that draws for the target
  ComparedRun second = ComparedRun::kNotRun;  ///< on another driver
  ComparedRun interp = ComparedRun::kNotRun;  ///< in the interpreter
};

struct BlameTable {
  FailureClass failure = FailureClass::kUnknown;  ///< what happened on the target
  std::string command;                            ///< the command that failed; empty if none did
  bool only_validates = false;  ///< the command is a validator and writes no module
  std::string text_producer;    ///< the command that made its input, if that is a text; else empty
  std::string driver;           ///< the driver that draws; empty: nothing is drawn
  std::string variant_refusal;  ///< why Refract's rules refuse the variant; empty: they accept it
  BlameRow variant;
  std::vector<BlameRow> made;  ///< a row for each command that made SPIR-V, in order
  // These describe the module that a validator refused: the invalid output of a tool, or a variant
  // that spirv-val rejects.
  std::string output_refusal;  ///< why Refract's rules refuse it; empty: they accept it
  std::string quirk;  ///< the known quirk of spirv-val that explains the refusal; empty: none
  bool about_control_flow =
      false;  ///< the refusal is about control flow, which Refract's rules check
};

/// The first pass of a list with which the failure happens.
struct FailingPass {
  size_t number = 0;   ///< from 1; -O and -Os count as their passes
  size_t count = 0;    ///< passes in the list
  std::string flag;    ///< "--ccp"
  bool alone = false;  ///< it also causes the failure alone, on the output of the passes before it
};

struct Blame {
  Culprit culprit = Culprit::kUnclear;
  std::string stage;   ///< the command or driver: "spirv-opt", "lavapipe"; empty if unclear or ours
  std::string reason;  ///< a sentence without a full stop
  std::optional<FailingPass> pass;
  BlameTable table;

  /// "tool spirv-opt, pass 7 of 12: --ccp (alone, too): REASON"
  std::string Text() const;
};

/// Decides by the table who is to blame. Does not search for the pass.
Blame Decide(const BlameTable& table);

}  // namespace target
}  // namespace refract
