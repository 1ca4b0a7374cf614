// SPDX-License-Identifier: Apache-2.0
#include "input/images.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "input/block_use.h"
#include "input/input_func.h"
#include "input/layout.h"
#include "ir/decorations.h"
#include "ir/image_operands.h"
#include "ir/types.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace input {
namespace {

// The operands of OpTypeImage: sampled type, dim, depth, arrayed, multisampled, sampled, format.
enum ImageOperand : uint32_t { kTexel, kDim, kDepth, kArrayed, kMultisampled, kSampled, kFormat };

constexpr uint32_t kMaxAttachment = 255;  // far more than devices have

// How an entry point samples an image.
struct Sampling {
  bool compares = false;  // with a depth
  bool plain = false;     // without one
  bool by_level = false;  // names a level
};

bool ComparesDepth(spv::Op opcode) {
  using enum spv::Op;
  return opcode == OpImageSampleDrefImplicitLod || opcode == OpImageSampleDrefExplicitLod ||
         opcode == OpImageSampleProjDrefImplicitLod || opcode == OpImageSampleProjDrefExplicitLod ||
         opcode == OpImageDrefGather;
}

bool SamplesPlain(spv::Op opcode) {
  using enum spv::Op;
  return opcode == OpImageSampleImplicitLod || opcode == OpImageSampleExplicitLod ||
         opcode == OpImageSampleProjImplicitLod || opcode == OpImageSampleProjExplicitLod ||
         opcode == OpImageGather;
}

class ImageCollector {
 public:
  ImageCollector(const Module& module, const EntryPoint& entry, const BlockNames& names,
                 const std::vector<BoundConstant>& constants)
      : module_(module),
        entry_(entry),
        names_(names),
        constants_(constants),
        functions_(ReachedFlags(module, entry.function)) {}

  Result<std::vector<ImageVariable>> Run();

 private:
  Error Unavailable(Id variable, std::string_view what) const {
    const std::string name = names_.Describe(variable, {});
    return Error{
        format("the entry point {} uses {}, {}; Refract does not support such resources",
               entry_.name, name.empty() ? format("%{}", module_.FileId(variable)) : name, what),
        ErrorKind::kUnavailable};
  }
  Status Describe(Id variable, Id type, ImageVariable* image) const;
  Status DescribeType(Id type, ImageVariable* image) const;
  Status DescribeAttachment(ImageVariable* image) const;
  Status DescribeSampling(bool declared, ImageVariable* image) const;
  bool IsRead(Id pointer) const;
  Id ParameterFor(Use argument) const;
  Sampling SamplingOf(Id variable) const;
  Status Add(Id variable, std::vector<ImageVariable>* images) const;
  Status CheckConversions() const;

