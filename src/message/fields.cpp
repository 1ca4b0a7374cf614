// SPDX-License-Identifier: Apache-2.0
#include "message/fields.h"

#include "message/all.h"

namespace refract::message {
namespace {

template <class T>
void Visit(T& value, FieldVisitor& visitor) {
  visitor.Visit(value);
}

template <class T>
void Visit(std::vector<T>& list, FieldVisitor& visitor);

template <int32_t... kValues, class T>
void VisitEnum(T& field, FieldVisitor& visitor) {
  constexpr int32_t kAll[] = {kValues...};
  int32_t value = static_cast<int32_t>(field);
  visitor.VisitEnum(value, kAll);
  field = static_cast<T>(value);
}

#include "message/visits.def"

template <class T>
void Visit(std::vector<T>& list, FieldVisitor& visitor) {
  visitor.VisitList(list.size(), [&](size_t first, size_t count) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
    list.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  });
  for (T& part : list) Visit(part, visitor);
}

template <class T>
AnyMessage VisitedAs(const AnyMessage& any, FieldVisitor& visitor) {
  T copy = any.As<T>();
  Visit(copy, visitor);
  return copy;
}

}  // namespace

AnyMessage RewriteFields(const AnyMessage& any, FieldVisitor& visitor) {
  switch (any.kind) {
#define TRANSFORMATION(name, Type, number) \
  case number:                             \
    return VisitedAs<Type>(any, visitor);
#include "message/transformations.def"
#undef TRANSFORMATION
  }
  return any;
}

}  // namespace refract::message
