#version 450
// SPDX-License-Identifier: Apache-2.0
// Deep nesting: ifs nine levels down, loops six levels down that are left from the inside,
// selections that hold loops that hold switches, and conditions of many parts.
layout(location = 0) flat in ivec4 place;
layout(location = 0) out vec4 color;

int nine_ifs(int value, int key) {
  int path = 1;
  if (value > key) {
    path = 2;
    if ((value & 1) != 0) {
      path = path * 3 + 1;
      if ((key & 3) == 2) {
        path <<= 1;
        if (value - key > 10) {
          path ^= 5;
          if (value % 7 != 3) {
            path += key;
            if ((value & 16) == 0) {
              path -= 3;
              if (key < 40) {
                path *= 5;
                if ((path & 8) != 0) {
                  path ^= value;
                  if (path < 0) {
                    return -path;
                  } else {
                    path |= 1;
                  }
                } else {
                  path += 8;
                }
              } else if (key == 41) {
                path = 41;
              }
            } else {
              path = ~path;
            }
          }
        } else {
          path += 10;
        }
      }
      path += 100;
    } else {
      if (key != 0) {
        path = -path;
      }
    }
  } else {
    path = value == key ? 0 : -1;
  }
  return path;
}

// The first sum of six digits, each larger than the one before, that is `wanted`.
int six_loops(int wanted) {
  int rounds = 0;
  int found = 0;
  for (int a = 0; a < 5; ++a) {
    for (int b = a + 1; b < 6 && found == 0; ++b) {
      for (int c = b + 1; c < 7; ++c) {
        int d = c + 1;
        while (d < 8) {
          int e = d + 1;
          do {
            for (int f = e + 1; f < 10; ++f) {
              ++rounds;
              if (rounds > 50) {
                return -1;
              }
              if (a + b + c + d + e + f == wanted) {
                found = ((((a * 10 + b) * 10 + c) * 10 + d) * 10 + e) * 10 + f;
                break;
              }
            }
            if (found != 0) {
              break;
            }
          } while (++e < 9);
          if (found != 0) {
            break;
          }
          ++d;
        }
        if (found != 0) {
          break;
        }
      }
    }
    if (found != 0) {
      break;
    }
  }
  return found;
}

int mixed_nest(ivec4 v) {
  int sum = 0;
  if (v.x > 0) {
    for (int i = 0; i < v.x && i < 6; ++i) {
      switch ((v.y + i) & 3) {
        case 0:
          for (int j = 3; j >= 0; --j) {
            if (v[j] == i) {
              if (sum > 64) {
                switch (j) {
                  case 3:
                    do {
                      sum -= 9;
                      if ((sum & 1) == 0) {
                        if (sum < 32) {
                          break;
                        }
                        sum >>= 1;
                      }
                    } while (sum > 20);
                    break;
                  case 1:
                    return sum;
                  default:
                    continue;
                }
              } else {
                sum += 40;
              }
              break;
            }
            sum += j;
          }
          break;
        case 1:
          if (i == 4) {
            continue;
          }
          sum += 2;
        case 2:
          sum ^= i;
          break;
        default:
          if (sum > 100) {
            return -sum;
          }
      }
      sum += 16;
    }
  } else if (v.x == 0) {
    sum = 7;
  } else {
    int n = v.z;
    while (n > 0) {
      if ((n & 3) == 3) {
        n -= 2;
        if (n < v.w) {
          break;
        }
      }
      --n;
      ++sum;
    }
  }
  return sum;
}

bool many_parts(ivec4 v) {
  return (v.x > v.y && (v.z < v.w || (v.x == 3 && v.y != 4)) && !(v.w == 9 || v.z == 7)) ||
         (v.x < 0 && (v.y < 0 || (v.z < 0 && (v.w < 0 || v.x + v.y + v.z > -9)))) ||
         ((v.x & 1) == 0 && (v.y & 2) == 0 && ((v.z & 4) == 0 || (v.w & 8) == 0));
}

int choices(int x) {
  return x < 8 ? (x < 4 ? (x < 2 ? (x < 1 ? 3 : 14) : (x < 3 ? 15 : 92))
                        : (x < 6 ? (x < 5 ? 65 : 35) : (x < 7 ? 89 : 79)))
               : (x < 12 ? (x < 10 ? (x < 9 ? 32 : 38) : (x < 11 ? 46 : 26))
                         : (x < 14 ? (x < 13 ? 43 : 38) : (x < 15 ? 32 : 79)));
}

void main() {
  int mixed = nine_ifs(place.x, place.y) + six_loops(place.z) + mixed_nest(place);
  if (many_parts(place)) {
    if (mixed > 0) {
      if (place.x > 1000) {
        if (place.y > 1000) {
          if (place.z > 1000) {
            if (place.w > 1000) {
              discard;
            }
            mixed += 1;
          }
          mixed += 2;
        }
        mixed += 4;
      }
      mixed += 8;
    }
    mixed += 16;
  }
  color = vec4(float((mixed + choices(place.w)) & 255) * (1.0 / 255.0));
}
