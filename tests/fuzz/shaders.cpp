// SPDX-License-Identifier: Apache-2.0
// Arbitrary valid modules for the interpreter: it must end within its limits, whatever they do.
#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "base/text.h"
#include "engine/fuzz.h"
#include "fuzz/cases.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract::fuzz {
namespace {

constexpr uint32_t kSteps = 150;
constexpr int kChanges = 24;
constexpr Limits kLimits = {
    .steps_per_invocation = 20000, .steps = uint64_t{1} << 20, .memory = uint64_t{1} << 25};

// Changes one word to another of the module or to an extreme one. The result is often still valid,
// but may have an index out of range, an endless loop or another operand.
void ChangeWord(std::vector<uint32_t>* words, Random& random) {
  constexpr uint32_t kExtremes[] = {0,          1,          2,          31,         32,
                                    0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 1000000000};
  if (words->size() <= 6) return;
  uint32_t& word = (*words)[5 + random.Below(words->size() - 5)];
  word = random.Percent(60) ? (*words)[5 + random.Below(words->size() - 5)]
                            : kExtremes[random.Below(std::size(kExtremes))];
}

Schedule AnySchedule(Random& random) {
  Schedule schedule;
  schedule.order = static_cast<Schedule::Order>(random.Below(3));
  schedule.seed = random.Next();
  schedule.subgroup_size = 4u << random.Below(5);
  schedule.late_reconvergence = random.Percent(50);
  schedule.fine_derivatives = random.Percent(50);
  return schedule;
}

}  // namespace

std::vector<uint32_t> Cases::ValidModule(const Subject& subject, Random& random) const {
  std::vector<uint32_t> words = subject.module.words;
  if (random.Percent(40)) {
    FuzzOptions options;
    options.seed = random.Next();
    options.max_steps = kSteps;
    const Result<FuzzResult> fuzzed = Fuzz(subject.original, options);
    if (fuzzed) words = fuzzed->words;
  }
  for (int i = 0; i < kChanges; ++i) {
    std::vector<uint32_t> changed = words;
    ChangeWord(&changed, random);
    if (!ReadModule(changed, "changed")) continue;
    if (!FindInvalid(changed, subject.original.environment, {})) words = std::move(changed);
  }
  return words;
}

// Runs each entry point that can be run, with the inputs if there are any, otherwise with zeros.
Outcome Cases::RunShader(const Subject& subject, const std::string& bytes) const {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  const Result<Module> module = ReadModule(words, "shader");
  if (!module) return {};
  Random random(Hash64(bytes));
  Outcome outcome;
  for (const EntryPoint& entry : EntryPoints(*module)) {
    const Inputs none;
    const Inputs& inputs = subject.module.inputs ? *subject.module.inputs : none;
    Result<ResolvedInputs> resolved =
        Resolve(*module, entry, inputs, "shader", {.zero_inputs = true});
    if (!resolved) continue;
    Bindings& bindings = resolved->bindings;
    bindings.width = static_cast<uint32_t>(random.Between(1, 40));
    bindings.height = static_cast<uint32_t>(random.Between(1, 8));
    for (uint32_t& groups : bindings.groups) groups = static_cast<uint32_t>(random.Between(1, 3));
    const Result<Program> program = Program::Decode(*module, entry, bindings, "shader");
    if (!program) {
      if (program.error().kind == ErrorKind::kUnavailable) continue;
      return {false, "an error of another kind: " + program.error().message};
    }
    outcome.accepted = true;
    RunOptions options;
    options.schedule = AnySchedule(random);
    options.limits = kLimits;
    options.perturb = random.Percent(30) ? random.Next() | 1 : 0;
    const RunReport report = refract::Run(*program, options);
    if (report.steps > kLimits.steps + (1 << 16)) {
      return {false, format("it executed {} steps", report.steps)};
    }
    if (report.trap && report.trap->message.empty()) return {false, "a trap without a message"};
    if (report.trap && report.trap->kind == Trap::Kind::kAudit) {
      return {false, "an audit failed that was not requested"};
    }
  }
  return outcome;
}

}  // namespace refract::fuzz
