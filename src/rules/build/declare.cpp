// SPDX-License-Identifier: Apache-2.0
#include "rules/build/declare.h"

#include <algorithm>

#include "base/check.h"
#include "ir/call_graph.h"
#include "ir/grammar/properties.h"
#include "ir/types.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

using message::Constant;
using message::Type;
using Kind = message::Type::Kind;

constexpr int kMaxDepth = 8;        // of a type or constant in a message; deeper ones are refused
constexpr size_t kMaxMembers = 64;  // of a struct in a message

struct Content {
  spv::Op opcode;
  Args args;
};

// True if ints or floats may have this width: the module has such a type, or a capability allows
// it.
bool HasWidth(const Module& module, bool is_float, uint32_t width) {
  if (width == 32) return true;
  bool found = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    const spv::Op opcode = module.Opcode(inst);
    found |= opcode == (is_float ? spv::Op::OpTypeFloat : spv::Op::OpTypeInt) &&
             module.Word(inst, 0) == width;
  });
  using C = spv::Capability;
  if (found) return true;
  if (width == 64) return HasCapability(module, is_float ? C::Float64 : C::Int64);
  if (width == 16) return HasCapability(module, is_float ? C::Float16 : C::Int16);
  return width == 8 && !is_float && HasCapability(module, C::Int8);
}

bool IsStorageClassUsable(uint32_t storage) {
  switch (static_cast<spv::StorageClass>(storage)) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
    case spv::StorageClass::Workgroup:
      return true;
    default:
      return false;
  }
}

// Components of vectors must be scalars, columns of matrices float vectors (SPIR-V 2.8, 3.42.6).
bool IsPartAllowed(const Module& module, const Type& type, const Type& part) {
  const Id found = FindType(module, part);
  const Kind kind = part.kind;
  switch (type.kind) {
    case Kind::kVector:
      return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat;
    case Kind::kMatrix:
      return kind == Kind::kVector && part.parts.size() == 1 && part.parts[0].kind == Kind::kFloat;
    case Kind::kArray:
    case Kind::kStruct:
      return kind != Kind::kVoid && kind != Kind::kFunction && kind != Kind::kRuntimeArray &&
             kind != Kind::kPointer && (found == Id::kNone || IsStorable(module, found));
    case Kind::kPointer:
      return kind != Kind::kVoid && kind != Kind::kFunction && kind != Kind::kPointer;
    default:
      return false;
  }
}

// True if the type or a part of it has an identity. It may then have decorations that are not
// allowed inside a struct (Block, BuiltIn, Offset).
bool IsNamed(const Type& type) {
  return type.declared || std::any_of(type.parts.begin(), type.parts.end(), IsNamed);
}

bool IsTypeDeclarable(const Module& module, const Type& type, int depth) {
  if (type.declared) {
    // The name alone defines the type, so the other fields must be empty.
    Type named;
    named.declared = type.declared;
    return type == named && FindType(module, type) != Id::kNone;
  }
  if (depth > kMaxDepth) return false;
  switch (type.kind) {
    case Kind::kBool:
      return type.parts.empty();
    case Kind::kInt:
      return type.parts.empty() && HasWidth(module, false, type.width);
    case Kind::kFloat:
      return type.parts.empty() && HasWidth(module, true, type.width);
    case Kind::kVector:
    case Kind::kMatrix:
      if (type.count < 2 || type.count > 4) return false;
      // Does not check for the capability Matrix, which kernels may lack: IsDeclarableHere does.
      break;
    case Kind::kArray:
      if (type.count == 0 || type.count > 4096) return false;
      break;
    case Kind::kPointer:
      if (!IsStorageClassUsable(type.storage)) return false;
      break;
    case Kind::kStruct:
      return !type.parts.empty() && type.parts.size() <= kMaxMembers &&
             std::all_of(type.parts.begin(), type.parts.end(), [&](const Type& part) {
               return IsTypeDeclarable(module, part, depth + 1) && !IsNamed(part) &&
                      IsPartAllowed(module, type, part);
             });
    default:
      // Void and function types: by name, or if the module has them.
      return FindType(module, type) != Id::kNone;
  }
  return type.parts.size() == 1 && IsTypeDeclarable(module, type.parts[0], depth + 1) &&
         IsPartAllowed(module, type, type.parts[0]);
}

