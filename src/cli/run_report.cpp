// SPDX-License-Identifier: Apache-2.0
#include "cli/run_report.h"

#include <algorithm>

#include "base/counted.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "image/png.h"
#include "input/texels.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

Image AsImage(const ColourTarget& target) {
  return {target.width, target.height, target.texels};
}

bool IsEightBitImage(const ColourTarget& target) {
  return target.format == spv::ImageFormat::Rgba8;
}

std::string FormatName(spv::ImageFormat format_of) {
  const TexelFormat* row = FindTexelFormat(format_of);
  return row == nullptr ? std::string() : std::string(row->name);
}

// Describes each output. Removes `folder` from the names of files. Outputs that were not written
// have empty names.
Json Described(const ReportedRun& ran, const std::string& folder = {}) {
  const Outputs& outputs = ran.result.outputs;
  Json list = Json::array();
  const auto add = [&](std::string_view kind, const std::string& place,
                       const std::string& format_name, std::vector<uint32_t> size, size_t bytes) {
    std::string file = list.size() < ran.outputs.size() ? ran.outputs[list.size()] : "";
    if (!folder.empty() && file.starts_with(folder)) file.erase(0, folder.size());
    list.push_back({{"kind", kind},
                    {"place", place},
                    {"format", format_name},
                    {"size", std::move(size)},
                    {"bytes", bytes},
                    {"file", file}});
  };
  for (const ColourTarget& target : outputs.targets) {
    add("target", PlaceOf(target), FormatName(target.format), {target.width, target.height},
        target.texels.size());
  }
  for (const BoundBuffer& buffer : outputs.buffers) {
    add("buffer", PlaceOf(buffer), "", {}, buffer.bytes.size());
  }
  for (const BoundImage& image : outputs.images) {
    add("image", PlaceOf(image), FormatName(image.format),
        {image.width, image.height, image.depth, image.layers}, image.texels.size());
  }
  return list;
}

// The file of a buffer or a storage image. Elements of an array after the first have their number.
template <class Bound>
std::string FileOf(const std::string& base, const Bound& bound) {
  if (bound.set == kAddressedSet) return format("{}.addressed.{}.bin", base, bound.binding);
  const std::string element = bound.element == 0 ? "" : format(".{}", bound.element);
  return format("{}.{}.{}{}.bin", base, bound.set, bound.binding, element);
}

// Writes BASE.png for the image at location 0, BASE.location1.png or BASE.location1.bin for others,
// and BASE.SET.BINDING.bin for buffers and storage images. If there are .bin files,
// BASE.outputs.json describes them.
Status AddOutputs(const std::string& folder, const std::string& base, ReportedRun* ran,
                  OutputSet* files) {
  const Outputs& outputs = ran->result.outputs;
  bool bare = false;
  const auto add = [&](std::string file, std::string_view bytes) {
    ran->outputs.push_back(std::move(file));
    bare = bare || ran->outputs.back().ends_with(".bin");
    return files->Add(ran->outputs.back(), bytes);
  };
  for (const ColourTarget& target : outputs.targets) {
    const std::string name = target.location == 0 && IsEightBitImage(target) ? base
                             : target.location == kDepthLocation
                                 ? base + ".depth"
                                 : format("{}.location{}", base, target.location);
    Status added = IsEightBitImage(target) ? add(name + ".png", EncodePng(AsImage(target)))
                                           : add(name + ".bin", target.texels);
    if (!added) return added;
  }
  for (const BoundBuffer& buffer : outputs.buffers) {
    Status added = add(FileOf(base, buffer), buffer.bytes);
    if (!added) return added;
  }
  for (const BoundImage& image : outputs.images) {
    Status added = add(FileOf(base, image), image.texels);
    if (!added) return added;
  }
  return bare ? files->Add(base + ".outputs.json", Described(*ran, folder + "/").dump(2) + "\n")
              : Status();
}

