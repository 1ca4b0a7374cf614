// SPDX-License-Identifier: Apache-2.0
// Memory: blocks with layouts, arrays of unknown length, pointers, sparse arrays. Each shader's
// buffer 1 is compared with what is computed here and with what the drivers write.
#include <gtest/gtest.h>

#include <bit>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

// Bytes numbered 0, 1, 2, ... as floats by word.
std::string Numbered(size_t words) {
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < words; ++i) {
    numbers.push_back(std::bit_cast<uint32_t>(static_cast<float>(i)));
  }
  return BytesOfWords(numbers);
}

BoundBuffer Uniform(uint32_t binding, std::string bytes) {
  return {.set = 0, .binding = binding, .storage = false, .bytes = std::move(bytes)};
}

// Every word of a block is its own number, so what is read tells where it was.
constexpr const char* kReads = R"(
  at(0, b.f); at(1, b.v.x); at(2, b.v.z); at(3, b.m[1][2]); at(4, b.r[1][2]); at(5, b.r[2][0]);
  at(6, b.a[1]); at(7, b.s[1].x); at(8, b.s[1].m[1].y); at(9, b.s[0].a[1][0].z);
  at(10, b.s[1].a[2][1].x);
  for (int i = 0; i < 3; ++i) for (int k = 0; k < 3; ++k) {
    at(11 + i * 3 + k, b.m[i][k]);
    at(20 + i * 3 + k, b.r[i][k]);
  }
  mat3 whole = b.r;
  at(29, whole[2][1]);
  vec3 column = b.r[1];
  at(30, column.z);
  S s = b.s[1];
  at(31, s.a[1][1].y); at(32, s.m[0].x);
  at(33, b.q.m[1][0]);
  S t = b.q; at(34, t.m[0][1]);
)";
constexpr const char* kStruct = R"(
struct S { float x; mat2 m; vec3 a[3][2]; };
)";
constexpr const char* kMembers = R"(
  float f; vec3 v; mat3 m; layout(row_major) mat3 r; float a[3]; S s[2]; layout(row_major) S q;
)";

// The same by hand: word offsets of std140 and of std430.
std::vector<uint32_t> Expected(bool std140) {
  const uint32_t v = 4, m = 8, r = 20, a = 32;  // columns of 4 words
  const uint32_t element = std140 ? 4 : 1;      // of float arrays
  const uint32_t s = std140 ? 44 : 36;          // aligned to 4 words
  const uint32_t column2 = std140 ? 4 : 2;      // of mat2
  const uint32_t sm = std140 ? 4 : 2, sa = (sm + 2 * column2 + 3) / 4 * 4, size = sa + 24;
  std::vector<uint32_t> want = {0,
                                v,
                                v + 2,
                                m + 4 + 2,
                                r + 2 * 4 + 1,
                                r + 2,
                                a + element,
                                s + size,
                                s + size + sm + column2 + 1,
                                s + sa + (2 + 0) * 4 + 2,
                                s + size + sa + (4 + 1) * 4};
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t k = 0; k < 3; ++k) want.push_back(m + 4 * i + k);
  }
  for (uint32_t i = 0; i < 3; ++i) {
    for (uint32_t k = 0; k < 3; ++k) want.push_back(r + 4 * k + i);
  }
  want.push_back(r + 4 * 1 + 2);
  want.push_back(r + 4 * 2 + 1);
  want.push_back(s + size + sa + (2 + 1) * 4 + 1);
  want.push_back(s + size + sm);
  want.push_back(s + 2 * size + sm + 1);
  want.push_back(s + 2 * size + sm + column2);
  for (uint32_t& word : want) word = std::bit_cast<uint32_t>(static_cast<float>(word));
  return want;
}

TEST(Memory, NestedBlocks) {
  const struct {
    const char* name;
    const char* block;
    bool std140;
  } blocks[] = {{"uniform", "layout(std140, binding = 0) uniform B", true},
                {"storage std430", "layout(std430, binding = 0) readonly buffer B", false},
                {"storage std140", "layout(std140, binding = 0) buffer B", true}};
  for (const auto& block : blocks) {
    const auto module = CompiledShader(
        "t.comp",
        format("{}{} {{{}}} b;\nlayout(std430, binding = 1) buffer Out {{ float o[]; }};\n"
               "void at(int i, float x) {{ o[i] = x; }}\nvoid main() {{ {} }}",
               kStruct, block.block, kMembers, kReads));
    ASSERT_TRUE(module);
    Bindings bindings;
    if (std::string(block.name) == "uniform") {
      bindings.buffers.push_back(Uniform(0, Numbered(256)));
    } else {
      bindings.buffers.push_back(StorageBuffer(0, Numbered(256)));
    }
    bindings.buffers.push_back(StorageBuffer(1, std::string(4 * 35, '\0')));
    CheckOutput(block.name, *module, bindings, Expected(block.std140));
  }
}

