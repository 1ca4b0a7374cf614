// SPDX-License-Identifier: Apache-2.0
// Branches, switches of every width, loops, phis and calls.
#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

TableRow Make(const std::string& name, const std::string& type, std::vector<Bits> tuples,
              const std::string& body, std::function<uint64_t(const Bits&)> value) {
  TableRow row;
  row.instruction = name;
  row.result = "u32";
  row.operands = {type};
  row.tuples = std::move(tuples);
  row.body = body;
  row.exact = true;
  row.want = [value = std::move(value)](const Bits& in) {
    return Want::Value({Masked(value(in), 32)});
  };
  row.globals = R"(%k_2 = OpConstant %u32 2
%k_3 = OpConstant %u32 3
%k_10 = OpConstant %u32 10
%p_u_f = OpTypePointer Function %u32
)";
  return row;
}

// Cases 0, 1 (which falls through to the next), the largest, the lowest; the default counts.
TableRow Switch(const std::string& type) {
  const TableType selector = ParseType(type);
  const uint64_t top = uint64_t{1} << (selector.width - 1);
  const auto literal = [&](uint64_t bits) {
    if (selector.kind == 'i') return format("{}", SignExtended(bits, selector.width));
    return format("{}", bits);
  };
  const uint64_t most = Masked(~uint64_t{0}, selector.width),
                 odd = Masked(0x1234567855aa, selector.width);
  return Make(
      "OpSwitch", type, Cross({{0, 1, 2, 3, top, top - 1, most, odd, top + 1}}),
      format(R"(OpSelectionMerge %m~ None
OpSwitch $0 %de~ {} %a~ {} %b~ {} %c~ {} %c~ {} %e~ {} %m~
%a~ = OpLabel
OpBranch %m~
%b~ = OpLabel
OpBranch %c~
%c~ = OpLabel
%pc~ = OpPhi %u32 %k_3 %b~ %k_10 %entry~
OpBranch %m~
%e~ = OpLabel
OpBranch %m~
%de~ = OpLabel
OpBranch %m~
%m~ = OpLabel
$r = OpPhi %u32 %k_2 %a~ %pc~ %c~ %c_u32_1 %e~ %k_10 %entry~ %c_u32_0 %de~)",
             literal(0), literal(1), literal(top), literal(top - 1), literal(odd), literal(most)),
      [=](const Bits& in) -> uint64_t {
        if (in[0] == 0) return 2;
        if (in[0] == 1) return 3;
        if (in[0] == top || in[0] == top - 1) return 10;
        if (in[0] == odd) return 1;
        return in[0] == most ? 10 : 0;
      });
}

