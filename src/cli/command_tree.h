// SPDX-License-Identifier: Apache-2.0
// The verbs as CLI11 knows them: each verb with its options, and the options that all verbs have.
// command_line.cpp parses with them, and pages/ describes them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <vector>

#include "cli/help.h"
#include "cli/verb.h"

namespace refract {
inline namespace cli {

/// A verb and its declaration in CLI11.
struct DeclaredVerb {
  const CLI::App* app = nullptr;
  const Verb* verb = nullptr;
  Action action;  ///< null for a verb that does nothing without one of its parts
};

/// The command `refract` with its verbs.
class CommandTree {
 public:
  /// All of `table` become verbs, but only those that `wanted` accepts get their options and parts.
  /// `console` receives the options that all verbs have.
  CommandTree(std::span<const Verb* const> table, const std::function<bool(const Verb&)>& wanted,
              Console& console);
  CommandTree(const CommandTree&) = delete;
  CommandTree& operator=(const CommandTree&) = delete;

  CLI::App& app() { return app_; }
  HelpFormatter& formatter() { return *formatter_; }
  /// --version was given.
  bool version() const { return version_; }
  /// The wanted verbs. The parts of a verb come before it: if one is given, CLI11 has parsed both.
  const std::vector<DeclaredVerb>& declared() const { return declared_; }

 private:
  void Declare(CLI::App& app, std::span<const Verb* const> table,
               const std::function<bool(const Verb&)>& wanted, Console& console);

  CLI::App app_;
  std::shared_ptr<HelpFormatter> formatter_;
  bool version_ = false;
  std::vector<DeclaredVerb> declared_;
};

}  // namespace cli
}  // namespace refract
