// SPDX-License-Identifier: Apache-2.0
#include "ir/grammar/properties.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <initializer_list>
#include <vector>

#include "base/check.h"

namespace refract {
inline namespace ir {
namespace {

// The words that the .def files use.
enum : uint64_t {
  Nothing = 0,
  Pure = 1ull << 0,
  Behaviour = 1ull << 1,  // the behaviour may be undefined
  Value = 1ull << 2,      // the value may be undefined
  Convergent = 1ull << 3,
  Effect = 1ull << 4,
  Orders = 1ull << 5,  // orders memory
  Schedule = 1ull << 6,
  Rounded = 1ull << 7,
  Approximate = 1ull << 8,
  Commutes = 1ull << 9,
  // Memory, with the in-operand that has the pointer or image
  Reads0 = 1ull << 10,
  Reads1 = 1ull << 11,
  Reads2 = 1ull << 12,
  ReadsImage = 1ull << 13,
  ReadsAll = 1ull << 14,
  Writes0 = 1ull << 15,
  Writes3 = 1ull << 16,
  WritesImage = 1ull << 17,
  WritesAll = 1ull << 18,
  // Kinds
  Type = 1ull << 20,
  Constant = 1ull << 21,
  Spec = 1ull << 22,
  Terminator = 1ull << 23,
  Branch = 1ull << 24,
  Merge = 1ull << 25,
  DebugLine = 1ull << 26,
  DebugName = 1ull << 27,
  DebugSource = 1ull << 28,
  Annotation = 1ull << 29,
  OutsideBlocks = 1ull << 30,  // not allowed between a label and a terminator
  StaysInBlock = 1ull << 31,
  Unknown = 1ull << 32,
  // Stages
  OnlyFragment = 1ull << 40,
  OnlyQuads = 1ull << 41,
  OnlyGeometry = 1ull << 42,
  OnlyTracing = 1ull << 43,
  OnlyCalling = 1ull << 44,
  OnlyAnyHit = 1ull << 45,
  OnlyIntersection = 1ull << 46,
  OnlyTask = 1ull << 47,
  OnlyMesh = 1ull << 48,
  // Which invocations get the same result. Without such a word: those with the same operands,
  // unless the result depends on the schedule or on which invocations execute it together.
  AsOperands = 1ull << 50,
  InQuad = 1ull << 51,
  InGroup = 1ull << 52,
  InReducedGroup = 1ull << 53,
  // Bundles
  Worst = Behaviour | Value | Convergent | Effect | Orders | Schedule | Approximate | ReadsAll |
          WritesAll,
  Sampled = ReadsImage | Value | Approximate,
  Quads = Convergent | Value | OnlyQuads |
          AsOperands,  // undefined where the control flow is not uniform
  Group = Convergent | Schedule,
  Barrier = Effect | Orders | ReadsAll | WritesAll,
  Atomic = Behaviour | Schedule | Orders,
  RayQuery = Reads0 | Behaviour,
};

struct Row {
  spv::Op op;
  std::string_view operands;
  uint64_t words;
};

#define ROW(opcode, operands, words) {spv::Op::opcode, operands, words},
#define UNTOUCHED(opcode) {spv::Op::opcode, "x*", Worst | Unknown},
constexpr Row kRows[] = {
#include "ir/grammar/properties_arithmetic.def"
#include "ir/grammar/properties_core.def"
#include "ir/grammar/properties_group.def"
#include "ir/grammar/properties_image.def"
#include "ir/grammar/properties_intel.def"
#include "ir/grammar/properties_kernel_ray.def"
};
#undef ROW
#undef UNTOUCHED

struct GlslRow {
  uint32_t number;
  std::string_view operands;
  uint64_t words;
};
#define GLSL(name, operands, words) {GLSLstd450##name, operands, words},
constexpr GlslRow kGlslRows[] = {
#include "ir/grammar/properties_glsl.def"
};
#undef GLSL

constexpr spv::ExecutionModel kStages[] = {
    spv::ExecutionModel::Vertex,
    spv::ExecutionModel::TessellationControl,
    spv::ExecutionModel::TessellationEvaluation,
    spv::ExecutionModel::Geometry,
    spv::ExecutionModel::Fragment,
    spv::ExecutionModel::GLCompute,
    spv::ExecutionModel::Kernel,
    spv::ExecutionModel::TaskNV,
    spv::ExecutionModel::MeshNV,
    spv::ExecutionModel::RayGenerationKHR,
    spv::ExecutionModel::IntersectionKHR,
    spv::ExecutionModel::AnyHitKHR,
    spv::ExecutionModel::ClosestHitKHR,
    spv::ExecutionModel::MissKHR,
    spv::ExecutionModel::CallableKHR,
    spv::ExecutionModel::TaskEXT,
    spv::ExecutionModel::MeshEXT,
};

uint32_t Stages(uint64_t words) {
  using enum spv::ExecutionModel;
  const auto bits = [](std::initializer_list<spv::ExecutionModel> stages) {
    uint32_t mask = 0;
    for (const spv::ExecutionModel stage : stages) mask |= StageBit(stage);
    return mask;
  };
  if (words & OnlyFragment) return bits({Fragment});
  // Derivatives outside fragment shaders need derivative groups
  // (SPV_NV_compute_shader_derivatives).
  if (words & OnlyQuads) return bits({Fragment, GLCompute, TaskNV, MeshNV, TaskEXT, MeshEXT});
  if (words & OnlyGeometry) return bits({Geometry});
  if (words & OnlyTracing) return bits({RayGenerationKHR, ClosestHitKHR, MissKHR});
  if (words & OnlyCalling) return bits({RayGenerationKHR, ClosestHitKHR, MissKHR, CallableKHR});
  if (words & OnlyAnyHit) return bits({AnyHitKHR});
  if (words & OnlyIntersection) return bits({IntersectionKHR});
  if (words & OnlyTask) return bits({TaskEXT});
  if (words & OnlyMesh) return bits({MeshEXT});
  return 0xffffffffu;
}

MemoryEffect Reads(uint64_t words) {
  if (words & ReadsAll) return {MemoryEffect::kAll, 0};
  if (words & ReadsImage) return {MemoryEffect::kImage, 0};
  if (words & Reads0) return {MemoryEffect::kPointer, 0};
  if (words & Reads1) return {MemoryEffect::kPointer, 1};
  if (words & Reads2) return {MemoryEffect::kPointer, 2};
  return {};
}

MemoryEffect Writes(uint64_t words) {
  if (words & WritesAll) return {MemoryEffect::kAll, 0};
  if (words & WritesImage) return {MemoryEffect::kImage, 0};
  if (words & Writes0) return {MemoryEffect::kPointer, 0};
  if (words & Writes3) return {MemoryEffect::kPointer, 3};
  return {};
}

Agreement AgreementOf(uint64_t words) {
  if (words & InQuad) return Agreement::kInQuad;
  if (words & InGroup) return Agreement::kInGroup;
  if (words & InReducedGroup) return Agreement::kInReducedGroup;
  if (words & AsOperands) {
    return (words & OnlyQuads) != 0 ? Agreement::kAsOperandsInQuad : Agreement::kAsOperands;
  }
  const bool is_open = (words & (Convergent | Schedule | Unknown)) != 0;
  return is_open ? Agreement::kNever : Agreement::kAsOperands;
}

bool HasParameters(const EnumGrammar& kind) {
  for (const Enumerant& enumerant : kind.enumerants) {
    if (!enumerant.parameters.empty()) return true;
  }
  return false;
}

uint8_t PlainOperands(const OpcodeGrammar* grammar, std::string_view operands, uint64_t words) {
  if (grammar == nullptr || (words & Unknown) != 0) return 0;
  uint8_t count = 0;
  for (const OperandGrammar& operand : grammar->operands) {
    switch (operand.cls) {
      case OperandClass::kResultType:
      case OperandClass::kResult:
        continue;
      case OperandClass::kId:
      case OperandClass::kScope:
      case OperandClass::kMemorySemantics:
      case OperandClass::kExtInstNumber:
        break;
      case OperandClass::kLiteralInteger:
        if (grammar->op == spv::Op::OpSwitch) return count;  // as wide as the selector
        break;
      case OperandClass::kValueEnum:
        if (HasParameters(AllEnums()[operand.enum_index])) return static_cast<uint8_t>(count + 1);
        break;
      default:  // the first word is plain, the following words are not
        return static_cast<uint8_t>(count + 1);
    }
    ++count;
  }
  CHECK(grammar->op == spv::Op::OpExtInst || count <= operands.size());
  return Properties::kAllPlain;
}

Properties Spell(spv::Op op, std::string_view operands, uint64_t words) {
  const auto has = [words](uint64_t word) { return (words & word) != 0; };
  Properties row;
  row.op = op;
  row.grammar = GrammarOf(op);
  row.pure = has(Pure);
  row.behaviour_may_be_undefined = has(Behaviour);
  row.value_may_be_undefined = has(Value);
  row.convergent = has(Convergent);
  row.side_effect = has(Effect);
  row.orders_memory = has(Orders);
  row.deterministic = !has(Schedule);
  row.reads = Reads(words);
  row.writes = Writes(words);
  row.exactness = has(Approximate) ? Exactness::kApproximate
                  : has(Rounded)   ? Exactness::kCorrectlyRounded
                                   : Exactness::kExact;
  row.agreement = AgreementOf(words);
  row.commutes = has(Commutes);
  row.known = !has(Unknown);
  row.is_type = has(Type);
  row.is_constant = has(Constant);
  row.is_spec = has(Spec);
  row.is_terminator = has(Terminator);
  row.is_branch = has(Branch);
  row.is_merge = has(Merge);
  row.is_debug_line = has(DebugLine);
  row.is_debug_name = has(DebugName);
  row.is_debug_source = has(DebugSource);
  row.is_annotation = has(Annotation);
  row.allowed_in_block = !has(OutsideBlocks);
  row.result_stays_in_block = has(StaysInBlock);
  row.stages = Stages(words);
  row.operands = operands;
  row.plain_operands = PlainOperands(row.grammar, operands, words);
  return row;
}

/// All rows, and a dense index by opcode, so that a lookup is one load.
struct Table {
  std::vector<Properties> rows{Properties()};  // the first row is for unknown instructions
  std::vector<uint16_t> of_opcode;
  std::vector<Properties> glsl{Properties()};
  Properties non_semantic = Spell(spv::Op::OpExtInst, "x*", Pure);

  Table() {
    for (const Row& row : kRows) {
      const auto at = static_cast<size_t>(row.op);
      if (of_opcode.size() <= at) of_opcode.resize(at + 1);
      CHECK(of_opcode[at] == 0);
      of_opcode[at] = static_cast<uint16_t>(rows.size());
      rows.push_back(Spell(row.op, row.operands, row.words));
    }
    for (const GlslRow& row : kGlslRows) {
      if (glsl.size() <= row.number) glsl.resize(row.number + 1);
      CHECK(!glsl[row.number].known);
      glsl[row.number] = Spell(spv::Op::OpExtInst, row.operands, row.words);
    }
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

}  // namespace

uint32_t StageBit(spv::ExecutionModel stage) {
  for (size_t i = 0; i < std::size(kStages); ++i) {
    if (kStages[i] == stage) return 1u << i;
  }
  return 0;
}

bool Properties::AllowedIn(spv::ExecutionModel stage) const {
  return stages == 0xffffffffu || (stages & StageBit(stage)) != 0;
}

const Properties& PropertiesOf(spv::Op op) {
  const Table& table = TheTable();
  const auto at = static_cast<size_t>(op);
  return table.rows[at < table.of_opcode.size() ? table.of_opcode[at] : 0];
}

const Properties& PropertiesOfGlsl(uint32_t number) {
  const Table& table = TheTable();
  return table.glsl[number < table.glsl.size() ? number : 0];
}

ExtInstSet ExtInstSetByName(std::string_view name) {
  if (name == "GLSL.std.450") return ExtInstSet::kGlsl;
  // SPV_KHR_non_semantic_info guarantees the meaning of this prefix.
  return name.starts_with("NonSemantic.") ? ExtInstSet::kNonSemantic : ExtInstSet::kOther;
}

const Properties& PropertiesOfExtInst(ExtInstSet set, uint32_t number) {
  if (set == ExtInstSet::kGlsl) return PropertiesOfGlsl(number);
  if (set == ExtInstSet::kNonSemantic) return TheTable().non_semantic;
  return PropertiesOf(spv::Op::OpExtInst);
}

}  // namespace ir
}  // namespace refract
