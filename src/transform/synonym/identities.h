// SPDX-License-Identifier: Apache-2.0
// The table of add_synonym: what each identity computes, for which values it is exact, and what it
// requires of the other value.
#pragma once

#include <span>

#include "message/add_synonym.h"
#include "rules/build/formula.h"

namespace refract {
inline namespace transform {

// The values for which a row is exact.
enum class IdentityDomain : uint8_t {
  kAny,
  kInt,
  kSigned,
  kUnsigned,
  kInt32,     // OpBitReverse: Vulkan supports only 32 bits
  kSmallInt,  // known to be exact and at most 2^24, so that a float can represent it
  kBool,
  kSureFloat,   // with exactly known bits: a zero that arithmetic computes can have either sign
  kPlainFloat,  // known to be a normal number: x + 0 changes -0, x * 1 a denormal, min(x, x) a NaN
  kMatrix,
};

// How an identity uses the other value.
enum class OtherValue : uint8_t {
  kNone,
  kMixedIn,    // the value is used in a computation and then cancelled
  kLeftOut,    // the value is not selected
  kCondition,  // the value selects between two equal values
};

struct IdentityRow {
  message::AddSynonym::Identity identity;
  IdentityDomain domain;
  FormulaOp steps[3];
  OtherValue other = OtherValue::kNone;
};

/// All rows; an identity may have rows for several domains.
std::span<const IdentityRow> IdentityRows();
/// True if the value is in the domain.
bool IsInDomain(const View& view, IdentityDomain domain, Id value);
/// The type of the intermediate value that the identity uses for a value of this type; a type of
/// kind kNone if not found.
message::Type IntermediateType(const Module& module, message::AddSynonym::Identity identity,
                               const message::Type& type);

}  // namespace transform
}  // namespace refract
