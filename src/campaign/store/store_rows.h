// SPDX-License-Identifier: Apache-2.0
// Converts rows of the store's tables to the structs of store.h. Tables here say which column holds
// which member; the SELECT, INSERT and UPDATE statements are made from them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text.h"
#include "campaign/store/sql.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// A column, and how it is read to and bound from a member of `Row`.
template <class Row>
struct Column {
  const char* name;
  Status (*read)(const Sql& from, int place, Row* row);
  void (*bind)(const Row& row, Sql* to);
};

/// Reads a state. An Error if the text in the column names no state.
template <class State>
Status ReadState(const Sql& from, int place, State* state) {
  const std::string text = from.Text(place);
  if (FromText(text, state)) return {};
  return Error{
      format("{}: damaged, or not made by a campaign: unknown state '{}'", from.path(), text)};
}

template <class Value>
concept StoredState = requires(const Value& value) {
  TextOf(value);
};

/// Reads and binds a column that holds `Member`, a pointer to member.
template <auto Member>
struct MemberColumn;
template <class Row, class Value, Value Row::*Member>
struct MemberColumn<Member> {
  static Status Read(const Sql& from, int place, Row* row) {
    Value& value = row->*Member;
    if constexpr (StoredState<Value>) {
      return ReadState(from, place, &value);
    } else if constexpr (std::is_same_v<Value, std::string>) {
      value = from.Text(place);
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      const std::string text = from.Text(place);
      value = text.empty() ? Value() : Split(text, ',');
    } else if constexpr (std::is_same_v<Value, double>) {
      value = from.Real(place);
    } else if constexpr (std::is_same_v<Value, bool>) {
      value = from.Int(place) != 0;
    } else {
      value = static_cast<Value>(from.Int(place));
    }
    return {};
  }
  static void Bind(const Row& row, Sql* to) {
    const Value& value = row.*Member;
    if constexpr (StoredState<Value>) {
      to->Bind(TextOf(value));
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
      std::string text;
      for (const std::string& one : value) text += (text.empty() ? "" : ",") + one;
      to->Bind(text);
    } else if constexpr (std::is_integral_v<Value>) {
      to->Bind(static_cast<int64_t>(value));
    } else {
      to->Bind(value);
    }
  }
  static constexpr Column<Row> WithName(const char* name) { return {name, Read, Bind}; }
};
template <auto Member>
constexpr auto ColumnOf(const char* name) {
  return MemberColumn<Member>::WithName(name);
}

/// The columns of buckets, without the signature, whose text is in another table.
inline constexpr Column<Bucket> kBucketColumns[] = {
    ColumnOf<&Bucket::stage>("stage"),
    ColumnOf<&Bucket::verdict>("verdict"),
    ColumnOf<&Bucket::sub>("sub"),
    ColumnOf<&Bucket::first_test>("first_test"),
    ColumnOf<&Bucket::first_seen>("first_seen"),
    ColumnOf<&Bucket::last_seen>("last_seen"),
    ColumnOf<&Bucket::count>("count"),
    ColumnOf<&Bucket::own>("own"),
    ColumnOf<&Bucket::counted_only>("counted_only"),
    ColumnOf<&Bucket::known>("known"),
    ColumnOf<&Bucket::muted>("muted"),
    ColumnOf<&Bucket::folder>("folder"),
};
/// The columns of a kept test that change while it is processed. Not `recommended`, which dedup
/// sets meanwhile.
inline constexpr Column<KeptTest> kKeptColumns[] = {
    ColumnOf<&KeptTest::state>("state"),
    ColumnOf<&KeptTest::runs>("runs"),
    ColumnOf<&KeptTest::confirmed>("confirmed"),
    ColumnOf<&KeptTest::steps>("steps"),
    ColumnOf<&KeptTest::reduced_steps>("reduced_steps"),
    ColumnOf<&KeptTest::instructions>("instructions"),
    ColumnOf<&KeptTest::minimal>("minimal"),
    ColumnOf<&KeptTest::types>("types"),
    ColumnOf<&KeptTest::seconds>("seconds"),
    ColumnOf<&KeptTest::folder>("folder"),
    ColumnOf<&KeptTest::blame>("blame"),
    ColumnOf<&KeptTest::detail>("detail"),
};
/// The columns of tests, without the reference, whose name is in another table.
inline constexpr Column<CampaignTest> kTestColumns[] = {
    ColumnOf<&CampaignTest::index>("test"),
    ColumnOf<&CampaignTest::seed>("seed"),
    ColumnOf<&CampaignTest::steps>("steps"),
    ColumnOf<&CampaignTest::words>("words"),
    ColumnOf<&CampaignTest::seconds>("seconds"),
    ColumnOf<&CampaignTest::own_seconds>("own_seconds"),
    ColumnOf<&CampaignTest::at>("at"),
};

