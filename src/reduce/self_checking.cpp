// SPDX-License-Identifier: Apache-2.0
#include "reduce/self_checking.h"

#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "engine/validity.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "reduce/exact_output.h"
#include "reduce/failing_interestingness.h"
#include "reduce/self_check_code.h"
#include "target/expected.h"

namespace refract {
inline namespace reduce {

Result<SelfCheckingModule> MakeSelfChecking(const Original& source,
                                            const Interpretation& expected) {
  Result<Module> module = ReadModule(source.words, source.file);
  if (!module) return module.error();
  const Result<EntryPoint> entry = FindEntryPoint(*module, source.context.entry, source.file);
  if (!entry) return entry.error();
  Inputs inputs = source.context.inputs ? *source.context.inputs : Inputs();
  const Outputs outputs = expected.AsRun().outputs;
  SelfCheckCode code(*module, *entry);
  Status checked;
  switch (entry->model) {
    case spv::ExecutionModel::Fragment:
      checked = CheckColours(code, outputs, &inputs);
      break;
    case spv::ExecutionModel::GLCompute:
      checked = CheckBuffers(code, outputs, expected.layouts(), &inputs);
      break;
    default:
      checked = CannotCheck("the shader is neither a fragment nor a compute shader");
  }
  if (!checked) return checked.error();
  code.Finish();
  return SelfCheckingModule{WriteModule(*module), std::make_shared<const Inputs>(inputs)};
}

Result<SelfCheckingModule> CheckedSelfChecking(const Original& source, const RunSettings& run) {
  const auto interpret = [&](const Original& original) -> Result<Interpretation> {
    std::string why_not;
    Result<std::optional<Interpretation>> exact = InterpretExactly(
        original, {original.words, original.context.inputs, nullptr}, run, true, &why_not);
    if (!exact) return exact.error();
    if (!*exact) return CannotCheck(why_not);
    return std::move(**exact);
  };
  const Result<Interpretation> expected = interpret(source);
  if (!expected) return expected.error();
  Result<SelfCheckingModule> made = MakeSelfChecking(source, *expected);
  if (!made) return made;
  const Result<Original> original =
      MakeOriginal(made->words, source.file, made->inputs, OptionsOf(source));
  if (!original) return CannotCheck(original.error().message);
  const Result<Interpretation> checked = interpret(*original);
  if (!checked) return checked.error();
  RunResult ours = checked->AsRun();
  CompareWithExpected(*made->inputs->expected, &ours);
  if (ours.verdict != RunOutcome::kOk) {
    // For example, a shader that discards a pixel does not compare it.
    return CannotCheck(format("in the interpreter, {}", ours.detail));
  }
  return made;
}

Result<SelfCheckingModule> TestedSelfChecking(const Original& source, const Target& target,
                                              const RunSettings& run, uint32_t runs,
                                              Harness& harness) {
  Result<SelfCheckingModule> made = CheckedSelfChecking(source, run);
  if (!made) return made;
  const Result<Original> original =
      MakeOriginal(made->words, source.file, made->inputs, OptionsOf(source));
  if (!original) return CannotCheck(original.error().message);
  Result<Job> job =
      JobOf(*original, original->context.module, original->words, made->inputs.get(), run);
  if (!job) return CannotCheck(job.error().message);
  for (uint32_t i = 0; i < runs; ++i) {
    const Result<RunResult> ran = harness.Run(target, *job);
    if (!ran) return ran.error();
    if (MayBeWrong(*ran) && ran->verdict != RunOutcome::kOk) return made;
  }
  return CannotCheck("the output is right if the shader compares it");
}

}  // namespace reduce
}  // namespace refract
