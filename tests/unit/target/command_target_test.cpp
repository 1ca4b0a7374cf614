// SPDX-License-Identifier: Apache-2.0
// Descriptions of command targets, and modules that pass through tools that do and do not behave.
// The tools are small shell scripts, so these tests need no tools installed.
#include "target/command_target.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "target/harness.h"
#include "target/run_commands.h"
#include "unit/shared/harness_shaders.h"
#include "unit/shared/plain_error.h"

namespace refract {
namespace {

constexpr const char* kGood = R"({
  "name": "twice", "description": "copies", "render": false,
  "commands": [
    {"run": ["cp", "{in}", "{out}"], "output": "text"},
    {"run": ["sub/tool", "a{stage}b", "{x y}{in}", "{env} {vulkan} {spirv}"], "output": "spirv",
     "name": "second", "unsupported": ["cannot do"], "time_limit": 7, "memory_mib": 12, "version": [], "hint": "make it",
     "spec_constants": false, "push_constants": false}
  ]
})";

TEST(CommandTarget, IsReadFromJson) {
  const Result<CommandTarget> target = ParseCommandTarget("/my/folder/t.json", kGood);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_EQ(target->name, "twice");
  EXPECT_EQ(target->render, CommandTarget::Render::kNone);
  ASSERT_EQ(target->steps.size(), 2u);
  const CommandStep& first = target->steps[0];
  EXPECT_EQ(first.name, "cp");
  EXPECT_FALSE(first.makes_spirv);
  EXPECT_FALSE(first.to_standard_output);
  EXPECT_TRUE(first.keeps_spec_constants);
  EXPECT_TRUE(first.keeps_push_constants);
  EXPECT_EQ(first.version_arguments, std::vector<std::string>{"--version"});
  const CommandStep& second = target->steps[1];
  EXPECT_EQ(second.name, "second");
  EXPECT_EQ(second.unsupported, std::vector<std::string>{"cannot do"});
  EXPECT_EQ(second.argv[0], "/my/folder/sub/tool");
  EXPECT_TRUE(second.to_standard_output);
  EXPECT_EQ(second.time_limit, 7);
  EXPECT_FALSE(second.keeps_spec_constants);
  EXPECT_FALSE(second.keeps_push_constants);
  EXPECT_EQ(second.memory_limit, uint64_t{12} << 20);
  EXPECT_EQ(MissingProgram(*target), "/my/folder/sub/tool: no such program (make it)");
  const Placeholders values{"0.spv", "1.spv", "vulkan1.1", "vulkan1.1", "spirv1.3", "m", "frag"};
  EXPECT_EQ(Fill(second, values),
            (std::vector<std::string>{"", "afragb", "{x y}0.spv", "vulkan1.1 vulkan1.1 spirv1.3"}));
}

