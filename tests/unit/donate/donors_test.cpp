// SPDX-License-Identifier: Apache-2.0
// Donated functions: what donors provide, that names stay the same when a function shrinks, and
// variants with them.
#include "donate/donors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "donate/donated_function.h"
#include "donate/donor_pool.h"
#include "engine/apply_step.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "message/add_function.h"
#include "transform/registry.h"
#include "unit/shared/all_donors.h"
#include "unit/shared/eager_proposer.h"
#include "wire/message_list.h"

namespace refract {
namespace {

using message::AddFunction;

std::vector<std::string> FilesIn(const std::string& folder) {
  const auto files = ListFiles(folder);
  EXPECT_TRUE(files);
  return files ? *files : std::vector<std::string>();
}

// A module that imports GLSL.std.450, uses 16-bit and 64-bit numbers, and has nothing else.
Original Recipient(TargetEnvironment environment) {
  const auto words = Assemble(
      "OpCapability Shader\nOpCapability Int16\nOpCapability Int64\nOpCapability Float64\n"
      "%1 = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"
      "OpEntryPoint GLCompute %2 \"main\"\nOpExecutionMode %2 LocalSize 1 1 1\n"
      "%3 = OpTypeVoid\n%4 = OpTypeFunction %3\n%2 = OpFunction %3 None %4\n%5 = OpLabel\n"
      "OpReturn\nOpFunctionEnd\n",
      environment);
  EXPECT_TRUE(words);
  auto original = MakeOriginal(*words, "recipient", nullptr, {});
  EXPECT_TRUE(original);
  return *original;
}

// The function as a message of a recording, with the names of the functions that it calls, if they
// exist.
AddFunction Ready(const Context& context, const AnyMessage& donated) {
  AddFunction function = donated.As<AddFunction>();
  ResolveDonatedCalls(context.module, &function);
  return function;
}

// The same seed gives the same donors. Over many seeds, each donor is chosen about as often.
TEST(DonorPool, TheSeedChoosesTheDonors) {
  constexpr size_t kCount = 91, kSeeds = 500;
  std::vector<size_t> chosen(kCount);
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<size_t> donors = ChooseDonors(seed, kCount);
    EXPECT_EQ(donors, ChooseDonors(seed, kCount));
    ASSERT_EQ(donors.size(), kMaxDonorsPerRun);
    for (size_t i = 0; i < donors.size(); ++i) {
      ASSERT_LT(donors[i], kCount);
      EXPECT_TRUE(i == 0 || donors[i - 1] < donors[i]);
      ++chosen[donors[i]];
    }
  }
  const auto [least, most] = std::minmax_element(chosen.begin(), chosen.end());
  EXPECT_GT(*least, kSeeds * kMaxDonorsPerRun / kCount / 2);
  EXPECT_LT(*most, kSeeds * kMaxDonorsPerRun / kCount * 2);
  EXPECT_NE(ChooseDonors(1, kCount), ChooseDonors(2, kCount));
  EXPECT_EQ(ChooseDonors(1, 3), (std::vector<size_t>{0, 1, 2}));
  EXPECT_TRUE(ChooseDonors(1, 0).empty());
}

// A campaign, which has read all donors, gives a run the same functions as `refract fuzz`.
TEST(DonorPool, GivesARunTheSameFunctionsAsASingleRun) {
  const DonorFiles& all = AllDonors();
  EXPECT_EQ(all.pool.donors(), all.files);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto one = LoadDonors({kDonors}, seed);
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->pool.donors(), kMaxDonorsPerRun);
    EXPECT_FALSE(one->donors.functions.empty());
    EXPECT_EQ(one->donors.functions, all.pool.FunctionsOf(seed)) << seed;
  }
}

// Donors are read once, when a run first adds functions, or never.
TEST(DonorPool, DonorsAreReadOnlyByRunsThatAddFunctions) {
  const DonorFiles& all = AllDonors();
  const Original original = Recipient(TargetEnvironment::kVulkan11);
  size_t read = 0;
  FuzzOptions options;
  options.seed = 3;
  options.read_donors = [&] {
    ++read;
    return all.pool.FunctionsOf(options.seed);
  };
  options.passes = {"split_block"};
  ASSERT_TRUE(Fuzz(original, options));
  EXPECT_EQ(read, 0u);
  options.passes = {"add_fragment"};
  const auto fragments = Fuzz(original, options);
  ASSERT_TRUE(fragments);
  EXPECT_EQ(read, 1u);
  EXPECT_GT(fragments->statistics.at("add_fragment").applied, 0u);
  read = 0;
  options.passes = {"split_block", "add_function"};
  const auto lazy = Fuzz(original, options);
  ASSERT_TRUE(lazy);
  EXPECT_EQ(read, 1u);
  EXPECT_GT(lazy->statistics.at("add_function").applied, 0u);
  // The result is as if they had been there from the beginning.
  options.read_donors = nullptr;
  options.donors = all.pool.FunctionsOf(options.seed);
  const auto given = Fuzz(original, options);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->words, lazy->words);
  options.read_donors = []() -> Result<std::vector<AnyMessage>> { return Error{"no such donor"}; };
  const auto failed = Fuzz(original, options);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no such donor");
}

