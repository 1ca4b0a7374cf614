// SPDX-License-Identifier: Apache-2.0
#include "cli/stored_arguments.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace cli {
namespace {

struct StoredLine {
  std::vector<std::string> arguments;
  std::string folder;
};

// The command line in the last event "begin"; no arguments if there is none.
Result<StoredLine> LastLine(const std::string& store_file) {
  Result<Store> store = Store::Open(store_file);
  if (!store) return store.error();
  const Result<std::vector<CampaignEvent>> events = store->Events();
  if (!events) return events.error();
  StoredLine last;
  for (const CampaignEvent& event : *events) {
    const nlohmann::json json = nlohmann::json::parse(event.json, nullptr, false);
    if (!json.is_object() || json.value("event", "") != "begin") continue;
    const auto arguments = json.find("arguments"), folder = json.find("folder");
    if (arguments == json.end() || folder == json.end()) continue;
    if (!arguments->is_array() || !folder->is_string()) continue;
    last.arguments.clear();
    for (const nlohmann::json& one : *arguments) {
      if (one.is_string()) last.arguments.push_back(one.get<std::string>());
    }
    last.folder = folder->get<std::string>();
  }
  return last;
}

}  // namespace

Result<CampaignArguments> WithStoredArguments(const CampaignArguments& given,
                                              void (*declare)(CampaignArguments&, Options&)) {
  if (given.check_only) {
    return Error{"specify --reduce-only or --check-only, not both", ErrorKind::kUsage};
  }
  const std::string store_file = format("{}/{}", given.out, kStoreFile);
  if (!FileExists(store_file)) {
    return Error{
        format("{}: no campaign in this folder, so there is nothing to reduce", given.out)};
  }
  if (!given.references.empty() || given.flesh != 0 || given.generate) return given;
  if (!given.donors.empty() || !given.targets.empty() || !given.target_files.empty()) {
    return Error{
        "--reduce-only without --references takes all options from the folder: leave out "
        "--donors, --targets and --target-files, or give all options",
        ErrorKind::kUsage};
  }
  Result<StoredLine> line = LastLine(store_file);
  if (!line) return line.error();
  const auto verb = std::find(line->arguments.begin(), line->arguments.end(), "campaign");
  if (verb == line->arguments.end()) {
    return Error{
        format("{}: the campaign has no command line: give its --references and other "
               "options again",
               given.out)};
  }
  CampaignArguments stored;
  const Status parsed = ParseAgain({verb + 1, line->arguments.end()},
                                   [&](Options& options) { declare(stored, options); });
  if (!parsed) return parsed.error();
  std::error_code error;
  stored.out = given.out;
  if (line->folder != std::filesystem::current_path(error).string()) {
    stored.out = std::filesystem::absolute(given.out, error).string();
    if (!given.known.empty()) stored.known = std::filesystem::absolute(given.known, error).string();
    std::filesystem::current_path(line->folder, error);
    if (error) return Error{format("{}: {}", line->folder, error.message())};
  } else if (!given.known.empty()) {
    stored.known = given.known;
  }
  stored.time = given.time;
  stored.tests.reset();
  stored.stop_after.reset();
  stored.seed = given.seed;
  stored.check_only = false;
  stored.reduce_only = true;
  stored.new_only = given.new_only;
  if (given.jobs != 0) stored.jobs = given.jobs;
  stored.line = std::move(line->arguments);
  return stored;
}

}  // namespace cli
}  // namespace refract
