// SPDX-License-Identifier: Apache-2.0
// Adds tests to the store and files their outcomes in buckets.
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "campaign/original_tests.h"
#include "campaign/store/sql.h"
#include "campaign/store/store.h"
#include "campaign/store/store_rows.h"

namespace refract {
inline namespace campaign {
namespace {

// The id of `name` in a table of names. `insert` adds a name that is not there; without it, that is
// an error.
Result<int64_t> IdOf(Database& database, const char* select, const std::string& name,
                     const char* insert = nullptr) {
  Sql find = database.Prepare(select);
  const Result<bool> found = find.Bind(name).Step();
  if (!found) return found.error();
  if (*found) return find.Int(0);
  if (insert == nullptr) {
    return Error{format("{}: no entry with the name {}", database.path(), name),
                 ErrorKind::kFailed};
  }
  if (Status made = database.Prepare(insert).Bind(name).Run(); !made) return made.error();
  return database.LastId();
}

Result<int64_t> TargetId(Database& database, const std::string& name) {
  // "refract" and other targets that are not in the campaign's list come last.
  return IdOf(database, "SELECT id FROM targets WHERE name = ?", name,
              "INSERT INTO targets (place, name, kind, version) VALUES (1000000, ?, '', '')");
}

Result<int64_t> SignatureId(Database& database, const std::string& text) {
  return IdOf(database, "SELECT id FROM signatures WHERE text = ?", text,
              "INSERT INTO signatures (text) VALUES (?)");
}

// The first row of a query for buckets.
Result<std::optional<Bucket>> FirstBucket(Sql row) {
  const Result<bool> found = row.Step();
  if (!found) return found.error();
  if (!*found) return std::optional<Bucket>();
  Result<Bucket> bucket = BucketAt(row);
  if (!bucket) return bucket.error();
  return std::optional<Bucket>(std::move(*bucket));
}

Result<std::optional<Bucket>> FindBucket(Database& database, const std::string& stage,
                                         int64_t signature) {
  Sql row = database.Prepare(SelectBuckets("WHERE b.stage = ? AND b.signature = ? AND b.sub = ''"));
  return FirstBucket(std::move(row.Bind(stage).Bind(signature)));
}

Result<std::optional<Bucket>> FindSubBucket(Database& database, const std::string& stage,
                                            const std::string& sub) {
  Sql row = database.Prepare(SelectBuckets("WHERE b.stage = ? AND b.sub = ? ORDER BY b.id"));
  return FirstBucket(std::move(row.Bind(stage).Bind(sub)));
}

Status AddBucketEvent(Database& database, const Bucket& bucket) {
  nlohmann::ordered_json event = {{"event", "bucket"},
                                  {"at", bucket.first_seen},
                                  {"test", bucket.first_test},
                                  {"stage", bucket.stage},
                                  {"verdict", TextOf(bucket.verdict)},
                                  {"signature", bucket.signature},
                                  {"sub", bucket.sub},
                                  {"known", bucket.known},
                                  {"folder", bucket.folder}};
  return database.Prepare("INSERT INTO events (at, json) VALUES (?, ?)")
      .Bind(bucket.first_seen)
      .Bind(event.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace))
      .Run();
}

// Adds a new bucket, and the event "bucket".
Status InsertBucket(Database& database, int64_t signature, Bucket* bucket) {
  Sql insert = database.Prepare(format("INSERT INTO buckets (signature, {}) VALUES (?{})",
                                       NamesOf(kBucketColumns), PlaceholdersOf(kBucketColumns)));
  insert.Bind(signature);
  if (Status made = BindColumns(kBucketColumns, *bucket, &insert).Run(); !made) return made;
  bucket->id = database.LastId();
  return AddBucketEvent(database, *bucket);
}

Status CountOneMore(Database& database, double now, Bucket* bucket) {
  ++bucket->count;
  bucket->last_seen = now;
  return database.Prepare("UPDATE buckets SET count = count + 1, last_seen = ? WHERE id = ?")
      .Bind(now)
      .Bind(bucket->id)
      .Run();
}

Result<uint64_t> CountKept(Database& database, int64_t bucket) {
  Sql row = database.Prepare("SELECT count(*) FROM kept WHERE bucket = ?");
  if (Status one = OnlyRow(row.Bind(bucket), database.path()); !one) return one.error();
  return static_cast<uint64_t>(row.Int(0));
}

Result<bool> HasKept(Database& database, int64_t bucket, int64_t test) {
  Sql row = database.Prepare("SELECT 1 FROM kept WHERE bucket = ? AND test = ?");
  return row.Bind(bucket).Bind(test).Step();
}

// Adds one test with its outcomes.
class TestWriter {
 public:
  TestWriter(Database& database, const CampaignTest& test) : database_(database), test_(test) {}

  // Finds the buckets that have counted the test already.
  Status FindFiled() {
    Sql rows = database_.Prepare(
        "SELECT DISTINCT bucket FROM outcomes WHERE test = ? AND bucket IS NOT NULL");
    rows.Bind(static_cast<int64_t>(test_.index));
    for (;;) {
      const Result<bool> more = rows.Step();
      if (!more) return more.error();
      if (!*more) return {};
      filed_.insert(rows.Int(0));
    }
  }

  Status AddTest() {
    const Result<int64_t> original =
        IdOf(database_, "SELECT id FROM originals WHERE name = ?", test_.reference);
    if (!original) return original.error();
    Sql insert = database_.Prepare(format("INSERT INTO tests (original, {}) VALUES (?{})",
                                          NamesOf(kTestColumns), PlaceholdersOf(kTestColumns)));
    insert.Bind(*original);
    return BindColumns(kTestColumns, test_, &insert).Run();
  }

  Status AddOutcome(const Outcome& outcome, const std::function<Filing(const Outcome&)>& file) {
    const Result<int64_t> target = TargetId(database_, outcome.target);
    if (!target) return target.error();
    const Result<int64_t> signature = SignatureId(database_, outcome.signature);
    if (!signature) return signature.error();
    const Result<int64_t> bucket =
        outcome.verdict ? FileInBucket(outcome, *target, *signature, file(outcome)) : int64_t{0};
    if (!bucket) return bucket.error();
    return database_
        .Prepare(
            "INSERT OR IGNORE INTO outcomes (test, target, verdict, signature, seconds, bucket) "
            "VALUES (?, ?, ?, ?, ?, nullif(?, 0))")
        .Bind(static_cast<int64_t>(test_.index))
        .Bind(*target)
        .Bind(TextOf(outcome.verdict))
        .Bind(*signature)
        .Bind(outcome.seconds)
        .Bind(*bucket)
        .Run();
  }

  Added added;

 private:
  // Counts the test in its bucket, which is created if needed, and keeps the test if the bucket has
  // fewer than filing.keep tests. Returns the id of the bucket.
  Result<int64_t> FileInBucket(const Outcome& outcome, int64_t target, int64_t signature,
                               const Filing& filing) {
    const std::string& stage = filing.stage.empty() ? outcome.target : filing.stage;
    Result<std::optional<Bucket>> found = FindBucket(database_, stage, signature);
    if (!found) return found.error();
    Bucket bucket;
    if (*found) {
      bucket = std::move(**found);
      if (!filed_.insert(bucket.id).second) return bucket.id;
      if (Status counted = CountOneMore(database_, test_.at, &bucket); !counted) {
        return counted.error();
      }
    } else {
      bucket.stage = stage;
      bucket.signature = outcome.signature;
      bucket.verdict = *outcome.verdict;
      bucket.first_test = test_.index;
      bucket.first_seen = bucket.last_seen = test_.at;
      bucket.count = 1;
      bucket.own = filing.own;
      bucket.counted_only = filing.counted_only;
      bucket.known = filing.known;
      bucket.folder = filing.folder;
      if (Status made = InsertBucket(database_, signature, &bucket); !made) return made.error();
      filed_.insert(bucket.id);
      added.new_buckets.push_back(bucket);
    }
    const Result<uint64_t> kept_so_far = CountKept(database_, bucket.id);
    if (!kept_so_far) return kept_so_far.error();
    if (!bucket.muted && *kept_so_far < filing.keep) {
      if (Status kept = Keep(bucket.id, outcome, target); !kept) return kept.error();
    }
    return bucket.id;
  }

  Status Keep(int64_t bucket, const Outcome& outcome, int64_t target) {
    KeptTest kept;
    kept.bucket = bucket;
    kept.test = test_.index;
    kept.target = outcome.target;
    kept.steps = test_.steps;
    Sql insert =
        database_.Prepare(format("INSERT INTO kept (bucket, test, target, {}) VALUES (?, ?, ?{})",
                                 NamesOf(kKeptColumns), PlaceholdersOf(kKeptColumns)));
    insert.Bind(bucket).Bind(static_cast<int64_t>(test_.index)).Bind(target);
    if (Status made = BindColumns(kKeptColumns, kept, &insert).Run(); !made) return made;
    kept.id = database_.LastId();
    added.kept.push_back(std::move(kept));
    return {};
  }

  Database& database_;
  const CampaignTest& test_;
  std::set<int64_t> filed_;  // buckets that have counted the test
};

}  // namespace

bool IsFinding(const Bucket& bucket) {
  return !bucket.muted && bucket.known.empty() && !bucket.counted_only;
}

Result<Added> Store::AddTest(const CampaignTest& test,
                             const std::function<Filing(const Outcome&)>& file) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  Sql there = database_->Prepare("SELECT 1 FROM tests WHERE test = ?");
  const Result<bool> found = there.Bind(static_cast<int64_t>(test.index)).Step();
  if (!found) return found.error();
  if (*found && !IsOriginalTest(test.index)) return Added();
  TestWriter filer(*database_, test);
  Status began = *found ? filer.FindFiled() : filer.AddTest();
  if (!began) return began.error();
  for (const Outcome& outcome : test.outcomes) {
    if (Status added = filer.AddOutcome(outcome, file); !added) return added.error();
  }
  if (Status added = AddStepTypes(test.types); !added) return added.error();
  // This counts the time of parts that are killed, too.
  Status worked =
      database_->Prepare("UPDATE campaign SET seconds = max(seconds, ?)").Bind(test.at).Run();
  if (!worked) return worked.error();
  if (Status committed = transaction->Commit(); !committed) return committed.error();
  return std::move(filer.added);
}

