// SPDX-License-Identifier: Apache-2.0
// Tests control-flow programs (flesh/program.h) made from random graphs, in all modes and stages.
// Each must be valid, and the interpreter must compute the expected output. With `--targets`,
// drivers and tools must compute it too. `--count 100000` gives the full numbers. Programs that are
// done are listed in --state and not run again. `--keep DIR` writes each failing program there, for
// `refract run`.
#include <cstdio>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cfg/sampler.h"
#include "driver/worker.h"
#include "flesh/program.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/rules/flow_quirks.h"
#include "ir/tools.h"
#include "target/expected.h"
#include "target/harness.h"
#include "target/interpreted.h"

namespace refract::measure {
namespace {

struct Options {
  uint64_t count = 1000, first = 0, least = 2, most = 40;
  double seconds = 1e9;
  uint64_t limit = 10;  // seconds, for a run on a target
  std::string state, keep;
  std::vector<std::string> targets;
};

std::string BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

class Measurement {
 public:
  explicit Measurement(const Options& options)
      : options_(options), sampler_(cfg::Grammar(), static_cast<uint32_t>(options.most)) {}

  int Run() {
    for (const std::string& name : options_.targets) {
      Result<Target> target = FindTarget(name);
      if (!target) return Fail(target.error());
      targets_.push_back(std::move(*target));
    }
    ReadState();
    std::FILE* state = options_.state.empty() ? nullptr : std::fopen(options_.state.c_str(), "a");
    const std::time_t begin = std::time(nullptr);
    for (uint64_t i = options_.first; i < options_.first + options_.count; ++i) {
      if (done_.count(i) != 0) continue;
      if (std::difftime(std::time(nullptr), begin) > options_.seconds) break;
      done_[i] = Measure(i);
      if (state == nullptr) continue;
      std::fputs(format("{}\t{}\n", i, done_[i]).c_str(), state);
      std::fflush(state);
    }
    if (state != nullptr) std::fclose(state);
    return Print() ? 0 : 1;
  }

 private:
  static int Fail(const Error& error) {
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 7;
  }

  void ReadState() {
    if (options_.state.empty() || !FileExists(options_.state)) return;
    const Result<std::string> text = ReadFile(options_.state);
    if (!text) return;
    for (const std::string& line : Split(*text, '\n')) {
      const size_t tab = line.find('\t');
      uint64_t index = 0;
      if (tab == std::string::npos || !ParseNumber(line.substr(0, tab), &index)) continue;
      done_[index] = line.substr(tab + 1);
    }
  }

  // The result of one program: "MODE STAGE", then "; NAME: OUTCOME" for each target.
  std::string Measure(uint64_t index) {
    Random random(Mix(1, index));
    flesh::FleshOptions options;
    options.mode = static_cast<flesh::Mode>(index % 3);
    options.stage = static_cast<flesh::Stage>(index / 3 % 2);
    options.groups = static_cast<uint32_t>(random.Between(1, 2));
    options.workgroup = random.Percent(20) ? static_cast<uint32_t>(random.Between(1, 64)) : 64;
    options.fuel = random.Percent(20);
    options.functions = random.Percent(30);
    options.payload.barriers = random.Percent(30);
    options.payload.subgroups = random.Percent(20);
    const uint32_t blocks = static_cast<uint32_t>(random.Between(options_.least, options_.most));
    const std::string kind = format("{} {}", ModeName(options.mode), StageName(options.stage));
    cfg::Tree tree;
    Result<flesh::Program> program = Error{"no graph"};
    std::string refusal;
    for (int tries = 0; tries < 1000 && !program; ++tries) {  // some graphs have no path to an exit
      sampler_.Draw(blocks, &random, &tree);
      program = flesh::Flesh(cfg::MakeGraph(tree), options, &random);
      if (program && IsKnownRefusal(program->words, &refusal)) program = Error{refusal};
    }
    if (!program) return format("{}; ours: {}", kind, program.error().message);
    std::string line = kind;
    const auto note = [&](const std::string& who, const std::string& what) {
      line += format("; {}: {}", who, what);
      if (what == "ok" || options_.keep.empty()) return;
      const std::string base = format("{}/program_{}", options_.keep, index);
      const Status made = MakeFolder(options_.keep);
      const Status module = WriteFile(base + ".spv", BytesOf(program->words));
      const Status inputs = WriteFile(base + ".json", WriteInputs(program->inputs));
      if (!made || !module || !inputs) std::fprintf(stderr, "%s: not written\n", base.c_str());
    };
    Job job;
    const std::string fault = Prepare(*program, &job);
    note("ours", fault.empty() ? "ok" : fault);
    if (!fault.empty()) return line;
    job.time_limit = static_cast<double>(options_.limit);
    for (const Target& target : targets_) {
      const RunResult ran = harness_.Try(target, job);
      const bool ok = ran.verdict == RunOutcome::kOk;
      note(target.name, ok                                        ? "ok"
                        : ran.verdict == RunOutcome::kUnsupported ? "unsupported"
                                                                  : Signature(ran));
    }
    return line;
  }

