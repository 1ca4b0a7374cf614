// SPDX-License-Identifier: Apache-2.0
// Creates and opens the file of a store.
#include <cstdio>

#include "base/file.h"
#include "base/text.h"
#include "campaign/store/sql.h"
#include "campaign/store/store.h"
#include "campaign/store/store_rows.h"
#include "campaign/store/store_schema.h"

namespace refract {
inline namespace campaign {
namespace {

// SQLite keeps this number in the header of the file. The program `file` and Refract recognise a
// store by it.
constexpr int64_t kApplicationId = 0x52667263;

// NORMAL with a write-ahead log: a killed process loses nothing. A power cut may lose the last
// tests, which then run again. No test waits for the disk.
constexpr char kPragmas[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;";

// Creates the tables, and closes the file.
Status CreateTables(const std::string& path, const CampaignInfo& info) {
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

Store::Store(std::unique_ptr<Database> database)
    : mutex_(std::make_unique<std::recursive_mutex>()), database_(std::move(database)) {}
Store::Store(Store&& other) noexcept = default;
Store::~Store() = default;

Result<Store> Store::Create(const std::string& path, const CampaignInfo& info) {
  if (FileExists(path)) return Error{format("{}: this file exists already", path)};
  // The file has another name until it is complete: if the process is killed here, there is no
  // campaign yet.
  const std::string temporary = path + ".new";
  std::remove(temporary.c_str());
  if (Status made = CreateTables(temporary, info); !made) return made.error();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    return Error{format("{}: cannot rename {} to this name", path, temporary)};
  }
  return Open(path);
}

Result<Store> Store::OpenAs(const std::string& path, bool write) {
  if (!FileExists(path)) return Error{format("{}: no such file", path)};
  Result<Database> opened =
      Database::Open(path, write ? Database::Mode::kWrite : Database::Mode::kRead);
  if (!opened) return opened.error();
  Store store(std::make_unique<Database>(std::move(*opened)));
  Database& database = *store.database_;
  Sql marks = database.Prepare(
      "SELECT application_id, user_version FROM pragma_application_id, "
      "pragma_user_version");
  if (Status one = OnlyRow(marks, path); !one) return one.error();
  if (marks.Int(0) != kApplicationId) {
    return Error{format("{}: not made by a campaign", path)};
  }
  if (marks.Int(1) != kStoreFormat) {
    return Error{format("{}: the file has format {}; this version of refract reads format {}", path,
                        marks.Int(1), kStoreFormat)};
  }
  marks.Reset();
  if (write) {
    if (Status set = database.Run(kPragmas); !set) return set.error();
    if (Status added = database.Run(kStepTypesSchema); !added) return added.error();
  }
  return store;
}

Result<Store> Store::Open(const std::string& path) {
  return OpenAs(path, true);
}

Result<Store> Store::Read(const std::string& path) {
  return OpenAs(path, false);
}

}  // namespace campaign
}  // namespace refract