// Notes whether a fuzzer pass looks at the donors.
class NotingProposer : public EagerProposer {
 public:
  NotingProposer(const View& view, const std::vector<AnyMessage>& donors)
      : EagerProposer(view, 1), donors_(donors) {}
  const std::vector<AnyMessage>& donors() const override {
    looked = true;
    return donors_;
  }
  mutable bool looked = false;

 private:
  const std::vector<AnyMessage>& donors_;
};

// A pass that looks at donors without saying so would get none, because nobody reads them.
TEST(DonorUse, IsWhatTheTuningSays) {
  const DonorFiles& all = AllDonors();
  const std::vector<AnyMessage> donors = all.pool.FunctionsOf(1);
  const Original original = Recipient(TargetEnvironment::kVulkan11);
  for (const RegistryEntry& entry : Registry()) {
    NotingProposer proposer(View(original.context), donors);
    entry.rule->propose(proposer);
    EXPECT_EQ(proposer.looked, entry.rule->tuning.donors != DonorUse::kNone) << entry.name;
  }
}

TEST(DonorUse, RunsWithoutDonorsLeaveOutThePassesThatNeedThem) {
  const DonorFiles& all = AllDonors();
  const Original original = Recipient(TargetEnvironment::kVulkan11);
  const auto passes_with = [&](std::vector<AnyMessage> donors) {
    FuzzOptions options;
    options.all_passes = true;
    options.max_steps = 1;
    options.donors = std::move(donors);
    std::set<std::string> names;
    const Result<FuzzResult> made = Fuzz(original, options);
    EXPECT_TRUE(made);
    for (const message::PassChance& pass : made->recording.passes) names.insert(pass.name);
    return names;
  };
  const std::set<std::string> with = passes_with(all.pool.FunctionsOf(1)),
                              without = passes_with({});
  std::set<std::string> left_out;
  for (const RegistryEntry& entry : Registry()) {
    const std::string name(entry.name);
    if (entry.rule->tuning.donors == DonorUse::kRequired) left_out.insert(name);
    EXPECT_EQ(with.contains(name), without.contains(name) || left_out.contains(name)) << name;
  }
  EXPECT_EQ(left_out, std::set<std::string>{"add_fragment"});
}

// The cache stores the functions of donors unchanged.
TEST(DonorPool, FunctionsSurviveTheCache) {
  const DonorFiles& all = AllDonors();
  const auto read = ReadMessages(WriteMessages(all.donors.functions));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, all.donors.functions);
  EXPECT_FALSE(ReadMessages("\xff\xff"));
  EXPECT_TRUE(ReadMessages("")->empty());
}

