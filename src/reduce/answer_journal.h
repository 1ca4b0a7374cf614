// SPDX-License-Identifier: Apache-2.0
// The answers of the interestingness test so far, so that no module is tested twice. They are kept
// in memory and, if wanted, in a journal that gets a line for each answer. A reduction that is
// killed then loses only the tries that were running.
#pragma once

#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace refract {
inline namespace reduce {

class AnswerJournal {
 public:
  /// Keeps no journal.
  AnswerJournal() = default;
  /// Keeps a journal at `path`. `key` (one line) says which reduction it belongs to. With `resume`,
  /// it takes the answers in the file; a journal with another key is refused, and the file may be
  /// missing. Otherwise it overwrites the file.
  static Result<AnswerJournal> Open(const std::string& path, const std::string& key, bool resume);

  /// Returns the answer for the candidate with this hash, if it is known.
  std::optional<bool> Find(const std::string& hash) const;
  /// Does the same, but gives each answer of the journal only once, in the order of the journal. It
  /// is for --plain, which tests a candidate again.
  std::optional<bool> TakeResumed(const std::string& hash);
  /// Adds an answer to the journal only. Several threads may call it at once, and also while
  /// another thread uses the other functions.
  Status Record(const std::string& hash, bool interesting) const;
  /// Adds an answer to the memory only.
  void Remember(const std::string& hash, bool interesting) { known_.emplace(hash, interesting); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::map<std::string, bool> known_;  // the first answer for each hash
  std::map<std::string, std::deque<bool>> resumed_;
  std::string path_;
  std::unique_ptr<std::FILE, Close> journal_;
};

}  // namespace reduce
}  // namespace refract
