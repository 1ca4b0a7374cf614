// SPDX-License-Identifier: Apache-2.0
// The only file that compiles volk, which Debian ships as source.
#include <volk.c>
