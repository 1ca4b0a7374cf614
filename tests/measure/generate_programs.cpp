// SPDX-License-Identifier: Apache-2.0
// Tests generated programs (generate/program.h). Each must be valid, defined and exact, and nothing
// that is called uniform may differ (generate/check_program.h). With `--targets`, drivers and tools
// must compute the expected output too. Each construct must be in at least 1 % of the programs with
// default options. `--count 100000` gives the full numbers. `--keep DIR` writes each failing
// program there, for `refract run`. `--types int16,float64`, `--floats bounded`,
// `--storage-images 20`, `--classes 0` and `--live 0` give these options to all programs.
// `--seconds S` stops after this time.
#include <chrono>
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "driver/worker.h"
#include "generate/check_program.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/harness.h"

namespace refract::measure {
namespace {

struct Options {
  uint64_t count = 1000, first = 0;
  uint64_t limit = 10;             // seconds, for a run on a target
  uint64_t seconds = 0;            // after which no further program is measured; 0: no limit
  uint64_t classes = 1, live = 1;  // 0: in no program
  uint64_t constructs = 0;         // programs in which constructs are counted; 0: not
  uint64_t speed = 0;              // programs that are timed; 0: none
  generate::GenerateOptions with;  // what all programs have in addition
  std::string keep;
  std::vector<std::string> targets, target_files;
};

std::string BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

// Of this process: other load does not count.
double ProcessorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

class Measurement {
 public:
  explicit Measurement(const Options& options) : options_(options) {}

