// SPDX-License-Identifier: Apache-2.0
// Targets with a root. The root of these tests is "/", the system of this machine, so that they
// need no other system: what is tested is that the dynamic loader starts programs and workers.
#include "target/root.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "target/harness.h"
#include "target/health.h"
#include "target/inspect.h"
#include "target/run_commands.h"
#include "unit/shared/harness_shaders.h"
#include "unit/shared/plain_error.h"

namespace refract {
namespace {

namespace fs = std::filesystem;

TEST(Root, TheSystemOfThisMachineIsARoot) {
  const Root root = OpenRoot("/");
  EXPECT_EQ(root.problem, "");
  EXPECT_TRUE(root.is_set());
  EXPECT_TRUE(FileExists(root.loader)) << root.loader;
  EXPECT_FALSE(root.libraries.empty());
  EXPECT_NE(FindLibraryIn(root, "libc.so.6"), "");
  EXPECT_EQ(FindLibraryIn(root, "libnowhere.so"), "");
  EXPECT_TRUE(FindProgramIn(root, "cat").ends_with("/bin/cat"));
  EXPECT_EQ(FindProgramIn(root, "no-such-program"), "");
}

TEST(Root, AFolderWithoutADynamicLoaderIsNoRoot) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string path = folder->path();
  const std::string empty = OpenRoot(path).problem;
  EXPECT_TRUE(empty.starts_with(path + ": not a root: it has no ld-linux-")) << empty;
  EXPECT_EQ(OpenRoot(path + "/gone").problem, path + "/gone: no such folder, so there is no root");
  fs::create_directory(path + "/a:b");
  EXPECT_EQ(OpenRoot(path + "/a:b").problem,
            path + "/a:b: the path of a root must not contain ':' or ';'");
}

TEST(Root, OnlyProgramsWithADynamicLoaderAreStartedByIt) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string script = folder->path() + "/script";
  ASSERT_TRUE(WriteFile(script, "#!/bin/sh\n"));
  const Root root = OpenRoot("/");
  const std::vector<std::string> argv = {script, "-x"};
  EXPECT_EQ(StartedIn(root, argv), argv);
  const std::vector<std::string> started = StartedIn(root, {FindProgramIn(root, "cat"), "-x"});
  ASSERT_EQ(started.size(), 5u);
  EXPECT_EQ(started[0], root.loader);
  EXPECT_EQ(started[1], "--library-path");
  EXPECT_TRUE(started[3].ends_with("/bin/cat"));
  EXPECT_EQ(started[4], "-x");
  EXPECT_EQ(StartedIn(Root(), {"/bin/cat"}), std::vector<std::string>{"/bin/cat"});
}

class RootOfTargets : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<TemporaryFolder> made = TemporaryFolder::Make();
    ASSERT_TRUE(made);
    folder_.emplace(std::move(*made));
    job_.spirv = CoordinatesShader();
    job_.entry = "draw";
  }
  /// A target of one command that runs `run` (a JSON list), with the member `more` added.
  Result<Target> Tool(const std::string& run, const std::string& more) {
    const std::string file = folder_->path() + "/tool.json";
    EXPECT_TRUE(WriteFile(file, format(R"({{"name": "tool", "description": "d", "render": false{}{},
                       "commands": [{{"run": {}, "output": "spirv"}}]}})",
                                       more.empty() ? "" : ", ", more, run)));
    return FindTarget("tool", {file});
  }
  std::string ErrorOf(const std::string& run, const std::string& more) {
    const Result<Target> target = Tool(run, more);
    return target ? "none" : PlainError(target.error().message);
  }

  std::optional<TemporaryFolder> folder_;
  Job job_;
};

TEST_F(RootOfTargets, ErrorsSayWhatIsMissing) {
  const std::string run = R"(["cp", "{in}", "{out}"])", path = folder_->path();
  EXPECT_EQ(ErrorOf(run, R"("root": "/")"), "none");
  EXPECT_EQ(ErrorOf(run, R"("root": "gone/")"),
            format("target tool: {}/gone: no such folder, so there is no root", path));
  EXPECT_TRUE(
      ErrorOf(run, R"("root": ".")").starts_with(format("target tool: {}: not a root", path)));
  EXPECT_EQ(ErrorOf(R"(["no-such-program", "{in}", "{out}"])", R"("root": "/")"),
            "target tool: no-such-program: no such program in the root /");
  EXPECT_TRUE(ErrorOf(run, R"("root": 7)").ends_with(": /root: expected a string"));
  EXPECT_TRUE(ErrorOf(run, R"("root": "")").ends_with(": /root: expected one line of text"));
  // A command may have another root than its target.
  EXPECT_EQ(ErrorOf(run + R"(, "root": "/")", R"("root": "gone")"), "none");
  const std::string file = path + "/driver.json";
  ASSERT_TRUE(WriteFile(file, R"({"name": "d", "icd": "lavapipe", "root": "/"})"));
  const Result<Target> driver = FindTarget("d", {file});
  ASSERT_FALSE(driver);
  EXPECT_EQ(PlainError(driver.error().message),
            file + ":1: /icd: expected the path of a .json file, because the driver has a root");
  ASSERT_TRUE(WriteFile(file, R"({"name": "d", "icd": "driver.json", "root": "gone"})"));
  const Result<Target> gone = FindTarget("d", {file});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message,
            format("target d: {}/gone: no such folder, so there is no root", path));
  EXPECT_EQ(gone.error().kind, ErrorKind::kUnavailable);
}

