// SPDX-License-Identifier: Apache-2.0
// Operations on messages of any type.
#include "message/any.h"

#include "message/all.h"

namespace refract::message {

bool operator==(const AnyMessage& a, const AnyMessage& b) {
  if (a.kind != b.kind) return false;
  if (a.data == b.data) return true;
  switch (a.kind) {
#define TRANSFORMATION(name, Type, number) \
  case number:                             \
    return a.As<Type>() == b.As<Type>();
#include "message/transformations.def"
#undef TRANSFORMATION
  }
  return true;
}

void NamesIn(const AnyMessage& any, NameSink& sink) {
  switch (any.kind) {
#define TRANSFORMATION(name, Type, number) \
  case number:                             \
    return NamesIn(any.As<Type>(), sink);
#include "message/transformations.def"
#undef TRANSFORMATION
  }
}

std::string_view KindName(int kind) {
  switch (kind) {
#define TRANSFORMATION(name, Type, number) \
  case number:                             \
    return #name;
#include "message/transformations.def"
#undef TRANSFORMATION
  }
  return {};
}

int KindNamed(std::string_view name) {
#define TRANSFORMATION(snake, Type, number) \
  if (name == #snake) return number;
#include "message/transformations.def"
#undef TRANSFORMATION
  return 0;
}

}  // namespace refract::message
