// SPDX-License-Identifier: Apache-2.0
// What the generated message headers (message/split_block.h, ...) rest on.
#pragma once

#include <vector>

#include "base/name.h"

namespace refract::message {

using refract::Name;

/// NamesIn(message, sink) appends every name in a message, in field order, {0, 0} left out.
using NameSink = std::vector<Name>;

/// The number of a transformation's message, fixed for ever: its field in
/// proto/transformation.proto.
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
