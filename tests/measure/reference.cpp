// SPDX-License-Identifier: Apache-2.0
#include "measure/reference.h"

#include <algorithm>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "cli/console.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/grammar/operand_rules.h"

namespace refract::measure {
namespace {

constexpr uint64_t kTimeLimit = 120;  // seconds, so that a slow run is reported and not a hang
constexpr uint32_t kWordsInRow = 64;

// Counts the values of an output, cut into texels or words.
void Count(std::string_view bytes, size_t size, std::map<std::string_view, uint64_t>* counts) {
  for (size_t i = 0; i < bytes.size(); i += size) ++(*counts)[bytes.substr(i, size)];
}

// A grid of cells of `depth` words each. The low 24 bits of each word of a cell are a panel; the
// panels are next to each other, and below them are the panels of the high 8 bits.
Image Panels(std::string_view bytes, uint32_t columns, uint32_t rows, uint32_t depth) {
  Image image = MakeImage(columns * depth, 2 * rows, 0, 0, 0, 255);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t word = i / 4, cell = word / depth;
    const size_t x = cell % columns + columns * (word % depth), y = cell / columns;
    const uint8_t byte = static_cast<uint8_t>(bytes[i]);
    if (i % 4 < 3) {
      image.pixel(y * image.width + x)[i % 4] = byte;
    } else {
      uint8_t* grey = image.pixel((y + rows) * image.width + x);
      grey[0] = grey[1] = grey[2] = byte;
    }
  }
  return image;
}

Image WordsImage(std::string_view bytes) {
  const size_t row = size_t{4} * kWordsInRow;
  const auto rows = static_cast<uint32_t>((bytes.size() + row - 1) / row);
  return Panels(bytes, kWordsInRow, std::max(1u, rows), 1);
}

bool IsBefore(const BoundBuffer& buffer, const Bindings& before) {
  if (buffer.set == kAddressedSet) return buffer.bytes == before.addressed[buffer.binding].bytes;
  return std::find(before.buffers.begin(), before.buffers.end(), buffer) != before.buffers.end();
}
bool IsBefore(const BoundImage& image, const Bindings& before) {
  return std::find(before.images.begin(), before.images.end(), image) != before.images.end();
}

std::string_view WithoutCommentMarks(std::string_view line) {
  line = Trim(line);
  while (!line.empty() && (line.front() == '/' || line.front() == ';' || line.front() == '*')) {
    line.remove_prefix(1);
  }
  return Trim(line);
}

// Whether a comment line at the beginning only says what the file is, not what it does.
bool IsHeader(std::string_view line, std::string_view comment) {
  return line.starts_with("#") || comment.starts_with("SPDX-") || comment == "SPIR-V" ||
         comment.starts_with("Version:") || comment.starts_with("Generator:") ||
         comment.starts_with("Bound:") || comment.starts_with("Schema:");
}

}  // namespace

std::string NameOfFile(std::string_view file) {
  std::string_view name = file.substr(file.find_last_of('/') + 1);
  if (Extension(name) != ".vert") name.remove_suffix(Extension(name).size());
  return std::string(name);
}

std::string TitleOf(std::string_view source) {
  std::string text;
  for (const std::string& line : Split(source, '\n')) {
    const std::string_view trimmed = Trim(line);
    const std::string_view comment = WithoutCommentMarks(line);
    if (IsHeader(trimmed, comment) || (text.empty() && comment.empty())) continue;
    if (comment.size() == trimmed.size() || comment.empty()) break;  // code, or a new paragraph
    text += (text.empty() ? "" : " ") + std::string(comment);
    if (const size_t end = text.find(". "); end != std::string::npos)
      return text.substr(0, end + 1);
  }
  return text;
}

uint64_t CountInstructions(const Module& module) {
  uint64_t count = 0;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block,
                         [&](Inst inst) { count += !IsDebugInstruction(module, inst); });
    });
  });
  return count;
}

