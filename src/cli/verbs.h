// SPDX-License-Identifier: Apache-2.0
// The verbs, each defined in cli/verb_NAME.cpp and entered in cli/main.cpp.
#pragma once

#include "cli/verb.h"

namespace refract {

extern const Verb kCompareVerb;

}  // namespace refract
