// SPDX-License-Identifier: Apache-2.0
#include "folder/amber_job.h"

#include <algorithm>

#include "base/text.h"
#include "input/blocks.h"
#include "input/resolve.h"
#include "input/scalar.h"
#include "input/texels.h"
#include "ir/binary.h"

namespace refract {
namespace {

// A shader goes on until the next "END", wherever it stands.
constexpr std::string_view kEnd = "END";

bool IsDebugText(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpName:
    case spv::Op::OpMemberName:
    case spv::Op::OpSource:
    case spv::Op::OpSourceContinued:
    case spv::Op::OpSourceExtension:
    case spv::Op::OpModuleProcessed:
      return true;
    default:
      return false;
  }
}

std::vector<uint32_t> WithoutDebugText(const std::vector<uint32_t>& words) {
  std::vector<uint32_t> kept(words.begin(), words.begin() + 5);
  for (size_t at = 5; at < words.size();) {
    const size_t length = words[at] >> 16;
    if (!IsDebugText(static_cast<spv::Op>(words[at] & 0xffff))) {
      kept.insert(kept.end(), words.begin() + at, words.begin() + at + length);
    }
    at += length;
  }
  return kept;
}

// The text gives the same instructions back, or it would be a test of something else.
Result<std::string> AssemblyOf(const std::vector<uint32_t>& words, const std::string& file) {
  std::vector<uint32_t> shown = words;
  Result<std::string> text = Disassemble(shown);
  if (text && text->find(kEnd) != std::string::npos) {
    shown = WithoutDebugText(words);
    text = Disassemble(shown);
  }
  if (!text) return Error{format("{}: {}", file, text.error().message)};
  if (text->find(kEnd) != std::string::npos) {
    return Error{
        format("{}: a string in it contains \"END\", where AmberScript ends a shader", file)};
  }
  const Result<std::vector<uint32_t>> back = Assemble(*text, UniversalEnvironment(words[1]));
  if (!back || !std::equal(back->begin() + 5, back->end(), shown.begin() + 5, shown.end())) {
    return Error{format("{}: its assembly does not give the same module back{}", file,
                        back ? "" : format(": {}", back.error().message))};
  }
  return text;
}

// Names are words, and some characters are words of their own.
bool IsAmberName(const std::string& name) {
  if (name.empty() || name == kEnd) return false;
  if (std::string_view("0123456789-.#\\").find(name[0]) != std::string_view::npos) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("(),").find(c) == std::string_view::npos;
  });
}

Status CheckImage(const BoundImage& image, const std::string& file) {
  if (image.kind == BoundImage::kSampler) return {};
  const std::string place = format("set {}, binding {}", image.set, image.binding);
  if (image.arrayed || image.dim == spv::Dim::Cube) {
    return Error{format("{}: the image at {} is {}, which AmberScript has not", file, place,
                        image.dim == spv::Dim::Cube ? "a cube" : "an array")};
  }
  if (AmberFormat(image.format).empty()) {
    return Error{format("{}: the image at {} has a format that AmberScript has not", file, place)};
  }
  const TexelFormat* texel = FindTexelFormat(image.format);
  if (texel->kind != TexelFormat::kFloat) return {};
  for (size_t at = 0; at < image.texels.size(); at += texel->width / 8) {
    uint64_t bits = 0;
    std::copy_n(image.texels.data() + at, texel->width / 8, reinterpret_cast<char*>(&bits));
    if (!IsFinite(bits, texel->width)) {
      return Error{
          format("{}: the image at {} holds an infinity or a NaN, for which AmberScript "
                 "has no number",
                 file, place)};
    }
  }
  return {};
}

Status CheckSayable(const AmberJob& job) {
  if (!IsAmberName(job.entry.name)) {
    return Error{format("{}: its entry point is called '{}', which is no name in AmberScript",
                        job.file, job.entry.name)};
  }
  for (const BoundConstant& constant : job.bindings.constants) {
    if (constant.width == 32) continue;
    return Error{format("{}: specialisation constant {} has {} bits; AmberScript has values of 32",
                        job.file, constant.id, constant.width)};
  }
  for (const BoundImage& image : job.bindings.images) {
    if (Status sayable = CheckImage(image, job.file); !sayable) return sayable;
  }
  return {};
}

Status AddLayouts(AmberJob* job) {
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(job->module, job->entry, BlockNames(job->module), job->bindings.constants);
  if (!blocks) return blocks.error();
  for (const BlockVariable& block : *blocks) {
    for (const BoundBuffer& buffer : job->bindings.buffers) {
      if (block.place != BlockPlace(false, buffer.set, buffer.binding)) continue;
      Result<Layout> layout =
          LayoutWithin(job->module, block, buffer.bytes.size(), job->bindings.constants);
      if (!layout) return layout.error();
      job->layouts.push_back({buffer.set, buffer.binding, std::move(*layout)});
    }
  }
  return {};
}

