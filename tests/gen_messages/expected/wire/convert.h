// SPDX-License-Identifier: Apache-2.0
// Generated from proto/.
#pragma once

#include "message/all.h"
#include "proto/shared.pb.h"
#include "proto/transformation.pb.h"
#include "wire/any_codec.h"

namespace refract::wire {

message::Tree FromWire(const Tree& from);
void ToWire(const message::Tree& from, Tree* to);
message::PlantTree FromWire(const PlantTree& from);
void ToWire(const message::PlantTree& from, PlantTree* to);
message::Rest FromWire(const Rest& from);
void ToWire(const message::Rest& from, Rest* to);

}  // namespace refract::wire
