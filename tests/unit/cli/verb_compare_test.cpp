// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/command_line.h"
#include "cli/verbs.h"
#include "image/png.h"

namespace refract {
namespace {

/// A folder with black.png and dot.png, which has one pixel of another colour.
class VerbCompare : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "refract_compare_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Image picture = MakeImage(32, 32, 0, 0, 0, 255);
    ASSERT_TRUE(WriteFile(Path("black.png"), EncodePng(picture)));
    picture.pixel(33)[1] = 7;
    ASSERT_TRUE(WriteFile(Path("dot.png"), EncodePng(picture)));
    ASSERT_TRUE(WriteFile(Path("small.png"), EncodePng(MakeImage(4, 4))));
    ASSERT_TRUE(WriteFile(Path("text.png"), "not an image"));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  /// Returns the exit code; out_ and err_ get what was printed.
  int Compare(const std::string& a, const std::string& b,
              const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments = {"refract", "compare", Path(a), Path(b)};
    arguments.insert(arguments.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    constexpr std::array kVerbs = {&kCompareVerb};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int exit_code = RunCommandLine(static_cast<int>(argv.size()), argv.data(), kVerbs);
    out_ = testing::internal::GetCapturedStdout();
    err_ = testing::internal::GetCapturedStderr();
    return exit_code;
  }

  std::string out_, err_;

 private:
  std::string folder_;
};

TEST_F(VerbCompare, EqualImagesAreTheSame) {
  EXPECT_EQ(Compare("black.png", "black.png"), kDone);
  EXPECT_EQ(out_.find("same under rule exact\n"), 0u) << out_;
  EXPECT_EQ(err_, "");
}

TEST_F(VerbCompare, OnePixelIsADifferenceOnlyUnderTheExactRule) {
  EXPECT_EQ(Compare("black.png", "dot.png"), kFinding);
  EXPECT_EQ(out_.find("different under rule exact\n"), 0u) << out_;
  EXPECT_EQ(Compare("black.png", "dot.png", {"--rule", "stable"}), kDone);
  EXPECT_EQ(Compare("black.png", "small.png", {"--rule", "stable"}), kFinding);
}

TEST_F(VerbCompare, JsonHasTheDocumentedKeys) {
  EXPECT_EQ(Compare("black.png", "dot.png", {"--json"}), kFinding);
  const nlohmann::json found = nlohmann::json::parse(out_, nullptr, false);
  std::set<std::string> keys;
  for (const auto& [key, value] : found.items()) keys.insert(key);
  EXPECT_EQ(keys, (std::set<std::string>{"same", "rule", "sizes", "pixels", "max", "region", "emd",
                                         "rmse", "chi2", "square", "similarity", "shift"}));
  EXPECT_EQ(found["same"], false);
  EXPECT_EQ(found["pixels"], 1);
  EXPECT_EQ(found["max"], 7);
  EXPECT_EQ(Compare("black.png", "small.png", {"--json"}), kFinding);
  EXPECT_TRUE(nlohmann::json::parse(out_, nullptr, false)["rmse"].is_null()) << out_;
}

TEST_F(VerbCompare, TheDiffOptionWritesAnImage) {
  EXPECT_EQ(Compare("black.png", "dot.png", {"--diff", Path("diff.png")}), kFinding);
  const Result<std::string> bytes = ReadFile(Path("diff.png"));
  ASSERT_TRUE(bytes);
  const Result<Image> picture = DecodePng(*bytes, "diff.png");
  ASSERT_TRUE(picture) << picture.error().message;
  EXPECT_EQ(picture->width, 32u);
}

TEST_F(VerbCompare, BadInputNamesTheFileAndWritesNothing) {
  EXPECT_EQ(Compare("black.png", "text.png", {"--diff", Path("diff.png")}), kBadInput);
  EXPECT_NE(err_.find("text.png"), std::string::npos) << err_;
  EXPECT_EQ(out_, "");
  EXPECT_FALSE(FileExists(Path("diff.png")));
  EXPECT_EQ(Compare("absent.png", "black.png"), kBadInput);
  EXPECT_EQ(Compare("black.png", "black.png", {"--diff", Path("no/diff.png")}), kBadInput);
}

}  // namespace
}  // namespace refract
