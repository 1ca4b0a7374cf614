// SPDX-License-Identifier: Apache-2.0
// Several pieces of bytes as one, for a cache that keeps one for each key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace refract::inline base {

std::string Pack(const std::vector<std::string_view>& pieces);
/// The pieces, which point into `packed`; nullopt for what Pack has not made.
std::optional<std::vector<std::string_view>> Unpack(std::string_view packed);

}  // namespace refract::inline base
