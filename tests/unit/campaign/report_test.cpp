// SPDX-License-Identifier: Apache-2.0
// The report: whatever names and logs hold, pages stay well-formed and small, and no script acts
// but the one of the page.
#include "campaign/report/report.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <set>

#include "base/escape_html.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/merge.h"
#include "campaign/report/html.h"
#include "campaign/report/report_script.h"
#include "image/png.h"

namespace refract {
namespace {

// The name of a tag that begins at `at`, which is after it then; attributes must be quoted.
std::string TagAt(const std::string& page, size_t* at, bool* ends, bool* empty) {
  size_t i = *at + 1;
  *ends = page[i] == '/';
  if (*ends) ++i;
  std::string name;
  while (i < page.size() && std::isalnum(static_cast<unsigned char>(page[i])) != 0) {
    name += page[i++];
  }
  bool quoted = false;
  while (i < page.size() && (quoted || page[i] != '>')) {
    if (page[i] == '"') quoted = !quoted;
    EXPECT_FALSE(quoted && page[i] == '<') << name;
    EXPECT_FALSE(!quoted && page[i] == '=' && page[i + 1] != '"') << name;
    ++i;
  }
  *empty = page[i - 1] == '/';
  *at = i + 1;
  return name;
}

// Every element is closed in the order it was opened, and none is there that could act.
void ExpectSound(std::string page) {
  const std::set<std::string> alone = {"meta", "link", "br", "img", "input"};
  const std::set<std::string> never = {"script", "iframe", "object", "embed", "form", "base"};
  std::vector<std::string> open;
  ASSERT_TRUE(page.starts_with("<!DOCTYPE html>\n"));
  // The only script is the last element, and the policy names its hash.
  const PageScript& script =
      page.find(kFilterScript.text) != std::string::npos ? kFilterScript : kCompareScript;
  EXPECT_NE(page.find(format("script-src '{}';", script.hash)), std::string::npos);
  const std::string end = format("<script>{}</script>\n</body>\n</html>\n", script.text);
  ASSERT_TRUE(page.ends_with(end));
  page.replace(page.size() - end.size(), end.size(), "</body>\n</html>\n");
  size_t at = page.find("<html");
  while ((at = page.find('<', at)) != std::string::npos) {
    bool ends = false, empty = false;
    const std::string name = TagAt(page, &at, &ends, &empty);
    EXPECT_FALSE(name.empty()) << page.substr(at, 60);
    EXPECT_FALSE(never.contains(name)) << name;
    if (ends) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), name) << "at byte " << at;
      open.pop_back();
    } else if (!empty && !alone.contains(name)) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(page.find("http:"), std::string::npos);
  EXPECT_EQ(page.find("https:"), std::string::npos);
  EXPECT_EQ(page.find("javascript"), std::string::npos);
}

Bucket SampleBucket(int64_t id, std::string signature) {
  Bucket bucket;
  bucket.id = id;
  bucket.stage = "lavapipe";
  bucket.signature = std::move(signature);
  bucket.verdict = FailureClass::kCrash;
  bucket.count = 3;
  bucket.first_seen = static_cast<double>(id);
  bucket.folder = format("buckets/lavapipe/{}", id);
  return bucket;
}

// The link to the page of the bucket that SampleData has at `place`, from 1.
std::string LinkTo(const ReportData& data, size_t place) {
  return format("href=\"{}\"", BucketPageName(data.buckets.at(place - 1)));
}

ReportData SampleData(int64_t buckets) {
  ReportData data;
  data.info.seed = 7;
  data.info.tool = "0.1.0";
  data.info.seconds = 5400;
  data.info.parts = 3;
  data.totals.tests = 10000;
  data.targets = {{1, "lavapipe", "render", "llvmpipe <b>"}};
  data.verdicts = {{"lavapipe", std::nullopt, 9000, 900},
                   {"lavapipe", FailureClass::kCrash, 1000, 10}};
  for (int64_t i = 1; i <= buckets; ++i) {
    data.buckets.push_back(
        SampleBucket(i, format("crash lavapipe: {}{}", std::string(140, 'x'), i)));
    KeptTest kept;
    kept.id = kept.bucket = i;
    kept.test = static_cast<uint64_t>(i);
    kept.state = KeptState::kReduced;
    kept.folder = format("buckets/lavapipe/{}/test-{}", i, i);
    data.kept.push_back(kept);
  }
  return data;
}

