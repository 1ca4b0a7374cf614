// SPDX-License-Identifier: Apache-2.0
#include "input/resolve_images.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "input/input_func.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{1} << 28;

class ImageResolver {
 public:
  ImageResolver(const BlockNames& names, const std::string& file) : names_(names), file_(file) {}

  Status Add(const ImageVariable& variable, const Inputs& inputs);
  ResolvedImages Take() { return std::move(result_); }
  std::vector<bool> taken;  // for each value: true if an image uses it

 private:
  Error Refuse(std::string_view name, std::string_view what) const {
    return Error{format("{}: /{}: {}", file_, name, what)};
  }
  std::string Where(const ImageVariable& variable) const {
    return format("{} ({})", NameOf(variable), PlaceText(variable));
  }
  std::string NameOf(const ImageVariable& variable) const {
    if (!variable.in_array) return names_.Describe(variable.variable, {});
    return names_.Describe(variable.variable, {variable.element});
  }
  bool IsFor(const InputValue& value, const ImageVariable& variable) const;
  Result<const InputValue*> Find(const ImageVariable& variable, const Inputs& inputs);
  Status ChooseFormat(const ImageVariable& variable, const InputValue* value, BoundImage* image);
  void Fill(const InputValue* value, BoundImage* image) const;
  Status ResolveAttachment(const InputValue* value, const Inputs& inputs, BoundImage* image) const;
  Status Keep(const ImageVariable& variable, BoundImage image);

  const BlockNames& names_;
  const std::string& file_;
  ResolvedImages result_;
  uint64_t bytes_ = 0;
};

bool ImageResolver::IsFor(const InputValue& value, const ImageVariable& variable) const {
  if (!value.has_binding) return value.name == NameOf(variable);
  if (value.set != variable.set || value.binding != variable.binding) return false;
  std::optional<uint32_t> element = value.element;
  if (!element && variable.in_array) element = names_.FindElement(variable.variable, value.name);
  return element.value_or(0) == variable.element;
}

// The value for a variable; null if not found.
Result<const InputValue*> ImageResolver::Find(const ImageVariable& variable, const Inputs& inputs) {
  const InputValue* found = nullptr;
  for (size_t i = 0; i < inputs.values.size(); ++i) {
    const InputValue& value = inputs.values[i];
    if (!value.image.has_value()) continue;
    if (!IsFor(value, variable)) continue;
    if (found != nullptr) {
      return Refuse(value.name, format("{} already has a value from the entry {}", Where(variable),
                                       found->name));
    }
    const ImageInput& image = *value.image;
    if (image.kind != variable.kind ||
        (image.kind != BoundImage::kSampler &&
         (image.dim != variable.dim || image.arrayed != variable.arrayed ||
          (image.samples > 1) != variable.multisampled ||
          (image.compare != BoundImage::kNone) != variable.depth))) {
      return Refuse(value.name, format("\"func\" is {}, but {} is a {}", InputFunc(value),
                                       Where(variable), variable.Func()));
    }
    found = &value;
    taken[i] = true;
  }
  return found;
}

// Chooses the format of the image: that of the storage image type, or the given one if its texels
// have the type that the shader expects.
Status ImageResolver::ChooseFormat(const ImageVariable& variable, const InputValue* value,
                                   BoundImage* image) {
  image->format = variable.format;
  if (value != nullptr && value->image->format != spv::ImageFormat::Unknown) {
    image->format = value->image->format;
    if (variable.format != spv::ImageFormat::Unknown && variable.format != image->format) {
      return Refuse(value->name, format("the value has the format {}, but {} has the format {}",
                                        FindTexelFormat(image->format)->name, Where(variable),
                                        FindTexelFormat(variable.format)->name));
    }
  }
  if (image->format == spv::ImageFormat::Unknown) {
    image->format = variable.depth                             ? spv::ImageFormat::R32f
                    : variable.component == TexelFormat::kInt  ? spv::ImageFormat::Rgba32i
                    : variable.component == TexelFormat::kUint ? spv::ImageFormat::Rgba32ui
                                                               : spv::ImageFormat::Rgba8;
  }
  const TexelFormat* format_row = FindTexelFormat(image->format);
  CHECK(format_row != nullptr);
  const TexelFormat::Kind seen = format_row->is_integer() ? format_row->kind : TexelFormat::kFloat;
  if (seen != variable.component) {
    const char* wanted = variable.component == TexelFormat::kInt    ? "signed integers"
                         : variable.component == TexelFormat::kUint ? "unsigned integers"
                                                                    : "floats";
    return Refuse(value != nullptr ? value->name : "",
                  format("the value has the format {}, but the texels of {} are {}",
                         format_row->name, Where(variable), wanted));
  }
  if ((image->linear || image->mip.linear) && format_row->is_integer()) {
    return Refuse(value->name, format("integers cannot be filtered: \"{}\" must be \"nearest\"",
                                      image->linear ? "filter" : "mip_filter"));
  }
  if (image->reduction != BoundImage::kWeightedAverage && format_row->is_integer()) {
    return Refuse(value->name, "integers have no \"reduction\"");
  }
  return {};
}

