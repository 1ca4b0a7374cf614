// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "folder/file_names.h"
#include "folder/readme.h"
#include "folder/test_folder.h"
#include "folder/test_json.h"
#include "image/png.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace folder {
namespace {

namespace fs = std::filesystem;

std::string_view Bytes(const std::vector<uint32_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), 4 * words.size()};
}

// The kernel, without the name of the machine and the builder of the kernel.
std::string Kernel() {
  utsname name{};
  if (::uname(&name) != 0) return {};
  return format("{} {} {}", name.sysname, name.release, name.machine);
}

/// Writes the files of a folder into a folder with another name, until all are there.
class FolderWriter {
 public:
  explicit FolderWriter(std::string folder)
      : folder_(std::move(folder)), temporary_(format("{}.{}.tmp", folder_, ::getpid())) {}
  ~FolderWriter() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
  }
  FolderWriter(const FolderWriter&) = delete;
  FolderWriter& operator=(const FolderWriter&) = delete;

  Status Begin() {
    std::error_code error;
    fs::remove_all(temporary_, error);  // from a killed process with the same id
    return MakeFolder(temporary_);
  }
  Status Add(std::string_view name, std::string_view bytes) {
    CHECK(std::find(std::begin(kTestFiles), std::end(kTestFiles), name) != std::end(kTestFiles));
    names_.emplace_back(name);
    return WriteFile(format("{}/{}", temporary_, name), bytes);
  }
  const std::vector<std::string>& names() const { return names_; }

  Status Finish() {
    // An existing folder is exchanged with the temporary one and then removed, so that there always
    // is one.
    if (::rename(temporary_.c_str(), folder_.c_str()) == 0) return {};
    const bool there = errno == ENOTEMPTY || errno == EEXIST;
    if (there && ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, folder_.c_str(),
                             RENAME_EXCHANGE) == 0) {
      return {};
    }
    return Error{format("{}: cannot write: {}", folder_, std::strerror(errno)), ErrorKind::kFailed};
  }

 private:
  const std::string folder_, temporary_;
  std::vector<std::string> names_;
};

// A folder with other files is not replaced.
Status CheckReplaceable(const std::string& folder) {
  if (!FileExists(folder)) return {};
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) return Error{format("{}: cannot write a test folder: {}", folder, error.message())};
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (std::find(std::begin(kTestFiles), std::end(kTestFiles), name) != std::end(kTestFiles)) {
      continue;
    }
    return Error{format("{}: has {}, which is not a file of a test folder; choose another folder",
                        folder, name)};
  }
  return {};
}

Status AddModule(const std::string& name, const TestModule& module, FolderWriter* writer) {
  if (module.words.empty()) return {};
  if (Status added = writer->Add(name + ".spv", Bytes(module.words)); !added) return added;
  if (module.inputs != nullptr) {
    const Status added = writer->Add(name + ".json", WriteInputs(*module.inputs));
    if (!added) return added;
  }
  if (!module.recording) return {};
  return writer->Add(name + ".refract", WriteRecording(*module.recording));
}

Status AddImages(const TestContents& contents, FolderWriter* writer) {
  const Image &original = contents.original_image, &variant = contents.variant_image;
  const Image& expected = contents.expected_image;
  if (original.pixel_count() != 0) {
    if (Status added = writer->Add("original.png", EncodePng(original)); !added) return added;
  }
  if (expected.pixel_count() != 0) {
    if (Status added = writer->Add(kExpected, EncodePng(expected)); !added) return added;
    if (original.pixel_count() == 0) return {};
    return writer->Add("diff.png", EncodePng(DiffImage(expected, original)));
  }
  if (variant.pixel_count() == 0) return {};
  if (Status added = writer->Add("variant.png", EncodePng(variant)); !added) return added;
  if (original.pixel_count() == 0) return {};
  return writer->Add("diff.png", EncodePng(DiffImage(original, variant)));
}

// Modules that compute something else than the original. Sets the difference of the pair.
Status AddSmallest(const TestContents& contents, TestRecord* record, FolderWriter* writer) {
  const std::pair<const char*, const TestModule*> modules[] = {
      {"smallest", &contents.smallest},
      {"pair.original", &contents.pair_original},
      {"pair.variant", &contents.pair_variant},
      {"check", &contents.self_checking}};
  for (const auto& [name, module] : modules) {
    if (Status added = AddModule(name, *module, writer); !added) return added;
  }
  if (contents.pair_original.words.empty()) return {};
  const Result<InstructionDiff> diff =
      DisassemblyDiff(contents.pair_original.words, contents.pair_variant.words);
  if (!diff) return diff.error();
  record->pair_difference = diff->count();
  return writer->Add(kPairDiff, diff->text);
}

