#version 450
// SPDX-License-Identifier: Apache-2.0
// Queues: rings and stacks in arrays, a deque that grows on both sides, a queue by priority, a
// round of jobs with time slices; structs that hold arrays, given and taken by pointer.
layout(local_size_x = 16) in;

const int kRoom = 8;

struct Ring {
  int slots[kRoom];
  int first;
  int count;
};

struct Job {
  int name;
  int left;
  uint arrivals;
};

struct Scheduler {
  Job jobs[6];
  Ring ready;
  ivec2 clock;
};

layout(std430, set = 0, binding = 0) buffer Work {
  ivec4 orders[64];
  Scheduler machines[];
};

// A ring kept in plain values: slots in two vectors, first and count in one.
bool put(inout ivec4 slots[2], inout ivec2 state, int value) {
  if (state.y == 8) {
    return false;
  }
  int at = (state.x + state.y) & 7;
  slots[at >> 2][at & 3] = value;
  ++state.y;
  return true;
}

int take(inout ivec4 slots[2], inout ivec2 state, int otherwise) {
  if (state.y <= 0) {
    return otherwise;
  }
  int value = slots[state.x >> 2][state.x & 3];
  state = ivec2((state.x + 1) & 7, state.y - 1);
  return value;
}

int deque_orders(ivec4 script, int rounds) {
  int slots[16];
  int left = 8;
  int right = 8;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    int order = script[i & 3] + i;
    switch (order & 3) {
      case 0:
        if (left == 0) {
          return -1;
        }
        slots[--left] = order;
        break;
      case 1:
        if (right == 16) {
          return -2;
        }
        slots[right++] = order;
        break;
      case 2:
        if (left < right) {
          sum += slots[left++];
          break;
        }
        continue;
      case 3:
        if (left < right) {
          sum ^= slots[--right];
        }
        break;
    }
    if (left == right) {
      left = 8;
      right = 8;
    }
  }
  return sum * 32 + right - left;
}

void insert_by_rank(inout uint queue[10], inout int count, uint entry) {
  if (count >= 10) {
    if (queue[9] <= entry) {
      return;
    }
    --count;
  }
  int at = count;
  while (at > 0 && queue[at - 1] > entry) {
    queue[at] = queue[at - 1];
    --at;
  }
  queue[at] = entry;
  ++count;
}

// Josephus: every `step`th of n leaves the circle; who is the last?
int last_in_circle(int n, int step) {
  int next[16];
  int people = min(max(n, 1), 16);
  for (int i = 0; i < 16; ++i) {
    next[i] = i + 1 < people ? i + 1 : 0;
  }
  int at = people - 1;
  for (int left = people; left > 1; --left) {
    int skip = 1;
    do {
      if (skip >= step) {
        break;
      }
      at = next[at];
      ++skip;
    } while (skip < 12);
    next[at] = next[next[at]];
  }
  return at;
}

bool ring_put(inout Ring ring, int value) {
  if (ring.count == kRoom) {
    return false;
  }
  ring.slots[(ring.first + ring.count++) % kRoom] = value;
  return true;
}

int ring_take(inout Ring ring) {
  int value = ring.slots[ring.first];
  ring.first = (ring.first + 1) % kRoom;
  --ring.count;
  return value;
}

Job run_slice(Job job, int slice, out int used) {
  used = min(job.left, slice);
  job.left -= used;
  job.arrivals = job.arrivals << 1 | uint(job.left > 0);
  return job;
}

int run_all(inout Scheduler machine, int slice) {
  int finished = 0;
  for (int guard = 0; guard < 100 && machine.ready.count > 0; ++guard) {
    int name = ring_take(machine.ready);
    int used;
    machine.jobs[name] = run_slice(machine.jobs[name], slice, used);
    machine.clock += ivec2(used, 1);
    if (machine.jobs[name].left == 0) {
      ++finished;
      continue;
    }
    if (!ring_put(machine.ready, name)) {
      break;
    }
  }
  return finished;
}

void main() {
  uint n = gl_GlobalInvocationID.x;
  ivec4 script = orders[n & 63u];
  ivec4 slots[2] = ivec4[2](ivec4(0), ivec4(0));
  ivec2 state = ivec2(0);
  for (int i = 0; i < 12; ++i) {
    if (!put(slots, state, script[i & 3] + i)) {
      script.x += take(slots, state, -1);
    }
  }
  uint queue[10] = uint[10](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  int count = 0;
  for (int i = 0; i < 14; ++i) {
    insert_by_rank(queue, count, uint(script[i & 3] * i) & 255u);
  }
  if (n < uint(machines.length())) {
    Scheduler machine = machines[n];
    for (int i = 0; i < 6; ++i) {
      machine.jobs[i].left = int(queue[i]) & 15;
      ring_put(machine.ready, i);
    }
    machine.clock.y += run_all(machine, 3);
    machines[n] = machine;
  }
  orders[n & 63u] = script + deque_orders(script, 20) + last_in_circle(script.y & 15, script.z & 7);
}
