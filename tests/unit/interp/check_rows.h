// SPDX-License-Identifier: Apache-2.0
// Runs rows of the tables and compares all who can say what comes out.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "row.h"
#include "witnesses.h"

namespace refract {

/// Checks each row, those `by_component` also on vectors; prints what was compared.
void CheckRows(const std::vector<TableRow>& rows, const std::string& name);

/// All tables there are, for the test of what they cover.
std::vector<TableRow> IntegerRows(int width);
std::vector<TableRow> ConversionRows();
std::vector<TableRow> LogicalRows();
std::vector<TableRow> FloatRows(int width);
std::vector<TableRow> GlslFloatRows(int width);
std::vector<TableRow> GlslIntegerRows();
std::vector<TableRow> GlslVectorRows();
std::vector<TableRow> CompositeRows();
std::vector<TableRow> LinearRows();
std::vector<TableRow> ControlRows();
std::vector<TableRow> DotRows();
std::vector<TableRow> UndefinedRows();
std::vector<TableRow> AllRows();

}  // namespace refract
