// SPDX-License-Identifier: Apache-2.0
// The modules that reading, writing, fuzzing and replaying are tried on: tests/modules (rare, but
// valid) and the references, plain and optimised.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/original.h"

namespace refract {

struct TestModule {
  std::string name;  ///< "kernel.spvasm", "life_masks.frag -Os"
  std::vector<uint32_t> words;
  std::shared_ptr<const Inputs> inputs;  ///< of references; null for others
};

/// All of tests/modules in `source_folder` (the top of the tree), in order of their names.
Result<std::vector<TestModule>> OddModules(const std::string& source_folder);
/// Files of a dozen of the references, spread over all: GLSL and assembly. What is to be true of
/// each of them is measured by tests/measure/corpus.cpp.
Result<std::vector<std::string>> SomeReferences(const std::string& source_folder);
/// Each of these plain, with -O and with -Os.
Result<std::vector<TestModule>> References(const std::string& source_folder);

/// The module with each of its entry points in turn as the one under test; without any, once.
Result<std::vector<Original>> Originals(const TestModule& module);

}  // namespace refract
