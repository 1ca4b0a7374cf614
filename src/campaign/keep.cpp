// SPDX-License-Identifier: Apache-2.0
#include "campaign/keep.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "campaign/blame_text.h"
#include "campaign/failing_test.h"
#include "campaign/hangs.h"
#include "campaign/run_test.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"
#include "input/resolve.h"
#include "reduce/reduce.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

bool IsWrongOutput(const std::string& verdict) {
  const std::optional<FailureClass> kind = FailureClassNamed(verdict);
  return kind && IsWrongOutput(*kind);
}

std::string StageOf(const Original& original) {
  const Result<EntryPoint> entry =
      FindEntryPoint(original.context.module, original.context.entry, original.file);
  if (!entry) return "module";
  return entry->model == spv::ExecutionModel::Fragment    ? "fragment"
         : entry->model == spv::ExecutionModel::GLCompute ? "compute"
         : entry->model == spv::ExecutionModel::Vertex    ? "vertex"
                                                          : "module";
}

// The `sub` of a bucket: shader stage and step types, "fragment: add_dead_break, split_block".
std::string SubOf(const Original& original, const KeptTest& kept) {
  DedupTest test;
  test.types = kept.types;
  const Result<std::set<std::string>> ignored =
      ParseIgnoredTypes("(built in) ignored.txt", kIgnoredTypes);
  std::string sub = StageOf(original) + ":";
  const char* separator = " ";
  for (const std::string& type : CountedTypes(test, ignored ? *ignored : std::set<std::string>())) {
    sub += separator + type;
    separator = ", ";
  }
  return sub;
}

std::string TestName(uint64_t test) {
  return format("test-{:06}", test);
}

// The module that shows a fault of Refract, and its recording.
struct OwnTest {
  std::vector<uint32_t> words;
  std::string recording;  // as bytes of a file; empty: the module has no steps
};
Result<OwnTest> MakeOwnTest(const CampaignSetup& setup, const TestPlan& plan) {
  if (plan.fleshed) {
    const Result<FleshedTest> test = MakeFleshedTest(setup, plan);
    if (!test) return test.error();
    return OwnTest{test->words(),
                   test->variant ? WriteRecording(test->variant->recording) : std::string()};
  }
  const Result<FuzzResult> variant = MakeVariant(setup, plan);
  if (!variant) return variant.error();
  return OwnTest{variant->words, WriteRecording(variant->recording)};
}

void RemoveFolder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

