// SPDX-License-Identifier: Apache-2.0
#include "generate/check_program.h"

#include <set>

#include "base/text.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "ir/validity/validity.h"
#include "target/original_check.h"

namespace refract::test {
namespace {

using generate::GeneratedProgram;
using generate::ProgramRecipe;
using generate::StatementKind;

// What the generator and the divergence analysis say about the module.
Audit ClaimsOf(const Module& module, const GeneratedProgram& program, bool compute) {
  Audit audit;
  const std::set<uint32_t> uniform(program.uniform.begin(), program.uniform.end());
  const DivergenceClass same = compute ? DivergenceClass::kWorkgroup : DivergenceClass::kDraw;
  const DivergenceAnalysis& analysis = module.Divergence();
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      audit.agreed.emplace_back(module.LabelId(block), analysis.ControlOf(block));
      ForEachInstruction(module, block, [&](Inst inst) {
        const Id id = module.Result(inst);
        if (module.Type(inst) == Id::kNone) return;
        const bool claimed = uniform.count(module.FileId(id)) != 0;
        audit.agreed.emplace_back(id, claimed ? std::min(same, analysis.Of(id)) : analysis.Of(id));
      });
    });
  });
  return audit;
}

// Compares the outputs of a run with the expected ones.
std::string Difference(const RunReport& report, const ExpectedOutputs& expected) {
  for (const ExpectedBuffer& buffer : expected.buffers) {
    for (const BoundBuffer& written : report.outputs.buffers) {
      if (written.binding != buffer.binding) continue;
      if (std::string_view(reinterpret_cast<const char*>(buffer.words.data()),
                           4 * buffer.words.size()) != written.bytes) {
        return "the buffer differs";
      }
    }
  }
  if (!expected.picture) return "";
  const std::vector<uint32_t>& colours = expected.picture->colours;
  const bool equal = report.outputs.targets.size() == 1 &&
                     std::string_view(reinterpret_cast<const char*>(colours.data()),
                                      4 * colours.size()) == report.outputs.targets[0].texels;
  return equal ? "" : "the image differs";
}

std::string FaultOfRuns(const ProgramRecipe& recipe, const GeneratedProgram& program,
                        const Module& module) {
  const std::string file = "generated program";
  const Result<EntryPoint> entry = FindEntryPoint(module, "main", file);
  if (!entry) return entry.error().message;
  const Result<ResolvedInputs> resolved = Resolve(module, *entry, program.inputs, file);
  if (!resolved) return resolved.error().message;
  if (!resolved->unused.empty()) return "an input has no place: " + resolved->unused.front();
  const bool compute = recipe.options.stage == generate::Stage::kCompute;
  const Audit audit = ClaimsOf(module, program, compute);
  DecodeOptions decode;
  decode.audit = &audit;
  const Result<Program> decoded = Program::Decode(module, *entry, resolved->bindings, file, decode);
  if (!decoded) return decoded.error().message;
  const Result<Program> plain = Program::Decode(module, *entry, resolved->bindings, file);
  if (!plain) return plain.error().message;
  using Order = Schedule::Order;
  // The claims hold with early reconvergence.
  const std::pair<bool, Schedule> runs[] = {
      {true, {Order::kForward, 0, 32, false, true}},
      {true, {Order::kShuffled, 1, 8, false, true}},
      {false, {Order::kBackward, 0, 64, true, true}},
  };
  for (const auto& [audited, schedule] : runs) {
    RunOptions options;
    options.schedule = schedule;
    const RunReport report = Run(audited ? *decoded : *plain, options);
    if (report.trap) return TrapText(*report.trap, module);
    if (!report.Exact()) return "the output is not exact";
    const std::string difference = Difference(report, *program.inputs.expected);
    if (!difference.empty()) return difference;
  }
  return "";
}

std::string Key(StatementKind kind, std::string_view type, bool divergent) {
  std::string key(NameOf(kind));
  if (!type.empty()) key += " " + std::string(type);
  return key + (divergent ? " divergent" : " uniform");
}

std::string_view TypeNameOf(const generate::Tree& tree, const generate::Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kAssign:
      return NameOf(tree.variables[statement.target.variable].TypeOf(statement.target.member));
    case StatementKind::kGroup:
      return NameOf(static_cast<generate::GroupOperation>(statement.number));
    case StatementKind::kLoop:
      return statement.value == generate::kNone ? "constant" : "computed";
    case StatementKind::kBreak:
    case StatementKind::kBreakSwitch:
    case StatementKind::kContinue:
      return statement.value == generate::kNone ? "" : "with condition";
    default:
      return "";
  }
}

std::string ConversionOf(generate::Scalar from, generate::Scalar to) {
  using generate::Type;
  return format("conversion from {} to {}", NameOf(Type{from, 1}), NameOf(Type{to, 1}));
}

constexpr const char* kFloatDivision = "division of floats";
constexpr const char* kTexelAssignment = "assignment to a texel of a storage image";
constexpr const char* kTests[] = {"with the first test after the header",
                                  "with the test in the header", "with the test at the end"};

