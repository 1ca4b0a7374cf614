// SPDX-License-Identifier: Apache-2.0
#include "engine/certifier.h"

#include <algorithm>
#include <thread>

#include "base/check.h"
#include "base/text.h"
#include "engine/compare_runs.h"
#include "engine/sample_units.h"
#include "transform/registry.h"

namespace refract {
inline namespace engine {
namespace {

constexpr uint64_t kMostSteps = uint64_t{1} << 29;  // of the original
// A variant may take this many times the steps of the original, or at least kSmallRun.
constexpr uint64_t kMostGrowth = 8, kSmallRun = uint64_t{1} << 25;
constexpr uint64_t kUnits = 32;  // quads or workgroups of the small part

RunOptions OptionsFor(std::vector<uint32_t> sample, uint64_t steps) {
  RunOptions options;
  options.limits.steps = steps;
  options.sample = std::move(sample);
  options.threads = std::min(4u, std::max(1u, std::thread::hardware_concurrency()));
  return options;
}

// About kUnits units at equal distances. The distance is odd, so that they are in all columns.
std::vector<uint32_t> SomeUnits(const RunSetup& setup) {
  const uint64_t all = CountSampleUnits(setup.entry, setup.bindings);
  return PartOf({}, all, (all / kUnits) | 1);
}

}  // namespace

bool NeedsCertificate(const message::Step& step) {
  const int index = RegistryIndex(step.transformation.kind);
  return index >= 0 && IsOptIn(static_cast<size_t>(index));
}

bool NeedsCertificate(const message::Recording& recording) {
  return std::any_of(recording.steps.begin(), recording.steps.end(),
                     [](const message::Step& step) { return NeedsCertificate(step); });
}

Certifier::Certifier(const Context& original, const std::string& file)
    : original_(original), file_(file) {}

// Returns why the original cannot be run.
std::string Certifier::RunOriginal() {
  const Result<RunSetup> setup = SetupOf(original_, file_);
  if (!setup) return setup.error().message;
  const Result<Program> program =
      Program::Decode(original_.module, setup->entry, setup->bindings, file_);
  if (!program) return program.error().message;
  whole_.report = Run(*program, OptionsFor({}, kMostSteps));
  if (whole_.report.trap) return whole_.report.trap->message;
  some_.sample = SomeUnits(*setup);
  some_.report = Run(*program, OptionsFor(some_.sample, kMostSteps));
  return some_.report.trap ? some_.report.trap->message : "";
}

const std::string& Certifier::unavailable() {
  if (!unavailable_) unavailable_ = RunOriginal();
  return *unavailable_;
}

std::optional<std::string> Certifier::FindUncertified(const Context& variant, bool whole) {
  CHECK(unavailable().empty());
  const Part& part = whole ? whole_ : some_;
  const Result<RunSetup> setup = SetupOf(variant, file_);
  if (!setup) return setup.error().message;
  const Result<Program> program =
      Program::Decode(variant.module, setup->entry, setup->bindings, file_);
  if (!program) return program.error().message;
  const uint64_t most = std::max(kMostGrowth * part.report.steps, kSmallRun);
  return engine::FindUncertified(part.report, Run(*program, OptionsFor(part.sample, most)));
}

}  // namespace engine
}  // namespace refract
