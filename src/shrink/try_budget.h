// SPDX-License-Identifier: Apache-2.0
// Shared by all shrinking: the budget, the tested candidates, and the report.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "shrink/options.h"
#include "shrink/search.h"

namespace refract {
inline namespace shrink {

/// Counts the tries of one shrinking function against its budget.
class TryBudget {
 public:
  explicit TryBudget(const ShrinkOptions& options) : options_(options) {}

  /// Returns true if this content is known, and makes it known. Candidates with the same content
  /// have the same answer.
  bool MarkTested(const std::string& content);
  /// Returns true if this content is known, but does not make it known.
  bool WasTested(const std::string& content) const;
  /// Asks if budget is left. `instructions` is the size of the best module if the answer is yes.
  template <class Question>
  Answer Try(std::string_view pass, size_t instructions, const Question& question) {
    if (report.tries >= options_.budget) return Stop();
    ++report.tries;
    const bool yes = question();
    if (yes) Accept(pass, instructions);
    if (!Report(pass)) {
      stopped_ = true;
      report.is_finished = false;
      // Keeps the answer even when stopped.
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

}  // namespace shrink
}  // namespace refract
