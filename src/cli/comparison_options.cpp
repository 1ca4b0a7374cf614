// SPDX-License-Identifier: Apache-2.0
#include "cli/comparison_options.h"

#include "base/text.h"

namespace refract {
inline namespace cli {

void DeclareThresholds(Options& options, std::string* text) {
  static const std::string help = format(
      "Thresholds of the rules bounded and spatial (default: {}). slack: how many levels a pixel "
      "may be outside of its bounds. narrow: bounds that are farther apart do not decide a pixel. "
      "spatial finds a difference if all pixels of a square of `square` x `square` differ by more "
      "than `levels`, or if the structural similarity of a window of 16 x 16 pixels is less than "
      "`similarity`, or if its mean differs by more than `shift` levels",
      ThresholdsText({}));
  options.Text("--thresholds", "NAME=VALUE,...", text, help.c_str());
}

Result<Thresholds> TakeThresholds(const std::string& text) {
  Result<Thresholds> thresholds = ParseThresholds(text);
  if (thresholds) return thresholds;
  return Error{format("--thresholds: {}", thresholds.error().message), ErrorKind::kUsage};
}

}  // namespace cli
}  // namespace refract
