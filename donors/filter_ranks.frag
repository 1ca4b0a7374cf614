#version 460
// SPDX-License-Identifier: Apache-2.0
// Filters that are no sums: a bilateral one with weights from a table, the median of nine by a
// network of exchanges, erosion and dilation, a mean of the middle ranks, and smoothing by the
// calmest quarter.
layout(location = 0) in vec4 samples;
layout(location = 1) flat in ivec2 settings;
layout(location = 0) out vec4 color;

const int network[38] =
    int[38](1, 2, 4, 5, 7, 8, 0, 1, 3, 4, 6, 7, 1, 2, 4, 5, 7, 8, 0, 3, 5, 8, 4, 7, 3, 6, 1, 4, 2,
            5, 4, 7, 4, 2, 6, 4, 4, 2);

float median_of_nine(float v[9]) {
  for (int i = 0; i < network.length(); i += 2) {
    int a = network[i], b = network[i + 1];
    if (v[a] > v[b]) {
      float kept = v[a];
      v[a] = v[b];
      v[b] = kept;
    }
  }
  return v[4];
}

// Weights by distance in space and in value, both from tables; the value's steps are counted.
float bilateral(float v[9], float fine) {
  const float by_value[5] = float[5](1.0, 0.75, 0.375, 0.125, 0.03125);
  const float by_place[3] = float[3](1.0, 0.5, 0.25);
  float sum = 0.0, weights = 0.0;
  for (int i = 0; i < 9; ++i) {
    float away = abs(v[i] - v[4]);
    int steps = 0;
    while (away > fine) {
      away -= fine;
      if (++steps == 5) break;
    }
    if (steps == 5) continue;
    int far = abs(i % 3 - 1) + abs(i / 3 - 1);
    float weight = by_value[steps] * by_place[far];
    sum += weight * v[i];
    weights += weight;
  }
  // One over the sum of weights, which is from 1 to 4.
  float inverse = 1.25 - 0.25 * weights;
  inverse = inverse < 0.25 ? 0.25 : inverse;
  for (int i = 0; i < 4; ++i) {
    inverse *= 2.0 - weights * inverse;
  }
  return sum * inverse;
}

float morphology(float v[9], int shape, bool erode) {
  float best = v[4];
  for (int i = 0; i < 9; ++i) {
    if (((shape >> i) & 1) == 0) continue;
    bool better = erode ? v[i] < best : v[i] > best;
    best = better ? v[i] : best;
  }
  return best;
}

float middle_mean(float v[9], int cut) {
  for (int i = 1; i < 9; ++i) {
    float value = v[i];
    int j = i;
    for (; j > 0; --j) {
      if (v[j - 1] <= value) break;
      v[j] = v[j - 1];
    }
    v[j] = value;
  }
  float sum = 0.0;
  int count = 0;
  for (int i = cut; i < 9 - cut; ++i) {
    sum += v[i];
    ++count;
  }
  return count == 0 ? v[4] : sum / float(count);
}

// Kuwahara's: of the four quarters round the middle the mean of the one that varies least.
float calmest(float v[25]) {
  float best = 1000000.0, result = v[12];
  for (int quarter = 0; quarter < 4; ++quarter) {
    int corner = (quarter & 1) * 2 + (quarter >> 1) * 10;
    float sum = 0.0, squares = 0.0;
    for (int y = 0; y < 3; ++y) {
      for (int x = 0; x < 3; ++x) {
        float value = v[corner + y * 5 + x];
        sum += value;
        squares += value * value;
      }
    }
    float varies = squares - sum * sum * 0.11111111;
    if (varies >= best) continue;
    best = varies;
    result = sum * 0.11111111;
    if (best == 0.0) break;
  }
  return result;
}

void main() {
  float v[9];
  float wide[25];
  for (int i = 0; i < 25; ++i) {
    wide[i] = fract(samples[i & 3] * float(i + settings.x));
    v[i % 9] = wide[i];
  }
  float middle = median_of_nine(v) + middle_mean(v, settings.y & 3);
  color = vec4(middle, bilateral(v, 0.125), morphology(v, 0xba, settings.x > 2), calmest(wide));
}
