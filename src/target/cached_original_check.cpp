// SPDX-License-Identifier: Apache-2.0
#include "target/cached_original_check.h"

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/text.h"
#include "driver/protocol.h"
#include "image/level_bounds.h"
#include "image/png.h"
#include "input/resolve.h"

namespace refract {
inline namespace target {
namespace {

// A check that took fewer seconds is not cached.
constexpr double kWorthKeeping = 0.2;

// All inputs of a check. The cache adds the build that made it.
std::string KeyOf(const Job& job, const OriginalCheckOptions& options) {
  Job bare;
  bare.spirv = job.spirv;
  bare.entry = job.entry;
  bare.bindings = job.bindings;
  return format("{} {} {} {} {} {} ", options.schedules, options.perturbations, options.seed,
                options.limits.steps_per_invocation, options.limits.steps, options.limits.memory) +
         Encode(bare);
}

struct CachedCheck {
  OriginalCheck check;
  uint64_t milliseconds = 0;  // OriginalCheckOptions::time_limit
};

std::string SampleText(const std::vector<uint32_t>& sample) {
  std::string text;
  for (const uint32_t unit : sample) text += format("{},", unit);
  return text;
}

// The bounds as an image file, because they are as large as two images, and long runs of them are
// the same. Empty without bounds.
std::string BoundsText(const RunReport& report) {
  if (report.target_bounds.empty()) return {};
  const Image image = ImageOfBounds(report.target_bounds, report.outputs.targets[0].width);
  return image.pixel_count() == 0 ? std::string() : EncodePng(image);
}

bool DecodeBounds(const std::string& text, RunReport* report) {
  const std::vector<ColourTarget>& targets = report->outputs.targets;
  report->target_bounds.resize(targets.size());
  if (text.empty()) return true;
  const Result<Image> image = DecodePng(text, "the cache");
  if (!image) return false;
  Result<std::vector<LevelBounds>> bounds =
      BoundsOfImage(*image, static_cast<uint32_t>(targets.size()), "the cache");
  if (!bounds) return false;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].format != spv::ImageFormat::Rgba8) continue;
    report->target_bounds[i] = std::move((*bounds)[i]);
  }
  return true;
}

std::string Encode(const CachedCheck& kept) {
  const OriginalCheck& check = kept.check;
  const RunReport& report = check.report;
  const std::vector<uint64_t> numbers = {kept.milliseconds,
                                         check.deterministic,
                                         uint64_t(check.stability),
                                         check.largest_change,
                                         check.extent.looked_at,
                                         check.extent.all,
                                         check.extent.workgroups,
                                         report.approximate_control,
                                         report.open_coverage,
                                         report.near_boundary,
                                         report.steps};
  std::string row;
  for (const uint64_t number : numbers) row += format("{},", number);
  return refract::Encode(std::vector<std::string>{
      row, SampleText(check.sample), check.varies_with, refract::Encode(check.undefined),
      refract::Encode(report.outputs), refract::Encode(report.target_shadows),
      refract::Encode(report.buffer_shadows), refract::Encode(report.image_shadows),
      BoundsText(report)});
}

// Reads numbers, each followed by a comma.
bool DecodeNumbers(const std::string& text, std::vector<uint64_t>* numbers) {
  std::vector<std::string> parts = Split(text, ',');
  parts.pop_back();
  for (const std::string& part : parts) {
    if (!ParseNumber(part, &numbers->emplace_back())) return false;
  }
  return true;
}

// The cache guarantees that the bytes are those that Encode made.
std::optional<CachedCheck> Decode(std::string_view bytes) {
  std::vector<std::string> parts;
  if (!refract::Decode(bytes, &parts) || parts.size() != 9) return std::nullopt;
  std::vector<uint64_t> row, sample;
  if (!DecodeNumbers(parts[0], &row) || row.size() != 11 || !DecodeNumbers(parts[1], &sample)) {
    return std::nullopt;
  }
  CachedCheck kept;
  OriginalCheck& check = kept.check;
  RunReport& report = check.report;
  kept.milliseconds = row[0];
  check.deterministic = row[1] != 0;
  check.stability = static_cast<Stability>(row[2]);
  check.largest_change = static_cast<uint32_t>(row[3]);
  check.extent = {row[4], row[5], row[6] != 0};
  report.approximate_control = row[7] != 0;
  report.open_coverage = row[8] != 0;
  report.near_boundary = row[9] != 0;
  report.steps = row[10];
  check.sample.assign(sample.begin(), sample.end());
  check.varies_with = std::move(parts[2]);
  const bool whole =
      refract::Decode(parts[3], &check.undefined) && refract::Decode(parts[4], &report.outputs) &&
      refract::Decode(parts[5], &report.target_shadows) &&
      refract::Decode(parts[6], &report.buffer_shadows) &&
      refract::Decode(parts[7], &report.image_shadows) && DecodeBounds(parts[8], &report);
  if (!whole || check.stability > Stability::kUnstable) return std::nullopt;
  return kept;
}

uint64_t Milliseconds(double seconds) {
  return static_cast<uint64_t>(seconds * 1000);
}

// Whether a cached check is as good as one that would be made now.
bool IsEnough(const CachedCheck& kept, const OriginalCheckOptions& options) {
  if (!options.may_sample) return kept.check.sample == options.sample;
  if (kept.check.extent.is_whole()) return true;
  if (!kept.check.well_defined()) return true;  // judging the whole cannot change that
  return options.time_limit > 0 && Milliseconds(options.time_limit) <= kept.milliseconds;
}

}  // namespace

Result<OriginalCheck> CheckOriginalJob(const Module& module, const Job& job,
                                       const std::vector<BufferLayout>& layouts,
                                       const std::string& file, const OriginalCheckOptions& options,
                                       const Cache& cache) {
  const Result<EntryPoint> entry = FindEntryPoint(module, job.entry, file);
  if (!entry) return entry.error();
  const Result<Program> program = Program::Decode(module, *entry, job.bindings, file);
  if (!program) return program.error();
  const std::string key = cache.is_on() ? KeyOf(job, options) : "";
  std::optional<CachedCheck> kept;
  if (const auto bytes = cache.Get(key)) kept = Decode(*bytes);
  if (kept && IsEnough(*kept, options)) return std::move(kept->check);
  const double begin = MonotonicSeconds();
  Result<OriginalCheck> judged = CheckOriginalProgram(*program, layouts, file, options);
  if (!judged) return judged;
  const bool farther = !kept || judged->extent.looked_at > kept->check.extent.looked_at;
  const bool kept_as_well = options.may_sample && judged->extent.looked_at > 0;
  if (MonotonicSeconds() - begin < kWorthKeeping || !kept_as_well) return judged;
  // If more time gave no larger sample, the cached check is stored again with the longer time.
  const OriginalCheck& best = farther ? *judged : kept->check;
  cache.Put(key, Encode(CachedCheck{best, Milliseconds(options.time_limit)}));
  return best;
}

}  // namespace target
}  // namespace refract
