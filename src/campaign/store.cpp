// SPDX-License-Identifier: Apache-2.0
#include "campaign/store.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "campaign/sql.h"
#include "campaign/store_rows.h"
#include "campaign/store_schema.h"

namespace refract {
namespace {

// SQLite keeps it in the file's header, so that `file` and we know a store when we see one.
constexpr int64_t kApplicationId = 0x52667263;

// NORMAL in a write-ahead log: a killed process loses nothing, a power cut perhaps the last tests,
// which are then made again; no test waits for the disk.
constexpr char kPragmas[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;";

std::string JoinedTypes(const std::vector<std::string>& types) {
  std::string text;
  for (const std::string& type : types) {
    if (!text.empty()) text += ',';
    text += type;
  }
  return text;
}

// The id of `name` in a table that has one for each.
Result<int64_t> IdOf(Database& database, const char* select, const std::string& name,
                     const char* insert = nullptr) {
  Sql find = database.Prepare(select);
  const Result<bool> found = find.Bind(name).Step();
  if (!found) return found.error();
  if (*found) return find.Int(0);
  if (insert == nullptr) {
    return Error{format("{}: nothing called {} in it", database.path(), name), ErrorKind::kFailed};
  }
  if (Status made = database.Prepare(insert).Bind(name).Run(); !made) return made.error();
  return database.LastId();
}

Result<int64_t> TargetId(Database& database, const std::string& name) {
  // "refract" and what is seen on no target of the campaign's list come at the end.
  return IdOf(database, "SELECT id FROM targets WHERE name = ?", name,
              "INSERT INTO targets (place, name, kind, version) VALUES (1000000, ?, '', '')");
}

Result<int64_t> SignatureId(Database& database, const std::string& text) {
  return IdOf(database, "SELECT id FROM signatures WHERE text = ?", text,
              "INSERT INTO signatures (text) VALUES (?)");
}

Result<int64_t> OriginalId(Database& database, const std::string& name) {
  return IdOf(database, "SELECT id FROM originals WHERE name = ?", name);
}

Result<std::optional<Bucket>> FindBucket(Database& database, int64_t target, int64_t signature,
                                         const std::string& sub) {
  Sql row = database.Prepare(
      format("{}WHERE b.target = ? AND b.signature = ? AND b.sub = ?", kSelectBuckets));
  const Result<bool> found = row.Bind(target).Bind(signature).Bind(sub).Step();
  if (!found) return found.error();
  return *found ? std::optional<Bucket>(BucketAt(row)) : std::nullopt;
}

Status CountOneMore(Database& database, int64_t bucket, double now) {
  return database.Prepare("UPDATE buckets SET count = count + 1, last_seen = ? WHERE id = ?")
      .Bind(now)
      .Bind(bucket)
      .Run();
}

Status InsertBucket(Database& database, int64_t target, int64_t signature, Bucket* bucket) {
  Status made = database
                    .Prepare(
                        "INSERT INTO buckets (target, signature, sub, verdict, first_test, "
                        "first_seen, last_seen, count, own, counted_only, known, muted, "
                        "folder) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?)")
                    .Bind(target)
                    .Bind(signature)
                    .Bind(bucket->sub)
                    .Bind(bucket->verdict)
                    .Bind(static_cast<int64_t>(bucket->first_test))
                    .Bind(bucket->first_seen)
                    .Bind(bucket->last_seen)
                    .Bind(int64_t{bucket->own})
                    .Bind(int64_t{bucket->counted_only})
                    .Bind(bucket->known)
                    .Bind(int64_t{bucket->muted})
                    .Bind(bucket->folder)
                    .Run();
  if (made) bucket->id = database.LastId();
  return made;
}

Status InsertEvent(Database& database, double at, const std::string& json) {
  return database.Prepare("INSERT INTO events (at, json) VALUES (?, ?)").Bind(at).Bind(json).Run();
}

Status AddBucketEvent(Database& database, const Bucket& bucket) {
  nlohmann::ordered_json event = {
      {"event", "bucket"},       {"at", bucket.first_seen},   {"test", bucket.first_test},
      {"target", bucket.target}, {"verdict", bucket.verdict}, {"signature", bucket.signature},
      {"sub", bucket.sub},       {"known", bucket.known},     {"folder", bucket.folder}};
  return InsertEvent(database, bucket.first_seen,
                     event.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

Result<uint64_t> CountKept(Database& database, int64_t bucket) {
  Sql row = database.Prepare("SELECT count(*) FROM kept WHERE bucket = ?");
  if (Status one = One(row.Bind(bucket), database.path()); !one) return one.error();
  return static_cast<uint64_t>(row.Int(0));
}

// Files one failing outcome: into its bucket, and among those that are kept while it has room.
Status File(Database& database, const CampaignTest& test, const Outcome& outcome, int64_t target,
            int64_t signature, const Filing& filing, Added* added) {
  Result<std::optional<Bucket>> found = FindBucket(database, target, signature, "");
  if (!found) return found.error();
  Bucket bucket;
  if (*found) {
    bucket = std::move(**found);
    if (Status counted = CountOneMore(database, bucket.id, test.at); !counted) return counted;
  } else {
    bucket.target = outcome.target;
    bucket.signature = outcome.signature;
    bucket.verdict = outcome.verdict;
    bucket.first_test = test.index;
    bucket.first_seen = bucket.last_seen = test.at;
    bucket.count = 1;
    bucket.own = filing.own;
    bucket.counted_only = filing.counted_only;
    bucket.known = filing.known;
    bucket.folder = filing.folder;
    if (Status made = InsertBucket(database, target, signature, &bucket); !made) return made;
    if (Status told = AddBucketEvent(database, bucket); !told) return told;
    added->fresh.push_back(bucket);
  }
  const Result<uint64_t> kept_so_far = CountKept(database, bucket.id);
  if (!kept_so_far) return kept_so_far.error();
  if (bucket.muted || *kept_so_far >= filing.keep) return {};
  Status made = database
                    .Prepare(
                        "INSERT INTO kept (bucket, test, state, runs, confirmed, steps, "
                        "reduced_steps, instructions, minimal, types, seconds, recommended, "
                        "folder, blame, detail) "
                        "VALUES (?, ?, 'found', 0, 0, ?, 0, 0, 0, '', 0, 0, '', '', '')")
                    .Bind(bucket.id)
                    .Bind(static_cast<int64_t>(test.index))
                    .Bind(int64_t{test.steps})
                    .Run();
  if (!made) return made;
  KeptTest kept;
  kept.id = database.LastId();
  kept.bucket = bucket.id;
  kept.test = test.index;
  kept.steps = test.steps;
  added->kept.push_back(std::move(kept));
  return {};
}

// Makes the tables, and is done with the file.
Status Fill(const std::string& path, const CampaignInfo& info) {
  Result<Database> database = Database::Open(path, Database::Mode::kCreate);
  if (!database) return database.error();
  if (Status made = database->Run(kSchema); !made) return made;
  const std::string marks =
      format("PRAGMA application_id={}; PRAGMA user_version={};", kApplicationId, kStoreFormat);
  if (Status made = database->Run(marks.c_str()); !made) return made;
  return database
      ->Prepare(
          "INSERT INTO campaign (one, seed, options, tool, commit_id, seconds, parts) "
          "VALUES (1, ?, ?, ?, ?, 0, 0)")
      .Bind(static_cast<int64_t>(info.seed))
      .Bind(info.options)
      .Bind(info.tool)
      .Bind(info.commit)
      .Run();
}

}  // namespace

bool IsCountedOnly(const std::string& verdict) {
  return verdict == "unsupported" || verdict == "slow" || verdict == "out_of_memory" ||
         verdict == "target_not_usable";
}

bool IsFinding(const Bucket& bucket) {
  return !bucket.muted && bucket.known.empty() && !bucket.counted_only;
}

Store::Store(std::unique_ptr<Database> database)
    : mutex_(std::make_unique<std::recursive_mutex>()), database_(std::move(database)) {}
Store::Store(Store&& other) noexcept = default;
Store::~Store() = default;

Result<Store> Store::Create(const std::string& path, const CampaignInfo& info) {
  if (FileExists(path)) return Error{format("{}: there is one already", path)};
  // Under another name until it is whole: a campaign that is killed here has not begun.
  const std::string temporary = path + ".new";
  std::remove(temporary.c_str());
  if (Status made = Fill(temporary, info); !made) return made.error();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return Error{format("{}: cannot rename {} to it", path, temporary)};
  }
  return Open(path);
}

Result<Store> Store::OpenAs(const std::string& path, bool write) {
  if (!FileExists(path)) return Error{format("{}: there is no such file", path)};
  Result<Database> opened =
      Database::Open(path, write ? Database::Mode::kWrite : Database::Mode::kRead);
  if (!opened) return opened.error();
  Store store(std::make_unique<Database>(std::move(*opened)));
  Database& database = *store.database_;
  Sql marks = database.Prepare(
      "SELECT application_id, user_version FROM pragma_application_id, "
      "pragma_user_version");
  if (Status one = One(marks, path); !one) return one.error();
  if (marks.Int(0) != kApplicationId) {
    return Error{format("{}: not made by a campaign", path)};
  }
  if (marks.Int(1) != kStoreFormat) {
    return Error{format("{}: of format {}; this version of refract knows {}", path, marks.Int(1),
                        kStoreFormat)};
  }
  marks.Reset();
  if (write) {
    if (Status set = database.Run(kPragmas); !set) return set.error();
  }
  return store;
}

Result<Store> Store::Open(const std::string& path) {
  return OpenAs(path, true);
}

Result<Store> Store::Read(const std::string& path) {
  return OpenAs(path, false);
}

Status Store::SetTargets(const std::vector<CampaignTarget>& targets) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  for (size_t i = 0; i < targets.size(); ++i) {
    const CampaignTarget& target = targets[i];
    Status set = database_
                     ->Prepare(
                         "INSERT INTO targets (place, name, kind, version) VALUES "
                         "(?1, ?2, ?3, ?4) ON CONFLICT (name) DO UPDATE SET place = ?1, "
                         "kind = ?3, version = ?4")
                     .Bind(static_cast<int64_t>(i))
                     .Bind(target.name)
                     .Bind(target.kind)
                     .Bind(target.version)
                     .Run();
    if (!set) return set;
  }
  return transaction->Commit();
}

Status Store::SetReference(const CampaignReference& reference) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_
      ->Prepare(
          "INSERT INTO originals (name, hash, stability, crash_only, detail) VALUES "
          "(?1, ?2, ?3, ?4, ?5) ON CONFLICT (name) DO UPDATE SET hash = ?2, "
          "stability = ?3, crash_only = ?4, detail = ?5")
      .Bind(reference.name)
      .Bind(reference.hash)
      .Bind(reference.stability)
      .Bind(int64_t{reference.crash_only})
      .Bind(reference.detail)
      .Run();
}

Status Store::SetBaseline(const Baseline& baseline) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  const Result<int64_t> original = OriginalId(*database_, baseline.reference);
  if (!original) return original.error();
  const Result<int64_t> target = TargetId(*database_, baseline.target);
  if (!target) return target.error();
  Status set = database_
                   ->Prepare(
                       "INSERT OR REPLACE INTO baselines (original, target, state, "
                       "outputs_hash, seconds, detail) VALUES (?, ?, ?, ?, ?, ?)")
                   .Bind(*original)
                   .Bind(*target)
                   .Bind(baseline.state)
                   .Bind(baseline.outputs_hash)
                   .Bind(baseline.seconds)
                   .Bind(baseline.detail)
                   .Run();
  if (!set) return set;
  return transaction->Commit();
}

