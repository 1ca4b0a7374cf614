// SPDX-License-Identifier: Apache-2.0
#include "generate/write_output.h"

#include <vector>

namespace refract::generate {
namespace {

using spv::Op;
using spv::StorageClass;

constexpr uint32_t kHash = 0x9e3779b1;  // odd, so that a multiplication loses nothing

}  // namespace

uint32_t OutputWriter::AddToHash(uint32_t hash, uint32_t word) {
  if (hash == 0) return word;
  const uint32_t mixed = code_.Add(Op::OpIMul, kUintType, {hash, module_.Uint(kHash)});
  return code_.Add(Op::OpIAdd, kUintType, {mixed, word});
}

uint32_t OutputWriter::HashOf(uint32_t id) {
  const Variable& variable = tree_.variables[id];
  uint32_t hash = 0;
  for (uint32_t part = 0; part < variable.Parts(); ++part) {
    const Type type = variable.TypeOf(part);
    const uint32_t words = code_.ToUints(code_.Load({id, kNone, 0}, part), type);
    for (uint32_t i = 0; i < type.components; ++i) {
      hash = AddToHash(hash, type.components == 1
                                 ? words
                                 : code_.Add(Op::OpCompositeExtract, kUintType, {words, i}));
    }
  }
  return hash;
}

void OutputWriter::Write() {
  const std::vector<uint32_t>& variables = tree_.main().variables;
  if (options_.stage != Stage::kCompute) {
    uint32_t hash = 0;
    for (const uint32_t id : variables) hash = AddToHash(hash, HashOf(id));
    WriteColour(hash);
    if (options_.stage == Stage::kVertex) WritePosition();
    return;
  }
  const uint32_t buffer = module_.StorageBuffer(kOutputBinding);
  const uint32_t pointer = module_.Pointer(StorageClass::StorageBuffer, module_.TypeId(kUintType));
  const uint32_t row =
      code_.Add(Op::OpIMul, kUintType,
                {code_.Invocation(), module_.Uint(static_cast<uint32_t>(variables.size()))});
  for (uint32_t i = 0; i < variables.size(); ++i) {
    const uint32_t index = code_.Add(Op::OpIAdd, kUintType, {row, module_.Uint(i)});
    const uint32_t word = code_.Add(Op::OpAccessChain, pointer, {buffer, module_.Uint(0), index});
    code_.code().Add(Op::OpStore, {word, HashOf(variables[i])});
  }
}

// Three bits n of the hash give a channel: n/16, or (n+9)/16 from 4 on.
void OutputWriter::WriteColour(uint32_t hash) {
  const Type uints = {Scalar::kUint, 4}, floats = {Scalar::kFloat, 4};
  const uint32_t high = code_.Add(Op::OpShiftRightLogical, kUintType, {hash, module_.Uint(16)});
  const uint32_t folded = code_.Add(Op::OpBitwiseXor, kUintType, {hash, high});
  const uint32_t four =
      code_.Add(Op::OpCompositeConstruct, uints, {folded, folded, folded, folded});
  constexpr uint64_t kShifts[] = {0, 3, 6, 9};
  const uint32_t shifted =
      code_.Add(Op::OpShiftRightLogical, uints, {four, module_.Constant(uints, kShifts)});
  const uint32_t bits = code_.Add(Op::OpBitwiseAnd, uints, {shifted, module_.Constant(uints, 7)});
  const uint32_t upper =
      code_.Add(Op::OpShiftRightLogical, uints, {bits, module_.Constant(uints, 2)});
  const uint32_t gap = code_.Add(Op::OpIMul, uints, {upper, module_.Constant(uints, 9)});
  const uint32_t level = code_.Add(Op::OpIAdd, uints, {bits, gap});
  const uint32_t real = code_.Add(Op::OpConvertUToF, floats, {level});
  const uint32_t colour =
      code_.Add(Op::OpFMul, floats, {real, module_.FloatConstant(floats, 0.0625f)});
  code_.code().Add(Op::OpStore, {module_.Colour(), colour});
}

void OutputWriter::WritePosition() {
  const uint32_t position = code_.Add(Op::OpLoad, Type{Scalar::kFloat, 4}, {module_.Corner()});
  code_.code().Add(Op::OpStore, {module_.Position(), position});
}

}  // namespace refract::generate
