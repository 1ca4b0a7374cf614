// SPDX-License-Identifier: Apache-2.0
// A small optimiser, as a separate program: the ground truth for finding, reducing and
// deduplicating (README.md).
//   planted_opt IN.spv OUT.spv [--bug NAME] [--passes NAME,NAME] [--divergence] [--met]
//   planted_opt --list
// With --met it prints the bugs whose places it reached. With --divergence, or a bug that needs
// divergence, it also runs the passes that have such bugs.
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "crash/crash_report.h"
#include "glsl/load.h"
#include "planted/passes.h"

namespace refract::planted {
namespace {

int Fail(const std::string& message) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return 2;
}

int List() {
  for (const Pass& pass : Passes()) std::printf("pass %s\n", std::string(pass.name).c_str());
  for (const Pass& pass : DivergencePasses()) {
    std::printf("pass %s\n", std::string(pass.name).c_str());
  }
  for (const BugInfo& bug : BugTable()) {
    std::printf("bug %s %s %s\n", std::string(bug.name).c_str(), std::string(bug.pass).c_str(),
                std::string(BugKindName(bug.kind)).c_str());
  }
  return 0;
}

int Main(int argc, char** argv) {
  std::vector<std::string> files;
  std::vector<Pass> passes(Passes().begin(), Passes().end());
  std::optional<Bug> bug;
  bool say_met = false, divergence = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--list") return List();
    if (argument == "--passes" && i + 1 < argc) {
      passes.clear();
      for (const std::string& name : Split(argv[++i], ',')) {
        const size_t count = passes.size();
        for (const Pass& pass : Passes()) {
          if (pass.name == name) passes.push_back(pass);
        }
        if (passes.size() == count) return Fail("there is no pass " + name + ": --list");
      }
    } else if (argument == "--bug" && i + 1 < argc) {
      bug = BugByName(argv[++i]);
      if (!bug) return Fail(format("there is no bug {}: --list", argv[i]));
    } else if (argument == "--divergence") {
      divergence = true;
    } else if (argument == "--met") {
      say_met = true;
    } else if (argument.starts_with("--")) {
      return Fail(format("unknown option {}", argument));
    } else {
      files.emplace_back(argument);
    }
  }
  if (files.size() != 2) return Fail("planted_opt IN.spv OUT.spv");
  const Result<std::string> bytes = ReadFile(files[0]);
  if (!bytes) return Fail(bytes.error().message);
  const Result<std::vector<uint32_t>> words = WordsFromBytes(files[0], *bytes);
  if (!words) return Fail(words.error().message);
  Result<Program> program = ReadProgram(*words, files[0]);
  if (!program) return Fail(program.error().message);
  if (bug) program->bugs.SwitchOn(*bug);
  if (divergence || (bug && GroupOf(*bug) == BugGroup::kDivergence)) OptimiseDivergence(&*program);
  Optimise(&*program, passes);
  for (size_t i = 0; say_met && i < BugTable().size(); ++i) {
    if (program->bugs.Reached(static_cast<Bug>(i))) {
      std::printf("%s\n", std::string(BugTable()[i].name).c_str());
    }
  }
  const std::vector<uint32_t> made = WriteProgram(*program);
  const Status written = WriteFile(
      files[1], {reinterpret_cast<const char*>(made.data()), made.size() * sizeof(uint32_t)});
  return written ? 0 : Fail(written.error().message);
}

}  // namespace
}  // namespace refract::planted

int main(int argc, char** argv) {
  refract::InstallCrashReport();
  return refract::planted::Main(argc, argv);
}
