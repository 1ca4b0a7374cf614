// SPDX-License-Identifier: Apache-2.0
// Booleans, selection, copies.
#include "base/text.h"
#include "check_rows.h"

namespace refract {

std::vector<TableRow> LogicalRows() {
  std::vector<TableRow> rows;
  const Bits both = {0, 1};
  const auto add = [&](const std::string& name, std::vector<std::string> operands,
                       std::vector<Bits> tuples, std::function<Want(const Bits&)> want) {
    TableRow row;
    row.instruction = name;
    row.result = "b";
    row.operands = std::move(operands);
    row.tuples = std::move(tuples);
    row.want = std::move(want);
    row.exact = true;
    rows.push_back(std::move(row));
    return &rows.back();
  };
  const auto two = [&](const std::string& name, uint64_t (*value)(uint64_t, uint64_t)) {
    add(name, {"b", "b"}, Cross({both, both}), [value](const Bits& in) {
      return Want::Value({value(in[0], in[1])});
    })->by_component = true;
  };
  two("OpLogicalAnd", [](uint64_t a, uint64_t b) { return a & b; });
  two("OpLogicalOr", [](uint64_t a, uint64_t b) { return a | b; });
  two("OpLogicalEqual", [](uint64_t a, uint64_t b) { return uint64_t{a == b}; });
  two("OpLogicalNotEqual", [](uint64_t a, uint64_t b) { return uint64_t{a != b}; });
  add("OpLogicalNot", {"b"}, Cross({both}), [](const Bits& in) {
    return Want::Value({in[0] ^ 1});
  })->by_component = true;
  for (const int n : {2, 3, 4}) {
    const std::vector<Bits> all = Cross(std::vector<Bits>(static_cast<size_t>(n), both));
    for (const bool any : {false, true}) {
      add(any ? "OpAny" : "OpAll", {format("v{}b", n)}, all, [any](const Bits& in) {
        uint64_t value = any ? 0 : 1;
        for (const uint64_t bit : in) value = any ? value | bit : value & bit;
        return Want::Value({value});
      });
    }
  }
  for (const char* type : {"u32", "i8", "u16", "i64", "f32", "f64", "f16", "b", "v3u32", "v2f32"}) {
    const TableType scalar = ParseType(type);
    std::vector<Bits> tuples;
    for (const uint64_t condition : both) {
      for (uint64_t step = 0; step < 3; ++step) {
        Bits tuple = {condition};
        for (size_t i = 0; i < 2 * scalar.scalars(); ++i) {
          tuple.push_back(scalar.kind == 'b' ? (step + i) % 2
                          : scalar.is_float()
                              ? EncodeFloat(static_cast<double>(step + i) - 1.5, scalar.width)
                              : Masked(0x8f1234567 * (step + i + 1), scalar.width));
        }
        tuples.push_back(std::move(tuple));
      }
    }
    TableRow* row =
        add("OpSelect", {"b", type, type}, tuples, [n = scalar.scalars()](const Bits& in) {
          const auto first = in.begin() + 1 + static_cast<ptrdiff_t>(in[0] != 0 ? 0 : n);
          return Want::Value(Bits(first, first + static_cast<ptrdiff_t>(n)));
        });
    row->result = type;
    if (scalar.scalars() == 1) {
      row->by_component = true;
    } else {
      row->version = 4;  // of one condition for a whole vector
    }
  }
  return rows;
}

}  // namespace refract
