#version 460
// SPDX-License-Identifier: Apache-2.0
// Components of a picture and of graphs: parents joined with atomics, a flood in bits, shortest
// ways by rounds and by a queue, a spanning tree, a colouring that backtracks, and reachability by
// squaring.
layout(local_size_x = 16, local_size_y = 4) in;

layout(std430, set = 0, binding = 0) coherent buffer Parents {
  int joined;
  int parents[];
};
layout(set = 0, binding = 1, r32ui) uniform uimage2D cells;

shared int root_count;

int root_in(int parent[16], int at) {
  int now = at & 15;
  int steps = 0;
  while (parent[now] != now) {
    now = parent[now];
    if (++steps == 16) {
      return -1;
    }
  }
  return now;
}

int join_all(uint edges[6]) {
  int parent[16];
  int size[16];
  for (int i = 0; i < 16; ++i) {
    parent[i] = i;
    size[i] = 1;
  }
  int sets = 16;
  for (int i = 0; i < 24; ++i) {
    uint edge = edges[i >> 2];
    for (int skip = i & 3; skip > 0; --skip) {
      edge >>= 8;
    }
    int a = int(edge & 15u);
    int b = int(edge >> 4 & 15u);
    while (parent[a] != a) {
      parent[a] = parent[parent[a]];
      a = parent[a];
    }
    while (parent[b] != b) {
      b = parent[b];
    }
    if (a == b) {
      continue;
    }
    if (size[a] < size[b]) {
      int kept = a;
      a = b;
      b = kept;
    }
    parent[b] = a;
    size[a] += size[b];
    if (--sets == 1) {
      break;
    }
  }
  return sets;
}

// A board of 8 x 4 in one word; `open` cells take the flood.
uint flood(uint seed, uint open) {
  uint filled = seed & open;
  uint before;
  do {
    before = filled;
    filled |= (filled << 1) & 0xfefefefeu;
    filled |= (filled >> 1) & 0x7f7f7f7fu;
    filled |= filled << 8 | filled >> 8;
    filled &= open;
  } while (filled != before);
  return filled;
}

int islands(uint board) {
  int count = 0;
  uint left = board;
  while (left != 0u) {
    uint island = left & (~left + 1u);
    for (int i = 0; i < 32; ++i) {
      uint grown = island | ((island << 1) & 0xfefefefeu) | ((island >> 1) & 0x7f7f7f7fu) |
                   island << 8 | island >> 8;
      grown &= left;
      if (grown == island) {
        break;
      }
      island = grown;
    }
    left &= ~island;
    ++count;
  }
  return count;
}

int shortest_way(int lengths[6][6], int from, int to) {
  int best[6] = int[6](9999, 9999, 9999, 9999, 9999, 9999);
  bool done[6] = bool[6](false, false, false, false, false, false);
  best[from] = 0;
  for (int round = 0; round < 6; ++round) {
    int nearest = -1;
    for (int i = 0; i < 6; ++i) {
      if (done[i]) {
        continue;
      }
      if (nearest < 0 || best[i] < best[nearest]) {
        nearest = i;
      }
    }
    if (nearest < 0 || nearest == to) {
      break;
    }
    done[nearest] = true;
    for (int i = 0; i < 6; ++i) {
      int length = lengths[nearest][i];
      if (length > 0 && best[nearest] + length < best[i]) {
        best[i] = best[nearest] + length;
      }
    }
  }
  return best[to];
}

uint reachable(uvec4 rows, int rounds) {
  // Eight nodes, a byte of successors each, two rows in the low halves of every word.
  uint bytes[8];
  for (int i = 0; i < 8; ++i) {
    bytes[i] = (i & 1) == 0 ? rows[i >> 1] & 255u : rows[i >> 1] >> 8 & 255u;
  }
  for (int round = 0; round < rounds; ++round) {
    bool changed = false;
    for (int i = 0; i < 8; ++i) {
      uint all = bytes[i];
      uint mask = 1u;
      for (int j = 0; j < 8; ++j) {
        if ((bytes[i] & mask) != 0u) {
          all |= bytes[j];
        }
        mask += mask;
      }
      if (all != bytes[i]) {
        bytes[i] = all;
        changed = true;
      }
    }
    if (!changed) {
      break;
    }
  }
  return bytes[0] | bytes[3] << 8 | bytes[5] << 16 | bytes[7] << 24;
}

// Colours seven nodes with three colours; the digits of the result, or -1.
int colour_graph(uint neighbours[7]) {
  int colours[7];
  int at = 0;
  colours[0] = 0;
  int tries = 0;
  while (at >= 0 && at < 7) {
    if (++tries > 60) {
      return -2;
    }
    if (colours[at] == 3) {
      --at;
      if (at >= 0) {
        ++colours[at];
      }
      continue;
    }
    bool fits = true;
    uint mask = neighbours[at];
    for (int i = 0; i < at; ++i) {
      if ((mask & 1u) != 0u && colours[i] == colours[at]) {
        fits = false;
        break;
      }
      mask >>= 1;
    }
    if (!fits) {
      ++colours[at];
      continue;
    }
    if (++at < 7) {
      colours[at] = 0;
    }
  }
  if (at < 0) {
    return -1;
  }
  int digits = 0;
  for (int i = 0; i < 7; ++i) {
    digits = digits * 4 + colours[i];
  }
  return digits;
}

int find_root(int at) {
  for (int guard = 0; guard < 64; ++guard) {
    int parent = parents[at];
    if (parent == at) {
      return at;
    }
    int above = parents[parent];
    if (above != parent) {
      atomicCompSwap(parents[at], parent, above);
    }
    at = parent;
  }
  return at;
}

void join(int a, int b) {
  for (;;) {
    a = find_root(a);
    b = find_root(b);
    if (a == b) {
      return;
    }
    int low = min(a, b);
    int high = max(a, b);
    if (atomicCompSwap(parents[high], high, low) == high) {
      atomicAdd(joined, 1);
      break;
    }
  }
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(cells);
  if (gl_LocalInvocationIndex == 0u) {
    root_count = 0;
  }
  barrier();
  uint here = imageLoad(cells, at).x;
  int n = min(at.y * size.x + at.x, parents.length() - 1);
  if (at.x > 0 && imageLoad(cells, at - ivec2(1, 0)).x == here) {
    join(n, max(n - 1, 0));
  }
  if (at.y > 0 && imageLoad(cells, at - ivec2(0, 1)).x == here) {
    join(n, max(n - size.x, 0));
  }
  barrier();
  if (parents[n] == n) {
    atomicAdd(root_count, 1);
  }
  barrier();
  int parent[16];
  int lengths[6][6];
  for (int i = 0; i < 16; ++i) {
    parent[i] = i == 0 ? 0 : i - 1;
  }
  for (int i = 0; i < 36; ++i) {
    lengths[i / 6][i % 6] = (i * int(here & 7u)) % 7;
  }
  uint edges[6] = uint[6](here, 0x12345678u, here >> 3, 0x9abcdef0u, here * 5u, 0x31415926u);
  uint neighbours[7] = uint[7](0u, 1u, 3u, here & 7u, 5u, 6u, here & 63u);
  uint result = flood(1u, here) + uint(islands(here) + root_in(parent, at.x) + join_all(edges));
  result ^= reachable(uvec4(here, here >> 4, 7u, 0x0102u), 4) + uint(colour_graph(neighbours));
  result += uint(shortest_way(lengths, at.x % 6, at.y % 6) + root_count);
  imageAtomicXor(cells, at, result & 1u);
}
