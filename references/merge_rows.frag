#version 320 es
// SPDX-License-Identifier: Apache-2.0
// Draws a merge sort of 32 records as six bar charts, one below the other: the records as they came,
// after runs of four were sorted by insertion, and after each of the three rounds of merging; the
// last chart shows the sorted records by where they came from. A bar is as high as its record's key
// and coloured by the quarter that the record started in, so the eye can follow how runs mingle. The
// background gets lighter to the right with the comparisons that its stage had needed there.
//
// Stable: integers and indices that the loops keep within the arrays; the only division is by the
// uniform height of a chart, which is not 0; colours are k * (1/255), k an integer from 0 to 255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 picture;

layout(set = 0, binding = 0) uniform Sizes {
  int records;       // 32
  int run;           // 4: sorted by insertion
  int bar_width;     // 4
  int chart_height;  // 34
};
layout(set = 0, binding = 1) uniform Source {
  uint multiplier;   // 421
  uint increment;    // 1663
  uint modulus_bits; // 13
};
layout(set = 0, binding = 2) uniform Helpers {
  int one;           // 1
  float opaque;      // 1.0
};

struct Record {
  int key;     // 0 to 31
  int origin;  // its index at first
};

int items[32];  // records, packed
int spare[32];
int work[32];   // comparisons of the last stage that were decided at this place

int Pack(Record record) { return (record.key << 5) | record.origin; }
Record Unpack(int item) { return Record(item >> 5, item & 31); }

int Generate() {
  uint state = multiplier;
  uint mask = (1u << modulus_bits) - 1u;
  int sum = 0;
  for (int i = 0; i < records; i += one) {
    state = (state * multiplier + increment) & mask;
    int key = int(state >> (modulus_bits - 5u));
    items[i] = Pack(Record(key, i));
    work[i] = int(state & 3u);
    sum += key;
  }
  return sum;
}

bool Precedes(int left, int right, inout int count) {
  count++;
  return Unpack(left).key < Unpack(right).key;
}

void InsertionSort(int from, int to) {
  for (int i = from; i < to; i++) {
    int count = 0;
    int moving = items[i];
    int hole = i;
    while (hole > from) {
      int under = items[hole - one];
      if (!Precedes(moving, under, count)) break;
      items[hole] = under;
      hole--;
    }
    items[hole] = moving;
    work[i] = count;
  }
}

// Merges [from, middle) and [middle, to) into spare; equal keys keep their order.
void Merge(int from, int middle, int to) {
  int left = from;
  int right = middle;
  int put = from;
  for (; put < to; put += one) {
    int take = left;
    int count = 0;
    do {
      if (left < middle) {
        if (right == to) break;
        if (!Precedes(items[right], items[left], count)) break;
      }
      take = right++;
    } while (false);
    if (take == left) left++;
    work[put] = count;
    spare[put] = items[take];
  }
}

void MergeAll(int width) {
  for (int from = 0; from < records; from += 2 * width) Merge(from, from + width, from + 2 * width);
  items = spare;
}

void SortUpTo(int stage) {
  if (stage == 0) return;
  for (int from = 0; from < records; from += run) InsertionSort(from, from + run);
  int width = run;
  while (--stage > 0) {
    if (width >= records) return;
    MergeAll(width);
    width += width;
  }
}

ivec3 OriginColour(Record record) {
  int shade = record.key * 3;
  ivec3 rgb = ivec3(40 + shade, 30, 20) + record.origin;
  switch (record.origin >> 3) {
    case 0:
      return rgb.zxy + ivec3(0, 60, 12);
    case 1:
      rgb.y += 3 * shade / 2;
      break;
    case 2:
      rgb.x += 40;
      // falls through
    default:
      rgb = rgb.yzx;
      rgb.x = 180 - shade;
      break;
  }
  return rgb;
}

void main() {
  int column = int(gl_FragCoord.x) / bar_width;
  int line = int(gl_FragCoord.y);
  int stage = line / chart_height;
  int height = chart_height - one - (line - stage * chart_height);

  int sum = Generate();
  SortUpTo(stage);

  int effort = 0;
  for (int i = 0; i <= column; i++) effort += work[i];

  Record record = Unpack(items[column]);
  if (stage == 5) record.key = record.origin;
  ivec3 rgb;
  if (height <= record.key) {
    rgb = OriginColour(record);
    if (height == record.key) rgb += 48;
    if ((int(gl_FragCoord.x) & 3) == 3) rgb = rgb / 2;
  } else {
    rgb = ivec3(effort + 8, effort, 34 + (sum & 7) + effort);
    if (height == 33) rgb = ivec3(190, 190, 200) - 20 * stage;
    else if ((height & 7) == 0) rgb += work[column] * 9;
  }
  picture = vec4(vec3(rgb) * (1.0 / 255.0), opaque);
}
