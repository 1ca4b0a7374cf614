// SPDX-License-Identifier: Apache-2.0
#include "target/target_files.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/diagnostic.h"
#include "base/file.h"
#include "base/text.h"
#include "input/json_text.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 20;

Result<std::vector<std::string>> ListFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const size_t first = files.size();
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".json") files.push_back(it->path().string());
    }
    if (error) return Error{format("{}: cannot read: {}", path, error.message())};
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

/// Reads one file into `all`. Returns the name of its target.
Result<std::string> ReadOne(const std::string& file, TargetFiles* all) {
  const Result<std::string> text = ReadFile(file, kMaxFileBytes);
  if (!text) return text.error();
  const Result<JsonNode> root = ParseJson(file, *text);
  if (!root) return WithSource(root.error(), file, *text);
  if (DescribesDriver(*root)) {
    Result<DriverFile> driver = ReadDriverFile(file, *root);
    if (!driver) return WithSource(driver.error(), file, *text);
    all->drivers.push_back(std::move(*driver));
    return all->drivers.back().name;
  }
  Result<CommandTarget> target = ReadCommandTarget(file, *root);
  if (!target) return WithSource(target.error(), file, *text);
  all->commands.push_back(std::move(*target));
  return all->commands.back().name;
}

}  // namespace

Result<TargetFiles> ReadTargetFiles(const std::vector<std::string>& paths) {
  const Result<std::vector<std::string>> files = ListFiles(paths);
  if (!files) return files.error();
  TargetFiles all;
  for (const std::string& file : *files) {
    const Result<std::string> name = ReadOne(file, &all);
    if (!name) return name.error();
    const auto [other, fresh] = all.file_of.emplace(*name, file);
    if (fresh) continue;
    return Error{
        format("{}: /name: '{}' is also the name of {}; rename one", file, *name, other->second)};
  }
  return all;
}

bool DescribesTargets(const std::string& path) {
  const Result<std::vector<std::string>> files = ListFiles(std::vector<std::string>{path});
  if (!files) return false;
  return std::any_of(files->begin(), files->end(), [](const std::string& file) {
    const Result<std::string> text = ReadFile(file, kMaxFileBytes);
    if (!text) return false;
    const Result<JsonNode> root = ParseJson(file, *text);
    return root && (DescribesDriver(*root) ||
                    (root->kind == JsonNode::Kind::kObject && root->Find("commands") != nullptr));
  });
}

}  // namespace target
}  // namespace refract
