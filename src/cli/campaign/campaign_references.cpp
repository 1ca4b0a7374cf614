// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign/campaign_references.h"

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <tuple>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "campaign/reference_cost.h"
#include "files/module_files.h"
#include "glsl/load.h"
#include "reduce/target_interestingness.h"

namespace refract {
inline namespace cli {
namespace {

constexpr uint64_t kSampleStream = 3;  // of the seed; the schedule uses 1 and 2

// The name of a reference: "a/b.frag" for "dir/a/b.frag" in the folder "dir"; the file name if
// `path` is the file.
std::string NameWithin(const std::string& file, const std::string& path) {
  if (file == path) return file.substr(file.find_last_of('/') + 1);
  return std::filesystem::path(file).lexically_relative(path).generic_string();
}

// Loads a reference, and finds out whether it can be run.
Result<CampaignSource> LoadReference(const ReferenceFile& file, bool zero_inputs) {
  Result<CampaignSource> source = LoadSource(file.name, file.file);
  if (!source) return source;
  const Original& original = *source->original;
  RunSettings settings;
  settings.zero_inputs = zero_inputs;
  const Result<Job> job = JobOf(original, original.context.module, original.words,
                                original.context.inputs.get(), settings);
  if (!job) return job.error();
  source->cost = CostOf(*job);
  return source;
}

// Loads `count` files from `first` on, in the order of the files.
std::vector<Result<CampaignSource>> LoadSome(const std::vector<ReferenceFile>& files, size_t first,
                                             size_t count, bool zero_inputs) {
  const size_t threads = std::max(std::thread::hardware_concurrency(), 1u);
  std::vector<std::optional<Result<CampaignSource>>> loaded(count);
  std::vector<std::future<void>> running;
  for (size_t thread = 0; thread < std::min(threads, count); ++thread) {
    running.push_back(std::async(std::launch::async, [&, thread] {
      for (size_t i = thread; i < count; i += threads) {
        loaded[i].emplace(LoadReference(files[first + i], zero_inputs));
      }
    }));
  }
  for (std::future<void>& one : running) one.wait();
  std::vector<Result<CampaignSource>> all;
  all.reserve(count);
  for (std::optional<Result<CampaignSource>>& one : loaded) all.push_back(std::move(*one));
  return all;
}

}  // namespace

Result<std::vector<ReferenceFile>> ListReferences(const std::vector<std::string>& paths) {
  std::vector<ReferenceFile> found;
  std::set<std::string> known;  // a folder and a folder in it have the same files
  for (const std::string& path : paths) {
    if (!FileExists(path)) return Error{format("{}: no such file or folder", path)};
    const Result<std::vector<std::string>> files = ListModuleFiles(path);
    if (!files) return files.error();
    if (files->empty()) {
      return Error{format("{}: the folder has no module ({})", path, kModuleEndings)};
    }
    for (const std::string& file : *files) {
      std::error_code wrong;
      const auto real = std::filesystem::weakly_canonical(file, wrong);
      if (known.insert(wrong ? file : real.string()).second)
        found.push_back({NameWithin(file, path), file});
    }
  }
  std::sort(found.begin(), found.end(), [](const ReferenceFile& a, const ReferenceFile& b) {
    return std::tie(a.name, a.file) < std::tie(b.name, b.file);
  });
  for (size_t i = 1; i < found.size(); ++i) {
    if (found[i].name != found[i - 1].name) continue;
    return Error{format("{} and {}: both references have the name {}", found[i - 1].file,
                        found[i].file, found[i].name)};
  }
  return found;
}

void ShuffleReferences(uint64_t seed, std::vector<ReferenceFile>* files) {
  Random random(Mix(seed, kSampleStream));
  for (size_t i = files->size(); i > 1; --i) {
    std::swap((*files)[i - 1], (*files)[random.Below(i)]);
  }
}

Status LoadReferences(const std::vector<ReferenceFile>& files, std::optional<uint64_t> sample,
                      CampaignSetup* setup) {
  const uint64_t wanted = sample.value_or(files.size());
  for (size_t next = 0; next < files.size() && setup->sources.size() < wanted;) {
    const size_t count = std::min<size_t>(files.size() - next, wanted - setup->sources.size());
    std::vector<Result<CampaignSource>> loaded = LoadSome(files, next, count, setup->zero_inputs);
    for (size_t i = 0; i < count; ++i) {
      if (loaded[i]) {
        setup->sources.push_back(std::move(*loaded[i]));
      } else if (loaded[i].error().kind == ErrorKind::kFailed || files.size() == 1) {
        return loaded[i].error();
      } else {
        setup->skipped.push_back({files[next + i].name, loaded[i].error().message});
      }
    }
    next += count;
  }
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::sort(setup->sources.begin(), setup->sources.end(), by_name);
  std::sort(setup->skipped.begin(), setup->skipped.end(), by_name);
  if (setup->sources.empty() && !files.empty()) {
    return Error{format("none of the {} references can be used", files.size())};
  }
  setup->first_round = OrderByCost(setup->sources);
  return {};
}

}  // namespace cli
}  // namespace refract
