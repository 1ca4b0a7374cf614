// SPDX-License-Identifier: Apache-2.0
// Measures fragments of donors. First cuts fragments out of every donated function at random, and
// counts how many different ones can be added, live-safe or only to dead blocks. Then makes
// variants of the references with the passes that use donors or make dead blocks, and counts whose
// fragments they contain. `--draws` sets the number of cuts for each function, `--count` the number
// of variants, `--page FILE` writes the table.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "donate/donated_function.h"
#include "donate/fragment.h"
#include "engine/fuzz.h"
#include "files/donor_files.h"
#include "measure/variants.h"
#include "message/add_fragment.h"
#include "wire/message_list.h"

namespace refract::measure {
namespace {

using message::AddFunction;

struct Options {
  uint64_t count = 100, draws = 100;
  std::string references, page;
};

struct Use {
  uint64_t functions = 0, cut = 0;
  std::set<std::string> live_safe, constructs, loops, only_dead;  // different fragments
  uint64_t steps = 0, dead_steps = 0;                             // in variants
};

int Fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  return 3;
}

bool Has(const AddFunction& fragment, spv::Op opcode) {
  for (const message::DonatedBlock& block : fragment.blocks) {
    for (const message::DonatedInstruction& each : block.instructions) {
      if (static_cast<spv::Op>(each.opcode) == opcode) return true;
    }
  }
  return false;
}

void CutFrom(const AddFunction& function, const View& view, uint64_t draws, Use* use) {
  Random random(function.origin);
  const PickNumber pick = [&](size_t n) { return static_cast<size_t>(random.Below(n)); };
  for (uint64_t i = 0; i < draws; ++i) {
    std::optional<AddFunction> fragment = CutFragment(function, pick);
    if (!fragment) continue;
    ++use->cut;
    const std::string text = WriteMessages({AnyMessage(*fragment)});
    fragment->live_safe = true;
    fragment->loop_limit = 8;
    if (CheckFragment(*fragment, view)) {
      use->live_safe.insert(text);
      if (fragment->blocks.size() > 1) use->constructs.insert(text);
      if (Has(*fragment, spv::Op::OpLoopMerge)) use->loops.insert(text);
      continue;
    }
    fragment->live_safe = false;
    fragment->loop_limit = 0;
    if (CheckFragment(*fragment, view)) use->only_dead.insert(text);
  }
}

// Fragments by donor, and the donor of each origin. If several files have the same function, the
// first counts.
Result<std::map<std::string, Use>> CutAll(const std::string& folder, const View& view,
                                          uint64_t draws,
                                          std::map<uint64_t, std::string>* file_of) {
  const Result<std::vector<std::string>> files = ListFiles(folder);
  if (!files) return files.error();
  std::map<std::string, Use> uses;
  for (const std::string& file : *files) {
    const Result<DonorFiles> donors = LoadDonors({file});
    if (!donors) continue;  // the file is not a module
    const std::string name = file.substr(folder.size() + 1);
    Use& use = uses[name];
    for (const AnyMessage& any : donors->donors.functions) {
      const auto& function = any.As<AddFunction>();
      ++use.functions;
      file_of->emplace(function.origin, name);
      CutFrom(function, view, draws, &use);
    }
  }
  return uses;
}

int Report(const std::map<std::string, Use>& uses, const Options& options) {
  std::string text =
      "| donor | functions | cut | different live-safe | with constructs | with loops | only for "
      "dead blocks | steps | in dead blocks |\n|---|---|---|---|---|---|---|---|---|\n";
  uint64_t functions = 0, cut = 0, live_safe = 0, constructs = 0, loops = 0, only_dead = 0;
  uint64_t steps = 0, dead_steps = 0, giving = 0, used = 0;
  for (const auto& [file, use] : uses) {
    text += format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", file, use.functions, use.cut,
                   use.live_safe.size(), use.constructs.size(), use.loops.size(),
                   use.only_dead.size(), use.steps, use.dead_steps);
    functions += use.functions;
    cut += use.cut;
    live_safe += use.live_safe.size();
    constructs += use.constructs.size();
    loops += use.loops.size();
    only_dead += use.only_dead.size();
    steps += use.steps;
    dead_steps += use.dead_steps;
    giving += !use.live_safe.empty();
    used += use.steps != 0;
    if (use.live_safe.empty()) std::printf("%s: gives no live-safe fragment\n", file.c_str());
  }
  std::printf("%s", format("{} cuts of {} functions, {} draws each: {} different live-safe "
                           "fragments, {} with constructs, {} with loops; {} only for dead blocks; "
                           "{} of {} donors give live-safe ones\n",
                           cut, functions, options.draws, live_safe, constructs, loops, only_dead,
                           giving, uses.size())
                        .c_str());
  std::printf("%s", format("{} variants: {} fragments, {} of them in dead blocks, from {} of {} "
                           "donors\n",
                           options.count, steps, dead_steps, used, uses.size())
                        .c_str());
  if (!options.page.empty()) {
    if (Status written = WriteFile(options.page, text); !written) return Fail(written.error());
  }
  return giving == uses.size() && used * 10 >= uses.size() * 9 ? 0 : 1;
}

int Run(const Options& options) {
  Harness harness;
  Result<VariantOriginals> subjects = VariantOriginals::Open(options.references, {}, harness);
  if (!subjects) return Fail(subjects.error());
  const Result<const VariantOriginal*> recipient = subjects->Of(0);
  if (!recipient) return Fail(recipient.error());
  std::map<uint64_t, std::string> file_of;
  Result<std::map<std::string, Use>> uses =
      CutAll(options.references + "/../donors", View((*recipient)->original.context), options.draws,
             &file_of);
  if (!uses) return Fail(uses.error());
  for (uint64_t i = 0; i < options.count; ++i) {
    const Result<const VariantOriginal*> subject = subjects->Of(i);
    if (!subject) return Fail(subject.error());
    FuzzOptions fuzz;
    fuzz.seed = i + 1;
    fuzz.donors = subjects->DonorsOf(fuzz.seed);
    fuzz.max_steps = 200;
    fuzz.passes = {"add_fragment", "add_function", "function_call", "add_dead_block"};
    const Result<FuzzResult> result = Fuzz((*subject)->original, fuzz);
    if (!result) return Fail(result.error());
    for (const message::Step& step : result->recording.steps) {
      if (step.transformation.kind != message::kKindOf<message::AddFragment>) continue;
      const AddFunction& body = step.transformation.As<message::AddFragment>().body;
      Use& use = (*uses)[file_of.at(body.origin)];
      ++use.steps;
      use.dead_steps += !body.live_safe;
    }
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
    } else if (!(name == "--count" && ParseNumber(value, &options.count)) &&
               !(name == "--draws" && ParseNumber(value, &options.draws))) {
      std::fprintf(stderr, "fragments: unknown option %s %s\n", argv[i], argv[i + 1]);
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
