// SPDX-License-Identifier: Apache-2.0
#include "target/blame.h"

#include <algorithm>

#include "base/text.h"

namespace refract::inline target {
namespace {

bool IsWrong(Seen seen) {
  return seen == Seen::kDiffers || seen == Seen::kFails;
}

/// The best witness that was asked: the interpreter, which detects undefined behaviour, else the
/// second driver.
Seen Witness(const BlameRow& row) {
  return row.interp != Seen::kNotRun ? row.interp : row.second;
}
std::string_view WitnessName(const BlameRow& row) {
  return row.interp != Seen::kNotRun ? "the interpreter" : "a second driver";
}

Blame By(Culprit culprit, std::string stage, std::string reason) {
  Blame blame;
  blame.culprit = culprit;
  blame.stage = std::move(stage);
  blame.reason = std::move(reason);
  return blame;
}

/// A module that a validator refuses. `maker` made it; empty: we did.
Blame OfRefused(const BlameTable& table, const std::string& maker) {
  const std::string validator = table.only_looks ? table.command : "spirv-val";
  if (!table.output_fault.empty()) {
    return By(maker.empty() ? Culprit::kOurs : Culprit::kTool, maker,
              format("our rules refuse it, too: {}", table.output_fault));
  }
  if (!table.quirk.empty()) {
    return By(Culprit::kValidator, validator,
              format("the known quirk {}; our rules accept it", table.quirk));
  }
  if (maker.empty() && table.about_flow) {
    return By(Culprit::kValidator, validator,
              "it is about control flow; our rules accept that, and so does the validator within");
  }
  if (maker.empty()) {
    return By(
        Culprit::kUnclear, {},
        format("{} or the validator within, which accepts the variant: our rules do not judge "
               "all that they do",
               validator));
  }
  if (table.about_flow) {
    return By(Culprit::kUnclear, {},
              format("{} or spirv-val: it is about control flow, our rules accept it, and it is no "
                     "known quirk",
                     maker));
  }
  return By(Culprit::kTool, maker, "no known quirk of spirv-val's");
}

Blame OfCommand(const BlameTable& table) {
  if (!table.variant_fault.empty()) {
    return By(Culprit::kOurs, {}, format("the variant is not valid: {}", table.variant_fault));
  }
  if (table.failure == FailureClass::kInvalidOutput) return OfRefused(table, table.command);
  if (table.failure == FailureClass::kRejected) {
    if (table.only_looks) return OfRefused(table, {});
    if (!table.text_maker.empty()) {
      return By(Culprit::kTool, table.text_maker,
                format("{} refuses the text that it made", table.command));
    }
    return By(Culprit::kTool, table.command, "it refuses a valid module");
  }
  return By(Culprit::kTool, table.command, "it was given a valid module");
}

/// The variant itself already shows it.
Blame OfVariant(const BlameTable& table) {
  const BlameRow& variant = table.variant;
  if (IsWrong(Witness(variant))) {
    return By(Culprit::kOurs, {},
              format("{} says that the variant is not the original's equal", WitnessName(variant)));
  }
  if (Witness(variant) == Seen::kSame) {
    return By(Culprit::kDriver, table.driver,
              format("without any tool, too, and {} sees no difference", WitnessName(variant)));
  }
  return By(Culprit::kDriver, table.driver, "without any tool, too");
}

Blame OfDrawing(const BlameTable& table) {
  if (!table.variant_fault.empty()) {
    return By(Culprit::kOurs, {}, format("the variant is not valid: {}", table.variant_fault));
  }
  if (IsWrong(table.variant.driver)) return OfVariant(table);
  if (IsWrong(table.variant.interp)) {
    return By(Culprit::kOurs, {},
              "the interpreter says that the variant is not the original's equal");
  }
  if (table.made.empty()) return By(Culprit::kUnclear, {}, "it did not happen again");
  for (const BlameRow& row : table.made) {
    if (!IsWrong(Witness(row))) continue;
    return By(Culprit::kTool, row.command,
              format("{} says that what it made is not the original's equal", WitnessName(row)));
  }
  const BlameRow& last = table.made.back();
  if (Witness(last) == Seen::kSame) {
    return By(Culprit::kDriver, table.driver,
              format("{} sees no difference in what {} made", WitnessName(last), last.command));
  }
  const bool wrong_outputs =
      table.failure == FailureClass::kWrongImage || table.failure == FailureClass::kWrongBuffer;
  if (!wrong_outputs) {
    return By(Culprit::kDriver, table.driver, format("what {} made is valid", last.command));
  }
  return By(Culprit::kUnclear, {},
            format("{} or {}: the variant itself is drawn right, and there is no other witness",
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

std::string_view SeenName(Seen seen) {
  switch (seen) {
    case Seen::kSame:
      return "same";
    case Seen::kDiffers:
      return "differs";
    case Seen::kFails:
      return "fails";
    case Seen::kNotRun:
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

}  // namespace refract::inline target
