// SPDX-License-Identifier: Apache-2.0
// Lists of messages as bytes that only the same executable reads: without checksum, limits or
// compatibility between versions. Use recordings to exchange messages (wire/recording_file.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "message/any.h"

namespace refract {

std::string WriteMessages(const std::vector<AnyMessage>& messages);
/// Returns nullopt if the bytes are not a list of messages.
std::optional<std::vector<AnyMessage>> ReadMessages(std::string_view bytes);

}  // namespace refract
