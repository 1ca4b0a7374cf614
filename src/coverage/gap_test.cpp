// SPDX-License-Identifier: Apache-2.0
#include "coverage/gap_test.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ir/binary.h"
#include "reduce/exact_output.h"

namespace refract {
inline namespace coverage {
namespace {

bool RanAll(const TestHits& hits, const std::vector<uint32_t>& lines) {
  return std::all_of(lines.begin(), lines.end(), [&](uint32_t line) { return hits.lines[line]; });
}

// Whether an output differs from what it was before the run. Colour targets are then zero.
bool WritesSomething(const Outputs& outputs, const Bindings& before) {
  const auto has = [](const auto& all, const auto& one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  return std::any_of(outputs.targets.begin(), outputs.targets.end(),
                     [](const ColourTarget& target) {
                       return target.texels.find_first_not_of('\0') != std::string::npos;
                     }) ||
         !std::all_of(outputs.buffers.begin(), outputs.buffers.end(),
                      [&](const BoundBuffer& buffer) { return has(before.buffers, buffer); }) ||
         !std::all_of(outputs.images.begin(), outputs.images.end(),
                      [&](const BoundImage& image) { return has(before.images, image); });
}

Result<Job> JobOfCandidate(const Original& source, const Candidate& candidate,
                           const RunSettings& run) {
  if (candidate.module != nullptr) {
    return JobOf(source, *candidate.module, candidate.words, candidate.inputs.get(), run);
  }
  const Result<Module> module = ReadModule(candidate.words, source.file);
  if (!module) return module.error();
  return JobOf(source, *module, candidate.words, candidate.inputs.get(), run);
}

// The self-checking form of the module, if it runs the lines too.
Status AddSelfChecking(const std::vector<uint32_t>& lines, const RunSettings& run,
                       CountedTargets& targets, SmallGapTest* test) {
  Result<SelfCheckingModule> made = CheckedSelfChecking(*test->module, run);
  if (!made) {
    if (made.error().kind == ErrorKind::kFailed) return made.error();
    test->why_not_checking = made.error().message;
    return {};
  }
  const Candidate candidate = {made->words, made->inputs, nullptr};
  const Result<Job> job = JobOfCandidate(*test->module, candidate, run);
  if (!job) return job.error();
  Result<TestHits> hits = targets.HitsOf(*job);
  if (!hits) return hits.error();
  if (!RanAll(*hits, lines)) {
    test->why_not_checking = "the target does not run the lines if the module compares its output";
    return {};
  }
  test->self_checking = std::move(*made);
  test->hits = std::move(*hits);
  return {};
}

}  // namespace

Result<bool> CoversTest::Covers(const Job& job) {
  const Result<TestHits> hits = targets_.HitsOf(job);
  if (!hits) return hits.error();
  return RanAll(*hits, lines_);
}

Result<std::optional<CoversTest::Quality>> CoversTest::QualityOf(const Candidate& candidate,
                                                                 const Job& job,
                                                                 std::string* why_not) const {
  const Result<Interpretation> ours =
      Interpretation::OfCandidate(source_, candidate, run_, /*schedules=*/true);
  if (!ours && ours.error().kind == ErrorKind::kFailed) return ours.error();
  *why_not = !ours                           ? ours.error().message
             : !ours->check().well_defined() ? ours->undefined().front()
             : !ours->check().deterministic  ? "the output depends on the order of execution"
                                             : "";
  if (!why_not->empty()) return std::optional<Quality>();
  const bool whole = ours->check().extent.is_whole();
  return std::optional<Quality>({whole, whole && ours->rule().kind == CompareRule::kExact,
                                 WritesSomething(ours->AsRun().outputs, job.bindings)});
}

Result<bool> CoversTest::IsInteresting(const Candidate& candidate) {
  const Result<Job> job = JobOfCandidate(source_, candidate, run_);
  std::string why_not;
  std::optional<Quality> quality;
  if (!job) {
    why_not = job.error().message;
  } else {
    const Result<bool> covers = Covers(*job);
    if (!covers) return covers.error();
    if (!*covers) {
      why_not = "the target does not run the lines";
    } else {
      Result<std::optional<Quality>> found = QualityOf(candidate, *job, &why_not);
      if (!found) return found.error();
      quality = *found;
    }
  }
  if (!first_) {
    why_not_ = why_not;
    if (quality) first_ = quality;
    return quality.has_value();
  }
  return quality && quality->whole >= first_->whole && quality->exact >= first_->exact &&
         quality->writes >= first_->writes;
}

Result<SmallGapTest> MakeSmallGapTest(const Original& source, const std::vector<uint32_t>& lines,
                                      const RunSettings& run, const ReduceOptions& given,
                                      CountedTargets& targets) {
  SmallGapTest result;
  CoversTest test(source, lines, run, targets);
  ReduceOptions options = given;
  options.wrong_output = [] { return true; };  // smaller inputs, too
  const Result<ModuleReduction> reduction = ReduceModule(source, options, test);
  if (!reduction) return reduction.error();
  result.end = reduction->end;
  result.why_not = test.WhyNot();
  if (result.end != Reduction::End::kDone) return result;
  Result<Original> module =
      MakeOriginal(reduction->words, source.file, reduction->inputs, OptionsOf(source));
  if (!module) return module.error();
  result.module = std::move(*module);
  result.instructions = reduction->instructions;
  result.minimal = reduction->minimal;
  const Candidate candidate = {reduction->words, reduction->inputs, nullptr};
  const Result<Job> job = JobOfCandidate(source, candidate, run);
  if (!job) return job.error();
  Result<TestHits> hits = targets.HitsOf(*job);
  if (!hits) return hits.error();
  result.hits = std::move(*hits);
  if (!RanAll(result.hits, lines)) {
    result.end = Reduction::End::kNotInteresting;
    result.why_not = "the target runs the lines in some runs only";
    return result;
  }
  if (Status added = AddSelfChecking(lines, run, targets, &result); !added) return added.error();
  return result;
}

Status WriteGapTest(const std::string& folder, const SmallGapTest& test, const std::string& covers,
                    const std::string& target, const RunSettings& run) {
  const Original& module = *test.module;
  TestRecord record;
  record.covers = covers;
  record.unchanged = true;
  record.signature = format("{} runs {}", target, covers);
  record.target.name = target;
  record.minimal = test.minimal;
  record.entry = module.context.entry;
  record.environment = module.environment;
  record.validation = module.validation;
  record.time_limit = run.time_limit;
  record.zero_inputs = run.zero_inputs;
  TestContents contents;
  contents.original = {module.words, module.context.inputs, std::nullopt};
  if (test.self_checking) {
    contents.self_checking = {test.self_checking->words, test.self_checking->inputs, std::nullopt};
  }
  return WriteTestFolder(folder, record, contents);
}

}  // namespace coverage
}  // namespace refract
