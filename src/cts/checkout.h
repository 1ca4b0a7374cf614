// SPDX-License-Identifier: Apache-2.0
// The files of a checkout of VK-GL-CTS that know the graphicsfuzz tests: the index of the tests,
// the must-pass lists of Vulkan, and the newest must-pass list of Android. docs/cts.md describes
// them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cts/cts_test.h"
#include "cts/patch.h"

namespace refract {
inline namespace cts {

/// An entry of the index.
struct IndexEntry {
  std::string file, name;
  size_t begin = 0;  ///< of its line in the text of the index
};

/// What AddTests needs to know about a checkout. Paths are below the root.
struct Checkout {
  std::string root;
  std::string index;  ///< the text of the index
  std::vector<IndexEntry> entries;
  std::string vulkan_list;    ///< the text of the must-pass list of Vulkan
  std::string android_name;   ///< of the newest list of Android: "vk-main-2026-03-01"
  std::string android_files;  ///< the text of the file that names the parts of this list
  std::optional<std::string> android_list;  ///< its part for graphicsfuzz, if there is one
  std::string known_requirements;           ///< the source in which the suite checks features
};

/// Reads the checkout at `root`. Errors: a file is missing, which means another layout; a line of a
/// file has another form than docs/cts.md describes (with file and line).
Result<Checkout> ReadCheckout(const std::string& root);

/// The changes that add `tests` to the checkout, the files of the tests first. Empty if it has them
/// all. Errors: two tests have the same name or the same content; the checkout has a test with the
/// name and other content, or one with this content and another name; a test needs a feature that
/// the suite cannot check.
Result<std::vector<FileChange>> AddTests(const Checkout& checkout,
                                         const std::vector<CtsTest>& tests);

}  // namespace cts
}  // namespace refract
