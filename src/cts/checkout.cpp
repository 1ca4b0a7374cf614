// SPDX-License-Identifier: Apache-2.0
// The forms of the files are those that the suite reads: vktAmberTestCaseUtil.cpp parses the index,
// and vktAmberTestCase.cpp knows the features and requires that index and script name the same.
#include "cts/checkout.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace refract {
inline namespace cts {
namespace {

constexpr std::string_view kTestsFolder = "external/vulkancts/data/vulkan/amber/graphicsfuzz";
constexpr std::string_view kIndex = "external/vulkancts/data/vulkan/amber/graphicsfuzz/index.txt";
constexpr std::string_view kVulkanList =
    "external/vulkancts/mustpass/main/vk-default/graphicsfuzz.txt";
constexpr std::string_view kAndroidFolder = "android/cts/main";
constexpr std::string_view kRequirements =
    "external/vulkancts/modules/vulkan/amber/vktAmberTestCase.cpp";
constexpr std::string_view kGroup = "dEQP-VK.graphicsfuzz.";

Result<std::string> ReadPart(const std::string& root, std::string_view path) {
  const std::string file = format("{}/{}", root, path);
  if (!FileExists(file)) {
    return Error{
        format("{}: not a checkout of VK-GL-CTS as Refract knows it: {} is missing", root, path)};
  }
  Result<std::string> text = ReadFile(file, uint64_t{1} << 26);
  if (!text) return text.error();
  if (!text->empty() && text->back() != '\n') {
    return Error{format("{}: the last line does not end", file)};
  }
  return text;
}

// Reads the entries of the index: {"FILE", "NAME", "DESCRIPTION", REQUIREMENTS...}, with white
// space and lines of comments between them.
class IndexReader {
 public:
  IndexReader(std::string file, std::string_view text) : file_(std::move(file)), text_(text) {}

  Result<std::vector<IndexEntry>> Read() {
    std::vector<IndexEntry> entries;
    for (SkipSpace(true); at_ < text_.size(); SkipSpace(true)) {
      IndexEntry entry;
      entry.begin = text_.rfind('\n', at_) + 1;
      std::vector<std::string> fields;
      if (Status read = ReadEntry(&fields); !read) return read.error();
      if (fields.size() < 3) return Bad("an entry with fewer than three texts");
      entry.file = fields[0];
      entry.name = fields[1];
      entries.push_back(std::move(entry));
    }
    return entries;
  }

 private:
  Error Bad(const std::string& what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at_), '\n');
    return Error{format("{}:{}: {}", file_, line, what)};
  }

  void SkipSpace(bool comments) {
    while (at_ < text_.size()) {
      if (comments && text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  bool Take(char c) {
    SkipSpace(false);
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Status ReadEntry(std::vector<std::string>* fields) {
    if (!Take('{')) return Bad("expected '{'");
    do {
      if (!Take('"')) return Bad("expected '\"'");
      const size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return Bad("a text that does not end");
      fields->emplace_back(text_.substr(at_, end - at_));
      at_ = end + 1;
    } while (Take(','));
    if (!Take('}')) return Bad("expected ',' or '}'");
    Take(',');
    return {};
  }

  std::string file_;
  std::string_view text_;
  size_t at_ = 0;
};

Status CheckList(const std::string& file, const std::string& text) {
  const std::vector<std::string> lines = Split(text, '\n');
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    if (!lines[i].starts_with(kGroup)) {
      return Error{format("{}:{}: expected a name that begins with '{}'", file, i + 1, kGroup)};
    }
  }
  return {};
}

// The newest list of Android has the highest date in its name.
Result<std::string> NewestAndroidList(const std::string& root) {
  std::string newest;
  std::error_code error;
  const std::string folder = format("{}/{}", root, kAndroidFolder);
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kStart = "vk-main-", kDate = "2026-03-01";
    if (!name.starts_with(kStart) || !name.ends_with(".txt")) continue;
    if (name.size() != kStart.size() + kDate.size() + 4) continue;
    newest = std::max(newest, name.substr(0, name.size() - 4));
  }
  if (!newest.empty()) return newest;
  return Error{
      format("{}: not a checkout of VK-GL-CTS as Refract knows it: there is no {}/vk-main-DATE.txt",
             root, kAndroidFolder)};
}

// Adds tabs up to a column (from 0), at least one. The suite's tabs are four wide.
void PadTo(size_t column, std::string* line, size_t* width) {
  do {
    *line += '\t';
    *width = (*width / 4 + 1) * 4;
  } while (*width < column);
}

std::string IndexLine(const CtsTest& test) {
  constexpr size_t kColumns[] = {4, 96, 180, 264};
  std::string line = "{";
  size_t width = 1;
  const auto add = [&](size_t column, const std::string& text) {
    PadTo(column, &line, &width);
    line += text;
    width += text.size();
  };
  add(kColumns[0], format("\"{}.amber\",", test.name));
  add(kColumns[1], format("\"{}\",", test.name));
  add(kColumns[2], format("\"{}\"{}", test.description, test.requirements.empty() ? "" : ","));
  std::string last;
  for (const std::string& requirement : test.requirements) {
    last += format("{}\"{}\"", last.empty() ? "" : ", ", requirement);
  }
  add(kColumns[3], last + "},\n");
  return line;
}

void AddToIndex(const Checkout& checkout, const std::vector<const CtsTest*>& tests,
                std::string* index) {
  struct Line {
    size_t place;
    const CtsTest* test;
  };
  std::vector<Line> lines;
  for (const CtsTest* test : tests) {
    const auto later =
        std::find_if(checkout.entries.begin(), checkout.entries.end(),
                     [&](const IndexEntry& entry) { return entry.name > test->name; });
    lines.push_back({later == checkout.entries.end() ? index->size() : later->begin, test});
  }
  // From the last to the first, so that earlier places stay valid.
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return a.place != b.place ? a.place > b.place : a.test->name > b.test->name;
  });
  for (const Line& line : lines) index->insert(line.place, IndexLine(*line.test));
}

