// SPDX-License-Identifier: Apache-2.0
#include "measure/images/float_shaders.h"

#include <vector>

#include "base/random.h"
#include "base/text.h"

namespace refract::measure {
namespace {

/// Writes expressions. All values are between about -4 and 4, because sums are halved and products
/// are of values that `fract`, `sin` and the like bound.
class ShaderWriter {
 public:
  explicit ShaderWriter(uint64_t seed) : random_(Mix(seed, 0x666c6f6174)) {}

  std::string Write() {
    std::string text = "#version 450\nlayout(location = 0) out vec4 colour;\n";
    text += format(
        "float wave(float x, float y) {{\n  float s = {};\n  for (int i = 1; i <= {}; ++i) {{\n"
        "    s = 0.5 * s + sin(x * float(i) + s) * {} + y / (1.0 + s * s);\n"
        "    if (s > {}) break;\n  }}\n  return s;\n}}\n",
        Number(), random_.Between(2, 7), Number(), Number());
    text += "void main() {\n  vec2 p = gl_FragCoord.xy / 64.0 - 1.0;\n  float a = p.x, b = p.y;\n";
    const uint64_t statements = random_.Between(2, 5);
    for (uint64_t i = 0; i < statements; ++i) text += Statement();
    return text +
           format("  colour = vec4({}, {}, {}, 1.0);\n}}\n", Channel(), Channel(), Channel());
  }

 private:
  std::string Number() { return format("{}.{:02}", random_.Below(2), random_.Between(5, 95)); }

  std::string Statement() {
    const std::string name = random_.Percent(50) ? "a" : "b";
    switch (random_.Below(4)) {
      case 0:
        return format("  if ({} < {}) {} = {};\n", Expression(2), Expression(1), name,
                      Expression(2));
      case 1:
        return format("  {} = wave({}, {});\n", name, Expression(1), Expression(1));
      case 2:
        return format("  p = vec2(p.x * {0} - p.y * {1}, p.x * {1} + p.y * {0});\n", Number(),
                      Number());
      default:
        return format("  {} = {};\n", name, Expression(3));
    }
  }

  // The value of a channel: bounded, so that the image is not black or white.
  std::string Channel() {
    const std::string inner = Expression(3);
    switch (random_.Below(3)) {
      case 0:
        return format("0.5 + 0.5 * sin({})", inner);
      case 1:
        return format("fract({})", inner);
      default:
        return format("1.0 / (1.0 + ({0}) * ({0}))", inner);
    }
  }

  std::string Expression(int depth) {
    if (depth == 0) {
      const char* leaves[] = {"p.x", "p.y", "a", "b"};
      return random_.Percent(25) ? Number() : leaves[random_.Below(4)];
    }
    const std::string x = Expression(depth - 1), y = Expression(depth - 1);
    switch (random_.Below(14)) {
      case 0:
        return format("({} + {}) * 0.5", x, y);
      case 1:
        return format("({} - {})", x, y);
      case 2:
        return format("sin({}) * {}", x, y);
      case 3:
        return format("cos({})", x);
      case 4:
        return format("{} / (1.0 + abs({}))", x, y);
      case 5:
        return format("sqrt(abs({}) + 0.1)", x);
      case 6:
        return format("fract({})", x);
      case 7:
        return format("mix({}, {}, clamp(b, 0.0, 1.0))", x, y);
      case 8:
        return format("smoothstep(-1.0, 1.0, {})", x);
      case 9:
        return format("length(vec2({}, {}))", x, y);
      case 10:
        return format("exp(-abs({}))", x);
      case 11:
        return format("log(abs({}) + 0.1)", x);
      case 12:
        return format("max({}, {})", x, y);
      default:
        return format("dot(vec2({}, {}), vec2({}, {}))", x, y, Number(), Number());
    }
  }

  Random random_;
};

}  // namespace

std::string FloatShader(uint64_t seed) {
  return ShaderWriter(seed).Write();
}

}  // namespace refract::measure
