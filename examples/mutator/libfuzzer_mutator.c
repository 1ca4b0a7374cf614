/* SPDX-License-Identifier: Apache-2.0 */
/* Refract as the mutator of libFuzzer: compile this file into a fuzz target (docs/mutator.md).
 *
 * A mutation has up to 4 steps for each millisecond of processor time that the target takes, and up
 * to 3 below that. With REFRACT_MAX_STEPS=N it has up to N, and runs of the same seed make the same
 * mutations. */
#include <refract/refract.h>
#include <stdlib.h>
#include <time.h>

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2,
                                 size_t size2, uint8_t* out, size_t max_out_size,
                                 unsigned int seed);

static clock_t mutated;     /* when the last mutation ended; 0: it made nothing */
static double milliseconds; /* that the target takes, as a moving average */

/* The target runs once after each mutation that made something. A run counts as at most 8 times the
 * average and a millisecond, so that one that took long for another reason changes little. */
static uint32_t max_steps(void) {
  const char* given = getenv("REFRACT_MAX_STEPS");
  if (given != NULL) return (uint32_t)strtoul(given, NULL, 10);
  if (mutated != 0) {
    const double last = (double)(clock() - mutated) * 1000 / CLOCKS_PER_SEC;
    const double most = 8 * milliseconds + 1;
    milliseconds += ((last < most ? last : most) - milliseconds) / 8;
    mutated = 0;
  }
  if (milliseconds < 1) return 3;
  return milliseconds < 125 ? (uint32_t)(4 * milliseconds) : 500;
}

/* libFuzzer tries again if the size is 0. */
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  const size_t made = refract_mutate_steps(data, size, max_size, seed, max_steps());
  if (made != 0) mutated = clock();
  return made;
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* data1, size_t size1, const uint8_t* data2,
                                 size_t size2, uint8_t* out, size_t max_out_size,
                                 unsigned int seed) {
  const size_t made =
      refract_crossover_steps(data1, size1, data2, size2, out, max_out_size, seed, max_steps());
  if (made != 0) mutated = clock();
  return made;
}