Id FindTypeAt(const Module& module, const Type& type, int depth) {
  if (type.declared) {
    const Id id = module.FindId(type.declared);
    return id != Id::kNone && IsType(module.OpcodeOf(id)) ? id : Id::kNone;
  }
  if (depth > kMaxDepth) return Id::kNone;
  Args args;
  const auto opcode = static_cast<spv::Op>(type.kind);
  if (type.kind == Kind::kPointer) args.push_back(type.storage);
  for (const Type& part : type.parts) {
    const Id id = FindTypeAt(module, part, depth + 1);
    if (id == Id::kNone) return Id::kNone;
    args.push_back(id);
  }
  switch (type.kind) {
    case Kind::kVoid:
    case Kind::kBool:
    case Kind::kRuntimeArray:
    case Kind::kPointer:
    case Kind::kFunction:
      break;
    case Kind::kStruct:
      // An empty struct has an identity, because steps cannot declare one.
      if (type.parts.empty()) return Id::kNone;
      break;
    case Kind::kNone:
      return Id::kNone;
    case Kind::kInt:
      args = {type.width, type.is_signed ? 1u : 0u};
      break;
    case Kind::kFloat:
      args = {type.width};
      break;
    case Kind::kVector:
    case Kind::kMatrix:
      args.push_back(type.count);
      break;
    case Kind::kArray: {
      const Id length_type = module.FindDeclaration(spv::Op::OpTypeInt, Id::kNone, {32u, 0u});
      if (length_type == Id::kNone) return Id::kNone;
      const Id length = module.FindDeclaration(spv::Op::OpConstant, length_type, {type.count});
      if (length == Id::kNone) return Id::kNone;
      args.push_back(length);
      break;
    }
    default:
      return Id::kNone;
  }
  return module.FindDeclaration(opcode, Id::kNone, args);
}

bool IsScalar(Kind kind) {
  return kind == Kind::kBool || kind == Kind::kInt || kind == Kind::kFloat;
}

// True if these words are the only valid way to write a scalar of this type (SPIR-V 2.2.1: narrow
// literals are extended).
bool AreWordsRight(const Type& type, const std::vector<uint32_t>& words) {
  if (type.kind == Kind::kBool) return words.size() == 1 && words[0] <= 1;
  if (words.size() != (type.width + 31) / 32) return false;
  if (type.width >= 32) return true;
  const bool negative = type.is_signed && (words[0] >> (type.width - 1) & 1) != 0;
  const uint32_t high = words[0] >> type.width;
  return high == (negative ? 0xffffffffu >> type.width : 0);
}

bool IsConstantDeclarable(const Module& module, const Constant& constant, int depth) {
  if (depth > kMaxDepth || !IsTypeDeclarable(module, constant.type, 0)) return false;
  if (constant.is_null) {
    const Id type = FindType(module, constant.type);
    if (!constant.words.empty() || !constant.parts.empty()) return false;
    return type != Id::kNone ? HasNull(module, type) : constant.type.kind != Kind::kPointer;
  }
  if (IsScalar(constant.type.kind)) {
    return constant.parts.empty() && AreWordsRight(constant.type, constant.words);
  }
  const Kind kind = constant.type.kind;
  const bool is_struct = kind == Kind::kStruct;
  if (!is_struct && kind != Kind::kVector && kind != Kind::kMatrix && kind != Kind::kArray) {
    return false;
  }
  const size_t count = is_struct ? constant.type.parts.size() : constant.type.count;
  if (!constant.words.empty() || constant.parts.size() != count) return false;
  for (size_t i = 0; i < count; ++i) {
    const Constant& part = constant.parts[i];
    if (!(part.type == constant.type.parts[is_struct ? i : 0]) ||
        !IsConstantDeclarable(module, part, depth + 1)) {
      return false;
    }
  }
  return true;
}

spv::Op ScalarOpcode(const Constant& constant) {
  if (constant.type.kind != Kind::kBool) return spv::Op::OpConstant;
  return constant.words[0] != 0 ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse;
}

}  // namespace

bool HasNull(const Module& module, Id type) {
  return IsStorable(module, type);
}

