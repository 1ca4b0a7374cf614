// SPDX-License-Identifier: Apache-2.0
#include "folder/amber_job.h"

#include <algorithm>

#include "amber/script.h"
#include "base/text.h"
#include "input/blocks.h"
#include "input/pipeline/stages.h"
#include "input/resolve.h"
#include "input/scalar.h"
#include "input/texels.h"
#include "ir/binary.h"

namespace refract {
inline namespace folder {
namespace {

// An error if AmberScript cannot express the image.
Status CheckImage(const BoundImage& image, const std::string& file) {
  const std::string place = format("set {}, binding {}", image.set, image.binding);
  if (image.reduction != BoundImage::kWeightedAverage) {
    return Error{
        format("{}: the sampler at {} takes the minimum or maximum of texels, which Refract "
               "does not export",
               file, place),
        ErrorKind::kUnavailable};
  }
  if (image.kind == BoundImage::kSampler) return {};
  if (image.kind == BoundImage::kScene) {
    return Error{
        format("{}: the resource at {} is an acceleration structure, which Refract does not export",
               file, place),
        ErrorKind::kUnavailable};
  }
  if (image.dim == spv::Dim::Buffer) {
    return Error{format("{}: the image at {} is a texel buffer, which Refract does not export",
                        file, place)};
  }
  if (image.kind == BoundImage::kAttachment) {
    return Error{format("{}: the image at {} is an input attachment, which Refract does not export",
                        file, place)};
  }
  if (image.compare != BoundImage::kNone) {
    return Error{
        format("{}: the image at {} has depths, which Refract does not export", file, place)};
  }
  if (image.levels != 1) {
    return Error{format("{}: the image at {} has several mip levels, which Refract does not export",
                        file, place)};
  }
  if (image.samples != 1) {
    return Error{
        format("{}: the image at {} is multisampled, which Refract does not export", file, place)};
  }
  if (image.arrayed || image.dim == spv::Dim::Cube) {
    return Error{format("{}: the image at {} is {}, which AmberScript does not support", file,
                        place, image.dim == spv::Dim::Cube ? "a cube" : "an array")};
  }
  if (AmberFormat(image.format).empty()) {
    return Error{
        format("{}: the image at {} has a format that AmberScript does not support", file, place)};
  }
  const TexelFormat* texel = FindTexelFormat(image.format);
  if (texel->kind != TexelFormat::kFloat) return {};
  for (size_t at = 0; at < image.texels.size(); at += texel->width / 8) {
    uint64_t bits = 0;
    std::copy_n(image.texels.data() + at, texel->width / 8, reinterpret_cast<char*>(&bits));
    if (!IsFinite(bits, texel->width)) {
      return Error{
          format("{}: the image at {} holds an infinity or a NaN, which AmberScript cannot "
                 "express",
                 file, place)};
    }
  }
  return {};
}

Status CheckExpressible(const AmberJob& job) {
  const auto refuse = [&](const auto& bound) {
    return Error{
        format("{}: the resource at {} is in an array of descriptors, which Refract does "
               "not export",
               job.file, PlaceText(bound))};
  };
  if (!job.bindings.addressed.empty()) {
    return Error{format("{}: the module uses addresses of buffers, which Amber scripts do not have",
                        job.file),
                 ErrorKind::kUnavailable};
  }
  if (job.bindings.samples > 1) {
    return Error{
        format("{}: a frame with several samples, which Refract does not export", job.file),
        ErrorKind::kUnavailable};
  }
  if (job.bindings.depth) {
    return Error{
        format("{}: the inputs have a depth target, which Refract does not export", job.file),
        ErrorKind::kUnavailable};
  }
  for (const BoundBuffer& buffer : job.bindings.buffers) {
    if (buffer.element != 0) return refuse(buffer);
  }
  for (const BoundImage& image : job.bindings.images) {
    if (image.element != 0) return refuse(image);
    if (Status expressible = CheckImage(image, job.file); !expressible) return expressible;
  }
  return {};
}

// Adds the layouts of the shader's buffers that have no layout yet.
Status AddLayouts(const AmberShader& shader, AmberJob* job) {
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(shader.module, shader.entry, BlockNames(shader.module), shader.constants);
  if (!blocks) return blocks.error();
  for (const BlockVariable& block : *blocks) {
    for (const BoundBuffer& buffer : job->bindings.buffers) {
      if (block.place != BlockPlace(buffer)) continue;
      const bool is_vertex = shader.entry.model == spv::ExecutionModel::Vertex;
      job->vertex_has_memory |= is_vertex && buffer.storage;
      if (LayoutOf(*job, buffer) != nullptr) continue;
      Result<Layout> layout =
          LayoutWithin(shader.module, block, buffer.bytes.size(), shader.constants);
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

std::string BorderText(const BoundImage& image) {
  if (image.wrap != BoundImage::kBorder) return {};
  const TexelFormat* row = FindTexelFormat(image.format);
  const bool is_integer = row != nullptr && row->is_integer();
  return format(" BORDER_COLOR {}_{}", is_integer ? "int" : "float",
                amber::kBorderColours[image.border]);
}

std::string ImageText(const AmberJob& job, const BoundImage& image) {
  std::string text;
  if (HasSampler(image)) {
    const char* filter = image.linear ? "linear" : "nearest";
    const std::string_view wrap = amber::kAddressModes[image.wrap];
    text += format(
        "SAMPLER {} MAG_FILTER {} MIN_FILTER {} ADDRESS_MODE_U {} ADDRESS_MODE_V {} "
        "ADDRESS_MODE_W {}{}{}\n",
        SamplerName(job, image), filter, filter, wrap, wrap, wrap, BorderText(image),
        image.texel_coordinates ? " UNNORMALIZED_COORDS" : "");
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
    case BoundImage::kAttachment:
    case BoundImage::kScene:
      break;  // CheckImage refuses them
  }
  return {};
}

std::string AttributeName(const AmberJob& job, const BoundAttribute& attribute) {
  // The only attribute of a grid has always had this name.
  if (job.stage.mesh.is_grid && attribute.location == 0) return format("{}_vertices", job.prefix);
  return format("{}_attribute_{}", job.prefix, attribute.location);
}

std::string IndicesName(const AmberJob& job) {
  return format("{}_indices", job.prefix);
}

std::string_view TopologyText(BoundMesh::Topology topology) {
  switch (topology) {
    case BoundMesh::kTriangleList:
      return "TRIANGLE_LIST";
    case BoundMesh::kTriangleStrip:
      return "TRIANGLE_STRIP";
    case BoundMesh::kTriangleFan:
      return "TRIANGLE_FAN";
  }
  return {};
}

// "vec4<float>", "uint32" and the like.
std::string AttributeType(const BoundAttribute& attribute) {
  const std::string_view scalar = attribute.kind == BoundAttribute::kFloat ? "float"
                                  : attribute.kind == BoundAttribute::kInt ? "int32"
                                                                           : "uint32";
  return attribute.components == 1 ? std::string(scalar)
                                   : format("vec{}<{}>", attribute.components, scalar);
}

std::string AttributeData(const BoundAttribute& attribute) {
  const bool is_float = attribute.kind == BoundAttribute::kFloat;
  std::vector<std::string> values;
  for (size_t i = 0; i < attribute.bytes.size() / 4; ++i) {
    values.push_back(
        AmberValue(is_float ? AmberType::kFloat : AmberType::kNumber, attribute.bytes, i));
    if (attribute.kind != BoundAttribute::kInt) continue;
    int32_t number = 0;
    std::copy_n(attribute.bytes.data() + 4 * i, 4, reinterpret_cast<char*>(&number));
    values.back() = format("{}", number);
  }
  return AmberList(values);
}

// The vertices for a pipeline with a companion. Amber's own DRAW_GRID is not the same as a grid: it
// has six vertices for each cell.
std::string MeshText(const AmberJob& job) {
  if (!job.companion) return {};
  const BoundMesh& mesh = job.stage.mesh;
  std::string text;
  for (const BoundAttribute& attribute : mesh.attributes) {
    text += format("BUFFER {} DATA_TYPE {} STD430 {}", AttributeName(job, attribute),
                   AttributeType(attribute), AttributeData(attribute));
  }
  if (mesh.indices.empty()) return text;
  const std::string bytes(reinterpret_cast<const char*>(mesh.indices.data()),
                          mesh.indices.size() * sizeof(uint32_t));
  return text + format("BUFFER {} DATA_TYPE uint32 STD430 {}", IndicesName(job),
                       AmberData(AmberType::kNumber, bytes));
}

// An error if AmberScript cannot express the attributes.
Status CheckMesh(const AmberJob& job) {
  for (const BoundAttribute& attribute : job.stage.mesh.attributes) {
    if (attribute.width == 32) continue;
    return Error{
        format("{}: the vertex attribute at location {} has numbers of {} bits, which "
               "Refract does not export",
               job.file, attribute.location, attribute.width)};
  }
  return {};
}

std::string PassThroughName(const AmberJob& job) {
  return format("{}_vertex_shader", job.prefix);
}

std::string ShadersText(const AmberJob& job) {
  if (job.stage.is_compute()) return ShaderText(job.shader);
  if (!job.companion) {
    return format("SHADER vertex {} PASSTHROUGH\n\n{}", PassThroughName(job),
                  ShaderText(job.shader));
  }
  return ShaderText(job.stage.is_vertex() ? job.shader : *job.companion) +
         ShaderText(job.stage.is_vertex() ? *job.companion : job.shader);
}

std::string AttachAll(const AmberJob& job) {
  if (job.stage.is_compute()) return AttachText(job.shader);
  if (!job.companion) {
    return format("  ATTACH {}\n{}", PassThroughName(job), AttachText(job.shader));
  }
  return AttachText(job.stage.is_vertex() ? job.shader : *job.companion) +
         AttachText(job.stage.is_vertex() ? *job.companion : job.shader);
}

std::string PipelineText(const AmberJob& job) {
  const bool compute = job.stage.is_compute();
  std::string text =
      format("PIPELINE {} {}_pipeline\n", compute ? "compute" : "graphics", job.prefix);
  text += AttachAll(job);
  if (!compute) {
    text += format("  FRAMEBUFFER_SIZE {} {}\n", job.bindings.width, job.bindings.height);
  }
  if (job.companion) {
    const BoundMesh& mesh = job.stage.mesh;
    for (const BoundAttribute& attribute : mesh.attributes) {
      text += format("  VERTEX_DATA {} LOCATION {}{}\n", AttributeName(job, attribute),
                     attribute.location, attribute.per_instance ? " RATE instance" : "");
    }
    if (!mesh.indices.empty()) text += format("  INDEX_DATA {}\n", IndicesName(job));
  }
  for (const EntryPointInfo::Output& output : job.stage.outputs) {
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

// Adds the companion, if there is one.
Status AddCompanion(const TestModule& module, AmberJob* job) {
  const BoundCompanion& bound = job->bindings.companion;
  if (!bound) return {};
  const bool is_file = module.inputs != nullptr && module.inputs->companion != nullptr;
  Result<AmberShader> companion = MakeAmberShader(
      format("{}_{}_shader", job->prefix, job->stage.is_vertex() ? "fragment" : "vertex"),
      is_file ? module.inputs->companion->file : job->file, bound.spirv, bound.entry,
      bound.constants);
  if (!companion) return companion.error();
  job->companion = std::move(*companion);
  return AddLayouts(*job->companion, job);
}

}  // namespace

Result<AmberJob> MakeAmberJob(const std::string& prefix, const std::string& file,
                              const TestModule& module, const TestRecord& record) {
  Result<Module> read = ReadModule(module.words, file);
  if (!read) return read.error();
  Result<EntryPoint> entry = FindEntryPoint(*read, record.entry, file);
  if (!entry) return entry.error();
  if (HasMadePipeline(entry->model) || IsRay(entry->model)) {
    return Error{
        format("{}: a {} shader, which Refract does not export", file, StageName(entry->model))};
  }
  Result<ResolvedInputs> resolved =
      Resolve(*read, *entry, module.inputs ? *module.inputs : Inputs(), file,
              {.zero_inputs = record.zero_inputs});
  if (!resolved) return Error{resolved.error().message};
  Job run;
  run.spirv = module.words;
  run.entry = entry->name;
  run.bindings = resolved->bindings;
  Result<EntryPointInfo> stage = ReadEntryPointInfo(run);
  if (!stage) return Error{format("{}: {}", file, stage.error().message)};
  Result<AmberShader> shader =
      MakeAmberShader(prefix + "_shader", file, module.words, run.entry, run.bindings.constants);
  if (!shader) return shader.error();
  AmberJob job{prefix,
               file,
               std::move(*shader),
               std::nullopt,
               std::move(run.bindings),
               {},
               std::move(*stage),
               false};
  if (Status expressible = CheckExpressible(job); !expressible) return expressible.error();
  if (Status expressible = CheckMesh(job); !expressible) return expressible.error();
  if (Status known = AddLayouts(job.shader, &job); !known) return known.error();
  if (Status added = AddCompanion(module, &job); !added) return added.error();
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
  std::string text = ShadersText(job) + MeshText(job);
  for (const BoundBuffer& buffer : job.bindings.buffers) {
    if (buffer.bytes.empty()) {
      return Error{
          format("{}: the buffer at set {}, binding {} is empty; AmberScript does not support "
                 "empty buffers",
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
    bytes.resize((bytes.size() + 3) / 4 * 4);  // drivers expect whole words
    text += BufferText(PushName(job), AmberType::kWord, bytes);
  }
  for (const BoundImage& image : job.bindings.images) text += ImageText(job, image);
  for (const EntryPointInfo::Output& output : job.stage.outputs) {
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
  std::string text =
      format("CLEAR_COLOR {}_pipeline 0 0 0 0\nCLEAR {}_pipeline\n", job.prefix, job.prefix);
  if (job.companion) {
    const BoundMesh& mesh = job.stage.mesh;
    const size_t count = mesh.indices.empty() ? mesh.vertices : mesh.indices.size();
    text += format("RUN {}_pipeline DRAW_ARRAY AS {}{} START_IDX 0 COUNT {}", job.prefix,
                   TopologyText(mesh.topology), mesh.indices.empty() ? "" : " INDEXED", count);
    if (mesh.instances != 1) text += format(" INSTANCE_COUNT {}", mesh.instances);
    return text + "\n";
  }
  return text + format("RUN {}_pipeline DRAW_RECT POS 0 0 SIZE {} {}\n", job.prefix, bindings.width,
                       bindings.height);
}

}  // namespace folder
}  // namespace refract