std::string Place(uint32_t set, uint32_t binding) {
  return format("DESCRIPTOR_SET {} BINDING {}", set, binding);
}

std::string PushName(const AmberJob& job) {
  return format("{}_push_constants", job.prefix);
}

std::string SamplerName(const AmberJob& job, const BoundImage& image) {
  return format("{}_sampler_{}_{}", job.prefix, image.set, image.binding);
}

bool HasSampler(const BoundImage& image) {
  return image.kind == BoundImage::kSampler || image.kind == BoundImage::kCombined;
}

std::string ImageText(const AmberJob& job, const BoundImage& image) {
  std::string text;
  if (HasSampler(image)) {
    const char* filter = image.linear ? "linear" : "nearest";
    const char* wrap = image.repeat ? "repeat" : "clamp_to_edge";
    text += format(
        "SAMPLER {} MAG_FILTER {} MIN_FILTER {} ADDRESS_MODE_U {} ADDRESS_MODE_V {} "
        "ADDRESS_MODE_W {}\n",
        SamplerName(job, image), filter, filter, wrap, wrap, wrap);
  }
  if (image.kind == BoundImage::kSampler) return text;
  text += format("IMAGE {} FORMAT {} ", NameOf(job, image), AmberFormat(image.format));
  if (image.dim == spv::Dim::Dim1D) {
    text += format("DIM_1D WIDTH {} ", image.width);
  } else if (image.dim == spv::Dim::Dim2D) {
    text += format("DIM_2D WIDTH {} HEIGHT {} ", image.width, image.height);
  } else {
    text += format("DIM_3D WIDTH {} HEIGHT {} DEPTH {} ", image.width, image.height, image.depth);
  }
  return text + AmberTexels(image);
}

std::string BufferText(const std::string& name, AmberType type, const std::string& bytes) {
  return format("BUFFER {} DATA_TYPE {} STD430 {}", name, AmberTypeName(type),
                AmberData(type, bytes));
}

std::string BindImage(const AmberJob& job, const BoundImage& image) {
  const std::string place = Place(image.set, image.binding);
  switch (image.kind) {
    case BoundImage::kSampler:
      return format("  BIND SAMPLER {} {}\n", SamplerName(job, image), place);
    case BoundImage::kCombined:
      return format("  BIND BUFFER {} AS combined_image_sampler SAMPLER {} {}\n",
                    NameOf(job, image), SamplerName(job, image), place);
    case BoundImage::kSampled:
      return format("  BIND BUFFER {} AS sampled_image {}\n", NameOf(job, image), place);
    case BoundImage::kStorage:
      return format("  BIND BUFFER {} AS storage_image {}\n", NameOf(job, image), place);
  }
  return {};
}

std::string ShaderText(const AmberJob& job) {
  const char* stage = job.stage.is_compute() ? "compute" : "fragment";
  std::string text;
  if (!job.stage.is_compute()) {
    text += format("SHADER vertex {}_vertex_shader PASSTHROUGH\n\n", job.prefix);
  }
  text += format("SHADER {} {}_shader SPIRV-ASM TARGET_ENV spv{}.{}\n",
                 job.several_stages ? "multi" : stage, job.prefix,
                 job.module.version() >> 16 & 0xff, job.module.version() >> 8 & 0xff);
  return format("{}{}END\n\n", text, job.assembly);
}

std::string PipelineText(const AmberJob& job) {
  const bool compute = job.stage.is_compute();
  std::string text =
      format("PIPELINE {} {}_pipeline\n", compute ? "compute" : "graphics", job.prefix);
  if (!compute) text += format("  ATTACH {}_vertex_shader\n", job.prefix);
  text += format("  ATTACH {}_shader", job.prefix);
  if (job.several_stages) text += format(" TYPE {}", compute ? "compute" : "fragment");
  text += format(" ENTRY_POINT {}", job.entry.name);
  for (const BoundConstant& constant : job.bindings.constants) {
    text += format(" SPECIALIZE {} AS uint32 {}", constant.id, constant.bits);
  }
  text += "\n";
  if (!compute) {
    text += format("  FRAMEBUFFER_SIZE {} {}\n", job.bindings.width, job.bindings.height);
  }
  for (const Stage::Output& output : job.stage.outputs) {
    text += format("  BIND BUFFER {} AS color LOCATION {}\n", NameOfTarget(job, output.location),
                   output.location);
  }
  for (const BoundBuffer& buffer : job.bindings.buffers) {
    text += format("  BIND BUFFER {} AS {} {}\n", NameOf(job, buffer),
                   buffer.storage ? "storage" : "uniform", Place(buffer.set, buffer.binding));
  }
  if (!job.bindings.push_constants.empty()) {
    text += format("  BIND BUFFER {} AS push_constant\n", PushName(job));
  }
  for (const BoundImage& image : job.bindings.images) text += BindImage(job, image);
  return text + "END\n\n";
}

}  // namespace

