// SPDX-License-Identifier: Apache-2.0
// The reader of AmberScripts: what it takes, and with which words it refuses malformed text.
#include "amber/script.h"

#include <gtest/gtest.h>

#include <cstring>

#include "amber/import.h"
#include "base/text.h"

namespace refract::amber {
namespace {

constexpr std::string_view kHead =
    "#!amber\n"
    "SHADER vertex plain PASSTHROUGH\n"
    "SHADER fragment red GLSL\n"
    "layout(location = 0) out vec4 colour;\n"
    "void main() { colour = vec4(1.0, 0.0, 0.0, 1.0); }\n"
    "END\n"
    "BUFFER frame FORMAT B8G8R8A8_UNORM\n"
    "PIPELINE graphics draw\n"
    "  ATTACH plain\n"
    "  ATTACH red\n"
    "  FRAMEBUFFER_SIZE 4 2\n"
    "  BIND BUFFER frame AS color LOCATION 0\n"
    "END\n";
constexpr std::string_view kRun = "RUN draw DRAW_RECT POS 0 0 SIZE 4 2\n";

// The error of a script, from its parser or from the import; empty without an error.
std::string ErrorOf(const std::string& text) {
  const Result<Script> script = ParseScript("a.amber", text);
  if (!script) return script.error().message;
  const Result<ImportedScript> imported = ImportScript(*script, "a");
  return imported ? std::string() : imported.error().message;
}

std::string TextOf(const std::string& text, std::string_view ending) {
  const Result<Script> script = ParseScript("a.amber", text);
  if (!script) return script.error().message;
  const Result<ImportedScript> imported = ImportScript(*script, "a");
  if (!imported) return imported.error().message;
  for (const ImportedFile& file : imported->files) {
    if (file.name.ends_with(ending)) return file.text;
  }
  return {};
}

TEST(AmberScript, OneColour) {
  const std::string text = std::string(kHead) + "CLEAR_COLOR draw 0 0 0 255\nCLEAR draw\n" +
                           std::string(kRun) + "EXPECT frame IDX 0 0 SIZE 4 2 EQ_RGBA 255 0 0 255";
  EXPECT_EQ(ErrorOf(text), "");
  EXPECT_EQ(TextOf(text, ".json"),
            "{\n  \"$framebuffer\": {\"width\": 4, \"height\": 2},\n"
            "  \"$expected\": {\"regions\": [\n"
            "    {\"x\": 0, \"y\": 0, \"width\": 4, \"height\": 2, \"colour\": 4278190335}]}\n}\n");
  EXPECT_TRUE(TextOf(text, ".frag").starts_with("#version 450\nlayout(location = 0)"));
}

// A script that draws with an image of this format and a sampler, or with the sampler alone.
std::string Sampling(std::string_view format_name, std::string_view sampler, bool alone = false) {
  std::string text =
      "#!amber\nSHADER vertex plain PASSTHROUGH\nSHADER fragment panes GLSL\n#version 450\n"
      "layout(location = 0) out vec4 colour;\n";
  text += alone                           ? "layout(binding = 0) uniform sampler how;\n"
                                            "layout(binding = 1) uniform texture2D image;\n"
                                            "#define PANE sampler2D(image, how)\n"
          : format_name.ends_with("UINT") ? "layout(binding = 0) uniform usampler2D image;\n"
                                            "#define PANE image\n"
                                          : "layout(binding = 0) uniform sampler2D image;\n"
                                            "#define PANE image\n";
  text += "void main() { colour = vec4(textureLod(PANE, vec2(1.5), 0.0)); }\nEND\n";
  text += format("IMAGE image FORMAT {} DIM_2D WIDTH 1 HEIGHT 1 FILL 9\n", format_name);
  text += format("SAMPLER how {}\nBUFFER frame FORMAT B8G8R8A8_UNORM\n", sampler);
  text +=
      "PIPELINE graphics draw\n  ATTACH plain\n  ATTACH panes\n  FRAMEBUFFER_SIZE 4 2\n"
      "  BIND BUFFER frame AS color LOCATION 0\n";
  text += alone ? "  BIND SAMPLER how DESCRIPTOR_SET 0 BINDING 0\n"
                  "  BIND BUFFER image AS sampled_image DESCRIPTOR_SET 0 BINDING 1\n"
                : "  BIND BUFFER image AS combined_image_sampler SAMPLER how DESCRIPTOR_SET 0 "
                  "BINDING 0\n";
  return text + "END\n" + std::string(kRun);
}

TEST(AmberScript, SamplersOfAllAddressModes) {
  struct Row {
    const char *format_name, *sampler, *json;
  };
  const char* real = "R8G8B8A8_UNORM";
  const char* whole = "R8G8B8A8_UINT";
  for (const Row& row : {
           Row{real, "", "\"size\": [1, 1], \"binding\""},
           Row{real, "MAG_FILTER linear MIN_FILTER linear ADDRESS_MODE_U repeat",
               "[1, 1], \"filter\": \"linear\", \"binding\""},
           Row{real, "ADDRESS_MODE_U mirrored_repeat ADDRESS_MODE_V mirrored_repeat",
               "[1, 1], \"wrap\": \"mirror\", \"binding\""},
           Row{real, "ADDRESS_MODE_W clamp_to_edge BORDER_COLOR float_opaque_white",
               "[1, 1], \"wrap\": \"clamp\", \"binding\""},
           Row{real, "ADDRESS_MODE_U mirror_clamp_to_edge",
               "[1, 1], \"wrap\": \"mirror_clamp\", \"binding\""},
           Row{real, "ADDRESS_MODE_U clamp_to_border", "[1, 1], \"wrap\": \"border\", \"binding\""},
           Row{real, "NORMALIZED_COORDS", "[1, 1], \"binding\""},
           Row{real, "UNNORMALIZED_COORDS ADDRESS_MODE_U clamp_to_edge",
               "\"wrap\": \"clamp\", \"coordinates\": \"texels\", \"binding\""},
           Row{real, "ADDRESS_MODE_U clamp_to_border BORDER_COLOR float_opaque_black",
               "\"wrap\": \"border\", \"border\": \"black\", \"binding\""},
           Row{whole, "BORDER_COLOR int_opaque_white ADDRESS_MODE_U clamp_to_border",
               "\"wrap\": \"border\", \"border\": \"white\", \"binding\""},
           Row{whole, "ADDRESS_MODE_U clamp_to_border BORDER_COLOR int_transparent_black",
               "[1, 1], \"wrap\": \"border\", \"binding\""},
       }) {
    const std::string json = TextOf(Sampling(row.format_name, row.sampler), ".json");
    EXPECT_NE(json.find(row.json), std::string::npos) << row.sampler << "\n" << json;
  }
  EXPECT_EQ(ErrorOf(Sampling(whole, "ADDRESS_MODE_U clamp_to_border")),
            "a.amber:18: the border of how is of floats, but its image is of integers");
  EXPECT_EQ(ErrorOf(Sampling(real, "ADDRESS_MODE_U clamp_to_border BORDER_COLOR int_opaque_black")),
            "a.amber:18: the border of how is of integers, but its image is of floats");
  std::string solid = Sampling(real, "UNNORMALIZED_COORDS ADDRESS_MODE_U clamp_to_edge");
  solid.replace(solid.find("DIM_2D WIDTH 1 HEIGHT 1"), 23, "DIM_3D WIDTH 1 HEIGHT 1 DEPTH 1");
  EXPECT_EQ(ErrorOf(solid),
            "a.amber:18: how has coordinates in texels, which only 1D and 2D images may have");
  EXPECT_EQ(ErrorOf(Sampling(real, "ADDRESS_MODE_U mirror_clamp_to_edge", true)), "");
  EXPECT_EQ(ErrorOf(Sampling(real, "ADDRESS_MODE_U clamp_to_border", true)),
            "a.amber:19: how has a border, which shader.json gives only with an image");
}

TEST(AmberScript, PartsOfImages) {
  const std::string start = std::string(kHead) + std::string(kRun);
  EXPECT_NE(TextOf(start + "EXPECT frame IDX 1 0 SIZE 2 1 EQ_RGB 255 0 0\n", ".json")
                .find("{\"x\": 1, \"y\": 0, \"width\": 2, \"height\": 1, \"colour\": 4278190335, "
                      "\"channels\": 3}"),
            std::string::npos);
}

TEST(AmberScript, Comments) {
  EXPECT_EQ(ErrorOf(std::string(kHead) + "# nothing\n\n  # RUN twice\n" + std::string(kRun) +
                    "EXPECT frame IDX 0 0 \\\n SIZE 4 2 EQ_RGBA 255 0 0 255 # all\n"),
            "");
}

struct Malformed {
  const char* text;  // after kHead and kRun
  const char* error;
};
class MalformedScript : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedScript, IsRefusedWithFileAndLine) {
  const std::string text = std::string(kHead) + std::string(kRun) + GetParam().text;
  EXPECT_EQ(ErrorOf(text), GetParam().error);
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedScript,
    testing::Values(
        Malformed{"COPY frame TO other\n", "a.amber:15: 'COPY' is not supported here"},
        Malformed{"REPEAT 3\n", "a.amber:15: 'REPEAT' is not supported here"},
        Malformed{"\x01\x02 frame\n", "a.amber:15: '\?\?' is not supported here"},
        Malformed{"SHADER geometry g SPIRV-ASM\nEND\n",
                  "a.amber:15: 'geometry' is not supported here"},
        Malformed{"SHADER fragment g PASSTHROUGH\n",
                  "a.amber:15: only a vertex shader can be PASSTHROUGH"},
        Malformed{"SHADER fragment g SPIRV-HEX\nEND\n",
                  "a.amber:15: 'SPIRV-HEX' is not supported here"},
        Malformed{"SHADER fragment g SPIRV-ASM TARGET_ENV opengl4.5\nEND\n",
                  "a.amber:15: the environment opengl4.5 is not supported"},
        Malformed{"SHADER fragment g SPIRV-ASM\nOpNop\n", "a.amber:15: the block has no END"},
        Malformed{"SHADER vertex plain PASSTHROUGH\n", "a.amber:15: plain is declared twice"},
        Malformed{"BUFFER b\n", "a.amber:15: '' is not supported here"},
        Malformed{"BUFFER b DATA_TYPE quaternion DATA\n1\nEND\n",
                  "a.amber:15: the type quaternion is not supported"},
        Malformed{"BUFFER b DATA_TYPE vec5<float> DATA\n1\nEND\n",
                  "a.amber:15: the type vec5<float> is not supported"},
        Malformed{"BUFFER b DATA_TYPE int8 DATA\n300\nEND\n",
                  "a.amber:16: the data of b: expected a number that fits its type"},
        Malformed{"BUFFER b DATA_TYPE uint32 DATA\n-1\nEND\n",
                  "a.amber:16: the data of b: expected a number that fits its type"},
        Malformed{"BUFFER b DATA_TYPE vec2<float> DATA\n1 2 3\nEND\n",
                  "a.amber:15: b has 3 values, which are no whole elements of 2 values"},
        Malformed{"BUFFER b DATA_TYPE float DATA\nEND\n",
                  "a.amber:15: b has 0 values, which are no whole elements of 1 values"},
        Malformed{"BUFFER b DATA_TYPE float DATA\n1 2\n", "a.amber:15: the data of b has no END"},
        Malformed{"BUFFER b DATA_TYPE float SIZE 99999999 FILL 1\n",
                  "a.amber:15: expected the number of elements (a number from 0 to 4194304)"},
        Malformed{"BUFFER b DATA_TYPE float SIZE 4 SERIES_FROM 1 INC_BY 1\n",
                  "a.amber:15: 'SERIES_FROM' is not supported here"},
        Malformed{"BUFFER b FORMAT D32_SFLOAT\n",
                  "a.amber:15: the format D32_SFLOAT is not supported"},
        Malformed{"IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 2 HEIGHT 2 DATA\n1 2 3\nEND\n",
                  "a.amber:15: i has 3 values, but needs 16"},
        Malformed{"IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 9000 HEIGHT 9000\n",
                  "a.amber:15: i has more than 4194304 values"},
        Malformed{"SAMPLER s BORDER_COLOR float_white\n",
                  "a.amber:15: 'float_white' is not supported here"},
        Malformed{"SAMPLER s ADDRESS_MODE_U mirror\n",
                  "a.amber:15: 'mirror' is not supported here"},
        Malformed{"SAMPLER s MAG_FILTER linear MIN_FILTER nearest\n",
                  "a.amber:15: filters or address modes that differ"},
        Malformed{"SAMPLER s ADDRESS_MODE_U repeat ADDRESS_MODE_V clamp_to_edge\n",
                  "a.amber:15: filters or address modes that differ"},
        Malformed{"PIPELINE raytracing p\nEND\n", "a.amber:15: 'raytracing' is not supported here"},
        Malformed{"PIPELINE graphics p\n  ATTACH red\n", "a.amber:15: the pipeline p has no END"},
        Malformed{"PIPELINE graphics p\n  POLYGON_MODE line\nEND\n",
                  "a.amber:16: 'POLYGON_MODE' is not supported here"},
        Malformed{"PIPELINE graphics p\n  FRAMEBUFFER_SIZE 0 4\nEND\n",
                  "a.amber:16: a frame without pixels"},
        Malformed{"PIPELINE graphics p\n  BIND BUFFER frame AS depth_stencil\nEND\n",
                  "a.amber:16: 'depth_stencil' is not supported here"},
        Malformed{"PIPELINE graphics p\n  ATTACH red SPECIALIZE 3 AS uint32 -4\nEND\n",
                  "a.amber:16: -4 is no value of the type uint32"},
        Malformed{"RUN draw DRAW_RECT POS 0 0 SIZE 4 2\n",
                  "a.amber:15: the pipeline draw runs twice, which is not supported"},
        Malformed{"RUN nothing DRAW_RECT POS 0 0 SIZE 4 2\n",
                  "a.amber:15: there is no pipeline nothing"},
        Malformed{"CLEAR draw\n", "a.amber:15: CLEAR after RUN of draw"},
        Malformed{"CLEAR_COLOR draw 0 0 0 256\n",
                  "a.amber:15: expected a level (a number from 0 to 255)"},
        Malformed{"EXPECT none IDX 0 0 SIZE 1 1 EQ_RGBA 0 0 0 0\n",
                  "a.amber:15: there is no buffer none"},
        Malformed{"EXPECT frame IDX 0 0 SIZE 4 0 EQ_RGBA 0 0 0 0\n",
                  "a.amber:15: a rectangle without pixels"},
        Malformed{"EXPECT frame IDX 0 0 SIZE 4 2 EQ_RGBA 0 0 0\n",
                  "a.amber:15: expected a level (a number from 0 to 255)"},
        Malformed{"EXPECT frame IDX 0 0 SIZE 4 2 EQ_RGBA 0 0 0 0 TOLERANCE 3\n",
                  "a.amber:15: 'TOLERANCE' is not supported here"},
        Malformed{"EXPECT frame EQ_BUFFER frame\n",
                  "a.amber:15: no other pipeline that is run writes frame"},
        Malformed{"BUFFER b DATA_TYPE uint32 DATA 1 2 END\nEXPECT b IDX 0 EQ 1\n",
                  "a.amber:16: no pipeline that is run writes b"}));

TEST(AmberScript, OtherTexts) {
  EXPECT_EQ(ErrorOf(""),
            "a.amber:1: the first line is not #!amber; other forms of scripts are not "
            "supported");
  EXPECT_EQ(ErrorOf("[require]\n"),
            "a.amber:1: the first line is not #!amber; other forms of scripts "
            "are not supported");
  EXPECT_EQ(ErrorOf("#!amber\n"), "a.amber: the script runs nothing");
  EXPECT_EQ(
      ErrorOf("#!amber\nPIPELINE graphics p\n  ATTACH none\nEND\nRUN p DRAW_RECT POS 0 0 SIZE "
              "250 250\n"),
      "a.amber:3: there is no shader none");
  EXPECT_EQ(ErrorOf(std::string(kHead) + "RUN draw DRAW_RECT POS 0 0 SIZE 4 1\n"),
            "a.amber:14: only draws that cover the whole frame are supported");
  EXPECT_EQ(ErrorOf(std::string(kHead) + "RUN draw DRAW_ARRAY AS TRIANGLE_LIST\n"),
            "a.amber:14: 'DRAW_ARRAY' is not supported here");
}

TEST(AmberScript, NumbersOfEveryType) {
  const DataType real{InputValue::kFloat, 32, 1, 1, false};
  const DataType byte{InputValue::kInt, 8, 1, 1, false};
  const DataType word{InputValue::kUint, 32, 1, 1, false};
  EXPECT_EQ(NumberBits("1", real), 0x3f800000u);
  EXPECT_EQ(NumberBits("-0.5", real), 0xbf000000u);
  EXPECT_EQ(NumberBits("-128", byte), 0x80u);
  EXPECT_EQ(NumberBits("-129", byte), std::nullopt);
  EXPECT_EQ(NumberBits("0xffffffff", word), 0xffffffffu);
  EXPECT_EQ(NumberBits("4294967296", word), std::nullopt);
  EXPECT_EQ(NumberBits("1.5", word), std::nullopt);
  EXPECT_EQ(NumberBits("--1", byte), std::nullopt);
  EXPECT_EQ(NumberBits("", word), std::nullopt);
}

// The words of a buffer in memory.
std::vector<uint32_t> WordsOf(const Buffer& buffer) {
  const std::string bytes = BytesOf(buffer);
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST(AmberScript, LayoutInMemory) {
  Buffer buffer;
  buffer.type = {InputValue::kUint, 32, 1, 1, true};
  buffer.values = {1, 2};
  EXPECT_EQ(WordsOf(buffer), (std::vector<uint32_t>{1, 2}));
  buffer.std140 = true;  // elements of arrays begin at multiples of 16 bytes
  EXPECT_EQ(WordsOf(buffer), (std::vector<uint32_t>{1, 0, 0, 0, 2, 0, 0, 0}));
  buffer.type.array = false;
  EXPECT_EQ(WordsOf(buffer), (std::vector<uint32_t>{1, 2}));
  buffer.type.rows = 3;  // aligned as four
  buffer.values = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(WordsOf(buffer), (std::vector<uint32_t>{1, 2, 3, 0, 4, 5, 6, 0}));
  buffer.type = {InputValue::kUint, 32, 2, 2, false};  // columns are as elements of an array
  buffer.values = {1, 2, 3, 4};
  EXPECT_EQ(WordsOf(buffer), (std::vector<uint32_t>{1, 2, 0, 0, 3, 4, 0, 0}));
  buffer.std140 = false;
  EXPECT_EQ(WordsOf(buffer), (std::vector<uint32_t>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace refract::amber
