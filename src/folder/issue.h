// SPDX-License-Identifier: Apache-2.0
// The report of a failure for the people who maintain the driver or the tool: a text to paste into
// their issue tracker. It needs no knowledge of Refract, and its commands need no Refract.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "folder/test_folder.h"
#include "image/image.h"
#include "signature/signature.h"
#include "target/command_target.h"

namespace refract {
inline namespace folder {

/// How the images of the original and of the failing module differ on the target.
struct PixelDifference {
  uint64_t pixels = 0, total = 0;            ///< number of differing pixels, and of all
  uint32_t x = 0, y = 0;                     ///< the first that differs, row by row from the top
  std::array<uint8_t, 4> expected{}, got{};  ///< its colours (RGBA)
};
/// Nothing if the images are equal or have different sizes.
std::optional<PixelDifference> DifferenceOf(const Image& original, const Image& failing);

/// What the test does on another target, or on another version of the target.
struct IssueRun {
  std::string target, version, seen;
};

/// Everything that the text says.
struct Issue {
  TestRecord record;
  std::string name;               ///< of the archive, without its extension
  std::string version;            ///< of the target
  std::string system;             ///< "Debian GNU/Linux 12 (bookworm), Linux 6.1.0 x86_64"
  uint64_t runs = 0, failed = 0;  ///< now; no runs: the test was not run again

  /// The failing module: "check", "smallest", "reduced", "variant", "original".
  std::string module;
  std::string assembly;  ///< its text
  bool smaller = false;  ///< smallest.spv fails in the same way, but is not the module shown
  std::string spirv;     ///< its version, as spirv-as names it: "spv1.3"
  std::string delta;     ///< the difference from the original; empty: there is no original
  std::vector<std::string> commands;       ///< that show the failure; lines for a shell
  std::vector<std::string> full_commands;  ///< of the target, if `commands` are shorter
  std::string amber;          ///< the Vulkan version for `amber -v`; empty: there is no script
  std::string amber_refusal;  ///< why there is no script; empty: nobody needs one

  FailureData failure;  ///< stack and messages
  bool images = false;  ///< the folder has the images of the original and of the failing module
  std::optional<PixelDifference> pixels;
  std::string blame;               ///< what causes the failure, a sentence; empty: unknown or plain
  std::string pass;                ///< the optimiser pass that fails: "--ccp"; empty: unknown
  std::string program;             ///< the tool that has this pass: "spirv-opt"
  std::vector<IssueRun> others;    ///< other targets
  std::vector<IssueRun> versions;  ///< other versions of the target
};

/// The name under which the archive has the failing module, without its extension.
inline constexpr std::string_view kIssueModule = "failing";

/// The commands of a target as lines for a shell. The first reads INPUT.spv. Programs have no
/// folders. Commands after the one called `last` are left out; empty: none is left out.
std::vector<std::string> CommandLines(const CommandTarget& target, const Placeholders& values,
                                      std::string_view input, std::string_view last);

/// One line: who fails, and how.
std::string IssueTitle(const Issue& issue);
/// The text in Markdown; its first line has the title.
std::string IssueText(const Issue& issue);

}  // namespace folder
}  // namespace refract
