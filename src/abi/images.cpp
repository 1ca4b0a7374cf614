// SPDX-License-Identifier: Apache-2.0
// Comparing images.
#include "abi/boundary.h"
#include "image/compare.h"
#include "image/png.h"

using namespace refract;

namespace {

constexpr CompareRule kRules[] = {CompareRule::kExact, CompareRule::kStable, CompareRule::kSpatial,
                                  CompareRule::kHistogram};

bool ReadImage(const refract_image* given, Image* image) {
  refract_image read;
  if (given == nullptr || !ReadStruct(given, &read) || read.pixels == nullptr) return false;
  if (read.width == 0 || read.height == 0) return false;
  if (read.width > kMaxPngSide || read.height > kMaxPngSide) return false;
  image->width = read.width, image->height = read.height;
  image->pixels.assign(reinterpret_cast<const char*>(read.pixels), 4 * image->pixel_count());
  return true;
}

}  // namespace

refract_status refract_compare_images(const refract_image* a, const refract_image* b,
                                      refract_rule rule, refract_comparison* comparison,
                                      char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (comparison == nullptr) return BadArgument("comparison is null", message);
    if (rule < 0 || static_cast<size_t>(rule) >= std::size(kRules)) {
      return BadArgument("unknown rule", message);
    }
    Image first, second;
    if (!ReadImage(a, &first)) return BadArgument("image a: null or a wrong size", message);
    if (!ReadImage(b, &second)) return BadArgument("image b: null or a wrong size", message);
    const ComparisonRule chosen(kRules[rule]);
    const Comparison compared = Compare(first, second, chosen);
    refract_comparison made = {};
    made.agree = Agree(compared, chosen) ? 1 : 0;
    made.max = compared.max;
    made.pixels = compared.pixels;
    made.pixels_over_1 = compared.pixels_over_1;
    made.region = compared.region;
    made.emd = compared.emd;
    made.rmse = compared.rmse;
    made.chi2 = compared.chi2;
    if (!WriteStruct(made, comparison)) return BadArgument("comparison: wrong size", message);
    return REFRACT_OK;
  });
}
