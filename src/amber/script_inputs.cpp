// SPDX-License-Identifier: Apache-2.0
#include "amber/script_inputs.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "amber/import.h"
#include "base/text.h"
#include "input/block_names.h"
#include "input/blocks.h"
#include "input/resolve_constants.h"
#include "input/scalar.h"
#include "input/texels.h"
#include "ir/types.h"

namespace refract::amber {
namespace {

uint32_t Column(const DataType& type, bool std140) {
  // A column of three rows is aligned as one of four.
  const uint32_t scalars = type.rows == 3 ? 4 : type.rows;
  const uint32_t bytes = scalars * type.width / 8;
  return std140 ? (bytes + 15) / 16 * 16 : bytes;
}

// Bytes from one column to the next, and from one element to the next.
struct Strides {
  uint32_t column, element;
};

Strides StridesOf(const Buffer& buffer) {
  const DataType& type = buffer.type;
  const bool rounded = buffer.std140 && (type.array || type.columns > 1);
  const uint32_t column = Column(type, rounded);
  return {column, column * type.columns};
}

BoundImage::Kind ImageKindOf(Binding::Kind kind) {
  return kind == Binding::kCombined       ? BoundImage::kCombined
         : kind == Binding::kSampledImage ? BoundImage::kSampled
                                          : BoundImage::kStorage;
}

// The type of the constant with this SpecId; none if the module has no such constant.
Id TypeOfConstant(const Module& module, uint32_t id) {
  Id type = Id::kNone;
  ForEachInstruction(module, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpDecorate &&
        static_cast<spv::Decoration>(module.Word(inst, 1)) == spv::Decoration::SpecId &&
        module.Word(inst, 2) == id) {
      type = module.TypeOf(module.IdAt(inst, 0));
    }
  });
  return type;
}

// A script may give the bits of any 32-bit constant as an integer, and shader.json gives its value.
void SetType(const Module& module, Id type, SpecConstant* constant) {
  const auto word = static_cast<uint32_t>(constant->bits);
  if (IsBool(module, type)) {
    *constant = {constant->id, SpecConstant::kBool, false, word != 0};
  } else if (IsFloat(module, type) && Width(module, type) == 32) {
    float value = 0;
    std::memcpy(&value, &word, sizeof(value));
    const double wide = value;
    *constant = {constant->id, SpecConstant::kReal, false, 0};
    std::memcpy(&constant->bits, &wide, sizeof(wide));
  } else if (IsSigned(module, type) && word >> 31 != 0) {
    *constant = {constant->id, SpecConstant::kInteger, true, word | ~uint64_t{0xffffffff}};
  } else {
    *constant = {constant->id, SpecConstant::kInteger, false, word};
  }
}

class InputMaker {
 public:
  InputMaker(const Script& script, const Pipeline& pipeline,
             const std::vector<PipelineStage>& stages, const DrawnImages& drawn)
      : script_(script), pipeline_(pipeline), stages_(stages), drawn_(drawn) {}

  Result<Inputs> Make(const RunCommand& run) {
    if (pipeline_.compute) {
      ComputeInput& compute = inputs_.compute.emplace();
      std::copy(std::begin(run.groups), std::end(run.groups), std::begin(compute.groups));
    } else {
      inputs_.has_framebuffer = true;
      inputs_.width = pipeline_.width;
      inputs_.height = pipeline_.height;
    }
    for (const Attachment& attachment : pipeline_.attachments) {
      for (const SpecConstant& constant : attachment.constants) {
        if (Status added = AddConstant(attachment, constant); !added) return added.error();
      }
    }
    for (const Binding& binding : pipeline_.bindings) {
      if (Status added = Add(binding); !added) return added.error();
    }
    return std::move(inputs_);
  }

 private:
  Status AddConstant(const Attachment& attachment, SpecConstant constant) {
    for (const SpecConstant& other : inputs_.spec_constants) {
      if (other.id != constant.id) continue;
      return At(script_, attachment.line, format("constant {} is given twice", constant.id));
    }
    for (const PipelineStage& stage : stages_) {
      const Id type = TypeOfConstant(*stage.module, constant.id);
      if (type != Id::kNone) SetType(*stage.module, type, &constant);
    }
    if (constant.kind == SpecConstant::kReal && !IsFinite(constant.bits, 64)) {
      return At(script_, attachment.line,
                format("constant {} is an infinity or a NaN, which shader.json cannot hold",
                       constant.id));
    }
    inputs_.spec_constants.push_back(constant);
    return {};
  }

