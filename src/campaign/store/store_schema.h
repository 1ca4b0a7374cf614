// SPDX-License-Identifier: Apache-2.0
// The tables of a store. store.h describes each column under the same name. The table "originals"
// has the references, because REFERENCES is a keyword of SQL.
#pragma once

namespace refract {
inline namespace campaign {

/// The transformation types that occurred in variants. Stores of earlier versions do not have this
/// table; it is added when their campaign continues.
inline constexpr char kStepTypesSchema[] =
    "CREATE TABLE IF NOT EXISTS step_types (name TEXT PRIMARY KEY) WITHOUT ROWID;";

/// Only in campaigns with feedback: its state as JSON (FeedbackText), the tests that it decided,
/// and what the tests of the last rounds ran.
inline constexpr char kFeedbackSchema[] = R"sql(
CREATE TABLE IF NOT EXISTS feedback (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  state TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS plans (
  test INTEGER PRIMARY KEY,
  reference INTEGER NOT NULL,  -- index
  seed INTEGER NOT NULL,
  preferred TEXT NOT NULL);    -- transformation types, joined by commas
CREATE TABLE IF NOT EXISTS test_blocks (
  test INTEGER PRIMARY KEY,
  blocks TEXT NOT NULL,        -- separated by blanks
  types TEXT NOT NULL);        -- transformation types, joined by commas
)sql";

inline constexpr char kSchema[] = R"sql(
CREATE TABLE campaign (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seed INTEGER NOT NULL,       -- 64 bits, as signed
  options TEXT NOT NULL,
  tool TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  seconds REAL NOT NULL,
  parts INTEGER NOT NULL);
CREATE TABLE targets (
  id INTEGER PRIMARY KEY,
  place INTEGER NOT NULL,      -- in --targets
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  version TEXT NOT NULL);
CREATE TABLE originals (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  hash TEXT NOT NULL,
  stability TEXT NOT NULL,
  crash_only INTEGER NOT NULL,
  detail TEXT NOT NULL);
CREATE TABLE baselines (
  original INTEGER NOT NULL REFERENCES originals(id),
  target INTEGER NOT NULL REFERENCES targets(id),
  state TEXT NOT NULL,
  outputs_hash TEXT NOT NULL,
  seconds REAL NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (original, target)) WITHOUT ROWID;
CREATE TABLE signatures (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE);
CREATE TABLE tests (
  test INTEGER PRIMARY KEY,    -- its index
  original INTEGER NOT NULL REFERENCES originals(id),
  seed INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  words INTEGER NOT NULL,
  seconds REAL NOT NULL,
  own_seconds REAL NOT NULL,
  at REAL NOT NULL);
CREATE TABLE outcomes (
  test INTEGER NOT NULL REFERENCES tests(test),
  target INTEGER NOT NULL REFERENCES targets(id),
  verdict TEXT NOT NULL,
  signature INTEGER NOT NULL REFERENCES signatures(id),
  seconds REAL NOT NULL,
  bucket INTEGER REFERENCES buckets(id),  -- NULL: ok
  PRIMARY KEY (test, target, signature)) WITHOUT ROWID;
CREATE TABLE buckets (
  id INTEGER PRIMARY KEY,
  stage TEXT NOT NULL,
  signature INTEGER NOT NULL REFERENCES signatures(id),
  sub TEXT NOT NULL,
  verdict TEXT NOT NULL,
  first_test INTEGER NOT NULL,
  first_seen REAL NOT NULL,
  last_seen REAL NOT NULL,
  count INTEGER NOT NULL,
  own INTEGER NOT NULL,
  counted_only INTEGER NOT NULL,
  known TEXT NOT NULL,
  muted INTEGER NOT NULL,
  folder TEXT NOT NULL,
  UNIQUE (stage, signature, sub));
CREATE TABLE kept (
  id INTEGER PRIMARY KEY,
  bucket INTEGER NOT NULL REFERENCES buckets(id),
  test INTEGER NOT NULL REFERENCES tests(test),
  target INTEGER NOT NULL REFERENCES targets(id),
  state TEXT NOT NULL,
  runs INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  reduced_steps INTEGER NOT NULL,
  instructions INTEGER NOT NULL,
  minimal INTEGER NOT NULL,
  types TEXT NOT NULL,         -- joined by commas
  seconds REAL NOT NULL,
  recommended INTEGER NOT NULL DEFAULT 0,
  folder TEXT NOT NULL,
  blame TEXT NOT NULL,
  detail TEXT NOT NULL);
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  at REAL NOT NULL,
  json TEXT NOT NULL);
)sql";

}  // namespace campaign
}  // namespace refract
