/* SPDX-License-Identifier: Apache-2.0 */
/* Refract as a custom mutator of AFL++ (docs/mutator.md):
 *
 *   cc -shared -fPIC afl_mutator.c -lrefract -o afl_mutator.so
 *   AFL_CUSTOM_MUTATOR_LIBRARY=$PWD/afl_mutator.so AFL_CUSTOM_MUTATOR_ONLY=1 afl-fuzz ...
 *
 * The files in AFL++'s queue keep their trailers. afl_custom_post_process removes the trailer from
 * what the program under test reads. */
#include <refract/refract.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t seed, calls;
  uint8_t* buffer; /* what the last call returned */
  size_t capacity;
} mutator;

void* afl_custom_init(void* afl, unsigned int seed);
void afl_custom_deinit(void* data);
size_t afl_custom_fuzz(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf,
                       uint8_t* add_buf, size_t add_buf_size, size_t max_size);
size_t afl_custom_post_process(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf);

void* afl_custom_init(void* afl, unsigned int seed) {
  mutator* made = calloc(1, sizeof(*made));
  (void)afl;
  if (made != NULL) made->seed = seed;
  return made;
}

void afl_custom_deinit(void* data) {
  mutator* made = data;
  free(made->buffer);
  free(made);
}

/* One call in 16 is a crossover with the file that AFL++ offers. Without a result, the program runs
 * on the file as it is. */
size_t afl_custom_fuzz(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf,
                       uint8_t* add_buf, size_t add_buf_size, size_t max_size) {
  mutator* made = data;
  const uint32_t seed = made->seed + 2654435761u * ++made->calls;
  size_t size = 0;
  if (max_size < buf_size) max_size = buf_size;
  if (made->capacity < max_size) {
    uint8_t* larger = realloc(made->buffer, max_size);
    if (larger == NULL) return 0;
    made->buffer = larger;
    made->capacity = max_size;
  }
  if (add_buf != NULL && made->calls % 16 == 0) {
    size = refract_crossover(buf, buf_size, add_buf, add_buf_size, made->buffer, max_size, seed);
  }
  if (size == 0) {
    memcpy(made->buffer, buf, buf_size);
    size = refract_mutate(made->buffer, buf_size, max_size, seed);
  }
  *out_buf = made->buffer;
  return size == 0 ? buf_size : size;
}

size_t afl_custom_post_process(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf) {
  (void)data;
  *out_buf = buf;
  return refract_mutated_module_size(buf, buf_size);
}
