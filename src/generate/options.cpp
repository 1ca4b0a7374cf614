// SPDX-License-Identifier: Apache-2.0
#include "generate/options.h"

#include "base/text.h"

namespace refract::generate {

using O = GenerateOptions;
const std::array<NumberOption, 25> kNumberOptions = {{
    {"--divergent", &O::divergent, 0, 100,
     "Percentage of statements that are divergent (default 20)"},
    {"--assignments", &O::assignments, 1, 1000,
     "Weight of assignments; the weights say how often each kind of statement is drawn (default "
     "50)"},
    {"--ifs", &O::ifs, 0, 1000, "Weight of ifs (default 20)"},
    {"--loops", &O::loops, 0, 1000, "Weight of loops (default 14)"},
    {"--switches", &O::switches, 0, 1000, "Weight of switches (default 5)"},
    {"--jumps", &O::jumps, 0, 1000, "Weight of breaks, continues and returns (default 4)"},
    {"--calls", &O::calls, 0, 1000, "Weight of calls; 0: the program has no functions (default 4)"},
    {"--barriers", &O::groups, 0, 1000,
     "Weight of exchanges and atomics of a workgroup with barriers (default 3)"},
    {"--block", &O::block, 1, 64,
     "Maximum number of statements of a block; an inner block has one less (default 12)"},
    {"--nested", &O::nested, 0, 12,
     "Maximum number of ifs, loops and switches around a statement (default 5)"},
    {"--rounds", &O::rounds, 1, 16, "Maximum number of iterations of a loop (default 3)"},
    {"--depth", &O::depth, 0, 8, "Maximum depth of an expression (default 3)"},
    {"--live", &O::live, 0, 100,
     "Percentage of assignments that also use an earlier value of the same class (default 30)"},
    {"--classes", &O::classes, 0, 1,
     "1: each statement is uniform or divergent and uses variables of its class. 0: all statements "
     "use all variables (default 1)"},
    {"--variables", &O::variables, 1, 64, "Number of variables of the entry point (default 12)"},
    {"--statements", &O::statements, 1, 10'000,
     "Maximum number of statements of a program (default 200)"},
    {"--least", &O::least, 0, 5'000,
     "Minimum number of statements of a program, as far as the other options allow (default 0)"},
    {"--workgroup", &O::workgroup, 1, 128, "Number of invocations of a workgroup (default 64)"},
    {"--groups", &O::workgroups, 1, 64, "Number of workgroups (default 2)"},
    {"--side", &O::side, 1, 64,
     "Width and height of the image of a fragment shader, or of the grid of a vertex shader "
     "(default 16)"},
    {"--spec-constants", &O::spec_constants, 0, 100,
     "Percentage of uniform inputs that are specialisation constants (default 15)"},
    {"--images", &O::images, 0, 100,
     "Percentage of numbers in expressions that are texels of images (default 3)"},
    {"--storage-images", &O::storage_images, 0, 100,
     "Percentage of variables of the entry point that are texels of storage images, at most two; "
     "compute (default 0)"},
    {"--derivatives", &O::derivatives, 0, 100,
     "Percentage of uniform operations on floats that add a derivative, which is 0; fragment "
     "(default 8)"},
    {"--subgroups", &O::subgroups, 0, 1000,
     "Weight of subgroup operations, which not all devices have (default 0)"},
}};

std::string_view NameOf(Stage stage) {
  constexpr std::string_view kNames[] = {"compute", "fragment", "vertex"};
  static_assert(std::size(kNames) == static_cast<size_t>(Stage::kCount));
  return kNames[static_cast<size_t>(stage)];
}

std::string_view NameOf(Floats floats) {
  constexpr std::string_view kNames[] = {"none", "exact", "bounded"};
  static_assert(std::size(kNames) == static_cast<size_t>(Floats::kCount));
  return kNames[static_cast<size_t>(floats)];
}

uint32_t InvocationsOf(const GenerateOptions& options) {
  switch (options.stage) {
    case Stage::kCompute:
      return options.workgroup * options.workgroups;
    case Stage::kFragment:
      return options.side * options.side;
    default:
      return (options.side + 1) * (options.side + 1);
  }
}

std::vector<Scalar> ScalarsOf(const GenerateOptions& options) {
  std::vector<Scalar> scalars = {Scalar::kBool, Scalar::kInt, Scalar::kUint};
  if (options.floats != Floats::kNone) scalars.push_back(Scalar::kFloat);
  const auto has = [&](uint32_t type) { return (options.types >> type & 1) != 0; };
  if (has(0)) scalars.insert(scalars.end(), {Scalar::kInt16, Scalar::kUint16});
  if (has(1)) scalars.insert(scalars.end(), {Scalar::kInt64, Scalar::kUint64});
  if (has(2) && options.floats != Floats::kNone) scalars.push_back(Scalar::kFloat16);
  if (has(3) && options.floats != Floats::kNone) scalars.push_back(Scalar::kFloat64);
  return scalars;
}

uint32_t OptionalType(std::string_view name) {
  for (size_t i = 0; i < kOptionalTypes.size(); ++i) {
    if (name == kOptionalTypes[i]) return 1u << i;
  }
  return 0;
}

std::string OptionalTypesText(uint32_t types) {
  std::string text;
  for (size_t i = 0; i < kOptionalTypes.size(); ++i) {
    if ((types >> i & 1) != 0) text.append(text.empty() ? "" : ",").append(kOptionalTypes[i]);
  }
  return text;
}

Status CheckOptions(const GenerateOptions& options) {
  for (const NumberOption& one : kNumberOptions) {
    const uint32_t value = options.*one.value;
    if (value >= one.low && value <= one.high) continue;
    return Error{format("{}: {} is not between {} and {}", one.option, value, one.low, one.high),
                 ErrorKind::kUsage};
  }
  return {};
}

}  // namespace refract::generate
