// SPDX-License-Identifier: Apache-2.0
// Counts which donors' functions variants of the references add and call. Some reference should use
// every donor. Runs have 200 steps, with the passes that add functions, call functions and make
// dead blocks. `--count` sets the number of runs, `--page FILE` writes the table.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "measure/variants.h"
#include "message/add_function.h"
#include "message/function_call.h"

namespace refract::measure {
namespace {

struct Options {
  uint64_t count = 100;
  std::string references, page;
};

struct Use {
  uint64_t functions = 0, live_safe = 0;       // in the donor
  std::set<uint64_t> added, called;            // origins
  std::map<std::string, uint64_t> references;  // references that call a function, and how often
};

int Fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

// Donors by file, and the file of each origin. If several files have the same function, the first
// counts.
Result<std::map<std::string, Use>> ReadDonors(const std::string& folder,
                                              std::map<uint64_t, std::string>* file_of) {
  const Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files.error();
  std::map<std::string, Use> uses;
  for (const std::string& file : *files) {
    const Result<DonorFiles> donors = LoadDonors({file});
    if (!donors) continue;  // the file is not a module
    Use& use = uses[file.substr(folder.size() + 1)];
    for (const AnyMessage& any : donors->donors.functions) {
      const auto& function = any.As<message::AddFunction>();
      ++use.functions;
      use.live_safe += function.live_safe;
      file_of->emplace(function.origin, file.substr(folder.size() + 1));
    }
  }
  return uses;
}

// Notes which functions a run adds, and which of them are called, by the module or by called
// functions.
void Note(const message::Recording& recording, const std::string& reference,
          const std::map<uint64_t, std::string>& file_of, std::map<std::string, Use>* uses) {
  std::map<uint32_t, const message::AddFunction*> added;
  std::set<uint32_t> called;
  for (const message::Step& step : recording.steps) {
    if (step.transformation.kind == message::kKindOf<message::AddFunction>) {
      const auto& function = step.transformation.As<message::AddFunction>();
      added.emplace(step.number, &function);
      (*uses)[file_of.at(function.origin)].added.insert(function.origin);
    } else if (step.transformation.kind == message::kKindOf<message::FunctionCall>) {
      called.insert(step.transformation.As<message::FunctionCall>().function.step);
    }
  }
  // A callee is added before its caller.
  for (auto at = added.rbegin(); at != added.rend(); ++at) {
    if (called.count(at->first) == 0) continue;
    const message::AddFunction& function = *at->second;
    Use& use = (*uses)[file_of.at(function.origin)];
    use.called.insert(function.origin);
    ++use.references[reference];
    for (const message::DonatedBlock& block : function.blocks) {
      for (const message::DonatedInstruction& instruction : block.instructions) {
        for (const message::DonatedOperand& operand : instruction.operands) {
          if (operand.function) called.insert(operand.function.step);
        }
      }
    }
  }
}

int Report(const std::map<std::string, Use>& uses, const Options& options) {
  std::string text =
      "| donor | functions | live-safe | added | called | by references | most often |\n"
      "|---|---|---|---|---|---|---|\n";
  uint64_t unused = 0, added = 0, called = 0, functions = 0;
  for (const auto& [file, use] : uses) {
    const auto most =
        std::max_element(use.references.begin(), use.references.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    text += format("| {} | {} | {} | {} | {} | {} | {} |\n", file, use.functions, use.live_safe,
                   use.added.size(), use.called.size(), use.references.size(),
                   most == use.references.end() ? "" : most->first);
    functions += use.functions;
    added += use.added.size();
    called += use.called.size();
    if (!use.references.empty()) continue;
    ++unused;
    std::printf("%s: no reference uses it\n", file.c_str());
  }
  std::printf("%s",
              format("{} runs: {} of {} donors used; of {} functions {} added, {} called\n",
                     options.count, uses.size() - unused, uses.size(), functions, added, called)
                  .c_str());
  if (!options.page.empty()) {
    if (Status written = WriteFile(options.page, text); !written) return Fail(written.error());
  }
  return unused == 0 ? 0 : 1;
}

int Run(const Options& options) {
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) return Fail(subjects.error());
  std::map<uint64_t, std::string> file_of;
  Result<std::map<std::string, Use>> uses = ReadDonors(options.references + "/../donors", &file_of);
  if (!uses) return Fail(uses.error());
  for (uint64_t i = 0; i < options.count; ++i) {
    const Result<const VariantOriginal*> subject = subjects->Of(i);
    if (!subject) return Fail(subject.error());
    FuzzOptions fuzz;
    fuzz.seed = i + 1;
    fuzz.donors = subjects->DonorsOf(fuzz.seed);
    fuzz.max_steps = 200;
    fuzz.passes = {"add_function", "function_call", "add_dead_block"};
    const Result<FuzzResult> result = Fuzz((*subject)->original, fuzz);
    if (!result) return Fail(result.error());
    Note(result->recording, (*subject)->name, file_of, &*uses);
  }
  return Report(*uses, options);
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--references") {
      options.references = value;
    } else if (name == "--page") {
      options.page = value;
    } else if (name != "--count" || !ParseNumber(value, &options.count)) {
      std::fprintf(stderr, "donor_uses: unknown option %s %s\n", argv[i], argv[i + 1]);
      return 2;
    }
  }
  return Run(options);
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  return refract::measure::Main(argc, argv);
}
