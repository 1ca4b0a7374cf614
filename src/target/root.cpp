// SPDX-License-Identifier: Apache-2.0
#include "target/root.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;

// The names that Linux distributions give to the dynamic loader of the GNU C library, and to the
// folder of the libraries for one processor.
#if defined(__aarch64__)
constexpr std::string_view kLoader = "ld-linux-aarch64.so.1";
constexpr std::string_view kTriple = "aarch64-linux-gnu";
#else
constexpr std::string_view kLoader = "ld-linux-x86-64.so.2";
constexpr std::string_view kTriple = "x86_64-linux-gnu";
#endif

/// Of several folders that are the same one, by links, only the first is kept.
std::vector<std::string> LibraryFolders(const std::string& root) {
  std::vector<std::string> folders;
  std::vector<fs::path> seen;
  for (const std::string_view top : {"usr/local/lib", "usr/lib", "lib", "usr/lib64", "lib64"}) {
    for (const std::string_view below : {kTriple, std::string_view()}) {
      const fs::path folder = fs::path(root) / top / below;
      std::error_code error;
      const fs::path real = fs::canonical(folder, error);
      if (error || !fs::is_directory(real, error)) continue;
      if (std::find(seen.begin(), seen.end(), real) != seen.end()) continue;
      seen.push_back(real);
      std::string path = folder.lexically_normal().string();
      if (path.ends_with('/')) path.pop_back();
      folders.push_back(std::move(path));
    }
  }
  return folders;
}

bool IsBinary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[4] = {};
  return file.read(magic, sizeof magic) && std::string_view(magic, sizeof magic) == "\177ELF";
}

std::string Joined(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) text += format("{}{}", text.empty() ? "" : ":", folder);
  return text;
}

}  // namespace

Root OpenRoot(const std::string& folder) {
  Root root{.folder = folder};
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    root.problem = format("{}: no such folder, so there is no root", folder);
    return root;
  }
  // With ":" in a path, the dynamic loader would read it as two paths.
  if (folder.find_first_of(":;") != std::string::npos) {
    root.problem = format("{}: the path of a root must not contain ':' or ';'", folder);
    return root;
  }
  root.libraries = LibraryFolders(folder);
  root.loader = FindLibraryIn(root, std::string(kLoader));
  if (root.loader.empty()) {
    root.problem = format("{}: not a root: it has no {} in lib64, lib or usr/lib", folder, kLoader);
  }
  return root;
}

std::string FindProgramIn(const Root& root, const std::string& name) {
  if (!root.is_set() || name.find('/') != std::string::npos) return FindProgram(name);
  for (const std::string_view below : {"usr/local/bin", "usr/bin", "bin", "usr/sbin", "sbin"}) {
    const fs::path path = fs::path(root.folder) / below / name;
    if (std::string found = FindProgram(path.string()); !found.empty()) return found;
  }
  return {};
}

std::string FindLibraryIn(const Root& root, const std::string& name) {
  for (const std::string& folder : root.libraries) {
    std::string path = format("{}/{}", folder, name);
    if (FileExists(path)) return path;
  }
  return {};
}

std::vector<std::string> StartedIn(const Root& root, std::vector<std::string> argv) {
  if (!root.is_set() || argv.empty() || !IsBinary(argv[0])) return argv;
  argv.insert(argv.begin(), {root.loader, "--library-path", Joined(root.libraries)});
  return argv;
}

std::vector<std::string> SelfStartedIn(const Root& root,
                                       const std::vector<std::string>& arguments) {
  std::vector<std::string> argv = {"refract"};
  if (root.is_set()) {
    // This path also works if the file of the executable was replaced meanwhile.
    argv = {root.loader, "--library-path", Joined(root.libraries),
            "--argv0",   "refract",        format("/proc/{}/exe", ::getpid())};
  }
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return argv;
}

}  // namespace target
}  // namespace refract