// The bounds of the comparison, so that they need not be computed again, which may take long.
Status AddBounds(const TestRecord& record, const TestContents& contents, FolderWriter* writer) {
  const uint32_t width = contents.original_image.width;
  if (record.rule.kind != CompareRule::kBounded || record.rule.bounds == nullptr || width == 0) {
    return {};
  }
  const Image bounds = ImageOfBounds(*record.rule.bounds, width);
  // A larger file could not be read. Without it, the pixels are compared by the rule for the rest.
  if (bounds.pixel_count() == 0 || bounds.height > kMaxPngSide) return {};
  return writer->Add(kBounds, EncodePng(bounds));
}

Status AddOthers(const TestContents& contents, const std::string& delta, FolderWriter* writer) {
  if (!contents.neighbour.empty()) {
    if (Status added = writer->Add(kNeighbour, Bytes(contents.neighbour)); !added) return added;
  }
  if (!contents.reduced.words.empty()) {
    const Result<std::string> text = Disassemble(
        contents.reduced.words, {.friendly_names = false, .indent = true, .header = true});
    if (!text) return text.error();
    if (Status added = writer->Add(kReducedText, *text); !added) return added;
    if (Status added = writer->Add(kDelta, delta); !added) return added;
  }
  if (!contents.graph.empty()) {
    if (Status added = writer->Add(kGraph, contents.graph); !added) return added;
  }
  return contents.log.empty() ? Status() : writer->Add(kLog, contents.log);
}

}  // namespace

std::string TestRecord::ProgramCommand() const {
  return generated_by.empty() ? fleshed_by + " -o program" : generated_by + " -o program.spv";
}

std::vector<std::string> TypesOf(const message::Recording& recording) {
  std::vector<std::string> types;
  for (const message::Step& step : recording.steps) {
    types.emplace_back(message::KindName(step.transformation.kind));
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return types;
}

Status WriteTestFolder(const std::string& folder, const TestRecord& given,
                       const TestContents& contents) {
  CHECK(!contents.original.words.empty());
  const bool has_variant = !contents.variant.words.empty() || !contents.reduced.words.empty();
  CHECK(has_variant == given.HasVariant());
  std::string path = folder;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (Status replaceable = CheckReplaceable(path); !replaceable) return replaceable;

  TestRecord record = given;
  record.what = WithoutFolders(given.what);
  record.tool = ToolVersion();
  record.commit = ToolCommit();
  record.build = ToolBuildType();
  record.kernel = Kernel();
  if (contents.variant.recording) {
    record.variant_steps = static_cast<uint32_t>(contents.variant.recording->steps.size());
  }
  if (contents.reduced.recording) {
    record.steps = static_cast<uint32_t>(contents.reduced.recording->steps.size());
    record.types = TypesOf(*contents.reduced.recording);
  }
  std::string delta;
  if (!contents.reduced.words.empty()) {
    Result<InstructionDiff> diff = DisassemblyDiff(contents.original.words, contents.reduced.words);
    if (!diff) return diff.error();
    record.instructions = diff->count();
    delta = std::move(diff->text);
  }

  FolderWriter writer(path);
  if (Status begun = writer.Begin(); !begun) return begun;
  const std::pair<const char*, const TestModule*> modules[] = {{"original", &contents.original},
                                                               {"variant", &contents.variant},
                                                               {"reduced", &contents.reduced}};
  for (const auto& [name, module] : modules) {
    if (Status added = AddModule(name, *module, &writer); !added) return added;
  }
  if (contents.original.inputs != nullptr && contents.original.inputs->companion != nullptr) {
    const Companion& companion = *contents.original.inputs->companion;
    for (const CompanionFile& file : kCompanionFiles) {
      if (file.model != companion.model) continue;
      if (Status added = writer.Add(file.file, Bytes(companion.spirv)); !added) return added;
    }
  }
  if (Status added = AddImages(contents, &writer); !added) return added;
  if (Status added = AddSmallest(contents, &record, &writer); !added) return added;
  if (Status added = AddBounds(record, contents, &writer); !added) return added;
  if (Status added = AddOthers(contents, delta, &writer); !added) return added;
  if (Status added = writer.Add(kTestJson, TestJson(record)); !added) return added;
  const std::vector<std::string> files = writer.names();
  if (Status added = writer.Add(kReadme, TestReadme(record, files, delta)); !added) return added;
  return writer.Finish();
}

}  // namespace folder
}  // namespace refract
