// SPDX-License-Identifier: Apache-2.0
// Parses the declarations of an AmberScript that have lines of their own after them.
#pragma once

#include "amber/script.h"
#include "amber/statement.h"

namespace refract::amber {

/// Each function gets the statement after its first word and reads on to its END, if it has one.
Result<Shader> ParseShader(Statement& statement, Lines& lines);
Result<Buffer> ParseBuffer(Statement& statement, Lines& lines);
Result<Buffer> ParseImage(Statement& statement, Lines& lines);
Result<Sampler> ParseSampler(Statement& statement);
Result<Pipeline> ParsePipeline(Statement& statement, Lines& lines);

}  // namespace refract::amber