// Writes the other files of a run: the output of tools, and the log of a failure.
Status AddFiles(const std::string& base, ReportedRun* ran, OutputSet* files) {
  const RunResult& result = ran->result;
  if (!result.spirv.empty()) {
    ran->spirv = base + ".spv";
    const std::string_view bytes(reinterpret_cast<const char*>(result.spirv.data()),
                                 4 * result.spirv.size());
    if (Status added = files->Add(ran->spirv, bytes); !added) return added;
  }
  if (result.verdict == RunOutcome::kOk) return {};
  ran->log = base + ".log";
  return files->Add(ran->log, LogText(FactsOf(result)));
}

const ColourTarget* TargetAt(const Outputs& outputs, uint32_t location) {
  for (const ColourTarget& target : outputs.targets) {
    if (target.location == location && IsEightBitImage(target)) return &target;
  }
  return nullptr;
}

Status AddDiffs(const std::string& folder, TargetReport* report, OutputSet* files) {
  for (ImagePair& pair : report->pictures) {
    const std::string location = pair.location == 0 ? "" : format(".location{}", pair.location);
    pair.diff = format("{}/{}.diff{}.png", folder, report->target, location);
    const Image diff = DiffImage(AsImage(*TargetAt(report->runs[0].result.outputs, pair.location)),
                                 AsImage(*TargetAt(report->runs[1].result.outputs, pair.location)));
    if (Status added = files->Add(pair.diff, EncodePng(diff)); !added) return added;
  }
  return {};
}

std::string Text(const Difference& difference) {
  const std::string what = format("{} at {}", difference.kind, difference.place);
  if (difference.elements == 0) {
    return format("DIFFERENT {}: {} in the original, {} in the variant", what, difference.a,
                  difference.b);
  }
  return format(
      "DIFFERENT {}: elements that differ: {}; the first is {}: {} in the original and {} in the "
      "variant",
      what, difference.elements, difference.element, difference.a, difference.b);
}

std::vector<std::string> FilesOf(const ReportedRun& ran, std::string_view kind) {
  std::vector<std::string> files;
  for (const Json& output : Described(ran)) {
    if (output["kind"] == kind && output["file"] != "") files.push_back(output["file"]);
  }
  return files;
}

// The file of the image at location 0.
std::string ImageFile(const ReportedRun& ran) {
  for (size_t i = 0; i < ran.result.outputs.targets.size() && i < ran.outputs.size(); ++i) {
    const ColourTarget& target = ran.result.outputs.targets[i];
    if (target.location == 0 && IsEightBitImage(target)) return ran.outputs[i];
  }
  return {};
}

Json ToJson(const ReportedRun& ran, const std::string& target) {
  const RunResult& result = ran.result;
  return {{"target", target},
          {"role", ran.role},
          {"module", ran.file},
          {"verdict", RunOutcomeName(result.verdict)},
          {"signature", Signature(result)},
          {"stage", FactsOf(result).stage},
          {"signal", result.signal},
          {"exit_code", result.exit_code},
          {"seconds", result.seconds},
          {"image", ImageFile(ran)},
          {"buffers", FilesOf(ran, "buffer")},
          {"outputs", Described(ran)},
          {"spirv", ran.spirv},
          {"log", ran.log},
          {"detail", result.detail},
          {"passes", result.passes},
          {"backtrace", result.backtrace},
          {"validation", result.validation_messages}};
}

Json ToJson(const BlameRow& row) {
  return {{"module", row.module},
          {"command", row.command},
          {"driver", ComparedRunName(row.driver)},
          {"second_driver", ComparedRunName(row.second)},
          {"interp", ComparedRunName(row.interp)}};
}

