// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/suggest.h"
#include "base/text.h"
#include "campaign/schedule.h"

namespace refract {
inline namespace cli {
namespace {

// Returns the first long name of an option, which errors use.
std::string MainName(const char* names) {
  const std::vector<std::string> parts = Split(names, ',');
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [](const std::string& name) { return name.starts_with("--"); });
  return found == parts.end() ? parts.front() : *found;
}

// Calls `take` with all values of an option that may be given several times, with one value each.
CLI::Option* AddTexts(CLI::App& app, const char* names, const char* label, const char* help,
                      const std::function<void(const std::vector<std::string>&)>& take) {
  const CLI::callback_t callback = [take](const CLI::results_t& values) {
    take(values);
    return true;
  };
  CLI::Option* option = app.add_option(names, callback, help);
  option->type_name(label)->take_all();
  return option;
}

CLI::Option* AddText(CLI::App& app, const char* names, const char* label, const char* help,
                     const std::function<void(const std::string&)>& take) {
  CLI::Option* option = app.add_option_function<std::string>(names, take, help);
  option->type_name(label);
  return option;
}

void CheckRange(const std::string& name, const std::string& text, uint64_t number, uint64_t lowest,
                uint64_t highest) {
  if (number >= lowest && number <= highest) return;
  throw CLI::ValidationError(name, format("{} is not between {} and {}", text, lowest, highest));
}

CLI::Option* AddNumber(CLI::App& app, const char* names, const char* help, uint64_t lowest,
                       uint64_t highest, const std::function<void(uint64_t)>& take) {
  const std::string name = MainName(names);
  return AddText(app, names, "N", help, [name, lowest, highest, take](const std::string& text) {
    uint64_t number = 0;
    if (!ParseNumber(text, &number)) {
      throw CLI::ValidationError(
          name, format("'{}' is not a whole number from 0 on (decimal or 0x)", text));
    }
    CheckRange(name, text, number, lowest, highest);
    take(number);
  });
}

CLI::Option* AddDuration(CLI::App& app, const char* names, const char* help, uint64_t lowest,
                         uint64_t highest, const std::function<void(uint64_t)>& take) {
  const std::string name = MainName(names);
  return AddText(app, names, "T", help, [name, lowest, highest, take](const std::string& text) {
    uint64_t seconds = 0;
    if (!ParseNumber(text, &seconds)) {
      const std::optional<double> duration = ParseDuration(text);
      if (!duration) {
        throw CLI::ValidationError(
            name, format("'{}' is not a duration; expected seconds, or 90s, 8m, 1.5h", text));
      }
      seconds = static_cast<uint64_t>(std::ceil(*duration));
    }
    CheckRange(name, text, seconds, lowest, highest);
    take(seconds);
  });
}

void Check(const ValueCheck& check, const std::string& name, const std::string& value) {
  const std::string wrong = check ? check(value) : std::string();
  if (!wrong.empty()) throw CLI::ValidationError(name, wrong);
}

}  // namespace

CLI::Option* Options::Grouped(CLI::Option* option) const {
  return group_ == nullptr ? option : option->group(group_);
}

void Options::Argument(const char* name, std::string* value, const char* help) {
  app_.add_option(name, *value, help)->required()->type_name("");
}

void Options::OptionalArgument(const char* name, std::string* value, const char* help) {
  app_.add_option(name, *value, help)->type_name("");
}

void Options::Arguments(const char* name, std::vector<std::string>* values, const char* help) {
  app_.add_option(name, *values, help)->type_name("");
}

void Options::Flag(const char* names, bool* value, const char* help) {
  Grouped(app_.add_flag(names, *value, help));
}

void Options::Text(const char* names, const char* label, std::string* value, const char* help) {
  Grouped(app_.add_option(names, *value, help))->type_name(label);
}

void Options::CheckedText(const char* names, const char* label, std::string* value,
                          const char* help, const ValueCheck& check) {
  const std::string name = MainName(names);
  Grouped(AddTexts(app_, names, label, help, [=](const std::vector<std::string>& values) {
    for (const std::string& one : values) Check(check, name, one);
    if (values.size() > 1) throw CLI::ValidationError(name, "given twice, but takes one value");
    *value = values.front();
  }));
}

void Options::RequiredText(const char* names, const char* label, std::string* value,
                           const char* help) {
  Grouped(app_.add_option(names, *value, help))->type_name(label)->required();
}

void Options::Number(const char* names, uint64_t* value, const char* help, uint64_t lowest,
                     uint64_t highest) {
  Grouped(AddNumber(app_, names, help, lowest, highest, [value](uint64_t number) {
    *value = number;
  }))->default_str(std::to_string(*value));
}

void Options::Number(const char* names, std::optional<uint64_t>* value, const char* help,
                     uint64_t lowest, uint64_t highest) {
  Grouped(
      AddNumber(app_, names, help, lowest, highest, [value](uint64_t number) { *value = number; }));
}

void Options::Duration(const char* names, uint64_t* seconds, const char* help, uint64_t lowest,
                       uint64_t highest) {
  Grouped(AddDuration(app_, names, help, lowest, highest, [seconds](uint64_t number) {
    *seconds = number;
  }))->default_str(std::to_string(*seconds));
}

void Options::Duration(const char* names, std::optional<uint64_t>* seconds, const char* help,
                       uint64_t lowest, uint64_t highest) {
  Grouped(AddDuration(app_, names, help, lowest, highest,
                      [seconds](uint64_t number) { *seconds = number; }));
}

void Options::Repeated(const char* names, const char* label, std::vector<std::string>* values,
                       const char* help) {
  // One value each time: a list without a fixed length would consume the arguments of the verb.
  Grouped(app_.add_option(names, *values, help))
      ->type_name(label)
      ->allow_extra_args(false)
      ->take_all();
}

void Options::List(const char* names, const char* label, std::vector<std::string>* values,
                   const char* help, const ValueCheck& check) {
  const std::string name = MainName(names);
  Grouped(AddTexts(app_, names, label, help, [=](const std::vector<std::string>& texts) {
    values->clear();
    for (const std::string& text : texts) {
      for (std::string& value : Split(text, ',')) {
        if (value.empty()) {
          throw CLI::ValidationError(name, format("'{}' has an empty item", text));
        }
        Check(check, name, value);
        values->push_back(std::move(value));
      }
    }
  }));
}

void Options::Choice(const char* names, std::string* value, const std::vector<std::string>& choices,
                     const char* help) {
  const std::string name = MainName(names);
  std::string label;
  for (const std::string& choice : choices) label += (label.empty() ? "" : "|") + choice;
  Grouped(AddText(app_, names, label.c_str(), help, [=](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      const std::vector<std::string_view> known(choices.begin(), choices.end());
      throw CLI::ValidationError(
          name, format("'{}' is not one of {}{}", text, label, DidYouMean(text, known)));
    }
    *value = text;
  }))->default_str(*value);
}

Status ParseAgain(std::vector<std::string> arguments,
                  const std::function<void(Options&)>& declare) {
  CLI::App app;
  app.allow_extras();
  Options options(app);
  declare(options);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& parse) {
    return Error{parse.what(), ErrorKind::kUsage};
  }
  return {};
}

}  // namespace cli
}  // namespace refract
