// SPDX-License-Identifier: Apache-2.0
// Known issues: a campaign marks the buckets of bugs that are known already, so that nobody reads
// them again. data/known_issues.json is built into the executable. --known-issues FILE adds
// others of the same form (docs/campaign.md is its reference):
//
//   {"issues": [
//     {"name": "lavapipe-next-round-index",       buckets that match show this name
//      "target": "*lavapipe",                      matches the name of the target
//      "version": "*Mesa 22.*",                    matches what `refract targets` prints
//      "tool": "spirv-cross",                      matches a program that the target runs
//      "versions": "<2023.1",                      of that program (version_range.h)
//      "verdict": "wrong_image",
//      "signature": "crash lavapipe: *+0x1f689b",
//      "reference": "heap_script*",                matches the name of the module
//      "types": ["move_instruction_down"],         each is a step type of the reduced test
//      "opcodes": ["-OpISub", "+OpISub"],          each is in its minimal difference
//      "blame": "*--loop-unroll*",                 matches the blame of the reduced test
//      "graph": "0>1 1L[m2c1]>1,2 2>ret",          of a control-flow program (cfg/graph.h)
//      "why": "docs/bugs.md: a store in a loop uses the next index"}
//   ]}
//
// All keys except name and why are conditions. All conditions of an issue must hold, and there must
// be at least one. Texts are globs: "*" matches any number of characters. An issue with types,
// opcodes, blame or a graph matches only reduced tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace campaign {

/// A known issue: its name, where to read about it, and its conditions.
struct KnownIssue {
  std::string name, why;
  /// Globs; an empty one matches anything.
  std::string target, version, tool, verdict, signature, reference, blame, graph;
  std::string versions;                     ///< a range (version_range.h); empty matches any
  std::vector<std::string> types, opcodes;  ///< empty: no condition

  /// Whether the issue matches only reduced tests.
  bool NeedsReducedTest() const {
    return !types.empty() || !opcodes.empty() || !blame.empty() || !graph.empty();
  }
};

/// A program that a target runs.
struct IssueTool {
  std::string program;  ///< the name of its file: "spirv-cross"
  std::string version;  ///< its version number; empty if not known
};

/// The facts of a failing test that the conditions of issues are compared with.
struct KnownIssueFacts {
  std::string target, version, verdict, signature, reference;
  /// The programs of the target, up to the one that failed. All of them if no program failed.
  std::vector<IssueTool> tools;
  /// The signature with the name of the program that failed, if the target calls its command
  /// something else; else empty.
  std::string tool_signature;
  bool reduced = false;
  std::vector<std::string> types, opcodes;  ///< of a reduced test, sorted
  std::string blame;                        ///< of a reduced test: the line in the report
  std::string graph;                        ///< of a reduced program; empty for a variant
};

/// Errors have the form "FILE:LINE: /pointer: message".
Result<std::vector<KnownIssue>> ParseKnownIssues(const std::string& file, std::string_view text);

/// The first issue that matches; null if not found.
const KnownIssue* FindKnownIssue(const std::vector<KnownIssue>& issues,
                                 const KnownIssueFacts& facts);

/// Whether `glob` matches all of `text`.
bool MatchesGlob(std::string_view glob, std::string_view text);

/// The text of data/known_issues.json when the executable was built; written by
/// cmake/campaign.cmake.
extern const std::string_view kKnownIssues;

}  // namespace campaign
}  // namespace refract
