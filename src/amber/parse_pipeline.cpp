// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "amber/parse_parts.h"
#include "base/text.h"

namespace refract::amber {
namespace {

constexpr uint32_t kMaxFrame = 16384, kMaxSet = 31, kMaxBinding = 0xffff, kMaxLocation = 63;

constexpr std::pair<std::string_view, Binding::Kind> kKinds[] = {
    {"color", Binding::kColour},
    {"uniform", Binding::kUniform},
    {"storage", Binding::kStorage},
    {"push_constant", Binding::kPushConstant},
    {"combined_image_sampler", Binding::kCombined},
    {"sampled_image", Binding::kSampledImage},
    {"storage_image", Binding::kStorageImage}};

Status TakePlace(Statement& statement, Binding* binding) {
  Status read = statement.Require("DESCRIPTOR_SET");
  if (read) read = statement.TakeNumber("a set", kMaxSet, &binding->set);
  if (read) read = statement.Require("BINDING");
  return read ? statement.TakeNumber("a binding", kMaxBinding, &binding->binding) : read;
}

// `statement` is after BIND.
Result<Binding> ParseBinding(Statement& statement) {
  Binding binding;
  binding.line = statement.line();
  const bool is_sampler = statement.TakeIf("SAMPLER");
  if (!is_sampler && !statement.TakeIf("BUFFER")) return statement.NotSupported(statement.Peek());
  Result<std::string> name = statement.Take("a name");
  if (!name) return name.error();
  (is_sampler ? binding.sampler : binding.buffer) = std::move(*name);
  if (is_sampler) {
    binding.kind = Binding::kSampler;
    if (Status read = TakePlace(statement, &binding); !read) return read.error();
    if (Status end = statement.RequireEnd(); !end) return end.error();
    return binding;
  }
  if (Status read = statement.Require("AS"); !read) return read.error();
  const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const auto& row) { return statement.TakeIf(row.first); });
  if (kind == std::end(kKinds)) return statement.NotSupported(statement.Peek());
  binding.kind = kind->second;
  Status read;
  if (binding.kind == Binding::kColour) {
    read = statement.Require("LOCATION");
    if (read) read = statement.TakeNumber("a location", kMaxLocation, &binding.location);
  } else if (binding.kind != Binding::kPushConstant) {
    if (binding.kind == Binding::kCombined) {
      read = statement.Require("SAMPLER");
      Result<std::string> sampler = statement.Take("a name");
      if (!sampler) return sampler.error();
      binding.sampler = std::move(*sampler);
    }
    if (read) read = TakePlace(statement, &binding);
  }
  if (read) read = statement.RequireEnd();
  if (!read) return read.error();
  return binding;
}

Status TakeConstant(Statement& statement, std::vector<SpecConstant>* constants) {
  SpecConstant constant;
  Status read = statement.TakeNumber("the number of a constant", 0xffffffff, &constant.id);
  if (read) read = statement.Require("AS");
  if (!read) return read;
  const Result<std::string> type = statement.Take("a type");
  if (!type) return type.error();
  if (*type != "uint32" && *type != "int32") {
    return statement.Bad(format("SPECIALIZE with the type {} is not supported", *type));
  }
  const Result<std::string> value = statement.Take("a value");
  if (!value) return value.error();
  DataType as;
  as.scalar = *type == "int32" ? InputValue::kInt : InputValue::kUint;
  const std::optional<uint64_t> bits = NumberBits(*value, as);
  if (!bits) return statement.Bad(format("{} is no value of the type {}", *value, *type));
  constant.negative = as.scalar == InputValue::kInt && *bits >> 31 != 0;
  constant.bits = constant.negative ? *bits | ~uint64_t{0xffffffff} : *bits;
  constants->push_back(constant);
  return {};
}

// `statement` is after ATTACH.
Result<Attachment> ParseAttachment(Statement& statement) {
  Attachment attachment;
  attachment.line = statement.line();
  Result<std::string> shader = statement.Take("the name of a shader");
  if (!shader) return shader.error();
  attachment.shader = std::move(*shader);
  while (!statement.AtEnd()) {
    if (statement.TakeIf("ENTRY_POINT")) {
      Result<std::string> entry = statement.Take("a name");
      if (!entry) return entry.error();
      attachment.entry = std::move(*entry);
    } else if (statement.TakeIf("TYPE")) {
      constexpr std::pair<std::string_view, spv::ExecutionModel> kStages[] = {
          {"vertex", spv::ExecutionModel::Vertex},
          {"fragment", spv::ExecutionModel::Fragment},
          {"compute", spv::ExecutionModel::GLCompute}};
      const auto* stage =
          std::find_if(std::begin(kStages), std::end(kStages),
                       [&](const auto& row) { return statement.TakeIf(row.first); });
      if (stage == std::end(kStages)) return statement.NotSupported(statement.Peek());
      attachment.stage = stage->second;
    } else if (statement.TakeIf("SPECIALIZE")) {
      if (Status read = TakeConstant(statement, &attachment.constants); !read) return read.error();
    } else {
      return statement.NotSupported(statement.Peek());
    }
  }
  return attachment;
}

Status ParsePart(Statement& statement, Pipeline* pipeline) {
  if (statement.TakeIf("ATTACH")) {
    Result<Attachment> attachment = ParseAttachment(statement);
    if (!attachment) return attachment.error();
    pipeline->attachments.push_back(std::move(*attachment));
    return {};
  }
  if (statement.TakeIf("BIND")) {
    Result<Binding> binding = ParseBinding(statement);
    if (!binding) return binding.error();
    pipeline->bindings.push_back(std::move(*binding));
    return {};
  }
  if (!statement.TakeIf("FRAMEBUFFER_SIZE")) return statement.NotSupported(statement.Peek());
  Status read = statement.TakeNumber("a width", kMaxFrame, &pipeline->width);
  if (read) read = statement.TakeNumber("a height", kMaxFrame, &pipeline->height);
  if (read && (pipeline->width == 0 || pipeline->height == 0)) {
    return statement.Bad("a frame without pixels");
  }
  return read ? statement.RequireEnd() : read;
}

}  // namespace

Result<Pipeline> ParsePipeline(Statement& statement, Lines& lines) {
  Pipeline pipeline;
  pipeline.line = statement.line();
  pipeline.compute = statement.TakeIf("compute");
  if (!pipeline.compute && !statement.TakeIf("graphics")) {
    return statement.NotSupported(statement.Peek());
  }
  Result<std::string> name = statement.Take("a name");
  if (!name) return name.error();
  pipeline.name = std::move(*name);
  if (Status end = statement.RequireEnd(); !end) return end.error();
  while (true) {
    Statement part = lines.Next();
    if (part.AtEnd()) return statement.Bad(format("the pipeline {} has no END", pipeline.name));
    if (part.TakeIf("END")) break;
    if (Status read = ParsePart(part, &pipeline); !read) return read.error();
  }
  return pipeline;
}

}  // namespace refract::amber