void ImageResolver::Fill(const InputValue* value, BoundImage* image) const {
  if (value != nullptr && !value->image->texture.empty()) {
    FillWithPattern(*TexelPatternByName(value->image->texture), value->image->seed, image);
    return;
  }
  if (value != nullptr) {
    for (const uint64_t word : value->words) {
      for (uint32_t byte = 0; byte < value->width / 8; ++byte) {
        image->texels.push_back(static_cast<char>(word >> (8 * byte)));
      }
    }
  }
  const size_t size = TexelsBeforeLevel(*image, image->levels) * TexelSize(image->format);
  const std::string one = image->texels;
  image->texels.reserve(size);
  while (!one.empty() && image->texels.size() < size) image->texels += one;
  image->texels.resize(size);
}

// An input attachment has the size of the frame. A render pass has one image for each index, so two
// descriptors cannot have different images.
Status ImageResolver::ResolveAttachment(const InputValue* value, const Inputs& inputs,
                                        BoundImage* image) const {
  image->width = inputs.width;
  image->height = inputs.height;
  if (image->samples > 1) {
    if (inputs.samples == 1) {
      return Error{
          format("{}: the input attachment at {} is multisampled, which needs a frame with "
                 "several samples (\"samples\" in $framebuffer)",
                 file_, PlaceText(*image)),
          ErrorKind::kUnavailable};
    }
    image->samples = inputs.samples;
  }
  for (const BoundImage& other : result_.images) {
    if (other.kind != BoundImage::kAttachment || other.attachment != image->attachment ||
        SamePlace(other, *image)) {
      continue;
    }
    return Error{format("{}: the input attachments at {} and {} have the same index {}", file_,
                        PlaceText(other), PlaceText(*image), image->attachment),
                 ErrorKind::kUnavailable};
  }
  if (value == nullptr || value->words.empty() || value->words.size() == value->rows) return {};
  const uint64_t all = uint64_t{value->rows} * image->width * image->height * image->samples;
  if (value->words.size() == all) return {};
  return Refuse(value->name, format("wrong number of values in \"args\": expected {} for one {} "
                                    "or {} for all {}s of the frame, found {}",
                                    value->rows, image->samples > 1 ? "sample" : "texel", all,
                                    image->samples > 1 ? "sample" : "texel", value->words.size()));
}

// Adds the image to the result. Variables may share a binding if their images are equal.
Status ImageResolver::Keep(const ImageVariable& variable, BoundImage image) {
  const auto shared = std::find_if(result_.images.begin(), result_.images.end(),
                                   [&](const auto& other) { return SamePlace(other, image); });
  if (shared != result_.images.end()) {
    if (*shared == image) return {};
    return Error{format("images or samplers of different kinds share {}", PlaceText(variable)),
                 ErrorKind::kUnavailable};
  }
  bytes_ += image.texels.size();
  if (bytes_ > kMaxImageBytes)
    return Error{format("the images have more than {} bytes", kMaxImageBytes)};
  result_.images.push_back(std::move(image));
  return {};
}

Status ImageResolver::Add(const ImageVariable& variable, const Inputs& inputs) {
  const Result<const InputValue*> found = Find(variable, inputs);
  if (!found) return found.error();
  const InputValue* value = *found;
  BoundImage image;
  image.set = variable.set;
  image.binding = variable.binding;
  image.element = variable.element;
  image.kind = variable.kind;
  image.linear = value != nullptr && value->image->linear;
  if (value != nullptr) {
    image.wrap = value->image->wrap;
    image.border = value->image->border;
    image.reduction = value->image->reduction;
    image.texel_coordinates = value->image->texel_coordinates;
  }
  if (value != nullptr) image.mip = value->image->mip;
  if (value != nullptr) image.scene = value->image->scene;
  if (variable.depth) {
    image.compare = value != nullptr ? value->image->compare : BoundImage::kLessOrEqual;
  }
  if (HasTexels(variable.kind)) {
    image.dim = variable.dim;
    image.arrayed = variable.arrayed;
    if (Status status = ChooseFormat(variable, value, &image); !status) return status;
    image.samples = variable.multisampled ? kDefaultSamples : 1;
    SetSides(value != nullptr ? &*value->image : nullptr, &image);
    if (variable.kind == BoundImage::kAttachment) {
      image.attachment = variable.attachment;
      Status fits = ResolveAttachment(value, inputs, &image);
      if (!fits) return fits;
    }
    if (value == nullptr) result_.open.push_back({variable, image});
    Fill(value, &image);
    if (value == nullptr && variable.read) result_.missing.push_back(Where(variable));
  } else if (value == nullptr) {
    result_.open.push_back({variable, image});
    if (variable.kind == BoundImage::kScene) result_.missing.push_back(Where(variable));
  }
  return Keep(variable, std::move(image));
}

}  // namespace

Result<ResolvedImages> ResolveImages(const Module& module, const EntryPoint& entry,
                                     const BlockNames& names, const Inputs& inputs,
                                     const std::string& file,
                                     const std::vector<BoundConstant>& constants) {
  const Result<std::vector<ImageVariable>> variables = ImagesOf(module, entry, names, constants);
  if (!variables) {
    return Error{format("{}: {}", file, variables.error().message), variables.error().kind};
  }
  ImageResolver resolver(names, file);
  resolver.taken.resize(inputs.values.size());
  for (const ImageVariable& variable : *variables) {
    if (Status status = resolver.Add(variable, inputs); !status) return status.error();
  }
  ResolvedImages result = resolver.Take();
  for (size_t i = 0; i < inputs.values.size(); ++i) {
    const InputValue& value = inputs.values[i];
    if (value.image.has_value() && !resolver.taken[i]) result.unused.push_back(value.name);
  }
  return result;
}

}  // namespace input
}  // namespace refract
