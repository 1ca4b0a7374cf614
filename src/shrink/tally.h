// SPDX-License-Identifier: Apache-2.0
// What is common to all that shrinks: the budget, what has been asked, what is reported.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "shrink/options.h"
#include "shrink/search.h"

namespace refract::inline shrink {

class Tally {
 public:
  explicit Tally(const ShrinkOptions& options) : options_(options) {}

  /// Whether this content was met before; notes it. Candidates with one content get one answer.
  bool IsKnown(const std::string& content);
  /// Whether it was met before; it is not now.
  bool Knows(const std::string& content) const;
  /// Asks, if there is budget left. `instructions` is what there is once it is taken.
  template <class Question>
  Answer Try(std::string_view pass, size_t instructions, const Question& question) {
    if (report.tries >= options_.budget) return Stop();
    ++report.tries;
    const bool yes = question();
    if (yes) Accept(pass, instructions);
    if (!Report(pass)) {
      stopped_ = true;
      report.is_finished = false;
      // An answer that is there is not thrown away.
      return yes ? Answer::kYes : Answer::kStop;
    }
    return yes ? Answer::kYes : Answer::kNo;
  }
  bool is_stopped() const { return stopped_; }
  Answer Stop();
  void Accept(std::string_view pass, size_t instructions);
  void set_instructions(size_t instructions) { instructions_ = instructions; }

  ShrinkReport report;

 private:
  bool Report(std::string_view pass) const;
  const ShrinkOptions& options_;
  std::set<std::string> known_;
  size_t instructions_ = 0;
  bool stopped_ = false;
};

}  // namespace refract::inline shrink
