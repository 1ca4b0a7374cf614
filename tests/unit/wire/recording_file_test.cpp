// SPDX-License-Identifier: Apache-2.0
// Recordings on disk: what is written is read back, and no file content does harm.
#include "wire/recording_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/file.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "message/all.h"
#include "wire/convert.h"
#include "wire/scan.h"
#include "wire/text.h"

namespace refract {
namespace {

using message::MoveBlockDown;
using message::Recording;
using message::SetFunctionControl;
using message::SplitBlock;
using message::Step;
using message::SwapCommutableOperands;

Name AnyName(Random& random) {
  switch (random.Below(3)) {
    case 0:
      return {0, random.Between(1, 200)};
    case 1:
      return {0, Name::kOrdinal + random.Below(1000)};
    default:
      return {static_cast<uint32_t>(random.Between(1, 50)), random.Next()};
  }
}

AnyMessage AnyTransformation(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return SplitBlock{.before = AnyName(random)};
    case 1:
      return SwapCommutableOperands{.instruction = AnyName(random)};
    case 2:
      return SetFunctionControl{.function = AnyName(random),
                                .control = static_cast<uint32_t>(random.Below(16))};
    default:
      return MoveBlockDown{.block = AnyName(random)};
  }
}

// A recording with every field set.
Recording Sample(uint64_t seed, uint32_t steps) {
  Random random(seed);
  Recording recording{.format = kRecordingFormat,
                      .tool = "refract 0.1.0",
                      .module_hash = ContentHash("module"),
                      .inputs_hash = ContentHash("inputs"),
                      .result_hash = ContentHash("result"),
                      .entry = "main\xff \"quoted\"\n",
                      .width = 256,
                      .height = 128,
                      .target_env = "vulkan1.1",
                      .validator_options = {"--relax-block-layout", "--scalar-block-layout"},
                      .passes = {{"split_block", 30}, {"move_block_down", 100}},
                      .seed = random.Next(),
                      .crash_only = true,
                      .companion_hash = ContentHash("companion")};
  recording.limits = {.max_steps = 2000,
                      .max_words = 1u << 20,
                      .growth = 16,
                      .latest_shapes = true,
                      .no_recommendations = true};
  for (uint64_t i = 0; i < steps % 4; ++i) {
    recording.declarations.push_back(
        {{Name::kDeclaredStep, i + 1},
         {.type = {.kind = message::Type::Kind::kInt, .width = 32}, .words = {uint32_t(i)}}});
  }
  uint32_t number = 0;
  for (uint32_t i = 0; i < steps; ++i) {
    number += static_cast<uint32_t>(random.Between(1, 3));
    Step step{.number = number, .transformation = AnyTransformation(random)};
    for (uint32_t need = 1; need < number; need += number / 2 + 1) step.needs.push_back(need);
    recording.steps.push_back(step);
    recording.ids.push_back({.name = {number, random.Next()}, .id = 100 + i});
  }
  return recording;
}

constexpr size_t kHeaderBytes = 18;

std::string ErrorOf(std::string_view bytes) {
  const auto read = ReadRecording(bytes, "a.refract");
  return read ? "read without an error" : read.error().message;
}

#define EXPECT_ERROR(bytes, part) \
  EXPECT_NE(ErrorOf(bytes).find(part), std::string::npos) << ErrorOf(bytes)

TEST(RecordingFile, BinaryTextBinaryIsIdentity) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Recording recording = Sample(seed, static_cast<uint32_t>(seed * 5));
    const std::string bytes = WriteRecording(recording);
    EXPECT_EQ(bytes, WriteRecording(Sample(seed, static_cast<uint32_t>(seed * 5))));
    const auto read = ReadRecording(bytes, "a.refract");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(*read == recording);
    const auto from_text = ReadRecording(ToText(*read), "a.txt");
    ASSERT_TRUE(from_text) << from_text.error().message;
    EXPECT_EQ(WriteRecording(*from_text), bytes);
  }
}

TEST(RecordingFile, AnEmptyRecordingIsValid) {
  const auto read = ReadRecording(WriteRecording({}), "a.refract");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(*read == Recording{.format = kRecordingFormat});
}

TEST(RecordingFile, RefusesOtherFiles) {
  EXPECT_ERROR("", "a.refract: empty file");
  EXPECT_ERROR("\x03\x02\x23\x07", "a.refract: byte 0: not a recording");
  EXPECT_ERROR("{\"steps\": []}", "not a recording");
  EXPECT_ERROR("\x09REFRACT\n", "truncated or damaged");
  EXPECT_ERROR("\x09REF", "truncated or damaged");
  EXPECT_ERROR(SealRecording(""), "has no format number");
  EXPECT_ERROR(SealRecording("\x18\x01\x07"), "byte 20: damaged");
}

