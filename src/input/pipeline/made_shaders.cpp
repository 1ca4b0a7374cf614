// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/made_shaders.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include "base/text.h"
#include "input/block_use.h"
#include "input/pipeline/shader_text.h"
#include "input/pipeline/stages.h"
#include "input/scalar.h"
#include "input/stage_interface.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace input {
namespace {

using Model = spv::ExecutionModel;

constexpr uint32_t kShown = 4;          // locations that every device can draw to
constexpr uint32_t kMostVertices = 32;  // of a patch, as glslang declares it

// --- the interface of a neighbour

Error Cannot(const std::string& file, const std::string& what) {
  return Error{format("{}: {}", file, what), ErrorKind::kUnavailable};
}

// The values at locations, once each. Refuses those that a made shader cannot pass.
Result<std::vector<Passed>> PassedBy(const StageShader& shader, spv::StorageClass storage,
                                     const std::string& file) {
  const auto slots = InterfaceOf(shader.module, shader.entry, storage);
  if (!slots) return Cannot(file, slots.error().message);
  std::map<uint32_t, Passed> passed;
  for (const InterfaceSlot& slot : *slots) {
    if (slot.built_in) continue;
    const Passed value{slot.location,       slot.components, slot.kind,     slot.flat,
                       slot.no_perspective, slot.patch,      slot.primitive};
    if (!slot.whole || slot.component != 0 || slot.components > 4 ||
        !passed.emplace(slot.location, value).second) {
      return Cannot(file,
                    format("the {} shader passes at location {} what is not one scalar or vector; "
                           "a pipeline with it needs a file for the stage next to it",
                           StageName(shader.entry.model), slot.location));
    }
  }
  std::vector<Passed> list;
  for (const auto& [location, value] : passed) list.push_back(value);
  return list;
}

bool HasBuiltIn(const StageShader& shader, spv::StorageClass storage, spv::BuiltIn built_in) {
  const auto slots = InterfaceOf(shader.module, shader.entry, storage);
  return slots && std::any_of(slots->begin(), slots->end(),
                              [&](const InterfaceSlot& slot) { return slot.built_in == built_in; });
}

// Whether the shader reads the built-in of the vertices that it gets. Its block may have members
// that the shader does not read.
bool ReadsBuiltIn(const StageShader& shader, spv::BuiltIn built_in) {
  const Module& module = shader.module;
  const auto slots = InterfaceOf(module, shader.entry, spv::StorageClass::Input);
  if (!slots) return false;
  const std::vector<bool> functions = ReachedFlags(module, shader.entry.function);
  return std::any_of(slots->begin(), slots->end(), [&](const InterfaceSlot& slot) {
    if (slot.built_in != built_in) return false;
    const VariableUse use = UseOf(module, slot.variable, functions);
    const Id block = WithoutArrays(module, ElementType(module, module.TypeOf(slot.variable)));
    if (!IsBlock(module, block)) return use.used;
    for (uint32_t member = 0; member < *PartCount(module, block); ++member) {
      const Inst of_member = FindMemberDecoration(module, block, member, spv::Decoration::BuiltIn);
      if (of_member != Inst::kNone && use.Reads(member) &&
          module.Word(of_member, 3) == static_cast<uint32_t>(built_in)) {
        return true;
      }
    }
    return false;
  });
}

// The built-ins in the block of a vertex, if the shader declares Position in a block that is the
// first of its members.
std::vector<BlockMember> BlockOf(const StageShader& shader, spv::StorageClass storage) {
  const std::vector<BlockMember> position = {BlockMember()};
  const auto slots = InterfaceOf(shader.module, shader.entry, storage);
  if (!slots) return position;
  std::vector<BlockMember> members;
  Id variable = Id::kNone;
  for (const InterfaceSlot& slot : *slots) {
    if (!slot.built_in || slot.whole || !slot.arrayed) continue;
    const bool is_distance = *slot.built_in == spv::BuiltIn::ClipDistance ||
                             *slot.built_in == spv::BuiltIn::CullDistance;
    if (!is_distance && *slot.built_in != spv::BuiltIn::Position &&
        *slot.built_in != spv::BuiltIn::PointSize) {
      return position;
    }
    if (variable != Id::kNone && slot.variable != variable) return position;
    variable = slot.variable;
    if (is_distance && !members.empty() && members.back().built_in == *slot.built_in) {
      ++members.back().length;
    } else {
      members.push_back({*slot.built_in, is_distance ? 1u : 0u});
    }
  }
  const bool begins = !members.empty() && members.front().built_in == spv::BuiltIn::Position;
  return begins ? members : position;
}

// A made shader writes no distances, and no sizes of points from tessellation control shaders on.
Status CheckBuiltIns(const StageShader& next, const std::string& file) {
  constexpr std::pair<spv::Capability, spv::BuiltIn> kUnwritten[] = {
      {spv::Capability::ClipDistance, spv::BuiltIn::ClipDistance},
      {spv::Capability::CullDistance, spv::BuiltIn::CullDistance},
      {spv::Capability::TessellationPointSize, spv::BuiltIn::PointSize},
      {spv::Capability::GeometryPointSize, spv::BuiltIn::PointSize}};
  for (const auto& [capability, built_in] : kUnwritten) {
    const bool by_vertex =
        built_in == spv::BuiltIn::PointSize && next.entry.model != Model::TessellationEvaluation;
    if (by_vertex || !validity::HasCapability(next.module, capability) ||
        !ReadsBuiltIn(next, built_in)) {
      continue;
    }
    return Cannot(file, format("the {} shader may read distances or sizes of points, which the "
                               "shaders that Refract makes do not write",
                               StageName(next.entry.model)));
  }
  return {};
}

}  // namespace

