// SPDX-License-Identifier: Apache-2.0
#include "transform/pass_needs.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/memory.h"
#include "rules/values.h"

namespace refract {
inline namespace transform {
namespace {

using spv::Capability;
using spv::Op;

bool HasInstruction(const Module& module, bool (*fits)(Op opcode)) {
  bool found = false;
  for (Function f = module.first_function(); f != Function::kNone && !found;
       f = module.NextFunction(f)) {
    ForEachBlock(module, f, [&](Block block) {
      for (Inst i = module.First(block); i != Inst::kNone && !found; i = module.Next(i)) {
        found = fits(module.Opcode(i));
      }
    });
  }
  return found;
}

// PackSnorm4x8 is the first and UnpackUnorm4x8 the last of GLSL.std.450 that packs or unpacks.
bool HasPacking(const Module& module) {
  bool found = false;
  ForEachFunction(module, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        found = found || (module.Opcode(inst) == Op::OpExtInst &&
                          ExtInstSetOf(module, inst) == ExtInstSet::kGlsl &&
                          GLSLstd450PackSnorm4x8 <= module.Word(inst, 1) &&
                          module.Word(inst, 1) <= GLSLstd450UnpackUnorm4x8);
      });
    });
  });
  return found;
}

// OpSampledImage is the first of the instructions of images, OpImageQuerySamples the last one.
bool HasImages(const Module& module) {
  return HasInstruction(module, [](Op opcode) {
    return Op::OpSampledImage <= opcode && opcode <= Op::OpImageQuerySamples;
  });
}

bool HasFetches(const Module& module) {
  return HasInstruction(module, [](Op opcode) { return opcode == Op::OpImageFetch; });
}

bool HasAtomics(const Module& module) {
  return HasInstruction(
      module, [](Op opcode) { return Op::OpAtomicLoad <= opcode && opcode <= Op::OpAtomicXor; });
}

bool HasKills(const Module& module) {
  return HasInstruction(module, [](Op opcode) {
    return opcode == Op::OpKill || opcode == Op::OpTerminateInvocation;
  });
}

bool HasWidths(const Module& module) {
  return HasInstruction(module, [](Op opcode) {
    return opcode == Op::OpFwidth || opcode == Op::OpFwidthFine || opcode == Op::OpFwidthCoarse;
  });
}

bool HasArraysOfUniformBlocks(const Module& module) {
  bool found = false;
  ForEachGlobalVariable(module, [&](Inst variable) {
    found = found || (StorageClassOf(module, module.Type(variable)) == spv::StorageClass::Uniform &&
                      IsArrayOfBlocks(module, PointeeOf(module, module.Result(variable))));
  });
  return found;
}

template <Capability... kAny>
bool HasAny(const Module& module) {
  return (HasCapability(module, kAny) || ...);
}

struct Row {
  std::string_view name;
  bool (*may)(const Module& module);
};

constexpr auto kHasSubgroups = HasAny<Capability::GroupNonUniform>;

constexpr Row kRows[] = {
    {"add_fetch_offset", HasImages},
    {"combine_sampler_again", HasImages},
    {"complement_subgroup_operation", kHasSubgroups},
    {"convert_pointer_and_back", HasAny<Capability::PhysicalStorageBufferAddresses>},
    {"expand_ballot_operation", kHasSubgroups},
    {"expand_descriptor_index", HasArraysOfUniformBlocks},
    {"expand_fwidth", HasWidths},
    {"expand_gather", HasImages},
    {"expand_inclusive_scan", kHasSubgroups},
    {"expand_integer_dot", HasAny<Capability::DotProduct>},
    {"expand_subgroup_vote", kHasSubgroups},
    {"expand_wide_bitcast", HasAny<Capability::Int8, Capability::Int16, Capability::Int64>},
    {"fold_fetch_offset", HasImages},
    {"make_access_visible", HasAny<Capability::VulkanMemoryModel>},
    {"replace_atomic_arithmetic", HasAtomics},
    {"replace_constant_with_image_query", HasAny<Capability::ImageQuery>},
    {"replace_fetch_with_gather", HasFetches},
    {"replace_fetch_with_sample", HasFetches},
    {"replace_image_query", HasImages},
    {"replace_kill_with_terminate", HasKills},
    {"replace_lane_exchange", kHasSubgroups},
    {"rotate_packed_fields", HasPacking},
    {"scalarize_subgroup_operation", kHasSubgroups},
    {"set_sample_lod", HasImages},
    {"split_wide_operation", HasAny<Capability::Int64>},
};

}  // namespace

bool MayFindOpportunity(std::string_view name, const Module& module) {
  const Row* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                      [&](const Row& each) { return each.name == name; });
  return row == std::end(kRows) || row->may(module);
}

}  // namespace transform
}  // namespace refract
