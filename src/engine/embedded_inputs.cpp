// SPDX-License-Identifier: Apache-2.0
#include "engine/embedded_inputs.h"

#include <cstring>

#include "base/text.h"
#include "input/blocks.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/decorations.h"
#include "ir/edit/editor.h"
#include "ir/grammar/grammar.h"
#include "ir/types.h"

namespace refract {
inline namespace engine {
namespace {

constexpr auto kPrivate = static_cast<uint32_t>(spv::StorageClass::Private);
constexpr uint32_t kStep = 1;  // the names of the new instructions are never used

class InputEmbedder {
 public:
  InputEmbedder(Module& module, const Bindings& bindings, const std::string& file)
      : module_(module), editor_(module, kStep), bindings_(bindings), file_(file) {}

  Status Embed(const std::vector<BlockVariable>& blocks);
  void Embed(const BoundConstant& constant);

 private:
  Error Refuse(std::string_view what) const {
    return Error{format("{}: cannot build the inputs into the module: {}", file_, what),
                 ErrorKind::kUnavailable};
  }
  const std::string* BytesOf(const BlockPlace& place) const;
  Result<Id> Constant(Id type, const Layout& layout, const std::string& bytes, size_t* next);
  Status Redirect(Id from, Id to);
  Status Retype(Inst user, uint32_t operand);

  Module& module_;
  Editor editor_;
  const Bindings& bindings_;
  const std::string& file_;
};

const std::string* InputEmbedder::BytesOf(const BlockPlace& place) const {
  if (place.push_constant) return &bindings_.push_constants;
  for (const BoundBuffer& buffer : bindings_.buffers) {
    if (BlockPlace(buffer) == place) return &buffer.bytes;
  }
  return nullptr;
}

// Returns a constant of `type` from `bytes`. It takes the scalars of the layout one by one, because
// they are in the order of the parts of the type.
Result<Id> InputEmbedder::Constant(Id type, const Layout& layout, const std::string& bytes,
                                   size_t* next) {
  if (Width(module_, type) != 0) {
    if (*next >= layout.scalars.size()) {
      return Refuse("the layout of a block does not match the type of the block");
    }
    const LaidOutScalar& scalar = layout.scalars[(*next)++];
    uint64_t bits = 0;
    if (scalar.offset + scalar.width / 8 <= bytes.size()) {
      std::memcpy(&bits, bytes.data() + scalar.offset, scalar.width / 8);
    }
    Args words;
    for (const uint32_t word : LiteralWords(module_, type, bits)) words.emplace_back(word);
    return editor_.Declare(spv::Op::OpConstant, type, words);
  }
  const std::optional<uint32_t> count = PartCount(module_, type);
  if (!count) return Refuse("the length of an array is a specialisation constant");
  Args parts;
  for (uint32_t i = 0; i < *count; ++i) {
    const Result<Id> part = Constant(PartType(module_, type, i), layout, bytes, next);
    if (!part) return part.error();
    parts.emplace_back(*part);
  }
  return editor_.Declare(spv::Op::OpConstantComposite, type, parts);
}

// Changes an instruction that uses a pointer to a uniform so that it uses a pointer to private
// memory.
Status InputEmbedder::Retype(Inst user, uint32_t operand) {
  switch (module_.Opcode(user)) {
    case spv::Op::OpLoad:
      // Memory operands concern memory that other invocations see. Private memory needs none.
      if (module_.OperandCount(user) > 1) editor_.SetOperands(user, {module_.IdAt(user, 0)});
      return {};
    case spv::Op::OpCopyMemory:
      if (operand != 1) return Refuse("the module stores to a uniform");
      editor_.SetOperands(user, {module_.IdAt(user, 0), module_.IdAt(user, 1)});
      return {};
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpCopyObject:
      break;
    default:
      return Refuse(format("{} uses a pointer to a uniform", NameOf(module_.Opcode(user))));
  }
  const Id result = module_.Result(user);
  const Id pointee = ElementType(module_, module_.TypeOf(result));
  editor_.SetType(user, editor_.Declare(spv::Op::OpTypePointer, Id::kNone, {kPrivate, pointee}));
  return Redirect(result, result);
}

// Replaces uses of `from` by uses of `to`, which may be the same id with another type.
Status InputEmbedder::Redirect(Id from, Id to) {
  std::vector<std::pair<Inst, uint32_t>> uses;
  ForEachUse(module_, from,
             [&](Use use) { uses.emplace_back(module_.User(use), module_.OperandIndex(use)); });
  for (const auto& [user, operand] : uses) {
    const bool in_function = module_.FunctionOf(user) != Function::kNone;
    if (!in_function && module_.Opcode(user) != spv::Op::OpEntryPoint) continue;
    if (from != to) editor_.SetOperand(user, operand, to);
    if (!in_function) continue;
    if (Status typed = Retype(user, operand); !typed) return typed;
  }
  return {};
}

// Embeds the blocks of one variable: the elements of an array in order, or one block.
Status InputEmbedder::Embed(const std::vector<BlockVariable>& blocks) {
  const Id old = blocks.front().variable;
  Args values;
  for (const BlockVariable& block : blocks) {
    const std::string* bytes = BytesOf(block.place);
    // The entry point does not use the block, and the inputs lack it.
    if (bytes == nullptr) return {};
    size_t next = 0;
    const Result<Id> value = Constant(block.type, block.layout, *bytes, &next);
    if (!value) return value.error();
    values.emplace_back(*value);
  }
  const Id type = ElementType(module_, module_.TypeOf(old));
  if (blocks.front().in_array) {
    values = {editor_.Declare(spv::Op::OpConstantComposite, type, values)};
  }
  values.insert(values.begin(), kPrivate);
  const Id pointer = editor_.Declare(spv::Op::OpTypePointer, Id::kNone, {kPrivate, type});
  const Id variable = editor_.DeclareDistinct(spv::Op::OpVariable, pointer,
                                              editor_.Made(1, module_.NameOf(old)), values);
  if (Status redirected = Redirect(old, variable); !redirected) return redirected;
  editor_.Remove(module_.Definition(old));
  return {};
}

void InputEmbedder::Embed(const BoundConstant& constant) {
  std::vector<Id> found;
  ForEachInstruction(module_, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    if (module_.Opcode(inst) == spv::Op::OpDecorate &&
        module_.Word(inst, 1) == static_cast<uint32_t>(spv::Decoration::SpecId) &&
        module_.Word(inst, 2) == constant.id) {
      found.push_back(module_.IdAt(inst, 0));
    }
  });
  for (const Id id : found) {
    const Inst definition = module_.Definition(id);
    if (module_.Opcode(definition) == spv::Op::OpSpecConstant) {
      Args words;
      for (const uint32_t word : LiteralWords(module_, module_.TypeOf(id), constant.bits)) {
        words.emplace_back(word);
      }
      editor_.SetOperands(definition, words);
    } else {
      editor_.SetOpcode(definition, constant.bits != 0 ? spv::Op::OpSpecConstantTrue
                                                       : spv::Op::OpSpecConstantFalse);
    }
  }
}

}  // namespace

Result<std::vector<uint32_t>> WithInputsEmbedded(const Module& module, const EntryPoint& entry,
                                                 const Inputs& inputs, const std::string& file) {
  const Result<ResolvedInputs> resolved =
      Resolve(module, entry, inputs, file, {.zero_inputs = true});
  if (!resolved) return resolved.error();
  if (!resolved->bindings.addresses.empty()) {
    return Error{format("{}: the inputs have addresses, which cannot become constants", file),
                 ErrorKind::kUnavailable};
  }
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(module, entry, BlockNames(module), resolved->bindings.constants);
  if (!blocks) return blocks.error();
  Module made = module;
  {
    InputEmbedder embedder(made, resolved->bindings, file);
    for (const BlockVariable& first : *blocks) {
      if (first.storage || first.place.element != 0) continue;
      std::vector<BlockVariable> elements;
      for (const BlockVariable& block : *blocks) {
        if (block.variable == first.variable) elements.push_back(block);
      }
      if (Status built = embedder.Embed(elements); !built) return built.error();
    }
    for (const BoundConstant& constant : resolved->bindings.constants) embedder.Embed(constant);
  }
  return WriteModule(made);
}

}  // namespace engine
}  // namespace refract
