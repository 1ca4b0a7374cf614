// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#include "wire/convert.h"

namespace refract::wire {

message::Tree FromWire([[maybe_unused]] const Tree& from) {
  message::Tree to;
  to.growth = static_cast<message::Tree::Growth>(from.growth());
  for (const auto& part : from.earlier()) to.earlier.push_back(static_cast<message::Tree::Growth>(part));
  for (const auto& part : from.branches()) to.branches.push_back(FromWire(part));
  to.text = from.text();
  for (const auto& part : from.texts()) to.texts.push_back(part);
  to.offset = from.offset();
  to.dead = from.dead();
  for (const auto& part : from.names()) to.names.push_back(FromWire(part));
  return to;
}

void ToWire([[maybe_unused]] const message::Tree& from, [[maybe_unused]] Tree* to) {
  to->set_growth(static_cast<Tree::Growth>(from.growth));
  for (const auto& part : from.earlier) to->add_earlier(static_cast<Tree::Growth>(part));
  for (const auto& part : from.branches) ToWire(part, to->add_branches());
  to->set_text(from.text);
  for (const auto& part : from.texts) to->add_texts(part);
  to->set_offset(from.offset);
  to->set_dead(from.dead);
  for (const auto& part : from.names) ToWire(part, to->add_names());
}

message::PlantTree FromWire([[maybe_unused]] const PlantTree& from) {
  message::PlantTree to;
  to.at = FromWire(from.at());
  to.tree = FromWire(from.tree());
  for (const auto& part : from.depths()) to.depths.push_back(part);
  return to;
}

void ToWire([[maybe_unused]] const message::PlantTree& from, [[maybe_unused]] PlantTree* to) {
  if (!(from.at == message::Name{})) ToWire(from.at, to->mutable_at());
  if (!(from.tree == message::Tree{})) ToWire(from.tree, to->mutable_tree());
  for (const auto& part : from.depths) to->add_depths(part);
}

message::Rest FromWire([[maybe_unused]] const Rest& from) {
  message::Rest to;
  return to;
}

void ToWire([[maybe_unused]] const message::Rest& from, [[maybe_unused]] Rest* to) {
}

}  // namespace refract::wire
