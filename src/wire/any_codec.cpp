// SPDX-License-Identifier: Apache-2.0
#include "wire/any_codec.h"

#include "wire/convert.h"

namespace refract::wire {

message::AnyMessage FromWire(const Transformation& from) {
  switch (static_cast<int>(from.kind_case())) {
#define TRANSFORMATION(name, Type, number) \
  case number:                             \
    return FromWire(from.name());
#include "message/transformations.def"
#undef TRANSFORMATION
  }
  return {};
}

void ToWire(const message::AnyMessage& from, Transformation* to) {
  switch (from.kind) {
#define TRANSFORMATION(name, Type, number) \
  case number:                             \
    return ToWire(from.As<message::Type>(), to->mutable_##name());
#include "message/transformations.def"
#undef TRANSFORMATION
  }
}

}  // namespace refract::wire
