// SPDX-License-Identifier: Apache-2.0
// Values that are undefined, how far they travel, and what clears them: each row gives a defined
// value for some operands and an undefined one for others.
#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

constexpr uint64_t kAll = 0xffffffff;

constexpr const char* kGlobals = R"(
%undef_u = OpUndef %u32
%undef_b = OpUndef %b
%undef_v = OpUndef %v2u32
%c_true = OpConstantTrue %b
%c_two = OpConstant %u32 2
%c_seven = OpConstant %u32 7
%c_thirty_two = OpConstant %u32 32
%pair = OpTypeArray %u32 %c_two
%halves = OpTypeStruct %u32 %u32
%pair_c = OpConstantComposite %pair %c_seven %c_two
%p_pair_f = OpTypePointer Function %pair
%p_u_f = OpTypePointer Function %u32
%p_pair_p = OpTypePointer Private %pair
%p_u_p = OpTypePointer Private %u32
%p_pair_w = OpTypePointer Workgroup %pair
%p_u_w = OpTypePointer Workgroup %u32
%u_to_u = OpTypeFunction %u32 %u32
)";

// `value` of an operand; nothing where the result is undefined.
using Value = std::optional<uint64_t> (*)(uint64_t operand);

TableRow Make(const std::string& name, const std::string& body, Value value) {
  TableRow row;
  row.instruction = name;
  row.result = "u32";
  row.operands = {"u32"};
  row.tuples = {{0}, {1}, {kAll}};
  row.globals = kGlobals;
  row.body = body;
  row.exact = true;
  row.optimised = true;  // else LLVM has other bits of an undefined value in each half of a product
  row.want = [value](const Bits& in) {
    const std::optional<uint64_t> result = value(in[0]);
    return result ? Want::Value({*result}) : Want::Undefined();
  };
  return row;
}

void AddSources(std::vector<TableRow>* rows) {
  const auto only_0 = [](uint64_t x) { return x == 0 ? std::optional<uint64_t>(7) : std::nullopt; };
  const auto never = [](uint64_t) { return std::optional<uint64_t>(); };
  const std::string is_0 = "%z~ = OpIEqual %b $0 %c_u32_0\n";
  rows->push_back(
      Make("OpUndef of the module", is_0 + "$r = OpSelect %u32 %z~ %c_seven %undef_u", only_0));
  rows->push_back(Make("OpUndef in a block",
                       "%u~ = OpUndef %u32\n" + is_0 + "$r = OpSelect %u32 %z~ %c_seven %u~",
                       only_0));
  rows->push_back(Make("an undefined condition",
                       is_0 + "%c~ = OpSelect %b %z~ %c_true %undef_b\n"
                              "$r = OpSelect %u32 %c~ %c_seven %c_two",
                       only_0));
  rows->push_back(Make("a sum with it", "$r = OpIAdd %u32 $0 %undef_u", never));
  rows->push_back(Make("it and itself", "$r = OpBitwiseXor %u32 %undef_u %undef_u", never));
  rows->push_back(Make("a comparison with it",
                       "%l~ = OpULessThan %b $0 %undef_u\n$r = OpSelect %u32 %l~ $0 %c_seven",
                       never));
  rows->push_back(Make("shuffle 0xffffffff", is_0 + R"(%v~ = OpCompositeConstruct %v2u32 %c_seven $0
%w~ = OpVectorShuffle %v2u32 %v~ %v~ 0 4294967295
%k~ = OpSelect %u32 %z~ %c_u32_0 %c_u32_1
$r = OpVectorExtractDynamic %u32 %w~ %k~)",
                       only_0));
  rows->push_back(Make("a part of a composite",
                       is_0 + R"(%v~ = OpCompositeInsert %v2u32 %c_seven %undef_v 0
%k~ = OpSelect %u32 %z~ %c_u32_0 %c_u32_1
$r = OpVectorExtractDynamic %u32 %v~ %k~)",
                       only_0));
  rows->push_back(Make("a phi", is_0 + R"(OpSelectionMerge %m~ None
OpBranchConditional %z~ %t~ %f~
%t~ = OpLabel
OpBranch %m~
%f~ = OpLabel
OpBranch %m~
%m~ = OpLabel
$r = OpPhi %u32 %c_seven %t~ %undef_u %f~)",
                       only_0));
  TableRow call = Make("a result of a function", "$r = OpFunctionCall %u32 %maybe $0", only_0);
  call.functions = R"(%maybe = OpFunction %u32 None %u_to_u
