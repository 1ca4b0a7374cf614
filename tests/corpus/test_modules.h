// SPDX-License-Identifier: Apache-2.0
// The modules on which reading, writing, fuzzing and replaying are tested: tests/modules (unusual
// but valid modules) and the references, plain and optimised.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/original.h"

namespace refract {

struct TestModule {
  std::string name;  ///< "kernel.spvasm", "life_masks.frag -Os"
  std::vector<uint32_t> words;
  std::shared_ptr<const Inputs> inputs;  ///< of references; null for other modules
};

/// All modules of tests/modules in `source_folder` (the root of the source tree), sorted by name.
Result<std::vector<TestModule>> OddModules(const std::string& source_folder);
/// The references that the interpreter judges: the modules below `folder`, in byte order, without
/// those in its folder `drivers`.
Result<std::vector<std::string>> ReferenceFiles(const std::string& folder);
/// The files of twelve references, GLSL and assembly, spread over all of them.
/// tests/measure/corpus.cpp measures what must hold for each reference.
Result<std::vector<std::string>> SomeReferences(const std::string& source_folder);
/// Each of these plain, with -O and with -Os.
Result<std::vector<TestModule>> References(const std::string& source_folder);

/// The module once for each of its entry points, which is then the one under test; once if it has
/// none.
Result<std::vector<Original>> Originals(const TestModule& module);

}  // namespace refract
