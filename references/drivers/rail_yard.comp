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
// Exact: integers. No two locomotives touch the same wagon. Variables hold addresses as two integers.
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
  uvec2 first;  // a wagon
  uint orders;  // bits 0 to 3: which order of the sidings; bit 4: reverse; bits 8 to 11: the longest train
  uint kept;    // wagons that were uncoupled, because the train was too long
};
layout(std430, set = 0, binding = 0) buffer Yard {
  Counters counters;
  uvec2 spare;  // the address of a wagon that every train without wagons gets to see
  Train trains[8];
};
layout(std430, set = 0, binding = 1) writeonly buffer Consist { uvec4 lines[8 * 12]; };

bool IsThere(uvec2 wagon) {
  return wagon != uvec2(0u);
}

// Turns the list round and returns its new first wagon.
uvec2 Reversed(uvec2 first) {
  uvec2 done = uvec2(0u);
  for (int i = 0; i < 16 && IsThere(first); i++) {
    uvec2 next = Wagon(first).behind;
    Wagon(first).behind = done;
    done = first;
    first = next;
  }
  return done;
}

uvec2 Coupled(uvec2 train, uvec2 rear) {
  uvec2 last = train;
  for (uvec2 at = train; IsThere(at); at = Wagon(at).behind) last = at;
  if (IsThere(last)) Wagon(last).behind = rear;
  return IsThere(train) ? train : rear;
}
// Leaves only `most` wagons on the train; the number of the others.
uint Shortened(uvec2 train, uint most) {
  uint count = 0u, kept = 0u;
  uvec2 at = train;
  for (; IsThere(at); kept++) {
    uvec2 next = Wagon(at).behind;
    if (++count == most) Wagon(at).behind = uvec2(0u);
    at = next;
  }
  return kept > most ? kept - most : 0u;
}

void main() {
  uint engine = gl_LocalInvocationIndex;
  uint orders = trains[engine].orders;
  uvec2 sidings[3] = uvec2[3](uvec2(0u), uvec2(0u), uvec2(0u));
  uvec2 train = trains[engine].first;
  while (IsThere(train)) {
    Wagon wagon = Wagon(train);
    uvec2 next = wagon.behind;
    uint load = wagon.load;
    uint siding = (load >> 16 & 3u) % 3u;
    wagon.behind = sidings[siding];
    sidings[siding] = train;
    atomicAdd(counters.shunted[siding], 1u);
    atomicMax(counters.heaviest, load & 0xffffu);
    train = next;
  }
  uint from = orders & 3u, step = (orders & 4u) != 0u ? 1u : 2u;
  uvec2 made = uvec2(0u);
  for (uint i = 0u; i < 3u; i++) made = Coupled(made, sidings[(from + i * step) % 3u]);
  if ((orders & 16u) != 0u) {
    made = Reversed(made);
    atomicAdd(counters.turned, 1u);
  }
  trains[engine].kept = Shortened(made, orders >> 8 & 15u);
  trains[engine].first = made;

  // The clerks.
  uint weight = 0u, sum = 77u + engine, line = engine * 12u;
  uvec2 at = made;
  for (uint i = 0u; i < 12u; i++) {
    Wagon seen = Wagon(IsThere(at) ? at : spare);
    uint load = seen.load & 0xffffu;
    weight += load;
    sum = sum * 33u ^ seen.number;
    lines[line + i] = uvec4(seen.number, weight, sum, IsThere(at) ? 1u : 0u);
    if (IsThere(at)) at = seen.behind;
  }
}
