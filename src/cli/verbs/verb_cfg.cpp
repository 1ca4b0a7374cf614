// SPDX-License-Identifier: Apache-2.0
// refract cfg check MODULE|DIR...: checks the control flow of every function with the rules of
// ir/rules/flow_rules.h, and reports where spirv-val has another result.
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counted.h"
#include "cfg/skeleton.h"
#include "cli/original_options.h"
#include "cli/verbs.h"
#include "files/module_files.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/rules/flow_quirks.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct CfgCheckArguments {
  std::vector<std::string> modules;
  std::string environment, mode = "strict";
  bool table = false;
  uint64_t validator_limit = kValidatorSeconds;
};

void Declare(CfgCheckArguments& given, Options& options) {
  options.Arguments("MODULE", &given.modules,
                    ".spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, .rgen, "
                    ".rint, .rahit, .rchit, .rmiss or .rcall "
                    "files, or folders of them");
  options.Text(
      "--target-env", "ENV", &given.environment,
      "Environment for spirv-val, such as vulkan1.1 or spv1.3 (default: the universal environment "
      "of the SPIR-V version, so that errors of other kinds do not hide errors in control flow)");
  options.Choice("--mode", &given.mode, {"strict", "letter", "spirv-val", "older"},
                 "How to read the rules of the specification. strict: as tools agree where the "
                 "text is unclear. letter: word for word. spirv-val: as spirv-val 2023.1 reads "
                 "them. older: as before revision 2 of SPIR-V 1.6");
  DeclareValidatorLimit(options, &given.validator_limit);
  options.Flag("--table", &given.table,
               "First print a line for each function: its blocks, headers, loops and switches, and "
               "whether the control-flow rules and spirv-val accept it");
}

FlowMode ModeOf(const std::string& name) {
  if (name == "letter") return FlowMode::kLetter;
  if (name == "spirv-val") return FlowMode::kSpirvVal;
  return name == "older" ? FlowMode::kOlder : FlowMode::kStrict;
}

// The counts and lists for all modules.
struct CfgCheckReport {
  uint64_t modules = 0, functions = 0, refused = 0, unjudged = 0;
  std::map<std::string, uint64_t> differences;  // by quirk; "": no known quirk
  Json faults = Json::array(), unreadable = Json::array(), table = Json::array();
  std::string lines;
};

// A row of the table: the size of the function, and the results of the rules and of spirv-val.
Json RowOf(const std::string& file, const Module& module, const FlowJudgement& judged) {
  uint32_t blocks = 0, headers = 0, loops = 0, switches = 0;
  if (const Result<cfg::Graph> graph = cfg::ReadGraph(module, judged.function)) {
    blocks = graph->size();
    for (const cfg::GraphBlock& block : graph->blocks) {
      headers += block.is_header() ? 1 : 0;
      loops += block.is_loop() ? 1 : 0;
      switches += block.is_switch ? 1 : 0;
    }
  }
  constexpr const char* kVerdicts[] = {"accepted", "refused", "unknown"};
  return {{"file", file},
          {"function", CalledWithName(module, module.FunctionId(judged.function))},
          {"blocks", blocks},
          {"headers", headers},
          {"loops", loops},
          {"switches", switches},
          {"rules", judged.fault ? std::string(judged.fault->rule) : "accepted"},
          {"spirv_val", kVerdicts[static_cast<size_t>(judged.spirv_val)]}};
}

std::string TableText(const Json& table) {
  if (table.empty()) return {};
  std::string text = format("{:>6} {:>7} {:>5} {:>8}  {:<9} {:<9} {}\n", "blocks", "headers",
                            "loops", "switches", "spirv-val", "rules", "function");
  for (const Json& row : table) {
    text += format("{:>6} {:>7} {:>5} {:>8}  {:<9} {:<9} {}: {}\n", row["blocks"].get<uint32_t>(),
                   row["headers"].get<uint32_t>(), row["loops"].get<uint32_t>(),
                   row["switches"].get<uint32_t>(), row["spirv_val"].get<std::string>(),
                   row["rules"] == "accepted" ? "accepted" : "refused",
                   row["file"].get<std::string>(), row["function"].get<std::string>());
  }
  return text;
}

std::string QuirkInWords(const FlowJudgement& judged) {
  return judged.quirk.empty() ? std::string("no known quirk") : std::string(judged.quirk);
}

std::string LineOf(const Module& module, const FlowJudgement& judged) {
  std::string line;
  if (judged.fault) {
    line = Describe(module, *judged.fault);
    if (judged.differ())
      line += format("; spirv-val accepts the function ({})", QuirkInWords(judged));
    return line;
  }
  return format("accepted: function {}; spirv-val refuses the function ({}): {}",
                CalledWithName(module, module.FunctionId(judged.function)), QuirkInWords(judged),
                judged.message);
}