Result<Reference> LoadReference(const std::string& file) {
  Reference reference;
  reference.name = NameOfFile(file);
  reference.picture = NameOfFile(ReplaceExtension(file, ".frag"));
  reference.assembly = Extension(file) == ".spvasm";
  const Result<std::string> source = ReadFile(file);
  if (!source) return source.error();
  reference.title = TitleOf(*source);
  reference.lines = static_cast<uint64_t>(std::count(source->begin(), source->end(), '\n'));
  RunnableModuleArguments arguments;
  arguments.time_limit = kTimeLimit;
  const std::string inputs = ReplaceExtension(file, ".json");
  Console console;
  Result<RunnableModule> subject =
      LoadRunnableModule("original", file, FileExists(inputs) ? inputs : "", arguments, console);
  if (!subject) return subject.error();
  reference.subject = std::move(*subject);
  const Result<Module> module = ReadModule(reference.subject.job.spirv, file);
  if (!module) return module.error();
  const Result<EntryPoint> entry = FindEntryPoint(*module, reference.subject.job.entry, file);
  if (!entry) return entry.error();
  reference.model = entry->model;
  reference.instructions = CountInstructions(*module);
  reference.code = LinesOf(*module);
  return reference;
}

Variety VarietyOf(const Outputs& outputs, const Bindings& before) {
  Variety variety;
  std::map<std::string_view, uint64_t> counts;
  for (const ColourTarget& target : outputs.targets) {
    Count(target.texels, TexelSize(target.format), &counts);
  }
  if (outputs.targets.empty()) {
    variety.words = true;
    for (const BoundBuffer& buffer : outputs.buffers) {
      if (!IsBefore(buffer, before)) Count(buffer.bytes, 4, &counts);
    }
    for (const BoundImage& image : outputs.images) {
      if (!IsBefore(image, before)) Count(image.texels, 4, &counts);
    }
  }
  uint64_t all = 0, largest = 0;
  for (const auto& [value, count] : counts) {
    all += count;
    largest = std::max(largest, count);
    variety.bytes += count * value.size();
  }
  variety.different = counts.size();
  if (all > 0) {
    variety.largest_percent = 100.0 * static_cast<double>(largest) / static_cast<double>(all);
  }
  return variety;
}

// The part of a golden's name that gives the place of a resource.
template <class Bound>
static std::string FileOf(const Bound& bound) {
  const std::string place = bound.set == kAddressedSet
                                ? format("addressed{}", bound.binding)
                                : format("set{}.binding{}", bound.set, bound.binding);
  return bound.element == 0 ? place : place + format(".element{}", bound.element);
}

std::vector<Golden> GoldensOf(const std::string& name, const Outputs& outputs,
                              const Bindings& before) {
  std::vector<Golden> goldens;
  const auto add = [&](const std::string& place, Image picture) {
    goldens.push_back(
        {goldens.empty() ? name + ".png" : format("{}.{}.png", name, place), std::move(picture)});
  };
  for (const ColourTarget& target : outputs.targets) {
    const std::string place =
        target.location == kDepthLocation ? "depth" : format("location{}", target.location);
    if (target.format == spv::ImageFormat::Rgba8) {
      add(place, {target.width, target.height, target.texels});
    } else {
      add(place, Panels(target.texels, target.width, target.height, TexelSize(target.format) / 4));
    }
  }
  for (const BoundBuffer& buffer : outputs.buffers) {
    if (IsBefore(buffer, before)) continue;
    add(FileOf(buffer), WordsImage(buffer.bytes));
  }
  for (const BoundImage& image : outputs.images) {
    if (IsBefore(image, before)) continue;
    const std::string place = FileOf(image);
    if (image.format == spv::ImageFormat::Rgba8 && image.depth == 1 && image.layers == 1) {
      add(place, {image.width, image.height, image.texels});
    } else {
      add(place, WordsImage(image.texels));
    }
  }
  return goldens;
}

}  // namespace refract::measure