MadeShader MakeVertex(const StageShader& next, const std::string& file) {
  if (Status read = CheckBuiltIns(next, file); !read) return read.error();
  auto passed = PassedBy(next, spv::StorageClass::Input, file);
  if (!passed) return passed.error();
  std::erase_if(*passed, [](const Passed& one) { return one.patch; });
  ShaderText text{"Vertex"};
  text.interface = " %position";
  text.decorations = "OpDecorate %position BuiltIn Position\n";
  text.variables = "%position = OpVariable %out_float4 Output\n";
  // The position is the attribute at location 0, of which the next shader may read a part.
  const bool taken = !passed->empty() && passed->front().location == 0;
  const bool has_position = !taken || passed->front().kind == InterfaceSlot::kFloat;
  std::vector<Passed> whole = *passed;
  if (has_position) {
    Passed position;
    position.components = 4;
    if (taken) whole.erase(whole.begin());
    text.interface += " %in0";
    text.decorations += "OpDecorate %in0 Location 0\n";
    text.variables += "%in0 = OpVariable %in_float4 Input\n";
    text.body += "%value0 = OpLoad %float4 %in0\nOpStore %position %value0\n";
    if (taken) {
      const std::string type = TypeName(passed->front());
      constexpr std::string_view kLanes[] = {"0", "0 1", "0 1 2", "0 1 2 3"};
      const uint32_t size = passed->front().components;
      text.interface += " %out0";
      text.decorations += "OpDecorate %out0 Location 0\n";
      text.variables += format("%out0 = OpVariable %out_{} Output\n", type);
      text.body += size == 1 ? "%part0 = OpCompositeExtract %float %value0 0\n"
                             : format("%part0 = OpVectorShuffle %{} %value0 %value0 {}\n", type,
                                      kLanes[size - 1]);
      text.body += "OpStore %out0 %part0\n";
    }
  } else {
    text.body = "OpStore %position %origin\n";
  }
  if (HasBuiltIn(next, spv::StorageClass::Input, spv::BuiltIn::PointSize)) {
    text.interface += " %size";
    text.decorations += "OpDecorate %size BuiltIn PointSize\n";
    text.variables += "%size = OpVariable %out_float Output\n";
    text.body += "OpStore %size %f1\n";
  }
  DeclareValues(whole, false, false, &text);
  for (const Passed& one : whole) {
    text.body += format("%value{} = OpLoad %{} %in{}\nOpStore %out{} %value{}\n", one.location,
                        TypeName(one), one.location, one.location, one.location);
  }
  return MakeFrom(text, Model::Vertex, file);
}

