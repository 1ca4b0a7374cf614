// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that names file and place. This is how bad input travels; our own
// mistakes are CHECKs (base/check.h), refusals of a transformation are Verdicts (rules/rule.h).
// The method names are std::expected's, to swap when the compilers have it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace refract::inline base {

/// What went wrong, as far as the caller has to tell apart. The command line maps it to exit codes.
enum class ErrorKind {
  kBadInput,     ///< unreadable, invalid, of another version: exit 3
  kUsage,        ///< asked for in a way that makes no sense: exit 2
  kUnavailable,  ///< not on this machine, or it cannot do this: exit 7
  kFailed,       ///< our own fault or the machine's (disk full, no memory): exit 1
};

struct Error {
  std::string message;  ///< "FILE:PLACE: what is wrong, and what to do", no trailing newline
  ErrorKind kind = ErrorKind::kBadInput;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value: `return Status();`.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)
      : error_(std::move(error)), failed_(true) {}  // NOLINT(google-explicit-constructor)
  bool has_value() const { return !failed_; }
  explicit operator bool() const { return !failed_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool failed_ = false;
};
using Status = Result<void>;

}  // namespace refract::inline base
