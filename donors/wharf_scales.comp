#version 450
// SPDX-License-Identifier: Apache-2.0
// Scales that keep the sign of a zero, and totals of 64 bits that all of them add to: weights are split
// into a whole and a fraction, compared by the order of their bits, and summed up without carries that
// get lost. The blocks have the scalar layout; the list of weights has no fixed length.
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
layout(local_size_x = 16) in;
layout(constant_id = 0) const float kUnit = 0.25;
layout(constant_id = 1) const bool kUpward = true;
layout(scalar, set = 0, binding = 0) uniform Pans { float tare; vec3 pans[3]; } pans;
layout(scalar, set = 0, binding = 1) buffer Totals {
  uint64_t total;
  uint64_t carries;
  int64_t extreme;
  vec3 weights[];
} totals;

// A number whose order as an integer is the order of floats, with -0 before +0.
int order_of(float weight) {
  int bits = floatBitsToInt(weight);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

float nearer_to_zero(float a, float b) {
  int first = order_of(abs(a)), second = order_of(abs(b));
  return first < second ? a : second < first ? b : order_of(a) < order_of(b) ? b : a;
}

// Whole units, and the rest.
vec2 split_weight(float weight) {
  float whole = floor(weight * (1.0 / 8.0)) * 8.0;
  return vec2(whole, weight - whole);
}

uint64_t units(float weight) {
  float bounded = clamp(weight, 0.0, 65536.0);
  return uint64_t(uint(bounded / kUnit)) << 12;
}

uint64_t add_units(uint64_t amount) {
  uint64_t before = atomicAdd(totals.total, amount);
  uint64_t after = before + amount;
  return after < before ? 1ul : 0ul;
}

int64_t push_extreme(int64_t value) {
  return kUpward ? atomicMax(totals.extreme, value) : atomicMin(totals.extreme, value);
}

uint64_t swap_carries(uint64_t now, uint64_t wanted) {
  uint64_t seen = atomicCompSwap(totals.carries, now, wanted);
  return seen == now ? wanted : seen;
}

void main() {
  uint lane = gl_LocalInvocationID.x;
  vec3 pan = pans.pans[lane % 3u];
  float light = nearer_to_zero(pan.x - pans.tare, pan.y);
  vec2 parts = split_weight(pan.z + light);
  uint64_t lost = add_units(units(parts.x)) + add_units(units(parts.y));
  int64_t before = push_extreme(int64_t(order_of(light)) << 8);
  uint64_t carries = swap_carries(lost, lost + 1ul);
  if (lane < uint(totals.weights.length())) {
    totals.weights[lane] = vec3(parts, before == 0l ? light : float(uint(carries & 7ul)));
  }
}
