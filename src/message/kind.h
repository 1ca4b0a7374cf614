// SPDX-License-Identifier: Apache-2.0
// Definitions that the generated message headers (message/split_block.h and others) use.
#pragma once

#include <vector>

#include "base/name.h"

namespace refract::message {

using refract::Name;

/// NamesIn(message, sink) appends every name in a message, in the order of the fields, except {0,
/// 0}.
using NameSink = std::vector<Name>;

/// The number of the message of a transformation: its field in proto/transformation.proto, which
/// never changes.
template <class T>
inline constexpr int kKindOf = 0;

inline void NamesIn(const Name& name, NameSink& sink) {
  if (name) sink.push_back(name);
}
template <class T>
void NamesIn(const std::vector<T>& messages, NameSink& sink) {
  for (const T& message : messages) NamesIn(message, sink);
}

}  // namespace refract::message
