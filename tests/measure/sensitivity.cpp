// SPDX-License-Identifier: Apache-2.0
#include "measure/sensitivity.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "measure/listing.h"

namespace refract::measure {
namespace {

constexpr uint32_t kSampleQuads = 96;
constexpr uint64_t kSlower =
    20;  // a fault counts as endless after this many times the original's steps
constexpr uint64_t kFewSteps = 1000;

// "constant in %main: %5 = OpIAdd %int %4 %int_1 -> %5 = OpIAdd %int %4 %int_2"
std::string Describe(const Listing& original, const InjectedFault& fault) {
  return format("{} in {}: {} -> {}", FaultKindName(fault.kind), original.FunctionName(fault.place),
                original.Line(fault.place), Listing(fault.module).Line(fault.place));
}

enum class Outcome : uint8_t { kUnchanged, kChanged, kTrapped, kEndless };

Outcome OutcomeOf(const RunReport& report, const RunReport& original) {
  if (report.trap) {
    return report.trap->kind == Trap::Kind::kLimit ? Outcome::kEndless : Outcome::kTrapped;
  }
  if (report.outputs != original.outputs) return Outcome::kChanged;
  return report.OutputsDefined() ? Outcome::kUnchanged : Outcome::kTrapped;
}

class Measuring {
 public:
  Measuring(const RunnableModule& subject, const Module& module, EntryPoint entry, uint64_t seed)
      : subject_(subject), module_(module), entry_(std::move(entry)), seed_(seed) {}

  Result<Sensitivity> Take(uint64_t count) {
    if (Status ran = RunOriginal(); !ran) return ran.error();
    Sensitivity sensitivity;
    FaultInjector faults(module_, whole_.blocks, seed_);
    const Listing listing(module_);
    for (uint64_t i = 0; i < count; ++i) {
      const std::optional<InjectedFault> fault = faults.Draw();
      if (!fault) break;
      const Result<Outcome> outcome = Try(fault->module);
      if (!outcome) return outcome.error();
      FaultTally& tally = sensitivity.kinds[static_cast<size_t>(fault->kind)];
      ++(*outcome == Outcome::kChanged   ? tally.changed
         : *outcome == Outcome::kTrapped ? tally.trapped
         : *outcome == Outcome::kEndless ? tally.endless
                                         : tally.unchanged);
      if (*outcome == Outcome::kUnchanged) {
        sensitivity.unnoticed.push_back(Describe(listing, *fault));
      }
    }
    return sensitivity;
  }

 private:
  Result<Program> Decode(const Module& module) const {
    return Program::Decode(module, entry_, subject_.job.bindings, subject_.file);
  }

  // Runs the whole frame, and a sample if a sample can show differences; sets limits for faulty
  // modules.
  Status RunOriginal() {
    const Result<Program> program = Decode(module_);
    if (!program) return program.error();
    RunOptions options;
    options.trace = true;
    whole_ = refract::Run(*program, options);
    if (whole_.trap) return Error{format("{}: {}", subject_.file, TrapText(*whole_.trap, module_))};
    whole_options_.limits = LimitsFor(*program);
    sampled_ = whole_.outputs.buffers.empty() && whole_.outputs.images.empty() &&
               entry_.model == spv::ExecutionModel::Fragment;
    if (!sampled_) return {};
    const Bindings& bindings = subject_.job.bindings;
    const uint64_t quads = uint64_t{(bindings.width + 1) / 2} * ((bindings.height + 1) / 2);
    std::set<uint32_t> sample;
    Random random(Mix(seed_, 1));
    for (uint32_t i = 0; i < kSampleQuads; ++i) {
      sample.insert(static_cast<uint32_t>(random.Below(quads)));
    }
    sample_options_.limits = whole_options_.limits;
    sample_options_.sample.assign(sample.begin(), sample.end());
    sample_ = refract::Run(*program, sample_options_);
    sample_options_.limits.steps = kSlower * sample_.steps + kFewSteps;
    return {};
  }

  // One invocation may take many times the steps of others. Tries powers of two to find the
  // smallest limit that is enough for all.
  Limits LimitsFor(const Program& program) const {
    uint64_t invocations = 1;
    const Id first = module_.LabelId(module_[entry_.function].first);
    for (const BlockCount& block : whole_.blocks) {
      if (block.label == first) invocations = std::max<uint64_t>(invocations, block.invocations);
    }
    RunOptions options;
    uint64_t& limit = options.limits.steps_per_invocation;
    const uint64_t most = limit;
    limit = std::min(most, 2 * (whole_.steps / invocations) + kFewSteps / kSlower);
    while (limit < most && refract::Run(program, options).trap) limit *= 2;
    Limits limits;
    limits.steps_per_invocation = std::min(most, kSlower * limit + kFewSteps);
    limits.steps = kSlower * whole_.steps + kFewSteps;
    return limits;
  }

  Result<Outcome> Try(const Module& module) const {
    const Result<Program> program = Decode(module);
    // A fault that makes the interpreter refuse the module counts as noticed, like a trap.
    if (!program) return Outcome::kTrapped;
    if (sampled_) {
      const Outcome outcome = OutcomeOf(refract::Run(*program, sample_options_), sample_);
      if (outcome != Outcome::kUnchanged) return outcome;
    }
    return OutcomeOf(refract::Run(*program, whole_options_), whole_);
  }

  const RunnableModule& subject_;
  const Module& module_;
  EntryPoint entry_;
  uint64_t seed_;
  RunOptions whole_options_, sample_options_;
  RunReport whole_, sample_;
  bool sampled_ = false;
};

}  // namespace

FaultTally Sensitivity::Total() const {
  FaultTally total;
  for (const FaultTally& kind : kinds) {
    total.changed += kind.changed;
    total.trapped += kind.trapped;
    total.endless += kind.endless;
    total.unchanged += kind.unchanged;
  }
  return total;
}

namespace {
double Share(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(all);
}
}  // namespace

double Sensitivity::Percent() const {
  const FaultTally total = Total();
  return Share(total.noticed(), total.noticed() + total.unchanged);
}

double Sensitivity::DefinedPercent() const {
  const FaultTally total = Total();
  return Share(total.changed, total.changed + total.unchanged);
}

Result<Sensitivity> MeasureSensitivity(const RunnableModule& subject, const std::string& name,
                                       uint64_t count) {
  const Result<Module> module = ReadModule(subject.job.spirv, subject.file);
  if (!module) return module.error();
  const Result<EntryPoint> entry = FindEntryPoint(*module, subject.job.entry, subject.file);
  if (!entry) return entry.error();
  return Measuring(subject, *module, *entry, Hash64(name)).Take(count);
}

}  // namespace refract::measure
