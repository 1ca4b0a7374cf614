// SPDX-License-Identifier: Apache-2.0
// What happens to the folder of a process that is killed.
#include "base/temporary_folder.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/file.h"

namespace refract {
namespace {

// The folder of a process that made it with a file in it and now waits to be killed.
class OtherProcess {
 public:
  explicit OtherProcess(const std::string& parent) {
    int pipes[2];
    EXPECT_EQ(::pipe(pipes), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("TMPDIR", parent.c_str(), 1);
      const Result<TemporaryFolder> made = TemporaryFolder::Make();
      const bool whole = made && WriteFile(made->path() + "/candidate.spv", "words");
      if (whole) {
        [[maybe_unused]] const auto written =
            ::write(pipes[1], made->path().data(), made->path().size());
      }
      ::close(pipes[1]);
      ::pause();
      ::_exit(1);
    }
    ::close(pipes[1]);
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(pipes[0], buffer, sizeof buffer)) > 0;) {
      folder_.append(buffer, static_cast<size_t>(got));
    }
    ::close(pipes[0]);
  }
  ~OtherProcess() { Kill(); }
  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  const std::string& folder() const { return folder_; }

 private:
  pid_t pid_ = 0;
  std::string folder_;
};

TEST(TemporaryFolder, TheNextProcessRemovesTheFolderOfAKilledOne) {
  const Result<TemporaryFolder> parent = TemporaryFolder::Make();
  ASSERT_TRUE(parent.has_value());
  OtherProcess lives(parent->path()), dies(parent->path());
  ASSERT_TRUE(FileExists(lives.folder() + "/candidate.spv"));
  ASSERT_TRUE(FileExists(dies.folder() + "/candidate.spv"));
  ASSERT_TRUE(MakeFolder(parent->path() + "/refract-notes"));
  EXPECT_EQ(RemoveAbandonedFolders(parent->path()), 0u);
  dies.Kill();
  ASSERT_TRUE(FileExists(dies.folder() + "/candidate.spv"));
  const OtherProcess next(parent->path());
  EXPECT_FALSE(std::filesystem::exists(dies.folder()));
  EXPECT_TRUE(FileExists(lives.folder() + "/candidate.spv"));
  EXPECT_TRUE(FileExists(next.folder() + "/candidate.spv"));
  EXPECT_TRUE(std::filesystem::exists(parent->path() + "/refract-notes"));
}

TEST(TemporaryFolder, IsRemovedWithItsOwnerAfterAMove) {
  std::string path;
  {
    Result<TemporaryFolder> made = TemporaryFolder::Make();
    ASSERT_TRUE(made.has_value());
    path = made->path();
    const TemporaryFolder moved(std::move(*made));
    EXPECT_EQ(moved.path(), path);
    // The process that owns it is alive.
    RemoveAbandonedFolders(std::filesystem::path(path).parent_path().string());
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

// Other processes search for abandoned folders while this one makes its folders.
TEST(TemporaryFolder, AFolderThatIsJustBeingMadeIsNotLost) {
  const Result<TemporaryFolder> parent = TemporaryFolder::Make();
  ASSERT_TRUE(parent.has_value());
  std::atomic<bool> ends = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!ends) RemoveAbandonedFolders(parent->path());
    });
  }
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("TMPDIR", parent->path().c_str(), 1);
  int lost = 0;
  for (int i = 0; i < 1500; ++i) {
    const Result<TemporaryFolder> made = TemporaryFolder::Make();
    lost += !made || !WriteFile(made->path() + "/candidate.spv", "words");
  }
  before != nullptr ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  ends = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(lost, 0);
}

}  // namespace
}  // namespace refract
