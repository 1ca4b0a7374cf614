#version 450
// SPDX-License-Identifier: Apache-2.0
// Draws the life of a priority queue: a binary heap with the smallest key on top, laid out in an
// array. Time goes to the right, a step for each operation of a script (a key to push, or 0 to pop);
// downwards are the places of the array, level by level. A cell is coloured by its key, has a light
// corner if the step wrote to it, and a dark one if its key is smaller than its sibling's. Below lies
// the key that a pop took out, and the last line shows how many keys the heap held.
//
// Stable: integers from a uniform block; the heap never has more than 12 keys, as the script is
// written, so that indices stay inside the array; colours are k * (1/255), k from 0 to 255.
layout(location = 0) out vec4 color;

struct Script {
  ivec4 words[2];  // four keys from 0 to 255 in each component, the lowest byte first
  int swing;       // 3: by what the keys change from word to word
};

layout(std140, set = 0, binding = 0) uniform Block {
  Script script;
  ivec2 cell;      // 8, 8
  int zero;        // 0
  int one;         // 1
  int key_scale;   // 3
  float opaque;    // 1.0
};

const int kSlots = 16;  // the root is 1, 0 keeps what was popped

struct Heap {
  int slot[kSlots];
  int size;
};

Heap heap;
int touched;  // bit set of the slots that the last operation wrote to

void Put(int place, int key) {
  heap.slot[place] = key;
  touched |= one << place;
}

void SiftUp(int from) {
  int key = heap.slot[from];
  int place = from;
  while (place > one) {
    int parent = place >> 1;
    if (heap.slot[parent] <= key) break;
    Put(place, heap.slot[parent]);
    place = parent;
  }
  Put(place, key);
}

int SmallerChild(int place) {
  int child = place * 2;
  if (child < heap.size && heap.slot[child + one] < heap.slot[child]) child++;
  return child;
}

void SiftDown(int key) {
  int place = one;
  while (place * 2 <= heap.size) {
    int child = SmallerChild(place);
    if (heap.slot[child] >= key) break;
    Put(place, heap.slot[child]);
    place = child;
  }
  Put(place, key);
}

void Push(int key) {
  heap.size++;
  Put(heap.size, key);
  SiftUp(heap.size);
}

void Pop() {
  if (heap.size == zero) return;
  Put(zero, heap.slot[one]);
  int last = heap.slot[heap.size];
  heap.slot[heap.size] = 0;
  heap.size--;
  if (heap.size > zero) SiftDown(last);
}

int Word(int step) {
  int four = script.words[step >> 4][(step >> 2) & 3];
  int word = (four >> (8 * (step & 3))) & 255;
  return word == zero ? zero : word + script.swing * (step >> 2) - 12;
}

void Apply(int word) {
  touched = zero;
  heap.slot[0] = 0;
  if (word == zero) {
    Pop();
  } else {
    Push(word);
  }
}

// What the operations up to a step, and that one, leave.
void Replay(int step) {
  heap.size = zero;
  for (int i = 0; i < kSlots; i++) heap.slot[i] = 0;
  int i = zero;
  do {
    Apply(Word(i));
  } while (i++ < step);
}

ivec3 Spectrum(int key) {
  int along = (key & 63) * key_scale;
  switch (key >> 6) {
    case 0:
      return ivec3(40, 60 + along, 220 - along);
    case 1:
      return ivec3(40 + along, 230 - along / 4, 31);
    case 2:
      return ivec3(229, 182 - along, 31 + along / 2);
    default:
      break;
  }
  return ivec3(229 - along, 20 + along / 2, 120 + along / 4);
}

int Level(int place) {
  int level = 0;
  for (int rest = place; rest > 1; rest >>= 1) level++;
  return level;
}

ivec3 Cell(int place, ivec2 inner) {
  int key = heap.slot[place];
  if (key == zero) {
    int level = Level(place);
    return ivec3(12, 16, 26) + ivec3(5, 4, 9) * level * ((inner.x ^ inner.y) & one);
  }
  ivec3 rgb = Spectrum(key);
  bool light = ((touched >> place) & one) != 0;
  if (light && inner.x + inner.y < 5) return rgb / 2 + ivec3(127);
  if (key < heap.slot[place ^ 1] && inner.x + inner.y > 10) rgb = rgb >> 1;
  return rgb;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  ivec2 cell_at = at / cell;
  ivec2 inner = at % cell;
  Replay(cell_at.x);

  ivec3 rgb;
  if (cell_at.y + one < kSlots) {
    rgb = Cell(cell_at.y + one, inner);
    if (inner.y == 0 && ((cell_at.y + one) & cell_at.y) == zero) rgb = ivec3(96, 100, 110);
  } else if (inner.y == 7) {
    rgb = heap.size * 8 > at.x - cell_at.x * cell.x ? ivec3(17 * heap.size, 200, 90) : ivec3(30);
  } else {
    int popped = heap.slot[0];
    rgb = popped == zero ? ivec3(0, inner * 6) : Spectrum(popped);
  }
  color = vec4(vec3(rgb) * (1.0 / 255.0), opaque);
}
