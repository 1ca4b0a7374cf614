// SPDX-License-Identifier: Apache-2.0
#include "folder/amber_expect.h"

#include <algorithm>

#include "base/text.h"
#include "target/original_check.h"

namespace refract {
inline namespace folder {
namespace {

constexpr uint32_t kProbesASide = 4;
constexpr size_t kValuesInLine = 8;
constexpr size_t kLongValuesInLine = 64;  // for buffers of more than kManyValues values
constexpr size_t kManyValues = 1024;
constexpr double kEmdTolerance = 0.005;  // usual for Amber, and that of rule `histogram`
constexpr double kRmseTolerance = 2;
constexpr double kSeconds = 30;  // time limit of the interpreter for an original

// Whether all these bytes have only one possible value. Without shadows, all bytes have.
bool IsExact(const std::string& shadows, size_t begin, size_t count) {
  if (shadows.empty()) return true;
  return std::all_of(shadows.begin() + static_cast<ptrdiff_t>(begin),
                     shadows.begin() + static_cast<ptrdiff_t>(begin + count),
                     [](char c) { return c == static_cast<char>(Shadow::kExact); });
}

const BoundBuffer* FindBuffer(const std::vector<BoundBuffer>& buffers, const BoundBuffer& like) {
  for (const BoundBuffer& buffer : buffers) {
    if (buffer.set == like.set && buffer.binding == like.binding) return &buffer;
  }
  return nullptr;
}

// Chooses the types in which the storage buffers are written.
void ChooseTypes(const AmberJob& original, KnownOutputs* known) {
  for (const BoundBuffer& buffer : original.bindings.buffers) {
    if (!buffer.storage || buffer.bytes.empty()) continue;
    std::vector<const std::string*> contents = {&buffer.bytes};
    const BoundBuffer* after = FindBuffer(known->report.outputs.buffers, buffer);
    if (known->certain && after != nullptr && after->bytes.size() == buffer.bytes.size()) {
      contents.push_back(&after->bytes);
    }
    known->types[{buffer.set, buffer.binding}] = TypeFor(LayoutOf(original, buffer), contents);
  }
}

// Decides whether an 8-bit pixel has only one possible colour.
class PixelChecker {
 public:
  PixelChecker(const AmberJob& original, const KnownOutputs& known)
      : known_(known),
        program_(Program::Decode(original.shader.module, original.shader.entry, original.bindings,
                                 original.file)) {}

  bool IsCertain(size_t target, uint32_t x, uint32_t y) const {
    const ColourTarget& target_image = known_.report.outputs.targets[target];
    const size_t pixel = size_t{y} * target_image.width + x;
    if (!IsExact(known_.report.target_shadows[target], 4 * pixel, 4)) return false;
    if (!known_.report.near_boundary) return true;
    if (!program_) return false;
    RunOptions alone;
    alone.sample = {y / 2 * ((target_image.width + 1) / 2) + x / 2};
    return !Run(*program_, alone).near_boundary;
  }

 private:
  const KnownOutputs& known_;
  Result<Program> program_;
};

std::string ExpectColour(const std::string& name, const ColourTarget& target, uint32_t x,
                         uint32_t y, uint32_t width, uint32_t height) {
  const auto level = [&](uint32_t component) {
    const size_t pixel = size_t{y} * target.width + x;
    return static_cast<unsigned>(static_cast<uint8_t>(target.texels[4 * pixel + component]));
  };
  return format("EXPECT {} IDX {} {} SIZE {} {} EQ_RGBA {} {} {} {}\n", name, x, y, width, height,
                level(0), level(1), level(2), level(3));
}

bool IsOneColour(const ColourTarget& target) {
  for (size_t i = 4; i < target.texels.size(); ++i) {
    if (target.texels[i] != target.texels[i % 4]) return false;
  }
  return true;
}

// Whether the whole 8-bit image has one colour, and no pixel may have another.
bool IsCertainColour(const KnownOutputs& known, size_t index) {
  const ColourTarget& target = known.report.outputs.targets[index];
  const std::string& shadows = known.report.target_shadows[index];
  return target.format == spv::ImageFormat::Rgba8 && !known.report.near_boundary &&
         IsExact(shadows, 0, shadows.size()) && IsOneColour(target);
}

std::string ExpectTarget(const std::string& name, const PixelChecker& judge,
                         const KnownOutputs& known, size_t index) {
  const ColourTarget& target = known.report.outputs.targets[index];
  if (IsCertainColour(known, index)) {
    return ExpectColour(name, target, 0, 0, target.width, target.height);
  }
  std::string text;
  for (uint32_t row = 0; row < kProbesASide; ++row) {
    for (uint32_t column = 0; column < kProbesASide; ++column) {
      const uint32_t odd = (row + column) % 2;  // so that the pixels are not on one grid
      const uint32_t x =
          std::min((2 * column + 1) * target.width / (2 * kProbesASide) + odd, target.width - 1);
      const uint32_t y = (2 * row + 1) * target.height / (2 * kProbesASide);
      if (judge.IsCertain(index, x, y)) text += ExpectColour(name, target, x, y, 1, 1);
    }
  }
  return text;
}

// EXPECT lines for neighbouring exact values. Approximate values are left out: they differ between
// implementations.
struct ValueRows {
  std::string text;
  size_t left_out = 0;
};

ValueRows RowsOf(const std::string& name, AmberType type, const std::string& bytes,
                 const std::string& shadows) {
  const size_t size = SizeOf(type);
  const size_t count = bytes.size() / size;
  const auto is_certain = [&](size_t i) { return IsExact(shadows, i * size, size); };
  const size_t in_line = count > kManyValues ? kLongValuesInLine : kValuesInLine;
  ValueRows rows;
  for (size_t i = 0; i < count;) {
    if (!is_certain(i)) {
      ++rows.left_out, ++i;
      continue;
    }
    rows.text += format("EXPECT {} IDX {} EQ", name, i * size);
    for (size_t n = 0; n < in_line && i < count && is_certain(i); ++n, ++i) {
      rows.text += format(" {}", AmberValue(type, bytes, i));
    }
    rows.text += "\n";
  }
  return rows;
}

std::string CompareTargets(const std::string& a, const std::string& b, spv::ImageFormat target,
                           CompareRule rule, double tolerance) {
  if (rule == CompareRule::kExact || target == spv::ImageFormat::Rgba32i ||
      target == spv::ImageFormat::Rgba32ui) {
    return format("EXPECT {} EQ_BUFFER {}\n", a, b);
  }
  if (target != spv::ImageFormat::Rgba8) {
    return format("EXPECT {} RMSE_BUFFER {} TOLERANCE 0.001\n", a, b);
  }
  if (rule == CompareRule::kHistogram) {
    return format("EXPECT {} EQ_HISTOGRAM_EMD_BUFFER {} TOLERANCE {}\n", a, b, kEmdTolerance);
  }
  return format("EXPECT {} RMSE_BUFFER {} TOLERANCE {:.3f}\n", a, b, tolerance);
}

}  // namespace

KnownOutputs InterpretOriginal(const AmberJob& original) {
  KnownOutputs known;
  const Result<Program> program = Program::Decode(original.shader.module, original.shader.entry,
                                                  original.bindings, original.file);
  if (!program) {
    known.uncertain = "the interpreter cannot run the original";
  } else {
    OriginalCheckOptions options;
    options.perturbations = 0;
    options.time_limit = kSeconds;
    options.may_sample = false;
    Result<OriginalCheck> check =
        CheckOriginalProgram(*program, original.layouts, original.file, options);
    if (!check) {
      known.uncertain = format(
          "the interpreter reaches a limit when it runs the original (a number of steps, or {} s)",
          kSeconds);
    } else if (!check->well_defined()) {
      known.uncertain = "the original has undefined behaviour";
    } else if (!check->deterministic) {
      known.uncertain = "the output of the original is not always the same";
    } else {
      known.certain = true;
      known.report = std::move(check->report);
    }
  }
  ChooseTypes(original, &known);
  return known;
}

Expectations ExpectPixels(const AmberJob& original, const AmberJob& variant,
                          const KnownOutputs& known) {
  if (!known.certain || known.report.approximate_control) return {};
  const PixelChecker judge(original, known);
  Expectations expected;
  expected.whole = !known.report.outputs.targets.empty();
  for (size_t i = 0; i < known.report.outputs.targets.size(); ++i) {
    expected.whole &= IsCertainColour(known, i);
    const ColourTarget& target = known.report.outputs.targets[i];
    if (target.format != spv::ImageFormat::Rgba8) continue;
    expected.text += ExpectTarget(NameOfTarget(variant, target.location), judge, known, i);
  }
  expected.comment = "The specifications allow only one value for each of these pixels";
  return expected;
}

Expectations ExpectValues(const AmberJob& variant, const KnownOutputs& known) {
  if (!known.certain || known.report.approximate_control) return {};
  Expectations expected;
  for (size_t i = 0; i < known.report.outputs.buffers.size(); ++i) {
    const BoundBuffer& after = known.report.outputs.buffers[i];
    const BoundBuffer* bound = FindBuffer(variant.bindings.buffers, after);
    const auto type = known.types.find({after.set, after.binding});
    if (!after.storage || bound == nullptr || bound->bytes.size() != after.bytes.size() ||
        type == known.types.end()) {
      continue;
    }
    const std::vector<std::string>& shadows = known.report.buffer_shadows;
    const ValueRows rows = RowsOf(NameOf(variant, *bound), type->second, after.bytes,
                                  i < shadows.size() ? shadows[i] : std::string());
    expected.text += rows.text;
    expected.left_out += rows.left_out;
  }
  expected.comment = "The specifications require that the original writes these values";
  if (expected.left_out > 0) {
    expected.comment += format("; values that may differ are left out: {}", expected.left_out);
  }
  return expected;
}

Result<Expectations> ExpectSame(const AmberJob& original, const AmberJob& variant, CompareRule rule,
                                const StorageTypes& types, const std::optional<Comparison>& seen) {
  Expectations expected;
  expected.comment = "Both modules must have the same outputs";
  // Half of the difference that was seen when the test failed, so that the script detects the same
  // failure.
  double tolerance = kRmseTolerance;
  if (seen && seen->same_size() && seen->rmse > 0) tolerance = std::min(tolerance, seen->rmse / 2);
  for (const EntryPointInfo::Output& output : original.stage.outputs) {
    const auto same = [&](const EntryPointInfo::Output& other) {
      return other.location == output.location && other.format == output.format;
    };
    const auto& others = variant.stage.outputs;
    if (std::none_of(others.begin(), others.end(), same)) {
      return Error{format("{}: no output matches the output of {} at location {}", variant.file,
                          original.file, output.location)};
    }
    expected.text +=
        CompareTargets(NameOfTarget(original, output.location),
                       NameOfTarget(variant, output.location), output.format, rule, tolerance);
  }
  for (const BoundBuffer& buffer : original.bindings.buffers) {
    const BoundBuffer* other = FindBuffer(variant.bindings.buffers, buffer);
    if (!buffer.storage || other == nullptr) continue;
    const auto type = types.find({buffer.set, buffer.binding});
    const bool floats = type != types.end() && type->second == AmberType::kFloat;
    const std::string a = NameOf(original, buffer), b = NameOf(variant, *other);
    expected.text += rule != CompareRule::kExact && floats
                         ? format("EXPECT {} RMSE_BUFFER {} TOLERANCE 0.001\n", a, b)
                         : format("EXPECT {} EQ_BUFFER {}\n", a, b);
  }
  for (const BoundImage& image : original.bindings.images) {
    if (image.kind != BoundImage::kStorage) continue;
    for (const BoundImage& other : variant.bindings.images) {
      if (other.set != image.set || other.binding != image.binding) continue;
      expected.text +=
          format("EXPECT {} EQ_BUFFER {}\n", NameOf(original, image), NameOf(variant, other));
    }
  }
  return expected;
}

}  // namespace folder
}  // namespace refract
