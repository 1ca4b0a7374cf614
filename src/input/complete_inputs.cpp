// SPDX-License-Identifier: Apache-2.0
#include "input/complete_inputs.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "base/random.h"
#include "base/text.h"
#include "input/addressed/complete_addresses.h"
#include "input/complete_vertices.h"
#include "input/images.h"
#include "input/json_text.h"
#include "input/pipeline/made_shaders.h"
#include "input/pipeline/other_shaders.h"
#include "input/pipeline/stages.h"
#include "input/resolve.h"
#include "input/resolve_blocks.h"
#include "input/resolve_constants.h"
#include "input/resolve_images.h"
#include "input/stage_interface.h"
#include "ir/binary.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

using Path = std::vector<uint32_t>;

constexpr size_t kMaxEntries = 4096;  // that are added; more would be of no use to people

bool IsArray(const Module& module, Id type) {
  const spv::Op opcode = TypeOpcode(module, type);
  return opcode == spv::Op::OpTypeArray || opcode == spv::Op::OpTypeRuntimeArray;
}

// Adds the entries for one shader.
class Completer {
 public:
  Completer(const Module& module, const EntryPoint& entry, const std::string& file,
            std::optional<uint64_t> seed, CompletedInputs* result)
      : module_(module),
        entry_(entry),
        names_(module),
        file_(file),
        seed_(seed),
        result_(*result),
        addresses_(module, names_,
                   {[this](const std::string& name) { return FreeName(name, name); },
                    [this](InputValue* value) {
                      if (seed_) FillRandom(RandomFor(value->name), value);
                    },
                    [this](InputValue value) {
                      const std::string name = value.name;
                      return Keep(std::move(value), name);
                    }}) {
    for (const InputValue& value : result_.inputs.values) taken_.insert(value.name);
  }

  /// Adds what is missing at each place. True if it added anything: a second variable at the same
  /// place may need more.
  Result<bool> AddOnce();

 private:
  // A part of a block: its scalars are those from `begin` to `end`.
  struct Part {
    const OpenBlock& block;
    Path path;
    Id type;
    size_t begin, end;
  };

  Error Refuse(const std::string& what, std::string_view why) const {
    return Error{format("{}: no value can be made for {}: {}", file_, what, why),
                 ErrorKind::kUnavailable};
  }
  std::string Describe(const OpenBlock& block, const Path& path) const {
    return names_.Describe(block.variable, PathInVariable(block, path));
  }
  std::string Text(const Part& part) const {
    return format("{} ({})", Describe(part.block, part.path), PlaceText(part.block.place));
  }
  Status AddBlock(OpenBlock block);
  Status AddLength(const OpenBlock& block, uint64_t bytes);
  Status AddPart(const Part& part);
  Status AddValue(const Part& part);
  Status FillAddresses(const Part& part, Id pointer, InputValue* value);
  Status AddImage(const OpenImage& open);
  Status Keep(InputValue value, const std::string& what);
  bool IsOneValue(const Part& part) const;
  // The binding and, in an array, the element, for names of entries.
  static std::string Number(const OpenBlock& block) {
    const BlockPlace& place = block.place;
    return block.in_array ? format("{}_{}", place.binding, place.element)
                          : format("{}", place.binding);
  }
  void Name(const Part& part, InputValue* value) const;
  std::string FreeName(std::string wanted, const std::string& other) const;
  bool IsUsable(const std::string& name) const;
  bool IsUnique(const std::string& name) const;
  Random RandomFor(const std::string& name) const {
    return Random(Mix(seed_.value_or(0), Hash64(name)));
  }

  const Module& module_;
  const EntryPoint& entry_;
  const BlockNames names_;
  const std::string& file_;
  const std::optional<uint64_t> seed_;
  CompletedInputs& result_;
  AddressCompleter addresses_;
  std::set<std::string> taken_;  // names of entries
  std::vector<BoundConstant> constants_;
  std::vector<std::pair<Id, BlockPlace>> variables_;  // of all blocks
};