Status Store::BeginPart() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Run("UPDATE campaign SET parts = parts + 1");
}

Status Store::SetSeconds(double seconds) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("UPDATE campaign SET seconds = ?").Bind(seconds).Run();
}

Result<Added> Store::AddTest(const CampaignTest& test,
                             const std::function<Filing(const Outcome&)>& file) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Added added;
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  Sql there = database_->Prepare("SELECT 1 FROM tests WHERE test = ?");
  const Result<bool> found = there.Bind(static_cast<int64_t>(test.index)).Step();
  if (!found) return found.error();
  if (*found) return added;
  const Result<int64_t> original = OriginalId(*database_, test.reference);
  if (!original) return original.error();
  Status made = database_
                    ->Prepare(
                        "INSERT INTO tests (test, original, seed, steps, words, seconds, "
                        "own_seconds, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                    .Bind(static_cast<int64_t>(test.index))
                    .Bind(*original)
                    .Bind(static_cast<int64_t>(test.seed))
                    .Bind(int64_t{test.steps})
                    .Bind(int64_t{test.words})
                    .Bind(test.seconds)
                    .Bind(test.own_seconds)
                    .Bind(test.at)
                    .Run();
  if (!made) return made.error();
  for (const Outcome& outcome : test.outcomes) {
    const Result<int64_t> target = TargetId(*database_, outcome.target);
    if (!target) return target.error();
    const Result<int64_t> signature = SignatureId(*database_, outcome.signature);
    if (!signature) return signature.error();
    made = database_
               ->Prepare(
                   "INSERT OR IGNORE INTO outcomes (test, target, verdict, signature, "
                   "seconds) VALUES (?, ?, ?, ?, ?)")
               .Bind(static_cast<int64_t>(test.index))
               .Bind(*target)
               .Bind(outcome.verdict)
               .Bind(*signature)
               .Bind(outcome.seconds)
               .Run();
    if (!made) return made.error();
    if (outcome.verdict == "ok") continue;
    Status filed = File(*database_, test, outcome, *target, *signature, file(outcome), &added);
    if (!filed) return filed.error();
  }
  // A part that is killed has worked, too.
  made = database_->Prepare("UPDATE campaign SET seconds = max(seconds, ?)").Bind(test.at).Run();
  if (!made) return made.error();
  if (Status committed = transaction->Commit(); !committed) return committed.error();
  return added;
}

