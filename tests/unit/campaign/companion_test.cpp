// SPDX-License-Identifier: Apache-2.0
// The files in the folder of a module that belong to it: its inputs and its companion. Recordings
// and references of campaigns belong to one companion.
#include <gtest/gtest.h>

#include <optional>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "campaign/setup.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "glsl/companion_file.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

constexpr char kVertexShader[] =
    "#version 450\nlayout(location = 0) in vec4 place;\nlayout(location = 0) flat out int tile;\n"
    "layout(binding = 0) uniform Both { int parts; };\n"
    "void main() { gl_Position = place; tile = gl_VertexIndex % parts; }\n";
constexpr char kFragmentShader[] =
    "#version 450\nlayout(location = 0) flat in int tile;\nlayout(location = 0) out vec4 colour;\n"
    "void main() { colour = vec4(float(tile * 16) / 255.0, 0.0, 0.0, 1.0); }\n";
constexpr char kInputs[] =
    R"({"parts": {"func": "glUniform1i", "args": [3], "binding": 0},
        "$grid": {"dimensions": [4, 4]}})";

class CompanionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto folder = TemporaryFolder::Make();
    ASSERT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
    Write("tiles.vert", kVertexShader);
    Write("tiles.frag", kFragmentShader);
    Write("tiles.json", kInputs);
  }

  std::string Path(const std::string& name) const { return folder_->path() + "/" + name; }
  void Write(const std::string& name, const std::string& text) const {
    EXPECT_TRUE(WriteFile(Path(name), text));
  }
  CampaignSource Source(const std::string& name) const {
    Result<CampaignSource> source = LoadSource(name, Path(name));
    EXPECT_TRUE(source) << source.error().message;
    return std::move(*source);
  }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(CompanionTest, InputsAndCompanionAreFoundByName) {
  const auto inputs = LoadInputsOf(Path("tiles.vert"));
  ASSERT_TRUE(inputs) << inputs.error().message;
  ASSERT_NE(*inputs, nullptr);
  EXPECT_EQ((*inputs)->grid_columns, 4u);
  ASSERT_NE((*inputs)->companion, nullptr);
  EXPECT_EQ((*inputs)->companion->model, spv::ExecutionModel::Fragment);
  EXPECT_EQ(InputsFileOf(Path("tiles.vert.spv"), ""), Path("tiles.json"));
  EXPECT_EQ(InputsFileOf(Path("tiles.spv"), ""), Path("tiles.json"));
  EXPECT_EQ(InputsFileOf(Path("others.vert.spv"), ""), "");
  EXPECT_EQ(InputsFileOf(Path("tiles.other.spv"), ""), "");
  const auto none = LoadInputsOf(Path("others.vert"));
  ASSERT_TRUE(none) << none.error().message;
  EXPECT_EQ(*none, nullptr);
  // A companion without inputs, and a broken one.
  Write("bare.vert", kVertexShader);
  Write("bare.frag", kFragmentShader);
  const auto bare = LoadInputsOf(Path("bare.frag"));
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_NE((*bare)->companion, nullptr);
  Write("bare.vert", "#version 450\nvoid main() { nonsense }\n");
  const auto broken = LoadInputsOf(Path("bare.frag"));
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("bare.vert"), std::string::npos);
}

TEST_F(CompanionTest, TheCompanionIsPartOfAReference) {
  const CampaignSource before = Source("tiles.frag"), vertex = Source("tiles.vert");
  EXPECT_NE(before.original->companion_hash, "");
  EXPECT_NE(before.hash, vertex.hash);
  EXPECT_EQ(Source("tiles.frag").hash, before.hash);
  std::string other = kVertexShader;
  other.replace(other.find("% parts"), 7, "/ parts");
  Write("tiles.vert", other);
  EXPECT_NE(Source("tiles.frag").hash, before.hash);
}

TEST_F(CompanionTest, ARecordingIsForOneCompanion) {
  const CampaignSource source = Source("tiles.vert");
  FuzzOptions options;
  options.seed = 5;
  options.max_steps = 30;
  const auto fuzzed = Fuzz(*source.original, options);
  ASSERT_TRUE(fuzzed) << fuzzed.error().message;
  EXPECT_EQ(fuzzed->recording.companion_hash, source.original->companion_hash);
  const auto read = ReadRecording(WriteRecording(fuzzed->recording), "a.refract");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->companion_hash, fuzzed->recording.companion_hash);

  std::string other = kFragmentShader;
  other.replace(other.find("0.0, 0.0"), 3, "1.0");
  Write("tiles.frag", other);
  const CampaignSource beside_another = Source("tiles.vert");
  const auto refused = Replay(*beside_another.original, *read, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find(
                "the companion shader differs from the companion shader of the recording"),
            std::string::npos);
  ReplayOptions by_force;
  by_force.force = true;
  EXPECT_TRUE(Replay(*beside_another.original, *read, by_force));
  // A recording without a companion hash is from an older version.
  message::Recording older = *read;
  older.companion_hash.clear();
  const auto replayed = Replay(*beside_another.original, older, {});
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->words, fuzzed->words);
}

}  // namespace
}  // namespace refract
