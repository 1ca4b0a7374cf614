// SPDX-License-Identifier: Apache-2.0
#include "folder/build_id.h"

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/text.h"
#include "crash/elf_file.h"
#include "input/json_text.h"

namespace refract {
inline namespace folder {
namespace {

constexpr uint64_t kMaxIcdFile = uint64_t{1} << 20;

// The path of the library `name` in one of the usual folders, or an empty string. The Vulkan loader
// finds the library by its name, so a library elsewhere works too, but its build-id is not
// recorded.
std::string FindLibrary(const std::string& name) {
  constexpr const char* kFolders[] = {
      "/lib/x86_64-linux-gnu",
      "/usr/lib/x86_64-linux-gnu",
      "/usr/local/lib",
      "/usr/lib64",
      "/usr/local/nvidia/lib64",
      "/lib64",
      "/usr/lib",
      "/lib",
  };
  for (const char* folder : kFolders) {
    std::string path = format("{}/{}", folder, name);
    if (FileExists(path)) return path;
  }
  return {};
}

}  // namespace

std::string BuildIdOf(const std::string& file) {
  const std::shared_ptr<const ElfFile> opened = ElfFile::Open(file);
  return opened ? opened->build_id() : std::string();
}

std::string LibraryOfIcd(const std::string& icd_file) {
  const Result<std::string> text = ReadFile(icd_file, kMaxIcdFile);
  if (!text) return {};
  const Result<JsonNode> json = ParseJson(icd_file, *text);
  if (!json) return {};
  const JsonNode* icd = json->Find("ICD");
  const JsonNode* library = icd == nullptr ? nullptr : icd->Find("library_path");
  if (library == nullptr || library->kind != JsonNode::Kind::kString) return {};
  const std::filesystem::path path = library->text;
  if (!path.has_parent_path()) return FindLibrary(library->text);
  // A relative path starts in the folder of the ICD file; an absolute one replaces it.
  const std::string found =
      (std::filesystem::path(icd_file).parent_path() / path).lexically_normal().string();
  return FileExists(found) ? found : std::string();
}

}  // namespace folder
}  // namespace refract