std::string EventText(const char* event, double now, const Bucket& bucket, const KeptTest& kept) {
  const Json json = {{"event", event},
                     {"at", now},
                     {"test", kept.test},
                     {"stage", bucket.stage},
                     {"target", kept.target},
                     {"signature", bucket.signature},
                     {"state", kept.state},
                     {"runs", kept.runs},
                     {"confirmed", kept.confirmed},
                     {"steps", kept.steps},
                     {"reduced_steps", kept.reduced_steps},
                     {"blame", kept.blame},
                     {"folder", kept.folder},
                     {"detail", kept.detail}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

// All that is needed to run a kept test again.
struct Keeper::Subject {
  FleshedTest fleshed;  // only for control-flow programs, else empty
  const Original* original = nullptr;
  Target target;  // takes the seed of the test, if it takes one
  FuzzResult variant;
  Candidate candidate;
  std::unique_ptr<const Interpretation> interpretation;  // only for control-flow programs
  std::unique_ptr<TargetJudge> judge;
  std::vector<BufferLayout> layouts;
};

const CampaignTargetState* Keeper::TargetNamed(const std::string& name) const {
  for (const CampaignTargetState& state : setup_.targets) {
    if (state.target.name == name) return &state;
  }
  return nullptr;
}

Filing Keeper::FilingOf(const Outcome& outcome, const std::string& reference) const {
  Filing filing;
  const CampaignTargetState* target = TargetNamed(outcome.target);
  const FailureClass kind = FailureClassNamed(outcome.verdict).value_or(FailureClass::kUnknown);
  const bool our_verdict = kind == FailureClass::kOurError || kind == FailureClass::kUndefined;
  filing.counted_only = !IsBug(kind) && !our_verdict;
  filing.own =
      our_verdict || (!filing.counted_only &&
                      (target == nullptr || target->target.kind == Target::Kind::kInterpreter));
  filing.keep = filing.counted_only ? 0 : setup_.keep;
  filing.stage = outcome.stage.empty() ? outcome.target : outcome.stage;
  filing.folder = BucketFolder(filing.stage, outcome.signature, filing.own);
  KnownIssueFacts facts;
  facts.target = outcome.target;
  facts.version = target == nullptr ? std::string() : target->version;
  facts.verdict = outcome.verdict;
  facts.signature = outcome.signature;
  facts.reference = reference;
  if (const KnownIssue* known = Known(facts, filing.stage)) filing.known = known->name;
  return filing;
}

// A known issue of a driver or tool applies to every target that runs it as a stage.
const KnownIssue* Keeper::Known(KnownIssueFacts facts, const std::string& stage) const {
  if (const KnownIssue* known = FindKnownIssue(setup_.known, facts)) return known;
  facts.target = stage;
  return FindKnownIssue(setup_.known, facts);
}

std::string Keeper::JournalOf(const KeptTest& kept) const {
  return format("{}/reducing/{}-{}.reducing", setup_.out, TestName(kept.test), kept.id);
}

Status Keeper::Fail(KeptTest kept, const std::string& why) {
  kept.state = "failed";
  kept.detail = why;
  return store_.UpdateKept(kept);
}

Status Keeper::FailOf(KeptTest kept, const Error& error) {
  return error.kind == ErrorKind::kFailed ? Status(error) : Fail(std::move(kept), error.message);
}

Result<Keeper::Subject> Keeper::Load(const Bucket& bucket, const KeptTest& kept, Harness& harness) {
  const TestPlan plan = PlanOf(setup_, kept.test);
  Subject subject;
  const CampaignTargetState* target = TargetNamed(kept.target);
  if (target == nullptr) return Error{format("the campaign has no target {}", kept.target)};
  subject.target = TargetOfTest(target->target, plan.seed);
  if (Status loaded = LoadVariant(plan, harness, &subject); !loaded) return loaded.error();
  subject.candidate = {subject.variant.words, subject.variant.context.inputs,
                       std::make_shared<const Context>(subject.variant.context)};
  TargetJudgeOptions options;
  options.target = subject.target;
  options.signature = bucket.signature;
  options.wrong_output = IsWrongOutput(bucket.verdict);
  options.repeats_hangs = false;  // hangs were repeated before they were filed
  options.rule = plan.fleshed ? CompareRule::kExact : references_.RuleOf(plan.reference);
  options.run = references_.settings();
  const Interpretation* interpretation = nullptr;
  if (options.wrong_output) {
    interpretation =
        plan.fleshed ? subject.interpretation.get() : references_.InterpretationOf(plan.reference);
  }
  Result<std::unique_ptr<TargetJudge>> judge =
      TargetJudge::Make(*subject.original, std::move(options), interpretation, harness);
  if (!judge) return judge.error();
  subject.judge = std::move(*judge);
  if (interpretation != nullptr) subject.layouts = interpretation->layouts();
  return subject;
}

// Sets the original, and makes its variant again.
Status Keeper::LoadVariant(const TestPlan& plan, Harness& harness, Subject* subject) {
  if (!plan.fleshed) {
    if (Status checked = references_.Check(plan.reference, harness); !checked) return checked;
    subject->original = setup_.sources[plan.reference].original.get();
    Result<FuzzResult> variant = MakeVariant(setup_, plan);
    if (!variant) return Error{variant.error().message};
    subject->variant = std::move(*variant);
    return {};
  }
  Result<FleshedTest> test = MakeFleshedTest(setup_, plan);
  if (!test) return Error{test.error().message};
  subject->fleshed = std::move(*test);
  subject->original = subject->fleshed.program.original.get();
  subject->variant = std::move(*subject->fleshed.variant);
  Result<Interpretation> made = Interpretation::Of(*subject->original, references_.settings());
  if (!made) return made.error();
  subject->interpretation = std::make_unique<const Interpretation>(std::move(*made));
  return {};
}

Status Keeper::Confirm(const Bucket& bucket, KeptTest kept, Harness& harness, double now) {
  kept.folder = format("{}/{}", bucket.folder, TestName(kept.test));
  if (kept.target == kOwnTarget) return ConfirmOwn(bucket, std::move(kept), now);
  const Result<std::optional<FleshedProgram>> alone = FailingAlone(bucket, kept, harness);
  if (!alone) {
    kept.folder.clear();
    return FailOf(std::move(kept), alone.error());
  }
  if (*alone) return ConfirmProgram(bucket, std::move(kept), **alone, harness, now);
  Result<Subject> subject = Load(bucket, kept, harness);
  if (!subject) {
    kept.folder.clear();
    return FailOf(std::move(kept), subject.error());
  }
  const FailingTest test{
      .original = *subject->original,
      .recording = subject->variant.recording,
      .variant = subject->candidate,
      .judge = *subject->judge,
      .target = subject->target,
      .run = references_.settings(),
      .confirmations = setup_.confirm,
  };
  const Result<TestRecord> written =
      WriteFailingTest(format("{}/{}", setup_.out, kept.folder), test, harness);
  if (!written) return written.error();
  return Confirmed(bucket, std::move(kept), *written, now);
}

Status Keeper::Confirmed(const Bucket& bucket, KeptTest kept, const TestRecord& written,
                         double now) {
  kept.runs = written.runs;
  kept.confirmed = written.confirmed;
  // A test that does not always hang is slow.
  const uint32_t least = bucket.verdict == kHangVerdict ? kept.runs : 1;
  kept.state = kept.confirmed >= least ? "confirmed" : "not_repeated";
  if (Status set = store_.UpdateKept(kept); !set) return set;
  return store_.AddEvent(now, EventText("confirmed", now, bucket, kept));
}

// Makes the test again, and writes it with fault.txt, which has the command that reproduces the
// fault. The test is not run.
Status Keeper::ConfirmOwn(const Bucket& bucket, KeptTest kept, double now) {
  const TestPlan plan = PlanOf(setup_, kept.test);
  const std::string folder = format("{}/{}", setup_.out, kept.folder);
  if (Status made = MakeFolder(folder); !made) return made;
  const Result<OwnTest> test = MakeOwnTest(setup_, plan);
  kept.detail = test ? bucket.signature : test.error().message;
  kept.runs = 1;
  kept.confirmed = test ? 0 : 1;
  kept.state = "confirmed";
  const std::string command = MakeVariantCommand(setup_, plan);
  const bool varied = plan.varied && (!test || !test->recording.empty());
  const std::string text =
      varied ? format(
                   "{}\n\nTo reproduce the fault (--self-check finds the step to blame):\n"
                   "  {} --self-check\n",
                   kept.detail, command)
             : format("{}\n\nTo reproduce the fault:\n  {}\n", kept.detail, command);
  if (Status written = WriteFile(folder + "/fault.txt", text); !written) return written;
  if (test) {
    const std::string_view words(reinterpret_cast<const char*>(test->words.data()),
                                 4 * test->words.size());
    if (Status written = WriteFile(folder + "/variant.spv", words); !written) return written;
    if (!test->recording.empty()) {
      const Status written = WriteFile(folder + "/variant.refract", test->recording);
      if (!written) return written;
    }
  }
  if (Status set = store_.UpdateKept(kept); !set) return set;
  return store_.AddEvent(now, EventText("confirmed", now, bucket, kept));
}

Status Keeper::Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                      const std::function<bool()>& stop, const std::function<double()>& now) {
  const double begin = MonotonicSeconds();
  const Result<std::optional<FleshedProgram>> alone = FailingAlone(bucket, kept, harness);
  if (!alone) return FailOf(std::move(kept), alone.error());
  if (*alone) {
    return ReduceAlone(bucket, std::move(kept), **alone, harness, stop, begin, now);
  }
  Result<Subject> subject = Load(bucket, kept, harness);
  if (!subject) return FailOf(std::move(kept), subject.error());
  // If the failure is flaky, a candidate is interesting if one of three runs shows it.
  RepeatedJudge repeated(*subject->judge, 1, kept.confirmed < kept.runs ? 3 : 1);
  ReduceOptions options;
  options.ask_original = false;
  options.smallest = [&] { return !IsWrongOutput(bucket.verdict); };
  options.stop = [&] { return stop() || MonotonicSeconds() - begin > kReduceSeconds; };
  if (Status made = MakeFolder(setup_.out + "/reducing"); !made) return made;
  options.journal = JournalOf(kept);
  options.journal_key = format("{} {}", kept.target, bucket.signature);
  options.resume = FileExists(options.journal);
  const Result<Reduction> reduction =
      ::refract::Reduce(*subject->original, subject->variant.recording, options, repeated);
  kept.seconds += MonotonicSeconds() - begin;
  if (!reduction) {
    std::remove(options.journal.c_str());
    return reduction.error().kind == ErrorKind::kFailed ? Status(reduction.error())
                                                        : Fail(kept, reduction.error().message);
  }
  if (reduction->end == Reduction::End::kStopped && stop()) return store_.UpdateKept(kept);
  if (reduction->end == Reduction::End::kNotInteresting || reduction->context == nullptr) {
    std::remove(options.journal.c_str());
    return Fail(kept, "the failure did not reproduce when the reduction began");
  }
  kept.state = reduction->end == Reduction::End::kDone ? "reduced" : "ended";
  Status done = Finish(bucket, kept, *subject, *reduction, harness, now());
  if (done) std::remove(options.journal.c_str());
  return done;
}

Status Keeper::Finish(const Bucket& bucket, KeptTest kept, Subject& subject, const Reduction& found,
                      Harness& harness, double now) {
  kept.types = TypesOf(found.recording);
  kept.reduced_steps = static_cast<uint32_t>(found.steps);
  kept.instructions = found.instructions;
  kept.minimal = found.minimal;
  const std::string before = kept.folder;
  const Result<std::optional<Bucket>> home =
      MoveHome(bucket, SubOf(*subject.original, kept), now, &kept);
  if (!home) return home.error();
  if (!*home) return {};
  const FailingTest test{
      .original = *subject.original,
      .recording = subject.variant.recording,
      .variant = subject.candidate,
      .reduction = &found,
      .judge = *subject.judge,
      .target = subject.target,
      .run = references_.settings(),
      .confirmations = setup_.confirm,
  };
  const Result<TestRecord> written =
      WriteFailingTest(format("{}/{}", setup_.out, kept.folder), test, harness);
  if (!written) return written.error();
  kept.blame =
      BlameText(*subject.original, {found.words, found.inputs, found.context}, subject.target,
                *subject.judge, subject.layouts, references_.settings(), harness);
  return Reduced(**home, std::move(kept), *written, before, "", now);
}

Result<std::optional<Bucket>> Keeper::MoveHome(const Bucket& bucket, const std::string& sub,
                                               double now, KeptTest* kept) {
  std::string folder = bucket.folder;
  Bucket home = bucket;
  if (IsWrongOutput(bucket.verdict) && bucket.sub.empty()) {
    folder = format("{}/{}", bucket.folder, FolderName(sub));
    const Result<Moved> moved = store_.MoveKept(kept->id, sub, folder, now, setup_.keep);
    if (!moved) return moved.error();
    if (!moved->kept) {
      RemoveFolder(format("{}/{}", setup_.out, kept->folder));
      return std::optional<Bucket>();
    }
    home = moved->bucket;
  }
  kept->folder = format("{}/{}", folder, TestName(kept->test));
  return std::optional<Bucket>(std::move(home));
}

Status Keeper::Reduced(const Bucket& home, KeptTest kept, const TestRecord& written,
                       const std::string& before, const std::string& graph, double now) {
  kept.runs += written.runs;
  kept.confirmed += written.confirmed;
  if (Status set = store_.UpdateKept(kept); !set) return set;
  if (before != kept.folder) RemoveFolder(format("{}/{}", setup_.out, before));
  if (Status marked = MarkKnown(home, kept, graph); !marked) return marked;
  return store_.AddEvent(now, EventText("reduced", now, home, kept));
}

// Some known issues can be recognised only by the reduced test. Marks the bucket if one matches.
Status Keeper::MarkKnown(const Bucket& bucket, const KeptTest& kept, const std::string& graph) {
  if (!bucket.known.empty()) return {};
  const Result<DedupTests> tests = FindTests(format("{}/{}", setup_.out, kept.folder));
  if (!tests || tests->tests.empty()) return {};
  const CampaignTargetState* target = TargetNamed(kept.target);
  KnownIssueFacts facts;
  facts.target = kept.target;
  facts.version = target == nullptr ? std::string() : target->version;
  facts.verdict = bucket.verdict;
  facts.signature = bucket.signature;
  facts.reference = ReferenceName(setup_, PlanOf(setup_, kept.test));
  facts.reduced = true;
  facts.types = kept.types;
  facts.opcodes = tests->tests.front().opcodes;
  facts.blame = kept.blame;
  facts.graph = graph;
  const KnownIssue* known = Known(facts, bucket.stage);
  return known == nullptr ? Status() : store_.SetKnown(bucket.id, known->name);
}

}  // namespace campaign
}  // namespace refract
