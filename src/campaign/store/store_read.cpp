// SPDX-License-Identifier: Apache-2.0
// Reads what is in a store.
#include "base/text.h"
#include "campaign/original_tests.h"
#include "campaign/store/store.h"
#include "campaign/store/store_rows.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr char kSelectOutcomes[] =
    "SELECT t.name, o.verdict, s.text, o.seconds, o.bucket FROM outcomes o "
    "JOIN targets t ON t.id = o.target JOIN signatures s ON s.id = o.signature ";

// Adds the outcomes of a test. Outcomes that are ok are added only if `all` is true.
Status ReadOutcomes(Database& database, bool all, CampaignTest* test) {
  Sql rows = database.Prepare(format("{}WHERE o.test = ? {}ORDER BY t.place, t.name, s.text",
                                     kSelectOutcomes, all ? "" : "AND o.verdict <> ? "));
  rows.Bind(static_cast<int64_t>(test->index));
  if (!all) rows.Bind(TextOf(OutcomeVerdict()));
  for (;;) {
    const Result<bool> more = rows.Step();
    if (!more) return more.error();
    if (!*more) return {};
    Outcome outcome{rows.Text(0), {}, rows.Text(2), rows.Real(3), {}, rows.Int(4)};
    if (Status read = ReadState(rows, 1, &outcome.verdict); !read) return read;
    test->outcomes.push_back(std::move(outcome));
  }
}

}  // namespace

Result<CampaignInfo> Store::Info() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql row =
      database_->Prepare("SELECT seed, options, tool, commit_id, seconds, parts FROM campaign");
  if (Status one = OnlyRow(row, database_->path()); !one) return one.error();
  CampaignInfo info;
  info.seed = static_cast<uint64_t>(row.Int(0));
  info.options = row.Text(1);
  info.tool = row.Text(2);
  info.commit = row.Text(3);
  info.seconds = row.Real(4);
  info.parts = static_cast<uint32_t>(row.Int(5));
  return info;
}

Result<std::vector<CampaignTarget>> Store::Targets() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<CampaignTarget>(
      database_->Prepare("SELECT id, name, kind, version FROM targets ORDER BY place, name"),
      [](const Sql& row) {
        return CampaignTarget{row.Int(0), row.Text(1), row.Text(2), row.Text(3)};
      });
}

Result<std::vector<CampaignReference>> Store::References() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<CampaignReference>(
      database_->Prepare(
          "SELECT id, name, hash, stability, crash_only, detail FROM originals ORDER BY name"),
      [](const Sql& row) -> Result<CampaignReference> {
        CampaignReference reference{row.Int(0), row.Text(1),     row.Text(2),
                                    {},         row.Int(4) != 0, row.Text(5)};
        if (Status read = ReadState(row, 3, &reference.stability); !read) return read.error();
        return reference;
      });
}

Result<std::vector<Baseline>> Store::Baselines() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<Baseline>(
      database_->Prepare("SELECT o.name, t.name, b.state, b.outputs_hash, b.seconds, b.detail "
                         "FROM baselines b JOIN originals o ON o.id = b.original "
                         "JOIN targets t ON t.id = b.target ORDER BY o.name, t.place, t.name"),
      [](const Sql& row) -> Result<Baseline> {
        Baseline baseline{row.Text(0), row.Text(1), {}, row.Text(3), row.Real(4), row.Text(5)};
        if (Status read = ReadState(row, 2, &baseline.state); !read) return read.error();
        return baseline;
      });
}

Result<std::vector<Bucket>> Store::Buckets() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<Bucket>(
      database_->Prepare(SelectBuckets("ORDER BY b.first_seen, b.stage, s.text, b.sub")), BucketAt);
}

Result<std::vector<KeptTest>> Store::Kept() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<KeptTest>(database_->Prepare(SelectKept("ORDER BY k.bucket, k.test, k.id")),
                           KeptAt);
}

Result<std::vector<CampaignEvent>> Store::Events(int64_t after) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql rows = database_->Prepare("SELECT id, at, json FROM events WHERE id > ? ORDER BY id");
  rows.Bind(after);
  return AllRows<CampaignEvent>(std::move(rows), [](const Sql& row) {
    return CampaignEvent{row.Int(0), row.Real(1), row.Text(2)};
  });
}