  Status Add(const Binding& binding) {
    if (binding.kind == Binding::kColour) return AddColour(binding);
    if (binding.kind == Binding::kSampler) return AddSampler(binding);
    const Buffer* buffer = script_.FindBuffer(binding.buffer);
    if (buffer == nullptr) {
      return At(script_, binding.line, format("there is no buffer {}", binding.buffer));
    }
    const bool is_image = binding.kind != Binding::kUniform && binding.kind != Binding::kStorage &&
                          binding.kind != Binding::kPushConstant;
    if (is_image != buffer->image.has_value()) {
      return At(script_, binding.line,
                format("{} is {} image", buffer->name, is_image ? "no" : "an"));
    }
    return is_image ? AddImage(binding, *buffer) : AddBlock(binding, *buffer);
  }

  Status AddColour(const Binding& binding) const {
    const Buffer* buffer = script_.FindBuffer(binding.buffer);
    if (buffer == nullptr || !buffer->image) {
      return At(script_, binding.line, format("{} is no image", binding.buffer));
    }
    return {};
  }

  Status AddSampler(const Binding& binding) {
    InputValue value = ImageValue(binding, binding.sampler);
    value.image->kind = BoundImage::kSampler;
    if (Status set = SetSampler(binding, &*value.image); !set) return set;
    return AddValue(binding, std::move(value));
  }

  // Gives `image`, which has its kind and format, the sampler of the binding.
  Status SetSampler(const Binding& binding, ImageInput* image) const {
    const Sampler* sampler = script_.FindSampler(binding.sampler);
    if (sampler == nullptr) {
      return At(script_, binding.line, format("there is no sampler {}", binding.sampler));
    }
    image->linear = sampler->linear;
    image->wrap = sampler->wrap;
    image->texel_coordinates = sampler->texel_coordinates;
    if (image->texel_coordinates && image->dim != spv::Dim::Dim1D &&
        image->dim != spv::Dim::Dim2D) {
      return At(script_, binding.line,
                format("{} has coordinates in texels, which only 1D and 2D images may have",
                       sampler->name));
    }
    if (image->wrap != BoundImage::kBorder) return {};
    if (image->kind == BoundImage::kSampler) {
      return At(
          script_, binding.line,
          format("{} has a border, which shader.json gives only with an image", sampler->name));
    }
    if (FindTexelFormat(image->format)->is_integer() != sampler->integer_border) {
      return At(script_, binding.line,
                format("the border of {} is of {}, but its image is of {}", sampler->name,
                       sampler->integer_border ? "integers" : "floats",
                       sampler->integer_border ? "floats" : "integers"));
    }
    image->border = sampler->border;
    return {};
  }

  static InputValue ImageValue(const Binding& binding, std::string name) {
    InputValue value;
    value.name = std::move(name);
    value.has_binding = true;
    value.set = binding.set;
    value.binding = binding.binding;
    value.image.emplace();
    return value;
  }

  Status AddImage(const Binding& binding, const Buffer& buffer) {
    InputValue value = ImageValue(binding, buffer.name);
    value.image->kind = ImageKindOf(binding.kind);
    value.image->dim = buffer.dim;
    value.image->format = *buffer.image;
    value.width = buffer.type.width;
    value.scalar = buffer.type.scalar;
    value.words = buffer.values;
    std::array<uint32_t, 3> size = buffer.size;
    if (const auto drawn = drawn_.find(buffer.name); drawn != drawn_.end()) {
      if (drawn->second.format != *buffer.image || *buffer.image != spv::ImageFormat::Rgba8) {
        return At(script_, binding.line,
                  format("{} is drawn with another format than 8-bit", buffer.name));
      }
      size = {drawn->second.width, drawn->second.height, 1};
      value.words.assign(drawn->second.texels.size(), 0);
      std::transform(drawn->second.texels.begin(), drawn->second.texels.end(), value.words.begin(),
                     [](char c) { return static_cast<uint8_t>(c); });
    } else if (size[0] == 0 || (value.words.empty() && binding.kind != Binding::kStorageImage)) {
      return At(script_, binding.line,
                format("{} has no content, and no earlier run draws it", buffer.name));
    }
    const size_t sides = buffer.dim == spv::Dim::Dim1D ? 1 : buffer.dim == spv::Dim::Dim2D ? 2 : 3;
    value.image->size.assign(size.begin(), size.begin() + sides);
    if (binding.kind == Binding::kCombined) {
      if (Status set = SetSampler(binding, &*value.image); !set) return set;
    }
    return AddValue(binding, std::move(value));
  }

