// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450 on whole vectors and matrices, and packing.
#include <cmath>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

using math::Range;

using Doubles = std::vector<double>;

Doubles Decoded(const Bits& in, size_t first, size_t count, int width) {
  Doubles values;
  for (size_t i = first; i < first + count; ++i) values.push_back(DecodeFloat(in[i], width));
  return values;
}

double Dot(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// Tuples of plain values, each operand's components from somewhere else.
std::vector<Bits> SomeFloats(size_t scalars, size_t count, int width) {
  const Doubles values = {0.5, -1.25, 3, 0.1, 2, -0.75, 1, 4, -7, 0.3, 6.5, -2};
  std::vector<Bits> tuples;
  for (size_t i = 0; i < count; ++i) {
    Bits tuple;
    for (size_t k = 0; k < scalars; ++k) {
      tuple.push_back(EncodeFloat(values[(i * 5 + k * (1 + i % 3)) % values.size()], width));
    }
    tuples.push_back(std::move(tuple));
  }
  return tuples;
}

Want Rounded(const Doubles& values, int width) {
  Want want = Want::Value({});
  for (const double value : values) {
    if (!std::isfinite(value)) return Want();
    want.bits.push_back(EncodeFloat(value, width));
  }
  return want;
}

class Vectors {
 public:
  explicit Vectors(int width) : width_(width) {}
  std::vector<TableRow> Rows() {
    for (const size_t n : {1u, 2u, 3u, 4u}) OfSize(n);
    Cross3();
    for (const size_t n : {2u, 3u, 4u}) Matrices(n);
    return std::move(rows_);
  }

 private:
  std::string Type(size_t n) const {
    return n == 1 ? format("f{}", width_) : format("v{}f{}", n, width_);
  }
  TableRow& Add(const std::string& name, const std::string& result,
                std::vector<std::string> operands, std::vector<Bits> tuples) {
    TableRow row;
    row.instruction = name;
    row.result = result;
    row.operands = std::move(operands);
    row.tuples = std::move(tuples);
    row.approximate = true;
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  void OfSize(size_t n) {
    const int width = width_;
    const std::string type = Type(n), scalar = Type(1);
    const auto at = [n, width](const Bits& in, size_t operand) {
      return Decoded(in, operand * n, n, width);
    };
    std::vector<Bits> one = SomeFloats(n, 8, width), two = SomeFloats(2 * n, 8, width);
    one.push_back(Bits(n, 0));
    TableRow& length = Add("Length", scalar, {type}, one);
    length.want = [=](const Bits& in) {
      return Rounded({std::sqrt(Dot(at(in, 0), at(in, 0)))}, width);
    };
    length.allowed = [=](const Bits& in, size_t) { return math::LengthRange(at(in, 0), width); };
    TableRow& distance = Add("Distance", scalar, {type, type}, two);
    distance.want = [=](const Bits& in) {
      Doubles difference = at(in, 0);
      for (size_t i = 0; i < n; ++i) difference[i] -= at(in, 1)[i];
      return Rounded({std::sqrt(Dot(difference, difference))}, width);
    };
    distance.allowed = [=](const Bits& in, size_t) {
      return math::DistanceRange(at(in, 0), at(in, 1), width);
    };
    TableRow& normalize = Add("Normalize", type, {type}, one);
    normalize.want = [=](const Bits& in) {
      Doubles unit = at(in, 0);
      const double size = std::sqrt(Dot(unit, unit));
      if (size == 0) return Want::Undefined();
      for (double& value : unit) value /= size;
      return Rounded(unit, width);
    };
    normalize.allowed = [=](const Bits& in, size_t i) {
      return math::NormalizeRanges(at(in, 0), width)[i];
    };
    TableRow& forward = Add("FaceForward", type, {type, type, type}, SomeFloats(3 * n, 8, width));
    forward.approximate = false;
    forward.want = [=](const Bits& in) {
      Doubles facing = at(in, 0);
      if (!(Dot(at(in, 2), at(in, 1)) < 0)) {
        for (double& value : facing) value = -value;
      }
      return Rounded(facing, width);
    };
    forward.allowed = [=](const Bits& in, size_t i) {
      return math::FaceForwardRanges(at(in, 0), at(in, 1), at(in, 2), width)[i];
    };
    TableRow& reflect = Add("Reflect", type, {type, type}, two);
    reflect.want = [=](const Bits& in) {
      Doubles bent = at(in, 0);
      const double dot = Dot(at(in, 1), at(in, 0));
      for (size_t i = 0; i < n; ++i) bent[i] -= 2 * dot * at(in, 1)[i];
      return Rounded(bent, width);
    };
    reflect.allowed = [=](const Bits& in, size_t i) {
      return math::ReflectRanges(at(in, 0), at(in, 1), width)[i];
    };
    TableRow& refract = Add("Refract", type, {type, type, scalar}, SomeFloats(2 * n + 1, 8, width));
    refract.want = [=](const Bits& in) {
      const double eta = DecodeFloat(in.back(), width), dot = Dot(at(in, 1), at(in, 0));
      const double rest = 1 - eta * eta * (1 - dot * dot);
      Doubles bent = at(in, 0);
      for (size_t i = 0; i < n; ++i) {
        bent[i] = rest < 0 ? 0 : eta * bent[i] - (eta * dot + std::sqrt(rest)) * at(in, 1)[i];
      }
      return Rounded(bent, width);
    };
    refract.allowed = [=](const Bits& in, size_t i) {
      return math::RefractRanges(at(in, 0), at(in, 1), DecodeFloat(in.back(), width), width)[i];
    };
  }

  void Cross3() {
    const int width = width_;
    TableRow& row = Add("Cross", Type(3), {Type(3), Type(3)}, SomeFloats(6, 8, width));
    row.want = [=](const Bits& in) {
      const Doubles a = Decoded(in, 0, 3, width), b = Decoded(in, 3, 3, width);
      return Rounded(
          {a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]}, width);
    };
    row.approximate = false;
    row.allowed = [=](const Bits& in, size_t i) {
      return math::CrossRanges(Decoded(in, 0, 3, width), Decoded(in, 3, 3, width), width)[i];
    };
  }

  // By elimination with pivots.
  static double Eliminate(const Doubles& matrix, size_t n, Doubles* result) {
    std::vector<long double> m(matrix.begin(), matrix.end()), inverse(n * n);
    long double determinant = 1;
    for (size_t i = 0; i < n; ++i) inverse[i * n + i] = 1;
    for (size_t c = 0; c < n; ++c) {
      size_t pivot = c;
      for (size_t k = c; k < n; ++k) {
        if (std::abs(m[k * n + c]) > std::abs(m[pivot * n + c])) pivot = k;
      }
      if (m[pivot * n + c] == 0) return 0;
      if (pivot != c) determinant = -determinant;
      for (size_t k = 0; k < n; ++k) {
        std::swap(m[c * n + k], m[pivot * n + k]);
        std::swap(inverse[c * n + k], inverse[pivot * n + k]);
      }
      const long double by = m[c * n + c];
      determinant *= by;
      for (size_t k = 0; k < n; ++k) {
        m[c * n + k] /= by;
        inverse[c * n + k] /= by;
      }
      for (size_t r = 0; r < n; ++r) {
        const long double factor = m[r * n + c];
        for (size_t k = 0; r != c && k < n; ++k) {
          m[r * n + k] -= factor * m[c * n + k];
          inverse[r * n + k] -= factor * inverse[c * n + k];
        }
      }
    }
    result->assign(inverse.begin(), inverse.end());
    return static_cast<double>(determinant);
  }

  // Of rows for columns: the determinant is the same, the inverse is transposed likewise.
  void Matrices(size_t n) {
    const int width = width_;
    const std::string type = format("m{0}x{0}f{1}", n, width);
    std::vector<Bits> tuples;
    for (const Bits& some : SomeFloats(n * n, 6, width)) {
      Bits tuple = some;
      for (size_t i = 0; i < n; ++i)
        tuple[i * n + i] = EncodeFloat(8.5 + static_cast<double>(i), width);
      tuples.push_back(std::move(tuple));
    }
    const auto near = [](double value, double size) { return Range{value - size, value + size}; };
    const double epsilon = width == 16 ? 0x1p-6 : width == 32 ? 0x1p-18 : 0x1p-18;
    TableRow& determinant = Add("Determinant", Type(1), {type}, tuples);
    determinant.allowed = [=](const Bits& in, size_t) {
      Doubles inverse;
      const double value = Eliminate(Decoded(in, 0, n * n, width), n, &inverse);
      return near(value, std::fabs(value) * epsilon + epsilon);
    };
    TableRow& inverse = Add("MatrixInverse", type, {type}, tuples);
    inverse.gaps = 8;
    inverse.allowed = [=](const Bits& in, size_t i) {
      Doubles result;
      Eliminate(Decoded(in, 0, n * n, width), n, &result);
      return near(result[i], epsilon);
    };
    for (TableRow* row : {&rows_[rows_.size() - 2], &rows_.back()}) {
      row->want = [=, is_inverse = row == &rows_.back()](const Bits& in) {
        Doubles result;
        const double value = Eliminate(Decoded(in, 0, n * n, width), n, &result);
        return Rounded(is_inverse ? result : Doubles{value}, width);
      };
    }
  }

  const int width_;
  std::vector<TableRow> rows_;
};

void AddPacking(std::vector<TableRow>* rows) {
  struct Packing {
    const char* name;
    size_t parts;
    double scale;
    bool is_signed;
  };
  for (const Packing& packing : {Packing{"Snorm4x8", 4, 127, true},
                                 {"Unorm4x8", 4, 255, false},
                                 {"Snorm2x16", 2, 32767, true},
                                 {"Unorm2x16", 2, 65535, false}}) {
    const int width = packing.parts == 4 ? 8 : 16;
    TableRow pack;
    pack.instruction = format("Pack{}", packing.name);
    pack.result = "u32";
    pack.operands = {format("v{}f32", packing.parts)};
    const Bits values = FloatsOf({0, 1, -1, 0.5, -0.3, 0.7, 2, -5, 0.1, 1000, 0.999}, 32);
    for (size_t i = 0; i < values.size(); ++i) {
      Bits tuple;
      for (size_t k = 0; k < packing.parts; ++k)
        tuple.push_back(values[(i + 3 * k) % values.size()]);
      pack.tuples.push_back(std::move(tuple));
    }
    pack.want = [packing, width](const Bits& in) {
      uint64_t bits = 0;
      for (size_t i = 0; i < in.size(); ++i) {
        const double low = packing.is_signed ? -1 : 0;
        const double value = std::clamp(DecodeFloat(in[i], 32), low, 1.0) * packing.scale;
        const auto whole = static_cast<int64_t>(std::floor(value + 0.5));
        bits |= Masked(static_cast<uint64_t>(whole), width) << (i * static_cast<size_t>(width));
      }
      // Halves may go either way: the drivers are no help, and neither are we.
      for (const uint64_t part : in) {
        const double value = DecodeFloat(part, 32) * packing.scale;
        if (std::fabs(value - std::floor(value) - 0.5) < 1e-3) return Want();
      }
      return Want::Value({bits});
    };
    rows->push_back(pack);
    TableRow unpack;
    unpack.instruction = format("Unpack{}", packing.name);
    unpack.result = pack.operands[0];
    unpack.operands = {"u32"};
    unpack.tuples =
        Cross({{0, 0xffffffff, 0x7f7f7f7f, 0x80808080, 0x81017f00, 0x80007fff, 0x12345678}});
    const auto exact = [packing, width](const Bits& in, size_t i) {
      const uint64_t part = Masked(in[0] >> (i * static_cast<size_t>(width)), width);
      const double value = packing.is_signed ? static_cast<double>(SignExtended(part, width))
                                             : static_cast<double>(part);
      return std::max(value / packing.scale, -1.0);
    };
    unpack.want = [exact, parts = packing.parts](const Bits& in) {
      Want want = Want::Value({});
      for (size_t i = 0; i < parts; ++i) want.bits.push_back(EncodeFloat(exact(in, i), 32));
      return want;
    };
    unpack.allowed = [exact](const Bits& in, size_t i) {
      const double value = exact(in, i), room = 2.51 * GapAt(value, 32);
      return Range{value - room, value + room};
    };
    rows->push_back(std::move(unpack));
  }
  TableRow half;
  half.instruction = "PackHalf2x16";
  half.result = "u32";
  half.operands = {"v2f32"};
  const Bits values = FloatsOf({1, -1, 0.5, 1.5, 65504, -0.25, 1024}, 32);
  half.tuples = Cross({values, values});
  half.exact = true;
  half.want = [](const Bits& in) {
    return Want::Value(
        {EncodeFloat(DecodeFloat(in[0], 32), 16) | EncodeFloat(DecodeFloat(in[1], 32), 16) << 16});
  };
  rows->push_back(half);
  TableRow whole;
  whole.instruction = "UnpackHalf2x16";
  whole.result = "v2f32";
  whole.operands = {"u32"};
  whole.tuples = Cross({{0x3c003555, 0x7bff0001, 0x83ffc000, 0x00010400}});
  whole.want = [](const Bits& in) {
    return Want::Value({EncodeFloat(DecodeFloat(in[0] & 0xffff, 16), 32),
                        EncodeFloat(DecodeFloat(in[0] >> 16, 16), 32)});
  };
  rows->push_back(whole);
  TableRow twice;
  twice.instruction = "PackDouble2x32";
  twice.result = "f64";
  twice.operands = {"v2u32"};
  twice.tuples = {{0x12345678, 0x3ff00001}, {0, 0xbff80000}, {0xffffffff, 0x7fefffff}};
  twice.exact = true;
  twice.want = [](const Bits& in) { return Want::Value({in[0] | in[1] << 32}); };
  rows->push_back(twice);
  std::swap(twice.result, twice.operands[0]);
  twice.instruction = "UnpackDouble2x32";
  twice.tuples = {{0x3ff0000112345678}, {0xbff8000000000000}, {0x7fefffffffffffff}};
  twice.want = [](const Bits& in) { return Want::Value({in[0] & 0xffffffff, in[0] >> 32}); };
  rows->push_back(twice);
}

}  // namespace

std::vector<TableRow> GlslVectorRows() {
  std::vector<TableRow> rows = Vectors(32).Rows();
  for (const int width : {16, 64}) {
    for (TableRow& row : Vectors(width).Rows()) rows.push_back(std::move(row));
  }
  AddPacking(&rows);
  return rows;
}

}  // namespace refract
