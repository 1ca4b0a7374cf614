// SPDX-License-Identifier: Apache-2.0
// A fragment shader that compares the colours that it draws.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "reduce/self_check_code.h"
#include "reduce/self_checking.h"
#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace reduce {
namespace {

using spv::Op;
constexpr uint32_t kRed = 0xff0000ff;  // as in ExpectedPicture
constexpr float kBeyond = 1e30f;

// An output of four floats or integers, and what it must be.
struct Colour {
  Id variable, type, scalar;
  const ColourTarget* target;
};

// The variable at this location, and its type; kNone if it is not a vector of four components of
// 32 bits.
Colour ColourAt(const SelfCheckCode& code, const ColourTarget& target) {
  const Module& module = code.module();
  for (const Id variable : code.entry().interface) {
    const Id type = module.TypeOf(variable);
    if (StorageClassOf(module, type) != spv::StorageClass::Output ||
        FindDecoration(module, variable, spv::Decoration::Location) == Inst::kNone ||
        DecorationValue(module, variable, spv::Decoration::Location) != target.location) {
      continue;
    }
    const Id pointee = ElementType(module, type);
    if (!IsVector(module, pointee) || PartCount(module, pointee) != 4) break;
    const Id scalar = ElementType(module, pointee);
    if (Width(module, scalar) != 32) break;
    return {variable, pointee, scalar, &target};
  }
  return {Id::kNone, Id::kNone, Id::kNone, &target};
}

// The values of a component that give its texel lie between these bounds, of which these are the
// bits. For a level of an 8-bit image see Vulkan, "Conversion From Floating-Point to Normalized
// Fixed-Point": values beyond 0 and 1 are clamped.
struct Bounds {
  uint32_t lowest, highest;
};
Bounds BoundsOf(const ColourTarget& target, size_t component) {
  if (target.format != spv::ImageFormat::Rgba8) {
    uint32_t bits;
    std::memcpy(&bits, target.texels.data() + sizeof bits * component, sizeof bits);
    return {bits, bits};
  }
  const float level = static_cast<uint8_t>(target.texels[component]);
  return {std::bit_cast<uint32_t>(level == 0 ? -kBeyond : (level - 0.5f) / 255.0f),
          std::bit_cast<uint32_t>(level == 255 ? kBeyond : (level + 0.5f) / 255.0f)};
}

bool HasOneColour(const ColourTarget& target) {
  const std::string& texels = target.texels;
  const ptrdiff_t pixel = target.format == spv::ImageFormat::Rgba8 ? 4 : 16;
  return std::equal(texels.begin() + pixel, texels.end(), texels.begin());
}

// A bound of the colour of a pixel: the same for all pixels, or from a table.
Id BoundOf(SelfCheckCode& code, const Colour& colour, uint32_t Bounds::*bound, Id index) {
  const ColourTarget& target = *colour.target;
  Args table;
  for (size_t pixel = 0; pixel < size_t{target.width} * target.height; ++pixel) {
    Args parts;
    for (size_t i = 0; i < 4; ++i) {
      parts.push_back(code.Bits(colour.scalar, BoundsOf(target, 4 * pixel + i).*bound));
    }
    table.push_back(code.Composite(colour.type, parts));
    if (HasOneColour(target)) return code.Composite(colour.type, parts);
  }
  const Id count = code.Uint(static_cast<uint32_t>(table.size()));
  const Id array = code.editor().Declare(Op::OpTypeArray, Id::kNone, {colour.type, count});
  const Id variable = AddVariable(code.editor(), spv::StorageClass::Function, code.function(),
                                  array, code.NewName(), code.Composite(array, table));
  const Id pointer = DeclarePointer(code.editor(), spv::StorageClass::Function, colour.type);
  return code.Value(Op::OpLoad, colour.type,
                    {code.Value(Op::OpAccessChain, pointer, {variable, index})});
}

// The number of the pixel, row by row.
Result<Id> PixelIndex(SelfCheckCode& code, const ColourTarget& target, const Inputs& inputs) {
  if (inputs.samples > 1) return CannotCheck("a pixel has several samples of different colours");
  const size_t pixels = size_t{target.width} * target.height;
  if (pixels > kMostCheckedPixels) {
    return CannotCheck(
        format("the image has {} pixels of different colours; at most {} can be compared", pixels,
               kMostCheckedPixels));
  }
  const Id scalar = code.Type(FloatType(32));
  const Id vector = code.Type(VectorType(FloatType(32), 4));
  const Id place =
      code.Value(Op::OpLoad, vector, {code.BuiltInVariable(spv::BuiltIn::FragCoord, vector)});
  Id part[2];
  for (uint32_t i = 0; i < 2; ++i) {
    part[i] = code.Value(Op::OpConvertFToU, code.Uint(),
                         {code.Value(Op::OpCompositeExtract, scalar, {place, i})});
  }
  const Id rows = code.Value(Op::OpIMul, code.Uint(), {part[1], code.Uint(target.width)});
  return code.Value(Op::OpIAdd, code.Uint(), {rows, part[0]});
}

// Whether a component is wrong. A component that is not a number is.
Id IsWrong(SelfCheckCode& code, const Colour& colour, Id index) {
  const Id tests = code.Type(VectorType(BoolType(), 4));
  const Id drawn = code.Value(Op::OpLoad, colour.type, {colour.variable});
  const Id lowest = BoundOf(code, colour, &Bounds::lowest, index);
  if (!IsFloat(code.module(), colour.scalar)) {
    return code.Value(Op::OpAny, code.Bool(),
                      {code.Value(Op::OpINotEqual, tests, {drawn, lowest})});
  }
  const Id highest = BoundOf(code, colour, &Bounds::highest, index);
  const Id below = code.Value(Op::OpAny, code.Bool(),
                              {code.Value(Op::OpFUnordLessThan, tests, {drawn, lowest})});
  const Id above = code.Value(Op::OpAny, code.Bool(),
                              {code.Value(Op::OpFUnordGreaterThan, tests, {drawn, highest})});
  return code.Value(Op::OpLogicalOr, code.Bool(), {below, above});
}

// The outputs to compare. The first is at location 0, where the result is drawn.
Result<std::vector<Colour>> ColoursOf(const SelfCheckCode& code, const Outputs& outputs) {
  std::vector<Colour> colours;
  for (const ColourTarget& target : outputs.targets) {
    const Colour colour = ColourAt(code, target);
    if (colour.variable == Id::kNone || target.texels.empty()) {
      return CannotCheck(
          format("{} does not have four components of 32 bits", TargetText(target.location)));
    }
    colours.push_back(colour);
    if (target.location == 0) std::swap(colours.front(), colours.back());
  }
  if (colours.empty() || colours[0].target->location != 0 ||
      !IsFloat(code.module(), colours[0].scalar)) {
    return CannotCheck("the shader does not draw floats at location 0");
  }
  return colours;
}

}  // namespace