TEST(RecordingFile, RefusesEveryTruncationAndFlippedBit) {
  const std::string bytes = WriteRecording(Sample(7, 10));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ReadRecording(bytes.substr(0, size), "a.refract")) << size;
  }
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(ReadRecording(flipped, "a.refract")) << bit;
  }
}

// With a right checksum, any bytes are refused or are a recording like any other.
TEST(RecordingFile, SurvivesMutatedBytes) {
  const std::string body = WriteRecording(Sample(1, 12)).substr(kHeaderBytes);
  Random random(1);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string mutant = body;
    for (uint64_t i = random.Between(1, 4); i > 0 && !mutant.empty(); --i) {
      const size_t at = random.Below(mutant.size());
      switch (random.Below(5)) {
        case 0:
          mutant[at] = static_cast<char>(random.Next());
          break;
        case 1:
          mutant[at] = static_cast<char>(mutant[at] ^ (1 << random.Below(8)));
          break;
        case 2:
          mutant.erase(at, random.Between(1, 8));
          break;
        case 3:
          mutant.insert(at, mutant.substr(random.Below(mutant.size()), 16));
          break;
        default:
          mutant.resize(at);
          break;
      }
    }
    const auto read = ReadRecording(SealRecording(mutant), "a.refract");
    if (!read) {
      ++refused;
      EXPECT_EQ(read.error().kind, ErrorKind::kBadInput);
      EXPECT_TRUE(read.error().message.starts_with("a.refract: ")) << read.error().message;
      continue;
    }
    const auto again = ReadRecording(WriteRecording(*read), "a.refract");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(*again == *read);
  }
  EXPECT_GT(refused, 10000);
  EXPECT_LT(refused, 20000);
}

TEST(RecordingFile, SurvivesMutatedText) {
  const std::string text = ToText(Sample(2, 3));
  Random random(2);
  for (int round = 0; round < 20000; ++round) {
    std::string mutant = text;
    for (uint64_t i = random.Between(1, 3); i > 0; --i) {
      const size_t at = random.Below(mutant.size());
      if (random.Percent(50)) {
        mutant[at] = static_cast<char>(random.Next());
      } else {
        mutant.erase(at, random.Between(1, 5));
      }
    }
    const auto read = RecordingFromText(mutant, "a.txt");
    if (read) {
      EXPECT_TRUE(ReadRecording(WriteRecording(*read), "a.refract"));
    } else {
      EXPECT_TRUE(read.error().message.starts_with("a.txt:")) << read.error().message;
    }
  }
}

TEST(RecordingFile, RefusesANewerFormatByNumber) {
  EXPECT_ERROR(SealRecording("\x18\x02"), "made by a newer Refract (format 2)");
  // Format 2 (field 3), then step 3 (field 19) with transformation number 57.
  const std::string step = "\x9a\x01\x07\x08\x03\x12\x03\xca\x03";
  EXPECT_ERROR(SealRecording("\x18\x02" + step + std::string(1, '\0')),
               "made by a newer Refract (format 2): unknown transformation number 57 in step 3");
  EXPECT_ERROR(SealRecording("\x18\x01" + step + std::string(1, '\0')),
               "made by a newer Refract (format 1): unknown transformation number 57 in step 3");
  // Field 5 of split_block in step 3; field 99 of the recording.
  EXPECT_ERROR(SealRecording("\x18\x01\x9a\x01\x08\x08\x03\x12\x04\x0a\x02\x28\x01"),
               "unknown field 5 of SplitBlock in step 3");
  EXPECT_ERROR(SealRecording("\x18\x01\x98\x06\x01"), "unknown field 99");
}

