// SPDX-License-Identifier: Apache-2.0
// Packs several pieces of bytes into one, for the cache, which stores one value for each key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace base {

std::string Pack(const std::vector<std::string_view>& pieces);
/// The pieces, as views into `packed`; nullopt if Pack did not make `packed`.
std::optional<std::vector<std::string_view>> Unpack(std::string_view packed);

}  // namespace base
}  // namespace refract
