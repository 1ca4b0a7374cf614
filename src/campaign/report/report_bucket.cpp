// SPDX-License-Identifier: Apache-2.0
// The page of a bucket: images, the minimal difference, the commands that reproduce the failure,
// and the log.
#include <algorithm>
#include <vector>

#include "base/counted.h"
#include "base/escape_html.h"
#include "base/file.h"
#include "base/shell.h"
#include "base/text.h"
#include "campaign/original_tests.h"
#include "campaign/report/html.h"
#include "campaign/report/report_page.h"
#include "campaign/setup.h"
#include "folder/file_names.h"
#include "folder/test_folder.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr size_t kMaxDelta = 96 * 1024;
constexpr size_t kMaxLog = 64 * 1024;
constexpr char kFaultFile[] = "fault.txt";  // of faults of Refract (finding_confirmer.cpp)
constexpr uint64_t kMaxRead = uint64_t{8} << 20;

std::string FileText(const std::string& folder, std::string_view name) {
  Result<std::string> text = ReadFile(format("{}/{}", folder, name), kMaxRead);
  return text ? std::move(*text) : std::string();
}

std::string FactList(const ReportData& data, const Bucket& bucket, const KeptTest* best) {
  std::string text = "<dl>\n";
  const auto fact = [&](std::string_view name, const std::string& value) {
    text += format("<dt>{}</dt><dd>{}</dd>\n", name, EscapeHtml(value));
  };
  fact("Stage", bucket.stage);
  std::string targets;
  for (const BucketTargetCount& seen : TargetCountsOf(data, bucket)) {
    targets += format("{}{} ({})", targets.empty() ? "" : ", ", seen.target, seen.count);
  }
  if (targets.empty() && best != nullptr) targets = best->target;
  if (!targets.empty()) fact("Seen on", targets);
  fact("Failure", std::string(TextOf(bucket.verdict)));
  if (!bucket.sub.empty()) fact("Steps", bucket.sub);
  fact("Tests", CountText(data, bucket));
  fact("First seen",
       format("after {}, {}", DurationText(bucket.first_seen), FirstTestText(bucket)));
  fact("Last seen", format("after {}", DurationText(bucket.last_seen)));
  if (!bucket.known.empty()) fact("Known as", bucket.known);
  const auto test = data.tests.find(best != nullptr ? best->test : bucket.first_test);
  if (test != data.tests.end() && IsOriginalTest(test->first)) {
    fact("Original", format("{}, without any change", test->second.reference));
  } else if (test != data.tests.end() && IsProgramReference(test->second.reference)) {
    const bool generated = test->second.reference == kGeneratedPrograms;
    fact("Program",
         format("{} program of test {}, seed {}", generated ? "generated" : "control-flow",
                test->first, test->second.seed));
  } else if (test != data.tests.end()) {
    fact("Variant",
         format("test {} of {}, seed {}", test->first, test->second.reference, test->second.seed));
  }
  if (best != nullptr) {
    if (best->runs > 0) fact("Confirmed", format("{} of {} runs", best->confirmed, best->runs));
    const bool by_steps = best->steps > 0;  // a program that fails without a variant has none
    if (by_steps && HasReduction(best->state)) {
      fact("Reduced", format("to {} of {} steps{}; instructions that differ: {}",
                             best->reduced_steps, best->steps,
                             best->minimal ? " (no step can be removed)" : "", best->instructions));
    }
    std::string types;
    for (const std::string& type : best->types) types += (types.empty() ? "" : ", ") + type;
    if (!types.empty()) fact("Step types", types);
    if (!best->blame.empty()) fact("Blame", best->blame);
    if (!best->detail.empty()) fact("Note", best->detail);
  }
  return text + "</dl>\n";
}

struct ImageFile {
  const char *file, *title, *text;
};
constexpr ImageFile kImages[] = {
    {"expected.png", "Expected", "the interpreter's image of the original"},
    {"original.png", "Original", "the target's image of the original"},
    {"variant.png", "Variant", "the target's image of the variant, which must be the same"},
};
constexpr ImageFile kDifference = {"diff.png", "Difference",
                                   "pixels that differ: yellow a little, red a lot"};

// Expected and actual image, one over the other. A script moves the border between them. The
// checkbox needs no script.
std::string Comparison(const std::string& folder, const ImageFile& expected,
                       const ImageFile& actual) {
  const std::string url = EscapeUrlPath(folder);
  return format(
      "<div class=\"compare\">\n<input id=\"blink\" type=\"checkbox\"> "
      "<label for=\"blink\">Blink: expected and actual image in turn</label>\n"
      "<div class=\"stack\"><img src=\"../{}/{}\" alt=\"Expected image\">"
      "<img class=\"actual\" src=\"../{}/{}\" alt=\"Actual image\">"
      "<input id=\"slider\" type=\"range\" min=\"0\" max=\"100\" value=\"50\" hidden "
      "aria-label=\"Percent of the width that shows the expected image\"></div>\n"
      "<div class=\"sides soft\"><span>Expected</span><span>Actual</span></div>\n</div>\n",
      url, expected.file, url, actual.file);
}

