// SPDX-License-Identifier: Apache-2.0
// The codec of the two messages with handwritten structs. The generated wire/convert.h has the
// others.
#pragma once

#include "message/any.h"
#include "proto/transformation.pb.h"
#include "proto/values.pb.h"

namespace refract::wire {

inline refract::Name FromWire(const Name& from) {
  return {from.step(), from.local()};
}
inline void ToWire(const refract::Name& from, Name* to) {
  to->set_step(from.step);
  to->set_local(from.local);
}

/// Returns an empty message if no transformation is set.
message::AnyMessage FromWire(const Transformation& from);
void ToWire(const message::AnyMessage& from, Transformation* to);

}  // namespace refract::wire
