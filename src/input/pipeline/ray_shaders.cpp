// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/ray_shaders.h"

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "input/block_use.h"
#include "input/pipeline/stages.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

using Model = spv::ExecutionModel;

constexpr uint32_t kPayloadOperand = 10;  // of OpTraceRayKHR
constexpr uint32_t kDataOperand = 1;      // of OpExecuteCallableKHR

// The records of a made ray generation shader (docs/inputs.md, "Ray tracing").
constexpr uint32_t kRecords = 256;
constexpr uint32_t kRecordWords = 16;
constexpr uint32_t kHitWords = 3;  // the first words: what the closest hit stores

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

// The types of the operands of these calls: payloads of all rays, or data for callable shaders;
// once each.
std::vector<Id> PassedTypes(const StageShader& shader, spv::Op call, uint32_t operand) {
  std::vector<Id> types;
  ForEachReached(shader, [&](Inst inst) {
    const Module& module = shader.module;
    if (module.Opcode(inst) != call) return;
    const Id type = ElementType(module, module.TypeOf(module.IdAt(inst, operand)));
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  });
  return types;
}

std::vector<Id> PayloadsOf(const StageShader& shader) {
  return PassedTypes(shader, spv::Op::OpTraceRayKHR, kPayloadOperand);
}

std::vector<Id> CallableDataOf(const StageShader& shader) {
  return PassedTypes(shader, spv::Op::OpExecuteCallableKHR, kDataOperand);
}

// The variable of this class that the entry point has; kNone without one.
Id VariableIn(const StageShader& shader, spv::StorageClass storage) {
  const Module& module = shader.module;
  for (const Id variable : shader.entry.interface) {
    if (StorageClassOf(module, module.TypeOf(variable)) == storage) return variable;
  }
  return Id::kNone;
}

// Its type.
Id TypeIn(const StageShader& shader, spv::StorageClass storage) {
  const Id variable = VariableIn(shader, storage);
  return variable == Id::kNone ? Id::kNone
                               : ElementType(shader.module, shader.module.TypeOf(variable));
}

