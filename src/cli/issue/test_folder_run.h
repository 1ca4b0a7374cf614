// SPDX-License-Identifier: Apache-2.0
// Runs a test folder again: `refract repeat` and `refract issue`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/runnable_module.h"
#include "folder/test_folder.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace cli {

/// The target with this name or, if the name is empty, the target of the test. From a folder only
/// names are accepted, no paths: a path could make us load any file. The error is kUnavailable if
/// the target of the test is unknown here.
Result<Target> TargetOfTest(const std::string& folder, const TestRecord& record,
                            const std::string& name, const std::vector<std::string>& files);

/// The module of the folder that the failure is about: "reduced", else "variant"; without a
/// variant "original".
std::string FailingModuleOf(const std::string& folder, const TestRecord& record);

/// The original, and the reduced module or else the variant. Without a variant, only the
/// original.
Result<std::vector<RunnableModule>> LoadTestModules(const std::string& folder,
                                                    const TestRecord& record, Console& console);

/// Another module of the folder: "smallest" or "check"; nothing if the folder does not have it.
/// Without inputs of its own, it gets those of the failing module.
Result<std::optional<RunnableModule>> LoadSmallModule(const std::string& folder,
                                                      const TestRecord& record,
                                                      const std::string& name, Console& console);

/// The result of one run of both modules.
struct TestRun {
  Finding finding;
  double seconds = 0;
  bool matches = false;  ///< the failure has the verdict and the signature of the folder
  RunResult original, variant;
};

/// The outputs that the interpreter computes for an original which has wrong outputs on the target.
/// Nothing for other tests: the inputs of a control-flow program have its expected output.
Result<std::optional<RunResult>> ExpectedOf(const std::vector<RunnableModule>& modules,
                                            const TestRecord& record);

/// Runs the modules of LoadTestModules. `expected`: of ExpectedOf. An Error means that the target
/// cannot run them.
Result<TestRun> RunTest(const Target& target, const std::vector<RunnableModule>& modules,
                        const std::optional<RunResult>& expected, const TestRecord& record,
                        Harness& harness);

}  // namespace cli
}  // namespace refract
