// SPDX-License-Identifier: Apache-2.0
#include "generate/program.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/random.h"
#include "base/text.h"
#include "generate/draw.h"
#include "generate/draw_expression.h"
#include "generate/emit.h"
#include "generate/module_writer.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"

namespace refract::generate {
namespace {

InputValue Words32(std::string name, Binding binding, std::vector<uint64_t> words, uint32_t rows) {
  InputValue value;
  value.name = std::move(name);
  value.binding = binding;
  value.has_binding = true;
  value.scalar = InputValue::kUint;
  value.rows = rows;
  value.count = static_cast<uint32_t>(words.size() / rows);
  value.words = std::move(words);
  return value;
}

// Where derivatives are computed, invocations run for pixels outside of an image with an odd side.
uint32_t RowsOf(const GenerateOptions& options) {
  const bool is_larger = options.stage == Stage::kFragment && options.side % 2 != 0;
  return InvocationsOf(options) + (is_larger ? options.side + 1 : 0);
}

// The image of a type has texels that depend only on the seed and the type.
InputValue DrawImage(uint64_t seed, Scalar scalar) {
  Random random(Mix(Mix(seed, 0x20), static_cast<uint64_t>(scalar)));
  InputValue value;
  value.name = format("texels_{}", NameOf(Type{scalar, 1}));
  value.binding = ModuleWriter::BindingOfImage(scalar);
  value.has_binding = true;
  ImageInput& image = value.image.emplace();
  image.size = {kImageSide, kImageSide};
  value.rows = 4;
  const bool is_float = scalar == Scalar::kFloat;
  value.scalar = is_float                 ? InputValue::kFloat
                 : scalar == Scalar::kInt ? InputValue::kInt
                                          : InputValue::kUint;
  image.format = is_float                 ? spv::ImageFormat::Rgba32f
                 : scalar == Scalar::kInt ? spv::ImageFormat::Rgba32i
                                          : spv::ImageFormat::Rgba32ui;
  for (uint32_t i = 0; i < 4 * kImageSide * kImageSide; ++i) {
    const bool is_small = random.Percent(30);
    const uint64_t word = random.Next() & (is_small ? 7 : 0xffffffffu);
    // Floats as variables have them: sixteenths from -4 to 4.
    const float sixteenths = static_cast<float>(word % 129) * 0.0625f - 4.0f;
    value.words.push_back(is_float ? std::bit_cast<uint32_t>(sixteenths) : word);
  }
  return value;
}

// A storage image with a texel for each invocation; zero.
InputValue StorageImage(const GenerateOptions& options, uint32_t number) {
  InputValue value;
  value.name = format("texel_{}", number);
  value.binding = kTexelBinding + number;
  value.has_binding = true;
  ImageInput& image = value.image.emplace();
  image.kind = BoundImage::kStorage;
  image.size = {options.workgroup, options.workgroups};
  return value;
}

// Some specialisation constants keep the value that the module gives them.
void GiveSpecConstants(const ProgramRecipe& recipe, const EmittedModule& module, Inputs* inputs) {
  Random random(Mix(recipe.seed, 0x1f));
  for (uint32_t number = 0; number < kSpecConstants; ++number) {
    const bool is_given = random.Percent(75);
    const bool is_small = random.Percent(40);
    const uint64_t word = random.Next() & (is_small ? 7 : ~uint64_t{0});
    const std::vector<uint32_t>& used = module.spec_constants;
    if (!is_given || std::find(used.begin(), used.end(), number) == used.end()) continue;
    SpecConstant value;
    value.id = number;
    const Scalar scalar = SpecConstantType(number).scalar;
    if (scalar == Scalar::kBool) {
      value.kind = SpecConstant::kBool;
      value.bits = word & 1;
    } else if (IsFloat(scalar)) {  // as variables have it
      const double scale = 1 << StoredFraction(scalar);
      const auto steps = static_cast<double>(word % static_cast<uint64_t>(8 * scale + 1));
      value.kind = SpecConstant::kReal;
      value.bits = std::bit_cast<uint64_t>(steps / scale - 4);
    } else {
      const uint32_t unused = 64 - WidthOf(scalar);
      value.bits = word << unused >> unused;
      const auto extended = static_cast<int64_t>(word << unused) >> unused;
      value.negative = IsSigned(scalar) && extended < 0;
      if (value.negative) value.bits = static_cast<uint64_t>(extended);
    }
    inputs->spec_constants.push_back(value);
  }
}

Inputs DrawInputs(const ProgramRecipe& recipe, const EmittedModule& module) {
  const GenerateOptions& options = recipe.options;
  // Two states, so that what a reduction removes does not change the other values.
  Random uniforms(Mix(recipe.seed, 0x1d)), random(Mix(recipe.seed, 0x1e));
  Inputs inputs;
  if (options.stage == Stage::kCompute) {
    InputValue output;
    output.name = "output";
    output.binding = kOutputBinding;
    output.has_binding = true;
    output.buffer_bytes = uint64_t{4} * module.row * InvocationsOf(options);
    inputs.values.push_back(std::move(output));
    inputs.compute.emplace().groups[0] = options.workgroups;
    for (size_t i = 0; i < module.storage_images.size(); ++i) {
      inputs.values.push_back(StorageImage(options, static_cast<uint32_t>(i)));
    }
  } else {
    inputs.has_framebuffer = true;
    inputs.width = inputs.height = options.side;
    if (options.stage == Stage::kVertex) {
      // A cell has a pixel in each of its triangles: no pixel is where triangles meet.
      inputs.width *= 2;
      inputs.has_grid = true;
      inputs.grid_columns = inputs.grid_rows = options.side;
    }
  }
  if (module.reads_uniforms) {
    std::vector<uint64_t> words(kUniformWords);
    for (uint64_t& word : words) {
      word = uniforms.Percent(40) ? uniforms.Below(8) : uniforms.Next() & 0xffffffffu;
    }
    inputs.values.push_back(Words32("uniforms", kUniformBinding, std::move(words), 4));
  }
  GiveSpecConstants(recipe, module, &inputs);
  for (const Scalar scalar : module.images) {
    inputs.values.push_back(DrawImage(recipe.seed, scalar));
  }
  if (module.reads_inputs) {
    // Some columns have few different values, so that conditions on them divide the invocations.
    uint64_t range[kInputWords];
    for (uint64_t& most : range) most = random.Percent(50) ? random.Between(2, 9) : 0x100000000u;
    std::vector<uint64_t> words(size_t{kInputWords} * RowsOf(options));
    for (size_t i = 0; i < words.size(); ++i) words[i] = random.Below(range[i % kInputWords]);
    inputs.values.push_back(Words32("inputs", kInputBinding, std::move(words), 1));
  }
  return inputs;
}

Error Fault(const std::string& what) {
  return {format("fault: generated program: {}", what), ErrorKind::kFailed};
}

Status Expect(const RunReport& report, Inputs* inputs) {
  if (inputs->compute) {
    const auto found =
        std::find_if(report.outputs.buffers.begin(), report.outputs.buffers.end(),
                     [](const BoundBuffer& buffer) { return buffer.binding == kOutputBinding; });
    if (found == report.outputs.buffers.end()) return Fault("no output");
    ExpectedBuffer expected;
    expected.binding = kOutputBinding;
    expected.words.resize(found->bytes.size() / 4);
    std::memcpy(expected.words.data(), found->bytes.data(), 4 * expected.words.size());
    inputs->expected.emplace().buffers.push_back(std::move(expected));
    return {};
  }
  if (report.outputs.targets.size() != 1) return Fault("no image");
  const std::string& texels = report.outputs.targets[0].texels;
  ExpectedPicture& image = inputs->expected.emplace().picture.emplace();
  image.colours.resize(texels.size() / 4);
  std::memcpy(image.colours.data(), texels.data(), 4 * image.colours.size());
  return {};
}

}  // namespace

Result<ProgramRecipe> DrawRecipe(const GenerateOptions& options, uint64_t seed) {
  if (Status fit = CheckOptions(options); !fit) return fit.error();
  return ProgramRecipe{options, seed, DrawTree(options, seed)};
}

GenerateOptions DrawAnyOptions(uint64_t seed) {
  Random random(Mix(seed, 0x0b));
  GenerateOptions options;
  const uint64_t stage = random.Below(100);
  if (stage < 45) options.stage = stage < 30 ? Stage::kFragment : Stage::kVertex;
  options.statements = static_cast<uint32_t>(random.Between(20, 200));
  options.least = options.statements / 8;
  options.variables = static_cast<uint32_t>(random.Between(6, 16));
  if (random.Percent(30)) options.divergent = 50;
  if (random.Percent(30)) options.live = 80;
  if (random.Percent(20)) options.calls = 0;
  if (random.Percent(20)) options.jumps = 15;
  if (random.Percent(20)) options.floats = Floats::kNone;
  if (random.Percent(25)) options.subgroups = 4;
  if (random.Percent(25)) options.workgroup = static_cast<uint32_t>(random.Between(1, 128));
  options.workgroups = static_cast<uint32_t>(random.Between(1, 3));
  const bool bounded = random.Percent(25);
  if (bounded && options.floats == Floats::kExact) options.floats = Floats::kBounded;
  // Few at once, so that a device that lacks one of them runs the other programs.
  if (random.Percent(20)) options.types = 1u << random.Below(kOptionalTypes.size());
  if (random.Percent(20)) options.storage_images = 20;
  return options;
}

ProgramRecipe DrawAnyRecipe(uint64_t seed) {
  const GenerateOptions options = DrawAnyOptions(seed);
  return {options, seed, DrawTree(options, seed)};
}

GeneratedProgram MakeModule(const ProgramRecipe& recipe) {
  EmittedModule module = Emit(recipe.tree, recipe.options);
  GeneratedProgram program;
  program.inputs = DrawInputs(recipe, module);
  program.words = std::move(module.words);
  program.uniform = std::move(module.uniform);
  return program;
}

Result<GeneratedProgram> MakeProgram(const ProgramRecipe& recipe) {
  GeneratedProgram program = MakeModule(recipe);
  const std::string file = "generated program";
  const Result<Module> module = ReadModule(program.words, file);
  if (!module) return Fault(module.error().message);
  const Result<EntryPoint> entry = FindEntryPoint(*module, "main", file);
  if (!entry) return Fault(entry.error().message);
  const Result<ResolvedInputs> resolved = Resolve(*module, *entry, program.inputs, file);
  if (!resolved) return Fault(resolved.error().message);
  // An image that only functions without calls use.
  std::erase_if(program.inputs.values, [&](const InputValue& value) {
    const std::vector<std::string>& unused = resolved->unused;
    return std::find(unused.begin(), unused.end(), value.name) != unused.end();
  });
  const Result<Program> decoded = Program::Decode(*module, *entry, resolved->bindings, file);
  if (!decoded) return Fault(decoded.error().message);
  const RunReport report = Run(*decoded);
  if (report.trap) return Fault(report.trap->message);
  if (!report.Exact()) return Fault("its output is not exact");
  if (Status expected = Expect(report, &program.inputs); !expected) return expected.error();
  return program;
}

std::string CommandOf(const ProgramRecipe& recipe) {
  const GenerateOptions& options = recipe.options;
  const GenerateOptions usual;
  std::string text =
      format("refract generate --stage {} --seed {}", NameOf(options.stage), recipe.seed);
  for (const NumberOption& one : kNumberOptions) {
    if (options.*one.value == usual.*one.value) continue;
    text += format(" {} {}", one.option, options.*one.value);
  }
  if (options.floats != usual.floats) text += format(" --floats {}", NameOf(options.floats));
  if (options.types != 0) text += " --types " + OptionalTypesText(options.types);
  return text;
}

}  // namespace refract::generate