std::string Figure(const std::string& folder, const ImageFile& image, std::string_view role) {
  return format(
      "<figure><img src=\"../{}\" alt=\"{}: {}\" loading=\"lazy\"><figcaption>{}{}</figcaption>"
      "</figure>\n",
      EscapeUrlPath(format("{}/{}", folder, image.file)), image.title, image.text, image.title,
      role);
}

std::string Images(const std::string& folder, const std::string& out) {
  const auto exists = [&](const ImageFile& image) {
    return FileExists(format("{}/{}/{}", out, folder, image.file));
  };
  std::vector<const ImageFile*> found;
  for (const ImageFile& image : kImages) {
    if (exists(image)) found.push_back(&image);
  }
  std::string comparison, figures;
  // The interpreter's image and the one of the original, or those of the original and the variant.
  const bool compared = found.size() == 2;
  if (compared) comparison = Comparison(folder, *found[0], *found[1]);
  for (const ImageFile* image : found) {
    std::string_view role;
    if (compared && image != kImages) role = image == found[0] ? " (expected)" : " (actual)";
    figures += Figure(folder, *image, role);
  }
  if (exists(kDifference)) figures += Figure(folder, kDifference, "");
  if (figures.empty()) {
    return "<p class=\"soft\">There are no images: nothing was drawn, or the colours do not have 8 "
           "bits.</p>\n";
  }
  return format("{}<div class=\"images\">\n{}</div>\n", comparison, figures);
}

// Marks added and removed lines as such, for readers and for screen readers.
std::string Delta(std::string_view text) {
  std::string html;
  for (const std::string& line : Split(text, '\n')) {
    const bool file_line = line.starts_with("+++") || line.starts_with("---");
    if (!file_line && line.starts_with('+')) {
      html += format("<ins>{}</ins>\n", EscapeHtml(line));
    } else if (!file_line && line.starts_with('-')) {
      html += format("<del>{}</del>\n", EscapeHtml(line));
    } else {
      html += EscapeHtml(line) + "\n";
    }
  }
  return format("<pre id=\"delta\" tabindex=\"0\">{}</pre>\n", html);
}

std::string Commands(const std::string& folder) {
  const std::string word = EscapeHtml(ShellLine({folder}));
  return format(
      "<p>Run this in the folder of the campaign:</p>\n"
      "<pre id=\"command\" class=\"command\" tabindex=\"0\">refract repeat {}</pre>\n"
      "<p>To make a script for Amber, for people without refract:</p>\n"
      "<pre class=\"command\" tabindex=\"0\">refract export {} --amber test.amber</pre>\n"
      "<p><a href=\"../{}/README.md\">README.md</a> of the test folder says where the failure was "
      "seen.</p>\n",
      word, word, EscapeUrlPath(folder));
}

std::string LogSection(const std::string& folder) {
  const std::string log = FileText(folder, kLog);
  if (log.empty()) return {};
  return format("<h2>Log</h2>\n<pre id=\"log\" tabindex=\"0\">{}</pre>\n",
                EscapeHtml(Shortened(log, kMaxLog)));
}

// The sections for a program: what happened, and the graph of a control-flow program with the
// expected paths.
std::string ProgramSections(const KeptTest& kept, const std::string& folder,
                            const TestRecord& record) {
  std::string text = format("<h2>What happened</h2>\n<p id=\"what\">{}</p>\n",
                            EscapeHtml(Shortened(record.what, kMaxLog)));
  const std::string graph = FileText(folder, kGraph);
  if (!graph.empty()) {
    text += format("<h2>Graph and paths</h2>\n<pre id=\"graph\" tabindex=\"0\">{}</pre>\n",
                   EscapeHtml(Shortened(graph, kMaxLog)));
  }
  text += format("<h2>How to reproduce the failure</h2>\n{}", Commands(kept.folder));
  text += format(
      "<p>The program as it was found:</p>\n<pre class=\"command\" tabindex=\"0\">{}</pre>\n",
      EscapeHtml(record.ProgramCommand()));
  return text + LogSection(folder);
}

// The sections for a reference that fails without any change.
std::string OriginalSections(const KeptTest& kept, const std::string& folder) {
  std::string text;
  if (const Result<TestRecord> record = ReadTestRecord(folder)) {
    text += format("<h2>What happened</h2>\n<p id=\"what\">{}</p>\n",
                   EscapeHtml(Shortened(record->what, kMaxLog)));
  }
  text += format("<h2>How to reproduce the failure</h2>\n{}", Commands(kept.folder));
  return text + LogSection(folder);
}