// 128 bytes are what every implementation has.
TEST(Memory, PushConstants) {
  const auto module = CompiledShader("t.comp", R"(
layout(push_constant, std430) uniform P {
  float f; vec3 v; mat2 m; layout(row_major) mat2 r; float a[3]; int i;
} p;
layout(std430, binding = 1) buffer Out { float o[]; };
void main() {
  o[0] = p.f; o[1] = p.v.z; o[2] = p.m[1][0]; o[3] = p.r[1][0]; o[4] = p.r[p.i][1];
  o[5] = p.a[p.i + 2]; o[6] = (transpose(p.r))[1].x;
})");
  ASSERT_TRUE(module);
  Bindings bindings;
  bindings.push_constants = Numbered(19) + std::string(4, '\0');
  bindings.buffers.push_back(StorageBuffer(1, std::string(4 * 7, '\0')));
  std::vector<uint32_t> want;
  for (const float value : {0.0f, 6.0f, 10.0f, 13.0f, 14.0f, 18.0f, 14.0f}) {
    want.push_back(std::bit_cast<uint32_t>(value));
  }
  CheckOutput("push constants", *module, bindings, want);
}

// Written part by part, at indices that only the run knows, and as a whole.
TEST(Memory, StoresIntoBlocks) {
  const auto module = CompiledShader("t.comp", R"(
layout(std430, binding = 0) readonly buffer In { int index[4]; };
layout(std430, binding = 1, row_major) buffer Out { mat3x2 r; float a[2][3]; mat2x3 w; float end; };
void main() {
  r[index[2]][index[1]] = 1.5;
  r[0] = vec2(2, 3);
  a[index[1]][index[2]] = 4;
  a[0] = float[3](5, 6, 7);
  w = mat2x3(8, 9, 10, 11, 12, 13);
  w[index[1]].z = 14;
  end = a[0][index[1]];
})");
  ASSERT_TRUE(module);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords({0, 1, 2, 3})),
                      StorageBuffer(1, std::string(4 * 22, '\0'))};
  // r: two rows of three, each with a stride of four words; then a; then w, three rows of two.
  std::vector<float> want(22, 0.0f);
  want[0] = 2;
  want[4] = 3;
  want[4 + 2] = 1.5;
  want[8 + 3 + 2] = 4;
  want[8] = 5;
  want[9] = 6;
  want[10] = 7;
  for (size_t k = 0; k < 3; ++k) {
    want[14 + 2 * k] = static_cast<float>(8 + k);
    want[14 + 2 * k + 1] = static_cast<float>(11 + k);
  }
  want[14 + 5] = 14;
  want[20] = 6;
  std::vector<uint32_t> words;
  for (const float value : want) words.push_back(std::bit_cast<uint32_t>(value));
  CheckOutput("stores", *module, bindings, words);
}

TEST(Memory, ArrayLength) {
  const auto module = CompiledShader("t.comp", R"(
layout(std430, binding = 0) buffer In { int head; vec4 items[]; };
layout(std430, binding = 1) buffer Out { int o[]; };
void main() { o[0] = items.length(); o[1] = o.length(); })");
  ASSERT_TRUE(module);
  for (const uint32_t items : {1u, 2u, 7u}) {
    Bindings bindings;
    bindings.buffers = {StorageBuffer(0, std::string(16 + 16 * items, '\0')),
                        StorageBuffer(1, std::string(12, '\0'))};
    CheckOutput("array length", *module, bindings, {items, 3, 0});
  }
}

