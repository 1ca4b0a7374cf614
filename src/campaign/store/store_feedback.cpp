// SPDX-License-Identifier: Apache-2.0
// The tables of campaigns with feedback (feedback.h).
#include "base/text.h"
#include "campaign/feedback.h"
#include "campaign/store/sql.h"
#include "campaign/store/store.h"
#include "campaign/store/store_schema.h"

namespace refract {
inline namespace campaign {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::vector<std::string> Words(const std::string& text) {
  return text.empty() ? std::vector<std::string>() : Split(text, ',');
}

}  // namespace

Status Store::BeginFeedback() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_->Run(kFeedbackSchema);
}

Result<std::string> Store::Feedback() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql table = database_->Prepare("SELECT 1 FROM sqlite_master WHERE name = 'feedback'");
  const Result<bool> found = table.Step();
  if (!found) return found.error();
  if (!*found) return std::string();
  Sql row = database_->Prepare("SELECT state FROM feedback");
  const Result<bool> has = row.Step();
  if (!has) return has.error();
  return *has ? row.Text(0) : std::string();
}

Result<std::vector<FeedbackPlan>> Store::FeedbackPlans() {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql row = database_->Prepare("SELECT test, reference, seed, preferred FROM plans ORDER BY test");
  std::vector<FeedbackPlan> plans;
  for (;;) {
    const Result<bool> has = row.Step();
    if (!has) return has.error();
    if (!*has) return plans;
    FeedbackPlan& one = plans.emplace_back();
    one.test = static_cast<uint64_t>(row.Int(0));
    one.plan.reference = static_cast<size_t>(row.Int(1));
    one.plan.seed = static_cast<uint64_t>(row.Int(2));
    one.plan.preferred = Words(row.Text(3));
  }
}

Status Store::SetTestBlocks(const TestBlocks& ran) {
  std::string blocks;
  for (const uint32_t block : ran.blocks) blocks += format("{} ", block);
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  return database_
      ->Prepare("INSERT OR REPLACE INTO test_blocks (test, blocks, types) VALUES (?, ?, ?)")
      .Bind(static_cast<int64_t>(ran.test))
      .Bind(blocks)
      .Bind(Joined(ran.types))
      .Run();
}

Result<std::vector<TestBlocks>> Store::TestBlocksBefore(uint64_t end) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Sql row = database_->Prepare(
      "SELECT test, blocks, types FROM test_blocks WHERE test < ? ORDER BY test");
  row.Bind(static_cast<int64_t>(end));
  std::vector<TestBlocks> rows;
  for (;;) {
    const Result<bool> has = row.Step();
    if (!has) return has.error();
    if (!*has) return rows;
    TestBlocks& one = rows.emplace_back();
    one.test = static_cast<uint64_t>(row.Int(0));
    for (const std::string& word : Split(row.Text(1), ' ')) {
      uint64_t block = 0;
      if (ParseNumber(word, &block)) one.blocks.push_back(static_cast<uint32_t>(block));
    }
    one.types = Words(row.Text(2));
  }
}

Status Store::EndFeedbackRound(const std::string& state, const std::vector<FeedbackPlan>& plans,
                               uint64_t end) {
  const std::lock_guard<std::recursive_mutex> lock(*mutex_);
  Result<Transaction> transaction = Transaction::Begin(*database_);
  if (!transaction) return transaction.error();
  Status done = database_->Prepare("INSERT OR REPLACE INTO feedback (one, state) VALUES (1, ?)")
                    .Bind(state)
                    .Run();
  if (!done) return done;
  done = database_->Prepare("DELETE FROM test_blocks WHERE test < ?")
             .Bind(static_cast<int64_t>(end))
             .Run();
  if (!done) return done;
  Sql insert = database_->Prepare(
      "INSERT OR REPLACE INTO plans (test, reference, seed, preferred) VALUES (?, ?, ?, ?)");
  for (const FeedbackPlan& plan : plans) {
    done = insert.Bind(static_cast<int64_t>(plan.test))
               .Bind(static_cast<int64_t>(plan.plan.reference))
               .Bind(static_cast<int64_t>(plan.plan.seed))
               .Bind(Joined(plan.plan.preferred))
               .Run();
    if (!done) return done;
  }
  return transaction->Commit();
}

}  // namespace campaign
}  // namespace refract
