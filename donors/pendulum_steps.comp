#version 450
// SPDX-License-Identifier: Apache-2.0
// Integrators: Euler, Verlet and Runge-Kutta on structs; bodies that attract each other by tiles in
// shared memory; a row of springs; collisions on a line of balls with masses; heat on a ring.
layout(local_size_x = 32) in;

struct Body {
  vec3 place;
  float mass;
  vec3 speed;
  float radius;
};

struct Change {
  vec3 place, speed;
};

layout(std140, set = 0, binding = 0) uniform World {
  float step;
  float pull;
  int method;
  int count;
  layout(row_major) mat3 frame;
} world;
layout(std430, set = 0, binding = 1) buffer Bodies { Body bodies[]; };

shared vec4 tile[32];

vec2 pendulum(vec2 state, int steps, int method) {
  const float dt = 0.03125;
  vec2 s = state;
  for (int i = 0; i < steps; ++i) {
    switch (method) {
      case 0:
        s += dt * vec2(s.y, -s.x);
        break;
      case 1:
        s.y -= dt * s.x;
        s.x += dt * s.y;
        break;
      case 2: {
        float half_speed = s.y - 0.5 * dt * s.x;
        s.x += dt * half_speed;
        s.y = half_speed - 0.5 * dt * s.x;
        break;
      }
      default: {
        vec2 k1 = vec2(s.y, -s.x);
        vec2 m = s + 0.5 * dt * k1;
        vec2 k2 = vec2(m.y, -m.x);
        m = s + 0.5 * dt * k2;
        vec2 k3 = vec2(m.y, -m.x);
        m = s + dt * k3;
        s += dt * (1.0 / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + vec2(m.y, -m.x));
      }
    }
    if (dot(s, s) > 100.0) {
      break;
    }
  }
  return s;
}

void relax_springs(inout vec2 knots[8], float rest_squared, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    bool calm = true;
    for (int i = 0; i < 7; ++i) {
      vec2 way = knots[i + 1] - knots[i];
      float stretch = dot(way, way) - rest_squared;
      if (abs(stretch) < 0.0078125) {
        continue;
      }
      calm = false;
      vec2 move = way * (stretch > 0.0 ? 0.125 : -0.125);
      if (i > 0) {
        knots[i] += move;
      }
      knots[i + 1] -= move;
    }
    if (calm) {
      return;
    }
  }
}

// Balls of two masses on a line with integer places; equal masses swap speeds.
int collide_on_line(inout ivec4 places, inout ivec4 speeds, uint heavy) {
  int hits = 0;
  for (int tick = 0; tick < 10; ++tick) {
    places += speeds;
    uint left_bit = 1u;
    for (int i = 0; i < 3; ++i, left_bit <<= 1) {
      if (places[i] < places[i + 1] || speeds[i] <= speeds[i + 1]) {
        continue;
      }
      int a = speeds[i];
      int b = speeds[i + 1];
      if ((heavy & left_bit) != 0u) {
        speeds[i] = (a + 2 * b) / 3;
        speeds[i + 1] = (4 * a - b) / 3;
      } else {
        speeds[i] = b;
        speeds[i + 1] = a;
      }
      ++hits;
    }
    if (places.x < 0) {
      places.x = -places.x;
      speeds.x = -speeds.x;
    }
  }
  return hits;
}

float hottest_after(float start[10], int ticks) {
  float rods[2][10];
  rods[0] = start;
  int now = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    for (int i = 0; i < 10; ++i) {
      int left = i == 0 ? 9 : i - 1;
      int right = i == 9 ? 0 : i + 1;
      rods[1 - now][i] = 0.5 * rods[now][i] + 0.25 * (rods[now][left] + rods[now][right]);
    }
    now = 1 - now;
  }
  float hottest = rods[now][0];
  for (int i = 1; i < 10; ++i) {
    if (rods[now][i] > hottest) {
      hottest = rods[now][i];
    }
  }
  return hottest;
}

int settle(ivec3 start, int friction) {
  ivec3 state = start;
  int ticks = 0;
  do {
    state.y += state.z;
    state.x += state.y;
    if (state.x < 0) {
      state.x = -state.x;
      state.y = -state.y - state.y / 4;
      if (abs(state.y) <= friction) {
        return ticks;
      }
    } else if (state.x > 4096) {
      state.x = 4096;
      state.y >>= 1;
      continue;
    }
    state.y -= sign(state.y) * friction;
  } while (++ticks < 60);
  return -ticks;
}

vec3 attraction(vec3 place, uint lane) {
  vec3 sum = vec3(0.0);
  for (int first = 0; first < world.count; first += 32) {
    uint other = min(uint(first) + lane, uint(bodies.length()) - 1u);
    tile[lane] = vec4(bodies[other].place, bodies[other].mass);
    barrier();
    for (int i = 0; i < 32 && first + i < world.count; ++i) {
      vec3 way = tile[i].xyz - place;
      float squared = dot(way, way) + 0.0625;
      sum += way * (world.pull * tile[i].w * inversesqrt(squared * squared * squared));
    }
    barrier();
  }
  return world.frame * sum;
}

Change change_of(Body body, vec3 pull) {
  return Change(body.speed, pull - 0.01 * body.speed);
}

Body stepped(Body body, Change change, float dt) {
  body.place += dt * change.place;
  body.speed += dt * change.speed;
  return body;
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  uint n = min(gl_GlobalInvocationID.x, uint(bodies.length()) - 1u);
  Body body = bodies[n];
  vec3 pull = attraction(body.place, lane);
  Change slopes[4];
  slopes[0] = change_of(body, pull);
  for (int i = 1; i < 4; ++i) {
    float dt = i == 3 ? world.step : 0.5 * world.step;
    slopes[i] = change_of(stepped(body, slopes[i - 1], dt), pull);
  }
  for (int i = 0; i < 4; ++i) {
    body = stepped(body, slopes[i], world.step * (i == 0 || i == 3 ? 1.0 / 6.0 : 1.0 / 3.0));
  }
  vec2 knots[8];
  float rods[10];
  for (int i = 0; i < 8; ++i) {
    knots[i] = body.place.xy * float(i);
    rods[i] = body.speed[i % 3];
  }
  rods[8] = body.mass;
  rods[9] = 0.0;
  relax_springs(knots, 0.25, 4);
  ivec4 places = ivec4(1, 5, 9, 14);
  ivec4 speeds = ivec4(body.speed.xyzx * 8.0);
  int hits = collide_on_line(places, speeds, n) + settle(places.xyz, 2);
  body.radius = pendulum(knots[7], 20, world.method).x + hottest_after(rods, hits & 15);
  bodies[n] = body;
}