TEST(CommandTarget, ErrorsNameTheirPlace) {
  const std::string step = R"({"run": ["cp", "{in}", "{out}"], "output": "spirv"})";
  const auto error = [](const std::string& text) {
    const Result<CommandTarget> target = ParseCommandTarget("t.json", text);
    return target ? std::string("none") : PlainError(target.error().message);
  };
  const auto with = [&](const std::string& name, const std::string& more) {
    return error(format(R"({{"name": {}, "description": "d", {}}})", name, more));
  };
  const auto command = [&](const std::string& text) {
    return with("\"a\"", format(R"("commands": [{}])", text));
  };
  EXPECT_EQ(command(step), "none");
  EXPECT_EQ(error("[]"), "t.json:1: /: expected an object");
  EXPECT_EQ(
      error("{\n \"nam\": 1}"),
      "t.json:2: /nam: unknown key; known keys: name, description, commands, render, root; did "
      "you mean 'name'?");
  EXPECT_EQ(error("{}"), "t.json:1: /name: missing; expected a string");
  EXPECT_EQ(with("\"a,b\"", "\"commands\": [" + step + "]"),
            "t.json:1: /name: expected at most 64 letters, digits and _ - . +, with no .json at "
            "the end");
  EXPECT_EQ(with("\"a\"", "\"commands\": []"),
            "t.json:1: /commands: expected a list of at least one command");
  EXPECT_EQ(with("\"a\"", "\"render\": 3, \"commands\": [" + step + "]"),
            "t.json:1: /render: expected true, false or the name of a driver target");
  EXPECT_EQ(command(R"({"output": "spirv"})"),
            "t.json:1: /commands/0/run: missing; expected a list of strings: the program and its "
            "arguments");
  EXPECT_EQ(command(R"({"run": ["cp", 1], "output": "spirv"})"),
            "t.json:1: /commands/0/run/1: expected a string");
  EXPECT_EQ(command(R"({"run": ["cp", "{in}", "{out}"], "output": "picture"})"),
            "t.json:1: /commands/0/output: expected \"spirv\", \"text\" or \"none\"");
  EXPECT_EQ(command(R"({"run": ["cp", "{in}", "{out}"], "output": "none"})"),
            "t.json:1: /commands/0/output: \"none\" is for commands that write no output, and "
            "this one writes {out}");
  EXPECT_EQ(command(R"({"run": ["cp", "{in}", "{out}", "-{passes}"], "output": "spirv"})"),
            "t.json:1: /commands/0/run/3: {passes} stands for several arguments, so it must be an "
            "argument of its own");
  EXPECT_EQ(
      command(R"({"run": ["cp", "{inn}"], "output": "spirv"})"),
      "t.json:1: /commands/0/run/1: unknown placeholder {inn}; known placeholders: {in}, "
      "{out}, {env}, {vulkan}, {spirv}, {entry}, {stage}, {seed}, {passes}, {pass}, {layout}");
  EXPECT_EQ(command(R"({"run": ["{in}"], "output": "spirv"})"),
            "t.json:1: /commands/0/run/0: the name of the program cannot be a placeholder: {in}");
  EXPECT_EQ(command(R"({"run": ["cp"], "output": "spirv"})"),
            "t.json:1: /commands/0/run: no argument contains {in}, the input file");
  EXPECT_EQ(command(R"({"run": ["cp", "{in}"], "output": "spirv", "time_limit": 0})"),
            "t.json:1: /commands/0/time_limit: expected a whole number from 1 to 86400");
  EXPECT_EQ(command(R"({"run": ["cp", "{in}", "{out}"], "output": "spirv", "spec_constants": 0})"),
            "t.json:1: /commands/0/spec_constants: expected true or false");
  EXPECT_EQ(command(R"({"run": ["cp", "{in}"], "output": "text"})"),
            "t.json:1: /commands/0/output: the last command makes text, which cannot be drawn; add "
            "\"render\": false to only run the commands");
}

TEST(CommandTarget, BuiltInTargetsExistAndCanBeReplaced) {
  const std::vector<CommandTarget> shipped = ShippedCommandTargets();
  std::string ours;
  for (const CommandTarget& target : shipped) {
    EXPECT_EQ(target.file, format("(built in) {}.json", target.name));
    ours += target.name + " ";
  }
  EXPECT_EQ(ours,
            "spirv-cross-glsl spirv-cross-hlsl spirv-cross-msl spirv-opt spirv-opt-O spirv-opt-Os "
            "spirv-opt-pass spirv-opt-passes spirv-val ");
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  const auto write = [&](const std::string& file, const std::string& name) {
    ASSERT_TRUE(WriteFile(folder->path() + "/" + file,
                          format(R"({{"name": "{}", "description": "mine", "commands": [
                              {{"run": ["cp", "{{in}}", "{{out}}"], "output": "spirv"}}]}})",
                                 name)));
  };
  write("mine.json", "spirv-opt-O");
  write("another.json", "copy");
  Result<std::vector<Target>> targets = FindTargets({folder->path()});
  ASSERT_TRUE(targets) << targets.error().message;
  std::string names;
  for (const Target& target : *targets) {
    if (target.command != nullptr) names += target.name + " ";
  }
  EXPECT_EQ(names, "copy " + ours);
  const Result<Target> replaced = FindTarget("spirv-opt-O", {folder->path()});
  ASSERT_TRUE(replaced) << replaced.error().message;
  EXPECT_EQ(replaced->command->description, "mine");
  write("zz.json", "copy");
  targets = FindTargets({folder->path()});
  ASSERT_FALSE(targets);
  EXPECT_EQ(targets.error().message,
            format("{0}/zz.json: /name: 'copy' is also the name of {0}/another.json; rename one",
                   folder->path()));
  write("zz.json", "lavapipe");
  targets = FindTargets({folder->path()});
  ASSERT_FALSE(targets);
  EXPECT_EQ(targets.error().message,
            format("{}/zz.json: /name: 'lavapipe' is the name of a driver; choose another",
                   folder->path()));
  EXPECT_FALSE(FindTargets({folder->path() + "/absent.json"}));
}

