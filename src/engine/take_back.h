// SPDX-License-Identifier: Apache-2.0
// Takes back the steps of a variant that the interpreter does not certify.
#pragma once

#include "engine/certifier.h"
#include "engine/declarations.h"
#include "engine/fuzz.h"

namespace refract {
inline namespace engine {

/// Certifies the whole output of the variant. If it is not certified, takes back steps that need a
/// certificate, the latest half of them each time, until the variant is certified or has no such
/// step. A step that cannot be applied without them is taken back too. Changes the context and the
/// steps of `result`, and adds a note if steps were taken back. Other steps keep their numbers.
void TakeBackUncertified(const Original& original, Certifier& certifier,
                         const Declarations& declarations, FuzzResult* result);

}  // namespace engine
}  // namespace refract
