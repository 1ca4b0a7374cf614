// SPDX-License-Identifier: Apache-2.0
#include "engine/self_check.h"

#include <algorithm>
#include <set>
#include <thread>

#include "base/check.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/audit.h"
#include "engine/compare_runs.h"
#include "engine/sample_units.h"
#include "ir/types.h"

namespace refract {
inline namespace engine {
namespace {

// For a check that is not thorough, and for the whole image, a variant is compared only if it takes
// at most this many times the steps of the original. Other variants are compared only on the sample
// at the end, because loops of donated functions run as often as random arguments say. The other
// limits are so high that only endless loops reach them, which are faults.
constexpr uint64_t kMostSampleGrowth = 8;
constexpr uint64_t kLongRun = uint64_t{1} << 20;  // an original with more instructions runs long
constexpr uint64_t kMaxRunSteps = uint64_t{1} << 31, kMaxInvocationSteps = uint64_t{1} << 22;

// Runs with varied inputs use one in kVariedPart units of the sample, and runs of a check that is
// not thorough use one in kQuickPart.
constexpr size_t kVariedPart = 8, kQuickPart = 16;

// Draws `count` of the numbers below `all`, including `wanted`, in ascending order. Empty means
// all.
std::vector<uint32_t> Draw(uint64_t all, uint32_t count, std::set<uint32_t> wanted,
                           Random& random) {
  if (all <= count) return {};
  while (wanted.size() < count) wanted.insert(static_cast<uint32_t>(random.Below(all)));
  return {wanted.begin(), wanted.end()};
}

std::vector<uint32_t> DrawQuads(uint32_t width, uint32_t height, uint32_t count, Random& random) {
  const uint32_t columns = (width + 1) / 2, rows = (height + 1) / 2;
  std::set<uint32_t> wanted;
  const uint32_t last = (rows - 1) * columns;
  for (const uint32_t corner : {0u, columns - 1, last, last + columns - 1}) wanted.insert(corner);
  const auto column = static_cast<uint32_t>(random.Below(columns));
  const auto row = static_cast<uint32_t>(random.Below(rows));
  for (const uint32_t edge : {column, last + column, row * columns, row * columns + columns - 1}) {
    wanted.insert(edge);
  }
  return Draw(uint64_t{columns} * rows, count, std::move(wanted), random);
}

// Draws one in `part` of the number of units that the options ask for.
std::vector<uint32_t> DrawSample(const EntryPoint& entry, const Bindings& bindings,
                                 const SelfCheckOptions& options, uint32_t part) {
  Random random(Mix(options.seed, 1));
  if (IsDispatch(entry)) {
    return Draw(CountSampleUnits(entry, bindings), std::max(1u, options.groups / part), {}, random);
  }
  if (part == 1) return DrawQuads(bindings.width, bindings.height, options.quads, random);
  return Draw(CountSampleUnits(entry, bindings), std::max(1u, options.quads / part), {}, random);
}

// Leaves out claims about floats, and about composites, which may have some.
void LeaveOutFloats(const Module& module, Audit* audit) {
  const auto may_be_float = [&](Id id) {
    const Id scalar = ScalarType(module, module.TypeOf(id));
    return scalar == Id::kNone || IsFloat(module, scalar);
  };
  std::erase_if(audit->equal, [&](const auto& pair) {
    return may_be_float(pair.first.value) || may_be_float(pair.second.value);
  });
  std::erase_if(audit->uniform, may_be_float);
}

}  // namespace

SelfCheck::SelfCheck(const Context& original, const std::string& file,
                     const SelfCheckOptions& options)
    : original_(original), file_(file), options_(options) {
  Result<RunInputs> inputs = RunInputs::Of(original_, file_);
  if (!inputs) {
    unavailable_ = inputs.error().message;
    return;
  }
  inputs_ = std::move(*inputs);
  sample_ = DrawSample(inputs_.entry(), inputs_.given(), options_, 1);
  std::vector<uint64_t> seeds = {0};
  for (uint32_t i = 0; i < options_.varied && inputs_.HasFree(options_.vary_given); ++i) {
    seeds.push_back(Mix(options_.seed, 2 + i) | 1);
  }
  for (const uint64_t vary : seeds) {
    if (auto reason = AddCases(vary)) {
      unavailable_ = *reason;
      return;
    }
  }
  if (cases_.empty()) unavailable_ = format("{}: {}", file_, trap_->message);
}

// Runs the original on its inputs as given or varied. Returns the reason if it cannot be run.
std::optional<std::string> SelfCheck::AddCases(uint64_t vary) {
  Bindings bindings = vary == 0 ? inputs_.given() : inputs_.Varied(vary, options_.vary_given);
  // Keep every bit of the outputs.
  if (!options_.bounded) bindings.float_target = spv::ImageFormat::Rgba32f;
  Result<Program> program =
      Program::Decode(original_.module, inputs_.entry(), bindings, file_, WithInputs({}, vary));
  if (!program) return program.error().message;
  const uint64_t all = CountSampleUnits(inputs_.entry(), bindings);
  const auto run = [&](std::vector<uint32_t> sample) {
    Case one{vary, sample, Run(*program, OptionsFor(options_.limits, std::move(sample), false))};
    return one;
  };
  Case one;
  if (vary == 0) {
    one.report = RunOnSample(*program);
    one.sample = sample_;
    trap_ = one.report.trap;
  } else {
    one = run(PartOf(sample_, all, kVariedPart));
  }
  if (one.report.trap) return std::nullopt;
  Case quick = vary == 0 ? run(PartOf(sample_, all, kQuickPart)) : one;
  if (!quick.report.trap) quick_cases_.push_back(std::move(quick));
  cases_.push_back(std::move(one));
  // If the sample is the whole image, the image need not be run again.
  if (vary == 0 && options_.whole && !sample_.empty()) BeginWhole(std::move(*program));
  return std::nullopt;
}

// Inputs that only a vertex shader could give are free. They get random values.
DecodeOptions SelfCheck::WithInputs(DecodeOptions decode, uint64_t vary) const {
  decode.made_up_inputs = Mix(options_.seed, vary) | 1;
  return decode;
}

// Runs the original on the largest sample that fits into the limit of steps. The smallest sample,
// of one unit, has no such limit.
RunReport SelfCheck::RunOnSample(const Program& program) {
  const bool dispatch = IsDispatch(inputs_.entry());
  const uint32_t most = dispatch ? options_.groups : options_.quads;
  for (uint32_t part = 1;; part *= 4) {
    const bool last = part >= most;
    Limits limits = options_.limits;
    if (!last) limits.steps = std::min(limits.steps, options_.sample_steps);
    if (part > 1) sample_ = DrawSample(inputs_.entry(), inputs_.given(), options_, part);
    RunReport report = Run(program, OptionsFor(limits, sample_, false));
    if (!last && report.trap && report.trap->kind == Trap::Kind::kLimit) continue;
    if (part > 1 && !report.trap) {
      left_out_.push_back(
          format("the comparison covers {} {} instead of {}, because more would take over {} steps",
                 sample_.size(), dispatch ? "workgroups" : "quads", most, options_.sample_steps));
    }
    return report;
  }
}

RunOptions SelfCheck::OptionsFor(const Limits& limits, std::vector<uint32_t> sample,
                                 bool whole) const {
  RunOptions options;
  options.limits = limits;
  options.sample = std::move(sample);
  if (whole) {
    options.threads = std::min(4u, std::max(1u, std::thread::hardware_concurrency()));
  }
  return options;
}

// Starts to run the original on the whole image in the background.
void SelfCheck::BeginWhole(Program program) {
  Limits limits = options_.limits;
  limits.steps = options_.whole_steps;
  running_ = std::async(std::launch::async,
                        [program = std::move(program), options = OptionsFor(limits, {}, true)] {
                          return Case{0, {}, Run(program, options)};
                        });
}

std::optional<std::string> SelfCheck::CountUncompared(const Error& error) {
  ++uncompared_;
  uncompared_reason_ = error.message;
  return std::nullopt;
}

std::optional<std::string> SelfCheck::Compare(const Context& variant, const RunSetup& setup,
                                              const Case& one, const DecodeOptions& decode,
                                              Extent extent) {
  Bindings bindings = setup.bindings;
  if (one.vary != 0) inputs_.Vary(&bindings, one.vary, options_.vary_given);
  if (!options_.bounded) bindings.float_target = spv::ImageFormat::Rgba32f;
  const Result<Program> program =
      Program::Decode(variant.module, setup.entry, bindings, file_, WithInputs(decode, one.vary));
  if (!program) return CountUncompared(program.error());
  Limits limits = options_.limits;
  limits.steps_per_invocation = std::max(limits.steps_per_invocation, kMaxInvocationSteps);
  limits.steps = extent == Extent::kSample ? std::max(limits.steps, kMaxRunSteps)
                                           : kMostSampleGrowth * (one.report.steps + 1000);
  RunOptions options = OptionsFor(limits, one.sample, extent == Extent::kWhole);
  // Donated functions may compare floats. No output depends on their calls.
  options.ignore_approximate_control = HadLiveSafeFunctions(variant);
  const RunReport report = Run(*program, options);
  // An endless loop, or a variant of an original that itself runs long: code added to a loop may
  // cost more than the allowed growth.
  const bool may_take_long = extent != Extent::kSample || one.report.steps >= kLongRun;
  if (may_take_long && report.trap && report.trap->kind == Trap::Kind::kLimit) {
    return CountUncompared({report.trap->message});
  }
  if (options_.bounded) return FindUncertified(one.report, report);
  return refract::FindDifference(one.report, report);
}

// Checks everything in one run, and runs again only if that finds something. Two equal values may
// differ in the first run if they depend on irrelevant values, because each irrelevant value is
// random for itself.
std::optional<std::string> SelfCheck::CompareAndAudit(const Context& variant, const RunSetup& setup,
                                                      const Case& one, Extent extent,
                                                      bool plain_too) {
  Audit audit = AuditOf(variant, one.vary == 0);
  if (options_.bounded) LeaveOutFloats(variant.module, &audit);
  DecodeOptions decode;
  decode.audit = &audit;
  const bool random = !audit.irrelevant_values.empty() || !audit.irrelevant_pointees.empty();
  audit.randomise = random ? Mix(options_.seed, checks_) | 1 : 0;
  auto found = Compare(variant, setup, one, decode, extent);
  if (!random || (!found && !plain_too)) return found;
  if (found) {
    const auto equal = std::move(audit.equal);
    audit.equal.clear();
    found = Compare(variant, setup, one, decode, extent);
    audit.equal = equal;
  }
  audit.randomise = 0;
  if (auto plain = Compare(variant, setup, one, decode, extent)) return plain;
  if (found) return "when values that are marked as irrelevant change: " + *found;
  return std::nullopt;
}

std::optional<std::string> SelfCheck::FindDifference(const Context& variant, bool thorough) {
  if (auto broken = FindBrokenPromise(original_.module, variant.module)) return broken;
  if (!unavailable_.empty()) return std::nullopt;
  ++checks_;
  if (auto found = EqualAcrossFunctions(variant)) return found;
  if (!thorough && quick_cases_.empty()) return std::nullopt;
  const Result<RunSetup> setup = SetupOf(variant, file_);
  if (!setup) return CountUncompared(setup.error());
  if (thorough) {
    for (const Case& one : cases_) {
      if (auto found = CompareAndAudit(variant, *setup, one, Extent::kSample, one.vary == 0))
        return found;
    }
  } else {
    const Case& one = quick_cases_[quick_checks_++ % quick_cases_.size()];
    if (auto found = CompareAndAudit(variant, *setup, one, Extent::kQuick, false)) return found;
  }
  return CallLiveSafeFunctions(variant, setup->entry, thorough);
}

std::optional<std::string> SelfCheck::FindDifferenceInWhole(const Context& variant) {
  CHECK(options_.whole);
  if (!unavailable_.empty() || trap_ || sample_.empty()) return std::nullopt;
  const Result<RunSetup> setup = SetupOf(variant, file_);
  if (!setup) return CountUncompared(setup.error());
  if (!whole_) {
    whole_ = running_.get();
    const std::optional<Trap>& trap = whole_->report.trap;
    if (trap && trap->kind == Trap::Kind::kLimit) {
      left_out_.push_back("the whole output was not compared: " + trap->message);
    }
  }
  if (whole_->report.trap) return std::nullopt;
  return Compare(variant, *setup, *whole_, {}, Extent::kWhole);
}

// Calls live-safe functions with random arguments; they must end without a trap. A check that is
// not thorough calls one of them, each in turn.
std::optional<std::string> SelfCheck::CallLiveSafeFunctions(const Context& variant,
                                                            const EntryPoint& entry,
                                                            bool thorough) {
  const std::vector<Function> functions = LiveSafeFunctions(variant);
  for (size_t i = 0; i < functions.size(); ++i) {
    if (!thorough && i != quick_checks_ % functions.size()) continue;
    const Function function = functions[i];
    DecodeOptions decode;
    decode.only_function = function;
    decode.function_seed = Mix(Mix(options_.seed, checks_), Index(function)) | 1;
    const Result<Bindings> bindings = BindingsOf(variant, file_, function);
    if (!bindings) {
      CountUncompared(bindings.error());
      continue;
    }
    const Result<Program> program =
        Program::Decode(variant.module, entry, *bindings, file_, decode);
    if (!program) {
      CountUncompared(program.error());
      continue;
    }
    RunOptions options;
    options.limits = options_.limits;
    options.sample = {0};
    const RunReport report = Run(*program, options);
    if (!report.trap) continue;
    return format("a call of the live-safe function %{} with random arguments failed: {}",
                  variant.module.FileId(variant.module.FunctionId(function)), report.trap->message);
  }
  return std::nullopt;
}

}  // namespace engine
}  // namespace refract
