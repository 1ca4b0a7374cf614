// SPDX-License-Identifier: Apache-2.0
// The page of a bucket: images, the minimal difference, the commands that reproduce the failure,
// and the log.
#include "base/counted.h"
#include "base/file.h"
#include "base/shell.h"
#include "base/text.h"
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
  for (const BucketTargetCount& seen : data.bucket_target_counts) {
    if (seen.bucket != bucket.id) continue;
    targets += format("{}{} ({})", targets.empty() ? "" : ", ", seen.target, seen.count);
  }
  if (targets.empty() && best != nullptr) targets = best->target;
  if (!targets.empty()) fact("Seen on", targets);
  fact("CompareResult", std::string(TextOf(bucket.verdict)));
  if (!bucket.sub.empty()) fact("Steps", bucket.sub);
  fact("Tests", CountText(data, bucket));
  fact("First seen",
       format("after {}, test {}", DurationText(bucket.first_seen), bucket.first_test));
  fact("Last seen", format("after {}", DurationText(bucket.last_seen)));
  if (!bucket.known.empty()) fact("Known as", bucket.known);
  const auto test = data.tests.find(best != nullptr ? best->test : bucket.first_test);
  if (test != data.tests.end() && test->second.reference == kFleshed) {
    fact("Program",
         format("control-flow program of test {}, seed {}", test->first, test->second.seed));
  } else if (test != data.tests.end()) {
    fact("Variant", format("test {} of {}: refract fuzz --seed {} with the campaign's donors",
                           test->first, test->second.reference, test->second.seed));
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

std::string Images(const std::string& folder, const std::string& out) {
  struct ImageFile {
    const char *file, *title, *text;
  };
  constexpr ImageFile kImages[] = {
      {"original.png", "Original", "the target's image of the original"},
      {"variant.png", "Variant", "the target's image of the variant, which must be the same"},
      {"diff.png", "Difference", "pixels that differ: yellow a little, red a lot"},
  };
  std::string figures;
  for (const ImageFile& image : kImages) {
    if (!FileExists(format("{}/{}/{}", out, folder, image.file))) continue;
    figures += format(
        "<figure><img src=\"../{}\" alt=\"{}: {}\" loading=\"lazy\"><figcaption>{}</figcaption>"
        "</figure>\n",
        EscapeUrlPath(format("{}/{}", folder, image.file)), image.title, image.text, image.title);
  }
  if (figures.empty()) {
    return "<p class=\"soft\">There are no images: nothing was drawn, or the colours do not have 8 "
           "bits.</p>\n";
  }
  return format("<div class=\"images\">\n{}</div>\n", figures);
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

// The sections for a control-flow program: what happened, and the graph with the expected paths.
std::string ProgramSections(const KeptTest& kept, const std::string& folder,
                            const std::string& graph) {
  const Result<TestRecord> record = ReadTestRecord(folder);
  std::string text;
  if (record) {
    text += format("<h2>What happened</h2>\n<p id=\"what\">{}</p>\n",
                   EscapeHtml(Shortened(record->what, kMaxLog)));
  }
  text += format("<h2>Graph and paths</h2>\n<pre id=\"graph\" tabindex=\"0\">{}</pre>\n",
                 EscapeHtml(Shortened(graph, kMaxLog)));
  text += format("<h2>How to reproduce the failure</h2>\n{}", Commands(kept.folder));
  if (record) {
    text += format(
        "<p>The program as it was found:</p>\n<pre class=\"command\" tabindex=\"0\">{} "
        "-o program</pre>\n",
        EscapeHtml(record->fleshed_by));
  }
  const std::string log = FileText(folder, kLog);
  return log.empty() ? text
                     : text + format("<h2>Log</h2>\n<pre id=\"log\" tabindex=\"0\">{}</pre>\n",
                                     EscapeHtml(Shortened(log, kMaxLog)));
}

std::string TestSections(const KeptTest& kept, const std::string& out) {
  const std::string folder = format("{}/{}", out, kept.folder);
  std::string text = format("<h2 id=\"images\">Images</h2>\n{}", Images(kept.folder, out));
  const std::string graph = FileText(folder, kGraph);
  if (!graph.empty()) return text + ProgramSections(kept, folder, graph);
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
  const std::string log = FileText(folder, kLog);
  if (!log.empty()) {
    text += format("<h2>Log</h2>\n<pre id=\"log\" tabindex=\"0\">{}</pre>\n",
                   EscapeHtml(Shortened(log, kMaxLog)));
  }
  return text;
}

std::string OtherTests(const ReportData& data, const Bucket& bucket, const KeptTest* best) {
  size_t begin = 0;
  const size_t end = KeptOf(data, bucket, &begin);
  std::string items;
  for (size_t i = begin; i < end; ++i) {
    const KeptTest& kept = data.kept[i];
    if (&kept == best) continue;
    std::string what = format("test {}, {}", kept.test, TextOf(kept.state));
    if (kept.state == KeptState::kReduced) {
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

}  // namespace

std::string ReportBucketPage(const ReportData& data, const Bucket& bucket, const std::string& out) {
  const KeptTest* best = BestKept(data, bucket);
  std::string body = format(
      "<header><nav><a href=\"index.html\">All buckets</a></nav>\n<h1>{}</h1>\n<p>{}</p></header>\n"
      "<main>\n{}",
      EscapeHtml(bucket.signature), Badges(bucket), FactList(data, bucket, best));
  if (best != nullptr) {
    body += TestSections(*best, out);
  } else {
    body += format("<p id=\"unkept\">{}</p>\n",
                   bucket.counted_only ? "This failure is not a bug. Its tests are only counted."
                                       : "No test of this bucket is kept.");
  }
  body += OtherTests(data, bucket, best);
  if (!bucket.muted && !bucket.counted_only && !bucket.folder.empty()) {
    body += format(
        "<h2>Not interesting?</h2>\n<p>To mute this bucket, create an empty file:</p>\n"
        "<pre class=\"command\" tabindex=\"0\">touch {}</pre>\n",
        EscapeHtml(ShellLine({format("{}/NOT_INTERESTING", bucket.folder)})));
  }
  return ReportPage(bucket.signature, body + "</main>\n");
}

}  // namespace campaign
}  // namespace refract
