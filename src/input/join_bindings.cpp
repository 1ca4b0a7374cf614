// SPDX-License-Identifier: Apache-2.0
#include "input/join_bindings.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

// Sets `*bytes` to the longer text. Returns false unless it begins with the shorter one.
bool JoinBytes(const std::string& other, std::string* bytes) {
  if (other.size() <= bytes->size()) return bytes->starts_with(other);
  if (!other.starts_with(*bytes)) return false;
  *bytes = other;
  return true;
}

template <class Bound>
Bound* FindPlace(std::vector<Bound>& all, const Bound& wanted) {
  for (Bound& one : all) {
    if (SamePlace(one, wanted)) return &one;
  }
  return nullptr;
}

template <class Bound>
void SortByPlace(std::vector<Bound>* all) {
  std::sort(all->begin(), all->end(), [](const Bound& a, const Bound& b) {
    return std::tie(a.set, a.binding, a.element) < std::tie(b.set, b.binding, b.element);
  });
}

Error Differ(std::string_view shaders, uint32_t set, uint32_t binding) {
  return Error{format("{} declare set {}, binding {} differently; use the same declaration in "
                      "both, or different bindings",
                      shaders, set, binding),
               ErrorKind::kUnavailable};
}

}  // namespace

void JoinAddresses(const std::vector<BoundAddress>& other, std::vector<BoundAddress>* addresses) {
  addresses->insert(addresses->end(), other.begin(), other.end());
  std::sort(addresses->begin(), addresses->end());
  // Variables that share a buffer give its addresses twice.
  addresses->erase(std::unique(addresses->begin(), addresses->end()), addresses->end());
}

Status JoinBindings(const Bindings& other, std::string_view shaders, Bindings* bindings) {
  for (const BoundBuffer& buffer : other.buffers) {
    BoundBuffer* same = FindPlace(bindings->buffers, buffer);
    if (same == nullptr) {
      bindings->buffers.push_back(buffer);
    } else if (same->storage != buffer.storage || !JoinBytes(buffer.bytes, &same->bytes)) {
      return Differ(shaders, buffer.set, buffer.binding);
    }
  }
  for (const BoundImage& image : other.images) {
    const BoundImage* same = FindPlace(bindings->images, image);
    if (same == nullptr) {
      bindings->images.push_back(image);
    } else if (!(*same == image)) {
      return Differ(shaders, image.set, image.binding);
    }
  }
  for (const BoundImage& image : bindings->images) {
    for (const BoundBuffer& buffer : bindings->buffers) {
      if (buffer.set == image.set && buffer.binding == image.binding) {
        return Differ(shaders, image.set, image.binding);
      }
    }
  }
  if (bindings->addressed.empty()) bindings->addressed = other.addressed;
  JoinAddresses(other.addresses, &bindings->addresses);
  SortByPlace(&bindings->buffers);
  SortByPlace(&bindings->images);
  if (!JoinBytes(other.push_constants, &bindings->push_constants)) {
    return Error{
        format("the push constants of {} differ; declare them in the same way in both", shaders),
        ErrorKind::kUnavailable};
  }
  return {};
}

}  // namespace input
}  // namespace refract
