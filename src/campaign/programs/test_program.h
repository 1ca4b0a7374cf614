// SPDX-License-Identifier: Apache-2.0
// A program that a test runs instead of a reference: a control-flow program (flesh/program.h) or a
// generated program (generate/program.h). Its output is known before it runs, and it can be made
// smaller by the recipe from which it was made instead of by its words.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "campaign/schedule.h"
#include "engine/original.h"
#include "flesh/spec.h"
#include "generate/program.h"

namespace refract {
inline namespace campaign {

class TestProgram;

/// Returns true if the program still shows the failure. An Error ends the reduction.
using TestProgramTest =
    std::function<Result<bool>(const std::shared_ptr<const TestProgram>& candidate)>;

struct ReducedTestProgram {
  std::shared_ptr<const TestProgram> program;
  uint64_t asked = 0;    ///< runs of the interestingness test
  bool minimal = false;  ///< true if no smaller program is interesting, false if stopped before
};

class TestProgram {
 public:
  virtual ~TestProgram() = default;
  TestProgram(const TestProgram&) = delete;
  TestProgram& operator=(const TestProgram&) = delete;

  /// The program as the original of variants. Its inputs have the expected output.
  const Original& original() const { return original_; }

  virtual ProgramKind kind() const = 0;
  /// The seed with which the program was drawn.
  virtual uint64_t seed() const = 0;
  /// The command that makes the program as it was drawn, without "-o OUT".
  virtual std::string Command() const = 0;
  /// Its size: "17 blocks" or "46 statements".
  virtual std::string Size() const = 0;
  /// What distinguishes small programs: the graph of a control-flow program as text, or the kinds
  /// of statements and operators in a generated program.
  virtual std::string Shape() const = 0;
  /// Describes a control-flow program for people: graph.txt of a test folder. Empty for others.
  virtual std::string Description() const = 0;
  /// Whether variants may be made of the program. False if spirv-val would soon falsely reject them
  /// (docs/validator-quirks.md).
  virtual bool MayVary() const = 0;
  /// Why the expected output is not that of the interpreter. Empty if it is. Once `*stop` is true,
  /// it ends, and the result is not meaningful; `stop` may be null.
  virtual std::string Fault(const std::atomic<bool>* stop) const = 0;
  /// Makes the program smaller as long as `is_interesting` returns true. The program itself must be
  /// interesting and is not tested. `stop` is called before each try. Fails with the error of
  /// `is_interesting`.
  virtual Result<ReducedTestProgram> Reduce(const TestProgramTest& is_interesting,
                                            const std::function<bool()>& stop) const = 0;

 protected:
  explicit TestProgram(Original original) : original_(std::move(original)) {}

 private:
  const Original original_;
};

/// Both fail if the program is not valid.
Result<std::shared_ptr<const TestProgram>> TestProgramOf(flesh::ProgramSpec spec,
                                                         flesh::Program program);
Result<std::shared_ptr<const TestProgram>> TestProgramOf(generate::ProgramRecipe recipe,
                                                         generate::GeneratedProgram program);

/// Whether the graph has a switch that no branch reaches, or a single-block loop that is the
/// continue target of another loop. spirv-val gets the nesting of both wrong: steps that add a
/// block between two others soon make a module that it falsely rejects (docs/validator-quirks.md,
/// case_exit_by_depth).
bool IsNearQuirk(const cfg::Graph& graph);

}  // namespace campaign
}  // namespace refract
