// SPDX-License-Identifier: Apache-2.0
// SQLite with Results: a database, statements, transactions. Only room campaign sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace refract::inline campaign {

/// A prepared statement. Parameters and columns count from 0. Runs again after Reset.
class Sql {
 public:
  Sql(Sql&& other) noexcept;
  Sql& operator=(Sql&& other) noexcept;
  ~Sql();

  Sql& Bind(int64_t value);
  Sql& Bind(double value);
  Sql& Bind(std::string_view value);
  /// To the next row: true if there is one.
  Result<bool> Step();
  /// For what gives no rows: to its end, and ready to be bound again.
  Status Run();
  void Reset();

  int64_t Int(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  Sql(sqlite3_stmt* statement, const std::string* path) : statement_(statement), path_(path) {}

  sqlite3_stmt* statement_;  // null: it could not be prepared, as `error_` says
  const std::string* path_;  // of the database, for errors
  int bound_ = 0;
  std::optional<Error> error_ = {};
};

class Database {
 public:
  enum class Mode : uint8_t { kRead, kWrite, kCreate };
  /// Errors name the file. What cannot be written for want of room is kBadInput and says so.
  static Result<Database> Open(const std::string& path, Mode mode);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  /// Statements without parameters or rows, several joined by ';'.
  Status Run(const char* statements);
  /// What is wrong with it (the file is damaged, the table is not there) its Step says. Must not
  /// outlive this.
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

/// All or nothing: what was done since goes back unless Commit was reached.
class Transaction {
 public:
  static Result<Transaction> Begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status Commit();

 private:
  explicit Transaction(Database* database) : database_(database) {}
  Database* database_;  // null once it is over
};

}  // namespace refract::inline campaign
