// SPDX-License-Identifier: Apache-2.0
#include "measure/generated/generate_ablation.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/text.h"
#include "generate/program.h"
#include "planted/bugs.h"

namespace refract::measure {
namespace {

using planted::Bug;
using planted::BugTable;

struct Kind {
  const char* name;
  bool classes, live;
};
constexpr Kind kKinds[] = {{"both", true, true},
                           {"no liveness", true, false},
                           {"no classes", false, true},
                           {"neither", false, false}};

// What one kind of programs finds with one seed.
struct Part {
  std::string kind;
  uint64_t seed = 0, programs = 0, statements = 0, failing_without_bug = 0;
  std::set<std::string> bugs;

  uint64_t Found(bool divergence) const {
    return static_cast<uint64_t>(std::count_if(bugs.begin(), bugs.end(), [&](const auto& name) {
      const std::optional<Bug> bug = planted::BugByName(name);
      return bug && (planted::GroupOf(*bug) == planted::BugGroup::kDivergence) == divergence;
    }));
  }
};

std::string ToLine(const Part& part) {
  std::string bugs;
  for (const std::string& bug : part.bugs) bugs += (bugs.empty() ? "" : ",") + bug;
  return format("{}\t{}\t{}\t{}\t{}\t{}\n", part.kind, part.seed, part.programs, part.statements,
                part.failing_without_bug, bugs);
}

std::optional<Part> PartOf(const std::string& line) {
  const std::vector<std::string> fields = Split(line, '\t');
  Part part;
  if (fields.size() != 6 || !ParseNumber(fields[1], &part.seed) ||
      !ParseNumber(fields[2], &part.programs) || !ParseNumber(fields[3], &part.statements) ||
      !ParseNumber(fields[4], &part.failing_without_bug)) {
    return std::nullopt;
  }
  part.kind = fields[0];
  for (const std::string& bug : Split(fields[5], ',')) {
    if (!bug.empty()) part.bugs.insert(bug);
  }
  return part;
}

Status RunProgram(const Kind& kind, uint64_t seed, const PlantedTargets& targets, Harness& harness,
                  Part* part) {
  generate::GenerateOptions options = generate::DrawAnyOptions(seed);
  if (!kind.classes) options.classes = 0;
  if (!kind.live) options.live = 0;
  Result<generate::ProgramRecipe> recipe = generate::DrawRecipe(options, seed);
  if (!recipe) return recipe.error();
  part->statements += CountStatements(recipe->tree);
  Result<generate::GeneratedProgram> made = generate::MakeProgram(*recipe);
  if (!made) return made.error();
  const std::vector<Bug> reached = PlantedTargets::BugsReached(made->words);
  const auto program = TestProgramOf(std::move(*recipe), std::move(*made));
  if (!program) return program.error();
  const Result<std::string> without = targets.FailureOf(**program, std::nullopt, harness);
  if (!without) return without.error();
  part->failing_without_bug += !without->empty();
  ++part->programs;
  if (!without->empty()) return {};
  for (const Bug bug : reached) {
    const std::string name(BugTable()[static_cast<size_t>(bug)].name);
    if (part->bugs.count(name) != 0) continue;
    const Result<std::string> signature = targets.FailureOf(**program, bug, harness);
    if (!signature) return signature.error();
    if (!signature->empty()) part->bugs.insert(name);
  }
  return {};
}

double Mean(const std::vector<uint64_t>& numbers) {
  double sum = 0;
  for (const uint64_t number : numbers) sum += static_cast<double>(number);
  return numbers.empty() ? 0 : sum / static_cast<double>(numbers.size());
}

std::string Listed(const std::vector<uint64_t>& numbers) {
  std::string text;
  for (const uint64_t number : numbers) text += format("{}{}", text.empty() ? "" : ", ", number);
  return text;
}

// The row of a kind of programs.
std::string RowOf(const Kind& kind, const std::vector<Part>& parts, uint64_t* failing) {
  std::vector<uint64_t> divergent, others;
  std::set<std::string> all;
  uint64_t programs = 0, statements = 0, without = 0;
  for (const Part& part : parts) {
    if (part.kind != kind.name) continue;
    divergent.push_back(part.Found(true));
    others.push_back(part.Found(false));
    all.insert(part.bugs.begin(), part.bugs.end());
    programs += part.programs;
    statements += part.statements;
    without += part.failing_without_bug;
  }
  *failing += without;
  Part together;
  together.bugs = all;
  return format("| {} | {} | {} | {} | {:.1f} | {} | {} | {:.1f} | {} | {} |\n", kind.name,
                programs, programs == 0 ? 0 : statements / programs, Listed(divergent),
                Mean(divergent), together.Found(true), Listed(others), Mean(others),
                together.Found(false), without);
}

}  // namespace

Result<int> MeasureAblation(const NumberedRuns& runs, const PlantedTargets& targets,
                            uint64_t seconds, uint64_t seeds) {
  std::vector<Part> parts;
  for (const std::string& line : StateLines(runs.state)) {
    if (std::optional<Part> part = PartOf(line)) parts.push_back(std::move(*part));
  }
  Harness harness;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    for (const Kind& kind : kKinds) {
      const bool known = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
        return part.kind == kind.name && part.seed == seed;
      });
      if (known) continue;
      Part part;
      part.kind = kind.name;
      part.seed = seed;
      const double end = ProcessorSeconds() + static_cast<double>(seconds);
      for (uint64_t i = 0; ProcessorSeconds() < end; ++i) {
        const uint64_t program = Mix(Mix(seed, 0xab), i) >> 32;
        if (Status ran = RunProgram(kind, program, targets, harness, &part); !ran) {
          return ran.error();
        }
      }
      if (std::FILE* state = runs.state.empty() ? nullptr : std::fopen(runs.state.c_str(), "a")) {
        std::fputs(ToLine(part).c_str(), state);
        std::fclose(state);
      }
      parts.push_back(std::move(part));
    }
  }
  std::string text = format(
      "{} seconds of processor time for each seed\n\n"
      "| programs with | programs | statements | bugs that need divergence, by seed | mean | "
      "together | other planted bugs, by seed | mean | together | fail without a bug |\n"
      "|---|---:|---:|---|---:|---:|---|---:|---:|---:|\n",
      seconds);
  uint64_t failing = 0;
  for (const Kind& kind : kKinds) text += RowOf(kind, parts, &failing);
  return WriteReport(runs, text, failing == 0);
}

}  // namespace refract::measure
