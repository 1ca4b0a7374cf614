#version 450
// SPDX-License-Identifier: Apache-2.0
// Orbits in double precision: Kepler's equation by iteration with doubles, a date of the calendar
// from a number of days, sines by polynomials of doubles and of floats, and a sum that keeps what
// additions lose.
layout(location = 0) in float anomaly;
layout(location = 0) out vec3 tint;
layout(location = 1) flat out ivec3 date;

layout(set = 0, binding = 0) uniform Orbit {
  dmat2 plane;
  double eccentricity;
  double axis;
  dvec3 drift;
  int days;
};

double sine(double x) {
  const double turn = 6.283185307179586lf;
  double r = x - turn * floor(x / turn + 0.5lf);
  double square = r * r;
  double sum = 0.0lf;
  const double factors[6] = double[6](-2.50521083854417e-8lf, 2.75573192239859e-6lf,
                                      -1.98412698412698e-4lf, 8.33333333333333e-3lf,
                                      -1.66666666666667e-1lf, 1.0lf);
  for (int i = 0; i < 6; ++i) {
    sum = sum * square + factors[i];
  }
  return r * sum;
}

double eccentric_anomaly(double mean, double e, out int steps) {
  double now = mean;
  steps = 0;
  do {
    double next = mean + e * sine(now);
    double change = abs(next - now);
    now = next;
    if (change < 1.0e-12lf) {
      break;
    }
  } while (++steps < 40);
  return now;
}

// Days since the first of March of the year 0, which makes leap days the last of a year.
ivec3 calendar(int day) {
  int era = day / 146097;
  int rest = day - era * 146097;
  if (rest < 0) {
    rest += 146097;
    --era;
  }
  int year = era * 400;
  const int spans[3] = int[3](36524, 1461, 365);
  const int years[3] = int[3](100, 4, 1);
  const int most[3] = int[3](3, 24, 3);
  for (int i = 0; i < 3; ++i) {
    for (int n = 0; n < most[i]; ++n) {
      if (rest < spans[i]) {
        break;
      }
      rest -= spans[i];
      year += years[i];
    }
  }
  int month = (5 * rest + 2) / 153;
  int in_month = rest - (153 * month + 2) / 5 + 1;
  if (month < 10) {
    return ivec3(year, month + 3, in_month);
  }
  return ivec3(year + 1, month - 9, in_month);
}

vec2 compensated_sum(float terms[12], int count) {
  float sum = 0.0;
  float lost = 0.0;
  for (int i = 0; i < 12; ++i) {
    if (i == count) {
      break;
    }
    float term = terms[i];
    precise float total = sum + term;
    if (abs(sum) >= abs(term)) {
      lost += (sum - total) + term;
    } else {
      lost += (term - total) + sum;
    }
    sum = total;
  }
  return vec2(sum, lost);
}

float quick_sine(float x) {
  float r = fract(x * 0.15915494) * 2.0 - 1.0;
  float bow = 4.0 * r * (1.0 - abs(r));
  return -(0.225 * (bow * abs(bow) - bow) + bow);
}

dvec2 halves(double x) {
  uvec2 words = unpackDouble2x32(x);
  double high = packDouble2x32(uvec2(words.x & 0xf8000000u, words.y));
  return dvec2(high, x - high);
}

void main() {
  int steps;
  double mean = double(anomaly) + drift.x * double(gl_InstanceIndex);
  double angle = eccentric_anomaly(mean, eccentricity, steps);
  dvec2 split = halves(angle);
  dvec2 at = plane * dvec2(sine(split.x + 1.5707963267948966lf), sine(split.x + split.y)) * axis;
  float terms[12];
  for (int i = 0; i < 12; ++i) {
    terms[i] = quick_sine(float(i + steps) * 0.25) + float(at.x);
  }
  date = calendar(days + gl_VertexIndex);
  tint = vec3(compensated_sum(terms, steps), float(dot(drift, dvec3(1.0lf))));
  gl_Position = vec4(vec2(at), 0.0, 1.0);
}