Status Store::UpdateKept(const KeptTest& kept) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_
      ->Prepare(
          "UPDATE kept SET state = ?, runs = ?, confirmed = ?, steps = ?, reduced_steps = ?, "
          "instructions = ?, minimal = ?, types = ?, seconds = ?, recommended = ?, "
          "folder = ?, blame = ?, detail = ? WHERE id = ?")
      .Bind(kept.state)
      .Bind(int64_t{kept.runs})
      .Bind(int64_t{kept.confirmed})
      .Bind(int64_t{kept.steps})
      .Bind(int64_t{kept.reduced_steps})
      .Bind(static_cast<int64_t>(kept.instructions))
      .Bind(int64_t{kept.minimal})
      .Bind(JoinedTypes(kept.types))
      .Bind(kept.seconds)
      .Bind(int64_t{kept.recommended})
      .Bind(kept.folder)
      .Bind(kept.blame)
      .Bind(kept.detail)
      .Bind(kept.id)
      .Run();
}

Result<Moved> Store::MoveKept(int64_t kept, const std::string& sub, const std::string& folder,
                              double now, uint32_t keep) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  Sql from = database_->Prepare(
      "SELECT b.target, b.signature, b.id, k.test FROM kept k JOIN buckets b ON b.id = k.bucket "
      "WHERE k.id = ?");
  if (Status one = One(from.Bind(kept), database_->path()); !one) return one.error();
  Result<std::optional<Bucket>> found = FindBucket(*database_, from.Int(0), from.Int(1), sub);
  if (!found) return found.error();
  Moved moved;
  moved.fresh = !*found;
  if (*found) {
    moved.bucket = std::move(**found);
    ++moved.bucket.count;
    moved.bucket.last_seen = now;
    Status counted = CountOneMore(*database_, moved.bucket.id, now);
    if (!counted) return counted.error();
  } else {
    Sql parent = database_->Prepare(format("{}WHERE b.id = ?", kSelectBuckets));
    if (Status one = One(parent.Bind(from.Int(2)), database_->path()); !one) return one.error();
    moved.bucket = BucketAt(parent);
    moved.bucket.sub = sub;
    moved.bucket.first_test = static_cast<uint64_t>(from.Int(3));
    moved.bucket.first_seen = moved.bucket.last_seen = now;
    moved.bucket.count = 1;
    moved.bucket.muted = false;
    moved.bucket.folder = folder;
    Status made = InsertBucket(*database_, from.Int(0), from.Int(1), &moved.bucket);
    if (!made) return made.error();
    if (Status told = AddBucketEvent(*database_, moved.bucket); !told) return told.error();
  }
  const Result<uint64_t> there = CountKept(*database_, moved.bucket.id);
  if (!there) return there.error();
  moved.kept = *there < keep;
  Sql change = database_->Prepare(moved.kept ? "UPDATE kept SET bucket = ?2 WHERE id = ?1"
                                             : "DELETE FROM kept WHERE id = ?1 AND ?2 <> 0");
  if (Status changed = change.Bind(kept).Bind(moved.bucket.id).Run(); !changed) {
    return changed.error();
  }
  if (Status committed = transaction->Commit(); !committed) return committed.error();
  return moved;
}

Status Store::SetMuted(int64_t bucket, bool muted) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("UPDATE buckets SET muted = ? WHERE id = ?")
      .Bind(int64_t{muted})
      .Bind(bucket)
      .Run();
}

Status Store::SetKnown(int64_t bucket, const std::string& known) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("UPDATE buckets SET known = ? WHERE id = ?")
      .Bind(known)
      .Bind(bucket)
      .Run();
}

Status Store::AddEvent(double at, const std::string& json) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("INSERT INTO events (at, json) VALUES (?, ?)")
      .Bind(at)
      .Bind(json)
      .Run();
}

}  // namespace refract
