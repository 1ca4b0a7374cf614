// SPDX-License-Identifier: Apache-2.0
// What is measured: the references, and contexts of a wanted size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "message/any.h"

namespace refract::bench {

/// Six of the references, plain: always the same, so that numbers stay comparable. Read once.
const std::vector<Original>& PlainReferences();
const Original& Reference(std::string_view name);

/// One of tools/bench/shaders: loops of floats, approximate nearly everywhere.
Original FloatShader(const std::string& name);

/// A long recording of a reference, with everything on: that many steps.
const FuzzResult& LongRun(const Original& original, uint32_t steps);

/// A module of about so many instructions: functions of a few hundred with loops and selections.
Original SizedModule(size_t instructions);
/// The same with 2,000 synonym facts over its values.
Context SizedContext(size_t instructions);

/// The context with functions of `donors` beside its own, which nothing calls, until it has so many
/// instructions.
Context GrownContext(const Context& context, const std::vector<AnyMessage>& donors,
                     size_t instructions);

/// A function of so many blocks, nested selections and loops, as a module.
Module FunctionOfBlocks(size_t blocks);

/// Messages of all transformations that act in one function only, up to `limit` of each; they
/// were accepted one after the other.
std::vector<AnyMessage> StepsIn(const Context& context, Function function, size_t limit);

/// Bytes that are allocated now and were not when counting began; allocation is slower meanwhile.
void CountAllocations(bool on);
int64_t AllocatedBytes();

}  // namespace refract::bench
