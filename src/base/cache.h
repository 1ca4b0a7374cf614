// SPDX-License-Identifier: Apache-2.0
// Results that are dear to get, kept between commands in a folder of the user's: bytes by key. An
// entry may be gone at any time and nothing depends on it but speed, so no error is ever reported.
// Many processes may use one folder: an entry is written under another name and renamed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace refract::inline base {

class Cache {
 public:
  struct Limits {
    uint64_t bytes = uint64_t{256} << 20;  ///< of all entries of a kind
    uint64_t entries = 16384;
  };

  /// Keeps nothing.
  Cache() = default;
  /// Keeps its entries under `folder`, an absolute path, which is made with the first entry. An
  /// entry has at most a hundredth of `limits.bytes`.
  Cache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}
  /// The user's, of one `kind` of results: $XDG_CACHE_HOME/refract/KIND, or
  /// $HOME/.cache/refract/KIND where XDG_CACHE_HOME is unset, empty or relative (XDG Base Directory
  /// Specification 0.8). Keeps nothing if there is no such path, or REFRACT_CACHE is "off".
  static Cache OfUser(std::string_view kind);

  bool is_on() const { return !folder_.empty(); }
  /// What another build of refract kept is not found. What is damaged is not found either.
  std::optional<std::string> Get(std::string_view key) const;
  /// Replaces what is kept for `key`. Then removes the entries that were not used for longest,
  /// until the limits hold.
  void Put(std::string_view key, std::string_view bytes) const;

 private:
  std::string PathOf(std::string_view key) const;

  std::string folder_;  // empty: keeps nothing
  Limits limits_;
};

}  // namespace refract::inline base
