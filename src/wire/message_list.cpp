// SPDX-License-Identifier: Apache-2.0
#include "wire/message_list.h"

#include <google/protobuf/arena.h>

#include <limits>

#include "proto/recording.pb.h"
#include "wire/any_codec.h"

namespace refract {

using google::protobuf::Arena;

// Encodes the messages as the steps of a recording.
std::string WriteMessages(const std::vector<AnyMessage>& messages) {
  Arena arena;
  auto* encoded = Arena::CreateMessage<wire::Recording>(&arena);
  for (const AnyMessage& message : messages) {
    wire::ToWire(message, encoded->add_steps()->mutable_transformation());
  }
  return encoded->SerializeAsString();
}

std::optional<std::vector<AnyMessage>> ReadMessages(std::string_view bytes) {
  if (bytes.size() > size_t{std::numeric_limits<int>::max()}) return std::nullopt;
  Arena arena;
  auto* encoded = Arena::CreateMessage<wire::Recording>(&arena);
  if (!encoded->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return std::nullopt;
  std::vector<AnyMessage> messages;
  for (const wire::Step& step : encoded->steps()) {
    messages.push_back(wire::FromWire(step.transformation()));
    if (messages.back().kind == 0) return std::nullopt;
  }
  return messages;
}

}  // namespace refract
