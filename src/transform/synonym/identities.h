// SPDX-License-Identifier: Apache-2.0
// The identities of add_synonym: what is computed, for which values that is exact, and what the
// other value has to be.
#pragma once

#include <span>

#include "message/add_synonym.h"
#include "rules/build/recipe.h"

namespace refract::inline transform {

// What a row is exact for.
enum class IdentityDomain : uint8_t {
  kAny,
  kInt,
  kSigned,
  kUnsigned,
  kInt32,     // OpBitReverse: Vulkan has it for 32 bits only
  kSmallInt,  // known to be exact and at most 2^24: a float has it exactly
  kBool,
  kSureFloat,   // of known bits: a zero that arithmetic made has either sign
  kPlainFloat,  // known to be normal: x + 0 changes -0, x * 1 a denormal, min(x, x) a NaN
  kMatrix,
};

// The value beside the first.
enum class OtherValue : uint8_t {
  kNone,
  kMixedIn,    // computed with, and then its trace is removed
  kLeftOut,    // not chosen
  kCondition,  // chooses between equal values
};

struct IdentityRow {
  message::AddSynonym::Identity identity;
  IdentityDomain domain;
  RecipeStep steps[3];
  OtherValue other = OtherValue::kNone;
};

/// All of them; an identity may have rows for several domains.
std::span<const IdentityRow> IdentityRows();
/// Whether what is said to be exact for the domain is so for the value.
bool IsInDomain(const View& view, IdentityDomain domain, Id value);
/// The type that an identity goes through on the way, for a value of this one; of no kind if there
/// is none.
message::Type TypeOnTheWay(const Module& module, message::AddSynonym::Identity identity,
                           const message::Type& type);

}  // namespace refract::inline transform
