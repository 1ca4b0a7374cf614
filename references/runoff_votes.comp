#version 450
// SPDX-License-Identifier: Apache-2.0
// Elections by instant runoff, one for each workgroup: 64 precincts with three factions each, every
// faction with a weight and an order of preference. In each round the votes of those who name the
// same candidate are gathered by a waterfall loop and added to the tally at once; nobody with a
// majority, the last one drops out, and whoever named that candidate first moves on to the next
// one of the list.
//
// Exact: sums of integers, whichever invocations are gathered together.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require

layout(local_size_x = 64) in;

const uint kPrecincts = 64u;
const uint kFactions = 3u;
const uint kCandidates = 8u;
const uint kMostRounds = 7u;
const uint kNobody = 15u;

struct Election {
  uint seed;
  uint candidates;  // at most kCandidates
  uint leaning;     // how much precincts that are near each other agree, from 0 to 7
  uint listed;      // how many names a list has
};

struct Round {
  uint tally[kCandidates];
  uint exhausted;
  uint dropped;
  uint precincts;  // that are all of one mind
  uint leader;
};

layout(std430, set = 0, binding = 0) readonly buffer Elections { Election elections[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Rounds { Round rounds[][kMostRounds]; };
layout(std430, set = 0, binding = 2) writeonly buffer Winners { uvec4 winners[]; };
layout(std430, set = 0, binding = 3) writeonly buffer Moods { uint moods[][kPrecincts]; };
layout(push_constant) uniform Rules {
  uint stride;
  uint threshold;  // of 64 parts, what a majority is
};

shared uint tally[kCandidates];
shared uint exhausted;
shared uint unanimous;
shared uint spread;

struct Faction {
  uint weight;
  uint list;  // four bits a name, the first one lowest
};

uint Mix(uint n) {
  n ^= n >> 16;
  n *= stride;
  n ^= n >> 13;
  return n * 0x2c1b3c6du;
}

// An order of all candidates, by dealing them from a hand of four bits each.
uint Deal(uint candidates, uint luck) {
  uint hand = 0x76543210u, list = 0u;
  for (uint left = candidates; left > 0u; left--) {
    uint at = 4u * (luck % left);
    luck = luck / left + 0x1234567u;
    uint name = hand >> at & 15u;
    uint below = hand & ((1u << at) - 1u);
    hand = below | (at == 28u ? 0u : hand >> (at + 4u) << at);
    list = list << 4 | name;
  }
  return list;
}

Faction MakeFaction(Election election, uint precinct, uint number) {
  uint region = precinct >> election.leaning;
  uint weight = 1u + (Mix(election.seed ^ precinct * 31u ^ number) >> 20 & 63u);
  uint list = Deal(election.candidates, Mix(election.seed + region * kFactions + number) >> 4);
  uint names = 4u * election.listed;
  if (names < 32u) list |= ~0u << names;
  return Faction(weight, list);
}

// The first name on the list that still runs.
uint Choice(uint list, uint running) {
  for (uint i = 0u; i < kCandidates; i++) {
    uint name = list >> (4u * i) & 15u;
    if (name == kNobody) break;
    if ((running >> name & 1u) != 0u) return name;
  }
  return kNobody;
}

// Whoever has the same choice as the first that waits is counted together with it.
void Gather(uint choice, uint weight) {
  for (;;) {
    uint first = subgroupBroadcastFirst(choice);
    if (choice == first) {
      uint votes = subgroupAdd(weight);
      if (subgroupElect()) {
        if (first == kNobody) {
          atomicAdd(exhausted, votes);
        } else {
          atomicAdd(tally[first], votes);
        }
      }
      break;
    }
  }
}

void main() {
  uint precinct = gl_LocalInvocationIndex;
  uint group = gl_WorkGroupID.x;
  Election election = elections[group];

  Faction factions[kFactions];
  uint total = 0u;
  for (uint f = 0u; f < kFactions; f++) {
    factions[f] = MakeFaction(election, precinct, f);
    total += factions[f].weight;
  }

  uint running = (1u << election.candidates) - 1u;
  uint mood = 0u;
  uint winner = kNobody, last = 0u, round = 0u;
  while (round < kMostRounds) {
    if (precinct < kCandidates) tally[precinct] = 0u;
    if (precinct == 0u) {
      exhausted = 0u;
      unanimous = 0u;
      spread = 0u;
    }
    barrier();
    uint choices[kFactions];
    for (uint f = 0u; f < kFactions; f++) {
      choices[f] = Choice(factions[f].list, running);
      if (subgroupAll(choices[f] == kNobody)) {
        uint lost = subgroupAdd(factions[f].weight);
        if (subgroupElect()) atomicAdd(exhausted, lost);
      } else {
        Gather(choices[f], factions[f].weight);
      }
      mood = mood * 5u + choices[f];
    }
    bool agree = choices[0] == choices[1] && choices[1] == choices[2];
    uint agreeing = subgroupBallotBitCount(subgroupBallot(agree));
    uint named = subgroupOr(1u << choices[0] | 1u << choices[1]);
    if (subgroupElect()) {
      atomicAdd(unanimous, agreeing);
      atomicOr(spread, named);
    }
    barrier();

    // Everybody counts alike.
    uint best = kNobody, worst = kNobody, votes = 0u;
    for (uint c = 0u; c < election.candidates; c++) {
      if ((running >> c & 1u) == 0u) continue;
      votes += tally[c];
      if (best == kNobody || tally[c] > tally[best]) best = c;
      if (worst == kNobody || tally[c] <= tally[worst]) worst = c;
    }
    last = tally[best];
    bool decided = last * 64u > votes * threshold || best == worst;
    if (precinct == round) {
      rounds[group][round] = Round(tally, exhausted, decided ? kNobody : worst, unanimous,
                                   best | spread << 8);
    }
    round++;
    barrier();
    if (decided) {
      winner = best;
      break;
    }
    running &= ~(1u << worst);
  }

  moods[group][precinct] = mood;
  if (precinct == 0u) winners[group] = uvec4(winner, last, round, running);
}
