// SPDX-License-Identifier: Apache-2.0
#include "measure/corpus_page.h"

#include <algorithm>

#include "base/text.h"
#include "base/version.h"

namespace refract::measure {
namespace {

constexpr char kLegend[] = R"(
- **Image**: the golden of the first output. For an output that is not an image, each pixel of the upper half
  shows bits 0 to 23 of a 32-bit word as a colour, and the pixel below it in the lower half shows bits 24 to
  31 as grey.
- **Instructions**: the number of instructions in functions.
- **Shared lines**: how much a reference has in common with the closest other reference: the part of the lines
  of either that the other one also has in runs of at least four, whichever is larger.
  `tests/measure/shared_lines.h` defines what counts as a line. Wanted: at most a third.
- **Sensitivity**: how many of 200 single faults in the executed code change the outputs, cause undefined
  behaviour or prevent the end of the run (`tests/measure/faults.h`). Wanted: 70 %. In brackets: the same,
  only for the faults that leave the module well defined.
- **Seconds**: the time of one run in a warm worker, including the compilation of the shader. Wanted on
  lavapipe: at most 2.

)";

struct Row {
  std::string what;
  uint64_t reached = 0, wanted = 0;
};

template <class Items, class Holds>
uint64_t CountIf(const Items& items, Holds holds) {
  return static_cast<uint64_t>(std::count_if(items.begin(), items.end(), holds));
}

std::vector<Row> ReferenceRows(const std::vector<Measurement>& all) {
  const auto both = [&](auto holds) { return CountIf(all, holds); };
  const auto in_glsl = [&](spv::ExecutionModel model) {
    return both([model](const Measurement& m) { return !m.assembly && m.model == model; });
  };
  std::vector<Row> rows = {
      {"fragment shaders in GLSL", in_glsl(spv::ExecutionModel::Fragment), 28},
      {"vertex shaders in GLSL", in_glsl(spv::ExecutionModel::Vertex), 4},
      {"compute shaders in GLSL", in_glsl(spv::ExecutionModel::GLCompute), 12},
      {"verdict exact", both([](const Measurement& m) { return m.verdict == "exact"; }), 30},
      {"well defined and deterministic", both([](const Measurement& m) {
         return m.fault.empty() && m.undefined.empty() && m.varies_with.empty() &&
                m.verdict != "unstable";
       }),
       all.size()},
      {"equal to their goldens on every target", both([](const Measurement& m) {
         return m.fault.empty() && m.golden_fault.empty() && m.differences.empty() &&
                !m.goldens.empty();
       }),
       all.size()},
      {"all goals for a reference",
       both([](const Measurement& m) { return UnmetGoals(m).empty(); }), all.size()},
  };
  const uint64_t measured = both([](const Measurement& m) { return m.sensitivity.has_value(); });
  if (measured > 0) {
    rows.push_back({format("{} % of faults noticed", kLeastSensitivity),
                    both([](const Measurement& m) {
                      return m.sensitivity && m.sensitivity->Percent() >= kLeastSensitivity;
                    }),
                    all.size()});
  }
  return rows;
}

std::vector<Row> DonorRows(const std::vector<DonorMeasurement>& all) {
  uint64_t functions = 0;
  for (const DonorMeasurement& donor : all) functions += donor.plain.functions;
  return {
      {"donors", all.size(), 80},
      {"functions in donors", functions, 250},
      {"donors of at least 40 lines and 2 functions that have a live-safe function and are valid, "
       "also after -O",
       CountIf(all, [](const DonorMeasurement& donor) { return UnmetGoals(donor).empty(); }),
       all.size()},
  };
}

std::string Percent(const std::optional<Sensitivity>& sensitivity) {
  if (!sensitivity) return "";
  return format("{:.0f} % ({:.0f} %)", sensitivity->Percent(), sensitivity->DefinedPercent());
}

std::string Seconds(const Measurement& m, const std::string& target) {
  if (const auto differences = m.differences.find(target); differences != m.differences.end())
    return "differs";
  if (m.missing_features.count(target) != 0) return "cannot";
  const auto seconds = m.seconds.find(target);
  return seconds == m.seconds.end() ? "" : format("{:.2f}", seconds->second);
}

// Escapes a text for a table.
std::string Cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? std::string("\\|") : std::string(1, c);
  return cell;
}