MadeShader MakeControl(const StageShader& evaluation, const TessellationInput& given,
                       const std::string& file) {
  if (Status read = CheckBuiltIns(evaluation, file); !read) return read.error();
  const auto passed = PassedBy(evaluation, spv::StorageClass::Input, file);
  if (!passed) return passed.error();
  for (const Passed& one : *passed) {
    if (!one.patch) continue;
    return Cannot(file, format("the tessellation evaluation shader reads the patch's location {}, "
                               "which only a tessellation control shader can give",
                               one.location));
  }
  ShaderText text{"TessellationControl", "Tessellation"};
  text.vertex = BlockOf(evaluation, spv::StorageClass::Input);
  text.modes = format("OpExecutionMode %main OutputVertices {}\n", given.patch_vertices);
  text.interface = " %id %in_vertices_ %out_vertices_ %outer %inner";
  text.decorations =
      "OpDecorate %id BuiltIn InvocationId\nOpDecorate %outer BuiltIn TessLevelOuter\n"
      "OpDecorate %outer Patch\nOpDecorate %inner BuiltIn TessLevelInner\nOpDecorate %inner "
      "Patch\n";
  text.variables =
      "%id = OpVariable %in_uint Input\n%in_vertices_ = OpVariable %in_all_vertex Input\n"
      "%out_vertices_ = OpVariable %out_all_vertex Output\n%two = OpConstant %uint 2\n"
      "%four = OpConstant %uint 4\n%outers = OpTypeArray %float %four\n"
      "%inners = OpTypeArray %float %two\n%out_outers = OpTypePointer Output %outers\n"
      "%out_inners = OpTypePointer Output %inners\n%outer = OpVariable %out_outers Output\n"
      "%inner = OpVariable %out_inners Output\n";
  std::string levels[2];
  const std::span<const float> values[] = {given.outer, given.inner};
  for (size_t i = 0; i < 2; ++i) {
    for (size_t j = 0; j < values[i].size(); ++j) {
      const std::string name = format("%level{}_{}", i, j);
      text.variables += format("{} = OpConstant %float {}\n", name,
                               FloatText(std::bit_cast<uint32_t>(values[i][j]), 32));
      levels[i] += " " + name;
    }
  }
  text.variables += format(
      "%outer_levels = OpConstantComposite %outers{}\n"
      "%inner_levels = OpConstantComposite %inners{}\n",
      levels[0], levels[1]);
  text.body =
      "%me = OpLoad %uint %id\n%from = OpAccessChain %in_float4 %in_vertices_ %me %zero\n"
      "%to = OpAccessChain %out_float4 %out_vertices_ %me %zero\n%where = OpLoad %float4 %from\n"
      "OpStore %to %where\nOpStore %outer %outer_levels\nOpStore %inner %inner_levels\n";
  DeclareValues(*passed, true, true, &text);
  for (const Passed& one : *passed) {
    const uint32_t at = one.location;
    const std::string type = TypeName(one);
    text.body += format(
        "%from{} = OpAccessChain %in_{} %in{} %me\n%to{} = OpAccessChain %out_{} %out{} %me\n"
        "%value{} = OpLoad %{} %from{}\nOpStore %to{} %value{}\n",
        at, type, at, at, type, at, at, type, at, at, at);
  }
  return MakeFrom(text, Model::TessellationControl, file, kMostVertices, given.patch_vertices);
}

namespace {

// The number of vertices of the patches that a control shader makes.
uint32_t OutputVertices(const StageShader& control) {
  uint32_t count = 0;
  ForEachMode(control.module, control.entry, [&](spv::ExecutionMode mode, uint32_t number) {
    if (mode == spv::ExecutionMode::OutputVertices) count = number;
  });
  return count;
}

std::optional<TessellationInput::Domain> DomainOf(const StageShader& shader) {
  using Mode = spv::ExecutionMode;
  std::optional<TessellationInput::Domain> domain;
  ForEachMode(shader.module, shader.entry, [&](Mode mode, uint32_t) {
    if (mode == Mode::Triangles) domain = TessellationInput::kTriangles;
    if (mode == Mode::Quads) domain = TessellationInput::kQuads;
    if (mode == Mode::Isolines) domain = TessellationInput::kIsolines;
  });
  return domain;
}

void ReadTessellationModes(const StageShader& shader, TessellationInput* given) {
  const std::optional<TessellationInput::Domain> domain = DomainOf(shader);
  if (domain) given->domain = *domain;
  if (shader.entry.model == Model::TessellationControl) {
    given->patch_vertices = std::clamp(OutputVertices(shader), 1u, kMostVertices);
    if (!domain) {
      given->domain =
          given->patch_vertices > 3 ? TessellationInput::kQuads : TessellationInput::kTriangles;
    }
  } else {
    given->patch_vertices = given->domain == TessellationInput::kTriangles ? 3 : 4;
  }
}

// Adds the weighted sum of the values `names` of type `type` (a vector or a float).
std::string SumText(const std::string& result, const std::string& type, bool vector,
                    const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += format("%{}_part{} = {} %{} {} %weight{}\n", result, i,
                   vector ? "OpVectorTimesScalar" : "OpFMul", type, names[i], i);
    const std::string before =
        i == 1 ? format("%{}_part0", result) : format("%{}_sum{}", result, i - 1);
    if (i == 0) continue;
    text += format("%{}_sum{} = OpFAdd %{} {} %{}_part{}\n", result, i, type, before, result, i);
  }
  return text;
}

