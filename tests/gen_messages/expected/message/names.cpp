// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#include "message/all.h"

namespace refract::message {

void NamesIn([[maybe_unused]] const Tree& message, [[maybe_unused]] NameSink& sink) {
  NamesIn(message.branches, sink);
  NamesIn(message.names, sink);
}

void NamesIn([[maybe_unused]] const PlantTree& message, [[maybe_unused]] NameSink& sink) {
  NamesIn(message.at, sink);
  NamesIn(message.tree, sink);
}

void NamesIn([[maybe_unused]] const Rest& message, [[maybe_unused]] NameSink& sink) {
}

}  // namespace refract::message
