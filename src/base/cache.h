// SPDX-License-Identifier: Apache-2.0
// A cache of results that take long to compute: bytes by key, in a folder of the user, kept from
// one command to the next. Any entry may disappear at any time. Only speed depends on the cache, so
// it reports no errors. Several processes may use one folder at the same time: each entry is
// written under a temporary name and then renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace refract {
inline namespace base {

class Cache {
 public:
  struct Limits {
    uint64_t bytes = uint64_t{256} << 20;  ///< of all entries of one kind
    uint64_t entries = 16384;
  };

  /// A cache that is off: it stores nothing.
  Cache() = default;
  /// Stores entries under `folder`, an absolute path. The first Put makes the folder. An entry that
  /// is larger than a hundredth of `limits.bytes` is not stored.
  Cache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}
  /// The cache of this user for one `kind` of results: $XDG_CACHE_HOME/refract/KIND, or
  /// $HOME/.cache/refract/KIND if XDG_CACHE_HOME is unset, empty or relative (XDG Base Directory
  /// Specification 0.8). The cache is off if there is no such path, or if REFRACT_CACHE is "off".
  static Cache OfUser(std::string_view kind);

  /// The folder of all kinds; empty if the cache is off.
  static std::string FolderOfUser();

  bool is_on() const { return !folder_.empty(); }
  /// The bytes stored for `key`; nullopt if not found, if another build of refract stored
  /// them, or if they are damaged.
  std::optional<std::string> Get(std::string_view key) const;
  /// Stores `bytes` for `key`, in place of any older entry. Then removes the entries that were not
  /// used for longest, until the limits hold.
  void Put(std::string_view key, std::string_view bytes) const;

 private:
  std::string PathOf(std::string_view key) const;

  std::string folder_;  // empty: the cache is off
  Limits limits_;
};

}  // namespace base
}  // namespace refract
