// SPDX-License-Identifier: Apache-2.0
// The one translation unit that holds volk, which Debian ships as source.
#include <volk.c>
