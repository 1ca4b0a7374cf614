// SPDX-License-Identifier: Apache-2.0
#include "input/inputs.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "unit/shared/plain_error.h"

namespace refract {
namespace {

Inputs MustParse(std::string_view text) {
  auto inputs = ParseInputs("t.json", text);
  EXPECT_TRUE(inputs) << inputs.error().message;
  return inputs ? *inputs : Inputs();
}

std::string ErrorOf(std::string_view text) {
  auto inputs = ParseInputs("t.json", text);
  return inputs ? "accepted" : PlainError(inputs.error().message);
}

// Every func, place and section.
constexpr std::string_view kAll = R"({
  "time": {"func": "glUniform1f", "args": [0.1]},
  "resolution": {"func": "glUniform2f", "args": [256, 256.0], "binding": 1},
  "flags": {"func": "glUniform3ui", "args": [0, 1, 4294967295], "binding": 2, "set": 3},
  "table": {"func": "glUniform2iv", "args": [-2147483648, 2147483647, 0, -1], "count": 2,
            "push_constant": true, "offset": 16},
  "list": {"func": "glUniform1fv", "args": [1e-3, -0.0, 3.4028234e38]},
  "m": {"func": "glUniformMatrix2x3fv", "args": [1, 2, 3, 4, 5, 6]},
  "ms": {"func": "glUniformMatrix2fv", "args": [1, 2, 3, 4, 5, 6, 7, 8], "count": 2},
  "wide": {"func": "glUniform1i64", "args": [-9223372036854775808]},
  "wider": {"func": "glUniform2ui64v", "args": [18446744073709551615, 0]},
  "precise": {"func": "glUniform1d", "args": [0.1]},
  "half": {"func": "glUniform4f16", "args": [0.1, 65504, -6e-8, 1]},
  "tiny": {"func": "glUniform2i8", "args": [-128, 127]},
  "md": {"func": "glUniformMatrix2dv", "args": [0.1, 0, 0, 0.2]},
  "tex": {"func": "sampler2D", "texture": "DEFAULT", "wrap": "border", "border": "white",
          "binding": 7},
  "a/b~": {"func": "glUniform1i", "args": [1]},
  "many": {"func": "glUniform2fv", "args": [1, 2], "count": 100, "set": 1, "binding": 8},
  "few": {"func": "glUniform1uiv", "args": [7], "count": 3},
  "scratch": {"func": "buffer", "size": 4096, "binding": 9},
  "noise": {"func": "image2DArray", "texture": "noise", "seed": 4294967295, "format": "r32ui",
            "size": [4, 5, 6], "binding": 10},
  "halves": {"func": "texture1D", "args": [0.5, -2], "format": "r16f", "size": [2]},
  "one": {"func": "samplerCube", "args": [-128, 127, 0, 1], "format": "rgba8_snorm",
          "filter": "linear", "wrap": "clamp"},
  "how": {"func": "sampler", "wrap": "mirror", "filter": "linear"},
  "chain": {"func": "sampler2DArray", "args": [1, 2, 3, 4, 5, 6], "format": "r8", "size": [2, 1, 2],
            "levels": 2, "mip_filter": "linear", "min_lod": 0.5, "max_lod": 2, "lod_bias": -1.5},
  "parts": {"func": "texture2DMS", "args": [1, 2, 3, 4], "format": "r8", "size": [2, 1], "samples": 2},
  "sheets": {"func": "sampler2DMSArray", "texture": "noise", "size": [4, 5, 6]},
  "zeros": {"func": "image3D"},
  "city": {"func": "accelerationStructure", "scene": "steps", "set": 1, "binding": 11},
  "lowest": {"func": "sampler2D", "texture": "noise", "wrap": "clamp", "reduction": "minimum", "coordinates": "texels"},
  "before": {"func": "subpassInputMS", "texture": "noise", "set": 1, "binding": 12},
  "prints": {"func": "image2DMSArray", "size": [4, 5, 6], "samples": 2},
  "$framebuffer": {"width": 64, "height": 32, "format": "rgba32f", "samples": 8, "per_sample": true},
  "$depth": {"clear": 0.25, "compare": "greater"},
  "$grid": {"dimensions": [4, 5]},
  "$compute": {"num_groups": [2, 3, 4], "buffer": {"binding": 5, "fields": [
    {"type": "int", "data": [1]}, {"type": "vec2", "data": [0.5, 1, 2, 3]},
    {"type": "uint64", "data": [18446744073709551615]}]}},
  "$spec_constants": {"7": -3, "0": true, "8": 1.5, "9": 18446744073709551615},
  "$expected": {"buffers": [{"binding": 3, "words": [1, 4294967295]}, {"binding": 0, "set": 2, "first": 6, "words": [7]}],
                "picture": {"tile": 8, "colours": [4278255360, 0]},
                "regions": [{"x": 1, "y": 2, "width": 3, "height": 4, "colour": 5, "channels": 3}]}
})";