/// Runs a module through `script` as the only tool.
class Tool : public ::testing::Test {
 protected:
  RunResult Through(const std::string& script, double time_limit = 60) {
    CommandStep step;
    step.name = "tool";
    step.argv = {"sh", "-c", script, "tool", "{in}", "{out}", "{env} {stage} {entry}"};
    step.time_limit = time_limit;
    step.memory_limit = uint64_t{4} << 30;
    target_.name = "target";
    target_.steps = {step};
    job_.spirv = CoordinatesShader();
    job_.entry = "draw";
    Result<RunResult> result = RunCommands(target_, job_);
    EXPECT_TRUE(result) << result.error().message;
    return result ? std::move(*result) : RunResult{};
  }
  CommandTarget target_;
  Job job_;
};

TEST_F(Tool, PassesOnTheOutputOfATool) {
  const RunResult result = Through("cp $1 $2; echo $1 $2 $3");
  EXPECT_EQ(result.verdict, RunOutcome::kOk) << result.detail;
  EXPECT_EQ(result.spirv, job_.spirv);
  const std::string environment(NameOf(EnvironmentOf(job_)));
  EXPECT_EQ(result.output, format("0.spv 1.spv {} frag draw\n", environment));
}

TEST_F(Tool, ReportsARejectedModule) {
  const RunResult result = Through("echo 'error: line 3: %12 is odd'; exit 1");
  EXPECT_EQ(result.verdict, RunOutcome::kRejected);
  EXPECT_EQ(result.detail, "tool rejected its input with exit code 1: <id> is odd");
  EXPECT_EQ(Signature(result), "rejected tool: <id> is odd");
}

TEST_F(Tool, ReportsAnUnsupportedModule) {
  Through("exit 0");
  target_.steps[0].argv[2] = "echo 'error: vectors of 5 are not supported'; exit 1";
  target_.steps[0].unsupported = {"cannot", "not supported"};
  Result<RunResult> result = RunCommands(target_, job_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(result.error().message,
            "target target: tool rejected its input with exit code 1: vectors of N are not "
            "supported (a known limitation of the tool)");
  target_.steps[0].unsupported = {"cannot"};
  result = RunCommands(target_, job_);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->verdict, RunOutcome::kRejected);
}

TEST_F(Tool, AToolWithoutOutputPassesOnItsInput) {
  Through("exit 0");
  target_.steps[0].only_checks = true;
  target_.steps[0].makes_spirv = false;
  const Result<RunResult> result = RunCommands(target_, job_);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->verdict, RunOutcome::kOk);
  EXPECT_EQ(result->spirv, job_.spirv);
}

TEST_F(Tool, ReportsACrash) {
  RunResult result = Through("kill -ILL $$");
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(Signature(result), "crash tool: SIGILL")
      << "the signal was sent by kill, so there is no backtrace";
  // A second run under a watcher finds the place.
  result = Through("exec python3 -c 'import ctypes; ctypes.string_at(1)'");
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, SIGSEGV);
  EXPECT_GT(result.backtrace.size(), 3u);
  EXPECT_TRUE(Signature(result).starts_with("crash tool: SIGSEGV ")) << Signature(result);
  result = Through("exit 139");  // as a shell reports it
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(result.signal, SIGSEGV);
  result = Through("echo 'SUMMARY: AddressSanitizer: SEGV x.cc:1:2 in a::b(int)'; exit 1");
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_EQ(Signature(result), "crash tool: AddressSanitizer SEGV a::b");
}

TEST_F(Tool, ACrashThatDoesNotReproduceHasNoBacktrace) {
  const RunResult result = Through(
      "test -e once && exit 0; touch once; exec python3 -c 'import ctypes; ctypes.string_at(1)'");
  EXPECT_EQ(result.verdict, RunOutcome::kCrash);
  EXPECT_TRUE(result.backtrace.empty());
  EXPECT_EQ(Signature(result), "crash tool: SIGSEGV");
}

TEST_F(Tool, ReportsAHangAndTooMuchMemory) {
  RunResult result = Through("sleep 100", 0.3);
  EXPECT_EQ(result.verdict, RunOutcome::kHang);
  EXPECT_EQ(Signature(result), "hang tool");
  CommandStep step = target_.steps[0];
  step.argv[2] = "head -c 300000000 /dev/zero | tail -n 1";
  step.memory_limit = uint64_t{64} << 20;
  step.time_limit = 60;
  target_.steps = {step};
  const Result<RunResult> eaten = RunCommands(target_, job_);
  ASSERT_TRUE(eaten);
  EXPECT_EQ(eaten->verdict, RunOutcome::kOutOfMemory);
  EXPECT_EQ(eaten->detail, "tool used more than 64 MiB of memory");
}

