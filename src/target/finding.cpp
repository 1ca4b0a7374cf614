// SPDX-License-Identifier: Apache-2.0
#include "target/finding.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"

namespace refract {
inline namespace target {
namespace {

struct ComparedImages {
  std::optional<Comparison> shown;  // the first pair that differs, else the first pair
  bool differ = false;
};

ComparedImages CompareColourImages(const Outputs& a, const Outputs& b, const ComparisonRule& rule) {
  ComparedImages result;
  for (size_t i = 0; i < a.targets.size(); ++i) {
    const ColourTarget& target = a.targets[i];
    if (target.format != spv::ImageFormat::Rgba8) continue;
    const auto other =
        std::find_if(b.targets.begin(), b.targets.end(), [&](const ColourTarget& candidate) {
          return candidate.location == target.location &&
                 candidate.format == spv::ImageFormat::Rgba8;
        });
    if (other == b.targets.end() || result.differ) continue;  // Differences reports missing targets
    const Comparison found = Compare({target.width, target.height, target.texels},
                                     {other->width, other->height, other->texels}, rule, i);
    const bool differ = !Agree(found, rule);
    if (differ || !result.shown) result.shown = found;
    result.differ = differ;
  }
  return result;
}

std::string Words(const Comparison& found, const ComparisonRule& rule) {
  if (!found.same_size()) {
    return format("the images have different sizes: {}x{} and {}x{}", found.width_a, found.height_a,
                  found.width_b, found.height_b);
  }
  const std::string bounds = RuleText(found, rule);
  return format("the images differ: {} of {} pixels, by at most {}, largest region {}{}{}",
                found.pixels, uint64_t{found.width_a} * found.height_a, Counted(found.max, "level"),
                found.region, bounds.empty() ? "" : "; ", bounds);
}

/// `a` and `b` name the runs: "the original".
std::string Words(const Difference& difference, std::string_view a, std::string_view b) {
  if (difference.elements == 0) {
    return format("{} at {}: {} in {}, {} in {}", difference.kind, difference.place, difference.a,
                  a, difference.b, b);
  }
  return format("{} at {}: elements that differ: {}; the first, {}, is {} in {} and {} in {}",
                difference.kind, difference.place, difference.elements, difference.element,
                difference.a, a, difference.b, b);
}

/// The name without a seed and without a list of several passes, because the same bug occurs with
/// others.
std::string BucketName(const std::string& target) {
  const size_t colon = target.find(':');
  if (colon == std::string::npos) return target;
  const size_t end = std::min(target.find('@', colon), target.size());
  const std::string given = target.substr(colon + 1, end - colon - 1);
  const bool one_pass = given.starts_with('-') && given.find(',') == std::string::npos;
  return one_pass ? target : target.substr(0, colon) + target.substr(end);
}

}  // namespace

bool IsWrongOutput(const Finding& finding) {
  return finding.verdict && IsWrongOutput(*finding.verdict);
}

std::string_view VerdictName(const std::optional<FailureClass>& verdict) {
  return verdict ? FailureClassName(*verdict) : "ok";
}

Finding FindingOf(const std::string& target, const RunResult& original, const RunResult& variant,
                  const ComparisonRule& rule, const std::vector<BufferLayout>& layouts,
                  const ComparedNames& names) {
  Finding finding;
  if (original.verdict != RunOutcome::kOk) {
    finding.original_fails =
        format("the original fails on {}, too: {}", target, Signature(original));
    return finding;
  }
  if (variant.verdict == RunOutcome::kUndefined && variant.target != target) {
    // If a tool makes undefined behaviour from a correct variant, its output is as wrong as a wrong
    // image.
    FailureData facts;
    facts.target = BucketName(target);
    facts.kind =
        original.outputs.targets.empty() ? FailureClass::kWrongBuffer : FailureClass::kWrongImage;
    finding.verdict = facts.kind;
    finding.signature = SignatureOf(facts).text;
    finding.what = format("the output of the tool has undefined behaviour: {}", variant.detail);
    return finding;
  }
  if (variant.verdict != RunOutcome::kOk) {
    FailureData facts = FactsOf(variant);
    // Any stage of the target may have caused outputs that are not as expected.
    const bool whole = variant.verdict == RunOutcome::kUnexpected;
    if (whole) facts.target = BucketName(target);
    finding.verdict = facts.kind;
    finding.signature = SignatureOf(facts).text;
    if (!whole) finding.stage = variant.command.empty() ? variant.target : variant.command;
    finding.what = variant.detail;
    return finding;
  }
  const ComparedImages pictures = CompareColourImages(original.outputs, variant.outputs, rule);
  const std::vector<Difference> others =
      Differences(original.outputs, variant.outputs, rule.kind, layouts);
  finding.pictures = pictures.shown;
  if (!pictures.differ && others.empty()) return finding;
  const bool target_differs = std::any_of(others.begin(), others.end(),
                                          [](const Difference& d) { return d.kind == "target"; });
  FailureData facts;
  facts.target = BucketName(target);
  facts.kind =
      pictures.differ || target_differs ? FailureClass::kWrongImage : FailureClass::kWrongBuffer;
  finding.verdict = facts.kind;
  finding.signature = SignatureOf(facts).text;
  finding.what = pictures.differ ? Words(*pictures.shown, rule)
                                 : Words(others.front(), names.original, names.variant);
  return finding;
}

std::string DifferenceText(const Outputs& a, std::string_view name_a, const Outputs& b,
                           std::string_view name_b, const ComparisonRule& rule,
                           const std::vector<BufferLayout>& layouts) {
  const ComparedImages pictures = CompareColourImages(a, b, rule);
  if (pictures.differ) return Words(*pictures.shown, rule);
  const std::vector<Difference> others = Differences(a, b, rule.kind, layouts);
  return others.empty() ? std::string() : Words(others.front(), name_a, name_b);
}

}  // namespace target
}  // namespace refract
