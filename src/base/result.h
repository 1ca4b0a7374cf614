// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that names a file and a place in it. Functions that read input
// return it. A fault of Refract is a CHECK instead (base/check.h), and a refusal of a
// transformation is a CheckResult (rules/rule.h). The methods are named as those of
// std::expected, which can replace it when all compilers have it.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace refract {
inline namespace base {

/// The kinds of errors that callers distinguish. The command line maps them to exit codes.
enum class ErrorKind {
  kBadInput,     ///< unreadable, invalid, or of another version: exit code 3
  kUsage,        ///< the options make no sense: exit code 2
  kUnavailable,  ///< not on this machine, or not supported: exit code 7
  kFailed,       ///< a fault of Refract or of the machine (disk full, no memory): exit code 1
};

struct Error {
  std::string message;  ///< "FILE:PLACE: what is wrong, and what to do", without a newline
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

}  // namespace base
}  // namespace refract
