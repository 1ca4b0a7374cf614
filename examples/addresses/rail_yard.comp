#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// SPDX-License-Identifier: Apache-2.0
// A shunting yard: each invocation is a locomotive with a train, a list of wagons that are coupled by addresses.
// It pushes the wagons over a hump, one by one, onto three sidings by their destination, where the last comes first;
// then it pulls the sidings together in the order that its orders say, reverses the whole train if it is to leave
// by the other end, and couples its last wagon to the first wagon of the next locomotive's siding if
// the orders say so. The clerks then walk along the new trains and write the consist: the numbers of
// the wagons, their weight on each axle so far, and a checksum. Counters of the yard are kept in a buffer to which
// only its address leads.
//
// Exact: integers. No two locomotives touch the same wagon.
layout(local_size_x = 8) in;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Wagon {
  uvec2 behind;  // the next wagon
  uint number;
  uint load;  // the weight; destination in bits 16 and 17
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Counters {
  uint shunted[4];
  uint heaviest;
  uint turned;
};
struct Train {
  Wagon first;
  uint orders;  // bits 0 to 3: which order of the sidings; bit 4: reverse; bits 8 to 11: the longest train
  uint kept;    // wagons that were uncoupled, because the train was too long
};
layout(std430, set = 0, binding = 0) buffer Yard {
  Counters counters;
  uvec2 spare;  // the address of a wagon that every train without wagons gets to see
  Train trains[8];
};
layout(std430, set = 0, binding = 1) writeonly buffer Consist { uvec4 lines[8 * 12]; };

bool IsThere(Wagon wagon) {
  return uvec2(wagon) != uvec2(0u);
}

// Turns the list round and returns its new first wagon.
Wagon Reversed(Wagon first) {
  Wagon done = Wagon(uvec2(0u));
  for (int i = 0; i < 16 && IsThere(first); i++) {
    Wagon next = Wagon(first.behind);
    first.behind = uvec2(done);
    done = first;
    first = next;
  }
  return done;
}

// Couples `rear` behind the last wagon of a train.
Wagon Coupled(Wagon train, Wagon rear) {
  if (!IsThere(train)) return rear;
  Wagon last = train;
  while (last.behind != uvec2(0u)) last = Wagon(last.behind);
  last.behind = uvec2(rear);
  return train;
}

// Leaves only `most` wagons on the train; the number of the others.
uint Shortened(Wagon train, uint most) {
  uint count = 0u, kept = 0u;
  Wagon at = train;
  for (; IsThere(at); kept++) {
    Wagon next = Wagon(at.behind);
    if (++count == most) at.behind = uvec2(0u);
    at = next;
  }
  return kept > most ? kept - most : 0u;
}

void main() {
  uint engine = gl_LocalInvocationIndex;
  uint orders = trains[engine].orders;
  Wagon sidings[3] = Wagon[3](Wagon(uvec2(0u)), Wagon(uvec2(0u)), Wagon(uvec2(0u)));
  Wagon train = trains[engine].first;
  while (IsThere(train)) {
    Wagon next = Wagon(train.behind);
    uint siding = (train.load >> 16 & 3u) % 3u;
    train.behind = uvec2(sidings[siding]);
    sidings[siding] = train;
    atomicAdd(counters.shunted[siding], 1u);
    atomicMax(counters.heaviest, train.load & 0xffffu);
    train = next;
  }
  uint from = orders & 3u, step = (orders & 4u) != 0u ? 1u : 2u;
  Wagon made = Wagon(uvec2(0u));
  for (uint i = 0u; i < 3u; i++) made = Coupled(made, sidings[(from + i * step) % 3u]);
  if ((orders & 16u) != 0u) {
    made = Reversed(made);
    atomicAdd(counters.turned, 1u);
  }
  trains[engine].kept = Shortened(made, orders >> 8 & 15u);
  trains[engine].first = made;

  // The clerks.
  uint weight = 0u, sum = 77u + engine, line = engine * 12u;
  Wagon at = made;
  for (uint i = 0u; i < 12u; i++) {
    Wagon seen = IsThere(at) ? at : Wagon(spare);
    weight += seen.load & 0xffffu;
    sum = sum * 33u ^ seen.number;
    lines[line + i] = uvec4(seen.number, weight, sum, IsThere(at) ? 1u : 0u);
    if (IsThere(at)) at = Wagon(at.behind);
  }
}
