// SPDX-License-Identifier: Apache-2.0
// refract cfg divergence MODULE: prints for each block which values and which control flow are the
// same for several invocations (ir/divergence/divergence.h).
#include <nlohmann/json.hpp>
#include <string>

#include "cli/original_options.h"
#include "cli/verbs.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/divergence/divergence.h"
#include "ir/grammar/grammar.h"
#include "ir/rules/flow_rules.h"
#include "ir/tools.h"
#include "ir/types.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct CfgDivergenceArguments {
  std::string module;
};

void Declare(CfgDivergenceArguments& given, Options& options) {
  options.Argument("MODULE", &given.module,
                   "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, "
                   ".rgen, .rint, .rahit, .rchit, .rmiss or .rcall file");
}

std::string_view OpcodeName(const Module& module, Inst inst) {
  const OpcodeGrammar* grammar = GrammarOf(module.Opcode(inst));
  return grammar == nullptr ? std::string_view("unknown") : grammar->name;
}

// The values that the instructions of a block define.
Json ValuesOf(const Module& module, Block block) {
  Json values = Json::array();
  ForEachInstruction(module, block, [&](Inst inst) {
    const Id id = module.Result(inst), type = module.Type(inst);
    if (id == Id::kNone || type == Id::kNone || module.Opcode(inst) == spv::Op::OpFunction ||
        TypeOpcode(module, type) == spv::Op::OpTypeVoid) {
      return;
    }
    values.push_back({{"id", CalledWithName(module, id)},
                      {"opcode", OpcodeName(module, inst)},
                      {"class", NameOf(module.Divergence().Of(id))}});
  });
  return values;
}

Json AsJson(const Module& module) {
  Json functions = Json::array();
  ForEachFunction(module, [&](Function function) {
    Json blocks = Json::array();
    ForEachBlock(module, function, [&](Block block) {
      blocks.push_back({{"block", CalledWithName(module, module.LabelId(block))},
                        {"control", NameOf(module.Divergence().ControlOf(block))},
                        {"values", ValuesOf(module, block)}});
    });
    functions.push_back({{"function", CalledWithName(module, module.FunctionId(function))},
                         {"parameters", ValuesOf(module, module[function].head)},
                         {"blocks", blocks}});
  });
  return {{"functions", functions}};
}

std::string LinesOf(const Json& values) {
  std::string lines;
  for (const Json& value : values) {
    lines += format("    {:<10} {} = {}\n", value["class"].get<std::string>(),
                    value["id"].get<std::string>(), value["opcode"].get<std::string>());
  }
  return lines;
}

std::string AsText(const Json& json) {
  std::string text;
  for (const Json& function : json["functions"]) {
    text += format("function {}\n", function["function"].get<std::string>());
    text += LinesOf(function["parameters"]);
    for (const Json& block : function["blocks"]) {
      text += format("  {:<12} block {}\n", block["control"].get<std::string>(),
                     block["block"].get<std::string>());
      text += LinesOf(block["values"]);
    }
  }
  return text;
}

Result<ExitCode> Run(const CfgDivergenceArguments& given, Console& console) {
  const Result<LoadedModule> loaded = LoadModuleFor(console, given.module);
  if (!loaded) return loaded.error();
  if (const auto invalid =
          FindInvalidWithin(loaded->words, UniversalEnvironment(loaded->words[1]))) {
    return Error{format("{}: {}{}", given.module,
                        invalid->unfinished ? "" : "not valid: ", OneLine(*invalid))};
  }
  const Result<Module> module = ReadModule(loaded->words, given.module);
  if (!module) return module.error();
  const Json json = AsJson(*module);
  console.Print(console.json ? json.dump(2) + "\n" : AsText(json));
  return kDone;
}

}  // namespace

const Verb kCfgDivergenceVerb = {
    .name = "divergence",
    .summary =
        "Print the divergence of each value and block: constant, draw, workgroup, subgroup, quad "
        "or divergent",
    .example = "refract cfg divergence references/generations.comp",
    .exit_codes = {},
    .main_options = {"--json"},
    .declare = DeclareVerb<CfgDivergenceArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
