// SPDX-License-Identifier: Apache-2.0
#include "witnesses.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/tools.h"

namespace refract {

void Print(const Counts& counts, const std::string& name) {
  std::string text = format(
      "[   counts ] {}: {} rows, {} tuples ({} undefined, {} traps), "
      "words {} exact {} approximate; with C++ {}",
      name, counts.rows, counts.tuples, counts.undefined, counts.traps, counts.exact_words,
      counts.approximate_words, counts.expected_words);
  for (const auto& [driver, words] : counts.compared_words) {
    text += format(", {} {}", driver, words);
    const auto loose = counts.compared_approximate.find(driver);
    if (loose != counts.compared_approximate.end()) text += format(" + {} bounded", loose->second);
  }
  text += format(", folded {} ({} of {} tuples gone)", counts.folded_words, counts.folded_tuples,
                 counts.tuples);
  for (const auto& [driver, rows] : counts.skipped_rows) {
    text += format(", {} rows not on {}", rows, driver);
  }
  for (const auto& [who, tuples] : counts.known_wrong) {
    text += format(", {} tuples known wrong on {}", tuples, who);
  }
  std::puts(text.c_str());
}

std::vector<uint32_t> WordsOf(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

std::string BytesOfWords(const std::vector<uint32_t>& words) {
  std::string bytes(4 * words.size(), '\0');
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

std::unique_ptr<TableModule> Assembled(const std::string& text, uint32_t version) {
  const TargetEnvironment environment = version == 3   ? TargetEnvironment::kVulkan11
                                        : version == 4 ? TargetEnvironment::kVulkan11Spirv14
                                        : version == 5 ? TargetEnvironment::kVulkan12
                                                       : TargetEnvironment::kVulkan13;
  const auto words = Assemble(text, environment);
  if (!words) {
    ADD_FAILURE() << words.error().message << "\n" << text;
    return nullptr;
  }
  if (const auto invalid = FindInvalid(*words, environment)) {
    ADD_FAILURE() << invalid->message << "\n" << text;
    return nullptr;
  }
  auto made = std::make_unique<TableModule>();
  made->words = *words;
  Result<Module> module = ReadModule(made->words, "table");
  if (!module) {
    ADD_FAILURE() << module.error().message;
    return nullptr;
  }
  made->module.emplace(std::move(*module));
  return made;
}

std::optional<Program> ProgramOf(const TableModule& module, const Bindings& bindings) {
  const auto entry = FindEntryPoint(*module.module, "", "table");
  if (!entry) {
    ADD_FAILURE() << entry.error().message;
    return std::nullopt;
  }
  Result<Program> program = Program::Decode(*module.module, *entry, bindings, "table");
  if (!program) {
    ADD_FAILURE() << program.error().message;
    return std::nullopt;
  }
  return std::move(*program);
}

BoundBuffer StorageBuffer(uint32_t binding, std::string bytes) {
  return {.set = 0, .binding = binding, .storage = true, .bytes = std::move(bytes)};
}

const std::vector<std::string>& DriverNames() {
  static const std::vector<std::string> names = {"lavapipe", "swiftshader"};
  return names;
}

std::optional<Outputs> RunOnDriver(const std::string& driver, const std::vector<uint32_t>& words,
                                   const Bindings& bindings, std::string* why, bool optimise) {
  static Harness harness;
  static std::map<std::pair<std::string, bool>, Result<Target>> targets;
  auto target = targets.find({driver, optimise});
  if (target == targets.end()) {
    target = targets.emplace(std::pair(driver, optimise), FindTarget(driver)).first;
    Result<Target>& found = target->second;
    if (found && !optimise) found->environment.emplace_back("GALLIVM_PERF", "nopt");
  }
  if (!target->second) {
    *why = target->second.error().message;
    ADD_FAILURE() << *why;  // `make setup` installs them all
    return std::nullopt;
  }
  Job job;
  job.spirv = words;
  job.bindings = bindings;
  job.time_limit = 60;  // a busy machine is no hang
  Result<RunResult> result = harness.Run(*target->second, job);
  if (!result) {
    EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable) << result.error().message;
    *why = result.error().message;
    return std::nullopt;
  }
  EXPECT_EQ(result->verdict, RunOutcome::kOk) << driver << ": " << result->detail;
  if (result->verdict != RunOutcome::kOk) return std::nullopt;
  return std::move(result->outputs);
}

void CheckOutput(const std::string& name, const TableModule& module, const Bindings& bindings,
                 const std::vector<uint32_t>& want) {
  const auto words_in = [](const Outputs& outputs) {
    for (const BoundBuffer& buffer : outputs.buffers) {
      if (buffer.binding == 1) return WordsOf(buffer.bytes);
    }
    return std::vector<uint32_t>();
  };
  const auto program = ProgramOf(module, bindings);
  ASSERT_TRUE(program) << name;
  const RunReport report = refract::Run(*program);
  ASSERT_FALSE(report.trap) << name << ": " << report.trap->message;
  EXPECT_EQ(words_in(report.outputs), want) << name;
  for (const std::string& shadows : report.buffer_shadows) EXPECT_EQ(shadows, "") << name;
  for (const std::string& driver : DriverNames()) {
    std::string why;
    const auto outputs = RunOnDriver(driver, module.words, bindings, &why);
    if (outputs) {
      EXPECT_EQ(words_in(*outputs), want) << name << " on " << driver;
    } else {
      std::printf("[  skipped ] %s on %s: %s\n", name.c_str(), driver.c_str(), why.c_str());
    }
  }
}

std::unique_ptr<TableModule> CompiledShader(const std::string& name, const std::string& body) {
  const char* size = name.ends_with(".comp") ? "layout(local_size_x = 1) in;\n" : "";
  const auto words = LoadModuleBytes(name, format("#version 450\n{}{}", size, body));
  if (!words) {
    ADD_FAILURE() << words.error().message;
    return nullptr;
  }
  auto made = std::make_unique<TableModule>();
  made->words = words->words;
  made->module.emplace(std::move(*ReadModule(made->words, "t")));
  return made;
}

}  // namespace refract
