// SPDX-License-Identifier: Apache-2.0
// CHECK(condition): an assertion about ourselves, on in every build. It prints the condition, the
// place, what was going on (CheckNote: seed, step, rerun command) and aborts; the command line
// turns the abort into exit code 1. Never for bad input: that is a Result.
#pragma once

#include <string>

namespace refract::inline base {

/// While it lives, failed CHECKs of this thread also print `note` (innermost last).
class CheckNote {
 public:
  explicit CheckNote(std::string note);
  ~CheckNote();
  CheckNote(const CheckNote&) = delete;
  CheckNote& operator=(const CheckNote&) = delete;
  /// Replaces the text, e.g. when a loop goes on to the next step.
  void Set(std::string note) { note_ = std::move(note); }
  const std::string& text() const { return note_; }
  const CheckNote* outer() const { return outer_; }

 private:
  std::string note_;
  CheckNote* outer_;
};

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace refract::inline base

#define CHECK(condition)                               \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::refract::CheckFailed(#condition, __FILE__, __LINE__))
