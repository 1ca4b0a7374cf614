// SPDX-License-Identifier: Apache-2.0
#include "harness/judge.h"

#include <algorithm>

#include "base/random.h"
#include "base/text.h"

namespace refract {
namespace {

Image AsPicture(const ColourTarget& target) {
  return {target.width, target.height, target.texels};
}

// How far two runs are apart: pictures in levels, everything else by rule `stable`.
struct Distance {
  bool little = true;
  uint32_t levels = 0;
};
Distance DistanceOf(const Outputs& a, const Outputs& b, const std::vector<BufferLayout>& layouts) {
  Distance distance;
  for (size_t i = 0; i < a.targets.size(); ++i) {
    if (a.targets[i].format != spv::ImageFormat::Rgba8) continue;
    const Comparison found = Compare(AsPicture(a.targets[i]), AsPicture(b.targets[i]));
    distance.levels = std::max(distance.levels, found.max);
    distance.little = distance.little && IsLittle(found);
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
      {"where control flow joins again (late)", {.late_reconvergence = true}},
      {"the form of derivatives (coarse)", {.fine_derivatives = false}},
  };
}

// Where an output is undefined, the first place of each.
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
      undefined->push_back(format(
          "the output at location {} is undefined in {} components, the first at pixel ({}, {})",
          target.location, number, first / 4 % target.width, first / 4 / target.width));
    }
  }
  for (size_t i = 0; i < report.buffer_shadows.size(); ++i) {
    if (const auto number = count(report.buffer_shadows[i], &first); number > 0) {
      undefined->push_back(format("the buffer of {} is undefined in {} bytes, the first at byte {}",
                                  PlaceOf(report.outputs.buffers[i]), number, first));
    }
  }
}

class Judging {
 public:
  Judging(const Program& program, const std::vector<BufferLayout>& layouts, const std::string& file,
          const JudgeOptions& options)
      : program_(program), layouts_(layouts), file_(file), options_(options) {}

  Result<Judgement> Take() {
    if (Status ran = Run({}, 0, &judgement_.report); !ran) return ran.error();
    if (judgement_.undefined.empty()) NoteUndefined(judgement_.report, &judgement_.undefined);
    if (options_.schedules && program_.DependsOnSchedule() && judgement_.well_defined()) {
      if (Status tried = TrySchedules(); !tried) return tried.error();
    }
    if (judgement_.report.Exact()) return std::move(judgement_);
    judgement_.stability = Stability::kStable;
    if (!judgement_.well_defined()) judgement_.stability = Stability::kUnstable;
    if (Status tried = Perturb(); !tried) return tried.error();
    return std::move(judgement_);
  }

 private:
  Status Run(const Schedule& schedule, uint64_t perturb, RunReport* report) {
    RunOptions options;
    options.schedule = schedule;
    options.limits = options_.limits;
    options.perturb = perturb;
    *report = refract::Run(program_, options);
    if (!report->trap) return {};
    if (report->trap->kind == Trap::Kind::kLimit) {
      return Error{
          format("{}: not run to the end: {}", file_, TrapText(*report->trap, program_.module())),
          ErrorKind::kUnavailable};
    }
    judgement_.undefined.push_back(TrapText(*report->trap, program_.module()));
    return {};
  }

  Status TrySchedules() {
    for (const NamedSchedule& other : OtherSchedules(options_.seed)) {
      RunReport report;
      if (Status ran = Run(other.schedule, 0, &report); !ran) return ran;
      if (report.trap) return {};
      if (report.outputs == judgement_.report.outputs) continue;
      judgement_.deterministic = false;
      judgement_.varies_with = other.name;
      return {};
    }
    return {};
  }

  Status Perturb() {
    for (uint32_t i = 0; i < options_.perturbations && judgement_.well_defined(); ++i) {
      RunReport report;
      if (Status ran = Run({}, Mix(options_.seed, i) | 1, &report); !ran) return ran;
      if (report.trap) {
        judgement_.stability = Stability::kUnstable;
        return {};
      }
      const Distance distance = DistanceOf(judgement_.report.outputs, report.outputs, layouts_);
      judgement_.largest_change = std::max(judgement_.largest_change, distance.levels);
      if (!distance.little) judgement_.stability = Stability::kUnstable;
    }
    return {};
  }

  const Program& program_;
  const std::vector<BufferLayout>& layouts_;
  const std::string& file_;
  const JudgeOptions& options_;
  Judgement judgement_;
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
                                           : CompareRule::kHistogram;
}

bool IsLittle(const Comparison& comparison) {
  const uint64_t pixels = uint64_t{comparison.width_a} * comparison.height_a;
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

Result<Judgement> JudgeProgram(const Program& program, const std::vector<BufferLayout>& layouts,
                               const std::string& file, const JudgeOptions& options) {
  return Judging(program, layouts, file, options).Take();
}

Image ShownPicture(const RunReport& report, size_t target) {
  Image picture = AsPicture(report.outputs.targets[target]);
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

}  // namespace refract