std::string Reasons(const DonorForm& form) {
  std::string text;
  for (const auto& [reason, count] : form.reasons) {
    text += format("{}{} {}", text.empty() ? "" : "; ", count, reason);
  }
  return text;
}

std::string FaultTable(const std::vector<Measurement>& references) {
  std::array<FaultTally, kFaultKinds.size()> kinds;
  for (const Measurement& m : references) {
    for (size_t i = 0; m.sensitivity && i < kinds.size(); ++i) {
      const FaultTally& tally = m.sensitivity->kinds[i];
      kinds[i].changed += tally.changed;
      kinds[i].trapped += tally.trapped;
      kinds[i].endless += tally.endless;
      kinds[i].unchanged += tally.unchanged;
    }
  }
  std::string text =
      "| fault | changes outputs | undefined behaviour | endless | no effect |\n"
      "|---|---:|---:|---:|---:|\n";
  for (size_t i = 0; i < kinds.size(); ++i) {
    text += format("| {} | {} | {} | {} | {} |\n", FaultKindName(kFaultKinds[i]), kinds[i].changed,
                   kinds[i].trapped, kinds[i].endless, kinds[i].unchanged);
  }
  return text;
}

std::string ReferenceTable(const std::vector<Measurement>& references, const std::string& goldens) {
  std::string text =
      "| image | reference | lines | instructions | colours | verdict | shared lines | "
      "sensitivity | seconds: interpreter, lavapipe, SwiftShader |\n"
      "|---|---|---:|---:|---:|---|---|---:|---|\n";
  for (const Measurement& m : references) {
    const std::string image = m.goldens.empty()
                                  ? ""
                                  : format("<img src=\"{}/{}\" width=\"128\" alt=\"{}\">", goldens,
                                           m.goldens.front(), m.name);
    text +=
        format("| {} | **{}**: {} | {} | {} | {}{} | {} | {:.0f} % ({}) | {} | {} / {} / {} |\n",
               image, m.name, Cell(m.title), m.lines, m.instructions, m.variety.different,
               m.variety.words ? " words" : "", m.verdict, m.shared_percent, m.shares_with,
               Percent(m.sensitivity), Seconds(m, "interp"), Seconds(m, "lavapipe"),
               Seconds(m, "swiftshader"));
  }
  return text;
}

std::string DonorTable(const std::vector<DonorMeasurement>& donors) {
  std::string text =
      "| donor | lines | functions | usable | live-safe | after -O: functions, usable, live-safe | "
      "not usable, plain |\n|---|---:|---:|---:|---:|---|---|\n";
  for (const DonorMeasurement& d : donors) {
    text += format("| {} | {} | {} | {} | {} | {}, {}, {} | {} |\n", d.file, d.lines,
                   d.plain.functions, d.plain.taken, d.plain.live_safe, d.optimised.functions,
                   d.optimised.taken, d.optimised.live_safe, Reasons(d.plain));
  }
  return text;
}

}  // namespace

std::string Summary(const CorpusMeasurement& corpus, bool* reached) {
  std::vector<Row> rows = ReferenceRows(corpus.references);
  for (const Row& row : DonorRows(corpus.donors)) rows.push_back(row);
  const uint64_t assembly =
      CountIf(corpus.references, [](const Measurement& m) { return m.assembly; }) +
      CountIf(corpus.donors, [](const DonorMeasurement& donor) {
        return std::string_view(donor.file).ends_with(".spvasm");
      });
  rows.push_back({"references and donors in assembly", assembly, 20});
  *reached = true;
  std::string text = "| what | reached | wanted | |\n|---|---:|---:|---|\n";
  for (const Row& row : rows) {
    const bool ok = row.reached >= row.wanted;
    *reached = *reached && ok;
    text += format("| {} | {} | {} | {} |\n", row.what, row.reached, row.wanted,
                   ok ? "reached" : "NOT REACHED");
  }
  return text;
}