TEST(Report, TextCannotLeaveItsPlace) {
  EXPECT_EQ(EscapeHtml("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;");
  EXPECT_EQ(EscapeHtml("\xc3\xa9\t\n"), "\xc3\xa9\t\n");
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(EscapeHtml(std::string_view("\0\x1b[31m", 6)), bad + bad + "[31m");
  EXPECT_EQ(EscapeHtml("\xff"), bad);
  EXPECT_EQ(EscapeHtml("\xc3"), bad);
  EXPECT_EQ(EscapeHtml("\xc0\xbc"), bad + bad);            // an overlong '<'
  EXPECT_EQ(EscapeHtml("\xed\xa0\x80"), bad + bad + bad);  // a surrogate
  EXPECT_EQ(EscapeHtml("\xe2\x80\xae"
                       "gpj"),
            bad + "gpj");  // the override of direction
  EXPECT_EQ(EscapeUrlPath("a b/\"<c>:#?%"), "a%20b/%22%3Cc%3E%3A%23%3F%25");
}

TEST(Report, LongTextsKeepBeginAndEnd) {
  EXPECT_EQ(Shortened("abc", 3), "abc");
  std::string text;
  for (int i = 0; i < 1000; ++i) text += format("line {}\n", i);
  const std::string cut = Shortened(text, 400);
  EXPECT_LT(cut.size(), 500u);
  EXPECT_TRUE(cut.starts_with("line 0\n"));
  EXPECT_TRUE(cut.ends_with("line 999\n"));
  EXPECT_NE(cut.find("bytes are left out here"), std::string::npos);
}

TEST(Report, DurationsInWords) {
  EXPECT_EQ(DurationText(-1), "0 s");
  EXPECT_EQ(DurationText(59.4), "59 s");
  EXPECT_EQ(DurationText(59.6), "1 min 00 s");
  EXPECT_EQ(DurationText(3840), "1 h 04 min");
}

TEST(Report, StoresCannotNameFilesOutside) {
  EXPECT_TRUE(StaysInside("buckets/a..b/test-1"));
  EXPECT_TRUE(StaysInside(""));
  EXPECT_FALSE(StaysInside("/etc"));
  EXPECT_FALSE(StaysInside("buckets/../../etc"));
  EXPECT_FALSE(StaysInside(".."));
}

TEST(Report, IndexOf200BucketsIsSmall) {
  const ReportData data = SampleData(200);
  const std::string page = ReportIndex(data);
  ExpectSound(page);
  EXPECT_LT(page.size(), size_t{1} << 20);
  EXPECT_NE(page.find("Campaign: 200 buckets to investigate"), std::string::npos);
  EXPECT_NE(page.find(LinkTo(data, 200)), std::string::npos);
  // And of many more as well.
  const std::string large = ReportIndex(SampleData(5000));
  EXPECT_LT(large.size(), size_t{1} << 20);
  EXPECT_NE(large.find("4500 more buckets have pages in this folder"), std::string::npos);
}

TEST(Report, WhatNeedNotBeLookedAtIsFolded) {
  ReportData data = SampleData(5);
  data.buckets[1].own = true;
  data.buckets[2].known = "mesa-1";
  data.buckets[3].muted = true;
  data.buckets[4].counted_only = true;
  data.baselines = {{"a.frag", "lavapipe", BaselineState::kDiffers, "", 0, "<i>"}};
  const std::string page = ReportIndex(data);
  ExpectSound(page);
  const auto place = [&](const std::string& text) {
    const size_t at = page.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    return at;
  };
  EXPECT_NE(page.find("Campaign: 1 bucket to investigate"), std::string::npos);
  EXPECT_LT(place("id=\"findings\""), place(LinkTo(data, 1)));
  EXPECT_LT(place(LinkTo(data, 1)), place("id=\"own\""));
  EXPECT_LT(place("id=\"own\""), place(LinkTo(data, 2)));
  EXPECT_LT(place("<summary>Known issues: 1"), place(LinkTo(data, 3)));
  EXPECT_LT(place("<summary>Muted: 1"), place(LinkTo(data, 4)));
  EXPECT_LT(place("<summary>Counted only: 1"), place(LinkTo(data, 5)));
  EXPECT_LT(place("not ok on a target: 1"), place("&lt;i&gt;"));
}

// The first thing to see in the morning: what dedup recommends, if that is not all.
TEST(Report, WhatToLookAtFirstComesFirst) {
  ReportData data = SampleData(3);
  std::string page = ReportIndex(data);
  EXPECT_EQ(page.find("id=\"first\""), std::string::npos);
  data.kept[1].recommended = true;
  data.kept[1].runs = data.kept[1].confirmed = 3;
  data.kept[1].blame = "the driver <lavapipe>";
  page = ReportIndex(data);
  ExpectSound(page);
  const size_t first = page.find("id=\"first\"");
  ASSERT_NE(first, std::string::npos);
  const size_t link = page.find(LinkTo(data, 2), first);
  EXPECT_LT(link, page.find("id=\"findings\""));
  EXPECT_GT(page.find(LinkTo(data, 1), first), link) << "those that are not recommended stay below";
  EXPECT_NE(page.find("look first</span>"), std::string::npos);
  EXPECT_NE(page.find("3 of 3 runs"), std::string::npos);
  EXPECT_NE(page.find("Blame: the driver &lt;lavapipe&gt;"), std::string::npos);
  // What is known already is not to be looked at, whatever dedup says.
  data.buckets[1].known = "mesa-1";
  EXPECT_EQ(ReportIndex(data).find("id=\"first\""), std::string::npos);
}

TEST(Report, AnEmptyCampaignSaysSo) {
  ReportData data;
  const std::string page = ReportIndex(data);
  ExpectSound(page);
  EXPECT_NE(page.find("Nothing new was found."), std::string::npos);
}

TEST(Report, BucketPageShowsWhatItsTestHas) {
  const Result<TemporaryFolder> out = TemporaryFolder::Make();
  ASSERT_TRUE(out);
  ReportData data = SampleData(1);
  data.buckets[0].signature = "crash </title><script>alert(1)</script>";
  data.kept[0].folder = "buckets/x y/test-1";
  const std::string folder = format("{}/buckets/x y/test-1", out->path());
  ASSERT_TRUE(MakeFolder(folder));
  for (const char* name : {"original.png", "variant.png", "diff.png"}) {
    ASSERT_TRUE(WriteFile(format("{}/{}", folder, name), EncodePng(MakeImage(2, 2, 255))));
  }
  ASSERT_TRUE(WriteFile(folder + "/delta.diff", "--- a\n+++ b\n+%1 = OpUndef %2\n-OpNop <\n"));
  ASSERT_TRUE(WriteFile(folder + "/log.txt", "<script>alert(2)</script>\n\xff"));
  const std::string page = ReportBucketPage(data, data.buckets[0], out->path());
  ExpectSound(page);
  for (const char* text :
       {"src=\"../buckets/x%20y/test-1/original.png\"",
        "src=\"../buckets/x%20y/test-1/variant.png\"", "src=\"../buckets/x%20y/test-1/diff.png\"",
        "<ins>+%1 = OpUndef %2</ins>", "<del>-OpNop &lt;</del>", "\n+++ b\n",
        "refract repeat &#39;buckets/x y/test-1&#39;", "&lt;script&gt;alert(2)",
        "touch buckets/lavapipe/1/NOT_INTERESTING"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST(Report, BucketWithoutTestsHasAPage) {
  ReportData data = SampleData(1);
  data.kept.clear();
  const std::string page = ReportBucketPage(data, data.buckets[0], "/nowhere");
  ExpectSound(page);
  EXPECT_NE(page.find("No test of this bucket is kept."), std::string::npos);
  EXPECT_NE(page.find("NOT_INTERESTING"), std::string::npos);
}

// It has no folder that a file could be put into.
TEST(Report, BucketThatIsOnlyCountedSaysSo) {
  ReportData data = SampleData(1);
  data.kept.clear();
  data.buckets[0].counted_only = true;
  data.tests[data.buckets[0].first_test].reference = "ant_trails.comp";
  const std::string page = ReportBucketPage(data, data.buckets[0], "/nowhere");
  ExpectSound(page);
  EXPECT_NE(page.find("only counted"), std::string::npos);
  EXPECT_NE(page.find(", seed "), std::string::npos);
  EXPECT_EQ(page.find("NOT_INTERESTING"), std::string::npos);
}

TEST(Report, OfTheKeptTestsTheMostTellingIsShown) {
  ReportData data = SampleData(1);
  KeptTest other = data.kept[0];
  other.id = 2;
  other.test = 9;
  other.folder = "buckets/lavapipe/1/test-9";
  other.recommended = true;
  data.kept.push_back(other);
  const std::string page = ReportBucketPage(data, data.buckets[0], "/nowhere");
  EXPECT_NE(page.find("refract repeat buckets/lavapipe/1/test-9<"), std::string::npos);
  EXPECT_NE(page.find("../buckets/lavapipe/1/test-1/README.md\">test 1, reduced"),
            std::string::npos);
}

TEST(Report, FaultsOfOursSayThemselvesHowToSeeThem) {
  const Result<TemporaryFolder> out = TemporaryFolder::Make();
  ASSERT_TRUE(out);
  ReportData data = SampleData(1);
  data.buckets[0].own = true;
  const std::string folder = format("{}/{}", out->path(), data.kept[0].folder);
  ASSERT_TRUE(MakeFolder(folder));
  ASSERT_TRUE(WriteFile(folder + "/fault.txt", "refract fuzz a.frag --seed 9 && <that>\n"));
  data.tests[1].reference = "a.frag";
  data.tests[1].seed = 9;
  const std::string page = ReportBucketPage(data, data.buckets[0], out->path());
  ExpectSound(page);
  EXPECT_NE(page.find("refract fuzz a.frag --seed 9 &amp;&amp; &lt;that&gt;"), std::string::npos);
  EXPECT_NE(page.find("test 1 of a.frag, seed 9"), std::string::npos);
  EXPECT_EQ(page.find("refract repeat"), std::string::npos);
}

TEST(Report, ImagesCanBeCompared) {
  const Result<TemporaryFolder> out = TemporaryFolder::Make();
  ASSERT_TRUE(out);
  const ReportData data = SampleData(1);
  const std::string folder = format("{}/{}", out->path(), data.kept[0].folder);
  ASSERT_TRUE(MakeFolder(folder));
  ASSERT_TRUE(WriteFile(folder + "/original.png", EncodePng(MakeImage(2, 2, 255))));
  const auto page = [&] { return ReportBucketPage(data, data.buckets[0], out->path()); };
  EXPECT_EQ(page().find("id=\"slider\""), std::string::npos) << "one image only";
  for (const char* name : {"variant.png", "diff.png"}) {
    ASSERT_TRUE(WriteFile(format("{}/{}", folder, name), EncodePng(MakeImage(2, 2, 255))));
  }
  ExpectSound(page());
  const size_t expected = page().find("original.png\" alt=\"Expected image\"");
  EXPECT_LT(expected, page().find("variant.png\" alt=\"Actual image\""));
  EXPECT_NE(page().find("id=\"slider\""), std::string::npos);
  // A reference that fails without any change has no variant.
  std::filesystem::remove(folder + "/variant.png");
  ASSERT_TRUE(WriteFile(folder + "/expected.png", EncodePng(MakeImage(2, 2, 255))));
  EXPECT_NE(page().find("expected.png\" alt=\"Expected image\""), std::string::npos);
  EXPECT_NE(page().find("original.png\" alt=\"Actual image\""), std::string::npos);
}

// The page of a bucket is cited in mails and bug trackers, so its address must not change.
TEST(Report, TheAddressOfABucketStays) {
  Bucket bucket = SampleBucket(1, "wrong_image");
  const std::string address = BucketPageName(bucket);
  EXPECT_EQ(address, "bucket-6ea4a55dafe3.html")
      << "addresses of other versions of Refract stay valid";
  bucket.id = 7;
  bucket.folder = "elsewhere";
  bucket.known = "mesa-1";
  bucket.muted = true;
  bucket.first_test = 9;
  EXPECT_EQ(BucketPageName(bucket), address);
  Bucket other = bucket;
  other.sub = "fragment: split_block";
  EXPECT_NE(BucketPageName(other), address);
  other = bucket;
  other.stage = "lavapip";
  other.signature = "e" + bucket.signature;
  EXPECT_NE(BucketPageName(other), address);
}

TEST(Report, ParentAndSubBucketsLinkToEachOther) {
  ReportData data = SampleData(2);
  for (Bucket& bucket : data.buckets) bucket.signature = "wrong_image";
  data.buckets[1].sub = "fragment: <split_block>";
  data.buckets[1].stage = "the driver to blame";
  data.parents = {{data.buckets[1].id, {data.buckets[0].id}}};
  // The parent has a test of its own.
  std::string parent = ReportBucketPage(data, data.buckets[0], "/nowhere");
  ExpectSound(parent);
  EXPECT_NE(parent.find(LinkTo(data, 2)), std::string::npos);
  EXPECT_NE(parent.find("fragment: &lt;split_block&gt;"), std::string::npos);
  EXPECT_EQ(parent.find("replace it"), std::string::npos);
  // The sub-bucket replaces it.
  data.replaced = {data.buckets[0]};
  data.buckets.erase(data.buckets.begin());
  data.kept.erase(data.kept.begin());
  parent = ReportBucketPage(data, data.replaced[0], "/nowhere");
  ExpectSound(parent);
  EXPECT_NE(parent.find(LinkTo(data, 1)), std::string::npos);
  EXPECT_NE(parent.find("replace it"), std::string::npos);
  const std::string sub = ReportBucketPage(data, data.buckets[0], "/nowhere");
  ExpectSound(sub);
  EXPECT_NE(sub.find(BucketPageName(data.replaced[0])), std::string::npos);
  EXPECT_EQ(ReportIndex(data).find(BucketPageName(data.replaced[0])), std::string::npos);
}

TEST(Report, EntriesHaveWhatTheFilterReads) {
  ReportData data = SampleData(3);
  data.targets.push_back({2, "swift \"shader\"", "render", ""});
  data.bucket_target_counts = {{1, "lavapipe", 2}, {1, "swift \"shader\"", 1}, {3, "old", 1}};
  data.buckets[1].known = "mesa-1";
  data.kept[1].target = "lavapipe";
  data.buckets[2].verdict = FailureClass::kHang;
  const std::string page = ReportIndex(data);
  ExpectSound(page);
  for (const char* text :
       {"data-on=\"0 1\" data-failure=\"crash\" data-state=\"open\"",
        "data-on=\"0\" data-failure=\"crash\" data-state=\"known\"",
        "data-on=\"2\" data-failure=\"hang\" data-state=\"open\"",
        "<option value=\"1\">swift &quot;shader&quot;</option>",
        "<option value=\"hang\">hang</option>", "<option value=\"known\">known</option>",
        "; seen on lavapipe, swift &quot;shader&quot;<", "; seen on old<"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("<option value=\"muted\">"), std::string::npos) << "no bucket is muted";
  EXPECT_EQ(ReportIndex(SampleData(1)).find("id=\"filter\""), std::string::npos);
}

TEST(Report, ChartsShowTheCampaignOverTime) {
  ReportData data = SampleData(3);
  EXPECT_EQ(ReportIndex(data).find("<svg"), std::string::npos);
  data.info.seconds = 4800;
  data.over_time.assign(kReportIntervals, {100, 1});  // of 100 seconds each
  data.totals.tests = 100 * kReportIntervals;
  data.buckets[0].first_seen = 50;
  data.buckets[1].first_seen = 2450;
  data.buckets[2].first_seen = 9999;  // after the last update of the campaign's time
  const std::string page = ReportIndex(data);
  ExpectSound(page);
  for (const char* text :
       {"aria-label=\"failing tests over time: 18 after 30 min, 36 after 60 min, 48 at the end\"",
        "aria-label=\"distinct buckets over time: 1 after 30 min, 2 after 60 min, 3 at the end\"",
        "aria-label=\"tests a second over time: 1 after 30 min, 1 after 60 min, 1 at the end; at "
        "most 1\"",
        "<tr><td>10 min 00 s</td><td>600</td><td>6</td><td>1</td><td>1</td></tr>"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

TEST(Report, WrittenFromAStore) {
  const Result<TemporaryFolder> out = TemporaryFolder::Make();
  ASSERT_TRUE(out);
  CampaignInfo info;
  info.seed = 5;
  info.tool = "0.1.0";
  Result<Store> store = Store::Create(format("{}/{}", out->path(), kStoreFile), info);
  ASSERT_TRUE(store) << store.error().message;
  ASSERT_TRUE(store->SetTargets({{0, "lavapipe", "render", "llvmpipe"}}));
  ASSERT_TRUE(store->SetReference({0, "a.frag", "00", ReferenceStability::kExact, false, ""}));
  CampaignTest test;
  test.reference = "a.frag";
  test.outcomes = {{"lavapipe", FailureClass::kCrash, "crash lavapipe: SIGSEGV", 0.5}};
  const Result<Added> added = store->AddTest(test, [](const Outcome&) {
    Filing filing;
    filing.folder = "buckets/lavapipe/crash";
    return filing;
  });
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_TRUE(WriteReport(*store, out->path()));
  const std::string index = format("{}/{}/index.html", out->path(), kReportFolder);
  const Result<std::string> page = ReadFile(index);
  ASSERT_TRUE(page);
  ExpectSound(*page);
  const std::string name = BucketPageName(added->new_buckets.at(0));
  EXPECT_NE(page->find(format("{}\">crash lavapipe: SIGSEGV</a>", name)), std::string::npos);
  EXPECT_TRUE(FileExists(format("{}/{}/{}", out->path(), kReportFolder, name)));
  // Muted by hand, and written again.
  ASSERT_TRUE(MakeFolder(format("{}/buckets/lavapipe/crash", out->path())));
  ASSERT_TRUE(WriteFile(format("{}/buckets/lavapipe/crash/NOT_INTERESTING", out->path()), ""));
  ASSERT_TRUE(WriteReport(*store, out->path()));
  EXPECT_NE(ReadFile(index)->find("<summary>Muted: 1"), std::string::npos);
}

}  // namespace
}  // namespace refract