Status CheckColours(SelfCheckCode& code, const Outputs& outputs, Inputs* inputs) {
  const Result<std::vector<Colour>> colours = ColoursOf(code, outputs);
  if (!colours) return colours.error();
  // A colour that is wrong, if the call does not write one.
  const Id beyond = code.Float(2 * kBeyond);
  for (const Colour& colour : *colours) {
    if (!IsFloat(code.module(), colour.scalar)) continue;
    code.Plain(Op::OpStore,
               {colour.variable, code.Composite(colour.type, {beyond, beyond, beyond, beyond})});
  }
  code.Call();
  const bool one_colour = std::all_of(colours->begin(), colours->end(),
                                      [](const Colour& c) { return HasOneColour(*c.target); });
  const ColourTarget& target = *colours->front().target;
  const Result<Id> index = one_colour ? Result<Id>(Id::kNone) : PixelIndex(code, target, *inputs);
  if (!index) return index.error();
  Id wrong = Id::kNone;
  for (const Colour& colour : *colours) {
    const Id one = IsWrong(code, colour, *index);
    wrong = wrong == Id::kNone ? one : code.Value(Op::OpLogicalOr, code.Bool(), {wrong, one});
  }
  // Before SPIR-V 1.4, the condition of OpSelect has as many components as its result.
  const Id tests = code.Type(VectorType(BoolType(), 4));
  const Id wrongs = code.Value(Op::OpCompositeConstruct, tests, {wrong, wrong, wrong, wrong});
  const Colour& result = colours->front();
  const Id zero = code.Float(0), one = code.Float(1);
  const Id red = code.Composite(result.type, {one, zero, zero, one});
  const Id black = code.Composite(result.type, {zero, zero, zero, one});
  code.Plain(Op::OpStore,
             {result.variable, code.Value(Op::OpSelect, result.type, {wrongs, black, red})});
  ExpectedPicture picture;
  picture.tile = std::max(target.width, target.height);
  picture.colours = {kRed};
  inputs->float_target = spv::ImageFormat::Rgba8;
  inputs->expected = ExpectedOutputs{{}, std::move(picture)};
  return {};
}

}  // namespace reduce
}  // namespace refract
