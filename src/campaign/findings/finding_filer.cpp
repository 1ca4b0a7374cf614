// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/finding_filer.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "campaign/bucket_folder.h"
#include "campaign/original_tests.h"
#include "campaign/version_range.h"
#include "dedup/ignored_types.h"
#include "dedup/recommend.h"
#include "input/pipeline/stages.h"
#include "input/resolve.h"
#include "target/command_target.h"

namespace refract {
inline namespace campaign {
namespace {

using Json = nlohmann::ordered_json;

// The most originals with wrong outputs that are kept for a target and not reduced yet.
constexpr uint32_t kKeptOriginals = 100;

std::string StageOf(const Original& original) {
  const Result<EntryPoint> entry =
      FindEntryPoint(original.context.module, original.context.entry, original.file);
  if (!entry) return "module";
  const std::string_view stage = StageName(entry->model);
  return std::string(stage.empty() ? "module" : stage);
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
                     {"state", TextOf(kept.state)},
                     {"runs", kept.runs},
                     {"confirmed", kept.confirmed},
                     {"steps", kept.steps},
                     {"reduced_steps", kept.reduced_steps},
                     {"blame", kept.blame},
                     {"folder", kept.folder},
                     {"detail", kept.detail}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Adds the version and the programs of the target, up to the one whose command has the name
// `stage`.
void AddTools(const VersionedTarget& target, const std::string& stage, KnownIssueFacts* facts) {
  facts->version = target.version;
  if (target.target.command == nullptr) return;
  for (const CommandStep& step : target.target.command->steps) {
    const std::string program = ProgramName(step);
    facts->tools.push_back({program, VersionNumberIn(VersionOfStep(step, target.version))});
    if (step.name != stage) continue;
    const std::string where = format(" {}", stage);
    const size_t at = facts->signature.find(where);
    if (program != stage && at != std::string::npos) {
      facts->tool_signature = facts->signature;
      facts->tool_signature.replace(at + 1, stage.size(), program);
    }
    break;
  }
}

}  // namespace

std::string TestFolder(const std::string& bucket_folder, uint64_t test) {
  return format("{}/test-{:06}", bucket_folder, test);
}

std::string SubOfVariant(const Original& original, const std::vector<std::string>& types,
                         const std::optional<Blame>& blame) {
  DedupTest test;
  test.types = types;
  const Result<std::set<std::string>> ignored =
      ParseIgnoredTypes("(built in) ignored.txt", kIgnoredTypes);
  std::string sub = StageOf(original) + ":";
  const char* separator = " ";
  for (const std::string& type :
       RelevantTypes(test, ignored ? *ignored : std::set<std::string>())) {
    sub += separator + type;
    separator = ", ";
  }
  return blame && blame->pass ? format("{} ({})", sub, blame->pass->flag) : sub;
}

Filing FindingFiler::FilingOf(const Outcome& outcome, const std::string& reference,
                              bool original) const {
  Filing filing;
  const VersionedTarget* target = TargetNamed(setup_, outcome.target);
  const FailureClass verdict = outcome.verdict.value_or(FailureClass::kUnknown);
  const bool is_fault = verdict == FailureClass::kOurError || verdict == FailureClass::kUndefined;
  filing.counted_only = !IsBug(verdict) && !is_fault;
  filing.own =
      is_fault || (!filing.counted_only &&
                   (target == nullptr || target->target.kind == Target::Kind::kInterpreter));
  filing.keep = filing.counted_only ? 0 : setup_.keep;
  // Each reference with a wrong output gets a bucket of its own when it is reduced.
  if (original && IsWrongOutput(verdict)) filing.keep = std::max(filing.keep, kKeptOriginals);
  filing.stage = outcome.stage.empty() ? outcome.target : outcome.stage;
  filing.folder = BucketFolder(filing.stage, outcome.signature, filing.own);
  KnownIssueFacts facts;
  facts.target = outcome.target;
  facts.verdict = TextOf(outcome.verdict);
  facts.signature = outcome.signature;
  facts.reference = reference;
  const KnownIssue* known = FindKnown(facts, target, filing.stage);
  // All wrong outputs of a target begin in one bucket. An issue of one reference marks the bucket
  // that the test moves to when it is reduced.
  const bool marks = known != nullptr && (known->reference.empty() || !IsWrongOutput(verdict));
  if (marks) filing.known = known->name;
  return filing;
}

// A known issue of a driver or tool applies to every target that runs it as a stage.
const KnownIssue* FindingFiler::FindKnown(KnownIssueFacts facts, const VersionedTarget* target,
                                          const std::string& stage) const {
  if (target != nullptr) AddTools(*target, stage, &facts);
  if (const KnownIssue* known = FindKnownIssue(setup_.known, facts)) return known;
  facts.target = stage;
  return FindKnownIssue(setup_.known, facts);
}

std::string FindingFiler::FolderOf(const std::string& bucket_folder, uint64_t test) const {
  if (!IsOriginalTest(test)) return TestFolder(bucket_folder, test);
  const std::string& name = ReferenceName(setup_, PlanOf(setup_, test));
  return format("{}/original-{}", bucket_folder, FolderName(name));
}

std::string FindingFiler::PathOf(const KeptTest& kept) const {
  return format("{}/{}", setup_.out, kept.folder);
}

bool FindingFiler::IsTargetLost(const KeptTest& kept, Harness& harness) const {
  const VersionedTarget* target = TargetNamed(setup_, kept.target);
  return target != nullptr && harness.IsLost(target->target);
}

Status FindingFiler::FileFailed(KeptTest kept, const std::string& why) {
  kept.state = KeptState::kFailed;
  kept.detail = why;
  return store_.UpdateKept(kept);
}

Status FindingFiler::FileFailed(KeptTest kept, const Error& error) {
  if (error.kind == ErrorKind::kFailed) return error;
  return FileFailed(std::move(kept), error.message);
}

Status FindingFiler::FileConfirmed(const Bucket& bucket, const KeptTest& kept, double now) {
  if (Status set = store_.UpdateKept(kept); !set) return set;
  return store_.AddEvent(now, EventText("confirmed", now, bucket, kept));
}

Status FindingFiler::FileUnfinished(const KeptTest& kept) {
  return store_.UpdateKept(kept);
}

Result<std::optional<Bucket>> FindingFiler::MoveToSub(const Bucket& bucket, const std::string& sub,
                                                      double now, KeptTest* kept,
                                                      const std::optional<Blame>& blame) {
  std::string folder = bucket.folder;
  Bucket home = bucket;
  if (IsWrongOutput(bucket.verdict) && bucket.sub.empty()) {
    folder = format("{}/{}", bucket.folder, FolderName(sub));
    const std::string stage = blame ? blame->stage : std::string();
    const Result<Moved> moved = store_.MoveKept(kept->id, sub, folder, now, setup_.keep, stage);
    if (!moved) return moved.error();
    if (!moved->kept) {
      RemoveFolder(PathOf(*kept));
      return std::optional<Bucket>();
    }
    home = moved->bucket;
    folder = home.folder;
  }
  kept->folder = FolderOf(folder, kept->test);
  return std::optional<Bucket>(std::move(home));
}

Status FindingFiler::FileReduced(const Bucket& bucket, const KeptTest& kept,
                                 const std::string& before, const std::string& graph, double now) {
  if (Status set = store_.UpdateKept(kept); !set) return set;
  if (before != kept.folder) RemoveFolder(format("{}/{}", setup_.out, before));
  if (Status marked = MarkKnown(bucket, kept, graph); !marked) return marked;
  return store_.AddEvent(now, EventText("reduced", now, bucket, kept));
}

// Some known issues can be recognised only by the reduced test. Marks the bucket if one matches.
Status FindingFiler::MarkKnown(const Bucket& bucket, const KeptTest& kept,
                               const std::string& graph) {
  if (!bucket.known.empty()) return {};
  const Result<DedupTests> tests = FindTests(PathOf(kept));
  if (!tests || tests->tests.empty()) return {};
  const VersionedTarget* target = TargetNamed(setup_, kept.target);
  KnownIssueFacts facts;
  facts.target = kept.target;
  facts.verdict = TextOf(bucket.verdict);
  facts.signature = bucket.signature;
  facts.reference = ReferenceName(setup_, PlanOf(setup_, kept.test));
  facts.reduced = true;
  facts.types = kept.types;
  facts.opcodes = tests->tests.front().opcodes;
  facts.blame = kept.blame;
  facts.graph = graph;
  const KnownIssue* known = FindKnown(facts, target, bucket.stage);
  return known == nullptr ? Status() : store_.SetKnown(bucket.id, known->name);
}

}  // namespace campaign
}  // namespace refract