Json ToJson(const Blame& blame, const std::string& target) {
  Json rows = Json::array({ToJson(blame.table.variant)});
  for (const BlameRow& row : blame.table.made) rows.push_back(ToJson(row));
  Json json = {{"target", target},     {"culprit", CulpritName(blame.culprit)},
               {"stage", blame.stage}, {"reason", blame.reason},
               {"pass", nullptr},      {"rows", rows}};
  if (blame.pass) {
    json["pass"] = {{"flag", blame.pass->flag},
                    {"number", blame.pass->number},
                    {"count", blame.pass->count},
                    {"alone", blame.pass->alone}};
  }
  return json;
}

// The name of a target in file names. It is shortened, because it may have a long list of passes.
std::string FileNameOf(const std::string& target) {
  constexpr size_t kLongest = 100;
  std::string name = target;
  std::replace(name.begin(), name.end(), '/', '_');
  if (name.size() <= kLongest) return name;
  return format("{}~{:016x}", name.substr(0, kLongest - 17), Hash64(name));
}

}  // namespace

void CompareRuns(const ComparisonRule& rule, const std::vector<BufferLayout>& layouts,
                 TargetReport* report) {
  if (report->runs.size() != 2) return;
  for (const ReportedRun& ran : report->runs) {
    if (ran.result.verdict != RunOutcome::kOk) return;
  }
  const Outputs& a = report->runs[0].result.outputs;
  const Outputs& b = report->runs[1].result.outputs;
  for (size_t i = 0; i < a.targets.size(); ++i) {
    const ColourTarget& target = a.targets[i];
    const ColourTarget* other = TargetAt(b, target.location);
    if (!IsEightBitImage(target) || other == nullptr) continue;
    report->pictures.push_back(
        {target.location, Compare(AsImage(target), AsImage(*other), rule, i), {}});
  }
  report->differences = Differences(a, b, rule.kind, layouts);
}

bool IsFinding(const TargetReport& report, const ComparisonRule& rule) {
  return !report.differences.empty() ||
         std::any_of(report.runs.begin(), report.runs.end(),
                     [](const ReportedRun& ran) {
                       return ran.result.verdict != RunOutcome::kOk ||
                              !ran.result.validation_messages.empty();
                     }) ||
         std::any_of(report.pictures.begin(), report.pictures.end(),
                     [&](const ImagePair& pair) { return !Agree(pair.found, rule); });
}

Status WriteImage(const std::string& file, TargetReport* report) {
  if (report->runs.empty()) return {};
  ReportedRun& ran = report->runs[0];
  const ColourTarget* picture = TargetAt(ran.result.outputs, 0);
  if (picture == nullptr) {
    if (ran.result.outputs == Outputs()) return {};
    return Error{
        format("-o {}: {} draws no 8-bit image at location 0; name a folder", file, ran.file),
        ErrorKind::kUsage};
  }
  for (const ColourTarget& target : ran.result.outputs.targets) {
    ran.outputs.push_back(&target == picture ? file : "");
  }
  return WriteFile(file, EncodePng(AsImage(*picture)));
}

Status WriteFolder(const std::string& folder, std::vector<TargetReport>* reports) {
  if (Status made = MakeFolder(folder); !made) return made;
  OutputSet files;
  for (TargetReport& report : *reports) {
    for (ReportedRun& ran : report.runs) {
      const std::string base = format("{}/{}.{}", folder, FileNameOf(report.target), ran.role);
      if (Status added = AddOutputs(folder, base, &ran, &files); !added) return added;
      if (Status added = AddFiles(base, &ran, &files); !added) return added;
    }
    if (Status added = AddDiffs(folder, &report, &files); !added) return added;
  }
  return files.Commit();
}