// A path in the order of a list: "image/a.txt" comes before "image-processing.txt".
std::string PathKey(std::string path) {
  if (path.ends_with(".txt")) path.resize(path.size() - 4);
  std::replace(path.begin(), path.end(), '/', '\1');
  return path;
}

// Inserts a line before the first line that comes after it, unless the text has it.
template <class Key>
void InsertLine(const std::string& line, Key key, std::string* text) {
  size_t at = 0;
  std::optional<size_t> place;
  while (at < text->size()) {
    const size_t end = text->find('\n', at);
    const std::string other = text->substr(at, end - at);
    if (other == line) return;
    if (!place && key(other) > key(line)) place = at;
    at = end + 1;
  }
  text->insert(place.value_or(text->size()), line + "\n");
}

void AddToList(const std::vector<const CtsTest*>& tests, std::string* list) {
  for (const CtsTest* test : tests) {
    InsertLine(
        format("{}{}", kGroup, test->name), [](const std::string& name) { return name; }, list);
  }
}

Status CheckRequirements(const Checkout& checkout, const CtsTest& test) {
  for (const std::string& requirement : test.requirements) {
    const bool is_extension = requirement.find('.') == std::string::npos;
    if (is_extension ||
        checkout.known_requirements.find(format("\"{}\"", requirement)) != std::string::npos) {
      continue;
    }
    return Error{format("{}: the test needs {}, which the suite cannot check ({})", test.folder,
                        requirement, kRequirements)};
  }
  return {};
}

Status CheckDistinct(const std::vector<CtsTest>& tests) {
  for (size_t i = 0; i < tests.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool same_content = StatementsOf(tests[i].text) == StatementsOf(tests[j].text);
      if (!same_content && tests[i].name != tests[j].name) continue;
      return Error{format("{}: {} as {}{}", tests[i].folder,
                          same_content ? "the same test" : "the same name", tests[j].folder,
                          same_content ? "" : format(": {}", tests[i].name))};
    }
  }
  return {};
}

