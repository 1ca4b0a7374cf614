// SPDX-License-Identifier: Apache-2.0
#include "target/blame.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace target {
namespace {

bool IsWrong(ComparedRun seen) {
  return seen == ComparedRun::kDiffers || seen == ComparedRun::kFails;
}

/// The result of the best witness that ran. The interpreter is better than the second driver,
/// because it detects undefined behaviour.
ComparedRun Witness(const BlameRow& row) {
  return row.interp != ComparedRun::kNotRun ? row.interp : row.second;
}
std::string_view WitnessName(const BlameRow& row) {
  return row.interp != ComparedRun::kNotRun ? "the interpreter" : "a second driver";
}

Blame By(Culprit culprit, std::string stage, std::string reason) {
  Blame blame;
  blame.culprit = culprit;
  blame.stage = std::move(stage);
  blame.reason = std::move(reason);
  return blame;
}

/// Blame for a module that a validator refuses. `maker` is the command that made it; empty if it is
/// the variant.
Blame OfRefused(const BlameTable& table, const std::string& maker) {
  const std::string validator = table.only_validates ? table.command : "spirv-val";
  if (!table.output_refusal.empty()) {
    return By(maker.empty() ? Culprit::kOurs : Culprit::kTool, maker,
              format("Refract's rules refuse the module, too: {}", table.output_refusal));
  }
  if (!table.quirk.empty()) {
    return By(Culprit::kValidator, validator,
              format("the refusal is the known quirk {}; Refract's rules accept the module",
                     table.quirk));
  }
  if (maker.empty() && table.about_control_flow) {
    return By(Culprit::kValidator, validator,
              "the refusal is about control flow; Refract's rules and the built-in validator "
              "accept the module");
  }
  if (maker.empty()) {
    return By(Culprit::kUnclear, {},
              format("the fault is in {} or in the built-in validator, which accepts the variant; "
                     "Refract's rules check less than these two",
                     validator));
  }
  if (table.about_control_flow) {
    return By(Culprit::kUnclear, {},
              format("the fault is in {} or in spirv-val: spirv-val rejects the control flow, "
                     "Refract's rules accept it, and no known quirk explains the difference",
                     maker));
  }
  return By(Culprit::kTool, maker, "no known quirk of spirv-val explains the rejection");
}

Blame OfCommand(const BlameTable& table) {
  if (!table.variant_refusal.empty()) {
    return By(Culprit::kOurs, {}, format("the variant is not valid: {}", table.variant_refusal));
  }
  if (table.failure == FailureClass::kInvalidOutput) return OfRefused(table, table.command);
  if (table.failure == FailureClass::kRejected) {
    if (table.only_validates) return OfRefused(table, {});
    if (!table.text_producer.empty()) {
      return By(Culprit::kTool, table.text_producer,
                format("{} rejected the text that this tool made", table.command));
    }
    return By(Culprit::kTool, table.command, "the tool rejected a valid module");
  }
  return By(Culprit::kTool, table.command, "the input of the tool was a valid module");
}

/// Blame for a variant that fails on the driver without the tools too.
Blame OfVariant(const BlameTable& table) {
  const BlameRow& variant = table.variant;
  if (IsWrong(Witness(variant))) {
    return By(Culprit::kOurs, {},
              format("the variant does not compute what the original computes (found by {})",
                     WitnessName(variant)));
  }
  if (Witness(variant) == ComparedRun::kSame) {
    return By(Culprit::kDriver, table.driver,
              format("the failure happens without the tools, too, and {} sees no difference "
                     "between original and variant",
                     WitnessName(variant)));
  }
  return By(Culprit::kDriver, table.driver, "the failure happens without the tools, too");
}

Blame OfDrawing(const BlameTable& table) {
  if (!table.variant_refusal.empty()) {
    return By(Culprit::kOurs, {}, format("the variant is not valid: {}", table.variant_refusal));
  }
  if (IsWrong(table.variant.driver)) return OfVariant(table);
  if (IsWrong(table.variant.interp)) {
    return By(Culprit::kOurs, {},
              "the variant does not compute what the original computes (found by the interpreter)");
  }
  if (table.made.empty()) return By(Culprit::kUnclear, {}, "the failure did not happen again");
  for (const BlameRow& row : table.made) {
    if (!IsWrong(Witness(row))) continue;
    return By(Culprit::kTool, row.command,
              format("the tool miscompiled the variant (found by {})", WitnessName(row)));
  }
  const BlameRow& last = table.made.back();
  if (Witness(last) == ComparedRun::kSame) {
    return By(Culprit::kDriver, table.driver,
              format("{} sees no difference in the output of {}", WitnessName(last), last.command));
  }
  if (!IsWrongOutput(table.failure)) {
    return By(Culprit::kDriver, table.driver, format("the output of {} is valid", last.command));
  }
  return By(
      Culprit::kUnclear, {},
      format(
          "{} or {}: without the tools, the variant is drawn correctly, and no witness could run",
          last.command, table.driver));
}

}  // namespace

std::string_view CulpritName(Culprit culprit) {
  switch (culprit) {
    case Culprit::kOurs:
      return "ours";
    case Culprit::kTool:
      return "tool";
    case Culprit::kValidator:
      return "validator";
    case Culprit::kDriver:
      return "driver";
    case Culprit::kUnclear:
      break;
  }
  return "unclear";
}

std::string_view ComparedRunName(ComparedRun seen) {
  switch (seen) {
    case ComparedRun::kSame:
      return "same";
    case ComparedRun::kDiffers:
      return "differs";
    case ComparedRun::kFails:
      return "fails";
    case ComparedRun::kNotRun:
      break;
  }
  return "not run";
}

std::string Blame::Text() const {
  std::string text(CulpritName(culprit));
  if (!stage.empty()) text += format(" {}", stage);
  if (pass) {
    text += format(", pass {} of {}: {}{}", pass->number, pass->count, pass->flag,
                   pass->alone ? " (alone, too)" : "");
  }
  return format("{}: {}", text, reason);
}

Blame Decide(const BlameTable& table) {
  Blame blame = table.command.empty() ? OfDrawing(table) : OfCommand(table);
  blame.table = table;
  return blame;
}

}  // namespace target
}  // namespace refract
