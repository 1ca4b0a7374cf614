// SPDX-License-Identifier: Apache-2.0
// AnyMessage holds the message of any transformation. The engine, the reducer and recordings pass
// it around. The messages themselves are plain structs generated from proto/transformation.proto,
// one header each; message/transformations.def lists them.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "message/kind.h"

namespace refract::message {

/// A shared, immutable message; copies are cheap. A default-constructed one is empty (kind 0).
struct AnyMessage {
  AnyMessage() = default;
  template <class T>
  requires(kKindOf<T> != 0) AnyMessage(T message)  // NOLINT(google-explicit-constructor)
      : kind(kKindOf<T>), data(std::make_shared<const T>(std::move(message))) {}

  int kind = 0;  ///< kKindOf<T> for the type T of `data`
  std::shared_ptr<const void> data;

  /// Returns the message, which must be a T.
  template <class T>
  const T& As() const {
    CHECK(kind == kKindOf<T> && kind != 0);
    return *static_cast<const T*>(data.get());
  }
};

bool operator==(const AnyMessage& a, const AnyMessage& b);
void NamesIn(const AnyMessage& any, NameSink& sink);
/// Returns the name of a kind, such as "split_block"; empty for an unknown kind.
std::string_view KindName(int kind);
/// Returns the kind with this name; 0 if not found.
int KindNamed(std::string_view name);

}  // namespace refract::message

namespace refract {
using message::AnyMessage;
}