TEST(Inputs, ReadsValuesAsBits) {
  const Inputs inputs = MustParse(kAll);
  ASSERT_EQ(inputs.values.size(), 30u);
  EXPECT_EQ(inputs.Find("time")->words, std::vector<uint64_t>{0x3dcccccd});
  EXPECT_FALSE(inputs.Find("time")->has_binding);
  EXPECT_EQ(inputs.Find("resolution")->words, (std::vector<uint64_t>{0x43800000, 0x43800000}));
  EXPECT_EQ(inputs.Find("flags")->set, 3u);
  EXPECT_EQ(inputs.Find("flags")->words[2], 0xffffffffu);
  const InputValue& table = *inputs.Find("table");
  EXPECT_EQ(table.words, (std::vector<uint64_t>{0x80000000, 0x7fffffff, 0, 0xffffffff}));
  EXPECT_TRUE(table.push_constant);
  EXPECT_EQ(table.offset, 16u);
  EXPECT_EQ(inputs.Find("list")->count, 3u);
  EXPECT_EQ(inputs.Find("list")->words[1], 0x80000000u);
  EXPECT_EQ(inputs.Find("m")->columns, 2u);
  EXPECT_EQ(inputs.Find("m")->rows, 3u);
  EXPECT_EQ(inputs.Find("wide")->words, std::vector<uint64_t>{0x8000000000000000u});
  EXPECT_EQ(inputs.Find("precise")->words, std::vector<uint64_t>{0x3fb999999999999au});
  EXPECT_EQ(inputs.Find("half")->words, (std::vector<uint64_t>{0x2e66, 0x7bff, 0x8001, 0x3c00}));
  EXPECT_EQ(inputs.Find("tiny")->words, (std::vector<uint64_t>{0x80, 0x7f}));
  EXPECT_EQ(inputs.Find("tex")->image->texture, "DEFAULT");
  EXPECT_EQ(inputs.Find("many")->words.size(), 200u);
  EXPECT_EQ(inputs.Find("many")->words[199], 0x40000000u);
  EXPECT_EQ(inputs.Find("few")->words, (std::vector<uint64_t>{7, 7, 7}));
  EXPECT_EQ(inputs.Find("scratch")->buffer_bytes, 4096u);
  const ImageInput& noise = *inputs.Find("noise")->image;
  EXPECT_EQ(noise.kind, BoundImage::kStorage);
  EXPECT_TRUE(noise.arrayed);
  EXPECT_EQ(noise.size, (std::vector<uint32_t>{4, 5, 6}));
  EXPECT_EQ(noise.format, spv::ImageFormat::R32ui);
  EXPECT_EQ(inputs.Find("halves")->words, (std::vector<uint64_t>{0x3800, 0xc000}));
  EXPECT_EQ(inputs.Find("one")->words, (std::vector<uint64_t>{0x80, 0x7f, 0, 1}));
  EXPECT_EQ(inputs.Find("one")->image->wrap, BoundImage::kClamp);
  EXPECT_EQ(inputs.Find("how")->image->wrap, BoundImage::kMirror);
  EXPECT_EQ(inputs.Find("tex")->image->wrap, BoundImage::kBorder);
  EXPECT_EQ(inputs.Find("tex")->image->border, BoundImage::kWhite);
  EXPECT_EQ(inputs.Find("how")->image->kind, BoundImage::kSampler);
  EXPECT_EQ(inputs.Find("chain")->image->levels, 2u);
  EXPECT_EQ(inputs.Find("chain")->image->mip, (MipSampling{true, 0.5f, 2, -1.5f}));
  EXPECT_EQ(inputs.Find("chain")->image->samples, 1u);
  EXPECT_EQ(inputs.Find("parts")->image->samples, 2u);
  EXPECT_EQ(inputs.Find("sheets")->image->samples, kDefaultSamples);
  EXPECT_EQ(inputs.Find("city")->image->kind, BoundImage::kScene);
  EXPECT_EQ(inputs.Find("city")->image->scene, BoundImage::kSteps);
  EXPECT_EQ(inputs.float_target, spv::ImageFormat::Rgba32f);
  EXPECT_EQ(inputs.Find("lowest")->image->reduction, BoundImage::kMinimum);
  EXPECT_TRUE(inputs.Find("lowest")->image->texel_coordinates);
  EXPECT_EQ(inputs.Find("before")->image->kind, BoundImage::kAttachment);
  EXPECT_EQ(inputs.Find("before")->image->samples, kDefaultSamples);
  EXPECT_EQ(inputs.Find("prints")->image->samples, 2u);
  EXPECT_EQ(inputs.width, 64u);
  EXPECT_EQ(inputs.samples, 8u);
  EXPECT_TRUE(inputs.per_sample);
  EXPECT_EQ(inputs.grid_rows, 5u);
  EXPECT_EQ(inputs.compute->groups[2], 4u);
  EXPECT_EQ(inputs.compute->fields[1].count, 2u);
  ASSERT_EQ(inputs.spec_constants.size(), 4u);
  EXPECT_TRUE(inputs.spec_constants[0].negative);
  EXPECT_EQ(inputs.spec_constants[2].bits, 0x3ff8000000000000u);
  ASSERT_EQ(inputs.expected->buffers.size(), 2u);
  EXPECT_EQ(inputs.expected->buffers[0].words, (std::vector<uint32_t>{1, 0xffffffff}));
  EXPECT_EQ(inputs.expected->buffers[1].set, 2u);
  EXPECT_EQ(inputs.expected->buffers[0].first, std::nullopt);
  EXPECT_EQ(inputs.expected->buffers[1].first, 6u);
  ASSERT_EQ(inputs.expected->regions.size(), 1u);
  EXPECT_EQ(inputs.expected->regions[0], (ExpectedRegion{1, 2, 3, 4, 5, 3}));
  EXPECT_EQ(inputs.expected->picture->tile, 8u);
  EXPECT_EQ(inputs.expected->picture->colours[0], 0xff00ff00u);
}

