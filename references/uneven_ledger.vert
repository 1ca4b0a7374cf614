#version 450
// SPDX-License-Identifier: Apache-2.0
// Keeps the books of a ledger whose columns and rows are of different sizes. For the entry at
// each vertex it makes the amount up, carries the column's balance down to it, finds its rank in
// the row, a check digit by Luhn's method and the entry of the row that together with it comes
// closest to a round sum.
//
// Exact: amounts are remainders below 1000, balances sums of at most 16 of them. Cells are an
// even number of pixels wide, at most 12, and an odd number high, at most 9: so no pixel's
// centre comes near a cell's diagonal.
layout(location = 0) in vec4 place;
layout(location = 0) flat out ivec4 entry;  // the corner's pixel, amount, balance
layout(location = 1) flat out ivec4 notes;  // rank, check digit, partner, whether a total

layout(std140, set = 0, binding = 0) uniform Ledger {
  ivec4 widths[3];
  ivec4 heights[4];
  ivec4 table;  // columns, rows, pixels left and above of it
  ivec4 books;  // factor, summand, first key, pixels by which a debit is more likely
} ledger;

int Amount(ivec2 cell) {
  uint key = uint(ledger.books.z) + uint(cell.x * 37 + cell.y * 411);
  int rounds = 2 + (cell.x + cell.y & 1);
  for (int i = 0; i < rounds; ++i) key = key * uint(ledger.books.x) + uint(ledger.books.y);
  int amount = int(key >> 12u & 0x3ffu) % 1000;
  return int(key >> 24u) < ledger.books.w ? -amount : amount;
}

bool IsTotal(ivec2 cell) { return cell.y > 0 && cell.y % 5 == 4; }

// What lies above since the last total, and the entry itself.
int Balance(ivec2 cell) {
  int balance = 0;
  for (int row = cell.y; row >= 0; --row) {
    ivec2 above = ivec2(cell.x, row);
    if (IsTotal(above)) {
      if (row < cell.y) break;
      continue;
    }
    balance += Amount(above);
  }
  return balance;
}

int ValueAt(ivec2 cell) { return IsTotal(cell) ? Balance(cell) : Amount(cell); }

int RankInRow(ivec2 cell, int own) {
  int rank = 0;
  for (int column = 0; column < ledger.table.x; ++column) {
    if (column == cell.x) continue;
    int other = Amount(ivec2(column, cell.y));
    if (other > own || other == own && column < cell.x) ++rank;
  }
  return rank;
}

int CheckDigit(int number) {
  int sum = 0;
  bool doubled = true;
  for (int rest = abs(number); rest > 0; rest /= 10) {
    int digit = rest % 10;
    if (doubled) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
    doubled = !doubled;
  }
  return (10 - sum % 10) % 10;
}

int Partner(ivec2 cell, int own) {
  int best = cell.x;
  int closest = 1000;
  for (int column = 0; column < ledger.table.x; ++column) {
    int sum = abs(own + Amount(ivec2(column, cell.y)));
    int off = min(sum % 250, 250 - sum % 250);
    if (column == cell.x || off >= closest) continue;
    closest = off;
    best = column;
    if (off == 0) return best;
  }
  return best;
}

ivec2 Corner(ivec2 cell) {
  ivec2 pixel = ledger.table.zw;
  for (int i = 0; i < cell.x; ++i) pixel.x += ledger.widths[i >> 2][i & 3];
  for (int i = 0; i < cell.y; ++i) pixel.y += ledger.heights[i >> 2][i & 3];
  return pixel;
}

void main() {
  ivec2 cell = ivec2(floor((place.xy + 1.0) * vec2(ledger.table.xy) * 0.5 + 0.5));
  int value = ValueAt(cell);
  ivec2 pixel = Corner(cell);
  entry = ivec4(pixel, value, Balance(cell));
  notes = ivec4(RankInRow(cell, value), CheckDigit(value), Partner(cell, value) - cell.x,
                IsTotal(cell) ? 1 : 0);
  gl_Position = vec4(vec2(pixel) * (1.0 / 64.0) - 1.0, 0.0, 1.0);
}
