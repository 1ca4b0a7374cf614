// SPDX-License-Identifier: Apache-2.0
#include "campaign/store/sql.h"

#include <sqlite3.h>

#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr int kBusyMilliseconds = 10000;  // how long readers and writers wait for each other

Error ErrorOf(sqlite3* handle, const std::string& path) {
  const int code = sqlite3_errcode(handle);
  const int extended = sqlite3_extended_errcode(handle);
  const std::string why = sqlite3_errmsg(handle);
  switch (code) {
    case SQLITE_FULL:
      return Error{format("{}: cannot write: the disk is full; free some space and start again "
                          "(nothing is lost)",
                          path),
                   ErrorKind::kFailed};
    case SQLITE_IOERR:
      return Error{
          format("{}: cannot read or write ({}, {}); if the disk is full or a file size limit is "
                 "reached, free some space and start again (nothing is lost)",
                 path, why, extended),
          ErrorKind::kFailed};
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return Error{format("{}: damaged, or not made by a campaign: {}", path, why)};
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return Error{format("{}: cannot open or write: {}", path, why)};
    case SQLITE_BUSY:
      return Error{format("{}: another process is writing to this file", path)};
    default:
      return Error{format("{}: {}", path, why), ErrorKind::kFailed};
  }
}

}  // namespace

Sql::Sql(Sql&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      path_(other.path_),
      bound_(other.bound_),
      error_(std::move(other.error_)) {}

Sql& Sql::operator=(Sql&& other) noexcept {
  std::swap(statement_, other.statement_);
  std::swap(path_, other.path_);
  std::swap(bound_, other.bound_);
  std::swap(error_, other.error_);
  return *this;
}

Sql::~Sql() {
  sqlite3_finalize(statement_);
}

Sql& Sql::Bind(int64_t value) {
  if (error_) return *this;
  CHECK(sqlite3_bind_int64(statement_, ++bound_, value) == SQLITE_OK);
  return *this;
}

Sql& Sql::Bind(double value) {
  if (error_) return *this;
  CHECK(sqlite3_bind_double(statement_, ++bound_, value) == SQLITE_OK);
  return *this;
}

Sql& Sql::Bind(std::string_view value) {
  if (error_) return *this;
  // SQLite takes a null pointer for NULL.
  const char* bytes = value.empty() ? "" : value.data();
  CHECK(sqlite3_bind_text(statement_, ++bound_, bytes, static_cast<int>(value.size()),
                          SQLITE_TRANSIENT) == SQLITE_OK);
  return *this;
}

Result<bool> Sql::Step() {
  if (error_) return *error_;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error = ErrorOf(sqlite3_db_handle(statement_), *path_);
  Reset();
  return error;
}

Status Sql::Run() {
  for (;;) {
    const Result<bool> more = Step();
    if (!more) return more.error();
    if (!*more) break;
  }
  Reset();
  return {};
}

void Sql::Reset() {
  if (error_) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  bound_ = 0;
}

int64_t Sql::Int(int column) const {
  return sqlite3_column_int64(statement_, column);
}

double Sql::Real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::string Sql::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr
             ? std::string()
             : std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<Database> Database::Open(const std::string& path, Mode mode) {
  const int flags = mode == Mode::kRead    ? SQLITE_OPEN_READONLY
                    : mode == Mode::kWrite ? SQLITE_OPEN_READWRITE
                                           : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_FULLMUTEX, nullptr);
  Database database(handle, path);
  if (code != SQLITE_OK) return ErrorOf(handle, path);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  return database;
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

Status Database::Run(const char* statements) {
  if (sqlite3_exec(handle_, statements, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return ErrorOf(handle_, *path_);
}

Sql Database::Prepare(std::string_view text) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_, text.data(), static_cast<int>(text.size()), &statement, nullptr);
  Sql made(statement, path_.get());
  if (code != SQLITE_OK) made.error_ = ErrorOf(handle_, *path_);
  return made;
}

int64_t Database::LastId() const {
  return sqlite3_last_insert_rowid(handle_);
}

Result<Transaction> Transaction::Begin(Database& database) {
  if (Status begun = database.Run("BEGIN IMMEDIATE"); !begun) return begun.error();
  return Transaction(&database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
  // After some errors SQLite has rolled back already. The result is then not needed.
  if (database_ != nullptr) static_cast<void>(database_->Run("ROLLBACK"));
}

Status Transaction::Commit() {
  Status done = database_->Run("COMMIT");
  if (done) database_ = nullptr;
  return done;
}

}  // namespace campaign
}  // namespace refract
