// SPDX-License-Identifier: Apache-2.0
// report.sarif has what SARIF 2.1.0 requires, for any names and signatures; and what code hosts
// need.
#include <gtest/gtest.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/text.h"
#include "campaign/report/report.h"

namespace refract {
namespace {

using Json = nlohmann::json;

Bucket SampleBucket(int64_t id, const std::string& signature) {
  Bucket bucket;
  bucket.id = id;
  bucket.stage = "lavapipe";
  bucket.signature = signature;
  bucket.verdict = FailureClass::kCrash;
  bucket.count = 3;
  bucket.first_test = static_cast<uint64_t>(id);
  bucket.folder = format("buckets/lavapipe/{}", id);
  return bucket;
}

KeptTest SampleKept(int64_t bucket, uint64_t test, const std::string& folder) {
  KeptTest kept;
  kept.id = static_cast<int64_t>(test);
  kept.bucket = bucket;
  kept.test = test;
  kept.target = "spirv-opt-O@lavapipe";
  kept.state = KeptState::kConfirmed;
  kept.folder = folder;
  return kept;
}

// A finding with two kept tests, a sub-bucket with the same signature, a known and a muted bucket,
// one that is only counted, and a fault of Refract.
ReportData SampleData() {
  ReportData data;
  data.info.seed = 7;
  data.info.tool = "1.2.3-rc4";
  data.totals.tests = 100;
  data.targets = {{1, "lavapipe", "render", "llvmpipe \"15\""}};
  const std::string signature = "crash lavapipe: 'a\x1b<b>' \xff in \"f\"";
  data.buckets = {SampleBucket(1, signature), SampleBucket(2, signature), SampleBucket(3, "known"),
                  SampleBucket(4, "muted"),   SampleBucket(5, "counted"), SampleBucket(6, "own")};
  data.buckets[1].sub = "fragment: add_dead_break";
  data.buckets[2].known = "issue 12";
  data.buckets[3].muted = true;
  data.buckets[4].counted_only = true;
  data.buckets[5].own = true;
  data.kept = {SampleKept(1, 11, "buckets/a b/100%/test-11"),
               SampleKept(1, 12, "buckets/x/test-12")};
  data.kept[1].state = KeptState::kReduced;
  data.kept[1].blame = "pass --merge-blocks";
  return data;
}

// A reference to a file of the campaign, as RFC 3986 allows it.
void ExpectLocation(const Json& location, const Json& bases) {
  const Json& artifact = location.at("physicalLocation").at("artifactLocation");
  const std::string uri = artifact.at("uri");
  EXPECT_FALSE(uri.empty() || uri[0] == '/');
  for (size_t i = 0; i < uri.size(); ++i) {
    const bool plain = std::isalnum(static_cast<unsigned char>(uri[i])) != 0 ||
                       std::string_view("-_.~/").find(uri[i]) != std::string_view::npos;
    EXPECT_TRUE(plain || uri[i] == '%') << uri;
  }
  EXPECT_TRUE(bases.contains(artifact.at("uriBaseId").get<std::string>()));
  EXPECT_GE(location.at("physicalLocation").at("region").at("startLine"), 1);
}

// The properties that the schema requires of each object that the file has, and their values.
void ExpectValid(const Json& sarif) {
  EXPECT_EQ(sarif.at("version"), "2.1.0");
  ASSERT_EQ(sarif.at("runs").size(), 1u);
  const Json& run = sarif.at("runs").at(0);
  const Json& driver = run.at("tool").at("driver");
  EXPECT_FALSE(driver.at("name").get<std::string>().empty());
  std::set<std::string> ids;
  for (const Json& rule : driver.at("rules")) {
    EXPECT_TRUE(ids.insert(rule.at("id")).second) << "two rules " << rule.at("id");
    for (const char* text : {"shortDescription", "fullDescription", "help"}) {
      EXPECT_FALSE(rule.at(text).at("text").get<std::string>().empty());
    }
    EXPECT_TRUE(rule.at("properties").at("tags").is_array());
  }
  ASSERT_TRUE(run.at("results").is_array());
  for (const Json& result : run.at("results")) {
    const size_t rule = result.at("ruleIndex");
    EXPECT_EQ(driver.at("rules").at(rule).at("id"), result.at("ruleId"));
    EXPECT_EQ(result.at("level"), "error");
    EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
    EXPECT_GE(result.at("occurrenceCount"), 1);
    ASSERT_EQ(result.at("locations").size(), 1u);
    ASSERT_TRUE(result.at("locations").is_array());
    ExpectLocation(result.at("locations").at(0), run.at("originalUriBaseIds"));
    for (const Json& other : result.value("relatedLocations", Json::array())) {
      ExpectLocation(other, run.at("originalUriBaseIds"));
    }
    for (const Json& print : result.at("partialFingerprints")) EXPECT_TRUE(print.is_string());
    for (const Json& suppression : result.at("suppressions")) {
      EXPECT_EQ(suppression.at("kind"), "external");
      EXPECT_EQ(suppression.at("status"), "accepted");
    }
  }
  ASSERT_EQ(run.at("invocations").size(), 1u);
  ASSERT_TRUE(run.at("invocations").is_array());
  const Json& invocation = run.at("invocations").at(0);
  EXPECT_TRUE(invocation.at("executionSuccessful").is_boolean());
  for (const Json& fault : invocation.at("toolExecutionNotifications")) {
    EXPECT_FALSE(fault.at("message").at("text").get<std::string>().empty());
  }
}

TEST(Sarif, AnEmptyCampaignIsValid) {
  ReportData data;
  data.info.tool = "1.0.0";
  const Json sarif = Json::parse(SarifText(data));
  ExpectValid(sarif);
  EXPECT_EQ(sarif.at("runs").at(0).at("results").size(), 0u);
  EXPECT_EQ(sarif.at("runs").at(0).at("invocations").at(0).at("executionSuccessful"), true);
}

TEST(Sarif, ResultsAreTheBucketsThatPeopleLookAt) {
  const ReportData data = SampleData();
  const Json sarif = Json::parse(SarifText(data));
  ExpectValid(sarif);
  const Json& run = sarif.at("runs").at(0);
  const Json& results = run.at("results");
  ASSERT_EQ(results.size(), 4u) << "not the one that is counted only, and not the fault";
  EXPECT_EQ(run.at("tool").at("driver").at("rules").size(), 3u) << "one for each signature";
  EXPECT_EQ(results.at(0).at("ruleId"), results.at(1).at("ruleId"));
  EXPECT_EQ(results.at(0).at("suppressions").size(), 0u);
  EXPECT_EQ(results.at(2).at("suppressions").at(0).at("justification"), "known issue: issue 12");
  EXPECT_EQ(results.at(3).at("suppressions").at(0).at("justification"), "muted");
  EXPECT_EQ(run.at("invocations").at(0).at("executionSuccessful"), false);
  EXPECT_EQ(run.at("invocations").at(0).at("toolExecutionNotifications").size(), 1u);
  EXPECT_EQ(run.at("properties").at("targets").at(0).at("version"), "llvmpipe \"15\"");
  EXPECT_EQ(run.at("tool").at("driver").at("semanticVersion"), "1.2.3-rc4");
}

TEST(Sarif, LocationsAreTheKeptTests) {
  const ReportData data = SampleData();
  const Json sarif = Json::parse(SarifText(data));
  const Json& results = sarif.at("runs").at(0).at("results");
  const auto uri = [](const Json& location) {
    return location.at("physicalLocation").at("artifactLocation").at("uri").get<std::string>();
  };
  // The reduced test is the one to look at.
  EXPECT_EQ(uri(results.at(0).at("locations").at(0)), "buckets/x/test-12/README.md");
  ASSERT_EQ(results.at(0).at("relatedLocations").size(), 1u);
  EXPECT_EQ(uri(results.at(0).at("relatedLocations").at(0)),
            "buckets/a%20b/100%25/test-11/README.md");
  EXPECT_EQ(results.at(0).at("properties").at("targets").at(0), "spirv-opt-O@lavapipe");
  const std::string text = results.at(0).at("message").at("text");
  EXPECT_NE(text.find("3 tests, first: test 1; seen on spirv-opt-O@lavapipe; blame: pass --merge"),
            std::string::npos)
      << text;
  // A bucket without a test folder: its page.
  EXPECT_EQ(uri(results.at(1).at("locations").at(0)),
            format("report/{}", BucketPageName(data.buckets[1])));
}

TEST(Sarif, FingerprintsFollowFromTheSignature) {
  ReportData data = SampleData();
  const auto fingerprints = [&] {
    std::vector<std::string> prints;
    const Json sarif = Json::parse(SarifText(data));
    for (const Json& result : sarif.at("runs").at(0).at("results")) {
      const Json& both = result.at("partialFingerprints");
      prints.push_back(both.at("refractBucket/v1"));
      EXPECT_EQ(both.at("primaryLocationLineHash"), prints.back() + ":1");
    }
    return prints;
  };
  const std::vector<std::string> before = fingerprints();
  EXPECT_EQ(std::set<std::string>(before.begin(), before.end()).size(), before.size());
  // Another campaign finds the same bugs, in another order and on other targets.
  std::swap(data.buckets[0], data.buckets[2]);
  data.buckets[0].count = 99;
  data.buckets[0].first_test = 4;
  data.buckets[0].folder = "elsewhere";
  data.info.seed = 8;
  EXPECT_EQ(fingerprints(), (std::vector<std::string>{before[2], before[1], before[0], before[3]}));
  data.buckets[0].signature += "!";
  EXPECT_NE(fingerprints()[0], before[2]);
}

}  // namespace
}  // namespace refract
