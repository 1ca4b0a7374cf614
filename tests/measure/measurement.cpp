// SPDX-License-Identifier: Apache-2.0
#include "measure/measurement.h"

#include <cstdio>

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "image/png.h"

namespace refract::measure {
namespace {

std::string CompareGolden(const std::string& file, const Golden& golden) {
  if (!FileExists(file)) return format("{} is missing: corpus --bless", golden.file);
  const Result<std::string> bytes = ReadFile(file);
  if (!bytes) return bytes.error().message;
  const Result<Image> picture = DecodePng(*bytes, file);
  if (!picture) return picture.error().message;
  if (*picture == golden.picture) return "";
  const Comparison found = Compare(*picture, golden.picture);
  if (!found.same_size()) return format("{} has another size than what is drawn", golden.file);
  return format("{} differs from what is drawn in {} pixels", golden.file, found.pixels);
}

void MeasureGoldens(const Reference& reference, const Outputs& outputs,
                    const MeasureOptions& options, Measurement* measured) {
  for (const Golden& golden :
       GoldensOf(reference.picture, outputs, reference.subject.job.bindings)) {
    const std::string file = options.goldens + "/" + golden.file;
    measured->goldens.push_back(golden.file);
    std::string fault;
    if (!options.bless) {
      fault = CompareGolden(file, golden);
    } else if (!CompareGolden(file, golden).empty()) {
      const Status written = WriteFile(file, EncodePng(golden.picture));
      if (!written) fault = written.error().message;
    }
    if (measured->golden_fault.empty()) measured->golden_fault = fault;
  }
}

// How a target's outputs differ from the interpreter's. Empty if they do not.
std::string DifferenceBetween(const Outputs& theirs, const Outputs& ours) {
  for (size_t i = 0; i < std::min(theirs.targets.size(), ours.targets.size()); ++i) {
    const ColourTarget& a = theirs.targets[i];
    const ColourTarget& b = ours.targets[i];
    if (a.format != spv::ImageFormat::Rgba8 || a == b || a.texels.size() != b.texels.size()) {
      continue;
    }
    const Comparison found = Compare({a.width, a.height, a.texels}, {b.width, b.height, b.texels});
    return format("{} pixels of {}, by up to {} levels", found.pixels, PlaceOf(a), found.max);
  }
  for (const Difference& difference : Differences(theirs, ours, CompareRule::kExact)) {
    return format("{} of {}: {} elements, the first {}: {} where the interpreter has {}",
                  difference.kind, difference.place, difference.elements, difference.element,
                  difference.a, difference.b);
  }
  return "";
}

void MeasureTargets(const Reference& reference, const Outputs& ours, const MeasureOptions& options,
                    Harness& harness, Measurement* measured) {
  for (const Target& target : options.targets) {
    const Result<RunResult> run = harness.Run(target, reference.subject.job);
    if (!run) {
      const bool missing_features = run.error().kind == ErrorKind::kUnavailable;
      (missing_features ? measured->missing_features : measured->differences)[target.name] =
          run.error().message;
      continue;
    }
    measured->seconds[target.name] = run->seconds;
    const std::string differences =
        run->verdict == RunOutcome::kOk ? DifferenceBetween(run->outputs, ours) : Signature(*run);
    if (!differences.empty()) measured->differences[target.name] = differences;
  }
}

// One line of the state file: the key, then the tallies, separated by tabs.
std::string ToLine(const std::string& key, const Sensitivity& sensitivity) {
  std::string line = key;
  for (const FaultTally& tally : sensitivity.kinds) {
    line +=
        format("\t{}\t{}\t{}\t{}", tally.changed, tally.trapped, tally.endless, tally.unchanged);
  }
  return line + "\n";
}

std::optional<Sensitivity> ReadState(const std::string& path, const std::string& key) {
  if (path.empty() || !FileExists(path)) return std::nullopt;
  const Result<std::string> text = ReadFile(path);
  if (!text) return std::nullopt;
  for (const std::string& line : Split(*text, '\n')) {
    const std::vector<std::string> fields = Split(line, '\t');
    if (fields[0] != key || fields.size() != 1 + 4 * kFaultKinds.size()) continue;
    Sensitivity sensitivity;
    bool whole = true;
    for (size_t kind = 0; kind < kFaultKinds.size(); ++kind) {
      FaultTally& tally = sensitivity.kinds[kind];
      uint64_t* numbers[] = {&tally.changed, &tally.trapped, &tally.endless, &tally.unchanged};
      for (size_t i = 0; i < 4; ++i) {
        whole = whole && ParseNumber(fields[1 + 4 * kind + i], numbers[i]);
      }
    }
    if (whole) return sensitivity;
  }
  return std::nullopt;
}

std::string BytesOf(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint32_t)};
}

