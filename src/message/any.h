// SPDX-License-Identifier: Apache-2.0
// The message of some transformation, whichever: what engine, reduce and recordings pass around.
// The messages themselves are plain structs generated from proto/transformation.proto, one header
// each; message/transformations.def lists them.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "message/kind.h"

namespace refract::message {

/// A shared, unchanging message; copies are cheap. Empty (kind 0) if default-made.
struct AnyMessage {
  AnyMessage() = default;
  template <class T>
  requires(kKindOf<T> != 0) AnyMessage(T message)  // NOLINT(google-explicit-constructor)
      : kind(kKindOf<T>), data(std::make_shared<const T>(std::move(message))) {}

  int kind = 0;  ///< kKindOf<T> of what `data` points to
  std::shared_ptr<const void> data;

  /// Requires that this is a T.
  template <class T>
  const T& As() const {
    CHECK(kind == kKindOf<T> && kind != 0);
    return *static_cast<const T*>(data.get());
  }
};

bool operator==(const AnyMessage& a, const AnyMessage& b);
void NamesIn(const AnyMessage& any, NameSink& sink);
/// "split_block"; empty for a kind that there is not.
std::string_view KindName(int kind);
/// The kind called `name`; 0 if there is none.
int KindNamed(std::string_view name);

}  // namespace refract::message

namespace refract {
using message::AnyMessage;
}