// The entry of the index with the test's name; null: the index has no such name. An error if the
// checkout has the name with other content, or the content with another name.
Result<const IndexEntry*> FindEntry(const Checkout& checkout, const CtsTest& test) {
  const std::string statements = StatementsOf(test.text);
  const IndexEntry* found = nullptr;
  for (const IndexEntry& entry : checkout.entries) {
    const bool same_name = entry.name == test.name;
    if (same_name) found = &entry;
    const std::string file = format("{}/{}/{}", checkout.root, kTestsFolder, entry.file);
    if (!FileExists(file)) continue;
    const Result<std::string> text = ReadFile(file);
    if (!text) return text.error();
    const bool same = StatementsOf(*text) == statements;
    if (same == same_name) continue;
    return Error{
        same ? format("{}: the checkout has this test with the name {}", test.folder, entry.name)
             : format("{}: the checkout has another test with the name {}", test.folder,
                      entry.name)};
  }
  return found;
}

}  // namespace

Result<Checkout> ReadCheckout(const std::string& root) {
  Checkout checkout;
  checkout.root = root;
  struct Part {
    std::string_view path;
    std::string* text;
  };
  for (const auto& [path, text] :
       {Part{kIndex, &checkout.index}, Part{kVulkanList, &checkout.vulkan_list},
        Part{kRequirements, &checkout.known_requirements}}) {
    Result<std::string> read = ReadPart(root, path);
    if (!read) return read.error();
    *text = std::move(*read);
  }
  Result<std::vector<IndexEntry>> entries =
      IndexReader(format("{}/{}", root, kIndex), checkout.index).Read();
  if (!entries) return entries.error();
  checkout.entries = std::move(*entries);
  if (Status good = CheckList(format("{}/{}", root, kVulkanList), checkout.vulkan_list); !good) {
    return good.error();
  }
  Result<std::string> newest = NewestAndroidList(root);
  if (!newest) return newest.error();
  checkout.android_name = std::move(*newest);
  const std::string stem = format("{}/{}", kAndroidFolder, checkout.android_name);
  Result<std::string> files = ReadPart(root, stem + ".txt");
  if (!files) return files.error();
  checkout.android_files = std::move(*files);
  if (!FileExists(format("{}/{}/graphicsfuzz.txt", root, stem))) return checkout;
  Result<std::string> list = ReadPart(root, stem + "/graphicsfuzz.txt");
  if (!list) return list.error();
  checkout.android_list = std::move(*list);
  const Status good =
      CheckList(format("{}/{}/graphicsfuzz.txt", root, stem), *checkout.android_list);
  if (!good) return good.error();
  return checkout;
}

Result<std::vector<FileChange>> AddTests(const Checkout& checkout,
                                         const std::vector<CtsTest>& tests) {
  if (Status distinct = CheckDistinct(tests); !distinct) return distinct.error();
  std::vector<FileChange> changes;
  std::vector<const CtsTest*> not_in_index;
  for (const CtsTest& test : tests) {
    if (Status known = CheckRequirements(checkout, test); !known) return known.error();
    const Result<const IndexEntry*> entry = FindEntry(checkout, test);
    if (!entry) return entry.error();
    if (*entry == nullptr) not_in_index.push_back(&test);
    const std::string path = format("{}/{}.amber", kTestsFolder, test.name);
    const std::string file = format("{}/{}", checkout.root, path);
    if (!FileExists(file)) {
      changes.push_back({path, std::nullopt, test.text});
    } else if (*entry == nullptr) {
      return Error{format("{}: the file exists, but the index does not name it", file)};
    }
  }
  // A test of the index is in the lists where it belongs: in those of an earlier year, or in none.
  if (not_in_index.empty()) return changes;
  Checkout after = checkout;
  AddToIndex(checkout, not_in_index, &after.index);
  AddToList(not_in_index, &after.vulkan_list);
  after.android_list = checkout.android_list.value_or("");
  AddToList(not_in_index, &*after.android_list);
  InsertLine(format("{}/graphicsfuzz.txt", checkout.android_name), PathKey, &after.android_files);
  const std::string android = format("{}/{}", kAndroidFolder, checkout.android_name);
  const auto add = [&](std::string path, const std::string& old, const std::string& text) {
    if (old != text) changes.push_back({std::move(path), old, text});
  };
  add(std::string(kIndex), checkout.index, after.index);
  add(std::string(kVulkanList), checkout.vulkan_list, after.vulkan_list);
  changes.push_back({android + "/graphicsfuzz.txt", checkout.android_list, *after.android_list});
  add(android + ".txt", checkout.android_files, after.android_files);
  return changes;
}

}  // namespace cts
}  // namespace refract
