// SPDX-License-Identifier: Apache-2.0
#include "input/resolve.h"

#include <algorithm>

#include "base/text.h"
#include "input/block_names.h"
#include "input/grid.h"
#include "input/join_bindings.h"
#include "input/pipeline/other_shaders.h"
#include "input/pipeline/stages.h"
#include "input/resolve_blocks.h"
#include "input/resolve_constants.h"
#include "input/resolve_images.h"
#include "input/resolve_vertices.h"
#include "ir/binary.h"
#include "ir/validity/validity_report.h"

namespace refract {
inline namespace input {
namespace {

constexpr size_t kMaxNamed = 8;  // inputs that one error names

Error Missing(const std::vector<std::string>& missing, const EntryPoint& entry,
              const std::string& file) {
  std::string list;
  for (size_t i = 0; i < missing.size() && i < kMaxNamed; ++i) {
    list += (i == 0 ? "" : "; ") + missing[i];
  }
  if (missing.size() > kMaxNamed) list += format("; {} more", missing.size() - kMaxNamed);
  return Error{format(
      "{}: the entry point {} reads inputs that have no value: {}; `refract inputs` writes a file "
      "with values, and --zero-inputs uses zeros for missing inputs",
      file, entry.name, list)};
}

// Refuses a buffer at the same place as an image.
Status CheckShared(const Bindings& bindings) {
  for (const BoundImage& image : bindings.images) {
    for (const BoundBuffer& buffer : bindings.buffers) {
      if (buffer.set != image.set || buffer.binding != image.binding) continue;
      return Error{format("a block and an image or sampler share set {}, binding {}", image.set,
                          image.binding),
                   ErrorKind::kUnavailable};
    }
  }
  return {};
}

void Append(std::vector<std::string>* to, const std::vector<std::string>& from) {
  to->insert(to->end(), from.begin(), from.end());
}

}  // namespace

// Resolves the inputs of one shader.
Result<ResolvedInputs> ResolveOne(const Module& module, const EntryPoint& entry,
                                  const Inputs& inputs, const std::string& file,
                                  const ResolveOptions& options) {
  const BlockNames names(module);
  Result<std::vector<BoundConstant>> constants = ResolveConstants(module, inputs, file);
  if (!constants) return constants.error();
  Result<ResolvedBlocks> blocks = ResolveBlocks(
      module, entry, names, inputs, file, {options.zero_inputs, options.known_only, *constants});
  if (!blocks) return blocks.error();
  // A module without pointers to them cannot reach these buffers.
  ResolvedAddressed addressed;
  if (validity::HasCapability(module, spv::Capability::PhysicalStorageBufferAddresses)) {
    Result<ResolvedAddressed> found = ResolveAddressed(inputs, file);
    if (!found) return found.error();
    addressed = std::move(*found);
  }
  Result<ResolvedImages> images = ResolveImages(module, entry, names, inputs, file, *constants);
  if (!images && options.known_only && images.error().kind == ErrorKind::kUnavailable) {
    images = ResolvedImages();
  }
  if (!images) return images.error();
  Append(&blocks->missing, images->missing);
  BoundMesh mesh;
  if (entry.model == spv::ExecutionModel::Vertex && !options.known_only) {
    Result<BoundMesh> drawn = ResolveVertices(module, entry, inputs, file, &blocks->missing);
    if (!drawn) return drawn.error();
    mesh = std::move(*drawn);
  }
  if (!blocks->missing.empty() && !options.zero_inputs) {
    return Missing(blocks->missing, entry, file);
  }

  ResolvedInputs result;
  Bindings& bindings = result.bindings;
  bindings.buffers = std::move(blocks->buffers);
  bindings.images = std::move(images->images);
  bindings.push_constants = std::move(blocks->push_constants);
  bindings.addressed = std::move(addressed.buffers);
  if (!bindings.addressed.empty()) {
    bindings.addresses = std::move(addressed.addresses);
    JoinAddresses(blocks->addresses, &bindings.addresses);
  }
  bindings.constants = std::move(*constants);
  bindings.width = inputs.width;
  bindings.height = inputs.height;
  bindings.float_target = inputs.float_target;
  if (IsDrawn(entry.model)) {
    bindings.samples = inputs.samples;
    bindings.per_sample = inputs.per_sample;
  }
  if (IsDrawn(entry.model)) bindings.depth = inputs.depth;
  bindings.grid_columns = inputs.grid_columns;
  bindings.grid_rows = inputs.grid_rows;
  bindings.mesh = std::move(mesh);
  if (inputs.compute.has_value()) {
    std::copy(std::begin(inputs.compute->groups), std::end(inputs.compute->groups),
              std::begin(bindings.groups));
  }
  if (Status status = CheckShared(bindings); !status) return status.error();
  result.known = std::move(blocks->known);
  result.unused = std::move(blocks->unused);
  result.missing = std::move(blocks->missing);
  Append(&result.unused, images->unused);
  return result;
}

namespace {

// The names of the values that neither shader has a place for.
std::vector<std::string> UnusedByBoth(const std::vector<std::string>& a,
                                      const std::vector<std::string>& b) {
  std::vector<std::string> both;
  for (const std::string& name : a) {
    if (std::find(b.begin(), b.end(), name) != b.end()) both.push_back(name);
  }
  return both;
}

// Refuses what cannot be drawn.
Status CheckDrawing(const EntryPoint& entry, const Inputs& inputs, const std::string& file) {
  if (std::max(inputs.width, inputs.height) > kMaxFrameSide) {
    return Error{
        format("{}: /$framebuffer: a frame of {}x{} pixels is too large; the maximum is {}x{}",
               file, inputs.width, inputs.height, kMaxFrameSide, kMaxFrameSide),
        ErrorKind::kUnavailable};
  }
  if (inputs.width * inputs.samples > kMaxFrameSide) {
    return Error{format("{}: /$framebuffer: a frame of {} pixels with {} samples is too wide; the "
                        "maximum is {} samples",
                        file, inputs.width, inputs.samples, kMaxFrameSide),
                 ErrorKind::kUnavailable};
  }
  if (inputs.samples > 1 && inputs.depth && IsDrawn(entry.model)) {
    return Error{format("{}: /$depth: a frame with several samples has no depth target", file),
                 ErrorKind::kUnavailable};
  }
  if (!IsTessellation(entry.model) || inputs.vertices) return {};
  return Error{
      format("{}: a pipeline with tessellation draws the patches of the section "
             "$vertices, which is missing; `refract inputs` writes it",
             file)};
}

// Adds what another shader of the pipeline needs to the inputs of the shader under test. `shaders`
// names the two in errors.
Status AddShader(const Companion& other, std::string_view shaders, const Inputs& inputs,
                 const std::string& file, const ResolveOptions& options, ResolvedInputs* resolved) {
  const Result<Module> module = ReadModule(other.spirv, other.file);
  if (!module) return module.error();
  for (const EntryPoint& entry : EntryPoints(*module)) {
    if (entry.name != other.entry || entry.model != other.model) continue;
    Result<ResolvedInputs> theirs = ResolveOne(*module, entry, inputs, file, options);
    if (!theirs) return theirs.error();
    if (Status joined = JoinBindings(theirs->bindings, shaders, &resolved->bindings); !joined) {
      return Error{format("{}: {}", file, joined.error().message), joined.error().kind};
    }
    resolved->unused = UnusedByBoth(resolved->unused, theirs->unused);
    Append(&resolved->missing, theirs->missing);
    // The other shader may write to these storage buffers.
    std::erase_if(resolved->known, [&](const KnownValue& known) {
      return std::any_of(theirs->bindings.buffers.begin(), theirs->bindings.buffers.end(),
                         [&](const BoundBuffer& buffer) {
                           return buffer.storage && !known.push_constant &&
                                  buffer.set == known.set && buffer.binding == known.binding;
                         });
    });
    if (entry.model == spv::ExecutionModel::Vertex) {
      resolved->bindings.mesh = std::move(theirs->bindings.mesh);
    }
    resolved->bindings.built.push_back(
        {other.spirv, other.entry, std::move(theirs->bindings.constants), other.model});
    return {};
  }
  return Error{format("{}: no entry point '{}'", other.file, other.entry)};
}

}  // namespace

Result<ResolvedInputs> Resolve(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                               const std::string& file, const ResolveOptions& options) {
  if (!options.known_only) {
    if (Status drawn = CheckDrawing(entry, inputs, file); !drawn) return drawn.error();
  }
  Result<ResolvedInputs> resolved = ResolveOne(module, entry, inputs, file, options);
  if (!resolved) return resolved;
  const Result<Companions> others = OtherShaders(module, entry, inputs, file);
  if (!others) {
    // A pipeline that cannot be drawn does not hinder changes of the shader.
    if (options.known_only && others.error().kind == ErrorKind::kUnavailable) return resolved;
    return others.error();
  }
  if (others->empty()) return resolved;
  if (!options.known_only && GridVertexCount(resolved->bindings) > kMaxGridVertices) {
    return Error{format("{}: a grid of {}x{} cells has too many vertices; the maximum is {}", file,
                        inputs.grid_columns, inputs.grid_rows, kMaxGridVertices),
                 ErrorKind::kUnavailable};
  }
  const bool only_two = PipelineOf(entry.model).size() == 2;
  const std::string_view shaders =
      only_two ? "the vertex shader and the fragment shader" : "two shaders of the pipeline";
  for (const std::shared_ptr<const Companion>& other : *others) {
    Status added = AddShader(*other, shaders, inputs, file, options, &*resolved);
    if (!added) return added.error();
    // Of two shaders, the other one is the companion, even if it was made.
    if (!only_two && other != inputs.companion) continue;
    resolved->bindings.companion = std::move(resolved->bindings.built.back());
    resolved->bindings.built.pop_back();
  }
  if (IsTessellation(entry.model)) {
    resolved->bindings.patch_vertices =
        inputs.tessellation.value_or(TessellationInput()).patch_vertices;
  }
  return resolved;
}

Result<EntryPoint> FindEntryPoint(const Module& module, const std::string& name,
                                  const std::string& file) {
  std::vector<EntryPoint> matching;
  std::string list;
  for (EntryPoint& entry : EntryPoints(module)) {
    list += (list.empty() ? "" : ", ") + entry.name;
    if (name.empty() || entry.name == name) matching.push_back(std::move(entry));
  }
  if (list.empty()) return Error{format("{}: no entry point", file), ErrorKind::kUnavailable};
  if (matching.size() == 1 && matching[0].function != Function::kNone) return matching[0];
  if (matching.empty()) {
    return Error{format("{}: no entry point '{}'; the module has: {}", file, name, list)};
  }
  if (matching.size() == 1) {
    return Error{format("{}: the entry point {} has no function", file, list)};
  }
  if (!name.empty()) {
    return Error{format("{}: several entry points are called '{}'", file, name),
                 ErrorKind::kUnavailable};
  }
  return Error{format("{}: several entry points; choose one with --entry: {}", file, list),
               ErrorKind::kUsage};
}

}  // namespace input
}  // namespace refract