std::string TestSections(const KeptTest& kept, const std::string& out) {
  const std::string folder = format("{}/{}", out, kept.folder);
  std::string text = format("<h2 id=\"images\">Images</h2>\n{}", Images(kept.folder, out));
  if (kept.steps == 0) {  // perhaps not a variant
    const Result<TestRecord> record = ReadTestRecord(folder);
    if (record && record->IsProgram()) return text + ProgramSections(kept, folder, *record);
  }
  if (IsOriginalTest(kept.test)) return text + OriginalSections(kept, folder);
  text += "<h2>Minimal difference</h2>\n";
  const std::string delta = FileText(folder, kDelta);
  text += delta.empty() ? "<p id=\"delta\" class=\"soft\">No difference to show: the test was not "
                          "reduced, or no instruction differs.</p>\n"
                        : Delta(Shortened(delta, kMaxDelta));
  text += "<h2>How to reproduce the failure</h2>\n";
  // A fault of Refract has no target to run on. Its folder has the command that reproduces it.
  const std::string fault = FileText(folder, kFaultFile);
  text += fault.empty() ? Commands(kept.folder)
                        : format("<pre id=\"command\" class=\"command\" tabindex=\"0\">{}</pre>\n",
                                 EscapeHtml(Shortened(fault, kMaxLog)));
  return text + LogSection(folder);
}

std::string OtherTests(const ReportData& data, const Bucket& bucket, const KeptTest* best) {
  size_t begin = 0;
  const size_t end = KeptOf(data, bucket, &begin);
  std::string items;
  for (size_t i = begin; i < end; ++i) {
    const KeptTest& kept = data.kept[i];
    if (&kept == best) continue;
    const bool of_original = IsOriginalTest(kept.test);
    std::string what =
        of_original
            ? format("{}, {}", kept.folder.substr(kept.folder.rfind('/') + 1), TextOf(kept.state))
            : format("test {}, {}", kept.test, TextOf(kept.state));
    if (kept.state == KeptState::kReduced && !of_original) {
      what += format(": {}, {}", Counted(kept.reduced_steps, "step"),
                     Counted(kept.instructions, "instruction"));
    }
    items += kept.folder.empty()
                 ? format("<li>{}</li>\n", EscapeHtml(what))
                 : format("<li><a href=\"../{}/{}\">{}</a></li>\n", EscapeUrlPath(kept.folder),
                          bucket.own ? kFaultFile : "README.md", EscapeHtml(what));
  }
  if (items.empty()) return {};
  return format("<h2>Other kept tests</h2>\n<ul>\n{}</ul>\n", items);
}

// Links between a parent bucket and its sub-buckets.
std::string Relatives(const ReportData& data, const Bucket& bucket) {
  std::string items;
  for (const Bucket& other : RelativesOf(data, bucket)) {
    items += format("<li><a href=\"{}\">{}</a> <span class=\"soft\">{}</span></li>\n",
                    BucketPageName(other),
                    EscapeHtml(other.sub.empty() ? "The bucket before the reduction" : other.sub),
                    CountText(data, other));
  }
  if (items.empty()) return {};
  return format("<h2 id=\"related\">{}</h2>\n<ul>\n{}</ul>\n",
                bucket.sub.empty() ? "Sub-buckets" : "Parent bucket", items);
}

bool IsReplaced(const ReportData& data, const Bucket& bucket) {
  return std::any_of(data.replaced.begin(), data.replaced.end(),
                     [&](const Bucket& other) { return other.id == bucket.id; });
}

std::string WithoutTest(const ReportData& data, const Bucket& bucket) {
  std::string_view why = "No test of this bucket is kept.";
  if (bucket.counted_only) why = "This failure is not a bug. Its tests are only counted.";
  if (IsReplaced(data, bucket)) {
    why = "The reduced tests of this bucket are in its sub-buckets, which replace it.";
  }
  return format("<p id=\"unkept\">{}</p>\n", why);
}

}  // namespace

std::string ReportBucketPage(const ReportData& data, const Bucket& bucket, const std::string& out) {
  const KeptTest* best = BestKept(data, bucket);
  std::string body = format(
      "<header><nav><a href=\"index.html\">All buckets</a></nav>\n<h1>{}</h1>\n<p>{}</p></header>\n"
      "<main>\n{}",
      EscapeHtml(bucket.signature), Badges(bucket), FactList(data, bucket, best));
  body += best != nullptr ? TestSections(*best, out) : WithoutTest(data, bucket);
  body += Relatives(data, bucket) + OtherTests(data, bucket, best);
  if (!bucket.muted && !bucket.counted_only && !bucket.folder.empty()) {
    body += format(
        "<h2>Not interesting?</h2>\n<p>To mute this bucket, create an empty file:</p>\n"
        "<pre class=\"command\" tabindex=\"0\">touch {}</pre>\n",
        EscapeHtml(ShellLine({format("{}/NOT_INTERESTING", bucket.folder)})));
  }
  return ReportPage(bucket.signature, body + "</main>\n", kCompareScript);
}

}  // namespace campaign
}  // namespace refract