%x = OpFunctionParameter %u32
%in_maybe = OpLabel
%xz = OpIEqual %b %x %c_u32_0
OpSelectionMerge %after None
OpBranchConditional %xz %zero %after
%zero = OpLabel
OpReturnValue %c_seven
%after = OpLabel
OpReturnValue %undef_u
OpFunctionEnd
)";
  rows->push_back(std::move(call));
  TableRow two = Make("OpIAddCarry of it", R"(%s~ = OpIAddCarry %sums $0 %undef_u
$r = OpCompositeExtract %u32 %s~ 1)",
                      never);
  two.globals += "%sums = OpTypeStruct %u32 %u32\n";
  rows->push_back(std::move(two));
}

// One of two elements is written, the first one read.
void AddVariables(std::vector<TableRow>* rows) {
  struct Class {
    const char* name;
    const char* pointer;
    const char* element;
  };
  for (const Class& storage : {Class{"Function", "%p_pair_f", "%p_u_f"},
                               {"Private", "%p_pair_p", "%p_u_p"},
                               {"Workgroup", "%p_pair_w", "%p_u_w"}}) {
    for (const bool initialised : {false, true}) {
      const bool workgroup = std::string(storage.name) == "Workgroup";
      TableRow row = Make(
          format("a variable of class {}{}", storage.name, initialised ? " with initialiser" : ""),
          format(R"(%k~ = OpBitwiseAnd %u32 $0 %c_u32_1
%p~ = OpAccessChain {0} %pair_v %k~
OpStore %p~ %c_two
%q~ = OpAccessChain {0} %pair_v %c_u32_0
$r = OpLoad %u32 %q~)",
                 storage.element),
          [](uint64_t) { return std::optional<uint64_t>(); });
      const std::optional<uint64_t> before =
          initialised ? std::optional<uint64_t>(workgroup ? 0 : 7) : std::nullopt;
      row.want = [before](const Bits& in) {
        if (in[0] % 2 == 0) return Want::Value({2});
        return before ? Want::Value({*before}) : Want::Undefined();
      };
      std::string declaration = format("%pair_v = OpVariable {} {}", storage.pointer, storage.name);
      if (initialised && workgroup) {
        row.globals += "%pair_0 = OpConstantNull %pair\n";
        row.version = 6;  // Vulkan 1.3: zero is what workgroup variables may begin with
        row.interface = "%pair_v";
      }
      if (initialised) declaration += workgroup ? " %pair_0" : " %pair_c";
      if (std::string(storage.name) == "Function") {
        row.locals = declaration;
      } else {
        row.globals += declaration + "\n";
      }
      row.fold = false;  // one variable for all tuples
      rows->push_back(std::move(row));
    }
  }
  // A copy takes along what is undefined, part by part.
  TableRow copy =
      Make("OpCopyMemory", R"(%k~ = OpBitwiseAnd %u32 $0 %c_u32_1
%p~ = OpAccessChain %p_u_f %from %k~
OpStore %p~ %c_two
OpCopyMemory %to_v %from
%q~ = OpAccessChain %p_u_f %to_v %c_u32_0
$r = OpLoad %u32 %q~)",
           [](uint64_t x) { return x % 2 == 0 ? std::optional<uint64_t>(2) : std::nullopt; });
  copy.locals = "%from = OpVariable %p_pair_f Function\n%to_v = OpVariable %p_pair_f Function";
  copy.fold = false;
  rows->push_back(std::move(copy));
}

