// SPDX-License-Identifier: Apache-2.0
#include "base/cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"

namespace refract {
namespace {

class CacheTest : public testing::Test {
 protected:
  std::vector<std::string> Files() const {
    auto files = ListFiles(folder_.path());
    return files ? *files : std::vector<std::string>{};
  }
  TemporaryFolder folder_ = *TemporaryFolder::Make();
  std::string path_ = folder_.path() + "/a/b";
};

TEST_F(CacheTest, AnotherInstanceFindsWhatWasStored) {
  const Cache cache(path_, {});
  EXPECT_FALSE(cache.Get("key"));
  const std::string bytes("a\0b\n", 4);
  cache.Put("key", bytes);
  cache.Put("", "");
  EXPECT_EQ(Cache(path_, {}).Get("key"), bytes);
  EXPECT_EQ(cache.Get(""), "");
  EXPECT_FALSE(cache.Get("ke"));
  cache.Put("key", "other");
  EXPECT_EQ(cache.Get("key"), "other");
  EXPECT_EQ(Files().size(), 2u);
}

TEST_F(CacheTest, DoesNotReturnDamagedEntries) {
  const Cache cache(path_, {});
  cache.Put("key", "some bytes that were kept");
  ASSERT_EQ(Files().size(), 1u);
  const std::string file = Files()[0];
  const std::string whole = *ReadFile(file);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    ASSERT_TRUE(WriteFile(file, damaged));
    EXPECT_FALSE(cache.Get("key")) << i;
    ASSERT_TRUE(WriteFile(file, std::string_view(whole).substr(0, i)));
    EXPECT_FALSE(cache.Get("key")) << i;
  }
  // An entry of another key, whose checksum is right.
  cache.Put("other", "bytes");
  for (const std::string& path : Files()) {
    if (path == file) continue;
    ASSERT_EQ(::rename(path.c_str(), file.c_str()), 0);
  }
  EXPECT_FALSE(cache.Get("key"));
  ASSERT_EQ(::unlink(file.c_str()), 0);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(cache.Get("key"));
}

TEST_F(CacheTest, RemovesTheLeastRecentlyUsedEntries) {
  const Cache::Limits limits{.bytes = 16 * 1000, .entries = 16 * 4};
  const Cache cache(path_, limits);
  cache.Put("too large", std::string(161, 'x'));
  EXPECT_TRUE(Files().empty());
  // The limit on entries: four per folder are left. Entries that are used stay.
  cache.Put("used", "kept");
  for (int i = 0; i < 400; ++i) {
    cache.Put(format("{}", i), "x");
    ASSERT_EQ(cache.Get("used"), "kept") << i;
  }
  EXPECT_LE(Files().size(), 64u);
  EXPECT_GE(Files().size(), 60u);
  EXPECT_FALSE(cache.Get("0"));
  EXPECT_TRUE(cache.Get("399"));
  // The limit on bytes.
  for (int i = 0; i < 400; ++i) cache.Put(format("large {}", i), std::string(160, 'x'));
  uint64_t bytes = 0;
  for (const std::string& file : Files()) bytes += ReadFile(file)->size();
  EXPECT_LE(bytes, limits.bytes);
}

TEST_F(CacheTest, ToleratesConcurrentUseAndRemoval) {
  const Cache::Limits limits{.bytes = 1 << 20, .entries = 16 * 8};
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0}, found{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      const Cache cache(path_, limits);
      for (int i = 0; i < 200; ++i) {
        const int key = (i * 7 + thread) % 50;
        if (const auto bytes = cache.Get(format("{}", key))) {
          ++found;
          if (*bytes != std::string(static_cast<size_t>(key) * 50, 'x')) ++wrong;
        }
        cache.Put(format("{}", key), std::string(static_cast<size_t>(key) * 50, 'x'));
        if (i % 60 == 59) {
          for (const std::string& file : Files()) ::unlink(file.c_str());
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 100);
}

TEST_F(CacheTest, AFailedWriteStoresNothing) {
  ASSERT_TRUE(WriteFile(folder_.path() + "/file", ""));
  const Cache cache(folder_.path() + "/file/below", {});
  cache.Put("key", "bytes");
  EXPECT_FALSE(cache.Get("key"));
  const Cache off;
  off.Put("key", "bytes");
  EXPECT_FALSE(off.Get("key"));
}

// Runs in a child process with these environment variables.
TEST_F(CacheTest, UsesTheFolderThatTheSpecificationNames) {
  const auto where = [&](const char* xdg, const char* home, const char* refract) {
    for (const std::string& file : Files()) ::unlink(file.c_str());
    ::setenv("XDG_CACHE_HOME", xdg, 1);
    ::setenv("HOME", home, 1);
    ::setenv("REFRACT_CACHE", refract, 1);
    Cache::OfUser("kind").Put("key", "bytes");
    const std::vector<std::string> files = Files();
    if (files.empty()) return std::string();
    const std::string below = files[0].substr(folder_.path().size());
    return below.substr(0, below.find("/kind/") + 6);
  };
  const std::string a = folder_.path() + "/x", b = folder_.path() + "/h";
  EXPECT_EXIT(
      {
        const bool right = where(a.c_str(), b.c_str(), "") == "/x/refract/kind/" &&
                           where("", b.c_str(), "") == "/h/.cache/refract/kind/" &&
                           where("relative", b.c_str(), "on") == "/h/.cache/refract/kind/" &&
                           where(a.c_str(), b.c_str(), "off").empty() && where("", "", "").empty();
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace refract