Result<AmberJob> MakeAmberJob(const std::string& prefix, const std::string& file,
                              const TestModule& module, const TestRecord& record) {
  Result<Module> read = ReadModule(module.words, file);
  if (!read) return read.error();
  AmberJob job{prefix, file, std::move(*read), {}, {}, {}, {}, {}, false};
  Result<EntryPoint> entry = FindEntryPoint(job.module, record.entry, file);
  if (!entry) return entry.error();
  job.entry = std::move(*entry);
  for (const EntryPoint& other : EntryPoints(job.module)) {
    job.several_stages = job.several_stages || other.model != job.entry.model;
  }
  Result<ResolvedInputs> resolved =
      Resolve(job.module, job.entry, module.inputs ? *module.inputs : Inputs(), file,
              {.zero_inputs = record.zero_inputs});
  if (!resolved) return Error{resolved.error().message};
  job.bindings = std::move(resolved->bindings);
  Job run;
  run.spirv = module.words;
  run.entry = job.entry.name;
  run.bindings = job.bindings;
  Result<Stage> stage = ReadStage(run);
  if (!stage) return Error{format("{}: {}", file, stage.error().message)};
  job.stage = std::move(*stage);
  if (Status sayable = CheckSayable(job); !sayable) return sayable.error();
  if (Status known = AddLayouts(&job); !known) return known.error();
  Result<std::string> assembly = AssemblyOf(module.words, file);
  if (!assembly) return assembly.error();
  job.assembly = std::move(*assembly);
  return job;
}

const Layout* LayoutOf(const AmberJob& job, const BoundBuffer& buffer) {
  for (const BufferLayout& layout : job.layouts) {
    if (layout.set == buffer.set && layout.binding == buffer.binding) return &layout.layout;
  }
  return nullptr;
}

bool WritesMemory(const AmberJob& job) {
  const auto is_storage = [](const BoundBuffer& buffer) { return buffer.storage; };
  const auto is_image = [](const BoundImage& image) { return image.kind == BoundImage::kStorage; };
  return std::any_of(job.bindings.buffers.begin(), job.bindings.buffers.end(), is_storage) ||
         std::any_of(job.bindings.images.begin(), job.bindings.images.end(), is_image);
}

std::string NameOf(const AmberJob& job, const BoundBuffer& buffer) {
  return format("{}_{}_{}_{}", job.prefix, buffer.storage ? "storage" : "uniform", buffer.set,
                buffer.binding);
}

std::string NameOf(const AmberJob& job, const BoundImage& image) {
  return format("{}_image_{}_{}", job.prefix, image.set, image.binding);
}

std::string NameOfTarget(const AmberJob& job, uint32_t location) {
  return format("{}_framebuffer_{}", job.prefix, location);
}

Result<std::string> Declarations(const AmberJob& job, const StorageTypes& types) {
  std::string text = ShaderText(job);
  for (const BoundBuffer& buffer : job.bindings.buffers) {
    if (buffer.bytes.empty()) {
      return Error{
          format("{}: the buffer at set {}, binding {} is empty, which none can be in "
                 "AmberScript",
                 job.file, buffer.set, buffer.binding)};
    }
    const auto known = types.find({buffer.set, buffer.binding});
    const AmberType type = buffer.storage && known != types.end()
                               ? known->second
                               : TypeFor(LayoutOf(job, buffer), {&buffer.bytes});
    text += BufferText(NameOf(job, buffer), type, buffer.bytes);
  }
  if (!job.bindings.push_constants.empty()) {
    std::string bytes = job.bindings.push_constants;
    bytes.resize((bytes.size() + 3) / 4 * 4);  // drivers take whole words
    text += BufferText(PushName(job), AmberType::kWord, bytes);
  }
  for (const BoundImage& image : job.bindings.images) text += ImageText(job, image);
  for (const Stage::Output& output : job.stage.outputs) {
    text += format("BUFFER {} FORMAT {}\n", NameOfTarget(job, output.location),
                   AmberFormat(output.format));
  }
  return format("{}\n{}", text, PipelineText(job));
}

std::string RunCommands(const AmberJob& job) {
  const Bindings& bindings = job.bindings;
  if (job.stage.is_compute()) {
    return format("RUN {}_pipeline {} {} {}\n", job.prefix, bindings.groups[0], bindings.groups[1],
                  bindings.groups[2]);
  }
  return format(
      "CLEAR_COLOR {}_pipeline 0 0 0 0\nCLEAR {}_pipeline\n"
      "RUN {}_pipeline DRAW_RECT POS 0 0 SIZE {} {}\n",
      job.prefix, job.prefix, job.prefix, bindings.width, bindings.height);
}

}  // namespace refract