TEST(RecordingFile, ErrorsNameTheRefractThatMadeIt) {
  Recording newer = Sample(1, 3);
  newer.tool = "7.2.0";
  std::string bytes = WriteRecording(newer).substr(kHeaderBytes);
  ASSERT_EQ(bytes.substr(0, 2), "\x18\x01");
  bytes[1] = 7;
  EXPECT_EQ(
      ErrorOf(SealRecording(bytes)),
      "a.refract: made by a newer Refract (7.2.0, format 7); this version reads formats up to 1");
  // Step 12 with transformation 1999; and field 9 of the Name in a Use, four messages deep.
  const std::string head =
      "\x18\x07\x22\x05"
      "7.2.0";
  EXPECT_ERROR(
      SealRecording(head + "\x9a\x01\x07\x08\x0c\x12\x03\xfa\x7c" + std::string(1, '\0')),
      "made by a newer Refract (7.2.0, format 7): unknown transformation number 1999 in step "
      "12");
  const std::string step("\x08\x0c\x12\x08\x72\x06\x0a\x04\x0a\x02\x48\x01", 12);
  EXPECT_ERROR(SealRecording(head + "\x9a\x01\x0c" + step),
               "(7.2.0, format 7): unknown field 9 of Name in step 12");
  EXPECT_EQ(
      ErrorOf("# Refract recording\nformat: 7\ntool: \"7.2.0\"\nlook: 3\n"),
      "a.refract: made by a newer Refract (7.2.0, format 7); this version reads formats up to 1");
  // The name of the tool may have any bytes; the message is on one line.
  EXPECT_ERROR(SealRecording("\x18\x07\x22\x03"
                             "a\n\xff"),
               "(a  , format 7)");
}

TEST(RecordingFile, LengthsInTheFileAreNotTrusted) {
  const std::string head = "\x18\x01";
  for (const std::string length :
       {"\xff\xff\xff\xff\x07", "\xff\xff\xff\xff\x0f", "\x80\x80\x80\x80\x10",
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05"}) {
    for (const std::string field : {"\x22", "\x9a\x01", "\xa2\x01", "\x6a"}) {  // tool, steps, ...
      EXPECT_ERROR(SealRecording(head + field + length + "abcd"), "damaged");
    }
  }
}

TEST(RecordingFile, RefusesImpossibleSteps) {
  const AnyMessage split(SplitBlock{.before = {0, 12}});
  const auto error_of = [](std::vector<Step> steps) {
    return ErrorOf(WriteRecording(Recording{.steps = std::move(steps)}));
  };
  EXPECT_EQ(error_of({{0, split, {}}}),
            "a.refract: step 0 follows step 0: step numbers must ascend");
  EXPECT_EQ(error_of({{2, split, {}}, {2, split, {}}}),
            "a.refract: step 2 follows step 2: step numbers must ascend");
  EXPECT_EQ(error_of({{Name::kDeclaredStep, split, {}}}),
            "a.refract: step 4294967295 follows step 0: step numbers must ascend");
  EXPECT_EQ(error_of({{1, AnyMessage(), {}}}), "a.refract: step 1 has no transformation");
  for (const std::vector<uint32_t>& needs : {std::vector<uint32_t>{3}, {4}, {0}, {2, 1}, {1, 1}}) {
    EXPECT_NE(error_of({{3, split, needs}}).find("step 3 cannot depend on step"),
              std::string::npos);
  }
  EXPECT_EQ(error_of({{3, split, {1, 2}}}), "read without an error");
}

TEST(RecordingFile, LimitsStepsMessagesAndNesting) {
  std::string steps = "\x18\x01";
  for (size_t i = 0; i <= kMaxSteps; ++i) steps.append("\x9a\x01\x00", 3);
  EXPECT_ERROR(SealRecording(steps), "more than 1000000 steps");

  // No transformation is nested yet; constants are.
  const auto* constant = wire::Constant::descriptor();
  std::string wide;
  for (size_t i = 0; i <= kMaxMessages; ++i) wide.append("\x22\x00", 2);
  Status status = wire::ScanRecording(wide, constant, "a", 0);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("more than 8000000 messages and strings"),
            std::string::npos);

  std::string numbers(4 * kMaxMessages + 1, '\x01');  // packed words of a constant
  std::string length;
  for (size_t rest = numbers.size(); rest > 0; rest >>= 7) {
    length += static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0));
  }
  EXPECT_FALSE(wire::ScanRecording("\x12" + length + numbers, constant, "a", 0));
  numbers.pop_back();
  length[0] = static_cast<char>(length[0] - 1);
  EXPECT_TRUE(wire::ScanRecording("\x12" + length + numbers, constant, "a", 0));

  std::string text(kTextHeading);
  text += "\nvalidator_options: [\"\"";
  for (size_t i = 0; i < kMaxMessages; ++i) text += ",\"\"";
  EXPECT_ERROR(text + "]", "more than 8000000 messages and strings");

  const auto nested = [](int depth) {
    wire::Constant outer;
    wire::Constant* at = &outer;
    for (int i = 1; i < depth; ++i) at = at->add_parts();
    return outer.SerializeAsString();
  };
  EXPECT_TRUE(wire::ScanRecording(nested(kMaxNesting), constant, "a", 0));
  wire::Constant parsed;
  EXPECT_TRUE(parsed.ParseFromString(nested(kMaxNesting))) << "protobuf allows at least this depth";
  status = wire::ScanRecording(nested(kMaxNesting + 1), constant, "a", 0);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("nested more than 100 deep"), std::string::npos);
}

