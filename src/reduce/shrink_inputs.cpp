// SPDX-License-Identifier: Apache-2.0
#include "reduce/shrink_inputs.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace refract {
inline namespace reduce {
namespace {

// Numbers of longer lists become plain in chunks only.
constexpr size_t kMaxSingleNumbers = 64;

// The bits of one, as a number of the value's type.
uint64_t OneOf(const InputValue& value) {
  if (value.scalar != InputValue::kFloat) return 1;
  return value.width == 16 ? 0x3c00 : value.width == 64 ? 0x3ff0000000000000 : 0x3f800000;
}

class InputShrinker {
 public:
  InputShrinker(std::shared_ptr<const Inputs> inputs, const InterestingInputs& interesting)
      : best_(std::move(inputs)), interesting_(interesting) {}

  std::shared_ptr<const Inputs> Run() {
    Try([](Inputs* inputs) { inputs->expected.reset(); });
    ShrinkFrame();
    if (best_->has_grid) {
      Halve([](auto& inputs) -> auto& { return inputs.grid_columns; });
      Halve([](auto& inputs) -> auto& { return inputs.grid_rows; });
    }
    if (best_->vertices) ShrinkVertices();
    for (size_t axis = 0; best_->compute && axis < 3; ++axis) {
      Halve([axis](auto& inputs) -> auto& { return inputs.compute->groups[axis]; });
    }
    for (size_t i = best_->values.size(); i-- > 0;) {
      Try([i](Inputs* inputs) {
        inputs->values.erase(inputs->values.begin() + static_cast<ptrdiff_t>(i));
      });
    }
    for (size_t i = best_->spec_constants.size(); i-- > 0;) {
      Try([i](Inputs* inputs) {
        inputs->spec_constants.erase(inputs->spec_constants.begin() + static_cast<ptrdiff_t>(i));
      });
    }
    for (size_t i = 0; i < best_->values.size(); ++i) {
      ShrinkValue([i](auto& inputs) -> auto& { return inputs.values[i]; });
    }
    for (size_t i = 0; best_->compute && i < best_->compute->fields.size(); ++i) {
      ShrinkValue([i](auto& inputs) -> auto& { return inputs.compute->fields[i]; });
    }
    return best_;
  }

 private:
  // Returns true if the inputs are interesting after the change, which then stays.
  template <class Change>
  bool Try(const Change& change) {
    if (is_over_) return false;
    auto changed = std::make_shared<Inputs>(*best_);
    change(changed.get());
    if (*changed == *best_) return false;
    const std::optional<bool> answer = interesting_(changed);
    is_over_ = !answer;
    if (!answer.value_or(false)) return false;
    best_ = std::move(changed);
    return true;
  }

  // Makes a number 1, or else halves it as often as possible. `at` finds it in the inputs.
  template <class At>
  void Halve(const At& at) {
    const auto shrink = [&](uint32_t number) {
      return at(*best_) > number && Try([&](Inputs* inputs) { at(*inputs) = number; });
    };
    if (shrink(1)) return;
    while (shrink(std::max(at(*best_) / 2, 1u))) {
    }
  }

  // The smallest square that is interesting, and then each side alone.
  void ShrinkFrame() {
    const auto shrink = [&](uint32_t width, uint32_t height) {
      if (width >= best_->width && height >= best_->height) return false;
      return Try([&](Inputs* inputs) {
        inputs->has_framebuffer = true;
        inputs->width = std::min(inputs->width, width);
        inputs->height = std::min(inputs->height, height);
      });
    };
    const auto keep_samples = [&](uint32_t samples) {
      return samples < best_->samples && Try([&](Inputs* inputs) {
               inputs->samples = samples;
               inputs->per_sample = inputs->per_sample && samples > 1;
             });
    };
    if (!keep_samples(1)) {
      while (keep_samples(std::max(best_->samples / 2, 1u))) {
      }
    }
    const uint32_t larger = std::max(best_->width, best_->height);
    for (uint32_t side = 1; side < larger && !is_over_; side *= 2) {
      if (shrink(side, side)) break;
    }
    if (!shrink(1, larger)) {
      while (shrink(std::max(best_->width / 2, 1u), larger)) {
      }
    }
    if (!shrink(larger, 1)) {
      while (shrink(larger, std::max(best_->height / 2, 1u))) {
      }
    }
  }

  // Leaves out instances, indices from the end, and attributes. Then the numbers become plain. The
  // vertices stay, because indices are their numbers.
  void ShrinkVertices() {
    const auto keep_instances = [&](uint32_t instances) {
      return best_->vertices->instances > instances && Try([&](Inputs* inputs) {
               inputs->vertices->instances = instances;
               for (AttributeInput& attribute : inputs->vertices->attributes) {
                 if (!attribute.per_instance) continue;
                 attribute.value.count = instances;
                 attribute.value.words.resize(attribute.value.elements());
               }
             });
    };
    if (!keep_instances(1)) {
      while (keep_instances(std::max(best_->vertices->instances / 2, 1u))) {
      }
    }
    for (size_t chunk = best_->vertices->indices.size() / 2; chunk > 0; chunk /= 2) {
      while (best_->vertices->indices.size() > chunk && Try([&](Inputs* inputs) {
               std::vector<uint32_t>& indices = inputs->vertices->indices;
               indices.resize(indices.size() - chunk);
             })) {
      }
    }
    for (size_t i = best_->vertices->attributes.size(); i-- > 0;) {
      Try([i](Inputs* inputs) {
        std::vector<AttributeInput>& attributes = inputs->vertices->attributes;
        attributes.erase(attributes.begin() + static_cast<ptrdiff_t>(i));
      });
    }
    for (size_t i = 0; i < best_->vertices->attributes.size(); ++i) {
      MakeNumbersPlain([i](auto& inputs) -> auto& { return inputs.vertices->attributes[i].value; });
    }
  }

  template <class At>
  void ShrinkValue(const At& at) {
    if (at(*best_).image) return ClearImage(at);
    if (at(*best_).count > 1) ShortenArray(at);
    MakeNumbersPlain(at);
  }

  template <class At>
  void MakeNumbersPlain(const At& at) {
    const size_t size = at(*best_).words.size();
    for (size_t chunk = size; chunk > 0; chunk /= 2) {
      if (size / chunk > kMaxSingleNumbers) break;
      for (size_t begin = 0; begin < size; begin += chunk) {
        MakePlain(at, begin, std::min(begin + chunk, size));
      }
    }
  }

  // All texels become zero. shader.json can say so for a format that is known, and for a storage
  // image. A scene becomes empty.
  template <class At>
  void ClearImage(const At& at) {
    const ImageInput& image = *at(*best_).image;
    const bool storage = image.kind == BoundImage::kStorage;
    if (image.scene != BoundImage::kEmpty) {
      Try([&](Inputs* inputs) { at(*inputs).image->scene = BoundImage::kEmpty; });
      return;
    }
    if (!HasTexels(image.kind) || (!storage && image.format == spv::ImageFormat::Unknown)) {
      return;
    }
    Try([&](Inputs* inputs) {
      InputValue& value = at(*inputs);
      value.image->texture.clear();
      value.image->seed = 0;
      value.words.assign(storage ? 0 : value.rows, 0);
    });
  }

  template <class At>
  void ShortenArray(const At& at) {
    const auto shorten = [&](uint32_t count) {
      return Try([&](Inputs* inputs) {
        InputValue& value = at(*inputs);
        value.count = std::min(value.count, count);
        value.words.resize(value.elements());
      });
    };
    if (shorten(1)) return;
    while (shorten(std::max(at(*best_).count / 2, 1u))) {
    }
  }

  // Makes the numbers from `begin` to `end` 0, or else 1.
  template <class At>
  void MakePlain(const At& at, size_t begin, size_t end) {
    const auto fill = [&](bool with_ones) {
      return Try([&](Inputs* inputs) {
        InputValue& value = at(*inputs);
        const uint64_t one = OneOf(value);
        for (size_t i = begin; i < end; ++i) {
          // A number that is 0 already is as plain as it gets.
          if (value.words[i] != 0) value.words[i] = with_ones ? one : 0;
        }
      });
    };
    if (!fill(false)) fill(true);
  }

  std::shared_ptr<const Inputs> best_;
  const InterestingInputs& interesting_;
  bool is_over_ = false;
};

}  // namespace

std::shared_ptr<const Inputs> ShrinkInputs(std::shared_ptr<const Inputs> inputs,
                                           const InterestingInputs& interesting) {
  return InputShrinker(std::move(inputs), interesting).Run();
}

uint64_t InvocationsOf(const Inputs& inputs) {
  uint64_t count = uint64_t{inputs.width} * inputs.height * inputs.samples;
  if (inputs.has_grid) count += uint64_t{inputs.grid_columns} * inputs.grid_rows;
  if (inputs.vertices) {
    count += std::max<uint64_t>(inputs.vertices->count, inputs.vertices->indices.size()) *
             inputs.vertices->instances;
  }
  if (!inputs.compute) return count;
  uint64_t groups = 1;
  for (const uint32_t number : inputs.compute->groups) groups *= number;
  return count + groups;
}

}  // namespace reduce
}  // namespace refract