// A tool that fails for lack of memory is never a bug.
TEST_F(Tool, LackOfMemoryIsNotABug) {
  for (const char* script :
       {"echo \"terminate called after throwing an instance of 'std::bad_alloc'\"; kill -ABRT $$",
        "echo 'LLVM ERROR: out of memory'; exit 134", "kill -KILL $$"}) {
    const RunResult result = Through(script);
    EXPECT_EQ(result.verdict, RunOutcome::kOutOfMemory) << script << ": " << result.detail;
    EXPECT_FALSE(IsBug(FactsOf(result).kind));
  }
}

TEST_F(Tool, MeasuresProcessorTime) {
  const RunResult result = Through("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; cp $1 $2");
  EXPECT_EQ(result.verdict, RunOutcome::kOk);
  EXPECT_GT(result.cpu_seconds, 0.0005);
  EXPECT_LT(result.cpu_seconds, result.seconds + 1);
}

TEST_F(Tool, ReportsMissingAndInvalidOutput) {
  RunResult result = Through("true");
  EXPECT_EQ(result.verdict, RunOutcome::kError);
  EXPECT_EQ(Signature(result), "error tool: tool made no output");
  result = Through("echo hello > $2");
  EXPECT_EQ(result.verdict, RunOutcome::kInvalidOutput);
  EXPECT_TRUE(result.spirv.empty());
  // The module without its last instruction, OpFunctionEnd.
  result = Through("head -c -4 $1 > $2");
  EXPECT_EQ(result.verdict, RunOutcome::kInvalidOutput);
  EXPECT_EQ(result.spirv.size(), job_.spirv.size() - 1);
  EXPECT_FALSE(result.validator_message.empty());
  EXPECT_TRUE(Signature(result).starts_with("invalid_output tool: ")) << Signature(result);
}

TEST_F(Tool, TheDriverItNamesDrawsItsOutput) {
  Harness harness;
  Target target;
  target.name = "copy";
  target.kind = Target::Kind::kCommand;
  CommandTarget copy;
  copy.name = "copy";
  copy.file = "copy.json";
  copy.steps.resize(1);
  copy.steps[0].name = "cp";
  copy.steps[0].argv = {"cp", "{in}", "{out}"};
  copy.steps[0].memory_limit = uint64_t{4} << 30;
  Job job;
  job.spirv = CoordinatesShader();
  job.entry = "draw";
  job.bindings.width = job.bindings.height = 32;
  job.time_limit = 60;
  copy.render = CommandTarget::Render::kNamed;
  copy.driver = "nosuch";
  target.command = std::make_shared<const CommandTarget>(copy);
  Result<RunResult> result = harness.Run(target, job);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "copy.json: /render: no driver target named 'nosuch'");
  // A failure of a tool needs no driver.
  CommandTarget crashes = copy;
  crashes.steps[0].argv = {"sh", "-c", "kill -SEGV $$", "{in}", "{out}"};
  target.command = std::make_shared<const CommandTarget>(crashes);
  result = harness.Run(target, job);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->verdict, RunOutcome::kCrash);
  const Result<Target> driver = FindTarget("lavapipe");
  ASSERT_TRUE(driver) << driver.error().message;
  copy.driver = "lavapipe";
  target.command = std::make_shared<const CommandTarget>(copy);
  result = harness.Run(target, job);
  ASSERT_TRUE(result) << result.error().message;
  const Result<RunResult> plain = harness.Run(*driver, job);
  ASSERT_TRUE(plain);
  EXPECT_EQ(result->outputs, plain->outputs);
  EXPECT_EQ(result->target, "lavapipe");
  EXPECT_EQ(result->spirv, job.spirv);
}

/// The entry point "draw" becomes "main" in GLSL.
TEST(CommandTarget, BuiltInTargetsDrawTheImageOfTheModuleItself) {
  const Result<Target> driver = FindTarget("lavapipe");
  ASSERT_TRUE(driver) << driver.error().message;
  Harness harness;
  Job job;
  job.spirv = CoordinatesShader();
  job.entry = "draw";
  job.bindings.width = job.bindings.height = 64;
  job.time_limit = 60;
  const Result<RunResult> plain = harness.Run(*driver, job);
  ASSERT_TRUE(plain) << plain.error().message;
  ASSERT_FALSE(ImageAtLocation0(plain->outputs).pixels.empty());
  for (const char* name : {"spirv-opt-O", "spirv-opt-Os", "spirv-cross-glsl"}) {
    const Result<Target> target = FindTarget(name);
    ASSERT_TRUE(target) << target.error().message;
    const Result<RunResult> result = harness.Run(*target, job);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->verdict, RunOutcome::kOk) << name << ": " << result->detail;
    EXPECT_EQ(result->outputs, plain->outputs) << name;
    EXPECT_NE(result->spirv, job.spirv) << name;
  }
}

}  // namespace
}  // namespace refract