  // Whether spirv-val refuses the graph for a reason that is listed in docs/validator-quirks.md.
  bool IsKnownRefusal(const std::vector<uint32_t>& words, std::string* message) {
    const auto refused = FindInvalid(words, TargetEnvironment::kVulkan11);
    if (!refused) return false;
    const Result<Module> module = ReadModule(words, "program");
    if (!module || QuirkOfRefusal(*module, *refused).empty()) return false;
    ++refused_;
    *message = refused->message;
    return true;
  }

  // Checks that the program is valid and writes the expected output. Returns what is wrong, or "".
  std::string Prepare(const flesh::Program& program, Job* job) {
    const std::string file = "program";
    const Result<Module> module = ReadModule(program.words, file);
    if (!module) return module.error().message;
    if (Status valid = Validate(program.words, TargetEnvironment::kVulkan11); !valid) {
      return "spirv-val: " + valid.error().message;
    }
    const Result<EntryPoint> entry = FindEntryPoint(*module, "main", file);
    if (!entry) return entry.error().message;
    const Result<ResolvedInputs> resolved = Resolve(*module, *entry, program.inputs, file);
    if (!resolved) return resolved.error().message;
    job->spirv = program.words;
    job->bindings = resolved->bindings;
    job->expected = program.inputs.expected;
    job->time_limit = 60;
    Result<RunResult> ran = RunInterpreted(*job);
    if (!ran) return ran.error().message;
    CompareWithExpected(*program.inputs.expected, &*ran);
    return ran->verdict == RunOutcome::kOk
               ? ""
               : format("{}: {}", RunOutcomeName(ran->verdict), ran->detail);
  }

  bool Print() const {
    std::map<std::string, std::map<std::string, uint64_t>> counts;  // by target and kind
    std::map<std::string, uint64_t> others;
    uint64_t programs = 0;
    for (const auto& [index, line] : done_) {
      if (index < options_.first || index >= options_.first + options_.count) continue;
      ++programs;
      size_t at = line.find("; ");
      const std::string kind = line.substr(0, at);
      while (at != std::string::npos) {
        const size_t next = line.find("; ", at + 2);
        const std::string one = line.substr(at + 2, next - at - 2);
        at = next;
        const size_t colon = one.find(": ");
        if (one.substr(colon + 2) == "ok") {
          ++counts[one.substr(0, colon)][kind];
        } else if (++others[one] == 1) {
          std::puts(format("program {}: {}", index, one).c_str());
        }
      }
    }
    std::puts("| as expected | programs | |\n|---|---|---|");
    for (const auto& [who, kinds] : counts) {
      for (const auto& [kind, count] : kinds) {
        std::puts(format("| {} | {} | {} |", who, count, kind).c_str());
      }
    }
    uint64_t faults = 0;
    for (const auto& [what, count] : others) {
      std::puts(format("{} times {}", count, what).c_str());
      faults += what.find(": unsupported") == std::string::npos ? count : 0;
    }
    std::puts(format("{} programs of {}; refused by spirv-val for their graph: {}; not as "
                     "expected: {}",
                     programs, options_.count, refused_, faults)
                  .c_str());
    return faults == 0 && programs == options_.count;
  }

  const Options options_;
  cfg::Sampler sampler_;
  Harness harness_;
  std::vector<Target> targets_;
  std::map<uint64_t, std::string> done_;
  uint64_t refused_ = 0;
};

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    uint64_t number = 0;
    const bool is_number = ParseNumber(value, &number);
    if (name == "--state") {
      options->state = value;
    } else if (name == "--keep") {
      options->keep = value;
    } else if (name == "--targets") {
      options->targets = Split(value, ',');
    } else if (name == "--seconds" && is_number) {
      options->seconds = static_cast<double>(number);
    } else {
      uint64_t* to = name == "--count"   ? &options->count
                     : name == "--first" ? &options->first
                     : name == "--least" ? &options->least
                     : name == "--most"  ? &options->most
                     : name == "--limit" ? &options->limit
                                         : nullptr;
      if (to == nullptr || !is_number) return false;
      *to = number;
    }
  }
  return options->least >= 1 && options->least <= options->most && options->most <= cfg::kMostExact;
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::BecomeWorkerIfAsked(argc, argv);
  refract::measure::Options options;
  if (!refract::measure::Parse(argc, argv, &options)) {
    std::fputs(
        "flesh_programs [--count N] [--first N] [--least BLOCKS] [--most BLOCKS] "
        "[--targets NAME,...] [--limit SECONDS] [--seconds N] [--state FILE] [--keep DIR]\n",
        stderr);
    return 2;
  }
  return refract::measure::Measurement(options).Run();
}
