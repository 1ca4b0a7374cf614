// SPDX-License-Identifier: Apache-2.0
// Tries the shrink passes on a module. For each pass it tries all changes at once, then chunks of
// half the size, then single changes. It repeats the passes until none of them finds a change, and
// then begins with small chunks if most changes failed before. Passes for code are repeated only
// after code was removed. The interestingness test gets only
// modules with less weight than the best one so far.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "shrink/pass.h"

namespace refract {
inline namespace shrink {

/// What a search minimises; the first field that differs decides. Each candidate weighs less than
/// the module it was made from, so a search ends.
struct Weight {
  uint64_t body = 0;          ///< instructions in functions, parameters included
  uint64_t operands = 0;      ///< how far value operands are from plain; older values are plainer
  uint64_t instructions = 0;  ///< all instructions
  uint64_t words = 0;
  uint64_t literals = 0;  ///< how far constants and control masks are from plain
  friend auto operator<=>(const Weight&, const Weight&) = default;
};
Weight WeightOf(const Module& module);

/// An answer of the interestingness test; kStop ends the search.
enum class Answer : uint8_t { kNo, kYes, kStop };
/// Called with a candidate and the pass that made it.
using Ask = std::function<Answer(const Module& candidate, std::string_view pass)>;

/// Returns the module with all accepted changes, in the whole module or in the function `only`.
/// Ends at the first kStop.
Module SearchSmaller(Module start, Function only, const Ask& ask);

struct SearchCandidate {
  Module module;
  std::string_view pass;        ///< that made it
  std::vector<uint32_t> words;  ///< for the filter, which may write the module
};

/// The same search, for callers that prepare or test the next candidates before they know the
/// answer for the first one. It expects that most answers are no.
class ModuleSearch {
 public:
  /// Returns false for a candidate that need not be tested and is not interesting. May set `words`.
  using Filter = std::function<bool(SearchCandidate*)>;
  /// `use`: of which passes, in addition to those that are always used.
  ModuleSearch(Module start, Function only, Filter filter, PassUse use = PassUse::kAlways);

  /// Uses passes for code only after code was removed. Call it before the first candidate.
  void BeginWithDeclarations();
  /// `left`: of an earlier search on a similar module. Most of these changes probably fail again,
  /// so the passes begin with small chunks. Call it before the first candidate.
  void BeginWith(std::vector<size_t> left) { next_.left = std::move(left); }
  /// For each pass, how many changes it ended its last turn with.
  const std::vector<size_t>& left() const { return next_.left; }
  /// Returns the candidate to test next if `ahead` is 0, else the one to test next after this
  /// number of answers no. Returns null if the search then ends.
  const SearchCandidate* Candidate(size_t ahead = 0);
  /// The number of candidates that are prepared.
  size_t prepared() const { return queue_.size(); }
  /// Prepares the next candidate or a part of it. Returns false at the end of the search.
  bool Prepare();
  /// Takes the answer for the first candidate.
  void TakeAnswer(bool interesting);
  Module TakeBest() { return std::move(best_); }

 private:
  using Edits = std::vector<Edit>;
  struct Position {
    size_t pass = 0;
    std::shared_ptr<const Edits> edits;  // of the pass; null: not found yet
    bool fits = true;                    // the pass is used in this turn
    size_t chunk = 0, begin = 0;         // the edits that the next candidate makes
    bool changed = false;                // an answer in this pass was yes
    bool removed_code = false;           // such an answer removed code
    size_t unchanged = 0;                // passes since the last one that changed something
    size_t same_code = 0;                // passes since the last one that removed code
    std::vector<size_t> left;            // for each pass, the edits that it ended with
  };
  struct Prepared {
    Position position;
    SearchCandidate candidate;
    Weight weight;
  };

  bool FindEdits(Position* position) const;
  static size_t End(const Position& position);
  std::optional<Module> Apply(const Position& position) const;

  Module best_;
  Weight weight_;
  const Function only_;
  const PassUse use_;
  const Filter filter_;
  std::deque<Prepared> queue_;  // each comes after answers no for all before it
  Position next_;               // after the queue
};

}  // namespace shrink
}  // namespace refract
