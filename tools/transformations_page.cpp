// SPDX-License-Identifier: Apache-2.0
// Prints docs/transformations.md; `make docs` puts it there.
#include <cstdio>

#include "message/info.h"

int main() {
  std::fputs(refract::message::TransformationsPage().c_str(), stdout);
}
