// SPDX-License-Identifier: Apache-2.0
// Programs that misbehave are ended, distinguished and cleaned up.
#include "base/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"

namespace refract {
namespace {

using End = CommandResult::End;

Command Shell(const std::string& script, double time_limit = 60) {
  Command command;
  command.argv = {FindProgram("sh"), "-c", script};
  command.time_limit = time_limit;
  return command;
}

CommandResult MustRun(const Command& command) {
  Result<CommandResult> result = RunCommand(command);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : CommandResult{};
}

TEST(Subprocess, ReportsHowAProgramEnded) {
  CommandResult result = MustRun(Shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(result.end, End::kExit);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "out\nerr\n");
  result = MustRun(Shell("kill -SEGV $$"));
  EXPECT_EQ(result.end, End::kSignal);
  EXPECT_EQ(result.signal, SIGSEGV);
}

TEST(Subprocess, IsKilledAtItsTimeLimitWithItsDescendants) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Command command = Shell("(sleep 1; echo late > late) & echo begun; sleep 100", 0.3);
  command.folder = folder->path();
  const CommandResult result = MustRun(command);
  EXPECT_EQ(result.end, End::kTime);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_LT(result.seconds, 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_FALSE(FileExists(folder->path() + "/late"));
}

// Starts a process of another session whose parent is gone; the file `daemon` has its process id.
constexpr char kDaemon[] =
    "setsid sh -c 'sleep 100 & echo $! > daemon' & "
    "while [ ! -s daemon ]; do sleep 0.01; done; ";

pid_t DaemonOf(const std::string& folder) {
  uint64_t pid = 0;
  const Result<std::string> text = ReadFile(folder + "/daemon");
  EXPECT_TRUE(text && ParseNumber(Trim(*text), &pid));
  return static_cast<pid_t>(pid);
}

TEST(Subprocess, DaemonsEndWithTheProgram) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const pid_t other = ::fork();  // is no child of the program and must survive
  if (other == 0) {
    ::pause();
    ::_exit(0);
  }
  Command command = Shell(std::string(kDaemon) + "echo done; exit 3");
  command.folder = folder->path();
  command.end_daemons = true;
  const CommandResult result = MustRun(command);
  EXPECT_EQ(result.end, End::kExit);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.output, "done\n");
  EXPECT_NE(::kill(DaemonOf(folder->path()), 0), 0);
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST(Subprocess, DaemonsEndAtItsTimeLimit) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Command command = Shell(std::string(kDaemon) + "sleep 100", 2);
  command.folder = folder->path();
  command.end_daemons = true;
  EXPECT_EQ(MustRun(command).end, End::kTime);
  EXPECT_NE(::kill(DaemonOf(folder->path()), 0), 0);
}

TEST(Subprocess, TheKeeperPassesOnSignalsAndErrors) {
  Command command = Shell("kill -SEGV $$");
  command.end_daemons = true;
  const CommandResult result = MustRun(command);
  EXPECT_EQ(result.end, End::kSignal);
  EXPECT_EQ(result.signal, SIGSEGV);
  command.argv = {"/nowhere/at/all"};
  EXPECT_FALSE(RunCommand(command));
}

TEST(Subprocess, BackgroundProcessesEndWithTheProgram) {
  const double begin = MonotonicSeconds();
  const CommandResult result = MustRun(Shell("sleep 100 & echo gone"));
  EXPECT_EQ(result.end, End::kExit);
  EXPECT_EQ(result.output, "gone\n");
  EXPECT_LT(MonotonicSeconds() - begin, 20);  // the child holds the pipe open
}

TEST(Subprocess, EndlessOutputKeepsBothEnds) {
  const CommandResult result =
      MustRun(Shell("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"));
  EXPECT_EQ(result.end, End::kExit);
  EXPECT_TRUE(result.output.starts_with("first\nxxx"));
  EXPECT_TRUE(result.output.ends_with("xxx\nlast\n"));
  EXPECT_LT(result.output.size(), size_t{3} << 20);
  EXPECT_EQ(MustRun(Shell("yes", 0.3)).end, End::kTime);
}

TEST(Subprocess, TheMemoryLimitCountsAllDescendants) {
  Command command = Shell("head -c 300000000 /dev/zero | tail -n 1 | wc -c");
  command.memory_limit = uint64_t{64} << 20;
  EXPECT_EQ(MustRun(command).end, End::kMemory);
  command.argv.back() = "head -c 3000000 /dev/zero | tail -n 1 | wc -c";
  EXPECT_EQ(MustRun(command).end, End::kExit);
}

TEST(Subprocess, HasNoInputAndFilesOfLimitedSize) {
  EXPECT_EQ(MustRun(Shell("cat; echo end")).output, "end\n");
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Command command = Shell("echo said >&2; exec yes");
  command.folder = folder->path();
  command.stdout_file = folder->path() + "/out";
  command.file_limit = 100000;
  const CommandResult result = MustRun(command);
  EXPECT_EQ(result.end, End::kSignal);
  EXPECT_EQ(result.signal, SIGXFSZ);
  EXPECT_EQ(result.output, "said\n");
  EXPECT_EQ(std::filesystem::file_size(command.stdout_file), 100000u);
}

TEST(Subprocess, WorksInItsFolder) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Command command = Shell("pwd; echo $TMPDIR");
  command.folder = folder->path();
  const std::string real = std::filesystem::canonical(folder->path()).string();
  EXPECT_EQ(MustRun(command).output, format("{}\n{}\n", real, folder->path()));
}

TEST(Subprocess, AProgramThatCannotStartIsAnError) {
  Command command;
  command.argv = {"/nonexistent/tool"};
  const Result<CommandResult> result = RunCommand(command);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cannot start /nonexistent/tool: No such file or directory");
  EXPECT_EQ(FindProgram("no-such-program-anywhere"), "");
  EXPECT_EQ(FindProgram("/etc/passwd"), "");  // not executable
  EXPECT_NE(FindProgram("sh"), "");
}

TEST(Subprocess, RunsInSeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  threads.reserve(8);
  std::vector<int> codes(8, -1);
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back(
        [&codes, i] { codes[i] = MustRun(Shell(format("sleep 0.1; exit {}", i))).exit_code; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(codes, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(TemporaryFolder, IsRemovedWithItsContents) {
  std::string path;
  {
    const Result<TemporaryFolder> folder = TemporaryFolder::Make();
    ASSERT_TRUE(folder);
    path = folder->path();
    ASSERT_TRUE(MakeFolder(path + "/a/b"));
    ASSERT_TRUE(WriteFile(path + "/a/b/c", "x"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace refract
