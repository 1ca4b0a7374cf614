// SPDX-License-Identifier: Apache-2.0
// Messages as bytes for this executable alone: no checksum, no limits, no promise that another
// version reads them. Recordings are what is exchanged (wire/recording_file.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "message/any.h"

namespace refract {

std::string WriteMessages(const std::vector<AnyMessage>& messages);
/// nullopt for what is no list of messages.
std::optional<std::vector<AnyMessage>> ReadMessages(std::string_view bytes);

}  // namespace refract
