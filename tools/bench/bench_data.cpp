// SPDX-License-Identifier: Apache-2.0
#include "bench_data.h"

#include <cstdlib>
#include <map>

#include "base/check.h"
#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "engine/apply_step.h"
#include "glsl/load.h"
#include "input/inputs.h"
#include "ir/binary.h"
#include "transform/registry.h"

namespace refract::bench {
namespace {

constexpr std::string_view kHead =
    "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
    "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
    "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%int = OpTypeInt 32 1\n%bool = OpTypeBool\n"
    "%ii = OpTypeFunction %int %int\n%one = OpConstant %int 1\n%ten = OpConstant %int 10\n";

/// A loop whose body is a selection with arithmetic: 22 instructions, 6 blocks.
std::string LoopText(const std::string& n) {
  std::string text = format("OpBranch %h{0}\n%h{0} = OpLabel\n", n);
  text += format("%i{0} = OpPhi %int %one %p{0} %j{0} %c{0}\n", n);
  text += format("OpLoopMerge %m{0} %c{0} None\nOpBranch %t{0}\n%t{0} = OpLabel\n", n);
  text +=
      format("%b{0} = OpSLessThan %bool %i{0} %ten\nOpBranchConditional %b{0} %y{0} %m{0}\n", n);
  text += format("%y{0} = OpLabel\n%a{0} = OpIAdd %int %i{0} %arg\n", n);
  text += format("%d{0} = OpIMul %int %a{0} %ten\n%e{0} = OpISub %int %d{0} %a{0}\n", n);
  text += format("OpSelectionMerge %s{0} None\nOpBranchConditional %b{0} %x{0} %s{0}\n", n);
  text += format("%x{0} = OpLabel\n%f{0} = OpIAdd %int %e{0} %one\nOpBranch %s{0}\n", n);
  text += format("%s{0} = OpLabel\nOpBranch %c{0}\n", n);
  text += format("%c{0} = OpLabel\n%j{0} = OpIAdd %int %i{0} %one\nOpBranch %h{0}\n", n);
  text += format("%m{0} = OpLabel\n", n);
  return text;
}

std::string FunctionText(const std::string& name, size_t parts) {
  std::string text = format("%{0} = OpFunction %int None %ii\n", name);
  // The block before part k is called p<k>, so that the phis can name their predecessors.
  std::string body;
  for (size_t k = 0; k < parts; ++k) body += LoopText(format("{}_{}", name, k));
  text += "%arg = OpFunctionParameter %int\n" + format("%p{}_0 = OpLabel\n", name) + body;
  text += "OpReturnValue %arg\nOpFunctionEnd\n";
  for (size_t k = 1; k < parts; ++k) {
    const std::string wanted = format("%p{}_{} ", name, k);
    const std::string there = format("%m{}_{} ", name, k - 1);
    text.replace(text.find(wanted), wanted.size(), there);
  }
  // The names of parameters contain the name of the function.
  const std::string own = format("%arg{}", name);
  for (size_t at = 0; (at = text.find("%arg", at)) != std::string::npos; at += own.size()) {
    text.replace(at, 4, own);
  }
  return text;
}

std::vector<uint32_t> Build(size_t functions, size_t parts) {
  std::string text(kHead);
  for (size_t f = 0; f < functions; ++f) text += FunctionText(format("f{}", f), parts);
  text += "%main = OpFunction %void None %fn\n%entry = OpLabel\n";
  for (size_t f = 0; f < functions; ++f) {
    text += format("%call{0} = OpFunctionCall %int %f{0} %one\n", f);
  }
  text += "OpReturn\nOpFunctionEnd\n";
  Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kUniversal13);
  CHECK(words.has_value());
  return std::move(*words);
}

}  // namespace

namespace {

Original LoadShader(const std::string& folder, const std::string& name) {
  const std::string file = REFRACT_SOURCE_DIR "/" + folder + name;
  Result<LoadedModule> loaded = LoadModuleFile(file);
  CHECK(loaded.has_value());
  Result<Inputs> inputs = LoadInputs(ReplaceExtension(file, ".json"));
  CHECK(inputs.has_value());
  Result<Original> original = MakeOriginal(std::move(loaded->words), name,
                                           std::make_shared<const Inputs>(std::move(*inputs)), {});
  CHECK(original.has_value());
  return std::move(*original);
}

}  // namespace

const std::vector<Original>& PlainReferences() {
  static const std::vector<Original> references = [] {
    std::vector<Original> originals;
    for (const char* name : {"column_sort.frag", "fixed_mandelbrot.frag", "life_masks.frag",
                             "pattern_matcher.frag", "search_tree.frag", "stack_machine.frag"}) {
      originals.push_back(LoadShader("references/", name));
    }
    return originals;
  }();
  return references;
}

