// SPDX-License-Identifier: Apache-2.0
// What a mesh draws, and the bits that a vertex shader gets from its attributes.
#include "input/mesh.h"

#include <gtest/gtest.h>

#include <cstring>

namespace refract {
namespace {

using Words = std::vector<uint32_t>;

BoundMesh FiveVertices(BoundMesh::Topology topology) {
  BoundMesh mesh;
  mesh.is_grid = false;
  mesh.vertices = 5;
  mesh.topology = topology;
  return mesh;
}

template <class Number>
BoundAttribute AttributeOf(BoundAttribute::Kind kind, uint32_t components,
                           const std::vector<Number>& numbers) {
  BoundAttribute attribute;
  attribute.kind = kind;
  attribute.width = 8 * sizeof(Number);
  attribute.components = components;
  attribute.bytes.assign(reinterpret_cast<const char*>(numbers.data()),
                         numbers.size() * sizeof(Number));
  return attribute;
}

TEST(Mesh, TheFirstCornerIsTheProvokingVertex) {
  EXPECT_EQ(CornersOf(FiveVertices(BoundMesh::kTriangleList)), (Words{0, 1, 2}));
  EXPECT_EQ(CornersOf(FiveVertices(BoundMesh::kTriangleStrip)), (Words{0, 1, 2, 1, 3, 2, 2, 3, 4}));
  EXPECT_EQ(CornersOf(FiveVertices(BoundMesh::kTriangleFan)), (Words{1, 2, 0, 2, 3, 0, 3, 4, 0}));
  BoundMesh indexed = FiveVertices(BoundMesh::kTriangleStrip);
  indexed.indices = {4, 4, 1, 0};
  EXPECT_EQ(CornersOf(indexed), (Words{4, 4, 1, 4, 0, 1}));
  indexed.indices = {1, 2};
  EXPECT_TRUE(CornersOf(indexed).empty());
}

TEST(Mesh, AGridHasItsPositions) {
  Bindings bindings;
  bindings.grid_columns = 2;
  const BoundMesh mesh = MeshOf(bindings);
  EXPECT_EQ(mesh.vertices, 6u);
  EXPECT_EQ(mesh.indices.size(), 12u);
  EXPECT_EQ(AttributeBits(mesh.attributes[0], 4, 0, 32), 0u);  // the middle of the lower edge
  EXPECT_EQ(AttributeBits(mesh.attributes[0], 4, 1, 32), 0x3f800000u);
  EXPECT_TRUE(IsSound(mesh));
}

TEST(Mesh, NarrowNumbersBecomeWide) {
  const auto signed_bytes = AttributeOf<int8_t>(BoundAttribute::kInt, 2, {-1, 5, -128, 127});
  EXPECT_EQ(AttributeBits(signed_bytes, 1, 0, 32), 0xffffff80u);
  EXPECT_EQ(AttributeBits(signed_bytes, 1, 1, 32), 127u);
  const auto bytes = AttributeOf<uint8_t>(BoundAttribute::kUint, 1, {255});
  EXPECT_EQ(AttributeBits(bytes, 0, 0, 32), 255u);
  const auto halves = AttributeOf<uint16_t>(BoundAttribute::kFloat, 1, {0xc100});
  EXPECT_EQ(AttributeBits(halves, 0, 0, 32), 0xc0200000u);
  EXPECT_EQ(AttributeBits(halves, 0, 0, 16), 0xc100u);
  const auto wide = AttributeOf<uint64_t>(BoundAttribute::kInt, 1, {0x123456789abcdef0});
  EXPECT_EQ(AttributeBits(wide, 0, 0, 64), 0x123456789abcdef0u);
}

TEST(Mesh, MissingComponentsAreZeroAndOne) {
  const auto bytes = AttributeOf<uint8_t>(BoundAttribute::kUint, 1, {7});
  EXPECT_EQ(AttributeBits(bytes, 0, 2, 32), 0u);
  EXPECT_EQ(AttributeBits(bytes, 0, 3, 32), 1u);
  const auto halves = AttributeOf<uint16_t>(BoundAttribute::kFloat, 1, {0xc100});
  EXPECT_EQ(AttributeBits(halves, 0, 3, 32), 0x3f800000u);
  EXPECT_EQ(AttributeBits(halves, 0, 3, 16), 0x3c00u);
}

TEST(Mesh, SaysWhyAnInputCannotBeRead) {
  InterfaceSlot slot;
  slot.location = 2;
  slot.components = 3;
  auto attribute = AttributeOf<uint32_t>(BoundAttribute::kFloat, 1, {0});
  EXPECT_EQ(AttributeProblem(&attribute, slot), "");
  attribute.width = 64;
  EXPECT_EQ(AttributeProblem(&attribute, slot),
            "the vertex shader reads numbers of 32 bits at location 2, but those of the attribute "
            "have 64");
  slot.width = 64;
  EXPECT_EQ(AttributeProblem(&attribute, slot),
            "the vertex shader reads 3 components of 64 bits at location 2, but the attribute has "
            "only 1");
  slot.kind = InterfaceSlot::kUint;
  EXPECT_EQ(AttributeProblem(&attribute, slot),
            "the vertex shader reads integers at location 2, but the attribute has floats");
}

TEST(Mesh, IsSoundOnlyWithWholeAttributes) {
  BoundMesh mesh = FiveVertices(BoundMesh::kTriangleList);
  mesh.attributes.push_back(AttributeOf<uint8_t>(BoundAttribute::kUint, 1, {1, 2, 3, 4, 5}));
  EXPECT_TRUE(IsSound(mesh));
  mesh.attributes[0].bytes.pop_back();
  EXPECT_FALSE(IsSound(mesh));
  mesh.attributes[0].per_instance = true;
  mesh.instances = 4;
  EXPECT_TRUE(IsSound(mesh));
  mesh.indices = {4, 5};
  EXPECT_FALSE(IsSound(mesh));
}

}  // namespace
}  // namespace refract
