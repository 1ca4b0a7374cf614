// SPDX-License-Identifier: Apache-2.0
#include "folder/build_id.h"

#include <elf.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "input/json_text.h"

namespace refract {
namespace {

constexpr uint64_t kMaxNotes = uint64_t{1} << 16;
constexpr uint64_t kMaxIcdFile = uint64_t{1} << 20;
constexpr size_t kMaxBuildId = 64;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

bool ReadAt(std::FILE* file, uint64_t offset, void* to, size_t size) {
  return offset <= uint64_t{1} << 40 &&
         std::fseek(file, static_cast<long>(offset), SEEK_SET) == 0 &&
         std::fread(to, 1, size, file) == size;
}

std::string Hex(const uint8_t* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += format("{:02x}", bytes[i]);
  return text;
}

// The build-id among the notes of one segment, which come one behind the other, each part padded to
// four bytes (System V ABI, "Note Section").
std::string BuildIdIn(const std::vector<uint8_t>& notes) {
  const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  for (uint64_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    Elf64_Nhdr header;
    std::memcpy(&header, notes.data() + at, sizeof header);
    const uint64_t name = at + sizeof header;
    const uint64_t value = name + padded(header.n_namesz);
    if (value + header.n_descsz > notes.size()) return {};
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0 && header.n_descsz <= kMaxBuildId) {
      return Hex(notes.data() + value, header.n_descsz);
    }
    at = value + padded(header.n_descsz);
  }
  return {};
}

// The loader reads the file again by this name, so what is not found here is merely not told.
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
  const File opened(std::fopen(file.c_str(), "rb"), std::fclose);
  Elf64_Ehdr header;
  if (opened == nullptr || !ReadAt(opened.get(), 0, &header, sizeof header)) return {};
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return {};
  }
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!ReadAt(opened.get(), header.e_phoff + i * sizeof segment, &segment, sizeof segment)) {
      return {};
    }
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNotes) continue;
    std::vector<uint8_t> notes(segment.p_filesz);
    if (!ReadAt(opened.get(), segment.p_offset, notes.data(), notes.size())) continue;
    if (std::string id = BuildIdIn(notes); !id.empty()) return id;
  }
  return {};
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

}  // namespace refract
