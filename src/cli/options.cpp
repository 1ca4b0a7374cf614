// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "base/text.h"

namespace refract::inline cli {
namespace {

CLI::Option* AddText(CLI::App& app, const char* names, const char* label, const char* help,
                     const std::function<void(const std::string&)>& take) {
  CLI::Option* option = app.add_option_function<std::string>(names, take, help);
  option->type_name(label);
  return option;
}

CLI::Option* AddNumber(CLI::App& app, const char* names, const char* help, uint64_t lowest,
                       uint64_t highest, const std::function<void(uint64_t)>& take) {
  const std::string name = names;
  return AddText(app, names, "N", help, [name, lowest, highest, take](const std::string& text) {
    uint64_t number = 0;
    if (!ParseNumber(text, &number)) {
      throw CLI::ValidationError(name, format("'{}' is not a number (decimal or 0x)", text));
    }
    if (number < lowest || number > highest) {
      throw CLI::ValidationError(name,
                                 format("{} is not between {} and {}", text, lowest, highest));
    }
    take(number);
  });
}

}  // namespace

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
  app_.add_flag(names, *value, help);
}

void Options::Text(const char* names, const char* label, std::string* value, const char* help) {
  app_.add_option(names, *value, help)->type_name(label);
}

void Options::RequiredText(const char* names, const char* label, std::string* value,
                           const char* help) {
  app_.add_option(names, *value, help)->type_name(label)->required();
}

void Options::Number(const char* names, uint64_t* value, const char* help, uint64_t lowest,
                     uint64_t highest) {
  AddNumber(app_, names, help, lowest, highest, [value](uint64_t number) {
    *value = number;
  })->default_str(std::to_string(*value));
}

void Options::Number(const char* names, std::optional<uint64_t>* value, const char* help,
                     uint64_t lowest, uint64_t highest) {
  AddNumber(app_, names, help, lowest, highest, [value](uint64_t number) { *value = number; });
}

void Options::Repeated(const char* names, const char* label, std::vector<std::string>* values,
                       const char* help) {
  // One value each time: a list without a fixed length would consume the arguments of the verb.
  app_.add_option(names, *values, help)->type_name(label)->allow_extra_args(false)->take_all();
}

void Options::List(const char* names, const char* label, std::vector<std::string>* values,
                   const char* help) {
  const std::string name = names;
  AddText(app_, names, label, help, [name, values](const std::string& text) {
    *values = Split(text, ',');
    if (std::find(values->begin(), values->end(), "") != values->end()) {
      throw CLI::ValidationError(name, format("'{}' has an empty item", text));
    }
  });
}

void Options::Choice(const char* names, std::string* value, const std::vector<std::string>& choices,
                     const char* help) {
  const std::string name = names;
  std::string label;
  for (const std::string& choice : choices) label += (label.empty() ? "" : "|") + choice;
  AddText(app_, names, label.c_str(), help, [=](const std::string& text) {
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
      throw CLI::ValidationError(name, format("'{}' is not one of {}", text, label));
    }
    *value = text;
  })->default_str(*value);
}

}  // namespace refract::inline cli