TEST(Inputs, WrittenTextReadsBackEqual) {
  const Inputs inputs = MustParse(kAll);
  const std::string text = WriteInputs(inputs);
  EXPECT_EQ(MustParse(text), inputs) << text;
  EXPECT_EQ(WriteInputs(MustParse(text)), text);
  EXPECT_EQ(WriteInputs(Inputs()), "{}\n");
  EXPECT_EQ(MustParse("{}"), Inputs());
}

TEST(Inputs, WritesOneLineForAUniform) {
  InputValue value;
  value.name = "x";
  value.binding = 3;
  value.has_binding = true;
  value.words = {0xffffffff};
  Inputs inputs;
  inputs.values = {value};
  EXPECT_EQ(WriteInputs(inputs),
            "{\n  \"x\": {\"func\": \"glUniform1i\", \"args\": [-1], \"binding\": 3}\n}\n");
}

// Lines and columns are right wherever a line break is, and however long a line is.
TEST(Inputs, ErrorsNamePlacesOnLongLines) {
  const auto error = [](const std::string& text) {
    const auto inputs = ParseInputs("t.json", text);
    return inputs ? std::string("parsed") : inputs.error().message;
  };
  std::string list = "{\"x\": {\"func\": \"glUniform1iv\", \"args\": [1";
  for (int i = 0; i < 20'000; ++i) list += ", 1";
  const size_t column = list.size() + 3;  // of the last character of what follows
  const std::string place = format("t.json:1:{}: error: invalid JSON", column);
  EXPECT_EQ(error(list + ", ?").substr(0, place.size()), place);
  EXPECT_EQ(error("{\n}\n" + list + ", ?").substr(0, 8), "t.json:3");
  EXPECT_EQ(error("\n\n" + list + ",\n ?").substr(0, 31), "t.json:4:2: error: invalid JSON");
  const std::string value = format("t.json:2:{}: error: /x/args/2000", column);
  EXPECT_EQ(error("\n" + list + ", \"y\"], \"binding\": 0}}").substr(0, value.size()), value);
  EXPECT_EQ(error("\n" + list + ",\n\n\"y\"\n], \"binding\": 0}}").substr(0, 31),
            "t.json:4:1: error: /x/args/2000");
}

TEST(Inputs, WritesLongListsInSeveralLines) {
  InputValue value;
  value.name = "x";
  value.words.assign(65, 7);
  value.words[0] = 8;
  value.count = 65;
  Inputs inputs;
  inputs.values = {value};
  const std::string text = WriteInputs(inputs);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_EQ(MustParse(text), inputs);
  const std::string one = WriteInputs(inputs, ListForm::kOneLine);
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 3);
  EXPECT_EQ(MustParse(one), inputs);
}

TEST(Inputs, FloatsWithAnyBitsSurviveWriting) {
  Random random(7);
  for (const uint32_t width : {16u, 32u, 64u}) {
    InputValue value;
    value.name = "x";
    value.scalar = InputValue::kFloat;
    value.width = width;
    const uint64_t exponent = width == 64 ? 0x7ff0000000000000u : width == 32 ? 0x7f800000 : 0x7c00;
    while (value.words.size() < 3000) {
      const uint64_t bits = random.Next() >> (64 - width);
      if ((bits & exponent) != exponent) value.words.push_back(bits);
    }
    value.count = 3000;
    Inputs inputs;
    inputs.values = {value};
    EXPECT_EQ(MustParse(WriteInputs(inputs)), inputs) << width;
  }
}

