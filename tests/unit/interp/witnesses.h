// SPDX-License-Identifier: Apache-2.0
// Runs a module on the interpreter and on the drivers of this machine.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "interp/interpreter.h"
#include "ir/binary.h"
#include "target/harness.h"

namespace refract {

/// What one test compared; printed when it ends.
struct Counts {
  uint64_t rows = 0, tuples = 0, undefined = 0, traps = 0;
  uint64_t exact_words = 0, approximate_words = 0, expected_words = 0;
  std::map<std::string, uint64_t> compared_words, skipped_rows, known_wrong;
  std::map<std::string, uint64_t> compared_approximate;
  uint64_t folded_tuples = 0, folded_words = 0;
};
void Print(const Counts& counts, const std::string& name);

/// Words, bytes of words.
std::vector<uint32_t> WordsOf(const std::string& bytes);
std::string BytesOfWords(const std::vector<uint32_t>& words);

/// A module from assembly, valid; or a failed test.
struct TableModule {
  std::vector<uint32_t> words;
  std::optional<Module> module;
};
std::unique_ptr<TableModule> Assembled(const std::string& text, uint32_t version);

/// A program of the module's one entry point; or a failed test.
std::optional<Program> ProgramOf(const TableModule& module, const Bindings& bindings);

BoundBuffer StorageBuffer(uint32_t binding, std::string bytes);

/// "lavapipe" and "swiftshader".
const std::vector<std::string>& DriverNames();
/// nullopt, and `why`, where the driver is not there or cannot run the module. Anything but an
/// orderly end fails the test. Without `optimise`, lavapipe compiles faster.
std::optional<Outputs> RunOnDriver(const std::string& driver, const std::vector<uint32_t>& words,
                                   const Bindings& bindings, std::string* why,
                                   bool optimise = true);

/// A GLSL shader without its version line; `name` ends in .comp or .frag.
std::unique_ptr<TableModule> CompiledShader(const std::string& name, const std::string& body);

/// Interpreter and drivers write `want` to the buffer of binding 1; all of it is exact.
void CheckOutput(const std::string& name, const TableModule& module, const Bindings& bindings,
                 const std::vector<uint32_t>& want);

}  // namespace refract
