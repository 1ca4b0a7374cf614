// SPDX-License-Identifier: Apache-2.0
// CHECK(condition): an assertion that is on in every build. If it fails, it prints the condition,
// the source location and the notes of all CheckNotes (seed, step, command to repeat the run), and
// aborts. The command line turns the abort into exit code 1. CHECK is only for faults of Refract.
// Bad input is a Result with an error.
#pragma once

#include <string>

namespace refract {
inline namespace base {

/// While it exists, a CHECK that fails in this thread also prints `note` (the innermost note last).
class CheckNote {
 public:
  explicit CheckNote(std::string note);
  ~CheckNote();
  CheckNote(const CheckNote&) = delete;
  CheckNote& operator=(const CheckNote&) = delete;
  /// Replaces the text, for example when a loop continues with the next step.
  void Set(std::string note) { note_ = std::move(note); }
  const std::string& text() const { return note_; }
  const CheckNote* outer() const { return outer_; }

 private:
  std::string note_;
  CheckNote* outer_;
};

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace base
}  // namespace refract

#define CHECK(condition)                               \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::refract::CheckFailed(#condition, __FILE__, __LINE__))