TEST(Inputs, DecimalsAreRoundedOnceToTheNearestEven) {
  const auto bits = [](std::string_view func, std::string_view number) {
    const Inputs inputs =
        MustParse(format(R"({{"x": {{"func": "{}", "args": [{}]}}}})", func, number));
    return inputs.values.at(0).words.at(0);
  };
  EXPECT_EQ(bits("glUniform1f", "16777217"), 0x4b800000u);            // a tie: down to even
  EXPECT_EQ(bits("glUniform1f", "16777219"), 0x4b800002u);            // a tie: up to even
  EXPECT_EQ(bits("glUniform1f", "16777217.000000001"), 0x4b800001u);  // a double loses the rest
  EXPECT_EQ(bits("glUniform1f16", "2049"), 0x6800u);
  EXPECT_EQ(bits("glUniform1f16", "2051"), 0x6802u);
  EXPECT_EQ(bits("glUniform1f16", "65519"), 0x7bffu);
  EXPECT_EQ(bits("glUniform1f", "1e-60"), 0u);
  EXPECT_EQ(bits("glUniform1f", "-1e-60"), 0x80000000u);
  EXPECT_EQ(bits("glUniform1d", "1e-400"), 0u);
}

struct Refusal {
  std::string_view text, message;
};

TEST(Inputs, ErrorsNameLineAndPointer) {
  constexpr std::string_view kUnknownFunc =
      "expected a name such as glUniform1f, glUniformMatrix2fv, sampler2D, texture2D or image2D, "
      "or "
      "sampler, subpassInput, accelerationStructure, buffer or address";
  const Refusal refusals[] = {
      {"",
       "t.json:1: invalid JSON: syntax error while parsing value - unexpected end of input; "
       "expected '[', '{', or a literal"},
      {"[]", "t.json:1: /: expected an object"},
      {"{\n\"x\": {\n\"func\": 3}}", "t.json:3: /x/func: "},
      {R"({"x": {"func": "glUniform5f", "args": [1]}})", "t.json:1: /x/func: "},
      {R"({"x": {"func": "glUniformMatrix2iv", "args": [1]}})", "t.json:1: /x/func: "},
      {R"({"x": {"args": [1]}})", "t.json:1: /x: \"func\" is missing"},
      {R"({"x": {"func": "glUniform1f"}})", "t.json:1: /x: \"args\" is missing"},
      {R"({"x": {"func": "glUniform1f", "args": [1], "arg": 1}})", "t.json:1: /x/arg: unknown key"},
      {"{\"x\": {\"func\": \"glUniform1f\", \"args\":\n[1,\n2]}}",
       "t.json:2: /x/args: wrong number of values: expected 1, found 2"},
      {R"({"x": {"func": "glUniform1fv", "args": []}})",
       "t.json:1: /x/args: expected 1 to 1048576 elements"},
      {R"({"x": {"func": "glUniform2fv", "args": [1, 2, 3]}})",
       "t.json:1: /x/args: wrong number of values: expected 2, found 3"},
      {R"({"x": {"func": "glUniform1f", "args": [1], "count": 1}})",
       "t.json:1: /x/count: \"count\" needs a \"func\" that ends in v"},
      {R"({"x": {"func": "glUniform1fv", "args": [1], "count": 4294967297}})",
       "t.json:1: /x/count: expected an integer from 1 to 1048576"},
      {R"({"x": {"func": "glUniform1i", "args": [2147483648]}})",
       "t.json:1: /x/args/0: the number does not fit into a signed integer of 32 bits"},
      {R"({"x": {"func": "glUniform1ui", "args": [-1]}})",
       "t.json:1: /x/args/0: the number does not fit into an unsigned integer of 32 bits"},
      {R"({"x": {"func": "glUniform1i", "args": [1.0]}})",
       "t.json:1: /x/args/0: expected an integer"},
      {R"({"x": {"func": "glUniform1f", "args": [3.5e38]}})",
       "t.json:1: /x/args/0: the number is too large for a float of 32 bits"},
      {R"({"x": {"func": "glUniform1f16", "args": [65520]}})",
       "t.json:1: /x/args/0: the number is too large for a float of 16 bits"},
      {R"({"x": {"func": "glUniform1f", "args": ["1"]}})",
       "t.json:1: /x/args/0: expected a number"},
      {R"({"x": {"func": "glUniform1f", "args": [NaN]}})", "t.json:1: invalid JSON: "},
      {R"({"x": {"func": "glUniform1f", "args": [1e999]}})", "t.json:1: invalid JSON: "},
      {R"({"x": {"func": "glUniform1f", "args": [1], "binding": -1}})",
       "t.json:1: /x/binding: expected an integer from 0 to 65535"},
      {R"({"x": {"func": "glUniform1f", "args": [1], "set": 1}})",
       "t.json:1: /x: \"set\" needs a \"binding\""},
      {R"({"x": {"func": "glUniform1f", "args": [1], "offset": 4}})",
       "t.json:1: /x: \"offset\" needs a \"binding\", a \"buffer\" or \"push_constant\""},
      {R"({"x": {"func": "glUniform1f", "args": [1], "binding": 1, "push_constant": true}})",
       "t.json:1: /x: \"binding\" and \"push_constant\" cannot be used together"},
      {"{\"x\": {\"func\": \"glUniform1f\", \"args\": [1], \"binding\": 1, \"offset\": 4},\n"
       "\"y\": {\"func\": \"glUniform1f\", \"args\": [1], \"binding\": 1, \"offset\": 4}}",
       "t.json:2: /y: another uniform has the same offset"},
      {R"({"x": {"func": "sampler2D", "texture": "a.png"}})",
       "t.json:1: /x/texture: expected \"checker\", \"gradient\", \"noise\" or \"DEFAULT\""},
      {R"({"x": {"func": "sampler2D", "texture": "DEFAULT", "args": []}})",
       "t.json:1: /x/args: \"args\" and \"texture\" cannot be used together"},
      {R"({"x": {"func": "sampler2D", "texture": "DEFAULT", "offset": 0, "binding": 1}})",
       "t.json:1: /x/offset: unknown key"},
      {R"({"x": {"func": "texture2D"}})", "t.json:1: /x: \"texture\" or \"args\" is missing"},
      {R"({"x": {"func": "texture2D", "texture": "noise", "filter": "linear"}})",
       "t.json:1: /x/filter: unknown key"},
      {R"({"x": {"func": "sampler", "wrap": "stretch"}})",
       "t.json:1: /x/wrap: expected \"repeat\", \"mirror\", \"clamp\", \"border\" or "
       "\"mirror_clamp\""},
      {R"({"x": {"func": "sampler", "wrap": "border"}})",
       "t.json:1: /x/wrap: a sampler without an image cannot have a border"},
      {R"({"x": {"func": "sampler2D", "texture": "noise", "border": "white"}})",
       "t.json:1: /x/border: \"border\" needs \"wrap\": \"border\""},
      {R"({"x": {"func": "sampler2D", "texture": "noise", "wrap": "border", "border": "red"}})",
       "t.json:1: /x/border: expected \"transparent\", \"black\" or \"white\""},
      {R"({"x": {"func": "sampler", "filter": "cubic"}})",
       "t.json:1: /x/filter: expected \"nearest\" or \"linear\""},
      {R"({"x": {"func": "sampler2D", "texture": "checker", "seed": 1}})",
       "t.json:1: /x/seed: \"seed\" needs the texture \"noise\""},
      {R"({"x": {"func": "sampler2D", "args": [1]}})",
       "t.json:1: /x/args: \"args\" needs a \"format\""},
      {R"({"x": {"func": "sampler2D", "args": [1], "format": "r8", "size": [2]}})",
       "t.json:1: /x/size: expected a list of 2 integers"},
      {R"({"x": {"func": "sampler2D", "args": [1, 2], "format": "r8", "size": [2, 2]}})",
       "t.json:1: /x/args: wrong number of values: expected 1 for one texel or 4 for all texels, "
       "found 2"},
      {R"({"x": {"func": "sampler2D", "args": [1, 2], "format": "r8"}})",
       "t.json:1: /x/args: expected all components of one texel (1), or a \"size\" and the "
       "components of all texels"},
      {R"({"x": {"func": "sampler2D", "args": [256], "format": "r8"}})",
       "t.json:1: /x/args/0: the number does not fit into an unsigned integer of 8 bits"},
      {R"({"x": {"func": "samplerCube", "texture": "noise", "size": [2, 3]}})",
       "t.json:1: /x/size: the faces of a cube must be squares"},
      {R"({"x": {"func": "sampler3D", "texture": "noise", "size": [4096, 4096, 4096]}})",
       "t.json:1: /x/size: the image has more than 4194304 texels"},
      {R"({"x": {"func": "buffer", "size": 16, "set": 1}})",
       "t.json:1: /x: \"set\" needs a \"binding\""},
      {R"({"x": {"func": "glUniform1f", "args": [1], "buffer": ""}})",
       "t.json:1: /x/buffer: expected the name of a buffer"},
      {R"({"x": {"func": "glUniform1f", "args": [1], "buffer": "b", "binding": 1}})",
       "t.json:1: /x: \"buffer\" cannot be used together with \"binding\" or \"push_constant\""},
      {R"({"x": {"func": "glUniform1f", "args": [1], "binding": 1, "stride": 4}})",
       "t.json:1: /x: \"stride\" needs a \"buffer\""},
      {R"({"x": {"func": "address", "args": [1], "binding": 1}})",
       "t.json:1: /x/args/0: expected the name of a buffer, NAME+OFFSET or null"},
      {R"({"x": {"func": "address", "args": ["b+268435457"], "binding": 1}})",
       "t.json:1: /x/args/0: expected NAME+OFFSET with an offset up to 268435456"},
      {R"({"$vertices": {"attributes": [{"location": 0, "func": "address", "args": [null]}]}})",
       "t.json:1: /$vertices/attributes/0/func: expected a name such as glUniform2fv or "
       "glUniformMatrix2fv"},
      {R"({"x": {"func": "buffer", "size": 0, "binding": 1}})",
       "t.json:1: /x/size: expected an integer from 1 to 268435456"},
      {R"({"x": {"func": "sampler2D", "texture": "noise", "size": [8, 3], "levels": 5}})",
       "t.json:1: /x/levels: expected an integer from 1 to 4"},
      {R"({"x": {"func": "image2D", "levels": 1}})", "t.json:1: /x/levels: unknown key"},
      {R"({"x": {"func": "accelerationStructure"}})", "t.json:1: /x: \"scene\" is missing"},
      {R"({"x": {"func": "accelerationStructure", "scene": 1}})",
       "t.json:1: /x/scene: expected \"empty\" or \"steps\""},
      {R"({"x": {"func": "textureBuffer", "texture": "noise", "levels": 1}})",
       "t.json:1: /x/levels: unknown key"},
      {R"({"x": {"func": "texture2D", "texture": "noise", "min_lod": 1}})",
       "t.json:1: /x/min_lod: unknown key"},
      {R"({"x": {"func": "sampler", "min_lod": 2, "max_lod": 1.5}})",
       "t.json:1: /x/max_lod: expected a number from 2 to 1000"},
      {R"({"x": {"func": "sampler", "lod_bias": -17}})",
       "t.json:1: /x/lod_bias: expected a number from -16 to 16"},
      {R"({"x": {"func": "sampler", "reduction": "most"}})",
       "t.json:1: /x/reduction: expected \"average\", \"minimum\" or \"maximum\""},
      {R"({"x": {"func": "sampler", "reduction": "minimum"}})",
       "t.json:1: /x/reduction: a sampler without an image has no minimum and no maximum"},
      {R"({"x": {"func": "sampler2DShadow", "texture": "noise", "reduction": "minimum"}})",
       "t.json:1: /x/reduction: a sampler that compares has no minimum and no maximum"},
      {R"({"x": {"func": "sampler", "coordinates": "metres"}})",
       "t.json:1: /x/coordinates: expected \"normalised\" or \"texels\""},
      {R"({"x": {"func": "sampler", "coordinates": "texels"}})",
       "t.json:1: /x/coordinates: coordinates in texels need \"wrap\": \"clamp\" or \"border\""},
      {R"({"x": {"func": "sampler3D", "texture": "noise", "wrap": "clamp", "coordinates": "texels"}})",
       "t.json:1: /x/coordinates: only 1D and 2D images have coordinates in texels"},
      {R"({"x": {"func": "sampler", "wrap": "clamp", "coordinates": "texels", "min_lod": 0}})",
       "t.json:1: /x/min_lod: not with coordinates in texels, which read only one level"},
      {R"({"x": {"func": "texture2D", "texture": "noise", "coordinates": "texels"}})",
       "t.json:1: /x/coordinates: unknown key"},
      {R"({"$framebuffer": {"width": 1, "height": 1, "samples": 3}})",
       "t.json:1: /$framebuffer/samples: expected 1, 2, 4 or 8"},
      {R"({"$framebuffer": {"width": 1, "height": 1, "samples": 16}})",
       "t.json:1: /$framebuffer/samples: expected an integer from 1 to 8"},
      {R"({"$framebuffer": {"width": 1, "height": 1, "samples": 2, "per_sample": 1}})",
       "t.json:1: /$framebuffer/per_sample: expected true or false"},
      {R"({"$framebuffer": {"width": 1, "height": 1, "per_sample": true}})",
       "t.json:1: /$framebuffer/per_sample: a frame with one sample has no such key"},
      {R"({"x": {"func": "subpassInputMS", "texture": "noise", "samples": 4}})",
       "t.json:1: /x/samples: unknown key"},
      {R"({"x": {"func": "sampler", "mip_filter": "none"}})",
       "t.json:1: /x/mip_filter: expected \"nearest\" or \"linear\""},
      {R"({"x": {"func": "sampler1D", "args": [1, 2, 3], "format": "r8", "size": [4], "levels": 3}})",
       "t.json:1: /x/args: wrong number of values: expected 1 for one texel or 7 for all texels, "
       "found 3"},
      {R"({"x": {"func": "texture2DMS", "texture": "noise", "samples": 1}})",
       "t.json:1: /x/samples: expected an integer from 2 to 32"},
      {R"({"x": {"func": "texture2DMS", "texture": "noise", "samples": 6}})",
       "t.json:1: /x/samples: the number of samples must be a power of two"},
      {R"({"x": {"func": "texture2D", "texture": "noise", "samples": 4}})",
       "t.json:1: /x/samples: unknown key"},
      {R"({"x": {"func": "sampler2DMS", "texture": "noise", "filter": "linear"}})",
       "t.json:1: /x/filter: unknown key"},
      {R"({"x": {"func": "sampler2DMS", "texture": "noise", "levels": 2}})",
       "t.json:1: /x/levels: unknown key"},
      {R"({"x": {"func": "texture2DMS", "texture": "noise", "size": [2048, 1024], "samples": 4}})",
       "t.json:1: /x/size: the image has more than 4194304 samples"},
      {R"({"x": {"func": "texture2DMS", "args": [1, 2], "format": "r8", "size": [2, 1]}})",
       "t.json:1: /x/args: wrong number of values: expected 1 for one sample or 8 for all samples, "
       "found 2"},
      {R"({"x": {"func": "texture2DMS", "args": [1, 2], "format": "r8"}})",
       "t.json:1: /x/args: expected all components of one sample (1), or a \"size\" and the "
       "components of all samples"},
      {R"({"$framebuffer": {"width": 1, "height": 1, "format": "r8"}})",
       "t.json:1: /$framebuffer/format: expected \"rgba8\" or \"rgba32f\""},
      {"{\"x\": {\"func\": \"glUniform1f\", \"args\": [1]},\n\"x\": {}}",
       "t.json:2: duplicate key \"x\""},
      {R"({"": {}})", "t.json:1: /: the name must have 1 to 1024 bytes, none of them 0"},
      {R"({"$stencil": {}})",
       "t.json:1: /$stencil: unknown section; expected $compute, $depth, $expected, $framebuffer, "
       "$grid, $spec_constants, $tessellation or $vertices"},
      {R"({"$depth": {"clear": 1.5}})", "t.json:1: /$depth/clear: expected a number from 0 to 1"},
      {R"({"$depth": {"compare": "lower"}})",
       "t.json:1: /$depth/compare: expected \"never\", \"less\", \"equal\", \"less_or_equal\", "
       "\"greater\", \"not_equal\", \"greater_or_equal\" or \"always\""},
      {R"({"$framebuffer": {"width": 0, "height": 1}})",
       "t.json:1: /$framebuffer/width: expected an integer from 1 to 16384"},
      {R"({"$grid": {"dimensions": [1]}})",
       "t.json:1: /$grid/dimensions: expected a list of 2 integers"},
      {R"({"$compute": {}})", "t.json:1: /$compute: \"num_groups\" is missing"},
      {R"({"$compute": {"num_groups": [1, 1, 1], "buffer": {"binding": 0, "fields": [
          {"type": "mat2", "data": [1]}]}}})",
       "t.json:2: /$compute/buffer/fields/0/type: expected a type such as int, uint, float or "
       "vec2"},
      {R"({"$compute": {"num_groups": [1, 1, 1], "buffer": {"binding": 0, "fields": [
          {"type": "ivec2", "data": [1]}]}}})",
       "t.json:2: /$compute/buffer/fields/0/data: expected 2 numbers for each element, and 1 to "
       "1048576 elements"},
      {R"({"$spec_constants": {"x": 1}})", "t.json:1: /$spec_constants/x: the key is not a SpecId"},
      {R"({"$spec_constants": {"1": 1, "0x1": 1}})", "t.json:1: /$spec_constants/0x1: twice"},
      {R"({"$expected": {"buffers": [{"binding": 0}]}})",
       "t.json:1: /$expected/buffers/0: \"words\" is missing"},
      {R"({"$expected": {"picture": {"tile": 0, "colours": [1]}}})",
       "t.json:1: /$expected/picture/tile: expected an integer from 1 to 16384"},
      {R"({"$expected": {"buffers": [{"binding": 0, "first": -1, "words": [1]}]}})",
       "t.json:1: /$expected/buffers/0/first: expected an integer from 0 to 67108864"},
      {R"({"$expected": {"regions": {}}})",
       "t.json:1: /$expected/regions: expected a list of regions"},
      {R"({"$expected": {"regions": [{"x": 0, "y": 0, "width": 0, "height": 1, "colour": 0}]}})",
       "t.json:1: /$expected/regions/0/width: expected an integer from 1 to 16384"},
      {R"({"$expected": {"regions": [{"x": 0, "y": 0, "width": 1, "height": 1, "colour": 0,
                                      "channels": 5}]}})",
       "t.json:2: /$expected/regions/0/channels: expected an integer from 1 to 4"},
      {R"({"$expected": {"image": {}}})", "t.json:1: /$expected/image: unknown key"},
      {R"({"a/b": {"func": 1}})", "t.json:1: /a~1b/func: "},
  };
  for (const Refusal& refusal : refusals) {
    const std::string error = ErrorOf(refusal.text);
    if (refusal.message.ends_with("func: ")) {
      EXPECT_EQ(error, std::string(refusal.message) + std::string(kUnknownFunc)) << refusal.text;
    } else if (refusal.message.ends_with("JSON: ") || refusal.message.ends_with("unknown key")) {
      EXPECT_TRUE(error.starts_with(refusal.message)) << refusal.text << "\n" << error;
    } else {
      EXPECT_EQ(error, refusal.message) << refusal.text;
    }
  }
}

