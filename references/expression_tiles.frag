#version 310 es
// SPDX-License-Identifier: Apache-2.0
// Draws 16 tiles, each with the texture that an arithmetic expression in x and y makes. Expressions
// are strings of tokens in a uniform block, such as x*(y+3)^x>>2, and every pixel parses and
// evaluates its tile's by recursive descent: precedence climbing, with the frames of the unfinished
// calls kept on an explicit stack. Tiles whose expression has a mistake show where it is.
//
// Stable: all values are unsigned and wrap; shifts are masked to 31, a division by zero gives all
// ones; a frame is pushed only while there is room, and a token is read only within its string. The
// palette's colours are multiples of 1/17, that is of 15/255.
precision highp float;
precision highp int;

layout(location = 0) out vec4 color;

// A token in a byte: 0 end, 1 x, 2 y, 3 ~, 4 (, 5 ), 8 to 15 the operators | ^ & >> + - * /,
// and from 32 on numbers. Each tile has 16.
layout(std140, set = 0, binding = 0) uniform Source { uvec4 text[16]; };
layout(std140, set = 0, binding = 1) uniform Grammar {
  uvec4 precedence[2];  // of the operators
  uvec4 range;          // first token that is an operator, one after the last, the first number, ~
  uint highest;         // 7: precedence of ~
  int one;
  int zero;
};
layout(std140, set = 0, binding = 2) uniform Colours { vec4 ramp[8]; };

const uint kEnd = 0u;
const uint kOpen = 4u;
const uint kClose = 5u;
const int kDepth = 6;
const int kLength = 16;

// A call that waits for its right operand.
struct Frame {
  uint left;
  uint operation;  // kOpen: a parenthesis
  uint level;      // operators below it end the call
};

struct Outcome {
  uint value;
  int mistake;  // the place of the token that does not fit; -1: none
  int deepest;
};

Frame frames[kDepth];

uint TokenAt(int tile, int place) {
  if (place >= kLength) return kEnd;
  return text[tile][place >> 2] >> uint(8 * (place & 3)) & 255u;
}

bool IsOperator(uint token) { return token >= range.x && token < range.y; }

uint Precedence(uint token) {
  uint index = token - range.x;
  return precedence[index >> 2u][index & 3u];
}

uint Apply(uint operation, uint left, uint right) {
  switch (operation) {
    case 8u:
      return left | right;
    case 9u:
      return left ^ right;
    case 10u:
      return left & right;
    case 11u:
      return left >> (right & 31u);
    case 13u:
      right = ~right + uint(one);
      // falls through: adding the negative
    case 12u:
      return left + right;
    case 14u:
      return left * right;
    case 3u:
      return left - right - uint(one);
    default:
      return right == 0u ? ~right : left / right;
  }
}

bool Push(inout int top, inout int deepest, Frame frame) {
  if (top + one >= kDepth) return false;
  top += one;
  frames[top] = frame;
  if (top > deepest) deepest = top;
  return true;
}

// Does the calls that end before an operator of this precedence; true if one was a parenthesis.
bool Reduce(inout int top, inout uint value, uint level) {
  while (top >= zero) {
    Frame frame = frames[top];
    if (frame.operation == kOpen) return true;
    if (frame.level < level) break;
    value = Apply(frame.operation, frame.left, value);
    top -= one;
  }
  return false;
}

Outcome Evaluate(int tile, uint x, uint y) {
  Outcome outcome = Outcome(uint(zero), -one, zero);
  int top = -one;
  bool has_operand = false;
  for (int place = zero; place <= kLength; place += one) {
    uint token = TokenAt(tile, place);
    outcome.mistake = place;
    if (!has_operand) {
      if (token >= range.z) {
        outcome.value = token - range.z;
      } else if (token == kOpen || token == range.w) {
        uint left = token == kOpen ? outcome.value : uint(zero);
        if (!Push(top, outcome.deepest, Frame(left, token, highest))) return outcome;
        continue;
      } else if (token == 1u || token == 2u) {
        outcome.value = token == 1u ? x : y;
      } else {
        break;
      }
      has_operand = true;
      continue;
    }
    if (IsOperator(token)) {
      uint level = Precedence(token);
      Reduce(top, outcome.value, level);
      if (!Push(top, outcome.deepest, Frame(outcome.value, token, level))) break;
      has_operand = false;
      continue;
    }
    bool in_parenthesis = Reduce(top, outcome.value, kEnd);
    if (token == kClose && in_parenthesis) {
      top -= one;
      continue;
    }
    if (token != kEnd || in_parenthesis) break;
    outcome.mistake = -one;
    break;
  }
  return outcome;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  int tile = (at.x >> 5) + 4 * (at.y >> 5);
  uvec2 place = uvec2(at & 31);
  Outcome outcome = Evaluate(tile, place.x, place.y);
  vec4 shown = ramp[outcome.value & 7u];
  if (outcome.mistake >= zero) {
    bool is_mark = int(place.x >> 1u) == outcome.mistake && place.y > 8u;
    shown = is_mark ? ramp[0] : ramp[7].zxyw;
    if (place.y < 8u) shown.y = float(outcome.deepest + (int(outcome.value) & 7)) * (1.0 / 17.0);
  } else {
    // The next bits, and how deep the frames were, in the other channels' shades.
    int shade = int(outcome.value >> 3u & 3u) + outcome.deepest;
    shown.xz += vec2(ivec2(shade, 6 - shade / 2)) * (1.0 / 17.0);
  }
  color = shown;
}