  // Gives every block at the place of the binding the bytes of the buffer.
  Status AddBlock(const Binding& binding, const Buffer& buffer) {
    const std::string bytes = BytesOf(buffer);
    const BlockPlace place(binding.kind == Binding::kPushConstant, binding.set, binding.binding);
    for (const PipelineStage& stage : stages_) {
      const Result<std::vector<BoundConstant>> constants =
          ResolveConstants(*stage.module, inputs_, pipeline_.name);
      if (!constants) return At(script_, pipeline_.line, constants.error().message);
      const Result<std::vector<BlockVariable>> blocks =
          BlocksOf(*stage.module, *stage.entry, BlockNames(*stage.module), *constants);
      if (!blocks) return At(script_, pipeline_.line, blocks.error().message);
      for (const BlockVariable& block : *blocks) {
        if (block.place != place && !(place.push_constant && block.place.push_constant)) continue;
        return AddScalars(binding, buffer, block, bytes,
                          LayoutWithin(*stage.module, block, bytes.size(), *constants));
      }
    }
    return {};  // no shader has such a block
  }

  Status AddScalars(const Binding& binding, const Buffer& buffer, const BlockVariable& block,
                    const std::string& bytes, const Result<Layout>& layout) {
    if (!layout) return At(script_, binding.line, layout.error().message);
    if (layout->size > bytes.size()) {
      return At(
          script_, binding.line,
          format("{} has {} bytes, but the block has {}", buffer.name, bytes.size(), layout->size));
    }
    if (block.storage) {
      InputValue size;
      size.name = buffer.name + " bytes";
      size.has_binding = true;
      size.set = binding.set;
      size.binding = binding.binding;
      size.buffer_bytes = bytes.size();
      if (Status added = AddValue(binding, std::move(size)); !added) return added;
    }
    // One value for each member, as long as its scalars have one type.
    const std::vector<LaidOutScalar>& scalars = layout->scalars;
    for (size_t i = 0; i < scalars.size();) {
      if (scalars[i].kind == LaidOutScalar::kAddress) {
        return At(script_, buffer.line,
                  format("{} has a place for an address, which scripts cannot give", buffer.name));
      }
      InputValue value;
      value.name = i == 0 ? buffer.name : format("{} {}", buffer.name, scalars[i].offset);
      value.push_constant = binding.kind == Binding::kPushConstant;
      value.has_binding = !value.push_constant;
      if (value.has_binding) value.set = binding.set, value.binding = binding.binding;
      value.offset = static_cast<uint32_t>(scalars[i].offset);
      value.width = scalars[i].width;
      value.scalar = scalars[i].kind == LaidOutScalar::kFloat ? InputValue::kFloat
                     : buffer.type.scalar == InputValue::kInt ? InputValue::kInt
                                                              : InputValue::kUint;
      const size_t first = i;
      for (; i < scalars.size() && scalars[i].width == scalars[first].width &&
             scalars[i].kind == scalars[first].kind &&
             scalars[i].path.front() == scalars[first].path.front();
           ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, bytes.data() + scalars[i].offset, scalars[i].width / 8);
        if (value.scalar == InputValue::kFloat && !IsFinite(bits, value.width)) {
          return At(
              script_, buffer.line,
              format("{} has an infinity or a NaN, which shader.json cannot hold", buffer.name));
        }
        value.words.push_back(bits);
      }
      value.count = value.words.size() == 1 ? 0 : static_cast<uint32_t>(value.words.size());
      if (Status added = AddValue(binding, std::move(value)); !added) return added;
    }
    return {};
  }

  Status AddValue(const Binding& binding, InputValue value) {
    // One buffer may be bound at several places.
    std::string name = value.name;
    for (uint32_t i = 2; !names_.insert(name).second; ++i) name = format("{} ({})", value.name, i);
    const bool printable =
        std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c < 0x7f; });
    if (!printable || name.front() == '$' || name.size() > kMaxInputNameBytes) {
      return At(script_, binding.line, "a name that shader.json cannot have");
    }
    value.name = std::move(name);
    inputs_.values.push_back(std::move(value));
    return {};
  }

  const Script& script_;
  const Pipeline& pipeline_;
  const std::vector<PipelineStage>& stages_;
  const DrawnImages& drawn_;
  std::set<std::string> names_;
  Inputs inputs_;
};

