// SPDX-License-Identifier: Apache-2.0
// SQLite with errors as Result: a database, statements, transactions. Only the library campaign
// uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace refract {
inline namespace campaign {

/// A prepared statement. Bind sets its parameters in order; columns count from 0. It can run again
/// after Reset.
class Sql {
 public:
  Sql(Sql&& other) noexcept;
  Sql& operator=(Sql&& other) noexcept;
  ~Sql();

  Sql& Bind(int64_t value);
  Sql& Bind(double value);
  Sql& Bind(std::string_view value);
  /// Goes to the next row. False: there are no more rows.
  Result<bool> Step();
  /// Runs a statement that gives no rows, and resets it.
  Status Run();
  void Reset();

  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;
  /// The path of the database, for errors.
  const std::string& path() const { return *path_; }

 private:
  friend class Database;
  Sql(sqlite3_stmt* statement, const std::string* path) : statement_(statement), path_(path) {}

  sqlite3_stmt* statement_;  // null: `error_` says why it could not be prepared
  const std::string* path_;  // path of the database, for errors
  int bound_ = 0;
  std::optional<Error> error_ = {};
};

/// An open database file.
class Database {
 public:
  enum class Mode : uint8_t { kRead, kWrite, kCreate };
  /// Opens or creates the file. All errors name it. A full disk is an error of kind kFailed.
  static Result<Database> Open(const std::string& path, Mode mode);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Runs statements that have no parameters and give no rows, separated by ';'.
  Status Run(const char* statements);
  /// Prepares a statement, which must not outlive this. If something is wrong (the file is damaged,
  /// a table is missing), its Step returns the error.
  Sql Prepare(std::string_view text);
  /// The id of the row inserted last.
  int64_t LastId() const;
  const std::string& path() const { return *path_; }

 private:
  Database(sqlite3* handle, std::string path)
      : handle_(handle), path_(std::make_unique<const std::string>(std::move(path))) {}

  sqlite3* handle_;
  std::unique_ptr<const std::string> path_;
};

/// A transaction. Its changes are undone at its end, unless Commit succeeded.
class Transaction {
 public:
  static Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status Commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;  // null after Commit
};

}  // namespace campaign
}  // namespace refract
