// SPDX-License-Identifier: Apache-2.0
// The constants of unwind tables, with the names and values of the standards.
#pragma once

#include <cstdint>

namespace refract {
inline namespace crash {

// NOLINTBEGIN(readability-identifier-naming): the names are those of the standards.

// How a pointer is encoded (Linux Standard Base Core, 10.5.1 "DWARF Exception Header Encoding").
// The low four bits are the format of the number, the next three bits say what it is relative to.
constexpr uint8_t DW_EH_PE_absptr = 0x00;
constexpr uint8_t DW_EH_PE_uleb128 = 0x01;
constexpr uint8_t DW_EH_PE_udata2 = 0x02;
constexpr uint8_t DW_EH_PE_udata4 = 0x03;
constexpr uint8_t DW_EH_PE_udata8 = 0x04;
constexpr uint8_t DW_EH_PE_sleb128 = 0x09;
constexpr uint8_t DW_EH_PE_sdata2 = 0x0a;
constexpr uint8_t DW_EH_PE_sdata4 = 0x0b;
constexpr uint8_t DW_EH_PE_sdata8 = 0x0c;
constexpr uint8_t DW_EH_PE_pcrel = 0x10;
constexpr uint8_t DW_EH_PE_datarel = 0x30;
constexpr uint8_t DW_EH_PE_omit = 0xff;  // there is no pointer
constexpr uint8_t kPointerFormat = 0x0f;
constexpr uint8_t kPointerBase = 0x70;

// Call frame instructions (DWARF 5, 7.24 "Call Frame Information", table 7.29). The first three
// have an operand in the low six bits.
constexpr uint8_t DW_CFA_advance_loc = 0x40;
constexpr uint8_t DW_CFA_offset = 0x80;
constexpr uint8_t DW_CFA_restore = 0xc0;
constexpr uint8_t kPrimaryInstruction = 0xc0;
constexpr uint8_t kPrimaryOperand = 0x3f;
constexpr uint8_t DW_CFA_nop = 0x00;
constexpr uint8_t DW_CFA_set_loc = 0x01;
constexpr uint8_t DW_CFA_advance_loc1 = 0x02;
constexpr uint8_t DW_CFA_advance_loc2 = 0x03;
constexpr uint8_t DW_CFA_advance_loc4 = 0x04;
constexpr uint8_t DW_CFA_offset_extended = 0x05;
constexpr uint8_t DW_CFA_restore_extended = 0x06;
constexpr uint8_t DW_CFA_undefined = 0x07;
constexpr uint8_t DW_CFA_same_value = 0x08;
constexpr uint8_t DW_CFA_register = 0x09;
constexpr uint8_t DW_CFA_remember_state = 0x0a;
constexpr uint8_t DW_CFA_restore_state = 0x0b;
constexpr uint8_t DW_CFA_def_cfa = 0x0c;
constexpr uint8_t DW_CFA_def_cfa_register = 0x0d;
constexpr uint8_t DW_CFA_def_cfa_offset = 0x0e;
constexpr uint8_t DW_CFA_def_cfa_expression = 0x0f;
constexpr uint8_t DW_CFA_expression = 0x10;
constexpr uint8_t DW_CFA_offset_extended_sf = 0x11;
constexpr uint8_t DW_CFA_def_cfa_sf = 0x12;
constexpr uint8_t DW_CFA_def_cfa_offset_sf = 0x13;
constexpr uint8_t DW_CFA_val_offset = 0x14;
constexpr uint8_t DW_CFA_val_offset_sf = 0x15;
constexpr uint8_t DW_CFA_val_expression = 0x16;
// Switches whether the return address is signed (DWARF for the Arm 64-bit Architecture).
constexpr uint8_t DW_CFA_AARCH64_negate_ra_state = 0x2d;
constexpr uint8_t DW_CFA_GNU_args_size = 0x2e;  // Linux Standard Base Core, 10.5.2

// Operations of expressions (DWARF 5, 7.7.1 "Operation Expressions", table 7.9).
constexpr uint8_t DW_OP_deref = 0x06;
constexpr uint8_t DW_OP_const1u = 0x08;
constexpr uint8_t DW_OP_const1s = 0x09;
constexpr uint8_t DW_OP_const2u = 0x0a;
constexpr uint8_t DW_OP_const2s = 0x0b;
constexpr uint8_t DW_OP_const4u = 0x0c;
constexpr uint8_t DW_OP_const4s = 0x0d;
constexpr uint8_t DW_OP_const8u = 0x0e;
constexpr uint8_t DW_OP_const8s = 0x0f;
constexpr uint8_t DW_OP_constu = 0x10;
constexpr uint8_t DW_OP_consts = 0x11;
constexpr uint8_t DW_OP_dup = 0x12;
constexpr uint8_t DW_OP_drop = 0x13;
constexpr uint8_t DW_OP_and = 0x1a;
constexpr uint8_t DW_OP_minus = 0x1c;
constexpr uint8_t DW_OP_mul = 0x1e;
constexpr uint8_t DW_OP_or = 0x21;
constexpr uint8_t DW_OP_plus = 0x22;
constexpr uint8_t DW_OP_plus_uconst = 0x23;
constexpr uint8_t DW_OP_shl = 0x24;
constexpr uint8_t DW_OP_shr = 0x25;
constexpr uint8_t DW_OP_xor = 0x27;
constexpr uint8_t DW_OP_eq = 0x29;
constexpr uint8_t DW_OP_ge = 0x2a;
constexpr uint8_t DW_OP_gt = 0x2b;
constexpr uint8_t DW_OP_le = 0x2c;
constexpr uint8_t DW_OP_lt = 0x2d;
constexpr uint8_t DW_OP_ne = 0x2e;
constexpr uint8_t DW_OP_lit0 = 0x30;
constexpr uint8_t DW_OP_lit31 = 0x4f;
constexpr uint8_t DW_OP_breg0 = 0x70;
constexpr uint8_t DW_OP_breg31 = 0x8f;
constexpr uint8_t DW_OP_bregx = 0x92;

// NOLINTEND(readability-identifier-naming)

}  // namespace crash
}  // namespace refract
