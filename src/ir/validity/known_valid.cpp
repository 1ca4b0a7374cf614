// SPDX-License-Identifier: Apache-2.0
#include "ir/validity/known_valid.h"

#include "base/cache.h"
#include "base/clock.h"
#include "base/packed.h"

namespace refract {
inline namespace ir {
namespace {

std::string KeyOf(std::span<const uint32_t> words, TargetEnvironment environment,
                  const ValidationOptions& options) {
  const std::vector<std::string> names = NamesOf(options);
  std::vector<std::string_view> pieces = {
      {reinterpret_cast<const char*>(words.data()), words.size_bytes()}, NameOf(environment)};
  pieces.insert(pieces.end(), names.begin(), names.end());
  return Pack(pieces);
}

}  // namespace

std::optional<ValidationError> FindInvalidUnlessKnown(std::span<const uint32_t> words,
                                                      TargetEnvironment environment,
                                                      const ValidationOptions& options,
                                                      double quick_seconds) {
  const Cache cache = Cache::OfUser("valid");
  if (!cache.is_on()) return FindInvalidWithin(words, environment, options);
  const std::string key = KeyOf(words, environment, options);
  if (cache.Get(key)) return std::nullopt;
  const double begin = MonotonicSeconds();
  auto invalid = FindInvalidWithin(words, environment, options);
  if (!invalid && MonotonicSeconds() - begin < quick_seconds) cache.Put(key, {});
  return invalid;
}

}  // namespace ir
}  // namespace refract
