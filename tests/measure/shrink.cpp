// SPDX-License-Identifier: Apache-2.0
// Compares ShrinkModule with spirv-reduce on references, with the same interestingness tests: the
// instructions that are left and the number of tries. Called as `shrink --judge NAME FILE`, the
// program is that interestingness test, for spirv-reduce. It then notes each call in the file that
// the variable SHRINK_CALLS names.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "glsl/load.h"
#include "measure/shape_interestingness.h"
#include "shrink/shrink_module.h"

namespace refract::measure {
namespace {

struct Outcome {
  size_t instructions = 0, tries = 0;
  double seconds = 0;
};

std::vector<uint32_t> WordsOf(std::string_view bytes) {
  std::vector<uint32_t> words(bytes.size() / sizeof(uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(uint32_t));
  return words;
}

std::string_view BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

const ShapeTest* ShapeTestNamed(std::string_view name) {
  for (const ShapeTest& judge : AllShapeTests()) {
    if (judge.name == name) return &judge;
  }
  return nullptr;
}

int RunAsShapeTest(const std::string& name, const std::string& file) {
  const ShapeTest* judge = ShapeTestNamed(name);
  const Result<std::string> bytes = ReadFile(file);
  if (judge == nullptr || !bytes) return 2;
  if (const char* calls = std::getenv("SHRINK_CALLS")) {
    if (std::FILE* out = std::fopen(calls, "a")) {
      std::fputc('.', out);
      std::fclose(out);
    }
  }
  return judge->interesting(WordsOf(*bytes)) ? 0 : 1;
}

Result<Outcome> Ours(const ModuleSource& source, const ShapeTest& judge, bool verbose) {
  const double start = MonotonicSeconds();
  const Result<ShrunkModule> shrunk = ShrinkModule(source, judge.interesting);
  if (!shrunk) return shrunk.error();
  if (!judge.interesting(shrunk->words)) return Error{"the result is not interesting"};
  if (Status valid = Validate(shrunk->words, source.environment); !valid) return valid.error();
  if (verbose) {
    std::printf("%s", Disassemble(shrunk->words).value().c_str());
    for (const auto& [pass, count] : shrunk->report.accepted_by) {
      std::printf("  %-24s %zu\n", pass.c_str(), count);
    }
    std::printf("  unsound %zu, known %zu\n", shrunk->report.unsound, shrunk->report.known);
  }
  return Outcome{CountInstructions(shrunk->words), shrunk->report.tries,
                 MonotonicSeconds() - start};
}

Result<Outcome> Theirs(const std::string& self, const ModuleSource& source,
                       const ShapeTest& judge) {
  const std::string program = FindProgram("spirv-reduce");
  if (program.empty()) return Error{"spirv-reduce is not installed"};
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const std::string in = folder->path() + "/in.spv", out = folder->path() + "/out.spv";
  const std::string calls = folder->path() + "/calls";
  if (Status written = WriteFile(in, BytesOf(source.words)); !written) return written.error();
  if (Status written = WriteFile(calls, ""); !written) return written.error();
  ::setenv("SHRINK_CALLS", calls.c_str(), 1);
  const double start = MonotonicSeconds();
  Command command;
  command.argv = {program,
                  in,
                  "-o",
                  out,
                  "--step-limit=100000",
                  format("--temp-file-prefix={}/temp_", folder->path()),
                  "--",
                  self,
                  "--judge",
                  std::string(judge.name)};
  command.folder = folder->path();
  command.time_limit = 600;
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return ran.error();
  const Result<std::string> reduced = ReadFile(out);
  if (!reduced) return Error{format("spirv-reduce: {}", ran->output)};
  return Outcome{CountInstructions(WordsOf(*reduced)), ReadFile(calls)->size(),
                 MonotonicSeconds() - start};
}

struct Arguments {
  std::string references, only, judge_name, judged;
  size_t every = 1;
  bool compare = false, verbose = false;
};

Result<std::vector<ModuleSource>> Sources(const Arguments& arguments) {
  const Result<std::vector<std::string>> files = ReferenceFiles(arguments.references);
  if (!files) return files.error();
  std::vector<ModuleSource> sources;
  size_t number = 0;
  for (const std::string& file : *files) {
    if (number++ % arguments.every != 0) continue;
    if (file.find(arguments.only) == std::string::npos) continue;
    Result<LoadedModule> loaded = LoadModuleFile(file);
    if (!loaded) return loaded.error();
    ModuleSource source{std::move(loaded->words), file, TargetEnvironment::kUniversal16, {}};
    source.environment =
        UniversalEnvironment(source.words[1]);  // the environment that spirv-reduce uses
    // With phis, if spirv-opt can make them: it refuses some variants.
    const auto with_phis =
        Optimize(source.words, {"--merge-return", "--ssa-rewrite"}, source.environment);
    if (with_phis) source.words = *with_phis;
    sources.push_back(std::move(source));
  }
  return sources;
}

struct Totals {
  size_t runs = 0, before = 0, smaller = 0, larger = 0;
  Outcome ours, theirs;
};

void Add(const Outcome& outcome, Outcome* total) {
  total->instructions += outcome.instructions;
  total->tries += outcome.tries;
  total->seconds += outcome.seconds;
}

int Run(const Arguments& arguments, const std::string& self) {
  const Result<std::vector<ModuleSource>> sources = Sources(arguments);
  if (!sources) return std::fprintf(stderr, "%s\n", sources.error().message.c_str()), 3;
  std::printf("%-28s %-16s %8s | %6s %6s %7s | %6s %6s %7s\n", "module", "shape", "before", "ours",
              "tries", "seconds", "theirs", "tries", "seconds");
  Totals totals;
  for (const ModuleSource& source : *sources) {
    for (const ShapeTest& judge : AllShapeTests()) {
      if (!arguments.judge_name.empty() && judge.name != arguments.judge_name) continue;
      if (!judge.interesting(source.words)) continue;
      const Result<Outcome> ours = Ours(source, judge, arguments.verbose);
      if (!ours) {
        std::fprintf(stderr, "%s: %s\n", source.file.c_str(), ours.error().message.c_str());
        return 1;
      }
      ++totals.runs;
      totals.before += CountInstructions(source.words);
      Add(*ours, &totals.ours);
      const std::string name = std::filesystem::path(source.file).filename();
      std::printf("%-28s %-16s %8zu | %6zu %6zu %7.2f |", name.c_str(),
                  std::string(judge.name).c_str(), CountInstructions(source.words),
                  ours->instructions, ours->tries, ours->seconds);
      if (arguments.compare) {
        const Result<Outcome> theirs = Theirs(self, source, judge);
        if (!theirs) return std::fprintf(stderr, "%s\n", theirs.error().message.c_str()), 1;
        Add(*theirs, &totals.theirs);
        totals.smaller += ours->instructions < theirs->instructions;
        totals.larger += ours->instructions > theirs->instructions;
        std::printf(" %6zu %6zu %7.2f%s", theirs->instructions, theirs->tries, theirs->seconds,
                    ours->instructions > theirs->instructions ? "  larger" : "");
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  std::printf("%zu runs, %zu instructions: ours %zu in %zu tries, %.1f s", totals.runs,
              totals.before, totals.ours.instructions, totals.ours.tries, totals.ours.seconds);
  if (arguments.compare) {
    std::printf("; spirv-reduce %zu in %zu tries, %.1f s; ours smaller in %zu, larger in %zu",
                totals.theirs.instructions, totals.theirs.tries, totals.theirs.seconds,
                totals.smaller, totals.larger);
  }
  std::printf("\n");
  return totals.runs == 0 || (arguments.compare && totals.larger > 0) ? 1 : 0;
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  using refract::measure::Arguments;
  CLI::App app("Shrinks references with interestingness tests that ask for shapes.");
  Arguments arguments;
  app.add_option("--references", arguments.references);
  app.add_option("--only", arguments.only, "only files with this in their path");
  app.add_option("--every", arguments.every, "only every Nth reference");
  app.add_option("--judge", arguments.judge_name,
                 "only this interestingness test; with FILE: act as it");
  app.add_flag("--compare", arguments.compare,
               "run spirv-reduce too; fail if its results are smaller");
  app.add_flag("--verbose", arguments.verbose, "print the results");
  app.add_option("file", arguments.judged);
  CLI11_PARSE(app, argc, argv);
  if (!arguments.judged.empty()) {
    return refract::measure::RunAsShapeTest(arguments.judge_name, arguments.judged);
  }
  return refract::measure::Run(arguments, std::filesystem::canonical("/proc/self/exe"));
}