// Whether an entry may have this name, and no other entry has it.
bool Completer::IsUsable(const std::string& name) const {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  return !name.empty() && name[0] != '$' && name.size() <= kMaxInputNameBytes &&
         !taken_.contains(name) && JsonString(name).find(kReplacement) == std::string::npos;
}

// Whether only one block has a member of this name, so that an entry needs no binding.
bool Completer::IsUnique(const std::string& name) const {
  std::set<BlockPlace> places;
  for (const auto& [variable, place] : variables_) {
    if (names_.FindPath(variable, name, place.element)) places.insert(place);
  }
  return places.size() == 1;
}

std::string Completer::FreeName(std::string wanted, const std::string& other) const {
  if (IsUsable(wanted)) return wanted;
  std::string name = other;
  for (int i = 2; !IsUsable(name); ++i) name = format("{}_{}", other, i);
  return name;
}

// Names the value by its path, as short as possible, or else gives it an offset.
void Completer::Name(const Part& part, InputValue* value) const {
  const OpenBlock& block = part.block;
  const auto& [push_constant, set, binding, element] = block.place;
  const std::string whole = Describe(block, part.path);
  if (block.in_array) value->element = element;
  std::vector<std::string> candidates;
  for (const Id id : {block.variable, block.type}) {
    const std::string prefix = names_.NameOf(id) + ".";
    if (whole.starts_with(prefix)) candidates.push_back(whole.substr(prefix.size()));
  }
  candidates.push_back(whole);
  for (const std::string& name : candidates) {
    if (!IsUsable(name) || names_.FindPath(block.variable, name, element) != part.path) continue;
    value->name = name;
    value->push_constant = push_constant;
    const bool plain = names_.NameOf(block.type) == kPlainUniformsBlock && IsUnique(name);
    value->has_binding = !push_constant && !plain;
    if (!value->has_binding) return;
    value->set = set;
    value->binding = binding;
    return;
  }
  value->offset = static_cast<uint32_t>(block.layout.scalars[part.begin].offset);
  value->name =
      FreeName("", push_constant ? format("push_constants_{}", *value->offset)
                                 : format("block_{}_{}_{}", set, Number(block), *value->offset));
  value->has_binding = !push_constant;
  value->push_constant = push_constant;
  if (push_constant) return;
  value->set = set;
  value->binding = binding;
}

Status Completer::Keep(InputValue value, const std::string& what) {
  if (result_.added.size() == kMaxEntries) {
    return Refuse(what, format("the inputs would have more than {} new entries", kMaxEntries));
  }
  taken_.insert(value.name);
  result_.added.push_back(value.name);
  result_.inputs.values.push_back(std::move(value));
  return {};
}

// Whether one entry can hold the part: its scalars are of one type, none has a value yet, and it is
// a scalar, a vector, a matrix or an array. A struct is clearer as one entry for each member.
bool Completer::IsOneValue(const Part& part) const {
  const std::vector<LaidOutScalar>& scalars = part.block.layout.scalars;
  for (size_t i = part.begin; i < part.end; ++i) {
    if (!part.block.missing[i] || scalars[i].kind != scalars[part.begin].kind ||
        scalars[i].width != scalars[part.begin].width) {
      return false;
    }
  }
  return TypeOpcode(module_, part.type) != spv::Op::OpTypeStruct;
}