  int Run() {
    for (const std::string& name : options_.targets) {
      Result<Target> target = FindTarget(name, options_.target_files);
      if (!target) {
        std::fprintf(stderr, "%s\n", target.error().message.c_str());
        return 7;
      }
      targets_.push_back(std::move(*target));
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto time_is_up = [&] {
      return options_.seconds != 0 &&
             std::chrono::steady_clock::now() - begin >= std::chrono::seconds(options_.seconds);
    };
    uint64_t programs = 0;
    for (; programs < options_.count && !time_is_up(); ++programs) {
      Measure(options_.first + programs);
    }
    for (const auto& [what, count] : counts_) {
      std::puts(format("{}: {}", what, count).c_str());
    }
    std::puts(format("{} programs, {} statements, {} uniform results checked, {} faults", programs,
                     statements_, uniform_, faults_)
                  .c_str());
    return MeasureConstructs() && MeasureSpeed() && faults_ == 0 ? 0 : 1;
  }

 private:
  void Note(uint64_t index, const std::string& who, const std::string& what,
            const generate::GeneratedProgram& program) {
    ++counts_[format("{}: {}", who, what)];
    if (what == "ok" || what == "unsupported") return;
    ++faults_;
    std::puts(format("program {}: {}: {}: {}", index, who, what, command_).c_str());
    std::fflush(stdout);
    if (options_.keep.empty()) return;
    const std::string base = format("{}/program_{}", options_.keep, index);
    const Status made = MakeFolder(options_.keep);
    const Status module = WriteFile(base + ".spv", BytesOf(program.words));
    const Status inputs = WriteFile(base + ".json", WriteInputs(program.inputs));
    if (!made || !module || !inputs) std::fprintf(stderr, "%s: not written\n", base.c_str());
  }

  void Measure(uint64_t index) {
    generate::GenerateOptions options = generate::DrawAnyOptions(index);
    options.types |= options_.with.types;
    if (options_.classes == 0) options.classes = 0;
    if (options_.live == 0) options.live = 0;
    if (options_.with.storage_images != 0) options.storage_images = options_.with.storage_images;
    if (options_.with.floats != generate::Floats::kExact) options.floats = options_.with.floats;
    const generate::ProgramRecipe recipe = *generate::DrawRecipe(options, index);
    command_ = CommandOf(recipe);
    generate::GeneratedProgram program;
    const std::string fault = test::FaultOf(recipe, &program);
    statements_ += CountStatements(recipe.tree);
    uniform_ += program.uniform.size();
    Note(index, "ours", fault.empty() ? "ok" : fault, program);
    if (!fault.empty() || targets_.empty()) return;
    const std::string file = "program";
    const Result<Module> module = ReadModule(program.words, file);
    const Result<EntryPoint> entry = FindEntryPoint(*module, "main", file);
    const Result<ResolvedInputs> resolved = Resolve(*module, *entry, program.inputs, file);
    Job job;
    job.spirv = program.words;
    job.bindings = resolved->bindings;
    job.expected = program.inputs.expected;
    job.time_limit = static_cast<double>(options_.limit);
    for (const Target& target : targets_) {
      const RunResult ran = harness_.Try(target, job);
      Note(index, target.name,
           ran.verdict == RunOutcome::kOk            ? "ok"
           : ran.verdict == RunOutcome::kUnsupported ? "unsupported"
                                                     : Signature(ran),
           program);
    }
  }

  // Counts in how many programs with default options each construct is.
  bool MeasureConstructs() {
    if (options_.constructs == 0) return true;
    std::map<std::string, uint64_t> programs;
    for (uint64_t seed = 0; seed < options_.constructs; ++seed) {
      const auto recipe = generate::DrawRecipe(options_.with, seed);
      if (recipe) test::CountConstructs(recipe->tree, &programs);
    }
    bool enough = true;
    std::string rarest;
    double least = 100;
    for (const std::string& construct : test::AllConstructs(options_.with)) {
      const double percent = 100.0 * static_cast<double>(programs[construct]) /
                             static_cast<double>(options_.constructs);
      if (percent < least) rarest = construct;
      least = std::min(least, percent);
      if (percent >= 1) continue;
      enough = false;
      std::printf("%s: only in %.2f %% of the programs\n", construct.c_str(), percent);
    }
    std::printf("%zu constructs, the rarest in %.2f %% of %llu programs: %s\n",
                test::AllConstructs(options_.with).size(), least,
                static_cast<unsigned long long>(options_.constructs), rarest.c_str());
    return enough;
  }

  // Measures the processor time for programs of 150 to 200 statements. Drawing includes the trees
  // that were too small.
  bool MeasureSpeed() {
    if (options_.speed == 0) return true;
    generate::GenerateOptions options;
    options.least = 150;
    uint64_t statements = 0, words = 0;
    double drawing = 0, writing = 0, expecting = 0;
    for (uint64_t seed = 0; seed < options_.speed; ++seed) {
      const double begin = ProcessorSeconds();
      const auto recipe = generate::DrawRecipe(options, seed);
      const double drawn = ProcessorSeconds();
      words += generate::MakeModule(*recipe).words.size();
      const double written = ProcessorSeconds();
      if (!generate::MakeProgram(*recipe)) return false;
      expecting += ProcessorSeconds() - written;
      writing += written - drawn;
      drawing += drawn - begin;
      statements += CountStatements(recipe->tree);
    }
    const double each = 1e3 / static_cast<double>(options_.speed);
    std::printf(
        "%llu statements and %llu words on average; drawn in %.3f ms, written in %.3f ms, "
        "written and interpreted in %.3f ms\n",
        static_cast<unsigned long long>(statements / options_.speed),
        static_cast<unsigned long long>(words / options_.speed), drawing * each, writing * each,
        expecting * each);
    return true;
  }

  const Options options_;
  Harness harness_;
  std::vector<Target> targets_;
  std::map<std::string, uint64_t> counts_;
  std::string command_;  // that makes the program
  uint64_t faults_ = 0, statements_ = 0, uniform_ = 0;
};

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--keep") {
      options->keep = value;
    } else if (name == "--types") {
      for (const std::string& type : Split(value, ',')) {
        options->with.types |= generate::OptionalType(type);
      }
    } else if (name == "--storage-images") {
      uint64_t percent = 0;
      if (!ParseNumber(value, &percent)) return false;
      options->with.storage_images = static_cast<uint32_t>(percent);
    } else if (name == "--floats") {
      if (value != NameOf(generate::Floats::kBounded)) return false;
      options->with.floats = generate::Floats::kBounded;
    } else if (name == "--targets") {
      options->targets = Split(value, ',');
    } else if (name == "--target-file") {
      options->target_files.push_back(value);
    } else {
      uint64_t* to = name == "--count"        ? &options->count
                     : name == "--first"      ? &options->first
                     : name == "--limit"      ? &options->limit
                     : name == "--seconds"    ? &options->seconds
                     : name == "--classes"    ? &options->classes
                     : name == "--live"       ? &options->live
                     : name == "--constructs" ? &options->constructs
                     : name == "--speed"      ? &options->speed
                                              : nullptr;
      if (to == nullptr || !ParseNumber(value, to)) return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  refract::measure::Options options;
  if (!refract::measure::Parse(argc, argv, &options)) {
    std::fputs(
        "generate_programs [--count N] [--first N] [--constructs N] [--speed N] "
        "[--types TYPE,...] [--floats bounded] [--storage-images PERCENT] [--classes 0] "
        "[--live 0] [--targets NAME,...] [--target-file FILE] [--limit SECONDS] "
        "[--seconds SECONDS] [--keep DIR]\n",
        stderr);
    return 2;
  }
  return refract::measure::Measurement(options).Run();
}
