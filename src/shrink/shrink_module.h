// SPDX-License-Identifier: Apache-2.0
// Makes a whole module smaller by structural passes, whatever it computes then: for crashes, hangs,
// rejected modules and invalid output of tools, never for pictures. What comes out is valid.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ir/tools.h"
#include "shrink/options.h"

namespace refract::inline shrink {

/// Whether a module still shows what is looked for.
using InterestingModule = std::function<bool(std::span<const uint32_t>)>;

struct ModuleSource {
  std::vector<uint32_t> words;
  std::string file;  ///< what errors call it
  TargetEnvironment environment = TargetEnvironment::kUniversal16;
  ValidationOptions validation;
};

struct ShrunkModule {
  std::vector<uint32_t> words;
  ShrinkReport report;
};

/// The source is taken for interesting and not judged again; one that is not valid, for spirv-val
/// or for our own rules, is refused unless one of the two takes it: then candidates are held to
/// that one. Passes are tried in turn, with chunks of their opportunities and at last single ones,
/// until none has one left. The result is no larger than the source, by instructions, then words;
/// the last change is that its ids are numbered densely, if the judge agrees.
Result<ShrunkModule> ShrinkModule(const ModuleSource& source, const InterestingModule& interesting,
                                  const ShrinkOptions& options = {});

/// Instructions of a binary, debug lines and all; 0 for what is no module.
size_t CountInstructions(std::span<const uint32_t> words);

}  // namespace refract::inline shrink
