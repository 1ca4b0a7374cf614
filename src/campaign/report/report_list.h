// SPDX-License-Identifier: Apache-2.0
// The lists of buckets on the index page, and the controls that filter them. The script of the page
// reads the attributes of the entries: data-on (numbers of targets), data-failure and data-state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "campaign/report/report.h"

namespace refract {
inline namespace campaign {

class BucketLists {
 public:
  /// `data` must outlive this.
  explicit BucketLists(const ReportData& data);
  /// The controls. They are hidden until the script shows them. Empty if there is nothing to
  /// filter.
  std::string Filter() const;
  /// The entries of at most `most` buckets.
  std::string List(const std::vector<const Bucket*>& buckets, size_t most) const;

 private:
  void AddTarget(const std::string& name);
  std::string Entry(const Bucket& bucket) const;

  const ReportData& data_;
  std::vector<std::string>
      targets_;  // those of the campaign, then others that buckets were seen on
  std::map<std::string, size_t> target_numbers_;  // places in targets_
};

}  // namespace campaign
}  // namespace refract