constexpr std::string_view kDomainModes[] = {"Triangles", "Quads", "Isolines"};

}  // namespace

MadeShader MakeEvaluation(const StageShader& control, const TessellationInput& given,
                          const std::string& file) {
  const auto passed = PassedBy(control, spv::StorageClass::Output, file);
  if (!passed) return passed.error();
  const bool triangles = given.domain == TessellationInput::kTriangles;
  const uint32_t corners = triangles ? 3 : 4;
  if (OutputVertices(control) < corners) {
    return Cannot(file, format("the tessellation control shader makes patches of {} vertices, but "
                               "the evaluation shader that Refract makes for the domain of "
                               "$tessellation needs {}",
                               OutputVertices(control), corners));
  }
  ShaderText text{"TessellationEvaluation", "Tessellation"};
  text.vertex = BlockOf(control, spv::StorageClass::Output);
  // The modes that the control shader has, too, must be the same.
  std::string_view spacing = "SpacingEqual", order = "VertexOrderCcw";
  ForEachMode(control.module, control.entry, [&](spv::ExecutionMode mode, uint32_t) {
    if (mode == spv::ExecutionMode::SpacingFractionalEven) spacing = "SpacingFractionalEven";
    if (mode == spv::ExecutionMode::SpacingFractionalOdd) spacing = "SpacingFractionalOdd";
    if (mode == spv::ExecutionMode::VertexOrderCw) order = "VertexOrderCw";
  });
  if (const auto domain = DomainOf(control); domain && *domain != given.domain) {
    return Cannot(file, format("the tessellation control shader is for the domain {}, and "
                               "$tessellation has another one",
                               kDomainModes[*domain]));
  }
  text.modes =
      format("OpExecutionMode %main {}\nOpExecutionMode %main {}\nOpExecutionMode %main {}\n",
             kDomainModes[given.domain], spacing, order);
  text.interface = " %coord %position";
  text.decorations = "OpDecorate %coord BuiltIn TessCoord\nOpDecorate %position BuiltIn Position\n";
  text.variables =
      "%coord = OpVariable %in_float3 Input\n%position = OpVariable %out_float4 Output\n";
  text.body =
      "%uvw = OpLoad %float3 %coord\n%u = OpCompositeExtract %float %uvw 0\n"
      "%v = OpCompositeExtract %float %uvw 1\n%w = OpCompositeExtract %float %uvw 2\n";
  text.body += triangles ? "%weight0 = OpCopyObject %float %u\n"
                           "%weight1 = OpCopyObject %float %v\n"
                           "%weight2 = OpCopyObject %float %w\n"
                         : "%nu = OpFSub %float %f1 %u\n%nv = OpFSub %float %f1 %v\n"
                           "%weight0 = OpFMul %float %nu %nv\n%weight1 = OpFMul %float %u %nv\n"
                           "%weight2 = OpFMul %float %nu %v\n%weight3 = OpFMul %float %u %v\n";
  text.variables += "%corner0 = OpConstant %uint 0\n";
  for (uint32_t i = 1; i < corners; ++i) {
    text.variables += format("%corner{} = OpConstant %uint {}\n", i, i);
  }
  // Loads what `%in...` has for the corner; `member`: the position in a block of vertices.
  const auto load = [&](const std::string& name, const std::string& type,
                        const std::string& variable, uint32_t i, std::string_view member) {
    text.body += format(
        "%{}_at{} = OpAccessChain %in_{} %{} %corner{}{}\n%{}_{} = OpLoad %{} "
        "%{}_at{}\n",
        name, i, type, variable, i, member, name, i, type, name, i);
    return format("%{}_{}", name, i);
  };
  if (HasBuiltIn(control, spv::StorageClass::Output, spv::BuiltIn::Position)) {
    text.interface += " %in_vertices_";
    text.variables += "%in_vertices_ = OpVariable %in_all_vertex Input\n";
    std::vector<std::string> names;
    for (uint32_t i = 0; i < corners; ++i) {
      names.push_back(load("where", "float4", "in_vertices_", i, " %zero"));
    }
    text.body += SumText("where", "float4", true, names);
    text.body += format("OpStore %position %where_sum{}\n", corners - 1);
  } else {
    text.body += "OpStore %position %origin\n";
  }
  DeclareValues(*passed, true, false, &text);
  for (const Passed& one : *passed) {
    const uint32_t at = one.location;
    const std::string type = TypeName(one), name = format("value{}", at);
    if (one.patch) {
      text.decorations += format("OpDecorate %in{} Patch\n", at);
      text.body += format("%{} = OpLoad %{} %in{}\nOpStore %out{} %{}\n", name, type, at, at, name);
      continue;
    }
    const bool sums = one.kind == InterfaceSlot::kFloat;
    std::vector<std::string> names;
    for (uint32_t i = 0; i < (sums ? corners : 1); ++i) {
      names.push_back(load(name, type, format("in{}", at), i, ""));
    }
    if (sums) text.body += SumText(name, type, one.components > 1, names);
    text.body +=
        format("OpStore %out{} {}\n", at, sums ? format("%{}_sum{}", name, corners - 1) : names[0]);
  }
  return MakeFrom(text, Model::TessellationEvaluation, file, kMostVertices);
}

