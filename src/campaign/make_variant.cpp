// SPDX-License-Identifier: Apache-2.0
#include "campaign/make_variant.h"

#include "base/random.h"
#include "base/text.h"
#include "campaign/programs/program_test.h"

namespace refract {
inline namespace campaign {

namespace {

bool HasAllPasses(const CampaignSetup& setup, const TestPlan& plan) {
  return Random(~plan.seed).Percent(setup.all_passes);
}

}  // namespace

FuzzOptions VariantOptions(const CampaignSetup& setup, const TestPlan& plan) {
  FuzzOptions options;
  options.seed = plan.seed;
  options.max_steps = setup.max_steps;
  options.passes = setup.passes;
  options.all_passes = HasAllPasses(setup, plan);
  options.float_identities = setup.float_identities;
  options.recommendations = setup.recommendations;
  options.preferred = plan.preferred;
  if (setup.donors.donors() > 0) {
    options.read_donors = [&setup, seed = plan.seed] { return setup.donors.FunctionsOf(seed); };
  }
  return options;
}

Result<FuzzResult> MakeVariant(const CampaignSetup& setup, const TestPlan& plan) {
  return Fuzz(*setup.sources[plan.reference].original, VariantOptions(setup, plan));
}

std::string MakeVariantCommand(const CampaignSetup& setup, const TestPlan& plan) {
  const auto fuzz = [&](const std::string& module) {
    std::string preferred;
    for (const std::string& name : plan.preferred) {
      preferred += (preferred.empty() ? " --prefer " : ",") + name;
    }
    return format("refract fuzz {} -o variant.spv --seed {} --max-steps {}{}{}{}", module,
                  plan.seed, setup.max_steps, setup.fuzz_arguments,
                  HasAllPasses(setup, plan) ? " --all-passes" : "", preferred);
  };
  if (!plan.program) return fuzz(setup.sources[plan.reference].file);
  const bool generated = *plan.program == ProgramKind::kGenerated;
  const std::string command = ProgramCommand(setup, plan);
  const std::string make = format("{} -o {}", command, generated ? "program.spv" : "program");
  const Result<std::shared_ptr<const TestProgram>> program = MakeTestProgram(setup, plan);
  if (!program || !IsVaried(plan, **program)) return make;
  return format("{} && {}", make, fuzz(generated ? "program.spv" : "program/program_000001.spv"));
}

}  // namespace campaign
}  // namespace refract
