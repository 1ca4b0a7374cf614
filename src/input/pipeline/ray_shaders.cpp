// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/ray_shaders.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "input/pipeline/stages.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint32_t kPayloadOperand = 10;  // of OpTraceRayKHR

// Calls `visit` with each instruction that the entry point reaches.
template <class Visit>
void ForEachReached(const StageShader& shader, Visit visit) {
  for (const Function function : Reached(shader.module, shader.entry.function)) {
    ForEachBlock(shader.module, function,
                 [&](Block block) { ForEachInstruction(shader.module, block, visit); });
  }
}

bool Uses(const StageShader& shader, spv::Op opcode) {
  bool uses = false;
  ForEachReached(shader, [&](Inst inst) { uses |= shader.module.Opcode(inst) == opcode; });
  return uses;
}

// The types of the payloads of all rays, once each.
std::vector<Id> PayloadsOf(const StageShader& generation) {
  std::vector<Id> types;
  ForEachReached(generation, [&](Inst inst) {
    const Module& module = generation.module;
    if (module.Opcode(inst) != spv::Op::OpTraceRayKHR) return;
    const Id type = ElementType(module, module.TypeOf(module.IdAt(inst, kPayloadOperand)));
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  });
  return types;
}

// Whether two types of different modules are the same, apart from their names and decorations. What
// pointers point to is not compared, because it may contain the pointer.
bool SameType(const Module& a, Id type_a, const Module& b, Id type_b) {
  const Inst inst_a = a.Definition(type_a), inst_b = b.Definition(type_b);
  if (a.Opcode(inst_a) != b.Opcode(inst_b) || a.OperandCount(inst_a) != b.OperandCount(inst_b)) {
    return false;
  }
  if (a.Opcode(inst_a) == spv::Op::OpTypePointer) return a.Word(inst_a, 0) == b.Word(inst_b, 0);
  for (uint32_t i = 0; i < a.OperandCount(inst_a); ++i) {
    const bool same = a.IsId(inst_a, i) ? SameType(a, a.IdAt(inst_a, i), b, b.IdAt(inst_b, i))
                                        : a.Word(inst_a, i) == b.Word(inst_b, i);
    if (!same) return false;
  }
  return true;
}

// The hit attribute of triangles (SPV_KHR_ray_tracing), and of the boxes of scenes.
bool IsPair(const Module& module, Id type) {
  return IsVector(module, type) && PartCount(module, type) == 2u &&
         IsFloat(module, ElementType(module, type)) &&
         Width(module, ElementType(module, type)) == 32;
}

// Writes the stores to a payload.
class PayloadWriter {
 public:
  explicit PayloadWriter(const Module& module) : module_(module) {}

  /// False if the type is not supported.
  bool Write(Id type) {
    if (TypeOpcode(module_, type) != spv::Op::OpTypeStruct) {
      payload_ = NameOf(type);
      if (payload_.empty()) return false;
      body_ += format("OpStore %payload %{}_value\n", payload_);
      return true;
    }
    payload_ = "record";
    const uint32_t count = PartCount(module_, type).value_or(0);
    for (uint32_t i = 0; i < count; ++i) {
      const std::string member = NameOf(PartType(module_, type, i));
      if (member.empty()) return false;
      members_ += format(" %{}", member);
      indices_ += format("%index{} = OpConstant %uint {}\n", i, i);
      body_ += format("%at{} = OpAccessChain %to_{} %payload %index{}\nOpStore %at{} %{}_value\n",
                      i, member, i, i, member);
    }
    return count != 0;
  }
  /// The whole module.
  std::string Text() const;

 private:
  // "float3" and so on; empty for other types than scalars and vectors of 32 bits.
  std::string NameOf(Id type) const {
    const bool is_vector = IsVector(module_, type);
    const Id scalar = is_vector ? ElementType(module_, type) : type;
    if (Width(module_, scalar) != 32) return {};
    const char* name = IsFloat(module_, scalar)    ? "float"
                       : IsSigned(module_, scalar) ? "int"
                                                   : "uint";
    return is_vector ? format("{}{}", name, *PartCount(module_, type)) : std::string(name);
  }

  const Module& module_;
  std::string payload_, members_, indices_, body_;
};

