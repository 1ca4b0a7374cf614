// SPDX-License-Identifier: Apache-2.0
#include "campaign/bucket_folder.h"

#include "base/hash.h"
#include "base/text.h"

namespace refract {
inline namespace campaign {

std::string FolderName(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_';
    if (plain && !(name.empty() && c == '.')) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() >= 60) break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return format("{}-{}", name, ContentHash(text).substr(0, 8));
}

std::string BucketFolder(const std::string& stage, const std::string& signature, bool own) {
  if (own) return "own_errors/" + FolderName(format("{} {}", stage, signature));
  std::string where;
  for (const char c : stage) {
    // Most names of targets can be names of files. Those that are paths or lists cannot.
    where += c == '/' || c == ':' || c == ',' ? '_' : c;
  }
  if (where.size() > 60) where = FolderName(where);
  return format("buckets/{}/{}", where, FolderName(signature));
}

}  // namespace campaign
}  // namespace refract