// Operands that settle the result whatever the other is.
void AddAbsorbing(std::vector<TableRow>* rows) {
  const auto zero = [](uint64_t x) { return x == 0 ? std::optional<uint64_t>(0) : std::nullopt; };
  const auto all = [](uint64_t x) {
    return x == kAll ? std::optional<uint64_t>(kAll) : std::nullopt;
  };
  for (const char* operands : {"$0 %undef_u", "%undef_u $0"}) {
    rows->push_back(Make("and 0", format("$r = OpBitwiseAnd %u32 {}", operands), zero));
    rows->push_back(Make("times 0", format("$r = OpIMul %u32 {}", operands), zero));
    rows->push_back(Make("or all", format("$r = OpBitwiseOr %u32 {}", operands), all));
    for (int half : {0, 1}) {
      rows->push_back(Make("a half of times 0",
                           format("%e~ = OpUMulExtended %halves {}\n"
                                  "$r = OpCompositeExtract %u32 %e~ {}",
                                  operands, half),
                           zero));
    }
  }
  // $0 bits from the lowest on, of which there may be none.
  const auto seven = [](uint64_t x) { return x == 0 ? std::optional<uint64_t>(7) : std::nullopt; };
  rows->push_back(
      Make("none of its bits", "$r = OpBitFieldUExtract %u32 %undef_u %c_u32_0 $0", zero));
  rows->push_back(
      Make("none of its bits, signed", "$r = OpBitFieldSExtract %u32 %undef_u %c_u32_0 $0", zero));
  rows->push_back(Make("none of its bits put in",
                       "$r = OpBitFieldInsert %u32 %c_seven %undef_u %c_u32_0 $0", seven));
  rows->push_back(Make("all of its bits replaced",
                       R"(%n~ = OpShiftRightLogical %u32 %c_thirty_two $0
$r = OpBitFieldInsert %u32 %undef_u %c_seven %c_u32_0 %n~)",
                       seven));
  for (const char* operands : {"%z~ %undef_b", "%undef_b %z~"}) {
    const auto only_false = [](uint64_t x) {  // %z is $0 == 0
      return x != 0 ? std::optional<uint64_t>(2) : std::nullopt;
    };
    const auto only_true = [](uint64_t x) {
      return x == 0 ? std::optional<uint64_t>(7) : std::nullopt;
    };
    const std::string text =
        "%z~ = OpIEqual %b $0 %c_u32_0\n%l~ = {} %b {}\n"
        "$r = OpSelect %u32 %l~ %c_seven %c_two";
    const auto body = [&](const char* opcode) {
      std::string filled = text;
      filled.replace(filled.find("{}"), 2, opcode);
      filled.replace(filled.find("{}"), 2, operands);
      return filled;
    };
    rows->push_back(Make("false and it", body("OpLogicalAnd"), only_false));
    rows->push_back(Make("true or it", body("OpLogicalOr"), only_true));
  }
  rows->push_back(Make("either way the same", "$r = OpSelect %u32 %undef_b $0 $0",
                       [](uint64_t x) { return std::optional<uint64_t>(x); }));
  rows->push_back(
      Make("any of true and it", R"(%z~ = OpIEqual %b $0 %c_u32_0
%v~ = OpCompositeConstruct %v2b %undef_b %z~
%l~ = OpAny %b %v~
$r = OpSelect %u32 %l~ %c_seven %c_two)",
           [](uint64_t x) { return x == 0 ? std::optional<uint64_t>(7) : std::nullopt; }));
  rows->back().types = "v2b";
  rows->push_back(
      Make("all of false and it", R"(%z~ = OpIEqual %b $0 %c_u32_0
%v~ = OpCompositeConstruct %v2b %undef_b %z~
%l~ = OpAll %b %v~
$r = OpSelect %u32 %l~ %c_seven %c_two)",
           [](uint64_t x) { return x != 0 ? std::optional<uint64_t>(2) : std::nullopt; }));
  rows->back().types = "v2b";
}

}  // namespace

std::vector<TableRow> UndefinedRows() {
  std::vector<TableRow> rows;
  AddSources(&rows);
  AddVariables(&rows);
  AddAbsorbing(&rows);
  return rows;
}

}  // namespace refract
