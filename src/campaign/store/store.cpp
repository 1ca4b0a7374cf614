// SPDX-License-Identifier: Apache-2.0
// Writes the state of a campaign to its store. store_filing.cpp adds tests.
#include "campaign/store/store.h"

#include "base/text.h"
#include "campaign/store/sql.h"
#include "campaign/store/store_rows.h"

namespace refract {
inline namespace campaign {

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
      .Bind(TextOf(reference.stability))
      .Bind(int64_t{reference.crash_only})
      .Bind(reference.detail)
      .Run();
}

Status Store::SetBaseline(const Baseline& baseline) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_
      ->Prepare(
          "INSERT OR REPLACE INTO baselines (original, target, state, outputs_hash, seconds, "
          "detail) VALUES ((SELECT id FROM originals WHERE name = ?), "
          "(SELECT id FROM targets WHERE name = ?), ?, ?, ?, ?)")
      .Bind(baseline.reference)
      .Bind(baseline.target)
      .Bind(TextOf(baseline.state))
      .Bind(baseline.outputs_hash)
      .Bind(baseline.seconds)
      .Bind(baseline.detail)
      .Run();
}

Status Store::BeginPart() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Run("UPDATE campaign SET parts = parts + 1");
}

Status Store::SetSeconds(double seconds) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("UPDATE campaign SET seconds = ?").Bind(seconds).Run();
}

Status Store::UpdateKept(const KeptTest& kept) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql update = database_->Prepare(
      format("UPDATE kept SET {} WHERE id = ?", NamesOf(kKeptColumns, "", " = ?")));
  return BindColumns(kKeptColumns, kept, &update).Bind(kept.id).Run();
}

Status Store::SetRecommended(int64_t kept, bool recommended) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("UPDATE kept SET recommended = ? WHERE id = ?")
      .Bind(int64_t{recommended})
      .Bind(kept)
      .Run();
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

Status Store::AddStepTypes(const std::vector<std::string>& types) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql insert = database_->Prepare("INSERT OR IGNORE INTO step_types (name) VALUES (?)");
  for (const std::string& type : types) {
    if (Status added = insert.Bind(type).Run(); !added) return added;
  }
  return {};
}

Status Store::AddEvent(double at, const std::string& json) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Prepare("INSERT INTO events (at, json) VALUES (?, ?)")
      .Bind(at)
      .Bind(json)
      .Run();
}

}  // namespace campaign
}  // namespace refract
