// SPDX-License-Identifier: Apache-2.0
// The control-flow rules on tests/cfg, in every version and mode, compared with spirv-val; and on
// random graphs, compared with the definitions taken literally.
#include "ir/rules/flow_rules.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "ir/binary.h"
#include "ir/rules/flow_quirks.h"
#include "ir/tools.h"
#include "unit/shared/cfg_sample.h"
#include "unit/shared/cfg_text.h"
#include "unit/shared/flow_rules_slow.h"

namespace refract {
namespace {

using test::CfgBlock;

struct CfgCase {
  std::string name, text, neighbour;
  std::map<uint32_t, std::string> wanted;  // what each minor version gives (InWords)
};

// Reads the comment lines "; 1.3: ..." (the expected text) and "; NEIGHBOUR: name".
std::map<std::string, CfgCase> Cases() {
  std::map<std::string, CfgCase> cases;
  const auto files = ListFiles(REFRACT_SOURCE_DIR "/tests/cfg");
  EXPECT_TRUE(files);
  if (!files) return cases;
  for (const std::string& file : *files) {
    if (Extension(file) != ".spvasm") continue;
    CfgCase one;
    one.name = file.substr(file.rfind('/') + 1);
    one.name.resize(one.name.size() - 7);
    one.text = *ReadFile(file);
    for (const std::string& line : Split(one.text, '\n')) {
      if (line.starts_with("; NEIGHBOUR: ")) one.neighbour = line.substr(13);
      if (line.starts_with("; 1.") && line[5] == ':') one.wanted[line[4] - '0'] = line.substr(7);
    }
    cases[one.name] = one;
  }
  return cases;
}

struct Judged {
  std::vector<uint32_t> words;
  Module module;
  std::vector<FlowJudgement> judgements;
};

Judged Judge(const std::string& text, uint32_t minor) {
  const TargetEnvironment environment = UniversalEnvironment(VersionWord(1, minor));
  Judged judged;
  auto words = Assemble(text, environment);
  EXPECT_TRUE(words) << words.error().message << "\n" << text;
  if (!words) return judged;
  judged.words = *words;
  auto module = ReadModule(judged.words, "test");
  EXPECT_TRUE(module) << module.error().message;
  if (!module) return judged;
  judged.module = std::move(*module);
  judged.judgements = JudgeFlow(judged.module, FindInvalid(judged.words, environment));
  return judged;
}

std::string RuleOf(const Module& module, FlowMode mode) {
  const auto fault = FindFlowFault(module, module.first_function(), mode);
  return fault ? std::string(fault->rule) : "accepted";
}

// "strict RULE, letter RULE, spirv-val RULE, older RULE; spirv-val accepts: QUIRK".
std::string InWords(const Judged& judged) {
  const FlowJudgement& one = judged.judgements[0];
  std::string text;
  for (const auto& [name, mode] :
       {std::pair("strict ", FlowMode::kStrict), std::pair(", letter ", FlowMode::kLetter),
        std::pair(", as spirv-val ", FlowMode::kSpirvVal),
        std::pair(", older ", FlowMode::kOlder)}) {
    text += name + RuleOf(judged.module, mode);
  }
  constexpr const char* kVerdicts[] = {"accepts", "refuses", "says nothing"};
  text += format("; spirv-val {}", kVerdicts[static_cast<size_t>(one.spirv_val)]);
  if (one.differ()) text += format(": {}", one.quirk.empty() ? "no known quirk" : one.quirk);
  return text;
}

TEST(FlowRules, CasesGiveTheExpectedText) {
  std::set<std::string> quirks;
  for (const auto& [name, one] : Cases()) {
    ASSERT_TRUE(one.wanted.count(3) != 0 && one.wanted.count(6) != 0) << name;
    for (uint32_t minor = 0; minor <= 6; ++minor) {
      const Judged judged = Judge(one.text, minor);
      ASSERT_EQ(judged.judgements.size(), 1u) << name;
      const std::string& wanted = one.wanted.at(minor == 6 ? 6 : 3);
      EXPECT_EQ(InWords(judged), wanted)
          << "tests/cfg/" << name << ".spvasm in version 1." << minor;
      const FlowJudgement& judgement = judged.judgements[0];
      quirks.insert(std::string(judgement.quirk));
      if (judgement.spirv_val != SpirvValVerdict::kRefused) continue;
      const auto refusal = FindInvalid(judged.words, UniversalEnvironment(VersionWord(1, minor)));
      ASSERT_TRUE(refusal);
      EXPECT_EQ(QuirkOfRefusal(judged.module, *refusal), judgement.fault ? "" : judgement.quirk);
    }
  }
  for (const FlowQuirk& quirk : FlowQuirks()) {
    EXPECT_EQ(quirks.count(std::string(quirk.name)), 1u) << quirk.name << " is in no file";
  }
}

// Each rule refuses a file whose neighbour, which differs in a few lines, is accepted.
TEST(FlowRules, EveryRuleRefusesACase) {
  const std::map<std::string, CfgCase> cases = Cases();
  std::set<std::string> seen = {"nesting_is_limited"};  // tested below
  for (const auto& [name, one] : cases) {
    for (uint32_t minor : {3u, 6u}) {
      const Judged judged = Judge(one.text, minor);
      ASSERT_EQ(judged.judgements.size(), 1u);
      const auto& fault = judged.judgements[0].fault;
      if (!fault || one.neighbour.empty()) continue;
      ASSERT_EQ(cases.count(one.neighbour), 1u) << name;
      const Judged other = Judge(cases.at(one.neighbour).text, minor);
      EXPECT_FALSE(other.judgements[0].fault) << name << ": " << one.neighbour;
      const auto diff = DisassemblyDiff(judged.words, other.words);
      ASSERT_TRUE(diff);
      EXPECT_LE(diff->added + diff->removed, 12u) << name << ": " << one.neighbour;
      seen.insert(std::string(fault->rule));
    }
  }
  for (const FlowRule& rule : FlowRules()) {
    EXPECT_EQ(seen.count(std::string(rule.name)), 1u) << rule.name << " refuses nothing";
    EXPECT_EQ(FindFlowRule(rule.name), &rule);
  }
}

TEST(FlowRules, PagesListAllRulesAndQuirks) {
  const std::string rules = *ReadFile(REFRACT_SOURCE_DIR "/docs/control-flow.md");
  for (const FlowRule& rule : FlowRules()) {
    const std::string row = format("| `{}` | {} | {} |", rule.name, rule.section, rule.text);
    EXPECT_NE(rules.find(row), std::string::npos) << "docs/control-flow.md wants the row\n" << row;
  }
  const std::string quirks = *ReadFile(REFRACT_SOURCE_DIR "/docs/validator-quirks.md");
  for (const FlowQuirk& quirk : FlowQuirks()) {
    EXPECT_NE(quirks.find(format("| `{}` |", quirk.name)), std::string::npos)
        << "docs/validator-quirks.md has no row for " << quirk.name;
  }
}

// `depth` nested selections; each arm except the innermost is the next selection.
std::string Nested(int depth) {
  std::string graph;
  for (int i = 0; i < depth; ++i) {
    graph += format("{}S[m{}]>{},{} ", i, depth + 1 + i, i + 1, depth + 1 + i);
  }
  graph += format("{}>{}", depth, 2 * depth);
  for (int i = depth; i-- > 1;) graph += format(" {}>{}", depth + 1 + i, depth + i);
  return graph + format(" {}>ret", depth + 1);
}

std::string RuleOf(const std::string& graph) {
  const std::string text = test::CfgAssembly(test::ParseCfg(graph), [](int) { return ""; });
  const auto words = Assemble(text, TargetEnvironment::kUniversal13);
  const auto module = ReadModule(*words, "test");
  return RuleOf(*module, FlowMode::kStrict);
}

TEST(FlowRules, NestingIsLimited) {
  EXPECT_EQ(RuleOf(Nested(1023)), "accepted");
  EXPECT_EQ(RuleOf(Nested(1024)), "nesting_is_limited");
  EXPECT_EQ(RuleOf(Nested(4000)), "nesting_is_limited");
}

// 6,000 cases, each with a break and a fall-through into the next: the time must not grow
// quadratically.
TEST(FlowRules, AWideSwitchIsFast) {
  constexpr int kCases = 6000;
  std::string graph = "0W[m1]>1", rest;
  for (int i = 2; i < kCases + 2; ++i) {
    graph += format(",{}", i);
    rest += format(" {}>{},1", i, i + 1);
  }
  EXPECT_EQ(RuleOf(graph + format(",{} 1>ret", kCases + 2) + rest + format(" {}>1", kCases + 2)),
            "accepted");
}

void Mutate(std::map<int, CfgBlock>* blocks, Random* random) {
  const int n = static_cast<int>(blocks->size());
  const auto any = [&] { return static_cast<int>(random->Below(n)); };
  CfgBlock& block = blocks->at(any());
  switch (random->Below(8)) {
    case 0:
      block.kind = ' ';
      block.merge = block.continue_target = -1;
      if (block.targets.size() > 2) block.targets.resize(2);
      break;
    case 1:
      if (block.targets.size() == 2 || block.kind == 'L') {
        block.kind = random->Below(2) != 0 ? 'L' : block.targets.size() == 2 ? 'S' : 'L';
        block.merge = any();
        block.continue_target = block.kind == 'L' ? any() : -1;
      }
      break;
    case 2:
      if (block.kind != 'L' && !block.targets.empty()) {
        if (block.kind == ' ') block.merge = any();
        block.kind = 'W';
        block.targets.push_back(any());
      }
      break;
    case 3:
      if (block.kind == ' ') block.targets = {any()};
      break;
    case 4:
      if (block.kind == ' ') block.targets = {any(), any()};
      break;
    case 5:
      if (block.merge >= 0) block.merge = any();
      break;
    case 6:
      if (block.continue_target >= 0) block.continue_target = any();
      break;
    default:
      if (!block.targets.empty()) block.targets[random->Below(block.targets.size())] = any();
  }
}

std::string InText(const std::map<int, CfgBlock>& blocks) {
  std::string text;
  for (const auto& [number, block] : blocks) {
    text += format("{}", number);
    if (block.kind != ' ') text += format("{}[m{}", block.kind, block.merge);
    if (block.continue_target >= 0) text += format("c{}", block.continue_target);
    text += block.kind != ' ' ? "]>" : ">";
    for (size_t i = 0; i < block.targets.size(); ++i) {
      text += format("{}{}", i == 0 ? "" : ",", block.targets[i]);
    }
    text += block.targets.empty() ? "ret " : " ";
  }
  return text;
}

// True if the function has the shape of that quirk.
bool HasShape(const Judged& judged, std::string_view name) {
  const FlowConstructs flow(judged.module, judged.module.first_function(), FlowMode::kStrict);
  for (const FlowQuirk& quirk : FlowQuirks()) {
    if (quirk.name == name) return quirk.fits(flow, nullptr, Block::kNone);
  }
  ADD_FAILURE() << "no quirk " << name;
  return false;
}

// Graphs that keep the rules by construction are accepted. Where spirv-val disagrees there is a
// quirk, and almost no other graph has the shape of the quirk.
TEST(FlowRules, ConstructedGraphsAreAccepted) {
  const char* wanted = std::getenv("REFRACT_GRAPHS");
  const int count = wanted != nullptr ? std::atoi(wanted) : 2000;
  int shaped = 0;  // graphs with the shape of the quirk that spirv-val accepts
  for (int i = 0; i < count && (wanted != nullptr || !HasFailure()); ++i) {
    const auto blocks = test::CfgSample(i, 4 + i % 16).Make();
    const std::string text = InText(blocks);
    SCOPED_TRACE(text);
    const Judged judged = Judge(test::CfgAssembly(blocks, [](int) { return ""; }), 3);
    ASSERT_EQ(judged.judgements.size(), 1u);
    const FlowJudgement& one = judged.judgements[0];
    EXPECT_FALSE(one.fault) << Describe(judged.module, *one.fault);
    if (blocks.size() < 16) {
      EXPECT_TRUE(test::SlowRules(blocks).Broken().empty());
    }
    EXPECT_NE(one.spirv_val, SpirvValVerdict::kUnknown);
    EXPECT_TRUE(!one.differ() || !one.quirk.empty()) << one.message;
    shaped += !one.differ() && HasShape(judged, "case_exit_by_depth") ? 1 : 0;
    if (wanted != nullptr && one.differ()) std::puts(format("{}: {}", one.quirk, text).c_str());
  }
  EXPECT_LE(shaped, 1 + count / 1000);
}

// Graphs close to valid ones: the definitions also find the rule that the checker names broken, and
// none if the checker names none. Where spirv-val disagrees there is a quirk.
TEST(FlowRules, RandomGraphsAgreeWithTheDefinitions) {
  Random random(1);
  int accepted = 0, differences = 0;
  const char* wanted = std::getenv("REFRACT_GRAPHS");
  const int count = wanted != nullptr ? std::atoi(wanted) : 4000;
  std::set<std::string> rules;
  for (int i = 0; i < count && (wanted != nullptr || !HasFailure()); ++i) {
    const std::vector<std::string>& valid = test::ValidCfgs();
    auto blocks = test::ParseCfg(valid[random.Below(valid.size())]);
    for (uint64_t mutations = random.Below(4); mutations-- > 0;) Mutate(&blocks, &random);
    const std::string text = InText(blocks);
    SCOPED_TRACE(text);
    const Judged judged = Judge(test::CfgAssembly(blocks, [](int) { return ""; }), 3);
    ASSERT_EQ(judged.judgements.size(), 1u);
    const FlowJudgement& one = judged.judgements[0];
    const std::string rule(one.fault ? one.fault->rule : "");
    if (one.fault && FindFlowRule(rule)->scope == FlowScope::kEvery) continue;
    rules.insert(rule);
    const std::set<std::string> broken = test::SlowRules(blocks).Broken();
    std::string all;
    for (const std::string& name : broken) all += " " + name;
    EXPECT_EQ(broken.empty(), rule.empty()) << "found " << rule << ", by the definitions" << all;
    EXPECT_TRUE(rule.empty() || broken.count(rule) != 0) << rule << ", by the definitions" << all;
    accepted += rule.empty() ? 1 : 0;
    if (!one.differ()) continue;
    ++differences;
    if (wanted != nullptr) std::puts(format("{}: {}", one.quirk, text).c_str());
    EXPECT_FALSE(one.quirk.empty()) << "found " << rule << "; spirv-val: " << one.message;
  }
  EXPECT_GE(accepted, count / 8);
  EXPECT_GE(differences, count / 400);
  EXPECT_GE(rules.size(), 18u);
}

}  // namespace
}  // namespace refract
