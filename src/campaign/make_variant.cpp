// SPDX-License-Identifier: Apache-2.0
#include "campaign/make_variant.h"

#include "base/text.h"
#include "campaign/fleshed.h"

namespace refract {
inline namespace campaign {

FuzzOptions VariantOptions(const CampaignSetup& setup, const TestPlan& plan) {
  FuzzOptions options;
  options.seed = plan.seed;
  options.max_steps = setup.max_steps;
  options.passes = setup.passes;
  options.float_identities = setup.float_identities;
  options.recommendations = setup.recommendations;
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
    return format("refract fuzz {} -o variant.spv --seed {} --max-steps {}{}", module, plan.seed,
                  setup.max_steps, setup.fuzz_arguments);
  };
  if (!plan.fleshed) return fuzz(setup.sources[plan.reference].file);
  const Result<flesh::ProgramSpec> spec = flesh::DrawProgramSpec(plan.seed, setup.fuel);
  if (!spec) return {};
  const std::string program = flesh::CommandOf(*spec) + " -o program";
  return IsVaried(plan, *spec) ? program + " && " + fuzz("program/program_000001.spv") : program;
}

}  // namespace campaign
}  // namespace refract
