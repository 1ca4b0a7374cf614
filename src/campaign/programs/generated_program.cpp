// SPDX-License-Identifier: Apache-2.0
// Generated programs as programs of tests.
#include "base/counted.h"
#include "campaign/programs/test_program.h"
#include "cfg/skeleton.h"
#include "generate/reduce_recipe.h"
#include "ir/module.h"

namespace refract {
inline namespace campaign {
namespace {

class GeneratedTestProgram : public TestProgram {
 public:
  GeneratedTestProgram(generate::ProgramRecipe recipe, Original original)
      : TestProgram(std::move(original)), recipe_(std::move(recipe)) {}

  ProgramKind kind() const override { return ProgramKind::kGenerated; }
  uint64_t seed() const override { return recipe_.seed; }
  std::string Command() const override { return generate::CommandOf(recipe_); }
  std::string Size() const override {
    return Counted(generate::CountStatements(recipe_.tree), "statement");
  }
  std::string Shape() const override { return generate::ShapeOf(recipe_.tree); }
  std::string Description() const override { return {}; }

  bool MayVary() const override {
    bool near = false;
    const Module& module = original().context.module;
    ForEachFunction(module, [&](Function function) {
      if (module[function].first == Block::kNone) return;
      const Result<cfg::Graph> graph = cfg::ReadGraph(module, function);
      near |= !graph || IsNearQuirk(*graph);
    });
    return !near;
  }

  // The interpreter has computed the expected output.
  std::string Fault(const std::atomic<bool>*) const override { return {}; }

  Result<ReducedTestProgram> Reduce(const TestProgramTest& is_interesting,
                                    const std::function<bool()>& stop) const override {
    const generate::RecipeTest asks =
        [&](const generate::ProgramRecipe& recipe,
            const generate::GeneratedProgram& program) -> Result<bool> {
      const auto candidate = TestProgramOf(recipe, program);
      return candidate ? is_interesting(*candidate) : Result<bool>(false);
    };
    Result<generate::ReducedRecipe> reduced = generate::ReduceRecipe(recipe_, asks, stop);
    if (!reduced) return reduced.error();
    auto smallest = TestProgramOf(std::move(reduced->recipe), std::move(reduced->program));
    if (!smallest) return smallest.error();
    return ReducedTestProgram{std::move(*smallest), reduced->asked, reduced->minimal};
  }

 private:
  const generate::ProgramRecipe recipe_;
};

}  // namespace

Result<std::shared_ptr<const TestProgram>> TestProgramOf(generate::ProgramRecipe recipe,
                                                         generate::GeneratedProgram program) {
  auto inputs = std::make_shared<const Inputs>(std::move(program.inputs));
  Result<Original> original =
      MakeOriginal(std::move(program.words), "generated program", std::move(inputs), {});
  if (!original) return original.error();
  return std::shared_ptr<const TestProgram>(
      std::make_shared<GeneratedTestProgram>(std::move(recipe), std::move(*original)));
}

}  // namespace campaign
}  // namespace refract
