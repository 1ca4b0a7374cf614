#version 450
// SPDX-License-Identifier: Apache-2.0
// A league of card players, one for each workgroup: 64 players sit at sixteen tables of four. In a
// round, everyone at a table plays everyone else, two games at a time; the neighbours of a pair show
// each other cards by sums over the pair. Then the best player of a table goes up a table, and the
// worst one goes down. A table where nobody is ahead gets new cards.
//
// Exact: integers only. Clusters have two or four invocations, so they exist whatever the size of
// subgroups is. All invocations of a subgroup take part in each operation: a game that is over goes
// on without counting.
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_clustered : require

layout(local_size_x = 64) in;

const uint kPlayers = 64u;
const uint kTables = 16u;
const uint kTricks = 5u;

struct Player {
  uint number;
  uint style;   // 0 high cards first, 1 low cards first, 2 by chance, 3 answers the last card
  uint skill;
  uint points;  // of the round
  uint cards;   // five, with six bits each
};

struct League {
  uint seed;
  uint rounds;
  uint skills;  // how many levels of skill there are
  uint ahead;   // a game ends with so many more tricks than the other has
};

struct Table {
  uint best;      // the number of the player
  uint points;
  uint spread;
  uint fingerprint;
};

layout(std430, set = 0, binding = 0) readonly buffer Leagues { League leagues[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Results { Table results[][kTables]; };
layout(std430, set = 0, binding = 2) writeonly buffer Ladder { uint ladder[][kPlayers]; };
layout(std430, set = 0, binding = 3) buffer Totals { uint draws, won_early, new_cards, most; };

shared Player seats[kPlayers];
shared uvec2 leaving[kTables];  // the seats of the best and the worst player

uint Next(inout uint state) {
  state = state * 1664525u + 1013904223u;
  return state >> 16 ^ state >> 5;
}

uint Dealt(uint state, uint skill) {
  uint cards = 0u;
  for (uint i = 0u; i < kTricks; i++) {
    uint card = Next(state) & 63u;
    // Players with skill change a bad card.
    if (card < skill * 4u) card = Next(state) & 63u;
    cards = cards << 6 | card;
  }
  return cards;
}

// Takes a card from the hand: the played card, and the hand without it.
uint Play(inout uint hand, uint left, uint style, uint answer) {
  uint chosen = 0u, best = hand & 63u;
  for (uint i = 1u; i < left; i++) {
    uint card = hand >> 6u * i & 63u;
    bool better;
    switch (style) {
      case 0u:
        better = card > best;
        break;
      case 1u:
        better = card < best;
        break;
      case 2u:
        better = ((card ^ best) & 5u) == 4u;
        break;
      default:
        better = best < answer ? card > best : card >= answer && card < best;
    }
    if (better) {
      best = card;
      chosen = i;
    }
  }
  // The last card takes the place of the played one.
  uint last = hand >> 6u * (left - 1u) & 63u;
  uint place = 6u * chosen;
  hand = (hand & ~(63u << place)) | last << place;
  return best;
}

uint OfNeighbour(uint own) {
  return subgroupClusteredAdd(own, 2u) - own;
}

// A game of a pair: tricks that this player won minus those of the other.
int Game(Player player, uint ahead, out bool early) {
  int lead = 0;
  uint hand = player.cards, answer = 0u;
  bool over = false;
  for (uint trick = 0u; trick < kTricks; trick++) {
    uint card = Play(hand, kTricks - trick, player.style, answer);
    uint other = OfNeighbour(card);
    if (!over && card != other) lead += card > other ? 1 : -1;
    over = over || abs(lead) >= int(ahead);
    answer = other;
  }
  early = subgroupClusteredAnd(uint(over), 2u) != 0u;
  return lead;
}

// Everyone but the first player of a table moves on by one seat.
void Turn(uint place) {
  barrier();
  Player player = seats[place];
  barrier();
  uint seat = place & 3u;
  uint next = seat == 0u ? 0u : seat == 3u ? 1u : seat + 1u;
  seats[(place & ~3u) + next] = player;
  barrier();
}

void main() {
  uint place = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uint group = gl_WorkGroupID.x, table = place >> 2;
  League league = leagues[group];
  uint state = league.seed + place * 0x9e3779b9u;
  uint skill = Next(state) % league.skills;
  seats[place] = Player(place, Next(state) & 3u, skill, 0u, Dealt(state, skill));
  uint fingerprint = 0u, best = 0u, spread = 0u, points = 0u;
  for (uint round = 0u; round < league.rounds; round++) {
    for (uint game = 0u; game < 3u; game++) {
      Turn(place);
      bool early;
      int lead = Game(seats[place], league.ahead, early);
      seats[place].points += lead > 0 ? (early ? 4u : 3u) : lead == 0 ? 1u : 0u;
      if (early && (place & 1u) == 0u) atomicAdd(won_early, 1u);
      if (lead == 0 && (place & 1u) == 0u) atomicAdd(draws, 1u);
    }
    Player player = seats[place];
    // Ranks have no ties: the number of the player decides.
    uint key = player.points << 8 | player.skill << 6 & 0xc0u | player.number ^ round & 63u;
    uint top = subgroupClusteredMax(key, 4u), bottom = subgroupClusteredMin(key, 4u);
    points = subgroupClusteredAdd(player.points, 4u);
    spread = subgroupClusteredMax(player.points, 4u) - subgroupClusteredMin(player.points, 4u);
    fingerprint = fingerprint * 33u ^ subgroupClusteredMul(player.cards | 1u, 4u) ^
                  subgroupClusteredXor(player.points << player.number % 24u, 4u);
    best = subgroupClusteredOr(key == top ? player.number : 0u, 4u);
    if (key == top) leaving[table].x = place;
    if (key == bottom) leaving[table].y = place;

    bool nobody = subgroupClusteredAnd(player.points * 4u <= points + 8u ? ~0u : 0u, 4u) != 0u;
    if (nobody) {
      player.cards = Dealt(player.cards ^ round, player.skill);
      if ((place & 3u) == 0u) atomicAdd(new_cards, 1u);
    }
    atomicMax(most, player.points);
    player.points = 0u;
    barrier();
    uint to = place;
    if (key == top && table > 0u) to = leaving[table - 1u].y;
    if (key == bottom && table + 1u < kTables) to = leaving[table + 1u].x;
    seats[to] = player;
    barrier();
  }
  if ((place & 3u) == 0u) results[group][table] = Table(best, points, spread, fingerprint);
  Player player = seats[place];
  ladder[group][place] = player.number | player.style << 8 | player.skill << 12 | player.cards << 16;
}
