// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/shader_text.h"

#include "base/check.h"
#include "base/text.h"
#include "ir/tools.h"

namespace refract {
inline namespace input {
namespace {

// Declares the types of 32 bits with pointers to them, and with arrays of `in` and `out` vertices.
std::string TypesText(const std::vector<BlockMember>& vertex, uint32_t in, uint32_t out) {
  std::string types = format(
      "%uint = OpTypeInt 32 0\n%in_vertices = OpConstant %uint {}\n"
      "%out_vertices = OpConstant %uint {}\n%zero = OpConstant %uint 0\n",
      in, out);
  for (const auto& [name, declaration] :
       {std::pair("float", "OpTypeFloat 32"), std::pair("int", "OpTypeInt 32 1"),
        std::pair("uint", "")}) {
    if (*declaration != '\0') types += format("%{} = {}\n", name, declaration);
    for (uint32_t size = 1; size <= 4; ++size) {
      const std::string type = size == 1 ? std::string(name) : format("{}{}", name, size);
      if (size > 1) types += format("%{} = OpTypeVector %{} {}\n", type, name, size);
      for (const std::string_view to : {"in", "out"}) {
        const std::string_view storage = to == "in" ? "Input" : "Output";
        types += format(
            "%{}_{} = OpTypePointer {} %{}\n%{}_array_{} = OpTypeArray %{} %{}_vertices\n"
            "%{}_all_{} = OpTypePointer {} %{}_array_{}\n",
            to, type, storage, type, to, type, type, to, to, type, storage, to, type);
      }
    }
  }
  std::string members;
  for (size_t i = 0; i < vertex.size(); ++i) {
    if (vertex[i].length == 0) {
      members += vertex[i].built_in == spv::BuiltIn::Position ? " %float4" : " %float";
      continue;
    }
    types +=
        format("%length{} = OpConstant %uint {}\n%distances{} = OpTypeArray %float %length{}\n", i,
               vertex[i].length, i, i);
    members += format(" %distances{}", i);
  }
  for (const std::string_view to : {"in", "out"}) {
    types += format(
        "%{}_vertex = OpTypeStruct{}\n%{}_array_vertex = OpTypeArray %{}_vertex "
        "%{}_vertices\n%{}_all_vertex = OpTypePointer {} %{}_array_vertex\n",
        to, members, to, to, to, to, to == "in" ? "Input" : "Output", to);
  }
  return types;
}

std::string_view NameOf(spv::BuiltIn built_in) {
  switch (built_in) {
    case spv::BuiltIn::PointSize:
      return "PointSize";
    case spv::BuiltIn::ClipDistance:
      return "ClipDistance";
    case spv::BuiltIn::CullDistance:
      return "CullDistance";
    default:
      return "Position";
  }
}

std::string BlocksText(const std::vector<BlockMember>& vertex) {
  std::string blocks;
  for (const std::string_view to : {"in", "out"}) {
    for (size_t i = 0; i < vertex.size(); ++i) {
      blocks +=
          format("OpMemberDecorate %{}_vertex {} BuiltIn {}\n", to, i, NameOf(vertex[i].built_in));
    }
    blocks += format("OpDecorate %{}_vertex Block\n", to);
  }
  return blocks;
}

}  // namespace

std::string TypeName(const Passed& passed) {
  const std::string_view scalar = passed.kind == InterfaceSlot::kFloat ? "float"
                                  : passed.kind == InterfaceSlot::kInt ? "int"
                                                                       : "uint";
  return passed.components == 1 ? std::string(scalar) : format("{}{}", scalar, passed.components);
}

void DeclareValues(const std::vector<Passed>& all, bool in_arrays, bool out_arrays,
                   ShaderText* text) {
  for (const Passed& passed : all) {
    const uint32_t at = passed.location;
    const std::string type = TypeName(passed);
    text->interface += format(" %in{} %out{}", at, at);
    text->decorations +=
        format("OpDecorate %in{} Location {}\nOpDecorate %out{} Location {}\n", at, at, at, at);
    const bool per_vertex = !passed.patch;
    text->variables += format(
        "%in{} = OpVariable %in_{}{} Input\n%out{} = OpVariable %out_{}{} "
        "Output\n",
        at, in_arrays && per_vertex ? "all_" : "", type, at, out_arrays && per_vertex ? "all_" : "",
        type);
  }
}

Result<std::shared_ptr<const Companion>> MakeFrom(const ShaderText& text, spv::ExecutionModel model,
                                                  const std::string& file, uint32_t in,
                                                  uint32_t out) {
  const std::string all = format(
      "OpCapability {}\n{}OpMemoryModel Logical GLSL450\nOpEntryPoint {} %main \"main\"{}\n{}{}{}"
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n{}%f0 = OpConstant %float 0\n"
      "%f1 = OpConstant %float 1\n%origin = OpConstantComposite %float4 %f0 %f0 %f0 %f1\n{}"
      "%main = OpFunction %void None %function\n%entry = OpLabel\n{}OpReturn\nOpFunctionEnd\n",
      text.capability, text.extension.empty() ? "" : format("OpExtension \"{}\"\n", text.extension),
      text.stage, text.interface, text.modes, text.decorations, BlocksText(text.vertex),
      TypesText(text.vertex, in, out), text.variables, text.body);
  Result<std::vector<uint32_t>> words =
      Assemble(all, text.extension.empty() ? TargetEnvironment::kUniversal10
                                           : TargetEnvironment::kUniversal14);
  CHECK(static_cast<bool>(words));
  return MakeCompanion(std::move(*words), file, model);
}

}  // namespace input
}  // namespace refract