  const Module& module_;
  const EntryPoint& entry_;
  const BlockNames& names_;
  const std::vector<BoundConstant>& constants_;
  const std::vector<bool> functions_;
};

// True if any instruction uses the image other than to store to it.
bool ImageCollector::IsRead(Id pointer) const {
  bool read = false;
  ForEachUse(module_, pointer, [&](Use use) {
    const Inst user = module_.User(use);
    const Function function = module_.FunctionOf(user);
    if (function == Function::kNone || !functions_[Index(function)]) return;
    if (IsAccessChain(module_.Opcode(user)) && module_.OperandIndex(use) == 0) {
      read = read || IsRead(module_.Result(user));
      return;
    }
    if (module_.Opcode(user) != spv::Op::OpLoad) {
      read = true;
      return;
    }
    ForEachUse(module_, module_.Result(user), [&](Use loaded) {
      const Inst consumer = module_.User(loaded);
      if (module_.FunctionOf(consumer) == Function::kNone) return;
      read = read || module_.Opcode(consumer) != spv::Op::OpImageWrite;
    });
  });
  return read;
}

// The parameter that gets this operand of a call.
Id ImageCollector::ParameterFor(Use argument) const {
  const Inst call = module_.User(argument);
  const Function callee = module_.FunctionOfId(module_.IdAt(call, 0));
  Id found = Id::kNone;
  uint32_t operand = 0;
  ForEachInstruction(module_, module_[callee].head, [&](Inst inst) {
    if (module_.Opcode(inst) != spv::Op::OpFunctionParameter) return;
    if (++operand == module_.OperandIndex(argument)) found = module_.Result(inst);
  });
  return found;
}

Sampling ImageCollector::SamplingOf(Id variable) const {
  Sampling found;
  // The variable, what is loaded, and what is made of it; also in functions that get one of these.
  std::vector<Id> values = {variable};
  for (size_t i = 0; i < values.size(); ++i) {
    ForEachUse(module_, values[i], [&](Use use) {
      const Inst user = module_.User(use);
      const Function function = module_.FunctionOf(user);
      if (function == Function::kNone || !functions_[Index(function)]) return;
      const spv::Op opcode = module_.Opcode(user);
      found.compares |= ComparesDepth(opcode);
      found.plain |= SamplesPlain(opcode);
      found.by_level |= NamesLevel(module_, user);
      const bool passes = IsAccessChain(opcode) || opcode == spv::Op::OpLoad ||
                          opcode == spv::Op::OpSampledImage || opcode == spv::Op::OpImage ||
                          opcode == spv::Op::OpCopyObject;
      const Id made = passes                              ? module_.Result(user)
                      : opcode == spv::Op::OpFunctionCall ? ParameterFor(use)
                                                          : Id::kNone;
      if (made != Id::kNone && std::find(values.begin(), values.end(), made) == values.end()) {
        values.push_back(made);
      }
    });
  }
  return found;
}

// A driver that compares needs another format and another sampler, so each image is sampled in one
// way only. `declared`: the type of the image says that it is a depth image.
Status ImageCollector::DescribeSampling(bool declared, ImageVariable* image) const {
  const Sampling sampling = SamplingOf(image->variable);
  image->by_level = sampling.by_level;
  if (!declared && !sampling.compares) return {};
  if (image->kind != BoundImage::kCombined) {
    return Unavailable(image->variable, "a depth image that is not combined with a sampler");
  }
  if (sampling.plain) {
    return Unavailable(image->variable, "a depth image that is also sampled without a comparison");
  }
  if (image->component != TexelFormat::kFloat || image->dim == spv::Dim::Dim3D) {
    return Unavailable(image->variable, "a depth image that is 3D or does not have floats");
  }
  image->depth = true;
  return {};
}

// An input attachment has the size of the frame.
Status ImageCollector::DescribeAttachment(ImageVariable* image) const {
  const Inst index =
      FindDecoration(module_, image->variable, spv::Decoration::InputAttachmentIndex);
  if (index == Inst::kNone) {
    return Unavailable(image->variable, "an input attachment without InputAttachmentIndex");
  }
  image->attachment = module_.Word(index, 2);
  if (image->attachment > kMaxAttachment) {
    return Unavailable(image->variable,
                       format("an input attachment with an index above {}", kMaxAttachment));
  }
  image->kind = BoundImage::kAttachment;
  image->dim = spv::Dim::Dim2D;
  return {};
}

Status ImageCollector::DescribeType(Id type, ImageVariable* image) const {
  const Inst definition = module_.Definition(type);
  const auto word = [&](ImageOperand operand) { return module_.Word(definition, operand); };
  image->dim = static_cast<spv::Dim>(word(kDim));
  image->arrayed = word(kArrayed) != 0;
  const bool is_attachment = image->dim == spv::Dim::SubpassData;
  const bool has_dim = is_attachment || image->dim == spv::Dim::Dim1D ||
                       image->dim == spv::Dim::Dim2D || image->dim == spv::Dim::Dim3D ||
                       image->dim == spv::Dim::Cube || image->dim == spv::Dim::Buffer;
  if (!has_dim) {
    return Unavailable(image->variable, "an image that is not 1D, 2D, 3D, Cube or Buffer");
  }
  // Before SPIR-V 1.6, a texel buffer may have the type of a sampled image, but has no sampler.
  if (image->dim == spv::Dim::Buffer) image->kind = BoundImage::kSampled;
  image->multisampled = word(kMultisampled) != 0;
  if (image->multisampled && !is_attachment && image->dim != spv::Dim::Dim2D) {
    return Unavailable(image->variable, "a multisampled image that is not 2D");
  }
  const Id texel = module_.IdAt(definition, kTexel);
  if (Width(module_, texel) != 32) {
    return Unavailable(image->variable, "an image whose texels do not have 32 bits");
  }
  image->component = IsFloat(module_, texel)    ? TexelFormat::kFloat
                     : IsSigned(module_, texel) ? TexelFormat::kInt
                                                : TexelFormat::kUint;
  if (is_attachment) return DescribeAttachment(image);
  if (word(kSampled) != 2) return DescribeSampling(word(kDepth) == 1, image);
  image->kind = BoundImage::kStorage;
  image->format = static_cast<spv::ImageFormat>(word(kFormat));
  if (image->format == spv::ImageFormat::Unknown || TexelSize(image->format) != 0) return {};
  return Unavailable(image->variable,
                     format("a storage image whose format is none of {}", TexelFormatNames()));
}

Status ImageCollector::Describe(Id variable, Id type, ImageVariable* image) const {
  image->variable = variable;
  const Inst set = FindDecoration(module_, variable, spv::Decoration::DescriptorSet);
  const Inst binding = FindDecoration(module_, variable, spv::Decoration::Binding);
  if (set == Inst::kNone || binding == Inst::kNone) {
    return Unavailable(variable, "a resource without DescriptorSet and Binding");
  }
  image->set = module_.Word(set, 2);
  image->binding = module_.Word(binding, 2);
  const spv::Op opcode = TypeOpcode(module_, type);
  if (opcode == spv::Op::OpTypeSampler || opcode == spv::Op::OpTypeAccelerationStructureKHR) {
    image->kind = opcode == spv::Op::OpTypeSampler ? BoundImage::kSampler : BoundImage::kScene;
    return {};
  }
  const bool combined = opcode == spv::Op::OpTypeSampledImage;
  image->kind = combined ? BoundImage::kCombined : BoundImage::kSampled;
  if (combined) type = module_.IdAt(module_.Definition(type), 0);
  Status status = DescribeType(type, image);
  if (status) image->read = IsRead(variable);
  return status;
}

// Adds the variable, or each element of it, if it is used and is of images, samplers or
// acceleration structures.
Status ImageCollector::Add(Id variable, std::vector<ImageVariable>* images) const {
  const Id whole = ElementType(module_, module_.TypeOf(variable));
  const Id type = WithoutArrays(module_, whole);
  const spv::Op opcode = TypeOpcode(module_, type);
  if (opcode != spv::Op::OpTypeImage && opcode != spv::Op::OpTypeSampledImage &&
      opcode != spv::Op::OpTypeSampler && opcode != spv::Op::OpTypeAccelerationStructureKHR) {
    return {};
  }
  if (!UseOf(module_, variable, functions_).used) return {};
  ImageVariable image;
  if (Status status = Describe(variable, type, &image); !status) return status;
  if (type == whole) {
    images->push_back(image);
    return {};
  }
  const Result<uint32_t> count = DescriptorCount(module_, whole, constants_);
  if (!count) return Unavailable(variable, count.error().message);
  image.in_array = true;
  // The elements have consecutive indices (Vulkan, "Fragment Input Attachment Interface").
  for (; image.element < *count; ++image.element, ++image.attachment) images->push_back(image);
  return {};
}

// Addresses of acceleration structures are not inputs, so a shader cannot know one.
Status ImageCollector::CheckConversions() const {
  using enum spv::Capability;
  if (!validity::HasCapability(module_, RayQueryKHR) &&
      !validity::HasCapability(module_, RayTracingKHR)) {
    return {};
  }
  Status status;
  for (const Function function : Reached(module_, entry_.function)) {
    ForEachBlock(module_, function, [&](Block block) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        if (module_.Opcode(inst) != spv::Op::OpConvertUToAccelerationStructureKHR) return;
        status = Unavailable(module_.Result(inst), "an acceleration structure made from a number");
      });
    });
  }
  return status;
}

