// SPDX-License-Identifier: Apache-2.0
// Names of the folders of buckets.
#pragma once

#include <string>

namespace refract {
inline namespace campaign {

/// A name for a folder, different for different texts: the letters and digits of `text`, shortened,
/// and a hash. "crash-spirv-opt-SIGSEGV-1a2b3c4d".
std::string FolderName(const std::string& text);
/// The folder of a bucket relative to OUT: "buckets/STAGE/SIGNATURE", or "own_errors/SIGNATURE" for
/// faults of Refract.
std::string BucketFolder(const std::string& stage, const std::string& signature, bool own);

}  // namespace campaign
}  // namespace refract
