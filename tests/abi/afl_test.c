/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of examples/mutator/afl_mutator.c as AFL++ does. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "modules.h"
#include "refract/refract.h"

int g_failures = 0;

void* afl_custom_init(void* afl, unsigned int seed);
void afl_custom_deinit(void* data);
size_t afl_custom_fuzz(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf,
                       uint8_t* add_buf, size_t add_buf_size, size_t max_size);
size_t afl_custom_post_process(void* data, uint8_t* buf, size_t buf_size, uint8_t** out_buf);

static uint8_t g_file[1 << 20];

/* `cuts`: whether what the program gets has no trailers. */
static void TestMutator(int cuts) {
  uint8_t other[sizeof(kDivideModule)];
  size_t size = sizeof(kSumModule);
  int i, changed = 0, cut = 0;
  void* mutator = afl_custom_init(NULL, 7);
  memcpy(g_file, kSumModule, size);
  memcpy(other, kDivideModule, sizeof(other));
  for (i = 0; i < 40; ++i) {
    uint8_t *made = NULL, *given = NULL;
    const size_t made_size =
        afl_custom_fuzz(mutator, g_file, size, &made, other, sizeof(other), sizeof(g_file));
    const size_t given_size = afl_custom_post_process(mutator, made, made_size, &given);
    const size_t module_size = refract_mutated_module_size(made, made_size);
    EXPECT(made_size > 0 && given_size == (cuts ? module_size : made_size));
    EXPECT((given == made) == !cuts);
    EXPECT(refract_validate(given, module_size, NULL, NULL) == REFRACT_OK);
    changed += made_size != size || memcmp(made, g_file, size) != 0;
    cut += given_size < made_size;
    memcpy(g_file, made, made_size);
    size = made_size;
  }
  EXPECT(changed > 30);
  EXPECT(cuts ? cut > 30 : cut == 0);
  /* What is no module stays as it is. */
  {
    uint8_t* made = NULL;
    memcpy(g_file, "text", 4);
    EXPECT(afl_custom_fuzz(mutator, g_file, 4, &made, NULL, 0, sizeof(g_file)) == 4);
    EXPECT(memcmp(made, "text", 4) == 0);
  }
  afl_custom_deinit(mutator);
}

int main(void) {
  unsetenv("AFL_POST_PROCESS_KEEP_ORIGINAL");
  TestMutator(0);
  setenv("AFL_POST_PROCESS_KEEP_ORIGINAL", "1", 1);
  TestMutator(1);
  return g_failures == 0 ? 0 : 1;
}