// Whether the code of the shader names its hit attribute.
bool UsesAttribute(const StageShader& shader) {
  const Id variable = VariableIn(shader, spv::StorageClass::HitAttributeKHR);
  return variable != Id::kNone &&
         UseOf(shader.module, variable, ReachedFlags(shader.module, shader.entry.function)).used;
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

// The types of 32 bits and pointers to them in a storage class, with the values of these types that
// are made of %float_value, %int_value and %uint_value.
struct PassedText {
  std::string types, values;
};

PassedText TextFor(std::string_view storage) {
  PassedText text;
  for (const std::string name : {"float", "int", "uint"}) {
    text.types += format("%to_{} = OpTypePointer {} %{}\n", name, storage, name);
    std::string parts = format("%{}_value %{}_value", name, name);
    for (uint32_t size = 2; size <= 4; ++size) {
      text.types += format("%{}{} = OpTypeVector %{} {}\n%to_{}{} = OpTypePointer {} %{}{}\n", name,
                           size, name, size, name, size, storage, name, size);
      text.values +=
          format("%{}{}_value = OpCompositeConstruct %{}{} {}\n", name, size, name, size, parts);
      parts += format(" %{}_value", name);
    }
  }
  return text;
}

// Writes the code for a variable %passed: a payload or the data for a callable shader.
class PassedWriter {
 public:
  explicit PassedWriter(const Module& module) : module_(module) {}

  /// False if the type is not supported.
  bool Write(Id type) {
    if (TypeOpcode(module_, type) != spv::Op::OpTypeStruct) {
      type_ = NameOf(type);
      if (type_.empty()) return false;
      WriteMember(type_, "passed");
      return true;
    }
    type_ = "structure";
    const uint32_t count = PartCount(module_, type).value_or(0);
    for (uint32_t i = 0; i < count; ++i) {
      const std::string member = NameOf(PartType(module_, type, i));
      if (member.empty()) return false;
      members_ += format(" %{}", member);
      indices_ += format("%index{} = OpConstant %uint {}\n", i, i);
      chains_ += format("%at{} = OpAccessChain %to_{} %passed %index{}\n", i, member, i);
      WriteMember(member, format("at{}", i));
    }
    return count != 0;
  }
  /// For an integer that no shader reads, and that has no words here.
  void WriteUnused() { type_ = "uint"; }
  /// The words of a value of the type.
  uint32_t words() const { return words_; }
  /// The name of the type.
  const std::string& type() const { return type_; }
  /// Its declaration, after the types of TextFor, and that of %passed.
  std::string Declaration(std::string_view storage) const {
    std::string text = indices_;
    if (type_ == "structure") {
      text += format("%structure = OpTypeStruct{}\n%to_structure = OpTypePointer {} %structure\n",
                     members_, storage);
    }
    return text + format("%passed = OpVariable %to_{} {}\n", type_, storage);
  }
  /// Stores the values of TextFor.
  std::string Stores() const { return chains_ + stores_; }
  /// Loads %passed as words: %word0, %word1 and so on.
  std::string Loads() const { return chains_ + loads_; }

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

  void WriteMember(const std::string& name, const std::string& at) {
    stores_ += format("OpStore %{} %{}_value\n", at, name);
    loads_ += format("%{}_loaded = OpLoad %{} %{}\n", at, name, at);
    const std::string scalar = name.substr(0, name.find_first_of("234"));
    const uint32_t count = scalar == name ? 1 : static_cast<uint32_t>(name.back() - '0');
    for (uint32_t i = 0; i < count; ++i, ++words_) {
      std::string part = format("%{}_loaded", at);
      if (count > 1) {
        loads_ += format("%part{} = OpCompositeExtract %{} {} {}\n", words_, scalar, part, i);
        part = format("%part{}", words_);
      }
      loads_ += format("%word{} = {} %uint {}\n", words_,
                       scalar == "uint" ? "OpCopyObject" : "OpBitcast", part);
    }
  }

  const Module& module_;
  uint32_t words_ = 0;
  std::string type_, members_, indices_, chains_, stores_, loads_;
};

constexpr char kHeader[] =
    "OpCapability RayTracingKHR\nOpExtension \"SPV_KHR_ray_tracing\"\n"
    "OpMemoryModel Logical GLSL450\n";

constexpr char kTypes[] =
    "%void = OpTypeVoid\n%function = OpTypeFunction %void\n%float = OpTypeFloat 32\n"
    "%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n%in_float = OpTypePointer Input %float\n"
    "%in_int = OpTypePointer Input %int\n";

// The records of a made ray generation shader, and %number, the number of the invocation.
constexpr char kRecordNames[] =
    "OpName %Records \"Records\"\nOpMemberName %Records 0 \"records\"\n";
constexpr char kRecordDecorations[] =
    "OpDecorate %Records Block\nOpMemberDecorate %Records 0 Offset 0\n"
    "OpDecorate %words ArrayStride 4\nOpDecorate %records DescriptorSet {}\n"
    "OpDecorate %records Binding 1\nOpDecorate %id BuiltIn LaunchIdKHR\n"
    "OpDecorate %size BuiltIn LaunchSizeKHR\n";

constexpr char kRecordTypes[] =
    "%bool = OpTypeBool\n%many = OpConstant %uint {}\n%each = OpConstant %uint {}\n"
    "%limit = OpConstant %uint {}\n%zero = OpConstant %uint 0\n%words = OpTypeArray %uint %many\n"
    "%Records = OpTypeStruct %words\n%to_Records = OpTypePointer StorageBuffer %Records\n"
    "%to_stored = OpTypePointer StorageBuffer %uint\n%records = OpVariable %to_Records "
    "StorageBuffer\n%in_ids = OpTypePointer Input %uint3\n"
    "%id = OpVariable %in_ids Input\n%size = OpVariable %in_ids Input\n";

constexpr char kNumber[] =
    "%place = OpLoad %uint3 %id\n%launch = OpLoad %uint3 %size\n"
    "%x = OpCompositeExtract %uint %place 0\n%y = OpCompositeExtract %uint %place 1\n"
    "%z = OpCompositeExtract %uint %place 2\n%columns = OpCompositeExtract %uint %launch 0\n"
    "%rows = OpCompositeExtract %uint %launch 1\n%slices = OpIMul %uint %z %rows\n"
    "%row = OpIAdd %uint %slices %y\n%before = OpIMul %uint %row %columns\n"
    "%number = OpIAdd %uint %before %x\n";

std::string RecordDecorations() {
  return kRecordNames + format(kRecordDecorations, kMadeSet);
}

std::string RecordTypes() {
  return format(kRecordTypes, kRecords * kRecordWords, kRecordWords, kRecords);
}

// A ray upwards, far from edges of the scene "steps". Four by four invocations meet an instance.
constexpr char kSceneDecorations[] =
    "OpDecorate %scene DescriptorSet {}\nOpDecorate %scene Binding 0\n";

constexpr char kSceneTypes[] =
    "%structures = OpTypeAccelerationStructureKHR\n%to_scene = OpTypePointer UniformConstant "
    "%structures\n%scene = OpVariable %to_scene UniformConstant\n%flags = OpConstant %uint {}\n"
    "%mask = OpConstant %uint 255\n%one = OpConstant %uint 1\n%two = OpConstant %uint 2\n%four = "
    "OpConstant %uint 4\n%f0 = OpConstant %float 0\n"
    "%f1 = OpConstant %float 1\n%half = OpConstant %float 0.5\n%quarter = OpConstant %float 0.25\n"
    "%end = OpConstant %float 64\n"
    "%upwards = OpConstantComposite %float3 %f0 %f0 %f1\n";

constexpr char kTrace[] =
    "%cell_x = OpShiftRightLogical %uint %x %two\n%cell_y = OpShiftRightLogical %uint %y %two\n"
    "%from_x = OpIMul %uint %cell_x %four\n%from_y = OpIMul %uint %cell_y %four\n"
    "%cells_x = OpIAdd %uint %from_x %x\n%cells_y = OpIAdd %uint %from_y %y\n"
    "%column = OpConvertUToF %float %cells_x\n%line = OpConvertUToF %float %cells_y\n"
    "%at_x = OpFAdd %float %column %half\n%at_y = OpFAdd %float %line %quarter\n"
    "%origin = OpCompositeConstruct %float3 %at_x %at_y %f0\n"
    "%traced = OpLoad %structures %scene\n"
    "OpTraceRayKHR %traced %flags %mask %zero %one %zero %origin %f0 %upwards %end %passed\n";

// Stores words, from word `first` of the record of the invocation on, if there is one, and returns.
std::string StoreWords(const std::vector<std::string>& words, uint32_t first) {
  std::string text =
      "%within = OpULessThan %bool %number %limit\nOpSelectionMerge %done None\n"
      "OpBranchConditional %within %store %done\n%store = OpLabel\n"
      "%begin = OpIMul %uint %number %each\n";
  for (uint32_t i = 0; i < words.size(); ++i) {
    text += format(
        "%w{} = OpIAdd %uint %begin %first{}\n%to{} = OpAccessChain %to_stored %records %zero "
        "%w{}\nOpStore %to{} {}\n",
        i, first + i, i, i, i, words[i]);
  }
  return text + "OpBranch %done\n%done = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

std::string FirstWords(uint32_t first, uint32_t count) {
  std::string text;
  for (uint32_t i = first; i < first + count; ++i) {
    text += format("%first{} = OpConstant %uint {}\n", i, i);
  }
  return text;
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
  if (payloads.empty()) return MakeIdle(Model::ClosestHitKHR, file);
  PassedWriter writer(generation.module);
  if (payloads.size() > 1 || !writer.Write(payloads[0])) {
    return Error{format("{}: the rays have payloads of several types, or not a scalar, a vector or "
                        "a struct of these with 32 bits; a pipeline with them needs a closest hit "
                        "shader: as the companion of the ray generation shader, or in one SPIR-V "
                        "module",
                        file),
                 ErrorKind::kUnavailable};
  }
  const PassedText text = TextFor("IncomingRayPayloadKHR");
  return MakeFromText(
      format("{}OpEntryPoint ClosestHitKHR %main \"main\" %passed %distance %label\n"
             "OpDecorate %distance BuiltIn RayTmaxKHR\n"
             "OpDecorate %label BuiltIn InstanceCustomIndexKHR\n{}{}{}"
             "%distance = OpVariable %in_float Input\n%label = OpVariable %in_int Input\n"
             "%main = OpFunction %void None %function\n%entry = OpLabel\n"
             "%float_value = OpLoad %float %distance\n%int_value = OpLoad %int %label\n"
             "%uint_value = OpBitcast %uint %int_value\n{}{}OpReturn\nOpFunctionEnd\n",
             kHeader, kTypes, text.types, writer.Declaration("IncomingRayPayloadKHR"), text.values,
             writer.Stores()),
      Model::ClosestHitKHR, file);
}

MadeShader MakeRecordingHit(const std::string& file) {
  return MakeFromText(
      format(
          "{}OpEntryPoint ClosestHitKHR %main \"main\" %records %id %size %distance %label %kind\n"
          "{}OpDecorate %distance BuiltIn RayTmaxKHR\n"
          "OpDecorate %label BuiltIn InstanceCustomIndexKHR\nOpDecorate %kind BuiltIn HitKindKHR\n"
          "{}%uint3 = OpTypeVector %uint 3\n{}{}%in_uint = OpTypePointer Input %uint\n%distance = "
          "OpVariable %in_float Input\n"
          "%label = OpVariable %in_int Input\n%kind = OpVariable %in_uint Input\n"
          "%main = OpFunction %void None %function\n%entry = OpLabel\n{}"
          "%far = OpLoad %float %distance\n%called = OpLoad %int %label\n"
          "%kinds = OpLoad %uint %kind\n%far_word = OpBitcast %uint %far\n"
          "%label_word = OpBitcast %uint %called\n{}",
          kHeader, RecordDecorations(), kTypes, RecordTypes(), FirstWords(0, kHitWords), kNumber,
          StoreWords({"%far_word", "%label_word", "%kinds"}, 0)),
      Model::ClosestHitKHR, file);
}

MadeShader MakeGeneration(const std::vector<StageShader>& others, bool calls,
                          const std::string& file) {
  const auto type_in = [&](const StageShader& shader) {
    return TypeIn(shader, calls ? spv::StorageClass::IncomingCallableDataKHR
                                : spv::StorageClass::IncomingRayPayloadKHR);
  };
  const auto first = std::find_if(others.begin(), others.end(), [&](const StageShader& shader) {
    return type_in(shader) != Id::kNone;
  });
  PassedWriter writer(first == others.end() ? others.front().module : first->module);
  bool fits = true;
  if (first == others.end()) {
    writer.WriteUnused();
  } else {
    fits = writer.Write(type_in(*first));
  }
  if (!fits || writer.words() > kRecordWords - kHitWords) {
    return Error{
        format(
            "{}: the {} of the shader is not a scalar, a vector or a struct of these, of at most "
            "{} numbers of 32 bits; it needs a file for the ray generation shader",
            file, calls ? "callable data" : "payload", kRecordWords - kHitWords),
        ErrorKind::kUnavailable};
  }
  // The same words are stored if a variant or an optimiser drops a variable that nothing uses.
  const std::string_view storage = calls ? "CallableDataKHR" : "RayPayloadKHR";
  const PassedText text = TextFor(storage);
  std::vector<std::string> words;
  for (uint32_t i = 0; i < kRecordWords - kHitWords; ++i) {
    words.push_back(i < writer.words() ? format("%word{}", i) : "%zero");
  }
  // NoOpaqueKHR: any-hit shaders run for all geometry.
  const bool has_any_hit = std::any_of(others.begin(), others.end(), [](const StageShader& shader) {
    return shader.entry.model == Model::AnyHitKHR;
  });
  const uint32_t flags = has_any_hit ? 2 : 0;
  return MakeFromText(
      format("{}OpEntryPoint RayGenerationKHR %main \"main\" %records %id %size "
             "%passed{}\n{}{}{}{}{}{}{}{}{}"
             "%main = OpFunction %void None %function\n%entry = OpLabel\n{}"
             "OpStore %passed %initial\n{}{}{}",
             kHeader, calls ? "" : " %scene", calls ? "" : "OpName %scene \"scene\"\n",
             RecordDecorations(), calls ? std::string() : format(kSceneDecorations, kMadeSet),
             kTypes, text.types,
             writer.Declaration(storage) + format("%initial = OpConstantNull %{}\n", writer.type()),
             RecordTypes(), FirstWords(kHitWords, kRecordWords - kHitWords),
             calls ? std::string() : format(kSceneTypes, flags), kNumber,
             calls ? "OpExecuteCallableKHR %zero %passed\n" : kTrace, writer.Loads(),
             StoreWords(words, kHitWords)),
      Model::RayGenerationKHR, file);
}

MadeShader MakeIdle(spv::ExecutionModel model, const std::string& file) {
  const char* stage = model == Model::MissKHR       ? "MissKHR"
                      : model == Model::CallableKHR ? "CallableKHR"
                                                    : "ClosestHitKHR";
  return MakeFromText(
      format("{}OpEntryPoint {} %main \"main\"\n"
             "%void = OpTypeVoid\n%function = OpTypeFunction %void\n"
             "%main = OpFunction %void None %function\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
             kHeader, stage),
      model, file);
}

bool CallsCallable(const StageShader& shader) {
  return Uses(shader, spv::Op::OpExecuteCallableKHR);
}

bool TracesRays(const StageShader& shader) {
  return Uses(shader, spv::Op::OpTraceRayKHR);
}

std::string RayProblem(const std::vector<StageShader>& shaders) {
  const auto wrong_type = [&](const StageShader& shader, spv::StorageClass storage,
                              std::vector<Id> (*passed_by)(const StageShader&)) {
    const Id type = TypeIn(shader, storage);
    return type != Id::kNone &&
           std::any_of(shaders.begin(), shaders.end(), [&](const StageShader& other) {
             const std::vector<Id> passed = passed_by(other);
             return std::any_of(passed.begin(), passed.end(), [&](Id of_other) {
               return !SameType(shader.module, type, other.module, of_other);
             });
           });
  };
  // Whether a shader has the hit attribute of triangles, too, and the shader that reads one.
  bool of_triangles = false;
  const StageShader* reader = nullptr;
  for (const StageShader& shader : shaders) {
    const Model model = shader.entry.model;
    const std::string_view name = StageName(model);
    if (model == Model::CallableKHR && CallsCallable(shader)) {
      return "the callable shader calls callable shaders, which only the other shaders may";
    }
    const Id attribute = TypeIn(shader, spv::StorageClass::HitAttributeKHR);
    if (attribute != Id::kNone && model != Model::IntersectionKHR) {
      of_triangles = true;
      if (UsesAttribute(shader)) reader = &shader;
      if (!IsPair(shader.module, attribute)) {
        return format("the hit attribute of the {} shader is not a vec2", name);
      }
    }
    if (wrong_type(shader, spv::StorageClass::IncomingRayPayloadKHR, PayloadsOf)) {
      return format("the payload of the {} shader has another type than a ray", name);
    }
    if (wrong_type(shader, spv::StorageClass::IncomingCallableDataKHR, CallableDataOf)) {
      return "the data of the callable shader has another type than that of a call";
    }
  }
  for (const StageShader& shader : shaders) {
    if (shader.entry.model != Model::IntersectionKHR || !of_triangles) continue;
    if (reader != nullptr && Uses(shader, spv::Op::OpReportIntersectionKHR) &&
        !UsesAttribute(shader)) {
      return format(
          "the {} shader reads a hit attribute, which the intersection shader does not write",
          StageName(reader->entry.model));
    }
    const Id attribute = TypeIn(shader, spv::StorageClass::HitAttributeKHR);
    if (attribute != Id::kNone && !IsPair(shader.module, attribute)) {
      return "the hit attribute of the intersection shader is not a vec2, which another shader "
             "reads";
    }
  }
  return {};
}

}  // namespace input
}  // namespace refract