Result<Moved> Store::MoveKept(int64_t kept, const std::string& sub, const std::string& folder,
                              double now, uint32_t keep, const std::string& stage) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  Sql from = database_->Prepare(
      "SELECT b.stage, b.signature, b.id, k.test FROM kept k JOIN buckets b ON b.id = k.bucket "
      "WHERE k.id = ?");
  if (Status one = OnlyRow(from.Bind(kept), database_->path()); !one) return one.error();
  const int64_t signature = from.Int(1);
  const std::string home = stage.empty() ? from.Text(0) : stage;
  Result<std::optional<Bucket>> found = FindSubBucket(*database_, home, sub);
  if (!found) return found.error();
  Moved moved;
  moved.is_new = !*found;
  bool again = false;  // the test is there for another target
  if (*found) {
    moved.bucket = std::move(**found);
    const Result<bool> has = HasKept(*database_, moved.bucket.id, from.Int(3));
    if (!has) return has.error();
    again = *has;
    Status counted = again ? Status() : CountOneMore(*database_, now, &moved.bucket);
    if (!counted) return counted.error();
  } else {
    Sql parent = database_->Prepare(SelectBuckets("WHERE b.id = ?"));
    if (Status one = OnlyRow(parent.Bind(from.Int(2)), database_->path()); !one) return one.error();
    Result<Bucket> bucket = BucketAt(parent);
    if (!bucket) return bucket.error();
    moved.bucket = std::move(*bucket);
    moved.bucket.stage = home;
    moved.bucket.sub = sub;
    moved.bucket.first_test = static_cast<uint64_t>(from.Int(3));
    moved.bucket.first_seen = moved.bucket.last_seen = now;
    moved.bucket.count = 1;
    moved.bucket.muted = false;
    moved.bucket.folder = folder;
    Status made = InsertBucket(*database_, signature, &moved.bucket);
    if (!made) return made.error();
  }
  const Result<uint64_t> there = CountKept(*database_, moved.bucket.id);
  if (!there) return there.error();
  moved.kept = !again && *there < keep;
  Sql change = database_->Prepare(moved.kept ? "UPDATE kept SET bucket = ?2 WHERE id = ?1"
                                             : "DELETE FROM kept WHERE id = ?1 AND ?2 <> 0");
  if (Status changed = change.Bind(kept).Bind(moved.bucket.id).Run(); !changed) {
    return changed.error();
  }
  if (Status committed = transaction->Commit(); !committed) return committed.error();
  return moved;
}

}  // namespace campaign
}  // namespace refract
