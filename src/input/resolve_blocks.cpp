// SPDX-License-Identifier: Apache-2.0
#include "input/resolve_blocks.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

using Path = std::vector<uint32_t>;

constexpr uint64_t kMaxBufferBytes = uint64_t{1} << 29;

// The memory of one binding, or of the push constants. Several variables may share it (aliases).
struct Memory {
  bool storage = false;
  bool wanted = false;  // used, or given a value
  bool exact = false;   // its size gives the length of a runtime array
  size_t variables = 0;
  std::string bytes;
  std::vector<bool> given;  // a flag for each byte
};

// A block and, for each scalar, the name of the input that gives its value; null: not given.
struct GivenBlock : OpenBlock {
  std::vector<const std::string*> giver;
  std::vector<bool> is_address;  // the giver gives an address
};

// True if an address fills two integers of 32 bits, such as a uvec2.
bool TakesHalves(const LaidOutScalar& scalar) {
  return scalar.kind == LaidOutScalar::kInteger && scalar.width == 32;
}

// What the scalars of an entry are in memory. An address may also fill an integer of 64 bits.
bool Fits(const InputValue& value, const LaidOutScalar& scalar) {
  if (value.scalar != InputValue::kAddress) {
    const auto kind =
        value.scalar == InputValue::kFloat ? LaidOutScalar::kFloat : LaidOutScalar::kInteger;
    return scalar.kind == kind && scalar.width == value.width;
  }
  return TakesHalves(scalar) || (scalar.kind != LaidOutScalar::kFloat && scalar.width == 64);
}

std::string_view KindText(const LaidOutScalar& scalar) {
  return scalar.kind == LaidOutScalar::kFloat     ? "a float"
         : scalar.kind == LaidOutScalar::kAddress ? "an address"
                                                  : "an integer";
}

// The number of scalars that the value fills from a scalar like `first` on.
size_t ScalarCount(const InputValue& value, const LaidOutScalar& first) {
  const bool halves = value.scalar == InputValue::kAddress && TakesHalves(first);
  return value.words.size() * (halves ? 2 : 1);
}

