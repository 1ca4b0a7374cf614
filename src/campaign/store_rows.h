// SPDX-License-Identifier: Apache-2.0
// Rows of the store's tables as what store.h calls them: shared by what reads and what writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "campaign/sql.h"
#include "campaign/store.h"

namespace refract {

inline constexpr char kSelectBuckets[] =
    "SELECT b.id, t.name, s.text, b.verdict, b.sub, b.first_test, b.first_seen, b.last_seen, "
    "b.count, b.own, b.counted_only, b.known, b.muted, b.folder FROM buckets b "
    "JOIN targets t ON t.id = b.target JOIN signatures s ON s.id = b.signature ";

inline Bucket BucketAt(const Sql& row) {
  Bucket bucket;
  bucket.id = row.Int(0);
  bucket.target = row.Text(1);
  bucket.signature = row.Text(2);
  bucket.verdict = row.Text(3);
  bucket.sub = row.Text(4);
  bucket.first_test = static_cast<uint64_t>(row.Int(5));
  bucket.first_seen = row.Real(6);
  bucket.last_seen = row.Real(7);
  bucket.count = static_cast<uint64_t>(row.Int(8));
  bucket.own = row.Int(9) != 0;
  bucket.counted_only = row.Int(10) != 0;
  bucket.known = row.Text(11);
  bucket.muted = row.Int(12) != 0;
  bucket.folder = row.Text(13);
  return bucket;
}

inline constexpr char kSelectKept[] =
    "SELECT id, bucket, test, state, runs, confirmed, steps, reduced_steps, instructions, minimal, "
    "types, seconds, recommended, folder, detail, blame FROM kept ";

inline KeptTest KeptAt(const Sql& row) {
  KeptTest kept;
  kept.id = row.Int(0);
  kept.bucket = row.Int(1);
  kept.test = static_cast<uint64_t>(row.Int(2));
  kept.state = row.Text(3);
  kept.runs = static_cast<uint32_t>(row.Int(4));
  kept.confirmed = static_cast<uint32_t>(row.Int(5));
  kept.steps = static_cast<uint32_t>(row.Int(6));
  kept.reduced_steps = static_cast<uint32_t>(row.Int(7));
  kept.instructions = static_cast<uint64_t>(row.Int(8));
  kept.minimal = row.Int(9) != 0;
  const std::string types = row.Text(10);
  if (!types.empty()) kept.types = Split(types, ',');
  kept.seconds = row.Real(11);
  kept.recommended = row.Int(12) != 0;
  kept.folder = row.Text(13);
  kept.detail = row.Text(14);
  kept.blame = row.Text(15);
  return kept;
}

inline constexpr char kSelectTests[] =
    "SELECT t.test, o.name, t.seed, t.steps, t.words, t.seconds, t.own_seconds, t.at "
    "FROM tests t JOIN originals o ON o.id = t.original ";

inline CampaignTest TestAt(const Sql& row) {
  CampaignTest test;
  test.index = static_cast<uint64_t>(row.Int(0));
  test.reference = row.Text(1);
  test.seed = static_cast<uint64_t>(row.Int(2));
  test.steps = static_cast<uint32_t>(row.Int(3));
  test.words = static_cast<uint32_t>(row.Int(4));
  test.seconds = row.Real(5);
  test.own_seconds = row.Real(6);
  test.at = row.Real(7);
  return test;
}

// Every row of a query, each made by `make`.
template <class T, class Make>
Result<std::vector<T>> All(Sql rows, Make make) {
  std::vector<T> all;
  for (;;) {
    const Result<bool> more = rows.Step();
    if (!more) return more.error();
    if (!*more) return all;
    all.push_back(make(rows));
  }
}

// The one row of a query.
inline Status One(Sql& row, const std::string& path) {
  const Result<bool> found = row.Step();
  if (!found) return found.error();
  if (*found) return {};
  return Error{format("{}: a row that should be there is not", path), ErrorKind::kFailed};
}

}  // namespace refract