TEST(Inputs, ReadsVertices) {
  constexpr std::string_view kText = R"({
  "$vertices": {"count": 3, "topology": "triangle_fan", "instances": 2, "indices": [2, 1, 0, 0], "attributes": [
    {"location": 0, "func": "glUniform2fv", "args": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "count": 3},
    {"location": 1, "func": "glUniformMatrix2fv", "args": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], "count": 2, "rate": "instance"},
    {"location": 3, "func": "glUniform3ui8v", "args": [1, 2, 3, 1, 2, 3, 1, 2, 255], "count": 3}]}
}
)";
  const Inputs inputs = MustParse(kText);
  ASSERT_TRUE(inputs.vertices);
  EXPECT_EQ(inputs.vertices->count, 3u);
  EXPECT_EQ(inputs.vertices->topology, BoundMesh::kTriangleFan);
  EXPECT_EQ(inputs.vertices->attributes[1].value.columns, 2u);
  EXPECT_EQ(WriteInputs(inputs), kText);
  EXPECT_EQ(MustParse(WriteInputs(inputs, ListForm::kOneLine)), inputs);
}

TEST(Inputs, RefusesVerticesThatDoNotFit) {
  const auto error = [](std::string_view section) {
    return ErrorOf(format("{{\"$vertices\": {}}}", section));
  };
  const std::string place = R"({"location": 0, "func": "glUniform1fv", "args": [0, 1, 2]})";
  EXPECT_EQ(error("{}"),
            "t.json:1: /$vertices: without an attribute for vertices, \"count\" is needed");
  EXPECT_EQ(error(R"({"count": 3, "indices": [0, 3]})"),
            "t.json:1: /$vertices/indices/1: there are only 3 vertices");
  EXPECT_EQ(error(R"({"count": 3, "indices": []})"),
            "t.json:1: /$vertices/indices: expected at least one index");
  EXPECT_EQ(error(R"({"count": 3, "topology": "points"})"),
            "t.json:1: /$vertices/topology: expected \"triangle_list\", \"triangle_strip\" or "
            "\"triangle_fan\"");
  EXPECT_EQ(error(format("{{\"count\": 4, \"attributes\": [{}]}}", place)),
            "t.json:1: /$vertices/attributes/0: the attribute has 3 elements, but there are 4 "
            "vertices");
  EXPECT_EQ(error(format("{{\"attributes\": [{}, {}]}}", place, place)),
            "t.json:1: /$vertices/attributes/1: location 0 has two attributes");
  EXPECT_EQ(error(R"({"attributes": [{"location": 0, "func": "glUniform1f", "args": [0]}]})"),
            "t.json:1: /$vertices/attributes/0/func: expected a name such as glUniform2fv or "
            "glUniformMatrix2fv");
  EXPECT_EQ(error(R"({"attributes": [{"location": 0, "func": "glUniformMatrix2fv", "args": []}]})"),
            "t.json:1: /$vertices/attributes/0: a matrix needs \"count\"");
  EXPECT_EQ(ErrorOf(R"({"$grid": {"dimensions": [1, 1]}, "$vertices": {"count": 3}})"),
            "t.json:1: /$vertices: $grid and $vertices cannot be used together");
}