std::string PayloadWriter::Text() const {
  std::string types, values;
  for (const std::string name : {"float", "int", "uint"}) {
    values += name == "float"  ? "%float_value = OpLoad %float %distance\n"
              : name == "uint" ? "%uint_value = OpBitcast %uint %int_value\n"
                               : "%int_value = OpLoad %int %label\n";
    types += format("%to_{} = OpTypePointer IncomingRayPayloadKHR %{}\n", name, name);
    std::string parts = format("%{}_value %{}_value", name, name);
    for (uint32_t size = 2; size <= 4; ++size) {
      types += format(
          "%{}{} = OpTypeVector %{} {}\n%to_{}{} = OpTypePointer IncomingRayPayloadKHR %{}{}\n",
          name, size, name, size, name, size, name, size);
      values +=
          format("%{}{}_value = OpCompositeConstruct %{}{} {}\n", name, size, name, size, parts);
      parts += format(" %{}_value", name);
    }
  }
  if (payload_ == "record") {
    types += format(
        "%record = OpTypeStruct{}\n%to_record = OpTypePointer IncomingRayPayloadKHR %record\n",
        members_);
  }
  return format(
      "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n"
      "OpMemoryModel Logical GLSL450\n"
      "OpEntryPoint ClosestHitKHR %main \"main\" %payload %distance %label\n"
      "OpDecorate %distance BuiltIn RayTmaxKHR\n"
      "OpDecorate %label BuiltIn InstanceCustomIndexKHR\n"
      "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%float = OpTypeFloat 32\n"
      "%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n%in_float = OpTypePointer Input %float\n"
      "%in_int = OpTypePointer Input %int\n{}{}"
      "%payload = OpVariable %to_{} IncomingRayPayloadKHR\n"
      "%distance = OpVariable %in_float Input\n%label = OpVariable %in_int Input\n"
      "%main = OpFunction %void None %function\n%entry = OpLabel\n{}{}OpReturn\nOpFunctionEnd\n",
      types, indices_, payload_, values, body_);
}

MadeShader MakeFromText(const std::string& text, spv::ExecutionModel model,
                        const std::string& file) {
  Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kUniversal14);
  CHECK(static_cast<bool>(words));
  return MakeCompanion(std::move(*words), file, model);
}

}  // namespace

MadeShader MakeClosestHit(const StageShader& generation, const std::string& file) {
  const std::vector<Id> payloads = PayloadsOf(generation);
  if (payloads.empty()) return MakeIdle(spv::ExecutionModel::ClosestHitKHR, file);
  PayloadWriter writer(generation.module);
  if (payloads.size() > 1 || !writer.Write(payloads[0])) {
    return Error{format("{}: the rays have payloads of several types, or not a scalar, a vector or "
                        "a struct of these with 32 bits; a pipeline with them needs a file for the "
                        "closest hit shader",
                        file),
                 ErrorKind::kUnavailable};
  }
  return MakeFromText(writer.Text(), spv::ExecutionModel::ClosestHitKHR, file);
}

MadeShader MakeIdle(spv::ExecutionModel model, const std::string& file) {
  const char* stage = model == spv::ExecutionModel::MissKHR ? "MissKHR" : "ClosestHitKHR";
  return MakeFromText(
      format("OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n"
             "OpMemoryModel Logical GLSL450\nOpEntryPoint {} %main \"main\"\n"
             "%void = OpTypeVoid\n%function = OpTypeFunction %void\n"
             "%main = OpFunction %void None %function\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
             stage),
      model, file);
}

std::string RayProblem(const StageShader& generation, const StageShader& after) {
  for (const StageShader* shader : {&generation, &after}) {
    if (!Uses(*shader, spv::Op::OpExecuteCallableKHR)) continue;
    return format("the {} shader calls a callable shader; these are not supported",
                  StageName(shader->entry.model));
  }
  const std::string_view name = StageName(after.entry.model);
  if (Uses(after, spv::Op::OpTraceRayKHR)) {
    return format("the {} shader traces rays; only the ray generation shader may", name);
  }
  const Module& module = after.module;
  for (const Id variable : after.entry.interface) {
    const spv::StorageClass storage = StorageClassOf(module, module.TypeOf(variable));
    if (storage == spv::StorageClass::HitAttributeKHR &&
        !IsPair(module, ElementType(module, module.TypeOf(variable)))) {
      return format("the hit attribute of the {} shader is not a vec2", name);
    }
    if (storage != spv::StorageClass::IncomingRayPayloadKHR) continue;
    for (const Id type : PayloadsOf(generation)) {
      if (SameType(module, ElementType(module, module.TypeOf(variable)), generation.module, type)) {
        continue;
      }
      return format("the payload of the {} shader has another type than a ray", name);
    }
  }
  return {};
}

}  // namespace input
}  // namespace refract
