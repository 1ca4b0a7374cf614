/* SPDX-License-Identifier: Apache-2.0 */
/* Refract as a custom mutator of AFL++ (docs/mutator.md):
 *
 *   cc -shared -fPIC afl_mutator.c -lrefract -o afl_mutator.so
 *   AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/afl_mutator.so AFL_CUSTOM_MUTATOR_ONLY=1 AFL_DISABLE_TRIM=1 \
 *       afl-fuzz -G 1000000 ...
 *
 * The program under test gets whole files, and must cut off the trailers itself, by
 * refract_mutated_module_size. With AFL_POST_PROCESS_KEEP_ORIGINAL=1 it gets only the variants.
 * Then AFL++ must know this variable: others store what the program gets, without trailers.
 *
 * A mutation has up to 4 steps for each millisecond that the program takes, and up to 3 below that.
 * With REFRACT_MAX_STEPS=N it has up to N. */
#define _POSIX_C_SOURCE 200112L
#include <refract/refract.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  uint32_t seed, calls;
  uint8_t* buffer; /* what the last call of afl_custom_fuzz returned */
  size_t capacity;
  uint8_t* variant; /* what the last call of afl_custom_post_process returned */
  size_t variant_capacity;
  int cuts;            /* whether afl_custom_post_process cuts off trailers */
  double mutated;      /* when the last mutation ended, in milliseconds; 0: it made nothing */
  double milliseconds; /* that the program takes, as a moving average */
} mutator;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* The program runs once after each mutation that made something. A run counts as at most 8 times
 * the average and a millisecond, so that a pause of AFL++ or of the machine changes little. */
static uint32_t max_steps(mutator* made) {
  const char* given = getenv("REFRACT_MAX_STEPS");
  if (given != NULL) return (uint32_t)strtoul(given, NULL, 10);
  if (made->mutated != 0) {
    const double last = now() - made->mutated;
    const double most = 8 * made->milliseconds + 1;
    made->milliseconds += ((last < most ? last : most) - made->milliseconds) / 8;
    made->mutated = 0;
  }
  if (made->milliseconds < 1) return 3;
  return made->milliseconds < 125 ? (uint32_t)(4 * made->milliseconds) : 500;
}

/* Makes `*buffer` at least `size` bytes large. Returns 0 if there is no memory. */
static int reserve(uint8_t** buffer, size_t* capacity, size_t size) {
  uint8_t* larger;
  if (*capacity >= size) return 1;
  larger = realloc(*buffer, size);
  if (larger == NULL) return 0;
  *buffer = larger;
  *capacity = size;
  return 1;
}

void* afl_custom_init(void* afl, unsigned int seed);
void afl_custom_deinit(void* data);
size_t afl_custom_fuzz(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf,
                       uint8_t* add_buf, size_t add_buf_size, size_t max_size);
size_t afl_custom_post_process(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf);

void* afl_custom_init(void* afl, unsigned int seed) {
  mutator* made = calloc(1, sizeof(*made));
  (void)afl;
  if (made != NULL) {
    made->seed = seed;
    made->cuts = getenv("AFL_POST_PROCESS_KEEP_ORIGINAL") != NULL;
  }
  return made;
}

void afl_custom_deinit(void* data) {
  mutator* made = data;
  free(made->buffer);
  free(made->variant);
  free(made);
}

/* One call in 16 is a crossover with the file that AFL++ offers. Without a result, the program runs
 * on the file as it is. */
size_t afl_custom_fuzz(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf,
                       uint8_t* add_buf, size_t add_buf_size, size_t max_size) {
  mutator* made = data;
  const uint32_t seed = made->seed + 2654435761u * ++made->calls;
  const uint32_t steps = max_steps(made);
  size_t size = 0;
  if (max_size < buf_size) max_size = buf_size;
  if (!reserve(&made->buffer, &made->capacity, max_size)) return 0;
  if (add_buf != NULL && made->calls % 16 == 0) {
    size = refract_crossover_steps(buf, buf_size, add_buf, add_buf_size, made->buffer, max_size,
                                   seed, steps);
  }
  if (size == 0) {
    memcpy(made->buffer, buf, buf_size);
    size = refract_mutate_steps(made->buffer, buf_size, max_size, seed, steps);
  }
  if (size != 0) made->mutated = now();
  *out_buf = made->buffer;
  return size == 0 ? buf_size : size;
}

/* The variant is a copy, because AFL++ only keeps `buf` if it gets another buffer. */
size_t afl_custom_post_process(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf) {
  mutator* made = data;
  const size_t size = refract_mutated_module_size(buf, buf_size);
  *out_buf = buf;
  if (!made->cuts || size == 0) return buf_size;
  if (!reserve(&made->variant, &made->variant_capacity, size)) return 0;
  memcpy(made->variant, buf, size);
  *out_buf = made->variant;
  return size;
}