TEST_F(RootOfTargets, ProgramsRunInTheRoot) {
  Result<Target> target = Tool(R"(["cp", "{in}", "{out}"])", R"("root": "/")");
  ASSERT_TRUE(target) << target.error().message;
  Result<RunResult> result = RunCommands(*target->command, job_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->verdict, RunOutcome::kOk) << result->detail << result->output;
  EXPECT_EQ(result->spirv, job_.spirv);
  EXPECT_TRUE(VersionsOf(*target->command).starts_with("cp: cp ")) << VersionsOf(*target->command);
  const std::vector<Inspected> tools = InspectTools({*target});
  ASSERT_EQ(tools.size(), 1u);
  EXPECT_TRUE(tools[0].text.ends_with("; from the root /")) << tools[0].text;
}

TEST_F(RootOfTargets, ACrashHasTheSignatureThatItHasWithoutTheRoot) {
  const std::string run = R"(["sh", "-c", "kill -SEGV $$", "sh", "{in}", "{out}"])";
  const auto crash = [&](const std::string& more) {
    const Result<Target> target = Tool(run, more);
    const Result<RunResult> result = RunCommands(*target->command, job_);
    EXPECT_EQ(result->verdict, RunOutcome::kCrash) << result->detail;
    return *result;
  };
  const RunResult with = crash(R"("root": "/")"), without = crash("");
  EXPECT_EQ(with.signal, SIGSEGV);
  EXPECT_EQ(with.detail, without.detail);
  EXPECT_EQ(with.backtrace, without.backtrace);
  EXPECT_EQ(Signature(with), Signature(without));
}

TEST_F(RootOfTargets, AVersionThatTheProgramDoesNotPrintMayBeGiven) {
  const Result<Target> target =
      Tool(R"(["cp", "{in}", "{out}"], "version": "Kit 1.2.3")", R"("root": "/")");
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(VersionsOf(*target->command), "cp: Kit 1.2.3");
}

class WorkersInARoot : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Target> found = FindTarget("lavapipe");
    ASSERT_TRUE(found) << found.error().message;
    plain_ = *found;
    rooted_ = *found;
    rooted_.name = "rooted";
    rooted_.root = OpenRoot("/");
  }
  Harness harness_;
  Target plain_, rooted_;
};

TEST_F(WorkersInARoot, Draw) {
  EXPECT_EQ(HealthProblem(harness_.Try(rooted_, HealthJob()), false), "");
  EXPECT_EQ(harness_.Probe(rooted_).version, harness_.Probe(plain_).version);
  EXPECT_TRUE(FileExists(LibraryOf(rooted_))) << LibraryOf(rooted_);
}

TEST_F(WorkersInARoot, TheirCrashesHaveTheSameStacks) {
  Job job = HealthJob();
  job.fault = TestFault::kAbort;
  const RunResult with = harness_.Try(rooted_, job), without = harness_.Try(plain_, job);
  EXPECT_EQ(with.verdict, RunOutcome::kCrash) << with.detail;
  EXPECT_EQ(with.signal, SIGABRT);
  ASSERT_GE(with.backtrace.size(), 3u) << with.output;
  EXPECT_EQ(with.backtrace, without.backtrace);
  EXPECT_NE(with.output.find("test fault: about to abort"), std::string::npos);
  job.fault = TestFault::kOverflowInThread;
  const RunResult overflow = harness_.Try(rooted_, job);
  EXPECT_TRUE(overflow.stack_overflow) << overflow.detail;
  EXPECT_TRUE(Signature(overflow).starts_with("crash rooted: stack overflow in refract"))
      << Signature(overflow);
}

TEST_F(WorkersInARoot, AnErrorNamesTheDriverAndWhatItPrinted) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const std::string icd = folder->path() + "/gone_icd.json";
  ASSERT_TRUE(WriteFile(icd, R"({"file_format_version": "1.0.0",
      "ICD": {"library_path": "/nowhere/libgone.so", "api_version": "1.1.0"}})"));
  Target gone = rooted_;
  gone.name = "gone";
  gone.icd = icd;
  const Result<RunResult> result = harness_.Run(gone, HealthJob());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable);
  const std::string& said = result.error().message;
  EXPECT_TRUE(said.starts_with("target gone: ")) << said;
  EXPECT_NE(said.find("it printed: "), std::string::npos) << said;
  EXPECT_TRUE(
      said.ends_with("; the driver is /nowhere/libgone.so, selected by VK_DRIVER_FILES=" + icd))
      << said;
}

}  // namespace
}  // namespace refract
