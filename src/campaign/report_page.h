// SPDX-License-Identifier: Apache-2.0
// What all pages of the report have in common.
#pragma once

#include <string>
#include <string_view>

#include "campaign/report.h"

namespace refract::inline campaign {

/// The whole page: `title` is text, `body` is HTML.
std::string ReportPage(std::string_view title, std::string_view body);

/// A label behind a title: `kind` is one of ours (a class of the style sheet), `text` anybody's.
std::string Badge(std::string_view kind, std::string_view text);
/// The badges of a bucket: verdict, target, known, muted.
std::string Badges(const Bucket& bucket);

/// "3 tests"; of those that were told apart also of how many: "2 of 913 tests were reduced to
/// this".
std::string CountText(const ReportData& data, const Bucket& bucket);

/// Where in the report a bucket belongs.
enum class ReportGroup { kFinding, kOwn, kKnown, kMuted, kCounted };
ReportGroup GroupOf(const Bucket& bucket);

/// The kept tests of a bucket: `data.kept` from `*begin` up to what is returned.
size_t KeptOf(const ReportData& data, const Bucket& bucket, size_t* begin);
/// Whether dedup recommends one of them.
bool IsRecommended(const ReportData& data, const Bucket& bucket);
/// The one that shows most: recommended, reduced, confirmed, fewest instructions; null if none has
/// a folder.
const KeptTest* BestKept(const ReportData& data, const Bucket& bucket);

}  // namespace refract::inline campaign