std::string Page(const CorpusMeasurement& corpus, const std::string& goldens) {
  bool reached = false;
  std::string text = format(
      "# References\n\n`make soak OF=corpus` writes this page (`tests/measure/corpus.cpp`). "
      "Measured with refract {} ({}, {}).\n\n",
      ToolVersion(), ToolCommit(), ToolBuildType());
  for (const std::string& target : corpus.targets) text += "- " + target + "\n";
  text += "\n" + Summary(corpus, &reached);
  text += kLegend;
  text += ReferenceTable(corpus.references, goldens);
  text += "\n## Faults\n\n" + FaultTable(corpus.references);
  text += "\n## Missed goals\n\n";
  bool any = false;
  const auto complain = [&](const std::string& name, const std::vector<std::string>& complaints) {
    for (const std::string& what : complaints) {
      text += format("- {}: {}\n", name, what);
      any = true;
    }
  };
  for (const Measurement& m : corpus.references) complain(m.name, UnmetGoals(m));
  for (const DonorMeasurement& d : corpus.donors) complain(d.file, UnmetGoals(d));
  if (!any) text += "Nothing.\n";
  text += "\n## References that a target cannot run\n\n";
  any = false;
  for (const Measurement& m : corpus.references) {
    for (const auto& [target, what] : m.missing_features) {
      text += format("- {}: {}\n", m.name, what);
      any = true;
    }
  }
  if (!any) text += "Every target ran every reference.\n";
  text += "\n## Donors\n\n" + DonorTable(corpus.donors);
  return text;
}

std::string Describe(const Measurement& m, bool verbose) {
  std::string text = format("{}: {}\n", m.name, m.title);
  text += format("  {} lines, {} instructions, {} different {} ({:.1f} % are one), {} bytes\n",
                 m.lines, m.instructions, m.variety.different,
                 m.variety.words ? "words" : "colours", m.variety.largest_percent, m.variety.bytes);
  text += format("  verdict {}, {}, {:.1f} million instructions run\n", m.verdict,
                 m.varies_with.empty() ? "deterministic" : "varies with " + m.varies_with,
                 static_cast<double>(m.steps) / 1e6);
  for (const auto& [target, seconds] : m.seconds) {
    text += format("  {}: {:.2f} s{}\n", target, seconds,
                   m.differences.count(target) != 0 ? ", DIFFERS" : "");
  }
  for (const auto& [target, what] : m.missing_features) text += format("  {}\n", what);
  text += format("  shares {:.0f} % with {}\n", m.shared_percent, m.shares_with) + m.shared_text;
  if (m.sensitivity) {
    text +=
        format("  sensitivity {:.1f} % ({:.1f} % of those well defined):", m.sensitivity->Percent(),
               m.sensitivity->DefinedPercent());
    for (size_t i = 0; i < kFaultKinds.size(); ++i) {
      const FaultTally& tally = m.sensitivity->kinds[i];
      text += format("{} {} changed {} trapped {} endless {} unnoticed {}", i == 0 ? "" : ";",
                     FaultKindName(kFaultKinds[i]), tally.changed, tally.trapped, tally.endless,
                     tally.unchanged);
    }
    text += "\n";
    for (size_t i = 0; verbose && i < m.sensitivity->unnoticed.size(); ++i) {
      text += "    unnoticed: " + m.sensitivity->unnoticed[i] + "\n";
    }
  }
  for (const std::string& what : UnmetGoals(m)) text += "  WRONG: " + what + "\n";
  return text;
}

}  // namespace refract::measure