const Original& Reference(std::string_view name) {
  for (const Original& original : PlainReferences()) {
    if (original.file == name) return original;
  }
  CHECK(false);
  std::abort();
}

Original FloatShader(const std::string& name) {
  return LoadShader("tools/bench/shaders/", name);
}

const FuzzResult& LongRun(const Original& original, uint32_t steps) {
  static std::map<std::string, FuzzResult> runs;
  const auto found = runs.find(original.file);
  if (found != runs.end()) return found->second;
  FuzzOptions options;
  options.seed = 1;
  options.max_steps = steps;
  options.all_passes = true;
  options.stop_by_chance = false;
  options.max_words = 64 * original.words.size();
  Result<FuzzResult> result = Fuzz(original, options);
  CHECK(result.has_value() && result->recording.steps.size() == steps);
  return runs.emplace(original.file, std::move(*result)).first->second;
}

Original SizedModule(size_t instructions) {
  constexpr size_t kInstructionsOfPart = 24;
  constexpr size_t kParts = 10;  // of a function
  const size_t functions = std::max<size_t>(1, instructions / (kInstructionsOfPart * kParts));
  Result<Original> original = MakeOriginal(Build(functions, kParts), "sized.spv", nullptr, {});
  CHECK(original.has_value());
  return std::move(*original);
}

Context SizedContext(size_t instructions) {
  constexpr size_t kFacts = 2000;
  Context context = SizedModule(instructions).context;
  std::vector<Id> values;
  for (size_t i = 1; i < context.module.id_slots(); ++i) {
    const Id id = static_cast<Id>(i);
    if (context.module.OpcodeOf(id) == spv::Op::OpIAdd) values.push_back(id);
  }
  Random random(7);
  for (uint32_t i = 0; i < kFacts; ++i) {
    const Id a = values[random.Below(values.size())], b = values[random.Below(values.size())];
    context.facts.AddSynonym(Part(a), Part(b), {i + 1});
  }
  return context;
}

Context GrownContext(const Context& context, const std::vector<AnyMessage>& donors,
                     size_t instructions) {
  constexpr uint32_t kFirstStep = 1'000'000;  // greater than the numbers in any recording
  Context grown = context;
  // Donated functions that this module cannot have are skipped.
  for (uint32_t i = 0; grown.module.instruction_slots() < instructions; ++i) {
    CHECK(i < 100 * donors.size());
    ApplyStep(grown, kFirstStep + i, donors[i % donors.size()]);
  }
  return grown;
}

Module FunctionOfBlocks(size_t blocks) {
  constexpr size_t kBlocksOfPart = 6;
  Result<Module> module =
      ReadModule(Build(1, std::max<size_t>(1, blocks / kBlocksOfPart)), "sized.spv");
  CHECK(module.has_value());
  return std::move(*module);
}

namespace {

class FirstOffers : public Proposer {
 public:
  FirstOffers(const View& view, size_t limit) : Proposer(view), limit_(limit) {}
  bool ShouldTry() override { return !Full() && random_.Percent(50); }
  size_t Pick(size_t n) override { return random_.Below(n); }
  bool Full() const override { return offers.size() >= limit_; }
  void Offer(AnyMessage message) override { offers.push_back(std::move(message)); }
  std::vector<AnyMessage> offers;

 private:
  Random random_{3};
  size_t limit_;
};

bool ActsIn(const Module& module, Function function, const AnyMessage& message) {
  message::NameSink names;
  message::NamesIn(message, names);
  bool acts = false;
  for (const Name& name : names) {
    const Inst inst = module.Find(name);
    const Function of = inst == Inst::kNone ? Function::kNone : module.FunctionOf(inst);
    if (of != Function::kNone && of != function) return false;
    acts = acts || of == function;
  }
  return acts;
}

}  // namespace

std::vector<AnyMessage> StepsIn(const Context& context, Function function, size_t limit) {
  std::vector<AnyMessage> steps;
  Context tried = context;
  for (const RegistryEntry& entry : Registry()) {
    // Functions are visited in order, so the first offers contain those for the first function.
    FirstOffers proposer(View(context), 8 * limit);
    entry.rule->propose(proposer);
    size_t taken = 0;
    for (AnyMessage& message : proposer.offers) {
      if (taken == limit) break;
      if (!ActsIn(context.module, function, message)) continue;
      if (!ApplyStep(tried, static_cast<uint32_t>(steps.size() + 1), message).check_result)
        continue;
      steps.push_back(std::move(message));
      ++taken;
    }
  }
  return steps;
}

}  // namespace refract::bench
