// SPDX-License-Identifier: Apache-2.0
#include "transform/registry.h"

#include "message/info.h"

#define TRANSFORMATION(name, Message, number) \
  namespace refract::name {                   \
  extern const Rule kRule;                    \
  }
#include "message/transformations.def"
#undef TRANSFORMATION

namespace refract {
inline namespace transform {
namespace {

constexpr RegistryEntry kRegistry[] = {
#define TRANSFORMATION(name, Message, number) {#name, &refract::name::kRule},
#include "message/transformations.def"
#undef TRANSFORMATION
};

}  // namespace

std::span<const RegistryEntry> Registry() {
  return kRegistry;
}

int RegistryIndex(std::string_view name) {
  for (size_t i = 0; i < std::size(kRegistry); ++i) {
    if (kRegistry[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int RegistryIndex(int kind) {
  for (size_t i = 0; i < std::size(kRegistry); ++i) {
    if (kRegistry[i].rule->kind == kind) return static_cast<int>(i);
  }
  return -1;
}

bool IsOptIn(size_t index) {
  return message::MessageInfos()[index].family == "float";
}

const Rule* RuleOf(const AnyMessage& message) {
  const int index = RegistryIndex(message.kind);
  return index < 0 ? nullptr : kRegistry[index].rule;
}

}  // namespace transform
}  // namespace refract
