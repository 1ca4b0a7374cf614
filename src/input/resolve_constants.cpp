// SPDX-License-Identifier: Apache-2.0
#include "input/resolve_constants.h"

#include <algorithm>

#include "base/text.h"
#include "input/scalar.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

// Converts the value to a constant of `type`; false if it is of another type or too large.
bool Convert(const Module& module, Id type, const SpecConstant& given, BoundConstant* bound) {
  if (IsBool(module, type)) {
    bound->width = 32;  // VkBool32
    bound->bits = given.bits;
    return given.kind == SpecConstant::kBool;
  }
  bound->width = Width(module, type);
  if (bound->width == 0 || given.kind == SpecConstant::kBool) return false;
  if (IsFloat(module, type)) {
    const std::string text = given.kind == SpecConstant::kReal ? FloatText(given.bits, 64)
                             : given.negative ? format("{}", static_cast<int64_t>(given.bits))
                                              : format("{}", given.bits);
    return ParseFloat(text, bound->width, &bound->bits);
  }
  if (given.kind != SpecConstant::kInteger) return false;
  const uint64_t mask = bound->width == 64 ? ~uint64_t{0} : (uint64_t{1} << bound->width) - 1;
  bound->bits = given.bits & mask;
  const bool is_signed = IsSigned(module, type);
  const uint64_t largest = is_signed ? mask >> 1 : mask;
  return given.negative ? is_signed && ~given.bits <= largest : given.bits <= largest;
}

std::string TypeText(const Module& module, Id type) {
  if (IsBool(module, type)) return "a bool";
  return format("{} of {} bits",
                IsFloat(module, type)    ? "a float"
                : IsSigned(module, type) ? "a signed integer"
                                         : "an unsigned integer",
                Width(module, type));
}

}  // namespace

Result<std::vector<BoundConstant>> ResolveConstants(const Module& module, const Inputs& inputs,
                                                    const std::string& file) {
  std::vector<BoundConstant> constants;
  if (inputs.spec_constants.empty()) return constants;
  Status status;
  ForEachInstruction(module, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    if (!status || module.Opcode(inst) != spv::Op::OpDecorate ||
        static_cast<spv::Decoration>(module.Word(inst, 1)) != spv::Decoration::SpecId) {
      return;
    }
    const uint32_t id = module.Word(inst, 2);
    for (const SpecConstant& given : inputs.spec_constants) {
      if (given.id != id) continue;
      const Id type = module.TypeOf(module.IdAt(inst, 0));
      BoundConstant bound;
      bound.id = id;
      if (!Convert(module, type, given, &bound)) {
        status =
            Error{format("{}: /$spec_constants/{}: the value does not fit the constant of the "
                         "module, which is {}",
                         file, id, TypeText(module, type))};
        return;
      }
      constants.push_back(bound);
    }
  });
  if (!status) return status.error();
  // Several constants may have the same SpecId. Their values are equal unless their types differ.
  std::sort(constants.begin(), constants.end(), [](const auto& a, const auto& b) {
    return std::tie(a.id, a.width, a.bits) < std::tie(b.id, b.width, b.bits);
  });
  constants.erase(std::unique(constants.begin(), constants.end()), constants.end());
  for (size_t i = 1; i < constants.size(); ++i) {
    if (constants[i].id != constants[i - 1].id) continue;
    return Error{format("{}: /$spec_constants/{}: the module has constants of different types with "
                        "this id",
                        file, constants[i].id),
                 ErrorKind::kUnavailable};
  }
  return constants;
}

}  // namespace input
}  // namespace refract
