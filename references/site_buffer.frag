#version 450
// SPDX-License-Identifier: Apache-2.0
// Fills an integer target with a Voronoi diagram, as a renderer fills its buffer of identities:
// which site a pixel belongs to, how far that one and the runner-up are, the packed offset to the
// site with flags for borders, and a checksum of the search. Sites are scattered one to a cell by a
// table. The quarters measure in different ways: squared, city-block, chessboard, and a weighted
// mix. Sizes and what counts as a border are specialization constants.
//
// Stable: 32-bit integers throughout, which wrap by definition, and an integer target keeps them as
// they are. Table indices are masked, loops run over 9 cells.
layout(constant_id = 0) const int kCell = 8;         // a power of two; 16 in the inputs
layout(constant_id = 1) const uint kBorder = 3u;     // largest difference of a border's distances
layout(constant_id = 2) const bool kWrapped = false; // sites repeat after 8 cells

layout(location = 0) out uvec4 record;

layout(std140, set = 0, binding = 0) uniform Scatter {
  uvec4 table[16];  // 0 to 63, shuffled
  ivec4 weights;    // of the quarters' distances
  uint seed;
  int zero;
  int one;
};

const int kReach = 1;
const uint kFar = 0xffffffffu;

struct Candidate {
  uint distance;
  ivec2 offset;
  uint site;
};

struct Search {
  Candidate best;
  Candidate second;
  uint checksum;
};

uint Lookup(uint index) {
  uint slot = index & 63u;
  return table[slot >> 2u][slot & 3u];
}

uint SiteOf(ivec2 cell) {
  if (kWrapped) cell &= 7;
  return Lookup(Lookup(uint(cell.x)) + uint(cell.y) * 5u + seed);
}

ivec2 SitePlace(ivec2 cell, uint site) {
  ivec2 inner = ivec2(site * 11u, Lookup(site + 1u) * 7u) & (kCell - 1);
  return cell * kCell + inner;
}

uint Measure(ivec2 offset, int quarter) {
  ivec2 away = abs(offset);
  int length = zero;
  switch (quarter) {
    case 0:
      length = away.x * away.x + away.y * away.y;
      break;
    case 3:
      length = away.x * weights.y;
      // falls through: weighted on top of the longer side
    case 2:
      length += away.x > away.y ? away.x : away.y;
      length *= weights.z;
      break;
    default:
      length = weights.x * away.x + weights.w * away.y;
      break;
  }
  return uint(length);
}

// The product's two halves and a carry, stirred together.
void Stir(inout uint checksum, uint word) {
  uint high;
  uint low;
  umulExtended(checksum ^ word, 0xd1b54a33u, high, low);
  uint carry;
  checksum = uaddCarry(high, low, carry) + carry;
}

bool Enter(inout Candidate held, Candidate fresh) {
  if (fresh.distance > held.distance) return false;
  if (fresh.distance == held.distance && fresh.site >= held.site) return false;
  held = fresh;
  return true;
}

Search FindSites(ivec2 at, int quarter) {
  Candidate none = Candidate(kFar, ivec2(zero), 64u);
  Search search = Search(none, none, seed);
  ivec2 middle = at / kCell;
  for (int dy = -kReach; dy <= kReach; dy += one) {
    for (int dx = -kReach; dx <= kReach; dx += one) {
      ivec2 cell = middle + ivec2(dx, dy);
      uint site = SiteOf(cell);
      ivec2 offset = SitePlace(cell, site) - at;
      Candidate fresh = Candidate(Measure(offset, quarter), offset, site);
      Stir(search.checksum, fresh.distance * 64u + site);
      Candidate former = search.best;
      if (Enter(search.best, fresh)) {
        search.second = former;
        continue;
      }
      Enter(search.second, fresh);
    }
  }
  return search;
}

uint Flags(Search search, ivec2 at) {
  uint flags = 0u;
  uint gap = search.second.distance - search.best.distance;
  if (gap <= kBorder) flags |= 1u;
  if (search.best.distance < 4u) flags |= 2u;
  if (((at.x | at.y) & (kCell - 1)) == zero) flags |= 4u;
  if (search.best.site < search.second.site) flags ^= 12u;
  return flags;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int quarter = (at.x >> 6) + 2 * (at.y >> 6);
  Search search = FindSites(at, quarter);
  uint flags = Flags(search, at);
  uvec2 offset = uvec2(search.best.offset) & 0x3ffu;
  record.x = search.best.site | search.second.site << 8u | uint(quarter) << 16u;
  record.y = search.best.distance << 16u | search.second.distance & 0xffffu;
  record.z = offset.x | offset.y << 10u | flags << 20u;
  record.w = search.checksum;
}
