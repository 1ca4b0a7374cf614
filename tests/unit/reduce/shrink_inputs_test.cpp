// SPDX-License-Identifier: Apache-2.0
#include "reduce/shrink_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace refract {
namespace {

Inputs Parsed(const char* text) {
  const Result<Inputs> inputs = ParseInputs("shader.json", text);
  EXPECT_TRUE(inputs) << inputs.error().message;
  return *inputs;
}

using Accepts = std::function<bool(const Inputs&)>;
// The text of the inputs that remain if these are interesting.
std::string Shrunk(const char* text, const Accepts& accepts) {
  const auto inputs =
      ShrinkInputs(std::make_shared<const Inputs>(Parsed(text)),
                   [&](const std::shared_ptr<const Inputs>& tried) -> std::optional<bool> {
                     return accepts(*tried);
                   });
  return WriteInputs(*inputs, ListForm::kOneLine);
}

TEST(ShrinkInputs, LeavesOutWhatDoesNotMatter) {
  EXPECT_EQ(Shrunk(R"({"a": {"func": "glUniform1i", "args": [3], "binding": 0},
                       "b": {"func": "glUniform2f", "args": [3, 4], "binding": 1},
                       "$spec_constants": {"0": 7},
                       "$compute": {"num_groups": [8, 4, 1]}})",
                   [](const Inputs& inputs) { return inputs.compute->groups[0] >= 3; }),
            WriteInputs(Parsed(R"({"$framebuffer": {"width": 1, "height": 1},
                                   "$compute": {"num_groups": [4, 1, 1]}})"),
                        ListForm::kOneLine));
}

TEST(ShrinkInputs, NumbersBecomePlain) {
  EXPECT_EQ(Shrunk(R"({"a": {"func": "glUniform4i", "args": [3, -4, 5, 6], "binding": 0},
                 "h": {"func": "glUniform1fv", "args": [0.5, 0.25, 8, 9], "count": 4, "binding": 1},
                 "$framebuffer": {"width": 1, "height": 1}})",
                   [](const Inputs& inputs) {
                     const InputValue* a = inputs.Find("a");
                     const InputValue* h = inputs.Find("h");
                     return a != nullptr && a->words[1] != 0 && a->words[2] == 5 && h != nullptr &&
                            h->count >= 2 && h->words[1] != 0;
                   }),
            WriteInputs(Parsed(R"({"a": {"func": "glUniform4i", "args": [0, 1, 5, 0], "binding": 0},
                 "h": {"func": "glUniform1fv", "args": [0, 1], "count": 2, "binding": 1},
                 "$framebuffer": {"width": 1, "height": 1}})"),
                        ListForm::kOneLine));
}

TEST(ShrinkInputs, TheFrameIsAsSmallAsTheFailureAllows) {
  EXPECT_EQ(
      Shrunk(R"({"$framebuffer": {"width": 100, "height": 60}})",
             [](const Inputs& inputs) { return inputs.width >= 5 && inputs.height >= 20; }),
      WriteInputs(Parsed(R"({"$framebuffer": {"width": 8, "height": 32}})"), ListForm::kOneLine));
  const char* const samples =
      R"({"$framebuffer": {"width": 1, "height": 1, "samples": 8, "per_sample": true}})";
  EXPECT_EQ(
      Shrunk(samples, [](const Inputs&) { return true; }),
      WriteInputs(Parsed(R"({"$framebuffer": {"width": 1, "height": 1}})"), ListForm::kOneLine));
  EXPECT_EQ(Shrunk(samples, [](const Inputs& inputs) { return inputs.samples > 1; }),
            WriteInputs(Parsed(R"({"$framebuffer": {"width": 1, "height": 1, "samples": 2,
                                                    "per_sample": true}})"),
                        ListForm::kOneLine));
  // The default frame is written once it has changed.
  EXPECT_EQ(
      Shrunk("{}", [](const Inputs& inputs) { return inputs.height == 256; }),
      WriteInputs(Parsed(R"({"$framebuffer": {"width": 1, "height": 256}})"), ListForm::kOneLine));
}

// What is written can be read again.
TEST(ShrinkInputs, ImagesBecomeZeroWhereTheFileCanSaySo) {
  const char* const text = R"({
      "a": {"func": "sampler2D", "texture": "noise", "seed": 5, "format": "rgba8ui", "size": [4, 2], "binding": 0},
      "b": {"func": "image2D", "texture": "noise", "seed": 5, "size": [4, 2], "binding": 1},
      "c": {"func": "texture2D", "texture": "noise", "seed": 5, "size": [4, 2], "binding": 2},
      "d": {"func": "sampler", "binding": 3}, "$framebuffer": {"width": 1, "height": 1}})";
  const std::string shrunk =
      Shrunk(text, [](const Inputs& inputs) { return inputs.values.size() == 4; });
  EXPECT_EQ(shrunk, WriteInputs(Parsed(R"({
      "a": {"func": "sampler2D", "args": [0, 0, 0, 0], "format": "rgba8ui", "size": [4, 2], "binding": 0},
      "b": {"func": "image2D", "size": [4, 2], "binding": 1},
      "c": {"func": "texture2D", "texture": "noise", "seed": 5, "size": [4, 2], "binding": 2},
      "d": {"func": "sampler", "binding": 3}, "$framebuffer": {"width": 1, "height": 1}})"),
                                ListForm::kOneLine));
}

TEST(ShrinkInputs, ExpectedOutputsAreLeftOut) {
  const char* const text = R"({"$framebuffer": {"width": 1, "height": 1},
      "$expected": {"buffers": [{"set": 0, "binding": 0, "words": [1]}]}})";
  EXPECT_EQ(
      Shrunk(text, [](const Inputs& inputs) { return !inputs.expected; }),
      WriteInputs(Parsed(R"({"$framebuffer": {"width": 1, "height": 1}})"), ListForm::kOneLine));
}

TEST(ShrinkInputs, EndsWhenThereIsNoAnswer) {
  size_t asked = 0;
  const auto inputs = std::make_shared<const Inputs>(
      Parsed(R"({"a": {"func": "glUniform4i", "args": [3, -4, 5, 6], "binding": 0}})"));
  const auto same = ShrinkInputs(inputs, [&](const std::shared_ptr<const Inputs>&) {
    ++asked;
    return std::optional<bool>();
  });
  EXPECT_EQ(same, inputs);
  EXPECT_EQ(asked, 1u);
}

}  // namespace
}  // namespace refract