void List(const generate::Tree& tree, const generate::Block& block, std::set<std::string>* keys) {
  for (const generate::Statement& statement : block) {
    keys->insert(Key(statement.kind, TypeNameOf(tree, statement), statement.divergent));
    const auto note = [&](const std::string& what) {
      keys->insert(what + (statement.divergent ? " divergent" : " uniform"));
    };
    if (statement.kind == StatementKind::kAssign &&
        tree.variables[statement.target.variable].storage == generate::Storage::kTexel) {
      note(kTexelAssignment);
    }
    if (statement.kind == StatementKind::kLoop) {
      note(format("loop {}", kTests[static_cast<size_t>(statement.test)]));
      if (statement.blocks.size() > 1) note("loop with statements at the end of a round");
    } else if (statement.kind == StatementKind::kSwitch) {
      const size_t count = statement.blocks.size();
      const bool is_last = statement.number + 1 == count;
      note(is_last ? "switch with the default last" : "switch with the default elsewhere");
      for (size_t i = 0; i + 1 < count; ++i) {
        if (!statement.falls_through[i]) continue;
        if (statement.number == i) note("switch that falls out of the default");
        if (statement.number == i + 1) note("switch that falls into the default");
        if (statement.number != i && statement.number != i + 1) note("switch that falls through");
      }
    }
    if (statement.dead_end) keys->insert("dead code");
    for (const generate::Block& inner : statement.blocks) List(tree, inner, keys);
  }
}

}  // namespace

std::string FaultOf(const ProgramRecipe& recipe, GeneratedProgram* program) {
  Result<GeneratedProgram> made = MakeProgram(recipe);
  *program = made ? std::move(*made) : MakeModule(recipe);
  const Result<Module> module = ReadModule(program->words, "generated program");
  if (!module) return module.error().message;
  if (Status valid = CheckModule(*module); !valid) return "our rules: " + valid.error().message;
  if (Status valid = Validate(program->words, TargetEnvironment::kVulkan11); !valid) {
    return "spirv-val: " + valid.error().message;
  }
  return made ? FaultOfRuns(recipe, *program, *module) : made.error().message;
}

void CountConstructs(const generate::Tree& tree, std::map<std::string, uint64_t>* programs) {
  std::set<std::string> keys;
  for (const generate::Function& function : tree.functions) List(tree, function.body, &keys);
  for (const generate::Expression& node : tree.expressions) {
    keys.insert("expression with " + std::string(NameOf(node.op)));
    if (node.op == generate::Operator::kDivide && node.type.IsFloat()) keys.insert(kFloatDivision);
    if (node.op != generate::Operator::kConvert) continue;
    keys.insert(ConversionOf(tree.expressions[node.a].type.scalar, node.type.scalar));
  }
  for (const std::string& key : keys) ++(*programs)[key];
}

std::vector<std::string> AllConstructs(const generate::GenerateOptions& options) {
  std::vector<std::string> all = {"dead code"};
  const bool bounded = options.floats == generate::Floats::kBounded;
  if (bounded) all.emplace_back(kFloatDivision);
  for (const generate::Scalar from : ScalarsOf(options)) {
    for (const generate::Scalar to : ScalarsOf(options)) {
      if (from != to) all.push_back(ConversionOf(from, to));
    }
  }
  for (uint32_t i = 0; i < static_cast<uint32_t>(generate::Operator::kCount); ++i) {
    const auto op = static_cast<generate::Operator>(i);
    if (op == generate::Operator::kDerivative) continue;  // only in fragment shaders
    if (!bounded && op >= generate::Operator::kSqrt && op <= generate::Operator::kAtan) continue;
    all.push_back("expression with " + std::string(NameOf(op)));
  }
  for (const bool divergent : {false, true}) {
    for (const generate::Scalar scalar : ScalarsOf(options)) {
      for (uint8_t components = 1; components <= 4; ++components) {
        const generate::Type type = {scalar, components};
        all.push_back(Key(StatementKind::kAssign, NameOf(type), divergent));
      }
    }
    for (const StatementKind kind :
         {StatementKind::kIf, StatementKind::kSwitch, StatementKind::kBreak,
          StatementKind::kBreakSwitch, StatementKind::kContinue, StatementKind::kReturn,
          StatementKind::kCall}) {
      all.push_back(Key(kind, "", divergent));
    }
    for (const StatementKind kind :
         {StatementKind::kBreak, StatementKind::kBreakSwitch, StatementKind::kContinue}) {
      all.push_back(Key(kind, "with condition", divergent));
    }
    const std::string name = divergent ? " divergent" : " uniform";
    if (options.storage_images != 0) all.push_back(kTexelAssignment + name);
    for (const char* test : kTests) all.push_back(format("loop {}", test) + name);
    for (const char* what :
         {"loop with statements at the end of a round", "switch with the default last",
          "switch with the default elsewhere", "switch that falls out of the default",
          "switch that falls into the default", "switch that falls through"}) {
      all.push_back(what + name);
    }
    for (const std::string_view rounds : {"constant", "computed"}) {
      all.push_back(Key(StatementKind::kLoop, rounds, divergent));
    }
    // What all invocations of a workgroup compute together is uniform.
    all.push_back(
        Key(StatementKind::kGroup, NameOf(generate::GroupOperation::kExchange), divergent));
  }
  using generate::GroupOperation;
  for (const GroupOperation operation : {GroupOperation::kAtomicAdd, GroupOperation::kAtomicOr,
                                         GroupOperation::kAtomicXor, GroupOperation::kAtomicMax}) {
    all.push_back(Key(StatementKind::kGroup, NameOf(operation), false));
  }
  return all;
}

}  // namespace refract::test
