// SPDX-License-Identifier: Apache-2.0
// Pointers to PhysicalStorageBuffer in the interpreter: conversions, bounds, and numbers of
// addresses that must not become exact.
#include <cstring>

#include "unit/shared/interp_run.h"

namespace refract {
namespace {

constexpr const char* kBefore = R"(
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { uint n; uint m; Node next; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer List { uint n[]; };
layout(push_constant) uniform Push { Node a; Node b; Node none; } p;
)";

// A: two nodes, the first leads to the second, which leads to B. B: one node, which leads nowhere.
Bindings WithNodes() {
  Bindings bindings = ComputeBindings();
  const uint32_t a[8] = {1, 10, 16, 1, 2, 20, 0, 2}, b[4] = {3, 30, 0, 0};
  bindings.addressed.push_back({"A", std::string(reinterpret_cast<const char*>(a), sizeof a)});
  bindings.addressed.push_back({"B", std::string(reinterpret_cast<const char*>(b), sizeof b)});
  const uint32_t push[6] = {0, 1, 0, 2, 0, 0};
  bindings.push_constants.assign(reinterpret_cast<const char*>(push), sizeof push);
  using Memory = BoundAddress::Memory;
  bindings.addresses = {{Memory::kBuffer, kAddressedSet, 0, 0, 8, 0, 16},
                        {Memory::kBuffer, kAddressedSet, 0, 0, 24, 1, 0},
                        {Memory::kPushConstants, 0, 0, 0, 0, 0, 0},
                        {Memory::kPushConstants, 0, 0, 0, 8, 1, 0}};
  return bindings;
}

InterpRun RunWith(const std::string& body) {
  return InterpretCompute(body, {}, kBefore, 1, WithNodes());
}

// Runs `body` and expects no trap and that word 0 of the output is `word`, exactly or not.
void Expect(const std::string& body, uint32_t word, bool exact = true) {
  const InterpRun run = RunWith(body);
  EXPECT_EQ(run.error, "") << body;
  EXPECT_EQ(run.trap(), "") << body;
  EXPECT_EQ(run.word(0), word) << body;
  EXPECT_EQ(run.report.Exact(), exact) << body;
}

uint32_t WordOf(const InterpRun& run, uint32_t addressed, size_t i) {
  for (const BoundBuffer& buffer : run.report.outputs.buffers) {
    if (buffer.set != kAddressedSet || buffer.binding != addressed) continue;
    uint32_t word = 0;
    std::memcpy(&word, buffer.bytes.data() + 4 * i, 4);
    return word;
  }
  return 0xdeadbeef;
}

TEST(InterpAddresses, LoadsFollowThem) {
  Expect("data[0] = p.a.n + p.a.next.n + p.a.next.next.m;", 1 + 2 + 30);
  Expect(
      "Node n = p.a; uint s = 0; while (uint64_t(n) != 0ul) { s += n.n; n = n.next; } "
      "data[0] = s;",
      6);
  Expect(
      "Node n = p.a; uint s = 0; while (any(notEqual(uvec2(n), uvec2(0)))) { s += n.n; "
      "n = n.next; } data[0] = s;",
      6);
}

TEST(InterpAddresses, StoresAndAtomicsAreOutputs) {
  const InterpRun run =
      RunWith("p.b.m = 7; atomicAdd(p.a.next.m, 5u); p.a.next = p.b; p.b.next = p.a;");
  EXPECT_EQ(run.trap(), "");
  EXPECT_TRUE(run.report.Exact());
  EXPECT_EQ(WordOf(run, 1, 1), 7u);
  EXPECT_EQ(WordOf(run, 0, 5), 25u);
  // The stored addresses, as AddressNumber.
  EXPECT_EQ(WordOf(run, 0, 2), 0u);
  EXPECT_EQ(WordOf(run, 0, 3), 2u);
  EXPECT_EQ(WordOf(run, 1, 2), 0u);
  EXPECT_EQ(WordOf(run, 1, 3), 1u);
}

TEST(InterpAddresses, NumbersLeadBack) {
  Expect("data[0] = Node(uint64_t(p.a)).m;", 10);
  Expect("data[0] = Node(uint64_t(p.a) + 16ul).m;", 20);
  Expect("data[0] = (p.a + 1).m;", 20);
  Expect("data[0] = p.a[1].m;", 20);
  Expect("data[0] = Node(uvec2(p.a)).m;", 10);
  Expect("data[0] = Node(packUint2x32(uvec2(p.a)) + 16ul).m;", 20);
  Expect("data[0] = Node(unpackUint2x32(uint64_t(p.a))).m;", 10);
  Expect("uvec2 u = uvec2(p.a); Node n = u.x == 0u ? p.a : Node(u); data[0] = n.m;", 10);
  Expect("data[0] = List(uint64_t(p.a)).n[5];", 20);
  Expect(
      "uint carry; uvec2 u = uvec2(p.a); u.x = uaddCarry(u.x, data[9], carry); "
      "data[0] = Node(u).m;",
      10);
  // The shader does not know that data[9] is 0.
  Expect("data[0] = Node((uvec2(p.a) ^ data[9]) + data[9] - data[9] | data[9]).m;", 10);
}

TEST(InterpAddresses, WhatIsTheSameEverywhereIsExact) {
  Expect("data[0] = uint(uint64_t(p.a.next) - uint64_t(p.a));", 16);
  Expect("data[0] = uint64_t(p.a) == uint64_t(p.b) ? 1 : 2;", 2);
  Expect("data[0] = uint64_t(p.a.next.next) == uint64_t(p.b) ? 1 : 2;", 1);
  Expect("data[0] = uint64_t(p.none) == 0ul ? 1 : 2;", 1);
  Expect("data[0] = uvec2(p.a) == uvec2(p.a) ? 1 : 2;", 1);
  Expect("data[0] = uvec2(p.a) == uvec2(0) ? 1 : 2;", 2);
  // The lower half of an address is not 0, although this interpreter counts bytes from 0.
  Expect("data[0] = uvec2(p.a).x != 0u ? 1 : 2;", 1);
}

TEST(InterpAddresses, WhatDependsOnNumbersIsNotExact) {
  Expect("data[0] = uvec2(p.a).y;", 1, false);
  Expect("data[0] = uint64_t(p.a) < uint64_t(p.b) ? 1 : 2;", 1, false);
  Expect("data[0] = uvec2(p.a).y == 0u ? 1 : 2;", 2, false);
  Expect("data[0] = uvec2(p.a).y == uvec2(p.b).y ? 1 : 2;", 2, false);
  Expect("data[0] = uint64_t(p.a) == 5ul ? 1 : 2;", 2, false);
  Expect("data[0] = uint(uint64_t(p.a) & 0xfful);", 0, false);
  Expect("data[0] = Node(uint64_t(p.a) | 16ul).m;", 20, false);
  Expect("data[0] = Node(uvec2(uvec2(p.b).x, uvec2(p.a).y)).m;", 10, false);
  // Outside the buffer, the lower half of an address may carry into the higher one.
  Expect(
      "uvec2 u = unpackUint2x32(uint64_t(p.a) + 0xf0000000ul); "
      "data[0] = u.y == uvec2(p.a).y ? 1 : 2;",
      1, false);
  // Only the lower halves of the two numbers are equal.
  Expect("data[0] = uint(mix(0x100000000ul, 0x200000000ul, uint64_t(p.a) < uint64_t(p.b)) >> 32);",
         2, false);
  // One half of an address as an output.
  Expect("data[0] = 4; p.a.m = uvec2(p.b).y;", 4, false);
  // Halves that are stored one by one are an address again; those of two addresses are not.
  Expect("data[2] = uvec2(p.a).x; data[3] = uvec2(p.a).y; data[0] = 4;", 4);
  Expect("data[2] = uvec2(p.b).x; data[3] = uvec2(p.a).y; data[0] = 4;", 4, false);
}

TEST(InterpAddresses, RestrictIsRefused) {
  EXPECT_NE(RunWith("restrict Node q = p.a; data[0] = q.n;").error.find("RestrictPointer"),
            std::string::npos);
}

TEST(InterpAddresses, StoredAddressesLeadBack) {
  Expect(
      "data[2] = uvec2(p.a).x; data[3] = uvec2(p.a).y; "
      "data[0] = Node(uvec2(data[2], data[3])).m;",
      10);
  Expect("data[2] = uvec2(p.a).x; data[3] = 5; data[2] = 6; data[0] = data[2];", 6);
}

TEST(InterpAddresses, OutOfBoundsIsATrap) {
  EXPECT_NE(RunWith("data[0] = p.none.n;").trap().find("the address is null"), std::string::npos);
  EXPECT_NE(RunWith("data[0] = p.b.next.n;").trap().find("the address is null"), std::string::npos);
  EXPECT_NE(RunWith("data[0] = (p.b + 1).n;")
                .trap()
                .find("the access to byte 16 of the buffer B is out "
                      "of range: the size is 16 bytes"),
            std::string::npos);
  EXPECT_NE(RunWith("data[0] = (p.b - 1).n;").trap().find("of the buffer B is out of range"),
            std::string::npos);
  EXPECT_NE(RunWith("List(uint64_t(p.a)).n[8] = 1;").trap().find("of the buffer A is out of range"),
            std::string::npos);
  EXPECT_NE(RunWith("data[0] = List(uint64_t(p.a)).n[0x40000000];").trap().find("out of range"),
            std::string::npos);
  EXPECT_NE(RunWith("data[0] = Node(uint64_t(data[1]) + 1008ul).n;")
                .trap()
                .find("the address 1008 is not in a buffer"),
            std::string::npos);
  EXPECT_EQ(RunWith("if (data[0] == 1) data[0] = p.none.n;").trap(), "");
}

TEST(InterpAddresses, AlignedIsChecked) {
  EXPECT_NE(RunWith("data[0] = Node(uint64_t(p.a) + 4ul).n;")
                .trap()
                .find("byte 4 of the buffer A may not be at a multiple of 16 bytes"),
            std::string::npos);
  Expect("data[0] = List(uint64_t(p.a) + 4ul).n[0];", 10);
  EXPECT_NE(RunWith("atomicAdd(List(uint64_t(p.a) + 2ul).n[0], 1);")
                .trap()
                .find("byte 2 of the buffer A is not at a multiple of 4 bytes"),
            std::string::npos);
}

TEST(InterpAddresses, RacesAreFound) {
  const InterpRun run = InterpretCompute("p.a.m = i;", {}, kBefore, 2, WithNodes());
  EXPECT_NE(run.trap().find("a data race"), std::string::npos);
}

}  // namespace
}  // namespace refract