Status Completer::AddValue(const Part& part) {
  const LaidOutScalar& first = part.block.layout.scalars[part.begin];
  InputValue value;
  Name(part, &value);
  Id type = part.type;
  while (IsArray(module_, type)) type = ElementType(module_, type);
  if (TypeOpcode(module_, type) == spv::Op::OpTypeMatrix) {
    value.columns = *PartCount(module_, type);
    type = ElementType(module_, type);
  }
  if (IsVector(module_, type)) value.rows = *PartCount(module_, type);
  // For an array of structs with scalars of one type, the entry is an array of scalars.
  const uint64_t count = (part.end - part.begin) / (uint64_t{value.rows} * value.columns);
  if (IsArray(module_, part.type)) value.count = static_cast<uint32_t>(count);
  if (count > kMaxArrayElements) {
    return Refuse(Text(part),
                  format("the array has {} elements; the maximum is {}", count, kMaxArrayElements));
  }
  Id scalar = part.type;
  for (size_t i = part.path.size(); i < first.path.size(); ++i) {
    const bool is_struct = TypeOpcode(module_, scalar) == spv::Op::OpTypeStruct;
    scalar = is_struct ? PartType(module_, scalar, first.path[i]) : ElementType(module_, scalar);
  }
  value.width = first.width;
  value.words.resize(part.end - part.begin);
  if (first.kind == LaidOutScalar::kAddress) {
    if (Status filled = FillAddresses(part, scalar, &value); !filled) return filled;
    return Keep(std::move(value), Text(part));
  }
  value.scalar = first.kind == LaidOutScalar::kFloat ? InputValue::kFloat
                 : IsSigned(module_, scalar)         ? InputValue::kInt
                                                     : InputValue::kUint;
  if (seed_) FillRandom(RandomFor(value.name), &value);
  return Keep(std::move(value), Text(part));
}

// Gives each address of the value a new buffer.
Status Completer::FillAddresses(const Part& part, Id pointer, InputValue* value) {
  value->scalar = InputValue::kAddress;
  value->count = static_cast<uint32_t>(value->words.size());
  for (uint32_t i = 0; i < value->count; ++i) {
    const std::string name =
        value->count == 1 ? value->name + "_target" : format("{}_target_{}", value->name, i);
    Result<AddressInput> address = addresses_.Make(pointer, name, constants_);
    if (!address) return Refuse(Text(part), address.error().message);
    value->addresses.push_back(std::move(*address));
  }
  return {};
}

// Adds entries for the scalars of the part that have no value: one for the whole part if possible,
// else one or more for each part of it.
Status Completer::AddPart(const Part& part) {
  const std::vector<bool>& missing = part.block.missing;
  const auto begin = missing.begin() + static_cast<std::ptrdiff_t>(part.begin);
  const auto end = missing.begin() + static_cast<std::ptrdiff_t>(part.end);
  if (std::find(begin, end, true) == end) return {};
  if (IsOneValue(part)) return AddValue(part);
  const std::vector<LaidOutScalar>& scalars = part.block.layout.scalars;
  const size_t depth = part.path.size();
  const bool is_struct = TypeOpcode(module_, part.type) == spv::Op::OpTypeStruct;
  for (size_t i = part.begin; i < part.end;) {
    const uint32_t index = scalars[i].path[depth];
    Part inner{part.block, part.path,
               is_struct ? PartType(module_, part.type, index) : ElementType(module_, part.type), i,
               i};
    inner.path.push_back(index);
    while (inner.end < part.end && scalars[inner.end].path[depth] == index) ++inner.end;
    if (Status added = AddPart(inner); !added) return added;
    i = inner.end;
  }
  return {};
}

// Adds a "buffer" entry of this size.
Status Completer::AddLength(const OpenBlock& block, uint64_t bytes) {
  const BlockPlace& place = block.place;
  const std::string what = format("{} ({})", Describe(block, {}), PlaceText(place));
  if (bytes > kMaxBufferBytes) {
    return Refuse(what, format("it needs {} bytes; the maximum is {}", bytes, kMaxBufferBytes));
  }
  InputValue value;
  value.name = FreeName(Describe(block, {}), format("buffer_{}_{}", place.set, Number(block)));
  value.has_binding = true;
  value.set = place.set;
  value.binding = place.binding;
  if (block.in_array) value.element = place.element;
  value.buffer_bytes = bytes;
  return Keep(std::move(value), what);
}

