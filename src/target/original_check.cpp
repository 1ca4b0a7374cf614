// SPDX-License-Identifier: Apache-2.0
#include "target/original_check.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/random.h"
#include "base/text.h"

namespace refract {
inline namespace target {
namespace {

Image AsImage(const ColourTarget& target) {
  return {target.width, target.height, target.texels};
}

// The difference of two runs, of which each drew `pixels` pixels: 8-bit images in levels, and all
// other outputs by the rule `stable`.
struct Distance {
  bool little = true;
  uint32_t levels = 0;
};
Distance DistanceOf(const Outputs& a, const Outputs& b, const std::vector<BufferLayout>& layouts,
                    uint64_t pixels) {
  Distance distance;
  for (size_t i = 0; i < a.targets.size(); ++i) {
    if (a.targets[i].format != spv::ImageFormat::Rgba8) continue;
    const Comparison found = Compare(AsImage(a.targets[i]), AsImage(b.targets[i]));
    distance.levels = std::max(distance.levels, found.max);
    distance.little = distance.little && IsSmallDifference(found, pixels);
  }
  if (!Differences(a, b, CompareRule::kStable, layouts).empty()) distance.little = false;
  return distance;
}

struct NamedSchedule {
  const char* name;
  Schedule schedule;
};
std::vector<NamedSchedule> OtherSchedules(uint64_t seed) {
  using Order = Schedule::Order;
  return {
      {"the order of invocations (backward)", {.order = Order::kBackward}},
      {"the order of invocations (shuffled)", {.order = Order::kShuffled, .seed = seed}},
      {"the subgroup size (4)", {.subgroup_size = 4}},
      {"the subgroup size (64)", {.subgroup_size = 64}},
      {"the point of reconvergence (late)", {.late_reconvergence = true}},
      {"the kind of derivatives (coarse)", {.fine_derivatives = false}},
  };
}

// Adds a sentence for each output with undefined parts, which names the first of them.
void NoteUndefined(const RunReport& report, std::vector<std::string>* undefined) {
  const auto count = [](const std::string& shadows, size_t* first) {
    const auto is = [](char s) { return (static_cast<uint8_t>(s) & 2) != 0; };
    *first =
        static_cast<size_t>(std::find_if(shadows.begin(), shadows.end(), is) - shadows.begin());
    return std::count_if(shadows.begin(), shadows.end(), is);
  };
  size_t first = 0;
  for (size_t i = 0; i < report.target_shadows.size(); ++i) {
    const ColourTarget& target = report.outputs.targets[i];
    if (const auto number = count(report.target_shadows[i], &first); number > 0) {
      undefined->push_back(format("{} is undefined in {} components, the first at pixel ({}, {})",
                                  TargetText(target.location), number, first / 4 % target.width,
                                  first / 4 / target.width));
    }
  }
  for (size_t i = 0; i < report.buffer_shadows.size(); ++i) {
    if (const auto number = count(report.buffer_shadows[i], &first); number > 0) {
      undefined->push_back(format("the buffer at {} is undefined in {} bytes, the first at byte {}",
                                  PlaceOf(report.outputs.buffers[i]), number, first));
    }
  }
}

// Evaluates one sample, or the whole program.
class OriginalChecker {
 public:
  OriginalChecker(const Program& program, const std::vector<BufferLayout>& layouts,
                  const std::string& file, const OriginalCheckOptions& options,
                  std::vector<uint32_t> sample, const Deadline& deadline)
      : program_(program), layouts_(layouts), file_(file), options_(options), deadline_(deadline) {
    check_.extent = ExtentOf(program, sample);
    check_.sample = std::move(sample);
  }

  // The most important questions first: is it defined, does it depend on the schedule, how stable
  // is it.
  Result<OriginalCheck> Take() {
    if (Status ran = Run({}, 0, &check_.report); !ran) return ran.error();
    if (check_.undefined.empty()) NoteUndefined(check_.report, &check_.undefined);
    if (options_.schedules && program_.DependsOnSchedule() && check_.well_defined()) {
      if (Status tried = TrySchedules(); !tried) return tried.error();
    }
    const bool exact = check_.report.Exact();
    if (exact && check_.sample.empty()) return std::move(check_);
    check_.stability = Stability::kStable;
    if (exact) return std::move(check_);
    if (!check_.well_defined()) check_.stability = Stability::kUnstable;
    if (Status tried = Perturb(); !tried) return tried.error();
    return std::move(check_);
  }

  // Whether Take failed only because time ran out.
  bool out_of_time() const { return out_of_time_; }
  uint64_t steps() const { return steps_; }

 private:
  Status Run(const Schedule& schedule, uint64_t perturb, RunReport* report) {
    RunOptions options;
    options.schedule = schedule;
    options.limits = options_.limits;
    options.perturb = perturb;
    options.sample = check_.sample;
    options.deadline = deadline_;
    *report = refract::Run(program_, options);
    steps_ += report->steps;
    if (!report->trap) return {};
    if (report->trap->kind == Trap::Kind::kLimit) {
      out_of_time_ = report->trap->out_of_time;
      return Error{format("{}: the interpreter did not reach the end: {}", file_,
                          TrapText(*report->trap, program_.module())),
                   ErrorKind::kUnavailable};
    }
    check_.undefined.push_back(TrapText(*report->trap, program_.module()));
    return {};
  }

  Status TrySchedules() {
    for (const NamedSchedule& other : OtherSchedules(options_.seed)) {
      RunReport report;
      if (Status ran = Run(other.schedule, 0, &report); !ran) return ran;
      if (report.trap) return {};
      if (report.outputs == check_.report.outputs) continue;
      check_.deterministic = false;
      check_.varies_with = other.name;
      return {};
    }
    return {};
  }

  Status Perturb() {
    for (uint32_t i = 0; i < options_.perturbations && check_.well_defined(); ++i) {
      RunReport report;
      if (Status ran = Run({}, Mix(options_.seed, i) | 1, &report); !ran) return ran;
      if (report.trap) {
        check_.stability = Stability::kUnstable;
        return {};
      }
      const Distance distance =
          DistanceOf(check_.report.outputs, report.outputs, layouts_, check_.extent.looked_at);
      check_.largest_change = std::max(check_.largest_change, distance.levels);
      if (!distance.little) check_.stability = Stability::kUnstable;
    }
    return {};
  }

  const Program& program_;
  const std::vector<BufferLayout>& layouts_;
  const std::string& file_;
  const OriginalCheckOptions& options_;
  const Deadline& deadline_;
  OriginalCheck check_;
  uint64_t steps_ = 0;
  bool out_of_time_ = false;
};

// Evaluates larger and larger samples, and then the whole, as long as there is time. The whole is
// next as soon as it is known to be cheap.
class GrowingSampleChecker {
 public:
  GrowingSampleChecker(const Program& program, const std::vector<BufferLayout>& layouts,
                       const std::string& file, const OriginalCheckOptions& options)
      : program_(program), layouts_(layouts), file_(file), options_(options) {}

  Result<OriginalCheck> Take() {
    const Deadline deadline = Deadline::In(options_.time_limit, options_.stop);
    if (options_.time_limit == 0 || !options_.may_sample)
      return CheckSample(options_.sample, deadline);
    const uint64_t all = CountSampleUnits(program_);
    std::optional<OriginalCheck> best;
    for (uint64_t count = 1;;) {
      std::vector<uint32_t> sample = SpreadSample(program_, count);
      const bool whole = sample.empty();
      const double begin = MonotonicSeconds();
      Result<OriginalCheck> judged = CheckSample(std::move(sample), deadline);
      if (whole && judged) return judged;
      if (!judged && out_of_time_) return best ? std::move(*best) : Nothing();
      if (!judged) return judged;
      best = std::move(*judged);
      const double seconds = (MonotonicSeconds() - begin) / static_cast<double>(count);
      const double whole_seconds = seconds * static_cast<double>(all);
      const bool cheap = steps_ * (all / count) <= kCheapSteps ||
                         (count >= kTelling && whole_seconds * kReserve < deadline.Left());
      // Undefined behaviour in a sample is certain, so larger samples are not needed.
      if (!cheap && !best->well_defined()) return std::move(*best);
      const uint64_t next = cheap || count * kMore * 2 > all ? all : count * kMore;
      if (!cheap && seconds * static_cast<double>(next) > kOverdraft * deadline.Left()) {
        return std::move(*best);
      }
      count = next;
    }
  }

 private:
  OriginalCheck Nothing() const {
    OriginalCheck nothing;
    nothing.stability = Stability::kUnstable;
    nothing.extent = ExtentOf(program_, {});
    nothing.extent.looked_at = 0;
    return nothing;
  }

  static constexpr uint64_t kMore = 4;
  static constexpr uint64_t kCheapSteps = uint64_t{1} << 26;
  // A sample of at least kTelling units predicts the time for the whole, with a possible error of
  // this factor.
  static constexpr uint64_t kTelling = 64;
  static constexpr double kReserve = 8;
  // A round is not begun if it is expected to take more than this many times the time that is left.
  // The estimate may be too long, because small samples take longer for each pixel than large ones.
  static constexpr double kOverdraft = 1.5;

  Result<OriginalCheck> CheckSample(std::vector<uint32_t> sample, const Deadline& deadline) {
    OriginalChecker judging(program_, layouts_, file_, options_, std::move(sample), deadline);
    Result<OriginalCheck> judged = judging.Take();
    out_of_time_ = judging.out_of_time();
    steps_ = judging.steps();
    return judged;
  }

  const Program& program_;
  const std::vector<BufferLayout>& layouts_;
  const std::string& file_;
  const OriginalCheckOptions& options_;
  bool out_of_time_ = false;
  uint64_t steps_ = 0;
};

}  // namespace

std::string_view StabilityName(Stability stability) {
  return stability == Stability::kExact    ? "exact"
         : stability == Stability::kStable ? "stable"
                                           : "unstable";
}

CompareRule RuleFor(Stability stability) {
  return stability == Stability::kExact    ? CompareRule::kExact
         : stability == Stability::kStable ? CompareRule::kStable
                                           : CompareRule::kSpatial;
}

ComparisonRule RuleFor(const OriginalCheck& check) {
  const bool exact = check.extent.is_whole() && check.stability == Stability::kExact;
  return exact ? CompareRule::kExact : BoundedRule(check);
}

ComparisonRule BoundedRule(const OriginalCheck& check) {
  const bool stable = check.extent.is_whole() && check.stability != Stability::kUnstable;
  ComparisonRule rule = stable ? CompareRule::kStable : CompareRule::kSpatial;
  const std::vector<LevelBounds>& bounds = check.report.target_bounds;
  const bool has_bounds = std::any_of(bounds.begin(), bounds.end(),
                                      [](const LevelBounds& one) { return !one.empty(); });
  if (!has_bounds || !check.well_defined() || !check.deterministic) return rule;
  rule.rest = rule.kind;
  rule.kind = CompareRule::kBounded;
  rule.bounds = std::make_shared<const std::vector<LevelBounds>>(bounds);
  return rule;
}

bool IsSmallDifference(const Comparison& comparison) {
  return IsSmallDifference(comparison, uint64_t{comparison.width_a} * comparison.height_a);
}

bool IsSmallDifference(const Comparison& comparison, uint64_t pixels) {
  return comparison.same_size() && comparison.region_over_8 < 8 &&
         comparison.pixels_over_1 * 2000 <= pixels;
}

std::string TrapText(const Trap& trap, const Module& module) {
  std::string text = trap.message;
  if (trap.function != Function::kNone) {
    text += format(", in function %{}", module.FileId(module.FunctionId(trap.function)));
  }
  if (trap.instruction != Inst::kNone) {
    text += format(", invocation ({}, {}, {})", trap.invocation[0], trap.invocation[1],
                   trap.invocation[2]);
  }
  return text;
}

Result<OriginalCheck> CheckOriginalProgram(const Program& program,
                                           const std::vector<BufferLayout>& layouts,
                                           const std::string& file,
                                           const OriginalCheckOptions& options) {
  Result<OriginalCheck> check = GrowingSampleChecker(program, layouts, file, options).Take();
  if (options.stop == nullptr || !options.stop->load()) return check;
  return Error{format("{}: the check was stopped", file), ErrorKind::kFailed};
}

Image ImageWithUndefinedMarked(const RunReport& report, size_t target) {
  Image picture = AsImage(report.outputs.targets[target]);
  const std::string& shadows = report.target_shadows[target];
  for (size_t i = 0; i < picture.pixel_count(); ++i) {
    const bool undefined = std::any_of(&shadows[4 * i], &shadows[4 * i] + 4,
                                       [](char s) { return (static_cast<uint8_t>(s) & 2) != 0; });
    if (!undefined) continue;
    uint8_t* pixel = picture.pixel(i);
    pixel[0] = pixel[2] = pixel[3] = 255;
    pixel[1] = 0;
  }
  return picture;
}

}  // namespace target
}  // namespace refract
