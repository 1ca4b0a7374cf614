// SPDX-License-Identifier: Apache-2.0
#include "flesh/reduce_spec.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "cfg/cuts.h"
#include "flesh/shorter_plans.h"

namespace refract::flesh {
namespace {

// The number of seeds to try. After a cut, the work of all blocks is drawn again, so each cut is
// tried with several seeds: more for smaller trees, whose tries are cheaper.
uint64_t SeedsFor(const cfg::Tree& tree) {
  return std::max<uint64_t>(3, 64 / tree.size());
}

// Returns simpler options, those with the largest effect first. Options that change the number of
// invocations or their paths are only for specs without a plan. Fuel stays, because a device on
// which it matters would hang.
std::vector<FleshOptions> SimplerOptions(const ProgramSpec& spec) {
  std::vector<FleshOptions> all;
  const FleshOptions& now = spec.options;
  const auto number = [&](uint32_t value, uint32_t least, const auto& set) {
    const auto add = [&](uint32_t to) {
      FleshOptions simpler = now;
      set(simpler, to);
      all.push_back(simpler);
    };
    if (value > least) add(least);
    if (value / 2 > least) add(value / 2);
  };
  const auto off = [&](bool is_on, const auto& clear) {
    FleshOptions simpler = now;
    clear(simpler);
    if (is_on) all.push_back(simpler);
  };
  using O = FleshOptions;
  number(now.payload.operations, 0, [](O& o, uint32_t n) { o.payload.operations = n; });
  number(now.payload.values, 0, [](O& o, uint32_t n) { o.payload.values = n; });
  number(now.payload.counters, 0, [](O& o, uint32_t n) { o.payload.counters = n; });
  off(now.functions, [](O& o) { o.functions = false; });
  off(now.payload.local_array, [](O& o) { o.payload.local_array = false; });
  off(now.payload.subgroups, [](O& o) { o.payload.subgroups = false; });
  if (std::popcount(now.sources) > 1) {
    for (uint32_t i = 0; i < static_cast<uint32_t>(DirectionSource::kCount); ++i) {
      const DirectionSources one = Bit(static_cast<DirectionSource>(i));
      // The storage buffer replaces a source that cannot express a direction.
      if ((now.sources & one) != 0) off(true, [&](O& o) { o.sources = one; });
    }
  }
  if (spec.plan) return all;
  off(now.payload.barriers, [](O& o) { o.payload.barriers = false; });
  number(now.paths, 1, [](O& o, uint32_t n) { o.paths = n; });
  number(now.most_visits, 8, [](O& o, uint32_t n) { o.most_visits = n; });
  if (now.stage == Stage::kFragment) {
    number(now.tiles, 1, [](O& o, uint32_t n) { o.tiles = n; });
    return all;
  }
  number(now.groups, 1, [](O& o, uint32_t n) { o.groups = n; });
  if (!now.payload.subgroups) number(now.workgroup, 1, [](O& o, uint32_t n) { o.workgroup = n; });
  return all;
}

class ProgramSpecReducer {
 public:
  ProgramSpecReducer(const ProgramSpec& spec, const ProgramSpecTest& is_interesting,
                     const std::function<bool()>& stop)
      : is_interesting_(is_interesting), stop_(stop) {
    best_.spec = spec;
  }

  Result<ReducedProgramSpec> Run() {
    Result<Program> program = MakeProgram(best_.spec);
    if (!program) return program.error();
    best_.program = std::move(*program);
    for (;;) {
      const Result<bool> smaller = Step();
      if (!smaller) return smaller.error();
      if (*smaller) continue;
      best_.minimal = !stopped_;
      return std::move(best_);
    }
  }

 private:
  Result<bool> Step() {
    for (const FleshOptions& options : SimplerOptions(best_.spec)) {
      ProgramSpec simpler = best_.spec;
      simpler.options = options;
      if (const Result<bool> taken = Try(std::move(simpler)); !taken || *taken) return taken;
    }
    const std::vector<cfg::Cut> cuts = cfg::ListCuts(best_.spec.tree);
    for (uint64_t other = 0; other < SeedsFor(best_.spec.tree); ++other) {
      for (const cfg::Cut& cut : cuts) {
        ProgramSpec smaller = best_.spec;
        smaller.tree = cfg::MakeCut(best_.spec.tree, cut);
        smaller.seed += other;
        smaller.plan.reset();
        if (const Result<bool> taken = Try(std::move(smaller)); !taken || *taken) return taken;
      }
    }
    for (Plan& plan : ShorterPlans(best_.program.plan)) {
      ProgramSpec shorter = best_.spec;
      shorter.plan = std::move(plan);
      if (const Result<bool> taken = Try(std::move(shorter)); !taken || *taken) return taken;
    }
    return false;
  }

  // A spec whose program cannot be made is not interesting.
  Result<bool> Try(ProgramSpec spec) {
    if (stopped_ || (stopped_ = stop_())) return false;
    Result<Program> program = MakeProgram(spec);
    if (!program) return false;
    ++best_.asked;
    const Result<bool> yes = is_interesting_(spec, *program);
    if (!yes || !*yes) return yes;
    best_.spec = std::move(spec);
    best_.program = std::move(*program);
    return true;
  }

  const ProgramSpecTest& is_interesting_;
  const std::function<bool()>& stop_;
  bool stopped_ = false;
  ReducedProgramSpec best_;
};

}  // namespace

Result<ReducedProgramSpec> ReduceProgramSpec(const ProgramSpec& spec,
                                             const ProgramSpecTest& is_interesting,
                                             const std::function<bool()>& stop) {
  return ProgramSpecReducer(spec, is_interesting, stop).Run();
}

}  // namespace refract::flesh
