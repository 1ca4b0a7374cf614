// SPDX-License-Identifier: Apache-2.0
// Names of the shader are no part of a signature. The messages are those of the tools of Debian 12.
#include "signature/shader_names.h"

#include <gtest/gtest.h>

#include "signature/signature.h"

namespace refract {
namespace {

std::string Of(const char* stage, const char* output, std::vector<std::string> names) {
  FailureData facts;
  facts.kind = FailureClass::kRejected;
  facts.stage = stage;
  facts.output = output;
  facts.names = std::move(names);
  return SignatureOf(facts).text;
}

TEST(ShaderNames, ToolsMakeNamesOfNames) {
  const std::vector<std::string> names = {"_GLF_color", "buf5", "color", "empty"};
  for (const char* word : {"color", "color_731", "color_1_2", "_color", "_15_color", "_731",
                           "_77_m0", "empty_731", "_GLF_color", "_GLF_color_3", "color_buf5",
                           "_RESERVED_IDENTIFIER_FIXUP_color", "color__3"}) {
    EXPECT_TRUE(IsMadeOfNames(word, names)) << word;
  }
  for (const char* word : {"colors", "color731", "texture_color", "imulExtended", "m0_3", "731",
                           "switch", "_", "__", ""}) {
    EXPECT_FALSE(IsMadeOfNames(word, names)) << word;
  }
}

TEST(ShaderNames, OneFailureHasOneSignatureWithAnyNames) {
  const std::string call =
      "rejected glslangValidator: '<name>' : no matching overloaded function found";
  EXPECT_EQ(Of("glslangValidator",
               "ERROR: 1.txt:212: 'buf2' : no matching overloaded function found \n", {"buf2"}),
            call);
  EXPECT_EQ(Of("glslangValidator",
               "ERROR: 1.txt:9: 'plain_uniforms_731' : no matching overloaded function found \n",
               {"main", "plain_uniforms"}),
            call);
  EXPECT_EQ(Of("glslangValidator",
               "ERROR: 1.txt:31: '_412' : no matching overloaded function found \n", {}),
            call);
  const std::string packed =
      "rejected spirv-cross: cbuffer ID N (name: <name>), member index N (name: <name>) cannot be "
      "expressed with either HLSL packing layout or packoffset";
  EXPECT_EQ(Of("spirv-cross",
               "SPIRV-Cross threw an exception: cbuffer ID 57 (name: World), member index 0 (name: "
               "rules) cannot be expressed with either HLSL packing layout or packoffset.\n",
               {"World", "rules"}),
            packed);
  EXPECT_EQ(Of("spirv-cross",
               "SPIRV-Cross threw an exception: cbuffer ID 722 (name: _720_722), member index 0 "
               "(name: _m0) cannot be expressed with either HLSL packing layout or packoffset.\n",
               {}),
            packed);
}

TEST(ShaderNames, WordsOfMessagesStay) {
  const std::string keyword =
      "rejected glslangValidator: 'imulExtended' : no matching overloaded function found";
  EXPECT_EQ(Of("glslangValidator",
               "ERROR: 1.txt:186: 'imulExtended' : no matching overloaded function found \n",
               {"Extended", "imul", "matching"}),
            keyword);
  EXPECT_EQ(Of("glslangValidator",
               "ERROR: 1.txt:729: 'switch' : last case/default label not followed by statements \n",
               {"case", "default", "label", "last"}),
            "rejected glslangValidator: 'switch' : last case/default label not followed by "
            "statements");
  // Quotes enclose names; apostrophes do not. Opcodes and names of programs are no names.
  EXPECT_EQ(WithoutShaderNames("OpPhi's type of read_back is not 'read_back[2].x' in a::read_back",
                               {"OpPhi", "read_back", "type"}),
            "OpPhi's type of <name> is not '<name>' in a::read_back");
  EXPECT_EQ(WithoutShaderNames("12[%loop_body] and gl_Position", {"gl_Position", "loop_body"}),
            "12[%loop_body] and gl_Position");
}

TEST(ShaderNames, SizesOfTypes) {
  EXPECT_EQ(WithoutTypeSizes("'vec3' to 'float4', mat2x3, float4x4, 3X3, ivec2[16], f16vec2"),
            "'vecN' to 'floatN', matNxN, floatNxN, NxN, ivecN[16], f16vecN");
  EXPECT_EQ(WithoutTypeSizes("int16 int64_t float vec5 x2 uint8 part4 2 0x4"),
            "int16 int64_t float vec5 x2 uint8 part4 2 0x4");
}

TEST(ShaderNames, LogsHaveTheNamesThatTheyNeed) {
  FailureData facts;
  facts.kind = FailureClass::kRejected;
  facts.output = "ERROR: 0.txt:3: 'probe' : no matching overloaded function found \n";
  facts.names = NamesIn(facts, {"probe(vf3;", "absent", "probe", ""});
  EXPECT_EQ(facts.names, std::vector<std::string>{"probe"});
  EXPECT_EQ(SignatureOf(FailureFromLog(LogText(facts))).text, SignatureOf(facts).text);
  EXPECT_EQ(SignatureOf(facts).text, "rejected: '<name>' : no matching overloaded function found");
}

}  // namespace
}  // namespace refract
