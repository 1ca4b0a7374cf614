/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of examples/mutator/afl_mutator.c as AFL++ does. */
#define _POSIX_C_SOURCE 200112L /* setenv, nanosleep */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* The number of steps in a mutated file of the module kSumModule. */
static size_t StepsOf(const uint8_t* file, size_t size) {
  REFRACT_INIT(refract_mutated, parts);
  refract_module* module = NULL;
  refract_variant* variant = NULL;
  size_t steps = 0;
  if (refract_mutated_parts(file, size, &parts, NULL) == REFRACT_OK &&
      refract_module_load(parts.original, parts.original_size, NULL, &module, NULL) == REFRACT_OK &&
      refract_replay(module, parts.recording, parts.recording_size, NULL, &variant, NULL) ==
          REFRACT_OK) {
    steps = refract_variant_steps(variant);
  }
  refract_variant_free(variant);
  refract_module_free(module);
  return steps;
}

enum { kMutations = 12 };

static void Sleep(long microseconds) {
  const struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  nanosleep(&time, NULL);
}

/* The most steps in twelve mutations of a module, for a program that takes so many microseconds. It
 * once takes `longest`. */
static size_t MostSteps(long microseconds, long longest) {
  static uint8_t files[kMutations][1 << 16];
  size_t sizes[kMutations];
  void* mutator = afl_custom_init(NULL, 1);
  size_t most = 0;
  int i;
  for (i = 0; i < kMutations; ++i) {
    uint8_t* made = NULL;
    memcpy(g_file, kSumModule, sizeof(kSumModule));
    sizes[i] =
        afl_custom_fuzz(mutator, g_file, sizeof(kSumModule), &made, NULL, 0, sizeof(files[i]));
    memcpy(files[i], made, sizes[i]);
    Sleep(i == 3 ? longest : microseconds);
  }
  afl_custom_deinit(mutator);
  for (i = 0; i < kMutations; ++i) {
    const size_t steps = StepsOf(files[i], sizes[i]);
    if (steps > most) most = steps;
  }
  return most;
}

static void TestSteps(void) {
  const size_t slow = MostSteps(60000, 60000);
  const size_t quick = MostSteps(300, 300);
  const size_t paused = MostSteps(0, 1000000);
  size_t set;
  EXPECT(slow > 20);
  EXPECT(quick >= 2);
  EXPECT(paused >= 2 && paused < 40);
  setenv("REFRACT_MAX_STEPS", "4", 1);
  set = MostSteps(60000, 60000);
  EXPECT(set >= 2 && set <= 4);
  setenv("REFRACT_MAX_STEPS", "200", 1);
  EXPECT(MostSteps(0, 0) > 40);
  unsetenv("REFRACT_MAX_STEPS");
}

int main(void) {
  TestSteps();
  unsetenv("AFL_POST_PROCESS_KEEP_ORIGINAL");
  TestMutator(0);
  setenv("AFL_POST_PROCESS_KEEP_ORIGINAL", "1", 1);
  TestMutator(1);
  return g_failures == 0 ? 0 : 1;
}
