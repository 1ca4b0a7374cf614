// SPDX-License-Identifier: Apache-2.0
// Control-flow programs as programs of tests.
#include "base/counted.h"
#include "campaign/programs/program_test.h"
#include "campaign/programs/test_program.h"
#include "cfg/graph.h"
#include "flesh/reduce_spec.h"

namespace refract {
inline namespace campaign {
namespace {

class ControlFlowProgram : public TestProgram {
 public:
  ControlFlowProgram(flesh::ProgramSpec spec, flesh::Program program, Original original)
      : TestProgram(std::move(original)), spec_(std::move(spec)), program_(std::move(program)) {}

  ProgramKind kind() const override { return ProgramKind::kControlFlow; }
  uint64_t seed() const override { return spec_.seed; }
  std::string Command() const override { return flesh::CommandOf(spec_); }
  std::string Size() const override { return Counted(spec_.tree.size(), "block"); }
  std::string Shape() const override { return cfg::GraphText(flesh::GraphOf(spec_)); }
  std::string Description() const override { return flesh::Describe(spec_, program_); }
  bool MayVary() const override { return !IsNearQuirk(flesh::GraphOf(spec_)); }
  std::string Fault(const std::atomic<bool>* stop) const override {
    return FaultOfProgram(original(), stop);
  }

  Result<ReducedTestProgram> Reduce(const TestProgramTest& is_interesting,
                                    const std::function<bool()>& stop) const override {
    const flesh::ProgramSpecTest asks = [&](const flesh::ProgramSpec& spec,
                                            const flesh::Program& program) -> Result<bool> {
      const auto candidate = TestProgramOf(spec, program);
      return candidate ? is_interesting(*candidate) : Result<bool>(false);
    };
    Result<flesh::ReducedProgramSpec> reduced = flesh::ReduceProgramSpec(spec_, asks, stop);
    if (!reduced) return reduced.error();
    auto smallest = TestProgramOf(std::move(reduced->spec), std::move(reduced->program));
    if (!smallest) return smallest.error();
    return ReducedTestProgram{std::move(*smallest), reduced->asked, reduced->minimal};
  }

 private:
  const flesh::ProgramSpec spec_;
  const flesh::Program program_;
};

}  // namespace

bool IsNearQuirk(const cfg::Graph& graph) {
  const std::vector<bool> reached = cfg::ReachedByBranches(graph);
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const cfg::GraphBlock& block = graph.blocks[i];
    if (block.is_switch && !reached[i]) return true;
    const uint32_t back = block.continue_target;
    if (block.is_loop() && back != i && graph.blocks[back].continue_target == back) return true;
  }
  return false;
}

Result<std::shared_ptr<const TestProgram>> TestProgramOf(flesh::ProgramSpec spec,
                                                         flesh::Program program) {
  Result<Original> original = MakeOriginal(program.words, "control-flow program",
                                           std::make_shared<const Inputs>(program.inputs), {});
  if (!original) return original.error();
  return std::shared_ptr<const TestProgram>(std::make_shared<ControlFlowProgram>(
      std::move(spec), std::move(program), std::move(*original)));
}

}  // namespace campaign
}  // namespace refract
