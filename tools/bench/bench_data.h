// SPDX-License-Identifier: Apache-2.0
// Data for the benchmarks: the references, and contexts of a given size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "message/any.h"

namespace refract::bench {

/// Six plain references, always the same ones, so that numbers stay comparable. Read once.
const std::vector<Original>& PlainReferences();
const Original& Reference(std::string_view name);

/// One of tools/bench/shaders: loops of floats, whose values are nearly all approximate.
Original FloatShader(const std::string& name);

/// A recording of a reference with that many steps, with everything enabled.
const FuzzResult& LongRun(const Original& original, uint32_t steps);

/// A module of about this many instructions: functions of a few hundred with loops and selections.
Original SizedModule(size_t instructions);
/// The same with 2,000 synonym facts about its values.
Context SizedContext(size_t instructions);

/// The context with functions of `donors` added, which nothing calls, until it has this many
/// instructions.
Context GrownContext(const Context& context, const std::vector<AnyMessage>& donors,
                     size_t instructions);

/// A function of this many blocks, with nested selections and loops, as a module.
Module FunctionOfBlocks(size_t blocks);

/// Messages of all transformations that change one function only, up to `limit` of each. They were
/// accepted one after the other.
std::vector<AnyMessage> StepsIn(const Context& context, Function function, size_t limit);

/// Bytes that were allocated since counting began and not freed. Allocation is slower meanwhile.
void CountAllocations(bool on);
int64_t AllocatedBytes();

}  // namespace refract::bench