Result<std::vector<VerdictCount>> Store::Verdicts() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<VerdictCount>(
      database_->Prepare(
          format("SELECT t.name, o.verdict, count(*), total(o.seconds) FROM outcomes o "
                 "JOIN targets t ON t.id = o.target WHERE o.test < {} GROUP BY t.id, o.verdict "
                 "ORDER BY t.place, t.name, o.verdict",
                 kFirstOriginalTest)),
      [](const Sql& row) -> Result<VerdictCount> {
        VerdictCount count{row.Text(0), {}, static_cast<uint64_t>(row.Int(2)), row.Real(3)};
        if (Status read = ReadState(row, 1, &count.verdict); !read) return read.error();
        return count;
      });
}

Result<std::vector<BucketTargetCount>> Store::BucketTargetCounts() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<BucketTargetCount>(
      database_->Prepare("SELECT o.bucket, t.name, count(*) FROM outcomes o JOIN targets t ON "
                         "t.id = o.target WHERE o.bucket IS NOT NULL GROUP BY o.bucket, t.id "
                         "ORDER BY o.bucket, t.place, t.name"),
      [](const Sql& row) {
        return BucketTargetCount{row.Int(0), row.Text(1), static_cast<uint64_t>(row.Int(2))};
      });
}

Status Store::ForEachTest(const std::function<void(const CampaignTest&)>& visit) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql rows = database_->Prepare(
      SelectTests(format("WHERE t.test < {} ORDER BY t.test", kFirstOriginalTest)));
  for (;;) {
    const Result<bool> more = rows.Step();
    if (!more) return more.error();
    if (!*more) return {};
    Result<CampaignTest> test = TestAt(rows);
    if (!test) return test.error();
    if (Status read = ReadOutcomes(*database_, false, &*test); !read) return read;
    visit(*test);
  }
}

Result<CampaignTest> Store::Test(uint64_t index) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql row = database_->Prepare(SelectTests("WHERE t.test = ?"));
  row.Bind(static_cast<int64_t>(index));
  if (Status one = OnlyRow(row, database_->path()); !one) return one.error();
  Result<CampaignTest> test = TestAt(row);
  if (!test) return test;
  if (Status read = ReadOutcomes(*database_, true, &*test); !read) return read.error();
  return test;
}

Result<std::vector<uint64_t>> Store::TestIndices() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return AllRows<uint64_t>(database_->Prepare("SELECT test FROM tests ORDER BY test"),
                           [](const Sql& row) { return static_cast<uint64_t>(row.Int(0)); });
}

Result<std::vector<std::string>> Store::StepTypes() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql table = database_->Prepare("SELECT 1 FROM sqlite_master WHERE name = 'step_types'");
  const Result<bool> found = table.Step();
  if (!found) return found.error();
  if (!*found) return std::vector<std::string>();
  return AllRows<std::string>(database_->Prepare("SELECT name FROM step_types ORDER BY name"),
                              [](const Sql& row) { return row.Text(0); });
}

Result<Store::Totals> Store::ReadTotals() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql row = database_->Prepare(
      format("SELECT count(*), total(seconds), total(own_seconds), (SELECT total(newest) FROM "
             "(SELECT max(first_seen) AS newest FROM buckets WHERE counted_only = 0)) FROM tests "
             "WHERE test < {}",
             kFirstOriginalTest));
  if (Status one = OnlyRow(row, database_->path()); !one) return one.error();
  return Totals{static_cast<uint64_t>(row.Int(0)), row.Real(1), row.Real(2), row.Real(3)};
}

Result<std::vector<IntervalCount>> Store::TestsOverTime(uint32_t intervals) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  // A test that ends after the last update of the campaign's seconds is in the last interval.
  // The tests of originals only count if they fail.
  Sql rows = database_->Prepare(
      format("SELECT max(0, min(?1 - 1, CAST(t.at * ?1 / max(c.seconds, 1e-9) AS INTEGER))), "
             "sum(t.test < {}), "
             "sum(EXISTS (SELECT 1 FROM outcomes o JOIN buckets b ON b.id = o.bucket "
             "WHERE o.test = t.test AND b.counted_only = 0)) FROM tests t, campaign c GROUP BY 1",
             kFirstOriginalTest));
  rows.Bind(static_cast<int64_t>(intervals));
  std::vector<IntervalCount> counts(intervals);
  for (;;) {
    const Result<bool> more = rows.Step();
    if (!more) return more.error();
    if (!*more) return counts;
    IntervalCount& count = counts.at(static_cast<size_t>(rows.Int(0)));
    count = {static_cast<uint64_t>(rows.Int(1)), static_cast<uint64_t>(rows.Int(2))};
  }
}

}  // namespace campaign
}  // namespace refract
