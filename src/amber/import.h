// SPDX-License-Identifier: Apache-2.0
// Turns an AmberScript into files that Refract runs: a module with inputs and expected outputs for
// each pipeline that is run.
#pragma once

#include <string>
#include <vector>

#include "amber/script.h"
#include "base/result.h"

namespace refract::amber {

struct ImportedFile {
  std::string name;  ///< without a folder: "loop.spvasm", "loop.json"
  std::string text;
};

/// Two modules whose outputs must be the same by a rule of `refract compare`.
struct ImportedPair {
  std::string original, variant;  ///< names of files
  std::string rule;               ///< "exact", "histogram"
};

struct ImportedScript {
  std::vector<ImportedFile> files;
  std::vector<std::string> modules;  ///< the names of those files that are to be run
  std::vector<ImportedPair> pairs;
};

/// The files for a script. Their names begin with `name`; with several pipelines, the name of the
/// pipeline follows. Errors have the form "FILE:LINE: what is not supported". An image that an
/// earlier pipeline draws is drawn by the interpreter.
Result<ImportedScript> ImportScript(const Script& script, const std::string& name);

/// The content of a buffer in memory, by the layout rules of AmberScript.
std::string BytesOf(const Buffer& buffer);

}  // namespace refract::amber
