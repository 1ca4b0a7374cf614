// SPDX-License-Identifier: Apache-2.0
// The tables of instructions, each against everyone who can say what comes out.
#include <gtest/gtest.h>

#include "check_rows.h"

namespace refract {
namespace {

TEST(Tables, Integers8) {
  CheckRows(IntegerRows(8), "integers of 8 bits");
}
TEST(Tables, Integers16) {
  CheckRows(IntegerRows(16), "integers of 16 bits");
}
TEST(Tables, Integers32) {
  CheckRows(IntegerRows(32), "integers of 32 bits");
}
TEST(Tables, Integers64) {
  CheckRows(IntegerRows(64), "integers of 64 bits");
}
TEST(Tables, Logical) {
  CheckRows(LogicalRows(), "logical");
}
TEST(Tables, Conversions) {
  CheckRows(ConversionRows(), "conversions");
}
TEST(Tables, Floats16) {
  CheckRows(FloatRows(16), "floats of 16 bits");
}
TEST(Tables, Floats32) {
  CheckRows(FloatRows(32), "floats of 32 bits");
}
TEST(Tables, Floats64) {
  CheckRows(FloatRows(64), "floats of 64 bits");
}
TEST(Tables, GlslFloats16) {
  CheckRows(GlslFloatRows(16), "GLSL.std.450 of 16 bits");
}
TEST(Tables, GlslFloats32) {
  CheckRows(GlslFloatRows(32), "GLSL.std.450 of 32 bits");
}
TEST(Tables, GlslFloats64) {
  CheckRows(GlslFloatRows(64), "GLSL.std.450 of 64 bits");
}
TEST(Tables, GlslIntegers) {
  CheckRows(GlslIntegerRows(), "GLSL.std.450 of integers");
}
TEST(Tables, GlslVectors) {
  CheckRows(GlslVectorRows(), "GLSL.std.450 of vectors");
}
TEST(Tables, Undefined) {
  CheckRows(UndefinedRows(), "undefined values");
}
TEST(Tables, Composites) {
  CheckRows(CompositeRows(), "composites");
}
TEST(Tables, Linear) {
  CheckRows(LinearRows(), "products of vectors and matrices");
}
TEST(Tables, Control) {
  CheckRows(ControlRows(), "control flow");
}
TEST(Tables, DotProducts) {
  CheckRows(DotRows(), "integer dot products");
}

}  // namespace
}  // namespace refract