TEST(Inputs, TheTotalNumberOfScalarsIsLimited) {
  std::string text = "{\n";
  for (int i = 0; i < 9; ++i) {
    text +=
        format("\"x{}\": {{\"func\": \"glUniform1iv\", \"args\": [1], \"count\": 1048576}},\n", i);
  }
  EXPECT_EQ(ErrorOf(text + "\"y\": 1}"), "t.json:10: /x8: the file has more than 8388608 scalars");
}

TEST(Inputs, RefusesDeepNesting) {
  EXPECT_EQ(ErrorOf(std::string(100000, '[')),
            "t.json:1: lists and objects are nested more than 32 levels deep");
}

// Any bytes give either inputs that survive writing, or an error that names the file.
TEST(Inputs, MutatedBytesAreReadOrRefused) {
  Random random(20000);
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text(kAll);
    for (uint64_t edits = random.Between(1, 4); edits > 0; --edits) {
      const size_t at = random.Below(text.size());
      switch (random.Below(6)) {
        case 0:
          text[at] = static_cast<char>(random.Below(256));
          break;
        case 1:
          text.erase(at, random.Between(1, 8));
          break;
        case 2:
          text.insert(at, text, random.Below(text.size()), random.Between(1, 16));
          break;
        case 3:
          text[at] = "0123456789-.eE\",:[]{}v"[random.Below(22)];
          break;
        default:
          if (text[at] >= '0' && text[at] <= '9') text[at] = "0123456789"[random.Below(10)];
      }
      if (text.empty()) break;
    }
    const auto inputs = ParseInputs("t.json", text);
    if (!inputs) {
      ASSERT_TRUE(inputs.error().message.starts_with("t.json:")) << inputs.error().message;
      continue;
    }
    ++accepted;
    const auto again = ParseInputs("t.json", WriteInputs(*inputs));
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    ASSERT_EQ(*again, *inputs) << text;
  }
  EXPECT_GT(accepted, 1000);  // otherwise the mutations hardly test accepted text
}

TEST(Inputs, AMissingFileIsNamed) {
  const auto inputs = LoadInputs("/nonexistent/x.json");
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().kind, ErrorKind::kBadInput);
  EXPECT_TRUE(inputs.error().message.starts_with("/nonexistent/x.json: "));
}

}  // namespace
}  // namespace refract