std::string Summary(const TargetReport& report, const ComparisonRule& rule) {
  if (!report.unavailable.empty() && report.runs.empty()) {
    return format("{}: not run: {}\n", report.target, report.unavailable);
  }
  std::string text;
  if (!report.runs.empty() && !report.runs[0].result.passes.empty()) {
    text += format("{}: passes {}\n", report.target, report.runs[0].result.passes);
  }
  for (const ReportedRun& ran : report.runs) {
    text += format("{}: {} {}: {} in {:.3f} s{}{}\n", report.target, ran.role, ran.file,
                   RunOutcomeName(ran.result.verdict), ran.result.seconds,
                   ran.result.detail.empty() ? "" : ": ", ran.result.detail);
    for (const std::string& message : ran.result.validation_messages) {
      text += format("{}: {}: validation: {}\n", report.target, ran.role, message);
    }
  }
  if (!report.unavailable.empty()) {
    text += format("{}: variant not run: unsupported, which is never a finding: {}\n",
                   report.target, report.unavailable);
  }
  for (const ImagePair& pair : report.pictures) {
    const std::string about = RuleText(pair.found, rule);
    text += format(
        "{}: {}{} under rule {}: {}, largest change {}, largest region {}{}{}\n", report.target,
        pair.location == 0 ? "" : format("location {}: ", pair.location),
        Agree(pair.found, rule) ? "same" : "DIFFERENT", RuleName(rule.kind),
        pair.found.pixels == 1 ? "1 pixel differs" : format("{} pixels differ", pair.found.pixels),
        pair.found.max, pair.found.region, about.empty() ? "" : "; ", about);
  }
  for (const Difference& difference : report.differences) {
    text += format("{}: {}\n", report.target, Text(difference));
  }
  if (report.blame) text += format("{}: blame: {}\n", report.target, report.blame->Text());
  const bool compared = report.runs.size() == 2 && !IsFinding(report, rule);
  if (!compared) return text;
  const Outputs& outputs = report.runs[0].result.outputs;
  std::string others;
  const auto add = [&](size_t count, std::string_view noun) {
    if (count > 0) others += format("{}{}", others.empty() ? "" : ", ", Counted(count, noun));
  };
  add(outputs.buffers.size(), "buffer");
  add(outputs.images.size(), "storage image");
  const bool has_depth =
      !outputs.targets.empty() && outputs.targets.back().location == kDepthLocation;
  add(outputs.targets.size() - report.pictures.size() - has_depth, "colour target");
  add(has_depth, "depth target");
  if (others.empty()) return text;
  if (rule.kind == CompareRule::kExact) {
    text += format("{}: identical ({} compared)\n", report.target, others);
  } else {
    text += format("{}: same under rule {} ({} compared)\n", report.target, RuleName(rule.kind),
                   others);
  }
  return text;
}

nlohmann::ordered_json ToJson(const std::vector<TargetReport>& reports,
                              const ComparisonRule& rule) {
  Json json = {{"runs", Json::array()},
               {"compare", Json::array()},
               {"differences", Json::array()},
               {"blame", Json::array()},
               {"not_run", Json::array()}};
  for (const TargetReport& report : reports) {
    for (const ReportedRun& ran : report.runs) json["runs"].push_back(ToJson(ran, report.target));
    if (!report.unavailable.empty()) {
      json["not_run"].push_back({{"target", report.target}, {"reason", report.unavailable}});
    }
    for (const ImagePair& pair : report.pictures) {
      const Comparison& found = pair.found;
      json["compare"].push_back({{"target", report.target},
                                 {"location", pair.location},
                                 {"same", Agree(found, rule)},
                                 {"rule", RuleName(rule.kind)},
                                 {"pixels", found.pixels},
                                 {"max", found.max},
                                 {"region", found.region},
                                 {"emd", found.emd},
                                 {"rmse", found.rmse},
                                 {"chi2", found.chi2},
                                 {"diff", pair.diff}});
    }
    if (report.blame) json["blame"].push_back(ToJson(*report.blame, report.target));
    for (const Difference& difference : report.differences) {
      json["differences"].push_back({{"target", report.target},
                                     {"kind", difference.kind},
                                     {"place", difference.place},
                                     {"elements", difference.elements},
                                     {"element", difference.element},
                                     {"original", difference.a},
                                     {"variant", difference.b}});
    }
  }
  return json;
}

}  // namespace cli
}  // namespace refract
