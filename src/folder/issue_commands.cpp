// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/shell.h"
#include "base/text.h"
#include "folder/issue.h"

namespace refract {
inline namespace folder {

std::vector<std::string> CommandLines(const CommandTarget& target, const Placeholders& given,
                                      std::string_view input, std::string_view last) {
  std::vector<std::string> lines;
  Placeholders values = given;
  values.in = format("{}.spv", input);
  for (size_t i = 0; i < target.steps.size(); ++i) {
    const CommandStep& step = target.steps[i];
    values.out = format("out{}.{}", i + 1, step.makes_spirv ? "spv" : "txt");
    std::vector<std::string> argv = Fill(step, values);
    argv[0] = step.argv[0].substr(step.argv[0].find_last_of('/') + 1);
    std::string line = ShellLine(argv);
    if (step.to_standard_output) line += " > " + values.out;
    lines.push_back(std::move(line));
    if (!last.empty() && step.name == last) break;
    if (!step.only_checks) values.in = values.out;
  }
  return lines;
}

std::optional<PixelDifference> DifferenceOf(const Image& original, const Image& failing) {
  if (original.width != failing.width || original.height != failing.height) return std::nullopt;
  PixelDifference found;
  found.total = original.pixel_count();
  for (size_t i = 0; i < original.pixel_count(); ++i) {
    if (std::equal(original.pixel(i), original.pixel(i) + 4, failing.pixel(i))) continue;
    if (found.pixels++ > 0) continue;
    found.x = static_cast<uint32_t>(i % original.width);
    found.y = static_cast<uint32_t>(i / original.width);
    std::copy_n(original.pixel(i), 4, found.expected.begin());
    std::copy_n(failing.pixel(i), 4, found.got.begin());
  }
  if (found.pixels == 0) return std::nullopt;
  return found;
}

}  // namespace folder
}  // namespace refract
