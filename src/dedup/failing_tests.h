// SPDX-License-Identifier: Apache-2.0
// The tests that dedup selects from, and how they are found below a folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "signature/signature.h"

namespace refract {
inline namespace dedup {

/// A failing test: a test folder, or only a recording.
struct DedupTest {
  std::string path;                ///< the test folder, or the recording
  std::vector<std::string> types;  ///< step types, each once, sorted
  size_t steps = 0;
  /// Only for a test folder: the opcodes that its minimal difference adds and removes, "+OpISub",
  /// each once, sorted. Without declarations and opcodes that come with every block.
  std::vector<std::string> opcodes;
  /// The added and removed lines of this difference without ids and numbers, "+OpLoopMerge Unroll",
  /// each once, sorted. The same lines are left out as for `opcodes`.
  std::vector<std::string> lines;
  /// The steps without names and numbers, "move_instruction_down instruction local past", each
  /// once, sorted.
  std::vector<std::string> shapes;
  /// The lines of the smallest module in the same form as `lines`, without the sign; empty if the
  /// folder has no smallest.spv.
  std::vector<std::string> program;
  bool reduced = true;  ///< false: the recording has all steps of the fuzz run
  // Only for a test folder:
  std::optional<FailureClass> verdict;
  std::string signature;
  std::string target;
  std::string blamed;  ///< the tool or driver that is to blame, "spirv-opt"; empty if unknown
  std::string pass;    ///< the optimiser pass that is to blame, "--ccp"; empty if unknown
};

/// The tests below a folder.
struct DedupTests {
  std::vector<DedupTest> tests;       ///< by path, in byte order
  std::vector<std::string> left_out;  ///< tests that cannot be read, "FILE: reason"
};

/// The form of a step that has neither names nor numbers: the words of its text, each once, in
/// order.
std::string ShapeOf(std::string_view step);

/// The form of an instruction of a disassembly without ids and numbers: "OpLoopMerge Unroll".
/// Empty for lines without an instruction, and for instructions that say little about a bug.
std::string LineWithoutIds(std::string_view line);

/// Finds every folder at or below `folder` with a test.json, and every .refract file that is in
/// none of these folders. Skips folders whose names end in .tmp, which are still being written.
/// Returns an error only if `folder` cannot be listed.
Result<DedupTests> FindTests(const std::string& folder);

}  // namespace dedup
}  // namespace refract
