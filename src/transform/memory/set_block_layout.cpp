// SPDX-License-Identifier: Apache-2.0
// Changes one number in the layout of a block: an offset, a stride, or the order of rows and
// columns. Inputs that are given by offset move with their data; inputs that are given by name do
// not depend on the offsets.
#include "message/set_block_layout.h"

#include <algorithm>
#include <memory>
#include <set>

#include "input/inputs.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/uniform_block.h"

namespace refract::set_block_layout {
namespace {

using Message = message::SetBlockLayout;
using spv::Decoration;

bool IsPlaced(Decoration decoration) {
  return decoration == Decoration::Offset || decoration == Decoration::MatrixStride ||
         decoration == Decoration::RowMajor || decoration == Decoration::ArrayStride;
}

// The operand in the module that a message changes.
struct Place {
  Inst inst = Inst::kNone;
  uint32_t operand = 0;
  uint32_t value = 0;  // the current value
};

// Ignores decorations through groups, because these apply to other targets too.
Place FindPlace(const Module& module, const LayoutChange& change) {
  if (change.decoration == Decoration::ArrayStride) {
    const Inst inst = FindDecoration(module, change.type, change.decoration);
    if (inst == Inst::kNone || module.IdAt(inst, 0) != change.type) return {};
    return {inst, 2, module.Word(inst, 2)};
  }
  if (change.decoration != Decoration::RowMajor) {
    const Inst inst = FindMemberDecoration(module, change.type, change.member, change.decoration);
    return inst == Inst::kNone ? Place{} : Place{inst, 3, module.Word(inst, 3)};
  }
  for (const Decoration now : {Decoration::RowMajor, Decoration::ColMajor}) {
    const Inst inst = FindMemberDecoration(module, change.type, change.member, now);
    if (inst != Inst::kNone) return {inst, 2, now == Decoration::RowMajor ? 1u : 0u};
  }
  return {};
}

// The arrays and structs that contain the type, directly or indirectly, after the type itself.
std::vector<Id> TypesWith(const Module& module, Id type) {
  std::vector<Id> types{type};
  std::set<Id> seen{type};
  for (size_t i = 0; i < types.size(); ++i) {
    ForEachUse(module, types[i], [&](Use use) {
      const Inst user = module.User(use);
      const spv::Op opcode = module.Opcode(user);
      const bool is_whole = opcode == spv::Op::OpTypeStruct || opcode == spv::Op::OpTypeArray ||
                            opcode == spv::Op::OpTypeRuntimeArray;
      if (is_whole && seen.insert(module.Result(user)).second) types.push_back(module.Result(user));
    });
  }
  return types;
}

// The memory that has a certain layout.
struct Memory {
  std::vector<KnownBlock> blocks;
  std::vector<Id> types;  // from TypesWith
};

// True for storage classes where the layout has no effect, or where it is checked as part of a
// block.
bool MayHaveType(spv::StorageClass storage) {
  return storage == spv::StorageClass::Uniform || storage == spv::StorageClass::PushConstant ||
         storage == spv::StorageClass::Function || storage == spv::StorageClass::Private;
}

CheckResult FindMemory(const View& view, Id type, Memory* memory) {
  const Module& module = view.module();
  memory->types = TypesWith(module, type);
  const std::set<Id> types(memory->types.begin(), memory->types.end());
  for (Id whole : memory->types) {
    bool elsewhere = false;
    ForEachUse(module, whole, [&](Use use) {
      const Inst user = module.User(use);
      elsewhere |= module.Opcode(user) == spv::Op::OpTypePointer &&
                   !MayHaveType(static_cast<spv::StorageClass>(module.Word(user, 0)));
    });
    if (elsewhere) return No("memory of another storage class uses this layout");
  }
  for (Inst inst : module.global_variables()) {
    if (module[inst].removed) continue;
    const Id pointer = module.Type(inst);
    if (types.count(ElementType(module, pointer)) == 0 ||
        StorageClassOf(module, pointer) == spv::StorageClass::Private) {
      continue;
    }
    const std::optional<KnownBlock> block = KnownBlockOf(view, module.Result(inst));
    if (!block) return No("the inputs do not have a value for every member of a block");
    if (!IsUsedByEntryAlone(view, block->variable)) {
      return No("another entry point uses a block with this layout");
    }
    memory->blocks.push_back(*block);
  }
  return memory->blocks.empty() ? No("no block has this layout") : Yes();
}

// A larger stride may fit only because other steps made space, so the step depends on them.
void DependOnFreeSpace(const View& view, const Memory& memory) {
  const Module& module = view.module();
  for (Id type : memory.types) {
    for (Use use = module.FirstDecoration(type); use != Use::kNone; use = module.NextUse(use)) {
      const Inst user = module.User(use);
      if (module.Opcode(user) == spv::Op::OpMemberDecorate) {
        for (uint32_t i = 2; i < module.OperandCount(user); ++i) view.DependOn(user, i);
      } else if (module.Opcode(user) == spv::Op::OpDecorate && module.OperandCount(user) == 3) {
        view.DependOn(user, 2);
      }
    }
  }
}

LayoutChange ChangeOf(const Message& message, const Module& module) {
  return {module.FindId(message.type), message.member, static_cast<Decoration>(message.decoration),
          message.value};
}

CheckResult CheckExtents(const View& view, const LayoutChange& change) {
  Memory memory;
  if (CheckResult check_result = FindMemory(view, change.type, &memory); !check_result)
    return check_result;
  for (const KnownBlock& block : memory.blocks) {
    const auto extent = ExtentOf(view.module(), block.type, block.rules(), {}, &change);
    if (!extent) return No("the layout would violate the block layout rules");
    if (extent->size > block.most_bytes()) {
      return No("the block size exceeds the guaranteed Vulkan limit");
    }
  }
  if (change.decoration != Decoration::Offset) DependOnFreeSpace(view, memory);
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const LayoutChange change = ChangeOf(message, module);
  if (change.type == Id::kNone) return No("the type does not exist");
  if (!IsPlaced(change.decoration)) return No("the decoration is not part of a memory layout");
  const bool is_array = change.decoration == Decoration::ArrayStride;
  if (TypeOpcode(module, change.type) !=
      (is_array ? spv::Op::OpTypeArray : spv::Op::OpTypeStruct)) {
    return No(
        "ArrayStride requires an array type, and the other decorations require a struct type");
  }
  if (is_array && change.member != 0) {
    return No("the type is an array, but the message names a member");
  }
  const Place place = FindPlace(module, change);
  if (place.inst == Inst::kNone) return No("the type or member does not have this decoration");
  if (change.decoration == Decoration::RowMajor && change.value > 1) {
    return No("the value is neither row-major nor column-major");
  }
  if (place.value == change.value) return Yes();
  return CheckExtents(view, change);
}

bool IsGivenIn(const InputValue& value, const KnownBlock& block) {
  if (!value.offset) return false;
  if (block.push_constant) return value.push_constant;
  return value.has_binding && value.set == block.set && value.binding == block.binding;
}

// For each offset that the inputs give: the scalar of the block that begins there.
struct Moved {
  size_t value = 0;   // index in Inputs::values
  size_t block = 0;   // index in Memory::blocks
  size_t scalar = 0;  // index in Layout::scalars, whose order does not change
};

std::vector<Moved> ScalarsNamed(const Module& module, const Inputs& inputs, const Memory& memory) {
  std::vector<Moved> moved;
  for (size_t b = 0; b < memory.blocks.size(); ++b) {
    const Result<Layout> layout = LayOut(module, memory.blocks[b].type, 0);
    for (size_t v = 0; v < inputs.values.size(); ++v) {
      if (!layout || !IsGivenIn(inputs.values[v], memory.blocks[b])) continue;
      const auto& scalars = layout->scalars;
      const auto at = std::find_if(scalars.begin(), scalars.end(), [&](const auto& scalar) {
        return scalar.offset == *inputs.values[v].offset;
      });
      if (at == scalars.end()) continue;
      moved.push_back({v, b, static_cast<size_t>(at - scalars.begin())});
    }
  }
  return moved;
}

void Edit(ContextEditor& editor, const LayoutChange& change) {
  const Place place = FindPlace(editor.module(), change);
  uint32_t value = change.value;
  if (change.decoration == Decoration::RowMajor) {
    value = static_cast<uint32_t>(value != 0 ? Decoration::RowMajor : Decoration::ColMajor);
  }
  editor.SetOperand(place.inst, place.operand, value);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const LayoutChange change = ChangeOf(message, module);
  if (FindPlace(module, change).value == change.value) return;
  const std::shared_ptr<const Inputs> old = editor.view().context().inputs;
  if (old == nullptr) return Edit(editor, change);
  Memory memory;
  if (!FindMemory(editor.view(), change.type, &memory)) return;  // the check has accepted it
  const std::vector<Moved> moved = ScalarsNamed(module, *old, memory);
  Edit(editor, change);
  auto inputs = std::make_shared<Inputs>(*old);
  for (const Moved& one : moved) {
    const Result<Layout> layout = LayOut(module, memory.blocks[one.block].type, 0);
    inputs->values[one.value].offset = static_cast<uint32_t>(layout->scalars[one.scalar].offset);
  }
  editor.SetInputs(std::move(inputs));
}

// The numbers of a block's layout: those of the block and of everything in it.
std::vector<LayoutChange> NumbersOf(const Module& module, Id block) {
  constexpr size_t kMost = 256;
  std::vector<LayoutChange> numbers;
  std::vector<Id> types{block};
  const auto add_type = [&](Id type) {
    if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
  };
  const auto add = [&](Id type, uint32_t member, Decoration decoration) {
    LayoutChange number{type, member, decoration, 0};
    const Place place = FindPlace(module, number);
    number.value = place.value;
    if (place.inst != Inst::kNone) numbers.push_back(number);
  };
  for (size_t i = 0; i < types.size() && numbers.size() < kMost; ++i) {
    const Id type = types[i];
    if (TypeOpcode(module, type) == spv::Op::OpTypeArray) {
      add(type, 0, Decoration::ArrayStride);
      add_type(ElementType(module, type));
    }
    if (TypeOpcode(module, type) != spv::Op::OpTypeStruct) continue;
    for (uint32_t m = 0; m < module.OperandCount(module.Definition(type)); ++m) {
      if (numbers.size() >= kMost) break;
      add(type, m, Decoration::Offset);
      add(type, m, Decoration::MatrixStride);
      add(type, m, Decoration::RowMajor);
      add_type(PartType(module, type, m));
    }
  }
  return numbers;
}

Message MessageOf(const Module& module, const LayoutChange& change) {
  return {module.NameOf(change.type), change.member, static_cast<uint32_t>(change.decoration),
          change.value};
}

// A block, and the offset at which its free space begins, including what has been offered.
struct FreeSpace {
  const KnownBlock& block;
  uint64_t end = 0;
};

// Offers to move a member after all others, which does not depend on their offsets. There it has
// space to grow.
void OfferMove(Proposer& proposer, FreeSpace& free_space, uint32_t member) {
  const Module& module = proposer.module();
  const Id type = free_space.block.type;
  const auto extent = ExtentOf(module, PartType(module, type, member), free_space.block.rules(),
                               MatrixLayoutOf(module, type, member));
  if (!extent) return;
  const uint64_t offset = (free_space.end + 15) / 16 * 16 + 16 * proposer.Pick(6);
  const Message message =
      MessageOf(module, {type, member, Decoration::Offset, static_cast<uint32_t>(offset)});
  if (!Check(message, proposer.view())) return;
  proposer.Offer(message);
  free_space.end = offset + 2 * extent->size + 64;
}

// The member of the block to which the number belongs, or that is or contains the array or struct.
// Nullopt if it is nested more deeply.
std::optional<uint32_t> MemberWith(const Module& module, Id block, const LayoutChange& number) {
  if (number.type == block) return number.member;
  for (uint32_t m = 0; m < module.OperandCount(module.Definition(block)); ++m) {
    const Id part = PartType(module, block, m);
    if (part == number.type || ElementType(module, part) == number.type) return m;
  }
  return std::nullopt;
}

// A random offset for a member of a struct in the block: anywhere in the struct.
uint32_t PickOffset(Proposer& proposer, const KnownBlock& block, Id type) {
  const auto extent = ExtentOf(proposer.module(), type, block.rules(), {});
  return static_cast<uint32_t>(4 * proposer.Pick(extent ? extent->size / 4 + 1 : 1));
}

uint32_t PickStride(Proposer& proposer, uint32_t stride) {
  if (proposer.Pick(4) == 0 && stride > 16) return stride - 16;
  return stride + 16 * static_cast<uint32_t>(1 + proposer.Pick(3));
}

void OfferOne(Proposer& proposer, FreeSpace& free_space, LayoutChange number) {
  const Module& module = proposer.module();
  const Id block = free_space.block.type;
  if (number.decoration == Decoration::Offset) {
    if (number.type == block && proposer.Pick(3) != 0) {
      return OfferMove(proposer, free_space, number.member);
    }
    number.value = PickOffset(proposer, free_space.block, number.type);
    const Message message = MessageOf(module, number);
    if (Check(message, proposer.view())) proposer.Offer(message);
    return;
  }
  number.value = number.decoration == Decoration::RowMajor ? 1 - number.value
                                                           : PickStride(proposer, number.value);
  const Message message = MessageOf(module, number);
  if (!Check(message, proposer.view())) {
    const std::optional<uint32_t> member = MemberWith(module, block, number);
    if (!member) return;
    OfferMove(proposer, free_space, *member);
  }
  proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  for (const KnownBlock& block : KnownBlocks(proposer.view())) {
    if (proposer.Full()) return;
    const auto extent = ExtentOf(module, block.type, block.rules(), {});
    if (!extent) continue;
    FreeSpace free_space{block, extent->size};
    for (const LayoutChange& number : NumbersOf(module, block.type)) {
      if (proposer.ShouldTry()) OfferOne(proposer, free_space, number);
    }
  }
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {5, 40}});

}  // namespace refract::set_block_layout