// An optimised donor may consist of one function, which is not donated.
TEST(Donors, EachDonorGivesALiveSafeFunction) {
  size_t plain_functions = 0, optimised = 0;
  for (const std::string& file : FilesIn(kDonors)) {
    SCOPED_TRACE(file);
    const auto loaded = LoadModuleFile(file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    for (const bool plain : {true, false}) {
      auto words = plain ? loaded->words
                         : *Optimize(loaded->words, {"-O"}, DefaultEnvironment(loaded->words[1]));
      const auto module = ReadModule(words, file);
      ASSERT_TRUE(module);
      Donors donors;
      const bool gives = AddDonors(*module, file, &donors);
      EXPECT_TRUE(gives || !plain);
      (plain ? plain_functions : optimised) += donors.functions.size();
      for (const LeftOut& one : donors.left_out) EXPECT_NE(one.reason, "") << one.function;
      if (!plain) continue;
      EXPECT_TRUE(
          std::any_of(donors.functions.begin(), donors.functions.end(),
                      [](const AnyMessage& any) { return any.As<AddFunction>().live_safe; }));
    }
  }
  EXPECT_GE(plain_functions, 450u);
  EXPECT_GE(optimised, 100u);
}

// Functions that front ends emit fit every version; those from assembly fit their own version and
// later. 8-bit numbers and 16-bit floats need more than the first version has.
TEST(Donors, FunctionsFitEveryVersion) {
  std::map<std::string, DonorFiles> loaded;
  for (const std::string& file : FilesIn(kDonors)) {
    auto donors = LoadDonors({file});
    ASSERT_TRUE(donors) << donors.error().message;
    EXPECT_TRUE(donors->useless.empty()) << file;
    loaded.emplace(file, std::move(*donors));
  }
  for (const TargetEnvironment environment :
       {TargetEnvironment::kVulkan10, TargetEnvironment::kVulkan11,
        TargetEnvironment::kVulkan11Spirv14, TargetEnvironment::kVulkan13}) {
    const Original original = Recipient(environment);
    Context context = original.context;
    uint32_t step = 0;
    for (const auto& [file, donors] : loaded) {
      SCOPED_TRACE(file);
      const bool is_newer =
          file.ends_with(".spvasm") && LoadModuleFile(file)->words[1] > original.words[1];
      for (const AnyMessage& donated : donors.donors.functions) {
        const StepOutcome outcome = ApplyStep(context, ++step, Ready(context, donated));
        const bool has_narrow_types =
            file.ends_with("narrow_types.comp") || file.ends_with("byte_strings.comp") ||
            file.ends_with("byte_vectors.comp") || file.ends_with("half_floats.comp");
        EXPECT_TRUE(outcome.check_result || is_newer || has_narrow_types)
            << outcome.check_result.reason();
      }
    }
    const auto invalid = FindInvalid(WriteModule(context.module), original.environment);
    EXPECT_FALSE(invalid) << invalid->message;
  }
}

std::set<Name> NamesOf(const Context& context) {
  std::set<Name> names;
  for (size_t i = 1; i < context.module.instruction_slots(); ++i) {
    const Inst inst = static_cast<Inst>(i);
    if (context.module[inst].removed) continue;
    if (context.module.NameOf(inst).step == 1) names.insert(context.module.NameOf(inst));
  }
  return names;
}

// Removes each instruction that can be removed alone: the others keep their names.
TEST(Donors, NamesStayTheSameAfterShrinking) {
  const DonorFiles& files = AllDonors();
  const Original original = Recipient(TargetEnvironment::kVulkan11);
  size_t shrunk = 0;
  for (size_t i = 0; i < files.donors.functions.size(); i += 10) {
    const auto& whole = files.donors.functions[i].As<AddFunction>();
    Context context = original.context;
    if (!ApplyStep(context, 1, whole).check_result) continue;
    const std::set<Name> before = NamesOf(context);
    for (size_t b = 0; b < whole.blocks.size(); ++b) {
      for (size_t i = 0; i < whole.blocks[b].instructions.size(); ++i) {
        AddFunction less = whole;
        auto& instructions = less.blocks[b].instructions;
        instructions.erase(instructions.begin() + static_cast<std::ptrdiff_t>(i));
        Context other = original.context;
        if (!ApplyStep(other, 1, less).check_result) continue;
        ++shrunk;
        const std::set<Name> after = NamesOf(other);
        EXPECT_LT(after.size(), before.size());
        EXPECT_TRUE(std::includes(before.begin(), before.end(), after.begin(), after.end()));
      }
    }
  }
  EXPECT_GT(shrunk, 200u);
}

bool IsControlFlow(uint32_t opcode) {
  return opcode == 245 || (opcode >= 246 && opcode <= 251) || opcode == 254;
}

// One change: another label, another value, a swap of two blocks, one block less, another
// terminator.
void Change(AddFunction* function, Random* random) {
  auto& blocks = function->blocks;
  message::DonatedBlock& block = blocks[random->Below(blocks.size())];
  const uint64_t what = random->Below(10);
  if (what == 0 && blocks.size() > 2) {
    std::swap(blocks[1 + random->Below(blocks.size() - 1)],
              blocks[1 + random->Below(blocks.size() - 1)]);
  } else if (what == 1 && blocks.size() > 2) {
    blocks.erase(blocks.begin() + 1 +
                 static_cast<std::ptrdiff_t>(random->Below(blocks.size() - 1)));
  } else if (what == 2) {
    const auto& other = blocks[random->Below(blocks.size())].instructions.back();
    block.instructions.back().opcode = other.opcode;
    block.instructions.back().operands = other.operands;
  } else if (what == 3) {
    auto& instructions = block.instructions;
    if (instructions.size() < 2) return;  // the terminator stays
    instructions.erase(instructions.begin() +
                       static_cast<std::ptrdiff_t>(random->Below(instructions.size())));
  } else {
    for (message::DonatedInstruction& instruction : block.instructions) {
      if (!IsControlFlow(instruction.opcode)) continue;
      for (message::DonatedOperand& operand : instruction.operands) {
        if (operand.kind != message::DonatedOperand::Kind::kLocal || !random->Percent(30)) continue;
        operand.word = blocks[random->Below(blocks.size())].local;
      }
    }
  }
}

// spirv-val must accept every function that our checker accepts, live-safe or not.
TEST(Donors, SpirvValAcceptsWhateverOurChecksAccept) {
  const DonorFiles& files = AllDonors();
  Random random(20261121);
  std::vector<Original> recipients;
  for (const TargetEnvironment environment :
       {TargetEnvironment::kVulkan10, TargetEnvironment::kVulkan11Spirv14,
        TargetEnvironment::kVulkan13}) {
    recipients.push_back(Recipient(environment));
  }
  size_t yes = 0, changed_yes = 0;
  const auto& donors = files.donors.functions;
  for (int i = 0; i < 10000; ++i) {
    const auto& whole = donors[random.Below(donors.size())].As<AddFunction>();
    AddFunction changed = whole;
    for (uint64_t n = 1 + random.Below(4); n > 0; --n) Change(&changed, &random);
    if (random.Percent(50)) {
      changed.live_safe = false;
      changed.loop_limit = 0;
    }
    const Original& recipient = recipients[random.Below(recipients.size())];
    Context context = recipient.context;
    if (!ApplyStep(context, 1, changed).check_result) continue;
    ++yes;
    changed_yes += !(changed.blocks == whole.blocks);
    const auto invalid = FindInvalid(WriteModule(context.module), recipient.environment);
    ASSERT_FALSE(invalid) << invalid->message << "\n"
                          << i << "\n"
                          << Disassemble(WriteModule(context.module)).value();
  }
  RecordProperty("yes", static_cast<int>(yes));
  RecordProperty("changed", static_cast<int>(changed_yes));
  EXPECT_GT(changed_yes, 100u);
}

TEST(Donors, FunctionsOfAnOriginDoNotDependOnOtherDonors) {
  const auto one = LoadDonors({std::string(kDonors) + "/vectors.frag"});
  const auto twice = LoadDonors({std::string(kDonors) + "/vectors.frag", kDonors});
  ASSERT_TRUE(one && twice);
  const DonorFiles& all = AllDonors();
  EXPECT_EQ(all.donors.functions.size(), twice->donors.functions.size());
  ASSERT_FALSE(one->donors.functions.empty());
  for (size_t i = 0; i < one->donors.functions.size(); ++i) {
    EXPECT_EQ(one->donors.functions[i], twice->donors.functions[i]);
  }
}

TEST(Donors, AMissingDonorIsNamed) {
  const auto missing = LoadDonors({"no/such/donor"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "no/such/donor: no such donor; --donors takes a module or a folder of modules");
}

// The references, plain and optimised, with donors: the variants are valid (Fuzz checks) and replay
// gives the same bytes.
TEST(Donors, VariantsAreValidAndReplay) {
  const auto references = References(REFRACT_SOURCE_DIR);
  ASSERT_TRUE(references);
  std::vector<Original> originals;
  for (const TestModule& reference : *references) {
    auto of_module = Originals(reference);
    ASSERT_TRUE(of_module);
    originals.push_back(std::move(of_module->front()));
  }
  const DonorFiles& files = AllDonors();
  uint64_t added = 0, called = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    const Original& original = originals[seed % originals.size()];
    SCOPED_TRACE(format("{}, seed {}", original.file, seed));
    FuzzOptions options;
    options.seed = seed;
    options.donors = files.donors.functions;
    const auto variant = Fuzz(original, options);
    ASSERT_TRUE(variant) << variant.error().message;
    added += variant->statistics.at("add_function").applied;
    called += variant->statistics.at("function_call").applied;
    const auto replayed = Replay(original, variant->recording, {});
    ASSERT_TRUE(replayed) << replayed.error().message;
    EXPECT_EQ(replayed->words, variant->words);
  }
  // add_function is one fuzzer pass of very many.
  EXPECT_GT(added, 20u);
  EXPECT_GT(called, 15u);
}

}  // namespace
}  // namespace refract
