// SPDX-License-Identifier: Apache-2.0
// Compresses and decompresses files in the format of gzip (RFC 1952).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace refract {
inline namespace folder {

/// Compresses bytes. The same bytes give the same result, which has no name and no date.
std::string Compressed(std::string_view bytes);
/// Decompresses a file. Bytes that do not begin as gzip does are returned unchanged. A damaged
/// file, and one of more than `limit` bytes, is an error that names `file`.
Result<std::string> Decompressed(const std::string& file, std::string bytes, uint64_t limit);

}  // namespace folder
}  // namespace refract
