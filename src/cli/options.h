// SPDX-License-Identifier: Apache-2.0
// How a verb declares what it takes. CLI11 does the parsing, behind this wall: its header costs
// four seconds in every file that sees it, so only options.cpp and command_line.cpp do.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace refract::inline cli {

/// What is wrong with a value; empty: nothing.
using ValueCheck = std::function<std::string(const std::string& value)>;

/// Every function declares one thing; what it points to is filled while parsing and keeps its value
/// if the option is not given. Names are as typed, several joined, the main one first and then its
/// aliases: "-o,--output,--out". `label` stands for the value in --help: "FILE". A value that does
/// not fit is a usage error, exit 2.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  /// What is declared from here on stands under this heading in --help-all; nullptr: the usual one.
  void Group(const char* heading) { group_ = heading; }

  /// By place, in the order of declaration; `name` is for --help: "MODULE".
  void Argument(const char* name, std::string* value, const char* help);
  void OptionalArgument(const char* name, std::string* value, const char* help);
  /// All that is left, e.g. a script and its arguments after "--".
  void Arguments(const char* name, std::vector<std::string>* values, const char* help);

  void Flag(const char* names, bool* value, const char* help);
  void Text(const char* names, const char* label, std::string* value, const char* help);
  /// As Text, of one value that `check` lets pass.
  void CheckedText(const char* names, const char* label, std::string* value, const char* help,
                   const ValueCheck& check);
  /// As Text, but it must be given.
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
  /// Given several times, one value each: --donors A --donors B.
  void Repeated(const char* names, const char* label, std::vector<std::string>* values,
                const char* help);
  /// Values separated by commas, all of which `check` lets pass: --targets lavapipe,swiftshader.
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

}  // namespace refract::inline cli