Status Completer::AddBlock(OpenBlock block) {
  const bool is_push_constant = block.place.push_constant;
  if (block.lacks_length) {
    const std::string what = Describe(block, block.layout.unsized);
    const uint32_t member = block.layout.unsized[0];
    Result<Layout> layout = LayOut(module_, block.type, kDefaultArrayLength, constants_);
    if (!layout) return Refuse(what, layout.error().message);
    const Result<RuntimeArrayPlace> place = PlaceOfRuntimeArray(module_, block.layout, block.type);
    if (!place) return Refuse(what, place.error().message);
    const uint64_t bytes =
        std::max(layout->size, place->offset + uint64_t{place->stride} * kDefaultArrayLength);
    if (Status added = AddLength(block, bytes); !added) return added;
    // The new elements are the last scalars. Zeros need no entry, because the buffer is zero.
    const bool wanted = seed_ && block.use.Reads(member);
    block.layout = std::move(*layout);
    block.missing.resize(block.layout.scalars.size(), wanted);
  }
  const bool missing =
      std::find(block.missing.begin(), block.missing.end(), true) != block.missing.end();
  if (missing) return AddPart({block, {}, block.type, 0, block.layout.scalars.size()});
  // A buffer that is only written. Its size is the one that it gets without an entry.
  if (block.lacks_length || !block.storage || !block.without_value || is_push_constant ||
      block.layout.size == 0 || block.layout.size > kMaxBufferBytes) {
    return {};
  }
  return AddLength(block, (block.layout.size + 15) / 16 * 16);
}

Status Completer::AddImage(const OpenImage& open) {
  InputValue value;
  const std::string& name = names_.NameOf(open.variable);
  value.name = !open.in_array
                   ? FreeName(name, format("image_{}_{}", open.set, open.binding))
                   : FreeName(name.empty() ? name : format("{}[{}]", name, open.element),
                              format("image_{}_{}_{}", open.set, open.binding, open.element));
  if (open.in_array) value.element = open.element;
  value.has_binding = true;
  value.set = open.set;
  value.binding = open.binding;
  ImageInput& image = value.image.emplace();
  image.kind = open.kind;
  if (open.kind == BoundImage::kScene) image.scene = BoundImage::kSteps;
  if (HasTexels(open.kind)) {
    image.dim = open.dim;
    image.arrayed = open.arrayed;
    image.format = open.image.format;
    image.compare = open.image.compare;
    // The entry of an input attachment does not give the samples of the frame.
    const bool as_frame = open.kind == BoundImage::kAttachment && open.image.samples > 1;
    image.samples = as_frame ? kDefaultSamples : open.image.samples;
    const TexelFormat& row = *FindTexelFormat(image.format);
    value.rows = row.components;
    value.width = row.width;
    value.scalar = row.kind == TexelFormat::kFloat ? InputValue::kFloat
                   : row.kind == TexelFormat::kInt || row.kind == TexelFormat::kSnorm
                       ? InputValue::kInt
                       : InputValue::kUint;
    const bool has_size = open.kind != BoundImage::kAttachment;
    if (has_size) image.size = {open.image.width};
    if (has_size && open.dim != spv::Dim::Dim1D && open.dim != spv::Dim::Buffer) {
      image.size.push_back(open.image.height);
    }
    if (open.dim == spv::Dim::Dim3D) image.size.push_back(open.image.depth);
    if (open.by_level) image.levels = MostLevels(open.image);
    if (open.arrayed) {
      image.size.push_back(open.dim == spv::Dim::Cube ? open.image.layers / 6 : open.image.layers);
    }
    if (seed_ && open.read) {
      image.texture = "noise";
      image.seed = static_cast<uint32_t>(RandomFor(value.name).Between(1, 9999));
    } else {
      value.words.resize(value.rows);  // one texel, which fills the image
    }
  }
  return Keep(std::move(value), value.name);
}

