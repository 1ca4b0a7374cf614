// SPDX-License-Identifier: Apache-2.0
#include "measure/numbered_runs.h"

#include <cstdio>
#include <ctime>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"

namespace refract::measure {

bool ReadArguments(int argc, char** argv, std::string_view program, NumberedRuns* runs,
                   const std::function<bool(std::string_view, const std::string&)>& other) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    uint64_t number = 0;
    const bool is_number = ParseNumber(value, &number);
    if (name == "--count" && is_number) {
      runs->count = number;
    } else if (name == "--first" && is_number) {
      runs->first = number;
    } else if (name == "--seconds" && is_number) {
      runs->seconds = static_cast<double>(number);
    } else if (name == "--references") {
      runs->references = value;
    } else if (name == "--state") {
      runs->state = value;
    } else if (name == "--report") {
      runs->report = value;
    } else if (!other(name, value)) {
      std::fprintf(stderr, "%s: unknown option %s %s\n", std::string(program).c_str(), argv[i],
                   argv[i + 1]);
      return false;
    }
  }
  return true;
}

std::vector<std::string> StateLines(const std::string& path) {
  if (path.empty() || !FileExists(path)) return {};
  const Result<std::string> text = ReadFile(path);
  return text ? Split(*text, '\n') : std::vector<std::string>();
}

bool MeasureRuns(const NumberedRuns& runs, VariantOriginals& subjects,
                 const std::function<bool(uint64_t)>& is_done,
                 const std::function<std::string(uint64_t, const VariantOriginal&)>& measure,
                 const std::function<void(uint64_t, const VariantOriginal&)>& keep) {
  std::FILE* state = runs.state.empty() ? nullptr : std::fopen(runs.state.c_str(), "a");
  const std::time_t begin = std::time(nullptr);
  bool made = true;
  for (uint64_t i = runs.first; i < runs.first + runs.count; ++i) {
    if (is_done(i)) continue;
    if (std::difftime(std::time(nullptr), begin) > runs.seconds) break;
    const Result<const VariantOriginal*> subject = subjects.Of(i);
    if (!subject) {
      std::fprintf(stderr, "%s\n", subject.error().message.c_str());
      made = false;
      break;
    }
    const std::string line = measure(i, **subject);
    if (state == nullptr) continue;
    std::fputs(line.c_str(), state);
    std::fflush(state);
    keep(i, **subject);
  }
  if (state != nullptr) std::fclose(state);
  return made;
}

std::string ReportHead(std::string_view title) {
  return format("## {}\n\nrefract {} ({}, {})\n\n", title, ToolVersion(), ToolCommit(),
                ToolBuildType());
}

int WriteReport(const NumberedRuns& runs, const std::string& text, bool reached) {
  std::fputs(text.c_str(), stdout);
  if (!runs.report.empty()) {
    if (Status written = WriteFile(runs.report, text); !written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return 1;
    }
  }
  return reached ? 0 : 1;
}

}  // namespace refract::measure