TessellationInput DefaultTessellation(const Module& module, const EntryPoint& entry,
                                      const Companion* companion) {
  TessellationInput given;
  ReadTessellationModes({module, entry}, &given);
  if (companion == nullptr || companion->model != Model::TessellationControl) return given;
  const Result<Module> control = ReadModule(companion->spirv, companion->file);
  if (!control) return given;
  for (const EntryPoint& other : EntryPoints(*control)) {
    if (other.name == companion->entry && other.model == companion->model) {
      ReadTessellationModes({*control, other}, &given);
    }
  }
  return given;
}

MadeShader MakeFragment(const StageShader& before, const std::string& file) {
  const Result<std::vector<InterfaceSlot>> slots =
      InterfaceOf(before.module, before.entry, spv::StorageClass::Output);
  // Errors of the interface are reported when the two shaders are linked.
  std::map<uint32_t, Passed> shown;
  for (const InterfaceSlot& slot : slots ? *slots : std::vector<InterfaceSlot>()) {
    if (slot.built_in || !slot.whole || slot.component != 0 || slot.components > 4 ||
        slot.location >= kShown) {
      continue;
    }
    const bool flat = slot.flat || slot.kind != InterfaceSlot::kFloat;
    shown.emplace(slot.location, Passed{slot.location, slot.components, slot.kind, flat,
                                        slot.no_perspective && !flat, false, slot.primitive});
  }
  ShaderText text{"Fragment"};
  text.modes = "OpExecutionMode %main OriginUpperLeft\n";
  std::vector<Passed> all;
  for (const auto& [location, passed] : shown) {
    all.push_back(passed);
    if (passed.primitive) {
      text.capability = "MeshShadingEXT";
      text.extension = "SPV_EXT_mesh_shader";
      text.decorations += format("OpDecorate %in{} PerPrimitiveEXT\n", location);
    }
    if (passed.flat) text.decorations += format("OpDecorate %in{} Flat\n", location);
    if (passed.no_perspective) {
      text.decorations += format("OpDecorate %in{} NoPerspective\n", location);
    }
    text.body += format("%value{} = OpLoad %{} %in{}\nOpStore %out{} %value{}\n", location,
                        TypeName(passed), location, location, location);
  }
  DeclareValues(all, false, false, &text);
  if (all.empty()) {
    text.interface = " %out0";
    text.decorations = "OpDecorate %out0 Location 0\n";
    text.variables =
        "%white = OpConstantComposite %float4 %f1 %f1 %f1 %f1\n"
        "%out0 = OpVariable %out_float4 Output\n";
    text.body = "OpStore %out0 %white\n";
  }
  return MakeFrom(text, Model::Fragment, file);
}

}  // namespace input
}  // namespace refract
