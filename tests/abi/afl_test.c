/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of examples/mutator/afl_mutator.c as AFL++ does. */
#include <stdio.h>
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

int main(void) {
  static uint8_t file[1 << 20];
  uint8_t other[sizeof(kDivideModule)];
  size_t size = sizeof(kSumModule);
  int i, changed = 0;
  void* mutator = afl_custom_init(NULL, 7);
  memcpy(file, kSumModule, size);
  memcpy(other, kDivideModule, sizeof(other));
  for (i = 0; i < 40; ++i) {
    uint8_t *made = NULL, *module = NULL;
    const size_t made_size =
        afl_custom_fuzz(mutator, file, size, &made, other, sizeof(other), sizeof(file));
    const size_t module_size = afl_custom_post_process(mutator, made, made_size, &module);
    EXPECT(made_size > 0 && module_size <= made_size);
    EXPECT(refract_validate(module, module_size, NULL, NULL) == REFRACT_OK);
    changed += made_size != size || memcmp(made, file, size) != 0;
    memcpy(file, made, made_size);
    size = made_size;
  }
  EXPECT(changed > 30);
  /* What is no module stays as it is. */
  {
    uint8_t* made = NULL;
    memcpy(file, "text", 4);
    EXPECT(afl_custom_fuzz(mutator, file, 4, &made, NULL, 0, sizeof(file)) == 4);
    EXPECT(memcmp(made, "text", 4) == 0);
  }
  afl_custom_deinit(mutator);
  return g_failures == 0 ? 0 : 1;
}