TEST(RecordingFile, ErrorsInTextNameThePlace) {
  const auto error_of = [](std::string_view text) {
    const auto read = RecordingFromText(text, "a.txt");
    return read ? "read without an error" : read.error().message;
  };
  EXPECT_EQ(error_of("# x\nformat: 1\nsteps { number: 1 transformation { split_blok { } } }\n"),
            "a.txt:3:47: unknown transformation \"split_blok\".");
  EXPECT_EQ(error_of("format: 1\n  seed: many\n"), "a.txt:2:9: Expected integer, got: many");
  EXPECT_EQ(error_of("format: 2\n"),
            "a.txt: made by a newer Refract (format 2); this version reads formats up to 1");
  EXPECT_EQ(error_of("format: 1\nsteps { number: 1 }\n"), "a.txt: step 1 has no transformation");
  EXPECT_EQ(error_of("format: 1\nformat: 1\n").substr(0, 8), "a.txt:2:");
  EXPECT_EQ(error_of("format: 1 }").substr(0, 10), "a.txt:1:11");
  EXPECT_EQ(error_of("steps {").substr(0, 8), "a.txt:1:");
}

TEST(RecordingFile, OneTransformationCanBeWrittenAsText) {
  const AnyMessage split(SplitBlock{.before = {.step = 3, .local = 17}});
  EXPECT_EQ(ToText(split), "split_block { before { step: 3 local: 17 } }");
  const auto read = TransformationFromText("split_block { before: { local: 12 } }  # same", "f", 1);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, AnyMessage(SplitBlock{.before = {.step = 0, .local = 12}}));

  const auto empty = TransformationFromText("\n", "f.spvasm", 40);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().message,
            "f.spvasm:40: expected a transformation such as split_block { ... }");
  const auto wrong = TransformationFromText("split_block {\n after {} }", "f.spvasm", 40);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "f.spvasm:41:8: \"SplitBlock\" has no field named \"after\".");
  EXPECT_FALSE(TransformationFromText("split_block {} move_block_down {}", "f", 1));

  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const AnyMessage any = AnyTransformation(random);
    const auto again = TransformationFromText(ToText(any), "f", 1);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, any);
  }
}

TEST(RecordingFile, TextHasOneLinePerStep) {
  Recording recording{.tool = "refract 0.1.0", .entry = "main"};
  recording.steps = {{1, SplitBlock{.before = {0, 12}}, {}},
                     {4, MoveBlockDown{.block = {1, 99}}, {1}}};
  EXPECT_EQ(ToText(recording),
            "# Refract recording\n"
            "format: 1\n"
            "tool: \"refract 0.1.0\"\n"
            "entry: \"main\"\n"
            "steps { number: 1 transformation { split_block { before { local: 12 } } } }\n"
            "steps { number: 4 transformation { move_block_down { block { step: 1 local: 99 } } } "
            "needs: [1] }\n");
}

// The example of the page is a recording, printed exactly as on the page.
TEST(RecordingFile, ExampleOfTheFormatPageIsCorrect) {
  const auto page = ReadFile(REFRACT_SOURCE_DIR "/docs/recording-format.md");
  ASSERT_TRUE(page) << page.error().message;
  const std::string fence = "```\n";
  const size_t begin = page->find(fence + std::string(kTextHeading)) + fence.size();
  const std::string example = page->substr(begin, page->find(fence, begin) - begin);
  const auto read = ReadRecording(example, "page");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->steps.size(), 2u);
  EXPECT_EQ(ToText(*read), example);
}

TEST(RecordingFile, JsonHasStableKeys) {
  Recording recording{.format = 1, .tool = "refract 0.1.0", .seed = ~uint64_t{0}};
  recording.steps = {{2, SplitBlock{.before = {0, 12}}, {1}}};
  const std::string json = ToJson(recording);
  EXPECT_EQ(json.substr(0, 32), "{\n  \"version\": \"refract 0.1.0\",\n");
  EXPECT_NE(json.find("\"seed\": 18446744073709551615,"), std::string::npos);
  EXPECT_NE(json.find("      \"number\": 2,\n      \"type\": \"split_block\",\n"),
            std::string::npos);
  EXPECT_NE(json.find("\"step\": 0,\n          \"local\": 12\n"), std::string::npos) << json;
  EXPECT_EQ(std::count(json.begin(), json.end(), '{'), 5) << json;
}

}  // namespace
}  // namespace refract
