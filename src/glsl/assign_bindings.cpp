// SPDX-License-Identifier: Apache-2.0
#include "glsl/assign_bindings.h"

#include <glslang/Include/intermediate.h>
#include <glslang/MachineIndependent/localintermediate.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/text.h"

namespace refract {
inline namespace glsl {
namespace {

using glslang::TIntermSymbol;
using glslang::TQualifier;
using glslang::TType;

constexpr uint32_t kLocationsEnd = TQualifier::layoutLocationEnd;  // the limit of glslang

// The uses of each variable. Each use is a node with its own copy of the qualifier.
using Nodes = std::map<long long, std::vector<TIntermSymbol*>>;  // ids are in declaration order

class Collector : public glslang::TIntermTraverser {
 public:
  explicit Collector(Nodes* nodes) : nodes_(*nodes) {}
  void visitSymbol(TIntermSymbol* node) override { nodes_[node->getId()].push_back(node); }

 private:
  Nodes& nodes_;
};

bool IsBlock(const TType& type) {
  return type.getBasicType() == glslang::EbtBlock;
}

bool HasDescriptor(const TType& type) {
  const TQualifier& qualifier = type.getQualifier();
  return qualifier.isUniformOrBuffer() && !qualifier.isPushConstant() &&
         (IsBlock(type) || type.getBasicType() == glslang::EbtSampler);
}

uint32_t SetOf(const TType& type) {
  const TQualifier& qualifier = type.getQualifier();
  return qualifier.hasSet() ? qualifier.layoutSet : 0;
}

// Refuses blocks with samplers or images as members (Vulkan 1.3, VUID-StandaloneSpirv-None-04667).
Status CheckMembers(const std::string& name, const TType& block) {
  if (!IsBlock(block)) return {};
  for (const glslang::TTypeLoc& member : *block.getStruct()) {
    if (!member.type->containsOpaque()) continue;
    return Error{format(
        "{}:{}: '{}' contains a sampler or an image; in Vulkan, these must be separate variables",
        name, member.loc.line, member.type->getFieldName().c_str())};
  }
  return {};
}

void AssignBindings(uint32_t plain_uniforms_binding, const Nodes& nodes) {
  std::map<uint32_t, std::set<uint32_t>> taken;  // by set
  std::vector<const std::vector<TIntermSymbol*>*> wanting;
  for (const auto& [id, uses] : nodes) {
    const TType& type = uses[0]->getType();
    if (!HasDescriptor(type)) continue;
    const TQualifier& qualifier = type.getQualifier();
    if (!qualifier.hasBinding()) {
      wanting.push_back(&uses);
    } else if (qualifier.layoutBinding == plain_uniforms_binding && SetOf(type) == 0) {
      wanting.insert(wanting.begin(), &uses);
    } else {
      taken[SetOf(type)].insert(qualifier.layoutBinding);
    }
  }
  for (const auto* uses : wanting) {
    uint32_t binding = 0;
    while (!taken[SetOf((*uses)[0]->getType())].insert(binding).second) ++binding;
    for (TIntermSymbol* use : *uses) use->getWritableType().getQualifier().layoutBinding = binding;
  }
}

bool IsBuiltIn(const TType& type) {
  return type.contains([](const TType* part) { return part->isBuiltIn(); });
}

// The number of locations of a type (Vulkan 1.3, 15.1.5 "Location and Component Assignment"). For
// inputs of vertex shaders OpenGL counts doubles differently, so this always asks for the fragment
// stage.
uint32_t LocationsOf(const TType& type) {
  return static_cast<uint32_t>(
      glslang::TIntermediate::computeTypeLocationSize(type, EShLangFragment));
}

void Take(uint32_t first, const TType& type, std::set<uint32_t>* taken) {
  const uint32_t end = std::min(first + LocationsOf(type), kLocationsEnd);
  for (uint32_t at = first; at < end; ++at) taken->insert(at);
}

// Takes the locations of the members of a block that have one. Returns false if none has.
bool TakeMembers(const TType& type, std::set<uint32_t>* taken) {
  if (!IsBlock(type)) return false;
  bool found = false;
  for (const glslang::TTypeLoc& member : *type.getStruct()) {
    const TQualifier& qualifier = member.type->getQualifier();
    if (!qualifier.hasLocation()) continue;
    Take(qualifier.layoutLocation, *member.type, taken);
    found = true;
  }
  return found;
}

uint32_t LowestFree(uint32_t count, const std::set<uint32_t>& taken) {
  uint32_t first = 0;
  for (const uint32_t location : taken) {
    if (location >= first + count) break;
    first = location + 1;
  }
  return first;
}

void AssignLocations(bool (TQualifier::*is_interface)() const, const Nodes& nodes) {
  std::set<uint32_t> taken;
  std::vector<const std::vector<TIntermSymbol*>*> wanting;
  for (const auto& [id, uses] : nodes) {
    const TType& type = uses[0]->getType();
    const TQualifier& qualifier = type.getQualifier();
    if (!(qualifier.*is_interface)() || IsBuiltIn(type)) continue;
    if (qualifier.hasLocation()) {
      Take(qualifier.layoutLocation, type, &taken);
    } else if (!TakeMembers(type, &taken)) {
      wanting.push_back(&uses);
    }
  }
  for (const auto* uses : wanting) {
    const TType& type = (*uses)[0]->getType();
    const uint32_t location = LowestFree(LocationsOf(type), taken);
    if (location >= kLocationsEnd) continue;  // the validator reports this
    Take(location, type, &taken);
    for (TIntermSymbol* use : *uses) {
      use->getWritableType().getQualifier().layoutLocation = location;
    }
  }
}

}  // namespace

Status AssignBindingsAndLocations(const std::string& name, uint32_t plain_uniforms_binding,
                                  glslang::TIntermediate* tree) {
  Nodes nodes;
  Collector collector(&nodes);
  tree->getTreeRoot()->traverse(&collector);
  for (const auto& [id, uses] : nodes) {
    const TType& type = uses[0]->getType();
    if (!HasDescriptor(type)) continue;
    if (Status fit = CheckMembers(name, type); !fit) return fit;
  }
  AssignBindings(plain_uniforms_binding, nodes);
  AssignLocations(&TQualifier::isPipeInput, nodes);
  AssignLocations(&TQualifier::isPipeOutput, nodes);
  return {};
}

}  // namespace glsl
}  // namespace refract