const Binding* BindingOf(const Pipeline& pipeline, const std::string& buffer) {
  for (const Binding& binding : pipeline.bindings) {
    if (binding.buffer == buffer) return &binding;
  }
  return nullptr;
}

uint32_t ColourWord(const std::array<uint32_t, 4>& colour) {
  return colour[0] | colour[1] << 8 | colour[2] << 16 | colour[3] << 24;
}

Status AddColour(const Script& script, const Binding& binding, const Expectation& expectation,
                 Inputs* inputs) {
  if (binding.kind != Binding::kColour || binding.location != 0 ||
      script.FindBuffer(binding.buffer)->image != spv::ImageFormat::Rgba8) {
    return At(script, expectation.line,
              "colours can be expected only of the 8-bit image at location 0");
  }
  const auto& [x, y, width, height] = expectation.region;
  inputs->expected->regions.push_back(
      {x, y, width, height, ColourWord(expectation.colour), expectation.channels});
  return {};
}

Status AddValues(const Script& script, const Binding& binding, const Expectation& expectation,
                 Inputs* inputs) {
  const Buffer& buffer = *script.FindBuffer(binding.buffer);
  const Strides strides = StridesOf(buffer);
  const bool is_flat = buffer.type.width == 32 && buffer.type.columns == 1 &&
                       strides.element == buffer.type.rows * 4;
  if (binding.kind != Binding::kStorage || !is_flat || expectation.offset % 4 != 0) {
    return At(script, expectation.line,
              "values can be expected only of a storage buffer of 32-bit numbers without padding");
  }
  ExpectedBuffer expected;
  expected.set = binding.set;
  expected.binding = binding.binding;
  for (const std::string& text : expectation.values) {
    const std::optional<uint64_t> bits = NumberBits(text, buffer.type);
    if (!bits) {
      return At(script, expectation.line, "a value that does not fit the type of the buffer");
    }
    expected.words.push_back(static_cast<uint32_t>(*bits));
  }
  expected.first = expectation.offset / 4;
  if (*expected.first + expected.words.size() > buffer.values.size()) {
    return At(script, expectation.line, "values past the end of the buffer");
  }
  inputs->expected->buffers.push_back(std::move(expected));
  return {};
}

}  // namespace

Error At(const Script& script, size_t line, std::string_view what) {
  return Error{format("{}:{}: {}", script.file, line, what)};
}

std::string BytesOf(const Buffer& buffer) {
  const DataType& type = buffer.type;
  const Strides strides = StridesOf(buffer);
  const size_t in_element = size_t{type.rows} * type.columns;
  std::string bytes(buffer.values.size() / in_element * strides.element, '\0');
  for (size_t i = 0; i < buffer.values.size(); ++i) {
    const size_t part = i % in_element;
    const size_t at = i / in_element * strides.element + part / type.rows * strides.column +
                      part % type.rows * type.width / 8;
    std::memcpy(bytes.data() + at, &buffer.values[i], type.width / 8);
  }
  return bytes;
}

Result<Inputs> InputsOf(const Script& script, const Pipeline& pipeline, const RunCommand& run,
                        const std::vector<PipelineStage>& stages, const DrawnImages& drawn) {
  return InputMaker(script, pipeline, stages, drawn).Make(run);
}

Status AddExpected(const Script& script, const Pipeline& pipeline, Inputs* inputs) {
  for (const Expectation& expectation : script.expectations) {
    const Binding* binding = BindingOf(pipeline, expectation.buffer);
    if (binding == nullptr || !expectation.other.empty()) continue;
    if (!inputs->expected) inputs->expected.emplace();
    const Status added = expectation.kind == Expectation::kColour
                             ? AddColour(script, *binding, expectation, inputs)
                             : AddValues(script, *binding, expectation, inputs);
    if (!added) return added;
  }
  return {};
}

}  // namespace refract::amber
