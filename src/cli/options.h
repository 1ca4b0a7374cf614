// SPDX-License-Identifier: Apache-2.0
// How a verb declares what it takes. CLI11 does the parsing, behind this wall: its header costs
// four seconds in every file that sees it, so only options.cpp and command_line.cpp do.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace refract::inline cli {

/// Every function declares one thing; what it points to is filled while parsing and keeps its value
/// if the option is not given. Names are as typed, several joined: "-o,--out". `label` stands for
/// the value in --help: "FILE". A value that does not fit is a usage error, exit 2.
class Options {
 public:
  explicit Options(CLI::App& app) : app_(app) {}

  /// By place, in the order of declaration; `name` is for --help: "MODULE".
  void Argument(const char* name, std::string* value, const char* help);
  void OptionalArgument(const char* name, std::string* value, const char* help);
  /// All that is left, e.g. a script and its arguments after "--".
  void Arguments(const char* name, std::vector<std::string>* values, const char* help);

  void Flag(const char* names, bool* value, const char* help);
  void Text(const char* names, const char* label, std::string* value, const char* help);
  /// As Text, but it must be given.
  void RequiredText(const char* names, const char* label, std::string* value, const char* help);
  /// Decimal or 0x, from `lowest` to `highest`.
  void Number(const char* names, uint64_t* value, const char* help, uint64_t lowest = 0,
              uint64_t highest = std::numeric_limits<uint64_t>::max());
  void Number(const char* names, std::optional<uint64_t>* value, const char* help,
              uint64_t lowest = 0, uint64_t highest = std::numeric_limits<uint64_t>::max());
  /// Given several times, one value each: --donors A --donors B.
  void Repeated(const char* names, const char* label, std::vector<std::string>* values,
                const char* help);
  /// Given once, values separated by commas: --target lavapipe,swiftshader.
  void List(const char* names, const char* label, std::vector<std::string>* values,
            const char* help);
  /// One of `choices`, spelled exactly.
  void Choice(const char* names, std::string* value, const std::vector<std::string>& choices,
              const char* help);

 private:
  CLI::App& app_;
};

}  // namespace refract::inline cli
