// SPDX-License-Identifier: Apache-2.0
// What all pages of the report have in common: style, badges, and how buckets are described.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/report/report.h"
#include "campaign/report/report_script.h"

namespace refract {
inline namespace campaign {

/// A whole page. `title` is text, `body` is HTML.
std::string ReportPage(std::string_view title, std::string_view body, const PageScript& script);

/// A label after a title. `kind` is a class of the style sheet, `text` any text.
std::string Badge(std::string_view kind, std::string_view text);
/// The badges of a bucket: verdict, target, known, muted.
std::string Badges(const Bucket& bucket);

/// "3 tests". For a sub-bucket also how many tests its parents have: "2 of 913 tests were reduced
/// to this bucket".
std::string CountText(const ReportData& data, const Bucket& bucket);

/// The test that a bucket was first seen with: "test 5", or "an unchanged reference".
std::string FirstTestText(const Bucket& bucket);

/// The section of the report that a bucket belongs to.
enum class ReportGroup { kFinding, kOwn, kKnown, kMuted, kCounted };
ReportGroup GroupOf(const Bucket& bucket);

/// How many tests of a bucket failed on each target. Only buckets without a sub have such counts.
std::span<const BucketTargetCount> TargetCountsOf(const ReportData& data, const Bucket& bucket);
/// The names of the targets that a bucket was seen on. Those of a sub-bucket are the targets of its
/// kept tests.
std::vector<std::string> TargetsOf(const ReportData& data, const Bucket& bucket);

/// The kept tests of a bucket: those in `data.kept` from `*begin` up to the returned index.
size_t KeptOf(const ReportData& data, const Bucket& bucket, size_t* begin);
/// Whether dedup recommends a test of the bucket.
bool IsRecommended(const ReportData& data, const Bucket& bucket);
/// The kept test that the page of the bucket shows. Prefers recommended, then reduced, then
/// confirmed tests, then the one with the fewest instructions. Null if no test has a folder.
const KeptTest* BestKept(const ReportData& data, const Bucket& bucket);

/// The sub-buckets of a bucket, or the buckets in which the tests of a sub-bucket began.
std::vector<Bucket> RelativesOf(const ReportData& data, const Bucket& bucket);

/// The charts of the index page. Empty if no test has ended.
std::string ReportCharts(const ReportData& data);

}  // namespace campaign
}  // namespace refract
