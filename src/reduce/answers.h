// SPDX-License-Identifier: Apache-2.0
// What has been judged: nothing is judged twice. Kept in memory and, if wanted, in a journal that
// grows by a line for each answer, so that a reduction that is killed loses only the tries that it
// was at.
#pragma once

#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace refract::inline reduce {

class Answers {
 public:
  /// Without a journal.
  Answers() = default;
  /// With one at `path`, for what `key` (one line) says. `resume`: with the answers that it has; a
  /// journal for something else is refused, none is fine. Otherwise what is there is overwritten.
  static Result<Answers> Open(const std::string& path, const std::string& key, bool resume);

  /// The answer for what has this hash.
  std::optional<bool> Find(const std::string& hash) const;
  /// Likewise, but an answer of the journal is given once, in the order in which they came: for
  /// who would have asked again.
  std::optional<bool> TakeResumed(const std::string& hash);
  /// To the journal only. Several threads may do so at once, beside whatever else is done here.
  Status Record(const std::string& hash, bool interesting) const;
  /// To memory only.
  void Know(const std::string& hash, bool interesting) { known_.emplace(hash, interesting); }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::map<std::string, bool> known_;  // the first answer for each
  std::map<std::string, std::deque<bool>> resumed_;
  std::string path_;
  std::unique_ptr<std::FILE, Close> journal_;
};

}  // namespace refract::inline reduce
