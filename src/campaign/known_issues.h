// SPDX-License-Identifier: Apache-2.0
// Bugs that are known already, so that a campaign files them apart and nobody reads them again.
// data/known_issues.json is ours and travels in the executable; --known-issues FILE adds others
// of the same form (docs/campaign.md is its reference):
//
//   {"issues": [
//     {"name": "lavapipe-next-round-index",       a bucket that it fits is called so
//      "target": "*lavapipe",                      of the target's name
//      "version": "*Mesa 22.*",                    of what `refract targets` says of it
//      "verdict": "wrong_image",
//      "signature": "crash lavapipe: *+0x1f689b",
//      "reference": "heap_script*",                of the module's name
//      "types": ["move_instruction_down"],         each among the reduced test's steps
//      "opcodes": ["-OpISub", "+OpISub"],          each in its minimal difference
//      "blame": "*--loop-unroll*",                 of what the reduced test is blamed on
//      "graph": "0>1 1L[m2c1]>1,2 2>ret",          of a fleshed program (cfg/graph.h)
//      "why": "docs/bugs.md: a store in a loop uses the next index"}
//   ]}
//
// All but name and why are conditions, all of which must hold; at least one must be there. Texts
// are globs: "*" stands for any number of characters, everything else for itself. What has types,
// opcodes, blame or a graph fits reduced tests only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::inline campaign {

struct KnownIssue {
  std::string name, why;
  /// Globs; empty: anything.
  std::string target, version, verdict, signature, reference, blame, graph;
  std::vector<std::string> types, opcodes;  ///< empty: anything

  /// Whether it is about what only reducing shows.
  bool WantsReduced() const {
    return !types.empty() || !opcodes.empty() || !blame.empty() || !graph.empty();
  }
};

/// What is known of a failing test.
struct KnownIssueFacts {
  std::string target, version, verdict, signature, reference;
  bool reduced = false;
  std::vector<std::string> types, opcodes;  ///< of a reduced one, sorted
  std::string blame;                        ///< of a reduced one: the line in the report
  std::string graph;                        ///< of a reduced program; empty: it is a variant
};

/// Errors are "FILE:LINE: /pointer: what".
Result<std::vector<KnownIssue>> ParseKnownIssues(const std::string& file, std::string_view text);

/// The first that fits; null: none does.
const KnownIssue* FindKnownIssue(const std::vector<KnownIssue>& issues,
                                 const KnownIssueFacts& facts);

/// Whether all of `text` is as `glob` says.
bool MatchesGlob(std::string_view glob, std::string_view text);

/// data/known_issues.json as it was when the executable was built; cmake/campaign.cmake writes
/// it.
extern const std::string_view kKnownIssues;

}  // namespace refract::inline campaign