// A key that changes with the module, its outputs (and so its inputs) and the number of faults.
std::string StateKey(const Reference& reference, const Outputs& outputs, uint64_t faults) {
  std::string bytes = BytesOf(reference.subject.job.spirv);
  for (const ColourTarget& target : outputs.targets) bytes += target.texels;
  for (const BoundBuffer& buffer : outputs.buffers) bytes += buffer.bytes;
  for (const BoundImage& image : outputs.images) bytes += image.texels;
  return format("{} {} {}", reference.name, faults, ContentHash(bytes));
}

void MeasureFaults(const Reference& reference, const Outputs& outputs,
                   const MeasureOptions& options, Measurement* measured) {
  const std::string key = StateKey(reference, outputs, options.faults);
  measured->sensitivity = ReadState(options.state, key);
  if (measured->sensitivity) return;
  Result<Sensitivity> sensitivity =
      MeasureSensitivity(reference.subject, reference.name, options.faults);
  if (!sensitivity) {
    measured->fault = sensitivity.error().message;
    return;
  }
  measured->sensitivity = std::move(*sensitivity);
  if (options.state.empty()) return;
  if (std::FILE* state = std::fopen(options.state.c_str(), "a")) {
    std::fputs(ToLine(key, *measured->sensitivity).c_str(), state);
    std::fclose(state);
  }
}

}  // namespace

Measurement Measure(const Reference& reference, const MeasureOptions& options, Harness& harness) {
  Measurement measured;
  measured.name = reference.name;
  measured.title = reference.title;
  measured.model = reference.model;
  measured.assembly = reference.assembly;
  measured.lines = reference.lines;
  measured.instructions = reference.instructions;
  const Result<OriginalCheck> judged = CheckOriginalModule(reference.subject, options.judge);
  if (!judged) {
    measured.fault = judged.error().message;
    return measured;
  }
  measured.verdict = StabilityName(judged->stability);
  measured.undefined = judged->undefined;
  measured.varies_with = judged->varies_with;
  measured.steps = judged->report.steps;
  if (!judged->well_defined()) return measured;
  const Outputs& outputs = judged->report.outputs;
  measured.variety = VarietyOf(outputs, reference.subject.job.bindings);
  if (!options.goldens.empty()) MeasureGoldens(reference, outputs, options, &measured);
  MeasureTargets(reference, outputs, options, harness, &measured);
  if (options.faults > 0) MeasureFaults(reference, outputs, options, &measured);
  return measured;
}

std::vector<std::string> UnmetGoals(const Measurement& m) {
  std::vector<std::string> complaints;
  const auto want = [&](bool ok, const std::string& what) {
    if (!ok) complaints.push_back(what);
  };
  if (!m.fault.empty()) return {m.fault};
  for (const std::string& what : m.undefined) want(false, "undefined: " + what);
  if (!complaints.empty()) return complaints;
  want(!m.title.empty(), "no comment at the beginning says what it draws");
  want(m.lines >= kLeastLines && m.lines <= kMostLines,
       format("{} lines, wanted {} to {}", m.lines, kLeastLines, kMostLines));
  const uint64_t least = m.assembly ? kLeastAssembly : kLeastInstructions;
  want(m.instructions >= least, format("{} instructions, wanted {}", m.instructions, least));
  const uint64_t least_values = m.variety.words ? kLeastWords : kLeastColours;
  const char* values = m.variety.words ? "words" : "colours";
  want(m.variety.different >= least_values,
       format("{} different {}, wanted {}", m.variety.different, values, least_values));
  want(m.variety.largest_percent <= kMostOfOne,
       format("{:.1f} % are one of the {}, wanted at most {} %", m.variety.largest_percent, values,
              kMostOfOne));
  want(m.verdict != "unstable", "verdict unstable");
  want(m.varies_with.empty(), "not deterministic: it varies with " + m.varies_with);
  want(m.golden_fault.empty(), m.golden_fault);
  // Debian 12's lavapipe has no clusters of a subgroup.
  const auto missing = m.missing_features.find("lavapipe");
  want(missing == m.missing_features.end() ||
           missing->second.find("VK_SUBGROUP_FEATURE_CLUSTERED_BIT") != std::string::npos,
       "lavapipe cannot run it");
  for (const auto& [target, how] : m.differences) want(false, format("{}: {}", target, how));
  const auto lavapipe = m.seconds.find("lavapipe");
  if (lavapipe != m.seconds.end()) {
    want(lavapipe->second <= kMostSeconds,
         format("lavapipe takes {:.1f} s, wanted at most {} s", lavapipe->second, kMostSeconds));
  }
  want(m.shared_percent <= kMostShared,
       format("{:.0f} % of its lines are those of {}, or the other "
              "way round; wanted at most a third",
              m.shared_percent, m.shares_with));
  if (!m.sensitivity) return complaints;
  const FaultTally total = m.sensitivity->Total();
  const uint64_t faults = total.noticed() + total.unchanged;
  want(faults > 0, "no fault could be put into it");
  want(faults < kMinFaults || m.sensitivity->Percent() >= kLeastSensitivity,
       format("{:.1f} % of {} faults are noticed, wanted {} %", m.sensitivity->Percent(), faults,
              kLeastSensitivity));
  return complaints;
}

}  // namespace refract::measure