Result<std::vector<ImageVariable>> ImageCollector::Run() {
  if (Status known = CheckConversions(); !known) return known.error();
  std::vector<ImageVariable> images;
  const Block declarations = Module::SectionBlock(Section::kDeclarations);
  for (Inst inst = module_.First(declarations); inst != Inst::kNone; inst = module_.Next(inst)) {
    if (module_.Opcode(inst) != spv::Op::OpVariable || !IsPointer(module_, module_.Type(inst)) ||
        StorageClassOf(module_, module_.Type(inst)) != spv::StorageClass::UniformConstant) {
      continue;
    }
    if (Status status = Add(module_.Result(inst), &images); !status) return status.error();
  }
  std::stable_sort(images.begin(), images.end(), [](const auto& a, const auto& b) {
    return std::tie(a.set, a.binding, a.element) < std::tie(b.set, b.binding, b.element);
  });
  return images;
}

}  // namespace

std::string ImageVariable::Func() const {
  InputValue value;
  value.image.emplace();
  value.image->kind = kind;
  value.image->dim = dim;
  value.image->arrayed = arrayed;
  if (depth) value.image->compare = BoundImage::kLessOrEqual;
  if (multisampled) value.image->samples = kDefaultSamples;
  return InputFunc(value);
}

Result<std::vector<ImageVariable>> ImagesOf(const Module& module, const EntryPoint& entry,
                                            const BlockNames& names,
                                            const std::vector<BoundConstant>& constants) {
  return ImageCollector(module, entry, names, constants).Run();
}

}  // namespace input
}  // namespace refract