void AddSwitches(std::vector<TableRow>* rows) {
  for (const char* type : {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64"}) {
    TableRow row = Switch(type);
    // The block before has a name only where the body begins with one.
    row.body = "OpBranch %entry~\n%entry~ = OpLabel\n" + row.body;
    // docs/bugs.md: it looks at the lower half of the selector only.
    row.wrong = [](const std::string& who, const Bits& in) {
      return who == "folded" && in[0] > 0xffffffff;
    };
    rows->push_back(std::move(row));
  }
  std::string cases, blocks, phi;
  for (int i = 0; i < 40; ++i) {
    cases += format(" {} %k{}~", 7 * i, i);
    blocks += format("%k{}~ = OpLabel\nOpBranch %m~\n", i);
    phi += format(" {} %k{}~", i % 2 == 0 ? "%k_2" : "%k_3", i);
  }
  rows->push_back(Make("OpSwitch of many cases", "u32",
                       Cross({{0, 7, 14, 1, 273, 280, 0x80000000}}),
                       "OpSelectionMerge %m~ None\nOpSwitch $0 %de~" + cases + "\n" + blocks +
                           "%de~ = OpLabel\nOpBranch %m~\n%m~ = OpLabel\n$r = OpPhi %u32 "
                           "%k_10 %de~" +
                           phi,
                       [](const Bits& in) -> uint64_t {
                         if (in[0] % 7 != 0 || in[0] / 7 >= 40) return 10;
                         return in[0] / 7 % 2 == 0 ? 2 : 3;
                       }));
}

// Two phis that change places, a break, a continue, a loop within.
void AddLoops(std::vector<TableRow>* rows) {
  rows->push_back(Make("OpPhi", "u32", Cross({{0, 1, 2, 5, 12}}), R"(OpBranch %pre~
%pre~ = OpLabel
OpBranch %head~
%head~ = OpLabel
%x~ = OpPhi %u32 %k_2 %pre~ %y~ %cont~
%y~ = OpPhi %u32 %k_3 %pre~ %x~ %cont~
%i~ = OpPhi %u32 %c_u32_0 %pre~ %j~ %cont~
OpLoopMerge %m~ %cont~ None
OpBranch %test~
%test~ = OpLabel
%more~ = OpULessThan %b %i~ $0
OpBranchConditional %more~ %cont~ %m~
%cont~ = OpLabel
%j~ = OpIAdd %u32 %i~ %c_u32_1
OpBranch %head~
%m~ = OpLabel
%ten~ = OpIMul %u32 %x~ %k_10
$r = OpIAdd %u32 %ten~ %y~)",
                       [](const Bits& in) { return in[0] % 2 == 0 ? 23 : 32; }));
  rows->push_back(Make("OpLoopMerge", "u32", Cross({{0, 1, 3, 4, 9, 20}}), R"(OpBranch %pre~
%pre~ = OpLabel
OpBranch %head~
%head~ = OpLabel
%i~ = OpPhi %u32 %c_u32_0 %pre~ %j~ %cont~
%s~ = OpPhi %u32 %c_u32_0 %pre~ %n~ %cont~
OpLoopMerge %m~ %cont~ Unroll
OpBranch %test~
%test~ = OpLabel
%more~ = OpULessThan %b %i~ $0
OpBranchConditional %more~ %body~ %m~
%body~ = OpLabel
%rest~ = OpUMod %u32 %i~ %k_3
%third~ = OpIEqual %b %rest~ %k_2
OpSelectionMerge %on~ DontFlatten
OpBranchConditional %third~ %skip~ %on~
%skip~ = OpLabel
OpBranch %cont~
%on~ = OpLabel
%far~ = OpUGreaterThan %b %s~ %k_10
OpSelectionMerge %in0~ None
OpBranchConditional %far~ %stop~ %in0~
%stop~ = OpLabel
OpBranch %m~
%in0~ = OpLabel
OpBranch %inner~
%inner~ = OpLabel
%kk~ = OpPhi %u32 %c_u32_0 %in0~ %l~ %inner~
%t~ = OpPhi %u32 %s~ %in0~ %u~ %inner~
%u~ = OpIAdd %u32 %t~ %kk~
%l~ = OpIAdd %u32 %kk~ %c_u32_1
%again~ = OpULessThanEqual %b %l~ %i~
OpLoopMerge %out~ %inner~ None
OpBranchConditional %again~ %inner~ %out~
%out~ = OpLabel
OpBranch %cont~
%cont~ = OpLabel
%n~ = OpPhi %u32 %s~ %skip~ %u~ %out~
%j~ = OpIAdd %u32 %i~ %c_u32_1
OpBranch %head~
%m~ = OpLabel
$r = OpPhi %u32 %s~ %test~ %i~ %stop~)",
                       [](const Bits& in) {
                         uint64_t sum = 0;
                         for (uint64_t i = 0; i < in[0]; ++i) {
                           if (i % 3 == 2) continue;
                           if (sum > 10) return i;
                           for (uint64_t k = 0; k <= i; ++k) sum += k;
                         }
                         return sum;
                       }));
  rows->push_back(Make("OpBranchConditional", "u32", Cross({{0, 1, 7}}),
                       R"(%z~ = OpIEqual %b $0 %c_u32_1
OpSelectionMerge %m~ Flatten
OpBranchConditional %z~ %t~ %f~ 3 5
%t~ = OpLabel
OpBranch %m~
%f~ = OpLabel
OpBranch %m~
%m~ = OpLabel
$r = OpPhi %u32 %k_10 %t~ $0 %f~)",
                       [](const Bits& in) { return in[0] == 1 ? 10 : in[0]; }));
}

void AddCalls(std::vector<TableRow>* rows) {
  TableRow call = Make("OpFunctionCall", "u32", Cross({{0, 1, 2, 3, 100}}),
                       R"(%a~ = OpFunctionCall %u32 %twice $0
$r = OpFunctionCall %u32 %twice %a~)",
                       [](const Bits& in) {
                         const auto twice = [](uint64_t x) { return x == 2 ? 10 : 2 * x; };
                         return twice(twice(in[0]));
                       });
  call.globals += "%u_to_u = OpTypeFunction %u32 %u32\n";
  call.functions = R"(%twice = OpFunction %u32 Const %u_to_u
%x = OpFunctionParameter %u32
%l0 = OpLabel
%is2 = OpIEqual %b %x %k_2
OpSelectionMerge %l2 None
OpBranchConditional %is2 %l1 %l2
%l1 = OpLabel
OpReturnValue %k_10
%l2 = OpLabel
%sum = OpIAdd %u32 %x %x
OpReturnValue %sum
OpFunctionEnd
)";
  rows->push_back(std::move(call));
  // By pointer: into an array's element; the function's own variable is new for each call.
  TableRow pointer = Make("OpFunctionParameter", "u32", Cross({{0, 1, 5}}), R"(OpStore %v $0
%n~ = OpFunctionCall %void %bump %v %k_3
%o~ = OpFunctionCall %void %bump %v %k_2
$r = OpLoad %u32 %v)",
                          [](const Bits& in) { return (in[0] + 3 + 10) + 2 + 10; });
  pointer.locals = "%v = OpVariable %p_u_f Function";
  pointer.globals += "%bump_type = OpTypeFunction %void %p_u_f %u32\n";
  pointer.functions = R"(%bump = OpFunction %void DontInline %bump_type
%to_bump = OpFunctionParameter %p_u_f
%by = OpFunctionParameter %u32
%l0 = OpLabel
%own = OpVariable %p_u_f Function %k_10
%was = OpLoad %u32 %to_bump
%have = OpLoad %u32 %own
%with = OpIAdd %u32 %was %by
%full = OpIAdd %u32 %with %have
OpStore %own %full
OpStore %to_bump %full
OpReturn
OpFunctionEnd
)";
  rows->push_back(std::move(pointer));
}

}  // namespace

std::vector<TableRow> ControlRows() {
  std::vector<TableRow> rows;
  AddSwitches(&rows);
  AddLoops(&rows);
  AddCalls(&rows);
  return rows;
}

}  // namespace refract
