// SPDX-License-Identifier: Apache-2.0
// How a verb declares its arguments and options. CLI11 parses them. Its header adds four seconds to
// the compilation of each file that includes it, so only options.cpp and command_line.cpp do.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace refract {
inline namespace cli {

/// Returns what is wrong with a value, or an empty text if nothing is.
using ValueCheck = std::function<std::string(const std::string& value)>;

/// Each function declares one argument or option. Parsing writes its value through the pointer; an
/// option that is not given keeps its value. `names` are as typed, joined by commas, the main name
/// first and its aliases after it: "-o,--output,--out". `label` stands for the value in --help:
/// "FILE". An invalid value is a usage error (exit code 2).
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  /// Sets the heading in --help-all of the options declared after this call; nullptr: the default.
  void Group(const char* heading) { group_ = heading; }

  /// A positional argument, in the order of declaration. --help shows `name`: "MODULE".
  void Argument(const char* name, std::string* value, const char* help);
  void OptionalArgument(const char* name, std::string* value, const char* help);
  /// All remaining arguments, such as a script and its arguments after "--".
  void Arguments(const char* name, std::vector<std::string>* values, const char* help);

  void Flag(const char* names, bool* value, const char* help);
  void Text(const char* names, const char* label, std::string* value, const char* help);
  /// As Text, but the value must pass `check`, and the option may be given only once.
  void CheckedText(const char* names, const char* label, std::string* value, const char* help,
                   const ValueCheck& check);
  /// As Text, but required.
  void RequiredText(const char* names, const char* label, std::string* value, const char* help);
  /// Decimal or 0x, from `lowest` to `highest`.
  void Number(const char* names, uint64_t* value, const char* help, uint64_t lowest = 0,
              uint64_t highest = std::numeric_limits<uint64_t>::max());
  void Number(const char* names, std::optional<uint64_t>* value, const char* help,
              uint64_t lowest = 0, uint64_t highest = std::numeric_limits<uint64_t>::max());
  /// A duration, rounded up to seconds: 90, 90s, 8m, 1.5h.
  void Duration(const char* names, uint64_t* seconds, const char* help, uint64_t lowest = 0,
                uint64_t highest = std::numeric_limits<uint64_t>::max());
  void Duration(const char* names, std::optional<uint64_t>* seconds, const char* help,
                uint64_t lowest = 0, uint64_t highest = std::numeric_limits<uint64_t>::max());
  /// An option that may be given several times, with one value each: --donors A --donors B.
  void Repeated(const char* names, const char* label, std::vector<std::string>* values,
                const char* help);
  /// An option with values separated by commas: --targets lavapipe,swiftshader. Each value must
  /// pass `check`.
  void List(const char* names, const char* label, std::vector<std::string>* values,
            const char* help, const ValueCheck& check = {});
  /// One of `choices`, spelled exactly.
  void Choice(const char* names, std::string* value, const std::vector<std::string>& choices,
              const char* help);

 private:
  CLI::Option* Grouped(CLI::Option* option) const;

  CLI::App& app_;
  const char* group_ = nullptr;
};

/// Parses the arguments of a verb that an earlier process got. `declare` declares the options of
/// the verb. Ignores options that all verbs have.
Status ParseAgain(std::vector<std::string> arguments, const std::function<void(Options&)>& declare);

}  // namespace cli
}  // namespace refract