bool StartsWith(const Path& path, const Path& prefix) {
  return path.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// True if the runtime array of the block has elements.
bool IsSized(const GivenBlock& block) {
  return std::any_of(
      block.layout.scalars.begin(), block.layout.scalars.end(),
      [&](const auto& scalar) { return StartsWith(scalar.path, block.layout.unsized); });
}

class Resolver {
 public:
  Resolver(const Module& module, const EntryPoint& entry, const BlockNames& names,
           const Inputs& inputs, const std::string& file, const BlockOptions& options)
      : module_(module),
        entry_(entry),
        names_(names),
        inputs_(inputs),
        file_(file),
        options_(options),
        addressed_(inputs, file) {}

  Result<ResolvedBlocks> Run();

 private:
  struct Target {
    GivenBlock* block = nullptr;
    Path path;
    bool by_offset = false;
  };

  Error Refuse(std::string_view name, std::string_view what) const {
    return Error{format("{}: /{}: {}", file_, name, what)};
  }
  // The error of a valid value for which no block can be laid out.
  Error Unfit(std::string_view name, std::string_view what) const {
    return Error{Refuse(name, what).message, ErrorKind::kUnavailable};
  }
  std::string Describe(const BlockVariable& block, const Path& path) const {
    return names_.Describe(block.variable, PathInVariable(block, path));
  }
  BlockPlace PlaceFor(const InputValue& value, const BlockVariable& block) const;
  Status CollectBlocks();
  Result<std::vector<Target>> TargetsOf(const InputValue& value);
  Result<Target> TargetInBlock(const InputValue& value, GivenBlock* block) const;
  Result<Layout> LayOutWith(const GivenBlock& block, uint32_t length) const {
    return LayOut(module_, block.type, length, options_.constants);
  }
  Status Give(const InputValue& value, const std::string& name, const Target& target);
  Status SizeRuntimeArray(const InputValue& value, const std::string& name, const Target& target);
  Status SetLayout(GivenBlock* block, Result<Layout> layout, const std::string& name);
  Status GiveBytes(const InputValue& value);
  void AddAddress(const GivenBlock& block, uint64_t offset, uint64_t number);
  bool MayLeaveOut(const Status& status) const {
    return options_.leave_out && status.error().kind == ErrorKind::kUnavailable;
  }
  Status GiveLengths();
  Status GiveCompute(const ComputeInput& compute);
  Status GiveValues();
  void FindMissing();
  Status FillMemories();
  void Collect();

  const Module& module_;
  const EntryPoint& entry_;
  const BlockNames& names_;
  const Inputs& inputs_;
  const std::string& file_;
  const BlockOptions& options_;
  const AddressedNames addressed_;
  std::vector<GivenBlock> blocks_;  // sorted by place
  std::map<BlockPlace, Memory> memories_;
  std::vector<std::string> field_names_;  // fields of "$compute", for messages
  ResolvedBlocks result_;
};

Status Resolver::CollectBlocks() {
  Result<std::vector<BlockVariable>> blocks =
      BlocksOf(module_, entry_, names_, options_.constants, options_.leave_out);
  if (!blocks) {
    return Error{format("{}: {}", file_, blocks.error().message), blocks.error().kind};
  }
  for (BlockVariable& block : *blocks) {
    const size_t scalars = block.layout.scalars.size();
    GivenBlock& given = blocks_.emplace_back();
    static_cast<BlockVariable&>(given) = std::move(block);
    given.giver.resize(scalars);
    given.is_address.resize(scalars);
  }
  return {};
}

Result<Resolver::Target> Resolver::TargetInBlock(const InputValue& value, GivenBlock* block) const {
  if (value.offset.has_value()) {
    for (const LaidOutScalar& scalar : block->layout.scalars) {
      if (scalar.offset == *value.offset) return Target{block, scalar.path, true};
    }
    return Refuse(value.name, format("no scalar begins at offset {} of the block at {}",
                                     *value.offset, PlaceText(block->place)));
  }
  if (auto path = names_.FindPath(block->variable, value.name, block->place.element)) {
    return Target{block, std::move(*path), false};
  }
  const uint32_t members = *PartCount(module_, block->type);
  if (members == 1) return Target{block, {0}, false};
  return Refuse(
      value.name,
      format("the block at {} has {} members, but none with the name of this entry; add an "
             "\"offset\" to choose one",
             PlaceText(block->place), members));
}

// The place that the entry names; in an array of blocks, its name may give the element.
BlockPlace Resolver::PlaceFor(const InputValue& value, const BlockVariable& block) const {
  std::optional<uint32_t> element = value.element;
  if (!element && block.in_array) element = names_.FindElement(block.variable, value.name);
  return BlockPlace(value.push_constant, value.set, value.binding, element.value_or(0));
}

Result<std::vector<Resolver::Target>> Resolver::TargetsOf(const InputValue& value) {
  std::vector<Target> targets;
  for (GivenBlock& block : blocks_) {
    if (value.has_binding || value.push_constant) {
      if (block.place != PlaceFor(value, block)) continue;
      Result<Target> target = TargetInBlock(value, &block);
      if (!target) return target.error();
      targets.push_back(std::move(*target));
    } else if (auto path = names_.FindPath(block.variable, value.name, block.place.element)) {
      if (!targets.empty() && targets.front().block->place != block.place) {
        return Refuse(
            value.name,
            format(
                "the blocks at {} and at {} both have a member with the name of this entry; add a "
                "\"binding\" to choose one",
                PlaceText(targets.front().block->place), PlaceText(block.place)));
      }
      targets.push_back({&block, std::move(*path), false});
    }
  }
  return targets;
}

Status Resolver::SetLayout(GivenBlock* block, Result<Layout> layout, const std::string& name) {
  if (!layout) return Unfit(name, layout.error().message);
  block->layout = std::move(*layout);
  // A runtime array is the last member of its block, so scalars that already have a value keep
  // their index (Vulkan, VUID-StandaloneSpirv-OpTypeRuntimeArray-04680).
  block->giver.resize(block->layout.scalars.size());
  block->is_address.resize(block->layout.scalars.size());
  return {};
}

// Gives a runtime array the length of its value.
Status Resolver::SizeRuntimeArray(const InputValue& value, const std::string& name,
                                  const Target& target) {
  GivenBlock& block = *target.block;
  if (!block.layout.has_unsized || target.by_offset || target.path != block.layout.unsized ||
      memories_[block.place].exact) {
    return {};
  }
  if (IsSized(block)) return Refuse(name, "the runtime array already has a value");
  const Result<Layout> with_one = LayOutWith(block, 1);
  if (!with_one) return Unfit(name, with_one.error().message);
  const size_t element = with_one->scalars.size() - block.layout.scalars.size();
  const size_t scalars = element == 0 ? 0 : ScalarCount(value, with_one->scalars.back());
  if (element == 0 || scalars % element != 0) {
    return Refuse(name, format("the value has {} scalars, which is no multiple of the {} scalars "
                               "of an element of the runtime array",
                               value.words.size(), element));
  }
  const auto length = static_cast<uint32_t>(scalars / element);
  return SetLayout(&block, LayOutWith(block, length), name);
}

// Applies a "buffer" entry: zeros, and a runtime array with as many elements as fit (as
// OpArrayLength counts).
Status Resolver::GiveBytes(const InputValue& value) {
  std::optional<BlockPlace> found;
  for (GivenBlock& block : blocks_) {
    if (block.place != PlaceFor(value, block)) continue;
    found = block.place;
    if (value.buffer_bytes < block.layout.size) {
      return Refuse(value.name,
                    format("{} bytes are too few for the block at {}, which has {} bytes",
                           value.buffer_bytes, PlaceText(block.place), block.layout.size));
    }
    Memory& memory = memories_[block.place];
    if (memory.exact) {
      return Refuse(value.name,
                    format("the buffer at {} already has a size", PlaceText(block.place)));
    }
    Status status = SetLayout(
        &block, LayoutWithin(module_, block, value.buffer_bytes, options_.constants), value.name);
    if (!status) return status;
  }
  if (!found) {
    result_.unused.push_back(value.name);
    return {};
  }
  Memory& memory = memories_[*found];
  memory.wanted = memory.exact = true;
  memory.bytes.resize(value.buffer_bytes);
  memory.given.assign(value.buffer_bytes, true);
  return {};
}

// With zero_lengths, gives a length to runtime arrays that have none.
Status Resolver::GiveLengths() {
  if (!options_.zero_lengths) return {};
  for (GivenBlock& block : blocks_) {
    if (!block.layout.has_unsized || !block.use.used || IsSized(block) ||
        memories_[block.place].exact) {
      continue;
    }
    const std::string name = Describe(block, block.layout.unsized);
    Status status = SetLayout(&block, LayOutWith(block, kDefaultArrayLength), name);
    if (!status) return status;
  }
  return {};
}

Status Resolver::Give(const InputValue& value, const std::string& name, const Target& target) {
  if (Status status = SizeRuntimeArray(value, name, target); !status) return status;
  GivenBlock& block = *target.block;
  const std::vector<LaidOutScalar>& scalars = block.layout.scalars;
  // The scalars are sorted by path.
  const auto first =
      std::partition_point(scalars.begin(), scalars.end(),
                           [&](const LaidOutScalar& scalar) { return scalar.path < target.path; });
  const size_t begin = static_cast<size_t>(first - scalars.begin());
  size_t end = begin;
  const size_t count =
      begin < scalars.size() ? ScalarCount(value, scalars[begin]) : value.words.size();
  if (target.by_offset) {
    end = std::min(begin + count, scalars.size());
  } else {
    while (end < scalars.size() && StartsWith(scalars[end].path, target.path)) ++end;
  }
  const std::string where = format("{} ({})", Describe(block, target.path), PlaceText(block.place));
  if (end - begin != count) {
    return Refuse(name,
                  format("the value has {} scalars, but {} has {}", count, where, end - begin));
  }
  for (size_t i = begin; i < end; ++i) {
    const bool is_second = count != value.words.size() && (i - begin) % 2 == 1;
    if (is_second && scalars[i].offset != scalars[i - 1].offset + 4) {
      return Refuse(name, format("the two halves of an address are apart in {}", where));
    }
    if (!Fits(value, scalars[i]) || TakesHalves(scalars[i]) != TakesHalves(scalars[begin])) {
      return Refuse(name, format("\"func\" is {}, but {} is {} of {} bits", InputFunc(value), where,
                                 KindText(scalars[i]), scalars[i].width));
    }
    if (block.giver[i] != nullptr) {
      return Refuse(name,
                    format("{} already has a value from the entry {}", where, *block.giver[i]));
    }
    block.giver[i] = &name;
    block.is_address[i] = value.scalar == InputValue::kAddress;
  }
  Memory& memory = memories_[block.place];
  memory.wanted = true;
  if (memory.bytes.size() < block.layout.size) {
    memory.bytes.resize(block.layout.size);
    memory.given.resize(block.layout.size);
  }
  const size_t parts = count == value.words.size() ? 1 : 2;  // of an address
  for (size_t i = begin; i < end; ++i) {
    const size_t word = (i - begin) / parts, part = (i - begin) % parts;
    uint64_t bits = value.words[word];
    if (value.scalar == InputValue::kAddress) {
      const Result<uint64_t> number = addressed_.NumberOf(value, word);
      if (!number) return number.error();
      bits = *number >> (32 * part);
      if (part == 0) AddAddress(block, scalars[i].offset, *number);
    }
    for (uint32_t byte = 0; byte < scalars[i].width / 8; ++byte) {
      const size_t at = scalars[i].offset + byte;
      memory.bytes[at] = static_cast<char>(bits >> (8 * byte));
      memory.given[at] = true;
    }
  }
  return {};
}

// Records the place of an address, unless it is the null address.
void Resolver::AddAddress(const GivenBlock& block, uint64_t offset, uint64_t number) {
  if (number == 0) return;
  const bool in_buffer = !block.place.push_constant;
  BoundAddress address = AddressAt(in_buffer ? BoundAddress::kBuffer : BoundAddress::kPushConstants,
                                   static_cast<uint32_t>(offset), number);
  if (in_buffer) {
    address.set = block.place.set;
    address.binding = block.place.binding;
    address.element = block.place.element;
  }
  result_.addresses.push_back(address);
}

Status Resolver::GiveCompute(const ComputeInput& compute) {
  if (!compute.has_buffer) return {};
  field_names_.reserve(compute.fields.size());  // blocks point to the names
  bool found = false;
  for (size_t i = 0; i < compute.fields.size(); ++i) {
    field_names_.push_back(format("$compute/buffer/fields/{}", i));
    for (GivenBlock& block : blocks_) {
      if (block.place != BlockPlace(false, compute.set, compute.binding)) continue;
      found = true;
      const uint32_t members = *PartCount(module_, block.type);
      if (i >= members) {
        return Refuse(field_names_[i], format("the block at {} has only {} members",
                                              PlaceText(block.place), members));
      }
      const Target target{&block, {static_cast<uint32_t>(i)}, false};
      Status status = Give(compute.fields[i], field_names_[i], target);
      if (!status) return status;
    }
  }
  if (!found) result_.unused.emplace_back("$compute");
  return {};
}

void Resolver::FindMissing() {
  std::vector<std::string>& missing = result_.missing;
  for (GivenBlock& block : blocks_) {
    const auto memory = memories_.find(block.place);
    block.without_value = memory == memories_.end() || memory->second.given.empty();
    const auto is_given = [&](uint64_t offset) {
      return memory != memories_.end() && offset < memory->second.given.size() &&
             memory->second.given[offset];
    };
    const auto add = [&](const Path& path) {
      std::string text = format("{} ({})", Describe(block, path), PlaceText(block.place));
      if (missing.empty() || missing.back() != text) missing.push_back(std::move(text));
    };
    for (const LaidOutScalar& scalar : block.layout.scalars) {
      block.missing.push_back(block.use.Reads(scalar.path[0]) && !is_given(scalar.offset));
      if (block.missing.back()) add({scalar.path[0]});
    }
    // This also applies to an array that is only written: its length decides which writes are in
    // bounds.
    if (!block.layout.has_unsized || !block.use.used || IsSized(block)) continue;
    block.lacks_length = memory == memories_.end() || !memory->second.exact;
    if (block.lacks_length) add({block.layout.unsized[0]});
  }
}

Status Resolver::FillMemories() {
  uint64_t total = 0;
  for (const GivenBlock& block : blocks_) {
    Memory& memory = memories_[block.place];
    if (memory.variables++ > 0 && memory.storage != block.storage) {
      return Error{format("a uniform block and a storage block share {}", PlaceText(block.place)),
                   ErrorKind::kUnavailable};
    }
    memory.storage = block.storage;
    memory.wanted = memory.wanted || block.use.used;
    // std140 blocks end at a multiple of 16 bytes, and a buffer of no bytes cannot be bound. A
    // runtime array gets no padding, because the padding could count as an element.
    const uint64_t unit = memory.exact || block.layout.has_unsized ? 1
                          : block.place.push_constant              ? 4
                                                                   : 16;
    const uint64_t size = std::max((block.layout.size + unit - 1) / unit * unit, unit);
    total += size;
    if (total + memory.bytes.size() > kMaxBufferBytes) {
      return Error{format("{}: the buffers have more than {} bytes", file_, kMaxBufferBytes),
                   ErrorKind::kUnavailable};
    }
    if (memory.bytes.size() < size) memory.bytes.resize(size);
  }
  return {};
}

void Resolver::Collect() {
  for (const GivenBlock& block : blocks_) {
    // If another variable shares the memory, the same path could mean another value.
    const Memory& memory = memories_[block.place];
    if (memory.storage || memory.variables > 1) continue;
    const auto& [push_constant, set, binding, element] = block.place;
    for (size_t i = 0; i < block.layout.scalars.size(); ++i) {
      // The number of an address differs between runs.
      if (block.giver[i] == nullptr || block.is_address[i]) continue;
      const LaidOutScalar& scalar = block.layout.scalars[i];
      uint64_t bits = 0;
      for (uint32_t byte = 0; byte < scalar.width / 8; ++byte) {
        const auto value = static_cast<unsigned char>(memory.bytes[scalar.offset + byte]);
        bits |= uint64_t{value} << (8 * byte);
      }
      result_.known.push_back(
          {set, binding, push_constant, PathInVariable(block, scalar.path), bits, scalar.width});
    }
  }
  for (auto& [place, memory] : memories_) {
    const auto& [push_constant, set, binding, element] = place;
    if (!memory.wanted) continue;
    if (push_constant) {
      result_.push_constants = std::move(memory.bytes);
    } else {
      result_.buffers.push_back({set, binding, memory.storage, std::move(memory.bytes), element});
    }
  }
}

Status Resolver::GiveValues() {
  // Lengths of runtime arrays come first, so that the order of the file does not matter.
  for (const InputValue& value : inputs_.values) {
    if (value.buffer_bytes == 0 || value.is_addressed_buffer()) continue;
    if (Status status = GiveBytes(value); !status && !MayLeaveOut(status)) return status;
  }
  for (const InputValue& value : inputs_.values) {
    if (value.buffer_bytes != 0 || value.image.has_value() || !value.buffer.empty()) continue;
    Result<std::vector<Target>> targets = TargetsOf(value);
    if (!targets) return targets.error();
    if (targets->empty()) result_.unused.push_back(value.name);
    for (const Target& target : *targets) {
      Status status = Give(value, value.name, target);
      if (!status && !MayLeaveOut(status)) return status;
    }
  }
  if (!inputs_.compute.has_value()) return {};
  Status status = GiveCompute(*inputs_.compute);
  return !status && MayLeaveOut(status) ? Status() : status;
}

Result<ResolvedBlocks> Resolver::Run() {
  Status status = CollectBlocks();
  if (status) status = GiveValues();
  if (status) status = GiveLengths();
  if (status) FindMissing();
  if (status) status = FillMemories();
  if (!status) return status.error();
  Collect();
  for (GivenBlock& block : blocks_) result_.blocks.push_back(std::move(block));
  return std::move(result_);
}

}  // namespace

Result<ResolvedBlocks> ResolveBlocks(const Module& module, const EntryPoint& entry,
                                     const BlockNames& names, const Inputs& inputs,
                                     const std::string& file, const BlockOptions& options) {
  return Resolver(module, entry, names, inputs, file, options).Run();
}

}  // namespace input
}  // namespace refract
