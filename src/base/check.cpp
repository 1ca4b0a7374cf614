// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace refract {
inline namespace base {
namespace {
thread_local CheckNote* innermost_note = nullptr;

void PrintNotes(const CheckNote* note) {
  if (note == nullptr) return;
  PrintNotes(note->outer());
  std::fprintf(stderr, "  %s\n", note->text().c_str());
}
}  // namespace

CheckNote::CheckNote(std::string note) : note_(std::move(note)), outer_(innermost_note) {
  innermost_note = this;
}
CheckNote::~CheckNote() {
  innermost_note = outer_;
}

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "refract: internal error: CHECK(%s) failed at %s:%d\n", condition, file,
               line);
  PrintNotes(innermost_note);
  std::fflush(stderr);
  std::abort();
}

}  // namespace base
}  // namespace refract
