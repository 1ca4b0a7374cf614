/* SPDX-License-Identifier: Apache-2.0 */
/* Refract as the mutator of libFuzzer: compile this file into a fuzz target (docs/mutator.md). */
#include <refract/refract.h>

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2,
                                 size_t size2, uint8_t* out, size_t max_out_size,
                                 unsigned int seed);

/* libFuzzer tries again if the size is 0. */
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return refract_mutate(data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2,
                                 size_t size2, uint8_t* out, size_t max_out_size,
                                 unsigned int seed) {
  return refract_crossover(data1, size1, data2, size2, out, max_out_size, seed);
}