Result<bool> Completer::AddOnce() {
  const size_t before = result_.added.size();
  const Inputs& inputs = result_.inputs;
  Result<std::vector<BoundConstant>> constants = ResolveConstants(module_, inputs, file_);
  if (!constants) return constants.error();
  constants_ = std::move(*constants);
  Result<ResolvedBlocks> blocks =
      ResolveBlocks(module_, entry_, names_, inputs, file_, {false, false, constants_});
  if (!blocks) return blocks.error();
  const Result<ResolvedImages> images =
      ResolveImages(module_, entry_, names_, inputs, file_, constants_);
  if (!images) return images.error();
  // Variables may share a place. Only the first one that lacks something gets entries in this call.
  std::set<BlockPlace> done;
  variables_.clear();
  for (const OpenBlock& block : blocks->blocks) {
    variables_.emplace_back(block.variable, block.place);
  }
  for (OpenBlock& block : blocks->blocks) {
    const BlockPlace place = block.place;
    if (!block.use.used || done.contains(place)) continue;
    const size_t entries = result_.added.size();
    if (Status added = AddBlock(std::move(block)); !added) return added.error();
    if (result_.added.size() > entries) done.insert(place);
  }
  for (const OpenImage& open : images->open) {
    if (!done.emplace(false, open.set, open.binding, open.element).second) continue;
    if (Status added = AddImage(open); !added) return added.error();
  }
  return result_.added.size() > before;
}

// Reads of a multisampled input attachment need a frame with several samples, and an invocation for
// each. A file that gives the frame or a depth target keeps one sample for each pixel.
Status CompleteSamples(const Module& module, const EntryPoint& entry, const std::string& file,
                       CompletedInputs* result) {
  Inputs& inputs = result->inputs;
  if (inputs.per_sample || (inputs.samples == 1 && (inputs.has_framebuffer || inputs.depth))) {
    return {};
  }
  const Result<std::vector<BoundConstant>> constants = ResolveConstants(module, inputs, file);
  if (!constants) return constants.error();
  const Result<std::vector<ImageVariable>> images =
      ImagesOf(module, entry, BlockNames(module), *constants);
  if (!images) return {};  // Completer says why
  if (std::none_of(images->begin(), images->end(), [](const ImageVariable& image) {
        return image.kind == BoundImage::kAttachment && image.multisampled;
      })) {
    return {};
  }
  inputs.has_framebuffer = true;
  if (inputs.samples == 1) inputs.samples = kDefaultSamples;
  inputs.per_sample = true;
  result->added.push_back("$framebuffer");
  return {};
}

Status CompleteFor(const Module& module, const EntryPoint& entry, const std::string& file,
                   std::optional<uint64_t> seed, CompletedInputs* result) {
  if (Status made = CompleteSamples(module, entry, file, result); !made) return made;
  Completer completer(module, entry, file, seed, result);
  for (;;) {
    const Result<bool> more = completer.AddOnce();
    if (!more) return more.error();
    if (*more) continue;
    if (HasMode(module, entry, spv::ExecutionMode::DepthReplacing) && !result->inputs.depth) {
      result->inputs.depth.compare = BoundImage::kLessOrEqual;
      result->added.push_back("$depth");
    }
    return CompleteVertices(module, entry, file, seed, result);
  }
}

}  // namespace

Result<CompletedInputs> CompleteInputs(const Module& module, const EntryPoint& entry,
                                       const Inputs& given, const std::string& file,
                                       std::optional<uint64_t> seed) {
  CompletedInputs result{given, {}};
  if (IsTessellation(entry.model) && !given.tessellation) {
    result.inputs.tessellation = DefaultTessellation(module, entry, given.companion.get());
  }
  if (Status made = CompleteFor(module, entry, file, seed, &result); !made) return made.error();
  const Result<Companions> others = OtherShaders(module, entry, result.inputs, file);
  if (!others) return others.error();
  for (const std::shared_ptr<const Companion>& one : *others) {
    const Result<Module> other = ReadModule(one->spirv, one->file);
    if (!other) return other.error();
    for (const EntryPoint& theirs : EntryPoints(*other)) {
      if (theirs.name != one->entry || theirs.model != one->model) continue;
      Status made = CompleteFor(*other, theirs, file, seed, &result);
      if (!made) return made.error();
    }
  }
  // The inputs are of use only if the module and the file format accept them.
  const Result<Inputs> read = ParseInputs(file, WriteInputs(result.inputs));
  if (!read) return Error{read.error().message, ErrorKind::kUnavailable};
  const Result<ResolvedInputs> resolved = Resolve(module, entry, result.inputs, file);
  if (!resolved) return resolved.error();
  return result;
}

}  // namespace input
}  // namespace refract
