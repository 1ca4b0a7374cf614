// SPDX-License-Identifier: Apache-2.0
// junit.xml: the results of a campaign in the form that CI systems read.
#include <map>

#include "base/counted.h"
#include "base/text.h"
#include "campaign/housekeeping.h"
#include "campaign/replaced_buckets.h"
#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

// Escapes text for XML 1.0, unlike Html. Control characters become spaces, because XML has only
// three of them.
std::string XmlText(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

struct Suite {
  uint64_t runs = 0;
  double seconds = 0;
  std::string cases;
  size_t count = 0, failures = 0, skipped = 0;
};

// Why the bucket is not a finding. Empty if it is one.
std::string WhySkipped(const Bucket& bucket) {
  if (bucket.muted) return "muted";
  if (!bucket.known.empty()) return "known: " + bucket.known;
  return bucket.counted_only ? "counted only" : "";
}

void AddCase(const Bucket& bucket, Suite* suite) {
  const std::string name =
      bucket.sub.empty() ? bucket.signature : format("{} ({})", bucket.signature, bucket.sub);
  suite->cases +=
      format("    <testcase classname=\"{}\" name=\"{}\">\n", XmlText(bucket.stage), XmlText(name));
  const std::string skipped = WhySkipped(bucket);
  if (skipped.empty()) {
    suite->cases +=
        format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
               XmlText(std::string(TextOf(bucket.verdict))), XmlText(name),
               XmlText(format("{}, first: {}; folder: {}", Counted(bucket.count, "test"),
                              FirstTestText(bucket), bucket.folder)));
    ++suite->failures;
  } else {
    suite->cases += format("      <skipped message=\"{}\"/>\n", XmlText(skipped));
    ++suite->skipped;
  }
  suite->cases += "    </testcase>\n";
  ++suite->count;
}

}  // namespace

Result<std::string> JUnitXml(Store& store, const std::string& out) {
  const Result<std::vector<VerdictCount>> verdicts = store.Verdicts();
  if (!verdicts) return verdicts.error();
  Result<std::vector<Bucket>> buckets = CountedBuckets(store);
  if (!buckets) return buckets.error();
  std::map<std::string, Suite> suites;
  for (const VerdictCount& count : *verdicts) {
    suites[count.target].runs += count.count;
    suites[count.target].seconds += count.seconds;
  }
  for (Bucket& bucket : *buckets) {
    bucket.muted = IsMutedNow(out, bucket);
    AddCase(bucket, &suites[bucket.stage]);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"refract\">\n";
  for (auto& [name, suite] : suites) {
    if (suite.runs > 0) {  // a target, not only a stage
      suite.cases =
          format("    <testcase classname=\"{}\" name=\"{} variants ran\" time=\"{:.3f}\"/>\n{}",
                 XmlText(name), suite.runs, suite.seconds, suite.cases);
      ++suite.count;
    }
    text += format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" "
        "time=\"{:.3f}\">\n{}  </testsuite>\n",
        XmlText(name), suite.count, suite.failures, suite.skipped, suite.seconds, suite.cases);
  }
  return text + "</testsuites>\n";
}

}  // namespace campaign
}  // namespace refract