TEST(Memory, PointerChains) {
  TableRow row;
  row.instruction = "OpPtrAccessChain";
  row.result = "u32";
  row.operands = {"u32"};
  row.version = 3;
  row.capabilities =
      "OpCapability VariablePointersStorageBuffer\n"
      "OpExtension \"SPV_KHR_variable_pointers\"\n";
  row.decorations = "OpDecorate %p_word ArrayStride 4\n";
  row.body = R"(%p~ = OpInBoundsAccessChain %p_word %in %c_u32_0 %c_u32_1
%q~ = OpPtrAccessChain %p_word %p~ $0
$r = OpLoad %u32 %q~)";
  const auto module = Assembled(RowAssembly(row, {{0}}, RowForm::kBuffers), 3);
  ASSERT_TRUE(module);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords({1, 10, 20, 30, 40})),
                      StorageBuffer(1, std::string(4, '\0'))};
  CheckOutput("pointer chains", *module, bindings, {20});
}

// Variables of all classes with initialisers, nested; functions that are given pointers into them.
TEST(Memory, VariablesAndPointers) {
  const auto module = CompiledShader("t.comp", R"(
struct T { int a[3]; ivec3 v; };
T global = T(int[3](1, 2, 3), ivec3(4, 5, 6));
shared T team;
layout(std430, binding = 0) readonly buffer In { int index[4]; };
layout(std430, binding = 1) buffer Out { int o[]; };
void bump(inout int x, int by) { x += by; }
int sum(T t) { return t.a[0] + t.a[1] + t.a[2] + t.v.x + t.v.y + t.v.z; }
void main() {
  T local = T(int[3](10, 20, 30), ivec3(40, 50, 60));
  bump(local.a[index[1]], 7);
  bump(global.v[index[2]], 100);
  team = local;
  team.v.y = global.v.z;
  team.a[index[2]] = -1;
  T copy = team;
  o[0] = sum(local); o[1] = sum(global); o[2] = sum(copy);
  copy.v = global.v;
  o[3] = copy.v[index[0]] + copy.a[index[1]];
})");
  ASSERT_TRUE(module);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords({0, 1, 2, 3})),
                      StorageBuffer(1, std::string(16, '\0'))};
  const uint32_t local = 217, global = 121;
  CheckOutput("variables", *module, bindings, {local, global, local - 30 - 1 - 50 + 106, 4 + 27});
}

// 2^30 elements, three of which are touched; before that they are undefined, or zero.
TEST(Memory, SparseArrays) {
  for (const bool initialised : {false, true}) {
    TableRow row;
    row.instruction = "sparse";
    row.result = "u32";
    row.operands = {"u32"};
    row.globals = format(R"(%c_many = OpConstant %u32 1073741824
%c_last = OpConstant %u32 1073741823
%c_middle = OpConstant %u32 536870912
%many = OpTypeArray %u32 %c_many
{}
%p_many = OpTypePointer Private %many
%p_u = OpTypePointer Private %u32
%huge = OpVariable %p_many Private{})",
                         initialised ? "%nothing = OpConstantNull %many" : "",
                         initialised ? " %nothing" : "");
    row.body = R"(%a~ = OpAccessChain %p_u %huge %c_u32_0
%b~ = OpAccessChain %p_u %huge %c_middle
%c~ = OpAccessChain %p_u %huge %c_last
OpStore %a~ %c_u32_1
OpStore %b~ %c_middle
OpStore %c~ %c_last
%d~ = OpAccessChain %p_u %huge $0
$r = OpLoad %u32 %d~)";
    const auto module = Assembled(RowAssembly(row, {{0}}, RowForm::kBuffers), 3);
    ASSERT_TRUE(module);
    const std::vector<std::pair<uint32_t, uint32_t>> places = {
        {0, 1}, {536870912, 536870912}, {1073741823, 1073741823}, {12345678, 0}};
    for (const auto& [place, value] : places) {
      Bindings bindings;
      bindings.buffers = {StorageBuffer(0, BytesOfWords({place})),
                          StorageBuffer(1, std::string(4, '\0'))};
      const auto program = ProgramOf(*module, bindings);
      ASSERT_TRUE(program);
      const RunReport report = refract::Run(*program);
      if (place == 12345678 && !initialised) {
        ASSERT_TRUE(report.trap);
        EXPECT_NE(report.trap->message.find("undefined value"), std::string::npos);
        continue;
      }
      ASSERT_FALSE(report.trap) << report.trap->message;
      EXPECT_EQ(WordsOf(report.outputs.buffers.at(1).bytes)[0], value);
    }
  }
}

}  // namespace
}  // namespace refract
