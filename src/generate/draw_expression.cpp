// SPDX-License-Identifier: Apache-2.0
#include "generate/draw_expression.h"

#include <bit>
#include <iterator>

namespace refract::generate {
namespace {

using enum Operator;

template <size_t N>
Operator OneOf(const Operator (&list)[N], Random& random) {
  return list[random.Below(N)];
}

}  // namespace

uint32_t ExpressionDrawer::Constant(Type type) {
  const uint32_t first = static_cast<uint32_t>(tree_.constants.size());
  const uint32_t width = type.scalar == Scalar::kBool ? 1 : WidthOf(type.scalar);
  const uint64_t ones = ~uint64_t{0} >> (64 - width);
  const uint64_t special[] = {
      0, 1, 2, ones, (ones >> 1) + 1, ones >> 1, width - 1, width, ones >> (width / 2)};
  for (uint32_t i = 0; i < type.components; ++i) {
    uint64_t bits = 0;
    if (type.scalar == Scalar::kBool) {
      bits = random_.Below(2);
    } else if (type.IsFloat()) {  // -4 to 4, as variables have it
      const double scale = 1 << StoredFraction(type.scalar);
      const auto steps = random_.Below(static_cast<uint64_t>(8 * scale) + 1);
      bits = FloatBits(type.scalar, static_cast<double>(steps) / scale - 4);
    } else if (random_.Percent(40)) {
      bits = special[random_.Below(std::size(special))];
    } else {
      bits = (random_.Next() & ones) >> random_.Below(width);
    }
    tree_.constants.push_back(bits);
  }
  return Add(kConstant, type, first);
}

uint32_t ExpressionDrawer::Variable(const Place& place) {
  const Type type = tree_.variables[place.variable].TypeOf(place.member);
  return Add(kVariable, type, place.variable, place.index, place.member);
}

// Finds a place of the type and class in a variable, and reads it.
std::optional<uint32_t> ExpressionDrawer::FindVariable(Type type, bool divergent) {
  std::vector<Place>& places = places_;
  places.clear();
  for (const uint32_t id : variables_) {
    if (!IsUsable(id, divergent)) continue;
    const generate::Variable& variable = tree_.variables[id];
    if (variable.shape == Shape::kStruct) {
      for (uint32_t i = 0; i < variable.Parts(); ++i) {
        if (variable.TypeOf(i) == type) places.push_back({id, kNone, i});
      }
    } else if (variable.type == type) {
      places.push_back({id, kNone, 0});
    }
  }
  if (places.empty()) return std::nullopt;
  Place place = places[random_.Below(places.size())];
  const Shape shape = tree_.variables[place.variable].shape;
  if (shape == Shape::kArray || shape == Shape::kMatrix) {
    place.index = random_.Percent(40) ? Constant(kUintType) : Source(kUintType, divergent);
  }
  found_divergent_ |= divergent;
  return Variable(place);
}

uint32_t ExpressionDrawer::Source(Type type, bool divergent) {
  uint32_t source = kNone;
  if (options_.classes == 0) divergent = random_.Percent(50);
  found_divergent_ |= divergent;
  if (divergent) {
    source = random_.Percent(30)
                 ? Add(kInvocation, kUintType)
                 : Add(kInput, kUintType, static_cast<uint32_t>(random_.Below(kInputWords)));
  } else {
    std::vector<uint32_t>& counters = counters_;
    counters.clear();
    for (const Scope& scope : environment_.scopes()) {
      if (scope.is_loop) counters.push_back(scope.counter);
    }
    if (!counters.empty() && random_.Percent(60)) {
      source = Add(kCounter, kUintType, counters[random_.Below(counters.size())]);
    } else if (options_.spec_constants != 0 && random_.Percent(options_.spec_constants)) {
      source = SpecConstant(type.scalar);
    } else if (random_.Percent(15)) {
      source = Add(kWorkgroup, kUintType);
    } else {
      source = Add(kUniform, kUintType, static_cast<uint32_t>(random_.Below(kUniformWords)));
    }
  }
  if (tree_.expressions[source].type.scalar != type.scalar) {
    source = Add(kConvert, {type.scalar, 1}, source);
  }
  return type.components == 1 ? source : Add(kSplat, type, source);
}

uint32_t ExpressionDrawer::SpecConstant(Scalar scalar) {
  const auto one_of = [&](Scalar type) {
    std::vector<uint32_t> fits;
    for (uint32_t i = 0; i < kSpecConstants; ++i) {
      if (SpecConstantType(i).scalar == type) fits.push_back(i);
    }
    return fits[random_.Below(fits.size())];
  };
  uint32_t number = one_of(scalar);
  if (scalar == Scalar::kBool || random_.Percent(50)) {
    return Add(kSpecConstant, {scalar, 1}, number);
  }
  if (IsFloat(scalar)) {  // no operations of floats without the capability Kernel
    scalar = Scalar::kUint;
    number = 4 + number % 4;
  }
  const uint32_t width = WidthOf(scalar);
  const uint64_t bits = random_.Next() & ~uint64_t{0} >> (64 - width);
  tree_.constants.push_back(bits >> random_.Below(width));
  const auto word = static_cast<uint32_t>(tree_.constants.size() - 1);
  return Add(kSpecConstant, {scalar, 1}, number, word, static_cast<uint32_t>(random_.Below(4)));
}

uint32_t ExpressionDrawer::DrawLeaf(Type type, bool divergent) {
  if (random_.Percent(25)) return divergent ? Source(type, true) : Constant(type);
  if (const auto found = FindVariable(type, divergent)) return *found;
  return Source(type, divergent);
}

uint32_t ExpressionDrawer::Combine(Type type, uint32_t a, uint32_t b) {
  constexpr Operator kBools[] = {kXor, kAnd, kOr, kEqual};
  constexpr Operator kIntegers[] = {kAdd, kSubtract, kXor, kMultiply};
  constexpr Operator kFloats[] = {kAdd, kSubtract, kMultiply};
  if (type.scalar == Scalar::kBool) return Add(OneOf(kBools, random_), type, a, b);
  if (type.IsFloat()) return Add(OneOf(kFloats, random_), type, a, b);
  return Add(OneOf(kIntegers, random_), type, a, b);
}

uint32_t ExpressionDrawer::Draw(Type type, bool divergent) {
  const bool before = found_divergent_;
  found_divergent_ = false;
  uint32_t drawn = DrawNode(type, divergent, 0);
  if (divergent && !found_divergent_ && options_.classes != 0) {
    drawn = Add(type.scalar == Scalar::kBool ? kXor : kAdd, type, drawn, DrawLeaf(type, true));
    if (!found_divergent_) {
      drawn = Add(type.scalar == Scalar::kBool ? kXor : kAdd, type, drawn, Source(type, true));
    }
  }
  found_divergent_ = before;
  return drawn;
}

uint32_t ExpressionDrawer::DrawNode(Type type, bool divergent, uint32_t depth) {
  if (depth >= options_.depth || random_.Percent(25)) {
    // The paper's divergent statements use divergent variables and constants.
    return random_.Percent(20) ? Constant(type) : DrawLeaf(type, divergent);
  }
  const bool has_image = type.scalar != Scalar::kBool && WidthOf(type.scalar) == 32;
  if (options_.images != 0 && has_image && random_.Percent(options_.images)) {
    return Texel(type, divergent);
  }
  if (random_.Percent(20)) return DrawShape(type, divergent, depth + 1);
  return type.scalar == Scalar::kBool ? DrawCondition(type, divergent, depth + 1)
                                      : DrawArithmetic(type, divergent, depth + 1);
}

uint32_t ExpressionDrawer::Texel(Type type, bool divergent) {
  const uint32_t index = DrawIndex(divergent);
  const uint32_t samples = options_.floats != Floats::kNone && random_.Percent(40) ? 1 : 0;
  const uint32_t texel = Add(kTexel, type.WithComponents(4), index, samples);
  if (type.components == 4) return texel;
  if (type.components > 1) return Swizzle(type, texel, 4);
  return Add(kExtract, type, texel, static_cast<uint32_t>(random_.Below(4)));
}

uint32_t ExpressionDrawer::Swizzle(Type type, uint32_t vector, uint32_t count) {
  uint64_t packed = 0;
  for (uint32_t i = 0; i < 4; ++i) packed |= random_.Below(count) << (2 * i);
  return Add(kSwizzle, type, vector, static_cast<uint32_t>(packed));
}

// A conversion, a selection, or a value made from values with other numbers of components.
uint32_t ExpressionDrawer::DrawShape(Type type, bool divergent, uint32_t depth) {
  const auto draw = [&](Type of) { return DrawNode(of, divergent, depth); };
  switch (random_.Below(5)) {
    case 0: {
      const Scalar from = scalars_[random_.Below(scalars_.size())];
      if (from == type.scalar) return draw(type);
      return Add(kConvert, type, draw(type.WithScalar(from)));
    }
    case 1: {
      const uint32_t condition = draw(type.WithScalar(Scalar::kBool));
      const uint32_t yes = draw(type);
      return Add(kSelect, type, condition, yes, draw(type));
    }
    case 2: {
      const uint32_t count = static_cast<uint32_t>(random_.Between(2, 4));
      const uint32_t vector = draw(type.WithComponents(count));
      if (type.components > 1) return Swizzle(type, vector, count);
      if (count == 3 || random_.Percent(50)) {
        return Add(kExtract, type, vector, static_cast<uint32_t>(random_.Below(count)));
      }
      return Add(kExtractAt, type, vector, DrawIndex(divergent));
    }
    case 3:
      if (type.components > 1) {
        const uint32_t first = static_cast<uint32_t>(random_.Between(1, type.components - 1));
        const uint32_t a = draw(type.WithComponents(first));
        return Add(kJoin, type, a, draw(type.WithComponents(type.components - first)));
      }
      return draw(type);
    default:
      if (type.IsFloat() && type.components > 1) {
        return TimesMatrix(type, divergent, depth);
      }
      return type.components > 1 ? Add(kSplat, type, draw(type.WithComponents(1))) : draw(type);
  }
}

uint32_t ExpressionDrawer::DrawSelector(bool divergent) {
  std::vector<Scalar> fits;
  for (const Scalar scalar : scalars_) {
    if (IsInteger(scalar) && !IsSigned(scalar)) fits.push_back(scalar);
  }
  // Translators to languages without such switches refuse the whole program.
  const bool is_usual = fits.size() == 1 || !random_.Percent(25);
  const Scalar scalar = is_usual ? Scalar::kUint : fits[random_.Below(fits.size())];
  return Draw({scalar, 1}, divergent);
}

uint32_t ExpressionDrawer::TimesMatrix(Type type, bool divergent, uint32_t depth) {
  for (const uint32_t id : variables_) {
    const generate::Variable& variable = tree_.variables[id];
    if (variable.shape != Shape::kMatrix || variable.type != type) continue;
    if (!IsUsable(id, divergent)) continue;
    const uint32_t columns = variable.length;  // `variable` may move when expressions are added
    const uint32_t vector = DrawNode(type.WithComponents(columns), divergent, depth);
    found_divergent_ |= divergent;
    return Add(kTimesMatrix, type, vector, id);
  }
  return Add(kSplat, type, DrawNode(type.WithComponents(1), divergent, depth));
}

uint32_t ExpressionDrawer::DrawCondition(Type type, bool divergent, uint32_t depth) {
  const auto draw = [&](Type of) { return DrawNode(of, divergent, depth); };
  constexpr Operator kLogical[] = {kAnd, kOr, kXor, kEqual};
  constexpr Operator kCompares[] = {kEqual, kNotEqual, kLess, kLessEqual};
  switch (random_.Below(6)) {
    case 0:
      return Add(kNot, type, draw(type));
    case 1: {
      const uint32_t a = draw(type), b = draw(type);
      return Add(OneOf(kLogical, random_), type, a, b);
    }
    case 2:
      if (type.components == 1) {
        const auto count = static_cast<uint32_t>(random_.Between(2, 4));
        const uint32_t vector = draw(type.WithComponents(count));
        return Add(random_.Percent(50) ? kAny : kAll, type, vector);
      }
      [[fallthrough]];
    default: {
      const Scalar scalar = scalars_[1 + random_.Below(scalars_.size() - 1)];
      const uint32_t a = draw(type.WithScalar(scalar)), b = draw(type.WithScalar(scalar));
      return Add(OneOf(kCompares, random_), type, a, b);
    }
  }
}

uint32_t ExpressionDrawer::DrawArithmetic(Type type, bool divergent, uint32_t depth) {
  const auto draw = [&](Type of) { return DrawNode(of, divergent, depth); };
  const bool is_float = type.IsFloat(), has_32_bits = WidthOf(type.scalar) == 32;
  const bool is_signed = is_float || IsSigned(type.scalar);
  constexpr Operator kIntegerUnary[] = {kNegate, kNot, kBitCount, kBitReverse, kFindLsb, kFindMsb};
  constexpr Operator kOfAllWidths[] = {kNegate, kNot};
  constexpr Operator kSignedUnary[] = {kNegate, kAbs, kSign};
  constexpr Operator kIntegerBinary[] = {kAdd,    kSubtract,  kMultiply,  kDivide, kRemainder,
                                         kModulo, kMin,       kMax,       kAnd,    kOr,
                                         kXor,    kShiftLeft, kShiftRight};
  constexpr Operator kFloatBinary[] = {kAdd, kSubtract, kMultiply, kMin, kMax};
  const bool is_uniform = !divergent && options_.classes != 0;
  if (is_float && has_32_bits && is_uniform && options_.derivatives != 0 &&
      options_.stage == Stage::kFragment && environment_.MayMeet() &&
      random_.Percent(options_.derivatives)) {
    meets_ = true;
    const uint32_t value = draw(type), of = draw(type);
    const auto direction = static_cast<uint32_t>(random_.Below(3));
    return Add(kAdd, type, value, Add(kDerivative, type, of, direction));
  }
  if (is_float && has_32_bits && options_.floats == Floats::kBounded && random_.Percent(25)) {
    constexpr Operator kBounded[] = {kDivide, kSqrt, kInverseSqrt, kSin, kCos, kExp2, kLog2, kAtan};
    const Operator op = OneOf(kBounded, random_);
    const uint32_t a = draw(type);
    return op == kDivide ? Add(op, type, a, draw(type)) : Add(op, type, a);
  }
  const uint64_t kind = random_.Below(10);
  if (kind < 2) {
    Operator op = is_float      ? kFloor
                  : has_32_bits ? OneOf(kIntegerUnary, random_)
                                : OneOf(kOfAllWidths, random_);
    if (is_signed && random_.Percent(60)) op = OneOf(kSignedUnary, random_);
    return Add(op, type, draw(type));
  }
  if (kind == 2) {
    const uint32_t a = draw(type), low = draw(type);
    return Add(kClamp, type, a, low, draw(type));
  }
  if (kind == 3 && is_float && type.components == 1) {
    const Type vector = type.WithComponents(static_cast<uint32_t>(random_.Between(2, 4)));
    const uint32_t a = draw(vector);
    return Add(kDot, type, a, draw(vector));
  }
  if (kind == 3 && !is_float && has_32_bits) {
    const uint32_t a = draw(type), offset = DrawIndex(divergent);
    return Add(kExtractBits, type, a, offset, DrawIndex(divergent));
  }
  const uint32_t a = draw(type);
  const Operator op = is_float ? OneOf(kFloatBinary, random_) : OneOf(kIntegerBinary, random_);
  return Add(op, type, a, draw(type));
}

}  // namespace refract::generate