Constant ScalarConstant(const Type& type, uint64_t bits) {
  Constant constant;
  constant.type = type;
  if (type.kind == Kind::kBool) {
    constant.words = {bits != 0 ? 1u : 0u};
  } else if (type.width > 32) {
    constant.words = {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
  } else {
    uint32_t word = static_cast<uint32_t>(bits);
    if (type.width < 32) {
      word &= (1u << type.width) - 1;
      if (type.is_signed && word >> (type.width - 1) != 0) word |= ~((1u << type.width) - 1);
    }
    constant.words = {word};
  }
  return constant;
}

Constant ScalarConstant(const Module& module, Id type, uint64_t bits) {
  return ScalarConstant(Describe(module, type), bits);
}

Constant NullConstant(const Type& type) {
  Constant constant;
  constant.type = type;
  constant.is_null = true;
  return constant;
}

Constant BoolConstant(bool value) {
  return ScalarConstant(BoolType(), value ? 1 : 0);
}

Type IntType(uint32_t width, bool is_signed) {
  Type type;
  type.kind = Kind::kInt;
  type.width = width;
  type.is_signed = is_signed;
  return type;
}

Type FloatType(uint32_t width) {
  Type type;
  type.kind = Kind::kFloat;
  type.width = width;
  return type;
}

Type VectorType(Type component, uint32_t count) {
  Type type;
  type.kind = Kind::kVector;
  type.count = count;
  type.parts.push_back(std::move(component));
  return type;
}

Type BoolType() {
  Type type;
  type.kind = Kind::kBool;
  return type;
}

Type PointerType(spv::StorageClass storage, Type pointee) {
  Type type;
  type.kind = Kind::kPointer;
  type.storage = static_cast<uint32_t>(storage);
  type.parts.push_back(std::move(pointee));
  return type;
}

Id FindType(const Module& module, const Type& type) {
  return FindTypeAt(module, type, 0);
}

bool IsDeclarable(const Module& module, const Type& type) {
  return IsTypeDeclarable(module, type, 0);
}

bool IsDeclarable(const Module& module, const Constant& constant) {
  return IsConstantDeclarable(module, constant, 0);
}

Id FindConstant(const Module& module, const Constant& constant) {
  const Id type = FindType(module, constant.type);
  if (type == Id::kNone) return Id::kNone;
  if (constant.is_null) return module.FindDeclaration(spv::Op::OpConstantNull, type, {});
  if (IsScalar(constant.type.kind)) {
    const spv::Op opcode = ScalarOpcode(constant);
    Args args;
    if (opcode == spv::Op::OpConstant) args.assign(constant.words.begin(), constant.words.end());
    return module.FindDeclaration(opcode, type, args);
  }
  Args args;
  for (const Constant& part : constant.parts) {
    const Id id = FindConstant(module, part);
    if (id == Id::kNone) return Id::kNone;
    args.push_back(id);
  }
  return module.FindDeclaration(spv::Op::OpConstantComposite, type, args);
}

Id Declare(Editor& editor, const Type& type) {
  if (const Id found = FindType(editor.module(), type); found != Id::kNone) return found;
  CHECK(!type.declared);
  Args args;
  if (type.kind == Kind::kPointer) args.push_back(type.storage);
  for (const Type& part : type.parts) args.push_back(Declare(editor, part));
  switch (type.kind) {
    case Kind::kInt:
      args = {type.width, type.is_signed ? 1u : 0u};
      break;
    case Kind::kFloat:
      args = {type.width};
      break;
    case Kind::kVector:
    case Kind::kMatrix:
      args.push_back(type.count);
      break;
    case Kind::kArray:
      args.push_back(Declare(editor, ScalarConstant(IntType(32, false), type.count)));
      break;
    default:
      break;
  }
  return editor.Declare(static_cast<spv::Op>(type.kind), Id::kNone, args);
}

Id Declare(Editor& editor, const Constant& constant) {
  if (const Id found = FindConstant(editor.module(), constant); found != Id::kNone) return found;
  const Id type = Declare(editor, constant.type);
  if (constant.is_null) return editor.Declare(spv::Op::OpConstantNull, type, {});
  Args args;
  if (IsScalar(constant.type.kind)) {
    const spv::Op opcode = ScalarOpcode(constant);
    if (opcode == spv::Op::OpConstant) args.assign(constant.words.begin(), constant.words.end());
    return editor.Declare(opcode, type, args);
  }
  for (const Constant& part : constant.parts) args.push_back(Declare(editor, part));
  return editor.Declare(spv::Op::OpConstantComposite, type, args);
}

Id DeclareNull(Editor& editor, Id type) {
  return editor.Declare(spv::Op::OpConstantNull, type, {});
}

Id FindGlslImport(const Module& module) {
  Id found = Id::kNone;
  ForEachInstruction(module, Module::SectionBlock(Section::kImports), [&](Inst inst) {
    if (found != Id::kNone || module.Opcode(inst) != spv::Op::OpExtInstImport) return;
    if (ExtInstSetByName(StringOperand(module, inst, 0)) == ExtInstSet::kGlsl) {
      found = module.Result(inst);
    }
  });
  return found;
}

}  // namespace rules
}  // namespace refract
