// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace refract {
namespace {

/// An empty folder for each test, removed after it.
class File : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "refract_file_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::vector<std::string> Files() const {
    Result<std::vector<std::string>> files = ListFiles(folder_);
    return files ? *files : std::vector<std::string>{files.error().message};
  }

 private:
  std::string folder_;
};

TEST_F(File, ReadsBackWhatWasWritten) {
  const std::string bytes("\0\r\n\xff text", 9);
  ASSERT_TRUE(WriteFile(Path("a"), bytes));
  const Result<std::string> read = ReadFile(Path("a"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, bytes);
  EXPECT_EQ(Files(), std::vector<std::string>{Path("a")}) << "no temporary file may remain";
}

TEST_F(File, ErrorsNameTheFileAndAreBadInput) {
  const Result<std::string> absent = ReadFile(Path("absent"));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message, Path("absent") + ": cannot read: No such file or directory");
  EXPECT_EQ(absent.error().kind, ErrorKind::kBadInput);
  const Result<std::string> directory = ReadFile(Path(""));
  ASSERT_FALSE(directory);
  EXPECT_NE(directory.error().message.find("Is a directory"), std::string::npos)
      << directory.error().message;
  const Status nowhere = WriteFile(Path("no/such/folder"), "x");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("no/such/folder: cannot write"), std::string::npos)
      << nowhere.error().message;
}

TEST_F(File, RefusesAFileOverTheLimit) {
  ASSERT_TRUE(WriteFile(Path("a"), "12345"));
  EXPECT_TRUE(ReadFile(Path("a"), 5));
  const Result<std::string> large = ReadFile(Path("a"), 4);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().message, Path("a") + ": larger than the limit of 4 bytes");
}

TEST_F(File, AFullDiskIsNotBadInput) {
  // Every write to this device fails with ENOSPC. The temporary name of the output set is a link to
  // it.
  ASSERT_TRUE(FileExists("/dev/full"));
  std::filesystem::create_symlink("/dev/full", Path("out." + std::to_string(getpid()) + ".tmp"));
  const Status full = WriteFile(Path("out"), "x");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::kFailed);
  EXPECT_NE(full.error().message.find("No space left"), std::string::npos) << full.error().message;
  EXPECT_TRUE(Files().empty());
}

TEST_F(File, AnOutputSetIsWrittenCompletelyOrNotAtAll) {
  {
    OutputSet outputs;
    ASSERT_TRUE(outputs.Add(Path("a.spv"), "a"));
    ASSERT_TRUE(outputs.Add(Path("a.refract"), "b"));
    EXPECT_FALSE(FileExists(Path("a.spv"))) << "no file with this name before Commit";
    EXPECT_FALSE(outputs.Add(Path("no/folder"), "c"));
  }
  EXPECT_TRUE(Files().empty());
  OutputSet outputs;
  ASSERT_TRUE(outputs.Add(Path("a.spv"), "a"));
  ASSERT_TRUE(outputs.Add(Path("a.refract"), "b"));
  ASSERT_TRUE(outputs.Commit());
  EXPECT_EQ(Files(), (std::vector<std::string>{Path("a.refract"), Path("a.spv")}));
}

TEST_F(File, AnOutputSetReplacesExistingFiles) {
  ASSERT_TRUE(WriteFile(Path("a"), "old and longer"));
  {
    OutputSet dropped;
    ASSERT_TRUE(dropped.Add(Path("a"), "new"));
  }
  EXPECT_EQ(*ReadFile(Path("a")), "old and longer");
  ASSERT_TRUE(WriteFile(Path("a"), "new"));
  EXPECT_EQ(*ReadFile(Path("a")), "new");
}

TEST_F(File, AFailedCommitRemovesItsTemporaryFiles) {
  {
    OutputSet outputs;
    ASSERT_TRUE(outputs.Add(Path("taken"), "x"));
    ASSERT_TRUE(MakeFolder(Path("taken/by/a/folder")));
    const Status committed = outputs.Commit();
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::kBadInput);
  }
  EXPECT_TRUE(Files().empty());
}

TEST_F(File, AFolderIsNotAnOutput) {
  ASSERT_TRUE(MakeFolder(Path("taken")));
  OutputSet outputs;
  const Status added = outputs.Add(Path("taken"), "x");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().kind, ErrorKind::kBadInput);
  EXPECT_TRUE(Files().empty());
}

TEST_F(File, ListsFilesBelowAFolderInByteOrder) {
  ASSERT_TRUE(MakeFolder(Path("b/c")));
  for (const char* name : {"b/c/z", "b.txt", "a", "B", "b/a"}) {
    ASSERT_TRUE(WriteFile(Path(name), ""));
  }
  EXPECT_EQ(Files(), (std::vector<std::string>{Path("B"), Path("a"), Path("b.txt"), Path("b/a"),
                                               Path("b/c/z")}));
  EXPECT_FALSE(ListFiles(Path("absent")));
}

TEST(FileName, ExtensionIsThatOfTheLastPart) {
  EXPECT_EQ(Extension("a/b.frag.spv"), ".spv");
  EXPECT_EQ(Extension("a.d/b"), "");
  EXPECT_EQ(Extension("a/.hidden"), "");
  EXPECT_EQ(ReplaceExtension("a.d/b.spv", ".json"), "a.d/b.json");
  EXPECT_EQ(ReplaceExtension("a.d/b", ".json"), "a.d/b.json");
}

}  // namespace
}  // namespace refract