/// The names of the columns: "a, b". `before` and `suffix` are added to each name: "a = ?, b = ?".
template <class Row, size_t N>
std::string NamesOf(const Column<Row> (&columns)[N], std::string_view before = {},
                    std::string_view suffix = {}) {
  std::string names;
  for (const Column<Row>& column : columns) {
    names += format("{}{}{}{}", names.empty() ? "" : ", ", before, column.name, suffix);
  }
  return names;
}
/// ", ?" for each column.
template <class Row, size_t N>
std::string PlaceholdersOf(const Column<Row> (&)[N]) {
  std::string places;
  for (size_t i = 0; i < N; ++i) places += ", ?";
  return places;
}
/// Reads the members from the columns that begin at `place`.
template <class Row, size_t N>
Status ReadColumns(const Column<Row> (&columns)[N], const Sql& from, int place, Row* row) {
  for (const Column<Row>& column : columns) {
    if (Status read = column.read(from, place++, row); !read) return read;
  }
  return {};
}
template <class Row, size_t N>
Sql& BindColumns(const Column<Row> (&columns)[N], const Row& row, Sql* to) {
  for (const Column<Row>& column : columns) column.bind(row, to);
  return *to;
}

inline std::string SelectBuckets(std::string_view rest) {
  return format("SELECT b.id, s.text, {} FROM buckets b JOIN signatures s ON s.id = b.signature {}",
                NamesOf(kBucketColumns, "b."), rest);
}
inline Result<Bucket> BucketAt(const Sql& row) {
  Bucket bucket;
  bucket.id = row.Int(0);
  bucket.signature = row.Text(1);
  if (Status read = ReadColumns(kBucketColumns, row, 2, &bucket); !read) return read.error();
  return bucket;
}

inline std::string SelectKept(std::string_view rest) {
  return format(
      "SELECT k.id, k.bucket, k.test, t.name, k.recommended, {} FROM kept k "
      "JOIN targets t ON t.id = k.target {}",
      NamesOf(kKeptColumns, "k."), rest);
}
inline Result<KeptTest> KeptAt(const Sql& row) {
  KeptTest kept;
  kept.id = row.Int(0);
  kept.bucket = row.Int(1);
  kept.test = static_cast<uint64_t>(row.Int(2));
  kept.target = row.Text(3);
  kept.recommended = row.Int(4) != 0;
  if (Status read = ReadColumns(kKeptColumns, row, 5, &kept); !read) return read.error();
  return kept;
}

inline std::string SelectTests(std::string_view rest) {
  return format("SELECT o.name, {} FROM tests t JOIN originals o ON o.id = t.original {}",
                NamesOf(kTestColumns, "t."), rest);
}
inline Result<CampaignTest> TestAt(const Sql& row) {
  CampaignTest test;
  test.reference = row.Text(0);
  if (Status read = ReadColumns(kTestColumns, row, 1, &test); !read) return read.error();
  return test;
}

/// All rows of a query, each converted by `make`, which returns a T or a Result<T>.
template <class T, class Make>
Result<std::vector<T>> AllRows(Sql rows, Make make) {
  std::vector<T> all;
  for (;;) {
    const Result<bool> more = rows.Step();
    if (!more) return more.error();
    if (!*more) return all;
    Result<T> made = make(rows);
    if (!made) return made.error();
    all.push_back(std::move(*made));
  }
}

/// Goes to the only row of a query. An empty result is an error.
inline Status OnlyRow(Sql& row, const std::string& path) {
  const Result<bool> found = row.Step();
  if (!found) return found.error();
  if (*found) return {};
  return Error{format("{}: damaged: a required row is missing", path), ErrorKind::kFailed};
}

}  // namespace campaign
}  // namespace refract