Json AsJson(const std::string& file, const Module& module, const FlowJudgement& judged) {
  Json json = {{"file", file},
               {"function", CalledWithName(module, module.FunctionId(judged.function))},
               {"rule", nullptr},
               {"what", ""},
               {"blocks", Json::array()},
               {"spirv_val", nullptr},
               {"message", judged.message},
               {"quirk", nullptr}};
  if (judged.fault) {
    json["rule"] = judged.fault->rule;
    json["what"] = judged.fault->what;
    for (Block block : judged.fault->blocks) {
      json["blocks"].push_back(CalledWithName(module, module.LabelId(block)));
    }
  }
  if (judged.spirv_val != SpirvValVerdict::kUnknown) {
    json["spirv_val"] = judged.spirv_val == SpirvValVerdict::kAccepted;
  }
  if (judged.differ()) json["quirk"] = judged.quirk;
  return json;
}

Status CheckFile(const std::string& file, const CfgCheckArguments& given, Console& console,
                 CfgCheckReport* report) {
  const Result<LoadedModule> loaded = LoadModuleFor(console, file);
  if (!loaded) return loaded.error();
  const Result<Module> module = ReadModule(loaded->words, file);
  if (!module) return module.error();
  TargetEnvironment environment = UniversalEnvironment(module->version());
  if (!given.environment.empty()) environment = *ParseTargetEnvironment(given.environment);
  ++report->modules;
  ValidationOptions options;
  options.seconds = static_cast<uint32_t>(given.validator_limit);
  const auto invalid = FindInvalidWithin(loaded->words, environment, options);
  if (invalid && invalid->unfinished) console.Warn(format("{}: {}", file, invalid->message));
  for (const FlowJudgement& judged : JudgeFlow(*module, invalid, ModeOf(given.mode))) {
    ++report->functions;
    report->refused += judged.fault ? 1 : 0;
    if (given.table) report->table.push_back(RowOf(file, *module, judged));
    report->unjudged += judged.spirv_val == SpirvValVerdict::kUnknown ? 1 : 0;
    if (judged.differ()) ++report->differences[std::string(judged.quirk)];
    if (!judged.fault && !judged.differ()) continue;
    report->lines += format("{}: {}\n", file, LineOf(*module, judged));
    report->faults.push_back(AsJson(file, *module, judged));
  }
  return {};
}

std::string Summary(const CfgCheckReport& report) {
  std::string text = format("{}, {}: {} accepted, {} refused", Counted(report.modules, "module"),
                            Counted(report.functions, "function"),
                            report.functions - report.refused, report.refused);
  if (report.unjudged > 0) text += format(", {} not checked by spirv-val", report.unjudged);
  text += "; differences from spirv-val: ";
  if (report.differences.empty()) return text + "none\n";
  const char* separator = "";
  for (const auto& [quirk, count] : report.differences) {
    text += format("{}{} {}", separator, count, quirk.empty() ? "without a known quirk" : quirk);
    separator = ", ";
  }
  return text + "\n";
}

Json AsJson(const CfgCheckReport& report) {
  Json differences = Json::array();
  for (const auto& [quirk, count] : report.differences) {
    differences.push_back({{"quirk", quirk}, {"functions", count}});
  }
  return {{"modules", report.modules},
          {"functions", report.functions},
          {"accepted", report.functions - report.refused},
          {"refused", report.refused},
          {"unjudged", report.unjudged},
          {"differences", differences},
          {"faults", report.faults},
          {"unreadable", report.unreadable},
          {"table", report.table}};
}

Result<ExitCode> Run(const CfgCheckArguments& given, Console& console) {
  if (given.modules.empty()) return Error{"no module given", ErrorKind::kUsage};
  if (!given.environment.empty()) {
    const Result<TargetEnvironment> asked = ParseTargetEnvironment(given.environment);
    if (!asked) return Error{asked.error().message, ErrorKind::kUsage};
  }
  CfgCheckReport report;
  const auto unreadable = [&](const Error& error) {
    console.PrintError(error.message);
    report.unreadable.push_back(error.message);
  };
  for (const std::string& path : given.modules) {
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) {
      unreadable(files.error());
      continue;
    }
    for (const std::string& file : *files) {
      if (const Status judged = CheckFile(file, given, console, &report); !judged) {
        unreadable(judged.error());
      }
    }
  }
  console.Print(console.json ? AsJson(report).dump(2) + "\n"
                             : TableText(report.table) + report.lines + Summary(report));
  if (!report.unreadable.empty()) return kBadInput;
  return report.refused > 0 ? kFinding : kDone;
}

const Verb kCfgCheckVerb = {
    .name = "check",
    .summary =
        "Check the control flow of every function against each rule, and compare with spirv-val",
    .example = "refract cfg check references tests/modules/loop_shapes.spvasm",
    .exit_codes = {{kFinding,
                    "a function breaks a rule (it does not matter whether spirv-val agrees)"}},
    .main_options = {"--mode", "--target-env", "--table", "--validator-limit", "--json"},
    .declare = DeclareVerb<CfgCheckArguments, Declare, Run>,
};

}  // namespace

const Verb kCfgVerb = {
    .name = "cfg",
    .summary = "Check control flow, make and list control-flow graphs, analyse divergence",
    .example = "refract cfg check references",
    .exit_codes = {},
    .parts = {&kCfgCheckVerb, &kCfgDivergenceVerb, &kCfgGenerateVerb, &kCfgEnumerateVerb,
              &kCfgCountVerb, &kCfgMineVerb},
};

}  // namespace cli
}  // namespace refract
